"""Geometries as stored in files, as shapely ones; anything that is not read is counted."""

import struct
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.stored_geometries import geometries_from_wkb

KINDS = {0: "points", 1: "lines", 2: "lines", 3: "polygons", 4: "points", 5: "lines", 6: "polygons", 7: "collections"}
_PARTS = (4, 5, 6, 7, 15, 16)  # multi-parts, collections, and surfaces made of patches
_RINGS = (3, 17)  # polygons, triangles
_EXTRA_NUMBERS = (0, 1, 1, 2)  # plain, Z, M, ZM


def decode(wkb: Objects) -> tuple[Objects, dict[str, int]]:
    """Shapely geometries, ``None`` for ``None``, and counts of what was dropped.

    Surfaces unknown to shapely (TIN, multipatch) are dropped as ``not_lines``, parts of a single point as
    ``lines_of_one_point``, bytes that are not a geometry as ``unreadable_geometries``; the other parts of such a
    geometry are kept. Coordinates beyond anything on Earth become NaN. O(n).
    """
    geometries = geometries_from_wkb(wkb)
    problems: dict[str, int] = {}
    present = np.fromiter((value is not None for value in wkb), dtype=bool, count=len(wkb))
    for row in np.flatnonzero(shapely.is_missing(geometries) & present):
        geometries[row] = _mended(bytes(wkb[row]), problems)
    return geometries, problems


def kinds_of(geometries: Objects) -> list[str]:
    """The kinds of geometries that occur: ``points``, ``lines``, ``polygons``, ``collections``."""
    types = np.unique(shapely.get_type_id(geometries[~shapely.is_missing(geometries)]))
    return sorted({KINDS[int(number)] for number in types})


def _mended(data: bytes, problems: dict[str, int]) -> Any:
    """The lines in a geometry that shapely cannot read; empty if there are none."""
    found: dict[str, int] = {}
    lines: list[Floats] = []
    try:
        _walk(data, 0, lines, found)
    except (struct.error, ValueError, IndexError, RecursionError):
        found = {"unreadable_geometries": 1}
        lines = []
    for what, number in found.items():
        problems[what] = problems.get(what, 0) + number
    return shapely.MultiLineString(lines)


def _walk(data: bytes, at: int, lines: list[Floats], found: dict[str, int]) -> int:
    """Collect the lines from ``at`` on; returns where the geometry ends."""
    order = "<" if data[at] else ">"
    (code,) = struct.unpack_from(f"{order}I", data, at + 1)
    plain = code & 0x1FFFFFFF
    kind = plain % 1000
    numbers = 2 + _EXTRA_NUMBERS[plain // 1000] + (code >> 31) + (code >> 30 & 1)
    at += 5
    if kind == 1:
        _count(found, "not_lines")
        return at + 8 * numbers
    (count,) = struct.unpack_from(f"{order}I", data, at)
    at += 4
    if kind == 2:
        if count > 1:
            xy = np.frombuffer(data, dtype=f"{order}f8", count=count * numbers, offset=at)
            lines.append(xy.reshape(count, numbers)[:, :2].astype(np.float64))
        else:
            _count(found, "lines_of_one_point")
        return at + 8 * numbers * count
    if kind in _RINGS:
        for _ in range(count):
            at += 4 + 8 * numbers * int(struct.unpack_from(f"{order}I", data, at)[0])
        _count(found, "not_lines")
        return at
    if kind not in _PARTS:
        raise ValueError(kind)
    before = found.get("not_lines", 0)
    for _ in range(count):
        at = _walk(data, at, lines, found)
    if found.get("not_lines", 0) > before:
        found["not_lines"] = before + 1  # the many patches of a surface are one thing
    return at


def _count(found: dict[str, int], what: str) -> None:
    found[what] = found.get(what, 0) + 1
