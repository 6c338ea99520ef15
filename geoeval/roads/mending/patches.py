"""Which parts of both networks each edit takes away and puts in.

Every part of the reference and of the prediction belongs to one edit, or to the rest: all that differs without being
an error worth listing. So whatever edits are chosen, what they do fits together, and all of them together with the rest
turn the prediction into the reference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.contraction import adjacency_of
from geoeval.model.road_network import RoadNetwork, project
from geoeval.roads.geometry.splitting import split_segments

# How far, in metres, a feature that was cut out of a network may lie from it.
_ON_IT = 1e-3
# What belongs to an edit goes on to the next junction if that is at most so many tolerances away: a side road that is
# missing, or should not be there, leaves its main road at an angle, and the tolerance hides its first metres.
_TO_JUNCTION = 4.0
# A road that ends at most so many tolerances from the end of a stretch is what the stretch goes on with.
_GOES_ON = 1.5
# Around a place that is to be drawn anew, so many tolerances of both networks are exchanged.
_AROUND = 2.0


@dataclass(frozen=True)
class Shared:
    """One network, split where the parts of edits begin and end.

    Attributes
    ----------
    network
        As it was.
    nodes, pairs, segment
        As in ``SplitNetwork``.
    edit
        For each part, the number of its edit; the number of edits for the rest.
    """

    network: RoadNetwork
    nodes: Floats
    pairs: Ints
    segment: Ints
    edit: Ints

    def lines(self, part: Any) -> Objects:
        """Parts as lines."""
        return np.asarray(shapely.linestrings(self.nodes[self.pairs[part]]))

    def near(self, places: Objects, distance: float) -> "Shared":
        """The same of the segments near some places alone; ends where the others are cut off are no ends of roads."""
        network = self.network
        kept = np.zeros(len(network.segments), dtype=bool)
        kept[network.tree.query(places, predicate="dwithin", distance=distance)[1]] = True
        pairs, part = network.segments[kept], kept[self.segment]
        used = np.zeros(len(self.nodes), dtype=bool)
        used[self.pairs[part]] = True
        number = np.cumsum(used) - 1
        own = used[: len(network.nodes)]
        fewer = np.bincount(pairs.ravel(), minlength=len(own)) < network.degrees
        smaller = RoadNetwork(
            network.nodes[own], number[pairs], crs=network.crs, source_ids=network.source_ids[kept],
            merge_coincident=False, cut=(network.cut | fewer)[own],
        )  # fmt: skip
        segment = (np.cumsum(kept) - 1)[self.segment[part]]
        return Shared(smaller, self.nodes[used], number[self.pairs[part]], segment, self.edit[part])


@dataclass(frozen=True)
class Patches:
    """Both networks shared out among ``count`` edits and the rest, and the distances that joining goes by."""

    reference: Shared
    prediction: Shared
    count: int
    tolerance: float
    reach: float

    @property
    def exchanges(self) -> Bools:
        """For each edit and the rest, whether it puts something in where it takes something away."""
        both = [np.bincount(one.edit, minlength=self.count + 1) > 0 for one in (self.reference, self.prediction)]
        return np.append(both[0][:-1] & both[1][:-1], True)

    def footprints(self) -> Objects:
        """All parts of each edit as one geometry; empty where it has none, and for the rest."""
        mine = [one.edit < self.count for one in (self.reference, self.prediction)]
        sides = list(zip((self.reference, self.prediction), mine, strict=True))
        line = np.concatenate([one.lines(own) for one, own in sides])
        edit = np.concatenate([one.edit[own] for one, own in sides])
        order = np.argsort(edit, kind="stable")
        out = np.full(self.count + 1, shapely.MultiLineString(), dtype=object)
        present, number = np.unique(edit[order], return_inverse=True)
        if len(present):
            out[present] = shapely.multilinestrings(line[order], indices=number)
        return out

    def near(self, places: Objects, distance: float) -> "Patches":
        """The same of what is near some places alone."""
        true, predicted = (one.near(places, distance) for one in (self.reference, self.prediction))
        return replace(self, reference=true, prediction=predicted)

    def in_order(self, order: Ints) -> "Patches":
        """The same with the edits numbered in another order; ``order`` has the present number of each."""
        number = np.empty(self.count + 1, dtype=np.int64)
        number[np.append(order, self.count)] = np.arange(self.count + 1)
        true, predicted = (replace(one, edit=number[one.edit]) for one in (self.reference, self.prediction))
        return replace(self, reference=true, prediction=predicted)

    def length_of_rest(self) -> float:
        """Metres of the reference that belong to the rest and that the prediction does not have to the micrometre."""
        parts = [one.nodes[one.pairs[one.edit == self.count]] for one in (self.reference, self.prediction)]
        true, predicted = (np.sort(xy[..., 0] + 1j * xy[..., 1], axis=1).round(6) for xy in parts)
        have = set(map(tuple, predicted.tolist()))
        lacks = np.array([pair not in have for pair in map(tuple, true.tolist())], dtype=bool)
        return float(np.abs(true[lacks, 1] - true[lacks, 0]).sum())


@dataclass(frozen=True)
class _Stretches:
    """Parts of segments that edits claim; the earlier claim counts."""

    segment: Ints
    begin: Floats
    end: Floats
    edit: Ints

    def only(self, edits: Bools) -> "_Stretches":
        """Those of some edits."""
        mine = edits[self.edit]
        return _Stretches(self.segment[mine], self.begin[mine], self.end[mine], self.edit[mine])

    @classmethod
    def together(cls, parts: "Sequence[_Stretches]") -> "_Stretches":
        names = ("segment", "begin", "end", "edit")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def share_out(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    actions: Sequence[str],
    places: Objects,
    away: Floats,
    *,
    tolerance: float,
    reach: float,
) -> Patches:
    """Share two networks out among edits.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    actions
        What each edit does: ``add`` and ``join`` put the reference's road in, ``delete`` takes the prediction's away,
        ``move`` exchanges what is there.
    places
        Where, as points and lines; lines that were cut out of a network are found on it.
    away
        How far off it is there, in metres; NaN where that is not known.
    tolerance
        How far apart roads may be that match.
    reach
        How far apart ends and junctions may be that match.

    Notes
    -----
    An edit whose line lies on neither network exchanges what is around it. O((m + k) log m) for k edits.
    """
    count = len(places)
    action = np.asarray(actions, dtype=object)
    networks = (reference, prediction)
    is_line = shapely.get_dimensions(places) == 1
    moves = is_line & (action == "move")
    drawn = (np.isin(action, ("add", "join")) | moves, (action == "delete") | moves)
    on = [
        _lying_on(network, places, np.flatnonzero(is_line & own)) for network, own in zip(networks, drawn, strict=True)
    ]
    lies = np.array([np.bincount(one.edit, one.end - one.begin, count) > 0.5 * shapely.length(places) for one in on])
    # What is to be moved lies on the prediction, or else on the reference; what it faces on the other is exchanged.
    lies[0] &= ~(moves & lies[1])
    lies &= is_line
    distance = np.where(np.isfinite(away), away, 0.0)
    around = np.flatnonzero(~lies.any(axis=0))
    grounds = shapely.buffer(places[around], _AROUND * tolerance + distance[around])
    sides = []
    for side, network in enumerate(networks):
        facing = np.flatnonzero(moves & lies[1 - side])
        beside = shapely.buffer(places[facing], np.maximum(reach, distance[facing]), cap_style="flat")
        own = on[side].only(lies[side])
        claims = [own, _inside(network, beside, facing), _inside(network, grounds, around)]
        shared = _shared(network, _Stretches.together(claims), count)
        runs_on = np.append(lies[side] & ~moves, False)
        sides.append(_run_on_to_junctions(shared, networks[1 - side], runs_on, tolerance))
    true = _without_what_matches(sides[0], sides[1], moves & lies[1], tolerance)
    predicted = _without_what_matches(sides[1], true, moves & lies[0], tolerance)
    return Patches(true, predicted, count, tolerance, reach)


def _lying_on(network: RoadNetwork, places: Objects, rows: Ints) -> _Stretches:
    """The stretches of a network that lines lie on. O(v log m) for v vertices."""
    xy, owner = shapely.get_coordinates(places[rows], return_index=True)
    first = np.flatnonzero(owner[1:] == owner[:-1])
    start, stop = xy[first], xy[first + 1]
    real = np.hypot(*(stop - start).T) > 0
    start, stop, edit = start[real], stop[real], rows[owner[first[real]]]
    if len(start) == 0 or network.is_empty:
        nothing = np.zeros(0)
        return _Stretches(nothing.astype(np.int64), nothing, nothing, nothing.astype(np.int64))
    middle = np.asarray(shapely.points((start + stop) / 2))
    piece, segment = network.tree.query(middle, predicate="dwithin", distance=_ON_IT)
    ends = network.nodes[network.segments[segment]]
    a, _, gap = project(start[piece], ends)
    b, _, other_gap = project(stop[piece], ends)
    gap = np.maximum(gap, other_gap)
    # Of roads that lie on each other, one is meant.
    best = np.lexsort([segment, gap, piece])
    best = best[gap[best] <= _ON_IT]
    best = best[np.r_[True, np.diff(piece[best]) > 0]] if len(best) else best
    a, b = a[best], b[best]
    return _Stretches(segment[best], np.minimum(a, b), np.maximum(a, b), edit[piece[best]])


def _inside(network: RoadNetwork, grounds: Objects, edits: Ints) -> _Stretches:
    """The stretches of a network inside polygons."""
    ground, segment = network.tree.query(grounds, predicate="intersects")
    cut = shapely.intersection(network.lines[segment], grounds[ground])
    part, number = shapely.get_parts(cut, return_index=True)
    line = shapely.get_type_id(part) == 1
    part, number = part[line], number[line]
    ends = shapely.get_coordinates(part).reshape(-1, 2, 2) if len(part) else np.zeros((0, 2, 2))
    segment, edit = segment[number], edits[ground[number]]
    of = network.nodes[network.segments[segment]]
    a, b = (project(ends[:, side], of)[0] for side in (0, 1))
    order = np.argsort(edit, kind="stable")
    low, high = np.minimum(a, b)[order], np.maximum(a, b)[order]
    return _Stretches(segment[order], low, high, edit[order])


def _shared(network: RoadNetwork, claims: _Stretches, count: int) -> Shared:
    """Split a network at the ends of claims and give each part to the first that claims it."""
    split = split_segments(network, np.concatenate([claims.segment] * 2), np.concatenate([claims.begin, claims.end]))
    edit = np.full(len(split.pairs), count, dtype=np.int64)
    # All segments one after the other make one sorted array of the middles of parts.
    before = np.concatenate([[0.0], np.cumsum(network.segment_lengths + 1.0)])
    middle = before[split.segment] + (split.begin + split.end) / 2
    low = np.searchsorted(middle, before[claims.segment] + claims.begin)
    high = np.searchsorted(middle, before[claims.segment] + claims.end)
    for first, last, owner in zip(low[::-1].tolist(), high[::-1].tolist(), claims.edit[::-1].tolist(), strict=True):
        edit[first:last] = owner
    return Shared(network, split.nodes, split.pairs, split.segment, edit)


def _run_on_to_junctions(shared: Shared, other: RoadNetwork, runs_on: Bools, tolerance: float) -> Shared:
    """Let the parts of edits run on along their road to a near junction, unless a road of the other network ends here.

    O(m + k) for k ends of parts.
    """
    rest = len(runs_on) - 1
    start, neighbour, part = adjacency_of(shared.pairs, len(shared.nodes))
    degree = np.diff(start)
    edit = shared.edit.copy()
    length = np.hypot(*(shared.nodes[shared.pairs[:, 1]] - shared.nodes[shared.pairs[:, 0]]).T)
    # Nodes in the middle of a road, where a part of an edit meets the rest.
    two = np.flatnonzero(degree == 2)
    sides = edit[part[start[two][:, None] + [0, 1]]]
    ends = two[(sides[:, 0] != sides[:, 1]) & (sides == rest).any(axis=1) & runs_on[sides].any(axis=1)]
    dead = other.nodes[(other.degrees == 1) & ~other.cut]
    if len(dead) and len(ends):
        ends = ends[cKDTree(dead).query(shared.nodes[ends])[0] > _GOES_ON * tolerance]
    for node in ends.tolist():
        arms = slice(start[node], start[node + 1])
        owner = int(edit[part[arms]].min())
        way = np.flatnonzero(edit[part[arms]] == rest)
        if len(way) != 1:  # the way from the other end has come here
            continue
        taken, gone, at = [int(part[arms][way[0]])], 0.0, int(neighbour[arms][way[0]])
        gone += length[taken[0]]
        while gone <= _TO_JUNCTION * tolerance and degree[at] == 2:
            here = part[start[at] : start[at + 1]]
            ahead = int(here[0] if here[0] != taken[-1] else here[1])
            if edit[ahead] != rest:
                break
            at = int(neighbour[start[at] : start[at + 1]][0 if here[0] == ahead else 1])
            taken.append(ahead)
            gone += length[ahead]
        if gone <= _TO_JUNCTION * tolerance:
            edit[taken] = owner
    return replace(shared, edit=edit)


def _without_what_matches(shared: Shared, other: Shared, moved: Bools, tolerance: float) -> Shared:
    """Give back the parts beside a moved road that another road of the other network follows already."""
    claimed = np.flatnonzero(np.append(moved, False)[shared.edit])
    if len(claimed) == 0:
        return shared
    middles = np.asarray(shapely.points(shared.nodes[shared.pairs[claimed]].mean(axis=1)))
    one, near = shapely.STRtree(other.lines(slice(None))).query(middles, predicate="dwithin", distance=tolerance)
    stays = other.edit[near] != shared.edit[claimed[one]]
    edit = shared.edit.copy()
    edit[claimed[one[stays]]] = len(moved)
    return replace(shared, edit=edit)
