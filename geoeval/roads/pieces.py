"""Parts of segments joined to lines: how a metric turns what it marked into features on the map."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.model.network import RoadNetwork

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TOUCHING = 1e-6
_MOST_IDS = 8


@dataclass(frozen=True)
class Pieces:
    """Stretches of roads: the road, metres along it where each begins and ends, its line and source ids."""

    road: Ints
    begin: Floats
    end: Floats
    lines: NDArray[np.object_]
    ids: list[str]
    value: Floats

    @property
    def length(self) -> Floats:
        """Metres."""
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
    """Join parts of segments (metres along each) that continue one another on the same road.

    Parts that overlap count once. ``value`` (for example the largest distance) becomes the maximum over the
    parts. Pieces of at most ``min_length`` metres are dropped. O(k log k).
    """
    roads, lengths = network.roads, network.segment_lengths
    values = np.full(len(segment), np.nan) if value is None else np.asarray(value, dtype=np.float64)
    road, a = roads.along(segment, np.asarray(begin, dtype=np.float64), lengths)
    _, b = roads.along(segment, np.asarray(end, dtype=np.float64), lengths)
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort([high, low, road])
    road, low, high, values = road[order], low[order], high[order], values[order]
    if len(road) == 0:
        return Pieces(road, low, high, np.zeros(0, dtype=object), [], values)
    # A part opens a new piece where it begins beyond all that came before it on its road.
    before = np.concatenate([[0.0], np.cumsum(roads.length + 1.0)])
    reach = np.maximum.accumulate(before[road] + high)
    opens = np.ones(len(road), dtype=bool)
    opens[1:] = (road[1:] != road[:-1]) | (before[road[1:]] + low[1:] > reach[:-1] + _TOUCHING)
    first = np.flatnonzero(opens)
    stop = np.maximum.reduceat(high, first)
    top = np.fmax.reduceat(values, first)
    keep = stop - low[first] > max(min_length, 0.0)
    road, low, stop, top = road[first][keep], low[first][keep], stop[keep], top[keep]
    lines = np.array(
        [None, *(cut_road(network, int(r), x, y) for r, x, y in zip(road, low, stop, strict=True))],
        dtype=object,
    )[1:]
    ids = [ids_along(network, int(r), x, y) for r, x, y in zip(road, low, stop, strict=True)]
    return Pieces(road, low, stop, lines, ids, top)


def cut_road(network: RoadNetwork, road: int, begin: float, end: float) -> Any:
    """The stretch of a road between two metres along it, as a line."""
    return shapely.LineString(_stretch(network, road, begin, end)[0])


def ids_along(network: RoadNetwork, road: int, begin: float, end: float) -> str:
    """The ids of the source features along a stretch, each once, in order, separated by semicolons."""
    segments = _stretch(network, road, begin, end)[1]
    names = list(dict.fromkeys(str(value) for value in network.source_ids[segments]))
    return ";".join(names[:_MOST_IDS]) + (";…" if len(names) > _MOST_IDS else "")


def _stretch(network: RoadNetwork, road: int, begin: float, end: float) -> tuple[Floats, Ints]:
    roads = network.roads
    segments = roads.segments_of(road)
    vertices = network.nodes[roads.nodes_of(road)]
    at = np.append(roads.offset_of[segments], roads.length[road])
    inner = (at > begin + _TOUCHING) & (at < end - _TOUCHING)
    ends = np.column_stack([np.interp([begin, end], at, vertices[:, axis]) for axis in (0, 1)])
    covered = (at[1:] > begin + _TOUCHING) & (at[:-1] < end - _TOUCHING)
    return np.concatenate([ends[:1], vertices[inner], ends[1:]]), segments[covered]
