"""Error layers come back from every format as they went in."""

import hashlib
import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import geopandas as gpd
import numpy as np
import pandas as pd
import pyogrio
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyproj import CRS, Transformer

from geoeval import evaluate_roads, perturb
from geoeval.contents import CONTENTS
from geoeval.crs import LOCAL_METRES
from geoeval.exceptions import GeoevalWarning, OutputError, ParameterError
from geoeval.files import FILE_LIST, PREFIX
from geoeval.model.error_kinds import standard_layers
from geoeval.model.features import ErrorFeatures
from geoeval.roads.edit_plan import edit_plan
from geoeval.writers.grids import local_scores
from geoeval.writers.layers import FORMATS, write_layers
from geoeval.writers.names import field_names, layer_name, part_name
from geoeval.writers.tables import clean_text
from tests.networks import grid as streets
from tests.networks import network
from tests.writers.results import EAST, NORTH, UTM10, box, line, make_result, point, roads_with_errors

ROADS = ["breaks", "falselinks", "junctions", "missing", "spurious", "doubled", "merged", "drawndbl", "drawnsgl",
         "displaced"]  # fmt: skip
SCORES = {
    "ccq": ["correctness", "completeness", "quality", "quality_length"],
    "tlts": ["correct", "too_long", "too_short", "infeasible", "sd", "n"],
    "apls": ["apls", "reference_to_prediction", "prediction_to_reference"],
    "junct": ["f_correct", "f_error", "precision", "recall", "f1"],
    "subg": ["precision", "recall", "f1", "sd", "n"],
    "opt-p": ["precision", "recall", "f1", "precision_length_weighted", "recall_length_weighted", "breaks"],
    "opt-j": ["precision", "recall", "f1", "tp", "pp", "ap"],
    "opt-g": ["precision", "recall", "f1", "tp", "pp", "ap"],
}


def read(layer):
    if layer.path.suffix == ".parquet":
        return gpd.read_parquet(layer.path)
    return gpd.read_file(layer.path, layer=layer.layer)


def by_name(layers):
    return {layer.layer: layer for layer in layers}


def texts(values):
    """Text as all formats give it back: no text is no text, and a shapefile drops blanks at the ends."""
    return ["" if pd.isna(value) else str(value).strip() for value in values]


@pytest.mark.parametrize("chosen", FORMATS)
@pytest.mark.parametrize("crs", [UTM10, LOCAL_METRES], ids=["utm", "local"])
def test_every_format_gives_back_what_went_in(tmp_path, chosen, crs):
    result = roads_with_errors(crs)
    layers = write_layers(result, tmp_path / "out", format=chosen)
    names = by_name(layers)
    assert list(names) == [*ROADS[:4], "missing_pt", *ROADS[4:], "brandnewki", "area"]
    assert all(layer.warnings == () for layer in layers)
    for layer in layers[:-1]:
        source = result.errors[layer.geometry]
        source = source[source["kind"] == layer.role].reset_index(drop=True)
        frame = read(layer)
        assert layer.count == len(frame) == len(source)
        if chosen == "geojson" and not len(source):
            continue  # without features GeoJSON has no fields
        assert list(frame.columns) == [*ErrorFeatures.COLUMNS, "geometry"]
        for name in ("kind", "metric", "ref_id", "pred_id", "note"):
            assert texts(frame[name]) == texts(source[name])
        for name in ("length_m", "dist_m", "severity"):
            np.testing.assert_allclose(frame[name].astype(float), source[name], rtol=0, atol=1e-9)
        back = frame.geometry if crs == LOCAL_METRES else frame.geometry.to_crs(crs)
        same = shapely.equals_exact(back.to_numpy(), source.geometry.to_numpy(), tolerance=0.02)
        assert same.all()
    assert [layer.count for layer in layers] == [1, 0, 7, 2, 1, 1, 0, 0, 0, 0, 0, 1, 1]
    total = sum(entry["count"] for entry in result.error_summary().values())
    assert sum(layer.count for layer in layers[:-1]) == total


