"""Roads without a counterpart that the tolerance hides: short ones, and those right beside others."""

import numpy as np

from geoeval._kernels.boxes import BoxTree
from geoeval.arrays import Bools, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.circles import ARMS, ENDS, PIECES, RINGS, are_alike
from geoeval.roads.causes.cross_sections import ALONE, COPY, cross_sections
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.causes.unmatched import Runs, sample

# Of the reach: the longest road that is looked for.
_LONGEST = 8.0
# A road that is nowhere farther than this from the other network, in metres, is there.
_THERE = 0.5


def hidden_roads(
    side: Labelled, other: RoadNetwork, trees: tuple[BoxTree, BoxTree], open_: Bools, listable: Bools, scale: Scale
) -> Ints:
    """Roads of a network that the other one does not have, though hardly anything of them is unmatched.

    Cuts across such a road meet no line of the other network that is its own, some of it lies beside all that the other
    network has, and inside a circle around it the networks differ. Roads of which a part is listed anyway
    (``listable``), or belongs to another error already (not ``open_``), are left out, and so are those with joints.
    O(r log m) for r short roads.
    """
    network, roads = side.network, side.network.roads
    taken = np.zeros(len(roads), dtype=bool)
    taken[side.runs.road[~open_ | listable | side.at_joint]] = True
    road = np.flatnonzero((roads.length <= _LONGEST * scale.reach) & ~roads.closed & ~taken)
    samples = sample(network, Runs(road, 0.25 * roads.length[road], 0.75 * roads.length[road]), step=30.0)
    seen = cross_sections(
        samples.xy, samples.direction, trees[0], trees[1], near=scale.reach, wide=2 * scale.reach,
        close=2 * scale.tolerance,
    )  # fmt: skip
    alone = np.bincount(samples.run, weights=(seen.label == ALONE) | (seen.label == COPY), minlength=len(road))
    road = road[alone == np.bincount(samples.run, minlength=len(road))]
    samples = sample(network, Runs(road, np.zeros(len(road)), roads.length[road]), step=2.0)
    aside = other.nearest(samples.xy, max_distance=_THERE).segment < 0
    road = road[np.bincount(samples.run, weights=aside, minlength=len(road)) > 0]
    ends = network.nodes[roads.ends[road]]
    middle = ends.mean(axis=1)
    radius = roads.length[road] / 2
    radii = tuple(radius + share * scale.reach for share in (0.5, 1.0))
    alike = are_alike(network, other, middle, radii, facts=(ARMS, ENDS, PIECES, RINGS))
    return road[~alike]
