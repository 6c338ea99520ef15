"""How far a network is along given lines: the exact mean and maximum, without sampling.

Along a line, the distance to one segment has at most three parts: to its first end, to its inside, to its second end.
Each part is ``hypot(slope * x + start, height)`` of the metres ``x`` along the line. The distance to the network is the
smallest of them all, piece by piece: its integral has a closed form, and its maximum lies at the end of a piece because
every part is convex.
"""

from dataclasses import dataclass
from math import asinh, hypot, sqrt

import numpy as np

from geoeval._kernels.boxes import LEAF, BoxTree, box_distance, nearest_distance, point_distance
from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints

# A line with more segments near it than this is halved, which is faster than comparing them all ...
_MANY = 24
# ... but only so often: many segments may be equally far.
_MOST_HALVINGS = 12


@dataclass(frozen=True)
class Offsets:
    """For each line the integral of the distance along it, the greatest distance, and the metres at which it is."""

    integral: Floats
    greatest: Floats
    at: Floats


def offsets_along(lines: Floats, tree: BoxTree) -> Offsets:
    """Distances to the segments of a tree along straight lines ``(n, 4)``.

    Exact up to rounding. Infinite where the tree is empty. O(n log m) for networks of even density.
    """
    offsets = Offsets(*np.zeros((3, len(lines))))
    # numba compiles faster if it allocates less.
    scratch = (
        np.empty((_MOST_HALVINGS + 2, 3)),
        np.empty(128, dtype=np.int64),
        np.empty(len(tree.segments), dtype=np.int64),
    )
    lines = np.ascontiguousarray(lines, dtype=np.float64)
    _offsets(lines, tree.segments, tree.boxes, offsets.integral, offsets.greatest, offsets.at, *scratch)
    return offsets


@kernel
def _offsets(
    lines: Floats,
    segments: Floats,
    boxes: Floats,
    integral: Floats,
    greatest: Floats,
    at: Floats,
    todo: Floats,
    stack: Ints,
    near: Ints,
) -> None:
    """Fill ``integral``, ``greatest`` and ``at``; the last three arrays are working memory."""
    parts = np.empty((2, 2048, 5))
    for line in range(len(lines)):
        ax, ay, bx, by = lines[line, 0], lines[line, 1], lines[line, 2], lines[line, 3]
        length = hypot(bx - ax, by - ay)
        if len(segments) == 0:
            integral[line] = greatest[line] = np.inf
            continue
        if length == 0.0:
            greatest[line] = nearest_distance(segments, boxes, ax, ay, stack)
            continue
        ux, uy = (bx - ax) / length, (by - ay) / length
        todo[0, 0], todo[0, 1], todo[0, 2] = 0.0, length, 0.0
        size = 1
        while size > 0:
            size -= 1
            begin, end, halvings = todo[size, 0], todo[size, 1], todo[size, 2]
            x, y = ax + ux * (begin + end) / 2, ay + uy * (begin + end) / 2
            # Nothing farther from the middle than this can be nearest anywhere on the line.
            reach = (nearest_distance(segments, boxes, x, y, stack) + end - begin) * (1 + 1e-12)
            found = _within(segments, boxes, x, y, reach, stack, near)
            if found > _MANY and halvings < _MOST_HALVINGS:
                middle = (begin + end) / 2
                for low, high in ((middle, end), (begin, middle)):
                    todo[size, 0], todo[size, 1], todo[size, 2] = low, high, halvings + 1
                    size += 1
                continue
            if parts.shape[1] < 64 * (found + 1):  # far more than the smallest of so many parts can have
                parts = np.empty((2, 64 * (found + 1), 5))
            # To begin with, a constant that is too large everywhere.
            used = _append(parts[0], 0, begin, end, 0.0, 0.0, 2 * reach)
            for k in range(found):
                used = _lower(parts[k % 2], parts[(k + 1) % 2], segments, near[k], ax, ay, ux, uy, begin, end)
            now = parts[found % 2]
            for k in range(used):
                slope, start, height = now[k, 2], now[k, 3], now[k, 4]
                integral[line] += _integral(now[k, 0], now[k, 1], slope, start, height)
                for e in range(2):
                    value = hypot(slope * now[k, e] + start, height)
                    if value > greatest[line]:
                        greatest[line], at[line] = value, now[k, e]


