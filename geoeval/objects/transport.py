"""Optimal transport between two small sets of weights in the plane, exactly: the transportation simplex.

A plan is a tree over sources and sinks. A general network simplex starts from an artificial tree and needs thousands of
steps to find its way; here the tree starts from a good plan. The weights are first gathered in squares and the smaller
problem is solved; its potentials say which sinks a source will serve. A plan is optimal when no source and sink are
cheaper than the potentials of its tree say, whatever it started from.

The simplex always ends, so there is no limit on its steps. Weights and prices are rounded to whole multiples of powers
of two, so small that the cost is that of the numbers given, and counted in 64-bit integers, so no step rounds; and the
trees are *strongly feasible* (Cunningham, 1976): a sink below a source always receives something from it. So each step
makes the plan cheaper, or leaves it as it is and moves the potentials in one direction, and no tree occurs twice.

A step costs a look at the prices of a few sources and one pass over the part of the tree that moves. For that the nodes
are kept in preorder, as a list: a node, then everything below it (Bradley, Brown and Graves, 1977). Solving n sources
and m sinks takes O(n m) memory, and on buildings about 2 (n + m) steps.

Written by hand because it was measured: ``tests/benchmarks/objects.py`` compares it with the network simplex of POT,
and the tests compare the costs.
"""

from math import frexp

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints

# Problems of at most this many weights are solved at once.
_SMALL = 160
# Sums of weights are below two to this power, and so are sums of prices along a path in the tree.
_WEIGHT_BITS, _PRICE_BITS = 52, 60
# More than any price above a potential.
_NEVER = 2**62
# So many sources are asked for their cheapest sink before the best offer is taken.
_OFFERS = 8


@kernel
def least_cost(source: Floats, supply: Floats, sink: Floats, demand: Floats) -> float:
    """Least sum of weight times distance that brings the supply to the demand.

    Parameters
    ----------
    source, sink
        Places ``(n, 2)`` and ``(m, 2)``; they may coincide.
    supply, demand
        Weights from 0 on, one for each place, with the same sum but for rounding, which is not checked.

    Returns
    -------
    float
        The cost of the best plan; 0 where there is nothing to move.
    """
    have, want, unit = whole_weights(supply, demand)
    if have.sum() == 0:
        return 0.0
    some, wanting = np.flatnonzero(have), np.flatnonzero(want)
    levels = [(*_heaviest_first(source[some], have[some]), *_heaviest_first(sink[wanting], want[wanting]))]
    side = 2.0
    while len(levels[-1][1]) + len(levels[-1][3]) > _SMALL:
        places, weights, goals, demands = levels[-1]
        levels.append(
            (
                *_heaviest_first(*_in_squares(places, weights, side)),
                *_heaviest_first(*_in_squares(goals, demands, side)),
            )
        )
        side *= 2
    places, weights, goals, demands = levels[-1]
    price, grain = _prices(places, goals)
    parent, flow, potential = cheapest_plan(price, np.zeros(len(goals), np.int64), weights, demands)
    for level in range(len(levels) - 2, -1, -1):
        known, value = goals, potential.astype(np.float64) * grain
        places, weights, goals, demands = levels[level]
        price, grain = _prices(places, goals)
        guide = _guide(places, price, grain, known, value)
        parent, flow, potential = cheapest_plan(price, guide, weights, demands)
    return _cost(parent, flow, places, goals) * unit


# ---------------------------------------------------------------------- weights and prices as whole numbers


@kernel
def whole_weights(supply: Floats, demand: Floats) -> tuple[Ints, Ints, float]:
    """Both sides as whole numbers with the same sum, and the weight of one."""
    total = max(supply.sum(), demand.sum())
    unit = 2.0 ** (frexp(total)[1] - _WEIGHT_BITS)
    have, want = np.rint(supply / unit).astype(np.int64), np.rint(demand / unit).astype(np.int64)
    if len(want):
        want[np.argmax(want)] += have.sum() - want.sum()
    return have, want, unit


@inner
def _heaviest_first(places: Floats, weights: Ints) -> tuple[Floats, Ints]:
    """Any order gives the same cost; fewer steps are taken where the largest weights come first."""
    order = np.argsort(-weights, kind="mergesort")
    return places[order], weights[order]


@inner
def _in_squares(places: Floats, weights: Ints, side: float) -> tuple[Floats, Ints]:
    """Weights gathered in squares, each in its centre of gravity."""
    squares = np.floor(places / side).astype(np.int64)
    low_x, low_y = squares[:, 0].min(), squares[:, 1].min()
    rows = squares[:, 1].max() - low_y + 1
    number = (squares[:, 0] - low_x) * rows + squares[:, 1] - low_y
    # Places far apart must not take room for all that is between them.
    order = np.argsort(number, kind="mergesort")
    centres, total = np.zeros((len(places), 2)), np.zeros(len(places), np.int64)
    count = 0
    for place in range(len(order)):
        k = order[place]
        if place == 0 or number[k] != number[order[place - 1]]:
            count += 1
        total[count - 1] += weights[k]
        centres[count - 1] += weights[k] * places[k]
    for k in range(count):
        centres[k] /= total[k]
    return centres[:count], total[:count]


