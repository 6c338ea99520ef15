"""Junctions and ends of both networks that are the same ones, wherever they are drawn, and the roads between them.

Nearest neighbours within the tolerance are the same. Of the others, those are that lie within twice the reach of each
other and whose roads lead to the same junctions and ends. The more roads agree the better, then the nearer; each
belongs to one at most.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.labelled import Scale

# In reaches: how far apart the same junction may be drawn.
_FARTHEST = 2.0


@dataclass(frozen=True)
class SameNodes:
    """Pairs of nodes, one of each network.

    Attributes
    ----------
    nodes
        Of the reference and of the prediction, ``(k, 2)``.
    distance
        Metres between the two.
    in_all
        Whether all roads of both lead to the same junctions and ends.
    """

    nodes: Ints
    distance: Floats
    in_all: Bools


def same_nodes(reference: RoadNetwork, prediction: RoadNetwork, scale: Scale) -> SameNodes:
    """Find the junctions and ends that are the same. O(n log n) for n of them, if few lie close together."""
    networks = (reference, prediction)
    ends = [np.unique(network.roads.ends[~network.roads.closed]) for network in networks]
    if min(map(len, ends)) == 0:
        return SameNodes(np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0, dtype=bool))
    trees = [cKDTree(network.nodes[own]) for network, own in zip(networks, ends, strict=True)]
    first, second, apart = _near_pairs(trees, _FARTHEST * scale.reach)
    pair = np.column_stack([ends[0][first], ends[1][second]])
    # What is nearest to each other is the same within the tolerance, and no candidate for anything else.
    order = np.lexsort([pair[:, 1], pair[:, 0], apart])
    pair, apart = pair[order], apart[order]
    nearest = _is_first(pair[:, 0]) & _is_first(pair[:, 1]) & (apart <= scale.tolerance)
    used = [np.zeros(len(network.nodes), dtype=bool) for network in networks]
    for side in (0, 1):
        used[side][pair[nearest, side]] = True
    kept = nearest | ~(used[0][pair[:, 0]] | used[1][pair[:, 1]])
    pair, apart, nearest = pair[kept], apart[kept], nearest[kept]
    agreeing = _agreeing_arms(networks, pair)
    arms = [_arms(network) for network in networks]
    in_all = (agreeing == np.diff(arms[0][0])[pair[:, 0]]) & (agreeing == np.diff(arms[1][0])[pair[:, 1]])
    chosen = _greedily(pair, np.lexsort([pair[:, 1], pair[:, 0], apart, ~in_all, -agreeing, ~nearest]))
    chosen = chosen[nearest[chosen] | in_all[chosen] | (apart[chosen] <= scale.reach)]
    return SameNodes(pair[chosen], apart[chosen], in_all[chosen])


def same_roads(reference: RoadNetwork, prediction: RoadNetwork, same: SameNodes) -> Ints:
    """Roads of both networks ``(k, 2)`` that are the only ones between the same two nodes."""
    name = np.full(len(prediction.nodes), -1)
    name[same.nodes[:, 1]] = same.nodes[:, 0]
    keys, numbers = [], []
    for network, ends in ((reference, reference.roads.ends), (prediction, name[prediction.roads.ends])):
        known = np.flatnonzero((ends >= 0).all(axis=1) & ~network.roads.closed)
        low, high = np.sort(ends[known], axis=1).T
        key, first, count = np.unique(low * len(reference.nodes) + high, return_index=True, return_counts=True)
        keys.append(key[count == 1])
        numbers.append(known[first[count == 1]])
    _, here, there = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    return np.column_stack([numbers[0][here], numbers[1][there]])


def _near_pairs(trees: list[cKDTree], distance: float) -> tuple[Ints, Ints, Floats]:
    found = trees[0].sparse_distance_matrix(trees[1], distance, output_type="ndarray")
    return found["i"].astype(np.int64), found["j"].astype(np.int64), found["v"]


def _is_first(values: Ints) -> Bools:
    """Whether each value occurs for the first time."""
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def _arms(network: RoadNetwork) -> tuple[Ints, Ints]:
    """``(start, neighbour)``: along roads, node i leads to ``neighbour[start[i]:start[i + 1]]``."""
    ends = network.roads.ends[~network.roads.closed]
    here = ends.ravel()
    order = np.argsort(here, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(here, minlength=len(network.nodes)))])
    return start, ends[:, ::-1].ravel()[order]


def _agreeing_arms(networks: tuple[RoadNetwork, RoadNetwork], pair: Ints) -> Ints:
    """For each pair, how many roads of both lead to nodes that may be the same."""
    many = len(networks[1].nodes)
    arms = [_arms(network) for network in networks]
    number = [np.diff(start)[pair[:, side]] for side, (start, _) in enumerate(arms)]
    # All roads of the one against all of the other.
    row = np.repeat(np.arange(len(pair)), number[0] * number[1])
    within = np.arange(len(row)) - np.repeat(np.cumsum(number[0] * number[1]) - number[0] * number[1],
                                             number[0] * number[1])  # fmt: skip
    one, other = within // number[1][row], within % number[1][row]
    to = [start[pair[row, side]] + arm for side, ((start, _), arm) in enumerate(zip(arms, (one, other), strict=True))]
    leads = arms[0][1][to[0]] * many + arms[1][1][to[1]]
    agree = np.isin(leads, pair[:, 0] * many + pair[:, 1])
    met = []
    for place in to:
        rows = np.unique(np.column_stack([row[agree], place[agree]]), axis=0)[:, 0]
        met.append(np.bincount(rows, minlength=len(pair)))
    return np.minimum(*met)


def _greedily(pair: Ints, order: Ints) -> Ints:
    """The pairs that are left when each takes its nodes, in order."""
    taken: tuple[set[int], set[int]] = (set(), set())
    chosen = []
    for k, (one, other) in zip(order.tolist(), pair[order].tolist(), strict=True):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
            chosen.append(k)
    return np.array(chosen, dtype=np.int64)
