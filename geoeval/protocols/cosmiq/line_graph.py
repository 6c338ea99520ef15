"""A graph whose edges are lines in metres: what CosmiQ's program works on."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork

# Larger components are never tested for their size.
_TESTED_NODES = 100


@dataclass(frozen=True)
class LineGraph:
    """Nodes where roads end or meet, and the roads between them.

    Attributes
    ----------
    nodes
        Places ``(n, 2)`` in metres.
    ends
        The two nodes of each edge, ``(m, 2)``.
    lines
        The course of each edge from its first node to its second, ``(k, 2)`` each.
    lengths
        Metres of each edge as its file states them, which need not be those of its line.
    is_clean
        Whether small parts were left out already, as in graphs that CosmiQ's program wrote.
    """

    nodes: Floats
    ends: Ints
    lines: list[Floats]
    lengths: Floats
    is_clean: bool = False

    @classmethod
    def from_network(cls, network: RoadNetwork) -> "LineGraph":
        """The roads of a network, nodes with two neighbours merged into their courses; identical edges are one."""
        roads = network.roads
        nodes, number = np.unique(roads.ends, return_inverse=True)
        ends = number.reshape(-1, 2).astype(np.int64)
        lines = [network.nodes[roads.nodes_of(road)] for road in range(len(roads))]
        return cls(network.nodes[nodes].copy(), ends, lines, np.array(roads.length, dtype=np.float64))

    @property
    def is_empty(self) -> bool:
        """Whether there is no edge."""
        return len(self.ends) == 0

    def without_small_parts(self, least: float) -> "LineGraph":
        """Without components whose longest shortest path is under ``least`` metres."""
        if self.is_empty or self.is_clean or least <= 0:
            return self
        matrix = link_matrix(self.ends, self.lengths, len(self.nodes))
        count, part = connected_components(matrix, directed=False)
        kept = np.ones(count, dtype=bool)
        cuts = np.cumsum(np.bincount(part, minlength=count))[:-1]
        for one, members in enumerate(np.split(np.argsort(part, kind="stable"), cuts)):
            if len(members) <= _TESTED_NODES:
                kept[one] = dijkstra(matrix[members][:, members], directed=False).max() >= least
        stay = kept[part]
        number = np.cumsum(stay) - 1
        edges = np.flatnonzero(stay[self.ends[:, 0]])
        return LineGraph(
            self.nodes[stay], number[self.ends[edges]], [self.lines[edge] for edge in edges], self.lengths[edges]
        )


def link_matrix(ends: Ints, lengths: Floats, count: int) -> csr_array:
    """Lengths between nodes, the shortest of parallel edges, for searches."""
    low, high = np.sort(ends, axis=1).T
    order = np.lexsort([lengths, high, low])
    low, high, metres = low[order], high[order], np.maximum(lengths[order], 1e-12)
    first = np.r_[True, (np.diff(low) != 0) | (np.diff(high) != 0)] if len(order) else np.zeros(0, dtype=bool)
    first &= low != high  # a loop leads nowhere
    return coo_array((metres[first], (low[first], high[first])), shape=(count, count)).tocsr()


def distances_from(matrix: csr_array, sources: Ints) -> Floats:
    """Metres along the graph from each source to every node; inf where there is no path."""
    if len(sources) == 0:
        return np.zeros((0, matrix.shape[0]))
    return np.asarray(dijkstra(matrix, directed=False, indices=sources), dtype=np.float64)
