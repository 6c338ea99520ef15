"""Whether junctions differ: arms that leave a circle around the place, so that how a junction is drawn does not matter.

A crossing of four roads drawn as two junctions of three a few metres apart has four arms that leave the circle, all
connected inside. It is the same junction.
"""

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.grouping import joined_sets


def arms_differ(reference: RoadNetwork, prediction: RoadNetwork, places: Floats, radii: tuple[float, ...]) -> Bools:
    """Whether the arms around places differ in all circles of these radii. O(k log m) for k places."""
    differ = np.ones(len(places), dtype=bool)
    for radius in radii:
        left = np.flatnonzero(differ)
        if len(left) == 0:
            break
        keys = [_arms(network, places[left], radius) for network in (reference, prediction)]
        differ[left] = (keys[0] != keys[1]).any(axis=1)
    return differ


def _arms(network: RoadNetwork, places: Floats, radius: float) -> Ints:
    """Around each place: how many arms leave the circle, and how many of them from each of the three richest knots.

    A knot is what is connected inside the circle. Knots without a junction (two arms or fewer) are roads that pass.
    """
    found = np.zeros((len(places), 4), dtype=np.int64)
    if network.is_empty:
        return found
    centre, segment = network.tree.query(shapely.points(places), "dwithin", radius)
    pairs = network.segments[segment]
    inside = np.hypot(*(network.nodes[pairs] - places[centre][:, None]).transpose(2, 0, 1)) <= radius
    # Nodes by circle: the same node inside two circles is two.
    keys = centre[:, None] * len(network.nodes) + pairs
    known, number = np.unique(keys[inside], return_inverse=True)
    ids = np.full(inside.shape, -1)
    ids[inside] = number
    within = inside.all(axis=1)
    knot = joined_sets(len(known), ids[within, 0], ids[within, 1]) if len(known) else np.zeros(0, dtype=np.int64)
    crossing = inside[:, 0] != inside[:, 1]
    arm_knot = knot[np.where(inside[crossing, 0], ids[crossing, 0], ids[crossing, 1])]
    arms = np.bincount(arm_knot, minlength=len(known))
    circle = np.full(len(known), -1)
    circle[arm_knot] = centre[crossing]
    passing = ~inside.any(axis=1)
    found[:, 0] = np.bincount(centre[passing], minlength=len(places)) * 2
    found[:, 0] += np.bincount(centre[crossing], minlength=len(places))
    rich = np.flatnonzero((arms > 2) & (circle >= 0))
    rich = rich[np.lexsort([-arms[rich], circle[rich]])]
    first = np.searchsorted(circle[rich], circle[rich])
    rank = np.arange(len(rich)) - first
    top = rank < 3
    found[circle[rich[top]], 1 + rank[top]] = arms[rich[top]]
    return found
