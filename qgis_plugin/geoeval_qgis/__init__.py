"""Geoeval in QGIS: a thin Processing provider; the engine runs in its own interpreter."""


def classFactory(iface):
    """Make the plugin, as QGIS asks; ``iface`` is None in qgis_process."""
    from .plugin import GeoevalPlugin

    return GeoevalPlugin(iface)
