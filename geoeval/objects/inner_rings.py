"""Objects without the ground near their outline: what is left of a polygon that shrinks by a width on all sides.

A convex polygon shrinks to the ground on the inner side of all its sides, moved inwards: exactly, by cutting it along
one after the other. Any other is buffered inwards, with arcs of eight chords a quarter.
"""

import numpy as np
import shapely

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.object_map import ObjectMap
from geoeval.model.outlines import Outlines
from geoeval.model.rings import Rings, rings_of

_CHORDS = 8
# Polygons with more corners are not cut side by side: that is O(n^2).
_MOST_CORNERS = 64


def inner_rings(objects: ObjectMap, rows: Ints, width: float) -> tuple[Rings, Ints]:
    """The shrunken polygons of the rows, and which of them belongs to each row; some are empty."""
    outlines = objects.outlines
    convex = _convex(outlines)[rows] & (np.diff(objects.rings.first)[rows] == 1)
    xy, size = _shrunken(outlines.xy, outlines.start, rows[convex], width)
    some = np.flatnonzero(size)
    begin = np.concatenate([[0], np.cumsum(size[some])])
    first = np.concatenate([[0], np.cumsum(size > 0)])
    cut = Rings(xy, begin, first, np.ones(len(some)), np.ones(len(some), dtype=bool))
    drawn = rings_of(shapely.buffer(objects.polygons[rows[~convex]], -width, quad_segs=_CHORDS))
    number = np.where(convex, np.cumsum(convex), int(convex.sum()) + np.cumsum(~convex)) - 1
    return cut.joined(drawn), number


@kernel
def _convex_outlines(xy: Floats, following: Ints, before: Ints, start: Ints) -> Bools:
    convex = np.zeros(len(start) - 1, np.bool_)
    for i in range(len(convex)):
        convex[i] = start[i + 1] - start[i] <= _MOST_CORNERS
        for k in range(start[i], start[i + 1]):
            ax, ay = xy[k, 0] - xy[before[k], 0], xy[k, 1] - xy[before[k], 1]
            bx, by = xy[following[k], 0] - xy[k, 0], xy[following[k], 1] - xy[k, 1]
            convex[i] = convex[i] and ax * by - ay * bx > 0
    return convex


def _convex(outlines: Outlines) -> Bools:
    """Which outlines turn left at all corners, and have few."""
    return _convex_outlines(outlines.xy, outlines.following, outlines.before, outlines.start)


@kernel
def _shrunken(xy: Floats, start: Ints, rows: Ints, width: float) -> tuple[Floats, Ints]:
    """Vertices of the shrunken polygons, closed, and how many each has; 0 where nothing is left."""
    total = 0
    for i in rows:
        total += 2 * (start[i + 1] - start[i]) + 1
    out, size = np.empty((total, 2)), np.zeros(len(rows), np.int64)
    one, two = np.empty((2 * _MOST_CORNERS, 2)), np.empty((2 * _MOST_CORNERS, 2))
    used = 0
    for place in range(len(rows)):
        low, high = start[rows[place]], start[rows[place] + 1]
        ox, oy = xy[low, 0], xy[low, 1]
        count = high - low
        for k in range(count):
            one[k, 0], one[k, 1] = xy[low + k, 0] - ox, xy[low + k, 1] - oy
        for k in range(low, high):
            n = k + 1 if k + 1 < high else low
            dx, dy = xy[n, 0] - xy[k, 0], xy[n, 1] - xy[k, 1]
            length = np.hypot(dx, dy)
            # How far left of the side a place is: what is left is at least a width.
            nx, ny = -dy / length, dx / length
            limit = nx * (xy[k, 0] - ox) + ny * (xy[k, 1] - oy) + width
            count = _cut(one, count, nx, ny, limit, two)
            one, two = two, one
        if count >= 3:
            for k in range(count + 1):
                out[used, 0], out[used, 1] = one[k % count, 0] + ox, one[k % count, 1] + oy
                used += 1
            size[place] = count + 1
    return out[:used], size


@inner
def _cut(polygon: Floats, count: int, nx: float, ny: float, limit: float, out: Floats) -> int:
    """The vertices of what is left of a convex polygon on one side of a line; returns how many."""
    made = 0
    for k in range(count):
        n = k + 1 if k + 1 < count else 0
        here = nx * polygon[k, 0] + ny * polygon[k, 1] - limit
        there = nx * polygon[n, 0] + ny * polygon[n, 1] - limit
        if here >= 0:
            out[made, 0], out[made, 1] = polygon[k, 0], polygon[k, 1]
            made += 1
        if (here >= 0) != (there >= 0):
            share = here / (here - there)
            out[made, 0] = polygon[k, 0] + share * (polygon[n, 0] - polygon[k, 0])
            out[made, 1] = polygon[k, 1] + share * (polygon[n, 1] - polygon[k, 1])
            made += 1
    return made
