"""How layers look in QGIS: styles (.qml) from the table of error kinds, as QGIS 3.22 and later read them."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from xml.etree import ElementTree as ET

from geoeval.model.error_kinds import BLACK, ErrorKind, error_kind

# From bad to good, equally spaced in lightness, so that it also reads in grey and for the colour-blind.
SCORE_COLOURS = ("#00204D", "#414D6B", "#7C7B78", "#BCAF6F", "#FFEA46")
# The same for outlines, which lie on the grey ones of the two maps.
OUTLINE_COLOURS = ("#6A00A8", "#B12A90", "#E16462", "#FCA636", "#F0F921")


def error_style(
    kind: str, geometry: str, *, columns: Container[str] = (), aliases: Mapping[str, str] | None = None
) -> str:
    """QML of the errors of one kind; ``geometry`` is ``points``, ``lines`` or ``polygons``.

    Lines and points are larger where ``severity`` is higher, and of middle size where it is unknown. Areas of a kind
    that is graded are outlines, coloured by its column if that is among the ``columns``. ``aliases`` are readable names
    of the fields.
    """
    graded_by = error_kind(kind).graded_by
    if geometry == "polygons" and graded_by in columns:
        return _graded(graded_by, OUTLINE_COLOURS, _outline, aliases)
    symbol = {"points": _marker, "lines": _line, "polygons": _fill}[geometry](error_kind(kind))
    return _document([("0", symbol)], geometry, {"type": "singleSymbol"}, aliases=aliases)


def plan_style(*, aliases: Mapping[str, str] | None = None) -> str:
    """QML of the edits of a plan: a dot each, with its place in the order as a label."""
    dot = {"name": "circle", "color": _rgba("#FFFFFF", alpha=220), "outline_color": _rgba(BLACK), "size": "3",
           "outline_style": "solid", "outline_width": "0.3", "outline_width_unit": "MM", "size_unit": "MM"}  # fmt: skip
    symbol = _symbol("marker", [("SimpleMarker", dot, {})])
    label = ET.Element("labeling", type="simple")
    settings = ET.SubElement(label, "settings", calloutType="simple")
    ET.SubElement(settings, "text-style", fieldName="rank", fontSize="8", fontSizeUnit="Point", isExpression="0",
                  textColor=_rgba(BLACK))  # fmt: skip
    ET.SubElement(settings, "placement", placement="0", dist="1.5", distUnits="MM")
    return _document([("0", symbol)], "points", {"type": "singleSymbol"}, aliases=aliases, labels=label)


def input_style(colour: str, geometry: str) -> str:
    """QML of one of the two maps, drawn thin in one colour."""
    shape = {"line_style": "solid", "line_color": _rgba(colour), "line_width": "0.4", "line_width_unit": "MM"}
    area = {"style": "no", "outline_color": _rgba(colour), "outline_width": "0.4", "outline_style": "solid"}
    symbol = (
        _symbol("fill", [("SimpleFill", area | {"outline_width_unit": "MM"}, {})])
        if geometry == "polygons"
        else _symbol("line", [("SimpleLine", shape, {})])
    )
    return _document([("0", symbol)], geometry, {"type": "singleSymbol"})


def area_style(*, aliases: Mapping[str, str] | None = None) -> str:
    """QML of the evaluated area: its outline. ``aliases`` are readable names of the score fields."""
    outline = {"style": "no", "outline_color": _rgba(BLACK), "outline_width": "0.6", "outline_style": "dash"}
    symbol = _symbol("fill", [("SimpleFill", outline | {"outline_width_unit": "MM", "joinstyle": "miter"}, {})])
    return _document([("0", symbol)], "polygons", {"type": "singleSymbol"}, aliases=aliases)


def grid_style(field: str | None, *, aliases: Mapping[str, str] | None = None) -> str:
    """QML of the grid, its cells coloured by a score between 0 and 1; outlines only without such a field."""
    return area_style(aliases=aliases) if field is None else _graded(field, SCORE_COLOURS, _cell, aliases)


def _graded(
    field: str, colours: Sequence[str], drawn: Callable[[str], ET.Element], aliases: Mapping[str, str] | None
) -> str:
    """QML of areas in steps of a field between 0 and 1, each drawn in its colour."""
    symbols, ranges = [], ET.Element("ranges")
    for step, colour in enumerate(colours):
        lower, upper = step / len(colours), (step + 1) / len(colours)
        symbols.append((str(step), drawn(colour)))
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


def _cell(colour: str) -> ET.Element:
    fill = {"style": "solid", "color": _rgba(colour), "outline_color": _rgba("#FFFFFF"), "outline_width": "0.1"}
    return _symbol("fill", [("SimpleFill", fill | {"outline_style": "solid"}, {})], alpha=0.6)


def _outline(colour: str) -> ET.Element:
    line = {"style": "no", "outline_color": _rgba(colour), "outline_width": "0.8", "outline_style": "solid"}
    return _symbol("fill", [("SimpleFill", line | {"outline_width_unit": "MM", "joinstyle": "miter"}, {})])


def _marker(kind: ErrorKind) -> ET.Element:
    properties = {
        "name": kind.marker,
        "color": _rgba(kind.colour),
        "outline_color": _rgba(BLACK if kind.emphasised else "#FFFFFF"),
        "outline_style": "solid",
        "outline_width": "0.3",
        "outline_width_unit": "MM",
        "size": "3.4" if kind.emphasised else "2.6",
        "size_unit": "MM",
    }
    return _symbol(
        "marker", [("SimpleMarker", properties, {"size": _by_severity(2.0, 3.6 if kind.emphasised else 3.0)})]
    )


def _line(kind: ErrorKind) -> ET.Element:
    """Round caps, so that even a gap of a few centimetres is a dot that can be seen."""
    shape = {"line_style": "solid", "capstyle": "round", "joinstyle": "round", "line_width_unit": "MM"}
    own = {"line_color": _rgba(kind.colour), "line_width": "1.6" if kind.emphasised else "0.8"}
    layers: list[tuple[str, dict[str, str], dict[str, str]]] = [
        ("SimpleLine", shape | own, {} if kind.emphasised else {"outlineWidth": _by_severity(0.5, 1.1)})
    ]
    if kind.emphasised:
        layers.insert(0, ("SimpleLine", shape | {"line_color": _rgba(BLACK), "line_width": "2.4"}, {}))
    return _symbol("line", layers)


def _fill(kind: ErrorKind) -> ET.Element:
    properties = {
        "style": "solid",
        "color": _rgba(kind.colour, alpha=110),
        "outline_color": _rgba(BLACK if kind.emphasised else kind.colour),
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
    symbol_type: str, layers: Iterable[tuple[str, Mapping[str, str], Mapping[str, str]]], *, alpha: float = 1
) -> ET.Element:
    symbol = ET.Element("symbol", type=symbol_type, alpha=f"{alpha:g}", clip_to_extent="1", force_rhr="0")
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
    labels: ET.Element | None = None,
) -> str:
    categories = "|".join(
        ["Symbology", *(["Labeling"] if labels is not None else []), *(["Fields"] if aliases else [])]
    )
    root = ET.Element("qgis", version="3.22.0", styleCategories=categories)
    if labels is not None:
        root.set("labelsEnabled", "1")
    flags = {"forceraster": "0", "symbollevels": "0", "enableorderby": "0", "referencescale": "-1"}
    drawn = ET.SubElement(root, "renderer-v2", {**renderer, **flags})
    drawn.extend(before)
    named = ET.SubElement(drawn, "symbols")
    for name, symbol in symbols:
        symbol.set("name", name)
        named.append(symbol)
    ET.SubElement(drawn, "rotation")
    ET.SubElement(drawn, "sizescale")
    if labels is not None:
        root.append(labels)
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
