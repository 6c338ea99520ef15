"""A shapefile of which something is missing is recognised, whatever is missing."""

import geopandas as gpd
import pytest
import shapely

from geoeval.exceptions import OutputError
from geoeval.writers.shapefiles import check_whole, make_room


@pytest.fixture
def whole(tmp_path):
    rows = gpd.GeoDataFrame({"a": ["x", "y"]}, geometry=shapely.linestrings([[[0, 0], [1, 1]], [[2, 2], [3, 5]]]),
                            crs="EPSG:32632")  # fmt: skip
    rows.to_file(tmp_path / "r.shp", encoding="UTF-8")
    check_whole(tmp_path / "r.shp", rows=2, has_crs=True)
    return tmp_path / "r.shp"


@pytest.mark.parametrize("suffix", [".shp", ".shx", ".dbf", ".cpg", ".prj"])
def test_a_part_that_is_absent_empty_or_cut(whole, suffix):
    part = whole.with_suffix(suffix)
    content = part.read_bytes()
    for damage in (b"", content[: len(content) // 2], content[:-2]):
        if suffix == ".cpg" and damage:
            continue
        part.write_bytes(damage)
        with pytest.raises(OutputError, match=r"r\.shp could not be written whole; check the free space"):
            check_whole(whole, rows=2, has_crs=True)
    part.unlink()
    with pytest.raises(OutputError):
        check_whole(whole, rows=2, has_crs=True)


def test_a_hole_in_the_middle(whole):
    content = bytearray(whole.read_bytes())
    content[100:180] = bytes(80)
    whole.write_bytes(content)
    with pytest.raises(OutputError):
        check_whole(whole, rows=2, has_crs=True)


def test_rows_that_are_missing_and_none_at_all(whole, tmp_path):
    with pytest.raises(OutputError):
        check_whole(whole, rows=3, has_crs=True)
    none = gpd.GeoDataFrame({"a": []}, geometry=[], crs="EPSG:32632").astype({"a": str})
    none.to_file(tmp_path / "none.shp", geometry_type="LineString", encoding="UTF-8")
    check_whole(tmp_path / "none.shp", rows=0, has_crs=True)


def test_room_is_tried_and_given_back(tmp_path):
    make_room(tmp_path / "r.shp")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError, match="No such file"):
        make_room(tmp_path / "none" / "r.shp")
