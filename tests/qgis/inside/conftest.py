"""Runs inside QGIS' own Python, in a process of its own; see tests/qgis/test_inside.py."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, os.environ["GEOEVAL_TEST_PLUGINS"])
# The interpreter of the project's tests.
os.environ["GEOEVAL_PYTHON"] = os.environ["GEOEVAL_TEST_PYTHON"]


class Window:
    """As much of the desktop as the plugin uses."""

    def __init__(self):
        from qgis.gui import QgsMapCanvas, QgsMessageBar
        from qgis.PyQt.QtWidgets import QMainWindow, QMenu

        self.window = QMainWindow()
        self.canvas = QgsMapCanvas(self.window)
        self.bar = QgsMessageBar(self.window)
        self.menus = {name: QMenu(name, self.window) for name in ("vector", "help")}
        self.tools = self.window.addToolBar("tools")
        self.warnings = []
        self.bar.pushWarning = lambda title, text: self.warnings.append((title, text))

    def mainWindow(self):
        return self.window

    def messageBar(self):
        return self.bar

    def mapCanvas(self):
        return self.canvas

    def vectorMenu(self):
        return self.menus["vector"]

    def pluginHelpMenu(self):
        return self.menus["help"]

    def addToolBarWidget(self, widget):
        return self.tools.addWidget(widget)

    def removeToolBarIcon(self, action):
        self.tools.removeAction(action)

    def addDockWidget(self, area, dock):
        self.window.addDockWidget(area, dock)

    def removeDockWidget(self, dock):
        self.window.removeDockWidget(dock)


@pytest.fixture(scope="session", autouse=True)
def layer_tree(qgis_app):
    """A real view of layers in the stand-in for the window: QGIS 3.44 takes no other."""
    from qgis.gui import QgsLayerTreeView
    from qgis.utils import iface

    view = QgsLayerTreeView()
    iface.layerTreeView = lambda: view
    return view


@pytest.fixture(scope="session")
def provider(qgis_app, qgis_processing):
    """The provider, registered as the plugin does it."""
    from geoeval_qgis import classFactory, engine
    from qgis.core import QgsApplication

    assert engine.problem() is None
    plugin = classFactory(None)
    plugin.initProcessing()
    yield QgsApplication.processingRegistry().providerById("geoeval")
    plugin.unload()


def lines_of(rows, columns, spacing=0.001):
    """Streets of a chessboard town in degrees."""
    found = []
    for i in range(rows):
        for j in range(columns):
            x, y = 10 + j * spacing, 50 + i * spacing
            if j + 1 < columns:
                found.append(((x, y), (x + spacing, y)))
            if i + 1 < rows:
                found.append(((x, y), (x, y + spacing)))
    return found


def make_layer(lines, name, crs="EPSG:4326", first_id=None):
    """A memory layer."""
    from qgis.core import QgsFeature, QgsGeometry, QgsPointXY, QgsVectorLayer

    layer = QgsVectorLayer("LineString?field=name:string" + (f"&crs={crs}" if crs else ""), name, "memory")
    if not crs:
        from qgis.core import QgsCoordinateReferenceSystem

        layer.setCrs(QgsCoordinateReferenceSystem())
    rows = []
    for number, line in enumerate(lines):
        row = QgsFeature(layer.fields())
        row.setGeometry(QgsGeometry.fromPolylineXY([QgsPointXY(*point) for point in line]))
        row.setAttributes([f"street {number}"])
        rows.append(row)
    layer.dataProvider().addFeatures(rows)
    layer.updateExtents()
    return layer


@pytest.fixture
def layers(provider, qgis_new_project):
    """A reference and a prediction that lacks a few streets, as memory layers of the project."""
    from qgis.core import QgsProject

    lines = lines_of(6, 6)
    reference = make_layer(lines, "Straßen \"alt\" & 'neu'")
    prediction = make_layer(lines[4:], "Vorhersage é")
    QgsProject.instance().addMapLayers([reference, prediction])
    return reference, prediction


@pytest.fixture
def run(provider):
    """Run an algorithm as a script does, giving its results."""
    import processing

    def start(name, parameters, **options):
        return processing.run(f"geoeval:{name}", parameters, **options)

    return start


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path
