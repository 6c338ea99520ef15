"""Messages name only options that there are where they are read: in the command, in Python, in the dialog."""

import ast
import inspect
import re
from itertools import product

import geopandas as gpd
import pytest
import shapely
import typer
from typer.testing import CliRunner

import geoeval
from geoeval.cli.guard import door_of
from geoeval.cli.main import app
from geoeval.contents import SIDES
from geoeval.exceptions import GeoevalError, GeoevalWarning, about_side
from geoeval.readers.options import INPUT_OPTIONS, flag_of
from geoeval.wording import (
    IN_PYTHON,
    OF_READING,
    PLACEHOLDER,
    CommandLine,
    Dialog,
    Python,
    dialog_of,
    named,
    worded,
    worded_for,
)
from tests.test_house import ROOT, modules

LITERAL = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
# What stands where a message is put together from a variable.
VARIABLES = {
    "{side}": SIDES,
    "{option}": ("missing", "empty", "failed"),
    "{one}": ("roads",),
    "{name}": ("image", "seconds", "ink", "whole-networks"),
    "{flag_of(name)}": sorted(map(flag_of, INPUT_OPTIONS)),
    "{flag_of(self.name)}": sorted(map(flag_of, INPUT_OPTIONS)),
}


def commands(group=None):
    """Every command of the command line, by its name."""
    for name, one in (group or typer.main.get_command(app)).commands.items():
        if hasattr(one, "commands"):
            yield from commands(one)
        else:
            yield name, one


COMMANDS = dict(commands())
OPTIONS = {
    name: {text[2:] for one in command.params for text in one.opts if text.startswith("--")}
    for name, command in COMMANDS.items()
}
PARAMETERS = {
    name
    for function in (getattr(geoeval, public) for public in geoeval.__all__)
    if inspect.isfunction(function)
    for name in inspect.signature(function).parameters
} | set(INPUT_OPTIONS)


