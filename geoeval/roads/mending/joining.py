"""Where roads that are put in meet the roads that stay."""

from dataclasses import dataclass, field

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import project
from geoeval.roads.mending.patches import Patches, Shared

# A place on a road that is nearer than this to one of its nodes, in metres, is that node.
_AT_NODE = 0.5
# An end is joined to a place on a road that is at most so many tolerances away.
_TO_ROAD = 2.0
# A junction or an end that is at most this much farther than the nearest place on a road, in tolerances, is preferred.
_RATHER = 1.0


@dataclass
class Joins:
    """Nodes to be joined. Those of the prediction come first, then those of the reference, then the ones made here.

    Attributes
    ----------
    first
        The number of the first node that is made here.
    pairs
        A node, and the node that it is moved to, or linked with where that is far.
    splits
        For each node that is made: whether on the reference, on which part, and where.
    """

    first: int
    pairs: list[tuple[int, int]] = field(default_factory=list)
    splits: list[tuple[bool, int, Floats]] = field(default_factory=list)

    def made(self, part: int, place: Floats, *, on_reference: bool) -> int:
        """The number of a new node on a part."""
        self.splits.append((on_reference, part, place))
        return self.first + len(self.splits) - 1


def find_joins(patches: Patches, chosen: Bools) -> Joins:
    """Where the parts that chosen edits put in are joined to what they leave of the prediction.

    A node of the reference is open where a road goes on that is not put in because the prediction has it. A node of the
    prediction is loose where an edit took a road away and put another in. Open and loose nodes are joined to each
    other, the nearest first; open nodes that are left over to the nearest road that stays, and loose ones to the
    nearest road that was put in. O((m + k) log m).
    """
    true, predicted = patches.reference, patches.prediction
    put, gone = chosen[true.edit], chosen[predicted.edit]
    exchanges = patches.exchanges
    waiting = _degrees(true, ~put & exchanges[true.edit])
    left = _degrees(predicted, ~gone)
    is_open = np.flatnonzero((_degrees(true, put) > 0) & (waiting > 0))
    is_loose = np.flatnonzero((left > 0) & (_degrees(predicted, gone & exchanges[predicted.edit]) > 0))
    joins = Joins(len(predicted.nodes) + len(true.nodes))
    is_open, is_loose = _join_nearest(patches, is_open, is_loose, waiting, joins)
    taken = _join_to_what_stays(patches, is_open, np.flatnonzero(~gone), left, joins)
    _join_to_what_is_put_in(patches, is_loose[~np.isin(is_loose, taken)], np.flatnonzero(put), joins)
    return joins


def _degrees(shared: Shared, parts: Bools) -> Ints:
    return np.bincount(shared.pairs[parts].ravel(), minlength=len(shared.nodes))


def _join_nearest(patches: Patches, is_open: Ints, is_loose: Ints, room: Ints, joins: Joins) -> tuple[Ints, Ints]:
    """Join open to loose nodes, the nearest first; a junction takes as many as it has roads that go on.

    Gives the nodes that are left over.
    """
    if len(is_open) == 0 or len(is_loose) == 0:
        return is_open, is_loose
    trees = [cKDTree(patches.reference.nodes[is_open]), cKDTree(patches.prediction.nodes[is_loose])]
    near = trees[0].sparse_distance_matrix(trees[1], patches.reach, output_type="ndarray")
    free, loose = room[is_open], np.ones(len(is_loose), dtype=bool)
    alone = np.ones(len(is_open), dtype=bool)
    for k in np.lexsort([near["j"], near["i"], near["v"].round(6)]).tolist():
        i, j = near["i"][k], near["j"][k]
        if free[i] > 0 and loose[j]:
            joins.pairs.append((len(patches.prediction.nodes) + int(is_open[i]), int(is_loose[j])))
            free[i] -= 1
            alone[i] = loose[j] = False
    return is_open[alone], is_loose[loose]


def _join_to_what_stays(patches: Patches, nodes: Ints, parts: Ints, degree: Ints, joins: Joins) -> Ints:
    """Join open nodes to a junction or an end of the prediction if one is near, else to a road; gives what is taken."""
    predicted, xy = patches.prediction, patches.reference.nodes[nodes]
    point, part, place, gap = _nearest(predicted, parts, xy, _TO_ROAD * patches.tolerance)
    features = np.flatnonzero((degree > 0) & (degree != 2))
    at = np.full(len(point), -1, dtype=np.int64)
    if len(features) and len(point):
        away, which = cKDTree(predicted.nodes[features]).query(xy[point])
        near = away <= gap + _RATHER * patches.tolerance
        at[near] = features[which[near]]
    for k, node in enumerate(nodes[point].tolist()):
        if at[k] < 0:
            at[k] = _end_at(predicted, part[k], place[k])
        to = int(at[k]) if at[k] >= 0 else joins.made(int(part[k]), place[k], on_reference=False)
        joins.pairs.append((len(predicted.nodes) + node, to))
    return at


def _join_to_what_is_put_in(patches: Patches, nodes: Ints, parts: Ints, joins: Joins) -> None:
    """Join loose nodes of the prediction to the reference's roads that were put in."""
    true, here = patches.reference, len(patches.prediction.nodes)
    point, part, place, _ = _nearest(true, parts, patches.prediction.nodes[nodes], patches.reach)
    for k, node in enumerate(nodes[point].tolist()):
        at = _end_at(true, part[k], place[k])
        joins.pairs.append((node, here + at if at >= 0 else joins.made(int(part[k]), place[k], on_reference=True)))


def _end_at(shared: Shared, part: int, place: Floats) -> int:
    """The end of a part at which a place lies, or -1."""
    ends = shared.pairs[part]
    gap = np.hypot(*(shared.nodes[ends] - place).T)
    return int(ends[gap.argmin()]) if gap.min() <= _AT_NODE else -1


def _nearest(shared: Shared, parts: Ints, xy: Floats, limit: float) -> tuple[Ints, Ints, Floats, Floats]:
    """The nearest of some parts to each point that has one within a limit: point, part, place on it, distance."""
    tree = shapely.STRtree(shared.lines(parts) if len(xy) else [])
    point, candidate = tree.query(np.asarray(shapely.points(xy)), predicate="dwithin", distance=limit)
    part = parts[candidate]
    _, place, gap = project(xy[point], shared.nodes[shared.pairs[part]])
    best = np.lexsort([part, gap.round(6), point])
    best = best[np.r_[True, np.diff(point[best]) > 0]] if len(best) else best
    return point[best], part[best], place[best], gap[best]
