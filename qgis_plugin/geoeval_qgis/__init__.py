"""Geoeval in QGIS: a thin Processing provider; the engine runs in its own interpreter."""

import sys

# What is loaded already is of an earlier version: after an upgrade QGIS drops only the modules that it saw being
# imported, this one among them.
for _name in [name for name in sys.modules if name.startswith(f"{__name__}.")]:
    del sys.modules[_name]


def classFactory(iface):
    """Make the plugin, as QGIS asks; ``iface`` is None in qgis_process."""
    from .plugin import GeoevalPlugin

    return GeoevalPlugin(iface)