@pytest.mark.parametrize("chosen", FORMATS)
@pytest.mark.parametrize("kind", CONTENTS)
def test_no_errors_give_the_standard_layers_empty(tmp_path, chosen, kind):
    layers = write_layers(make_result(kind=kind), tmp_path / "out", format=chosen)
    assert {layer.role for layer in layers} == {*standard_layers(kind), "area"}
    for layer in layers[:-1]:
        frame = read(layer)
        assert len(frame) == layer.count == 0
        if chosen != "geojson":
            assert list(frame.columns) == [*ErrorFeatures.COLUMNS, "geometry"]
        if chosen in {"shp", "gpkg"}:
            info = pyogrio.read_info(layer.path, layer=layer.layer)
            assert info["geometry_type"] == {"lines": "LineString", "points": "Point"}.get(layer.geometry, "Polygon")
            kinds = ["Real" if name == "float64" else "String" for name in info["dtypes"]]
            assert kinds == ["String"] * 4 + ["Real"] * 3 + ["String"]


def test_a_result_without_frames(tmp_path):
    layers = write_layers(make_result(errors={}), tmp_path / "out")
    assert [layer.layer for layer in layers] == [*ROADS, "area"]


def test_files_of_a_shapefile_directory(tmp_path):
    layers = write_layers(roads_with_errors(), tmp_path / "out")
    parts = {f"{name}.{suffix}" for name in by_name(layers) for suffix in ("shp", "shx", "dbf", "prj", "cpg", "qml")}
    assert {path.name for path in (tmp_path / "out").iterdir()} == parts | {FILE_LIST}
    assert all(len(path.stem) <= 10 for path in (tmp_path / "out").glob("*.shp"))
    assert (tmp_path / "out" / "missing.cpg").read_text() == "UTF-8"
    assert all(layer.path.is_file() and layer.style.is_file() for layer in layers)
    assert {layer.path.parent for layer in layers} == {tmp_path / "out"}


def test_every_layer_has_a_style_for_its_geometry(tmp_path):
    for chosen in FORMATS:
        for layer in write_layers(roads_with_errors(), tmp_path / chosen, format=chosen):
            root = ET.fromstring(layer.style.read_text(encoding="utf-8").partition("\n")[2])
            assert root.findtext("layerGeometryType") == {"points": "0", "lines": "1", "polygons": "2"}[layer.geometry]


def test_geopackage_carries_its_styles_and_an_old_version(tmp_path):
    layers = write_layers(roads_with_errors(), tmp_path / "out", format="gpkg")
    path = tmp_path / "out" / "errors.gpkg"
    assert {layer.path for layer in layers} == {path}
    with sqlite3.connect(path) as database:
        assert database.execute("pragma user_version").fetchone() == (10200,)
        query = "select f_table_name, f_geometry_column, useAsDefault, styleQML from layer_styles order by id"
        styles = database.execute(query).fetchall()
        known = {name for (name,) in database.execute("select table_name from gpkg_contents")}
    database.close()
    assert [style[0] for style in styles] == [layer.layer for layer in layers]
    assert all(style[1:3] == ("geom", 1) for style in styles)
    assert [style[3] for style in styles] == [layer.style.read_text(encoding="utf-8") for layer in layers]
    assert known == {*by_name(layers), "layer_styles"}


def test_geojson_is_longitude_and_latitude(tmp_path):
    write_layers(roads_with_errors(), tmp_path / "out", format="geojson")
    document = json.loads((tmp_path / "out" / "missing.geojson").read_text(encoding="utf-8"))
    assert "crs" not in document
    x, y = document["features"][0]["geometry"]["coordinates"][0]
    expected = Transformer.from_crs(32610, 4326, always_xy=True).transform(EAST, NORTH)
    assert (x, y) == pytest.approx(expected, abs=1e-6)
    notes = json.loads((tmp_path / "out" / "junctions.geojson").read_text(encoding="utf-8"))["features"]
    assert [f["properties"]["note"] for f in notes][4:6] == ["[1, 2]", '{"a": 1}']


def test_geojson_across_the_antimeridian_is_cut_there(tmp_path):
    crs = CRS.from_epsg(3460)  # Fiji
    x, y = Transformer.from_crs(4326, 3460, always_xy=True).transform([179.99, -179.99], [-16.8, -16.8])
    features = ErrorFeatures("ccq")
    features.add("missing", [shapely.LineString(np.column_stack([x, y]))])
    write_layers(make_result(features, crs=crs), tmp_path / "out", format="geojson")
    missing = gpd.read_file(tmp_path / "out" / "missing.geojson")
    assert missing.geometry[0].geom_type == "MultiLineString"
    assert shapely.length(missing.geometry.to_numpy()).sum() == pytest.approx(0.02, rel=0.01)


