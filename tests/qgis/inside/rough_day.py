"""Run by the real desktop (qgis --code): what people do that nobody planned for, and what the plugin does then.

Keys in the wrong place, a project that is closed, a drawing in pixels, a run from the history, a plugin that is
switched off and on, and one that is upgraded while QGIS runs. Says what it saw; the test judges it.
"""

import json
import os
import sqlite3
import sys
import threading
import traceback
from contextlib import closing
from pathlib import Path

import processing
import qgis.utils
from qgis.core import (
    QgsExpression,
    QgsExpressionContext,
    QgsExpressionContextUtils,
    QgsFeatureRequest,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProject,
    QgsVectorLayer,
)
from qgis.gui import QgsRubberBand
from qgis.PyQt.QtCore import QEvent, Qt, QThread, QTimer
from qgis.PyQt.QtGui import QKeyEvent
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDockWidget, QMenu, QShortcut
from qgis.utils import iface, plugins

JOB = json.loads(os.environ["GEOEVAL_TEST_JOB"])
sys.path.insert(0, JOB["inside"])

from waiting import rest, settle  # noqa: E402 - found by the path above

try:
    from qgis.PyQt.QtGui import QAction
except ImportError:
    from qgis.PyQt.QtWidgets import QAction

PLUGIN = "geoeval_qgis"
seen = {}


def start():
    try:
        iface.mainWindow().showNormal()
        iface.mainWindow().setGeometry(0, 0, 1600, 1000)
        keys_before_any_run()
        evaluate()
        keys_in_wrong_places()
        keys_with_their_tool()
        blink()
        tips()
        new_project()
        drawing_in_pixels()
        run_from_the_history()
        off_and_on()
        upgrade()
        finish()
    except Exception:  # noqa: BLE001 - the test shows it
        finish(error=traceback.format_exc())


def picture(name):
    rest(1.0)
    settle(lambda: not iface.mapCanvas().isDrawing())
    QApplication.primaryScreen().grabWindow(0).save(f"{JOB['pictures']}/{name}.png")


def dock():
    return plugins[PLUGIN].desktop.dock


def canvas():
    return iface.mapCanvas()


def press(widget, keys):
    QApplication.setActiveWindow(iface.mainWindow())
    widget.setFocus()
    QApplication.processEvents()
    for key in keys:
        QTest.keyClick(widget, getattr(Qt.Key, f"Key_{key}"))
        QApplication.processEvents()


def verdicts():
    with closing(sqlite3.connect(seen["file"])) as connection:
        return connection.execute("SELECT count(*) FROM verdicts").fetchone()[0]


def keys_before_any_run():
    """A key of the window's own works while the panel is open and has nothing to judge."""
    heard = []
    own = QShortcut("R", iface.mainWindow())
    own.setContext(Qt.ShortcutContext.ApplicationShortcut)
    own.activated.connect(lambda: heard.append("R"))
    seen["own"] = heard
    dock().setUserVisible(True)
    dock().tabs.setCurrentIndex(1)
    press(canvas(), "R")
    press(dock().tabs, "R")
    seen["own_before_any_run"] = len(heard)


def evaluate():
    """Both maps as layers in memory, so that the engine reads copies of them."""
    layers = {}
    for role in ("reference", "prediction"):
        layer = QgsVectorLayer(f"{JOB['run']}|layername={role}", role, "ogr").materialize(QgsFeatureRequest())
        layer.setName(f"My {role}")
        QgsProject.instance().addMapLayer(layer)
        layers[role] = layer
    target = f"{JOB['pictures']}/rough.gpkg"
    asked = {"RESULT": target, "REPORT": f"{JOB['pictures']}/rough.html", "METRICS": ["ccq", "opt-j"]}
    names = {"REFERENCE": layers["reference"], "PREDICTION": layers["prediction"]}
    processing.runAndLoadResults("geoeval:evaluateroads", {**names, **asked})
    seen["file"] = target
    rest(1.0)


