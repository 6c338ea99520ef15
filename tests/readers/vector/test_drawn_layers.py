"""Map layers as drawings."""

import geopandas as gpd
import pytest
import shapely

from geoeval import exceptions
from geoeval.lines.evaluate import evaluate_lines
from geoeval.readers import read_drawing


def test_map_layers_with_width_and_style(tmp_path):
    file = tmp_path / "roads.gpkg"
    lines = [
        shapely.LineString([(500000, 5000000), (500100, 5000000)]),
        shapely.LineString([(500000, 5000100), (500100, 5000100), (500200, 5000150)]),
        shapely.MultiLineString([[(500000, 5000300), (500050, 5000300)], [(500060, 5000300), (500100, 5000300)]]),
    ]
    table = {"breite": ["12", None, "6 m"], "strich": ["solid", "dashed", None]}
    gpd.GeoDataFrame(table, geometry=lines, crs="EPSG:32633").to_file(file)
    drawing = read_drawing(file, width_column="breite", style_column="strich")
    assert drawing.shapes.tolist() == [1, 3, 1, 1]
    assert drawing.widths.tolist() == [12, 8, 6, 6]
    assert drawing.styles.tolist() == [1, 2, 1, 1]
    assert drawing.ids.tolist() == [1, 2, 3, 3]
    assert drawing.problems == {"width_not_known": 1}
    assert read_drawing(file, width=5).widths.tolist() == [5] * 4
    degrees = tmp_path / "roads.geojson"
    gpd.read_file(file).to_crs(4326).to_file(degrees)
    there = read_drawing(degrees, width_column="breite", style_column="strich")
    assert there.crs.to_epsg() == 32633
    assert evaluate_lines(drawing, there, metrics="vector").scores["vector"]["vri"] == pytest.approx(1, abs=1e-3)


def test_map_layers_that_are_no_lines_or_nowhere(tmp_path):
    points = tmp_path / "points.geojson"
    gpd.GeoDataFrame(geometry=[shapely.Point(1, 1)], crs=4326).to_file(points)
    with pytest.raises(exceptions.EmptyInputError, match="no lines"):
        read_drawing(points)
    nowhere = tmp_path / "nowhere.shp"
    with pytest.warns(UserWarning, match="crs"):
        gpd.GeoDataFrame({"n": [1]}, geometry=[shapely.LineString([(0, 0), (9, 0)])]).to_file(nowhere)
    with pytest.raises(exceptions.MissingCRSError):
        read_drawing(nowhere)
    assert read_drawing(nowhere, pixel_size=2.0).lengths.tolist() == [18]
