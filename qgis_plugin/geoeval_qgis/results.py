"""The engine's layers on their way into QGIS: copied to the user's destinations, named, styled and grouped."""

from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingLayerPostProcessorInterface,
    QgsProcessingUtils,
    QgsVectorLayer,
    QgsWkbTypes,
)
from qgis.PyQt.QtGui import QPainter
from qgis.PyQt.QtXml import QDomDocument

from . import compat
from .engine import description

# The layers besides the errors, and their names in the legend; errors come first, in the engine's order.
SCORE_LABELS = {"area": "Scores", "grid": "Score grid"}
WKB_TYPES = {
    "points": QgsWkbTypes.Type.Point,
    "lines": QgsWkbTypes.Type.LineString,
    "polygons": QgsWkbTypes.Type.Polygon,
}
_GEOMETRY_ORDER = {"points": 0, "lines": 1, "polygons": 2}


def label(role):
    """The name of a layer in the legend."""
    return SCORE_LABELS.get(role) or description().label(role)


class Styled(QgsProcessingLayerPostProcessorInterface):
    """Gives a loaded layer its name, style and place. QGIS keeps no reference to it, so the caller must."""

    def __init__(self, *, name, style, group, position, visible, beneath):
        super().__init__()
        self.beneath = beneath
        self.name, self.style, self.group, self.position, self.visible = name, style, group, position, visible

    def postProcessLayer(self, layer, context, feedback):
        if not isinstance(layer, QgsVectorLayer):
            return
        layer.setName(self.name)
        document = QDomDocument()
        document.setContent(self.style)
        layer.importNamedStyle(document)
        if self.beneath:
            # The roads under the cells keep their colours.
            layer.setBlendMode(QPainter.CompositionMode.CompositionMode_Multiply)
        project = context.project()
        if project is None:
            return
        compat.put_into_group(layer, project, self.group, self.position)
        node = project.layerTreeRoot().findLayer(layer.id())
        if node is not None:
            node.setItemVisibilityChecked(self.visible)
        layer.triggerRepaint()


class LayerCopier:
    """Copies the layers of one run; ``keep`` holds the post-processors until QGIS has used them."""

    def __init__(self, algorithm, parameters, context, feedback, *, group, headline):
        self.algorithm, self.parameters, self.context, self.feedback = algorithm, parameters, context, feedback
        self.group, self.headline = group, headline
        self.keep = []

    def copy(self, entry, sink_name):
        """Copy one layer into the sink of this name; return its destination, or None if it is not wanted."""
        source = open_layer(entry)
        fields, indexes = kept_fields(source)
        sink, destination = self.algorithm.parameterAsSink(
            self.parameters, sink_name, self.context, fields, source.wkbType(), source.crs()
        )
        if sink is None:
            if self.parameters.get(sink_name) in (None, ""):
                return None
            raise QgsProcessingException(self.algorithm.invalidSinkError(self.parameters, sink_name))
        copy_rows(source, sink, fields, indexes, destination)
        del sink
        self._dress(entry, destination)
        return destination

    def copy_nothing(self, like, sink_name, geometry):
        """Make an empty layer with the columns of another; return its destination, or None if it is not wanted."""
        source = open_layer(like)
        fields, _ = kept_fields(source)
        sink, destination = self.algorithm.parameterAsSink(
            self.parameters, sink_name, self.context, fields, WKB_TYPES[geometry], source.crs()
        )
        if sink is None:
            return None
        del sink
        self._dress({"role": "", "count": 0}, destination)
        return destination

    def load(self, entry):
        """Load a layer that has no sink: a kind of error that the engine's table does not have."""
        source = open_layer(entry)
        fields, indexes = kept_fields(source)
        sink, destination = QgsProcessingUtils.createFeatureSink(
            f"memory:{entry['layer']}", self.context, fields, source.wkbType(), source.crs()
        )
        copy_rows(source, sink, fields, indexes, destination)
        del sink
        details = QgsProcessingContext.LayerDetails(entry["layer"], self.context.project(), entry["layer"])
        self.context.addLayerToLoadOnCompletion(destination, details)
        self._dress(entry, destination)

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
            position=position(entry),
            visible=description().is_shown(entry["role"]),
            beneath=entry["role"] == "grid",
        )
        self.keep.append(processor)
        details.setPostProcessor(processor)
        if hasattr(details, "groupName"):  # since 3.32
            details.groupName = self.group

    def name(self, entry):
        """The name of a layer in the legend, with the score or the number of errors."""
        if entry["role"] in SCORE_LABELS:
            return f"{label(entry['role'])}: {self.headline}" if self.headline else label(entry["role"])
        return f"{label(entry['role'])}: {entry['count']:,}"


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


def position(entry):
    """Place in the legend: points above lines above polygons, kinds in the engine's order, scores last."""
    roles = [*description().error_kinds, "", *SCORE_LABELS]
    place = roles.index(entry["role"] if entry["role"] in roles else "")
    return 1000 * _GEOMETRY_ORDER.get(entry["geometry"], 1) + place


def open_layer(entry):
    """A layer that the engine wrote."""
    source = QgsVectorLayer(f"{entry['path']}|layername={entry['layer']}", entry["layer"], "ogr")
    if not source.isValid():
        raise QgsProcessingException(f"The engine's layer {entry['layer']} cannot be opened")
    return source


def _read(path):
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - a plain path from the engine
        return file.read()
