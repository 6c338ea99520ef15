"""How far points of a drawn line are from another line, exactly, for straight and circular pieces.

Pieces are rows ``x0 y0 x1 y1 cx cy sweep``, see :mod:`geoeval.model.courses`. Places on a line are given by the length
from its beginning.

Written by hand because no library does it: shapely knows no arcs, and its Hausdorff distance looks at vertices and
equally spaced points, not at the farthest point.
"""

from math import atan2, cos, hypot, inf, pi, sin, sqrt

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints

# A stretch that is far longer than the pieces near it is halved, at most this many times.
_DEEPEST = 10
# With at most this many pieces near a stretch its farthest point is computed.
_FEW = 4
_ROUNDING = 1e-12


@kernel
def foot_on_line(pieces: Floats, first: int, last: int, x: float, y: float) -> tuple[float, float]:
    """Distance of a point from the line of pieces ``first`` to ``last``, and the length up to its nearest place."""
    best, way, gone = inf, 0.0, 0.0
    for i in range(first, last):
        distance, share = foot_on_piece(pieces[i], x, y)
        length = _length(pieces[i])
        if distance < best:
            best, way = distance, gone + share * length
        gone += length
    return best, way


@kernel
def farthest(
    pieces: Floats, first: int, last: int, begin: float, end: float, others: Floats, low: int, high: int, limit: float
) -> float:
    """The largest distance of a point of one line, between lengths ``begin`` and ``end``, from the other line.

    This is the directed Hausdorff distance of that part. The search stops once ``limit`` is reached, with a value of at
    least ``limit``. O(pieces of one times pieces of the other) where both have pieces of similar length.
    """
    best, gone = 0.0, 0.0
    for i in range(first, last):
        length = _length(pieces[i])
        lo, hi = max(begin - gone, 0.0) / length, min(end - gone, length) / length
        gone += length
        if hi < lo:
            continue
        best = _farthest_of_piece(pieces[i], length, lo, hi, others, low, high, limit, best)
        if best >= limit:
            return best
    return best


@inner
def _farthest_of_piece(
    piece: Floats,
    length: float,
    begin: float,
    end: float,
    others: Floats,
    low: int,
    high: int,
    limit: float,
    best: float,
) -> float:
    """As ``farthest``, for one piece between two shares of it; at least ``best``."""
    stack = np.empty((_DEEPEST + 2, 2))
    depth = np.zeros(_DEEPEST + 2, dtype=np.int64)
    stack[0, 0], stack[0, 1] = begin, end
    size = 1
    near = np.empty(high - low, dtype=np.int64)
    distances = np.empty(high - low)
    while size > 0:
        size -= 1
        lo, hi, level = stack[size, 0], stack[size, 1], depth[size]
        x, y = _place(piece, 0.5 * (lo + hi))
        half = 0.5 * (hi - lo) * length
        middle = inf
        for j in range(low, high):
            distances[j - low] = foot_on_piece(others[j], x, y)[0]
            middle = min(middle, distances[j - low])
        # Along a piece the distance changes by no more than the length moved.
        if middle + half <= best:
            continue
        count = 0
        for j in range(low, high):
            if distances[j - low] <= middle + 2.0 * half + _ROUNDING:
                near[count] = j
                count += 1
        if count <= _FEW or level >= _DEEPEST:
            best = _solved(piece, lo, hi, others, near[:count], best)
        else:
            best = max(best, middle)
            share = 0.5 * (lo + hi)
            stack[size, 0], stack[size, 1], depth[size] = lo, share, level + 1
            stack[size + 1, 0], stack[size + 1, 1], depth[size + 1] = share, hi, level + 1
            size += 2
        if best >= limit:
            return best
    return best


