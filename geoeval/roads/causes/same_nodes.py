"""Junctions and ends of both networks that are the same ones, wherever they are drawn, and the roads between them.

Nearest neighbours within the tolerance are the same. Of the others, those are that lie within twice the reach of each
other and whose roads lead to the same places. The more roads agree the better, then the nearer; each belongs to one at
most. Where a road leads to: see ``stops``.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.labelled import Scale
from geoeval.roads.causes.stops import Stops, leads, stops_of
from geoeval.roads.causes.unmatched import Runs
from geoeval.roads.geometry.sampling import coordinates

# In reaches: how far apart the same junction may be drawn.
FARTHEST = 2.0
# Of so many nodes of the prediction near one of the reference, any may be the same.
_NEAREST = 16
# A junction that has another number of arms in the other network is the same one only if so many agree.
_MANY = 3


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
        Whether all roads that both can have in common lead to the same places.
    stops
        Along the roads of both networks.
    """

    nodes: Ints
    distance: Floats
    in_all: Bools
    stops: tuple[Stops, Stops]


def same_nodes(reference: RoadNetwork, prediction: RoadNetwork, scale: Scale) -> SameNodes:
    """Find the junctions and ends that are the same. O(n log n) for n of them."""
    networks = (reference, prediction)
    ends = [np.unique(network.roads.ends[~network.roads.closed]) for network in networks]
    pair, apart = _near_pairs(networks, ends, FARTHEST * scale.reach)
    nearest = _is_first(pair[:, 0]) & _is_first(pair[:, 1]) & (apart <= scale.tolerance)
    lone = [np.setdiff1d(own, pair[nearest, side]) for side, own in enumerate(ends)]
    stops = (stops_of(reference, prediction.nodes, lone[1], scale.reach),
             stops_of(prediction, reference.nodes, lone[0], scale.reach))  # fmt: skip
    nodes = [len(network.nodes) for network in networks]
    arms = np.column_stack([network.degrees[own] for network, own in zip(networks, pair.T, strict=True)])
    # What is nearest to each other is no candidate for anything else, unless no road of both leads to the same.
    unsure = nearest.copy()
    unsure[nearest] = _agreeing_arms(stops, pair[nearest], nodes, pair, scale.reach) == 0
    lone = [np.append(own, pair[unsure, side]) for side, own in enumerate(lone)]
    kept = nearest | (np.isin(pair[:, 0], lone[0]) & np.isin(pair[:, 1], lone[1]))
    pair, apart, arms = pair[kept], apart[kept], arms[kept]
    nearest, unsure = nearest[kept], unsure[kept]
    agreeing = _agreeing_arms(stops, pair, nodes, pair, scale.reach)
    may_be = (agreeing == arms.min(axis=1)) & ((arms[:, 0] == arms[:, 1]) | (agreeing >= _MANY))
    # Both of them must have something better.
    unsure &= np.isin(pair[:, 0], pair[may_be, 0]) & np.isin(pair[:, 1], pair[may_be, 1])
    nearest &= ~unsure
    may_be &= nearest | ~(np.isin(pair[:, 0], pair[nearest, 0]) | np.isin(pair[:, 1], pair[nearest, 1]))
    # Two roads of what may be the same, or the only one, lead to what is the same for sure, or to such a pair; all of
    # them where one network has more.
    least = np.where(arms[:, 0] == arms[:, 1], np.minimum(arms[:, 0], 2), arms.min(axis=1))
    in_all = nearest
    for _ in range(2):
        surely = _agreeing_arms(stops, pair, nodes, pair[nearest | in_all], scale.tolerance, beyond=apart)
        in_all = may_be & (surely >= least)
    chosen = _greedily(pair, np.lexsort([pair[:, 1], pair[:, 0], apart, ~in_all, -agreeing, ~nearest]))
    chosen = chosen[nearest[chosen] | in_all[chosen]]
    return SameNodes(pair[chosen], apart[chosen], in_all[chosen], stops)


