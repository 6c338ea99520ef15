"""The plugin: the Processing provider, and in the desktop a menu, a toolbar button and a dock."""

from qgis.core import QgsApplication

from . import translation
from .algorithms.base import sentence
from .engine import description
from .provider import GeoevalProvider


class GeoevalPlugin:
    """Adds the provider in the desktop and in qgis_process, and what people click on in the desktop."""

    def __init__(self, iface):
        self.iface = iface
        self.provider = self.desktop = None
        self.translator = translation.install()

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
        translation.remove(self.translator)
        self.translator = None
