"""The layers of a result file on the map: one group a run, named, styled and in order."""

from pathlib import Path

from qgis.core import QgsCoordinateReferenceSystem, QgsProcessingContext, QgsProviderRegistry, QgsVectorLayer

from . import looks, run_file
from .engine import description
from .results import KEPT, Styled, layer_name, on_earth, position
from .saying import headline_of
from .translation import tr

# What else is in the file: its title, its place below the errors, and whether it is drawn from the start.
OTHERS = {
    "plan": ("What to mend first", 500, False),
    "area": ("", 3000, True),
    "grid": ("", 3001, False),
    "prediction": ("Prediction as compared: {}", 3500, False),
    "reference": ("Reference as compared: {}", 3501, False),
}


def load(path, content, look, context, *, group, headline, names):
    """Ask QGIS to load the layers of a result file when the algorithm is done.

    Parameters
    ----------
    look
        The set of kinds that is loaded.
    names
        What the user calls ``reference`` and ``prediction``.
    """
    unit = run_file.unit(path)
    for layer in run_file.layers(path):
        if layer.role not in OTHERS and not is_loaded(content, look, layer.role):
            continue
        processor = _processor(layer, content, group, headline, names, unit)
        details = QgsProcessingContext.LayerDetails(processor.name, context.project(), layer.table)
        details.setPostProcessor(processor)
        if hasattr(details, "groupName"):  # since 3.32
            details.groupName = group
        opened = _open(layer, path, processor.name)
        if opened.crs().isValid():
            context.addLayerToLoadOnCompletion(layer.uri(path), details)
        else:  # QGIS would open it with the CRS of its file, to which no transformation leads
            context.temporaryLayerStore().addMapLayer(opened)
            context.addLayerToLoadOnCompletion(opened.id(), details)
        KEPT.append(processor)


def add(path, project, *, group):
    """Put the layers of a result file on the map at once; does nothing if they are there."""
    if loaded(path, project):
        return
    record = run_file.record(path)
    content = record["kind"]
    names = {
        role: str(record[role].get("name") or Path(str(record[role].get("source", ""))).stem)
        for role in ("reference", "prediction")
    }
    headline = headline_of(record["scores"], content)
    for layer in run_file.layers(path):
        if layer.role in OTHERS or is_loaded(content, looks.ALL, layer.role):
            processor = _processor(layer, content, group, headline, names, run_file.unit(path))
            opened = _open(layer, path, processor.name)
            project.addMapLayer(opened)
            processor.place(opened, project)


def _open(layer, path, name):
    """A layer of a result file; that of a drawing has no CRS, as it has no place."""
    opened = QgsVectorLayer(layer.uri(path), name, "ogr")
    if not on_earth(opened.crs()):
        opened.setCrs(QgsCoordinateReferenceSystem())
    return opened


def _processor(layer, content, group, headline, names, unit):
    name, place, visible = _look_of(layer, content, headline, names)
    return Styled(
        name=name, style=None, group=group, position=place, visible=visible, beneath=layer.role == "grid",
        expanded=layer.role == "grid", unit=unit,
    )  # fmt: skip


def is_loaded(content, look, kind):
    """Whether a kind of error is put on the map; what is no error is not."""
    known = description().error_kinds.get(kind)
    return (known is None or known["is_error"]) and looks.contains(content, look, kind)


def _look_of(layer, content, headline, names):
    """Name, place and visibility of a layer."""
    if layer.role in OTHERS:
        title, place, visible = OTHERS[layer.role]
        text = tr(title).format(names.get(layer.role, "")) if title else ""
        return text or layer_name(layer.role, layer.geometry, layer.count, content, headline), place, visible
    name = layer_name(layer.role, layer.geometry, layer.count, content)
    return name, position(layer.role, layer.geometry), description().is_shown(layer.role)


def loaded(path, project):
    """The layers of a project that lie in a file."""
    target = Path(path).resolve()
    return [layer for layer in project.mapLayers().values() if _parts(layer).get("path") == target]


def table_of(layer):
    """The table of a GeoPackage that a layer shows; an empty text for other layers."""
    return _parts(layer).get("layerName", "")


def _parts(layer):
    if layer.providerType() != "ogr":
        return {}
    parts = QgsProviderRegistry.instance().decodeUri("ogr", layer.source())
    return (
        {"path": Path(parts["path"]).resolve(), "layerName": parts.get("layerName") or ""} if parts.get("path") else {}
    )
