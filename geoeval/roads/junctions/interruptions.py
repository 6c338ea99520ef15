"""Where a road stops but goes on in the other network, as lines: what OPT-J shows as breaks and false links."""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.pieces import cut_roads
from geoeval.roads.geometry.sampling import coordinates
from geoeval.roads.junctions.opt_j import NOTHING, ROAD, JunctionSide


@dataclass(frozen=True)
class Interruptions:
    """Dead ends that are matched to a road of the other network, as numbers of features of their side.

    Attributes
    ----------
    first, second, lines, ids
        Pairs of ends that face each other along one road of the other network, the line along that road from one to
        the other (a straight line if that is longer), and the ids of the other network's features along it.
    branch, branch_lines, branch_ids
        Ends beyond which the other road leads to a junction that has more roads than its partner, the line along
        that road to the junction, and the ids along it.
    alone
        All other ends.
    """

    first: Ints
    second: Ints
    lines: Objects
    ids: list[str]
    branch: Ints
    branch_lines: Objects
    branch_ids: list[str]
    alone: Ints


@dataclass(frozen=True)
class _Ends:
    """Ends sorted along the other network's roads.

    ``road`` and ``metres`` say where each end lies, ``upwards`` whether the other road goes on towards larger metres,
    and ``own_road`` which road of its own network ends there.
    """

    feature: Ints
    road: Ints
    metres: Floats
    upwards: Bools
    own_road: Ints


def interruptions(
    own: RoadNetwork, other: RoadNetwork, sides: tuple[JunctionSide, JunctionSide], max_distance: float
) -> Interruptions:
    """Pair the ends of ``sides[0]``, which is of the network ``own``. O(k log k) for k ends."""
    side = sides[0]
    ends = _sorted_ends(own, other, side, max_distance)
    first, second, lines, ids = _facing(other, ends, max_distance)
    used = np.zeros(len(ends.feature), dtype=bool)
    used[first], used[second] = True, True
    branch = np.flatnonzero(~used & _leads_to_richer_junction(other, sides[1], ends))
    used[branch] = True
    road, metres = ends.road[branch], ends.metres[branch]
    upwards = ends.upwards[branch]
    branch_lines, branch_ids = cut_roads(
        other, road, np.where(upwards, metres, 0.0), np.where(upwards, other.roads.length[road], metres)
    )
    first, second = ends.feature[first], ends.feature[second]
    straight = np.asarray(shapely.linestrings(np.stack([side.xy[first], side.xy[second]], axis=1)), dtype=object)
    lines = np.where(shapely.length(lines) < shapely.length(straight), straight, lines)
    alone = np.sort(ends.feature[~used])
    return Interruptions(first, second, lines, ids, ends.feature[branch], branch_lines, branch_ids, alone)


def _sorted_ends(own: RoadNetwork, other: RoadNetwork, side: JunctionSide, max_distance: float) -> _Ends:
    feature = np.flatnonzero((side.partner == ROAD) & (side.order == 1))
    roads = other.roads
    segment = side.nearest.segment[feature]
    road, metres = roads.along(segment, side.nearest.offset[feature], other.segment_lengths)
    vector = np.diff(other.nodes[other.segments[segment]], axis=1)[:, 0]
    vector = np.where(roads.reversed_of[segment][:, None], -vector, vector)
    own_road, heading = _heading(own, side.node[feature], max_distance)
    upwards = np.einsum("ij,ij->i", heading, vector) >= 0
    order = np.lexsort([~upwards, metres.round(6), road])
    return _Ends(feature[order], road[order], metres[order], upwards[order], own_road[order])


def _facing(other: RoadNetwork, ends: _Ends, max_distance: float) -> tuple[Ints, Ints, Objects, list[str]]:
    """Ends that face each other, as positions in ``ends``; the line between on the other network, and its ids."""
    roads, road, metres, upwards = other.roads, ends.road, ends.metres, ends.upwards
    same = road[1:] == road[:-1]
    gap = np.flatnonzero(same & upwards[:-1] & ~upwards[1:])
    used = np.zeros(len(road), dtype=bool)
    used[gap], used[gap + 1] = True, True
    # Ends of two roads that have passed each other, without joining.
    other_road = ends.own_road[1:] != ends.own_road[:-1]
    passed = np.flatnonzero(same & ~upwards[:-1] & upwards[1:] & ~used[:-1] & ~used[1:] & other_road)
    passed = passed[metres[passed + 1] - metres[passed] <= max_distance]
    used[passed], used[passed + 1] = True, True
    first = np.concatenate([gap, passed])
    lines, ids = cut_roads(other, road[first], metres[first], metres[first + 1])
    # Around the place where a ring begins.
    low = np.flatnonzero(np.append(True, ~same)[: len(road)])
    high = np.append(low[1:], len(road))[: len(low)] - 1
    around = roads.closed[road[low]] & ~used[low] & ~used[high] & ~upwards[low] & upwards[high]
    low, high = low[around], high[around]
    tails, tail_ids = cut_roads(other, road[high], metres[high], roads.length[road[high]])
    heads, head_ids = cut_roads(other, road[low], np.zeros(len(low)), metres[low])
    wrapped = [
        shapely.LineString([*tail.coords, *list(head.coords)[1:]]) for tail, head in zip(tails, heads, strict=True)
    ]
    ids += [joined([*a.split(";"), *b.split(";")]) for a, b in zip(tail_ids, head_ids, strict=True)]
    every = np.array([None, *lines, *wrapped], dtype=object)[1:]
    return np.concatenate([first, high]), np.concatenate([first + 1, low]), every, ids


def _leads_to_richer_junction(other: RoadNetwork, side: JunctionSide, ends: _Ends) -> Bools:
    """Whether the other network's road leads on to a matched junction with more roads than its partner."""
    richer = np.zeros(len(other.nodes), dtype=bool)
    richer[side.node] = (side.order > 2) & (side.partner != NOTHING) & (side.partner_order < side.order)
    return richer[other.roads.ends[ends.road, ends.upwards.astype(np.int64)]]


def _heading(network: RoadNetwork, node: Ints, back: float) -> tuple[Ints, Floats]:
    """The road that ends at each dead end, and the vector along which it runs into the end."""
    roads, lengths = network.roads, network.segment_lengths
    segment = network.adjacency[2][network.adjacency[0][node]]
    road = roads.road_of[segment]
    far = np.minimum(max(back, 1e-3), roads.length[road])
    metres = np.where(roads.ends[road, 0] == node, far, roads.length[road] - far)
    return road, network.nodes[node] - coordinates(network, *roads.locate(road, metres, lengths))


def joined(names: list[str]) -> str:
    """Ids in one text, each once."""
    return ";".join(dict.fromkeys(names))
