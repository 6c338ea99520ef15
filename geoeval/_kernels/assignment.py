"""Points of two sets paired one to one, and points near the other set: many small problems at once.

``assign`` minimises the sum of ``min(distance, cap)`` over a one-to-one assignment; only pairs closer than ``cap``
count, because a pair at the cap costs as much as no pair. (It does not make as many pairs as possible: two long
pairs may cost more than one short pair.)

Distances are rounded to ``cap / 166320`` (0.1 mm for 15 m), so that ties are ties, whatever the last digits of
the coordinates are. Of assignments with the same cost the one with more pairs is taken; the rest follows the order of
the points, which callers derive from geometry.
"""

from typing import Literal

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval._kernels.heap import heap_pop, heap_push
from geoeval.arrays import Bools, Floats, Ints

# Divisible by all numbers up to 12: sums of simple fractions of the cap come out exact.
_UNITS = 166320.0
# The gain of a pair is its units times this, plus one: of equal sums, the one with more pairs wins.
_PAIR = 1048576.0
# The same place may differ by a micrometre, so a threshold is met within that.
_SAME = 1e-6
_MOST_CELLS = 64


def assign(
    first: Ints, xy: Floats, other_first: Ints, other_xy: Floats, *, cap: float, method: Literal["optimal", "greedy"]
) -> Ints:
    """Pair points with points of the other set one to one, in each of many problems.

    Parameters
    ----------
    first, other_first
        The points of problem i are ``xy[first[i]:first[i + 1]]`` and ``other_xy[other_first[i]:other_first[i + 1]]``.
    xy, other_xy
        Coordinates.
    cap
        Pairs must be closer than this.
    method
        ``"optimal"`` (least sum of capped distances; shortest augmenting paths, exact) or ``"greedy"`` (of all pairs
        the closest one first).

    Returns
    -------
    Ints
        For each point the number of its partner in ``other_xy``, or -1. Empty sets have no partners.

    Notes
    -----
    For a problem with n points and p pairs closer than the cap O(n p log p) at worst, about O(p log p) on roads.
    """
    partner = np.full(len(xy), -1, dtype=np.int64)
    capacity = 4096
    while True:
        needed = _assign(first, xy, other_first, other_xy, float(cap), method == "greedy", capacity, partner)
        if needed <= capacity:
            return partner
        capacity = 2 * needed


def near(first: Ints, xy: Floats, other_first: Ints, other_xy: Floats, *, distance: float) -> tuple[Bools, Bools, Ints]:
    """Which points have a point of the other set within a distance, in each of many problems.

    The parameters are those of ``assign``; the distance is inclusive.

    Returns
    -------
    matched, other_matched
        For each point, and for each point of the other set, whether there is one.
    nearest
        For each point the nearest one of the other set, or -1; the first of equally near ones.
    """
    nearest = np.full(len(xy), -1, dtype=np.int64)
    other_matched = np.zeros(len(other_xy), dtype=np.bool_)
    _near(first, xy, other_first, other_xy, distance + _SAME, nearest, other_matched)
    return nearest >= 0, other_matched, nearest


@kernel
def _near(
    first: Ints, xy: Floats, other_first: Ints, other_xy: Floats, distance: float, nearest: Ints, other_matched: Bools
) -> None:
    cell_first = np.empty(_MOST_CELLS * _MOST_CELLS + 1, dtype=np.int64)
    member = np.empty(len(other_xy), dtype=np.int64)
    frame = np.empty(5)
    for problem in range(len(first) - 1):
        low = other_first[problem]
        _sort_into_cells(other_xy, low, other_first[problem + 1], distance, frame, cell_first, member)
        for i in range(first[problem], first[problem + 1]):
            best = np.inf
            for row in range(3):
                begin, end = _cells(xy[i, 0], xy[i, 1], row, frame, cell_first)
                for m in range(begin, end):
                    j = member[low + m]
                    away = np.hypot(xy[i, 0] - other_xy[j, 0], xy[i, 1] - other_xy[j, 1])
                    if away <= distance:
                        other_matched[j] = True
                        if away < best - _SAME or (away < best + _SAME and j < nearest[i]):
                            nearest[i] = j
                            best = min(best, away)