@inner
def _prices(source: Floats, sink: Floats) -> tuple[Ints, float]:
    """Distances as whole numbers of grains, and the grain."""
    n, m = len(source), len(sink)
    wide = max(source[:, 0].max(), sink[:, 0].max()) - min(source[:, 0].min(), sink[:, 0].min())
    high = max(source[:, 1].max(), sink[:, 1].max()) - min(source[:, 1].min(), sink[:, 1].min())
    grain = 2.0 ** (frexp(np.hypot(wide, high) * (n + m + 1))[1] - _PRICE_BITS)
    price = np.empty((n, m), np.int64)
    for i in range(n):
        x, y = source[i, 0], source[i, 1]
        for j in range(m):
            dx, dy = x - sink[j, 0], y - sink[j, 1]
            price[i, j] = np.int64(np.sqrt(dx * dx + dy * dy) / grain + 0.5)
    return price, grain


@inner
def _guide(source: Floats, price: Ints, grain: float, known: Floats, value: Floats) -> Ints:
    """The highest potentials of the sinks that no source undercuts, where the sources go by those of ``known`` ones."""
    n, m = price.shape
    best = np.full(m, _NEVER)
    for i in range(n):
        lowest = np.inf
        for k in range(len(known)):
            dx, dy = source[i, 0] - known[k, 0], source[i, 1] - known[k, 1]
            lowest = min(lowest, np.sqrt(dx * dx + dy * dy) - value[k])
        own = np.int64(np.rint(lowest / grain))
        for j in range(m):
            best[j] = min(best[j], price[i, j] - own)
    return best


@inner
def _cost(parent: Ints, flow: Ints, source: Floats, sink: Floats) -> float:
    """Sum of what flows times how far, rounded once: what is lost in each addition is kept apart."""
    n = len(source)
    total, lost = 0.0, 0.0
    for node in range(1, len(parent)):
        i, j = min(node, parent[node]), max(node, parent[node]) - n
        dx, dy = source[i, 0] - sink[j, 0], source[i, 1] - sink[j, 1]
        own = flow[node] * np.sqrt(dx * dx + dy * dy)
        higher = total + own
        kept = higher - total
        lost += (total - (higher - kept)) + (own - kept)
        total = higher
    return total + lost


# ---------------------------------------------------------------------- the simplex


@kernel
def cheapest_plan(price: Ints, guide: Ints, supply: Ints, demand: Ints) -> tuple[Ints, Ints, Ints]:
    """The cheapest plan as a tree: of each node its parent and what flows between them; and the sinks' potentials.

    Sources are nodes 0 to n - 1, sinks the next; node 0 is the root. ``price`` has a row for each source and a column
    for each sink; the first plan lets every source in turn serve the sinks that are nearest by ``guide``. Weights are
    above 0, with the same sum on both sides.
    """
    n, m = price.shape
    nodes = n + m
    parent, flow, depth = np.full(nodes, -1), np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    # The node after each one in preorder, and the node before; after the last comes the root again.
    after, before = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    potential = np.zeros(nodes, np.int64)
    sources, sinks, amounts = _nearest_first(price, guide, supply, demand)
    _plant(price, sources, sinks, amounts, parent, flow, depth, after, before, potential)
    sink_potential = potential[n:]
    row = 0
    while True:
        # Of a few sources that are cheaper with some sink than the tree says, the one by most.
        best, gain, asked = -1, 0, 0
        while asked < n and (best < 0 or asked < _OFFERS):
            offer = _lowest(price[row], sink_potential) - potential[row]
            if offer < gain:
                best, gain = row, offer
            row = row + 1 if row + 1 < n else 0
            asked += 1
        if best < 0:
            return parent, flow, sink_potential
        enter, wanted = 0, gain + potential[best]
        while price[best, enter] - sink_potential[enter] != wanted:
            enter += 1
        _pivot(best, n + enter, n, gain, parent, flow, depth, after, before, potential)


@inner
def _lowest(prices: Ints, potential: Ints) -> int:
    """The lowest price above the potentials: most sources have none that is low enough, so where it is comes later."""
    lowest = _NEVER
    for j in range(len(prices)):
        lowest = min(lowest, prices[j] - potential[j])
    return lowest


