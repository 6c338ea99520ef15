"""What is left of a network while paths are matched to it: pieces of segments, and what is near a step.

A piece is a part of a segment; the pieces of a segment form a linked list, which starts as the whole segment.
Pieces join at a node when both reach it: a junction holds as long as roads that are left meet there.
The capsule of a step is all that lies within a radius of the straight line from one point of a path to the next.
"""

from math import floor, inf
from typing import Any, NamedTuple

import numpy as np
import shapely
from numba import njit
from numpy.typing import NDArray

from geoeval.model.network import RoadNetwork
from geoeval.roads.capsules import capsule_interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Metres: what is too short to be a piece, and how near a segment is to a path that it lies on.
SLIVER = 1e-6
ON_PATH = 1e-3
# Of a metre that a path and its target share.
OWN_WEIGHT = 1e-6


class Target(NamedTuple):
    """The pieces left, an index of segments by square cells, and room to work in.

    ``inside``, ``span``, ``node_at`` and ``distance`` belong to the capsule looked at last. Few arrays with
    several columns, because every array makes every function that takes a target slower to compile.
    """

    course: Floats  # (segments, 5): ax, ay, bx, by, length
    ends: Ints  # (segments, 2): nodes
    own: Ints  # path that lies exactly on the segment, or -1
    frame: Floats  # x and y of the corner of the cells, their size, number of columns
    cells: Ints  # (crossings, 2): row * columns + column, and a segment that crosses this cell; sorted
    counts: Ints  # pieces ever made, pieces left, last stamp
    heads: Ints  # (segments, 2): first piece left or -1, stamp of the last capsule that it was looked at for
    chain: Ints  # (pieces, 2): next piece of the same segment or -1, row in ``inside``
    bounds: Floats  # (pieces, 2): metres along the segment
    inside: Ints  # (pieces, 3): segment, piece, parent in the forest of components
    span: Floats  # (pieces, 2): metres along the segment where it enters and leaves the capsule
    node_at: Ints  # (nodes, 3): stamp, a row of ``inside`` that reaches it, the row on the shortest way to it
    distance: Floats  # metres of the shortest way to each node


