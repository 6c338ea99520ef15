"""A network decomposed into paths that share no stretch of road: what OPT-P compares.

The procedure is SamplePath of the supplement of Citraro, Koziński and Fua (ECCV 2020), repeated on what is left
until nothing is: a random depth-first walk from a random dead end to another one. Where a component has no second
dead end, the last loop that the walk met is taken, from the start of the walk round to where it closes. Two
corrections make it end and cover everything: the loop includes the road that closes it, and a ring without junctions
is cut open at a random place. The walk is over roads, not over vertices, and roads and junctions are numbered by
geometry, so that only geometry and the generator decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork

# Columns of what the walk knows of a node: degree now; first slot; path that it is on, negative if the walk went back;
# slots not tried; half-edge by which the walk came. Then the lists of dead ends and junctions: the place of this node
# in them, and the two lists themselves.
DEGREE, FIRST, STATE, UNTRIED, ARRIVAL, PLACE, MEMBER = 0, 1, 2, 3, 4, 5, 7
GONE = -1
# A path given by the caller belongs to the network if its edges lie this near to it, in metres.
ON_NETWORK = 0.01


@dataclass(frozen=True)
class PathSet:
    """Paths as straight edges one after the other.

    Attributes
    ----------
    start
        The edges of path i are ``start[i]:start[i + 1]``.
    begin, end
        ``(e, 2)`` coordinates from and to which each edge runs.
    segment
        The segment of the network that each edge lies on.
    """

    start: Ints
    begin: Floats
    end: Floats
    segment: Ints

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def reach(self) -> Floats:
        """Metres from the start of the first path to the start of each edge, all paths laid end to end."""
        return np.concatenate([[0.0], np.cumsum(np.hypot(*(self.end - self.begin).T))])

    @property
    def length(self) -> Floats:
        """Metres of each path."""
        return np.diff(self.reach[self.start])

    def on_segments(self, segments: Ints) -> Ints:
        """The path on each of these segments of the network, -1 where there is none (or the segment is -1)."""
        path_of = np.full(max(segments.max(initial=-1), self.segment.max(initial=-1)) + 2, -1)
        path_of[self.segment] = np.repeat(np.arange(len(self)), np.diff(self.start))
        path_of[-1] = -1
        return path_of[segments]

    def coordinates(self, path: int) -> Floats:
        """The vertices of a path."""
        edges = slice(self.start[path], self.start[path + 1])
        return np.concatenate([self.begin[edges], self.end[edges][-1:]])


def decompose(network: RoadNetwork, rng: np.random.Generator) -> PathSet:
    """Paths that cover every road of the network exactly once.

    Each path starts at a dead end as long as there is one. An empty network has no paths. Usually about linear
    in the number of roads; O(roads * paths) at worst, because a component without a second dead end is searched in
    full for each of its paths.
    """
    roads = network.roads
    if len(roads) == 0:
        return _join([], [])
    node = np.unique(roads.ends, return_inverse=True)[1].reshape(-1)
    half, path_start, rest = _open_paths(node, rng)
    rings, cut = _rings(node, rest, roads.length, rng)
    half = np.concatenate([half, *rings])

    # Every walked road becomes its segments, in the order and direction of the walk.
    road, backward = half >> 1, (half & 1) == 1
    first = roads.node_start[road] - road
    sizes = roads.node_start[road + 1] - roads.node_start[road] - 1
    edge_start = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(edge_start[-1]) - np.repeat(edge_start[:-1], sizes)
    turned = np.repeat(backward, sizes)
    position = np.repeat(first, sizes) + np.where(turned, np.repeat(sizes, sizes) - 1 - within, within)
    segment = roads.path_segment[position]
    edges = network.nodes[network.segments[segment]]
    flip = roads.reversed_of[segment] != turned
    edges[flip] = edges[flip][:, ::-1]

    start = edge_start[path_start]
    parts = [(edges[: start[-1]], segment[: start[-1]])]
    lengths = [*np.diff(start)]
    at = path_start[-1]
    for ring, metres in zip(rings, cut, strict=True):
        own = slice(edge_start[at], edge_start[at + len(ring)])
        parts.append(_turn_ring(edges[own], segment[own], metres))
        lengths.append(len(parts[-1][1]))
        at += len(ring)
    return _join(parts, lengths)


def given_paths(network: RoadNetwork, paths: Sequence[Any], name: str) -> PathSet:
    """Paths that the caller gives as lines or sequences of coordinates on the network."""
    parts = []
    for path in paths:
        one = path_of(path)
        if len(one) == 0:
            continue
        found = network.nearest((one.begin + one.end) / 2)
        away = found.distance > ON_NETWORK
        if away.any():
            x, y = one.begin[int(np.argmax(away))]
            raise ParameterError(f"a path of the {name} leaves its roads after ({x:.2f}, {y:.2f}); give paths on them")
        parts.append((np.stack([one.begin, one.end], axis=1), found.segment))
    return _join(parts, [len(part[1]) for part in parts])


def path_of(line: Any) -> PathSet:
    """A line or sequence of coordinates as a path without a network; no path if it has no length."""
    try:
        xy = np.asarray(getattr(line, "coords", line), dtype=np.float64)
    except (TypeError, ValueError):
        xy = np.zeros(0)
    if xy.ndim != 2 or xy.shape[1] < 2 or not np.isfinite(xy).all():
        raise ParameterError("a path is not a sequence of coordinates; give a line or a list of (x, y)")
    xy = xy[:, :2]
    edges = np.stack([xy[:-1], xy[1:]], axis=1)
    edges = edges[(edges[:, 0] != edges[:, 1]).any(axis=1)]
    parts = [(edges, np.full(len(edges), -1))] if len(edges) else []
    return _join(parts, [len(edges)] * len(parts))


def _join(parts: list[tuple[Floats, Ints]], sizes: Sequence[int]) -> PathSet:
    edges = np.concatenate([np.zeros((0, 2, 2)), *(part[0] for part in parts)])
    segment = np.concatenate([np.zeros(0, dtype=np.int64), *(part[1] for part in parts)])
    start = np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64))]).astype(np.int64)
    return PathSet(start, edges[:, 0].copy(), edges[:, 1].copy(), segment)


def _turn_ring(edges: Floats, segment: Ints, cut: float) -> tuple[Floats, Ints]:
    """The edges of a ring from the place ``cut`` metres after its first vertex all the way round to it."""
    reach = np.cumsum(np.hypot(*(edges[:, 1] - edges[:, 0]).T))
    at = min(int(np.searchsorted(reach, cut)), len(edges) - 1)
    a, b = edges[at]
    share = 1.0 - (reach[at] - cut) / np.hypot(*(b - a))
    place = a + min(max(share, 0.0), 1.0) * (b - a)
    order = np.concatenate([np.arange(at, len(edges)), np.arange(at + 1)])
    turned, segment = edges[order], segment[order]
    turned[0, 0] = turned[-1, 1] = place
    real = (turned[:, 0] != turned[:, 1]).any(axis=1)
    return turned[real], segment[real]


def _open_paths(node: Ints, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Half-edges of all paths but rings, where each path starts among them, and the roads that are left."""
    slots = np.argsort(node, kind="stable")
    slot_of = np.argsort(slots)
    nodes = np.zeros((node.max() + 1, 9), dtype=np.int64)
    nodes[:, DEGREE] = np.bincount(node)
    nodes[:, FIRST] = np.cumsum(nodes[:, DEGREE]) - nodes[:, DEGREE]
    nodes[:, PLACE : PLACE + 2] = -1
    roads = len(node) // 2
    seen, walked, stops = (np.zeros(roads + 1, dtype=np.int64) for _ in range(3))
    paths = _sample_paths(node, np.column_stack([slots, slot_of]), nodes, seen, walked, stops, int(rng.integers(2**62)))
    start = stops[: paths + 1]
    # The kernel writes each path from its end to its start.
    sizes = np.diff(start)
    order = np.repeat(start[1:] + start[:-1], sizes) - 1 - np.arange(start[-1])
    return walked[order], start, np.flatnonzero(seen[:-1] != GONE)