@inner
def _nearest_first(price: Ints, guide: Ints, supply: Ints, demand: Ints) -> tuple[Ints, Ints, Ints]:
    """A plan in which each source in turn serves the nearest sinks that still want something: a forest."""
    n, m = price.shape
    left, standing = demand.copy(), guide.copy()
    sources, sinks, amounts = np.empty(n + m, np.int64), np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    count = 0
    for i in range(n):
        have, prices = supply[i], price[i]
        while have > 0:
            best, near = _lowest(prices, standing), 0
            while prices[near] - standing[near] != best:
                near += 1
            moved = min(have, left[near])
            sources[count], sinks[count], amounts[count] = i, n + near, moved
            count += 1
            have -= moved
            left[near] -= moved
            if left[near] == 0:
                standing[near] = -_NEVER  # so dear that it is never the nearest again
    return sources[:count], sinks[:count], amounts[:count]


@inner
def _plant(
    price: Ints, sources: Ints, sinks: Ints, amounts: Ints, parent: Ints, flow: Ints, depth: Ints, after: Ints,
    before: Ints, potential: Ints,
) -> None:  # fmt: skip
    """Make one tree of the forest, rooted at node 0: each other tree hangs by a source on a sink of the first.

    Nothing flows from that source to that sink. A sink always gets something from its parent: strongly feasible.
    """
    n, m = price.shape
    nodes = n + m
    start = np.zeros(nodes + 1, np.int64)
    for k in range(len(sources)):
        start[sources[k] + 1] += 1
        start[sinks[k] + 1] += 1
    start = np.cumsum(start)
    fill = start[:-1].copy()
    near, carried = np.empty(2 * len(sources), np.int64), np.empty(2 * len(sources), np.int64)
    for k in range(len(sources)):
        a, b = sources[k], sinks[k]
        near[fill[a]], carried[fill[a]] = b, amounts[k]
        near[fill[b]], carried[fill[b]] = a, amounts[k]
        fill[a] += 1
        fill[b] += 1
    seen = np.zeros(nodes, np.bool_)
    stack = np.empty(nodes, np.int64)
    hook = near[0]  # the first sink that source 0 serves
    for root in range(n):
        if seen[root]:
            continue
        seen[root] = True
        if root > 0:
            parent[root] = hook
        last = hook if root > 0 else 0
        stack[0] = root
        size = 1
        while size > 0:  # what comes off the stack is in preorder
            size -= 1
            node = stack[size]
            if node > 0:
                up = parent[node]
                depth[node] = depth[up] + 1
                potential[node] = (price[node, up - n] if node < n else price[up, node - n]) - potential[up]
                _put_behind(last, node, node, after, before)
            last = node
            for k in range(start[node], start[node + 1]):
                if not seen[near[k]]:
                    seen[near[k]] = True
                    parent[near[k]], flow[near[k]] = node, carried[k]
                    stack[size] = near[k]
                    size += 1


@inner
def _put_behind(place: int, first: int, last: int, after: Ints, before: Ints) -> None:
    """Put nodes that follow each other, from the first to the last, behind another one."""
    after[last], before[first] = after[place], place
    before[after[place]] = last
    after[place] = first


@inner
def _pivot(
    i: int, j: int, n: int, rise: int, parent: Ints, flow: Ints, depth: Ints, after: Ints, before: Ints,
    potential: Ints,
) -> None:  # fmt: skip
    """Let source i serve sink j: what flows round the cycle changes, and the pair that runs dry leaves the tree.

    Of several that run dry the last leaves, going round from the top of the cycle by way of i: then the tree stays
    strongly feasible.
    """
    a, b = i, j
    change, leave, at_source = _NEVER, -1, True
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
    top = a
    a, b = i, j
    while a != top:
        flow[a] += -change if a < n else change
        a = parent[a]
    while b != top:
        flow[b] += -change if b >= n else change
        b = parent[b]
    if at_source:
        _hang(i, j, leave, change, n, rise, parent, flow, depth, after, before, potential)
    else:
        _hang(j, i, leave, change, n, rise, parent, flow, depth, after, before, potential)


@inner
def _hang(
    node: int, above: int, leave: int, carried: int, n: int, rise: int, parent: Ints, flow: Ints, depth: Ints,
    after: Ints, before: Ints, potential: Ints,
) -> None:  # fmt: skip
    """Hang what is below and at ``leave`` on ``above``, by ``node``: the path between them turns round.

    The potentials of the nodes on the side of ``node`` rise, those of the others fall by as much. Each node of the path
    takes along what is still below it, which follows it without a gap, as what went before is gone.
    """
    side, level, place = node < n, depth[above] + 1, above
    while True:
        up, old, old_level = parent[node], flow[node], depth[node]
        last, below = node, node
        while True:
            depth[below] += level - old_level
            potential[below] += rise if (below < n) == side else -rise
            last, below = below, after[below]
            if depth[below] <= old_level:
                break
        before[below], after[before[node]] = before[node], below
        _put_behind(place, node, last, after, before)
        parent[node], flow[node] = above, carried
        if node == leave:
            return
        node, above, carried, level, place = up, node, old, level + 1, last
