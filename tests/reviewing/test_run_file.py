"""The file of a run: every table that is promised, readable by others, the same bytes each time."""

import json
import sqlite3
import struct
from xml.etree import ElementTree as ET

import geopandas as gpd
import numpy as np
import pyogrio
import pytest
import shapely

from geoeval import Drawing, ObjectMap, evaluate, review
from geoeval.exceptions import GeoevalError, OutputError, ParameterError, UnreadableInputError
from geoeval.model.courses import bar
from geoeval.model.error_ids import with_error_ids
from tests.networks import network
from tests.writers.results import roads_with_errors


def table(path, name):
    with sqlite3.connect(path) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(f"SELECT * FROM {name}")]


def test_the_list_is_that_of_the_layers_in_the_order_of_gain(result, written):
    listed = review(written).errors
    frames = result.map_errors()
    assert len(listed) == sum(len(frame) for frame in frames.values()) > 15
    assert listed["number"].tolist() == list(range(1, len(listed) + 1))
    gains = listed["gain"].fillna(-np.inf).to_numpy()
    assert (np.diff(gains) <= 0).all()
    for layer, rows in listed.groupby("layer"):
        frame = pyogrio.read_dataframe(written, layer=layer, fid_as_index=True)
        own = frame.loc[rows["row"].to_numpy()]
        assert own["error_id"].tolist() == rows["error_id"].tolist()
        boxes = shapely.bounds(own.geometry.to_numpy())
        assert rows[["xmin", "ymin", "xmax", "ymax"]].to_numpy() == pytest.approx(boxes, abs=1e-6)
    assert set(listed["error_id"]) == {name for frame in frames.values() for name in frame["error_id"]}


def test_the_record_is_the_json_of_the_run(result, written):
    run = review(written).run
    assert run.record == json.loads(result.to_json())
    assert (run.kind, run.crs, run.unit) == ("roads", "EPSG:32610", "m")


def test_maps_plan_area_and_grid_are_in_it(result, written):
    layers = dict(pyogrio.list_layers(written))
    for side in ("reference", "prediction"):
        drawn = pyogrio.read_dataframe(written, layer=side)
        assert drawn.geometry.length.sum() == pytest.approx(result.inputs[side].length)
    plan = pyogrio.read_dataframe(written, layer="plan")
    assert plan["rank"].tolist() == list(range(1, len(result.plan.edits) + 1))
    assert plan["gain"].to_numpy() == pytest.approx(result.plan.edits["gain"].to_numpy())
    assert {"area", "grid"} <= set(layers)
    assert pyogrio.read_dataframe(written, layer="area")["ccq_qual"][0] == result.scores["ccq"]["quality"]


def test_every_layer_has_a_style_and_readable_columns(written):
    styles = {row["f_table_name"]: row["styleQML"] for row in table(written, "layer_styles")}
    features = [row["table_name"] for row in table(written, "gpkg_contents") if row["data_type"] == "features"]
    assert set(styles) == set(features)
    for name, style in styles.items():
        root = ET.fromstring(style.partition("\n")[2])
        columns = {row["name"] for row in table(written, f"pragma_table_info('{name}')")}
        aliases = {one.get("field") for one in root.iter("alias")}
        assert aliases <= columns
        assert {"length_m", "error_id"} <= aliases or name in {"area", "grid", "plan", "reference", "prediction"}
    named = {(row["table_name"], row["column_name"]): row["name"] for row in table(written, "gpkg_data_columns")}
    assert named["missing", "length_m"] == "Length (m)"
    assert named["verdicts", "judged_by"] == "Judged by"
    for (name, column), _ in named.items():
        assert column in {row["name"] for row in table(written, f"pragma_table_info('{name}')")}


def test_field_names_are_short(written):
    for name, _ in pyogrio.list_layers(written):
        if name not in {"layer_styles", "verdicts"}:
            assert all(len(field) <= 10 for field in pyogrio.read_info(written, layer=name)["fields"]), name


def test_the_same_run_gives_the_same_bytes(result, written, tmp_path):
    result.write_run(tmp_path / "again.gpkg")
    assert (tmp_path / "again.gpkg").read_bytes() == written.read_bytes()


