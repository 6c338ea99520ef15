"""Distances between the outlines of objects, pair by pair: from corners, the farthest, and the mean along the outline.

All loops are over the corners of one outline and the sides of another, so a pair costs O(n m) for n and m corners. The
inner ones measure many places against one side, or one place against many sides, without a branch, so that the
processor measures several at once. Coordinates are taken from a corner of the outline itself: those of a country would
round more than the search for the farthest place may be off.
"""

import numpy as np

from geoeval._kernels.compiling import inner, kernel, searching
from geoeval.arrays import Floats, Ints
from geoeval.model.outlines import Outlines

# The farthest place is found to this share of the outline's extent, by so many halvings of a side at most.
_EXACT = 1e-11
_HALVINGS = 45


# Metres that are rounding.
_NOTHING = 1e-9


def corner_distances(one: Outlines, rows: Ints, other: Outlines, partners: Ints) -> tuple[Floats, Ints]:
    """Sum of the distances from the corners of each object to the outline of its partner, and how many corners."""
    sums = _corner_sums(one.xy, one.start, rows, *_arrays(other), partners)
    return sums, one.corners[rows]


def farthest_distances(one: Outlines, rows: Ints, other: Outlines, partners: Ints) -> Floats:
    """How far the outline of each object goes from that of its partner: the directed Hausdorff distance, exactly.

    The distance to one side is convex along a line. So on a stretch the distance to the outline is at most the
    smallest, over all sides, of the larger one of the distances at both ends; a stretch where that is no more than what
    was found already is left, any other is halved.
    """
    return _farthest(*_arrays(one), rows, *_arrays(other), partners)


def mean_distances(one: Outlines, rows: Ints, other: Outlines, partners: Ints, spacing: float) -> Floats:
    """Mean distance from the outline of each object to that of its partner.

    Each side is cut into equal pieces of at most ``spacing`` metres, measured at their middles.
    """
    means = _means(*_arrays(one), rows, *_arrays(other), partners, spacing)
    means[means < _NOTHING] = 0.0
    return means


def _arrays(outlines: Outlines) -> tuple[Floats, Ints, Ints]:
    return outlines.xy, outlines.following, outlines.start


# ---------------------------------------------------------------------- sides


@inner
def empty_sides(start: Ints, rows: Ints) -> Floats:
    """Room for the sides of any outline of the rows: a column each with where it begins and how far it goes."""
    longest = 1
    for j in rows:
        longest = max(longest, start[j + 1] - start[j])
    return np.empty((5, longest))


@inner
def fill_sides(xy: Floats, following: Ints, start: Ints, j: int, ox: float, oy: float, sides: Floats) -> int:
    """Put the sides of an outline there, seen from an origin; returns how many there are."""
    for s in range(start[j + 1] - start[j]):
        k = start[j] + s
        n = following[k]
        dx, dy = xy[n, 0] - xy[k, 0], xy[n, 1] - xy[k, 1]
        sides[0, s], sides[1, s], sides[2, s], sides[3, s] = xy[k, 0] - ox, xy[k, 1] - oy, dx, dy
        length = dx * dx + dy * dy
        sides[4, s] = 1 / length if length > 0 else 0.0
    return start[j + 1] - start[j]


@searching
def nearest_on_side(ax: float, ay: float, dx: float, dy: float, over: float) -> tuple[float, float]:
    """Squared distance of the origin from a side, and the share of the side before the nearest place."""
    share = min(max(-(ax * dx + ay * dy) * over, 0.0), 1.0)
    ex, ey = ax + share * dx, ay + share * dy
    return ex * ex + ey * ey, share


@searching
def _to_each(x: float, y: float, sides: Floats, count: int, squares: Floats) -> None:
    """Squared distances of a place from all sides."""
    for s in range(count):
        squares[s] = nearest_on_side(sides[0, s] - x, sides[1, s] - y, sides[2, s], sides[3, s], sides[4, s])[0]


@searching
def _lowest(squares: Floats, count: int) -> float:
    best = np.inf
    for s in range(count):
        best = min(best, squares[s])
    return best


@searching
def _lowest_of_higher(one: Floats, other: Floats, count: int) -> float:
    best = np.inf
    for s in range(count):
        best = min(best, max(one[s], other[s]))
    return best


# ---------------------------------------------------------------------- from corners


@kernel
def _corner_sums(
    xy: Floats, start: Ints, rows: Ints, other: Floats, other_following: Ints, other_start: Ints, partners: Ints
) -> Floats:
    sums = np.zeros(len(rows))
    sides = empty_sides(other_start, partners)
    squares = np.empty(sides.shape[1])
    for pair in range(len(rows)):
        i = rows[pair]
        if start[i] == start[i + 1]:
            continue
        ox, oy = xy[start[i], 0], xy[start[i], 1]
        count = fill_sides(other, other_following, other_start, partners[pair], ox, oy, sides)
        for k in range(start[i], start[i + 1]):
            _to_each(xy[k, 0] - ox, xy[k, 1] - oy, sides, count, squares)
            sums[pair] += np.sqrt(_lowest(squares, count))
    return sums


# ---------------------------------------------------------------------- along the outline


