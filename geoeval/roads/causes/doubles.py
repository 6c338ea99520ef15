"""Roads that join the same two nodes, close beside each other: one of the two may be a copy of the other.

A road that only this network has, and that ends on one of the two, divides it into two pieces.
"""

from math import sqrt

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.pieces import cut_roads

# How much farther than its sides the right-angled corner of a line drawn beside another one is from it.
_CORNER = sqrt(2.0) * (1 + 1e-9)


def beside_its_double(network: RoadNetwork, road: Ints, xy: Floats, close: float, absent: Bools) -> Bools:
    """Whether each place on a road is close to another road, or piece of one, between the same two nodes.

    ``absent`` are the roads that the other network does not have. O(n log n).
    """
    close_by = np.zeros(len(road), dtype=bool)
    if len(road) == 0:
        return close_by
    own, other = _doubles(network, absent, close)
    # Every place with all that may be the double of its road.
    first, last = (np.searchsorted(own, road, side=side) for side in ("left", "right"))
    many = last - first
    place = np.repeat(np.arange(len(road)), many)
    double = other[np.arange(len(place)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)]
    wanted, number = np.unique(double, return_inverse=True)
    lines, _ = cut_roads(network, wanted, np.zeros(len(wanted)), network.roads.length[wanted])
    if len(place):
        near = shapely.distance(np.asarray(shapely.points(xy[place])), lines[number]) <= close * (1 + 1e-9)
        close_by[place[near]] = True
    return close_by


def pieces_of_doubles(network: RoadNetwork, absent: Bools, close: float) -> Ints:
    """Pairs of roads that are the two pieces of what has a double. O(n log n)."""
    return _in_two_pieces(network, absent, close)[0]


def _doubles(network: RoadNetwork, absent: Bools, close: float) -> tuple[Ints, Ints]:
    """Pairs of roads of which the second may be the double of the first, in order."""
    ends = _name(network, *network.roads.ends.T)
    order = np.argsort(ends, kind="stable")
    order = order[network.roads.ends[order, 0] != network.roads.ends[order, 1]]
    # Of three and more roads between two nodes, each has the one before and behind it.
    same = np.flatnonzero(np.diff(ends[order]) == 0)
    pieces, whole = _in_two_pieces(network, absent, close)
    one = np.concatenate([order[same], pieces[:, 0], pieces[:, 1]])
    other = np.concatenate([order[same + 1], whole, whole])
    pairs = np.unique(np.column_stack([np.append(one, other), np.append(other, one)]), axis=0)
    return pairs[:, 0], pairs[:, 1]


def _in_two_pieces(network: RoadNetwork, absent: Bools, close: float) -> tuple[Ints, Ints]:
    """Two roads that an absent one divides, and a road close beside both all the way between their far ends."""
    roads = network.roads
    road = np.tile(np.arange(len(roads)), 2)
    node, far = roads.ends.T.ravel(), roads.ends[:, ::-1].T.ravel()
    order = np.argsort(node, kind="stable")
    count = np.bincount(node, minlength=len(network.nodes))
    three = (count == 3) & (network.degrees == 3)
    arms = order[three[node[order]]].reshape(-1, 3)
    arms = np.concatenate([arms[:, [0, 1, 2]], arms[:, [0, 2, 1]], arms[:, [1, 2, 0]]])
    arms = arms[absent[road[arms[:, 2]]], :2]
    begin, end = far[arms].T
    goes_on = (begin != end) & (begin != node[arms[:, 0]]) & (end != node[arms[:, 0]])
    arms, name = arms[goes_on], _name(network, begin, end)[goes_on]
    names = _name(network, *roads.ends.T)
    sorted_ = np.argsort(names, kind="stable")
    first, last = (np.searchsorted(names[sorted_], name, side=side) for side in ("left", "right"))
    many = last - first
    row = np.repeat(np.arange(len(arms)), many)
    whole = sorted_[np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many) + np.repeat(first, many)]
    pieces = road[arms[row]].reshape(-1, 2)
    wanted, number = np.unique(np.column_stack([pieces, whole]), return_inverse=True)
    lines = cut_roads(network, wanted, np.zeros(len(wanted)), roads.length[wanted])[0][number.reshape(-1, 3)]
    both = shapely.multilinestrings(lines[:, :2].ravel(), indices=np.repeat(np.arange(len(lines)), 2))
    beside = shapely.hausdorff_distance(both, lines[:, 2], densify=0.25) <= close * _CORNER
    return pieces[beside], whole[beside]


def _name(network: RoadNetwork, one: Ints, other: Ints) -> Ints:
    """A number for each pair of nodes, in whichever order."""
    return np.minimum(one, other) * len(network.nodes) + np.maximum(one, other)
