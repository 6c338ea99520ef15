"""Stores that are kept for later runs, as long as the files that they were made from stay the same."""

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from geoeval import crs as projections
from geoeval.exceptions import OutputError, UnreadableInputError
from geoeval.files import PREFIX, user_cache
from geoeval.readers.osm.osm_file import open_osm
from geoeval.readers.osm.way_classes import way_rule
from geoeval.scale.store.osm_store import store_osm
from geoeval.scale.store.road_store import Store

# Raise it when the same file and options would make another store.
FORMAT = 1
# Seconds after which an unfinished store belongs to a run that was killed.
ABANDONED = 3 * 86400


def cached_store(source: str | Path, *, network_type: str | Sequence[str] = "drive", crs: Any = None) -> Store:
    """The roads of an OpenStreetMap file as a store that is made once and used again.

    It lies in the user's cache folder, named by the content of the file and the options: a file that changed gets a
    new store, a file that was moved keeps its own. A damaged store is made again. Delete the folder to free its space.

    Parameters
    ----------
    source, network_type, crs
        As in ``store_osm``.

    Raises
    ------
    OutputError
        The cache folder cannot be written.
    GeoevalError
        Whatever ``store_osm`` raises.

    Notes
    -----
    O(file) time to recognise the file and O(store) to check the store; else the time of ``store_osm``. Two processes
    that need the same store at the same time may both make it; each gets a complete one.
    """
    rule = way_rule(network_type)
    given = projections.WGS84 if crs is None else projections.parse_crs(crs)
    file = open_osm(Path(source))
    path = store_folder() / f"{_digest(file.path, rule.name, given.to_wkt())}.parquet"
    kept = _whole(path)
    if kept is not None:
        return kept
    _clear_leavings(path.parent)
    try:
        return store_osm(source, path, network_type=network_type, crs=crs, overwrite=True)
    except OutputError as error:
        msg = f"{error} (stores of large files are kept there; set XDG_CACHE_HOME to keep them elsewhere)"
        raise OutputError(msg) from error


def store_folder() -> Path:
    """Where stores are kept."""
    return user_cache() / "stores"


def _digest(path: Path, *options: str) -> str:
    """A name for the content of a file and some options. O(file) time, constant memory."""
    try:
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableInputError(f"{path}: cannot be read ({error.strerror}); check the file") from error
    return hashlib.sha256(json.dumps([FORMAT, content, *options]).encode()).hexdigest()[:32]


def _whole(path: Path) -> Store | None:
    """The store, if it exists and all of it can be read."""
    if not path.is_file():
        return None
    try:
        store = Store(path)
        for _ in store.batches():  # which verifies Parquet's checksums
            pass
    except UnreadableInputError:
        return None
    return store


def _clear_leavings(folder: Path) -> None:
    """Delete what killed runs have left behind, which may be large."""
    for path in folder.glob(f"{PREFIX}*"):
        try:
            old = time.time() - path.stat().st_mtime > ABANDONED
        except OSError:  # another process was quicker
            continue
        if old:
            shutil.rmtree(path, ignore_errors=True)