def texts(path):
    """Every text in a module that is not documentation; what is put in stands in braces."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    inner = {id(node.body[0].value) for node in ast.walk(tree)
             if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner |= {id(one) for one in ast.walk(node)}
            yield "".join(
                one.value if isinstance(one, ast.Constant) else f"\0{ast.unparse(one.value)}\1" for one in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner:
            yield node.value


def placeholders():
    """Every placeholder in the package, with each value of the variables in it."""
    for path, module in modules():
        for text in texts(path) if module != "geoeval.wording" else ():
            for start in re.finditer(r"\{+(give|leave|option):", text):
                said = text[start.start() :].replace("\0", "{").replace("\1", "}")
                held = [one for one in VARIABLES if one in said.partition("=")[0]]
                for values in product(*(VARIABLES[one] for one in held)):
                    whole = said
                    for one, value in zip(held, values, strict=True):
                        whole = whole.replace(one, value)
                    yield module, PLACEHOLDER.match(whole), whole


def test_placeholders_are_whole():
    assert len(list(placeholders())) > 60
    for module, found, said in placeholders():
        assert found is not None, f"{module}: {said[:60]}"


def test_every_door_knows_what_messages_name():
    """A name with a slip in it fails here, not where somebody reads it."""
    known = set().union(*OPTIONS.values())
    for module, found, _ in placeholders():
        option = found[2]
        assert CommandLine(known).names(option, None), f"{module}: no command has --{option}"
        parameters = Python().names(option, None)
        # What the command line alone has is listed.
        assert parameters or IN_PYTHON[option] is None
        for parameter in () if module.startswith("geoeval.cli.") else parameters:
            own = parameter.removeprefix("reference_").removeprefix("prediction_")
            assert own in PARAMETERS, f"{module}: Python has no {parameter}"


def test_options_of_reading_are_those_of_the_readers():
    flags = {flag_of(name): name for name in INPUT_OPTIONS}
    for option in OF_READING:
        assert Python().names(option, None) == [flags[option.removeprefix("input-")]]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_told_by_its_own_options(name):
    assert door_of(COMMANDS[name].callback).options == OPTIONS[name]


def test_no_message_names_an_option_by_itself():
    """Only the command line does, of its own, or where it says of which; the option of a finding stands apart."""
    for path, module in modules():
        named_here = {text for text in texts(path) if LITERAL.search(text) and not text.startswith("--")}
        if not path.is_relative_to(ROOT / "cli"):
            assert not named_here, module
            continue
        own = [OPTIONS[name] for name, one in COMMANDS.items() if inspect.unwrap(one.callback).__module__ == module]
        for text in named_here - {text for text in named_here if "geoeval roads" in text or " wrote" in text}:
            for option in LITERAL.findall(text):
                assert option[2:] in set().union(*(own or OPTIONS.values())), f"{module}: {text}"


# ---------------------------------------------------------------------- the words of each door


@pytest.mark.parametrize(
    ("text", "command_line", "python", "dialog"),
    [
        ("no; {give:aoi=all}", "no; give --aoi all", 'no; give aoi="all"', 'no; tick "All"'),
        ("no; {give:align=True}", "no; give --align", "no; give align=True", 'no; tick "Remove"'),
        ("no; {leave:crs}", "no; leave out --crs", "no; leave crs out", 'no; leave "CRS" empty'),
        ("no; fewer {option:workers}", "no", "no; fewer workers", "no"),
        ("no; {give:workers=1}, or buy one", "no; buy one", "no; give workers=1, or buy one", "no; buy one"),
        ("no; {give:input-crs=EPSG:n}", "no; give --reference-crs or --prediction-crs EPSG:n",
         'no; give crs="EPSG:n"', 'no; set "CRS of R"'),
        ("no; {option:set=a.b=X}", "no; --set a.b=X", 'no; parameters={"a": {"b": X}}', 'no; "More" (a.b=X)'),
        ("{option:workers} is 0", "workers is 0", "workers is 0", "workers is 0"),
        ("no {placeholder}; {curly}", *["no {placeholder}; {curly}"] * 3),
    ],
)  # fmt: skip
def test_each_door_has_its_words(text, command_line, python, dialog):
    words = {"aoi": "Area", "aoi=all": 'tick "All"', "align": "Remove", "crs": "CRS", "reference-crs": "CRS of R",
             "set": "More"}  # fmt: skip
    options = {"aoi", "align", "crs", "reference-crs", "prediction-crs", "set"}
    for door, wanted in ((CommandLine(options), command_line), (Python(), python), (Dialog(words), dialog)):
        with worded_for(door):
            assert worded(text) == str(GeoevalError(text)) == str(GeoevalWarning(text)) == wanted
    assert worded(text) == python


def test_an_input_has_its_own_option():
    with pytest.raises(GeoevalError) as caught, about_side("prediction"):
        raise GeoevalError("no; {give:layer=NAME}")
    assert str(caught.value) == "no; give prediction_layer=NAME"
    for options, said in (({"layer"}, "--layer"), ({"prediction-layer", "layer"}, "--prediction-layer")):
        with worded_for(CommandLine(options)):
            assert str(caught.value) == f"no; give {said} NAME"


def test_text_from_outside_is_no_placeholder():
    with worded_for(CommandLine({"aoi"})):
        assert named("aoi", "{a}; {b}.shp") == "--aoi {a}; {b}.shp"
    assert [dialog_of(text) for text in ("", "[]", "{", '{"aoi": 1}')] == [None] * 4


# ---------------------------------------------------------------------- from files to the user


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A map, one of two layers, and one without a CRS."""
    folder = tmp_path_factory.mktemp("maps")
    road = gpd.GeoDataFrame(geometry=[shapely.LineString([(500000, 5000000), (500300, 5000000)])], crs="EPSG:32633")
    road.to_file(folder / "map.gpkg")
    for layer in "ab":
        road.to_file(folder / "two.gpkg", layer=layer)
    with pytest.warns(UserWarning, match="crs"):
        road.set_crs(None, allow_override=True).to_file(folder / "bare.shp")
    road.to_parquet(folder / "table.parquet")
    return folder


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("roads two.gpkg map.gpkg", "give --reference-layer NAME"),
        ("roads map.gpkg two.gpkg", "give --prediction-layer NAME"),
        ("lines two.gpkg map.gpkg", "give --reference-layer NAME"),
        ("info two.gpkg", "give --layer NAME"),
        ("convert table.parquet x.gpkg --layer a", "leave out --layer"),
        ("roads bare.shp map.gpkg", "give --reference-crs EPSG:n"),
        ("roads map.gpkg bare.shp", "give --prediction-crs EPSG:n"),
        ("roads map.gpkg bare.shp --untrusted", "give --prediction-crs EPSG:n"),
        ("roads map.gpkg bare.shp --tile-size 1000", "give --prediction-crs EPSG:n"),
        ("info bare.shp", "give --input-crs EPSG:n"),
        ("roads map.gpkg map.gpkg --aoi 1,2,3", "give --aoi minx,miny,maxx,maxy or a file of polygons"),
        ("roads map.gpkg map.gpkg --aoi none.geojson", "give --aoi minx,miny,maxx,maxy or a file of polygons"),
        ("roads map.gpkg map.gpkg --aoi 1,1,2,2", "give --aoi all to cut nothing"),
        ("roads map.gpkg map.gpkg --crs EPSG:3857", "leave out --crs"),
        ("convert map.gpkg bare.shp", "exists already; give --overwrite"),
    ],
)
def test_a_command_names_what_it_has(files, monkeypatch, command, said):
    monkeypatch.chdir(files)
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 1
    for option in LITERAL.findall(done.stderr):
        assert option[2:] in OPTIONS[command.split()[0]]
    assert not PLACEHOLDER.search(done.stderr)
    assert said in done.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: geoeval.evaluate("two.gpkg", "map.gpkg"), "give reference_layer=NAME"),
        (lambda: geoeval.read_network("two.gpkg"), "give layer=NAME"),
        (lambda: geoeval.evaluate("map.gpkg", "bare.shp"), 'give prediction_crs="EPSG:n"'),
        (lambda: geoeval.evaluate("map.gpkg", gpd.read_file("bare.shp")), 'give prediction_crs="EPSG:n"'),
        (lambda: geoeval.read_network("bare.shp"), 'give crs="EPSG:n"'),
        (
            lambda: geoeval.evaluate("map.gpkg", "map.gpkg", aoi=(1, 2, 3)),
            "give aoi=(minx, miny, maxx, maxy), a polygon",
        ),
        (lambda: geoeval.evaluate("map.gpkg", "map.gpkg", aoi=(1, 1, 2, 2)), 'give aoi="all" to cut nothing'),
        (lambda: geoeval.evaluate("map.gpkg", "map.gpkg", crs="EPSG:3857"), "leave crs out"),
    ],
)
def test_python_names_parameters(files, monkeypatch, call, said):
    monkeypatch.chdir(files)
    with pytest.raises(GeoevalError, match=re.escape(said)) as caught:
        call()
    assert not LITERAL.search(str(caught.value))


def test_a_program_with_a_dialog_is_answered_in_its_words(files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setenv("GEOEVAL_DIALOG", '{"prediction-crs": "CRS of the prediction"}')
    done = CliRunner().invoke(app, ["roads", "map.gpkg", "bare.shp"])
    assert done.stderr.endswith('; set "CRS of the prediction"\n')
    done = CliRunner().invoke(app, ["roads", "map.gpkg", "two.gpkg"])
    assert done.stderr == "geoeval: error: two.gpkg has several layers of lines (a, b)\n"
