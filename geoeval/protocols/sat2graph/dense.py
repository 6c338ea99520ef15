"""Graphs of the Go program: cut into nodes about 2 m apart, with chains, hops and path lengths."""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from geoeval.arrays import Floats, Ints
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.sat2graph.degrees import PIXELS_PER_DEGREE, degrees_of


@dataclass(frozen=True)
class Dense:
    """A graph cut into short pieces: degrees of the nodes, and their neighbours with lengths in whole centimetres."""

    degrees: Floats
    around: list[list[int]]
    lengths: list[list[int]]


def densify(graph: FileGraph) -> Dense:
    """Edges longer than 3 m in int(d / 2) + 1 equal pieces; nodes that agree in 7 decimals are one. O(n log n)."""
    degrees = degrees_of(graph.nodes)
    pairs = graph.single_edges
    length = metres_between(degrees[pairs[:, 0]], degrees[pairs[:, 1]])
    pieces = np.where(length > 3.0, (length / 2.0).astype(np.int64) + 1, 1)
    edge = np.repeat(np.arange(len(pairs)), pieces + 1)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(pieces + 1) - (pieces + 1), pieces + 1)
    share_of = (step / pieces[edge])[:, None]
    places = degrees[pairs[edge, 0]] * (1.0 - share_of) + degrees[pairs[edge, 1]] * share_of
    names = np.rint(places * 1e7).astype(np.int64)
    _, first, number = np.unique(names, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # numbered as they occur
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    number, nodes = rank[number.reshape(-1)], places[first[order]]
    inner = np.flatnonzero(np.diff(edge) == 0)
    ends = np.column_stack([number[inner], number[inner + 1]])
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.lexsort([both[:, 1], both[:, 0]])]
    centimetres = (metres_between(nodes[both[:, 0]], nodes[both[:, 1]]) * 100.0).astype(np.int64)
    cuts = np.searchsorted(both[:, 0], np.arange(len(nodes) + 1)).tolist()
    there, lengths = both[:, 1].tolist(), centimetres.tolist()
    spans = list(itertools.pairwise(cuts))
    return Dense(nodes, [there[a:b] for a, b in spans], [lengths[a:b] for a, b in spans])


def chain_of(graph: Dense, first: int, second: int) -> list[int]:
    """Nodes from one through its neighbour to the next that has not exactly two neighbours."""
    chain = [first, second]
    while len(graph.around[chain[-1]]) == 2:
        one, other = graph.around[chain[-1]]
        chain.append(other if one == chain[-2] else one)
    return chain


def within_hops(graph: Dense, node: int, hops: int) -> set[int]:
    """Nodes within so many steps; none for a number that the graph does not have."""
    if node >= len(graph.around):
        return set()
    reached, edge = {node}, [node]
    for _ in range(hops):
        edge = [other for one in edge for other in graph.around[one] if other not in reached]
        reached.update(edge)
    return reached


def path_lengths(graph: Dense, nodes: Ints) -> Floats:
    """Metres between nodes along the graph, whose chains become single edges first."""
    if len(nodes) == 0:
        return np.zeros((0, 0))
    kept = np.array([len(around) != 2 for around in graph.around])
    kept[nodes] = True
    number = np.cumsum(kept) - 1
    shortest: dict[tuple[int, int], int] = {}
    for first in np.flatnonzero(kept).tolist():
        for second, length in zip(graph.around[first], graph.lengths[first], strict=True):
            before, at, total = first, second, length
            while not kept[at]:
                side = int(graph.around[at][0] == before)
                total += graph.lengths[at][side]
                before, at = at, graph.around[at][side]
            key = (int(number[first]), int(number[at]))
            shortest[key] = min(total, shortest.get(key, total))
    ends = np.array(list(shortest), dtype=np.int64).reshape(-1, 2)
    weights = np.array(list(shortest.values()), dtype=np.float64) / 100.0
    size = int(kept.sum())
    matrix = csr_array((np.maximum(weights, 1e-12), ends.T), shape=(size, size))
    unique, back = np.unique(number[nodes], return_inverse=True)
    lengths = dijkstra(matrix, directed=True, indices=unique)
    return np.asarray(lengths[np.ix_(back, number[nodes])])


def metres_between(one: Floats, other: Floats) -> Floats:
    """Metres between places in degrees; the first decides how wide a degree of longitude is."""
    across = (other[:, 1] - one[:, 1]) * np.cos(np.radians(one[:, 0]))
    return np.asarray(np.sqrt((other[:, 0] - one[:, 0]) ** 2 + across**2) * PIXELS_PER_DEGREE)
