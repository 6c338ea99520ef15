"""The game of TOPO: from each start point, marbles along the prediction fall into holes along the reference."""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.sat2graph.degrees import degrees_between, degrees_of
from geoeval.protocols.sat2graph.marbles import largest_matching
from geoeval.protocols.sat2graph.start_points import StartPlaces
from geoeval.protocols.sat2graph.walk import walk

# The twin of a hole lies this far off in latitude and longitude, in degrees.
_TWIN = 1e-5


@dataclass(frozen=True)
class Played:
    """What the game gave.

    Attributes
    ----------
    counts
        For each start point: marbles, matched marbles, holes, matched holes.
    reference, prediction
        By steps of each edge: how often a point was placed there, and how often it was not matched.
    reference_first, prediction_first
        The steps of edge e, from the end that is first in the lists of neighbours, are ``first[e]:first[e + 1]``.
    """

    counts: Ints
    reference: Ints
    prediction: Ints
    reference_first: Ints
    prediction_first: Ints


def play(
    reference: FileGraph, prediction: FileGraph, true: StartPlaces, predicted: StartPlaces, *,
    step: float, r: float, match: float, match_angle: float,
) -> Played:  # fmt: skip
    """Play from each start point; ``true`` and ``predicted`` are its places on both graphs.

    For k starts with p points in reach O(k p log p) about; the matching is exact.
    """
    graphs = []
    for graph in (reference, prediction):
        degrees, lists = degrees_of(graph.nodes), graph.neighbours
        first = _steps(degrees, lists.start, lists.node, lists.edge, step)
        graphs.append((degrees, lists.start, lists.node, lists.back, lists.twofold, lists.edge, first))
    counts = np.zeros((len(true), 4), dtype=np.int64)
    tallies = [np.zeros((graph[-1][-1], 2), dtype=np.int64) for graph in graphs]
    capacity = 4096
    done = 0
    while done < len(true):
        done = _play(
            *graphs[0], *graphs[1][:4], *graphs[1][5:], true.ends, true.distances, predicted.ends,
            predicted.distances, step, r, match, match_angle, capacity, done, counts, tallies[0], tallies[1],
        )  # fmt: skip
        capacity *= 2
    return Played(counts, tallies[0], tallies[1], graphs[0][-1], graphs[1][-1])


def _steps(degrees: Floats, start: Ints, node: Ints, edge: Ints, step: float) -> Ints:
    """Where the steps of each edge begin in a list of all."""
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    across = (degrees[node, 1] - degrees[owner, 1]) * np.cos(np.radians(degrees[owner, 0]))
    length = np.hypot(degrees[node, 0] - degrees[owner, 0], across)
    steps = np.zeros(int(edge.max()) + 1 if len(edge) else 0, dtype=np.int64)
    np.maximum.at(steps, edge, np.ceil(length / step).astype(np.int64) + 1)
    return np.concatenate([[0], np.cumsum(steps)])


@kernel
def _play(
    ref_degrees: Floats, ref_start: Ints, ref_node: Ints, ref_back: Ints, ref_twofold: Bools, ref_edge: Ints,
    ref_first: Ints, pred_degrees: Floats, pred_start: Ints, pred_node: Ints, pred_back: Ints,
    pred_edge: Ints, pred_first: Ints, ref_ends: Ints, ref_away: Floats, pred_ends: Ints, pred_away: Floats,
    step: float, r: float, match: float, match_angle: float, capacity: int, begin: int, counts: Ints,
    ref_tally: Ints, pred_tally: Ints,
) -> int:  # fmt: skip
    """Play from start points ``begin`` on; gives the first for which ``capacity`` was too small, or their number."""
    holes, marbles = np.empty((2 * capacity, 4)), np.empty((capacity, 4))
    ref_where, pred_where = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    table = np.empty(4 * capacity, np.int64)
    queue, queue_distance = np.empty((4 * capacity, 2), np.int64), np.empty(4 * capacity)
    scratch, pairs = np.empty((4, 4 * capacity + 2), np.int64), np.empty(64 * capacity, np.int64)
    partner, owner = np.empty(2 * capacity, np.int64), np.empty(2 * capacity, np.int64)
    ref_reached, ref_seen = np.empty(len(ref_degrees)), np.full(len(ref_degrees), -1)
    pred_reached, pred_seen = np.empty(len(pred_degrees)), np.full(len(pred_degrees), -1)
    ref_covered, ref_covered_seen = np.empty(len(ref_node)), np.full(len(ref_node), -1)
    pred_covered, pred_covered_seen = np.empty(len(pred_node)), np.full(len(pred_node), -1)
    for k in range(begin, len(ref_ends)):
        n_holes, fits = walk(
            ref_degrees, ref_start, ref_node, ref_back, ref_ends[k, 0], ref_ends[k, 1], ref_away[k, 0],
            ref_away[k, 1], step, r, k, ref_reached, ref_seen, ref_covered, ref_covered_seen, queue, queue_distance,
            holes, ref_where, table,
        )  # fmt: skip
        n_marbles, also_fits = walk(
            pred_degrees, pred_start, pred_node, pred_back, pred_ends[k, 0], pred_ends[k, 1], pred_away[k, 0],
            pred_away[k, 1], step, r, k, pred_reached, pred_seen, pred_covered, pred_covered_seen, queue,
            queue_distance, marbles, pred_where, table,
        )  # fmt: skip
        if not (fits and also_fits):
            return k
        found = largest_matching(holes, n_holes, marbles, n_marbles, match, match_angle, scratch, pairs, partner, owner)
        if found < 0:
            return k
        # Each hole has a twin where its road is listed in both directions, so that precision forgives doubled roads.
        twins = n_holes
        for i in range(n_holes):
            if ref_twofold[ref_where[i]]:
                holes[twins, 0], holes[twins, 1] = holes[i, 0] + _TWIN, holes[i, 1] + _TWIN
                holes[twins, 2], holes[twins, 3] = holes[i, 2], holes[i, 3]
                twins += 1
        missed = partner[:n_holes].copy()
        hit = largest_matching(marbles, n_marbles, holes, twins, match, match_angle, scratch, pairs, partner, owner)
        if hit < 0:
            return k
        counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = n_marbles, hit, n_holes, found
        for i in range(n_holes):
            slot = _slot(ref_degrees, ref_node, ref_back, ref_edge, ref_first, ref_where[i], holes[i], step)
            ref_tally[slot, 0] += 1
            ref_tally[slot, 1] += missed[i] < 0
        for i in range(n_marbles):
            slot = _slot(pred_degrees, pred_node, pred_back, pred_edge, pred_first, pred_where[i], marbles[i], step)
            pred_tally[slot, 0] += 1
            pred_tally[slot, 1] += partner[i] < 0
    return len(ref_ends)


@kernel
def _slot(degrees: Floats, node: Ints, back: Ints, edge: Ints, first: Ints, p: int, point: Floats, step: float) -> int:
    """The step of an edge in which a point lies, from the end that comes first in the lists of neighbours."""
    seen_from = node[max(p, back[p])]  # the far end of the later listing is the near end of the earlier one
    away = degrees_between(degrees[seen_from, 0], degrees[seen_from, 1], point[0], point[1])
    steps = first[edge[p] + 1] - first[edge[p]]
    return first[edge[p]] + min(int(away / step), steps - 1)
