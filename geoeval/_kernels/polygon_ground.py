"""Areas of what polygons have in common, or alone, straight from their corners: no intersection is drawn.

A polygon is the sum of the ground below its sides, each side counting up or down by its direction. So the common area
of two polygons is a sum over pairs of sides, of the ground below both: the integral of the lower one of two straight
lines, which has a closed form. Nothing is decided on the way, so nothing can be decided wrongly where sides touch,
coincide or nearly do; the sum is as continuous as the area is. O(n m) for n and m sides.

What a polygon has alone, where several others may overlap it and each other, is measured strip by strip: between all
ends and crossings of sides the sides lie in one order, from which it is known what covers what.

Polygons are given as in ``geoeval.model.rings``. Coordinates are taken from a corner of the polygon itself: those of a
country would round more than the result may be off.
"""

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Bools, Floats, Ints

# What a side is: its left end, its right end, its slope, and whether ground below it counts as inside or outside.
_SIDE = 6


@kernel
def common_areas(
    xy: Floats, begin: Ints, first: Ints, sense: Floats, rows: Ints,
    other_xy: Floats, other_begin: Ints, other_first: Ints, other_sense: Floats, partners: Ints,
) -> Floats:  # fmt: skip
    """Area that each polygon of ``rows`` shares with its partner."""
    areas = np.zeros(len(rows))
    sides = np.empty((_most_sides(begin, first, rows), _SIDE))
    others = np.empty((_most_sides(other_begin, other_first, partners), _SIDE))
    for pair in range(len(rows)):
        i, j = rows[pair], partners[pair]
        if first[i] == first[i + 1]:
            continue
        ox, oy = xy[begin[first[i]], 0], xy[begin[first[i]], 1]
        n = _gather_sides(xy, begin, first, sense, i, ox, oy, sides, 0)
        m = _gather_sides(other_xy, other_begin, other_first, other_sense, j, ox, oy, others, 0)
        base = min(_lowest_end(sides, n), _lowest_end(others, m))
        total = 0.0
        for a in range(n):
            left, right, slope, sign = sides[a, 0], sides[a, 2], sides[a, 4], sides[a, 5]
            for b in range(m):
                low, high = max(left, others[b, 0]), min(right, others[b, 2])
                if low < high:
                    f = sides[a, 1] - base + slope * (low - left)
                    g = others[b, 1] - base + others[b, 4] * (low - others[b, 0])
                    width = high - low
                    total += sign * others[b, 5] * _below_both(f, f + slope * width, g, g + others[b, 4] * width, width)
        areas[pair] = max(total, 0.0)
    return areas


@inner
def _below_both(f: float, f_end: float, g: float, g_end: float, width: float) -> float:
    """Integral of the lower one of two straight lines with these heights at both ends."""
    before, after = f - g, f_end - g_end
    if before * after >= 0:
        return width * (min(f, g) + min(f_end, g_end)) / 2
    share = before / (before - after)
    crossing = f + share * (f_end - f)
    return width * (share * min(f, g) + (1 - share) * min(f_end, g_end) + crossing) / 2


@inner
def _most_sides(begin: Ints, first: Ints, rows: Ints) -> int:
    most = 1
    for i in rows:
        most = max(most, begin[first[i + 1]] - begin[first[i]])
    return most


@inner
def _gather_sides(
    xy: Floats, begin: Ints, first: Ints, sense: Floats, i: int, ox: float, oy: float, sides: Floats, count: int
) -> int:
    """Put the sides of a polygon that are not upright behind those that are there; returns how many there are then."""
    for ring in range(first[i], first[i + 1]):
        for k in range(begin[ring], begin[ring + 1] - 1):
            x, y, x_end, y_end = xy[k, 0] - ox, xy[k, 1] - oy, xy[k + 1, 0] - ox, xy[k + 1, 1] - oy
            if x == x_end:
                continue
            # With the inside on the left, ground below a side that runs left is inside.
            sign = sense[ring]
            if x < x_end:
                sign = -sign
            else:
                x, y, x_end, y_end = x_end, y_end, x, y
            sides[count, 0], sides[count, 1], sides[count, 2], sides[count, 3] = x, y, x_end, y_end
            sides[count, 4], sides[count, 5] = (y_end - y) / (x_end - x), sign
            count += 1
    return count


