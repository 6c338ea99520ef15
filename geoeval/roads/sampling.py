"""Places on a network, drawn so that only its geometry and the seed matter."""

import numpy as np
from numpy.typing import NDArray

from geoeval.model.network import Location, RoadNetwork

Floats = NDArray[np.float64]


def places_at(network: RoadNetwork, metres: Floats) -> Location:
    """The places at these metres along all roads laid one after the other, in the order of their geometry."""
    roads = network.roads
    before = np.concatenate([[0.0], np.cumsum(roads.length)])
    # Where one road ends and the next begins, rounding must not decide between them.
    road = np.clip(np.searchsorted(before, metres + 1e-6, side="right") - 1, 0, len(roads) - 1)
    segment, offset = roads.locate(road, metres - before[road], network.segment_lengths)
    return Location(segment, offset, coordinates(network, segment, offset), np.zeros(len(segment)))


def systematic_places(network: RoadNetwork, count: int, start: float) -> Location:
    """``count`` places at equal distances along all roads; ``start`` in 0..1 shifts them all by part of a step."""
    return places_at(network, (start + np.arange(count)) * network.roads.length.sum() / count)


def random_places(network: RoadNetwork, count: int, rng: np.random.Generator) -> Location:
    """``count`` independent places, uniform in length."""
    return places_at(network, rng.random(count) * network.roads.length.sum())


def coordinates(network: RoadNetwork, segment: NDArray[np.int64], offset: Floats) -> Floats:
    """Coordinates of places given as segment and metres along the segment."""
    ends = network.nodes[network.segments[segment]]
    share = offset / network.segment_lengths[segment]
    return ends[:, 0] + share[:, None] * (ends[:, 1] - ends[:, 0])
