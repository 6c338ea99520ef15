"""Control points around a place: where a traveller along the roads passes each multiple of a spacing.

They are level sets of the network distance (SUBG and OPT-G, Citraro, Koziński and Fua 2020, sections 2.4 and 3.3):
every place whose shortest way from the start is exactly ``k * spacing`` long, for ``k = 0, 1, ...`` up to the radius.
Along a road of length L whose ends are at distances Du and Dv, the distance rises from both ends and peaks at
(Du + Dv + L) / 2, so each level is met once from either end, only once at the peak, and once at a node however many
roads it has.
"""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval._kernels.heap import heap_pop, heap_push
from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork

# Coordinates are rounded to a micrometre, so two ways of the same true length may differ by about that. A level this
# near to the peak of a road is at the peak; a level within twice that of a node is at the node, because a peak may lie
# as far from the node again.
_AT_PEAK = 1e-6
_AT_NODE = 2e-6


@dataclass(frozen=True)
class ReachedPoints:
    """Control points of many starts, one after the other.

    Attributes
    ----------
    first
        The control points of start i are ``first[i]:first[i + 1]``.
    xy
        Coordinates ``(p, 2)``.
    road, along
        The road that each lies on, and the metres along it.
    """

    first: Ints
    xy: Floats
    road: Ints
    along: Floats

    @property
    def count(self) -> Ints:
        """Number of control points of each start."""
        return np.diff(self.first)

    @property
    def start(self) -> Ints:
        """For each control point the number of its start."""
        return np.repeat(np.arange(len(self.first) - 1), self.count)


class Reach:
    """A network prepared for travelling from many starts; working memory is kept from one start to the next.

    The search goes from junction to junction, so vertices of degree 2 leave no trace. Making one is O(n); two threads
    must not use it at once.
    """

    def __init__(self, network: RoadNetwork) -> None:
        roads = network.roads
        nodes, ends = np.unique(roads.ends, return_inverse=True)
        self.network = network
        self._ends = np.ascontiguousarray(ends.reshape(-1, 2), dtype=np.int64)
        # Road r leaves its first node as 2r and its last node as 2r + 1.
        halves = self._ends.ravel()
        self._half = np.argsort(halves, kind="stable")
        self._half_first = np.searchsorted(halves[self._half], np.arange(len(nodes) + 1)).astype(np.int64)
        self._path_xy = np.ascontiguousarray(network.nodes[roads.path])
        self._path_at = np.zeros(len(roads.path))
        begins = np.ones(len(roads.path), dtype=bool)
        begins[roads.node_start[1:] - 1] = False
        self._path_at[begins] = roads.offset_of[roads.path_segment]
        self._path_at[roads.node_start[1:] - 1] = roads.length
        self._path_first = np.ascontiguousarray(roads.node_start)
        self._length = np.ascontiguousarray(roads.length)
        self._distance = np.zeros(len(nodes))
        self._stamp = np.zeros(len(nodes), dtype=np.int64)
        self._used_stamps = 0
        self._points_per_start = 200.0  # a guess; made larger where it was too small

    def control_points(self, segment: Ints, offset: Floats, *, radius: float, spacing: float) -> ReachedPoints:
        """Control points around starts given as segment and metres along it; none where the segment is -1.

        Their order follows from the geometry. O(k log k + p) per start for k roads and p control points within the
        radius. An empty network has none.
        """
        road = np.full(len(segment), -1, dtype=np.int64)
        along = np.zeros(len(segment))
        given = np.asarray(segment) >= 0
        road[given], along[given] = self.network.roads.along(
            segment[given], offset[given], self.network.segment_lengths
        )
        levels = int(np.floor(radius / spacing + 1e-9))
        first = np.zeros(len(road) + 1, dtype=np.int64)
        graph = (self._ends, self._length, self._half_first, self._half, self._distance, self._stamp)
        capacity = int(self._points_per_start * len(road)) + 1
        while True:
            on_road, metres = np.empty(capacity, dtype=np.int64), np.empty(capacity)
            _travel(road, along, levels, float(spacing), *graph, self._used_stamps, first, on_road, metres)
            self._used_stamps += len(road)
            count = int(first[-1])
            if count <= capacity:
                break
            capacity = count
        self._points_per_start = max(self._points_per_start, 1.2 * count / max(len(road), 1))
        on_road, metres = on_road[:count].copy(), metres[:count].copy()
        xy = np.empty((count, 2))
        _interpolate(on_road, metres, self._path_first, self._path_at, self._path_xy, xy)
        return ReachedPoints(first, xy, on_road, metres)