def test_local_geojson_keeps_its_coordinates(tmp_path):
    write_layers(roads_with_errors(LOCAL_METRES), tmp_path / "out", format="geojson")
    document = json.loads((tmp_path / "out" / "missing.geojson").read_text(encoding="utf-8"))
    assert document["features"][0]["geometry"]["coordinates"][0] == [EAST, NORTH]


def test_custom_projections_survive_a_shapefile(tmp_path):
    crs = CRS.from_proj4("+proj=stere +lat_0=-82.123456 +lon_0=12.5 +k_0=0.9997 +datum=WGS84 +units=m +type=crs")
    features = ErrorFeatures("ccq")
    features.add("missing", [shapely.LineString([(0, 0), (5000, 7000)])])
    layers = write_layers(make_result(features, crs=crs), tmp_path / "out")
    back = read(layers[0])
    ours = Transformer.from_crs(crs, 4326).transform(5000, 7000)
    assert Transformer.from_crs(back.crs, 4326).transform(5000, 7000) == pytest.approx(ours, abs=1e-9)


def test_long_text_is_cut_between_characters_and_said_once(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [line((0, 0), (1, 0))] * 3, note=["ä" * 200, "x" * 253 + "ä", "short"], ref_id="界" * 90)
    lines = ("missing.shp: 3 of 3 texts in ref_id cut to 254 bytes",
             "missing.shp: 2 of 3 texts in note cut to 254 bytes")  # fmt: skip
    with pytest.warns(GeoevalWarning) as warned:
        layers = by_name(write_layers(make_result(features), tmp_path / "out"))
    assert tuple(str(warning.message) for warning in warned) == layers["missing"].warnings == lines
    frame = read(layers["missing"])
    assert list(frame["note"]) == ["ä" * 127, "x" * 253, "short"]
    assert list(frame["ref_id"]) == ["界" * 84] * 3
    for chosen in FORMATS[1:]:
        layers = write_layers(make_result(features, kind="only these"), tmp_path / chosen, format=chosen)
        assert read(layers[0])["note"][0] == "ä" * 200
        assert layers[0].warnings == ()


@pytest.mark.filterwarnings("ignore::geoeval.exceptions.GeoevalWarning")
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(notes=st.lists(st.text(st.characters(), max_size=90), min_size=1, max_size=4), chosen=st.sampled_from(FORMATS))
def test_any_text_survives(tmp_path, notes, chosen):
    features = ErrorFeatures("ccq")
    features.add("missing", [point(0, 0)] * len(notes), note=notes, ref_id=notes)
    layers = write_layers(make_result(features, kind="only these"), tmp_path / "out", format=chosen, overwrite=True)
    frame = read(layers[0])
    expected = [clean_text(note) for note in notes]
    if chosen == "shp":
        expected = [note.encode()[:254].decode(errors="ignore").strip(" ") for note in expected]
        assert [value.strip(" ") for value in frame["note"].fillna("")] == expected
    else:
        assert list(frame["note"].fillna("")) == expected
    assert layers[0].warnings == () or chosen == "shp"


def test_numbers_that_are_not_finite_are_null(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [point(0, 0)] * 3, dist_m=[np.inf, np.nan, 1.5])
    for chosen in FORMATS:
        layers = write_layers(make_result(features, kind="only these"), tmp_path / chosen, format=chosen)
        assert list(read(layers[0])["dist_m"].isna()) == [True, True, False]
        assert layers[0].warnings == ()


def test_further_columns_are_written_and_long_names_shortened(tmp_path):
    result = roads_with_errors()
    for frame in result.errors.values():
        frame["gain"] = np.linspace(0, 1, len(frame))
        frame["rank"] = np.arange(len(frame))
        frame["a_very_long_name"] = True
        frame["a_very_long_nail"] = "x"
    for chosen in FORMATS:
        layers = write_layers(result, tmp_path / chosen, format=chosen)
        assert all(layer.warnings == () for layer in layers)
        frame = read(by_name(layers)["missing"])
        assert list(frame.columns[8:-1]) == ["gain", "rank", "averylongn", "averylon_2"]
        assert list(frame["rank"]) == [0, 1]
        if chosen != "geojson":
            assert list(read(by_name(layers)["doubled"]).columns) == list(frame.columns)


