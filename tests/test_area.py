"""An area means the same in whatever form it is given."""

import warnings

import geopandas as gpd
import numpy as np
import pytest
import shapely
from pyproj import Transformer

from geoeval import RoadNetwork
from geoeval.area import area_in
from geoeval.crs import LOCAL_METRES, WGS84, parse_crs
from geoeval.exceptions import CRSError, GeoevalError, MissingCRSError, ParameterError, UnreadableInputError

UTM = parse_crs("EPSG:32633")
DEGREES = (13.30, 52.48, 13.38, 52.53)
METRES = (385_000.0, 5_815_000.0, 390_000.0, 5_820_000.0)


def lonlat(crs, x, y):
    return Transformer.from_crs(crs, WGS84, always_xy=True).transform(x, y)


def projected(crs, longitude, latitude):
    return Transformer.from_crs(WGS84, crs, always_xy=True).transform(longitude, latitude)


def assert_same(a, b, share=1e-9):
    assert shapely.symmetric_difference(a, b).area <= share * a.area


def by_hand(box, crs):
    """A box in degrees, with very many vertices, in another CRS."""
    dense = shapely.segmentize(shapely.box(*box), (box[2] - box[0]) / 2000)
    return shapely.transform(dense, lambda xy: np.column_stack(projected(crs, *xy.T)))


# ---------------------------------------------------------------------- every form


def frame(box=DEGREES, crs=4326, **columns):
    return gpd.GeoDataFrame(columns, geometry=[shapely.box(*box)], crs=crs)


FORMS = {
    "tuple": lambda folder: DEGREES,
    "list": lambda folder: list(DEGREES),
    "array": lambda folder: np.array(DEGREES),
    "corners": lambda folder: [DEGREES[:2], DEGREES[2:]],
    "text": lambda folder: "13.30,52.48,13.38,52.53",
    "text with spaces": lambda folder: " 13.30, 52.48, 13.38, 52.53 ",
    "polygon": lambda folder: shapely.box(*DEGREES),
    "polygon with z": lambda folder: shapely.force_3d(shapely.box(*DEGREES), 7.0),
    "multipolygon": lambda folder: shapely.MultiPolygon([shapely.box(*DEGREES)]),
    "frame": lambda folder: frame(),
    "frame in other degrees": lambda folder: frame().to_crs("EPSG:4258"),
    "frame with lines too": lambda folder: gpd.GeoDataFrame(
        geometry=[shapely.LineString([(0, 0), (1, 1)]), None, shapely.Polygon(), shapely.box(*DEGREES)], crs=4326
    ),
    "halves": lambda folder: gpd.GeoDataFrame(
        geometry=[shapely.box(13.30, 52.48, 13.34, 52.53), shapely.box(13.34, 52.48, 13.38, 52.53)], crs=4326
    ),
    "series": lambda folder: gpd.GeoSeries([shapely.box(*DEGREES)], crs=4326),
    "renamed geometry": lambda folder: frame().rename_geometry("outline"),
    "geojson": lambda folder: written(folder / "area.geojson"),
    "shapefile": lambda folder: written(folder / "area.shp"),
    "file name": lambda folder: str(written(folder / "a,b.gpkg")),
    "parquet": lambda folder: written(folder / "area.parquet"),
}


def written(path):
    one = frame(name=["area"])
    one.to_parquet(path) if path.suffix == ".parquet" else one.to_file(path)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_area(form, tmp_path):
    area = area_in(FORMS[form](tmp_path), UTM)
    assert area.is_valid
    assert not area.has_z
    assert_same(area, by_hand(DEGREES, UTM), 1e-6)


def test_a_file_in_metres_needs_no_degrees(tmp_path):
    path = tmp_path / "area.gpkg"
    frame(METRES, 32633).to_file(path)
    assert_same(area_in(path, UTM), shapely.box(*METRES))


def test_one_layer_of_polygons_among_others_is_the_area(tmp_path):
    path = tmp_path / "area.gpkg"
    gpd.GeoDataFrame(geometry=[shapely.Point(13, 52)], crs=4326).to_file(path, layer="points")
    frame().to_file(path, layer="outline")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(area_in(path, UTM), by_hand(DEGREES, UTM), 1e-6)
    frame().to_file(path, layer="another")
    with pytest.raises(
        UnreadableInputError, match=r"area\.gpkg: several layers may hold the area \(outline, another\)"
    ):
        area_in(path, UTM)


# ---------------------------------------------------------------------- degrees or metres


def test_numbers_are_degrees_where_they_can_be_else_metres():
    assert_same(area_in(DEGREES, UTM), by_hand(DEGREES, UTM), 1e-6)
    assert area_in(METRES, UTM).bounds == METRES
    assert area_in(shapely.box(*METRES), UTM).bounds == METRES


