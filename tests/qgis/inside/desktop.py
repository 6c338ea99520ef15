"""Run by the real desktop (qgis --code): the day of a mapper, from the dialog to the verdicts of a second run.

Evaluates two layers in the dialog, reviews errors by keyboard, evaluates a changed prediction, and runs a batch of
three rows. Takes pictures on the way and says what it saw.
"""

import json
import os
import shutil
import sys
import traceback

from qgis.core import QgsApplication, QgsFeatureRequest, QgsProcessingContext, QgsProject, QgsVectorLayer
from qgis.PyQt.QtCore import QModelIndex, Qt, QTimer
from qgis.PyQt.QtGui import QColor
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication, QDockWidget
from qgis.utils import iface, plugins

JOB = json.loads(os.environ["GEOEVAL_TEST_JOB"])
sys.path.insert(0, JOB["inside"])

from waiting import rest, settle  # noqa: E402 - found by the path above

seen = {}


def start():
    try:
        iface.mainWindow().showNormal()
        iface.mainWindow().setGeometry(0, 0, 1600, 1000)
        layers = load()
        look_at_scores(evaluate_in_dialog(layers))
        review()
        evaluate_again(layers)
        batch(layers)
        toolbox()
        finish()
    except Exception:  # noqa: BLE001 - the test shows it
        finish(error=traceback.format_exc())


def picture(name, window=None):
    """A picture of the screen, or of a window alone, when the map is drawn."""
    rest(1.5)
    settle(lambda: not iface.mapCanvas().isDrawing())
    taken = QApplication.primaryScreen().grabWindow(0) if window is None else window.grab()
    taken.save(f"{JOB['pictures']}/{name}.png")


def dock():
    return plugins["geoeval_qgis"].desktop.dock


def load():
    """Both maps as layers of the project, as people have them."""
    layers = {}
    for role, colour in (("reference", QColor(150, 150, 150)), ("prediction", QColor(70, 70, 70))):
        layer = QgsVectorLayer(f"{JOB['run']}|layername={role}", f"Helsinki {role}", "ogr")
        layer = layer.materialize(QgsFeatureRequest())
        layer.setName(f"Helsinki {role}")
        QgsProject.instance().addMapLayer(layer)
        layer.renderer().symbol().setColor(colour)
        layers[role] = layer
    for one in iface.mainWindow().findChildren(QDockWidget):
        if one.objectName() in {"Browser", "Browser2"}:
            one.hide()
    return layers


def evaluate_in_dialog(layers, name="dialog"):
    """Fill in the dialog that the menu opens, take its picture, and press Run; gives its results."""
    plugins["geoeval_qgis"].desktop.open_dialog("evaluateroads")
    (dialog,) = [one for one in QApplication.topLevelWidgets() if type(one).__name__ == "AlgorithmDialog"]
    rest(0.5)
    seen["height"] = dialog.height()
    panel = dialog.mainWidget()
    panel.setParameters({"REFERENCE": layers["reference"].id(), "PREDICTION": layers["prediction"].id()})
    chooser = panel.wrappers["METRICS"].widget
    seen["metrics"] = [chooser.itemText(row) for row in range(chooser.count())]
    picture(name, dialog)
    done = []
    dialog.algorithmFinished.connect(lambda fine, results: done.append((fine, results)))
    dialog.runAlgorithm()
    settle(lambda: done)
    seen["fine"], results = done[0]
    dialog.close()
    return results


def look_at_scores(results):
    seen["scores"] = {name: value for name, value in results.items() if isinstance(value, (int, float))}
    # The temporary file is gone when the desktop is.
    shutil.copyfile(results["RESULT"], JOB["kept"])
    seen["visible"] = dock().isVisible()
    seen["page"] = dock().page.toPlainText()
    iface.mainWindow().resizeDocks([dock()], [520], Qt.Orientation.Horizontal)
    picture("scores")
    seen["tree"] = {
        group.name(): [
            {"name": node.name(), "renderer": node.layer().renderer().type(), "count": node.layer().featureCount()}
            for node in group.findLayers()
        ]
        for group in QgsProject.instance().layerTreeRoot().findGroups()
    }


