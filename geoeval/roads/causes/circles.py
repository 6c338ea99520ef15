"""What a network is inside a circle, however it is drawn: arms that leave it, free ends, pieces and rings.

A crossing of four roads drawn as two junctions of three a few metres apart has four arms that leave a circle around
it, and is one piece: the same junction. A junction that was moved, with its roads, is the same inside the circle too.
"""

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.grouping import joined_sets

ARMS, ENDS, PIECES, RINGS = range(4)


def are_alike(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    places: Floats,
    radii: tuple[Floats, ...],
    *,
    facts: tuple[int, ...],
) -> Bools:
    """Whether both networks have the same of these facts around each place, in a circle of at least one radius."""
    alike = np.zeros(len(places), dtype=bool)
    for radius in radii:
        left = np.flatnonzero(~alike)
        if len(left) == 0:
            break
        here, there = (inside_circles(network, places[left], radius[left]) for network in (reference, prediction))
        alike[left] = (here[:, facts] == there[:, facts]).all(axis=1)
    return alike


def inside_circles(network: RoadNetwork, places: Floats, radius: Floats) -> Ints:
    """Arms that leave each circle, free ends, connected pieces and independent rings inside it ``(n, 4)``.

    Ends that clipping made are no free ends. O(k log m) for k places and m segments.
    """
    count = len(places)
    found = np.zeros((count, 4), dtype=np.int64)
    if network.is_empty or count == 0:
        return found
    circle, segment = network.tree.query(np.asarray(shapely.points(places)), "dwithin", radius)
    pairs = network.segments[segment]
    away = network.nodes[pairs] - places[circle][:, None]
    inside = np.hypot(away[..., 0], away[..., 1]) <= radius[circle][:, None]
    # The same node inside two circles is two.
    known, number = np.unique((circle[:, None] * len(network.nodes) + pairs)[inside], return_inverse=True)
    of_circle, node = known // len(network.nodes), known % len(network.nodes)
    ids = np.full(inside.shape, -1)
    ids[inside] = number
    within = inside.all(axis=1)
    piece = joined_sets(len(known), ids[within, 0], ids[within, 1])
    pieces = np.bincount(of_circle[np.unique(piece, return_index=True)[1]], minlength=count)
    leaving = inside[:, 0] != inside[:, 1]
    passing = np.bincount(circle[~inside.any(axis=1)], minlength=count)
    ends = (network.degrees[node] == 1) & ~network.cut[node]
    found[:, ARMS] = np.bincount(circle[leaving], minlength=count) + 2 * passing
    found[:, ENDS] = np.bincount(of_circle[ends], minlength=count)
    found[:, PIECES] = pieces + passing
    found[:, RINGS] = np.bincount(circle[within], minlength=count) - np.bincount(of_circle, minlength=count) + pieces
    return found
