"""Which unmatched parts of both networks lie beside each other."""

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork, project
from geoeval.roads.causes.labelled import Labelled


def counterparts(sides: tuple[Labelled, Labelled]) -> tuple[Ints, Ints]:
    """Pairs of parts of both sides of which one has samples whose counterpart lies on the other one."""
    ref, pred = sides
    first, second = [], []
    for own, other, base, shift in ((ref, pred, 0, len(ref)), (pred, ref, len(ref), 0)):
        if len(own) == 0 or len(other) == 0:
            continue
        has = np.flatnonzero(own.segment >= 0)
        network = other.network
        at = place_along(network, own.segment[has], own.place[has])
        road, metres = network.roads.along(own.segment[has], at, network.segment_lengths)
        before = np.concatenate([[0.0], np.cumsum(network.roads.length + 1.0)])
        begins = before[other.runs.road] + other.runs.begin
        order = np.argsort(begins, kind="stable")
        part = order[np.maximum(np.searchsorted(begins[order], before[road] + metres, side="right") - 1, 0)]
        on = (other.runs.road[part] == road) & (other.runs.begin[part] <= metres) & (metres <= other.runs.end[part])
        first.append(own.part[has][on] + base)
        second.append(part[on] + shift)
    if not first:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    pairs = np.unique(np.column_stack([np.concatenate(first), np.concatenate(second)]), axis=0)
    return pairs[:, 0], pairs[:, 1]


def place_along(network: RoadNetwork, segment: Ints, xy: Floats) -> Floats:
    """Metres along segments of the places nearest to some others."""
    return project(xy, network.nodes[network.segments[segment]])[0] if len(segment) else np.zeros(0)


def most_common(group: Ints, value: Ints, count: int) -> Ints:
    """The most common value of each group; -1 where a group has none."""
    best = np.full(count, -1)
    if len(group):
        pairs, number = np.unique(np.column_stack([group, value]), axis=0, return_counts=True)
        order = np.lexsort([-pairs[:, 1], number])
        best[pairs[order, 0]] = pairs[order, 1]
    return best
