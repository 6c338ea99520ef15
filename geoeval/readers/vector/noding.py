"""How lines become a graph: which of them join besides those that share a vertex.

``ends``, as in snapping: an end of a line joins every line that passes within 1 cm, which gets a vertex there; ends
within 1 cm of each other, or of a vertex of another line, become one place.
``crossings``: the same, and every crossing or touch of two lines joins them as well.
``none``: only equal vertices join.

The result depends on the places alone, not on the order, direction or division of the input lines: places are numbered
by their coordinates, and where several places become one, the smallest is kept.
"""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.line_parts import NetworkParts
from geoeval.model.road_network import PRECISION, project
from geoeval.readers.options import check_options

# How near an end must come to a line to join it, in metres.
TOLERANCE = 0.01
# Places are rounded to a micrometre, so a vertex on a line may be off it by as much.
TOUCH = 2 * PRECISION


def node_lines(parts: NetworkParts, *, node: str = "ends") -> NetworkParts:
    """Join lines at their ends, at their crossings, or not at all.

    Parameters
    ----------
    parts
        Lines in metres; each line has its own vertices.
    node
        ``ends``, ``crossings`` or ``none``, see above.

    Returns
    -------
    parts
        The same lines with the vertices needed to join them; equal places have one number. ``ends_snapped`` in
        ``problems`` counts the ends that were more than a micrometre off what they joined. No lines give no lines.

    Notes
    -----
    O(n log n) for ``n`` segments, unless they are crowded, plus the number of crossings.
    """
    check_options({"node": node})
    if node == "none" or len(parts.segments) == 0:
        return parts
    places, number = _distinct(parts.coordinates)
    pairs = np.sort(number[parts.segments], axis=1)
    keys, which = np.unique(pairs[:, 0] * len(places) + pairs[:, 1], return_inverse=True)
    segments = np.column_stack([keys // len(places), keys % len(places)])

    joins = _joins_of_ends(places, segments, _ends(parts.segments, number))
    snapped = joins.snapped
    if node == "crossings":
        joins = _with_crossings(joins, segments)
    place_of = _joined_places(joins)
    chains, start = _chains(joins, segments, place_of)

    count = np.diff(start)[which]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    problems = parts.problems | ({"ends_snapped": snapped} if snapped else {})
    return NetworkParts(
        joins.points, chains[np.repeat(start[which], count) + within], np.repeat(parts.ids, count), problems
    )


@dataclass(frozen=True)
class _Joins:
    """What joins what.

    ``points`` are all places, then the crossings, both in order of x, then y. ``links`` are pairs of points
    that become one; ``point`` and ``segment`` are vertices and the segments that get them. ``active`` are the points
    that absorb crossings near them; ``snapped`` is the number of ends that were off what they joined.
    """

    points: Floats
    links: Ints
    point: Ints
    segment: Ints
    active: Ints
    snapped: int = 0


def _distinct(coordinates: Floats) -> tuple[Floats, Ints]:
    """The places, to a micrometre, in order of x, then y, and for each vertex its place."""
    rounded = np.round(coordinates, 6) + 0.0
    order = np.lexsort([rounded[:, 1], rounded[:, 0]])
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(rounded[order], axis=0) != 0).any(axis=1)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return rounded[order[new]], number


def _ends(segments: Ints, number: Ints) -> Ints:
    """Places where a line of the input begins or ends: its vertices that only one segment uses."""
    uses = np.bincount(segments.ravel(), minlength=len(number))
    return np.unique(number[uses == 1])


def _joins_of_ends(places: Floats, segments: Ints, ends: Ints) -> _Joins:
    is_end = np.zeros(len(places), dtype=bool)
    is_end[ends] = True
    links = KDTree(places).query_pairs(TOLERANCE, output_type="ndarray").astype(np.int64)
    links = links[is_end[links].any(axis=1)]

    long = np.flatnonzero(segments[:, 0] != segments[:, 1])
    tree = _tree(places[segments[long]])
    end, hit = tree.query(shapely.points(places[ends]), predicate="dwithin", distance=TOLERANCE)
    point, segment = ends[end], long[hit]
    other = (segments[segment] != point[:, None]).all(axis=1)
    point, segment = point[other], segment[other]

    off = project(places[point], places[segments[segment]])[2] > TOUCH
    snapped = len(np.unique(np.concatenate([links[is_end[links]], point[off]])))
    return _Joins(places, links, point, segment, ends, snapped)


def _with_crossings(joins: _Joins, segments: Ints) -> _Joins:
    """Add the places where two segments cross, and the vertices that lie on a segment."""
    first, second = _near_pairs(joins.points, segments)
    touch_point, touch_segment, touching = _touches(joins.points, segments, first, second)
    first, second = first[~touching], second[~touching]
    crossing, crosses = _proper_crossings(joins.points, segments[first], segments[second])
    first, second = first[crosses], second[crosses]
    order = np.lexsort([crossing[:, 1], crossing[:, 0]])
    crossing, first, second = crossing[order], first[order], second[order]

    points = np.concatenate([joins.points, crossing])
    new = len(joins.points) + np.arange(len(crossing))
    # A crossing next to a vertex of its own segments, to an end or to another crossing is the same junction.
    corners = np.concatenate([segments[first], segments[second]], axis=1)
    near = np.hypot(*np.moveaxis(points[corners] - crossing[:, None], -1, 0)) <= TOLERANCE
    own = np.column_stack([np.broadcast_to(new[:, None], near.shape)[near], corners[near]])
    active = np.unique(np.concatenate([joins.active, touch_point]))
    drawing = np.concatenate([active, new])
    around = drawing[KDTree(points[drawing]).query_pairs(TOLERANCE, output_type="ndarray")].reshape(-1, 2)
    around = around[(around >= len(joins.points)).any(axis=1)]
    return _Joins(
        points,
        np.concatenate([joins.links, own, around]),
        np.concatenate([joins.point, touch_point, new, new]),
        np.concatenate([joins.segment, touch_segment, first, second]),
        active,
        joins.snapped,
    )


def _tree(ends: Floats) -> shapely.STRtree:
    return shapely.STRtree(np.asarray(shapely.linestrings(ends)))


def _near_pairs(places: Floats, segments: Ints) -> tuple[Ints, Ints]:
    """Pairs of segments whose bounding boxes meet, each pair once."""
    long = np.flatnonzero(segments[:, 0] != segments[:, 1])
    ends = places[segments[long]]
    low, high = ends.min(axis=1) - TOUCH, ends.max(axis=1) + TOUCH
    first, second = _tree(ends).query(shapely.box(*low.T, *high.T))
    once = first < second
    return long[first[once]], long[second[once]]


def _touches(places: Floats, segments: Ints, first: Ints, second: Ints) -> tuple[Ints, Ints, Bools]:
    """Vertices that lie on the other segment of their pair, that segment, and the pairs that touch so."""
    touching = np.zeros(len(first), dtype=bool)
    points, targets = [], []
    for own, other in ((first, second), (second, first)):
        for end in (0, 1):
            vertex = segments[own, end]
            free = np.flatnonzero((segments[other] != vertex[:, None]).all(axis=1))
            gap = project(places[vertex[free]], places[segments[other[free]]])[2]
            found = free[gap <= TOUCH]
            touching[found] = True
            points.append(vertex[found])
            targets.append(other[found])
    return np.concatenate(points), np.concatenate(targets), touching


def _proper_crossings(places: Floats, first: Ints, second: Ints) -> tuple[Floats, Bools]:
    """Where the insides of two segments cross, and for each pair whether they do."""
    a, b, c, d = places[first[:, 0]], places[first[:, 1]], places[second[:, 0]], places[second[:, 1]]
    side_c, side_d = _side(a, b, c), _side(a, b, d)
    side_a, side_b = _side(c, d, a), _side(c, d, b)
    crosses = (side_c * side_d < 0) & (side_a * side_b < 0)
    share = side_a[crosses] / (side_a[crosses] - side_b[crosses])
    place = a[crosses] + share[:, None] * (b[crosses] - a[crosses])
    return np.round(place, 6) + 0.0, crosses


def _side(start: Floats, end: Floats, point: Floats) -> Floats:
    """Sign says on which side of a line a point lies."""
    along, to = end - start, point - start
    return along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]


