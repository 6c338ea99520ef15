"""Places on a network, drawn so that only its geometry and the seed matter.

Lengths are counted in whole units, so that a place does not depend on the order in which lengths are added up: a
network in parts gives the same places as the whole.
"""

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.model.contraction import Roads
from geoeval.model.road_network import Location, RoadNetwork

# Units per metre: all roads of the Earth together are shorter than 2**63 units.
UNITS = 1e8
# Rounding must not decide whether a place is at the end of one road or at the beginning of the next.
_AT_END = 100


def in_units(lengths: Floats) -> Ints:
    """Lengths in whole units."""
    return np.rint(lengths * UNITS).astype(np.int64)


def along(lengths: Ints, positions: Ints, last: Ints | None = None) -> tuple[Ints, Ints]:
    """Which of these lengths, laid end to end, each position is on (at most ``last``), and how far along it."""
    ends = np.cumsum(lengths)
    which = np.minimum(
        np.searchsorted(ends, positions + _AT_END, side="right"), len(ends) - 1 if last is None else last
    )
    return which, np.clip(positions - (ends[which] - lengths[which]), 0, lengths[which])


def along_roads(roads: Roads, lengths: Ints, road: Ints, units: Ints) -> tuple[Ints, Ints]:
    """Segment and units from its first node, for units along roads whose segments have these lengths."""
    path = roads.path_segment
    before = np.concatenate([[0], np.cumsum(lengths[path])])
    first, last = roads.node_start[road] - road, roads.node_start[road + 1] - road - 2
    position, gone = along(lengths[path], before[first] + units, last)
    segment = path[position]
    return segment, np.where(roads.reversed_of[segment], lengths[segment] - gone, gone)


def systematic_positions(total: int, count: int, start: float) -> Ints:
    """``count`` positions at equal distances along a length, all shifted by ``start`` (0 to 1) of a step."""
    return np.floor((start + np.arange(count)) * (total / count)).astype(np.int64)


def places_at(network: RoadNetwork, positions: Ints) -> Location:
    """The places at these units along all roads, laid end to end in the order of their geometry."""
    path = network.roads.path_segment
    lengths = in_units(network.segment_lengths)
    which, gone = along(lengths[path], positions)
    segment = path[which]
    gone = np.where(network.roads.reversed_of[segment], lengths[segment] - gone, gone)
    return place_on(network, segment, gone)


def place_on(network: RoadNetwork, segment: Ints, gone: Ints) -> Location:
    """Places given as segment and units along it."""
    offset = np.minimum(gone / UNITS, network.segment_lengths[segment])
    return Location(segment, offset, coordinates(network, segment, offset), np.zeros(len(segment)))


def systematic_places(network: RoadNetwork, count: int, start: float) -> Location:
    """``count`` places at equal distances along all roads, all shifted by ``start`` (0 to 1) of a step."""
    total = int(in_units(network.segment_lengths).sum())
    return places_at(network, systematic_positions(total, count, start))


def random_places(network: RoadNetwork, count: int, rng: np.random.Generator) -> Location:
    """``count`` independent places, uniform in length."""
    total = int(in_units(network.segment_lengths).sum())
    return places_at(network, np.floor(rng.random(count) * total).astype(np.int64))


def coordinates(network: RoadNetwork, segment: Ints, offset: Floats) -> Floats:
    """Coordinates of places given as segment and metres along the segment."""
    ends = network.nodes[network.segments[segment]]
    share = offset / network.segment_lengths[segment]
    return ends[:, 0] + share[:, None] * (ends[:, 1] - ends[:, 0])