def make_target(network: RoadNetwork, max_distance: float, own: Ints | None = None) -> Target:
    """The whole network, for capsules of about this radius.

    ``own`` is the path that lies exactly on each segment, or -1, as ``twins`` tells; none by default.

    O(m log m) in the segments and the cells that they cross.
    """
    course = np.column_stack([network.nodes[network.segments].reshape(-1, 4), network.segment_lengths])
    cells, frame = _cells(course, 2.0 * max_distance)
    m, n = len(course), len(network.nodes)
    target = Target(
        course=course,
        ends=network.segments.copy(),
        own=np.full(m, -1) if own is None else own,
        frame=frame,
        cells=cells,
        counts=np.array([m, m, 0]),
        heads=np.column_stack([np.arange(m), np.zeros(m, dtype=np.int64)]),
        chain=np.full((m, 2), -1),
        bounds=np.column_stack([np.zeros(m), network.segment_lengths]),
        inside=np.empty((0, 3), dtype=np.int64),
        span=np.empty((0, 2)),
        node_at=np.zeros((n, 3), dtype=np.int64),
        distance=np.empty(n),
    )
    return with_room(target, m + m // 2 + 64)


def twins(network: RoadNetwork, source: RoadNetwork) -> Ints:
    """For each segment of a network the segment of another one under its middle, if it lies on that road, else -1.

    Of several roads one above the other, the one whose segment has the most similar ends. O(m log m).
    """
    ends = network.nodes[network.segments]
    road_of = source.roads.road_of
    segment, twin = _pairs(ends.mean(axis=1), source)
    for share in (0.0, 0.25, 0.75, 1.0):  # most networks share nothing, so that few segments are looked at again
        again = np.unique(segment)
        point, other = _pairs(ends[again, 0] + share * (ends[again, 1] - ends[again, 0]), source)
        there = again[point] * len(source.segments) + road_of[other]
        keep = np.isin(segment * len(source.segments) + road_of[twin], there)
        segment, twin = segment[keep], twin[keep]
    # Ends are in order of coordinates in both, so that first compares with first.
    apart = np.abs(ends[segment] - source.nodes[source.segments[twin]]).sum(axis=(1, 2))
    order = np.lexsort([twin, apart, segment])[::-1]
    below = np.full(len(ends), -1)
    below[segment[order]] = twin[order]
    return below


def _pairs(places: Floats, source: RoadNetwork) -> tuple[Ints, Ints]:
    pairs = source.tree.query(shapely.points(places), predicate="dwithin", distance=ON_PATH)
    return pairs[0].astype(np.int64), pairs[1].astype(np.int64)


def with_room(target: Target, pieces: int) -> Target:
    """The same target with arrays for this many pieces."""
    growing = ("chain", "bounds", "inside", "span")
    return target._replace(**{name: longer(getattr(target, name), pieces) for name in growing})


def longer(array: Any, rows: int) -> Any:
    """A copy of an array with more rows."""
    more = np.zeros((rows, *array.shape[1:]), dtype=array.dtype)
    more[: len(array)] = array
    return more


def _cells(course: Floats, size: float) -> tuple[Ints, Floats]:
    """The cells that each segment crosses, row by row and not all of the box around it, which may be large."""
    corner = np.minimum(course[:, :2], course[:, 2:4]).min(axis=0, initial=np.inf) if len(course) else np.zeros(2)
    a, b = (course[:, :2] - corner) / size, (course[:, 2:4] - corner) / size
    columns = int(max(a[:, 0].max(initial=0.0), b[:, 0].max(initial=0.0))) + 1
    up = (a[:, 1] <= b[:, 1])[:, None]
    a, b = np.where(up, a, b), np.where(up, b, a)
    low = a[:, 1].astype(np.int64)
    rows = b[:, 1].astype(np.int64) - low + 1
    segment = np.repeat(np.arange(len(course)), rows)
    row = low[segment] + _count_up(rows)
    rise = (b - a)[:, 1]
    slope = np.divide((b - a)[:, 0], rise, out=np.zeros(len(rise)), where=rise > 0)[segment]
    x, y = a[segment].T
    enters = np.where(row > y, x + (row - y) * slope, x)
    leaves = np.where(row + 1 < b[segment, 1], x + (row + 1 - y) * slope, b[segment, 0])
    left = np.maximum(np.minimum(enters, leaves) - SLIVER, 0).astype(np.int64)
    right = np.minimum(np.maximum(enters, leaves) + SLIVER, columns - 1).astype(np.int64)
    width = np.maximum(right - left + 1, 1)
    cell = np.repeat(row * columns + left, width) + _count_up(width)
    order = np.argsort(cell, kind="stable")
    cells = np.column_stack([cell, np.repeat(segment, width)])[order]
    return np.ascontiguousarray(cells), np.array([*corner, size, columns])


def _count_up(sizes: Ints) -> Ints:
    """0, 1, ... size - 1 for each size."""
    return np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)


@njit(cache=True)
def clip(target: Target, px: float, py: float, qx: float, qy: float, radius: float) -> int:
    """Put the pieces inside the capsule of the step p-q into ``target.inside``, joined; returns how many."""
    cells, course, bounds, inside, span = target.cells, target.course, target.bounds, target.inside, target.span
    heads, chain, ends, node_at, frame = target.heads, target.chain, target.ends, target.node_at, target.frame
    stamp = target.counts[2] + 1
    target.counts[2] = stamp
    size, columns = frame[2], int(frame[3])
    left = max(floor((min(px, qx) - radius - frame[0]) / size), 0)
    right = min(floor((max(px, qx) + radius - frame[0]) / size), columns - 1)
    row = floor((min(py, qy) - radius - frame[1]) / size)
    top = floor((max(py, qy) + radius - frame[1]) / size)
    found = 0
    while row <= top:
        first, last = row * columns + left, row * columns + right
        row += 1
        at, beyond = 0, len(cells)
        while at < beyond:
            middle = (at + beyond) >> 1
            if cells[middle, 0] < first:
                at = middle + 1
            else:
                beyond = middle
        while at < len(cells) and cells[at, 0] <= last:
            s = cells[at, 1]
            at += 1
            piece = heads[s, 0]
            if piece < 0 or heads[s, 1] == stamp:
                continue
            heads[s, 1] = stamp
            lo, hi = capsule_interval(course[s, 0], course[s, 1], course[s, 2], course[s, 3], px, py, qx, qy, radius)
            length = course[s, 4]
            while piece >= 0:
                a, b = max(lo * length, bounds[piece, 0]), min(hi * length, bounds[piece, 1])
                if a <= b:
                    inside[found, 0] = s
                    inside[found, 1] = piece
                    inside[found, 2] = found
                    span[found, 0] = a
                    span[found, 1] = b
                    chain[piece, 1] = found
                    for side in range(2):
                        if (a == 0.0 and side == 0) or (b == length and side == 1):
                            node = ends[s, side]
                            if node_at[node, 0] == stamp:
                                inside[root(inside, inside[found, 2]), 2] = root(inside, node_at[node, 1])
                            else:
                                node_at[node, 0] = stamp
                                node_at[node, 1] = found
                                target.distance[node] = inf
                    found += 1
                piece = chain[piece, 0]
    return found


