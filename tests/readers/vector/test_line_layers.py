"""Vector files: every kind, and every way in which they can be awkward."""

import json
import shutil
import sqlite3
import struct
import zipfile
from pathlib import Path

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import Geod

from geoeval.exceptions import (
    CRSError,
    EmptyInputError,
    GeoevalError,
    LayerChoiceError,
    MissingCRSError,
    ParameterError,
    UnreadableInputError,
)
from geoeval.readers.vector.line_layers import read_vector

UTM = "EPSG:32610"
ORIGIN = np.array([500_000.0, 5_400_000.0])
LINES = [[(0, 0), (100, 0)], [(50, 0), (50, 80)], [(100, 0), (100, 50), (150, 50)]]
LENGTH = 280.0


def line(coordinates) -> shapely.LineString:
    return shapely.LineString(np.asarray(coordinates, dtype=float) + ORIGIN)


def frame(geometries=None, crs=UTM, **columns) -> gpd.GeoDataFrame:
    geometries = [line(one) for one in LINES] if geometries is None else geometries
    return gpd.GeoDataFrame(
        columns or {"name": [f"straße {i}" for i in range(len(geometries))]}, geometry=geometries, crs=crs
    )


def write(path: Path, data: gpd.GeoDataFrame, **options) -> Path:
    if path.suffix == ".parquet":
        data.to_parquet(path)
    else:
        if path.suffix == ".kml":
            options["driver"] = "KML"
        pyogrio.write_dataframe(data, path, **options)
    return path


@pytest.fixture(autouse=True)
def nothing_is_said_or_left(tmp_path, capfd):
    """No noise on the streams, and nothing written beside the input by a reader."""
    yield
    out, err = capfd.readouterr()
    assert out == ""
    assert err == ""


def read_untouched(path: Path, **options):
    """Read, and see that the folder is as it was."""
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    try:
        return read_vector(path, **options)
    finally:
        after = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
        assert after == before


# ---------------------------------------------------------------------- formats


@pytest.mark.parametrize("suffix", ["shp", "gpkg", "geojson", "fgb", "parquet", "kml", "gml", "sqlite"])
def test_every_format_gives_the_same_network(tmp_path, suffix):
    degrees = suffix in {"geojson", "kml"}
    data = frame().to_crs("EPSG:4326") if degrees else frame()
    network = read_untouched(write(tmp_path / f"roads.{suffix}", data))
    assert network.crs == UTM
    assert network.length == pytest.approx(LENGTH, abs=1e-3)
    assert sorted(network.degrees.tolist()) == [1, 1, 1, 2, 2, 3]
    assert len(set(network.source_ids.tolist())) == 3
    assert network.source.endswith(f"roads.{suffix}")
    assert network.scale_error < 0.001


def test_geoparquet_in_its_newer_spelling_and_without_crs(tmp_path):
    path = tmp_path / "roads.parquet"
    frame().to_parquet(path, geometry_encoding="geoarrow")
    assert read_vector(path).length == pytest.approx(LENGTH)
    frame(crs=None).to_parquet(path)
    with pytest.raises(MissingCRSError, match='give crs="EPSG:n"'):
        read_vector(path)
    assert read_vector(path, crs=UTM).length == pytest.approx(LENGTH)
    with pytest.raises(LayerChoiceError, match="no layers"):
        read_vector(path, layer="roads")


def test_a_shapefile_in_capitals_is_read(tmp_path):
    write(tmp_path / "roads.shp", frame())
    for part in list(tmp_path.iterdir()):
        part.rename(part.with_name(part.name.upper()))
    assert read_untouched(tmp_path / "ROADS.SHP").length == pytest.approx(LENGTH)


def test_a_file_geodatabase_is_read(tmp_path):
    path = write(tmp_path / "roads.gdb", frame(), driver="OpenFileGDB")
    assert read_vector(path).length == pytest.approx(LENGTH, abs=1e-3)


@pytest.mark.parametrize("inner", ["", "in/a folder/"])
def test_a_zipped_shapefile_is_read(tmp_path, inner):
    write(tmp_path / "roads.shp", frame())
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        for part in tmp_path.glob("roads.*"):
            archive.write(part, f"{inner}{part.name}")
        archive.writestr("__MACOSX/._roads.shp", b"noise")
        archive.writestr("readme.txt", b"hello")
    assert read_untouched(tmp_path / "packed.zip").length == pytest.approx(LENGTH)


