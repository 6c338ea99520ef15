"""Straight segments cut at the border of an area.

The area is closed: what lies on its border is inside. A place within 2 micrometres of the border lies on it, because
coordinates are rounded to a micrometre. So a road gives the same stretches whether or not it has a vertex at the
border, and a road along a slanted border is not shredded by rounding. Overlays of GEOS have no such tolerance; besides,
with an area of 20,000 vertices they take ten times as long as comparing each segment with the few edges near it.
"""

from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geoeval.arrays import Bools, Floats, Ints

# Places this near to the border lie on it.
ON_BORDER = 2e-6
# A stretch that lies on the border for longer than this runs along it; a shorter one crosses or touches it.
ALONG_BORDER = 1e-3


@dataclass(frozen=True)
class CutStretches:
    """Parts of segments: the segment, and where the part begins and ends, in metres from the segment's first node.

    A part that begins at the first node begins at 0, and one that ends at the last node ends at the segment's length:
    exactly.
    """

    segment: Ints
    begin: Floats
    end: Floats


def stretches_inside(ends: Floats, lengths: Floats, area: BaseGeometry) -> CutStretches:
    """The parts of segments ``(m, 2, 2)`` inside an area, in order; a segment that only touches the area has none.

    O((m + e) log e) for an area with e edges.
    """
    shapely.prepare(area)
    candidates = np.flatnonzero(_in_box(ends, area.bounds))
    segment, edge, edges = _near_pairs(ends, candidates, area)
    zones = _zones(segment, *_on_border(ends[segment], edges[edge]), lengths)

    # A segment away from the border is inside or outside as a whole.
    away = np.ones(len(ends), dtype=bool)
    away[segment] = False
    whole = candidates[away[candidates]]
    whole = whole[shapely.contains_xy(area, ends[whole, 0])]

    (cut, begin), (_, end) = _changes(zones, ends, lengths, area)
    cut, begin = np.concatenate([whole, cut]), np.concatenate([np.zeros(len(whole)), begin])
    order = np.lexsort([begin, cut])
    return CutStretches(cut[order], begin[order], np.concatenate([lengths[whole], end])[order])


@dataclass(frozen=True)
class _Zones:
    """Where segments lie on the border, by segment and place; the places where they cross it, NaN where none is."""

    segment: Ints
    begin: Floats
    end: Floats
    first_crossing: Floats
    last_crossing: Floats


def _in_box(ends: Floats, box: tuple[float, float, float, float]) -> Bools:
    """Which segments may lie in a box or on its border."""
    (x0, y0), (x1, y1) = ends[:, 0].T, ends[:, 1].T
    minx, miny, maxx, maxy = np.add(box, [-ON_BORDER, -ON_BORDER, ON_BORDER, ON_BORDER])
    across = (np.maximum(x0, x1) >= minx) & (np.minimum(x0, x1) <= maxx)
    return np.asarray(across & (np.maximum(y0, y1) >= miny) & (np.minimum(y0, y1) <= maxy))


def _near_pairs(ends: Floats, candidates: Ints, area: BaseGeometry) -> tuple[Ints, Ints, Floats]:
    """Pairs of a segment and an edge of the area that touch, and the edges ``(e, 2, 2)``."""
    rings = shapely.get_rings(shapely.get_parts(area))
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    edges = np.stack([xy[:-1], xy[1:]], axis=1)[ring[:-1] == ring[1:]]
    edges = edges[(edges[:, 0] != edges[:, 1]).any(axis=1)]
    tree = shapely.STRtree(shapely.linestrings(edges))
    segment, edge = tree.query(shapely.linestrings(ends[candidates]), predicate="dwithin", distance=ON_BORDER)
    return candidates[segment], edge, edges


def _on_border(segments: Floats, edges: Floats) -> tuple[Floats, Floats, Floats]:
    """Where each segment is within reach of its edge: from, to, and the crossing (NaN without one), in metres."""
    start, edge_start = segments[:, 0], edges[:, 0]
    direction, length = _unit(segments[:, 1] - start)
    along, edge_length = _unit(edges[:, 1] - edge_start)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    offset = start - edge_start
    beside, turn = _dot(across, offset), _dot(across, direction)
    forward, advance = _dot(along, offset), _dot(along, direction)
    low, high = _between(beside, turn, -ON_BORDER, ON_BORDER)
    first, last = _between(forward, advance, -ON_BORDER, edge_length + ON_BORDER)
    begin, end = np.maximum.reduce([low, first, np.zeros(len(low))]), np.minimum.reduce([high, last, length])
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -beside / turn
    crossing[~((begin <= crossing) & (crossing <= end))] = np.nan
    return begin, end, crossing


