"""Segments of a network split at places on them."""

from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.sampling import coordinates

# Places that are nearer, in metres, are the same place.
_SAME = 1e-6


@dataclass(frozen=True)
class SplitNetwork:
    """A network with nodes inserted at places on it.

    Attributes
    ----------
    nodes
        Those of the network, then the inserted ones.
    pairs
        The nodes of each part, in order along its segment.
    segment, begin, end
        The segment that a part is of, and the metres along it at which the part begins and ends. Parts are in order.
    number
        The node of each place that was asked for.
    """

    nodes: Floats
    pairs: Ints
    segment: Ints
    begin: Floats
    end: Floats
    number: Ints


def split_segments(network: RoadNetwork, segment: Ints, offset: Floats) -> SplitNetwork:
    """Insert a node at each place, given by its segment and the metres along it. O(m log m)."""
    segment, offset = np.asarray(segment, dtype=np.int64), np.asarray(offset, dtype=np.float64)
    lengths = network.segment_lengths
    at_first, at_last = offset <= _SAME, offset >= lengths[segment] - _SAME
    number = np.where(at_first, network.segments[segment, 0], network.segments[segment, 1])
    inner = np.flatnonzero(~at_first & ~at_last)
    order = inner[np.lexsort([offset[inner], segment[inner]])]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(segment[order]) != 0) | (np.diff(offset[order]) > _SAME)
    number[order] = len(network.nodes) + np.cumsum(new) - 1
    made = order[new]
    nodes = np.concatenate([network.nodes, coordinates(network, segment[made], offset[made])])

    # Each segment becomes a chain: its first node, the new ones in order, its last node.
    owner = np.concatenate([np.arange(len(lengths)), segment[made], np.arange(len(lengths))])
    along = np.concatenate([np.zeros(len(lengths)), offset[made], lengths])
    chain = np.concatenate([network.segments[:, 0], number[made], network.segments[:, 1]])
    sequence = np.lexsort([along, owner])
    owner, along, chain = owner[sequence], along[sequence], chain[sequence]
    joined = np.flatnonzero(owner[:-1] == owner[1:])
    pairs = np.column_stack([chain[joined], chain[joined + 1]])
    return SplitNetwork(nodes, pairs, owner[joined], along[joined], along[joined + 1], number)