@kernel
def _assign(
    first: Ints, xy: Floats, other_first: Ints, other_xy: Floats, cap: float, greedy: bool, capacity: int, partner: Ints
) -> int:
    """Solve all problems; returns the capacity for pairs that the largest one needs, which may exceed the given one."""
    most, other_most, needed = 1, 1, 0
    for problem in range(len(first) - 1):
        most = max(most, first[problem + 1] - first[problem])
        other_most = max(other_most, other_first[problem + 1] - other_first[problem])
    cell_first = np.empty(_MOST_CELLS * _MOST_CELLS + 1, dtype=np.int64)
    member = np.empty(len(other_xy), dtype=np.int64)
    frame = np.empty(5)
    pair_first, pair_other, pair_cost = np.empty(most + 1, np.int64), np.empty(capacity, np.int64), np.empty(capacity)
    keys, items = np.empty(capacity + 1), np.empty(capacity + 1, dtype=np.int64)
    # Prices are the dual variables. A point has chosen an other point, or none (-1), or not yet (-2).
    price, other_price = np.empty(most), np.empty(other_most)
    chosen, owner = np.empty(most, dtype=np.int64), np.empty(other_most, dtype=np.int64)
    way = np.empty(other_most)
    search = np.empty((3, other_most), dtype=np.int64)
    for problem in range(len(first) - 1):
        low, count = first[problem], first[problem + 1] - first[problem]
        other_low, other_count = other_first[problem], other_first[problem + 1] - other_first[problem]
        _sort_into_cells(other_xy, other_low, other_low + other_count, cap, frame, cell_first, member)
        pairs = 0
        for i in range(count):
            pair_first[i] = pairs
            x, y = xy[low + i, 0], xy[low + i, 1]
            for row in range(3):
                begin, end = _cells(x, y, row, frame, cell_first)
                for m in range(begin, end):
                    j = member[other_low + m]
                    units = np.rint(np.hypot(x - other_xy[j, 0], y - other_xy[j, 1]) / cap * _UNITS)
                    if units < _UNITS:
                        if pairs < capacity:
                            pair_other[pairs] = j - other_low
                            pair_cost[pairs] = (units - _UNITS) * _PAIR - 1.0
                        pairs += 1
        pair_first[count] = pairs
        needed = max(needed, pairs)
        if pairs > capacity:
            continue
        for j in range(other_count):
            owner[j] = -1
            other_price[j] = 0.0
            search[0, j] = -1
        size = 0
        for i in range(count):
            if greedy:
                chosen[i] = -1
                for p in range(pair_first[i], pair_first[i + 1]):
                    size = heap_push(keys, items, size, pair_cost[p], i * other_count + pair_other[p])
            else:
                _take_cheapest(i, pair_first, pair_other, pair_cost, price, chosen, owner)
        while size > 0:
            i, j = items[0] // other_count, items[0] % other_count
            size = heap_pop(keys, items, size)
            if chosen[i] < 0 and owner[j] < 0:
                chosen[i], owner[j] = j, i
        for i in range(count):
            if chosen[i] == -2:
                _augment(
                    i, pair_first, pair_other, pair_cost, price, other_price, chosen, owner, way, search, keys, items
                )
        for i in range(count):
            partner[low + i] = chosen[i] + other_low if chosen[i] >= 0 else -1
    return needed


@inner
def _take_cheapest(
    i: int, pair_first: Ints, pair_other: Ints, pair_cost: Floats, price: Floats, chosen: Ints, owner: Ints
) -> None:
    """Give a point its cheapest other point if that is free; its price is what that costs, 0 without any."""
    price[i] = 0.0
    best = -1
    for p in range(pair_first[i], pair_first[i + 1]):
        j = pair_other[p]
        if pair_cost[p] < price[i] or (pair_cost[p] == price[i] and j < best):
            price[i], best = pair_cost[p], j
    chosen[i] = -1 if best < 0 else -2
    if best >= 0 and owner[best] < 0:
        chosen[i], owner[best] = best, i


