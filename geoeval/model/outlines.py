"""Outlines of polygons as arrays: the corners of all rings, for everything that is measured along them.

A corner is a vertex at which the outline turns: vertices on a straight side, repeated ones and the closing one of a
ring are left out, so that the way a straight line was drawn changes nothing. Rings around an object run
counterclockwise, rings around its holes clockwise: the object is always on the left.
"""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.rings import Rings, rings_of

# A vertex nearer than this to the line between its neighbours, in metres, lies on a straight side.
_STRAIGHT = 1e-6


@dataclass(frozen=True)
class Outlines:
    """Corners of the rings of objects.

    Attributes
    ----------
    xy
        Corners ``(k, 2)``, ring after ring and object after object.
    following, before
        The number of the next and of the last corner on the same ring.
    start
        Where the corners of each object begin, and one more number, where the last end.
    """

    xy: Floats
    following: Ints
    before: Ints
    start: Ints

    @property
    def owner(self) -> Ints:
        """The object of each corner."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def corners(self) -> Ints:
        """Number of corners of each object."""
        return np.diff(self.start)

    def turns(self) -> Floats:
        """Angle by which the outline turns at each corner, in degrees from -180 to 180; to the left is positive."""
        arriving = self.xy - self.xy[self.before]
        leaving = self.xy[self.following] - self.xy
        cross = arriving[:, 0] * leaving[:, 1] - arriving[:, 1] * leaving[:, 0]
        return np.degrees(np.arctan2(cross, (arriving * leaving).sum(axis=1)))

    def joined(self, other: "Outlines") -> "Outlines":
        """These outlines and then the others."""
        count = len(self.xy)
        return Outlines(
            np.concatenate([self.xy, other.xy]),
            np.concatenate([self.following, other.following + count]),
            np.concatenate([self.before, other.before + count]),
            np.concatenate([self.start, other.start[1:] + count]),
        )


def outlines_of(polygons: Objects | Rings) -> Outlines:
    """The outlines of polygons, in their order; a polygon without corners has none. O(vertices)."""
    rings = polygons if isinstance(polygons, Rings) else rings_of(polygons)
    corner = _corners(rings.xy, rings.begin)
    before = np.concatenate([[0], np.cumsum(corner)])[rings.begin]  # how many corners come before each ring
    xy = _drawn_left(rings.xy[corner], before, rings.sense)
    number = np.arange(len(xy))
    previous, following = number - 1, number + 1
    real = np.flatnonzero(np.diff(before))
    previous[before[real]], following[before[real + 1] - 1] = before[real + 1] - 1, before[real]
    return Outlines(xy, following, previous, before[rings.first])


@kernel
def _corners(xy: Floats, begin: Ints) -> Bools:
    """Which vertices are corners."""
    corner = np.zeros(len(xy), np.bool_)
    moved = np.empty(len(xy), np.int64)
    for ring in range(len(begin) - 1):
        low, high = begin[ring], begin[ring + 1] - 1
        count, before = 0, high - 1
        for k in range(low, high):
            if xy[k, 0] != xy[before, 0] or xy[k, 1] != xy[before, 1]:
                moved[count] = k
                count += 1
            before = k
        for place in range(count):
            k, before, after = moved[place], moved[place - 1 if place else count - 1], moved[(place + 1) % count]
            along_x, along_y = xy[after, 0] - xy[before, 0], xy[after, 1] - xy[before, 1]
            own_x, own_y = xy[k, 0] - xy[before, 0], xy[k, 1] - xy[before, 1]
            length = np.hypot(along_x, along_y)
            beside = abs(along_x * own_y - along_y * own_x)
            along = along_x * own_x + along_y * own_y
            corner[k] = not (beside <= _STRAIGHT * length and 0 <= along <= length**2)
    return corner


@kernel
def _drawn_left(xy: Floats, begin: Ints, sense: Floats) -> Floats:
    """The corners with those rings the other way round that were drawn with the polygon on their right."""
    out = xy.copy()
    for ring in range(len(begin) - 1):
        if sense[ring] < 0:
            out[begin[ring] : begin[ring + 1]] = xy[begin[ring] : begin[ring + 1]][::-1]
    return out