def same_roads(reference: RoadNetwork, prediction: RoadNetwork, same: SameNodes, tolerance: float) -> tuple[Runs, Runs]:
    """Stretches of roads between the same two stops, to a tolerance: pairs, row by row. O(s log s).

    Where there are several between two stops, as many in both networks, they are paired from the left to the right.
    """
    # A stop has the name of its node in the reference or, where there is none, of its node in the prediction.
    networks, count = (reference, prediction), len(reference.nodes) + len(prediction.nodes)
    names = [np.append(numbers, -1) for numbers in np.split(np.arange(count), [len(reference.nodes)])]
    names[1][same.nodes[:, 1]] = same.nodes[:, 0]
    keys, runs = [], []
    for side in (0, 1):
        stops = same.stops[side]
        # Where a node of the other network has turned out to be one of this, it is no stop of its own.
        lone = (stops.away <= tolerance) & ~np.isin(stops.other, same.nodes[:, 1 - side])
        stops = stops.some(np.flatnonzero((stops.node >= 0) | lone))
        name = np.where(stops.node >= 0, names[side][stops.node], names[1 - side][stops.other])
        low = np.flatnonzero((stops.road[1:] == stops.road[:-1]) & (name[1:] != name[:-1]))
        all_runs = Runs(stops.road[low], stops.metres[low], stops.metres[low + 1])
        key = np.minimum(name[low], name[low + 1]) * count + np.maximum(name[low], name[low + 1])
        _, group, number = np.unique(key, return_inverse=True, return_counts=True)
        several = np.flatnonzero(number[group] > 1)
        left = np.zeros(len(low))
        backward = name[low[several]] > name[low[several] + 1]
        left[several] = _bulge(networks[side], all_runs.some(several)) * np.where(backward, -1.0, 1.0)
        order = np.lexsort([left, key])
        place = np.arange(len(order)) - np.repeat(np.cumsum(number) - number, number)
        keys.append(np.column_stack([key[order], number[group[order]], place]))
        runs.append(all_runs.some(order))
    # The same stops, as many stretches, and the same place among them.
    rows, inverse = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    at = [np.full(len(rows), -1), np.full(len(rows), -1)]
    at[0][inverse[: len(keys[0])]] = np.arange(len(keys[0]))
    at[1][inverse[len(keys[0]) :]] = np.arange(len(keys[1]))
    both = (at[0] >= 0) & (at[1] >= 0)
    return runs[0].some(at[0][both]), runs[1].some(at[1][both])


def _bulge(network: RoadNetwork, runs: Runs) -> Floats:
    """How far the middle of each stretch lies to the left of the straight line between its ends."""
    begin, middle, end = (
        coordinates(network, *network.roads.locate(runs.road, metres, network.segment_lengths))
        for metres in (runs.begin, (runs.begin + runs.end) / 2, runs.end)
    )
    way, to = end - begin, middle - begin
    return np.asarray((way[:, 0] * to[:, 1] - way[:, 1] * to[:, 0]) / np.maximum(np.hypot(*way.T), 1e-9))


def _near_pairs(networks: tuple[RoadNetwork, RoadNetwork], ends: list[Ints], distance: float) -> tuple[Ints, Floats]:
    """Pairs of nodes within a distance of each other, and how far apart they are, the nearest first."""
    if min(map(len, ends)) == 0:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0)
    there = cKDTree(networks[1].nodes[ends[1]])
    apart, other = there.query(networks[0].nodes[ends[0]], k=_NEAREST, distance_upper_bound=distance)
    one, place = np.nonzero(np.isfinite(apart))
    pair, gap = np.column_stack([ends[0][one], ends[1][other[one, place]]]), apart[one, place]
    order = np.lexsort([pair[:, 1], pair[:, 0], gap])
    return pair[order], gap[order]


def _is_first(values: Ints) -> Bools:
    """Whether each value occurs for the first time."""
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def _agreeing_arms(
    stops: tuple[Stops, Stops], pair: Ints, nodes: list[int], may_be_same: Ints, near: float,
    beyond: Floats | None = None,
) -> Ints:  # fmt: skip
    """For each pair, how many roads of both lead to the same: to such a pair, or to a node near a stop on the way.

    ``nodes`` is how many nodes the networks have; what is on the way counts ``beyond`` so many metres alone.
    """
    there = [leads(one, count) for one, count in zip(stops, nodes, strict=True)]
    number = [np.diff(one.start)[pair[:, side]] for side, one in enumerate(there)]
    # All that the one leads to against all that the other leads to.
    size = number[0] * number[1]
    row = np.repeat(np.arange(len(pair)), size)
    within = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
    share = (within // number[1][row], within % number[1][row])
    at = [one.start[pair[row, side]] + share[side] for side, one in enumerate(there)]
    ref, pred = (one.some(lead.stop[own]) for one, lead, own in zip(stops, there, at, strict=True))
    agree = np.isin(ref.node * nodes[1] + pred.node, may_be_same[:, 0] * nodes[1] + may_be_same[:, 1])
    agree &= (ref.node >= 0) & (pred.node >= 0)
    gone = [lead.gone[own] for lead, own in zip(there, at, strict=True)]
    far = np.minimum(*gone) > beyond[row] if beyond is not None else True
    for one, other in ((ref, pred), (pred, ref)):
        agree |= (one.node >= 0) & (one.node == other.other) & (other.away <= near) & far
    met = []
    for lead, own in zip(there, at, strict=True):
        rows = np.unique(np.column_stack([row[agree], lead.arm[own[agree]]]), axis=0)[:, 0]
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
