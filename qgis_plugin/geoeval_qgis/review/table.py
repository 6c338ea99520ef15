"""The list of errors in the panel; it asks for what is on the screen only, so its length does not matter."""

from qgis.PyQt.QtCore import QAbstractTableModel, Qt
from qgis.PyQt.QtGui import QColor

from ..engine import description
from ..translation import tr
from .errors import VERDICTS

TITLES = ("", "Kind", "Verdict", "Length", "Gain", "Severity", "Class")
VERDICT, CLASS = TITLES.index("Verdict"), TITLES.index("Class")
# Pixels of every column but the verdict's, which takes what is left.
WIDTHS = {0: 40, 1: 106, 3: 60, 4: 64, 5: 66, 6: 90}


class ErrorTable(QAbstractTableModel):
    """The errors that are shown, in order."""

    def __init__(self, parent=None):
        super().__init__(parent)
        self.list = None

    def show(self, errors):
        """Show a list of errors, or what its filter chose anew."""
        self.beginResetModel()
        self.list = errors
        self.endResetModel()

    def error(self, row):
        """The error in a row."""
        return self.list.errors[self.list.shown[row]]

    def changed(self, row):
        """Draw a row again."""
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(TITLES) - 1))

    def rowCount(self, parent=None):
        return 0 if self.list is None or (parent is not None and parent.isValid()) else len(self.list.shown)

    def columnCount(self, parent=None):
        return 0 if parent is not None and parent.isValid() else len(TITLES)

    def headerData(self, section, orientation, role=Qt.ItemDataRole.DisplayRole):
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return tr(TITLES[section])

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        if not index.isValid():
            return None
        error = self.error(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(error, index)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 1:
            kind = description().error_kinds.get(error.kind)
            return QColor(kind["colour"]) if kind is not None else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return (self._verdict(error) if index.column() == VERDICT else error.note) or None
        return None

    def _verdict(self, error):
        said = self.list.verdicts.get(error.error_id)
        if said is None:
            return ""
        verdict = tr(VERDICTS.get(said.verdict, said.verdict))
        return tr("{verdict} (earlier)").format(verdict=verdict) if said.carried else verdict

    def _text(self, error, index):
        return (
            f"{self.list.shown[index.row()] + 1:,}",
            tr(error.label),
            self._verdict(error),
            "" if error.length_m is None else f"{error.length_m:,.0f} {self.list.unit}".removesuffix(" units"),
            "" if error.gain is None else f"{error.gain:.5f}",
            "" if error.severity is None else f"{error.severity:.2f}",
            error.road_class or "",
        )[index.column()]
