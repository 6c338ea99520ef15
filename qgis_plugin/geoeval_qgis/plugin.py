"""The plugin: adds the Processing provider, and shows a warning if the engine does not answer."""

from qgis.core import QgsApplication

from .algorithms.base import sentence
from .engine import description
from .provider import GeoevalProvider


class GeoevalPlugin:
    """Adds the provider, in the desktop and in qgis_process."""

    def __init__(self, iface):
        self.iface = iface
        self.provider = None

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

    def unload(self):
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
