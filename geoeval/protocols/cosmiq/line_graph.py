"""A graph whose edges are lines in metres: what CosmiQ's program works on."""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork

# Larger components are never tested for their size.
_TESTED_NODES = 100
# Metres.
_SAME = 1e-5


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
        """The roads of a network, nodes with two neighbours merged into their courses.

        As the program does, roads that come back to their own node are left out, and of several roads on the same
        ground between the same two nodes the first is kept. Nodes stay, even where no road is left.
        """
        roads = network.roads
        nodes, number = np.unique(roads.ends, return_inverse=True)
        ends = number.reshape(-1, 2).astype(np.int64)
        lines = [network.nodes[roads.nodes_of(road)] for road in range(len(roads))]
        kept = _first_of_each(ends, lines)
        lengths = np.array(roads.length, dtype=np.float64)[kept]
        return cls(network.nodes[nodes].copy(), ends[kept], [lines[road] for road in kept.tolist()], lengths)

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


def _first_of_each(ends: Ints, lines: list[Floats]) -> Ints:
    """The edges that lead from a node to another one, each stretch of ground once: lines are equal as sets of places.

    O(m log m) and a comparison for each edge that has the same ends as another one.
    """
    kept: list[int] = []
    seen: dict[tuple[int, int], list[shapely.LineString]] = {}
    for edge, (first, last) in enumerate(np.sort(ends, axis=1).tolist()):
        if first == last:
            continue
        line, others = shapely.LineString(lines[edge]), seen.setdefault((first, last), [])
        if not any(_on_same_ground(line, other) for other in others):
            others.append(line)
            kept.append(edge)
    return np.array(kept, dtype=np.int64)


def _on_same_ground(one: shapely.LineString, other: shapely.LineString) -> bool:
    # Equal as sets of places: coordinates that are rounded to a micrometre keep vertices just beside a line.
    return bool(abs(one.length - other.length) <= _SAME and shapely.hausdorff_distance(one, other) <= _SAME)


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
