"""Styles are well-formed, say what QGIS looks for, and tell kinds apart."""

from itertools import combinations, pairwise
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.contents import CONTENTS
from geoeval.model.error_kinds import KINDS, error_kind, standard_layers
from geoeval.report.map_content import INPUT_COLOURS
from geoeval.writers.styles import OUTLINE_COLOURS, SCORE_COLOURS, area_style, error_style, grid_style
from geoeval.writers.tables import clean_text

SYMBOLS = {"points": ("marker", "SimpleMarker"), "lines": ("line", "SimpleLine"), "polygons": ("fill", "SimpleFill")}


def parsed(text):
    doctype, _, body = text.partition("\n")
    assert doctype == "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"
    return ET.fromstring(body)


def options(layer):
    return {option.get("name"): option.get("value") for option in layer.find("Option").findall("Option")}


def rgb(colour):
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])


@pytest.mark.parametrize("geometry", SYMBOLS)
@pytest.mark.parametrize("kind", [*KINDS, "never heard of"])
def test_a_style_for_every_kind_and_geometry(kind, geometry):
    root = parsed(error_style(kind, geometry))
    symbol_type, layer_class = SYMBOLS[geometry]
    renderer = root.find("renderer-v2")
    assert renderer.get("type") == "singleSymbol"
    (symbol,) = renderer.find("symbols")
    assert (symbol.get("type"), symbol.get("name")) == (symbol_type, "0")
    layers = symbol.findall("layer")
    assert {layer.get("class") for layer in layers} == {layer_class}
    drawn = options(layers[-1])
    colour = drawn["line_color" if geometry == "lines" else "color"]
    assert colour.split(",")[:3] == [str(part) for part in rgb(error_kind(kind).colour)]
    assert root.findtext("layerGeometryType") == str(list(SYMBOLS).index(geometry))


def test_size_follows_severity_where_there_is_one():
    line = parsed(error_style("missing", "lines")).find(".//layer")
    collection = line.find("data_defined_properties/Option")
    assert collection.get("type") == "Map"
    width = collection.find("Option[@name='properties']/Option[@name='outlineWidth']")
    values = {option.get("name"): option.get("value") for option in width}
    assert values["active"] == "true"
    assert values["type"] == "3"  # an expression
    assert values["expression"].startswith('coalesce(scale_linear("severity", 0, 1, ')
    size = parsed(error_style("junction", "points")).find(".//Option[@name='properties']/Option[@name='size']")
    assert size is not None


def test_a_break_is_seen_even_when_it_is_short():
    layers = parsed(error_style("break", "lines")).findall(".//layer")
    assert len(layers) == 2
    assert {options(layer)["capstyle"] for layer in layers} == {"round"}
    widths = [float(options(layer)["line_width"]) for layer in layers]
    assert widths[0] > widths[1] > 1


def test_the_area_is_an_outline():
    (layer,) = parsed(area_style(aliases={"optj_f1": "opt-j.f1"})).findall(".//layer")
    assert options(layer)["style"] == "no"


def test_aliases_give_the_fields_their_long_names():
    root = parsed(area_style(aliases={"kind": "kind", "optj_f1": "opt-j.f1"}))
    assert root.get("styleCategories") == "Symbology|Fields"
    names = [(alias.get("field"), alias.get("name"), alias.get("index")) for alias in root.find("aliases")]
    assert names == [("kind", "kind", "0"), ("optj_f1", "opt-j.f1", "1")]


def test_the_grid_has_a_class_for_every_score_from_0_to_1():
    root = parsed(grid_style("optj_f1"))
    renderer = root.find("renderer-v2")
    assert (renderer.get("type"), renderer.get("attr")) == ("graduatedSymbol", "optj_f1")
    bounds = [(float(item.get("lower")), float(item.get("upper"))) for item in renderer.find("ranges")]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == 1
    assert all(before[1] == after[0] for before, after in pairwise(bounds))
    used = [item.get("symbol") for item in renderer.find("ranges")]
    assert used == [symbol.get("name") for symbol in renderer.find("symbols")]
    assert "graduatedSymbol" not in grid_style(None)


def test_outlines_of_matches_are_coloured_by_how_well_they_fit():
    renderer = parsed(error_style("matched", "polygons", columns=("iou", "note"))).find("renderer-v2")
    assert (renderer.get("type"), renderer.get("attr")) == ("graduatedSymbol", "iou")
    drawn = [options(symbol.find("layer")) for symbol in renderer.find("symbols")]
    assert {one["style"] for one in drawn} == {"no"}
    assert [one["outline_color"].split(",")[:3] for one in drawn] == [
        [str(part) for part in rgb(colour)] for colour in OUTLINE_COLOURS
    ]


# What people see who see no red or no green, from linear colours (Viénot, Brettel, Mollon 1999).
BLIND = ([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
         [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])  # fmt: skip


def lab(colour, seen=None):
    """CIE Lab in the light of D65, of a colour as it is seen."""
    share = rgb(colour) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    linear = linear if seen is None else np.array(seen) @ linear
    matrix = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
    x, y, z = matrix @ np.clip(linear, 0, 1) / [0.95047, 1.0, 1.08883]
    fx, fy, fz = (t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29 for t in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("content", CONTENTS)
def test_all_that_one_map_shows_has_colours_of_its_own(content):
    """A difference of 2.3 can just be seen side by side; these are far beyond, also for the colour-blind."""
    colours = {kind.name: kind.colour for kind in KINDS.values() if any(one.content == content for one in kind.layers)}
    assert len(colours) >= 7
    for seen, least, least_to_inputs in ((None, 25, 25), (BLIND[0], 17, 14), (BLIND[1], 17, 14)):
        for (a, first), (b, second) in combinations((colours | INPUT_COLOURS).items(), 2):
            is_input = bool({a, b} & set(INPUT_COLOURS))
            difference = np.linalg.norm(lab(first, seen) - lab(second, seen))
            assert difference > (least_to_inputs if is_input else least), (a, b)


@pytest.mark.parametrize("content", CONTENTS)
def test_usual_kinds_have_markers_of_their_own(content):
    markers = [KINDS[name].marker for name in standard_layers(content)]
    assert len(set(markers)) == len(markers) >= 4


def test_every_kind_explains_itself_in_one_sentence():
    for kind in [*KINDS.values(), error_kind("brand_new")]:
        assert kind.about.endswith(".")
        assert kind.about.count(". ") == 0
        assert kind.label
    assert error_kind("brand_new").label == "Brand new"


@pytest.mark.parametrize("ramp", [SCORE_COLOURS, OUTLINE_COLOURS])
def test_the_ramps_grow_lighter(ramp):
    lightness = [rgb(colour) @ [0.2126, 0.7152, 0.0722] for colour in ramp]
    assert (np.diff(lightness) > 20).all()


@settings(max_examples=30, deadline=None)
@given(st.text(st.characters()).map(clean_text))
def test_any_name_keeps_the_xml_whole(name):
    parsed(error_style(name, "lines"))
    root = parsed(area_style(aliases={"a": name}))
    assert root.find("aliases/alias").get("name") is not None
    assert parsed(grid_style(name)).find("renderer-v2") is not None
