"""Edits of a road network: remove stretches of roads, insert nodes, connect nodes by new lines.

The topology is kept: roads that are not connected stay unconnected, even where they touch.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Floats, Ints, Objects
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.splitting import split_segments


def split_at(network: RoadNetwork, segment: Ints, offset: Floats) -> tuple[RoadNetwork, Ints]:
    """Insert a node at each place; return the network and the indices of these nodes. O(m log m)."""
    split = split_segments(network, segment, offset)
    result, number = rebuilt(network, split.nodes, split.pairs, network.source_ids[split.segment])
    return result, number[split.number]


def remove_stretches(network: RoadNetwork, road: Ints, begin: Floats, end: Floats) -> RoadNetwork:
    """Remove stretches of roads, given in metres along each road."""
    roads, lengths = network.roads, network.segment_lengths
    places = [roads.locate(road, metres, lengths) for metres in (begin, end)]
    split = split_segments(network, *(np.concatenate(values) for values in zip(*places, strict=True)))
    on_road, metres = roads.along(split.segment, (split.begin + split.end) / 2, lengths)
    gone = np.zeros(len(split.pairs), dtype=bool)
    for which, low, high in zip(road, begin, end, strict=True):
        gone |= (on_road == which) & (metres > low) & (metres < high)
    return rebuilt(network, split.nodes, split.pairs[~gone], network.source_ids[split.segment[~gone]])[0]


def add_lines(
    network: RoadNetwork, chains: Sequence[tuple[int | None, Floats, int | None]], ids: Sequence[Any]
) -> RoadNetwork:
    """Add lines, each from a node (or ``None``) along its own vertices to a node (or ``None``)."""
    nodes, pairs, names = [network.nodes], [network.segments], [as_text(network.source_ids)]
    count = len(network.nodes)
    for (first, inner, last), name in zip(chains, ids, strict=True):
        own = count + np.arange(len(inner))
        count += len(inner)
        chain = np.concatenate([[] if first is None else [first], own, [] if last is None else [last]]).astype(np.int64)
        nodes.append(np.reshape(inner, (-1, 2)))
        pairs.append(np.column_stack([chain[:-1], chain[1:]]))
        names.append(np.array([str(name)] * (len(chain) - 1), dtype=object))
    return rebuilt(network, np.concatenate(nodes), np.concatenate(pairs), np.concatenate(names))[0]


def move_nodes(network: RoadNetwork, node: Ints, shift: Floats) -> RoadNetwork:
    """Move nodes; nothing is disconnected."""
    nodes = network.nodes.copy()
    nodes[node] += shift
    return rebuilt(network, nodes, network.segments, network.source_ids)[0]


def rebuilt(network: RoadNetwork, nodes: Floats, segments: Ints, ids: NDArray[Any]) -> tuple[RoadNetwork, Ints]:
    """A network of these parts in the CRS of ``network``, and the new index of each node (-1 if it is gone)."""
    cut = np.zeros(len(nodes), dtype=bool)
    cut[: len(network.cut)] = network.cut
    result = RoadNetwork(
        nodes, segments, crs=network.crs, source_ids=ids, merge_coincident=False, cut=cut, source=network.source,
        scale_error=network.scale_error,
    )  # fmt: skip
    order = np.lexsort(np.round(nodes, 6).T[::-1])
    used = np.zeros(len(nodes), dtype=bool)
    used[segments] = True
    number = np.full(len(nodes), -1, dtype=np.int64)
    number[order[used[order]]] = np.arange(len(result.nodes))
    return result, number


def as_text(ids: NDArray[Any]) -> Objects:
    """Ids as text, so that new ones can be added."""
    return np.array([str(value) for value in ids], dtype=object)
