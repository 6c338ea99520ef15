"""Distances between the outlines of objects, pair by pair: from corners, the farthest, and the mean along the outline.

All loops are over the corners of one outline and the sides of another, so a pair costs O(n m) for n and m corners.
"""

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints
from geoeval.model.outlines import Outlines

# The farthest place is found to this share of the outline's extent, by so many halvings of a side at most.
_EXACT = 1e-11
_HALVINGS = 45


def corner_distances(one: Outlines, rows: Ints, other: Outlines, partners: Ints) -> tuple[Floats, Ints]:
    """Sum of the distances from the corners of each object to the outline of its partner, and how many corners."""
    sums = _corner_sums(one.xy, one.start, rows, other.xy, other.following, other.start, partners)
    return sums, one.corners[rows]


def farthest_distances(one: Outlines, rows: Ints, other: Outlines, partners: Ints) -> Floats:
    """How far the outline of each object goes from that of its partner: the directed Hausdorff distance, exactly.

    The distance to one side is convex along a line. So on a stretch the distance to the outline is at most the
    smallest, over all sides, of the larger one of the distances at both ends; a stretch where that is no more than what
    was found already is left, any other is halved.
    """
    return _farthest(one.xy, one.following, one.start, rows, other.xy, other.following, other.start, partners)


def mean_distances(one: Outlines, rows: Ints, other: Outlines, partners: Ints, spacing: float) -> Floats:
    """Mean distance from the outline of each object to that of its partner.

    Each side is cut into equal pieces of at most ``spacing`` metres, measured at their middles.
    """
    return _means(one.xy, one.following, one.start, rows, other.xy, other.following, other.start, partners, spacing)


@inner
def _to_side(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Squared distance of a place from a side."""
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    share = 0.0
    if length > 0:
        share = min(max(((x - ax) * dx + (y - ay) * dy) / length, 0.0), 1.0)
    ex, ey = ax + share * dx - x, ay + share * dy - y
    return ex * ex + ey * ey


@inner
def _to_outline(x: float, y: float, xy: Floats, following: Ints, low: int, high: int) -> float:
    best = np.inf
    for k in range(low, high):
        n = following[k]
        best = min(best, _to_side(x, y, xy[k, 0], xy[k, 1], xy[n, 0], xy[n, 1]))
    return np.sqrt(best)


@kernel
def _corner_sums(
    xy: Floats, start: Ints, rows: Ints, other: Floats, following: Ints, other_start: Ints, partners: Ints
) -> Floats:
    sums = np.zeros(len(rows))
    for pair in range(len(rows)):
        i, j = rows[pair], partners[pair]
        for k in range(start[i], start[i + 1]):
            sums[pair] += _to_outline(xy[k, 0], xy[k, 1], other, following, other_start[j], other_start[j + 1])
    return sums


@kernel
def _means(
    xy: Floats, following: Ints, start: Ints, rows: Ints, other: Floats, other_following: Ints, other_start: Ints,
    partners: Ints, spacing: float,
) -> Floats:  # fmt: skip
    means = np.zeros(len(rows))
    for pair in range(len(rows)):
        i, j = rows[pair], partners[pair]
        total = 0.0
        for k in range(start[i], start[i + 1]):
            dx, dy = xy[following[k], 0] - xy[k, 0], xy[following[k], 1] - xy[k, 1]
            length = np.hypot(dx, dy)
            pieces = max(1, int(np.ceil(length / spacing - 1e-9)))
            own = 0.0
            for piece in range(pieces):
                share = (piece + 0.5) / pieces
                x, y = xy[k, 0] + share * dx, xy[k, 1] + share * dy
                own += _to_outline(x, y, other, other_following, other_start[j], other_start[j + 1])
            means[pair] += own / pieces * length
            total += length
        if total > 0:
            means[pair] /= total
    return means


@kernel
def _farthest(
    xy: Floats, following: Ints, start: Ints, rows: Ints, other: Floats, other_following: Ints, other_start: Ints,
    partners: Ints,
) -> Floats:  # fmt: skip
    found = np.zeros(len(rows))
    longest = 1
    for j in partners:
        longest = max(longest, other_start[j + 1] - other_start[j])
    sides = np.empty((longest, 4))
    for pair in range(len(rows)):
        i, j = rows[pair], partners[pair]
        # Coordinates of a country would round more than the search may be off.
        ox, oy = xy[start[i], 0], xy[start[i], 1]
        count = other_start[j + 1] - other_start[j]
        for s in range(count):
            k = other_start[j] + s
            n = other_following[k]
            sides[s, 0], sides[s, 1] = other[k, 0] - ox, other[k, 1] - oy
            sides[s, 2], sides[s, 3] = other[n, 0] - ox, other[n, 1] - oy
        best, extent = 0.0, 0.0
        for k in range(start[i], start[i + 1]):
            x, y = xy[k, 0] - ox, xy[k, 1] - oy
            best = max(best, _to_sides(x, y, sides, count))
            extent = max(extent, abs(x) + abs(y))
        slack = _EXACT * (extent + best)
        for k in range(start[i], start[i + 1]):
            n = following[k]
            best = _farthest_on_side(
                xy[k, 0] - ox, xy[k, 1] - oy, xy[n, 0] - ox, xy[n, 1] - oy, sides, count, best, slack
            )
        found[pair] = best
    return found


@inner
def _to_sides(x: float, y: float, sides: Floats, count: int) -> float:
    best = np.inf
    for s in range(count):
        best = min(best, _to_side(x, y, sides[s, 0], sides[s, 1], sides[s, 2], sides[s, 3]))
    return np.sqrt(best)


@inner
def _farthest_on_side(
    ax: float, ay: float, bx: float, by: float, sides: Floats, count: int, best: float, slack: float
) -> float:
    """The largest distance found so far or on this side."""
    # Halving a stretch leaves two, of which one is looked at first: as many wait as there are halvings.
    stack = np.empty((_HALVINGS + 2, 3))
    stack[0, 0], stack[0, 1], stack[0, 2] = 0.0, 1.0, 0.0
    size = 1
    while size > 0:
        size -= 1
        t, u, depth = stack[size, 0], stack[size, 1], stack[size, 2]
        px, py, qx, qy = ax + t * (bx - ax), ay + t * (by - ay), ax + u * (bx - ax), ay + u * (by - ay)
        bound = np.inf
        for s in range(count):
            c, d, e, f = sides[s, 0], sides[s, 1], sides[s, 2], sides[s, 3]
            bound = min(bound, max(_to_side(px, py, c, d, e, f), _to_side(qx, qy, c, d, e, f)))
        if depth >= _HALVINGS or np.sqrt(bound) <= best + slack:
            continue
        middle = (t + u) / 2
        best = max(best, _to_sides(ax + middle * (bx - ax), ay + middle * (by - ay), sides, count))
        stack[size, 0], stack[size, 1], stack[size, 2] = t, middle, depth + 1
        stack[size + 1, 0], stack[size + 1, 1], stack[size + 1, 2] = middle, u, depth + 1
        size += 2
    return best
