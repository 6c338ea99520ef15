"""Run by the real desktop (qgis --code): the pictures of the tutorial, in the order in which a person comes by them."""

import json
import os
import shutil
import sys
import traceback

from qgis.core import QgsFeature, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QPoint, Qt, QTimer
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtWidgets import QDockWidget, QToolBar
from qgis.utils import iface, plugins

JOB = json.loads(os.environ["GEOEVAL_TEST_JOB"])
sys.path.insert(0, JOB["inside"])

import desktop as day  # noqa: E402 - found by the path above
from waiting import rest  # noqa: E402 - likewise

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
    rest(1)
    iface.mapCanvas().zoomToFullExtent()
    day.picture("1-maps")
    return layers


def menu():
    vector, own = iface.vectorMenu(), plugins["geoeval_qgis"].desktop.menu
    bar = iface.mainWindow().menuBar()
    place = bar.actionGeometry(vector.menuAction())
    vector.popup(bar.mapToGlobal(QPoint(place.left(), place.bottom())))
    vector.setActiveAction(own.menuAction())
    own.setActiveAction(own.actions()[0])
    day.picture("2-menu")
    own.close()
    vector.close()


def first_run(layers):
    results = day.evaluate_in_dialog(layers, "3-dialog")
    # The temporary report is gone when the desktop is; its picture is taken in a browser.
    shutil.copyfile(results["REPORT"], JOB["report"])
    rest(1)
    hide_results_viewer()
    iface.mainWindow().resizeDocks([day.dock()], [500], Qt.Orientation.Horizontal)
    iface.mainWindow().resizeDocks([layers_panel()], [250], Qt.Orientation.Horizontal)
    day.picture("4-scores")


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
    day.picture("5-worst-cell")
    grid.setItemVisibilityChecked(False)


def review():
    day.open_review()
    day.picture("6-review")
    day.judge_ten()
    day.picture("7-judged")


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
    rest(1)
    hide_results_viewer()
    second, first = QgsProject.instance().layerTreeRoot().findGroups()
    first.setItemVisibilityChecked(False)
    first.setExpanded(False)
    second.setExpanded(True)
    day.picture("8-again")


def export():
    day.dock().tabs.setCurrentIndex(1)
    panel = day.dock().review
    panel.filters.state.setCurrentIndex(1)
    day.measure(panel)
    files = day.dock().files
    files.popup(day.dock().mapToGlobal(QPoint(12, 110)))
    day.picture("9-export")
    files.close()


QTimer.singleShot(3000, start)
