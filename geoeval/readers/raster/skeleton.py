"""From a mask of roads to a graph: thin it, join neighbouring pixels, prune, merge, simplify.

The mask is thinned to lines of one pixel. Pixels become nodes, and neighbours are joined so that the graph has as many
components as the mask (8-connected) and as many rings as the mask has holes (4-connected). All later steps keep both
numbers: short dead ends are pruned, junctions that thinning tore apart are merged, and roads are simplified between
fixed ends.
"""

from dataclasses import dataclass, field

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.contraction import contract

Mask = Bools

# Anything shorter, in pixels, is one step of the grid: neither a dead end nor a road between two junctions.
_ONE_STEP = 1.5
# Two junctions are one if the way between them is shorter than this share of the sum of their distances to the road's
# edge. At a T that sum is 2.5 half-widths of the road: the way is shorter than the road is wide, and does not cross
# the gap between two parallel roads.
_SAME_JUNCTION = 0.7
# The same for crossings at a sharp angle, where thinning gives the two roads a longer piece in common. All arms of such
# a crossing continue in about the direction of that piece.
_SAME_SHARP_CROSSING = 1.75
_SHARP_COSINE = np.cos(np.radians(55))


@dataclass
class Traced:
    """A graph in metres; ``road`` numbers the road of each segment."""

    xy: Floats
    segments: Ints
    road: Ints
    problems: dict[str, int] = field(default_factory=dict)


