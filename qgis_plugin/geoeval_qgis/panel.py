"""The dock of geoeval: the scores of the last run, and the review of its errors."""

from pathlib import Path

from qgis.core import (
    QgsFeatureRequest,
    QgsProject,
    QgsVectorLayer,
)
from qgis.gui import QgsDockWidget
from qgis.PyQt.QtCore import Qt, QTimer, QUrl
from qgis.PyQt.QtGui import QDesktopServices
from qgis.PyQt.QtWidgets import QDockWidget, QHBoxLayout, QPushButton, QTabWidget, QTextBrowser, QVBoxLayout, QWidget

from . import result_layers, run_file, runs, score_page
from .engine import description
from .review.dock import ReviewPanel
from .review.files import FileMenu
from .review.map_view import box_on_map
from .saying import headlines
from .translation import said, tr

WORST = 5
# Milliseconds after which Processing has opened its own dock of results.
AFTER = 300


class GeoevalDock(QgsDockWidget):
    """Scores and review, one tab each."""

    def __init__(self, iface):
        super().__init__("geoeval", iface.mainWindow())
        self.setObjectName("geoeval")
        self.iface, self.run, self.cells = iface, None, []
        self.tabs = QTabWidget(self)
        self.page = QTextBrowser(self)
        self.page.setOpenLinks(False)
        self.page.anchorClicked.connect(self._follow)
        self._say_that_nothing_is_open()
        self.review = ReviewPanel(iface.mapCanvas(), self, say=self.say)
        self.tabs.addTab(self.page, tr("Scores"))
        self.tabs.addTab(self._with_files(self.review), tr("Review"))
        self.setWidget(self.tabs)
        runs.listeners.append(self.show_run)
        self.visibilityChanged.connect(self._seen)
        QgsProject.instance().cleared.connect(self.forget)

    def _say_that_nothing_is_open(self):
        self.page.setHtml(f"<p>{said('Evaluate two layers; their scores come here.')}</p>")

    def _seen(self, is_in_front):
        """Another dock came in front of this one, or this one in front again; only docks are told."""
        if not is_in_front:
            self.review.rest()
        elif self.review.is_in_sight():
            self.review.show_again()

    def forget(self):
        """Leave nothing of the runs of a project that was closed; their files stay."""
        self.run, self.cells = None, []
        self.review.close_run()
        self._say_that_nothing_is_open()
        runs.forget()

    def _with_files(self, review):
        both, line = QWidget(self), QHBoxLayout()
        layout = QVBoxLayout(both)
        layout.setContentsMargins(0, 0, 0, 0)
        self.files = FileMenu(review, self)
        button = QPushButton(tr("File"), self)
        button.setMenu(self.files)
        line.addWidget(button)
        line.addStretch(1)
        layout.addLayout(line)
        layout.addWidget(review)
        return both

    def say(self, text):
        """Show a line in the message bar."""
        self.iface.messageBar().pushWarning("geoeval", text)

    def tell(self, text):
        """Show a good message."""
        self.iface.messageBar().pushSuccess("geoeval", text)

    def show_run(self, run):
        """Show the scores of a run and make its errors ready for review."""
        self.run = run
        self.cells = worst_cells(run) if run.file else []
        self.page.setHtml(score_page.page(run, [text for text, _box, _crs in self.cells]))
        self.open_review(run.file)
        self.tabs.setCurrentIndex(0)
        self.setUserVisible(True)
        QTimer.singleShot(AFTER, self._beside_others)
        for text in run.said:
            self.say(text)

    def _beside_others(self):
        """Share the place with the docks on the right, such as the results of Processing, and stay in front."""
        window = self.iface.mainWindow()
        right = Qt.DockWidgetArea.RightDockWidgetArea
        for other in window.findChildren(QDockWidget):
            if (
                other is not self
                and other.isVisible()
                and not other.isFloating()
                and window.dockWidgetArea(other) == right
            ):
                window.tabifyDockWidget(other, self)
        self.setUserVisible(True)

    def open_file(self, path):
        """Open a result file of any day: its layers, its scores and its review."""
        record = run_file.record(path)
        name = runs.unique_name(Path(path).stem, QgsProject.instance())
        result_layers.add(path, QgsProject.instance(), group=name)
        runs.tell(runs.Run(name, record["kind"], record, file=str(path)))

    def open_review(self, path):
        """Review the errors of a result file."""
        if not path:
            return
        try:
            self.review.open(path)
        except run_file.RunFileError as problem:
            self.say(str(problem))

    def _follow(self, url):
        where = url.toString()
        if where == "review":
            self.tabs.setCurrentIndex(1)
            self.review.view.setFocus()
        elif where == "report":
            QDesktopServices.openUrl(QUrl.fromLocalFile(self.run.report))
        elif where.startswith("cell:"):
            _text, box, crs = self.cells[int(where.partition(":")[2])]
            canvas = self.iface.mapCanvas()
            canvas.setExtent(box_on_map(box, crs, canvas))
            canvas.refresh()

    def close_all(self):
        """Leave nothing behind when the plugin is unloaded."""
        if self.show_run in runs.listeners:
            runs.listeners.remove(self.show_run)
        QgsProject.instance().cleared.disconnect(self.forget)
        self.visibilityChanged.disconnect(self._seen)
        self.review.end()


def worst_cells(run):
    """Text, box and CRS of the cells with the lowest headline score."""
    found = headlines(run.result["scores"], run.content)
    layer = QgsVectorLayer(f"{run.file}|layername=grid", "grid", "ogr")
    if not found or not layer.isValid():
        return []
    for metric, score, _value in found:
        facts = description().metrics(run.content).get(metric, {})
        field = facts.get("scores", {}).get(score, "")
        lower = facts.get("declared", {}).get(score, {}).get("better") == "lower"
        if layer.fields().indexOf(field) >= 0 and not lower:
            break
    else:
        return []
    request = QgsFeatureRequest().setFilterExpression(f'"{field}" is not null').setLimit(WORST)
    request.addOrderBy(field, True)
    return [
        (f"{metric.upper()} {row[field]:.3f}", row.geometry().boundingBox(), layer.crs())
        for row in layer.getFeatures(request)
    ]
