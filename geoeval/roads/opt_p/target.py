"""What is left of a network while paths are matched to it: pieces of segments, and which of them are near a step.

A piece is a part of a segment; the pieces of a segment form a linked list, which starts as the whole segment.
Pieces join at a node if both reach it: a junction lasts as long as roads that are left meet there.
The capsule of a step is all that lies within a radius of the straight line from one point of a path to the next.
"""

from math import floor, inf
from typing import Any, NamedTuple

import numpy as np

from geoeval._kernels.capsules import capsule_interval
from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork

# Metres: anything shorter is not a piece.
SLIVER = 1e-6
# What a metre costs on which the path itself runs.
OWN_WEIGHT = 1e-6


# Columns of the arrays below.
NODE, OWN, HEAD, STAMP = 0, 2, 3, 4
NEXT, ROW, SEGMENT, PIECE, PARENT = range(5)
BEGIN, END, LOW, HIGH = range(4)


class Target(NamedTuple):
    """The pieces left, an index of segments by square cells, and working memory.

    ``pieces`` and ``metres`` are two tables in one: their first two columns belong to the piece of that number, the
    others to a piece inside the latest capsule. (Every further array would make every function that takes a target
    slower to compile.)
    """

    course: Floats  # (segments, 5): ax, ay, bx, by, length
    segments: Ints  # two nodes; path exactly on it or -1; first piece left or -1; latest capsule that checked it
    frame: Floats  # x and y of the corner of the cells, their size, number of columns
    cells: Ints  # (crossings, 2): row * columns + column, and a segment that crosses this cell; sorted
    counts: Ints  # pieces ever made, pieces left, capsules so far
    pieces: Ints  # next piece of its segment or -1, row inside; of a row: segment, piece, parent in its component
    metres: Floats  # along the segment: begin and end of a piece; of a row: where it enters and leaves the capsule
    nodes: Ints  # capsule, a row that reaches the node, the row on the shortest way to it
    distance: Floats  # metres of the shortest way to each node


