"""Contraction of a network to roads: polylines between nodes where roads end or meet."""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Roads:
    """Roads of a network as arrays, sorted by geometry, each from its smaller end node to its larger one.

    Attributes
    ----------
    ends
        First and last node, ``(r, 2)``. They are equal for a loop; for a ring without junctions both are its smallest
        node.
    closed
        Whether the road is a ring without junctions, so that its ends are not features.
    length
        Length in metres.
    node_start
        The nodes of road i are ``path[node_start[i]:node_start[i + 1]]``; its segments, in that order, are
        ``path_segment[node_start[i] - i:node_start[i + 1] - i - 1]``.
    path, path_segment
        See above.
    road_of, offset_of, reversed_of
        For each segment, its road, the metres along the road at which it begins, and whether the road runs in the
        opposite direction.
    """

    ends: Ints
    closed: Bools
    length: Floats
    node_start: Ints
    path: Ints
    path_segment: Ints
    road_of: Ints
    offset_of: Floats
    reversed_of: Bools

    def __len__(self) -> int:
        return len(self.length)

    def nodes_of(self, road: int) -> Ints:
        """Node numbers along a road."""
        return self.path[self.node_start[road] : self.node_start[road + 1]]

    def segments_of(self, road: int) -> Ints:
        """Segment numbers along a road."""
        return self.path_segment[self.node_start[road] - road : self.node_start[road + 1] - road - 1]

    def along(self, segment: Ints, offset: Floats, lengths: Floats) -> tuple[Ints, Floats]:
        """Road and metres along it for places given as segment and metres along the segment."""
        backward = self.reversed_of[segment]
        return self.road_of[segment], self.offset_of[segment] + np.where(backward, lengths[segment] - offset, offset)

    def locate(self, road: Ints, metres: Floats, lengths: Floats) -> tuple[Ints, Floats]:
        """The inverse of ``along``: segment and metres along the segment."""
        road = np.asarray(road, dtype=np.int64)
        first = self.node_start[road] - road
        # Offsets grow within a road; adding the roads' lengths before makes one sorted array of them all.
        before = np.concatenate([[0.0], np.cumsum(self.length)])
        start = before[self.road_of[self.path_segment]] + self.offset_of[self.path_segment]
        position = np.searchsorted(start, before[road] + metres, side="right") - 1
        last = self.node_start[road + 1] - road - 2
        segment = self.path_segment[np.clip(position, first, last)]
        inside = np.clip(metres - self.offset_of[segment], 0.0, lengths[segment])
        return segment, np.where(self.reversed_of[segment], lengths[segment] - inside, inside)


def contract(
    nodes: Floats, segments: Ints, lengths: Floats, degrees: Ints, adjacency: tuple[Ints, Ints, Ints]
) -> Roads:
    """Contract chains of degree-2 nodes. O(n + m) and one sort of the roads.

    Roads are sorted by their ends, and those with the same ends by the direction in which they leave the first; a loop
    starts in its smaller direction, or runs counter-clockwise where both are one. ``degrees`` may count segments that
    are not given: a chain stops at any node whose degree is not 2.
    """
    if len(segments) == 0:
        none, empty = np.zeros(0, dtype=np.int64), np.zeros(0)
        no = np.zeros(0, dtype=bool)
        return Roads(none.reshape(0, 2), no, empty, np.zeros(1, dtype=np.int64), none, none, none, empty, no)
    path, path_segment, sizes = _walk(degrees, *adjacency)
    count = len(sizes)
    stops = np.cumsum(sizes)
    starts = stops - sizes
    seg_start = starts - np.arange(count)
    length = np.add.reduceat(lengths[path_segment], seg_start)

    first, last = path[starts], path[stops - 1]
    loop = first == last
    leaves = direction_of(nodes[path[starts + 1]] - nodes[first])
    arrives = direction_of(nodes[path[stops - 2]] - nodes[last])
    backward = np.where(loop, leaves > arrives, first > last)
    for road in np.flatnonzero(loop & (leaves == arrives)).tolist():
        backward[road] = _runs_clockwise(nodes[path[starts[road] : stops[road]]])
    low, high = np.minimum(first, last), np.maximum(first, last)
    order = np.lexsort([length, np.where(backward, arrives, leaves), high, low])

    sizes = sizes[order]
    new_starts = np.concatenate([[0], np.cumsum(sizes)])
    new_path = _rearrange(path, starts[order], sizes, backward[order])
    new_segments = _rearrange(path_segment, seg_start[order], sizes - 1, backward[order])
    road_of = np.empty(len(segments), dtype=np.int64)
    road_of[new_segments] = np.repeat(np.arange(count), sizes - 1)
    ends_before = np.cumsum(lengths[new_segments])
    begins = np.concatenate([[0.0], ends_before[:-1]])
    seg_counts = sizes - 1
    first_segment = np.concatenate([[0], np.cumsum(seg_counts)[:-1]])
    offset_of = np.empty(len(segments))
    offset_of[new_segments] = begins - np.repeat(begins[first_segment], seg_counts)
    reversed_of = np.empty(len(segments), dtype=bool)
    from_node = np.delete(new_path, new_starts[1:] - 1)
    reversed_of[new_segments] = segments[new_segments, 0] != from_node
    return Roads(
        np.column_stack([low, high])[order],
        loop[order] & (degrees[low[order]] == 2),
        length[order],
        new_starts,
        new_path,
        new_segments,
        road_of,
        offset_of,
        reversed_of,
    )