def _rings(node: Ints, rest: Ints, length: Floats, rng: np.random.Generator) -> tuple[list[Ints], list[float]]:
    """Half-edges of the rings that are left, and the metres along the first road of each where it is cut."""
    leaving: dict[int, list[int]] = {}
    for road in rest.tolist():
        for half in (2 * road, 2 * road + 1):
            leaving.setdefault(int(node[half]), []).append(half)
    rings, cuts, left = [], [], np.zeros(len(length), dtype=bool)
    left[rest] = True
    while left[rest].any():
        reach = np.cumsum(np.where(left[rest], length[rest], 0.0))
        at = min(rng.random() * reach[-1], np.nextafter(reach[-1], 0.0))
        chosen = int(np.searchsorted(reach, at, side="right"))
        half, ring = 2 * int(rest[chosen]), []
        cuts.append(float(length[half >> 1] - (reach[chosen] - at)))
        while left[half >> 1]:
            left[half >> 1] = False
            ring.append(half)
            one, other = leaving[int(node[half ^ 1])]
            half = other if one == half ^ 1 else one
        rings.append(np.array(ring, dtype=np.int64))
    return rings, cuts


@kernel
def _sample_paths(node: Ints, slots: Ints, nodes: Ints, seen: Ints, walked: Ints, stops: Ints, luck: int) -> int:
    """SamplePath until only rings are left; returns the number of paths.

    Half-edge ``h`` is road ``h >> 1`` as it leaves ``node[h]``; ``h ^ 1`` is the same road from its other end.
    ``slots[:, 0]`` holds the half-edges ordered by node, at each node first those of roads still there;
    ``slots[h, 1]`` is where ``h`` stands. ``nodes`` has the columns above, ``seen`` the walk in which a road was
    met last. Path i is written, backwards, to ``walked[stops[i]:stops[i + 1]]``.
    """
    size = np.zeros(2, dtype=np.int64)  # of the two lists: dead ends, junctions
    for n in range(len(nodes)):
        _sort_node(nodes, n, size)
    path, end = 0, 0
    while size[0] + size[1] > 0:
        path += 1
        row = 0 if size[0] > 0 else 1
        luck = _next(luck)
        start = nodes[(luck >> 32) % size[row], MEMBER + row]
        nodes[start, STATE] = path
        nodes[start, UNTRIED] = nodes[start, DEGREE]
        n, closing = start, np.int64(-1)
        while n == start or nodes[n, DEGREE] > 1:
            if nodes[n, UNTRIED] == 0:
                nodes[n, STATE] = -path
                if n == start:
                    break
                n = node[nodes[n, ARRIVAL]]  # back to where the walk came from
                continue
            luck = _next(luck)
            low = nodes[n, FIRST] + (luck >> 32) % nodes[n, UNTRIED]
            nodes[n, UNTRIED] -= 1
            h = slots[low, 0]
            _swap(slots, low, nodes[n, FIRST] + nodes[n, UNTRIED])
            if seen[h >> 1] == path:
                continue
            seen[h >> 1] = path
            u = node[h ^ 1]
            if nodes[u, STATE] == path:
                closing = h
            elif nodes[u, STATE] != -path:
                nodes[u, STATE] = path
                nodes[u, UNTRIED] = nodes[u, DEGREE]
                nodes[u, ARRIVAL] = h
                n = u

        first = end
        if n == start:  # no second dead end: the last loop, with the road that closes it
            walked[end] = closing
            end += 1
            n = node[closing]
        while n != start:
            walked[end] = nodes[n, ARRIVAL]
            end += 1
            n = node[nodes[n, ARRIVAL]]
        stops[path] = end
        for i in range(2 * first, 2 * end):
            h = walked[i >> 1] ^ (i & 1)
            seen[h >> 1] = GONE
            n = node[h]
            nodes[n, DEGREE] -= 1
            _swap(slots, slots[h, 1], nodes[n, FIRST] + nodes[n, DEGREE])
            _sort_node(nodes, n, size)
    return path


@inner
def _swap(slots: Ints, i: int, j: int) -> None:
    """Swap the half-edges in two slots."""
    a, b = slots[i, 0], slots[j, 0]
    slots[i, 0] = b
    slots[j, 0] = a
    slots[b, 1] = i
    slots[a, 1] = j


@inner
def _sort_node(nodes: Ints, n: int, size: Ints) -> None:
    """Keep a node in the list of dead ends, of junctions, or in neither, by its present degree."""
    for row in range(2):
        degree, at = nodes[n, DEGREE], nodes[n, PLACE + row]
        wanted = degree == 1 if row == 0 else degree > 2
        if wanted and at < 0:
            nodes[size[row], MEMBER + row] = n
            nodes[n, PLACE + row] = size[row]
            size[row] += 1
        elif at >= 0 and not wanted:
            size[row] -= 1
            last = nodes[size[row], MEMBER + row]
            nodes[at, MEMBER + row] = last
            nodes[last, PLACE + row] = at
            nodes[n, PLACE + row] = -1


@inner
def _next(luck: int) -> int:
    """Knuth's 64-bit linear congruential generator, the sign dropped: numpy's takes numba longer to compile."""
    return (luck * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
