"""The map beside the review: goes to an error, flashes it, and blinks between reference and prediction."""

from pathlib import Path

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeatureRequest,
    QgsGeometry,
    QgsProject,
    QgsRectangle,
    QgsVectorLayer,
)
from qgis.gui import QgsRubberBand
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QObject, QTimer
from qgis.PyQt.QtGui import QColor

from .. import result_layers
from ..results import on_earth

# How much around an error is shown: so many times its size, and at least so much in the unit of the run.
AROUND, LEAST = 3.0, 80.0
BLINK = 700  # milliseconds
MARK = QColor(255, 0, 200, 220)


class MapView(QObject):
    """Shows the errors of one result file on a canvas."""

    def __init__(self, canvas, path, crs_text):
        super().__init__()
        self.canvas, self.path = canvas, Path(path)
        self.crs = QgsCoordinateReferenceSystem(crs_text)
        self.layers, self.band = {}, None
        self.timer = QTimer(self)
        self.timer.setInterval(BLINK)
        self.timer.timeout.connect(self._turn)
        self.before, self.showing = [], None

    def show(self, error):
        """Zoom to an error, mark it and flash it."""
        geometry = self.geometry(error)
        box = QgsRectangle(error.xmin, error.ymin, error.xmax, error.ymax)
        size = max(box.width(), box.height(), LEAST / AROUND)
        around = QgsRectangle.fromCenterAndSize(box.center(), AROUND * size, AROUND * size)
        self.canvas.setExtent(box_on_map(around, self.crs, self.canvas))
        self.canvas.refresh()
        self._mark(geometry)
        if geometry is not None:
            self.canvas.flashGeometries([geometry], self._source_crs())

    def geometry(self, error):
        """The geometry of an error as its layer has it, or None."""
        layer = self._layer(error.layer)
        row = next(layer.getFeatures(QgsFeatureRequest(int(error.row)).setNoAttributes()), None) if layer else None
        return QgsGeometry(row.geometry()) if row is not None and row.hasGeometry() else None

    def blink(self):
        """Start to show reference and prediction in turn, or stop; whether both are on the map."""
        if self.timer.isActive():
            self.stop()
            return True
        if len(self._nodes()) < 2:
            return False
        root = QgsProject.instance().layerTreeRoot()
        nodes = [*root.findLayers(), *root.findGroups(True)]
        self.before = [(node, node.itemVisibilityChecked()) for node in nodes]
        for node in root.findLayers():
            # Whatever else is drawn in lines and areas would hide the difference; pictures from above stay.
            if isinstance(node.layer(), QgsVectorLayer):
                node.setItemVisibilityChecked(False)
        self.showing = None
        self._turn()
        self.timer.start()
        return True

    def stop(self):
        """End blinking; the legend is as it was."""
        self.timer.stop()
        for node, checked in self.before:
            if not sip.isdeleted(node):
                node.setItemVisibilityChecked(checked)
        self.before = []

    def close(self):
        """Take everything off the map that is the review's own."""
        if self.timer.isActive():
            self.stop()
        if self.band is not None:
            self.canvas.scene().removeItem(self.band)
            self.band = None

    def _turn(self):
        self.showing = "prediction" if self.showing == "reference" else "reference"
        for name, node in self._nodes().items():
            if name == self.showing:
                node.setItemVisibilityCheckedParentRecursive(True)
            else:
                node.setItemVisibilityChecked(False)

    def _nodes(self):
        """The layers of both maps in the legend."""
        root, found = QgsProject.instance().layerTreeRoot(), {}
        for layer in result_layers.loaded(self.path, QgsProject.instance()):
            table = result_layers.table_of(layer)
            node = root.findLayer(layer.id())
            if table in ("reference", "prediction") and node is not None:
                found[table] = node
        return found

    def _mark(self, geometry):
        if self.band is not None:
            self.canvas.scene().removeItem(self.band)
            self.band = None
        if geometry is None:
            return
        self.band = QgsRubberBand(self.canvas, geometry.type())
        self.band.setColor(MARK)
        self.band.setWidth(3)
        self.band.setFillColor(QColor(255, 0, 200, 30))
        shown = QgsGeometry(geometry)
        try:
            shown.transform(_to_map(self.crs, self.canvas))
        except QgsCsException:
            return
        self.band.setToGeometry(shown, None)

    def _layer(self, table):
        if table not in self.layers:
            layer = QgsVectorLayer(f"{self.path}|layername={table}", table, "ogr")
            self.layers[table] = layer if layer.isValid() else None
        return self.layers[table]

    def _source_crs(self):
        return self.crs if on_earth(self.crs) else self.canvas.mapSettings().destinationCrs()


def box_on_map(box, crs, canvas):
    """A box as the map has it."""
    try:
        return _to_map(crs, canvas).transformBoundingBox(box)
    except QgsCsException:
        return box


def _to_map(crs, canvas):
    """The transformation to the CRS of a map; none for a drawing, which has no place on Earth."""
    there = canvas.mapSettings().destinationCrs()
    if not (on_earth(crs) and on_earth(there)):
        return QgsCoordinateTransform()
    return QgsCoordinateTransform(crs, there, QgsProject.instance())
