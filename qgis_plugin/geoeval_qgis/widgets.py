"""Choosers of metrics and of kinds of errors; QGIS 3.22's own shows blank boxes for named options."""

from processing.gui.wrappers import WidgetWrapper
from qgis.gui import QgsCheckableComboBox
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QComboBox

from . import looks
from .engine import description
from .translation import tr

# Pixels in which the longest description of a metric has room.
LIST_WIDTH = 600


class MetricsWrapper(WidgetWrapper):
    """A list to tick metrics in; the value is the list of their short names, as scripts give it."""

    def createWidget(self, content="roads"):
        box = QgsCheckableComboBox()
        box.setSeparator(", ")
        box.setSizeAdjustPolicy(QgsCheckableComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        box.view().setMinimumWidth(LIST_WIDTH)
        self.titles = titles(content)
        for name, title in self.titles.items():
            box.addItemWithCheckState(title, Qt.CheckState.Unchecked, name)
        box.checkedItemsChanged.connect(lambda _items: self.widgetValueHasChanged.emit(self))
        return box

    def setValue(self, value):
        wanted = value.split(",") if isinstance(value, str) else list(value or ())
        self.widget.deselectAllOptions()
        self.widget.setCheckedItems([self.titles[name] for name in wanted if name in self.titles])

    def value(self):
        return list(self.widget.checkedItemsData())


class LooksWrapper(WidgetWrapper):
    """A list of the sets of kinds in the user's language; the value is the English name, as scripts give it."""

    def createWidget(self, content="roads"):
        box = QComboBox()
        for name in looks.names(content):
            box.addItem(tr(name), name)
        box.currentIndexChanged.connect(lambda _row: self.widgetValueHasChanged.emit(self))
        return box

    def setValue(self, value):
        self.widget.setCurrentIndex(max(0, self.widget.findData(value)))

    def value(self):
        return self.widget.currentData()


def titles(content):
    """Every metric by its name: the name in capitals and what it tells."""
    return {name: f"{name.upper()}: {tr(facts['about'])}" for name, facts in description().metrics(content).items()}
