"""Nothing that was asked for is ignored without a word: it is refused, or it is said."""

import shutil
import warnings

import pytest
import shapely
from typer.testing import CliRunner

import geoeval
from geoeval import Drawing, ObjectMap, evaluate, read_drawing, read_network, read_objects, write_network, write_objects
from geoeval.cli.main import app
from geoeval.exceptions import GeoevalWarning, ParameterError
from geoeval.model.courses import bar
from geoeval.readers.options import INPUT_OPTIONS
from tests.networks import network

STREET = [(500_000, 5_000_000), (500_300, 5_000_000), (500_600, 5_000_000)]
QUICK = {"metrics": "ccq", "plan": False}
OSM = """<?xml version="1.0"?><osm version="0.6">
<node id="1" lat="45.15" lon="-123.0"/><node id="2" lat="45.151" lon="-123.0"/>
<way id="7"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/></way></osm>"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    town = network([STREET])
    write_network(town, folder / "a.gpkg")
    write_network(network([STREET[:2]]), folder / "b.gpkg")
    write_network(network([]), folder / "empty.gpkg")
    shutil.copy(folder / "a.gpkg", folder / "copy.gpkg")
    write_objects(ObjectMap.from_polygons([shapely.box(0, 0, 20, 10)], crs="EPSG:32610"), folder / "houses.gpkg")
    (folder / "town.osm").write_text(OSM)
    (folder / "lines.txt").write_text("0 0 80 0 8\n")
    return folder


def warned(ask):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ask()
    return [str(one.message) for one in seen if issubclass(one.category, GeoevalWarning)]


ROADS = {"network_type": "walk", "min_spur": 3.0, "simplify": 2.0, "threshold": 9.0, "pixel_size": 0.5}


@pytest.mark.parametrize(("name", "value"), ROADS.items())
def test_an_option_that_no_input_is_read_with_is_said(files, name, value):
    (said,) = warned(lambda: evaluate(files / "a.gpkg", files / "b.gpkg", **{name: value}, **QUICK))
    assert said.startswith(f"{name} {value!r} changes nothing: ")
    assert "a.gpkg and " in said
    (alone,) = warned(lambda: read_network(files / "a.gpkg", **{name: value}))
    assert alone.startswith(f"{name} {value!r} changes nothing: ")


def test_defaults_ask_for_nothing(files):
    """Callers that always give every option, as the command line and QGIS do, hear nothing."""
    usual = {name: one.default for name, one in INPUT_OPTIONS.items() if "roads" in one.contents}
    assert warned(lambda: evaluate(files / "a.gpkg", files / "b.gpkg", **usual, **QUICK)) == []
    assert warned(lambda: read_network(files / "a.gpkg", **{**usual, "network_type": "drive"})) == []


def test_an_option_that_one_of_both_is_read_with_is_used(files):
    asked = {"network_type": "walk", "aoi": "all", **QUICK}
    assert warned(lambda: evaluate(files / "town.osm", files / "town.osm", **asked)) == []
    both = warned(lambda: evaluate(files / "town.osm", files / "a.gpkg", **asked))
    assert not any("changes nothing" in one for one in both)
    said = warned(lambda: evaluate(files / "town.osm", files / "a.gpkg", reference_layer="roads", aoi="all", **QUICK))
    assert [one for one in said if "changes nothing" in one] == [
        f"layer 'roads' changes nothing: {files / 'town.osm'} cannot be read with it; leave it out"
    ]


def test_maps_in_memory_are_read_with_nothing(files):
    town = network([STREET])
    (said,) = warned(lambda: evaluate(town, town, node="none", **QUICK))
    assert said == "node 'none' changes nothing: a RoadNetwork cannot be read with it; leave it out"
    (said,) = warned(lambda: geoeval.benchmark({"x": town}, {"m": {"x": town}}, metrics="ccq", node="none"))
    assert "changes nothing" in said


def test_options_of_other_contents_are_refused(files):
    asked = [
        (evaluate, files / "a.gpkg", {"class_column": "kind"}, "class_column is for objects, not for roads"),
        (evaluate, files / "a.gpkg", {"reference_class_column": "kind"}, "class_column is for objects, not for roads"),
        (evaluate, files / "houses.gpkg", {"kind": "objects", "network_type": "walk"}, "network_type is for roads"),
        (evaluate, files / "lines.txt", {"kind": "lines", "georeference": "1,0,0,0,1,0"}, "georeference is for roads"),
    ]
    for ask, file, options, said in asked:
        with pytest.raises(ParameterError, match=said):
            ask(file, file, **options)
    alone = [
        (read_network, "a.gpkg", {"class_column": "x"}),
        (read_objects, "houses.gpkg", {"node": "none"}),
        (read_drawing, "lines.txt", {"network_type": "walk"}),
    ]
    for read, file, options in alone:
        with pytest.raises(ParameterError, match="leave it out"):
            read(files / file, **options)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"protocol": "citraro", "metrics": "ccq"}, "a protocol has scores of its own; leave metrics out"),
        ({"protocol": "citraro", "metrics": ["ccq"]}, "leave metrics out"),
        ({"protocol": "citraro", "preset": "roadtracer-px"}, "leave preset out"),
        ({"protocol": "citraro", "crs": "EPSG:32610"}, "leave crs out"),
        ({"protocol": "citraro", "plan": True}, "leave plan out"),
        ({"protocol": "citraro", "whole_networks": "tiles"}, "leave whole_networks out"),
        ({"protocol": "citraro", "seconds": 0.0}, "leave seconds out"),
        ({"whole_networks": "tiles"}, "whole_networks says how roads are evaluated in tiles"),
        ({"ink": "dark"}, "ink belongs to lines, not to"),
        ({"seconds": 1.0}, "seconds belongs to lines, not to"),
        ({"kind": "objects", "preset": "roadtracer-px"}, "unknown preset"),
        ({"kind": "lines", "align": True}, "align is for roads and objects"),
        ({"kind": "lines", "plan": True}, "lines have no plan"),
        ({"kind": "lines", "ink": "dark"}, "give image=FILE"),
    ],
)
def test_what_would_change_nothing_is_refused(asked, said):
    maps = {
        "roads": network([STREET]), "lines": Drawing([bar((0, 0), (80, 0))], width=8),
        "objects": ObjectMap.from_polygons([shapely.box(0, 0, 20, 10)], crs="EPSG:32610"),
    }  # fmt: skip
    one = maps[asked.get("kind", "roads")]
    with pytest.raises(ParameterError, match=said):
        evaluate(one, one, **asked)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["roads", "a.gpkg", "b.gpkg", "--protocol", "citraro", "--metrics", "ccq"], "leave out --metrics"),
        (["roads", "a.gpkg", "b.gpkg", "--repeats", "3"], "--repeats is for a protocol"),
        (["roads", "a.gpkg", "b.gpkg", "--format", "gpkg"], "give -o DIR"),
        (["roads", "a.gpkg", "b.gpkg", "--whole-networks", "tiles"], "give --tile-size"),
        (["benchmark", "a.gpkg", "b.gpkg", "--kind", "objects", "--network-type", "walk"], "--network-type is for"),
        (["benchmark", "a.gpkg", "b.gpkg", "--maps", "3"], "give -o DIR"),
        (["benchmark", "a.gpkg", "b.gpkg", "--repeats", "3"], "--repeats is for a protocol"),
        (["benchmark", "a.gpkg", "b.gpkg", "--protocol", "citraro", "--metrics", "ccq"], "leave out --metrics"),
        (["review", "a.gpkg", "--judged", "--judged-by", "Ada"], "are for the page"),
        (["review", "a.gpkg", "--no-scores", "--save-verdicts", "v.csv"], "--no-scores is for --judged and --json"),
        (["perturb", "a.gpkg", "--error", "missing", "--count", "1", "-o", "c.gpkg", "--confidence", "x"],
         "confidence is for objects"),
        (["perturb", "a.gpkg", "--error", "missing", "--count", "1", "-o", "c.gpkg", "--set", "seed=3"], "cannot read"),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else "",
)  # fmt: skip
def test_the_command_line_ignores_nothing(files, monkeypatch, words, said):
    monkeypatch.chdir(files)
    done = CliRunner().invoke(app, words, prog_name="geoeval")
    assert done.exit_code == 1
    (line,) = done.stderr.strip().splitlines()
    assert said in line


def test_the_command_line_says_what_changes_nothing(files, monkeypatch):
    monkeypatch.chdir(files)
    done = CliRunner().invoke(app, ["info", "a.gpkg", "--network-type", "walk"], prog_name="geoeval")
    assert done.exit_code == 0
    assert done.stderr == (
        "geoeval: warning: --network-type 'walk' changes nothing: a.gpkg cannot be read with it; leave it out\n"
    )


def test_a_grid_that_nobody_sees_is_said(files, monkeypatch):
    monkeypatch.chdir(files)
    words = ["roads", "a.gpkg", "b.gpkg", "--metrics", "ccq", "--grid", "100"]
    done = CliRunner().invoke(app, words, prog_name="geoeval")
    assert done.exit_code == 0
    assert done.stderr == (
        "geoeval: warning: --grid changes nothing: it is for error layers, report and run; leave it out\n"
    )


def findings(files, reference, prediction, **asked):
    found = evaluate(files / reference, files / prediction, **{**QUICK, **asked}).diagnosis
    return [one["message"] for one in found if one["check"] in {"copy", "empty"}]


def test_the_same_file_twice_and_a_copy_are_said(files):
    equal = "the reference: their contents are equal, byte by byte"
    assert findings(files, "a.gpkg", "a.gpkg") == [f"the prediction is the same file as {equal}"]
    assert findings(files, "a.gpkg", "copy.gpkg") == [f"the prediction is a copy of {equal}"]
    assert findings(files, "a.gpkg", "b.gpkg") == []
    # Two layers of one file are two maps.
    assert findings(files, "a.gpkg", "a.gpkg", prediction_layer="a") == []


def test_a_layer_that_holds_nothing_is_said(files):
    (said,) = findings(files, "a.gpkg", "empty.gpkg")
    assert said == "nothing is evaluated of the prediction: its file holds no roads, or none on the evaluated ground"
    town = network([STREET])
    assert evaluate(town, network([]), **QUICK).diagnosis == ()


def test_kinds_of_errors_that_do_not_exist_are_refused(files):
    result = evaluate(files / "a.gpkg", files / "b.gpkg", **QUICK)
    assert len(result.errors_of("missing")) == 1
    assert len(result.errors_of("break")) == 0
    with pytest.raises(ParameterError, match="there is no kind of error 'mising'; did you mean 'missing'"):
        result.errors_of("mising")
