"""Courses of drawn lines: straight and circular pieces that follow each other.

A course is an array ``(n, 7)`` with one row per piece: ``x0 y0 x1 y1 cx cy sweep``. The piece runs from ``(x0, y0)``
to ``(x1, y1)``. With ``sweep`` 0 it is straight; otherwise it is part of the circle around ``(cx, cy)`` and turns by
``sweep`` radians, counterclockwise if positive. A whole circle is one piece that ends where it begins.
"""

from collections.abc import Sequence
from math import atan, cos, pi, sin

import numpy as np
from numpy.typing import ArrayLike

from geoeval.arrays import Floats, Ints

# Maps show circular pieces with a vertex every 3 degrees; scores use the circle itself.
STEP = pi / 60


def bar(start: Sequence[float], end: Sequence[float]) -> Floats:
    """One straight piece."""
    return np.array([[start[0], start[1], end[0], end[1], 0.0, 0.0, 0.0]])


def arc(centre: Sequence[float], radius: float, start: float = 0.0, sweep: float = 2 * pi) -> Floats:
    """Part of a circle that starts at the angle ``start`` and turns by ``sweep`` radians; by default a whole circle."""
    sweep = min(max(sweep, -2 * pi), 2 * pi)
    ends = [centre[0] + radius * cos(start), centre[1] + radius * sin(start)]
    whole = abs(sweep) >= 2 * pi
    ends += ends if whole else [centre[0] + radius * cos(start + sweep), centre[1] + radius * sin(start + sweep)]
    return np.array([[*ends, centre[0], centre[1], sweep]])


def polyline(points: ArrayLike, *, bulges: Sequence[float] | None = None, closed: bool = False) -> Floats:
    """Straight pieces between points, or circular ones where a bulge is not 0.

    Bulges are those of DXF: the tangent of a quarter of the angle by which the piece turns. Pieces without length are
    left out.
    """
    xy = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    if closed and len(xy):
        xy = np.vstack([xy, xy[:1]])
    if bulges is None:
        straight = np.column_stack([xy[:-1], xy[1:], np.zeros((max(len(xy) - 1, 0), 3))])
        return straight[(xy[:-1] != xy[1:]).any(axis=1)]
    bends = list(bulges)
    rows = [_bulged(xy[i], xy[i + 1], bends[i]) for i in range(len(xy) - 1) if (xy[i] != xy[i + 1]).any()]
    return np.array(rows, dtype=np.float64).reshape(-1, 7)


def backwards(course: Floats) -> Floats:
    """The same course in the opposite direction."""
    return (course[::-1, [2, 3, 0, 1, 4, 5, 6]] * np.array([1.0] * 6 + [-1.0])) + 0.0


def part(course: Floats, begin: float, end: float) -> Floats:
    """The part of a course between two distances along it. O(pieces)."""
    lengths = piece_lengths(course)
    start = np.cumsum(lengths) - lengths
    low, high = np.clip((begin - start) / lengths, 0, 1), np.clip((end - start) / lengths, 0, 1)
    inside = high - low > 1e-9
    own, low, high = course[inside].copy(), low[inside], high[inside]
    places = [_place(own, share) for share in (low, high)]
    own[:, 0:2], own[:, 2:4] = places
    own[:, 6] *= high - low
    return own


def piece_lengths(pieces: Floats) -> Floats:
    """Length of each piece."""
    straight = np.hypot(pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1])
    radius = np.hypot(pieces[:, 0] - pieces[:, 4], pieces[:, 1] - pieces[:, 5])
    return np.where(pieces[:, 6] == 0.0, straight, radius * np.abs(pieces[:, 6]))


def sagittas(pieces: Floats, step: float = STEP) -> Floats:
    """The largest distance between each piece and its chords; 0 for straight pieces."""
    radius = np.hypot(pieces[:, 0] - pieces[:, 4], pieces[:, 1] - pieces[:, 5])
    return np.where(pieces[:, 6] == 0.0, 0.0, radius * (1 - cos(step / 2)))


def chords(pieces: Floats, step: float = STEP) -> tuple[Floats, Ints]:
    """Straight lines ``(m, 4)`` along the pieces, every ``step`` radians of a circle, and the piece of each. O(m)."""
    count = np.maximum(np.ceil(np.abs(pieces[:, 6]) / step - 1e-9), 1).astype(np.int64)
    owner = np.repeat(np.arange(len(pieces)), count)
    order = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    own = pieces[owner]
    ends = []
    for place in (order, order + 1):
        share = place / count[owner]
        angle = np.arctan2(own[:, 1] - own[:, 5], own[:, 0] - own[:, 4]) + share * own[:, 6]
        radius = np.hypot(own[:, 0] - own[:, 4], own[:, 1] - own[:, 5])
        xy = own[:, 4:6] + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        # The ends themselves are kept to the last digit, so that lines that meet still meet.
        xy = np.where((place == 0)[:, None], own[:, 0:2], xy)
        ends.append(np.where((place == count[owner])[:, None], own[:, 2:4], xy))
    return np.hstack(ends), owner


def _place(pieces: Floats, share: Floats) -> Floats:
    """The point after this share of each piece; exact at its ends."""
    column, turn = share[:, None], share * pieces[:, 6]
    straight = pieces[:, 0:2] + column * (pieces[:, 2:4] - pieces[:, 0:2])
    x, y = (pieces[:, 0:2] - pieces[:, 4:6]).T
    turned = np.column_stack([np.cos(turn) * x - np.sin(turn) * y, np.sin(turn) * x + np.cos(turn) * y])
    xy = np.where(pieces[:, 6:] == 0, straight, pieces[:, 4:6] + turned)
    return np.where(column == 0, pieces[:, 0:2], np.where(column == 1, pieces[:, 2:4], xy))


def _bulged(start: Floats, end: Floats, bulge: float) -> list[float]:
    (x0, y0), (x1, y1) = start.tolist(), end.tolist()
    if bulge == 0.0:
        return [x0, y0, x1, y1, 0.0, 0.0, 0.0]
    # The centre lies on the perpendicular bisector, (1 - bulge²) / (4 bulge) chords to the left.
    lean = (1 - bulge * bulge) / (4 * bulge)
    cx, cy = (x0 + x1) / 2 - lean * (y1 - y0), (y0 + y1) / 2 + lean * (x1 - x0)
    return [x0, y0, x1, y1, cx, cy, 4 * atan(bulge)]
