"""The pairs of places that the path metrics compare: control points, random pairs, or pairs that the user gives."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import Location, project
from geoeval.roads.paths.shortest_paths import PathFinder, Places, Route

_MOST_CALLS = 25
# Metres; coordinates are known to a micrometre.
_EQUALLY_NEAR = 1e-6


@dataclass(frozen=True)
class ControlPoints:
    """Places at all ends and junctions and at equal steps along the roads between them.

    ``road``, ``at``, ``half_step`` and ``point`` list them road by road, both ends included: an end or junction
    is listed once for each road that meets there.
    """

    places: Places
    road: Ints
    at: Floats
    half_step: Floats
    point: Ints


def control_points(paths: PathFinder, spacing: float) -> ControlPoints:
    """Every end and junction, and places in equal steps of at most ``spacing`` metres along each road.

    Loops and rings have at least two steps, so that each has a point besides its end. A ring without a junction starts
    at its westernmost point. Ends made by clipping count: the road reaches that far. O(k + r).
    """
    ends, length = paths.graph.ends, paths.graph.length
    steps = np.maximum(np.ceil(length / spacing - 1e-9), np.where(ends[:, 0] == ends[:, 1], 2, 1)).astype(np.int64)
    road = np.repeat(np.arange(len(length)), steps + 1)
    rank = np.arange(len(road)) - np.repeat(np.cumsum(steps + 1) - steps - 1, steps + 1)
    step = length[road] / steps[road]
    first, last = rank == 0, rank == steps[road]
    at = np.where(last, length[road], rank * step)

    inner = ~first & ~last
    vertices = len(paths.graph.xy)
    point = np.where(first, ends[road, 0], ends[road, 1])
    point[inner] = vertices + np.arange(inner.sum())
    _, shown = np.unique(point, return_index=True)
    return ControlPoints(paths.places_on(road[shown], at[shown]), road, at, step / 2, point)


def random_pairs(paths: PathFinder, count: int, rng: np.random.Generator) -> tuple[Places, Places]:
    """Pairs of different places, both uniform in length, among the pairs whose places are connected.

    The same as drawing both places anywhere and again if they are not connected, but in one go: first the component,
    with a chance in proportion to the square of its length, then both places in it. O(r + count log r).
    """
    lengths = paths.graph.length
    # Components are numbered by their first road, so that geometry alone decides.
    _, first, component = np.unique(paths.component, return_index=True, return_inverse=True)
    component = np.argsort(np.argsort(first))[component]
    order = np.argsort(component, kind="stable")
    sizes = np.bincount(component, weights=lengths)
    chance = np.cumsum(sizes**2)
    before = np.cumsum(sizes) - sizes
    reach = np.cumsum(lengths[order])

    draws = rng.random((count, 3))
    while True:
        chosen = np.minimum(np.searchsorted(chance, draws[:, 0] * chance[-1], side="right"), len(sizes) - 1)
        metres = before[chosen, None] + draws[:, 1:] * sizes[chosen, None]
        rank = np.minimum(np.searchsorted(reach, metres, side="right"), len(reach) - 1)
        road = order[rank]
        at = np.clip(metres - (reach[rank] - lengths[road]), 0.0, lengths[road])
        start, end = (paths.places_on(np.ascontiguousarray(road[:, i]), at[:, i]) for i in (0, 1))
        same = (start.road == end.road) & (start.at == end.at)
        if not same.any():
            return start, end
        draws[same] = rng.random((int(same.sum()), 3))


@dataclass(frozen=True)
class PathComparison:
    """Pairs of places in two networks: path lengths (inf: none), the paths themselves, partners of the places."""

    here: Floats
    there: Floats
    routes: list[Route | None]
    partners: tuple[Places, Places]

    def through(self, rows: Ints, weight: Floats, count: int) -> Floats:
        """For each of ``count`` roads, the weights ``(rows, 2)`` of the chosen paths that use it; once a path."""
        used = [sorted({road for road, _, _ in self.routes[i] or ()}) for i in rows.tolist()]
        road = np.array([one for roads in used for one in roads], dtype=np.int64)
        path = np.repeat(np.arange(len(used)), [len(roads) for roads in used])
        return np.column_stack([np.bincount(road, weight[path, i], minlength=count) for i in range(2)])

    @property
    def away(self) -> Bools:
        """Which places ``(n, 2)`` have no partner."""
        return np.column_stack([places.road < 0 for places in self.partners])


def compare_pairs(
    here: PathFinder, there: PathFinder, start: Places, end: Places, max_distance: float, tick: Callable[[int], None]
) -> PathComparison:
    """The shortest path of each pair, and its length between the nearest places of the other network."""
    first, last = (partners(here, there, places, max_distance) for places in (start, end))
    linked = there.connected(first, last)
    own, other = np.full(len(start), np.inf), np.full(len(start), np.inf)
    routes = []
    for i in range(len(start)):
        tick(i)
        route = here.route(start, end, i)
        routes.append(route)
        if route is not None:
            own[i] = sum(abs(to - since) for _, since, to in route)
        if linked[i]:
            other[i] = there.length(first, last, i)
    return PathComparison(own, other, routes, (first, last))


def given_pairs(paths: PathFinder, pairs: Floats) -> tuple[Places, Places]:
    """The nearest places of the network for pairs of coordinates ``(n, 2, 2)``."""
    start, end = (paths.places(paths.network.nearest(pairs[:, i])) for i in (0, 1))
    return start, end


def partners(here: PathFinder, there: PathFinder, places: Places, max_distance: float) -> Places:
    """The nearest place of the other network for each place; road -1 where it is farther than ``max_distance``.

    Where roads cross without joining or lie on each other, several are equally near. Then the very segment that the
    place is on is taken, if the other network has it, else the one most parallel to the place's own road: so a road
    over a bridge is its own partner and not the road below. O(n log m).
    """
    network = there.network
    somewhere = np.flatnonzero(places.road >= 0)
    found = network.nearest(places.xy[somewhere], max_distance=max_distance)
    reached = found.segment >= 0
    near = somewhere[reached]
    query, candidate = network.tree.query(
        shapely.points(places.xy[near]), predicate="dwithin", distance=found.distance[reached] + _EQUALLY_NEAR
    )
    point = near[query]
    along, foot, gap = project(places.xy[point], network.nodes[network.segments[candidate]])
    ends = [
        one.network.nodes[one.network.segments[row]] for one, row in ((here, places.segment[point]), (there, candidate))
    ]
    other_segment = np.abs(ends[0] - ends[1]).max(axis=(1, 2), initial=0.0) > _EQUALLY_NEAR
    own, other = _directions(here, places.segment[point]), _directions(there, candidate)
    turn = np.round(1.0 - np.abs(np.einsum("ij,ij->i", own, other)), 6)
    order = np.lexsort([candidate, np.round(foot[:, 1], 6), np.round(foot[:, 0], 6), turn, other_segment, point])
    best = order[np.r_[True, np.diff(point[order]) > 0]] if len(order) else order
    chosen = point[best]
    segment, offset = np.full(len(places), -1, dtype=np.int64), np.zeros(len(places))
    xy, distance = np.full((len(places), 2), np.nan), np.full(len(places), np.inf)
    segment[chosen], offset[chosen], xy[chosen], distance[chosen] = candidate[best], along[best], foot[best], gap[best]
    return there.places(Location(segment, offset, xy, distance))


def _directions(paths: PathFinder, segment: Ints) -> Floats:
    """Unit vectors along segments."""
    ends = paths.network.nodes[paths.network.segments[segment]]
    return (ends[:, 1] - ends[:, 0]) / paths.network.segment_lengths[segment, None]


def parse_pairs(pairs: Any) -> int | str | Floats:
    """Read the parameter ``pairs``: a number of random pairs, ``"all"``, or coordinates ``(n, 2, 2)``."""
    if isinstance(pairs, str) and pairs == "all":
        return "all"
    if isinstance(pairs, int | float | np.integer | np.floating) and not isinstance(pairs, bool):
        if not (1 <= pairs < np.inf) or pairs != int(pairs):
            raise ParameterError(f"pairs is {pairs}; give a whole number from 1 on, 'all', or a list of pairs")
        return int(pairs)
    try:
        given = np.array(pairs, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.full(1, np.nan)
    if given.size == 0:
        return np.zeros((0, 2, 2))
    if given.ndim != 3 or given.shape[1:] != (2, 2) or not np.isfinite(given).all():
        raise ParameterError("pairs cannot be read; give a number, 'all', or a list of pairs ((x, y), (x, y))")
    return given


def check_length(name: str, value: Any, *, zero: bool = True) -> float:
    """A length or share as a float; raises unless it is a number of at least 0, or above 0 without ``zero``."""
    number = float(value) if isinstance(value, int | float | np.number) and not isinstance(value, bool) else np.nan
    if not np.isfinite(number) or number < 0 or (number == 0 and not zero):
        raise ParameterError(f"{name} is {value!r}; give a number {'of at least' if zero else 'above'} 0")
    return number


def ticker(
    progress: Callable[[float], None] | None, total: int, *, begin: float = 0.0, end: float = 1.0
) -> Callable[[int], None]:
    """A function to call with each number from 0 to total - 1, which reports from time to time."""
    if progress is None:
        return lambda _: None
    every = -(-total // _MOST_CALLS)
    return lambda i: progress(begin + (end - begin) * i / total) if i % every == 0 else None
