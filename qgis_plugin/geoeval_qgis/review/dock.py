"""The review: a list of errors, four verdicts, and a map that follows; all of it works by single keys."""

import html
import time

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QItemSelectionModel, Qt, QTimer
from qgis.PyQt.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTableView,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from .. import run_file
from ..translation import tr
from . import judged
from .errors import ERROR, LATER, NOT_AN_ERROR, REFERENCE_IS_WRONG, VERDICTS, ErrorList
from .filters import FilterBar
from .keys import Keys, KeysOnMap
from .map_view import MapView
from .scores_task import ScoresTask
from .table import CLASS, VERDICT, WIDTHS, ErrorTable

# The same keys as on the page of ``geoeval review``.
KEYS = {ERROR: ("1", "E"), NOT_AN_ERROR: ("2", "N"), REFERENCE_IS_WRONG: ("3", "R"), LATER: ("4", "L")}
# Milliseconds without a new verdict before the scores as judged are computed.
CALM = 1200


class ReviewPanel(QWidget):
    """Walks through the errors of one result file."""

    def __init__(self, canvas, parent=None, *, say=None):
        super().__init__(parent)
        self.canvas, self.say = canvas, say or (lambda _text: None)
        self.errors = self.map = self.task = None
        self.since, self.current = time.monotonic(), -1
        # How long the scores as judged take, and what they were for which rejected errors.
        self.seconds_of_scores, self.measured = 0.0, (None, None)
        # Whether somebody asked for them while the engine was busy with another question.
        self.is_measure_wanted = False
        # The errors that were judged, the last at the end, each with the verdict it had before, or None.
        self.done = []
        self.table = ErrorTable(self)
        self._build()
        self.calm = QTimer(self)
        self.calm.setSingleShot(True)
        self.calm.setInterval(CALM)
        self.calm.timeout.connect(self.update_scores)
        self._listen()
        self.setEnabled(False)

    def _build(self):
        layout = QVBoxLayout(self)
        self.filters = FilterBar(self)
        self.filters.changed.connect(self.apply_filter)
        layout.addWidget(self.filters)
        self.view = QTableView(self)
        self.view.setModel(self.table)
        self.view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.verticalHeader().hide()
        # All rows are of one height, so that none but those on the screen is asked for it.
        self.view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.view.verticalHeader().setDefaultSectionSize(22)
        for column, width in WIDTHS.items():
            self.view.setColumnWidth(column, width)
        self.view.horizontalHeader().setSectionResizeMode(VERDICT, QHeaderView.ResizeMode.Stretch)
        self.view.selectionModel().currentRowChanged.connect(lambda new, _old: self.go_to(new.row()))
        layout.addWidget(self.view, 3)
        self.about = QLabel(self)
        self.about.setWordWrap(True)
        layout.addWidget(self.about)
        buttons = QHBoxLayout()
        self.buttons = {}
        for verdict, title in VERDICTS.items():
            button = QPushButton(f"{tr(title)} ({KEYS[verdict][0]})", self)
            button.clicked.connect(lambda _checked=False, word=verdict: self.judge(word))
            buttons.addWidget(button)
            self.buttons[verdict] = button
        layout.addLayout(buttons)
        self.remark = QLineEdit(self)
        self.remark.setPlaceholderText(tr("Remark (M): kept with the verdict; Enter goes back to the list"))
        self.remark.returnPressed.connect(self.keep_remark)
        layout.addWidget(self.remark)
        last = QHBoxLayout()
        self.progress = QLabel(self)
        last.addWidget(self.progress, 1)
        self.on_map = QPushButton(tr("Keys on the map"), self)
        self.on_map.setCheckable(True)
        self.on_map.setToolTip(tr("While this is chosen, the keys work on the map as well; any other tool ends it."))
        last.addWidget(self.on_map)
        layout.addLayout(last)
        self.scores = QTextBrowser(self)
        self.scores.setOpenLinks(False)
        self.scores.anchorClicked.connect(lambda _link: self.update_scores(measure=True))
        layout.addWidget(self.scores, 2)

    def _listen(self):
        """Take keys in the panel, and on the map while its tool is chosen; the arrows stay the map's."""
        key = Qt.Key
        actions = {key.Key_J: self.next, key.Key_K: self.previous, key.Key_B: self.blink, key.Key_U: self.undo,
                   key.Key_0: self.show_again, key.Key_M: self.remark.setFocus}  # fmt: skip
        for word, ways in KEYS.items():
            actions.update({getattr(key, f"Key_{way}"): (lambda verdict=word: self.judge(verdict)) for way in ways})
        arrows = {key.Key_Right: self.next, key.Key_Left: self.previous}
        self.keys = Keys(actions, self, repeated=(key.Key_J, key.Key_K, *arrows), is_on=lambda: self.errors is not None)
        for widget in (self, self.view, *self.buttons.values()):
            self.keys.listen(widget, arrows)
        self.tool = KeysOnMap(self.canvas, self.keys, self.on_map)
        self.on_map.clicked.connect(lambda wanted: self.tool.choose() if wanted else self.tool.put_away())

    def open(self, path):
        """Review the errors of a result file; raises RunFileError."""
        facts = run_file.facts(path)
        errors, seconds = ErrorList(path), judged.seconds_of_scores(path)
        self.close_run()
        self.errors = errors
        self.seconds_of_scores, self.measured, self.is_measure_wanted = seconds, (None, None), False
        self.map = MapView(self.canvas, path, facts["crs"])
        self.filters.fill(errors)
        self.view.setColumnHidden(CLASS, not errors.classes())
        self.setEnabled(True)
        self.apply_filter(self.filters.chosen())
        self.update_scores()

    def showEvent(self, event):
        super().showEvent(event)
        self.show_again()

    def hideEvent(self, event):
        super().hideEvent(event)
        if not event.spontaneous():  # a window that is only minimised keeps all
            self.rest()

    def rest(self):
        """Leave the map and its keys alone while nobody sees the panel."""
        self.tool.put_away()
        if self.map is not None:
            self.map.close()

    def is_in_sight(self):
        """Whether people see the panel; one behind another dock counts as visible for Qt."""
        return self.isVisible() and not self.visibleRegion().isEmpty()

    def close_run(self):
        """Take the review off the map, and what it said off the panel."""
        self.calm.stop()
        self.tool.put_away()
        if self.task is not None:
            self.task.stopped.set()
        if self.map is not None:
            self.map.close()
        self.errors = self.map = None
        self.done, self.current = [], -1
        self.table.show(None)
        for text in (self.about, self.progress, self.remark, self.scores):
            text.clear()
        self.setEnabled(False)

    def end(self):
        """Leave nothing running and nothing on the map, when the plugin is unloaded."""
        self.close_run()
        self.keys.stop()
        self.tool.deleteLater()
        if self.task is not None:
            self.task.end()

    def apply_filter(self, chosen):
        """Show what the filter chose, from its first error on."""
        if self.errors is None:
            return
        self.errors.apply(chosen)
        self.table.show(self.errors)
        self.current = -1
        self._say_progress()
        if self.errors.shown:
            self.select(0)
        else:
            self.about.setText(tr("No error fits the filter."))

    def error(self):
        """The error that is shown, or None."""
        shown = self.errors is not None and 0 <= self.current < len(self.errors.shown)
        return self.table.error(self.current) if shown else None

    def select(self, row):
        """Make a row of the list the current one."""
        index = self.table.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.view.scrollTo(index)

    def go_to(self, row):
        """Show the error in a row."""
        if self.errors is None or not 0 <= row < len(self.errors.shown):
            return
        self.current, self.since = row, time.monotonic()
        error = self.table.error(row)
        said = self.errors.verdicts.get(error.error_id)
        self.remark.setText(said.remark if said is not None else "")
        label = tr(error.label)
        verdict = tr(VERDICTS.get(said.verdict, said.verdict)) if said and said.carried else ""
        earlier = ". " + tr("Judged in an earlier run: {verdict}").format(verdict=verdict) if verdict else ""
        about = f": {error.note}" if error.note else ""
        self.about.setText(f"<b>{html.escape(label)}</b>{html.escape(about + earlier)}")
        if self.is_in_sight():  # a map that nobody asked to move stays where it is
            self.map.show(error)

    def next(self):
        """Go to the next error of the list."""
        if self.errors is not None and self.current + 1 < len(self.errors.shown):
            self.select(self.current + 1)

    def next_left(self):
        """Go to the next error that nobody judged, or just to the next."""
        rows = range(self.current + 1, len(self.errors.shown))
        row = next((one for one in rows if self.errors.is_left(self.table.error(one))), self.current + 1)
        if row < len(self.errors.shown):
            self.select(row)

    def previous(self):
        """Go back to the error before."""
        if self.current > 0:
            self.select(self.current - 1)

    def judge(self, verdict):
        """Keep a verdict on the error that is shown, and go on to the next."""
        error = self.error()
        if error is None:
            return
        before, seconds = self.errors.verdicts.get(error.error_id), time.monotonic() - self.since
        if self._keep(error, verdict, self.remark.text().strip(), seconds):
            self.done.append((error, before))
            self.view.setFocus()
            self.next_left()

    def _keep(self, error, verdict, remark, seconds=None):
        """Keep a verdict in the file; say what went wrong."""
        name = QgsApplication.userFullName() or QgsApplication.userLoginName()
        try:
            self.errors.judge(error, verdict, remark=remark, seconds=seconds, judged_by=name)
        except run_file.RunFileError as problem:
            self.say(str(problem))
            return False
        self._after_change(error)
        return True

    def keep_remark(self):
        """Keep a remark on an error that is judged already; else it waits for the verdict."""
        error = self.error()
        said = self.errors.verdicts.get(error.error_id) if error is not None else None
        if said is not None:
            self._keep(error, said.verdict, self.remark.text().strip())
        self.view.setFocus()

    def undo(self):
        """Take the last verdict back and show its error again."""
        if self.errors is None or not self.done:
            return
        error, before = self.done.pop()
        if before is None:
            self.errors.take_back(error)
        else:
            self.errors.judge(error, before.verdict, remark=before.remark)
        self._after_change(error)
        number = self.errors.errors.index(error)
        if number in self.errors.shown:
            self.select(self.errors.shown.index(number))

    def show_again(self):
        """Zoom to the error once more."""
        if self.error() is not None:
            self.map.show(self.error())

    def blink(self):
        """Show reference and prediction in turn, or stop."""
        if self.map is not None and not self.map.blink():
            self.say(tr("The layers of reference and prediction of this run are not on the map"))

    def _after_change(self, error):
        if self.error() == error:
            self.table.changed(self.current)
        self._say_progress()
        self.calm.start()

    def _say_progress(self):
        self.progress.setText(self.errors.progress_in_words(tr))

    def update_scores(self, *, measure=False):
        """Ask in the background what the verdicts say; scores that take long are measured on demand only."""
        if self.errors is None:
            return
        self.is_measure_wanted = self.is_measure_wanted or measure
        if self.task is not None:  # once more when it is done
            self.calm.start()
            return
        measure, self.is_measure_wanted = self.is_measure_wanted, False
        rejected = self.errors.rejected()
        is_known = self.measured[0] == rejected
        scores = not is_known and (measure or not rejected or self.seconds_of_scores <= judged.AT_ONCE)
        if scores and rejected:
            self.scores.append(f"<i>{html.escape(tr('Measuring the scores as judged...'))}</i>")
        self.task = ScoresTask(self.errors.path, self._show_scores, rejected, scores=scores)
        QgsApplication.taskManager().addTask(self.task)

    def _show_scores(self, task):
        self.task = None
        if self.errors is None or str(task.path) != str(self.errors.path):
            return
        if task.facts is None:
            self.scores.setHtml(f"<p>{html.escape(task.problem)}</p>")
            return
        if task.scores:
            self.measured = (task.rejected, task.facts)
        elif self.measured[0] == task.rejected:
            task.facts.update({name: self.measured[1][name] for name in ("as_judged", "notes")})
        self.scores.setHtml(judged.page(task.facts, self.seconds_of_scores))
