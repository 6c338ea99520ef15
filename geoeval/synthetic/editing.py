"""Edits of a network: take stretches of roads out, put places in, join them by new lines.

Topology is kept as it is given: what was apart stays apart, even where it touches.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.model.network import RoadNetwork
from geoeval.roads.sampling import coordinates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SAME = 1e-6


@dataclass(frozen=True)
class _Split:
    """A network's parts with nodes put in: for each piece the segment it comes from and the metres of its middle."""

    nodes: Floats
    pairs: Ints
    owner: Ints
    middle: Floats
    number: Ints


def split_at(network: RoadNetwork, segment: Ints, offset: Floats) -> tuple[RoadNetwork, Ints]:
    """The network with a node at each place, and these nodes' numbers. O(m log m)."""
    split = _split(network, segment, offset)
    result, number = rebuilt(network, split.nodes, split.pairs, network.source_ids[split.owner])
    return result, number[split.number]


def remove_stretches(network: RoadNetwork, road: Ints, begin: Floats, end: Floats) -> RoadNetwork:
    """The network without the given stretches, metres along roads."""
    roads, lengths = network.roads, network.segment_lengths
    places = [roads.locate(road, metres, lengths) for metres in (begin, end)]
    split = _split(network, *(np.concatenate(values) for values in zip(*places, strict=True)))
    on_road, metres = roads.along(split.owner, split.middle, lengths)
    gone = np.zeros(len(split.pairs), dtype=bool)
    for which, low, high in zip(road, begin, end, strict=True):
        gone |= (on_road == which) & (metres > low) & (metres < high)
    return rebuilt(network, split.nodes, split.pairs[~gone], network.source_ids[split.owner[~gone]])[0]


def _split(network: RoadNetwork, segment: Ints, offset: Floats) -> _Split:
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
    return _Split(nodes, pairs, owner[joined], (along[joined] + along[joined + 1]) / 2, number)


def add_lines(
    network: RoadNetwork, chains: Sequence[tuple[int | None, Floats, int | None]], ids: Sequence[Any]
) -> RoadNetwork:
    """The network with new lines: each from a node (or nothing) over its own vertices to a node (or nothing)."""
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
    """The network with some nodes moved; nothing is disconnected."""
    nodes = network.nodes.copy()
    nodes[node] += shift
    return rebuilt(network, nodes, network.segments, network.source_ids)[0]


def rebuilt(network: RoadNetwork, nodes: Floats, segments: Ints, ids: NDArray[Any]) -> tuple[RoadNetwork, Ints]:
    """A network of these parts in the CRS of ``network``, and where each given node went."""
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


def as_text(ids: NDArray[Any]) -> NDArray[np.object_]:
    """Ids as text, so that new ones can stand beside them."""
    return np.array([str(value) for value in ids], dtype=object)
