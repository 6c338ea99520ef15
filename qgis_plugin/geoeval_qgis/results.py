"""The engine's layers on their way into QGIS: copied to the user's destinations, named, styled and grouped."""

from collections import deque

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsEditFormConfig,
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingLayerPostProcessorInterface,
    QgsVectorLayer,
    QgsWkbTypes,
)
from qgis.PyQt.QtGui import QPainter
from qgis.PyQt.QtXml import QDomDocument

from . import compat, destinations
from .engine import description
from .readable import make_readable
from .translation import tr

# The layers besides the errors, and their names in the legend; errors come first, in the engine's order.
SCORE_LABELS = {"area": "Scores", "grid": "Score grid"}
WKB_TYPES = {
    "points": QgsWkbTypes.Type.Point,
    "lines": QgsWkbTypes.Type.LineString,
    "polygons": QgsWkbTypes.Type.Polygon,
}
# QGIS keeps no reference to post-processors written in Python; without one, styles are sometimes lost.
KEPT = deque(maxlen=500)
_GEOMETRY_ORDER = {"points": 0, "lines": 1, "polygons": 2}


def label(role, geometry=None, content=None):
    """The name of a layer in the legend; with geometry and content, no two layers have the same."""
    named = [sink.title for sink in description().sinks(content) if (sink.role, sink.geometry) == (role, geometry)]
    return tr(SCORE_LABELS.get(role) or next(iter(named), None) or description().label(role))


def layer_name(role, geometry, count, content, headline=""):
    """The name of a layer in the legend, with the score or the number of errors."""
    text = label(role, geometry, content)
    if role in SCORE_LABELS:
        return f"{text}: {headline}" if headline else text
    return f"{text}: {count:,}"


class Styled(QgsProcessingLayerPostProcessorInterface):
    """Gives a loaded layer its name, style and place. QGIS keeps no reference to it, so the caller must.

    ``style`` is the text of a QML file; None for the style that the layer's own file has. ``expanded``: its legend is
    open. ``crs`` is that of the engine's layer; None for the layer's own. ``unit`` is that of lengths.
    """

    def __init__(self, *, name, style, group, position, visible, beneath=False, expanded=False, crs=None, unit="m"):
        super().__init__()
        self.beneath, self.expanded, self.crs, self.unit = beneath, expanded, crs, unit
        self.name, self.style, self.group, self.position, self.visible = name, style, group, position, visible

    def postProcessLayer(self, layer, context, feedback):
        if isinstance(layer, QgsVectorLayer):
            self.place(layer, context.project())

    def place(self, layer, project):
        """Dress a layer and move it to its place in the legend."""
        layer.setName(self.name)
        dress(layer, self.style, self.unit)
        if self.beneath:
            # The roads under the cells keep their colours.
            layer.setBlendMode(QPainter.CompositionMode.CompositionMode_Multiply)
        if not on_earth(layer.crs() if self.crs is None else self.crs):
            # A drawing has a unit but no place: it is drawn as it is, without a transformation that cannot be had.
            layer.setCrs(QgsCoordinateReferenceSystem())
        if project is None:
            return
        compat.put_into_group(layer, project, self.group, self.position)
        node = project.layerTreeRoot().findLayer(layer.id())
        if node is not None:
            node.setItemVisibilityChecked(self.visible)
            node.setExpanded(self.expanded)
        layer.triggerRepaint()


def dress(layer, style, unit="m"):
    """Give a layer a style: the text of a QML file, or None for the one in its own file; lengths are in a unit."""
    if style is None:
        layer.loadDefaultStyle()
        # A style can hold code that QGIS runs when a form is opened, and the file may be of anybody; ours holds none.
        layer.setEditFormConfig(QgsEditFormConfig())
        layer.actions().clearActions()
    else:
        document = QDomDocument()
        document.setContent(style)
        layer.importNamedStyle(document)
    make_readable(layer, unit)


def on_earth(crs):
    """Whether a CRS says where on Earth a place is; that of a drawing in pixels or units of paper does not."""
    return crs.isValid() and crs.toWkt()[:8] not in ('ENGCRS["', "LOCAL_CS", 'EngCRS["')


