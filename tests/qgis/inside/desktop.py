"""Run by the real desktop (qgis --code): evaluates, opens the toolbox, takes a picture and says what it saw."""

import json
import os
import traceback

from qgis.core import QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import Qt, QTimer
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtWidgets import QApplication, QDockWidget
from qgis.utils import iface

JOB = json.loads(os.environ["GEOEVAL_TEST_JOB"])
# Kept as globals: QGIS runs this file and forgets it.
seen = {}


def start():
    """Everything that takes time; then the picture, once the map is drawn."""
    try:
        evaluate()
        # Drawing takes a few rounds of the event loop.
        QTimer.singleShot(JOB.get("wait", 4000), picture)
    except Exception:  # noqa: BLE001 - the test shows it
        finish(error=traceback.format_exc())


def evaluate():
    import processing

    iface.mainWindow().showNormal()
    iface.mainWindow().setGeometry(0, 0, 1600, 1000)
    project = QgsProject.instance()
    layers = {}
    for role in ("reference", "prediction"):
        path = JOB[role]
        layers[role] = QgsVectorLayer(path, JOB.get(f"{role}_name", role), "ogr")
        project.addMapLayer(layers[role])
        symbol = layers[role].renderer().symbol()
        symbol.setWidth(0.3)
        symbol.setColor(QColor(150, 150, 150) if role == "reference" else QColor(70, 70, 70))
        iface.layerTreeView().refreshLayerSymbology(layers[role].id())
    project.setCrs(layers["prediction"].crs())
    wanted = dict.fromkeys(JOB["sinks"], "TEMPORARY_OUTPUT")
    results = processing.runAndLoadResults(
        "geoeval:evaluateroads",
        {"REFERENCE": layers["reference"], "PREDICTION": layers["prediction"], "METRICS": JOB["metrics"], **wanted,
         **JOB.get("parameters", {})},
    )  # fmt: skip
    seen["scores"] = {name: value for name, value in results.items() if isinstance(value, (int, float))}
    root = project.layerTreeRoot()
    seen["tree"] = {
        group.name(): [
            {"name": node.name(), "renderer": node.layer().renderer().type(), "count": node.layer().featureCount()}
            for node in group.findLayers()
        ]
        for group in root.findGroups()
    }
    for dock in iface.mainWindow().findChildren(QDockWidget):
        if dock.objectName() in {"Browser", "Browser2", "GPSInformation"}:
            dock.hide()
        if dock.objectName() == "ProcessingToolbox":
            toolbox = dock
    iface.mainWindow().resizeDocks([toolbox], [330], Qt.Orientation.Horizontal)
    layer_dock = iface.mainWindow().findChild(QDockWidget, "Layers")
    iface.mainWindow().resizeDocks([layer_dock], [330], Qt.Orientation.Horizontal)
    toolbox.show()
    toolbox.raise_()
    tree = toolbox.algorithmTree
    toolbox.searchBox.setText("geoeval")
    tree.expandAll()
    model = tree.model()
    seen["toolbox"] = texts(model)
    extent = JOB.get("extent") or layers["prediction"].extent()
    from qgis.core import QgsRectangle

    box = QgsRectangle(*extent) if isinstance(extent, list) else extent
    box.scale(1.05)
    iface.mapCanvas().setExtent(box)
    iface.mapCanvas().refresh()


def texts(model, parent=None):
    """All that a tree shows."""
    found = []
    from qgis.PyQt.QtCore import QModelIndex

    parent = parent or QModelIndex()
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        found += [model.data(index), *texts(model, index)]
    return found


def picture():
    try:
        QApplication.processEvents()
        screen = QApplication.primaryScreen()
        screen.grabWindow(0).save(JOB["picture"])
        if "dialog" in JOB:
            show_dialog()
            QTimer.singleShot(2000, dialog_picture)
        else:
            finish()
    except Exception:  # noqa: BLE001 - the test shows it
        finish(error=traceback.format_exc())


def show_dialog():
    """The window in which a user fills in the parameters."""
    import processing

    named = {layer.name(): layer.id() for layer in QgsProject.instance().mapLayers().values()}
    inputs = {role.upper(): named[JOB.get(f"{role}_name", role)] for role in ("reference", "prediction")}
    seen["window"] = processing.createAlgorithmDialog("geoeval:evaluateroads", inputs)
    seen["window"].resize(1000, 760)
    seen["window"].show()


def dialog_picture():
    seen.pop("window").grab().save(JOB["dialog"])
    finish()


def finish(**more):
    with open(JOB["answer"], "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({**seen, **more}, file)
    os._exit(0)


QTimer.singleShot(3000, start)
