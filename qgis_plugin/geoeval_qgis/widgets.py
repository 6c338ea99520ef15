"""Choosers of metrics and of kinds of errors; QGIS 3.22's own shows blank boxes for named options."""

from processing.gui.wrappers import WidgetWrapper
from qgis.core import QgsProcessingModelChildParameterSource
from qgis.gui import QgsCheckableComboBox, QgsGui
from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import QComboBox

from . import looks
from .engine import description
from .translation import tr

# Pixels in which the longest description of a metric has room.
LIST_WIDTH = 600
# The class of the dialog in which a step of a model is described.
DESIGNER = "ModelerParametersDialog"


class MetricsWrapper(WidgetWrapper):
    """A list to tick metrics in; the value is their short names with commas, and in a model the list of them.

    Scripts give a list, too. In the history QGIS 3.22 writes a list of names as an empty text, which cannot be run.
    """

    def createWidget(self, content="roads"):
        box = QgsCheckableComboBox()
        box.setSeparator(", ")
        box.setSizeAdjustPolicy(QgsCheckableComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        box.view().setMinimumWidth(LIST_WIDTH)
        self.titles = titles(content)
        for name, title in self.titles.items():
            box.addItemWithCheckState(title, Qt.CheckState.Unchecked, name)
        # In the designer of models: what the value is taken from, until something is ticked.
        self.source = None
        box.checkedItemsChanged.connect(self._changed)
        return box

    def _changed(self, _items):
        self.source = None
        self.widgetValueHasChanged.emit(self)

    def setValue(self, value):
        if isinstance(value, QgsProcessingModelChildParameterSource):
            self.widget.deselectAllOptions()
            self.widget.setDefaultText(str(self.dialog.resolveValueDescription(value)))
            self.source = value
            return
        wanted = value.split(",") if isinstance(value, str) else list(value or ())
        self.widget.deselectAllOptions()
        self.widget.setCheckedItems([self.titles[name] for name in wanted if name in self.titles])

    def value(self):
        if self.source is not None:
            return self.source
        names = list(self.widget.checkedItemsData())
        return names if type(self.dialog).__name__ == DESIGNER else ",".join(names)


class LooksWrapper(WidgetWrapper):
    """A list of the sets of kinds in the user's language; the value is the English name, as scripts give it."""

    def __new__(cls, parameter, dialog, *place, **options):
        """In the designer of models QGIS' own, which takes inputs of the model and expressions too."""
        if type(dialog).__name__ != DESIGNER:
            return super().__new__(cls, parameter, dialog, *place, **options)
        own = QgsGui.processingGuiRegistry().createModelerParameterWidget(
            dialog.model, dialog.childId, parameter, dialog.context
        )
        own.setDialog(dialog)
        return own

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