def test_a_zipped_shapefile_without_index_is_read(tmp_path):
    write(tmp_path / "roads.shp", frame())
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        for part in tmp_path.glob("roads.[!s]*"):
            archive.write(part, part.name)
        archive.write(tmp_path / "roads.shp", "roads.shp")
    assert read_untouched(tmp_path / "packed.zip").length == pytest.approx(LENGTH)


def test_two_shapefiles_in_an_archive_must_be_chosen_between(tmp_path):
    write(tmp_path / "a.shp", frame())
    write(tmp_path / "b.shp", frame([line([(0, 0), (7, 0)])]))
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        for part in [*tmp_path.glob("a.*"), *tmp_path.glob("b.*")]:
            archive.write(part, part.name)
    with pytest.raises(LayerChoiceError, match=r"\(a, b\); to choose one, give layer=NAME"):
        read_vector(tmp_path / "both.zip")
    assert read_vector(tmp_path / "both.zip", layer="b").length == pytest.approx(7)


def test_geojson_names_its_features(tmp_path):
    path = tmp_path / "roads.geojson"

    def content(ids):
        features = [
            {
                "type": "Feature",
                "properties": {},
                "geometry": {"type": "LineString", "coordinates": [[i, 0], [i, 0.001]]},
            }
            | ({} if one is None else {"id": one})
            for i, one in enumerate(ids)
        ]
        return json.dumps({"type": "FeatureCollection", "features": features})

    for ids, expected in (
        (["way/1", "é"], ["way/1", "é"]),
        ([12, 7], [7, 12]),
        ([None, None], [0, 1]),
        (["twice", "twice"], [0, 1]),
    ):
        path.write_text(content(ids), encoding="utf-8")
        assert sorted(read_vector(path).source_ids.tolist(), key=str) == sorted(expected, key=str)


def test_geojson_says_its_crs_the_old_way(tmp_path):
    path = tmp_path / "roads.geojson"
    named = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32610"}}
    content = json.loads(frame().to_json(drop_id=True)) | {"crs": named}
    path.write_text(json.dumps(content))
    assert read_vector(path).length == pytest.approx(LENGTH)


def test_ids_are_the_feature_ids_of_the_file(tmp_path):
    assert set(read_vector(write(tmp_path / "a.gpkg", frame())).source_ids.tolist()) == {1, 2, 3}
    assert set(read_vector(write(tmp_path / "a.shp", frame())).source_ids.tolist()) == {0, 1, 2}


# ---------------------------------------------------------------------- metres


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:32610", "EPSG:32611", "EPSG:3857", "EPSG:2285", "EPSG:4269"])
def test_the_same_place_has_the_same_length_in_every_crs(tmp_path, crs):
    network = read_vector(write(tmp_path / "roads.gpkg", frame().to_crs(crs)))
    geodesic = Geod(ellps="WGS84").geometry_length(shapely.MultiLineString(list(frame().to_crs("EPSG:4326").geometry)))
    assert network.length == pytest.approx(geodesic, rel=1e-3)


def test_the_crs_can_be_given_and_overruled(tmp_path):
    path = write(tmp_path / "roads.shp", frame())
    path.with_suffix(".prj").unlink()
    with pytest.raises(MissingCRSError, match='give crs="EPSG:n"'):
        read_vector(path)
    assert read_vector(path, crs=UTM).length == pytest.approx(LENGTH)
    wrong = write(tmp_path / "wrong.gpkg", frame(crs="EPSG:4326"))
    with pytest.raises(CRSError, match="off the world"):
        read_vector(wrong)
    assert read_vector(wrong, crs=UTM).length == pytest.approx(LENGTH)


def test_a_crs_with_heights_is_taken_without_them(tmp_path):
    network = read_vector(write(tmp_path / "roads.gpkg", frame(crs="EPSG:32610+5703")))
    assert network.length == pytest.approx(LENGTH)
    assert network.crs == UTM