def adjacency_of(segments: Ints, count: int) -> tuple[Ints, Ints, Ints]:
    """``(start, neighbour, segment)`` for ``count`` nodes; node i has ``neighbour[start[i]:start[i + 1]]``."""
    ends = segments.ravel()
    order = np.argsort(ends, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=count))])
    return start, segments[:, ::-1].ravel()[order], order // 2


def direction_of(vectors: Floats) -> Floats:
    """Directions as angles, rounded so that vertices added on a line change nothing."""
    return np.asarray(np.round(np.arctan2(vectors[:, 1], vectors[:, 0]), 6), dtype=np.float64)


def _runs_clockwise(ring: Floats) -> bool:
    x, y = (ring - ring[0]).T
    return bool((x[:-1] * y[1:] - x[1:] * y[:-1]).sum() < 0.0)


def _rearrange(values: Ints, starts: Ints, sizes: Ints, backward: Bools) -> Ints:
    """Pieces of ``values`` one after another, some of them backwards."""
    total = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(total[-1]) - np.repeat(total[:-1], sizes)
    from_end = np.repeat(sizes, sizes) - 1 - within
    return values[np.repeat(starts, sizes) + np.where(np.repeat(backward, sizes), from_end, within)]


@kernel
def _walk(degrees: Ints, start: Ints, neighbour: Ints, segment: Ints) -> tuple[Ints, Ints, Ints]:
    """Follow every chain from its end: nodes, segments, and the number of nodes of each road."""
    count = len(neighbour) // 2
    done = np.zeros(count, dtype=np.bool_)
    path = np.empty(2 * count, dtype=np.int64)
    path_segment = np.empty(count, dtype=np.int64)
    sizes = np.empty(count, dtype=np.int64)
    roads = 0
    used = 0
    taken = 0
    for rings in range(2):  # first the chains that end at features, then the rings that are left
        for node in range(len(degrees)):
            if rings == 0 and degrees[node] == 2:
                continue
            for way in range(start[node], start[node + 1]):
                if done[segment[way]]:
                    continue
                begin = used
                path[used] = node
                used += 1
                at = way
                while True:
                    done[segment[at]] = True
                    path_segment[taken] = segment[at]
                    taken += 1
                    current = neighbour[at]
                    path[used] = current
                    used += 1
                    if current == node or degrees[current] != 2:
                        break
                    at = start[current] if not done[segment[start[current]]] else start[current] + 1
                    if at == start[current + 1] or done[segment[at]]:
                        break
                sizes[roads] = used - begin
                roads += 1
    return path[:used].copy(), path_segment[:taken].copy(), sizes[:roads].copy()
