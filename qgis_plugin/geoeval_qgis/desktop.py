"""What people click on: the menu under Vector, the toolbar button, the entry in the help, the first message."""

from pathlib import Path

from qgis.PyQt.QtCore import Qt, QUrl
from qgis.PyQt.QtGui import QDesktopServices, QIcon
from qgis.PyQt.QtWidgets import QMenu, QMessageBox, QPushButton, QToolButton

from . import environment
from .algorithms.base import sentence
from .compat import QAction
from .engine import description
from .translation import help_page, tr

HERE = Path(__file__).parent
# The algorithms in the menu, each with its picture.
ALGORITHMS = (
    ("evaluateroads", "Evaluate roads...", "roads.svg"),
    ("evaluateosm", "Evaluate roads against OpenStreetMap...", "osm.svg"),
    ("evaluateobjects", "Evaluate buildings and other objects...", "objects.svg"),
    ("evaluatelines", "Evaluate drawings...", "lines.svg"),
    ("comparepredictions", "Compare several predictions...", "compare.svg"),
)


def icon(name):
    """A picture of the plugin."""
    return QIcon(str(HERE / "images" / name))


class Desktop:
    """Adds to the window of QGIS, and removes all of it again."""

    def __init__(self, iface):
        self.iface, self.dock = iface, None
        self.menu = QMenu("geoeval", iface.mainWindow())
        self.menu.setIcon(icon("icon.svg"))
        for name, title, picture in ALGORITHMS:
            self._add(tr(title), picture, lambda _checked=False, one=name: self.open_dialog(one))
        self.menu.addSeparator()
        self._add(tr("Scores and review"), "review.svg", lambda _checked=False: self.show_dock())
        self._add(tr("Open a result file..."), "open.svg", lambda _checked=False: self.show_dock().files.open())
        self.menu.addSeparator()
        self._add(tr("Try it with demo data..."), "demo.svg", lambda _checked=False: self.open_dialog("demodata"))
        self._add(tr("Set up geoeval..."), "setup.svg", lambda _checked=False: self.open_dialog("setupenvironment"))
        self._add(tr("Help"), "help.svg", self.show_help)
        self._add(tr("About geoeval"), "icon.svg", self.show_about)
        iface.vectorMenu().addMenu(self.menu)
        self.button = QToolButton()
        self.button.setIcon(icon("icon.svg"))
        self.button.setToolTip("geoeval")
        self.button.setMenu(self.menu)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.button.clicked.connect(lambda _checked=False: self.open_dialog("evaluateroads"))
        self.on_toolbar = iface.addToolBarWidget(self.button)
        self.in_help = QAction(icon("icon.svg"), "geoeval", iface.mainWindow())
        self.in_help.triggered.connect(self.show_help)
        iface.pluginHelpMenu().addAction(self.in_help)
        self._make_dock()
        self._greet()

    def _add(self, title, picture, do):
        action = QAction(icon(picture), title, self.menu)
        action.triggered.connect(do)
        self.menu.addAction(action)

    def _make_dock(self):
        from .panel import GeoevalDock

        self.dock = GeoevalDock(self.iface)
        self.iface.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.dock)
        self.dock.hide()

    def _greet(self):
        """Before the first use: say what is to do, with a button that does it."""
        why = environment.problem(ask=False)
        if why is None or environment.find() is not None:
            return
        bar = self.iface.messageBar()
        item = bar.createMessage(
            "geoeval", tr("The engine is not set up yet. This is done once and takes some minutes.")
        )
        button = QPushButton(tr("Set up"))
        button.clicked.connect(lambda _checked=False: (bar.popWidget(item), self.open_dialog("setupenvironment")))
        item.layout().addWidget(button)
        bar.pushWidget(item)

    def open_dialog(self, name):
        """Open the dialog of an algorithm."""
        import processing

        dialog = processing.createAlgorithmDialog(f"geoeval:{name}")
        if dialog is None:
            self.iface.messageBar().pushWarning("geoeval", sentence(environment.problem() or "the dialog cannot open"))
            return
        dialog.show()

    def show_dock(self):
        """Open the dock and return it."""
        self.dock.setUserVisible(True)
        return self.dock

    def show_help(self, _checked=False):
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(help_page("index"))))

    def show_about(self, _checked=False):
        QMessageBox.about(self.iface.mainWindow(), tr("About geoeval"), about())

    def remove(self):
        """Take everything out of the window."""
        self.dock.close_all()
        self.iface.removeDockWidget(self.dock)
        self.dock.deleteLater()
        self.iface.vectorMenu().removeAction(self.menu.menuAction())
        self.iface.pluginHelpMenu().removeAction(self.in_help)
        self.iface.removeToolBarIcon(self.on_toolbar)
        for one in (self.on_toolbar, self.in_help, self.menu):
            one.deleteLater()


def about():
    """Who we are, which versions are at work, and where."""
    found = environment.find()
    where = f"{found.command[0]} ({found.origin})" if found is not None else tr("not set up")
    return (
        f"<h3>geoeval {description().version}</h3>"
        f"<p>{tr('Compares a predicted map with a reference: scores in true metres and a map of every error.')}</p>"
        f"<p>{tr('Engine')}: {where}</p><p>{tr('Licence')}: GPL 2 or later</p>"
    )
