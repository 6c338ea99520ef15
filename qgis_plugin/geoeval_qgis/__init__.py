"""Geoeval in QGIS: a thin Processing provider; the engine runs in an interpreter of its own."""


def classFactory(iface):
    """What QGIS calls to make the plugin; ``iface`` is None in qgis_process."""
    from .plugin import GeoevalPlugin

    return GeoevalPlugin(iface)