@kernel
def _means(
    xy: Floats, following: Ints, start: Ints, rows: Ints, other: Floats, other_following: Ints, other_start: Ints,
    partners: Ints, spacing: float,
) -> Floats:  # fmt: skip
    means = np.zeros(len(rows))
    sides = empty_sides(other_start, partners)
    squares = np.empty(64)
    for pair in range(len(rows)):
        i = rows[pair]
        if start[i] == start[i + 1]:
            continue
        ox, oy = xy[start[i], 0], xy[start[i], 1]
        count = fill_sides(other, other_following, other_start, partners[pair], ox, oy, sides)
        total = 0.0
        for k in range(start[i], start[i + 1]):
            x, y = xy[k, 0] - ox, xy[k, 1] - oy
            dx, dy = xy[following[k], 0] - xy[k, 0], xy[following[k], 1] - xy[k, 1]
            length = np.hypot(dx, dy)
            pieces = max(1, int(np.ceil(length / spacing - 1e-9)))
            if pieces > len(squares):
                squares = np.empty(2 * pieces)
            means[pair] += _sum_along(x, y, dx / pieces, dy / pieces, pieces, sides, count, squares) / pieces * length
            total += length
        if total > 0:
            means[pair] /= total
    return means


@inner
def _sum_along(
    x: float, y: float, dx: float, dy: float, pieces: int, sides: Floats, count: int, squares: Floats
) -> float:
    """Sum of the distances of the middles of pieces, the first of which begins at a place."""
    squares[:pieces] = np.inf
    for s in range(count):
        _lower(x, y, dx, dy, pieces, sides[0, s], sides[1, s], sides[2, s], sides[3, s], sides[4, s], squares)
    total = 0.0
    for piece in range(pieces):
        total += np.sqrt(squares[piece])
    return total


@searching
def _lower(
    x: float, y: float, dx: float, dy: float, pieces: int, ax: float, ay: float, bx: float, by: float, over: float,
    squares: Floats,
) -> None:  # fmt: skip
    """Lower the squared distances of the middles of pieces to those from one more side."""
    for piece in range(pieces):
        square, _ = nearest_on_side(ax - x - (piece + 0.5) * dx, ay - y - (piece + 0.5) * dy, bx, by, over)
        squares[piece] = min(squares[piece], square)


# ---------------------------------------------------------------------- the farthest


@kernel
def _farthest(
    xy: Floats, following: Ints, start: Ints, rows: Ints, other: Floats, other_following: Ints, other_start: Ints,
    partners: Ints,
) -> Floats:  # fmt: skip
    found = np.zeros(len(rows))
    sides = empty_sides(other_start, partners)
    here, there = np.empty(sides.shape[1]), np.empty(sides.shape[1])
    bounds = np.empty(empty_sides(start, rows).shape[1])
    # Halving a stretch leaves two, of which one is looked at first: as many wait as there are halvings.
    stack = np.empty((_HALVINGS + 2, 3))
    for pair in range(len(rows)):
        low, high = start[rows[pair]], start[rows[pair] + 1]
        if low == high:
            continue
        ox, oy = xy[low, 0], xy[low, 1]
        count = fill_sides(other, other_following, other_start, partners[pair], ox, oy, sides)
        best, extent, known = 0.0, 0.0, -1
        for k in range(low, high):
            x, y, n = xy[k, 0] - ox, xy[k, 1] - oy, following[k]
            if known == k:  # the corner that the last side ended at
                here, there = there, here
            else:
                _to_each(x, y, sides, count, here)
            _to_each(xy[n, 0] - ox, xy[n, 1] - oy, sides, count, there)
            known = n
            best = max(best, _lowest(here, count))
            bounds[k - low] = _lowest_of_higher(here, there, count)
            extent = max(extent, abs(x) + abs(y))
        best = np.sqrt(best)
        slack = _EXACT * (extent + best)
        for k in range(low, high):
            if np.sqrt(bounds[k - low]) > best + slack:
                n = following[k]
                ax, ay, bx, by = xy[k, 0] - ox, xy[k, 1] - oy, xy[n, 0] - ox, xy[n, 1] - oy
                best = _farthest_on_side(ax, ay, bx, by, sides, count, best, slack, stack, here, there)
        found[pair] = best
    return found


@inner
def _farthest_on_side(
    ax: float, ay: float, bx: float, by: float, sides: Floats, count: int, best: float, slack: float, stack: Floats,
    here: Floats, there: Floats,
) -> float:  # fmt: skip
    """The largest distance found so far or on this side."""
    stack[0, 0], stack[0, 1], stack[0, 2] = 0.0, 1.0, 0.0
    size = 1
    while size > 0:
        size -= 1
        t, u, depth = stack[size, 0], stack[size, 1], stack[size, 2]
        _to_each(ax + t * (bx - ax), ay + t * (by - ay), sides, count, here)
        _to_each(ax + u * (bx - ax), ay + u * (by - ay), sides, count, there)
        if depth >= _HALVINGS or np.sqrt(_lowest_of_higher(here, there, count)) <= best + slack:
            continue
        middle = (t + u) / 2
        _to_each(ax + middle * (bx - ax), ay + middle * (by - ay), sides, count, here)
        best = max(best, np.sqrt(_lowest(here, count)))
        stack[size, 0], stack[size, 1], stack[size, 2] = t, middle, depth + 1
        stack[size + 1, 0], stack[size + 1, 1], stack[size + 1, 2] = middle, u, depth + 1
        size += 2
    return best
