"""GeoDataFrames are read as the file with the same rows."""

import geopandas as gpd
import numpy as np
import pytest
import shapely

from geoeval.exceptions import EmptyInputError, MissingCRSError, ParameterError
from geoeval.readers import read_map
from geoeval.readers.vector.geodataframes import read_frame

LINES = [
    shapely.LineString([(500_000, 5_000_000), (500_100, 5_000_000)]),
    shapely.LineString([(500_050, 5_000_000.004), (500_050, 5_000_080)]),  # its end joins the first within 1 cm
    None,
    shapely.Point(500_000, 5_000_000),
    shapely.box(500_000, 5_000_100, 500_020, 5_000_110),
]


def frame(crs="EPSG:32633"):
    columns = {"width": [6.0, 7.0, 8.0, 9.0, 10.0], "style": ["dashed", "solid", "solid", "solid", "solid"]}
    return gpd.GeoDataFrame(columns | {"score": [0.5] * 5}, geometry=LINES, crs=crs, index=list("abcde"))


@pytest.mark.parametrize("crs", ["EPSG:32633", "EPSG:4326", "EPSG:3857"])
def test_a_frame_gives_what_its_file_gives(tmp_path, crs):
    given = frame().to_crs(crs)
    given.to_parquet(tmp_path / "a.parquet")
    roads, same_roads = read_frame("roads", given), read_map("roads", tmp_path / "a.parquet")
    np.testing.assert_array_equal(roads.nodes, same_roads.nodes)
    np.testing.assert_array_equal(roads.segments, same_roads.segments)
    assert roads.problems == same_roads.problems
    assert roads.problems["ends_snapped"] == 1
    assert set(roads.source_ids) == {"a", "b"}
    objects, same_objects = read_frame("objects", given), read_map("objects", tmp_path / "a.parquet")
    assert objects.areas.tolist() == same_objects.areas.tolist()
    assert objects.confidence.tolist() == same_objects.confidence.tolist() == [0.5]
    assert objects.problems == same_objects.problems
    lines, same_lines = read_frame("lines", given), read_map("lines", tmp_path / "a.parquet")
    assert lines.widths.tolist() == same_lines.widths.tolist() == [6, 7]
    assert lines.styles.tolist() == same_lines.styles.tolist() == [2, 1]
    np.testing.assert_array_equal(lines.pieces, same_lines.pieces)


def test_options_are_those_of_layers():
    assert read_frame("roads", frame(), node="none").components.max() == 1
    assert read_frame("roads", frame(), node="ends", network_type="walk").components.max() == 0
    assert read_frame("lines", frame(), width_column="score").widths.tolist() == [0.5, 0.5]
    with pytest.raises(MissingCRSError, match="a GeoDataFrame"):
        read_frame("roads", frame(crs=None))
    assert read_frame("roads", frame(crs=None), crs="EPSG:32633").length == pytest.approx(180, abs=0.01)
    with pytest.raises(ParameterError, match="did you mean node"):
        read_frame("roads", frame(), nodes="ends")
    with pytest.raises(ParameterError, match="unknown content"):
        read_frame("rivers", frame())


def test_rows_without_lines_are_refused():
    with pytest.raises(EmptyInputError, match="holds points and polygons, no lines"):
        read_frame("roads", frame()[2:])
