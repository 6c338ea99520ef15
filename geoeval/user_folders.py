"""Folders of the user: for what can be made or downloaded again."""

import os
import sys
from pathlib import Path

from geoeval.exceptions import OutputError


def private_folder(path: Path) -> Path:
    """A folder that belongs to this user alone, made if it is not there: nobody else can put files into it.

    Raises
    ------
    OutputError
        It cannot be made, is not a folder, or belongs to somebody else.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = path.stat()
        if os.name != "posix":
            return path
        if about.st_uid != os.getuid():
            msg = (
                f"{path} belongs to another user, who could change what is in it; set XDG_CACHE_HOME to another folder"
            )
            raise OutputError(msg)
        if about.st_mode & 0o022:
            path.chmod(about.st_mode & 0o755)
    except OSError as error:
        msg = f"{path} cannot be used ({error.strerror}); set XDG_CACHE_HOME to another folder"
        raise OutputError(msg) from error
    return path


def user_cache() -> Path:
    """The directory for files that can be made or downloaded again; ``XDG_CACHE_HOME`` sets another one."""
    named = os.environ.get("XDG_CACHE_HOME")
    if named:
        return Path(named) / "geoeval"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "geoeval" / "Cache"
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "geoeval"