def test_an_undefined_crs_of_a_geopackage_is_a_missing_one(tmp_path):
    path = write(tmp_path / "roads.gpkg", frame())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE gpkg_geometry_columns SET srs_id = -1")
        connection.execute("UPDATE gpkg_contents SET srs_id = -1")
    connection.close()
    with pytest.raises(MissingCRSError):
        read_vector(path)


def test_a_projection_file_with_a_byte_order_mark_is_read(tmp_path):
    path = write(tmp_path / "roads.shp", frame())
    projection = path.with_suffix(".prj")
    projection.write_bytes(b"\xef\xbb\xbf" + projection.read_bytes())
    assert read_vector(path).crs == UTM


def test_a_projection_file_without_sense_is_a_missing_crs(tmp_path):
    path = write(tmp_path / "roads.shp", frame())
    path.with_suffix(".prj").write_text("nonsense")
    with pytest.raises(MissingCRSError):
        read_vector(path)


# ---------------------------------------------------------------------- geometry


def test_parts_heights_and_measures_make_no_difference(tmp_path):
    shifted = [np.asarray(one, dtype=float) + ORIGIN for one in LINES]
    with_height = [np.column_stack([one, np.arange(len(one))]) for one in shifted]
    data = frame([shapely.MultiLineString(with_height)])
    network = read_vector(write(tmp_path / "roads.shp", data))
    assert network.length == pytest.approx(LENGTH)
    for kind, numbers in ((2002, 3), (3002, 4)):  # M, Z and M
        rows = np.column_stack([*ORIGIN[:, None] + [[0, 100], [0, 0]], *[[1, 2]] * (numbers - 2)])
        measured = struct.pack("<BII", 1, kind, 2) + rows.astype("<f8").tobytes()
        assert read_vector(geopackage_with(tmp_path / f"{kind}.gpkg", measured)).length == pytest.approx(100)


def test_everything_that_is_dropped_is_counted(tmp_path):
    geometries = [
        line(LINES[0]),
        None,
        shapely.LineString(),
        shapely.Point(ORIGIN),
        shapely.MultiPoint([ORIGIN, ORIGIN + 1]),
        shapely.box(*ORIGIN, *(ORIGIN + 5)),
        shapely.GeometryCollection([line(LINES[1]), shapely.Point(ORIGIN)]),
    ]
    for suffix in ("gpkg", "parquet"):
        network = read_vector(write(tmp_path / f"mixed.{suffix}", frame(geometries)))
        assert network.length == pytest.approx(180)
        assert network.problems == {"null_geometries": 1, "empty_geometries": 1, "not_lines": 4}


def test_a_coordinate_that_is_no_number_breaks_its_line_and_is_counted(tmp_path):
    with np.errstate(invalid="ignore"):
        broken = shapely.LineString(np.array([(0, 0), (10, 0), (np.nan, 0), (30, 0), (40, 0)]) + ORIGIN)
    network = read_vector(write(tmp_path / "roads.gpkg", frame([broken])))
    assert network.length == pytest.approx(20)
    assert network.problems == {"vertices_not_a_number": 1}
    assert network.crs == UTM  # the place of the others is not pulled towards zero
    nowhere = shapely.LineString(np.array([(0, 0), (10, 0), (-1.7e308, -1e39)]) + ORIGIN)
    network = read_vector(write(tmp_path / "nowhere.gpkg", frame([nowhere])))
    assert network.length == pytest.approx(10)
    assert network.problems == {"vertices_not_a_number": 1}


def geopackage_with(path: Path, wkb: bytes) -> Path:
    """A GeoPackage whose only geometry is these bytes, which shapely could not make."""
    write(path, frame([line(LINES[0])]), layer="roads", layer_options={"SPATIAL_INDEX": "NO"})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE roads SET geom = ?", (b"GP\x00\x01" + struct.pack("<i", 32610) + wkb,))
        connection.execute("UPDATE gpkg_geometry_columns SET geometry_type_name = 'GEOMETRY'")
    connection.close()
    return path


def test_arcs_become_lines_that_follow_them(tmp_path):
    arc = struct.pack("<BII6d", 1, 8, 3, 500_000, 5_400_000, 501_000, 5_401_000, 502_000, 5_400_000)
    network = read_vector(geopackage_with(tmp_path / "arc.gpkg", arc))
    centre = np.array([501_000, 5_400_000])
    middles = network.nodes[network.segments].mean(axis=1)
    assert network.length == pytest.approx(np.pi * 1000, rel=1e-5)
    assert np.abs(np.hypot(*(middles - centre).T) - 1000).max() < 0.01


