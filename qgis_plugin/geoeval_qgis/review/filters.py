"""Which errors the review shows: by kind, class of road, severity and verdict, in which order."""

from qgis.gui import QgsCheckableComboBox
from qgis.PyQt.QtCore import Qt, pyqtSignal
from qgis.PyQt.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QLabel, QWidget

from ..translation import tr
from .errors import VERDICTS, Filter

STATES = {"left": "still to judge", "all": "all", **{word: title.lower() for word, title in VERDICTS.items()}}


class FilterBar(QWidget):
    """Tells which errors the user wants to see."""

    changed = pyqtSignal(object)

    def __init__(self, parent=None):
        super().__init__(parent)
        self.filling = False
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.kinds, self.classes = QgsCheckableComboBox(self), QgsCheckableComboBox(self)
        self.severity = QDoubleSpinBox(self)
        self.severity.setRange(0.0, 1.0)
        self.severity.setSingleStep(0.1)
        self.severity.setSpecialValueText(tr("any"))
        self.state, self.order = QComboBox(self), QComboBox(self)
        for word, title in STATES.items():
            self.state.addItem(tr(title), word)
        self.order.addItem(tr("largest gain first"), False)
        self.order.addItem(tr("random, for a fair sample"), True)
        rows = (("Kinds", self.kinds, "Classes", self.classes), ("Show", self.state, "Severity from", self.severity),
                ("Order", self.order, "", None))  # fmt: skip
        for row, (first, left, second, right) in enumerate(rows):
            layout.addWidget(QLabel(tr(first)), row, 0)
            layout.addWidget(left, row, 1)
            layout.addWidget(QLabel(tr(second)), row, 2)
            if right is not None:
                layout.addWidget(right, row, 3)
        layout.setColumnStretch(1, 1)
        layout.setColumnStretch(3, 1)
        for box in (self.kinds, self.classes):
            box.setDefaultText(tr("all"))
            box.checkedItemsChanged.connect(self._tell)
        for box in (self.state, self.order):
            box.currentIndexChanged.connect(self._tell)
        self.severity.valueChanged.connect(self._tell)

    def fill(self, errors):
        """Offer the kinds and classes that a run has."""
        self.filling = True
        self.kinds.clear()
        self.classes.clear()
        for kind, label in errors.kinds().items():
            self.kinds.addItemWithCheckState(tr(label), Qt.CheckState.Unchecked, kind)
        for name in errors.classes():
            self.classes.addItemWithCheckState(name, Qt.CheckState.Unchecked, name)
        self.classes.setEnabled(self.classes.count() > 0)
        self.filling = False

    def chosen(self):
        """The filter as it is set."""
        return Filter(
            frozenset(self.kinds.checkedItemsData()), frozenset(self.classes.checkedItemsData()),
            self.severity.value(), self.state.currentData(), self.order.currentData(),
        )  # fmt: skip

    def _tell(self, *_value):
        if not self.filling:
            self.changed.emit(self.chosen())
