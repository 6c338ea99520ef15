"""Junctions and ends that both networks have, but far from each other: with their roads, each is one error."""

import numpy as np
import shapely

from geoeval.arrays import Bools, Ints
from geoeval.roads.causes.cross_sections import ALONE, COPY, DISPLACED
from geoeval.roads.causes.found import METRES, Found
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.causes.same_nodes import FARTHEST
from geoeval.roads.causes.unmatched import Runs
from geoeval.roads.causes.views import View

# In reaches, along the road: how far from a junction what is unmatched may begin, and still be so because it moved.
_FROM_NODE = 3.0
# In reaches: how long something is that no junction explains, because it is a road of its own.
_A_ROAD = 2.0


def add_moved(found: Found, seen: View, open_: list[Bools], scale: Scale, *, least: float) -> Ints:
    """Add junctions and ends that are farther apart than ``scale.reach`` and whose roads all lead to the same nodes.

    The line of such an error leads from the place in the prediction to that in the reference. What is unmatched of the
    roads around belongs to it; errors with fewer than ``least`` metres of it are none. Returns the pairs of nodes.
    """
    same, sides = seen.same, seen.sides
    # A road that leads on to a road of which only its network knows does not end there.
    leads_on = [np.isin(nodes, joints) for nodes, joints in zip(same.nodes.T, seen.joints, strict=True)]
    chosen = np.flatnonzero(same.in_all & (same.distance > scale.reach) & (leads_on[0] == leads_on[1]))
    claims = [_claims(side, still & ~_lacking(side, roads, scale), same.nodes[chosen, own], scale)
              for own, (side, still, roads) in enumerate(zip(sides, open_, seen.roads, strict=True))]  # fmt: skip
    metres = [np.bincount(node[node >= 0], weights=side.metres[node >= 0], minlength=len(chosen)).astype(np.float64)
              for side, node in zip(sides, claims, strict=True)]  # fmt: skip
    listed = metres[0] + metres[1] >= least
    for still, node in zip(open_, claims, strict=True):
        still[np.append(listed, False)[node]] = False
    nodes, apart = same.nodes[chosen[listed]], same.distance[chosen[listed]]
    places = [side.network.nodes[nodes[:, own]] for own, side in enumerate(sides)]
    lines = np.asarray(shapely.linestrings(np.stack(places[::-1], axis=1)), dtype=object)
    ends = sides[0].network.degrees[nodes[:, 0]] == 1
    said = {True: "the end of the road is {:.0f} m from its place", False: "the junction is {:.0f} m from its place"}
    note = [said[bool(end)].format(value) for end, value in zip(ends, apart, strict=True)]
    found.add("displaced", lines, dist_m=apart, note=note, **{
        name: values[listed] for name, values in zip(METRES, metres, strict=True)})  # fmt: skip
    return nodes


def _lacking(side: Labelled, same: Runs, scale: Scale) -> Bools:
    """Which parts are long whole roads that the other network has nowhere, however its junctions moved."""
    alone = side.is_whole & (side.label == ALONE) & (side.runs.length >= _A_ROAD * scale.reach)
    return np.asarray(alone & ~np.isin(side.runs.road, same.road))


def _claims(side: Labelled, still: Bools, nodes: Ints, scale: Scale) -> Ints:
    """For each part of a side, the number of the node that it is unmatched for; -1 for none. O(p + n)."""
    number = np.full(len(side.network.nodes), -1)
    number[nodes] = np.arange(len(nodes))
    roads, runs = side.network.roads, side.runs
    at = np.where(roads.closed[runs.road][:, None], -1, number[roads.ends[runs.road]])
    # The parts of a run belong together.
    run = np.cumsum(side.follows < 0) - 1
    begin, end = np.full(len(runs), np.inf), np.zeros(len(runs))
    np.minimum.at(begin, run, runs.begin)
    np.maximum.at(end, run, runs.end)
    gap = np.column_stack([begin[run], roads.length[runs.road] - end[run]])
    gap = np.where((at >= 0) & (gap <= _FROM_NODE * scale.reach), gap, np.inf)
    nearer = np.argmin(gap, axis=1)
    rows = np.arange(len(runs))
    may = still & np.isin(side.label, [ALONE, COPY, DISPLACED]) & (side.far <= FARTHEST * scale.reach)
    return np.where(may & np.isfinite(gap[rows, nearer]), at[rows, nearer], -1)
