"""Metres on the ground, wherever the data lies and whatever it comes in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Geod, Transformer

from geoeval import GeoevalError, RoadNetwork
from geoeval.crs import LOCAL_METRES, MAX_SCALE_ERROR, WGS84, crs_name, longitude_span, parse_crs, to_metres
from geoeval.exceptions import CRSError

GEOD = Geod(ellps="WGS84")


def geodesic_length(lonlat) -> float:
    return GEOD.line_length(*np.transpose(lonlat))


def walk(longitude: float, latitude: float, *, steps: int = 20, metres: float = 500.0, seed: int = 0):
    """A road of short steps that starts somewhere on Earth, in degrees."""
    rng = np.random.default_rng(seed)
    course = [(longitude, latitude)]
    for azimuth in rng.uniform(0, 360, steps):
        lon, lat, _ = GEOD.fwd(*course[-1], azimuth, metres)
        course.append((lon, lat))
    return course


@given(st.floats(-180, 180), st.floats(-90, 90), st.integers(0, 99))
@settings(max_examples=80)
def test_length_is_the_geodesic_one_anywhere_on_earth(longitude, latitude, seed):
    course = walk(longitude, latitude, seed=seed)
    net = RoadNetwork.from_lines([course], crs="EPSG:4326")
    assert net.length == pytest.approx(geodesic_length(course), rel=1e-3)
    assert net.scale_error <= MAX_SCALE_ERROR


@pytest.mark.parametrize(
    "crs", ["EPSG:4326", "EPSG:32610", "EPSG:3857", "EPSG:2285", "EPSG:3395", "EPSG:4269", "EPSG:5070", "EPSG:32611",
            "+proj=laea +lat_0=47 +lon_0=-122 +units=us-ft +datum=WGS84"]
)  # fmt: skip
def test_one_place_has_one_length_in_every_crs(crs):
    course = np.array(walk(-122.3, 47.6))
    x, y = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(*course.T)
    xy, metric, error = to_metres(np.column_stack([x, y]), CRS.from_user_input(crs))
    length = np.hypot(*np.diff(xy, axis=0).T).sum()
    assert length == pytest.approx(geodesic_length(course), rel=1e-3)
    assert metric.is_projected
    assert error <= MAX_SCALE_ERROR


def test_both_sides_of_the_antimeridian_are_one_place():
    course = [(179.9, -17.0), (-179.9, -17.0)]
    net = RoadNetwork.from_lines([course], crs="EPSG:4326")
    assert net.length == pytest.approx(geodesic_length(course), rel=1e-3)
    assert net.bounds[2] - net.bounds[0] < 22_000


def test_an_extent_over_several_zones_keeps_the_error_small():
    course = [(lon, 48.0) for lon in np.linspace(7, 16, 30)]
    net = RoadNetwork.from_lines([course], crs="EPSG:4326")
    assert net.scale_error <= MAX_SCALE_ERROR
    assert net.length == pytest.approx(geodesic_length(course), rel=1e-3)


@pytest.mark.parametrize("latitude", [0.0, 0.5, 49.0, -60.0])
def test_a_wide_extent_keeps_the_error_small(latitude):
    course = [(lon, latitude + 0.5 * np.sin(lon)) for lon in np.linspace(-122, -96, 200)]
    net = RoadNetwork.from_lines([course], crs="EPSG:4326")
    assert net.scale_error <= MAX_SCALE_ERROR
    assert net.length == pytest.approx(geodesic_length(course), rel=1e-3)


def test_a_continent_is_measured_with_an_error_that_is_said():
    course = [(lon, lat) for lon, lat in zip(np.linspace(-9, 40, 300), np.linspace(36, 60, 300), strict=True)]
    net = RoadNetwork.from_lines([course], crs="EPSG:4326")
    assert net.scale_error > MAX_SCALE_ERROR
    assert net.length == pytest.approx(geodesic_length(course), rel=net.scale_error)


def test_a_projected_crs_is_kept_as_given_in_python_and_its_error_said():
    net = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    assert net.length == 100
    assert net.scale_error == pytest.approx(0.0027, abs=1e-4)


def test_local_metres_cannot_be_projected():
    net = RoadNetwork.from_lines([[(0, 0), (100, 0)]])
    assert net.crs == LOCAL_METRES
    assert crs_name(net.crs) == "local metres"
    assert net.scale_error is None
    with pytest.raises(GeoevalError, match="give both inputs a CRS"):
        net.to_crs("EPSG:32610")


@pytest.mark.parametrize("text", ["EPSG:999999", "nonsense", ""])
def test_an_unknown_crs_is_refused(text):
    with pytest.raises(GeoevalError, match="unknown coordinate reference system"):
        parse_crs(text)


def test_coordinates_off_the_world_are_refused():
    with pytest.raises(GeoevalError, match="check that the CRS of the input is the right one"):
        to_metres(np.array([[500000.0, 4500000.0]]), WGS84)


@pytest.mark.parametrize(
    ("longitudes", "span"),
    [([10, 20], (10, 20)), ([179, -179], (179, 181)), ([-170, 170, 175], (170, 190)), ([5], (5, 5))],
)
def test_longitude_span(longitudes, span):
    assert longitude_span(np.array(longitudes, dtype=float)) == span


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:32632"])
def test_coordinates_that_are_no_numbers_are_off_the_world(crs):
    places = np.array([[8.6, 49.4], [np.nan, 49.4]]) if crs == "EPSG:4326" else np.array([[5e5, 5e6], [np.nan, np.nan]])
    with pytest.raises(CRSError, match="1 of 2 coordinates lie off the world"):
        to_metres(places, parse_crs(crs))