def test_columns_of_errors_need_no_shortening():
    assert list(field_names(ErrorFeatures.COLUMNS).values()) == list(ErrorFeatures.COLUMNS)


def test_the_area_carries_all_scores(tmp_path):
    values = {m: {name: i / 10 for i, name in enumerate(names)} for m, names in SCORES.items()}
    values["opt-j"]["f1"] = None
    result = make_result(scores=values, area=box(0, 0, 100), kind="none")
    fields = field_names(f"{metric}.{name}" for metric, names in SCORES.items() for name in names)
    assert len(set(fields.values())) == len(fields)
    assert max(len(field) for field in fields.values()) <= 10
    assert fields["opt-j.f1"] == "optj_f1"
    assert fields["ccq.quality"] == "ccq_qual"
    assert fields["ccq.quality_length"] == "ccq_qual_l"
    assert fields["junct.f_correct"] == "junct_fcor"
    assert fields["apls.apls"] == "apls"
    for chosen in FORMATS:
        layer = write_layers(result, tmp_path / chosen, format=chosen)[-1]
        frame = read(layer)
        assert (layer.role, layer.count, len(frame)) == ("area", 1, 1)
        for metric, names in values.items():
            for name, value in names.items():
                got = frame[fields[f"{metric}.{name}"]][0]
                assert pd.isna(got) if value is None else got == pytest.approx(value)
        if chosen == "shp":
            assert frame.geometry[0].equals(result.area)


@pytest.mark.parametrize("chosen", FORMATS)
def test_an_unknown_area_keeps_its_scores(tmp_path, chosen):
    frame = read(write_layers(make_result(area=None), tmp_path / "out", format=chosen)[-1])
    assert frame.geometry[0] is None
    assert frame["ccq_qual"][0] == 0.25
    assert frame["optj_tp"][0] == 3


def test_the_grid_is_coloured_by_a_score(tmp_path):
    cells = [box(i * 500, 0, 500) for i in range(3)]
    scores = {"cell": ["a", "b", "c"], "ccq.quality": [0.1, None, 0.9], "opt-j.f1": [0.0, 0.5, 1.0]}
    grid = gpd.GeoDataFrame(scores, geometry=cells, crs=UTM10)
    for chosen in FORMATS:
        layer = write_layers(make_result(), tmp_path / chosen, format=chosen, grid=grid)[-1]
        frame = read(layer)
        assert (layer.role, layer.layer, layer.count) == ("grid", "grid", 3)
        assert list(frame["optj_f1"]) == [0.0, 0.5, 1.0]
        assert list(frame["ccq_qual"].isna()) == [False, True, False]
        assert 'attr="optj_f1"' in layer.style.read_text()
    other = grid.rename(columns={"ccq.quality": "ref_m", "opt-j.f1": "subg.f1"})
    layer = write_layers(make_result(), tmp_path / "other", grid=other)[-1]
    assert 'attr="subg_f1"' in layer.style.read_text()
    layer = write_layers(make_result(), tmp_path / "none", grid=grid.iloc[:0])[-1]
    assert len(read(layer)) == layer.count == 0
    layer = write_layers(make_result(), tmp_path / "plain", grid=grid[["cell", "geometry"]].to_crs(4326))[-1]
    assert "graduatedSymbol" not in layer.style.read_text()
    assert read(layer).geometry[0].area == pytest.approx(250000, rel=1e-6)


