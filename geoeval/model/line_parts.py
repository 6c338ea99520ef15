"""Lines of any kind as one array of coordinates with the segments between them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from geoeval.arrays import Floats, Ints, Objects, writable
from geoeval.exceptions import ParameterError

_LINE_TYPES = (1, 2)  # LineString, LinearRing
_MULTI = (5, 7)  # MultiLineString, GeometryCollection


@dataclass
class NetworkParts:
    """Vertices of many lines, the segments between consecutive ones, and the id of each segment's line."""

    coordinates: Floats
    segments: Ints
    ids: NDArray[Any]
    problems: dict[str, int] = field(default_factory=dict)


def network_parts(lines: Iterable[Any], ids: Iterable[Any] | None = None) -> NetworkParts:
    """Take lines apart; geometries that are not lines are dropped and counted in ``problems``."""
    geometries = as_geometries(lines)
    names = np.arange(len(geometries)) if ids is None else _as_array(ids)
    if len(names) != len(geometries):
        raise ParameterError(f"{len(names)} ids for {len(geometries)} lines; give one id per line")
    problems: dict[str, int] = {}

    def drop(mask: Any, why: str) -> None:
        nonlocal geometries, names
        if mask.any():
            problems[why] = problems.get(why, 0) + int(mask.sum())
            geometries, names = geometries[~mask], names[~mask]

    drop(shapely.is_missing(geometries), "null_geometries")
    # MultiLineStrings may sit inside collections, so take apart until nothing is left to take apart.
    while len(geometries) and np.isin(shapely.get_type_id(geometries), _MULTI).any():
        drop(shapely.is_empty(geometries), "empty_geometries")
        drop(~np.isin(shapely.get_type_id(geometries), (*_LINE_TYPES, *_MULTI)), "not_lines")
        geometries, part_of = shapely.get_parts(writable(geometries), return_index=True)
        names = names[part_of]
    if len(geometries):
        drop(np.asarray(shapely.is_empty(geometries)), "empty_geometries")
    if len(geometries):
        drop(~np.isin(shapely.get_type_id(geometries), _LINE_TYPES), "not_lines")
    if len(geometries) == 0:
        return NetworkParts(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.int64), names[:0], problems)

    coordinates, line = shapely.get_coordinates(geometries, return_index=True)
    finite: Any = np.isfinite(coordinates).all(axis=1)
    if not finite.all():
        problems["vertices_not_a_number"] = int((~finite).sum())
    joined = (np.diff(line) == 0) & finite[:-1] & finite[1:]
    first = np.flatnonzero(joined)
    # Vertices without a segment would pull the projection towards them.
    used = np.zeros(len(coordinates), dtype=bool)
    used[first] = used[first + 1] = True
    number = np.cumsum(used) - 1
    segments = np.column_stack([number[first], number[first + 1]])
    return NetworkParts(coordinates[used], segments, names[line[first]], problems)


def as_geometries(lines: Iterable[Any]) -> Objects:
    """Lines as shapely geometries, where they may be given as coordinates too."""
    return np.array([None, *(_as_geometry(line) for line in lines)], dtype=object)[1:]


def _as_geometry(line: Any) -> BaseGeometry | None:
    if line is None or isinstance(line, BaseGeometry):
        return line
    coordinates = np.asarray(line, dtype=np.float64)
    if coordinates.size == 0 or len(coordinates) < 2:
        return shapely.LineString()
    with np.errstate(invalid="ignore"):  # a coordinate that is not a number is counted later
        return shapely.LineString(coordinates[:, :2])


def _as_array(ids: Iterable[Any]) -> NDArray[Any]:
    values = list(ids)
    array = np.asarray(values)
    if array.ndim == 1:
        return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
