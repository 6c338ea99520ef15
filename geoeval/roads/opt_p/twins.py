"""Roads of two networks in exactly the same place; in a network compared with itself, every road."""

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork

# Metres: how near is the same place.
SAME = 1e-3


def twins(network: RoadNetwork, source: RoadNetwork) -> Ints:
    """For each segment of a network the segment of another one under its middle, if it lies on that road, else -1.

    Of several roads on top of each other, the one whose segment has the most similar ends. O(m log m).
    """
    ends = network.nodes[network.segments]
    road_of = source.roads.road_of
    segment, twin = _pairs(ends.mean(axis=1), source)
    for share in (0.0, 0.25, 0.75, 1.0):  # most networks share nothing, so few segments are left to check
        again = np.unique(segment)
        point, other = _pairs(ends[again, 0] + share * (ends[again, 1] - ends[again, 0]), source)
        there = again[point] * len(source.segments) + road_of[other]
        keep = np.isin(segment * len(source.segments) + road_of[twin], there)
        segment, twin = segment[keep], twin[keep]
    # Ends are in order of coordinates in both, so that first compares with first.
    apart = np.abs(ends[segment] - source.nodes[source.segments[twin]]).sum(axis=(1, 2))
    order = np.lexsort([twin, apart, segment])[::-1]
    below = np.full(len(ends), -1)
    below[segment[order]] = twin[order]
    return below


def _pairs(places: Floats, source: RoadNetwork) -> tuple[Ints, Ints]:
    pairs = source.tree.query(shapely.points(places), predicate="dwithin", distance=SAME)
    return pairs[0].astype(np.int64), pairs[1].astype(np.int64)
