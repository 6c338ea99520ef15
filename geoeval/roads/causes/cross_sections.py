"""What lies beside a road: the lines of both networks that a cut across it meets, and what they make of it.

A cut across the road at a place meets lines that run in about the same direction. Say the place is on the network
*own* and the nearest line of the *other* network on the cut is *r*.

- ``ALONE``: there is no such line near enough. The road is missing, or spurious.
- ``DISPLACED``: no line of the own network is nearer to *r* than this one. It is the same road, beside its place.
- ``ONE_OF_TWO``: *r* lies between this line and another line of the own network that has no other counterpart. Two
  lines are drawn for one.
- ``ONE_FOR_TWO``: the other way: lines of the other network on both sides, for this one alone.
- ``COPY``: another line of the own network, close by, stands for *r* already.
"""

from dataclasses import dataclass
from math import cos, radians

import numpy as np

from geoeval._kernels.boxes import LEAF, BoxTree, box_distance, nearest_distance
from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints

ALONE, DISPLACED, ONE_OF_TWO, ONE_FOR_TWO, COPY = range(5)

# Lines that differ more in direction are not the same road.
_PARALLEL = cos(radians(35.0))
# Of the width between two lines, how far from each of them a line at least is that lies between them.
_BETWEEN = 0.2
# Nearer than this, in metres, a line of the own network is the road itself.
_ITSELF = 0.5
# Lines of a network that one cut can meet; more are a heap, not roads.
_MOST = 24


@dataclass(frozen=True)
class CrossSections:
    """By place: what it is, and the counterpart.

    Attributes
    ----------
    label
        See above.
    distance, segment
        Of the counterpart: how far away on the cut, and its segment; infinite and -1 where there is none.
    rival
        The segment of the own network that is nearest to the counterpart, -1 where it is this road itself.
    gap
        Distance to the other network, whatever its direction.
    """

    label: Ints
    distance: Floats
    segment: Ints
    rival: Ints
    gap: Floats


def cross_sections(
    xy: Floats, direction: Floats, own: BoxTree, other: BoxTree, *, near: float, wide: float, close: float
) -> CrossSections:
    """Look across the road at each place.

    Parameters
    ----------
    xy, direction
        Places on the own network, and unit vectors along it.
    own, other
        The segments of both networks.
    near
        How far away, in metres, the same road may be drawn.
    wide
        How far apart the two lines of a divided road may be.
    close
        How far apart a road and its copy may be.

    Notes
    -----
    O(n log m) for n places and m segments.
    """
    count = len(xy)
    found = CrossSections(
        np.zeros(count, dtype=np.int64), np.full(count, np.inf), np.full(count, -1), np.full(count, -1),
        np.full(count, np.inf),
    )  # fmt: skip
    stack = np.empty(128, dtype=np.int64)
    _look(
        np.ascontiguousarray(xy), np.ascontiguousarray(direction), own.segments, own.boxes, other.segments,
        other.boxes, near, wide, close, found.label, found.distance, found.segment, found.rival,
        found.gap, stack,
    )  # fmt: skip
    for segment, tree in ((found.segment, other), (found.rival, own)):
        met = segment >= 0
        segment[met] = tree.order[segment[met]]
    return found


@kernel
def _look(
    xy: Floats, direction: Floats, own: Floats, own_boxes: Floats, other: Floats, other_boxes: Floats, near: float,
    wide: float, close: float, label: Ints, distance: Floats, segment: Ints, rival: Ints,
    gap: Floats, stack: Ints,
) -> None:  # fmt: skip
    mine, theirs = np.empty(_MOST), np.empty(_MOST)
    mine_of, theirs_of = np.empty(_MOST, dtype=np.int64), np.empty(_MOST, dtype=np.int64)
    for i in range(len(xy)):
        x, y, ux, uy = xy[i, 0], xy[i, 1], direction[i, 0], direction[i, 1]
        gap[i] = nearest_distance(other, other_boxes, x, y, stack)
        if gap[i] > near:
            continue
        others = _met(other, other_boxes, x, y, ux, uy, wide, theirs, theirs_of, stack)
        first = -1
        for k in range(others):
            if abs(theirs[k]) <= near and (first < 0 or abs(theirs[k]) < abs(theirs[first])):
                first = k
        if first < 0:
            continue
        owns = _met(own, own_boxes, x, y, ux, uy, wide, mine, mine_of, stack)
        count = 0
        for k in range(owns):
            if abs(mine[k]) > _ITSELF:
                mine[count], mine_of[count] = mine[k], mine_of[k]
                count += 1
        label[i], chosen, beside = _judge(mine, count, theirs, others, first, near, wide, close)
        rival[i] = mine_of[beside] if beside >= 0 else -1
        distance[i], segment[i] = abs(theirs[chosen]), theirs_of[chosen]