def make_target(network: RoadNetwork, max_distance: float, own: Ints | None = None) -> Target:
    """The whole network, for capsules of about this radius.

    ``own`` is the path that lies exactly on each segment, or -1, as found by ``twins``; none by default. O(m log m) in
    the segments and the cells that they cross.
    """
    course = np.column_stack([network.nodes[network.segments].reshape(-1, 4), network.segment_lengths])
    cells, frame = _cells(course, 2.0 * max_distance)
    m, n = len(course), len(network.nodes)
    own = np.full(m, -1) if own is None else own
    target = Target(
        course=course,
        segments=np.column_stack([network.segments, own, np.arange(m), np.zeros(m, dtype=np.int64)]),
        frame=frame,
        cells=cells,
        counts=np.array([m, m, 0]),
        pieces=np.full((m, 5), -1),
        metres=np.column_stack([np.zeros(m), network.segment_lengths, np.zeros((m, 2))]),
        nodes=np.zeros((n, 3), dtype=np.int64),
        distance=np.empty(n),
    )
    return with_capacity(target, m + m // 2 + 64)


def with_capacity(target: Target, pieces: int) -> Target:
    """The same target with arrays for this many pieces."""
    return target._replace(pieces=longer(target.pieces, pieces), metres=longer(target.metres, pieces))


def longer(array: Any, rows: int) -> Any:
    """A copy of an array with more rows."""
    more = np.zeros((rows, *array.shape[1:]), dtype=array.dtype)
    more[: len(array)] = array
    return more


def _cells(course: Floats, size: float) -> tuple[Ints, Floats]:
    """The cells that each segment crosses, row by row: the box around it may have many more."""
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


@kernel
def clip(target: Target, px: float, py: float, qx: float, qy: float, radius: float) -> int:
    """Make rows of the pieces inside the capsule of the step p-q, and join those that touch; returns how many."""
    course, segments, frame, cells = target.course, target.segments, target.frame, target.cells
    pieces, metres, nodes = target.pieces, target.metres, target.nodes
    stamp = target.counts[2] + 1
    target.counts[2] = stamp
    size, columns = frame[2], int(frame[3])
    left = max(floor((min(px, qx) - radius - frame[0]) / size), 0)
    right = min(floor((max(px, qx) + radius - frame[0]) / size), columns - 1)
    line = floor((min(py, qy) - radius - frame[1]) / size)
    top = floor((max(py, qy) + radius - frame[1]) / size)
    found = 0
    while line <= top:
        at, beyond = 0, len(cells)
        while at < beyond:
            middle = (at + beyond) >> 1
            if cells[middle, 0] < line * columns + left:
                at = middle + 1
            else:
                beyond = middle
        while at < len(cells) and cells[at, 0] <= line * columns + right:
            s = cells[at, 1]
            at += 1
            piece = segments[s, HEAD]
            if piece < 0 or segments[s, STAMP] == stamp:
                continue
            segments[s, STAMP] = stamp
            lo, hi = capsule_interval(course[s, 0], course[s, 1], course[s, 2], course[s, 3], px, py, qx, qy, radius)
            length = course[s, 4]
            while piece >= 0:
                a, b = max(lo * length, metres[piece, BEGIN]), min(hi * length, metres[piece, END])
                if a <= b:
                    pieces[piece, ROW] = found
                    pieces[found, SEGMENT] = s
                    pieces[found, PIECE] = piece
                    pieces[found, PARENT] = found
                    metres[found, LOW] = a
                    metres[found, HIGH] = b
                    for side in range(2):
                        if (a == 0.0 and side == 0) or (b == length and side == 1):
                            node = segments[s, NODE + side]
                            if nodes[node, 0] == stamp:
                                # Not plain ``found``, a literal type for which numba would compile once more.
                                pieces[root(pieces, pieces[piece, ROW]), PARENT] = root(pieces, nodes[node, 1])
                            else:
                                nodes[node, 0] = stamp
                                nodes[node, 1] = found
                                target.distance[node] = inf
                    found += 1
                piece = pieces[piece, NEXT]
        line += 1
    return found


@inner
def root(pieces: Ints, row: int) -> int:
    """The row that stands for the component of a row."""
    while pieces[row, PARENT] != row:
        pieces[row, PARENT] = pieces[pieces[row, PARENT], PARENT]
        row = pieces[row, PARENT]
    return row


@inner
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
    """The shortest way inside the capsule from ``a`` metres along the segment of row ``first`` to ``b`` on ``last``.

    Segments on which the path itself runs cost almost nothing: a network compared with itself must lose exactly
    what the path uses, not a short cut that a later path needs. Appends the segments, and the metres along them
    between which the way runs, to the ``used`` ones; returns how many there are then. The rows must be joined.
    """
    course, segments, nodes, distance = target.course, target.segments, target.nodes, target.distance
    pieces, metres = target.pieces, target.metres
    s = pieces[first, SEGMENT]
    if first == last:
        ways[used] = s
        spans[used, 0] = min(a, b)
        spans[used, 1] = max(a, b)
        return used + 1
    for side in range(2):
        if metres[first, LOW + side] == side * course[s, 4]:
            node = segments[s, NODE + side]
            distance[node] = abs(side * course[s, 4] - a) * (OWN_WEIGHT if segments[s, OWN] == path else 1.0)
            nodes[node, 2] = first
    # Bellman and Ford: a capsule holds few pieces.
    changed = True
    while changed:
        changed = False
        for turn in range(2 * found):
            row, side = turn >> 1, turn & 1
            s = pieces[row, SEGMENT]
            if metres[row, LOW] == 0.0 and metres[row, HIGH] == course[s, 4]:
                node = segments[s, NODE + 1 - side]
                reach = course[s, 4] * (OWN_WEIGHT if segments[s, OWN] == path else 1.0)
                reach += distance[segments[s, NODE + side]]
                if reach < distance[node]:
                    distance[node] = reach
                    nodes[node, 2] = row
                    changed = True

    s = pieces[last, SEGMENT]
    best, side = inf, 0
    for end in range(2):
        if metres[last, LOW + end] == end * course[s, 4]:
            reach = abs(end * course[s, 4] - b) * (OWN_WEIGHT if segments[s, OWN] == path else 1.0)
            reach += distance[segments[s, NODE + end]]
            if reach < best:
                best, side = reach, end
    ways[used] = s
    spans[used, side] = side * course[s, 4]
    spans[used, 1 - side] = b
    row = last
    while row != first:
        used += 1
        node = segments[s, NODE + side]
        row = nodes[node, 2]
        s = pieces[row, SEGMENT]
        side = 0 if segments[s, NODE + 1] == node else 1
        ways[used] = s
        spans[used, 0] = 0.0
        spans[used, 1] = course[s, 4]
    spans[used, side] = a
    return used + 1


@kernel
def remove(target: Target, segment: int, lo: float, hi: float) -> None:
    """Remove the part of a segment between ``lo`` and ``hi`` metres. Makes at most one new piece."""
    pieces, metres, counts = target.pieces, target.metres, target.counts
    before, piece = -1, target.segments[segment, HEAD]
    while piece >= 0 and hi - lo >= SLIVER:
        following = pieces[piece, NEXT]
        from_begin, to_end = lo < metres[piece, BEGIN] + SLIVER, hi > metres[piece, END] - SLIVER
        if from_begin and to_end:
            counts[1] -= 1
            if before < 0:
                target.segments[segment, HEAD] = following
            else:
                pieces[before, NEXT] = following
        else:
            before = piece
            if from_begin:
                metres[piece, BEGIN] = max(metres[piece, BEGIN], hi)
            elif to_end:
                metres[piece, END] = min(metres[piece, END], lo)
            else:
                before = counts[0]
                counts[0] += 1
                counts[1] += 1
                metres[before, BEGIN] = hi
                metres[before, END] = metres[piece, END]
                metres[piece, END] = lo
                pieces[before, NEXT] = following
                pieces[piece, NEXT] = before
        piece = following
