"""Geometries from the text or bytes that files hold them in.

GEOS reads nested ones by recursion, and thousands of them inside each other end the interpreter. Maps need a few: a
collection of multi-polygons of polygons of rings.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects

# Shapefiles mean "no value" by anything beyond 1e38, and nothing on Earth is this far.
FARTHEST = 1e30
_DEEPEST = 16
# The head of a geometry with parts: byte order, and a type from multi-point to multi-surface, plain or with Z and M.
_PARTED = re.compile(
    rb"\x01(?:[\x04-\x0c]\x00\x00[\x00\x20\x40\x60\x80\xa0\xc0\xe0]|[\xec-\xf4]\x03\x00\x00|[\xd4-\xdc]\x07\x00\x00|"
    rb"[\xbc-\xc4]\x0b\x00\x00)|"
    rb"\x00(?:[\x00\x20\x40\x60\x80\xa0\xc0\xe0]\x00\x00[\x04-\x0c]|\x00\x00\x03[\xec-\xf4]|\x00\x00\x07[\xd4-\xdc]|"
    rb"\x00\x00\x0b[\xbc-\xc4])"
)


def geometries_from_wkt(texts: Sequence[str | None]) -> Objects:
    """Geometries; ``None`` for ``None``, for text that is not WKT, and for nesting that no map needs.

    Coordinates beyond anything on Earth are NaN.
    """
    shallow = [None if text is None or _is_deep_text(text) else text for text in texts]
    with np.errstate(invalid="ignore"):  # the caller deals with coordinates that are not numbers
        found = shapely.from_wkt(np.array([None, *shallow], dtype=object), on_invalid="ignore")
    return _without_far_places(np.asarray(found, dtype=object)[1:])


def geometries_from_wkb(values: Objects) -> Objects:
    """Geometries; ``None`` for ``None``, for bytes that are not WKB, and for nesting that no map needs. O(n).

    Coordinates beyond anything on Earth are NaN.
    """
    deep = [row for row, value in enumerate(values) if value is not None and _is_deep(value)]
    if deep:
        values = values.copy()
        values[deep] = None
    found = np.asarray(shapely.from_wkb(values, on_invalid="ignore"), dtype=object).reshape(-1)
    return _without_far_places(found)


def _without_far_places(geometries: Objects) -> Objects:
    """NaN for coordinates that are no place, in geometries that keep their form. O(n)."""
    with np.errstate(invalid="ignore"):
        far = np.asarray(np.abs(shapely.bounds(geometries).reshape(-1, 4)) > FARTHEST).any(axis=1)
    for row in np.flatnonzero(far):
        geometries[row] = _marked(geometries[row])
    return geometries


def _marked(geometry: Any) -> Any:
    """A geometry whose far places are NaN; a ring has them in its middle, as GEOS takes no ring that is not closed."""
    if geometry.geom_type == "Polygon":
        shell, *holes = (_marked_places(ring, is_ring=True) for ring in shapely.get_rings(geometry))
        return shapely.Polygon(shell, holes)
    if hasattr(geometry, "geoms"):
        return type(geometry)([_marked(part) for part in geometry.geoms])
    return shapely.set_coordinates(shapely.force_2d(geometry), _marked_places(geometry))


def _marked_places(line: Any, *, is_ring: bool = False) -> Floats:
    xy: Floats = shapely.get_coordinates(line)
    xy[~(np.abs(xy) <= FARTHEST).all(axis=1)] = np.nan
    if (is_ring or line.geom_type == "LinearRing") and np.isnan(xy[0]).any():
        xy[[0, -1]], xy[1] = 0.0, np.nan
    return xy


def _is_deep_text(text: str) -> bool:
    if text.count("(") <= _DEEPEST:
        return False
    signs = np.frombuffer(text.encode("utf-8", "replace"), dtype=np.uint8)
    depth = np.cumsum((signs == ord("(")).astype(np.int64) - (signs == ord(")")))
    return bool(depth.max() > _DEEPEST)


def _is_deep(value: bytes) -> bool:
    """Whether parts with parts are in it again and again; those of usual geometries are points, lines and polygons."""
    if len(value) < 9 * _DEEPEST or _PARTED.match(value) is None:
        return False
    return sum(1 for _ in zip(_PARTED.finditer(value), range(_DEEPEST + 1), strict=False)) > _DEEPEST