def test_only_headlines_from_bad_to_good_colour_a_grid():
    """Counts, lower-is-better scores and scores of no registered metric do not: the ramp goes from bad to good."""
    columns = [
        "ref_m",
        "opt-g.f1",
        "distance.chamfer",
        "opt-j.tp",
        "tlts.too_long",
        "ccq.quality",
        "opt-j.f1",
        "new.f1",
    ]
    grid = gpd.GeoDataFrame({name: [0.5] for name in columns}, geometry=[box(0, 0, 1)], crs=UTM10)
    assert local_scores(grid, "roads") == ["opt-j.f1", "ccq.quality", "opt-g.f1"]
    grid = gpd.GeoDataFrame({"vector.dv": [1], "vector.vri": [1]}, geometry=[box(0, 0, 1)], crs=UTM10)
    assert local_scores(grid, "lines") == ["vector.vri"]
    assert local_scores(grid, "objects") == []


def evaluated():
    """A real evaluation with its edit plan, over about 1.2 km."""
    lines = [[(EAST + x, NORTH + y) for x, y in line] for line in streets(5, 5, spacing=300.0)]
    town = network(lines)
    result = evaluate_roads(town, perturb(town, "missing", 6, seed=1).prediction, metrics="ccq,opt-j")
    return replace(result, plan=edit_plan(result))


def test_the_simple_call_writes_grid_and_plan(tmp_path):
    result = evaluated()
    layers = by_name(write_layers(result, tmp_path / "out"))
    expected = result.grid(500.0)
    assert list(layers)[-2:] == ["area", "grid"]
    assert layers["grid"].count == len(expected) > 4
    assert read(layers["grid"])["ref_m"].to_numpy() == pytest.approx(expected["ref_m"].to_numpy())
    plan = pd.read_csv(tmp_path / "out" / "plan.csv", keep_default_na=False)
    own = [name for name in result.plan.edits.columns if name not in {"layer", "row"}]
    assert list(plan.columns) == [*own, "lon", "lat", "osm_place", "osm_edit", "osm_object"]
    assert plan["gain"].to_numpy() == pytest.approx(result.plan.edits["gain"].to_numpy())
    assert len(plan) > 0


def test_the_grid_is_of_any_size_or_left_out(tmp_path):
    result = evaluated()
    counts = [by_name(write_layers(result, tmp_path / str(size), grid=size))["grid"].count for size in (300, 500.0)]
    assert counts[0] == len(result.grid(300)) > counts[1]
    assert "grid" not in by_name(write_layers(result, tmp_path / "none", grid=None))
    with pytest.raises(ParameterError, match=r"too fine.*larger"):
        write_layers(result, tmp_path / "fine", grid=0.5)
    assert not (tmp_path / "fine").exists()


def test_tiles_are_the_grid_of_a_result_that_has_them(tmp_path):
    tiles = gpd.GeoDataFrame({"opt-j.f1": [0.25]}, geometry=[box(0, 0, 500)], crs=UTM10)
    layer = write_layers(make_result(cells=tiles), tmp_path / "out")[-1]
    assert (layer.role, layer.count) == ("grid", 1)


def test_several_parts_in_one_geometry(tmp_path):
    features = ErrorFeatures("hoover")
    two = shapely.MultiPolygon([box(0, 0, 5), box(10, 0, 5)])
    features.add("missed", [two, box(20, 0, 5)])
    features.add("matched", [shapely.MultiPoint([(0, 0), (1, 1)]), shapely.Point(2, 2)])
    for chosen in FORMATS:
        layers = by_name(write_layers(make_result(features, kind="objects"), tmp_path / chosen, format=chosen))
        assert all(layer.warnings == () for layer in layers.values())
        assert shapely.area(read(layers["missed"]).to_crs(UTM10).geometry.to_numpy()) == pytest.approx(
            [50, 25], rel=0.01
        )
        assert [shapely.get_num_geometries(g) for g in read(layers["matched"]).geometry] == [2, 1]


def test_heights_are_dropped(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [shapely.LineString([(0, 0, 7), (1, 1, 8)])])
    for chosen in FORMATS:
        layer = write_layers(make_result(features, kind="only these"), tmp_path / chosen, format=chosen)[0]
        assert not read(layer).geometry.has_z.any()


