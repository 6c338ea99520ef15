"""Short ways in a network: what is reached within a few metres, and whether two places are connected nearby."""

from typing import NamedTuple

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval._kernels.heap import heap_pop, heap_push
from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork


class _Net(NamedTuple):
    """A network as arrays; the ways from node i are ``neighbour[start[i]:start[i + 1]]``."""

    start: Ints
    neighbour: Ints
    way: Ints
    segments: Ints
    lengths: Floats


class _Memory(NamedTuple):
    """What a search writes on: distances of all nodes (infinite before and after), the nodes touched, and a heap."""

    distance: Floats
    touched: Ints
    keys: Floats
    items: Ints


def short_distances(
    network: RoadNetwork, segment: Ints, offset: Floats, to_segment: Ints, to_offset: Floats, limit: Floats
) -> Floats:
    """Metres along roads between pairs of places; infinite where they are more than ``limit`` apart."""
    out = np.full(len(segment), np.inf)
    if len(segment):
        _distances(*_arrays(network), segment, offset, to_segment, to_offset, limit, out)
    return out


def reached(
    network: RoadNetwork, segment: Ints, offset: Floats, *, reach: float, step: float
) -> tuple[Ints, Ints, Floats, Floats]:
    """Places within ``reach`` metres along roads of each given one, at least every ``step`` metres.

    Returns the number of the given place, segment, metres along it, and distance. O(k) for k places reached.
    """
    if len(segment) == 0:
        none = np.zeros(0, dtype=np.int64)
        return none, none, np.zeros(0), np.zeros(0)
    rows = _reached(*_arrays(network), segment, offset, reach, step)
    return rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), rows[:, 2], rows[:, 3]


def _arrays(network: RoadNetwork) -> tuple[_Net, _Memory]:
    start, neighbour, way = network.adjacency
    n, m = len(network.nodes), len(network.segments)
    net = _Net(start, neighbour, way, network.segments, network.segment_lengths)
    memory = _Memory(
        np.full(n, np.inf), np.empty(n, dtype=np.int64), np.empty(2 * m + 2), np.empty(2 * m + 2, dtype=np.int64)
    )
    return net, memory


@kernel
def _distances(
    net: _Net, memory: _Memory, segment: Ints, offset: Floats, to_segment: Ints, to_offset: Floats, limit: Floats,
    out: Floats,
) -> None:  # fmt: skip
    for i in range(len(segment)):
        count = _grow(net, memory, segment[i], offset[i], limit[i])
        to = to_segment[i]
        best = memory.distance[net.segments[to, 0]] + to_offset[i]
        best = min(best, memory.distance[net.segments[to, 1]] + net.lengths[to] - to_offset[i])
        if to == segment[i]:
            best = min(best, abs(to_offset[i] - offset[i]))
        if best <= limit[i]:
            out[i] = best
        for k in range(count):
            memory.distance[memory.touched[k]] = np.inf


@kernel
def _reached(net: _Net, memory: _Memory, segment: Ints, offset: Floats, reach: float, step: float) -> Floats:
    rows = np.empty((1024, 4))
    used = 0
    for i in range(len(segment)):
        count = _grow(net, memory, segment[i], offset[i], reach)
        for k in range(-1, count):
            ways = 1 if k < 0 else net.start[memory.touched[k] + 1] - net.start[memory.touched[k]]
            for w in range(ways):
                if k < 0:  # the way to both ends of the segment that the place is on
                    s, low, high, at, here = segment[i], 0.0, net.lengths[segment[i]], offset[i], 0.0
                else:
                    node = memory.touched[k]
                    here = memory.distance[node]
                    s = net.way[net.start[node] + w]
                    at = 0.0 if net.segments[s, 0] == node else net.lengths[s]
                    low, high = 0.0, net.lengths[s]
                steps = int(np.ceil((reach - here) / step)) + 1
                while used + 2 * steps + 2 > len(rows):
                    more = np.empty((2 * len(rows), 4))
                    more[:used] = rows[:used]
                    rows = more
                for sign in (-1.0, 1.0):
                    for j in range(1, steps):
                        gone = min(j * step, reach - here)
                        place = at + sign * gone
                        if place < low or place > high:
                            break
                        rows[used, 0], rows[used, 1], rows[used, 2], rows[used, 3] = i, s, place, here + gone
                        used += 1
        for k in range(count):
            memory.distance[memory.touched[k]] = np.inf
    return rows[:used].copy()


@inner
def _grow(net: _Net, memory: _Memory, segment: int, offset: float, limit: float) -> int:
    """Search from a place to all nodes within ``limit``; returns how many were touched."""
    distance, touched, keys, items = memory.distance, memory.touched, memory.keys, memory.items
    size = 0
    count = 0
    for end in range(2):
        node = net.segments[segment, end]
        gone = offset if end == 0 else net.lengths[segment] - offset
        if gone <= limit and gone < distance[node]:
            if distance[node] == np.inf:
                touched[count] = node
                count += 1
            distance[node] = gone
            size = heap_push(keys, items, size, gone, node)
    while size > 0:
        here, node = keys[0], items[0]
        size = heap_pop(keys, items, size)
        if here > distance[node]:
            continue
        for k in range(net.start[node], net.start[node + 1]):
            other = net.neighbour[k]
            gone = here + net.lengths[net.way[k]]
            if gone <= limit and gone < distance[other]:
                if distance[other] == np.inf:
                    touched[count] = other
                    count += 1
                distance[other] = gone
                size = heap_push(keys, items, size, gone, other)
    return count