@kernel
def _travel(
    start_road: Ints,
    start_along: Floats,
    levels: int,
    spacing: float,
    ends: Ints,
    length: Floats,
    half_first: Ints,
    half: Ints,
    distance: Floats,
    stamp: Ints,
    used_stamps: int,
    first: Ints,
    roads: Ints,
    along: Floats,
) -> None:
    """Write the control points of all starts as far as they fit; ``first`` says how many there are.

    ``distance[node]`` is valid for a start if ``stamp[node]`` is its own, so that nothing is reset between starts.
    """
    limit = levels * spacing + _AT_NODE
    keys, items = np.empty(len(half) + 2), np.empty(len(half) + 2, dtype=np.int64)
    reached = np.empty(len(stamp), dtype=np.int64)
    count = 0
    for s in range(len(start_road)):
        first[s] = count
        road = start_road[s]
        if road < 0:
            continue
        mine = used_stamps + s + 1
        at, whole = start_along[s], length[road]
        size = 0
        for side in range(2):
            gap = at if side == 0 else whole - at
            node = ends[road, side]
            if gap <= limit and (stamp[node] != mine or gap < distance[node]):
                stamp[node] = mine
                distance[node] = 0.0 if gap <= _AT_NODE else gap
                size = heap_push(keys, items, size, distance[node], node)
        inside = at > _AT_NODE and whole - at > _AT_NODE  # else the start is a node
        reached_count = 0
        while size > 0:
            gone, node = keys[0], items[0]
            size = heap_pop(keys, items, size)
            if gone > distance[node]:
                continue
            reached[reached_count] = node
            reached_count += 1
            for h in range(half_first[node], half_first[node + 1]):
                other = ends[half[h] >> 1, 1 - (half[h] & 1)]
                there = gone + length[half[h] >> 1]
                if there <= limit and (stamp[other] != mine or there < distance[other]):
                    stamp[other] = mine
                    distance[other] = there
                    size = heap_push(keys, items, size, there, other)

        # From here on nodes in their own order, so that equally near ones do not change places by rounding.
        for i in range(reached_count):
            size = heap_push(keys, items, size, float(reached[i]), reached[i])
        if inside:
            if count < len(roads):
                roads[count], along[count] = road, at
            low = distance[ends[road, 0]] if stamp[ends[road, 0]] == mine else np.inf
            high = distance[ends[road, 1]] if stamp[ends[road, 1]] == mine else np.inf
            count = _levels_between(count + 1, road, 0.0, at, low, 0.0, levels, spacing, roads, along)
            count = _levels_between(count, road, at, whole, 0.0, high, levels, spacing, roads, along)
        while size > 0:
            node = items[0]
            size = heap_pop(keys, items, size)
            own = distance[node]
            if abs(own - np.rint(own / spacing) * spacing) <= _AT_NODE:
                if count < len(roads):
                    r = half[half_first[node]] >> 1
                    roads[count], along[count] = r, length[r] * (half[half_first[node]] & 1)
                count += 1
            for h in range(half_first[node], half_first[node + 1]):
                r = half[h] >> 1
                low_known, high_known = stamp[ends[r, 0]] == mine, stamp[ends[r, 1]] == mine
                if (inside and r == road) or (half[h] & 1 and low_known):
                    continue  # done already, or when its first node comes
                low = distance[ends[r, 0]] if low_known else np.inf
                high = distance[ends[r, 1]] if high_known else np.inf
                count = _levels_between(count, r, 0.0, length[r], low, high, levels, spacing, roads, along)
    first[len(start_road)] = count


@inner
def _levels_between(
    count: int,
    road: int,
    begin: float,
    end: float,
    low: float,
    high: float,
    levels: int,
    spacing: float,
    roads: Ints,
    along: Floats,
) -> int:
    """Write the points strictly inside a stretch of a road whose ends are ``low`` and ``high`` away from the start."""
    whole = end - begin
    peak = (low + high + whole) / 2
    for side in range(2):
        base = low if side == 0 else high
        if base == np.inf:
            continue
        k = int(np.floor((base + _AT_NODE) / spacing)) + 1
        while k <= levels:
            gone = k * spacing - base
            above = k * spacing - peak
            if gone >= whole - _AT_NODE or above > _AT_PEAK or (above >= -_AT_PEAK and side == 1):
                break
            if above >= -_AT_PEAK:
                gone = peak - base
            if count < len(roads):
                roads[count], along[count] = road, begin + gone if side == 0 else end - gone
            count += 1
            k += 1
    return count


@kernel
def _interpolate(road: Ints, along: Floats, path_first: Ints, path_at: Floats, path_xy: Floats, xy: Floats) -> None:
    """Coordinates of places at metres along roads."""
    for i in range(len(road)):
        low, high = path_first[road[i]], path_first[road[i] + 1] - 1
        while high - low > 1:
            middle = (low + high) >> 1
            if path_at[middle] <= along[i]:
                low = middle
            else:
                high = middle
        share = (along[i] - path_at[low]) / (path_at[high] - path_at[low])
        xy[i, 0] = path_xy[low, 0] + share * (path_xy[high, 0] - path_xy[low, 0])
        xy[i, 1] = path_xy[low, 1] + share * (path_xy[high, 1] - path_xy[low, 1])
