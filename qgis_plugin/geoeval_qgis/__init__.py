"""Geoeval in QGIS: a thin Processing provider; the engine runs in its own interpreter."""

import sys


def classFactory(iface):
    """Make the plugin, as QGIS asks; ``iface`` is None in qgis_process."""
    _forget_other_versions()
    from .plugin import GeoevalPlugin

    return GeoevalPlugin(iface)


def _forget_other_versions():
    """Drop modules of an earlier version: after an upgrade QGIS drops only those that it saw being imported."""
    for name in [name for name in sys.modules if name.startswith(f"{__name__}.")]:
        del sys.modules[name]
        globals().pop(name.rpartition(".")[2], None)
