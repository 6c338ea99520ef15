"""What tells one machine from another: its system, variables and folders. No QGIS here.

Everything that depends on the system asks a ``Machine``, so that the ways of all three can be tried on any of them.
"""

import os
import shutil
import sys
from pathlib import Path

WINDOWS, MACOS, LINUX = "windows", "macos", "linux"


class Machine:
    """The system, the environment variables, the prefix of QGIS's Python, and where the file system begins."""

    def __init__(self, system=None, variables=None, prefix=None, root="/"):
        self.system = system or (WINDOWS if os.name == "nt" else MACOS if sys.platform == "darwin" else LINUX)
        self.variables = os.environ if variables is None else variables
        self.prefix, self.root = Path(prefix or sys.base_prefix), Path(root)

    def which(self, name):
        """A program on the path."""
        return shutil.which(name, path=self.variables.get("PATH", ""))

    def data_directory(self):
        """The folder for the user's data of programs."""
        if self.system == WINDOWS:
            return Path(self.variables.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        if self.system == MACOS:
            return Path.home() / "Library" / "Application Support"
        return Path(self.variables.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")

    def python_in(self, place):
        """The interpreter of a virtual environment."""
        return place / ("Scripts/python.exe" if self.system == WINDOWS else "bin/python")
