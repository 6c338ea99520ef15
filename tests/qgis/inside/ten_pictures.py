"""Run by the real desktop (qgis --code): the pictures of the tutorial, in the order in which a person comes by them."""

import json
import os
import shutil
import sys
import traceback

from qgis.core import QgsFeature, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QPoint, Qt, QTimer
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDockWidget, QToolBar
from qgis.utils import iface, plugins

JOB = json.loads(os.environ["GEOEVAL_TEST_JOB"])
sys.path.insert(0, JOB["inside"])

import desktop as day  # noqa: E402 - found by the path above

# Toolbars that a reader of small pictures can do without.
KEPT_TOOLBARS = {"mFileToolBar", "mMapNavToolBar", "mPluginToolBar"}
WIDTH, HEIGHT = 1280, 900


def start():
    try:
        make_room()
        layers = both_maps()
        menu()
        first_run(layers)
        worst_cell()
        review()
        mended_run(layers)
        export()
        day.finish()
    except Exception:  # noqa: BLE001 - the command shows it
        day.finish(error=traceback.format_exc())


def take(name, widget=None):
    """A picture of the screen, or of a window alone."""
    day.rest(1.5)
    picture = QApplication.primaryScreen().grabWindow(0) if widget is None else widget.grab()
    picture.save(f"{JOB['pictures']}/{name}.png")


def make_room():
    window = iface.mainWindow()
    window.showNormal()
    window.setGeometry(0, 0, WIDTH, HEIGHT)
    for bar in window.findChildren(QToolBar):
        bar.setVisible(bar.objectName() in KEPT_TOOLBARS)


def both_maps():
    layers = day.load()
    symbol = layers["reference"].renderer().symbol()
    symbol.setColor(QColor(205, 205, 205))
    symbol.setWidth(1.4)
    iface.layerTreeView().refreshLayerSymbology(layers["reference"].id())
    day.rest(1)
    iface.mapCanvas().zoomToFullExtent()
    take("1-maps")
    return layers


def menu():
    vector, own = iface.vectorMenu(), plugins["geoeval_qgis"].desktop.menu
    bar = iface.mainWindow().menuBar()
    place = bar.actionGeometry(vector.menuAction())
    vector.popup(bar.mapToGlobal(QPoint(place.left(), place.bottom())))
    vector.setActiveAction(own.menuAction())
    own.setActiveAction(own.actions()[0])
    take("2-menu")
    own.close()
    vector.close()


def first_run(layers):
    plugins["geoeval_qgis"].desktop.open_dialog("evaluateroads")
    (dialog,) = [one for one in QApplication.topLevelWidgets() if type(one).__name__ == "AlgorithmDialog"]
    day.rest(0.5)
    dialog.mainWidget().setParameters({"REFERENCE": layers["reference"].id(), "PREDICTION": layers["prediction"].id()})
    take("3-dialog", dialog)
    done = []
    dialog.algorithmFinished.connect(lambda fine, results: done.append(results))
    dialog.runAlgorithm()
    day.settle(lambda: done)
    dialog.close()
    # The temporary report is gone when the desktop is; its picture is taken in a browser.
    shutil.copyfile(done[0]["REPORT"], JOB["report"])
    day.rest(1)
    hide_results_viewer()
    iface.mainWindow().resizeDocks([day.dock()], [500], Qt.Orientation.Horizontal)
    iface.mainWindow().resizeDocks([layers_panel()], [250], Qt.Orientation.Horizontal)
    take("4-scores")


def hide_results_viewer():
    for one in iface.mainWindow().findChildren(QDockWidget):
        if one.objectName() == "ResultsViewer":
            one.hide()


def layers_panel():
    return iface.mainWindow().findChild(QDockWidget, "Layers")


def worst_cell():
    """The grid of scores switched on around the worst cell."""
    (group,) = QgsProject.instance().layerTreeRoot().findGroups()
    (grid,) = [node for node in group.findLayers() if node.name().startswith("Score grid")]
    grid.setItemVisibilityChecked(True)
    _text, box, _crs = day.dock().cells[0]
    box.scale(8)
    iface.mapCanvas().setExtent(box)
    iface.mapCanvas().refresh()
    take("5-worst-cell")
    grid.setItemVisibilityChecked(False)


def review():
    panel = day.dock().review
    day.dock().tabs.setCurrentIndex(1)
    panel.view.setFocus()
    take("6-review")
    for key in "1121112111":
        QTest.keyClick(panel.view, getattr(Qt.Key, f"Key_{key}"))
        day.rest(0.1)
    panel.update_scores()
    day.settle(lambda: panel.task is None and not panel.calm.isActive())
    day.settle(lambda: "95 %" in panel.scores.toPlainText())
    take("7-judged")


def mended_run(layers):
    """The missing roads that were confirmed are drawn, and the layers evaluated once more."""
    import processing

    errors = day.dock().review.errors
    missing = QgsVectorLayer(f"{errors.path}|layername=missing", "missing", "ogr")
    confirmed = [
        error.row
        for error in errors.errors
        if error.kind == "missing" and getattr(errors.verdicts.get(error.error_id), "verdict", "") == "error"
    ]
    drawn = []
    for row in confirmed:
        feature = QgsFeature(layers["prediction"].fields())
        feature.setGeometry(missing.getFeature(row).geometry())
        drawn.append(feature)
    fine, _ = layers["prediction"].dataProvider().addFeatures(drawn)
    assert fine, "the roads could not be drawn"
    processing.runAndLoadResults(
        "geoeval:evaluateroads",
        {"REFERENCE": layers["reference"], "PREDICTION": layers["prediction"], "RESULT": "TEMPORARY_OUTPUT"},
    )
    day.rest(1)
    hide_results_viewer()
    second, first = QgsProject.instance().layerTreeRoot().findGroups()
    first.setItemVisibilityChecked(False)
    first.setExpanded(False)
    second.setExpanded(True)
    take("8-again")


def export():
    day.dock().tabs.setCurrentIndex(1)
    panel = day.dock().review
    panel.filters.state.setCurrentIndex(1)
    day.settle(lambda: panel.task is None and not panel.calm.isActive())
    day.rest(1)
    files = day.dock().files
    files.popup(day.dock().mapToGlobal(QPoint(12, 110)))
    take("9-export")
    files.close()


QTimer.singleShot(3000, start)
