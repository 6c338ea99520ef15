"""Objects, drawings and other features as single files: what they have in common."""

import json
import sqlite3
import warnings

import geopandas as gpd
import pyogrio
import pytest
import shapely

from geoeval import Drawing, ObjectMap, read_drawing, read_objects, write_drawing, write_objects
from geoeval.crs import LOCAL_METRES
from geoeval.exceptions import CRSError, GeoevalWarning, OutputError
from geoeval.model.courses import bar
from geoeval.writers.feature_files import FRAME_SUFFIXES, write_frame
from tests.writers.results import UTM10, box, line


def houses(ids=("a", "b"), crs=UTM10):
    return ObjectMap.from_polygons([box(30 * i, 0, 10) for i in range(len(ids))], ids=list(ids), crs=crs)


def plan(crs=None):
    return Drawing([bar((0, 0), (9, 0)), bar((0, 5), (9, 5))], width=2, crs=crs)


@pytest.mark.parametrize("suffix", FRAME_SUFFIXES)
def test_objects_and_drawings_come_back(tmp_path, suffix):
    found = read_objects(write_objects(houses(), tmp_path / f"houses{suffix}"))
    assert [str(one) for one in found.ids] == ["a", "b"]
    assert found.to_crs(UTM10).areas == pytest.approx(houses().areas, rel=1e-6)
    placed = Drawing([bar((500_000, 5_000_000), (500_090, 5_000_000))], width=8, crs=UTM10)
    back = read_drawing(write_drawing(placed, tmp_path / f"plan{suffix}")).to_crs(UTM10)
    assert back.length == pytest.approx(90, rel=1e-3)
    assert back.widths.tolist() == [8.0]


@pytest.mark.parametrize("suffix", FRAME_SUFFIXES)
def test_the_same_objects_give_the_same_bytes(tmp_path, suffix):
    for folder in ("a", "b"):
        write_objects(houses(), tmp_path / folder / f"houses{suffix}")
    first, second = ({file.name: file.read_bytes() for file in (tmp_path / one).iterdir()} for one in "ab")
    assert first == second
    assert pyogrio.get_gdal_config_option("OGR_CURRENT_DATE") is None


def test_text_that_looks_like_json_stays_text(tmp_path):
    path = write_objects(houses(ids=("[1, 2]", '{"a": 1}')), tmp_path / "houses.geojson")
    found = {feature["properties"]["ge_id"] for feature in json.loads(path.read_text())["features"]}
    assert found == {"[1, 2]", '{"a": 1}'}


def test_an_id_too_long_for_a_shapefile_is_cut_and_said(tmp_path):
    with pytest.warns(GeoevalWarning, match=r"^houses\.shp: 1 of 2 texts in ge_id cut to 254 bytes$"):
        path = write_objects(houses(ids=("ß" * 200, "b")), tmp_path / "houses.shp")
    assert set(gpd.read_file(path)["ge_id"]) == {"ß" * 127, "b"}


def test_what_the_library_says_is_passed_on(tmp_path, monkeypatch):
    frame = gpd.GeoDataFrame({"note": ["x"]}, geometry=[line((0, 0), (1, 1))], crs=UTM10)
    real = pyogrio.write_dataframe

    def write(*arguments, **options):
        warnings.warn("a value\nwas lost", UserWarning, stacklevel=1)
        real(*arguments, **options)

    monkeypatch.setattr(pyogrio, "write_dataframe", write)
    with pytest.warns(GeoevalWarning, match=r"^f\.gpkg: a value was lost$"):
        write_frame(frame, tmp_path / "f.gpkg")
    assert len(gpd.read_file(tmp_path / "f.gpkg")) == 1


def test_a_failure_of_the_library_is_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise pyogrio.errors.DataSourceError("disk\nfull")

    monkeypatch.setattr(pyogrio, "write_dataframe", fail)
    with pytest.raises(OutputError, match=r"^houses\.gpkg cannot be written \(disk full\); check the space"):
        write_objects(houses(), tmp_path / "houses.gpkg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("own", "crs"), [(LOCAL_METRES, "EPSG:4326"), (UTM10, LOCAL_METRES)])
def test_there_is_no_way_between_local_metres_and_the_earth(tmp_path, own, crs):
    with pytest.raises(CRSError, match=r"local metres.*; give the CRS of the input$"):
        write_objects(houses(crs=own), tmp_path / "houses.gpkg", crs=crs)
    for suffix in (".svg", ".txt", ".gpkg"):
        with pytest.raises(CRSError, match=r"local metres.*; give the CRS of the input$"):
            write_drawing(plan(crs=own), tmp_path / f"plan{suffix}", crs=crs)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_objects, write_drawing])
def test_local_geojson_is_refused(tmp_path, write):
    given = houses(crs=LOCAL_METRES) if write is write_objects else plan()
    with pytest.raises(OutputError, match=r"GeoJSON cannot say.*; use \.gpkg"):
        write(given, tmp_path / "local.geojson")


def test_a_layer_gets_no_name_that_the_format_keeps_for_itself(tmp_path):
    write_objects(houses(), tmp_path / "gpkg_houses.gpkg")
    assert pyogrio.list_layers(tmp_path / "gpkg_houses.gpkg")[:, 0].tolist() == ["features"]
    write_objects(houses(), tmp_path / "houses.gpkg")
    with sqlite3.connect(tmp_path / "houses.gpkg") as database:
        assert database.execute("pragma user_version").fetchone() == (10200,)
    database.close()


def test_rows_keep_their_order(tmp_path):
    frame = gpd.GeoDataFrame(
        {"number": range(50)}, geometry=[shapely.Point((i * 37) % 50, (i * 17) % 50) for i in range(50)], crs=UTM10
    )
    for suffix in FRAME_SUFFIXES:
        path = write_frame(frame, tmp_path / f"f{suffix}", geometry="Point")
        back = gpd.read_parquet(path) if suffix == ".parquet" else gpd.read_file(path)
        assert back["number"].tolist() == list(range(50))
