"""Outlines of polygons as arrays: the corners of all rings, for everything that is measured along them.

A corner is a vertex at which the outline turns: vertices on a straight side, repeated ones and the closing one of a
ring are left out, so that the way a straight line was drawn changes nothing. Rings around an object run
counterclockwise, rings around its holes clockwise: the object is always on the left.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects

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


def outlines_of(polygons: Objects) -> Outlines:
    """The outlines of polygons, in their order; a polygon without corners has none. O(vertices)."""
    parts, part_owner = shapely.get_parts(polygons, return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    closing = np.append(ring[1:] != ring[:-1], True) if len(ring) else np.zeros(0, dtype=bool)
    xy, ring = xy[~closing], ring[~closing]
    xy, ring = _kept(xy, ring, _moves(xy, ring))
    xy, ring = _kept(xy, ring, _turns(xy, ring))
    is_shell = np.append(True, ring_part[1:] != ring_part[:-1])[: len(ring_part)]
    wrong = (_signed_areas(xy, ring, len(rings)) > 0) != is_shell
    xy = _reversed(xy, ring, wrong)
    before, following = _neighbours(ring)
    owner = part_owner[ring_part[ring]]
    start = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(polygons)))])
    return Outlines(np.ascontiguousarray(xy), following, before, start.astype(np.int64))


def _neighbours(ring: Ints) -> tuple[Ints, Ints]:
    """Numbers of the vertices before and after each on its ring."""
    number = np.arange(len(ring))
    if len(ring) == 0:
        return number, number
    begins = np.flatnonzero(np.append(True, ring[1:] != ring[:-1]))
    ends = np.append(begins[1:], len(ring)) - 1
    before, following = number - 1, number + 1
    before[begins], following[ends] = ends, begins
    return before, following


def _kept(xy: Floats, ring: Ints, chosen: Floats) -> tuple[Floats, Ints]:
    return xy[chosen], ring[chosen]


def _moves(xy: Floats, ring: Ints) -> Floats:
    """Whether each vertex lies elsewhere than the one before it."""
    before, _ = _neighbours(ring)
    return (xy != xy[before]).any(axis=1)


def _turns(xy: Floats, ring: Ints) -> Floats:
    """Whether each vertex lies beside the line between its neighbours."""
    before, following = _neighbours(ring)
    chord, own = xy[following] - xy[before], xy - xy[before]
    length = np.hypot(chord[:, 0], chord[:, 1])
    beside = np.abs(chord[:, 0] * own[:, 1] - chord[:, 1] * own[:, 0])
    along = (chord * own).sum(axis=1)
    return ~((beside <= _STRAIGHT * length) & (along >= 0) & (along <= length**2))


def _signed_areas(xy: Floats, ring: Ints, count: int) -> Floats:
    """Area of each ring, negative where it runs clockwise."""
    _, following = _neighbours(ring)
    # Around a vertex of the ring itself: coordinates of millions of metres would round.
    first = np.searchsorted(ring, np.arange(count))
    local = xy - xy[np.minimum(first, len(xy) - 1)][ring] if len(xy) else xy
    cross = local[:, 0] * local[following, 1] - local[:, 1] * local[following, 0]
    return np.bincount(ring, weights=cross, minlength=count) / 2


def _reversed(xy: Floats, ring: Ints, wrong: Floats) -> Floats:
    """The vertices with some rings the other way round."""
    if not wrong.any():
        return xy
    first, last = (np.searchsorted(ring, np.arange(len(wrong)), side=side) for side in ("left", "right"))
    number = np.arange(len(ring))
    return xy[np.where(wrong[ring], first[ring] + last[ring] - 1 - number, number)]
