"""Shortest paths between places anywhere on a network, not only at its nodes.

The search runs on the contracted graph: its vertices are the junctions and ends of roads (one arbitrary anchor for a
ring without any), its links the roads, parallel ones and loops included. A place is a road and the metres along it; a
path leaves it by either end of its road, or stays on that road. Lengths are rounded to 2^-30 m, about a nanometre, so
that their sums are exact in floating point up to 8000 km: the distance does not depend on the direction or order in
which a path is added up, and paths of equal length compare as equal. Of these the one whose roads come first by
geometry is taken, so that a path never depends on ids, feature order or extra vertices.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geoeval._kernels.search import Graph, Search, credit_roads, grow, reach_goals
from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import Location, RoadNetwork
from geoeval.roads.geometry.sampling import coordinates

_GRAIN = 2.0**30


def network_distances(network: RoadNetwork, start: Location, end: Location) -> Floats:
    """Metres along the network from each start to the end of the same number.

    inf where they are not connected, or where a place is nowhere (segment -1). One search per pair, directed at its
    end and stopped there: at worst O(r log r) for r roads.
    """
    paths = PathFinder(network)
    return paths.lengths(paths.places(start), paths.places(end))


def distance_matrix(network: RoadNetwork, start: Location, end: Location) -> Floats:
    """Metres along the network from every start to every end, ``(starts, ends)``; inf where there is no path.

    One search per start: O(starts · (r log r + ends)) for r roads.
    """
    paths = PathFinder(network)
    begin, targets = paths.places(start), paths.places(end)
    rows = [paths.lengths_from(int(road), at, targets) for road, at in zip(begin.road, begin.at, strict=True)]
    return np.array(rows).reshape(len(begin), len(targets))


def shortest_course(network: RoadNetwork, start: Location, end: Location) -> list["Course | None"]:
    """The shortest path of each pair as a line; ``None`` where there is none, or where both places are the same."""
    paths = PathFinder(network)
    begin, targets = paths.places(start), paths.places(end)
    routes = [paths.route(begin, targets, i) for i in range(len(begin))]
    return [paths.course(route) if route else None for route in routes]


@dataclass(frozen=True)
class Places:
    """Places on a network: road (-1: nowhere), metres along it, coordinates, segment."""

    road: Ints
    at: Floats
    xy: Floats
    segment: Ints

    def __len__(self) -> int:
        return len(self.road)

    def __getitem__(self, which: Any) -> "Places":
        return Places(self.road[which], self.at[which], self.xy[which], self.segment[which])


@dataclass(frozen=True)
class Course:
    """A path as a line, with the ids of the source features along it, each once and in order."""

    line: Any
    ids: list[str]


# A path as stretches of roads: the road, and the metres along it at which the stretch begins and ends.
Route = list[tuple[int, float, float]]


class PathFinder:
    """Shortest paths on one network. It holds the working arrays of the searches: use it in one thread at a time."""

    def __init__(self, network: RoadNetwork) -> None:
        roads = network.roads
        self.network = network
        nodes, number = np.unique(roads.ends, return_inverse=True)
        ends = np.ascontiguousarray(number.reshape(-1, 2).astype(np.int64))
        road = np.flatnonzero(ends[:, 0] != ends[:, 1])  # a loop leads nowhere new
        leaves = ends[road].T.ravel()
        order = np.argsort(leaves, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(leaves, minlength=len(nodes)))]).astype(np.int64)
        length = np.round(roads.length * _GRAIN) / _GRAIN
        self.graph = Graph(first, np.tile(road, 2)[order], ends, length, network.nodes[nodes].copy())
        pushes = 2 * len(road) + 2  # each way of each road at most once, and the two ends of the first road
        self._search = Search(
            np.full(len(nodes), np.inf),
            np.full(len(nodes), -1, dtype=np.int64),
            np.zeros(len(nodes), dtype=bool),
            np.empty(len(nodes), dtype=np.int64),
            np.empty(pushes),
            np.empty(pushes, dtype=np.int64),
        )
        self._count = 0
        self._roads: dict[int, _Road] = {}
        self.component = network.components[roads.ends[:, 0]]

    def places(self, location: Location) -> Places:
        """Places given as segment and metres along it."""
        there = location.segment >= 0
        road, at = np.full(len(there), -1, dtype=np.int64), np.zeros(len(there))
        road[there], at[there] = self.network.roads.along(
            location.segment[there], location.offset[there], self.network.segment_lengths
        )
        return Places(road, self._rounded(road, at), location.xy, location.segment)

    def places_on(self, road: Ints, at: Floats) -> Places:
        """Places given as road and metres along it."""
        segment, offset = self.network.roads.locate(road, at, self.network.segment_lengths)
        return Places(road, self._rounded(road, at), coordinates(self.network, segment, offset), segment)

    def _rounded(self, road: Ints, at: Floats) -> Floats:
        longest = np.append(self.graph.length, 0.0)[road]  # -1 is the last
        return np.clip(np.round(at * _GRAIN) / _GRAIN, 0.0, longest)

    def connected(self, start: Places, end: Places) -> Bools:
        """Whether the places of each pair are in the same component."""
        component = np.append(self.component, -1)
        return (start.road >= 0) & (end.road >= 0) & (component[start.road] == component[end.road])

    def lengths(self, start: Places, end: Places) -> Floats:
        """Metres from each start to its end, inf where there is no path."""
        out = np.full(len(start), np.inf)
        for i in np.flatnonzero(self.connected(start, end)).tolist():
            out[i] = self.length(start, end, i)
        return out

    def route(self, start: Places, end: Places, i: int) -> Route | None:
        """The shortest path of pair ``i`` as stretches of roads; ``None`` if there is none."""
        if min(start.road[i], end.road[i]) < 0:
            return None
        total = self.length(start, end, i)
        if not np.isfinite(total):
            return None
        (road, at), (goal, there) = (int(start.road[i]), start.at[i]), (int(end.road[i]), end.at[i])
        if road == goal and abs(at - there) == total:
            return [(road, at, there)] if total > 0 else []
        ends, length, (distance, via) = self.graph.ends, self.graph.length, self._search[:2]
        last = 0 if distance[ends[goal, 0]] + there == total else 1
        vertex = int(ends[goal, last])
        route: Route = [(goal, last * length[goal], there)]
        while via[vertex] >= 0:
            way = int(via[vertex])
            forward = int(ends[way, 1]) == vertex
            route.append((way, 0.0, length[way]) if forward else (way, length[way], 0.0))
            vertex = int(ends[way, 0 if forward else 1])
        out = 0 if ends[road, 0] == vertex and at == distance[vertex] else 1
        route.append((road, at, out * length[road]))
        return [part for part in reversed(route) if part[1] != part[2]]

    def length(self, start: Places, end: Places, i: int) -> float:
        """Metres from start ``i`` to end ``i``, neither of them nowhere; inf if there is no path."""
        self._count = grow(
            self.graph, self._search, start.road[i], start.at[i], end.road[i], end.at[i], end.xy[i, 0], end.xy[i, 1]
        )
        out = np.empty(1)
        reach_goals(self.graph, self._search, start.road[i], start.at[i], end.road[i : i + 1], end.at[i : i + 1], out)
        return float(out[0])

    def lengths_from(self, road: int, at: float, end: Places) -> Floats:
        """Metres from one place to many, inf where there is no path; one search."""
        out = np.full(len(end), np.inf)
        if road >= 0:
            self._count = grow(self.graph, self._search, road, at, -1, 0.0, 0.0, 0.0)
            reach_goals(self.graph, self._search, road, at, end.road, end.at, out)
        return out

    def credit(self, i: int, points: Places, lengths: Floats, weight: Floats, through: Floats) -> None:
        """Add two weights of each path ``(paths, 2)`` to ``through`` ``(roads, 2)``, for the roads that each path uses.

        The paths are those from point ``i`` to all later ones, with these ``lengths``, which ``lengths_from`` must have
        found just before. A road counts once per path, however little of it is used. O(r + paths), because the paths
        from one place form a tree.
        """
        end = points[i + 1 :]
        road, at = int(points.road[i]), points.at[i]
        credit_roads(self.graph, self._search, self._count, road, at, end.road, end.at, lengths, weight, through)

    def course(self, route: Route) -> Course:
        """A route as a line, with the ids of the source features."""
        points: list[Floats] = []
        ids: dict[str, None] = {}
        for road, begin, end in route:
            whole = abs(end - begin) == self.graph.length[road]
            own = self._road(road)
            part, names = (own.vertices, own.names) if whole else own.stretch(min(begin, end), max(begin, end))
            part = part if begin < end else part[::-1]
            points.append(part[1:] if points else part)
            ids.update(dict.fromkeys(names if begin < end else reversed(names)))
        return Course(shapely.LineString(np.concatenate(points)), list(ids))

    def _road(self, road: int) -> "_Road":
        """A road taken apart; cached, because paths share most of their roads."""
        if road not in self._roads:
            roads = self.network.roads
            segments = roads.segments_of(road)
            vertices = self.network.nodes[roads.nodes_of(road)]
            offsets = [*roads.offset_of[segments].tolist(), float(roads.length[road])]
            ids = [str(name) for name in self.network.source_ids[segments]]
            self._roads[road] = _Road(vertices, offsets, ids, list(dict.fromkeys(ids)))
        return self._roads[road]


@dataclass(frozen=True)
class _Road:
    """A road: its vertices, the metres along it of each, the id of each segment, and each id once."""

    vertices: Floats
    offsets: list[float]
    ids: list[str]
    names: list[str]

    def stretch(self, low: float, high: float) -> tuple[Floats, list[str]]:
        """Vertices and ids of a part of it."""
        offsets, count = self.offsets, len(self.ids)
        first = min(max(bisect_right(offsets, low) - 1, 0), count - 1)
        last = max(min(bisect_left(offsets, high), count), first + 1)
        part = self.vertices[first : last + 1].copy()
        part[0], part[-1] = self._place(first, low), self._place(last - 1, high)
        return part, list(dict.fromkeys(self.ids[first:last]))

    def _place(self, segment: int, metres: float) -> Any:
        """Coordinates so many metres along the road, on this segment; its ends are its vertices."""
        before, after = self.offsets[segment], self.offsets[segment + 1]
        if metres <= before:
            return self.vertices[segment]
        if metres >= after:
            return self.vertices[segment + 1]
        begin, end = self.vertices[segment], self.vertices[segment + 1]
        return (end - begin) / (after - before) * (metres - before) + begin


def rows(
    paths: PathFinder, points: Places, other: PathFinder, partners: Places
) -> Iterator[tuple[int, Floats, Floats]]:
    """For each point its number, and the path lengths to all later points, here and between their partners.

    Only two rows are in memory at a time. O(k (r log r + k)) for k points on r roads.
    """
    for i in range(len(points) - 1):
        later = slice(i + 1, None)
        here = paths.lengths_from(int(points.road[i]), points.at[i], points[later])
        there = other.lengths_from(int(partners.road[i]), partners.at[i], partners[later])
        yield i, here, there