def _unit(vectors: Floats) -> tuple[Floats, Floats]:
    length = np.hypot(vectors[:, 0], vectors[:, 1])
    return vectors / length[:, None], length


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", a, b), dtype=np.float64)


def _between(value: Floats, slope: Floats, low: float, high: Floats | float) -> tuple[Floats, Floats]:
    """From where to where ``value + slope t`` lies between two limits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - value) / slope, (high - value) / slope
    inside = (low <= value) & (value <= high)
    never = np.where(inside, -np.inf, np.inf)  # of a value that does not change
    return np.where(slope == 0, never, np.minimum(a, b)), np.where(slope == 0, -never, np.maximum(a, b))


def _zones(segment: Ints, begin: Floats, end: Floats, crossing: Floats, lengths: Floats) -> _Zones:
    """What pairs tell, put together by segment: zones that overlap or abut are one."""
    real = begin <= end
    order = np.flatnonzero(real)[np.lexsort([begin[real], segment[real]])]
    segment, begin, end, crossing = segment[order], begin[order], end[order], crossing[order]
    # All segments in a row, a metre apart, so that one running maximum finds where a zone ends.
    own, rank = np.unique(segment, return_inverse=True)
    row = np.concatenate([[0.0], np.cumsum(lengths[own] + 1.0)])[rank]
    reached = np.maximum.accumulate(row + end)
    new = np.ones(len(segment), dtype=bool)
    new[1:] = (row + begin)[1:] > reached[:-1] + ON_BORDER
    first = np.flatnonzero(new)
    if len(first) == 0:
        none = np.zeros(0)
        return _Zones(first, none, none, none, none)
    length = lengths[segment[first]]
    zone_begin, zone_end = begin[first], np.maximum.reduceat(end, first)
    return _Zones(
        segment[first],
        np.where(zone_begin <= ON_BORDER, 0.0, zone_begin),
        np.where(zone_end >= length - ON_BORDER, length, zone_end),
        np.fmin.reduceat(crossing, first),
        np.fmax.reduceat(crossing, first),
    )


def _changes(
    zones: _Zones, ends: Floats, lengths: Floats, area: BaseGeometry
) -> tuple[tuple[Ints, Floats], tuple[Ints, Floats]]:
    """Where the segments that meet the border begin to be inside, and where they end: as many of both, in order."""
    segment, count = zones.segment, len(zones.segment)
    if count == 0:
        return (segment, zones.begin), (segment, zones.end)
    same = segment[1:] == segment[:-1]
    opens, closes = np.append(True, ~same), np.append(~same, True)  # the first and last zone of each segment
    gap_begin = np.where(opens, 0.0, np.append(0.0, zones.end[:-1]))
    gap_end = np.where(closes, lengths[segment], np.append(zones.begin[1:], 0.0))

    def is_inside(low: Floats, high: Floats) -> Bools:
        share = (low + high) / 2 / lengths[segment]
        start, end = ends[segment, 0], ends[segment, 1]
        return np.asarray(shapely.contains_xy(area, start + share[:, None] * (end - start)))

    at_start, at_end = zones.begin == 0.0, zones.end == lengths[segment]
    before, after = is_inside(gap_begin, zones.begin) & ~at_start, is_inside(zones.end, gap_end) & ~at_end
    from_outside, to_outside = ~before & ~at_start, ~after & ~at_end
    long = zones.end - zones.begin > ALONG_BORDER
    kept = long | ~(from_outside | to_outside)

    enters = from_outside & (long | after)
    leaves = to_outside & (long | before)
    # The cut is where the border is crossed; a comparison with NaN is false.
    entry = np.where(zones.first_crossing - zones.begin <= ALONG_BORDER, zones.first_crossing, zones.begin)
    leave = np.where(zones.end - zones.last_crossing <= ALONG_BORDER, zones.last_crossing, zones.end)
    starts = opens & (before | (at_start & kept))
    stops = closes & (after | (at_end & kept))
    return (
        _in_order([segment[starts], segment[enters]], [np.zeros(starts.sum()), entry[enters]]),
        _in_order([segment[leaves], segment[stops]], [leave[leaves], lengths[segment[stops]]]),
    )


def _in_order(segments: list[Ints], metres: list[Floats]) -> tuple[Ints, Floats]:
    segment, metre = np.concatenate(segments), np.concatenate(metres)
    order = np.lexsort([metre, segment])
    return segment[order], metre[order]