@inner
def _solved(piece: Floats, lo: float, hi: float, others: Floats, near: Ints, best: float) -> float:
    """The largest distance from a few pieces: between turning points each distance only rises or only falls.

    There the minimum of all is largest where the smallest rising distance meets the smallest falling one.
    """
    turns = np.empty(16 * len(near) + 2)
    turns[0], turns[1] = lo, hi
    count = len(turns[:2])  # not the literal 2, for which numba would compile everything once more
    for j in near:
        count = _turning_points(piece, others[j], turns, count)
    _sort_within(turns, count, lo, hi)
    rises = np.zeros(len(near), dtype=np.bool_)
    for k in range(count - 1):
        left, right = turns[k], turns[k + 1]
        if right <= left and k > 0:
            continue
        most_left, most_right, rising, falling = inf, inf, inf, inf
        for j in range(len(near)):
            at_left = _at(piece, left, others[near[j]])
            at_right = _at(piece, right, others[near[j]])
            rises[j] = at_right >= at_left
            most_left, most_right = min(most_left, at_left), min(most_right, at_right)
            if rises[j]:
                rising = min(rising, at_right)
            else:
                falling = min(falling, at_left)
        best = max(best, most_left, most_right)
        if min(rising, falling) <= best * (1.0 + _ROUNDING):
            continue
        for _ in range(60):
            share = 0.5 * (left + right)
            rising, falling = inf, inf
            for j in range(len(near)):
                distance = _at(piece, share, others[near[j]])
                if rises[j]:
                    rising = min(rising, distance)
                else:
                    falling = min(falling, distance)
            best = max(best, min(rising, falling))
            if rising < falling:
                left = share
            else:
                right = share
    return best


@inner
def _sort_within(values: Floats, count: int, lo: float, hi: float) -> None:
    """Clip the first values to two bounds and sort them; by insertion, which is fast to compile and for few values."""
    for i in range(count):
        value = min(max(values[i], lo), hi)
        k = i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            k -= 1
        values[k] = value


@inner
def _turning_points(piece: Floats, other: Floats, turns: Floats, count: int) -> int:
    """Shares of a piece where its distance from another may turn from rising to falling, or its formula may change."""
    ax, ay, bx, by = other[0], other[1], other[2], other[3]
    count = _towards(piece, ax, ay, turns, count)
    count = _towards(piece, bx, by, turns, count)
    if other[6] == 0.0:
        dx, dy = bx - ax, by - ay
        count = _crossings(piece, ax, ay, dx, dy, turns, count)
        count = _crossings(piece, ax, ay, -dy, dx, turns, count)
        count = _crossings(piece, bx, by, -dy, dx, turns, count)
        if piece[6] != 0.0:  # where the circle runs along the straight piece
            count = _crossings(piece, piece[4], piece[5], -dy, dx, turns, count)
        return count
    cx, cy = other[4], other[5]
    count = _towards(piece, cx, cy, turns, count)
    count = _crossings(piece, cx, cy, ax - cx, ay - cy, turns, count)
    count = _crossings(piece, cx, cy, bx - cx, by - cy, turns, count)
    # Opposite its middle an arc's two ends are equally far.
    angle = atan2(ay - cy, ax - cx) + 0.5 * other[6]
    count = _crossings(piece, cx, cy, cos(angle), sin(angle), turns, count)
    return _on_circle(piece, cx, cy, hypot(ax - cx, ay - cy), turns, count)


@inner
def _towards(piece: Floats, x: float, y: float, turns: Floats, count: int) -> int:
    """The shares nearest to and farthest from a point, of the whole line or circle."""
    if piece[6] == 0.0:
        dx, dy = piece[2] - piece[0], piece[3] - piece[1]
        turns[count] = ((x - piece[0]) * dx + (y - piece[1]) * dy) / (dx * dx + dy * dy)
        return count + 1
    return _crossings(piece, piece[4], piece[5], x - piece[4], y - piece[5], turns, count)


