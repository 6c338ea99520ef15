"""What layers say of themselves: their CRS and the ids of their rows."""

import json

import geopandas as gpd
import numpy as np
import pytest
import shapely

from geoeval import evaluate, read_drawing, read_network, read_objects
from geoeval.exceptions import CRSError, LayerChoiceError, MissingCRSError
from geoeval.readers.given import read_given

LINES = [
    [(600000, 4000000), (600100, 4000000)],
    [(600100, 4000000), (600100, 4000050)],
    [(600100, 4000000), (600200, 0)],
]


def geojson(path, member, *, last=False, name="crs"):
    features = [
        {"type": "Feature", "properties": {"crs": None}, "geometry": {"type": "LineString", "coordinates": LINES[0]}}
    ]
    head, tail = {"type": "FeatureCollection"}, {"features": features}
    path.write_text(json.dumps({**head, **tail, name: member} if last else {**head, name: member, **tail}))
    return path


@pytest.mark.parametrize("last", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    "member",
    [
        {"type": "name", "properties": {"name": "EPSG:32611"}},
        {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32611"}},
        {"type": "name", "properties": {"name": "http://www.opengis.net/def/crs/EPSG/0/32611"}},
        {"type": "EPSG", "properties": {"code": 32611}},
        "EPSG:32611",
    ],
    ids=str,
)
def test_the_crs_inside_a_geojson_file_is_honoured(tmp_path, member, last):
    path = geojson(tmp_path / "roads.geojson", member, last=last)
    network = read_network(path)
    assert network.crs.to_epsg() == 32611
    assert network.length == 100
    assert read_network(path, crs="EPSG:32612").crs.to_epsg() == 32612  # the user knows better


def test_a_crs_inside_that_says_nothing(tmp_path):
    with pytest.raises(MissingCRSError, match="does not say which CRS"):
        read_network(geojson(tmp_path / "none.geojson", None))
    for member in ({"type": "name", "properties": {"name": "the town's own"}}, {"type": "link"}, 7):
        with pytest.raises(CRSError, match="cannot be understood; give"):
            read_network(geojson(tmp_path / "odd.geojson", member))
    with pytest.raises(CRSError, match="off the world"):
        read_network(geojson(tmp_path / "degrees.geojson", 1, name="version"))


@pytest.fixture
def layers(tmp_path):
    """The same rows as shapefile, GeoPackage, GeoJSON and GeoParquet, with ids of several kinds."""
    frame = gpd.GeoDataFrame(
        {"number": [7, 8, 9], "gaps": [5.0, np.nan, 6.0], "name": ["a", None, "c"], "id": ["x", "y", "z"]},
        geometry=[shapely.LineString(line) for line in (LINES[0], LINES[1], LINES[1] + np.array([(0, 0), (0, 9)]))],
        crs="EPSG:32611",
    )
    for suffix in ("shp", "gpkg"):
        frame.to_file(tmp_path / f"roads.{suffix}")
    frame.to_crs(4326).to_file(tmp_path / "roads.geojson")
    frame.to_parquet(tmp_path / "roads.parquet")
    return frame, [tmp_path / f"roads.{suffix}" for suffix in ("shp", "gpkg", "geojson", "parquet")]


@pytest.mark.parametrize(
    ("column", "expected"),
    [("number", [7, 8, 9]), ("gaps", [5, "", 6]), ("name", ["a", "", "c"]), ("id", ["x", "y", "z"])],
)
def test_ids_come_from_the_column_that_was_named(layers, column, expected):
    frame, paths = layers
    for given in (frame, *paths):
        network = read_given("roads", given, id_column=column)
        found = {*network.source_ids.tolist(), *network.duplicate_ids.tolist()}
        assert {str(one) for one in found} == {str(one) for one in expected}, given
        if given is not frame:
            assert sorted(map(str, read_drawing(given, id_column=column).ids)) == sorted(map(str, expected))


def test_a_column_that_is_not_there_is_refused_with_those_that_are(layers):
    frame, paths = layers
    for given in (frame, *paths):
        with pytest.raises(LayerChoiceError, match=r"no column 'nr' for the ids; its columns are .*number") as caught:
            read_given("roads", given, id_column="nr")
        assert "\n" not in str(caught.value)


def test_without_rows_no_column_is_missed(tmp_path):
    """GeoJSON has no columns apart from its rows: a prediction that found nothing is no mistake of the user."""
    path = tmp_path / "nothing.geojson"
    path.write_text('{"type": "FeatureCollection", "features": []}')
    objects = read_objects(path, class_column="use", id_column="number", confidence="sure")
    assert (len(objects.classes), len(objects.ids)) == (0, 0)
    assert read_network(path, id_column="number").is_empty
    house = gpd.GeoDataFrame(
        {"use": ["a"], "number": [7]}, geometry=[shapely.box(500000, 0, 500010, 10)], crs="EPSG:32611"
    )
    for nothing in (path, house.iloc[:0]):
        found = evaluate(house, nothing, kind="objects", metrics="iou", class_column="use", id_column="number")
        assert found.classes["a"]["iou"]["fn"] == 1


def test_ids_of_objects_and_of_one_side(tmp_path):
    frame = gpd.GeoDataFrame(
        {"house": ["a1", "b2"], "other": [1, 2]},
        geometry=[shapely.box(500000, 0, 500010, 10), shapely.box(500050, 0, 500060, 10)],
        crs="EPSG:32611",
    )
    frame.to_file(tmp_path / "houses.gpkg")
    assert sorted(read_objects(tmp_path / "houses.gpkg", id_column="house").ids) == ["a1", "b2"]
    result = evaluate(frame, frame.iloc[:1], kind="objects", id_column="house", prediction_id_column="other")
    missed = result.errors_of("missed")
    assert missed["ref_id"].tolist() == ["b2"]


def test_a_distorted_projection_is_replaced_for_objects_and_drawings_too(tmp_path):
    """A square kilometre in the European equal-area projection, far from its centre: 0.6 % too wide."""
    square = shapely.Point(24.9, 60.2)
    place = gpd.GeoSeries([square], crs=4326)
    true = place.to_crs(32635).buffer(500, cap_style="square")
    drawn = gpd.GeoDataFrame(geometry=true, crs=32635).to_crs(3035)
    drawn.to_file(tmp_path / "houses.gpkg")
    gpd.GeoDataFrame(geometry=drawn.boundary, crs=3035).to_file(tmp_path / "lines.gpkg")
    houses = read_objects(tmp_path / "houses.gpkg")
    assert houses.crs.to_epsg() == 32635
    assert houses.scale_error < 0.001
    assert houses.bounds[2] - houses.bounds[0] == pytest.approx(1000, abs=0.5)
    lines = read_drawing(tmp_path / "lines.gpkg")
    assert lines.crs.to_epsg() == 32635
    assert lines.length == pytest.approx(4000, abs=1)
    assert read_network(tmp_path / "lines.gpkg").length == pytest.approx(lines.length)