def test_a_run_is_one_file_and_nothing_is_written_over(result, tmp_path):
    path = tmp_path / "run.gpkg"
    result.write_run(path)
    assert [one.name for one in tmp_path.iterdir()] == ["run.gpkg"]
    with pytest.raises(OutputError, match="exists already"):
        result.write_run(path)
    with pytest.raises(OutputError, match=r"ends in \.gpkg"):
        result.write_run(tmp_path / "run.shp")


def test_a_folder_with_one_run_is_that_run(written, tmp_path):
    assert review(written.parent).run.path == written
    with pytest.raises(UnreadableInputError, match="holds no run"):
        review(tmp_path)
    with pytest.raises(ParameterError, match=r"give the \.gpkg file"):
        review(roads_with_errors())


def test_objects_and_lines_can_be_reviewed_too(tmp_path):
    houses = [shapely.box(x, 0, x + 10, 10) for x in range(0, 120, 20)]
    true = ObjectMap.from_polygons(houses, crs="EPSG:32610")
    found = ObjectMap.from_polygons([*houses[2:], shapely.box(0, 90, 9, 99)], crs="EPSG:32610")
    opened = review(evaluate(true, found, kind="objects", aoi="all"), tmp_path / "houses.gpkg")
    assert opened.errors["kind"].value_counts().to_dict() == {"missed": 2, "false_alarm": 1}
    drawn = Drawing([bar((0, 0), (80, 0)), bar((0, 40), (80, 40))], width=4)
    result = evaluate(drawn, Drawing([bar((0, 0), (80, 0))], width=4), kind="lines")
    opened = review(result, tmp_path / "lines.gpkg")
    assert opened.errors["kind"].tolist() == ["missed"]
    assert "matched" in dict(pyogrio.list_layers(tmp_path / "lines.gpkg"))


def test_what_is_said_of_one_input_alone_is_not_judged(tmp_path):
    street = [(0, 0), (400, 0)]
    true, found = network([street, [(0, 200), (400, 200)]]), network([street, street[::-1], [(0, 0), (400, 0)]])
    result = evaluate(true, found, metrics="ccq,apls", aoi="all")
    opened = review(result, tmp_path / "run.gpkg")
    assert {"duplicate", "missing"} <= set(result.error_summary())
    assert set(opened.errors["kind"]) == {"missing"}
    assert "duplicates" in dict(pyogrio.list_layers(tmp_path / "run.gpkg"))


def test_results_of_other_makers_with_hostile_text(tmp_path):
    """Kinds that nobody knows, both geometries of one kind, formulas, two lines, no plan and no maps."""
    given = roads_with_errors()
    opened = review(given, tmp_path / "run.gpkg")
    assert len(opened.errors) == sum(len(frame) for frame in given.map_errors().values())
    assert opened.errors["error_id"].is_unique
    assert "two\nlines" in set(opened.errors["note"])
    for name in opened.errors["error_id"]:
        opened.judge(name, "error", remark="=1+1")
    assert opened.judged()["left"] == 0
    for suffix in (".geojson", ".osm", ".shp", ".gpkg", ".csv"):
        assert opened.export(tmp_path / f"all{suffix}") == len(opened.errors)
    files = sorted(tmp_path.glob("all*.shp"))
    assert [file.name for file in files] == ["all.shp", "all_points.shp"]
    assert sum(len(gpd.read_file(file)) for file in files) == len(opened.errors)


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00" + b"\xff" * 200, b"no database at all, but text"])
def test_a_file_that_is_no_run_is_one_line(content, tmp_path):
    path = tmp_path / "run.gpkg"
    path.write_bytes(content)
    with pytest.raises(GeoevalError) as caught:
        review(path)
    assert str(path) in str(caught.value)
    assert "a run that geoeval wrote" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DROP TABLE verdicts", "no table 'verdicts'"),
        ("DROP TABLE verdicts; CREATE VIEW verdicts AS SELECT * FROM errors", "no table 'verdicts'"),
        ("UPDATE run SET value = '99' WHERE name = 'format'", "format '99'"),
        ("UPDATE run SET value = '{' WHERE name = 'record'", "'record' of the run is damaged"),
        ("UPDATE run SET value = '[1]' WHERE name = 'not_judged'", "'not_judged' of the run is damaged"),
        ("UPDATE run SET value = '{}' WHERE name = 'record'", "record of the run is damaged"),
        # SQLite quotes what it cannot understand, which need not be text.
        (
            """PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET name = CAST(x'ac80ff' AS TEXT), sql = 'CREATE' WHERE name = 'run'""",
            "cannot be read as a run",
        ),
    ],
)
def test_a_damaged_run_is_one_line(opened, change, said):
    with sqlite3.connect(opened.run.path) as database:
        database.executescript(change)
    with pytest.raises(UnreadableInputError, match=said):
        review(opened.run.path)


