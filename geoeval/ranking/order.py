"""Partial orders of items by several indicators.

An item is better than another if none of its indicators is smaller and at least one is larger. Items with equal
indicators are not comparable. An order is a square boolean array: ``better[a, b]`` is true if a is better than b.
"""

import numpy as np

from geoeval.arrays import Bools, Floats, Ints

Order = Bools


def dominance(indicators: Floats) -> Order:
    """The order of items by their indicators, one row per item; larger is better. O(n² p)."""
    values = np.asarray(indicators, dtype=np.float64)
    left, right = values[:, None, :], values[None, :, :]
    return np.logical_and((left >= right).all(axis=2), (left > right).any(axis=2))


def pareto(better: Order) -> Ints:
    """The items that no other is better than."""
    return np.flatnonzero(~better.any(axis=0))


def covers(better: Order) -> list[tuple[int, int]]:
    """Pairs ``(better, worse)`` with no item in between: the lines of the Hasse diagram. O(n³)."""
    import networkx as nx

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(better)))
    graph.add_edges_from((int(a), int(b)) for a, b in np.argwhere(better))
    return sorted(nx.transitive_reduction(graph).edges)


def intervals(better: Order) -> Ints:
    """Best and worst rank of each item over all rankings that agree with the order, ``(n, 2)``."""
    return np.column_stack([1 + better.sum(axis=0), len(better) - better.sum(axis=1)]).astype(np.int64)


def levels(better: Order) -> Ints:
    """Number of items above each item in the longest chain that leads to it; 0 for the best items."""
    height = np.zeros(len(better), dtype=np.int64)
    for item in np.argsort(better.sum(axis=0), kind="stable"):
        above = np.flatnonzero(better[:, item])
        height[item] = 0 if len(above) == 0 else 1 + height[above].max()
    return height


def transitive(relation: Order) -> Order:
    """The transitive closure of an acyclic relation. O(n³)."""
    closed = relation.copy()
    for middle in range(len(closed)):
        closed |= np.outer(closed[:, middle], closed[middle])
    return closed