class _Graph:
    """Nodes both in pixels (column, row) and in metres, the segments between them, and the roads that they form."""

    def __init__(self, pixels: Floats, metres: Floats, segments: Ints) -> None:
        used = np.zeros(len(pixels), dtype=bool)
        used[segments] = True
        self.pixels, self.metres = pixels[used], metres[used]
        self.segments = (np.cumsum(used) - 1)[segments]
        ends = self.segments.ravel()
        order = np.argsort(ends, kind="stable")
        self.degrees = np.bincount(ends)
        start = np.concatenate([[0], np.cumsum(self.degrees)])
        adjacency = (start, self.segments[:, ::-1].ravel()[order], order // 2)
        steps = self.pixels[self.segments]
        lengths = np.hypot(*(steps[:, 1] - steps[:, 0]).T)
        self.roads = contract(self.pixels, self.segments, lengths, self.degrees, adjacency)

    def road_lengths(self, coordinates: Floats) -> Floats:
        """Length of each road, in the unit of the coordinates."""
        roads = self.roads
        along = np.hypot(*np.diff(coordinates[roads.path], axis=0).T)
        along[roads.node_start[1:-1] - 1] = 0.0  # from the end of a road to the start of the next
        return np.add.reduceat(along, roads.node_start[:-1])


def trace(mask: Mask, pixels: Floats, segments: Ints, *, metres: Floats, min_spur: float, simplify: float) -> Traced:
    """The roads of a mask as a graph.

    Parameters
    ----------
    mask
        True on roads.
    pixels, segments
        ``pixel_graph`` of its skeleton.
    metres
        Where the pixels are.
    min_spur
        Dead ends that leave a junction and are shorter than this, in metres, are pruned, the shortest first. A
        road with two dead ends is never pruned.
    simplify
        Tolerance of Douglas and Peucker in metres; 0 keeps every pixel.

    Returns
    -------
    Traced
        Pixels without any neighbour are dropped and counted. O(n log n) in the pixels of the skeleton, O(n) in
        those of the mask. There must be at least one segment.
    """
    problems: dict[str, int] = {}
    lonely = int((np.bincount(segments.ravel(), minlength=len(pixels)) == 0).sum())
    if lonely:
        problems["single_pixels"] = lonely
    graph, pruned = _prune(_Graph(pixels, metres, segments), min_spur)
    if pruned:
        problems["spurs_pruned"] = pruned
    return _simplified(_merge_junctions(graph, mask), simplify, problems)


def pixel_graph(skeleton: Mask) -> tuple[Floats, Ints]:
    """Pixels as ``(column, row)`` and the pairs of neighbours that are joined.

    Pixels above each other are joined, and pixels side by side unless the two below them are joined too: one side of
    a full square is left out. Pixels across a corner are joined only if neither pixel between them is set. The
    number of rings is then that of the holes, for any image.
    """
    padded = np.pad(skeleton, 1)
    width = padded.shape[1]
    here = padded.ravel()
    at = np.flatnonzero(here)
    left, right, below = here[at - 1], here[at + 1], here[at + width]
    below_left, below_right = here[at + width - 1], here[at + width + 1]
    pairs = [
        np.column_stack([at[joined], at[joined] + step])
        for joined, step in (
            (below, width),
            (right & ~(below & below_right), 1),
            (below_right & ~right & ~below, width + 1),
            (below_left & ~left & ~below, width - 1),
        )
    ]
    segments = np.searchsorted(at, np.concatenate(pairs)).astype(np.int64)
    return np.column_stack([at % width - 1, at // width - 1]).astype(np.float64), segments


def _prune(graph: _Graph, min_spur: float) -> tuple[_Graph, int]:
    """Remove short dead ends in rounds until none is left; the shortest first at each junction.

    A junction keeps at least two of its roads, so that a forked end keeps its longer branch and a star of short
    roads stays a road.
    """
    total = 0
    while True:
        roads, degrees = graph.roads, graph.degrees
        ends = degrees[roads.ends]
        length = graph.road_lengths(graph.metres)
        short = (length < min_spur) | (graph.road_lengths(graph.pixels) < _ONE_STEP)
        spurs = np.flatnonzero(short & (ends.min(axis=1) == 1) & (ends.max(axis=1) >= 3))
        junction = np.where(ends[spurs, 0] == 1, roads.ends[spurs, 1], roads.ends[spurs, 0])
        order = np.lexsort([length[spurs], junction])
        spurs, junction = spurs[order], junction[order]
        rank = np.arange(len(spurs)) - np.searchsorted(junction, junction)
        gone = spurs[rank < degrees[junction] - 2]
        if len(gone) == 0:
            return graph, total
        total += len(gone)
        keep = ~np.isin(roads.road_of, gone)
        graph = _Graph(graph.pixels, graph.metres, graph.segments[keep])


def _merge_junctions(graph: _Graph, mask: Mask) -> _Graph:
    """Merge junctions that thinning tore apart, at the mean of their places.

    A crossing of wide roads is often thinned to two junctions with a short road between them. Larger groups that are
    wider than the road, and groups around a hole, are left as they are.
    """
    roads, degrees = graph.roads, graph.degrees
    between = np.flatnonzero((degrees[roads.ends] >= 3).all(axis=1) & (roads.ends[:, 0] != roads.ends[:, 1]))
    if len(between) == 0:
        return graph
    junctions = np.unique(roads.ends[between])
    radius = np.zeros(len(degrees))
    radius[junctions] = _distance_to_edge(graph.pixels[junctions], mask)
    share = np.where(_sharp_crossings(graph, between, radius), _SAME_SHARP_CROSSING, _SAME_JUNCTION)
    limit = np.maximum(share * radius[roads.ends[between]].sum(axis=1), _ONE_STEP)
    close = between[graph.road_lengths(graph.pixels)[between] <= limit]
    if len(close) == 0:
        return graph
    ends = roads.ends[close]
    count = len(degrees)
    _, group = connected_components(coo_array((np.ones(len(ends)), ends.T), shape=(count, count)), directed=False)
    members = np.unique(ends)
    size = np.bincount(group[members], minlength=count)
    links = np.bincount(group[ends[:, 0]], minlength=count)
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(low, group[members], graph.pixels[members])
    np.maximum.at(high, group[members], graph.pixels[members])
    widest = np.zeros(count)
    np.maximum.at(widest, group[members], radius[members])
    with np.errstate(invalid="ignore"):
        narrow = (size == 2) | (np.hypot(*(high - low).T) <= 2 * widest)
    one = (links == size - 1) & narrow
    while True:
        chosen = members[one[group[members]]]
        number = np.arange(count)
        first = np.full(count, count)
        np.minimum.at(first, group[chosen], chosen)
        number[chosen] = first[group[chosen]]
        kept = graph.segments[~np.isin(roads.road_of, close[one[group[ends[:, 0]]]])]
        lost = _coincident(number[kept])
        if not lost.any():
            break
        one[group[kept[lost]]] = False  # a ring so small that it would vanish with the merger
    pixels, metres = graph.pixels.copy(), graph.metres.copy()
    for coordinates in (pixels, metres):
        for axis in (0, 1):
            total = np.bincount(group[chosen], weights=coordinates[chosen, axis], minlength=count)
            coordinates[chosen, axis] = (total / np.maximum(size, 1))[group[chosen]]
    return _Graph(pixels, metres, number[kept])


def _coincident(segments: Ints) -> Bools:
    """Which segments start where they end, or have the same ends as another."""
    return (segments[:, 0] == segments[:, 1]) | (_times(segments) > 1)


def _times(ends: Ints) -> Ints:
    """For each pair, how many pairs have the same two ends."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    _, same, times = np.unique(low * (high.max(initial=0) + 1) + high, return_inverse=True, return_counts=True)
    return times[same]


def _sharp_crossings(graph: _Graph, links: Ints, radius: Floats) -> Bools:
    """Whether each end of a link has two arms, and both continue in about its direction."""
    roads, degrees = graph.roads, graph.degrees
    first, last = roads.node_start[:-1], roads.node_start[1:] - 1
    # A road leaves from both of its ends; its direction is taken a little outside the junction.
    junction = roads.ends.T.ravel()
    step = np.ceil(3 * radius[junction] + 3).astype(np.int64)
    ahead = np.concatenate([np.minimum(first + step[: len(roads)], last), np.maximum(last - step[len(roads) :], first)])
    arm = graph.pixels[roads.path[ahead]] - graph.pixels[junction]
    arm /= np.maximum(np.hypot(*arm.T), 1e-9)[:, None]
    axis = graph.pixels[roads.ends[links, 1]] - graph.pixels[roads.ends[links, 0]]
    axis /= np.hypot(*axis.T)[:, None]
    sharp = (degrees[roads.ends[links]] == 3).all(axis=1)
    worst = np.ones((2, len(links)))
    order = np.argsort(junction, kind="stable")
    begin = np.searchsorted(junction[order], np.arange(len(degrees)))
    for side, outward in ((0, -axis), (1, axis)):
        own = links + side * len(roads)
        for turn in range(3):
            other = order[np.minimum(begin[roads.ends[links, side]] + turn, len(order) - 1)]
            cosine = np.einsum("ij,ij->i", arm[other], outward)
            worst[side] = np.where(other == own, worst[side], np.minimum(worst[side], cosine))
    return sharp & (worst >= _SHARP_COSINE).all(axis=0)


def _distance_to_edge(pixels: Floats, mask: Mask) -> Floats:
    """Distance of pixels of the mask to the nearest pixel outside it, in pixels; beyond the image is outside."""
    padded = np.pad(mask, 1)
    inner = padded[1:-1, 1:-1]
    edge = np.zeros_like(padded)
    edge[:-2, 1:-1] |= inner
    edge[2:, 1:-1] |= inner
    edge[1:-1, :-2] |= inner
    edge[1:-1, 2:] |= inner
    row, column = np.nonzero(edge & ~padded)
    tree = cKDTree(np.column_stack([column - 1, row - 1]), balanced_tree=False, compact_nodes=False)
    return tree.query(pixels)[0]


def _simplified(graph: _Graph, tolerance: float, problems: dict[str, int]) -> Traced:
    """Roads with fewer vertices that stay distinct: a loop keeps three places, a parallel road one between its ends."""
    roads = graph.roads
    first, last = roads.node_start[:-1], roads.node_start[1:] - 1
    sizes = last - first + 1
    road = np.arange(len(roads))
    loop = roads.ends[:, 0] == roads.ends[:, 1]
    parallel = (_times(roads.ends) > 1) & ~loop & (sizes > 2)
    fixed = np.concatenate(
        [first, last, (first + sizes // 2)[parallel], (first + sizes // 3)[loop], (first + 2 * sizes // 3)[loop]]
    )
    owner = np.concatenate([road, road, road[parallel], road[loop], road[loop]])
    order = np.argsort(fixed)
    fixed, owner = fixed[order], owner[order]
    begins = np.flatnonzero(owner[:-1] == owner[1:])
    start, stop, owner = fixed[begins], fixed[begins + 1], owner[begins]

    counts = stop - start + 1
    piece = np.repeat(np.arange(len(start)), counts)
    position = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + start[piece]
    lines = shapely.linestrings(graph.metres[roads.path[position]], indices=piece)
    if tolerance > 0:
        lines = shapely.simplify(lines, tolerance, preserve_topology=False)
    xy, piece = shapely.get_coordinates(lines, return_index=True)
    joined = np.flatnonzero(np.diff(piece) == 0)
    number = len(graph.metres) + np.arange(len(xy))
    begin = np.searchsorted(piece, np.arange(len(start)))
    end = np.searchsorted(piece, np.arange(len(start)), side="right") - 1
    number[begin], number[end] = roads.path[start], roads.path[stop]
    segments = np.column_stack([number[joined], number[joined + 1]])
    used = np.zeros(len(graph.metres) + len(xy), dtype=bool)
    used[segments] = True
    new = np.cumsum(used) - 1
    return Traced(np.concatenate([graph.metres, xy])[used], new[segments], owner[piece[joined]], problems)
