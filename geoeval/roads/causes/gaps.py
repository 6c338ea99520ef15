"""Gaps: a road stops, the other network goes on, and the own one begins again without being connected nearby."""

from dataclasses import dataclass, fields

import numpy as np

from geoeval._kernels.boxes import BoxTree
from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.cross_sections import cross_sections
from geoeval.roads.causes.labelled import Scale
from geoeval.roads.causes.nearby import reached, short_distances
from geoeval.roads.geometry.sampling import coordinates

_STEP = 2.0
# How much longer than along the other network a way may be, as a factor, and still connect two places.
_DETOUR = 1.5
# Metres from a node within which a place is at the node.
_AT_NODE = 1e-6
# Metres between dead ends of both networks that are the same end.
_SAME_END = 1.0


@dataclass(frozen=True)
class Gaps:
    """Gaps of a network: both ends, the length along the other network, and segments of both networks at the ends."""

    begin: Floats
    end: Floats
    along: Floats
    segment: Ints
    to_segment: Ints
    other_segment: Ints

    def some(self, chosen: Bools) -> "Gaps":
        """Those that are chosen."""
        return Gaps(*(getattr(self, one.name)[chosen] for one in fields(self)))


def find_gaps(
    own: RoadNetwork, other: RoadNetwork, trees: tuple[BoxTree, BoxTree], scale: Scale, *, except_at: Ints
) -> Gaps:
    """Dead ends of a network beyond which the other one leads on to where the own one goes on.

    A dead end counts where the road that ends there follows a road of the other network that does not end there too
    (such an end may touch another road without a node, which leads on). From there the other network is walked, for at
    most twice ``scale.reach`` metres, to the first place that the own network has too but does not reach from the dead
    end on a way of about that length. Two ends that face each other are one gap. At the nodes ``except_at`` no gap is
    looked for.

    Notes
    -----
    O(k log m) for k dead ends and m segments.
    """
    nodes = np.setdiff1d(np.flatnonzero((own.degrees == 1) & ~own.cut), except_at)
    nodes = nodes[dead_end_near(other, own.nodes[nodes], _SAME_END) < 0]
    if len(nodes) == 0 or other.is_empty:
        return _no_gaps()
    segment = own.adjacency[2][own.adjacency[0][nodes]]
    offset = np.where(own.segments[segment, 0] == nodes, 0.0, own.segment_lengths[segment])
    back = _back(own, nodes, segment, scale.tolerance)
    heading = own.nodes[nodes] - back
    size = np.hypot(*heading.T)
    heading = heading / np.maximum(size, 1e-9)[:, None]
    # The last metres of the own road follow a road of the other network ...
    far_back = _back(own, nodes, segment, 2 * scale.tolerance)
    way = back - far_back
    way = np.where((np.hypot(*way.T) > 0.5)[:, None], way, heading)
    way = way / np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    follows = size > scale.tolerance / 2
    for place, along in ((own.nodes[nodes] - 0.5 * size[:, None] * heading, heading), (far_back + 0.5 * way, way)):
        seen = cross_sections(
            place, along, trees[0], trees[1], near=scale.reach, wide=scale.reach, close=2 * scale.tolerance
        )
        follows &= seen.distance <= scale.tolerance
    nodes, segment, offset, heading = nodes[follows], segment[follows], offset[follows], heading[follows]
    at = other.nearest(own.nodes[nodes], max_distance=scale.reach)
    there = at.segment >= 0
    nodes, segment, offset, heading = nodes[there], segment[there], offset[there], heading[there]
    # ... which leads on to places that the own network has as well.
    number, walked, metres, distance = reached(
        other, at.segment[there], at.offset[there], reach=2 * scale.reach, step=_STEP
    )
    xy = coordinates(other, walked, metres)
    # Behind the end lies the road itself.
    ahead = np.einsum("ij,ij->i", xy - own.nodes[nodes[number]], heading[number]) >= -_STEP / 2
    number, walked, metres, distance, xy = (values[ahead] for values in (number, walked, metres, distance, xy))
    hit = own.nearest(xy, max_distance=scale.tolerance)
    found = np.flatnonzero(hit.segment >= 0)
    found = found[np.lexsort([hit.distance[found], distance[found], number[found]])]
    row = number[found]
    limit = _DETOUR * distance[found] + 2 * scale.reach
    way = short_distances(own, segment[row], offset[row], hit.segment[found], hit.offset[found], limit)
    found = found[~np.isfinite(way)]
    found = found[_follows(own, hit.segment[found], hit.offset[found], trees, scale)]
    row, first = np.unique(number[found], return_index=True)
    found = found[first]
    # The nearest dead end is meant, not a place a little behind it.
    end, end_segment = hit.xy[found], hit.segment[found]
    facing = dead_end_near(own, end, scale.tolerance)
    end[facing >= 0] = own.nodes[facing[facing >= 0]]
    kept = _once(nodes[row], facing, np.hypot(*(end - own.nodes[nodes[row]]).T))
    row, found, end, end_segment = row[kept], found[kept], end[kept], end_segment[kept]
    return Gaps(own.nodes[nodes[row]], end, distance[found], segment[row], end_segment, walked[found])


