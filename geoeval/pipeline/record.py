"""What is needed to repeat a run: what was asked for, and the files by the digests of their content."""

import hashlib
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval.contents import SIDES
from geoeval.crs import crs_name
from geoeval.exceptions import UnreadableInputError
from geoeval.files import NAME, SHAPEFILE_PARTS
from geoeval.model.result import readable
from geoeval.pipeline.recorded_call import FILES, RECORDED, FileFacts
from geoeval.readers.patterns import files_of
from geoeval.trust import LIMITS

# Folders that hold no maps: what stands there may wait for ever, or never end.
_NO_MAPS = (("/", "dev"), ("/", "proc"), ("/", "sys"))
# Folders of a path that may be patterns; each more is a search through all folders below.
_MOST_PATTERNS = 2


def record_of(reference: Any, prediction: Any, **asked: Any) -> dict[str, Any]:
    """What a result keeps of the call that made it, as plain values.

    Parameters
    ----------
    reference, prediction
        The inputs; those that are no paths and no places cannot be found again, and are ``None``.
    asked
        Keywords of ``evaluate``; ``None`` and empty ones are left out, and those of which a record says nothing.

    Returns
    -------
    dict
        ``call``, with ``None`` for what cannot be written down; and ``files``: by name in the call the path as given,
        bytes and SHA-256 of each file. O(bytes of the files) time.
    """
    sides = {
        side: one if isinstance(one, str | Path) else None
        for side, one in zip(SIDES, (reference, prediction), strict=True)
    }
    given = {**sides, **{name: value for name, value in asked.items() if name in RECORDED and _is_given(value)}}
    call = {name: _written(value) for name, value in given.items()}
    files = {}
    for name in (*SIDES, *FILES):
        path = given.get(name)
        if isinstance(path, str | Path) and (found := described(Path(path))) is not None:
            files[name] = {"path": readable(str(path)), **found}
    return {"call": call, "files": files}


def described(path: Path) -> dict[str, Any] | None:
    """Bytes and SHA-256 of a file, all parts of a shapefile, all files in a folder or of a pattern; else ``None``."""
    try:
        parts = _parts(path)
        if not parts:
            return None
        size = sum(part.stat().st_size for part in parts)
        if parts == [path]:
            return {"bytes": size, "sha256": _digest(path)}
        whole = hashlib.sha256()
        for part in parts:
            name = part.name if NAME in str(path) else part.relative_to(path.parent).as_posix()
            whole.update(f"{name.removeprefix(path.stem)}\0".encode())
            whole.update(_digest(part).encode())
        return {"bytes": size, "sha256": whole.hexdigest()}
    except (OSError, ValueError, UnreadableInputError):  # whoever reads it says what is wrong
        return None


def find_recorded(about: FileFacts, beside: Path, places: Sequence[Path]) -> tuple[Path | None, bool]:
    """Where a file of a record is now, as an absolute path, and whether it has the content that it had.

    Only files are looked at, and whole folders and patterns of a few: a record of a stranger may name anything.
    """
    named = [place for place in (Path(about.path), beside / about.path) if _is_map(place)]
    for place in (*named, *places):
        if _has_content(place, about):
            return place.absolute(), True
    return (named[0].absolute(), False) if named else (None, False)


def _is_map(path: Path) -> bool:
    """Whether there are files, where files of users are; looking at a share of another machine would call it."""
    try:
        folders = [part for part in path.parts if NAME in part]
        if len(folders) > _MOST_PATTERNS or str(path).startswith(("\\\\", "//")) or _is_of_system(path):
            return False
        parts = _parts(path, most=int(LIMITS["members"].usual))
        return bool(parts) and not any(map(_is_of_system, parts))
    except (OSError, ValueError, RuntimeError, UnreadableInputError):
        return False


def _is_of_system(path: Path) -> bool:
    """Whether a path leads to where the system has its devices."""
    return path.resolve().parts[:2] in _NO_MAPS


def _has_content(place: Path, about: FileFacts) -> bool:
    """Whether a file has the bytes of a record; they are read only where there are as many."""
    if not _is_map(place) or sum(part.stat().st_size for part in _parts(place)) != about.bytes:
        return False
    found = described(place)
    return found is not None and found["sha256"] == about.sha256


def _parts(path: Path, most: int | None = None) -> list[Path]:
    """The files that a path stands for; none where there are more than ``most``."""
    if NAME in str(path):
        return sorted(files_of(str(path)).values())
    if path.is_dir():
        found = sorted(islice((part for part in path.rglob("*") if part.is_file()), None if most is None else most + 1))
        return found if most is None or len(found) <= most else []
    if not path.is_file():
        return []
    if path.suffix.lower() != ".shp":
        return [path]
    return [part for suffix in SHAPEFILE_PARTS if (part := path.with_name(path.stem + suffix)).is_file()]


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_given(value: Any) -> bool:
    return value is not None and not (isinstance(value, Mapping) and not value)


def _written(value: Any) -> Any:
    """A value as JSON knows it; ``None`` where it is too large to be written down or unknown."""
    if isinstance(value, str | bool | int | float):
        return readable(value) if isinstance(value, str) else value
    if isinstance(value, Path):
        return readable(str(value))
    if isinstance(value, CRS):
        return crs_name(value)
    if isinstance(value, Mapping):
        return {str(name): _written(one) for name, one in value.items()}
    if isinstance(value, BaseGeometry):
        return {"wkt": value.wkt}
    if hasattr(value, "union_all") and getattr(value, "crs", None) is not None:
        return {"wkt": shapely.to_wkt(value.union_all(), rounding_precision=-1), "crs": crs_name(value.crs)}
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return value.item()
    if isinstance(value, list | tuple | set):
        return [_written(one) for one in value]
    return None