@inner
def _augment(
    source: int,
    pair_first: Ints,
    pair_other: Ints,
    pair_cost: Floats,
    price: Floats,
    other_price: Floats,
    chosen: Ints,
    owner: Ints,
    way: Floats,
    search: Ints,
    keys: Floats,
    items: Ints,
) -> None:
    """Assign one more point, by the cheapest chain of changes to the assignments so far.

    A chain ends at a free other point, or at a point that goes without one. Dijkstra over reduced costs; prices are
    then changed so that these stay non-negative, and zero for chosen pairs. For other points, ``way`` is the length
    of the way there if ``stamp`` is the source, ``before`` the point before it, and ``passed`` lists those passed.
    """
    stamp, before, passed = search[0], search[1], search[2]
    size, steps = 0, 0
    best, best_other, best_point = np.inf, -1, -1
    i, gone = source, 0.0
    while True:
        if gone - price[i] < best:
            best, best_other, best_point = gone - price[i], -1, i
        for p in range(pair_first[i], pair_first[i + 1]):
            j = pair_other[p]
            there = gone + pair_cost[p] - price[i] - other_price[j]
            if owner[j] < 0:
                if there < best or (there == best and best_other >= 0 and j < best_other):
                    best, best_other, best_point = there, j, i
            elif there < best and (stamp[j] != source or there < way[j]):
                stamp[j], way[j], before[j] = source, there, i
                size = heap_push(keys, items, size, there, j)
        while size > 0 and keys[0] > way[items[0]]:
            size = heap_pop(keys, items, size)
        if size == 0 or keys[0] >= best:
            break
        gone, j = keys[0], items[0]
        size = heap_pop(keys, items, size)
        passed[steps] = j
        steps += 1
        i = owner[j]
    price[source] += best
    for s in range(steps):
        j = passed[s]
        other_price[j] += way[j] - best
        price[owner[j]] += best - way[j]
    i, j = best_point, best_other
    while True:
        left = chosen[i]
        chosen[i] = j
        if j >= 0:
            owner[j] = i
        if i == source:
            break
        i, j = before[left], left


@inner
def _sort_into_cells(
    xy: Floats, low: int, high: int, distance: float, frame: Floats, cell_first: Ints, member: Ints
) -> None:
    """Order points by square cells at least ``distance`` wide; ``frame`` becomes (x, y, cell size, columns, rows)."""
    left, right, bottom, top = np.inf, -np.inf, np.inf, -np.inf
    for i in range(low, high):
        left, right = min(left, xy[i, 0]), max(right, xy[i, 0])
        bottom, top = min(bottom, xy[i, 1]), max(top, xy[i, 1])
    columns, rows, size = 0, 0, 1.0
    if high > low:
        size = max(distance, max(right - left, top - bottom) / (_MOST_CELLS - 1)) * (1 + 1e-9)
        columns, rows = int((right - left) / size) + 1, int((top - bottom) / size) + 1
    frame[0], frame[1], frame[2], frame[3], frame[4] = left, bottom, size, columns, rows
    for c in range(rows * columns + 1):
        cell_first[c] = 0
    for i in range(low, high):
        cell_first[int((xy[i, 1] - bottom) / size) * columns + int((xy[i, 0] - left) / size)] += 1
    for c in range(rows * columns):
        cell_first[c + 1] += cell_first[c]
    # Filled from the back: each cell keeps the order of its points, and its end moves down to its beginning.
    for i in range(high - 1, low - 1, -1):
        c = int((xy[i, 1] - bottom) / size) * columns + int((xy[i, 0] - left) / size)
        cell_first[c] -= 1
        member[low + cell_first[c]] = i


@inner
def _cells(x: float, y: float, row: int, frame: Floats, cell_first: Ints) -> tuple[int, int]:
    """Range of members in the cells left, at and right of a place, in the row below, of or above it."""
    columns = int(frame[3])
    r = int(np.floor((y - frame[1]) / frame[2])) + row - 1
    c = int(np.floor((x - frame[0]) / frame[2]))
    if columns == 0 or r < 0 or r >= frame[4] or c < -1 or c > columns:
        return 0, 0
    return cell_first[r * columns + max(c - 1, 0)], cell_first[r * columns + min(c + 1, columns - 1) + 1]
