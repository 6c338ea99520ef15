"""Two networks beside each other: what is unmatched of both, and which junctions, ends and roads are the same."""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.boxes import BoxTree
from geoeval.arrays import Bools, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.labelled import Labelled, Scale, labelled
from geoeval.roads.causes.same_nodes import SameNodes, same_nodes, same_roads
from geoeval.roads.causes.unmatched import Runs, unmatched_parts
from geoeval.roads.ccq.ccq import Stretches
from geoeval.roads.geometry.network_tree import network_tree


@dataclass(frozen=True)
class View:
    """Both networks, the reference first, and what is found by looking at them.

    Attributes
    ----------
    trees
        Of the segments of each.
    sides
        The unmatched parts of each, by what lies beside them.
    same
        The junctions and ends that both have.
    roads
        The stretches of roads between the same stops, pair by pair.
    joints
        The nodes of each at which another road ended that was taken out.
    """

    networks: tuple[RoadNetwork, RoadNetwork]
    trees: tuple[BoxTree, BoxTree]
    sides: tuple[Labelled, Labelled]
    same: SameNodes
    roads: tuple[Runs, Runs]
    joints: tuple[Ints, Ints]

    def all_open(self) -> list[Bools]:
        """For each side, that no error is known yet for any of its parts."""
        return [np.ones(len(side), dtype=bool) for side in self.sides]


def view(
    networks: tuple[RoadNetwork, RoadNetwork], unmatched: tuple[Stretches, Stretches], scale: Scale,
    joints: tuple[Ints, Ints] | None = None,
) -> View:  # fmt: skip
    """Look at two networks of which stretches are unmatched. O(n log n) for n segments and samples.

    ``joints`` divide what is alone.
    """
    trees = (network_tree(networks[0]), network_tree(networks[1]))
    parts = [unmatched_parts(*pair) for pair in zip(networks, unmatched, strict=True)]
    none = np.zeros(0, dtype=np.int64)
    joints = joints or (none, none)
    sides = (labelled(parts[0], *trees, scale, joints[0]), labelled(parts[1], *trees[::-1], scale, joints[1]))
    same = same_nodes(*networks, scale)
    return View(networks, trees, sides, same, same_roads(*networks, same, scale.tolerance), joints)