def review():
    """The first error, and ten verdicts."""
    open_review()
    rest(0.5)
    seen["first_extent"] = iface.mapCanvas().extent().toString(1)
    judge_ten()
    seen["second_extent"] = iface.mapCanvas().extent().toString(1)
    seen["progress"] = dock().review.progress.text()
    seen["judged"] = dock().review.scores.toPlainText()
    picture("review")


def open_review():
    dock().tabs.setCurrentIndex(1)
    dock().review.view.setFocus()


def judge_ten():
    """Ten errors by keyboard, two of them rejected, and the scores as judged."""
    panel = dock().review
    for key in "1121112111":
        QTest.keyClick(panel.view, getattr(Qt.Key, f"Key_{key}"))
        rest(0.1)
    measure(panel)


def measure(panel):
    """Wait for the scores as judged; where the evaluation took long, the panel measures them on demand only."""
    settle(lambda: panel.task is None and not panel.calm.isActive())
    if panel.measured[0] != panel.errors.rejected():
        panel.update_scores(measure=True)
    settle(lambda: panel.task is None and panel.measured[0] == panel.errors.rejected())


def evaluate_again(layers):
    """A changed prediction: some roads are gone, the others are as they were."""
    import processing

    layers["prediction"].dataProvider().deleteFeatures(JOB["gone"])
    processing.runAndLoadResults(
        "geoeval:evaluateroads",
        {"REFERENCE": layers["reference"], "PREDICTION": layers["prediction"], "RESULT": "TEMPORARY_OUTPUT"},
    )
    panel = dock().review
    errors = panel.errors
    seen["kept"] = [said.verdict for said in errors.verdicts.values() if said.carried]
    seen["second_page"] = dock().page.toPlainText()
    seen["groups"] = [group.name() for group in QgsProject.instance().layerTreeRoot().findGroups()]
    dock().tabs.setCurrentIndex(1)
    panel.filters.state.setCurrentIndex(1)
    measure(panel)
    seen["judged_again"] = panel.scores.toPlainText()
    seen["first_row"] = [panel.table.data(panel.table.index(0, column)) for column in range(3)]
    picture("again")


def batch(layers):
    """Three rows in the batch window, with hardly any output filled in."""
    from processing.gui.BatchAlgorithmDialog import BatchAlgorithmDialog

    done = []

    class Window(BatchAlgorithmDialog):
        """Tells what came out of all rows; every version of QGIS makes a table of it."""

        def createSummaryTable(self, results, errors):
            done.append((results, errors))
            super().createSummaryTable(results, errors)

    algorithm = QgsApplication.processingRegistry().createAlgorithmById("geoeval:evaluateroads")
    window = Window(algorithm, parent=iface.mainWindow())
    window.show()
    panel = window.mainWidget()
    panel.addRow(2)
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    for row in range(3):
        for name in ("REFERENCE", "PREDICTION"):
            column = panel.parameter_to_column[name]
            panel.wrappers[row][column].setParameterValue(layers[name.lower()].id(), context)
        panel.wrappers[row][panel.parameter_to_column["METRICS"]].setValue(["ccq"])
    missing = panel.tblParameters.cellWidget(2, panel.parameter_to_column["MISSING"])
    missing.setValue(f"{JOB['pictures']}/missing.gpkg")
    window.runAlgorithm()
    settle(lambda: done)
    results, errors = done[0]
    seen["batch"] = [sorted(name for name in one["results"] if name.startswith("CCQ")) for one in results]
    seen["batch_errors"] = [str(one) for one in errors]
    picture("batch")
    window.close()


def toolbox():
    (found,) = [one for one in iface.mainWindow().findChildren(QDockWidget) if one.objectName() == "ProcessingToolbox"]
    found.searchBox.setText("geoeval")
    seen["toolbox"] = texts(found.algorithmTree.model())


def texts(model, parent=None):
    """All that a tree shows."""
    parent, found = parent or QModelIndex(), []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        found += [model.data(index), *texts(model, index)]
    return found


def finish(**more):
    with open(JOB["answer"], "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({**seen, **more}, file)
    os._exit(0)


if __name__ == "__main__":
    QTimer.singleShot(3000, start)