@inner
def _within(segments: Floats, boxes: Floats, x: float, y: float, reach: float, stack: Ints, near: Ints) -> int:
    """List in ``near`` the segments within ``reach`` of a point; returns how many there are."""
    leaves = len(boxes) // 2
    stack[0] = 1
    size, found = 1, 0
    while size > 0:
        size -= 1
        node = stack[size]
        if box_distance(boxes, node, x, y, x, y) > reach:
            continue
        if node < leaves:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node
            size += 2
            continue
        for s in range((node - leaves) * LEAF, min((node - leaves + 1) * LEAF, len(segments))):
            if point_distance(x, y, segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]) <= reach:
                near[found] = s
                found += 1
    return found


@inner
def _lower(
    now: Floats,
    new: Floats,
    segments: Floats,
    segment: int,
    ax: float,
    ay: float,
    ux: float,
    uy: float,
    begin: float,
    end: float,
) -> int:
    """Write into ``new`` the smaller of ``now`` and the distance to one more segment; returns the number of parts."""
    px, py = segments[segment, 0] - ax, segments[segment, 1] - ay
    qx, qy = segments[segment, 2] - ax, segments[segment, 3] - ay
    length = hypot(qx - px, qy - py)
    vx, vy = (qx - px) / length, (qy - py) / length
    if ux * vx + uy * vy < 0.0:  # walk it the other way, so that its first end comes first
        px, py, qx, qy = qx, qy, px, py
        vx, vy = -vx, -vy
    along, change = -(px * vx + py * vy), ux * vx + uy * vy
    if change < 1e-15:
        first = begin if along >= 0.0 else end
        last = end if along <= length else begin
    else:
        first, last = -along / change, (length - along) / change

    count, i, low = 0, 0, begin
    for part in range(3):
        if part == 1:
            stop = min(end, last)
            slope, start, height = uy * vx - ux * vy, px * vy - py * vx, 0.0
        else:
            x, y = (px, py) if part == 0 else (qx, qy)
            stop = min(end, first) if part == 0 else end
            slope, start, height = 1.0, -(x * ux + y * uy), abs(x * uy - y * ux)
        while low < stop:
            high = min(stop, now[i, 1])
            a, b = _equal_at(now[i, 2], now[i, 3], now[i, 4], slope, start, height)
            for cut in range(3):
                edge = high if cut == 2 else min(high, a if cut == 0 else b)
                if edge <= low:
                    continue
                # Compared at two places, because the two may touch in one.
                gain = 0.0
                for share in (0.25, 0.75):
                    x = low + share * (edge - low)
                    gain += hypot(now[i, 2] * x + now[i, 3], now[i, 4]) - hypot(slope * x + start, height)
                if gain > 0.0:
                    s, t, h = slope, start, height
                else:
                    s, t, h = now[i, 2], now[i, 3], now[i, 4]
                count = _append(new, count, low, edge, s, t, h)
                low = edge
            if now[i, 1] <= low:
                i += 1
    return count


@inner
def _append(parts: Floats, count: int, low: float, high: float, slope: float, start: float, height: float) -> int:
    """Add a part, or lengthen the last one if it is the same; returns how many there are."""
    last = count - 1
    if count > 0 and parts[last, 2] == slope and parts[last, 3] == start and parts[last, 4] == height:
        parts[last, 1] = high
        return count
    parts[count, 0], parts[count, 1] = low, high
    parts[count, 2], parts[count, 3], parts[count, 4] = slope, start, height
    return count + 1


@inner
def _equal_at(
    slope: float, start: float, height: float, slope2: float, start2: float, height2: float
) -> tuple[float, float]:
    """Where two parts are equally far, in ascending order; infinite if they never are."""
    a = (slope - slope2) * (slope + slope2)
    half = slope * start - slope2 * start2
    c = (start - start2) * (start + start2) + (height - height2) * (height + height2)
    if a == 0.0:
        return (np.inf, np.inf) if half == 0.0 else (-c / (2 * half), np.inf)
    square = half * half - a * c
    if square < 0.0:
        return np.inf, np.inf
    large = -half - sqrt(square) if half > 0.0 else -half + sqrt(square)
    one = large / a
    two = c / large if large != 0.0 else one
    return min(one, two), max(one, two)


@inner
def _integral(low: float, high: float, slope: float, start: float, height: float) -> float:
    """Integral of ``hypot(slope * x + start, height)``; the height is 0, or the slope 1."""
    a, b = slope * low + start, slope * high + start
    if height > 1e-12:  # below that, its square times a logarithm is negligible
        roots = b * hypot(b, height) - a * hypot(a, height)
        return (roots + height * height * (asinh(b / height) - asinh(a / height))) / 2
    if (a < 0.0) == (b < 0.0) or a == b:
        return (abs(a) + abs(b)) / 2 * (high - low)
    return (a * a + b * b) / (2 * (abs(a) + abs(b))) * (high - low)