@pytest.mark.filterwarnings("ignore::geoeval.exceptions.GeoevalWarning")
def test_a_large_shapefile_is_split(tmp_path):
    features = ErrorFeatures("ccq")
    lines = [line(*[(i, j) for j in range(2 + i % 7)]) for i in range(24)]
    features.add("missing", lines, ref_id=[str(i) for i in range(24)], note="x" * 300)
    links = ErrorFeatures("opt-p")
    links.add("false_link", lines[:20], ref_id=[str(i) for i in range(20)])
    for limit in (1, 3000, 7000):
        out = tmp_path / str(limit)
        layers = write_layers(make_result(features, links, kind="only these"), out, size_limit=limit)
        missing = [layer for layer in layers if layer.role == "missing"]
        assert len(missing) > 2
        assert [layer.layer for layer in missing[:3]] == ["missing", "missing_2", "missing_3"]
        assert [layer.layer for layer in layers if layer.role == "false_link"][:2] == ["falselinks", "falselin_2"]
        rows = pd.concat([read(layer) for layer in missing])
        assert list(rows["ref_id"]) == [str(i) for i in range(24)]
        assert [len(layer.warnings) for layer in missing] == [1] + [0] * (len(missing) - 1)
        assert all(layer.style.is_file() and len(layer.path.stem) <= 10 for layer in layers)
        sizes = [layer.path.with_suffix(s).stat().st_size for layer in missing for s in (".shp", ".dbf")]
        assert max(sizes) <= limit or limit == 1
        assert limit != 1 or len(missing) == 24
    assert len(missing) < 6  # parts are filled


def test_long_lines_are_split_by_their_own_size(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [line(*[(i, j) for j in range(300 + 40 * i)]) for i in range(12)])
    records = [52 + 4 + 16 * (300 + 40 * i) for i in range(12)]
    three = 100 + sum(records[:3])
    for limit, counts in ((three, [3, 2] + [1] * 7), (three - 1, [2, 2, 2] + [1] * 6)):
        layers = write_layers(make_result(features, kind="only these"), tmp_path / str(limit), size_limit=limit)
        missing = [layer for layer in layers if layer.role == "missing"]
        assert [layer.count for layer in missing] == counts
        sizes = [layer.path.stat().st_size for layer in missing]
        assert sum(sizes) == 100 * len(missing) + sum(records)
        assert max(sizes) <= limit


def test_names_of_any_kind():
    assert layer_name("false_link") == "falselinks"
    assert layer_name("missing", suffix="_pt") == "missing_pt"
    assert layer_name("duplicate", suffix="_pt") == "duplica_pt"
    assert layer_name("../../etc/passwd") == "etc_passwd"
    assert layer_name("<>") == "other"
    assert layer_name("area", taken={"area"}) == "area_2"
    assert part_name("falselinks", 12) == "falseli_12"
    assert part_name("falselinks", 12, taken={"falseli_12"}) == "falseli1_2"
    assert list(field_names(["fid", "geometry", "ok"]).values()) == ["fid_2", "geometry_2", "ok"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=20), unique=True, max_size=30))
def test_field_names_are_short_and_unique(names):
    fields = field_names(names)
    assert list(fields) == names
    assert len(set(fields.values())) == len(names)
    assert all(0 < len(field.encode()) <= 10 for field in fields.values())


def test_the_same_run_gives_the_same_bytes(tmp_path):
    for chosen in FORMATS:
        digests = []
        for number in range(2):
            write_layers(roads_with_errors(), tmp_path / f"{chosen}{number}", format=chosen)
            files = sorted((tmp_path / f"{chosen}{number}").iterdir())
            digests.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files})
        assert digests[0] == digests[1]
    # The date is written too, so a run on another day must not differ either.
    assert (tmp_path / "shp0" / "missing.dbf").read_bytes()[1:4] == bytes([100, 1, 1])
    with sqlite3.connect(tmp_path / "gpkg0" / "errors.gpkg") as database:
        dates = database.execute("select distinct last_change from gpkg_contents").fetchall()
    database.close()
    assert dates == [("2000-01-01T00:00:00.000Z",)]
    assert pyogrio.get_gdal_config_option("OGR_CURRENT_DATE") is None


def test_tables_are_written_beside(tmp_path):
    table = pd.DataFrame({"rank": [1], "note": ["=cmd()"]})
    write_layers(make_result(), tmp_path / "out", tables={"mine": table})
    assert (tmp_path / "out" / "mine.csv").read_text() == "rank,note\n1,'=cmd()\n"
    assert not (tmp_path / "out" / "plan.csv").exists()
    write_layers(make_result(), tmp_path / "out", overwrite=True)
    assert not (tmp_path / "out" / "mine.csv").exists()
    write_layers(evaluated(), tmp_path / "out", overwrite=True, tables={"plan": table})
    assert (tmp_path / "out" / "plan.csv").read_text() == "rank,note\n1,'=cmd()\n"


