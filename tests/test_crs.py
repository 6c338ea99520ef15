"""Metres on the ground, wherever the data lies and whatever it comes in."""

import geopandas as gpd
import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS, Geod, Transformer

from geoeval import Drawing, GeoevalError, ObjectMap, RoadNetwork, evaluate
from geoeval.crs import LOCAL_METRES, MAX_SCALE_ERROR, WGS84, crs_name, longitude_span, parse_crs, to_metres
from geoeval.exceptions import CRSError, MissingCRSError

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


# Two streets of Berlin, 0.6 and 0.7 km long, in degrees.
STREETS = [[(13.40, 52.50), (13.41, 52.50)], [(13.40, 52.50), (13.40, 52.506)]]
HOUSES = [shapely.box(13.4, 52.5, 13.4002, 52.5001)]


def street_graph(lines, **facts):
    graph = nx.Graph(**facts)
    graph.add_edges_from(lines)
    return graph


def pixel_graph(lines):
    """Nodes as row and column, and edges as numbers of nodes."""
    nodes = [place[::-1] for line in lines for place in line]
    return np.array(nodes), np.arange(len(nodes)).reshape(-1, 2)


@pytest.mark.parametrize(
    "door",
    [
        lambda: RoadNetwork.from_lines(STREETS),
        lambda: RoadNetwork([place for line in STREETS for place in line], [(0, 1), (2, 3)]),
        lambda: RoadNetwork.from_networkx(street_graph(STREETS)),
        lambda: RoadNetwork.from_geodataframe(gpd.GeoDataFrame(geometry=list(map(shapely.LineString, STREETS)))),
        lambda: ObjectMap.from_polygons(HOUSES),
        lambda: ObjectMap(HOUSES),
        lambda: ObjectMap.from_geodataframe(gpd.GeoDataFrame(geometry=HOUSES)),
        lambda: ObjectMap.from_labels(np.ones((4, 5), dtype=int), transform=(2e-5, 0, 13.4, 0, -2e-5, 52.5)),
        lambda: Drawing.from_lines(STREETS),
        lambda: Drawing.from_geodataframe(gpd.GeoDataFrame(geometry=list(map(shapely.LineString, STREETS)))),
        lambda: evaluate(street_graph(STREETS), street_graph(STREETS)),
        lambda: evaluate(*[gpd.GeoSeries(list(map(shapely.LineString, STREETS)))] * 2),
        lambda: evaluate(*[gpd.GeoSeries(HOUSES)] * 2, kind="objects"),
        lambda: evaluate(*[pixel_graph(STREETS)] * 2, pixel_size=1),
        lambda: evaluate(*[{(52.5, 13.4): [(52.5, 13.41)], (52.5, 13.41): [(52.5, 13.4)]}] * 2, pixel_size=1),
    ],
)
def test_degrees_without_a_crs_do_not_count_as_metres(door):
    with pytest.raises(MissingCRSError, match="crs="):
        door()


def test_degrees_are_asked_for_in_one_line_and_accepted_where_they_are_said():
    moved = [[(x, y + 0.0004) for x, y in line] for line in STREETS]  # 44 m to the north
    with pytest.raises(MissingCRSError) as refused:
        evaluate(street_graph(STREETS), street_graph(moved), metrics="ccq")
    message = str(refused.value)
    assert "would be less than 1 cm wide" in message
    assert 'crs="EPSG:4326"' in message
    assert "crs=geoeval.crs.LOCAL_METRES" in message
    asked = {"metrics": "ccq", "aoi": "all", "reference_crs": "EPSG:4326", "prediction_crs": "EPSG:4326"}
    said = evaluate(street_graph(STREETS), street_graph(moved), **asked)
    graphs = (street_graph(one, crs="EPSG:4326") for one in (STREETS, moved))
    assert said.scores == evaluate(*graphs, metrics="ccq", aoi="all").scores
    assert said.scores["ccq"]["quality"] < 0.5


def test_latitude_before_longitude_is_seen_as_degrees_too():
    with pytest.raises(MissingCRSError):
        RoadNetwork.from_lines([[(39.90, 116.40), (39.91, 116.40)]])


@pytest.mark.parametrize(
    "lines",
    [
        [[(0.1, 0.2), (3, 4)]],  # at 0, 0, as a sketch is
        [[(100, 50), (101, 50)]],  # whole metres
        [[(100.5, 50.5), (108.5, 50.5)]],  # as wide as a drive
        [[(550_000.25, 5_300_000.25), (550_001.5, 5_300_000.25)]],  # where metres are
        [],
    ],
)
def test_small_maps_in_metres_stay_maps_in_metres(lines):
    assert RoadNetwork.from_lines(lines).crs == LOCAL_METRES
    assert RoadNetwork.from_networkx(street_graph(lines)).crs == LOCAL_METRES


def test_a_map_that_is_really_so_small_is_said_to_be():
    net = RoadNetwork.from_lines(STREETS, crs=LOCAL_METRES)
    assert net.length == pytest.approx(0.016)


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