@inner
def _judge(
    mine: Floats, owns: int, theirs: Floats, others: int, first: int, near: float, wide: float, close: float
) -> tuple[int, int, int]:
    """What the line at offset 0 is, beside lines of its own and of the other network; its counterpart; its rival."""
    r = theirs[first]
    rival = -1  # the line of the own network that is nearest to r
    for k in range(owns):
        if rival < 0 or abs(mine[k] - r) < abs(mine[rival] - r):
            rival = k
    if rival >= 0 and abs(mine[rival] - r) < abs(r):
        # r belongs to another line. Is there one that is left for this line?
        for k in range(others):
            if abs(theirs[k]) <= near and abs(theirs[k] - r) > _ITSELF and _is_mine(mine, owns, theirs[k]):
                return DISPLACED, k, -1
        width = abs(mine[rival])
        if width <= wide and _lies_between(r, mine[rival]) and _is_alone(mine[rival], theirs, others, r):
            return ONE_OF_TWO, first, rival
        return (COPY if width <= close else ALONE), first, rival
    for k in range(owns):
        if abs(mine[k]) <= wide and _lies_between(r, mine[k]) and _is_alone(mine[k], theirs, others, r):
            return ONE_OF_TWO, first, k
    for k in range(others):
        width = theirs[k] - r
        is_beyond = theirs[k] * r < 0.0 and abs(theirs[k]) <= near and abs(width) <= wide
        if is_beyond and _lies_between(-r, width) and _is_mine(mine, owns, theirs[k]):
            return ONE_FOR_TWO, first, -1
    return DISPLACED, first, -1


@inner
def _is_mine(mine: Floats, owns: int, offset: float) -> bool:
    """Whether no other line of the own network is as near to a line as the one at offset 0."""
    return not (np.abs(mine[:owns] - offset) <= abs(offset)).any()


@inner
def _is_alone(line: float, theirs: Floats, others: int, r: float) -> bool:
    """Whether r is the nearest line of the other network to this one."""
    there = theirs[:others]
    return not ((np.abs(there - r) > _ITSELF) & (np.abs(there - line) < abs(r - line))).any()


@inner
def _lies_between(r: float, line: float) -> bool:
    """Whether r lies between 0 and a line, clearly away from both."""
    return _BETWEEN <= r / line <= 1.0 - _BETWEEN


@inner
def _met(
    segments: Floats, boxes: Floats, x: float, y: float, ux: float, uy: float, wide: float, offsets: Floats,
    which: Ints, stack: Ints,
) -> int:  # fmt: skip
    """The lines along (ux, uy) that a cut across (x, y) meets: offsets to the left, and segments; how many."""
    leaves = len(boxes) // 2
    minx, maxx = x - wide * abs(uy), x + wide * abs(uy)
    miny, maxy = y - wide * abs(ux), y + wide * abs(ux)
    found = 0
    stack[0] = size = 1
    while size > 0:
        size -= 1
        node = stack[size]
        if box_distance(boxes, node, minx, miny, maxx, maxy) > 0.0:
            continue
        if node < leaves:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node
            size += 2
            continue
        for s in range((node - leaves) * LEAF, min((node - leaves + 1) * LEAF, len(segments))):
            ax, ay = segments[s, 0] - x, segments[s, 1] - y
            bx, by = segments[s, 2] - x, segments[s, 3] - y
            along_a, along_b = ax * ux + ay * uy, bx * ux + by * uy
            if along_a * along_b > 0.0 or along_a == along_b:
                continue
            dx, dy = bx - ax, by - ay
            if abs(dx * ux + dy * uy) < _PARALLEL * np.hypot(dx, dy):
                continue
            share = along_a / (along_a - along_b)
            offset = (ay + share * dy) * ux - (ax + share * dx) * uy
            if abs(offset) <= wide and found < _MOST:
                offsets[found], which[found] = offset, s
                found += 1
    return found