def test_an_arc_leaves_the_settings_of_gdal_alone(tmp_path):
    pyogrio.set_gdal_config_options({"OGR_ARC_STEPSIZE": 7})
    read_vector(write(tmp_path / "roads.gpkg", frame()))
    assert pyogrio.get_gdal_config_option("OGR_ARC_STEPSIZE") == 7
    pyogrio.set_gdal_config_options({"OGR_ARC_STEPSIZE": None})


def test_a_part_of_one_point_is_counted_and_the_others_kept(tmp_path):
    point, whole = struct.pack("<BIIdd", 1, 2, 1, *ORIGIN), line(LINES[0]).wkb
    network = read_vector(geopackage_with(tmp_path / "a.gpkg", struct.pack("<BII", 1, 5, 2) + point + whole))
    assert network.length == pytest.approx(100)
    assert network.problems == {"lines_of_one_point": 1}


def test_surfaces_that_shapely_does_not_know_are_not_lines(tmp_path):
    triangle = struct.pack("<BII", 1, 17, 1) + struct.pack("<I8d", 4, 0, 0, 1, 0, 0, 1, 0, 0)
    surface = struct.pack("<BII", 1, 16, 2) + 2 * triangle
    with pytest.raises(EmptyInputError, match="holds surfaces, no lines"):
        read_vector(geopackage_with(tmp_path / "tin.gpkg", surface))
    collection = struct.pack("<BII", 1, 7, 2) + surface + line(LINES[0]).wkb
    network = read_vector(geopackage_with(tmp_path / "both.gpkg", collection))
    assert network.length == pytest.approx(100)
    assert network.problems == {"not_lines": 1}


@pytest.mark.parametrize(
    ("geometry", "words"), [(shapely.Point(0, 0), "points"), (shapely.box(0, 0, 1, 1), "polygons"), (None, "1 row")]
)
def test_a_layer_without_lines_is_refused_in_words(tmp_path, geometry, words):
    path = write(tmp_path / "other.gpkg", frame([geometry]), geometry_type="Unknown")
    with pytest.raises(EmptyInputError, match=f"holds {words}.*no lines"):
        read_vector(path)


