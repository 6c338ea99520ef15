"""Segments in a tree of boxes, for compiled loops: which segments are near, and how near is the nearest.

The segments are sorted along a Z-shaped curve, so that neighbours on the map are neighbours in memory; four of them
make a leaf, and every node of the binary tree above has the box of what is below it. Node 1 is the root and node i
has the children 2i and 2i + 1. Built in O(m log m); memory O(m).
"""

from dataclasses import dataclass
from math import hypot

import numpy as np
from numpy.typing import NDArray

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints

LEAF = 4


@dataclass(frozen=True)
class BoxTree:
    """Segments ``(m, 4)`` in tree order as ``ax, ay, bx, by``, and the boxes ``minx, miny, maxx, maxy`` above them.

    ``order`` says which of the given segments each one is. Queries for the segments of another tree are fastest in
    their tree order, because neighbours need the same nodes.
    """

    segments: Floats
    boxes: Floats
    order: Ints


def box_tree(segments: Floats) -> BoxTree:
    """The tree of these segments ``(m, 4)``; without segments, a tree in which nothing is near."""
    leaves = 1 << max(0, -(-len(segments) // LEAF) - 1).bit_length()
    boxes = np.empty((2 * leaves, 4))
    boxes[:, :2], boxes[:, 2:] = np.inf, -np.inf
    if len(segments) == 0:
        return BoxTree(np.zeros((0, 4)), boxes, np.zeros(0, dtype=np.int64))
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    low, size = middle.min(axis=0), max(float(np.ptp(middle, axis=0).max()), 1e-300)
    cell = np.minimum((middle - low) / size * 65536, 65535).astype(np.uint64)
    order = np.argsort(_spread(cell[:, 0]) | (_spread(cell[:, 1]) << np.uint64(1)), kind="stable")
    ordered = segments[order]

    first = np.arange(0, len(ordered), LEAF)
    used = slice(leaves, leaves + len(first))
    boxes[used, :2] = np.minimum.reduceat(np.minimum(ordered[:, :2], ordered[:, 2:]), first)
    boxes[used, 2:] = np.maximum.reduceat(np.maximum(ordered[:, :2], ordered[:, 2:]), first)
    while leaves > 1:
        below = boxes[leaves : 2 * leaves]
        leaves //= 2
        boxes[leaves : 2 * leaves, :2] = np.minimum(below[::2, :2], below[1::2, :2])
        boxes[leaves : 2 * leaves, 2:] = np.maximum(below[::2, 2:], below[1::2, 2:])
    return BoxTree(np.ascontiguousarray(ordered), boxes, order.astype(np.int64))


def _spread(cell: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The low 16 bits, with a zero between each two."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        cell = (cell | (cell << np.uint64(shift))) & np.uint64(mask)
    return cell


@inner
def box_distance(boxes: Floats, node: int, minx: float, miny: float, maxx: float, maxy: float) -> float:
    """Distance between a box of the tree and another box (or a point, as a box without size)."""
    dx = max(boxes[node, 0] - maxx, minx - boxes[node, 2], 0.0)
    dy = max(boxes[node, 1] - maxy, miny - boxes[node, 3], 0.0)
    return hypot(dx, dy)


@inner
def point_distance(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Distance of a point to a segment."""
    dx, dy = bx - ax, by - ay
    share = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
    share = min(1.0, max(0.0, share))
    return hypot(x - ax - share * dx, y - ay - share * dy)


@kernel
def nearest_distance(segments: Floats, boxes: Floats, x: float, y: float, stack: Ints) -> float:
    """Distance of a point to the nearest segment of the tree; infinite if there is none.

    ``stack`` is working memory for 128 numbers.
    """
    leaves = len(boxes) // 2
    stack[0] = 1
    size = 1
    best = np.inf
    while size > 0:
        size -= 1
        node = stack[size]
        if box_distance(boxes, node, x, y, x, y) >= best:
            continue
        if node >= leaves:
            for s in range((node - leaves) * LEAF, min((node - leaves + 1) * LEAF, len(segments))):
                best = min(best, point_distance(x, y, segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3]))
            continue
        near, far = 2 * node, 2 * node + 1
        if box_distance(boxes, far, x, y, x, y) < box_distance(boxes, near, x, y, x, y):
            near, far = far, near
        stack[size], stack[size + 1] = far, near  # the nearer one comes first
        size += 2
    return best


def nearest_segments(points: Floats, tree: BoxTree, *, max_distance: float) -> tuple[Ints, Floats]:
    """For each point ``(n, 2)`` the place in the tree of the nearest segment and its distance; -1 and infinite if far.

    O(n log m) for segments of even density.
    """
    found, distance = np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf)
    points = np.ascontiguousarray(points, dtype=np.float64)
    _nearest_segments(points, tree.segments, tree.boxes, max_distance, found, distance, np.empty(128, dtype=np.int64))
    return found, distance


@kernel
def _nearest_segments(
    points: Floats, segments: Floats, boxes: Floats, limit: float, found: Ints, distance: Floats, stack: Ints
) -> None:
    leaves = len(boxes) // 2
    for i in range(len(points)):
        x, y = points[i, 0], points[i, 1]
        best, which = limit, -1
        stack[0] = 1
        size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            gap = box_distance(boxes, node, x, y, x, y)
            if gap > best or (gap == best and which >= 0):
                continue
            if node >= leaves:
                for s in range((node - leaves) * LEAF, min((node - leaves + 1) * LEAF, len(segments))):
                    own = point_distance(x, y, segments[s, 0], segments[s, 1], segments[s, 2], segments[s, 3])
                    if own < best or (own == best and which < 0):
                        best, which = own, s
                continue
            near, far = 2 * node, 2 * node + 1
            if box_distance(boxes, far, x, y, x, y) < box_distance(boxes, near, x, y, x, y):
                near, far = far, near
            stack[size], stack[size + 1] = far, near
            size += 2
        if which >= 0:
            found[i], distance[i] = which, best
