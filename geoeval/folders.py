"""Where geoeval keeps what can be made or downloaded again."""

import os
import sys
from pathlib import Path


def user_cache() -> Path:
    """A folder in the one that the system has for such things, or in the one that ``XDG_CACHE_HOME`` names."""
    if named := os.environ.get("XDG_CACHE_HOME"):
        base = Path(named)
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path.home() / ".cache"
    return base / "geoeval"
