"""Parts of segments joined to lines: how a metric makes features of what it has found."""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.model.road_network import RoadNetwork

_TOUCHING = 1e-6
_MOST_IDS = 8


@dataclass(frozen=True)
class Pieces:
    """Stretches of roads: the road, the metres along it at which each begins and ends, its line and source ids."""

    road: Ints
    begin: Floats
    end: Floats
    lines: Objects
    ids: list[str]
    value: Floats

    @property
    def length(self) -> Floats:
        """Length of each in metres."""
        return self.end - self.begin


def join_pieces(
    network: RoadNetwork,
    segment: Ints,
    begin: Floats,
    end: Floats,
    *,
    value: Floats | None = None,
    min_length: float = 0.0,
) -> Pieces:
    """Join parts of segments (in metres along each) that continue one another on the same road.

    Parts that overlap count once. ``value`` (for example the largest distance) becomes the maximum over the
    parts. Pieces of at most ``min_length`` metres are dropped. O(k log k).
    """
    road, low, stop, top = _merged(network, segment, begin, end, value)
    keep = stop - low > max(min_length, 0.0)
    road, low, stop, top = road[keep], low[keep], stop[keep], top[keep]
    lines, ids = cut_roads(network, road, low, stop)
    return Pieces(road, low, stop, lines, ids, top)


def merge_parts(network: RoadNetwork, segment: Ints, begin: Floats, end: Floats) -> tuple[Ints, Floats, Floats]:
    """As ``join_pieces``, without the lines: road, and first and last metre along it. In the order of the roads."""
    return _merged(network, segment, begin, end, None)[:3]


def _merged(
    network: RoadNetwork, segment: Ints, begin: Floats, end: Floats, value: Floats | None
) -> tuple[Ints, Floats, Floats, Floats]:
    roads, lengths = network.roads, network.segment_lengths
    values = np.full(len(segment), np.nan) if value is None else np.asarray(value, dtype=np.float64)
    road, a = roads.along(segment, np.asarray(begin, dtype=np.float64), lengths)
    _, b = roads.along(segment, np.asarray(end, dtype=np.float64), lengths)
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort([high, low, road])
    road, low, high, values = road[order], low[order], high[order], values[order]
    if len(road) == 0:
        return road, low, high, values
    # A part opens a new piece if it begins beyond all that came before it on its road.
    before = np.concatenate([[0.0], np.cumsum(roads.length + 1.0)])
    reach = np.maximum.accumulate(before[road] + high)
    opens = np.ones(len(road), dtype=bool)
    opens[1:] = (road[1:] != road[:-1]) | (before[road[1:]] + low[1:] > reach[:-1] + _TOUCHING)
    first = np.flatnonzero(opens)
    stop = np.maximum.reduceat(high, first)
    return road[first], low[first], stop, np.fmax.reduceat(values, first)


def cut_roads(network: RoadNetwork, road: Ints, begin: Floats, end: Floats) -> tuple[Objects, list[str]]:
    """Stretches of roads from ``begin`` to ``end`` metres along them: lines, and the ids of the features along each.

    Ids are in order, each once, separated by semicolons. O(k log m + v) for k stretches with v vertices.
    """
    if len(road) == 0:
        return np.zeros(0, dtype=object), []
    roads = network.roads
    last = roads.node_start[1:] - 1
    at = np.empty(len(roads.path))
    at[np.delete(np.arange(len(at)), last)] = roads.offset_of[roads.path_segment]
    at[last] = roads.length
    # All roads one after the other, a metre apart, make one sorted array of vertices.
    before = np.concatenate([[0.0], np.cumsum(roads.length + 1.0)])
    position = np.repeat(before[:-1], np.diff(roads.node_start)) + at
    # Vertices strictly inside a stretch, and at least the segment on which it begins.
    inner = np.clip(
        np.searchsorted(position, before[road] + begin + _TOUCHING, side="right"),
        roads.node_start[road] + 1,
        last[road],
    )
    outer = np.clip(np.searchsorted(position, before[road] + end - _TOUCHING), inner, last[road])

    size = outer - inner + 2
    row = np.repeat(np.arange(len(road)), size)
    start = np.cumsum(size) - size
    vertex = np.arange(size.sum()) - np.repeat(start - inner + 1, size)
    xy = network.nodes[roads.path[vertex]]
    for place, high, metres in ((start, inner, begin), (start + size - 1, outer, end)):
        share = np.clip((metres - at[high - 1]) / (at[high] - at[high - 1]), 0.0, 1.0)
        a, b = network.nodes[roads.path[high - 1]], network.nodes[roads.path[high]]
        xy[place] = a + share[:, None] * (b - a)
    # Segment j of road r is between its vertices j and j + 1; all but the last vertex of a stretch begin one.
    begins = np.ones(len(vertex), dtype=bool)
    begins[start + size - 1] = False
    names = [str(value) for value in network.source_ids[roads.path_segment[vertex[begins] - road[row[begins]]]]]
    stop = np.cumsum(size - 1).tolist()
    ids = [_joined(names[i:j]) for i, j in zip([0, *stop[:-1]], stop, strict=True)]
    return shapely.linestrings(xy, indices=row), ids


def _joined(names: list[str]) -> str:
    once = list(dict.fromkeys(names))
    return ";".join(once[:_MOST_IDS]) + (";…" if len(once) > _MOST_IDS else "")
