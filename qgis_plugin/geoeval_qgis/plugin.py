"""The plugin: the Processing provider, and in the desktop a menu, a toolbar button and a dock."""

from pathlib import Path

from qgis.core import QgsApplication

from .algorithms.base import sentence
from .engine import description
from .provider import GeoevalProvider


class GeoevalPlugin:
    """Adds the provider in the desktop and in qgis_process, and what people click on in the desktop."""

    def __init__(self, iface):
        self.iface = iface
        self.provider = self.desktop = self.translator = None
        self._translate()

    def _translate(self):
        """Load the translation into the user's language, if there is one."""
        from qgis.PyQt.QtCore import QCoreApplication, QTranslator

        file = Path(__file__).parent / "i18n" / f"geoeval_{QgsApplication.locale()[:2]}.qm"
        if file.exists():
            self.translator = QTranslator()
            self.translator.load(str(file))
            QCoreApplication.installTranslator(self.translator)

    def initProcessing(self):
        """Add the provider; qgis_process, which has no window, calls only this."""
        if self.provider is None:
            self.provider = GeoevalProvider()
            QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()
        problem = description().problem
        if problem is not None:
            self.iface.messageBar().pushWarning("geoeval", sentence(problem))
        from .desktop import Desktop

        self.desktop = Desktop(self.iface)

    def unload(self):
        if self.desktop is not None:
            self.desktop.remove()
            self.desktop = None
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
        if self.translator is not None:
            from qgis.PyQt.QtCore import QCoreApplication

            QCoreApplication.removeTranslator(self.translator)
            self.translator = None
