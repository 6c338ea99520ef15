"""Polygons on pixels, compiled: which pixels a polygon has, and how deep each lies in it.

A pixel is in a polygon if its centre is: a ray from the centre crosses the outline an odd number of times. A centre on
the outline is outside. On which side of a line a centre lies is decided exactly, as GEOS decides it: by rounded numbers
where these are certain, else by numbers of twice the digits.
"""

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Bools, Floats, Ints

# A sum of two products is certain that is larger than this share of them.
_CERTAIN = 1e-15
# Splits a float into two halves of its digits.
_HALVES = 2.0**27 + 1


@kernel
def fill_mask(xy: Floats, begin: Ints, low_x: float, low_y: float, cell: float, mask: Bools) -> int:
    """Mark the pixels of one polygon, whose rings begin at ``begin``; returns how many there are.

    Pixels are ``cell`` wide; the first one's lower left corner is at the two lows, and y grows with the row. O(rows of
    pixels times sides, plus pixels times sides that cross their row).
    """
    rows, columns = mask.shape
    crossing = np.empty(begin[-1] - begin[0], np.int64)
    count = 0
    for row in range(rows):
        y = low_y + (row + 0.5) * cell
        active = 0
        left, right = np.inf, -np.inf
        for ring in range(len(begin) - 1):
            for k in range(begin[ring], begin[ring + 1] - 1):
                if min(xy[k, 1], xy[k + 1, 1]) <= y <= max(xy[k, 1], xy[k + 1, 1]):
                    crossing[active] = k
                    active += 1
                    left, right = min(left, xy[k, 0], xy[k + 1, 0]), max(right, xy[k, 0], xy[k + 1, 0])
        for column in range(columns):
            x = low_x + (column + 0.5) * cell
            inside = left < x < right and _is_inside(x, y, xy, crossing, active)
            mask[row, column] = inside
            count += inside
    return count


@inner
def _is_inside(x: float, y: float, xy: Floats, sides: Ints, count: int) -> bool:
    odd = False
    for place in range(count):
        k = sides[place]
        ax, ay, bx, by = xy[k, 0], xy[k, 1], xy[k + 1, 0], xy[k + 1, 1]
        if ax < x and bx < x:
            continue
        if ay == by:
            if min(ax, bx) <= x:  # the side lies on the ray's line, and this place on the side
                return False
            continue
        if ax > x and bx > x:
            odd = odd != ((ay > y) != (by > y))
            continue
        turn = _turn(ax, ay, bx, by, x, y)
        if turn == 0:
            return False
        if (ay > y) != (by > y):
            odd = odd != ((turn > 0) == (by > ay))
    return odd


@inner
def _turn(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> float:
    """Above 0 where a place is left of the line from a to b, below 0 where right of it, 0 on it."""
    one, two = (ax - x) * (by - y), (ay - y) * (bx - x)
    if abs(one - two) >= _CERTAIN * (abs(one) + abs(two)) and one != two:
        return one - two
    p, p_rest = _product(*_difference(ax, x), *_difference(by, y))
    q, q_rest = _product(*_difference(ay, y), *_difference(bx, x))
    return (p - q) + (p_rest - q_rest)


@inner
def _difference(a: float, b: float) -> tuple[float, float]:
    """The difference and what it lacks."""
    whole = a - b
    part = whole - a
    return whole, (a - (whole - part)) - (b + part)


@inner
def _product(a: float, a_rest: float, b: float, b_rest: float) -> tuple[float, float]:
    """The product of two numbers of twice the digits."""
    whole = a * b
    high = _HALVES * a
    a_high = high - (high - a)
    high = _HALVES * b
    b_high = high - (high - b)
    a_low, b_low = a - a_high, b - b_high
    lacks = ((a_high * b_high - whole) + a_high * b_low + a_low * b_high) + a_low * b_low
    return whole, lacks + (a * b_rest + a_rest * b)


@kernel
def add_depths(mask: Bools, depth: Floats) -> None:
    """Add the distance of each pixel of a mask from the nearest one outside it; beyond the image all is outside.

    O(pixels times the depth of the deepest).
    """
    rows, columns = mask.shape
    along = np.zeros((rows, columns), np.int64)  # the same in its own column only
    for column in range(columns):
        run = 0
        for row in range(rows):
            run = run + 1 if mask[row, column] else 0
            along[row, column] = run
        run = 0
        for row in range(rows - 1, -1, -1):
            run = run + 1 if mask[row, column] else 0
            along[row, column] = min(along[row, column], run)
    for row in range(rows):
        for column in range(columns):
            if mask[row, column]:
                nearest = along[row, column] ** 2
                step = 1
                while step * step < nearest:
                    left = along[row, column - step] if column >= step else 0
                    right = along[row, column + step] if column + step < columns else 0
                    nearest = min(nearest, step * step + min(left, right) ** 2)
                    step += 1
                depth[row, column] += np.sqrt(nearest)
