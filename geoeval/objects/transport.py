"""Optimal transport between two small sets of weights in the plane, exactly: the transportation simplex.

A general network simplex starts from an artificial tree and needs thousands of steps to find its way. Here the tree
starts from a good plan: weights are first taken together in squares and the smaller problem is solved; its potentials
say which sinks a source will be served by. The plan is optimal when no pair of source and sink is cheaper than the
potentials of the tree say, whatever it started from.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from geoeval.exceptions import MissingExtraError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Problems of at most this many weights are solved at once.
_SMALL = 250
# Steps of the other solver.
_MOST_STEPS = 100_000_000


def earth_movers_distance(source: Floats, supply: Floats, sink: Floats, demand: Floats) -> float:
    """Least sum of weight times distance that brings the supply to where it is wanted; both are equally much.

    Where our own solver takes too many steps, which it has not been seen to do, POT's is asked.
    """
    cost, _, _ = _solve(source, supply, sink, demand, side=2)
    return _by_network_simplex(source, supply, sink, demand) if cost < 0 else cost


def _solve(source: Floats, supply: Floats, sink: Floats, demand: Floats, *, side: int) -> tuple[float, Floats, Floats]:
    """The cost, and the potentials of the sinks with their places."""
    # Any order gives the same cost; fewer steps are taken where the largest weights come first.
    first, second = np.argsort(-supply, kind="stable"), np.argsort(-demand, kind="stable")
    source, supply, sink, demand = source[first], supply[first], sink[second], demand[second]
    distance = cdist(source, sink)
    guide = distance
    if len(supply) + len(demand) > _SMALL:
        coarse = (*_in_squares(source, supply, side), *_in_squares(sink, demand, side))
        cost, potential, places = _solve(*coarse, side=2 * side)
        if cost >= 0:
            guide = distance - (cdist(source, places) - potential).min(axis=1)[:, None]
            guide -= guide.min(axis=0)
            guide -= guide.min(axis=1)[:, None]
    cost, potential = transport_cost(distance, guide, supply, demand)
    return cost, potential, sink


def _in_squares(places: Floats, weights: Floats, side: int) -> tuple[Floats, Floats]:
    """Weights taken together in the middle of squares."""
    squares = np.floor(places / side).astype(np.int64)
    low, (rows, columns) = squares.min(axis=0), np.ptp(squares, axis=0) + 1
    number = (squares[:, 0] - low[0]) * columns + squares[:, 1] - low[1]
    total = np.bincount(number, weights=weights, minlength=rows * columns).astype(np.float64)
    used = np.flatnonzero(np.bincount(number, minlength=rows * columns))
    middle = (np.column_stack(np.divmod(used, columns)) + low + 0.5) * side - 0.5
    return middle, total[used]


def _by_network_simplex(source: Floats, supply: Floats, sink: Floats, demand: Floats) -> float:
    ot = _optimal_transport()
    moved = float(supply.sum())
    cost, log = ot.emd2(supply / moved, demand / demand.sum(), cdist(source, sink), numItermax=_MOST_STEPS, log=True)
    if log["warning"] is not None:
        raise RuntimeError(f"the transport problem was not solved: {log['warning']}")
    return float(cost) * moved


def _optimal_transport() -> Any:
    try:
        import ot
    except ImportError as error:
        msg = 'this Mallows distance needs POT, which is not installed; pip install "geoeval[objects]"'
        raise MissingExtraError(msg) from error
    return ot


# ---------------------------------------------------------------------- the simplex


@njit(cache=True)
def transport_cost(cost: Floats, guide: Floats, supply: Floats, demand: Floats) -> tuple[float, Floats]:
    """Least cost of bringing all supply to the demand, which are equally much, and the potentials of the sinks.

    ``cost`` is the price of each source (row) and sink (column); the first plan lets every source in turn serve the
    sinks that are nearest by ``guide``. A cost of -1 says that the best plan was not found in time.
    """
    n, m = cost.shape
    nodes = n + m
    # A tree over sources (0 to n - 1) and sinks (n on): of each node its parent and what flows between them.
    parent = np.full(nodes, -1)
    flow = np.zeros(nodes)
    depth = np.zeros(nodes, np.int64)
    potential = np.zeros(nodes)
    first_child = np.full(nodes, -1)
    next_child = np.full(nodes, -1)
    stack = np.empty(nodes, np.int64)
    sources, sinks, amounts = _nearest_first(guide, supply, demand)
    _plant(cost, sources, sinks, amounts, parent, flow, first_child, next_child)
    size = 1
    stack[0] = 0
    while size > 0:
        size -= 1
        child = first_child[stack[size]]
        node = stack[size]
        while child >= 0:
            depth[child] = depth[node] + 1
            potential[child] = _price(cost, child, node) - potential[node]
            stack[size] = child
            size += 1
            child = next_child[child]

    sink_potential = potential[n:]
    tolerance = 1e-11 * cost.max()
    row, clean = 0, 0
    for _ in range(200 * nodes + 10_000):
        # The cheapest sink of the next source that has one which is too cheap for the tree.
        enter = -1
        while clean < n:
            prices = cost[row]
            cheapest = potential[row] - tolerance
            for j in range(m):
                price = prices[j] - sink_potential[j]
                if price < cheapest:
                    cheapest, enter = price, j
            if enter >= 0:
                best = cheapest - potential[row]
                break
            clean += 1
            row = row + 1 if row + 1 < n else 0
        if enter < 0:
            total = 0.0
            for node in range(1, nodes):
                total += flow[node] * _price(cost, node, parent[node])
            return total, sink_potential
        _pivot(row, n + enter, cost, parent, flow, depth, first_child, next_child)
        top = n + enter if parent[n + enter] == row else row
        _hang(top, n, best, parent, depth, potential, first_child, next_child, stack)
        clean = 0
        row = row + 1 if row + 1 < n else 0
    return -1.0, sink_potential


@njit(cache=True)
def _nearest_first(cost: Floats, supply: Floats, demand: Floats) -> tuple[Ints, Ints, Floats]:
    """A plan in which each source in turn serves the nearest sinks that still want something: a forest."""
    n, m = cost.shape
    left = demand.copy()
    sources, sinks, amounts = np.empty(n + m, np.int64), np.empty(n + m, np.int64), np.empty(n + m)
    count = 0
    for i in range(n):
        have = supply[i]
        while have > 0:
            near, best = -1, np.inf
            for j in range(m):
                if left[j] > 0 and cost[i, j] < best:
                    near, best = j, cost[i, j]
            if near < 0:  # what is left of the supply is rounding
                break
            moved = min(have, left[near])
            sources[count], sinks[count], amounts[count] = i, n + near, moved
            count += 1
            have -= moved
            left[near] -= moved
    return sources[:count], sinks[:count], amounts[:count]


@njit(cache=True)
def _price(cost: Floats, a: int, b: int) -> float:
    n = cost.shape[0]
    return cost[a, b - n] if a < n else cost[b, a - n]


@njit(cache=True)
def _plant(
    cost: Floats, sources: Ints, sinks: Ints, amounts: Floats, parent: Ints, flow: Floats, first: Ints, following: Ints
) -> None:
    """Make one tree of the forest, rooted at node 0; trees are joined by pairs between which nothing flows."""
    n, m = cost.shape
    nodes = n + m
    degree = np.zeros(nodes + 1, np.int64)
    for k in range(len(sources)):
        degree[sources[k] + 1] += 1
        degree[sinks[k] + 1] += 1
    start = np.cumsum(degree)
    fill = start[:-1].copy()
    near = np.empty(2 * len(sources), np.int64)
    carried = np.empty(2 * len(sources))
    for k in range(len(sources)):
        a, b = sources[k], sinks[k]
        near[fill[a]], carried[fill[a]] = b, amounts[k]
        near[fill[b]], carried[fill[b]] = a, amounts[k]
        fill[a] += 1
        fill[b] += 1
    seen = np.zeros(nodes, np.bool_)
    queue = np.empty(nodes, np.int64)
    sink_of_root = -1
    for root in range(nodes):  # sources come first, so that a tree is found at one of its sources
        if seen[root]:
            continue
        seen[root] = True
        if root > 0:
            # A source hangs on a sink of the first tree, a sink without any source on node 0.
            parent[root] = sink_of_root if root < n else 0
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            if root == 0 and sink_of_root < 0 and node >= n:
                sink_of_root = node
            for k in range(start[node], start[node + 1]):
                if not seen[near[k]]:
                    seen[near[k]] = True
                    parent[near[k]], flow[near[k]] = node, carried[k]
                    queue[tail] = near[k]
                    tail += 1
    for node in range(1, nodes):
        following[node] = first[parent[node]]
        first[parent[node]] = node


@njit(cache=True)
def _hang(top: int, n: int, rise: float, parent: Ints, depth: Ints, potential: Floats, first: Ints, following: Ints,
          stack: Ints) -> None:  # fmt: skip
    """Depths below and at a node, and potentials: its own rises, and with it those of its side; the others fall."""
    size = 1
    stack[0] = top
    while size > 0:
        size -= 1
        node = stack[size]
        depth[node] = depth[parent[node]] + 1
        potential[node] += rise if (node < n) == (top < n) else -rise
        child = first[node]
        while child >= 0:
            stack[size] = child
            size += 1
            child = following[child]


@njit(cache=True)
def _pivot(i: int, j: int, cost: Floats, parent: Ints, flow: Floats, depth: Ints, first: Ints, following: Ints) -> None:
    """Let source i serve sink j: what flows round the cycle changes, and the pair that runs dry leaves the tree."""
    n = cost.shape[0]
    a, b = i, j
    change, leave, at_source = np.inf, -1, True
    # Above the source's end what sources send falls; above the sink's end what sinks get falls.
    while a != b:
        if depth[a] >= depth[b]:
            if a < n and flow[a] < change:
                change, leave, at_source = flow[a], a, True
            a = parent[a]
        else:
            if b >= n and flow[b] <= change:
                change, leave, at_source = flow[b], b, False
            b = parent[b]
    apex = a
    a, b = i, j
    while a != apex:
        flow[a] += -change if a < n else change
        a = parent[a]
    while b != apex:
        flow[b] += -change if b >= n else change
        b = parent[b]

    # Turn the path from the new pair's end to the pair that left, and hang it on the other end.
    node, above = (i, j) if at_source else (j, i)
    carried = change
    while True:
        up, old = parent[node], flow[node]
        if first[up] == node:
            first[up] = following[node]
        else:
            child = first[up]
            while following[child] != node:
                child = following[child]
            following[child] = following[node]
        parent[node], flow[node] = above, carried
        following[node] = first[above]
        first[above] = node
        if node == leave:
            return
        node, above, carried = up, node, old
