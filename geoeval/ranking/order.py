"""Partial orders of items by several indicators: who is better in everything.

An item is better than another where no indicator is smaller and one is larger. Items with the same indicators are
not comparable. An order is a square boolean array: ``better[a, b]`` where a is better than b.
"""

import numpy as np
from numpy.typing import NDArray

Order = NDArray[np.bool_]
Ints = NDArray[np.int64]


def dominance(indicators: NDArray[np.float64]) -> Order:
    """The order of items with these indicators, one row an item, larger is better. O(n² p)."""
    values = np.asarray(indicators, dtype=np.float64)
    left, right = values[:, None, :], values[None, :, :]
    return np.logical_and((left >= right).all(axis=2), (left > right).any(axis=2))


def pareto(better: Order) -> Ints:
    """The items that no other is better than."""
    return np.flatnonzero(~better.any(axis=0))


def covers(better: Order) -> list[tuple[int, int]]:
    """Pairs ``(better, worse)`` with nothing between them: the lines of the Hasse diagram. O(n³)."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(better)))
    graph.add_edges_from((int(a), int(b)) for a, b in np.argwhere(better))
    return sorted(nx.transitive_reduction(graph).edges)


def intervals(better: Order) -> Ints:
    """Best and worst rank that each item has in any ranking that agrees with the order, ``(n, 2)``."""
    return np.column_stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)]).astype(np.int64)


def levels(better: Order) -> Ints:
    """For each item the number of items above it on the longest way down to it: 0 for the best ones."""
    height = np.zeros(len(better), dtype=np.int64)
    for item in np.argsort(better.sum(axis=0), kind="stable"):
        above = np.flatnonzero(better[:, item])
        height[item] = 0 if len(above) == 0 else 1 + height[above].max()
    return height


def transitive(relation: Order) -> Order:
    """The order that an acyclic relation generates. O(n³)."""
    closed = relation.copy()
    for middle in range(len(closed)):
        closed |= np.outer(closed[:, middle], closed[middle])
    return closed
