"""Where roads lead to: their ends, and on the way every place where only the other network has a junction or an end.

So a gap, a side road or a crossing that one network has and the other has not does not hide that the roads around it
are the same.
"""

from dataclasses import dataclass, fields

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork

# How many places on the way a road leads to, from each of its ends.
_ON_THE_WAY = 4


@dataclass(frozen=True)
class Stops:
    """Places on roads, in the order of the roads and along them.

    Attributes
    ----------
    road, metres
        Where.
    node
        The node of this network at the end of a road; -1 on the way.
    other
        On the way, the node of the other network that is here; -1 at the ends.
    away
        How far from here that node is.
    """

    road: Ints
    metres: Floats
    node: Ints
    other: Ints
    away: Floats

    def some(self, which: Ints) -> "Stops":
        """Those with these numbers."""
        return Stops(*(getattr(self, one.name)[which] for one in fields(self)))


def stops_of(network: RoadNetwork, xy: Floats, lone: Ints, near: float) -> Stops:
    """The stops of a network; ``xy[lone]`` are the nodes that only the other network has. O(n log m)."""
    roads = network.roads
    road = np.flatnonzero(~roads.closed)
    nothing = np.full(len(road), -1)
    at = network.nearest(xy[lone], max_distance=near)
    near_it = at.segment >= 0
    lone, away = lone[near_it], at.distance[near_it]
    on, metres = roads.along(at.segment[near_it], at.offset[near_it], network.segment_lengths)
    there = ~roads.closed[on] & (metres > 0) & (metres < roads.length[on])
    stops = Stops(
        np.concatenate([road, road, on[there]]),
        np.concatenate([np.zeros(len(road)), roads.length[road], metres[there]]),
        np.concatenate([roads.ends[road, 0], roads.ends[road, 1], np.full(there.sum(), -1)]),
        np.concatenate([nothing, nothing, lone[there]]),
        np.concatenate([np.zeros(2 * len(road)), away[there]]),
    )
    return stops.some(np.lexsort([stops.other, stops.metres, stops.road]))


@dataclass(frozen=True)
class Leads:
    """From ``start[i]`` to ``start[i + 1]`` stands what node i leads to: the arm, the stop, and the metres to it."""

    start: Ints
    arm: Ints
    stop: Ints
    gone: Floats


def leads(stops: Stops, nodes: int) -> Leads:
    """Where each of so many nodes leads to. O(s)."""
    number = np.arange(len(stops.road))
    opens = np.flatnonzero(np.r_[True, np.diff(stops.road) > 0]) if len(number) else number
    many = np.diff(np.append(opens, len(number)))
    first, last = np.repeat(opens, many), np.repeat(opens + many - 1, many)
    node, arm, stop = [], [], []
    for end, (own, far) in enumerate(((first, last), (last, first))):
        chosen = np.flatnonzero((number != own) & ((np.abs(number - own) <= _ON_THE_WAY) | (number == far)))
        node.append(stops.node[own[chosen]])
        arm.append(2 * stops.road[chosen] + end)
        stop.append(chosen)
    begin, target = np.concatenate(node), np.concatenate(stop)
    gone = np.abs(stops.metres[target] - stops.metres[np.concatenate([first[stop[0]], last[stop[1]]])])
    order = np.argsort(begin, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(begin, minlength=nodes))])
    return Leads(start, np.concatenate(arm)[order], target[order], gone[order])
