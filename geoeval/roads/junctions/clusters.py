"""Clusters of junctions: the original JUNCT program merges junctions near each other before it compares them."""

import heapq

import numpy as np
from scipy.spatial import cKDTree

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork


def junction_nodes(network: RoadNetwork) -> Ints:
    """Nodes where three or more roads meet."""
    return np.flatnonzero(network.degrees >= 3)


def leaders(network: RoadNetwork, cluster: float) -> Ints:
    """For each junction the one that leads its cluster: the first, in order of coordinates, that is near enough."""
    nodes = junction_nodes(network)
    if cluster == 0:
        return nodes
    streets = _streets(network)
    leader = np.full(len(network.nodes), -1, dtype=np.int64)
    for start in nodes.tolist():
        if leader[start] < 0:
            near = _walk(streets, start, 2 * cluster)
            near = near[(network.degrees[near] >= 3) & (leader[near] < 0)]
            apart = np.hypot(*(network.nodes[near] - network.nodes[start]).T)
            leader[near[apart <= cluster + 1e-9]] = start
    return leader[nodes]


def leaders_near(network: RoadNetwork, cluster: float, places: Floats) -> Ints:
    """For each junction the one that leads its cluster: of all with the same nearest place, the one nearest to it.

    A junction from which no short way leads to that one leads a cluster of its own.
    """
    nodes = junction_nodes(network)
    if len(nodes) == 0 or len(places) == 0:
        return nodes
    streets = _streets(network)
    away, place = cKDTree(places).query(network.nodes[nodes])
    order = np.lexsort([nodes, away.round(6), place])
    leader = nodes.copy()
    for group in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
        if len(group) > 1:
            first = int(nodes[group[0]])
            reached = np.isin(nodes[group], _walk(streets, first, 3 * cluster))
            leader[group[reached]] = first
    return leader


def _streets(network: RoadNetwork) -> dict[int, list[tuple[int, float]]]:
    """For each node at which roads begin or end, the other ends of these roads and their lengths."""
    roads = network.roads
    streets: dict[int, list[tuple[int, float]]] = {}
    for (a, b), length in zip(roads.ends.tolist(), roads.length.tolist(), strict=True):
        streets.setdefault(a, []).append((b, length))
        streets.setdefault(b, []).append((a, length))
    return streets


def _walk(streets: dict[int, list[tuple[int, float]]], start: int, limit: float) -> Ints:
    """The ends of roads that are within ``limit`` metres of one of them along the roads, itself included."""
    queue, seen = [(0.0, start)], set()
    while queue:
        walked, at = heapq.heappop(queue)
        if at not in seen:
            seen.add(at)
            for other, length in streets[at]:
                if walked + length <= limit + 1e-9:
                    heapq.heappush(queue, (walked + length, other))
    return np.array(sorted(seen), dtype=np.int64)
