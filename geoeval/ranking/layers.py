"""A drawing of an order in rows: where things stand in their row, and the courses of the lines between rows.

The method is that of Sugiyama, Tagawa and Toda (1981). A line that passes other rows gets a narrow place of its own in
each of them, so that it never runs over what stands there; rows are put in order by the means of what they hang on,
up and down, and the order with the fewest crossings is kept; then all is moved as near to what it hangs on as
the order and the widths allow.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

Floats = NDArray[np.float64]

# Width of a line's place, where an item's is 1; how often rows are ordered, and moved.
_NARROW = 0.08
_SWEEPS, _MOVES = 24, 30


def layered(row: Sequence[int], edges: Sequence[tuple[int, int]], *, half: float = 0.25) -> tuple[Floats, list[Floats]]:
    """Where each item stands in its row, and the points of each edge's line, as column and row.

    Parameters
    ----------
    row
        Of each item, from the top. Items of a row stand in the order given as far as their edges do not say otherwise.
    edges
        Pairs of items, the upper one first. Rows between them are passed beside what stands there.
    half
        Half the height of an item, where rows are 1 apart; lines are upright so far.

    Returns
    -------
    x, courses
        Items are 1 wide and do not overlap; the leftmost begins at 0. O(sweeps x crossings); no items, nothing.
    """
    level, chains = list(row), []
    for upper, lower in edges:
        passed = range(row[upper] + 1, row[lower])
        chains.append([upper, *range(len(level), len(level) + len(passed)), lower])
        level.extend(passed)
    width = np.where(np.arange(len(level)) < len(row), 1.0, _NARROW)
    links = [link for chain in chains for link in pairwise(chain)]
    x = _placed(_ordered(level, links, width), links, width)
    return x[: len(row)], [_course(chain, x, level, half) for chain in chains]


def _ordered(level: list[int], links: list[tuple[int, int]], width: Floats) -> list[list[int]]:
    """The rows in the order with the fewest crossings that the sweeps have met."""
    rows: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for node, depth in enumerate(level):
        rows[depth].append(node)
    above, below = _neighbours(links, len(level), up=True), _neighbours(links, len(level), up=False)
    best, fewest = [list(row) for row in rows], np.inf
    for sweep in range(_SWEEPS):
        x = _packed(rows, width)
        down = sweep % 2 == 0
        hangs_on = above if down else below
        for row in rows if down else rows[::-1]:
            wish = {node: float(np.mean(x[hangs_on[node]])) if hangs_on[node] else float(x[node]) for node in row}
            row.sort(key=wish.__getitem__)
            x[row] = _side_by_side(row, width)
        crossings = _crossings(rows, links, level)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _placed(rows: list[list[int]], links: list[tuple[int, int]], width: Floats) -> Floats:
    """Each row moved towards the mean of what it hangs on: least squares in the given order and without overlap."""
    x = _packed(rows, width)
    around = [a + b for a, b in zip(*(_neighbours(links, len(width), up=up) for up in (True, False)), strict=True)]
    for _ in range(_MOVES):
        for row in rows:
            wish = np.array([np.mean(x[around[node]]) if around[node] else x[node] for node in row])
            offset = _side_by_side(row, width)
            x[row] = isotonic_regression(wish - offset).x + offset
    return x - (x - width / 2).min(initial=np.inf) if len(x) else x


def _course(chain: list[int], x: Floats, level: list[int], half: float) -> Floats:
    """From the middle of an item to that of another: upright in each row, straight from row to row."""
    points = [(x[node], level[node] + part) for node in chain for part in (-half, half)]
    return np.array([(x[chain[0]], level[chain[0]]), *points[1:-1], (x[chain[-1]], level[chain[-1]])])


def _packed(rows: list[list[int]], width: Floats) -> Floats:
    x = np.zeros(len(width))
    for row in rows:
        x[row] = _side_by_side(row, width)
    return x


def _side_by_side(row: list[int], width: Floats) -> Floats:
    """Middles of things that stand without gaps, around 0."""
    own = width[row]
    return np.asarray(np.cumsum(own) - own / 2 - own.sum() / 2)


def _neighbours(links: list[tuple[int, int]], count: int, *, up: bool) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(count)]
    for a, b in links:
        found[b if up else a].append(a if up else b)
    return found


def _crossings(rows: list[list[int]], links: list[tuple[int, int]], level: list[int]) -> int:
    order = {node: i for row in rows for i, node in enumerate(row)}
    count = 0
    for depth in range(len(rows) - 1):
        own = [(order[a], order[b]) for a, b in links if level[a] == depth]
        count += sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(own, 2))
    return count