class LayerCopier:
    """Copies the layers of one run into the destinations that the user named."""

    def __init__(self, algorithm, parameters, context, feedback, *, group, headline, unit):
        self.algorithm, self.parameters, self.context, self.feedback = algorithm, parameters, context, feedback
        self.group, self.headline, self.unit = group, headline, unit

    def copy_layers(self, entries, sinks):
        """Fill every sink, with an empty layer if there are no such errors, so that models can rely on it."""
        outputs, left = {}, list(entries)
        for sink in sinks:
            same = [entry for entry in left if (entry["role"], entry["geometry"]) == (sink.role, sink.geometry)]
            if same:
                left.remove(same[0])
                destination = self.copy(same[0], sink.name)
            else:
                destination = self.copy_nothing(entries[0], sink.name, sink.geometry)
            if destination is not None:
                outputs[sink.name] = destination
        return outputs

    def copy(self, entry, sink_name):
        """Copy one layer into the sink of this name; return its destination, or None if it is not wanted."""
        source = open_layer(entry)
        fields, indexes = kept_fields(source)
        sink, destination = self.algorithm.parameterAsSink(
            self.parameters, sink_name, self.context, fields, source.wkbType(), crs_of(source)
        )
        if sink is None:
            raise QgsProcessingException(self.algorithm.invalidSinkError(self.parameters, sink_name))
        copy_rows(source, sink, fields, indexes, destination)
        del sink
        keep_style(self.parameters[sink_name], destination, entry, self.unit)
        self._dress(entry, destination)
        return destination

    def copy_nothing(self, like, sink_name, geometry):
        """Make an empty layer with the columns of another; return its destination, or None if it is not wanted."""
        source = open_layer(like)
        fields, _ = kept_fields(source)
        sink, destination = self.algorithm.parameterAsSink(
            self.parameters, sink_name, self.context, fields, WKB_TYPES[geometry], crs_of(source)
        )
        if sink is None:
            return None
        del sink
        self._dress({"role": "", "count": 0}, destination)
        return destination

    def _dress(self, entry, destination):
        """Set the name, style and group that a layer gets when it is loaded; an empty layer is not loaded."""
        if not self.context.willLoadLayerOnCompletion(destination):
            return
        if entry["count"] == 0:
            wanted = self.context.layersToLoadOnCompletion()
            wanted.pop(destination, None)
            self.context.setLayersToLoadOnCompletion(wanted)
            return
        details = self.context.layerToLoadOnCompletionDetails(destination)
        details.name = self.name(entry)
        processor = Styled(
            name=details.name,
            style=_read(entry["style"]),
            group=self.group,
            position=position(entry["role"], entry["geometry"]),
            visible=description().is_shown(entry["role"]),
            beneath=entry["role"] == "grid",
            expanded=entry["role"] == "grid",
            crs=open_layer(entry).crs(),
            unit=self.unit,
        )
        KEPT.append(processor)
        details.setPostProcessor(processor)
        if hasattr(details, "groupName"):  # since 3.32
            details.groupName = self.group

    def name(self, entry):
        """The name of a layer in the legend, with the score or the number of errors."""
        return layer_name(entry["role"], entry["geometry"], entry["count"], self.algorithm.KIND, self.headline)


def keep_style(value, destination, entry, unit):
    """Keep the style and the readable names of columns with a layer that is saved to a file."""
    file = destinations.file_of(value)
    if file is None:
        return
    layer = QgsVectorLayer(destination, entry["layer"], "ogr")
    if not layer.isValid():
        return
    dress(layer, _read(entry["style"]), unit)
    if file.suffix.lower() == ".gpkg":
        layer.saveStyleToDatabase(layer.name(), "geoeval", True, "")
    else:
        layer.saveNamedStyle(str(file.with_suffix(".qml")))


def crs_of(source):
    """The CRS of a layer; none for a drawing that has no place on Earth."""
    return source.crs() if on_earth(source.crs()) else QgsCoordinateReferenceSystem()


def load_files(folder, form, layers, context, content):
    """Ask QGIS to load the layers of a folder: name, role, geometry and count of each; empty ones are left out."""
    for name, role, geometry, count in layers:
        path = f"{folder / f'errors.{form}'}|layername={name}" if form == "gpkg" else str(folder / f"{name}.{form}")
        if count:
            title = layer_name(role, geometry, count, content)
            processor = Styled(
                name=title, style=None, group=folder.name, position=position(role, geometry),
                visible=role != "grid" and description().is_shown(role),
            )  # fmt: skip
            details = QgsProcessingContext.LayerDetails(title, context.project(), name)
            details.setPostProcessor(processor)
            KEPT.append(processor)
            context.addLayerToLoadOnCompletion(path, details)


def kept_fields(source):
    """All fields except the row number, which the destination assigns anew, and their indexes."""
    indexes = [i for i, field in enumerate(source.fields()) if field.name().lower() != "fid"]
    fields = QgsFields()
    for index in indexes:
        fields.append(source.fields().at(index))
    return fields, indexes


def copy_rows(source, sink, fields, indexes, destination):
    """Copy every row into a sink."""
    for row in source.getFeatures():
        copy = QgsFeature(fields)
        copy.setGeometry(row.geometry())
        attributes = row.attributes()
        copy.setAttributes([attributes[index] for index in indexes])
        if not sink.addFeature(copy, QgsFeatureSink.Flag.FastInsert):
            why = f": {sink.lastError()}" if hasattr(sink, "lastError") and sink.lastError() else ""
            raise QgsProcessingException(f"{destination} cannot be written{why}")


def position(role, geometry):
    """Place in the legend: points above lines above polygons, kinds in the engine's order, scores last."""
    roles = [*description().error_kinds, "", *SCORE_LABELS]
    place = roles.index(role if role in roles else "")
    return 1000 * _GEOMETRY_ORDER.get(geometry, 1) + place


def open_layer(entry):
    """A layer that the engine wrote."""
    source = QgsVectorLayer(f"{entry['path']}|layername={entry['layer']}", entry["layer"], "ogr")
    if not source.isValid():
        raise QgsProcessingException(f"The engine's layer {entry['layer']} cannot be opened")
    return source


def _read(path):
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - a plain path from the engine
        return file.read()