def test_a_map_without_a_place_on_earth_knows_no_degrees():
    assert area_in((1, 2, 30, 40), LOCAL_METRES).bounds == (1, 2, 30, 40)
    assert area_in(frame((1, 2, 30, 40), None), LOCAL_METRES).bounds == (1, 2, 30, 40)
    with pytest.raises(CRSError, match=r"the area is in EPSG:4326 but the map in local metres; give the area in the"):
        area_in(frame(), LOCAL_METRES)


def test_the_crs_can_be_said():
    assert area_in((1, 2, 30, 40), UTM, aoi_crs=UTM).bounds == (1, 2, 30, 40)
    assert_same(area_in(frame(crs=None), UTM, aoi_crs=4326), by_hand(DEGREES, UTM), 1e-6)
    # What an area says itself is believed.
    assert_same(area_in(frame(), UTM, aoi_crs=32633), by_hand(DEGREES, UTM), 1e-6)


CENTRED = parse_crs("+proj=tmerc +lat_0=52.5 +lon_0=13.35 +datum=WGS84 +units=m")


@pytest.mark.parametrize(
    ("box", "degrees"),
    [
        ((-40, -40, 40, 40), False),  # as degrees far away: the Gulf of Guinea and around it
        ((13.3, 52.45, 13.4, 52.55), True),  # both: degrees come first
        ((0, 0, 60, 60), True),
        ((-170, -80, -150, -60), True),  # neither
    ],
)
def test_numbers_that_can_be_both_lie_on_the_map(box, degrees):
    area = area_in(box, CENTRED, near=(-90, -90, 90, 90))
    assert (area.bounds != box) == degrees
    # Bounds that are not known do not decide.
    for unknown in (None, (np.nan,) * 4):
        assert area_in(box, CENTRED, near=unknown).bounds != box


def test_a_small_map_around_the_origin_is_cut_in_metres():
    # Metres on the map, and as degrees a box in Africa, although the map is in Berlin.
    net = RoadNetwork.from_lines([[(-80, 0), (80, 0)]], crs=CENTRED)
    assert net.clip((-10, -10, 10, 10)).length == 20
    assert net.clip((13.3, 52.4, 13.4, 52.6)).length == 160


# ---------------------------------------------------------------------- all around the Earth


def test_a_box_across_the_antimeridian():
    fiji = RoadNetwork.from_lines([[(179.8, -17.0), (180.0, -17.0), (-179.8, -17.0)]], crs="EPSG:4326")
    half = fiji.length / 2
    for box in ((179.9, -17.1, -179.9, -16.9), (179.9, -17.1, 180.1, -16.9), (-180.1, -17.1, -179.9, -16.9)):
        assert fiji.clip(box).length == pytest.approx(half, rel=1e-3)
    parts = [shapely.box(179.9, -17.1, 180, -16.9), shapely.box(-180, -17.1, -179.9, -16.9)]
    for area in (shapely.MultiPolygon(parts), gpd.GeoSeries(parts, crs=4326)):
        clipped = fiji.clip(area)
        assert clipped.length == pytest.approx(half, rel=1e-3)
        assert len(clipped.roads) == 1
        assert clipped.cut.sum() == 2


def test_a_box_with_its_sides_changed_over_is_not_the_rest_of_the_world():
    with pytest.raises(ParameterError, match="give minx, miny, maxx, maxy with min below max"):
        area_in((13.4, 52.4, 13.3, 52.6), UTM)


PROJECTIONS = {
    "EPSG:32618": (-77, 38.9),
    "EPSG:32760": (179.9, -17),
    "EPSG:27700": (-1, 52),
    "EPSG:3035": (10, 50),
    "EPSG:5070": (-100, 40),
    "EPSG:3031": (150, -80),
    "+proj=lcc +lat_1=48 +lat_0=48 +lon_0=11 +datum=WGS84 +units=m": (11, 48),
    "+proj=merc +lon_0=100 +datum=WGS84 +units=m": (100.5, 0.5),
    "+proj=tmerc +lat_0=89.9 +lon_0=20 +datum=WGS84 +units=m": (-150, 89.95),
    "+proj=stere +lat_0=90 +lon_0=20 +datum=WGS84 +units=m": (150, 89),
}


@pytest.mark.parametrize("crs", PROJECTIONS)
def test_the_whole_world_is_an_area_in_every_projection(crs):
    target = parse_crs(crs)
    place = shapely.Point(projected(target, *PROJECTIONS[crs]))
    for box in ((-180, -90, 180, 90), (0, -90, 180, 90) if PROJECTIONS[crs][0] > 0 else (-180, -90, 0, 90)):
        area = area_in(box, target)
        assert area.is_valid
        assert area.covers(place.buffer(1000))