def keys_in_wrong_places():
    """Nothing is judged, and the window's own key works."""
    panel, other = dock(), QDockWidget("other", iface.mainWindow())
    panel.tabs.setCurrentIndex(1)
    wrong = {}
    seen["own"].clear()
    press(canvas(), "1R")
    wrong["on the map"] = verdicts()
    panel.tabs.setCurrentIndex(0)
    press(canvas(), "1R")
    press(panel.tabs.tabBar(), "1")
    wrong["another tab"] = verdicts()
    panel.tabs.setCurrentIndex(1)
    iface.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, other)
    iface.mainWindow().tabifyDockWidget(panel, other)
    other.show()
    other.raise_()
    rest(2.5)  # an error that was shown flashes for a while
    seen["in_sight_behind"] = panel.review.is_in_sight()
    seen["marks_behind"] = marks()
    press(canvas(), "1R")
    wrong["another dock"] = verdicts()
    iface.removeDockWidget(other)
    panel.hide()
    press(canvas(), "1R")
    wrong["hidden"] = verdicts()
    seen["wrong"], seen["own_in_wrong_places"] = wrong, len(seen["own"])
    panel.setUserVisible(True)
    panel.tabs.setCurrentIndex(1)
    # A key that is held down judges one error, not twenty.
    panel.review.view.setFocus()
    for _ in range(5):
        held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_1, Qt.KeyboardModifier.NoModifier, "1", True)
        QApplication.sendEvent(panel.review.view, held)
    seen["held"] = verdicts()
    press(panel.review.view, "1")
    seen["in_the_panel"] = verdicts()


def keys_with_their_tool():
    """On the map keys work while their tool is chosen, and no longer when the panel is out of sight."""
    review = dock().review
    before = canvas().mapTool()
    seen["own"].clear()
    QTest.mouseClick(review.on_map, Qt.MouseButton.LeftButton)
    seen["chosen"] = review.on_map.isChecked()
    press(canvas(), "2R")
    seen["with_tool"], seen["own_with_tool"] = verdicts(), len(seen["own"])
    picture("tool")
    dock().tabs.setCurrentIndex(0)
    seen["put_away"] = not review.on_map.isChecked() and canvas().mapTool() is before
    press(canvas(), "3")
    seen["after_tool"] = verdicts()
    dock().tabs.setCurrentIndex(1)
    QTest.mouseClick(review.on_map, Qt.MouseButton.LeftButton)
    iface.actionZoomIn().trigger()
    seen["other_tool"] = not review.on_map.isChecked()
    press(canvas(), "3")
    seen["after_other_tool"] = verdicts()
    iface.actionPan().trigger()


def shown():
    return sorted(layer.name() for layer in canvas().layers())


def blink():
    """Only one of both maps is drawn at a time, and then all is as it was."""
    QApplication.processEvents()
    before, review = shown(), dock().review
    review.blink()
    QApplication.processEvents()
    first = shown()
    settle(lambda: shown() != first)
    seen["blink"] = {"before": before, "first": first, "second": shown()}
    picture("blink")
    review.blink()
    QApplication.processEvents()
    seen["blink"]["after"] = shown()
    # Nor does it go on behind a panel that is closed.
    review.blink()
    dock().hide()
    QApplication.processEvents()
    seen["blink"]["hidden"] = shown()
    dock().setUserVisible(True)


def tips():
    seen["tips"] = {layer.name(): tip(layer) for layer in of_the_runs()}


def of_the_runs():
    return [
        layer for layer in QgsProject.instance().mapLayers().values() if layer.mapTipTemplate() and layer.featureCount()
    ]


