"""The plugin tells the engine what its dialogs call the options, and names none of the command line itself."""

import ast
import json
import re

import pytest

from tests.qgis.desk import PLUGIN
from tests.test_wording import LITERAL, OPTIONS

TITLES = {"WHOLE": "Evaluate all", "AREA": "Area to evaluate", "ALIGN": "Remove an offset", "CRS": "CRS to measure in",
          "REFERENCE_CRS": "CRS of the reference", "PREDICTION_CRS": "CRS of the prediction", "NODE": "How lines join",
          "GRID_SIZE": "Cell size", "SETTINGS": "Other parameters", "SECONDS": "Seconds"}  # fmt: skip


def test_what_the_dialog_names_is_there(plugin):
    """Options of the engine by parameters that some algorithm has."""
    tooltips = ast.literal_eval((PLUGIN / "geoeval_qgis" / "tooltips.py").read_text().partition("TOOLTIPS = ")[2])
    assert set(plugin.words.PARAMETERS) <= set().union(*OPTIONS.values())
    assert set(plugin.words.PARAMETERS.values()) <= set(tooltips)
    assert {name for words in plugin.words.MENDED.values() for name in re.findall(r"\{([A-Z_]+)\}", words)} <= set(
        TITLES
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("off the ground; give another, or {leave:crs}",
         'off the ground; give another, or leave "CRS to measure in" empty'),
        ("nothing lies in the area; {give:aoi=all} to cut nothing",
         'nothing lies in the area; tick "Evaluate all" to cut nothing'),
        ("the file is too large; if you trust it, {give:limits=features=9}", "the file is too large"),
        ("it is off; {option:align=True} removes such a shift", 'it is off; "Remove an offset" removes such a shift'),
        ("unknown time; {give:seconds=T}", 'unknown time; set "Seconds"'),
        ("no CRS; {give:input-crs=EPSG:n}", 'no CRS; set "CRS of the reference" or "CRS of the prediction"'),
        ("too small; larger with {option:set=pixel.resolution=SIZE}",
         'too small; larger with "Other parameters" (pixel.resolution=SIZE)'),
        ("not a box; {give:aoi=AREA}", 'not a box; choose a layer of polygons in "Area to evaluate"'),
    ],
)  # fmt: skip
def test_options_have_the_titles_of_the_dialog(plugin, text, words):
    from geoeval.wording import dialog_of, worded, worded_for

    with worded_for(dialog_of(plugin.words.dialog_words(TITLES))):
        assert worded(text) == words
    with worded_for(dialog_of(plugin.words.dialog_words({}))):
        assert not LITERAL.search(worded(text))
        assert '"' not in worded(text)


def test_beside_an_area_nothing_else_says_what_is_evaluated(plugin):
    words = json.loads(plugin.words.dialog_words(TITLES, in_area=True))
    assert words["aoi=all"] == 'leave "Area to evaluate" empty and tick "Evaluate all"'


def test_whatever_the_plugin_runs_names_no_option(plugin):
    assert plugin.runner.child_environment({})[plugin.words.VARIABLE] == "{}"


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
