"""Draw an order in rows: the position of each item in its row, and the courses of the lines between rows.

The method of Sugiyama, Tagawa and Toda (1981). A line that passes other rows gets a narrow slot in each of them, so
that it never crosses an item. Each row is sorted by the mean position of its neighbours in the row above or below, in
alternate sweeps, and the order with the fewest crossings is kept. Then everything moves as close to its neighbours as
the order and the widths allow.
"""

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
from scipy.optimize import isotonic_regression

from geoeval.arrays import Floats

# Width of a line's slot, where an item has 1; how often rows are sorted, and moved.
_NARROW = 0.08
_SWEEPS, _MOVES = 24, 30


def layered(row: Sequence[int], edges: Sequence[tuple[int, int]], *, half: float = 0.25) -> tuple[Floats, list[Floats]]:
    """Positions of the items in their rows, and the points of each line as column and row.

    Parameters
    ----------
    row
        The row of each item, counted from the top. Within a row the given order is kept unless the edges ask for
        another one.
    edges
        Pairs of items, the upper one first. In the rows between them a line runs beside the items.
    half
        Half the height of an item, where rows are 1 apart. Lines are vertical over this distance.

    Returns
    -------
    x, courses
        Items have width 1 and do not overlap; the leftmost starts at 0. Both are empty if there are no items.
        O(sweeps x crossings).
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
    """The rows in the order with the fewest crossings that the sweeps have found."""
    rows: list[list[int]] = [[] for _ in range(max(level, default=-1) + 1)]
    for node, depth in enumerate(level):
        rows[depth].append(node)
    above, below = _neighbours(links, len(level), up=True), _neighbours(links, len(level), up=False)
    best, fewest = [list(row) for row in rows], np.inf
    for sweep in range(_SWEEPS):
        x = _packed(rows, width)
        down = sweep % 2 == 0
        beside = above if down else below
        for row in rows if down else rows[::-1]:
            wish = {node: float(np.mean(x[beside[node]])) if beside[node] else float(x[node]) for node in row}
            row.sort(key=wish.__getitem__)
            x[row] = _side_by_side(row, width)
        crossings = _crossings(rows, links, level)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _placed(rows: list[list[int]], links: list[tuple[int, int]], width: Floats) -> Floats:
    """Each row moved towards the mean of its neighbours: least squares, in the given order and without overlap."""
    x = _packed(rows, width)
    around = [a + b for a, b in zip(*(_neighbours(links, len(width), up=up) for up in (True, False)), strict=True)]
    for _ in range(_MOVES):
        for row in rows:
            wish = np.array([np.mean(x[around[node]]) if around[node] else x[node] for node in row])
            offset = _side_by_side(row, width)
            x[row] = isotonic_regression(wish - offset).x + offset
    return x - (x - width / 2).min(initial=np.inf) if len(x) else x


def _course(chain: list[int], x: Floats, level: list[int], half: float) -> Floats:
    """From the middle of one item to the middle of another: vertical in each row, straight between rows."""
    points = [(x[node], level[node] + part) for node in chain for part in (-half, half)]
    return np.array([(x[chain[0]], level[chain[0]]), *points[1:-1], (x[chain[-1]], level[chain[-1]])])


def _packed(rows: list[list[int]], width: Floats) -> Floats:
    x = np.zeros(len(width))
    for row in rows:
        x[row] = _side_by_side(row, width)
    return x


def _side_by_side(row: list[int], width: Floats) -> Floats:
    """Middles of items placed without gaps, centred on 0."""
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
