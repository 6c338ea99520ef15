"""What edits bring, measured: they are carried out, and both headline scores are counted again.

CCQ and OPT-J count place by place, so the changes that an edit makes are found near it. Edits that are far from each
other are carried out at once; those that are near follow one another in the order of the plan, so that each has what it
adds to the ones before it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.metric_result import LocalCounts
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.ccq import ccq
from geoeval.roads.junctions import opt_j
from geoeval.roads.mending.carrying_out import carry_out
from geoeval.roads.mending.expected_gains import HEADLINES
from geoeval.roads.mending.patches import Patches

# At most so many rounds of edits, each counted anew; what is left then is carried out in the last one together.
ROUNDS = 8
# Counts are taken within so many times the reach of an edit.
_SURROUNDING = 4.0


@dataclass(frozen=True)
class Headline:
    """A score that gains are in: how it is counted, the counts, the score of rows of them, and those of no error."""

    count: Callable[[RoadNetwork, RoadNetwork], LocalCounts]
    names: tuple[str, ...]
    score: Callable[[Floats], Floats]
    perfect: Callable[[RoadNetwork], Floats]


_LENGTHS = ("ref_length", "ref_matched", "pred_length", "pred_matched")
ARMS = ("tp", "pp", "ap")


def headlines(result: Result) -> dict[str, Headline]:
    """The scores of an evaluation that gains are in, counted with its parameters; only those that are defined."""
    known: dict[str, tuple[Any, ...]] = {
        "ccq": (ccq.local_counts, _LENGTHS, _quality, _all_lengths),
        "opt-j": (opt_j.local_counts, ARMS, _f1, _all_arms),
    }
    return {
        name: Headline(partial(count, **result.parameters[name]), *more)
        for name, (count, *more) in known.items()
        if result.scores.get(name, {}).get(HEADLINES[name]) is not None
    }


def changes_of_counts(
    result: Result, patches: Patches, scores: Mapping[str, Headline]
) -> tuple[dict[str, Floats], list[Ints]]:
    """What each edit, carried out after those before it, changes in the counts of each metric.

    One row per edit, and one for the rest, which comes last: the sum is the change from the prediction to the
    reference. Also gives for each edit the earlier ones that are near it: in any order that keeps it after them, it
    changes the same. O(v log m) for v segments near edits, in each round.
    """
    footprints = patches.footprints()[: patches.count]
    earlier = _earlier_nearby(patches, footprints)
    changes = {name: np.zeros((patches.count + 1, len(one.names))) for name, one in scores.items()}
    chosen = np.zeros(patches.count + 1, dtype=bool)
    for edits in _rounds(earlier) if scores else []:
        was = chosen.copy()
        chosen[edits] = True
        _count_again(patches, footprints, edits, (was, chosen), scores, changes)
    for name, one in scores.items():
        present = [result.counts[name][count] for count in one.names]
        changes[name][-1] = one.perfect(patches.reference.network) - present - changes[name].sum(axis=0)
    return changes, earlier


def growth(result: Result, changes: Mapping[str, Floats], scores: Mapping[str, Headline], *, edits: int) -> Floats:
    """How much the mean of the scores has grown after no edit, after the first, and so on; 0 without scores."""
    if not scores:
        return np.zeros(edits + 1)
    means = []
    for name, one in scores.items():
        now = [result.counts[name][count] for count in one.names]
        # Lengths to the micrometre: what is left of a road that was taken away must not be a rounding error.
        means.append(one.score(np.cumsum(np.vstack([now, changes[name]]), axis=0).round(6)))
    mean = np.mean(means, axis=0)
    return np.asarray(mean - mean[0], dtype=np.float64)


def best_order(gain: Floats, seconds: Floats, earlier: list[Ints]) -> Ints:
    """The order of edits by gain per second, in which each still follows the earlier ones near it. O(k log k)."""
    rate = gain / np.maximum(seconds, 1e-9)
    waits = np.array([len(one) for one in earlier], dtype=np.int64)
    followers: list[list[int]] = [[] for _ in earlier]
    for number, before in enumerate(earlier):
        for one in before.tolist():
            followers[one].append(number)
    ready = [(-rate[number], number) for number in np.flatnonzero(waits == 0).tolist()]
    heapify(ready)
    order = []
    while ready:
        _, number = heappop(ready)
        order.append(number)
        for one in followers[number]:
            waits[one] -= 1
            if waits[one] == 0:
                heappush(ready, (-rate[one], one))
    return np.array(order, dtype=np.int64)


def _count_again(
    patches: Patches, footprints: Objects, edits: Ints, chosen: tuple[Bools, Bools], scores: Mapping[str, Headline],
    changes: dict[str, Floats],
) -> None:  # fmt: skip
    """Add what counts change, near some edits, from the first choice of edits to the second, each at its edit."""
    there = edits[~shapely.is_empty(footprints[edits])]
    if len(there) == 0:
        return
    local = patches.near(footprints[there], _SURROUNDING * patches.reach)
    before, after = (carry_out(local, one) for one in chosen)
    reference = local.reference.network
    for name, one in scores.items():
        counted, again = (one.count(reference, network) for network in (before, after))
        where, change = _differences(counted, again, reference, (before, after), one.names)
        np.add.at(changes[name], _nearest(footprints, there, where), change)


def _earlier_nearby(patches: Patches, footprints: Objects) -> list[Ints]:
    """For each edit the edits before it that are so near that both change the counts of one place."""
    tree = shapely.STRtree(footprints)
    one, other = tree.query(footprints, predicate="dwithin", distance=2 * patches.reach + patches.tolerance)
    one, other = one[other < one], other[other < one]
    by = np.argsort(one, kind="stable")
    return np.split(other[by], np.searchsorted(one[by], np.arange(1, len(footprints))))[: len(footprints)]


def _rounds(earlier: list[Ints]) -> list[Ints]:
    """Edits that are carried out together: an edit comes after all earlier ones that are near it."""
    turn = np.zeros(len(earlier), dtype=np.int64)
    for number, near in enumerate(earlier):
        turn[number] = min(turn[near].max(initial=-1) + 1, ROUNDS - 1)
    return [np.flatnonzero(turn == number) for number in range(turn.max(initial=-1) + 1)]


def _differences(
    before: LocalCounts, after: LocalCounts, reference: RoadNetwork, networks: tuple[RoadNetwork, RoadNetwork],
    names: tuple[str, ...],
) -> tuple[Objects, Floats]:  # fmt: skip
    """Where counts differ, as points or lines, and by how much."""
    values = [np.column_stack([one.counts[name] for name in names]) for one in (before, after)]
    rows = before.reference_rows
    change = values[1][:rows] - values[0][:rows]
    own = np.flatnonzero((np.abs(change) > 1e-9).any(axis=1))
    where = [_geometry(before, own, reference)]
    changed = [change[own]]
    # Of the prediction, what is at the same place with the same counts is the same.
    places = [one.xy[rows:, 0] + 1j * one.xy[rows:, 1] for one in (before, after)]
    place, number = np.unique(np.concatenate(places), return_inverse=True)
    signed = np.concatenate([-values[0][rows:], values[1][rows:]])
    sums = np.column_stack([np.bincount(number, weights=column, minlength=len(place)) for column in signed.T])
    differs = np.asarray((np.abs(sums) > 1e-9).any(axis=1))
    split = len(places[0])
    for one, network, numbers, value in (
        (before, networks[0], number[:split], signed[:split]),
        (after, networks[1], number[split:], signed[split:]),
    ):
        at = np.flatnonzero(differs[numbers])
        where.append(_geometry(one, rows + at, network))
        changed.append(value[at])
    return np.concatenate(where), np.concatenate(changed)


def _geometry(local: LocalCounts, rows: Ints, network: RoadNetwork) -> Objects:
    if local.item_is_node or local.item is None:
        return np.asarray(shapely.points(local.xy[rows]))
    return np.asarray(shapely.linestrings(network.nodes[network.segments[local.item[rows]]]))


def _nearest(footprints: Objects, edits: Ints, where: Objects) -> Ints:
    """The edit that is nearest to each place."""
    found = np.full(len(where), edits[0], dtype=np.int64)
    place, nearest = shapely.STRtree(footprints[edits]).query_nearest(where, all_matches=False)
    found[place] = edits[nearest]
    return found


def _quality(rows: Floats) -> Floats:
    """CCQ's quality of rows of lengths."""
    named = (dict(zip(_LENGTHS, row, strict=True)) for row in rows.tolist())
    return np.array([ccq.scores_from_counts(counts)[0]["quality"] for counts in named], dtype=np.float64)


def _f1(rows: Floats) -> Floats:
    """OPT-J's F1 of rows of TP, PP and AP; 1 where there is nothing left to compare."""
    sums = rows[:, 1] + rows[:, 2]
    return np.where(sums > 0, 2 * rows[:, 0] / np.where(sums > 0, sums, 1.0), 1.0)


def _all_lengths(reference: RoadNetwork) -> Floats:
    return np.full(len(_LENGTHS), reference.length)


def _all_arms(reference: RoadNetwork) -> Floats:
    return np.full(len(ARMS), reference.degrees[reference.features].sum(), dtype=np.float64)
