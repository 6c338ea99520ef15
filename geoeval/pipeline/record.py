"""What is needed to repeat a run: what was asked for, and the files by the digests of their content."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval.contents import SIDES
from geoeval.crs import crs_name
from geoeval.exceptions import UnreadableInputError
from geoeval.files import SHAPEFILE_PARTS
from geoeval.model.result import readable
from geoeval.readers.patterns import NAME, files_of

# Keywords of ``evaluate`` whose values may be files.
_FILES = ("aoi", "image", "georeference", "reference_georeference", "prediction_georeference")


def record_of(reference: Any, prediction: Any, **asked: Any) -> dict[str, Any]:
    """What a result keeps of the call that made it, as plain values.

    Parameters
    ----------
    reference, prediction
        The inputs; those that are no paths and no places cannot be found again, and are ``None``.
    asked
        Keywords of ``evaluate`` that the numbers depend on; ``None`` and empty ones are left out.

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
    given = {**sides, **{name: value for name, value in asked.items() if _is_given(value)}}
    call = {name: _written(value) for name, value in given.items()}
    files = {}
    for name in (*SIDES, *_FILES):
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


def is_there(path: Path) -> bool:
    """Whether ``described`` finds anything to describe."""
    try:
        return bool(_parts(path))
    except (OSError, ValueError, UnreadableInputError):
        return False


def _parts(path: Path) -> list[Path]:
    if NAME in str(path):
        return sorted(files_of(str(path)).values())
    if path.is_dir():
        return sorted(part for part in path.rglob("*") if part.is_file())
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