def tip(layer):
    row = next(layer.getFeatures())
    context = QgsExpressionContext(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
    context.setFeature(row)
    return QgsExpression.replaceExpressionText(layer.mapTipTemplate(), context)


def marks():
    return sum(isinstance(item, QgsRubberBand) and item.isVisible() and item.numberOfVertices() > 0
               for item in canvas().scene().items())  # fmt: skip


def new_project():
    review = dock().review
    review.show_again()
    rest(2.0)
    seen["marks"] = marks()
    QTest.mouseClick(review.on_map, Qt.MouseButton.LeftButton)
    before = verdicts()
    iface.newProject(False)
    rest(0.5)
    seen["own"].clear()
    press(canvas(), "1R")
    press(review.view, "1R")
    picture("new")
    from geoeval_qgis import runs

    seen["new"] = {
        "marks": marks(), "verdicts": verdicts() - before, "own": len(seen["own"]), "page": dock().page.toPlainText(),
        "rows": review.table.rowCount(), "about": review.about.text() + review.progress.text(),
        "scores": review.scores.toPlainText(), "run": dock().run is None, "known": runs.last_file(),
        "tool": review.on_map.isChecked(),
    }  # fmt: skip


def drawing_in_pixels():
    """No bar says that it cannot be transformed, and nothing is in metres."""
    iface.messageBar().clearWidgets()
    pairs = {"REFERENCE": "1000 10 9000 10 5\n10 50 110 50 5\n", "PREDICTION": "1000 11 9000 11 5\n300 10 300 60 5\n"}
    for name, text in pairs.items():
        Path(f"{JOB['pictures']}/{name}.txt").write_text(text, encoding="utf-8")
    files = {name: f"{JOB['pictures']}/{name}.txt" for name in pairs}
    asked = {"RESULT": "TEMPORARY_OUTPUT", "REPORT": f"{JOB['pictures']}/drawing.html"}
    said = []

    class Log(QgsProcessingFeedback):
        """Keeps what is said in the dialog."""

        def pushInfo(self, text):
            said.append(text)

    processing.runAndLoadResults("geoeval:evaluatelines", {**files, **asked}, feedback=Log())
    rest(3.0)
    dock().tabs.setCurrentIndex(1)
    for row in range(dock().review.table.rowCount()):
        dock().review.select(row)
        rest(0.3)
    rest(3.0)
    picture("drawing")
    table = dock().review.table
    seen["drawing"] = {
        "bar": [item.text() for item in iface.messageBar().items()],
        "page": dock().page.toPlainText(),
        "table": [table.data(table.index(row, 3)) for row in range(table.rowCount())],
        "tips": [tip(layer) for layer in of_the_runs()],
        "extent": canvas().extent().toString(1),
        "log": said,
    }


def run_from_the_history():
    """The command that the dialog writes into the history, and what it gives."""
    layers = {}
    for role in ("reference", "prediction"):
        layer = QgsVectorLayer(f"{JOB['run']}|layername={role}", role, "ogr")
        QgsProject.instance().addMapLayer(layer)
        layers[role.upper()] = layer.id()
    plugins[PLUGIN].desktop.open_dialog("evaluateroads")
    (dialog,) = [one for one in QApplication.topLevelWidgets() if type(one).__name__ == "AlgorithmDialog"]
    dialog.mainWidget().setParameters({**layers, "METRICS": ["ccq", "opt-j"], "LOAD": False})
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    command = dialog.algorithm().asPythonCommand(dialog.createProcessingParameters(), context)
    dialog.close()
    dialog.deleteLater()
    seen["command"] = command
    given = eval(command, {"processing": processing})
    seen["again"] = sorted(name for name in given if name.startswith(("CCQ", "OPT")))


def objects_of_the_window():
    """What a plugin can leave behind, counted."""
    # What is to be deleted later goes when all is done; this is still one job.
    QApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))
    rest(0.5)
    window = iface.mainWindow()
    kinds = {"actions": QAction, "menus": QMenu, "docks": QDockWidget, "shortcuts": QShortcut, "threads": QThread}
    found = {name: len(window.findChildren(kind)) for name, kind in kinds.items()}
    found["python"] = threading.active_count()
    found["on the map"] = len(canvas().children())
    found["to a new project"] = QgsProject.instance().receivers(QgsProject.instance().cleared)
    return found


def off_and_on():
    seen["counts"] = []
    for _ in range(4):
        qgis.utils.unloadPlugin(PLUGIN)
        seen["counts"].append(objects_of_the_window())
        qgis.utils.loadPlugin(PLUGIN)
        qgis.utils.startPlugin(PLUGIN)
        seen["counts"].append(objects_of_the_window())
    seen["started"] = PLUGIN in plugins


def upgrade():
    """Every module of the plugin gets a new version on the disk; QGIS loads the plugin anew, as its manager does."""
    # As after a day of work, when all of it is loaded.
    import geoeval_qgis.widgets  # noqa: F401 - loaded by dialogs alone

    place = Path(sys.modules[PLUGIN].__file__).parent
    for file in place.rglob("*.py"):
        file.write_text(file.read_text(encoding="utf-8") + "\nUPGRADED = True\n", encoding="utf-8")
    qgis.utils.unloadPlugin(PLUGIN)
    qgis.utils.loadPlugin(PLUGIN)
    qgis.utils.startPlugin(PLUGIN)
    loaded = [name for name in sys.modules if name.partition(".")[0] == PLUGIN]
    seen["loaded"] = len(loaded)
    seen["old"] = [name for name in loaded if not hasattr(sys.modules[name], "UPGRADED")]


def finish(**more):
    with open(JOB["answer"], "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({**seen, **more}, file)
    os._exit(0)


if __name__ == "__main__":
    QTimer.singleShot(3000, start)