def test_an_area_on_the_other_side_of_the_earth_holds_nothing():
    net = RoadNetwork.from_lines([[(-77.0, 38.9), (-77.0, 38.91)]], crs="EPSG:4326")
    for box in ((10, 45, 10.1, 45.1), (100, -40, 101, -39)):
        assert net.clip(box).is_empty


@pytest.mark.parametrize("box", [(13.0, 52.0, 13.01, 52.01), (5.0, 47.0, 15.0, 55.0)])
def test_the_sides_of_a_large_box_are_as_straight_as_those_of_a_small_one(box):
    # A parallel is no straight line on the map; a road along it stays within a decimetre of the border.
    area = area_in(box, UTM)
    for longitude in np.linspace(box[0], box[2], 1001)[1:-1]:
        border = shapely.Point(projected(UTM, longitude, box[3]))
        assert area.boundary.distance(border) < 0.1


# ---------------------------------------------------------------------- what cannot be an area


@pytest.mark.parametrize(
    ("aoi", "error", "message"),
    [
        (
            (1, 2, 3),
            ParameterError,
            r"the area \(1, 2, 3\) is not a box of four numbers; give aoi=\(minx, miny, maxx, maxy\), a ",
        ),
        ("1,2,3", ParameterError, r"the area \[1.0, 2.0, 3.0\] is not a box of four numbers"),
        ((0, 0, np.inf, 1), ParameterError, "is not a box of four numbers"),
        ("nan,0,1,1", ParameterError, "is not a box of four numbers"),
        ((3, 2, 1, 4), ParameterError, r"the area \(3, 2, 1, 4\) has no extent; give .* with min below max"),
        ((1, 2, 3, 2), ParameterError, "has no extent"),
        (np.zeros((40, 40)), ParameterError, "the area of type ndarray is not a box"),
        (None, ParameterError, "the area None is not a box"),
        ({"box": 1}, ParameterError, "is not a box"),
        ("", ParameterError, "the area is an empty text"),
        (shapely.Point(13, 52), ParameterError, "the area is a Point; give aoi=\\(minx"),
        (shapely.Polygon(), ParameterError, "the area has no extent"),
        (shapely.Polygon([(0, 0), (1, 1), (2, 2), (0, 0)]), ParameterError, "the area has no extent"),
        ("no/such/file.gpkg", UnreadableInputError, r"file\.gpkg: no such file; give aoi=\(minx"),
        (gpd.GeoDataFrame({"a": [1]}), ParameterError, "is not a box"),
        (frame(crs=None), MissingCRSError, r"the area: no CRS; give the file one \(\.prj\), or give aoi="),
        (gpd.GeoSeries([shapely.Point(0, 0)], crs=4326), UnreadableInputError, "the area: no polygons found"),
        (gpd.GeoSeries([], crs=4326), UnreadableInputError, "the area: no polygons found"),
    ],
)
def test_what_is_not_an_area_is_one_line(aoi, error, message):
    with pytest.raises(error, match=message) as caught:
        area_in(aoi, UTM)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("content", [b"", b"no map", b"a,b\n1,2\n", b"\x89PNG\r\n"])
@pytest.mark.parametrize("name", ["area.gpkg", "area.geojson", "area.csv", "area.parquet", "area.txt"])
def test_a_file_that_is_no_map_is_one_line(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableInputError, match=f"{name}: ") as caught:
        area_in(tmp_path / name, UTM)
    assert "\n" not in str(caught.value)


def test_a_file_of_lines_or_without_crs_is_refused(tmp_path):
    gpd.GeoDataFrame(geometry=[shapely.LineString([(0, 0), (1, 1)])], crs=4326).to_file(tmp_path / "lines.gpkg")
    with pytest.raises(UnreadableInputError, match=r"lines\.gpkg: no polygons found"):
        area_in(tmp_path / "lines.gpkg", UTM)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has no CRS
        frame(crs=None).to_file(tmp_path / "bare.shp")
    with pytest.raises(MissingCRSError, match=r"bare\.shp: no CRS"):
        area_in(tmp_path / "bare.shp", UTM)


def test_a_polygon_that_crosses_itself_is_repaired():
    bow = shapely.Polygon([(0, 0), (40, 40), (40, 0), (0, 40)])
    area = area_in(bow, LOCAL_METRES)
    assert area.is_valid
    assert area.area == 800
    assert RoadNetwork.from_lines([[(-10, 30), (60, 30)]]).clip(bow).length == 20


def test_a_wrong_crs_is_an_error():
    with pytest.raises(GeoevalError, match="unknown coordinate reference system"):
        area_in(METRES, UTM, aoi_crs="EPSG:999999")
