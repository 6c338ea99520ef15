"""A graph in the order and the units of its file: what published road scripts work on.

A ``RoadNetwork`` sorts its nodes so that the order of a file leaves no trace. In the scripts
the order decides ties: which node is first, and from which end an edge is listed. So protocols keep it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import UnreadableInputError
from geoeval.model.road_network import RoadNetwork


@dataclass(frozen=True)
class FileGraph:
    """Nodes and directed edges, numbered as a file names them.

    Attributes
    ----------
    nodes
        Coordinates ``(n, 2)`` in units of the file: row (downwards), column (to the right).
    edges
        Pairs of node numbers ``(m, 2)``, each direction as it is listed; repeated listings are left out.
    origin, crs
        Where row 0 and column 0 are, for maps: x grows with the column, y falls with the row.
    source
        Where the graph came from, for results.
    """

    nodes: Floats
    edges: Ints
    origin: tuple[float, float] = (0.0, 0.0)
    crs: Any = None
    source: str = ""

    @classmethod
    def from_neighbours(cls, neighbours: Mapping[Any, Iterable[Any]]) -> "FileGraph":
        """The graph of ``{(row, column): [(row, column), ...]}``; keys without neighbours vanish."""
        number: dict[tuple[float, float], int] = {}
        pairs = []
        for key, others in neighbours.items():
            for other in others:
                first = number.setdefault(_place(key), len(number))
                pairs.append((first, number.setdefault(_place(other), len(number))))
        return cls.from_pairs(np.array(list(number), dtype=np.float64), np.array(pairs, dtype=np.int64))

    @classmethod
    def from_pairs(cls, nodes: Floats, pairs: Ints, **facts: Any) -> "FileGraph":
        """The graph of numbered nodes and listed pairs of them; an edge from a node to itself is left out."""
        nodes, pairs = np.asarray(nodes, dtype=np.float64).reshape(-1, 2), np.asarray(pairs).reshape(-1, 2)
        pairs = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.int64)
        _, first = np.unique(pairs[:, 0] * max(len(nodes), 1) + pairs[:, 1], return_index=True)
        return cls(nodes, pairs[np.sort(first)], **facts)

    @classmethod
    def from_network(cls, network: RoadNetwork, *, origin: tuple[float, float] = (0.0, 0.0)) -> "FileGraph":
        """The graph of a network in the network's order, each edge listed in both directions."""
        x, y = network.nodes.T
        both = np.stack([network.segments, network.segments[:, ::-1]], axis=1).reshape(-1, 2)
        rows_columns = np.column_stack([origin[1] - y, x - origin[0]])
        return cls.from_pairs(rows_columns, both, origin=origin, crs=network.crs, source=network.source)

    def places(self, rows_columns: Floats) -> Floats:
        """Coordinates ``(n, 2)`` on the map of rows and columns."""
        return np.column_stack([self.origin[0] + rows_columns[:, 1], self.origin[1] - rows_columns[:, 0]])

    def to_network(self) -> RoadNetwork:
        """The same roads as a network, for maps; one unit of the file is a metre."""
        return RoadNetwork(
            self.places(self.nodes), self.single_edges, crs=self.crs, merge_coincident=False, source=self.source
        )

    @property
    def is_empty(self) -> bool:
        """Whether there is no edge."""
        return len(self.edges) == 0

    @cached_property
    def single_edges(self) -> Ints:
        """Each undirected edge once, as it is first listed."""
        low_high = np.sort(self.edges, axis=1)
        _, first = np.unique(low_high[:, 0] * max(len(self.nodes), 1) + low_high[:, 1], return_index=True)
        return self.edges[np.sort(first)]

    @cached_property
    def neighbours(self) -> "Neighbours":
        """The neighbours of each node, those it lists before those that list it."""
        return Neighbours.of(self.edges, len(self.nodes))


@dataclass(frozen=True)
class Neighbours:
    """Neighbours in listed order: those of node i are ``node[start[i]:start[i + 1]]``.

    ``back[p]`` is the position of the same edge seen from its other end; ``twofold[p]`` whether both directions are
    listed; ``edge[p]`` is the number of the undirected edge.
    """

    start: Ints
    node: Ints
    back: Ints
    twofold: Bools
    edge: Ints

    @classmethod
    def of(cls, edges: Ints, count: int) -> "Neighbours":
        """From directed edges without repeats."""
        m = len(edges)
        here = np.concatenate([edges[:, 0], edges[:, 1]])
        there = np.concatenate([edges[:, 1], edges[:, 0]])
        listed = np.arange(2 * m)  # the out-list of a node before its in-list, each in the order of the file
        key = here * max(count, 1) + there
        _, first, times = np.unique(key, return_index=True, return_counts=True)
        order = np.argsort(listed[first], kind="stable")
        kept, both = first[order], times[order] > 1
        by_node = np.argsort(here[kept], kind="stable")
        kept, both = kept[by_node], both[by_node]
        node, owner = there[kept], here[kept]
        start = np.searchsorted(owner, np.arange(count + 1))
        own, reverse = owner * max(count, 1) + node, node * max(count, 1) + owner
        order = np.argsort(own)
        back = order[np.searchsorted(own[order], reverse)] if len(own) else own
        single = np.minimum(np.arange(len(node)), back)
        edge = np.unique(single, return_inverse=True)[1].reshape(-1) if len(single) else single
        return cls(start.astype(np.int64), node, back, both, edge.astype(np.int64))


def _place(node: Any) -> tuple[float, float]:
    try:
        row, column = (float(part) for part in node)
    except (TypeError, ValueError):
        msg = f"{str(node)[:40]!r} is not a node; a dictionary (row, column) -> neighbours is expected"
        raise UnreadableInputError(msg) from None
    return row, column