@inner
def _crossings(piece: Floats, px: float, py: float, dx: float, dy: float, turns: Floats, count: int) -> int:
    """Shares where a piece crosses the infinite line through a point."""
    norm = hypot(dx, dy)
    if norm == 0.0:
        return count
    nx, ny = -dy / norm, dx / norm
    if piece[6] == 0.0:
        across = (piece[2] - piece[0]) * nx + (piece[3] - piece[1]) * ny
        if across == 0.0:
            return count
        turns[count] = ((px - piece[0]) * nx + (py - piece[1]) * ny) / across
        return count + 1
    radius = hypot(piece[0] - piece[4], piece[1] - piece[5])
    offset = (px - piece[4]) * nx + (py - piece[5]) * ny
    if abs(offset) > radius:
        return count
    along = sqrt((radius - offset) * (radius + offset))
    base = atan2(ny, nx)
    open_by = atan2(along, offset)
    turns[count] = _share_of_angle(piece, base + open_by)
    turns[count + 1] = _share_of_angle(piece, base - open_by)
    return count + 2


@inner
def _on_circle(piece: Floats, cx: float, cy: float, radius: float, turns: Floats, count: int) -> int:
    """Shares where a piece crosses a circle."""
    if piece[6] != 0.0:
        dx, dy = cx - piece[4], cy - piece[5]
        distance = hypot(dx, dy)
        if distance == 0.0:
            return count
        own = hypot(piece[0] - piece[4], piece[1] - piece[5])
        # The crossings of two circles lie on one line across the line of centres.
        along = (distance * distance + own * own - radius * radius) / (2.0 * distance)
        x, y = piece[4] + along * dx / distance, piece[5] + along * dy / distance
        return _crossings(piece, x, y, -dy, dx, turns, count)
    dx, dy = piece[2] - piece[0], piece[3] - piece[1]
    length = hypot(dx, dy)
    across = ((cx - piece[0]) * dy - (cy - piece[1]) * dx) / length
    if abs(across) > radius:
        return count
    foot = ((cx - piece[0]) * dx + (cy - piece[1]) * dy) / length
    half = sqrt((radius - across) * (radius + across))
    turns[count], turns[count + 1] = (foot - half) / length, (foot + half) / length
    return count + 2


@inner
def _at(piece: Floats, share: float, other: Floats) -> float:
    x, y = _place(piece, share)
    return foot_on_piece(other, x, y)[0]


@inner
def _place(piece: Floats, share: float) -> tuple[float, float]:
    if piece[6] == 0.0:
        return piece[0] + share * (piece[2] - piece[0]), piece[1] + share * (piece[3] - piece[1])
    radius = hypot(piece[0] - piece[4], piece[1] - piece[5])
    angle = atan2(piece[1] - piece[5], piece[0] - piece[4]) + share * piece[6]
    return piece[4] + radius * cos(angle), piece[5] + radius * sin(angle)


@inner
def _length(piece: Floats) -> float:
    if piece[6] == 0.0:
        return hypot(piece[2] - piece[0], piece[3] - piece[1])
    return hypot(piece[0] - piece[4], piece[1] - piece[5]) * abs(piece[6])


@inner
def foot_on_piece(piece: Floats, x: float, y: float) -> tuple[float, float]:
    """Distance of a point from a piece, and where on the piece its nearest place is, as a share."""
    if piece[6] == 0.0:
        dx, dy = piece[2] - piece[0], piece[3] - piece[1]
        share = ((x - piece[0]) * dx + (y - piece[1]) * dy) / (dx * dx + dy * dy)
        share = min(max(share, 0.0), 1.0)
        return hypot(x - piece[0] - share * dx, y - piece[1] - share * dy), share
    share = _share_of_angle(piece, atan2(y - piece[5], x - piece[4]))
    if 0.0 <= share <= 1.0:
        radius = hypot(piece[0] - piece[4], piece[1] - piece[5])
        return abs(hypot(x - piece[4], y - piece[5]) - radius), share
    begin, end = hypot(x - piece[0], y - piece[1]), hypot(x - piece[2], y - piece[3])
    return (begin, 0.0) if begin <= end else (end, 1.0)


@inner
def _share_of_angle(piece: Floats, angle: float) -> float:
    """Share of a circular piece at an angle of its circle; above 1 where the piece does not reach it."""
    turn = angle - atan2(piece[1] - piece[5], piece[0] - piece[4])
    if piece[6] < 0.0:
        turn = -turn
    turn %= 2.0 * pi
    return turn / abs(piece[6])
