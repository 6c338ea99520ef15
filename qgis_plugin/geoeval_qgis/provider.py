"""The provider ``geoeval`` of the Processing toolbox."""

from pathlib import Path

from qgis.core import Qgis, QgsMessageLog, QgsProcessingProvider
from qgis.PyQt.QtGui import QIcon

from . import compat, environment
from .algorithms import every
from .algorithms.base import sentence
from .engine import description

ICON = Path(__file__).parent / "images" / "icon.svg"


class GeoevalProvider(QgsProcessingProvider):
    """Lists every algorithm, even if the engine does not answer; one that cannot run says why."""

    def id(self):
        return "geoeval"

    def name(self):
        return "geoeval"

    def longName(self):
        version = description().version
        return f"geoeval {version}" if version else "geoeval"

    def icon(self):
        return QIcon(str(ICON))

    def svgIconPath(self):
        return str(ICON)

    def load(self):
        environment.read_setting = compat.add_interpreter_setting(self.name(), str(ICON))
        self.refreshAlgorithms()
        return True

    def unload(self):
        compat.remove_interpreter_setting()
        environment.read_setting = None

    def loadAlgorithms(self):
        problem = description().problem
        if problem is not None:
            QgsMessageLog.logMessage(sentence(problem), self.name(), Qgis.MessageLevel.Warning)
        for algorithm in every():
            self.addAlgorithm(algorithm)
