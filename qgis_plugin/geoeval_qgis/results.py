"""Layers of the engine on their way into QGIS: copied into the user's destinations, named, styled and grouped."""

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

# Roles in the order of the legend, and what people call them. The rest comes after them, the area and grid last.
LABELS = {
    "break": "Breaks",
    "false_link": "False links",
    "junction": "Junctions",
    "missing": "Missing",
    "spurious": "Spurious",
    "doubled": "Doubled",
    "merged": "Merged",
    "displaced": "Displaced",
    "duplicate": "Duplicates",
    "culprit": "Culprits",
    "path": "Wrong paths",
    "missed": "Missed",
    "false_alarm": "False alarms",
    "split": "Split",
    "merge": "Merged",
    "boundary": "Boundaries",
    "matched": "Matched",
    "fragmented": "Fragmented",
    "consolidated": "Consolidated",
    "wrong_width": "Wrong width",
    "wrong_style": "Wrong style",
    "area": "Scores",
    "grid": "Score grid",
}
# Shown by a click only: they lie under the errors that a person can fix, or over everything.
HIDDEN = ("duplicate", "culprit", "path", "matched")
WKB_TYPES = {
    "points": QgsWkbTypes.Type.Point,
    "lines": QgsWkbTypes.Type.LineString,
    "polygons": QgsWkbTypes.Type.Polygon,
}
_GEOMETRY_ORDER = {"points": 0, "lines": 1, "polygons": 2}


def label(role):
    """What people call a kind of error."""
    return LABELS.get(role, role.replace("_", " ").capitalize())


class Styled(QgsProcessingLayerPostProcessorInterface):
    """Gives a loaded layer its name, style and place. QGIS keeps no reference to it: somebody else must."""

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
        """Copy one layer into the sink of this name; gives its destination, or None where it is not wanted."""
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
        """An empty layer with the columns of another one; gives its destination, or None where it is not wanted."""
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
        """Load a layer for which there is no sink: a kind of error that this version of the plugin does not know."""
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
        """Name, style and group, given when the layer is loaded; one without features is not loaded."""
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
            visible=entry["role"] not in HIDDEN,
            beneath=entry["role"] == "grid",
        )
        self.keep.append(processor)
        details.setPostProcessor(processor)
        if hasattr(details, "groupName"):  # since 3.32
            details.groupName = self.group

    def name(self, entry):
        """The name of a layer in the legend: the score or the number of errors is part of it."""
        if entry["role"] in ("area", "grid"):
            return f"{label(entry['role'])}: {self.headline}" if self.headline else label(entry["role"])
        return f"{label(entry['role'])}: {entry['count']:,}"


def kept_fields(source):
    """All fields but the number of the row, which the destination gives anew; and where they stand."""
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
    """Place in the legend: points over lines over areas, and then in the order of ``LABELS``."""
    roles = list(LABELS)
    place = roles.index(entry["role"]) if entry["role"] in roles else len(roles) - 3
    return 100 * _GEOMETRY_ORDER.get(entry["geometry"], 1) + place


def open_layer(entry):
    """A layer that the engine wrote."""
    source = QgsVectorLayer(f"{entry['path']}|layername={entry['layer']}", entry["layer"], "ogr")
    if not source.isValid():
        raise QgsProcessingException(f"The engine's layer {entry['layer']} cannot be opened")
    return source


def _read(path):
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - a plain path from the engine
        return file.read()