def test_an_empty_layer_is_an_empty_network_if_it_is_one_of_lines(tmp_path):
    network = read_vector(write(tmp_path / "empty.shp", frame([]), geometry_type="LineString"))
    assert network.is_empty
    assert network.crs == UTM
    with pytest.raises(EmptyInputError, match="no lines"):
        read_vector(write(tmp_path / "other.shp", frame([]), geometry_type="Polygon"))
    (tmp_path / "empty.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    assert read_vector(tmp_path / "empty.geojson").is_empty


# ---------------------------------------------------------------------- layers


def test_the_only_layer_of_lines_is_taken_and_several_are_a_question(tmp_path):
    path = tmp_path / "town.gpkg"
    write(path, frame([shapely.Point(ORIGIN)]), layer="trees")
    write(path, frame([shapely.box(*ORIGIN, *(ORIGIN + 5))]), layer="houses")
    with pytest.raises(EmptyInputError, match="trees, houses"):
        read_vector(path, layer=None)
    write(path, frame([shapely.Point(ORIGIN), None]), layer="notes", geometry_type="Unknown")
    write(path, frame(), layer="roads")
    write(path, frame([]), layer="planned", geometry_type="LineString")
    assert read_vector(path).length == pytest.approx(LENGTH)
    write(path, frame([line([(0, 0), (7, 0)])]), layer="rails", geometry_type="Unknown")
    with pytest.raises(LayerChoiceError, match=r"\(roads, rails\); to choose one, give layer=NAME$"):
        read_vector(path)
    assert read_vector(path, layer="rails").length == pytest.approx(7)
    with pytest.raises(LayerChoiceError, match=r"no layer 'rivers'.*trees, houses, notes, roads"):
        read_vector(path, layer="rivers")
    with pytest.raises(EmptyInputError, match="holds points, no lines"):
        read_vector(path, layer="trees")


# ---------------------------------------------------------------------- damaged and missing


def test_a_missing_index_is_made_elsewhere(tmp_path):
    path = write(tmp_path / "roads.shp", frame())
    path.with_suffix(".shx").unlink()
    assert read_untouched(path).length == pytest.approx(LENGTH)
    path.with_suffix(".shx").write_bytes(b"\x00\x00\x27\x0a" + bytes(40))
    assert read_untouched(path).length == pytest.approx(LENGTH)


def test_a_missing_table_is_no_loss(tmp_path):
    path = write(tmp_path / "roads.shp", frame())
    path.with_suffix(".dbf").unlink()
    assert read_untouched(path).length == pytest.approx(LENGTH)


@pytest.mark.parametrize("declared", ["UTF-8", "ISO-8859-1", "1252", "nonsense", None])
def test_text_in_any_encoding_does_not_stop_the_roads(tmp_path, declared):
    path = write(
        tmp_path / "roads.shp",
        frame(name=["Straße", "Allée", "Calçada"], straße=["é", "à", "ü"]),
        encoding="ISO-8859-1",
    )
    code_page = path.with_suffix(".cpg")
    code_page.unlink()
    if declared:
        code_page.write_text(declared)
    assert read_untouched(path).length == pytest.approx(LENGTH)


@pytest.mark.parametrize("suffix", ["shp", "gpkg", "geojson", "fgb", "parquet", "zip"])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9])
def test_a_file_cut_short_is_refused_in_one_line(tmp_path, suffix, share):
    lines = [line([(i, 0), (i, 10), (i + 1, 20)]) for i in range(100)]
    if suffix == "zip":
        write(tmp_path / "roads.shp", frame(lines))
        path = tmp_path / "roads.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for part in tmp_path.glob("roads.[sdp]*"):
                archive.write(part, part.name)
    else:
        path = write(tmp_path / f"roads.{suffix}", frame(lines))
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(UnreadableInputError) as caught:
        read_vector(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert ";" in str(caught.value)


def test_rows_that_a_flatgeobuf_has_lost_are_missed(tmp_path):
    path = write(tmp_path / "roads.fgb", frame([line([(i, 0), (i, 10)]) for i in range(50)]))
    content = path.read_bytes()
    for missing in range(1, len(content) - 100, 61):
        path.write_bytes(content[:-missing])
        with pytest.raises(UnreadableInputError):
            read_vector(path)


@pytest.mark.parametrize("suffix", ["shp", "shx", "dbf", "gpkg", "geojson", "fgb", "parquet"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=12)
def test_noise_in_a_file_gives_a_network_or_one_line(tmp_path_factory, suffix, seed):
    folder = tmp_path_factory.mktemp("noise")
    main = folder / ("roads.shp" if suffix in {"shp", "shx", "dbf"} else f"roads.{suffix}")
    write(main, frame([line([(i, 0), (i, 10)]) for i in range(20)]))
    noisy = main.with_suffix(f".{suffix}")
    content = bytearray(noisy.read_bytes())
    rng = np.random.default_rng(seed)
    for position in rng.integers(0, len(content), 6):
        content[position] = rng.integers(0, 256)
    noisy.write_bytes(content)
    try:
        said = str(read_vector(main))
    except GeoevalError as error:
        said = str(error)
    assert said
    assert "\n" not in said
    shutil.rmtree(folder)


def test_what_is_no_vector_file_is_refused_in_one_line(tmp_path):
    (tmp_path / "text.shp").write_text("hello")
    (tmp_path / "text.gpkg").write_text("hello")
    (tmp_path / "plain.json").write_text('{"a": 1}')
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.zip").write_text("hello")
    (tmp_path / "text.parquet").write_text("hello")
    frame().drop(columns="geometry").to_parquet(tmp_path / "table.parquet")
    with zipfile.ZipFile(tmp_path / "useless.zip", "w") as archive:
        archive.writestr("readme.txt", b"hello")
    for path in [*tmp_path.iterdir(), tmp_path / "absent.shp"]:
        with pytest.raises(UnreadableInputError, match=r"^[^\n]*;[^\n]*$"):
            read_vector(path)


def test_a_database_in_use_is_read_without_a_trace(tmp_path):
    used = write(tmp_path / "used.gpkg", frame(), layer="roads")
    (tmp_path / "left").mkdir()
    left = tmp_path / "left" / "roads.gpkg"
    connection = sqlite3.connect(used)
    connection.execute("PRAGMA journal_mode=wal")
    connection.execute("UPDATE gpkg_contents SET description = 'changed'")
    connection.commit()
    for part in ("", "-wal"):
        shutil.copy(f"{used}{part}", f"{left}{part}")  # as a crash leaves it
    connection.close()
    assert read_untouched(left).length == pytest.approx(LENGTH)


def test_a_schema_is_not_written_beside_gml(tmp_path):
    path = write(tmp_path / "roads.gml", frame())
    path.with_suffix(".xsd").unlink()
    assert read_untouched(path).length == pytest.approx(LENGTH)


def test_an_unknown_way_to_join_is_refused_before_the_file_is_opened():
    with pytest.raises(ParameterError):
        read_vector("absent.shp", node="all")


def test_lines_join_as_asked(tmp_path):
    path = write(
        tmp_path / "roads.gpkg", frame([line([(-50, 0), (50, 0)]), line([(0, -50), (0, 50)]), line([(20, 0), (20, 9)])])
    )
    components = {
        node: int(read_vector(path, node=node).components.max()) + 1 for node in ("ends", "crossings", "none")
    }
    assert components == {"ends": 2, "crossings": 1, "none": 3}


# ---------------------------------------------------------------------- the graph in the columns


BRIDGE = [line([(-50, 0), (50, 0)]), line([(0, -50), (0, 0)]), line([(50, 0), (90, 0)])]


def written(path, **changes):
    columns = {"source_id": ["a", "b", "ç"], "ge_from": [0, 2, 1], "ge_to": [1, 3, 4]} | changes
    return write(path, frame(columns.pop("geometry", BRIDGE), **columns))


def test_the_columns_say_what_joins(tmp_path):
    network = read_vector(written(tmp_path / "roads.gpkg"))
    assert int(network.components.max()) + 1 == 2
    assert sorted(network.source_ids.tolist()) == ["a", "b", "ç"]
    assert network.problems == {}
    cut = read_vector(written(tmp_path / "cut.gpkg", ge_cut=[1, 0, 2]))
    np.testing.assert_array_equal(cut.nodes[cut.cut] - ORIGIN, [(-50, 0), (90, 0)])


@pytest.mark.parametrize("declared", ["UTF-8", "ISO-8859-1", None])
def test_ids_are_read_in_the_encoding_that_they_are_in(tmp_path, declared):
    write(
        tmp_path / "roads.shp",
        frame(BRIDGE, source_id=["a", "b", "ç"], ge_from=[0, 2, 1], ge_to=[1, 3, 4]),
        encoding="ISO-8859-1",
    )
    (tmp_path / "roads.cpg").unlink()
    if declared:
        (tmp_path / "roads.cpg").write_text(declared)
    assert sorted(read_vector(tmp_path / "roads.shp").source_ids.tolist()) == ["a", "b", "ç"]


@pytest.mark.parametrize("node", ["crossings", "none"])
def test_another_way_to_join_overrules_the_columns(tmp_path, node):
    network = read_vector(written(tmp_path / "roads.gpkg"), node=node)
    assert (int(network.components.max()) + 1 == 2) == (node == "none")
    assert set(network.source_ids.tolist()) == {1, 2, 3}


@pytest.mark.parametrize(
    "changes",
    [
        {"ge_from": [0, 2, None]},
        {"ge_from": [0, 2, 3]},
        {"ge_to": [1, 3, 0]},
        {"ge_from": ["x", "y", "z"]},
        {"geometry": [*BRIDGE[:2], None]},
        {"geometry": [*BRIDGE[:2], shapely.MultiLineString([line([(50, 0), (60, 0)]), line([(70, 0), (90, 0)])])]},
        {"geometry": [BRIDGE[0], line([(0, -50), (-50, 0)]), BRIDGE[2]]},
    ],
    ids=["null", "one name, two places", "one place, two names", "text", "no geometry", "two parts", "snapped"],
)
def test_an_edited_file_is_joined_by_its_geometry(tmp_path, changes):
    network = read_vector(written(tmp_path / "roads.gpkg", **changes))
    assert network.problems["rows_joined_by_geometry"] == 3
    assert network.components.max() < 2
    assert set(network.source_ids.tolist()) <= {1, 2, 3}


# ---------------------------------------------------------------------- real files

NO_CRS = {
    "arcm_with_m": ("EPSG:32610", {"duplicate_segments": 1}),
    "gjmultiline": ("EPSG:4326", {}),
    "mapshaper_brklinz": ("EPSG:2229", {}),
    "mapshaper_csah": ("EPSG:26915", {"null_geometries": 24, "zero_length_segments": 1}),
    "mixed_shape_type_non_conformant": ("EPSG:32610", {"not_lines": 4}),
}
REFUSED = {
    "Stacks": "holds polygons",
    "buggymultiline": "1 row",
    "departs": "holds points",
    "empty": "holds no rows",
    "emptymultiline": "1 row",
    "extentnan": "holds no rows",
    "fiona_test_tin": "holds surfaces",
    "mapshaper_gauss_kruger": "holds points",
    "mapshaper_invalid_coordinates": "holds points",
    "mapshaper_latin1-property": "holds points",
    "mapshaper_utf8-property": "holds points",
    "multipatch": "holds surfaces",
    "prjwithutf8bom": "holds points",
    "r5_new-zealand-antimeridian": "holds polygons",
}
READ = {
    "curve": (1, 4e-3),
    "line_zm": (1, 4e-3),
    "hoot_TransportationGroundCrv": (7, 1e-3),
    "mapshaper_data_corruption_error": (8, 1e-3),
    "qgistraining_roads_33S": (345, 1e-3),
}


def test_every_awkward_file_is_read_or_refused_in_one_line(data):
    files = sorted(file for file in (data / "awkward").iterdir() if file.suffix in {".shp", ".gpkg", ".geojson"})
    assert files
    for file in files:
        if file.stem in REFUSED:
            with pytest.raises(EmptyInputError, match=f"{REFUSED[file.stem]}.*no lines;"):
                read_untouched(file)
        elif file.stem in NO_CRS:
            with pytest.raises(MissingCRSError, match='give crs="EPSG:n"'):
                read_vector(file)
            crs, problems = NO_CRS[file.stem]
            network = read_vector(file, crs=crs)
            assert network.problems == problems, file
            assert network.length == pytest.approx(ground_length(file, crs), rel=2e-3), file
        else:
            rows, accuracy = READ[file.stem]
            network = read_vector(file)
            assert len(set(network.source_ids.tolist())) == rows
            duplicates = network.nodes[network.duplicates]
            twice = np.hypot(*(duplicates[:, 1] - duplicates[:, 0]).T).sum()
            assert network.length + twice == pytest.approx(ground_length(file, None), rel=accuracy), file


def ground_length(file, crs) -> float:
    """Of all segments, each once in the case of the one file that has some twice, on the ellipsoid."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lines = pyogrio.read_dataframe(file, force_2d=True)
    lines = (lines.set_crs(crs, allow_override=True) if crs else lines).to_crs("EPSG:4326").geometry
    lines = lines[lines.geom_type.isin(["LineString", "MultiLineString"])].drop_duplicates().explode()
    lines = lines.drop_duplicates()
    return sum(Geod(ellps="WGS84").geometry_length(one) for one in lines)


def test_the_real_road_files_are_read(data):
    for name, rows, length in (
        ("apalachicola_original.gpkg", 1782, 63_600),
        ("apalachicola_simplified_standard.gpkg", 527, 55_900),
    ):
        network = read_vector(data / "roads" / name)
        assert network.crs == "EPSG:32616"
        assert network.length == pytest.approx(length, rel=2e-3)
        assert network.source_ids.max() <= rows
    for file in sorted((data / "roads" / "vegas").glob("*.geojson")):
        network = read_vector(file)
        assert network.crs == "EPSG:32611"
        lines = pyogrio.read_dataframe(file, force_2d=True)
        ground = sum(Geod(ellps="WGS84").geometry_length(one) for one in lines.geometry)
        duplicates = network.nodes[network.duplicates]
        twice = np.hypot(*(duplicates[:, 1] - duplicates[:, 0]).T).sum()
        assert network.length + twice == pytest.approx(ground, rel=1e-3)