@inner
def _lowest_end(sides: Floats, count: int) -> float:
    lowest = np.inf
    for k in range(count):
        lowest = min(lowest, sides[k, 1], sides[k, 3])
    return lowest


# ---------------------------------------------------------------------- what a polygon has alone


@kernel
def lone_areas(xy: Floats, begin: Ints, first: Ints, sense: Floats, rows: Ints, near_start: Ints, near: Ints) -> Floats:
    """Area of each polygon of ``rows`` that none of those near it covers: ``near[near_start[k]:near_start[k + 1]]``."""
    areas = np.zeros(len(rows))
    for place in range(len(rows)):
        i, others = rows[place], near[near_start[place] : near_start[place + 1]]
        most = _most_sides(begin, first, rows[place : place + 1])
        for j in others:
            most += begin[first[j + 1]] - begin[first[j]]
        sides, owner = np.empty((most, _SIDE)), np.zeros(most, np.int64)
        ox, oy = xy[begin[first[i]], 0], xy[begin[first[i]], 1]
        own = _gather_sides(xy, begin, first, sense, i, ox, oy, sides, 0)
        count = own
        for number in range(len(others)):
            before = count
            count = _gather_sides(xy, begin, first, sense, others[number], ox, oy, sides, count)
            owner[before:count] = number + 1
        cuts = _cuts(sides, own, count)
        inside = np.zeros(len(others) + 1, np.bool_)
        height, above = np.empty(count), np.empty(count, np.int64)
        for c in range(len(cuts) - 1):
            width = cuts[c + 1] - cuts[c]
            if width > 0:
                middle = cuts[c] + width / 2
                areas[place] += width * _lone_height(middle, sides, owner, count, inside, height, above)
    return areas


@inner
def _cuts(sides: Floats, own: int, count: int) -> Floats:
    """Where strips begin and end: all ends and crossings of sides between the ends of the first ``own`` ones."""
    low, high = np.inf, -np.inf
    for a in range(own):
        low, high = min(low, sides[a, 0]), max(high, sides[a, 2])
    cuts = [low, high]
    for a in range(count):
        cuts.append(min(max(sides[a, 0], low), high))
        cuts.append(min(max(sides[a, 2], low), high))
        for b in range(a):
            left, right = max(sides[a, 0], sides[b, 0]), min(sides[a, 2], sides[b, 2])
            if left < right:
                before = _height(sides, a, left) - _height(sides, b, left)
                after = _height(sides, a, right) - _height(sides, b, right)
                if before * after < 0:
                    x = left + before / (before - after) * (right - left)
                    cuts.append(min(max(x, low), high))
    return np.sort(np.array(cuts))


@inner
def _height(sides: Floats, a: int, x: float) -> float:
    return sides[a, 1] + sides[a, 4] * (x - sides[a, 0])


@inner
def _lone_height(x: float, sides: Floats, owner: Ints, count: int, inside: Bools, height: Floats, above: Ints) -> float:
    """How much of the line at x is in the polygon 0 and in no other."""
    crossed = 0
    for k in range(count):
        if sides[k, 0] < x < sides[k, 2]:
            y = _height(sides, k, x)
            place = crossed
            while place > 0 and height[place - 1] > y:
                height[place], above[place] = height[place - 1], above[place - 1]
                place -= 1
            height[place], above[place] = y, owner[k]
            crossed += 1
    inside[:] = False
    covering, lone = 0, 0.0
    for k in range(crossed):
        number = above[k]
        inside[number] = not inside[number]
        if number > 0:
            covering += 1 if inside[number] else -1
        if inside[0] and covering == 0 and k + 1 < crossed:
            lone += height[k + 1] - height[k]
    return lone
