"""How errors look: one table of colours for maps and report, and QGIS styles (.qml) made from it.

The colours are those of Okabe and Ito (2008), which people with any common colour blindness can tell apart, and three
dark ones beside them for the many kinds of lines; point kinds differ in shape as well. The XML is what QGIS 3.22 and
later read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, VERMILLION, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
INDIGO, WINE, OLIVE = "#332288", "#882255", "#989030"
# From bad to good, equally spaced in lightness, so that it also reads in grey and for the colour-blind.
SCORE_COLOURS = ("#00204D", "#414D6B", "#7C7B78", "#BCAF6F", "#FFEA46")


@dataclass(frozen=True)
class KindStyle:
    """Colour of a kind of error, what people call it, what it means in one sentence, and its marker in QGIS."""

    colour: str
    label: str
    about: str
    marker: str = "circle"


COLOURS: dict[str, KindStyle] = {
    "missing": KindStyle(BLUE, "Missing", "In the reference, but not in the prediction.", "circle"),
    "spurious": KindStyle(VERMILLION, "Spurious", "In the prediction, but not in the reference.", "square"),
    "break": KindStyle(YELLOW, "Break", "A gap in a road that should be connected.", "diamond"),
    "false_link": KindStyle(PURPLE, "False link", "A connection that the reference does not have.", "cross_fill"),
    "junction": KindStyle(GREEN, "Junction", "The number of arms differs from the reference.", "triangle"),
    "doubled": KindStyle(ORANGE, "Doubled", "One road of the reference is drawn more than once.", "pentagon"),
    "merged": KindStyle(SKY, "Merged", "Several roads of the reference are drawn as one.", "hexagon"),
    "displaced": KindStyle(BLACK, "Displaced", "There, but away from where it should be.", "star"),
    "duplicate": KindStyle(GREY, "Duplicate", "The same segment twice in the input; counted once.", "square"),
    "path": KindStyle(PURPLE, "Wrong path", "A shortest path whose length the prediction does not keep.", "circle"),
    "culprit": KindStyle(BLACK, "Culprit", "Many wrong paths lead through this road.", "circle"),
    "missed": KindStyle(BLUE, "Missed", "In the reference, but nothing in the prediction matches it.", "circle"),
    "false_alarm": KindStyle(VERMILLION, "False alarm", "In the prediction, but nothing in the reference.", "square"),
    "split": KindStyle(ORANGE, "Split", "One object of the reference is several in the prediction.", "pentagon"),
    "merge": KindStyle(SKY, "Merge", "Several objects of the reference are one in the prediction.", "hexagon"),
    "boundary": KindStyle(YELLOW, "Boundary", "Matched, but the outline lies elsewhere.", "diamond"),
    "matched": KindStyle(GREEN, "Matched", "Found as it should be.", "triangle"),
    "link": KindStyle(BLACK, "Link", "From an object of the reference to the object that matches it.", "circle"),
    "fragmented": KindStyle(ORANGE, "Fragmented", "One line of the reference came out in several pieces.", "pentagon"),
    "consolidated": KindStyle(SKY, "Consolidated", "Several lines of the reference came out as one.", "hexagon"),
    "wrong_width": KindStyle(PURPLE, "Wrong width", "Found, but thicker or thinner than it should be.", "cross_fill"),
    "incomplete": KindStyle(INDIGO, "Incomplete", "Found, but a part of the line is not there.", "circle"),
    "overlong": KindStyle(WINE, "Too long", "Right in part, but a part of the line should not be there.", "square"),
    "wrong_shape": KindStyle(OLIVE, "Wrong shape", "Found, but a bar, arc or polyline where another is.", "triangle"),
    "wrong_style": KindStyle(YELLOW, "Wrong style", "Found, but solid where dashed, or the other way.", "diamond"),
}


def kind_style(kind: str) -> KindStyle:
    """The style of any kind; one that the table does not know is grey and called by its name."""
    if kind in COLOURS:
        return COLOURS[kind]
    label = kind.replace("_", " ").strip().capitalize() or "Other"
    return KindStyle(GREY, label, f"Errors of the kind {kind!r}.")


def error_style(kind: str, geometry: str) -> str:
    """QML of the errors of one kind; ``geometry`` is ``points``, ``lines`` or ``polygons``.

    Lines and points are larger where ``severity`` is higher, and of middle size where it is unknown.
    """
    style = kind_style(kind)
    symbol = {"points": _marker, "lines": _line, "polygons": _fill}[geometry](style, bright=kind == "break")
    return _document([("0", symbol)], geometry, {"type": "singleSymbol"})


def area_style(*, aliases: Mapping[str, str] | None = None) -> str:
    """QML of the evaluated area: its outline. ``aliases`` are readable names of the score fields."""
    outline = {"style": "no", "outline_color": _rgba(BLACK), "outline_width": "0.6", "outline_style": "dash"}
    symbol = _symbol("fill", [("SimpleFill", outline | {"outline_width_unit": "MM", "joinstyle": "miter"}, {})])
    return _document([("0", symbol)], "polygons", {"type": "singleSymbol"}, aliases=aliases)


def grid_style(field: str | None, *, aliases: Mapping[str, str] | None = None) -> str:
    """QML of the grid, its cells coloured by a score between 0 and 1; outlines only without such a field."""
    if field is None:
        return area_style(aliases=aliases)
    symbols, ranges = [], ET.Element("ranges")
    for step, colour in enumerate(SCORE_COLOURS):
        lower, upper = step / len(SCORE_COLOURS), (step + 1) / len(SCORE_COLOURS)
        fill = {"style": "solid", "color": _rgba(colour), "outline_color": _rgba("#FFFFFF"), "outline_width": "0.1"}
        symbols.append((str(step), _symbol("fill", [("SimpleFill", fill | {"outline_style": "solid"}, {})], alpha=0.6)))
        ET.SubElement(
            ranges,
            "range",
            lower=f"{lower:.15f}",
            upper=f"{upper:.15f}",
            symbol=str(step),
            label=f"{lower:.1f} - {upper:.1f}",
            render="true",
        )
    renderer = {"type": "graduatedSymbol", "attr": field, "graduatedMethod": "GraduatedColor"}
    return _document(symbols, "polygons", renderer, before=[ranges], aliases=aliases)


def _marker(style: KindStyle, *, bright: bool) -> ET.Element:
    properties = {
        "name": style.marker,
        "color": _rgba(style.colour),
        "outline_color": _rgba(BLACK if bright else "#FFFFFF"),
        "outline_style": "solid",
        "outline_width": "0.3",
        "outline_width_unit": "MM",
        "size": "3.4" if bright else "2.6",
        "size_unit": "MM",
    }
    return _symbol("marker", [("SimpleMarker", properties, {"size": _by_severity(2.0, 3.6 if bright else 3.0)})])


def _line(style: KindStyle, *, bright: bool) -> ET.Element:
    """Round caps, so that even a gap of a few centimetres is a dot that can be seen."""
    shape = {"line_style": "solid", "capstyle": "round", "joinstyle": "round", "line_width_unit": "MM"}
    own = {"line_color": _rgba(style.colour), "line_width": "1.6" if bright else "0.8"}
    layers: list[tuple[str, dict[str, str], dict[str, str]]] = [
        ("SimpleLine", shape | own, {} if bright else {"outlineWidth": _by_severity(0.5, 1.1)})
    ]
    if bright:
        layers.insert(0, ("SimpleLine", shape | {"line_color": _rgba(BLACK), "line_width": "2.4"}, {}))
    return _symbol("line", layers)


def _fill(style: KindStyle, *, bright: bool) -> ET.Element:
    properties = {
        "style": "solid",
        "color": _rgba(style.colour, alpha=110),
        "outline_color": _rgba(BLACK if bright else style.colour),
        "outline_style": "solid",
        "outline_width": "0.4",
        "outline_width_unit": "MM",
    }
    return _symbol("fill", [("SimpleFill", properties, {})])


def _by_severity(smallest: float, largest: float) -> str:
    """A QGIS expression for a size in millimetres."""
    middle = (smallest + largest) / 2
    return f'coalesce(scale_linear("severity", 0, 1, {smallest}, {largest}), {middle:.2f})'


def _symbol(
    kind: str, layers: Iterable[tuple[str, Mapping[str, str], Mapping[str, str]]], *, alpha: float = 1
) -> ET.Element:
    symbol = ET.Element("symbol", type=kind, alpha=f"{alpha:g}", clip_to_extent="1", force_rhr="0")
    for symbol_class, properties, computed in layers:
        layer = ET.SubElement(symbol, "layer", {"class": symbol_class, "enabled": "1", "locked": "0", "pass": "0"})
        own = ET.SubElement(layer, "Option", type="Map")
        for name in sorted(properties):
            ET.SubElement(own, "Option", name=name, type="QString", value=properties[name])
        if computed:
            _computed(ET.SubElement(layer, "data_defined_properties"), computed)
    return symbol


def _computed(parent: ET.Element, expressions: Mapping[str, str]) -> None:
    """Properties that QGIS computes from the attributes of each feature."""
    collection = ET.SubElement(parent, "Option", type="Map")
    ET.SubElement(collection, "Option", name="name", type="QString", value="")
    properties = ET.SubElement(collection, "Option", name="properties", type="Map")
    for name in sorted(expressions):
        one = ET.SubElement(properties, "Option", name=name, type="Map")
        ET.SubElement(one, "Option", name="active", type="bool", value="true")
        ET.SubElement(one, "Option", name="expression", type="QString", value=expressions[name])
        ET.SubElement(one, "Option", name="type", type="int", value="3")
    ET.SubElement(collection, "Option", name="type", type="QString", value="collection")


def _document(
    symbols: Iterable[tuple[str, ET.Element]],
    geometry: str,
    renderer: Mapping[str, str],
    *,
    before: Iterable[ET.Element] = (),
    aliases: Mapping[str, str] | None = None,
) -> str:
    categories = "Symbology|Fields" if aliases else "Symbology"
    root = ET.Element("qgis", version="3.22.0", styleCategories=categories)
    flags = {"forceraster": "0", "symbollevels": "0", "enableorderby": "0", "referencescale": "-1"}
    drawn = ET.SubElement(root, "renderer-v2", {**renderer, **flags})
    drawn.extend(before)
    named = ET.SubElement(drawn, "symbols")
    for name, symbol in symbols:
        symbol.set("name", name)
        named.append(symbol)
    ET.SubElement(drawn, "rotation")
    ET.SubElement(drawn, "sizescale")
    ET.SubElement(root, "blendMode").text = "0"
    ET.SubElement(root, "featureBlendMode").text = "0"
    if aliases:
        listed = ET.SubElement(root, "aliases")
        for index, (field, alias) in enumerate(aliases.items()):
            ET.SubElement(listed, "alias", field=field, index=str(index), name=alias)
    ET.SubElement(root, "layerGeometryType").text = {"points": "0", "lines": "1", "polygons": "2"}[geometry]
    ET.indent(root)
    doctype = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>"
    return f"{doctype}\n{ET.tostring(root, encoding='unicode')}\n"


def _rgba(colour: str, *, alpha: int = 255) -> str:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"{red},{green},{blue},{alpha}"
