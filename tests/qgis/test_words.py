"""What the engine says is said in the words of the dialog, never in those of the command line."""

import ast
import re

import pytest

from tests.qgis.desk import PLUGIN

ENGINE = PLUGIN.parent / "geoeval"
TITLES = {"WHOLE": "Evaluate all", "AREA": "Area to evaluate", "ALIGN": "Remove an offset", "CRS": "CRS to measure in",
          "REFERENCE_CRS": "CRS of the reference", "PREDICTION_CRS": "CRS of the prediction", "NODE": "How lines join",
          "GRID_SIZE": "Cell size", "SETTINGS": "Other parameters", "SECONDS": "Seconds"}  # fmt: skip
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def messages() -> list[str]:
    """Every text of the engine that names an option, as far as it stands in one place."""
    found = []
    for path in sorted(ENGINE.rglob("*.py")):
        if "cli" in path.relative_to(ENGINE).parts:
            continue
        tree = ast.parse(path.read_text())
        documentation = {ast.get_docstring(node, clean=False) for node in ast.walk(tree)
                         if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)}  # fmt: skip
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) else None
            if isinstance(text, str) and OPTION.search(text) and text not in documentation:
                found.append(text)
    return found


def test_no_option_is_named_in_a_dialog(plugin):
    texts = messages()
    assert len(texts) > 20
    for text in texts:
        for titles in (TITLES, {}):
            said = plugin.words.in_dialog_words(text, titles)
            assert not OPTION.search(said), said
            assert said or " " not in text.strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lengths here are 40 % off the ground; give another, or leave out --crs (auto)",
         'lengths here are 40 % off the ground; give another, or leave "CRS to measure in" empty'),
        ("nothing lies in the area; check it, or give --aoi all to cut nothing",
         'nothing lies in the area; check it, or tick "Evaluate all" to cut nothing'),
        ("the file is too large; if you trust it, give --limits features=9", "the file is too large"),
        ("it is off; --align removes such a shift", 'it is off; ticking "Remove an offset" removes such a shift'),
        ("unknown time; give it with --seconds T (seconds=)", 'unknown time; give it with "Seconds"'),
        ("pixels are too small; choose larger ones with --set pixel.resolution=SIZE",
         'pixels are too small; choose larger ones with "Other parameters" pixel.resolution=SIZE'),
        ("plain words - nothing else", "plain words - nothing else"),
    ],
)  # fmt: skip
def test_options_have_the_titles_of_the_dialog(plugin, text, words):
    assert plugin.words.in_dialog_words(text, TITLES) == words


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--align", 'It is so; tick "Remove an offset"'),
        ("--node crossings", 'It is so; set "How lines join" to crossings'),
        ("--aoi reference", 'It is so; to evaluate it all the same, tick "Evaluate all"'),
        ("--aoi bounds", "It is so"),
        ("--network-type drive", "It is so; leave these roads out of the layer"),
        ("--reference-crs EPSG:2056", "It is so; set the CRS of the reference layer to EPSG:2056"),
        ("", "It is so"),
    ],
)
def test_findings_say_what_to_do_in_the_dialog(plugin, option, words):
    finding = {"message": "it is so", "option": option, "level": "warning"}
    assert plugin.words.finding_in_dialog_words(finding, TITLES) == words


def test_findings_about_classes_name_the_choice_of_ways(plugin):
    titles = {"NETWORK_TYPE": "Which ways are roads", "CLASSES": "Highway classes"}
    for option, words in (("drive", 'set "Which ways are roads" to drive'), ("a,b", 'set "Highway classes" to a,b')):
        finding = {"message": "it is so", "option": f"--network-type {option}"}
        assert plugin.words.finding_in_dialog_words(finding, titles).endswith(words)
