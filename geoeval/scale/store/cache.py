"""Stores that are kept for later runs, as long as the files that they were made from stay the same.

The name of a store ends with the digest of its own content. So a store that was damaged, cut or written by somebody
else is recognised before anything opens it, and made again.
"""

import hashlib
import json
import shutil
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from geoeval import crs as projections
from geoeval.exceptions import GeoevalWarning, OutputError, UnreadableInputError
from geoeval.files import PREFIX, temporary_beside
from geoeval.readers.osm.osm_file import open_osm
from geoeval.readers.osm.way_classes import way_rule
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.store.object_store import ObjectStore
from geoeval.scale.store.osm_object_store import store_osm_buildings
from geoeval.scale.store.osm_store import store_osm
from geoeval.scale.store.road_store import Store
from geoeval.user_folders import private_folder, user_cache

Kept = TypeVar("Kept", bound=GroupedFile[Any])

# Raise it when the same file and options would make another store.
FORMAT = 3
# Seconds after which an unfinished store belongs to a run that was killed.
ABANDONED = 3 * 86400


def cached_store(
    source: str | Path,
    *,
    network_type: str | Sequence[str] = "drive",
    crs: Any = None,
    otherwise: Path | None = None,
) -> Store:
    """The roads of an OpenStreetMap file as a store that is made once and used again.

    It lies in the user's cache folder, named by the content of the file and the options: a file that changed gets a
    new store, a file that was moved keeps its own. A damaged store is made again, with a warning. Delete the folder to
    free its space.

    Parameters
    ----------
    source, network_type, crs
        As in ``store_osm``.
    otherwise
        File for a store of this run alone, where the cache folder cannot be used.

    Raises
    ------
    OutputError
        The cache folder cannot be written, or belongs to another user, and there is no ``otherwise``.
    GeoevalError
        Whatever ``store_osm`` raises.

    Notes
    -----
    O(file) time to recognise the file and O(store) to check the store; else the time of ``store_osm``. Two processes
    that need the same store at the same time may both make it; each gets a complete one.

    Warns
    -----
    GeoevalWarning
        A kept store was damaged, or none can be kept.
    """
    options: dict[str, Any] = {"network_type": network_type, "crs": crs}
    return _kept(source, partial(store_osm, **options), Store, way_rule(network_type).name, crs, otherwise)


def cached_object_store(source: str | Path, *, crs: Any = None, otherwise: Path | None = None) -> ObjectStore:
    """The buildings of an OpenStreetMap file as a store that is made once and used again, as ``cached_store`` does."""
    # No rule of ways has a name with a space.
    return _kept(source, partial(store_osm_buildings, crs=crs), ObjectStore, "all buildings", crs, otherwise)


def _kept(
    source: str | Path, make: Callable[..., Kept], opened: Callable[[Path], Kept], content: str, crs: Any,
    otherwise: Path | None,
) -> Kept:  # fmt: skip
    """The kept store of a file, else a new one."""
    given = projections.WGS84 if crs is None else projections.parse_crs(crs)
    file = open_osm(Path(source))
    folder, name = store_folder(), _digest(file.path, content, given.to_wkt())
    try:
        private_folder(folder)
    except OutputError as error:
        if otherwise is None:
            raise OutputError(f"{error}; stores of large files are kept there") from error
        warnings.warn(f"{error}; what was read is not kept for later runs", GeoevalWarning, stacklevel=3)
        return make(source, otherwise, overwrite=True)
    try:
        for kept in sorted(folder.glob(f"{name}-*.parquet")):
            if kept.name == _full_name(name, kept):
                return opened(kept)
            kept.unlink(missing_ok=True)
            warnings.warn(f"{kept} is damaged and is made again", GeoevalWarning, stacklevel=3)
        _clear_leavings(folder)
        with temporary_beside(folder / name) as aside:
            made = aside / "store.parquet"
            make(source, made)
            return opened(made.replace(folder / _full_name(name, made)))
    except OutputError as error:
        msg = f"{error} (stores of large files are kept there; set XDG_CACHE_HOME to keep them elsewhere)"
        raise OutputError(msg) from error


def store_folder() -> Path:
    """Where stores are kept."""
    return user_cache() / "stores"


def _digest(path: Path, *options: str) -> str:
    """A name for the content of a file and some options. O(file) time, constant memory."""
    return hashlib.sha256(json.dumps([FORMAT, _content(path), *options]).encode()).hexdigest()[:32]


def _full_name(name: str, path: Path) -> str:
    """The name that a store of this content has."""
    return f"{name}-{_content(path)[:32]}.parquet"


def _content(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableInputError(f"{path}: cannot be read ({error.strerror}); check the file") from error


def _clear_leavings(folder: Path) -> None:
    """Delete what killed runs have left behind, which may be large."""
    for path in folder.glob(f"{PREFIX}*"):
        try:
            old = time.time() - path.stat().st_mtime > ABANDONED
        except OSError:  # another process was quicker
            continue
        if old:
            shutil.rmtree(path, ignore_errors=True)
