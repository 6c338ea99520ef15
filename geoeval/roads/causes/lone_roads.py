"""Roads that surely only one of the networks has.

Such a road divides those that it ends on, and hides that they are the same roads in both networks, above all where one
of them is not at its place. So these roads are taken out first, and the rest is looked at as if they were not there.
"""

import numpy as np
import shapely

from geoeval.arrays import Bools, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.cross_sections import ALONE
from geoeval.roads.causes.displaced import SMALL_PLACE, add_bent, add_displaced
from geoeval.roads.causes.divided import add_divided
from geoeval.roads.causes.found import Found
from geoeval.roads.causes.gaps import dead_end_near
from geoeval.roads.causes.grouping import rings
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.causes.moved import add_moved
from geoeval.roads.causes.one_sided import add_roads
from geoeval.roads.causes.views import View, view
from geoeval.roads.ccq.ccq import Stretches
from geoeval.roads.geometry.pieces import cut_roads

# In reaches: how long a lone road at least is, and how much of it may have something else beside it.
_LONG, _BESIDE = 2.0, 2.0


def add_lone_roads(
    found: Found, seen: View, unmatched: tuple[Stretches, Stretches], scale: Scale, *, least: float
) -> View:
    """Add the lone roads of both networks; returns what is seen without them. As costly as ``view``.

    ``least`` is that of ``add_moved``.
    """
    open_ = seen.all_open()
    known = Found()
    add_moved(known, seen, open_, scale, least=least)
    add_bent(known, seen.sides, open_, seen.roads, scale)
    add_divided(known, seen.sides, open_, scale)
    add_displaced(known, seen.sides, open_, seen.roads, scale)
    lone = [_lone_roads(seen.sides[own], open_[own], seen.networks[1 - own], scale) for own in (0, 1)]
    if not any(map(len, lone)):
        return seen
    for own in (0, 1):
        add_roads(found, seen.sides[own], own, lone[own], scale)
    rest = [_without(*one) for one in zip(seen.networks, unmatched, lone, strict=True)]
    networks, still_unmatched, joints = zip(*rest, strict=True)
    return view(networks, still_unmatched, scale, joints)


def _lone_roads(side: Labelled, open_: Bools, other: RoadNetwork, scale: Scale) -> Ints:
    """Roads that are nearly all alone, that lead away from what is there, and of which no part is explained.

    A road that leads on from a dead end of the other network is a longer road, not a lone one. Roads that are a small
    ring together, as a roundabout, may be a crossing of the other network.
    """
    roads, runs = side.network.roads, side.runs
    alone = open_ & (side.label == ALONE)
    metres = np.bincount(runs.road[alone], weights=runs.length[alone], minlength=len(roads))
    far = np.zeros(len(roads))
    np.maximum.at(far, runs.road[alone], side.far[alone])
    beside = roads.length - metres
    lone = (metres >= _LONG * scale.reach) & (far > scale.reach) & ~roads.closed
    lone &= beside <= np.minimum(_BESIDE * scale.reach, metres / 2)
    lone[runs.road[~open_]] = False
    road = np.flatnonzero(lone)
    road = road[~_in_small_rings(side.network, road, SMALL_PLACE * scale.reach)]
    goes_on = dead_end_near(other, side.network.nodes[roads.ends[road].ravel()], scale.tolerance) >= 0
    return road[~goes_on.reshape(-1, 2).any(axis=1)]


def _in_small_rings(network: RoadNetwork, road: Ints, radius: float) -> Bools:
    """Which of some roads are a ring of at most this radius together with others of them."""
    ring = rings(network.roads.ends[road])
    lines, _ = cut_roads(network, road, np.zeros(len(road)), network.roads.length[road])
    low, high = np.full((len(road), 2), np.inf), np.full((len(road), 2), -np.inf)
    boxes = shapely.bounds(lines).reshape(-1, 4)
    np.minimum.at(low, ring, boxes[:, :2])
    np.maximum.at(high, ring, boxes[:, 2:])
    several = np.bincount(ring, minlength=len(road))[ring] > 1
    return np.asarray(several & (np.hypot(*(high - low)[ring].T) <= 2 * radius))


def _without(network: RoadNetwork, unmatched: Stretches, road: Ints) -> tuple[RoadNetwork, Stretches, Ints]:
    """A network without some roads, what is unmatched of the rest, and the nodes that are no junctions without them."""
    kept = ~np.isin(network.roads.road_of, road)
    number = np.cumsum(kept) - 1
    own = kept[unmatched.segment]
    still = Stretches(number[unmatched.segment[own]], unmatched.begin[own], unmatched.end[own])
    rest = network.some(kept)
    left = np.bincount(network.segments[kept].ravel(), minlength=len(network.nodes))
    before = network.degrees[left > 0]
    return rest, still, np.flatnonzero((before > rest.degrees) & (rest.degrees <= 2))
