"""Known errors for objects.

The kinds are the outcomes that the object metrics distinguish (Özdemir, Aksoy et al. 2010): objects missed, invented,
split and merged. Two more only affect how well a match fits: objects shifted and grown.

Errors are isolated, so that each can be found where it was inserted: at least ``clearance`` metres from any other
error and, if they cover new ground, from all other objects. Objects that overlap another object are left unchanged.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
import shapely.affinity
import shapely.ops

from geoeval.arrays import Ints
from geoeval.model.features import ErrorFeatures
from geoeval.model.object_map import ObjectMap
from geoeval.perturbation.free_space import FreeSpace

Maps = tuple[ObjectMap, ObjectMap]

# Random places tried for each false alarm, and directions for each shift.
_PLACES, _DIRECTIONS = 200, 8


@dataclass(frozen=True)
class _Edit:
    """One error: the objects to remove, the polygons to add instead, with their ids, and the polygon to show."""

    gone: tuple[int, ...]
    made: tuple[Any, ...]
    names: tuple[Any, ...]
    shown: Any
    distance: float = np.nan


def _missed(
    objects: ObjectMap, count: int, rng: np.random.Generator, features: ErrorFeatures, *, clearance: float = 1.0
) -> Maps:
    """Remove objects."""
    edits = (_Edit((row,), (), (), objects.polygons[row]) for row in _shuffled(objects, rng))
    return _applied(objects, count, features, "missed", edits, FreeSpace(), clearance)


def _false_alarm(
    objects: ObjectMap, count: int, rng: np.random.Generator, features: ErrorFeatures, *, size: float = 10.0,
    clearance: float = 1.0,
) -> Maps:  # fmt: skip
    """Add squares of side ``size`` on free ground, at most twice their size outside the bounds of the map."""
    if objects.is_empty:
        return objects, objects
    bounds = np.array(objects.bounds) + 2 * size * np.array([-1, -1, 1, 1])

    def squares() -> Iterator[_Edit]:
        for _ in range(_PLACES * count):
            x, y = rng.uniform(bounds[:2], bounds[2:] - size).tolist()
            square = shapely.box(x, y, x + size, y + size)
            yield _Edit((), (square,), (), square)

    return _applied(objects, count, features, "false_alarm", squares(), FreeSpace(objects.polygons), clearance)


def _split(
    objects: ObjectMap, count: int, rng: np.random.Generator, features: ErrorFeatures, *, gap: float = 0.0,
    clearance: float = 1.0,
) -> Maps:  # fmt: skip
    """Cut objects in two through the centroid, across their longer side, with ``gap`` metres between the parts."""

    def halves() -> Iterator[_Edit]:
        for row in _shuffled(objects, rng):
            parts = _cut_in_two(shapely.normalize(objects.polygons[row]), gap)
            if len(parts) == 2:
                names = tuple(f"{objects.ids[row]}/{number}" for number in (1, 2))
                yield _Edit((row,), parts, names, objects.polygons[row], gap)

    return _applied(objects, count, features, "split", halves(), FreeSpace(), clearance)


def _merged(
    objects: ObjectMap, count: int, rng: np.random.Generator, features: ErrorFeatures, *, reach: float = 10.0,
    bridge: float = 2.0, clearance: float = 1.0,
) -> Maps:  # fmt: skip
    """Merge two objects at most ``reach`` metres apart by a bridge, ``bridge`` metres wide, where they are nearest."""
    alone = np.zeros(len(objects), dtype=bool)
    alone[_alone(objects)] = True
    pairs = shapely.STRtree(objects.polygons).query(objects.polygons, "dwithin", reach).T
    pairs = pairs[(pairs[:, 0] < pairs[:, 1]) & alone[pairs].all(axis=1)]
    pairs = rng.permutation(pairs[np.lexsort(pairs.T[::-1])])

    def unions() -> Iterator[_Edit]:
        for a, b in pairs.tolist():
            first, second = shapely.normalize(objects.polygons[[a, b]])
            one, distance = _joined(first, second, bridge)
            if one.geom_type == "Polygon":
                yield _Edit((a, b), (one,), (f"{objects.ids[a]}+{objects.ids[b]}",), one, distance)

    return _applied(objects, count, features, "merge", unions(), FreeSpace(objects.polygons), clearance)


def _shifted(
    objects: ObjectMap, count: int, rng: np.random.Generator, features: ErrorFeatures, *, distance: float = 2.0,
    clearance: float = 1.0,
) -> Maps:  # fmt: skip
    """Move objects in random directions; each still overlaps the ground that it stood on."""

    def moved() -> Iterator[_Edit]:
        for row in _shuffled(objects, rng):
            polygon = objects.polygons[row]
            for angle in rng.uniform(0, 2 * np.pi, _DIRECTIONS):
                there = shapely.affinity.translate(polygon, distance * np.cos(angle), distance * np.sin(angle))
                if shapely.intersection(polygon, there).area > 0:
                    yield _Edit((row,), (there,), (objects.ids[row],), polygon, distance)

    return _applied(objects, count, features, "displaced", moved(), FreeSpace(objects.polygons), clearance)


def _grown(
    objects: ObjectMap, count: int, rng: np.random.Generator, features: ErrorFeatures, *, distance: float = 1.0,
    clearance: float = 1.0,
) -> Maps:  # fmt: skip
    """Move every side of an object outwards; corners stay corners."""

    def larger() -> Iterator[_Edit]:
        for row in _shuffled(objects, rng):
            polygon = objects.polygons[row]
            there = shapely.buffer(polygon, distance, join_style="mitre")
            yield _Edit((row,), (there,), (objects.ids[row],), polygon, distance)

    return _applied(objects, count, features, "boundary", larger(), FreeSpace(objects.polygons), clearance)


ERRORS: dict[str, Callable[..., Maps]] = {
    "missed": _missed,
    "false_alarm": _false_alarm,
    "split": _split,
    "merged": _merged,
    "shifted": _shifted,
    "grown": _grown,
}


def _alone(objects: ObjectMap) -> Ints:
    """Objects that do not overlap another object of the map."""
    return np.setdiff1d(np.arange(len(objects)), objects.overlapping)


def _shuffled(objects: ObjectMap, rng: np.random.Generator) -> list[int]:
    chosen: list[int] = rng.permutation(_alone(objects)).tolist()
    return chosen


def _cut_in_two(polygon: Any, gap: float) -> tuple[Any, ...]:
    """The parts of a polygon after a cut; not two of them where its shape does not allow that."""
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(polygon))
    sides = np.diff(corners, axis=0)[:2]
    length = np.hypot(*sides.T)
    across = sides[np.argmin(length)] / length.min()
    centre = shapely.get_coordinates(shapely.centroid(polygon))[0]
    line = shapely.LineString([centre - length.sum() * across, centre + length.sum() * across])
    if gap == 0:
        return tuple(shapely.ops.split(polygon, line).geoms)
    return tuple(shapely.get_parts(shapely.difference(polygon, line.buffer(gap / 2, cap_style="flat"))))


def _joined(first: Any, second: Any, bridge: float) -> tuple[Any, float]:
    """Both polygons joined, and how far apart they were; polygons with a common wall need no bridge."""
    distance = float(shapely.distance(first, second))
    both = shapely.union(first, second)
    if both.geom_type == "Polygon":
        return both, distance
    line = shapely.shortest_line(first, second)
    return shapely.union(both, shapely.buffer(line, bridge / 2, cap_style="square")), distance


def _applied(
    objects: ObjectMap,
    count: int,
    features: ErrorFeatures,
    kind: str,
    edits: Iterator[_Edit],
    free_space: FreeSpace,
    clearance: float,
) -> Maps:
    """The map, and a copy with the first ``count`` edits that there is room for; adds a feature for each."""
    done: list[_Edit] = []
    while len(done) < count and (edit := next(edits, None)) is not None:
        touched = [*objects.polygons[list(edit.gone)], *edit.made]
        if free_space.take(touched, clearance, own=edit.gone):
            done.append(edit if edit.gone else replace(edit, names=(f"{kind} {len(done) + 1}",)))
    features.add(
        kind,
        [edit.shown for edit in done],
        ref_id=[";".join(str(objects.ids[row]) for row in edit.gone) for edit in done],
        pred_id=[";".join(str(name) for name in edit.names) for edit in done],
        dist_m=[edit.distance for edit in done],
    )
    kept = np.setdiff1d(np.arange(len(objects)), [row for edit in done for row in edit.gone])
    prediction = ObjectMap(
        [*objects.polygons[kept], *(polygon for edit in done for polygon in edit.made)],
        crs=objects.crs,
        ids=[*objects.ids[kept], *(name for edit in done for name in edit.names)],
        problems=objects.problems,
        source=objects.source,
        scale_error=objects.scale_error,
    )
    return objects, prediction
