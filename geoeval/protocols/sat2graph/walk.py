"""The walk of TOPO: points every step along all roads within a travel distance, from a place on an edge."""

import numpy as np

from geoeval._kernels.compiling import inner
from geoeval.arrays import Floats, Ints
from geoeval.protocols.sat2graph.degrees import degrees_between

# What the scripts take for infinite: one degree.
_FAR = 1.0
# Directions are normalised as if every tile lay at 40 degrees north, though it lies at 41.
ACROSS = float(np.cos(np.radians(40.0)))


@inner
def walk(
    degrees: Floats, start: Ints, node: Ints, back: Ints, n1: int, n2: int, d1: float, d2: float, step: float,
    r: float, stamp: int, reached: Floats, seen: Ints, covered: Floats, covered_seen: Ints, queue: Ints,
    queue_distance: Floats, points: Floats, where: Ints, table: Ints,
) -> tuple[int, bool]:  # fmt: skip
    """Place points from an edge (n1, n2) at distances d1 and d2 of its ends; gives their number.

    Writes ``points`` (lat, lon and direction), ``where`` (position of the edge in the lists of neighbours), and uses
    the other arrays as scratch, valid where their stamp is this walk's. The last answer is false where an array was
    too small.

    Breadth first with correction, as the scripts do it: a node is looked at again when it is reached by a shorter way;
    an edge remembers how far it was covered from either end, and is not covered twice; the first edge is done before
    all others, and no way leads back through its ends.
    """
    count = 0
    mask = len(table) - 1
    for i in range(len(table)):
        table[i] = -1
    first = 0
    for p in range(start[n1], start[n1 + 1]):
        if node[p] == n2:
            first = p
    # The first edge, from n2 towards n1, n2 itself included.
    length = degrees_between(degrees[n1, 0], degrees[n1, 1], degrees[n2, 0], degrees[n2, 1])
    dlat, dlon = degrees[n2, 0] - degrees[n1, 0], degrees[n2, 1] - degrees[n1, 1]
    share = 0.0
    while share <= 1.0 and length > 0.0:
        lat = degrees[n1, 0] * share + degrees[n2, 0] * (1.0 - share)
        lon = degrees[n1, 1] * share + degrees[n2, 1] * (1.0 - share)
        near1 = d1 - degrees_between(lat, lon, degrees[n1, 0], degrees[n1, 1]) < r
        near2 = d2 - degrees_between(lat, lon, degrees[n2, 0], degrees[n2, 1]) < r
        if near1 or near2:
            if count == len(where):
                return count, False
            count = _place(points, where, table, mask, count, lat, lon, dlat, dlon, first)
        share += step / length
    head, tail = 0, 2
    queue[0, 0], queue[0, 1], queue_distance[0] = n1, -1, d1
    queue[1, 0], queue[1, 1], queue_distance[1] = n2, -1, d2
    while head < tail:
        here, origin, d = queue[head, 0], queue[head, 1], queue_distance[head]
        head += 1
        old = reached[here] if seen[here] == stamp else _FAR
        if (seen[here] == stamp and old <= d) or d > r:
            continue
        reached[here], seen[here] = d, stamp
        for p in range(start[here], start[here + 1]):
            there = node[p]
            if there in (origin, here, n1, n2):
                continue
            length = degrees_between(degrees[here, 0], degrees[here, 1], degrees[there, 0], degrees[there, 1])
            if tail == len(queue):
                return count, False
            queue[tail, 0], queue[tail, 1], queue_distance[tail] = there, here, d + length
            tail += 1
            if old + length < r:
                continue
            done = covered[p] if covered_seen[p] == stamp else 0.0
            met = length - (covered[back[p]] if covered_seen[back[p]] == stamp else 0.0)
            dlat, dlon = degrees[there, 0] - degrees[here, 0], degrees[there, 1] - degrees[here, 1]
            s = step * np.ceil(d / step) - d
            while s < length and d + s <= r:
                if s >= done:
                    if s > met:
                        break
                    share = s / length
                    lat = degrees[here, 0] * (1.0 - share) + degrees[there, 0] * share
                    lon = degrees[here, 1] * (1.0 - share) + degrees[there, 1] * share
                    if count == len(where):
                        return count, False
                    count = _place(points, where, table, mask, count, lat, lon, dlat, dlon, p)
                s += step
            covered[p], covered_seen[p] = s - step, stamp
    for i in range(count):
        points[i, 2], points[i, 3] = _direction(points[i, 2], points[i, 3])
    return count, True


@inner
def _place(
    points: Floats, where: Ints, table: Ints, mask: int, count: int, lat: float, lon: float, dlat: float,
    dlon: float, edge: int,
) -> int:  # fmt: skip
    """Add a point, unless one with the same place and direction is there already; gives the number of points."""
    slot = (int((lat - 40.0) * 1e11) * 1000003 ^ int((lon + 72.0) * 1e11)) & mask
    while table[slot] >= 0:
        k = table[slot]
        if points[k, 0] == lat and points[k, 1] == lon and points[k, 2] == dlat and points[k, 3] == dlon:
            return count
        slot = (slot + 1) & mask
    table[slot] = count
    points[count, 0], points[count, 1], points[count, 2], points[count, 3] = lat, lon, dlat, dlon
    where[count] = edge
    return count + 1


@inner
def _direction(dlat: float, dlon: float) -> tuple[float, float]:
    """A direction of length 1; none (0, 0) where both parts are equal, which the scripts take for no direction."""
    if dlat == dlon:
        return 0.0, 0.0
    across = dlon * ACROSS
    length = np.sqrt(dlat * dlat + across * across)
    return dlat / length, across / length