def _joined_places(joins: _Joins) -> Ints:
    """For each point the one that it becomes: the smallest of those linked with it, vertices before crossings."""
    count = len(joins.points)
    graph = coo_array((np.ones(len(joins.links)), joins.links.T), shape=(count, count))
    cluster = connected_components(graph, directed=False)[1]
    smallest = np.unique(cluster, return_index=True)[1]
    return smallest[cluster]


def _chains(joins: _Joins, segments: Ints, place_of: Ints) -> tuple[Ints, Ints]:
    """The pieces of all segments; those of segment i are ``pieces[start[i]:start[i + 1]]``."""
    point, segment = place_of[joins.point], joins.segment
    ends = place_of[segments]
    inside = (ends[segment] != point[:, None]).all(axis=1)
    once = np.unique(np.column_stack([segment[inside], point[inside]]), axis=0)
    segment, point = once[:, 0], once[:, 1]
    along = project(joins.points[point], joins.points[segments[segment]])[0]

    every = np.arange(len(segments))
    owner = np.concatenate([every, segment, every])
    vertex = np.concatenate([ends[:, 0], point, ends[:, 1]])
    position = np.concatenate([np.full(len(every), -1.0), along, np.full(len(every), np.inf)])
    order = np.lexsort([vertex, position, owner])
    owner, vertex = owner[order], vertex[order]
    together = owner[1:] == owner[:-1]
    pieces = np.column_stack([vertex[:-1], vertex[1:]])[together]
    counts = np.bincount(owner[1:][together], minlength=len(segments))
    return pieces, np.concatenate([[0], np.cumsum(counts)])