def _follows(own: RoadNetwork, segment: Ints, offset: Floats, trees: tuple[BoxTree, BoxTree], scale: Scale) -> Bools:
    """Whether a road at each place follows one of the other network; what is only there by chance goes on nowhere.

    At a node every arm counts: which of them is the nearest is a matter of chance.
    """
    ends = own.segments[segment]
    at_end = np.column_stack([offset < _AT_NODE, offset > own.segment_lengths[segment] - _AT_NODE])
    start, _, arms = own.adjacency
    place, end = np.nonzero(at_end)
    first, many = start[ends[place, end]], own.degrees[ends[place, end]]
    place = np.concatenate([np.flatnonzero(~at_end.any(axis=1)), np.repeat(place, many)])
    row = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)
    road = np.concatenate([segment[~at_end.any(axis=1)], arms[row]])
    way = own.nodes[own.segments[road, 1]] - own.nodes[own.segments[road, 0]]
    way = way / own.segment_lengths[road][:, None]
    xy = coordinates(own, segment, offset)[place]
    seen = cross_sections(xy, way, *trees, near=scale.reach, wide=scale.reach, close=2 * scale.tolerance)
    follows = np.zeros(len(segment), dtype=bool)
    follows[place[seen.distance <= 2 * scale.tolerance]] = True
    return follows


def _no_gaps() -> Gaps:
    none = np.zeros(0, dtype=np.int64)
    return Gaps(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), none, none, none)


def _back(network: RoadNetwork, node: Ints, segment: Ints, metres: float) -> Floats:
    """The place some metres back from each dead end."""
    roads = network.roads
    road = roads.road_of[segment]
    far = np.minimum(metres, roads.length[road])
    along = np.where(roads.ends[road, 0] == node, far, roads.length[road] - far)
    return coordinates(network, *roads.locate(road, along, network.segment_lengths))


def dead_end_near(network: RoadNetwork, xy: Floats, distance: float) -> Ints:
    """The dead end within a distance of each place; -1 where there is none."""
    from scipy.spatial import cKDTree

    ends = np.flatnonzero(network.degrees == 1)
    if len(ends) == 0 or len(xy) == 0:
        return np.full(len(xy), -1)
    gap, which = cKDTree(network.nodes[ends]).query(xy, distance_upper_bound=distance)
    return np.where(np.isfinite(gap), ends[np.minimum(which, len(ends) - 1)], -1)


def _once(node: Ints, facing: Ints, length: Floats) -> Ints:
    """Which gaps to keep: of several that begin or end at one dead end, the shortest."""
    order = np.lexsort([node, length.round(6)])
    used: set[int] = set()
    kept = []
    for k in order.tolist():
        ends = {int(node[k]), *([int(facing[k])] if facing[k] >= 0 else [])}
        if not ends & used:
            used |= ends
            kept.append(k)
    return np.array(sorted(kept), dtype=np.int64)
