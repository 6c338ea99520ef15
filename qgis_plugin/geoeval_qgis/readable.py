"""Layers that people can read: a tip beside the mouse, and a form without what only programs need."""

from qgis.core import QgsEditorWidgetSetup

# Columns that only programs need.
FOR_PROGRAMS = ("fid", "error_id", "metric", "layer", "row")
_ERROR_TIP = """<b>[% coalesce("note", "kind") %]</b>"""
_PLAN_TIP = """<b>[% "rank" %]. [% "action" %]</b>"""
# The lines of a tip that not every layer has a column for: an expression with a column that is missing would be shown
# as it is written.
_LINES = {
    "length_m": """[% if("length_m" > 0, '<br>' || round("length_m") || '{unit}', '') %]""",
    "severity": """[% if("severity" is not null, '<br>severity ' || round("severity", 2), '') %]""",
    "gain": """[% if("gain" is not null, '<br>gain ' || round("gain", 5), '') %]""",
}


def make_readable(layer, unit="m"):
    """Give a layer of a run its tip and its form; the names of its columns come with its style."""
    names = [field.name() for field in layer.fields()]
    more = "".join(text.replace("{unit}", f" {unit}") for name, text in _LINES.items() if name in names)
    for index, name in enumerate(names):
        if name in FOR_PROGRAMS:
            layer.setEditorWidgetSetup(index, QgsEditorWidgetSetup("Hidden", {}))
    if {"rank", "action"} <= set(names):
        layer.setMapTipTemplate(_PLAN_TIP + more)
        layer.setDisplayExpression('"rank"')
    elif {"kind", "note"} <= set(names):
        layer.setMapTipTemplate(_ERROR_TIP + more)
        layer.setDisplayExpression('coalesce("note", "kind")')
    else:
        scores = [
            (field.name(), layer.attributeAlias(index))
            for index, field in enumerate(layer.fields())
            if layer.attributeAlias(index) and field.isNumeric()
        ]
        shown = (f"""{alias}: [% coalesce(round("{name}", 4), 'undefined') %]""" for name, alias in scores[:12])
        layer.setMapTipTemplate("<br>".join(shown))
