"""Polygon layers: every format gives the same objects."""

import geopandas as gpd
import numpy as np
import pytest
import shapely

from geoeval import ObjectMap, evaluate_objects, read_objects
from geoeval.exceptions import EmptyInputError, LayerChoiceError, MissingCRSError, ParameterError, UnreadableInputError

CRS = "EPSG:32616"
HOUSES = [shapely.box(500_000 + 40 * k, 3_700_000, 500_000 + 40 * k + 12 + k, 3_700_010) for k in range(4)]
YARD = shapely.Polygon(
    [(500_200, 3_700_000), (500_230, 3_700_000), (500_230, 3_700_030), (500_200, 3_700_030)],
    [[(500_210, 3_700_010), (500_220, 3_700_010), (500_220, 3_700_020), (500_210, 3_700_020)]],
)


def frame(geometries, **columns):
    return gpd.GeoDataFrame(columns, geometry=list(geometries), crs=CRS)


@pytest.mark.parametrize("name", ["b.gpkg", "b.shp", "b.geojson", "b.fgb", "b.parquet"])
def test_every_vector_format_gives_the_same_objects(tmp_path, name):
    given = frame([*HOUSES, YARD])
    given.to_parquet(tmp_path / name) if name.endswith("parquet") else given.to_file(tmp_path / name)
    read = read_objects(tmp_path / name)
    expected = ObjectMap.from_geodataframe(given)
    np.testing.assert_allclose(read.areas, expected.areas, rtol=1e-6)
    np.testing.assert_allclose(read.centroids, expected.centroids, atol=1e-2)
    assert read.source.endswith(name)


def test_only_the_layer_of_polygons_is_read(tmp_path):
    path = tmp_path / "town.gpkg"
    frame([shapely.LineString([(500_000, 3_700_000), (500_100, 3_700_000)])]).to_file(path, layer="roads")
    frame(HOUSES).to_file(path, layer="houses")
    assert len(read_objects(path)) == 4
    frame(HOUSES[:1]).to_file(path, layer="more")
    with pytest.raises(LayerChoiceError, match="houses, more"):
        read_objects(path)
    assert len(read_objects(path, layer="more")) == 1


def test_what_is_no_polygon_is_counted_or_refused(tmp_path):
    bow = shapely.Polygon([(500_000, 3_700_000), (500_010, 3_700_010), (500_010, 3_700_000), (500_000, 3_700_010)])
    frame([HOUSES[1], bow, None, shapely.Point(500_000, 3_700_000)]).to_file(tmp_path / "mixed.gpkg")
    read = read_objects(tmp_path / "mixed.gpkg")
    assert read.problems == {"without_geometry": 1, "not_polygons": 1, "repaired": 1}
    assert read.areas.tolist() == pytest.approx([50, 130])
    frame([shapely.Point(500_000, 3_700_000)]).to_file(tmp_path / "points.gpkg")
    with pytest.raises(EmptyInputError, match="holds points, no polygons"):
        read_objects(tmp_path / "points.gpkg")
    frame(HOUSES).iloc[:0].to_file(tmp_path / "none.gpkg", geometry_type="Polygon")
    assert read_objects(tmp_path / "none.gpkg").is_empty
    frame(HOUSES).to_file(tmp_path / "nowhere.shp")
    (tmp_path / "nowhere.prj").unlink()
    with pytest.raises(MissingCRSError, match="crs="):
        read_objects(tmp_path / "nowhere.shp")
    with pytest.raises(UnreadableInputError, match="no such file"):
        read_objects(tmp_path / "nothing.gpkg")


def test_confidence_is_read_where_it_is_a_number(tmp_path):
    frame(HOUSES, conf=[0.9, 0.1, 0.5, 0.7]).to_file(tmp_path / "sure.gpkg")
    assert read_objects(tmp_path / "sure.gpkg").confidence.tolist() == [0.9, 0.1, 0.5, 0.7]
    frame(HOUSES, score=["high", "low", "low", "low"]).to_file(tmp_path / "words.gpkg")
    assert read_objects(tmp_path / "words.gpkg").confidence is None


def test_spacenet_samples(data):
    """Published: TP 8, FP 20, FN 20 at IoU 0.5; the same from the reference in degrees."""
    folder = data / "buildings"
    prediction = read_objects(folder / "pred.geojson")
    results = [
        evaluate_objects(read_objects(folder / name), prediction, parameters={"max-overlap": {"mallows": False}})
        for name in ("gt.geojson", "gt_epsg4326.json")
    ]
    for result in results:
        assert [result.scores["iou"][name] for name in ("tp", "fp", "fn")] == [8, 20, 20]
    for metric, scores in results[0].scores.items():
        for name, value in scores.items():
            assert results[1].scores[metric][name] == (value if value is None else pytest.approx(value, rel=1e-6))


def test_the_column_of_confidences_can_be_named(tmp_path):
    path = tmp_path / "b.gpkg"
    frame(HOUSES, score=[1.0] * 4, sure=[0.1, 0.2, 0.3, 0.4], word=list("abcd")).to_file(path)
    assert read_objects(path).confidence.tolist() == [1.0] * 4
    assert sorted(read_objects(path, confidence="sure").confidence) == [0.1, 0.2, 0.3, 0.4]
    assert read_objects(path, confidence="absent").confidence is None
    with pytest.raises(ParameterError, match=r"'word' of .* no numbers"):
        read_objects(path, confidence="word")
