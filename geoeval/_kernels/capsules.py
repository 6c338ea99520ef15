"""The part of a segment that lies near another one: what CCQ measures and where OPT-P may walk.

All points within a radius of a segment form a capsule: a rectangle with a half disc at each end. It is convex,
so the part of another segment inside it is one interval.
"""

from math import hypot, sqrt

from geoeval._kernels.compiling import inner, kernel


@kernel
def capsule_interval(
    ax: float, ay: float, bx: float, by: float, px: float, py: float, qx: float, qy: float, radius: float
) -> tuple[float, float]:
    """Share interval ``(lo, hi)`` of the segment a-b inside the capsule of ``radius`` around the segment p-q.

    0 is a and 1 is b; ``lo > hi`` if nothing is inside. The border belongs to the capsule; callers that need an
    inclusive threshold in spite of rounding add some slack to ``radius``. Either segment may be a point. O(1).
    """
    vx, vy = qx - px, qy - py
    length = hypot(vx, vy)
    lo, hi = _disc_interval(ax, ay, bx, by, px, py, radius)
    if length == 0.0:
        return lo, hi
    low, high = _disc_interval(ax, ay, bx, by, qx, qy, radius)
    if low <= high:
        lo, hi = min(lo, low), max(hi, high)

    # The rectangle in coordinates along and across p-q. Each pair of its sides bounds the share linearly.
    vx, vy = vx / length, vy / length
    dx, dy = bx - ax, by - ay
    rx, ry = ax - px, ay - py
    low, high = _band(0.0, 1.0, rx * vx + ry * vy, dx * vx + dy * vy, 0.0, length)
    low, high = _band(low, high, ry * vx - rx * vy, dy * vx - dx * vy, -radius, radius)
    if low <= high:
        lo, hi = min(lo, low), max(hi, high)
    return lo, hi


@inner
def _disc_interval(
    ax: float, ay: float, bx: float, by: float, cx: float, cy: float, radius: float
) -> tuple[float, float]:
    """Share interval of a-b inside a disc; if empty ``(2, -1)``, which loses against any other."""
    dx, dy = bx - ax, by - ay
    fx, fy = cx - ax, cy - ay
    length = hypot(dx, dy)
    if length == 0.0:
        return (0.0, 1.0) if hypot(fx, fy) <= radius else (2.0, -1.0)
    # From the foot of the centre and half the chord: no difference of large squares.
    across = abs(fx * dy - fy * dx) / length
    if across > radius:
        return 2.0, -1.0
    foot = (fx * dx + fy * dy) / length
    half = sqrt((radius - across) * (radius + across))
    lo, hi = max(0.0, (foot - half) / length), min(1.0, (foot + half) / length)
    return (lo, hi) if lo <= hi else (2.0, -1.0)


@inner
def _band(lo: float, hi: float, start: float, change: float, low: float, high: float) -> tuple[float, float]:
    """The part of ``lo..hi`` where ``start + share * change`` is between ``low`` and ``high``."""
    if change == 0.0:
        return (lo, hi) if low <= start <= high else (2.0, -1.0)
    first, last = (low - start) / change, (high - start) / change
    return max(lo, min(first, last)), min(hi, max(first, last))