def test_an_existing_directory(tmp_path):
    out = tmp_path / "out"
    write_layers(roads_with_errors(), out)
    with pytest.raises(OutputError, match="out exists already; give overwrite=True, or give another directory"):
        write_layers(make_result(), out)
    write_layers(make_result(), out, format="gpkg", overwrite=True)
    assert not list(out.glob("*.shp"))
    (out / "my notes.txt").write_text("mine")
    with pytest.raises(OutputError, match="my notes"):
        write_layers(make_result(), out, overwrite=True)
    assert (out / "my notes.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_unknown_format(tmp_path):
    with pytest.raises(ParameterError, match=r"'dxf'.*shp, gpkg, geojson, parquet"):
        write_layers(make_result(), tmp_path / "out", format="dxf")


def test_layers_as_programs_read_them(tmp_path):
    layer = by_name(write_layers(roads_with_errors(), tmp_path / "out"))["missing"]
    assert json.loads(json.dumps(layer.as_dict())) == {
        "role": "missing",
        "path": str(tmp_path / "out" / "missing.shp"),
        "layer": "missing",
        "geometry": "lines",
        "count": 2,
        "style": str(tmp_path / "out" / "missing.qml"),
    }


# One interpreter that forks: each child writes and is killed, at a file operation or after a delay.
KILLED = """
    import os, signal, sys, time
    import geopandas, pyogrio
    from geoeval.writers.layers import write_layers
    from tests.writers.results import roads_with_errors

    target, chosen = sys.argv[1:]
    result = roads_with_errors()

    def write():
        write_layers(result, target, format=chosen, overwrite=True)

    def watch_until(moment):
        seen = 0
        def watch(event, arguments):
            nonlocal seen
            if event == "open" or event.startswith(("os.", "shutil.")):
                seen += 1
                if seen == moment:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(watch)

    def run(moment, delay=None):
        pid = os.fork()
        if pid == 0:
            watch_until(moment)
            write()
            os._exit(0)
        if delay is not None:
            time.sleep(delay)
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        print(status, flush=True)
        sys.stdin.readline()
        return status

    moment = 1
    while run(moment):
        moment += 13
    began = time.perf_counter()
    write()
    took = time.perf_counter() - began
    for share in range(1, 8):
        run(0, took * share / 8)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize("chosen", ["shp", "gpkg"])
def test_killed_at_any_moment_nothing_half_written_is_left(tmp_path, chosen):
    script, target = tmp_path / "script.py", tmp_path / "work" / "out"
    script.write_text(textwrap.dedent(KILLED))
    target.parent.mkdir()
    root = Path(__file__).parents[2]
    command = [sys.executable, "-W", "ignore", str(script), str(target), chosen]
    pipe = subprocess.PIPE
    outcomes = []
    with subprocess.Popen(command, cwd=root, env={"PYTHONPATH": str(root)}, stdin=pipe, stdout=pipe, text=True) as run:
        for report in run.stdout:
            outcomes.append((int(report), target.exists()))
            if target.exists():
                assert_complete(target, chosen)
            assert all(path.name.startswith((PREFIX, "out")) for path in target.parent.iterdir())
            run.stdin.write("\n")
            run.stdin.flush()
    assert run.returncode == 0
    assert {signal.SIGKILL, 0} == {status for status, _ in outcomes}, "killed runs and complete ones both occur"
    assert {False, True} == {exists for _, exists in outcomes}


def assert_complete(target, chosen):
    listed = set((target / FILE_LIST).read_text().splitlines())
    assert listed == {path.name for path in target.iterdir()} - {FILE_LIST}
    if chosen == "gpkg":
        assert pyogrio.list_layers(target / "errors.gpkg").shape[0] == 14
    name = "errors.gpkg" if chosen == "gpkg" else "junctions.shp"
    assert pyogrio.read_info(target / name, layer="junctions")["features"] == 7