# A polygon whose ring ends elsewhere than it begins, as a GeoPackage holds it.
OPEN_RING = (b"GP\0\x01\0\0\0\0" + struct.pack("<BIII", 1, 3, 1, 4) + struct.pack("<8d", 0, 0, 9, 0, 9, 9, 0, 9)).hex()

# Lines of which none is there.
NO_LINE = (b"GP\0\x01\0\0\0\0" + struct.pack("<BII", 1, 5, 1) + struct.pack("<BII", 1, 2, 0)).hex()


@pytest.mark.parametrize(
    ("change", "said"),
    [("SET kind = NULL", "errors without a kind"), ("SET geom = NULL", "errors without a place"),
     (f"SET geom = x'{OPEN_RING}'", "cannot be read"), (f"SET geom = x'{NO_LINE}'", "errors without a place"),
     ("RENAME COLUMN kind TO kinds", "has no column 'kind'")],
)  # fmt: skip
def test_damaged_layers_of_a_run_are_one_line(opened, tmp_path, change, said):
    layer = opened.errors["layer"][0]
    opened.judge(opened.errors["error_id"][0], "error")
    with sqlite3.connect(opened.run.path) as database:
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f'DROP TRIGGER "{trigger}"')
        database.execute(f'{"UPDATE" if change.startswith("SET") else "ALTER TABLE"} "{layer}" {change}')
    with pytest.raises(UnreadableInputError, match=said):
        opened.export(tmp_path / "tasks.geojson")


@pytest.mark.parametrize("change", ["ALTER TABLE errors RENAME COLUMN x TO xx", "UPDATE errors SET x = 'west'"])
def test_a_damaged_list_is_a_table_without_places(opened, tmp_path, change):
    opened.judge(opened.errors["error_id"][0], "error")
    with sqlite3.connect(opened.run.path) as database:
        database.execute(change)
    assert opened.export(tmp_path / "confirmed.csv") == 1
    header, row = (tmp_path / "confirmed.csv").read_text(encoding="utf-8").splitlines()
    told = dict(zip(header.split(","), row.split(","), strict=True))
    assert [told[name] for name in ("lon", "lat", "osm_place", "osm_edit")] == [""] * 4


def test_an_error_has_the_same_id_whatever_happens_elsewhere(result):
    frame = result.map_errors()["lines"]
    whole = with_error_ids(frame.drop(columns="error_id")).set_index(frame.index)
    part = with_error_ids(frame.iloc[::-2].drop(columns="error_id"))
    assert part["error_id"].tolist() == whole["error_id"].loc[part.index].tolist()
    assert whole["error_id"].tolist() == frame["error_id"].tolist()
    twice = with_error_ids(frame.iloc[[0, 0]].drop(columns="error_id"))
    assert twice["error_id"].is_unique


def test_errors_of_objects_name_the_class_of_their_object(tmp_path):
    """First of the object in the reference, else in the prediction; what is not known is empty."""
    houses = [shapely.box(x, 0, x + 10, 10) for x in (0, 40, 80)]
    reference = ObjectMap.from_polygons(houses, crs="EPSG:32610", classes=["barn", "house", "house"])
    prediction = ObjectMap.from_polygons(
        [houses[0], shapely.box(200, 0, 210, 10)], crs="EPSG:32610", classes=["barn", "shed"]
    )
    result = evaluate(reference, prediction, kind="objects", metrics="iou", aoi="all")
    result.write_run(tmp_path / "run.gpkg")
    errors = gpd.read_file(tmp_path / "run.gpkg", layer="errors")
    assert sorted(zip(errors["kind"], errors["class"], strict=True)) == [
        ("false_alarm", "shed"), ("missed", "house"), ("missed", "house")]  # fmt: skip