@njit(cache=True)
def root(inside: Ints, row: int) -> int:
    """The row that stands for the component of a piece."""
    while inside[row, 2] != row:
        inside[row, 2] = inside[inside[row, 2], 2]
        row = inside[row, 2]
    return row


@njit(cache=True)
def route(
    target: Target,
    found: int,
    first: int,
    a: float,
    last: int,
    b: float,
    path: int,
    used: int,
    ways: Ints,
    spans: Floats,
) -> int:
    """The shortest way inside the capsule from ``a`` metres along the piece in row ``first`` to ``b`` on ``last``.

    Segments on which the path itself runs count nearly nothing: a network compared with itself must lose exactly
    what the path uses, not a short cut that a later path needs. Adds the segments and the metres along them
    between which the way runs to those ``used`` already; returns how many there are then. The rows must be
    joined and different.
    """
    inside, span, node_at, distance = target.inside, target.span, target.node_at, target.distance
    course, ends = target.course, target.ends
    s = inside[first, 0]
    weight = OWN_WEIGHT if target.own[s] == path else 1.0
    if span[first, 0] == 0.0:
        distance[ends[s, 0]] = a * weight
        node_at[ends[s, 0], 2] = first
    if span[first, 1] == course[s, 4]:
        distance[ends[s, 1]] = (course[s, 4] - a) * weight
        node_at[ends[s, 1], 2] = first
    # Bellman and Ford: a capsule holds few pieces.
    changed = True
    while changed:
        changed = False
        for turn in range(2 * found):
            row, side = turn >> 1, turn & 1
            s = inside[row, 0]
            if span[row, 0] == 0.0 and span[row, 1] == course[s, 4]:
                v = ends[s, 1 - side]
                weight = OWN_WEIGHT if target.own[s] == path else 1.0
                reach = distance[ends[s, side]] + course[s, 4] * weight
                if reach < distance[v]:
                    distance[v] = reach
                    node_at[v, 2] = row
                    changed = True

    s = inside[last, 0]
    weight = OWN_WEIGHT if target.own[s] == path else 1.0
    side = 1
    if span[last, 0] == 0.0:
        by_end = distance[ends[s, 1]] + (course[s, 4] - b) * weight
        if span[last, 1] < course[s, 4] or distance[ends[s, 0]] + b * weight <= by_end:
            side = 0
    ways[used] = s
    spans[used, side] = side * course[s, 4]
    spans[used, 1 - side] = b
    row = last
    while row != first:
        used += 1
        node = ends[s, side]
        row = node_at[node, 2]
        s = inside[row, 0]
        side = 0 if ends[s, 1] == node else 1
        ways[used] = s
        spans[used, 0] = 0.0
        spans[used, 1] = course[s, 4]
    spans[used, side] = a
    return used + 1


@njit(cache=True)
def remove(target: Target, segment: int, lo: float, hi: float) -> None:
    """Take the part between ``lo`` and ``hi`` metres of a segment away. Makes at most one new piece."""
    chain, bounds, counts = target.chain, target.bounds, target.counts
    before, piece = -1, target.heads[segment, 0]
    while piece >= 0 and hi - lo >= SLIVER:
        following = chain[piece, 0]
        a, b = bounds[piece, 0], bounds[piece, 1]
        from_begin, to_end = lo < a + SLIVER, hi > b - SLIVER
        if from_begin and to_end:
            counts[1] -= 1
            if before < 0:
                target.heads[segment, 0] = following
            else:
                chain[before, 0] = following
        else:
            before = piece
            if from_begin:
                bounds[piece, 0] = max(a, hi)
            elif to_end:
                bounds[piece, 1] = min(b, lo)
            else:
                before = counts[0]
                counts[0] += 1
                counts[1] += 1
                bounds[before, 0] = hi
                bounds[before, 1] = b
                bounds[piece, 1] = lo
                chain[before, 0] = following
                chain[piece, 0] = before
        piece = following
