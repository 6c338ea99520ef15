"""The plugin: it adds the Processing provider and nothing else."""

from qgis.core import QgsApplication

from .provider import GeoevalProvider


class GeoevalPlugin:
    """Adds the provider, in the desktop and in qgis_process."""

    def __init__(self, iface):
        self.iface = iface
        self.provider = None

    def initProcessing(self):
        """Called by qgis_process, which has no window."""
        if self.provider is None:
            self.provider = GeoevalProvider()
            QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):
        self.initProcessing()

    def unload(self):
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
