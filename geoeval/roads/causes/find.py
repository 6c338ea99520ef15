"""The errors of two networks, each place with one, of its cause. See ``decide`` for how they come to the map.

What CCQ leaves unmatched is looked at from both sides, see ``cross_sections``: a road that is there but aside is
``displaced``, not missing and spurious; a road drawn as two lines, or two as one, is ``drawn_double`` or
``drawn_single``; a copy right beside a road is ``doubled`` (``merged`` where the reference has it). What is left is
``missing`` or ``spurious``. Pieces of both networks that hang on the same places are the same roads, drawn elsewhere:
``displaced`` too. A gap between ends of one network where the other one runs through is a ``break`` or, the other way
round, a ``false_link``; see ``gaps``. Exchanging the networks exchanges the kinds.

Slivers are counted, not listed: pieces shorter than ``shortest``, and those that only oscillate around the tolerance.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from geoeval._kernels.boxes import BoxTree
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.cross_sections import COPY, DISPLACED, ONE_FOR_TWO, ONE_OF_TWO
from geoeval.roads.causes.gaps import Gaps, find_gaps
from geoeval.roads.causes.grouping import joined_sets
from geoeval.roads.causes.hidden import hidden_roads
from geoeval.roads.causes.labelled import Labelled, Scale, beside_its_double, labelled
from geoeval.roads.causes.same_places import hang_on_same_places
from geoeval.roads.causes.unmatched import unmatched_parts
from geoeval.roads.ccq.ccq import CcqMatching
from geoeval.roads.geometry.network_tree import network_tree
from geoeval.roads.geometry.pieces import cut_roads

Trees = tuple[BoxTree, BoxTree]

_ALONE_KINDS = ("missing", "spurious")
_COPY_KINDS = ("merged", "doubled")
_COPY_NOTES = ("drawn as one with the road beside it", "a copy beside the road")
_GAP_KINDS = ("false_link", "break")
# What is displaced: this share of a road, or so many times the reach.
_MOST_OF_A_ROAD = 0.6
_LONG_WAY = 5.0
# Of the reach: how far from where two roads fork they may still be one.
_FORK = 4.0


@dataclass
class Found:
    """Errors as columns; what is too small to be one, by kind: number and length.

    ``surroundings`` are the roads on which something is unmatched, as far as that explains their junctions.
    """

    rows: dict[str, list[Any]] = field(default_factory=dict)
    slivers: dict[str, list[float]] = field(default_factory=dict)
    surroundings: Objects = field(default_factory=lambda: np.zeros(0, dtype=object))

    def add(self, kind: str, geometry: Objects, **columns: Any) -> None:
        """Add errors of one kind; a column is one value for all or one each."""
        count = len(geometry)
        values = {
            "kind": kind, "geometry": geometry, "length_m": shapely.length(geometry), "ref_id": "", "pred_id": "",
            "dist_m": np.nan, "ref_m": 0.0, "pred_m": 0.0, "note": "", **columns,
        }  # fmt: skip
        for name, value in values.items():
            each = isinstance(value, list | np.ndarray)
            self.rows.setdefault(name, []).extend(list(value) if each else [value] * count)

    def sum_up(self, kind: str, metres: Floats) -> None:
        """Count slivers of a kind."""
        if len(metres):
            entry = self.slivers.setdefault(kind, [0, 0.0])
            entry[0] += len(metres)
            entry[1] += float(metres.sum())


def find_causes(
    reference: RoadNetwork, prediction: RoadNetwork, matching: CcqMatching, scale: Scale, *, gaps: bool = True
) -> Found:
    """The errors of a prediction, except wrong junctions.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    matching
        What CCQ found.
    scale
        What is near.
    gaps
        Whether to look for breaks and false links.

    Returns
    -------
    Found
        ``ref_m`` and ``pred_m`` are the metres that CCQ leaves unmatched and that an error accounts for; with the
        slivers (``missing`` for the reference, ``spurious`` for the prediction) they add up to all of them.
    """
    networks = (reference, prediction)
    trees: Trees = (network_tree(reference), network_tree(prediction))
    parts = [unmatched_parts(*pair) for pair in zip(networks, (matching.missing, matching.spurious), strict=True)]
    sides = (labelled(parts[0], trees[0], trees[1], scale), labelled(parts[1], trees[1], trees[0], scale))
    open_ = [np.ones(len(side), dtype=bool) for side in sides]
    found = Found(surroundings=_surroundings(sides, scale))
    if gaps:
        for own in (1, 0):
            pair = (trees[own], trees[1 - own])
            _add_gaps(found, sides, open_, own, find_gaps(networks[own], networks[1 - own], pair, scale), scale)
    _add_divided(found, sides, open_, scale)
    _add_displaced(found, sides, open_, scale)
    for own in (0, 1):
        pair = (trees[own], trees[1 - own])
        if gaps:
            _add_hidden(found, sides[own], networks[1 - own], pair, open_[own], own, scale)
        for label, kinds in ((COPY, _COPY_KINDS), (None, _ALONE_KINDS)):
            _add_single(found, sides[own], open_[own], own, label, kinds[own], scale)
    return found


def _surroundings(sides: tuple[Labelled, Labelled], scale: Scale) -> Objects:
    """All unmatched parts, on to where their roads leave others: at a sharp fork that is a long way off."""
    lines = [
        cut_roads(
            side.network, side.runs.road, np.maximum(side.runs.begin - _FORK * scale.reach, 0.0),
            np.minimum(side.runs.end + _FORK * scale.reach, side.network.roads.length[side.runs.road]),
        )[0]
        for side in sides
    ]  # fmt: skip
    return np.concatenate(lines)


# ------------------------------------------------------------------ gaps


def _add_gaps(
    found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], own: int, gaps: Gaps, scale: Scale
) -> None:
    """Gaps of one side, with what is unmatched of the other side inside each.

    A gap on a longer unmatched stretch is a consequence: the road is missing, or spurious. So is one on a whole road.
    """
    other = sides[1 - own]
    lines = np.asarray(shapely.linestrings(np.stack([gaps.begin, gaps.end], axis=1)), dtype=object)
    mine: Floats = np.zeros(len(lines))
    if len(lines) and len(other):
        there = np.flatnonzero(open_[1 - own])
        runs = other.runs
        courses, _ = cut_roads(other.network, runs.road[there], runs.begin[there], runs.end[there])
        middle = shapely.line_interpolate_point(lines, 0.5, normalized=True)
        gap, part = shapely.STRtree(courses).query(np.asarray(middle), "dwithin", scale.tolerance)
        part = there[part]
        fits = (other.runs.length[part] <= shapely.length(lines)[gap] + 2 * scale.tolerance) & ~other.is_whole[part]
        kept = np.ones(len(lines), dtype=bool)
        kept[gap[~fits]] = False
        inside = fits & kept[gap]
        part, first = np.unique(part[inside], return_index=True)
        gap = gap[inside][first]
        open_[1 - own][part] = False
        mine = np.bincount(gap, weights=other.metres[part], minlength=len(lines)).astype(np.float64)[kept]
        gaps, lines = gaps.some(kept), lines[kept]
    network, beyond = sides[own].network, other.network
    ids = [f"{a};{b}" if a != b else str(a) for a, b in zip(
        network.source_ids[gaps.segment], network.source_ids[gaps.to_segment], strict=True)]  # fmt: skip
    metres = shapely.length(lines)
    names = ("ref_id", "pred_id")
    said = "the prediction has a gap of {:.1f} m here, the reference runs through" if own else (
        "connects what the reference keeps {:.1f} m apart")  # fmt: skip
    found.add(
        _GAP_KINDS[own], lines, length_m=metres, dist_m=metres, note=[said.format(value) for value in metres],
        **{names[own]: ids, names[1 - own]: [str(value) for value in beyond.source_ids[gaps.other_segment]],
           ("ref_m", "pred_m")[1 - own]: mine},
    )  # fmt: skip


# ------------------------------------------------------------------ divided roads


def _add_divided(found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], scale: Scale) -> None:
    """Roads that one side draws as two lines and the other as one: one error for each road that is one line."""
    for own, kind in ((1, "drawn_double"), (0, "drawn_single")):
        two, one = sides[own], sides[1 - own]
        network = one.network
        roads, lengths = network.roads, network.segment_lengths
        double = np.flatnonzero(open_[own] & (two.label == ONE_OF_TWO))
        single = np.flatnonzero(open_[1 - own] & (one.label == ONE_FOR_TWO))
        # Where the lines lie along the road that is one line.
        chosen = np.flatnonzero(np.isin(two.part, double) & (two.segment >= 0))
        at = _project(network, two.segment[chosen], two.place[chosen])
        road, metres = roads.along(two.segment[chosen], at, lengths)
        owner = _most_common(two.part[chosen], road, len(two))
        rows: dict[int, list[Any]] = {}
        for which, along in zip(road.tolist(), metres.tolist(), strict=True):
            rows.setdefault(which, []).append((along, along))
        for part in single.tolist():
            rows.setdefault(int(one.runs.road[part]), []).append((one.runs.begin[part], one.runs.end[part]))
        if not rows:
            continue
        which = np.array(sorted(rows))
        begin = np.array([min(low for low, _ in rows[k]) for k in which])
        end = np.array([max(high for _, high in rows[k]) for k in which])
        metres_two = np.array([two.metres[double[owner[double] == k]].sum() for k in which])
        metres_one = np.array([one.metres[single[one.runs.road[single] == k]].sum() for k in which])
        long = end - begin >= 2 * scale.shortest
        for k in which[long].tolist():
            open_[own][double[owner[double] == k]] = False
            open_[1 - own][single[one.runs.road[single] == k]] = False
        lines, ids = cut_roads(network, which[long], begin[long], end[long])
        names = ("ref_id", "pred_id")
        note = "two lines are drawn for one of the reference" if own else "one line is drawn for two of the reference"
        found.add(
            kind, lines, note=note,
            **{names[1 - own]: ids, ("ref_m", "pred_m")[own]: metres_two[long],
               ("ref_m", "pred_m")[1 - own]: metres_one[long]},
        )  # fmt: skip


def _project(network: RoadNetwork, segment: Ints, xy: Floats) -> Floats:
    """Metres along segments of the places nearest to some others."""
    from geoeval.model.road_network import project

    return project(xy, network.nodes[network.segments[segment]])[0] if len(segment) else np.zeros(0)


def _most_common(group: Ints, value: Ints, count: int) -> Ints:
    """The most common value of each group; -1 where a group has none."""
    best = np.full(count, -1)
    if len(group):
        pairs, number = np.unique(np.column_stack([group, value]), axis=0, return_counts=True)
        order = np.lexsort([-pairs[:, 1], number])
        best[pairs[order, 0]] = pairs[order, 1]
    return best


# ------------------------------------------------------------------ displaced


def _add_displaced(found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], scale: Scale) -> None:
    """Roads that are there but aside, and pieces of both networks that hang on the same places: one error each."""
    ref, pred = sides
    count = len(ref) + len(pred)
    first, second = _counterparts(sides)
    label = np.concatenate([ref.label, pred.label])
    still = np.concatenate(open_)
    aside = still & (label == DISPLACED)
    linked = aside[first] & aside[second]
    together = hang_on_same_places(sides, still, first, second, scale)
    groups = joined_sets(count, np.concatenate([first[linked], together[0]]),
                         np.concatenate([second[linked], together[1]]))  # fmt: skip
    moved = aside | np.isin(np.arange(count), np.concatenate(together))
    is_ref = np.arange(count) < len(ref)
    whole = np.zeros(count, dtype=bool)  # sets that are the same thing, as a whole
    whole[groups[together[0]]] = True
    both = np.bincount(groups[moved & is_ref], minlength=count).astype(bool)
    both &= np.bincount(groups[moved & ~is_ref], minlength=count).astype(bool)
    length = np.concatenate([ref.runs.length, pred.runs.length])
    # A road is displaced as a whole, or over a long way; where it is so for a moment, something else is going on.
    of_road = np.concatenate([side.network.roads.length[side.runs.road] for side in sides])
    most_of_it = (length >= 2 * scale.bridge) & (length >= _MOST_OF_A_ROAD * of_road)
    most_of_it |= length >= _LONG_WAY * scale.reach
    for of_side in (is_ref, ~is_ref):
        enough = np.zeros(count, dtype=bool)
        enough[groups[aside & most_of_it & of_side]] = True
        both &= enough
    moved &= both[groups] | whole[groups]
    if not moved.any():
        return
    metres = np.concatenate([ref.metres, pred.metres])
    far = np.concatenate([ref.far, pred.far])
    distance = np.concatenate([ref.aside, pred.aside])
    number = np.unique(groups[moved])
    size = int(groups.max()) + 1
    ref_m = np.bincount(groups[moved & is_ref], weights=metres[moved & is_ref], minlength=size)[number]
    pred_m = np.bincount(groups[moved & ~is_ref], weights=metres[moved & ~is_ref], minlength=size)[number]
    most = np.zeros(size)
    np.maximum.at(most, groups[moved], far[moved])
    listed = (np.maximum(ref_m, pred_m) >= scale.shortest) & (most[number] > scale.hardly)
    for own in (0, 1):
        ours = moved & (is_ref == (own == 0))
        found.sum_up(_ALONE_KINDS[own], metres[ours & np.isin(groups, number[~listed])])
        open_[own][ours[: len(ref)] if own == 0 else ours[len(ref) :]] = False
    # The line of an error is its longest piece, of the prediction if it has one.
    chosen = np.flatnonzero(moved & np.isin(groups, number[listed]))
    chosen = chosen[np.lexsort([chosen, -length[chosen], is_ref[chosen], groups[chosen]])]
    chosen = chosen[np.unique(groups[chosen], return_index=True)[1]]
    mean = np.where(np.isfinite(distance[chosen]), distance[chosen], most[number][listed])
    for own, side, base in ((0, ref, 0), (1, pred, len(ref))):
        mine = np.flatnonzero(is_ref[chosen] == (own == 0))
        shown = chosen[mine] - base
        lines, ids = cut_roads(side.network, side.runs.road[shown], side.runs.begin[shown], side.runs.end[shown])
        has = side.segment >= 0
        beside = _most_common(side.part[has], side.segment[has], len(side))[shown]
        names = [str(sides[1 - own].network.source_ids[k]) if k >= 0 else "" for k in beside.tolist()]
        found.add(
            "displaced", lines, dist_m=mean[mine], ref_m=ref_m[listed][mine], pred_m=pred_m[listed][mine],
            note=[f"drawn {metres:.0f} m beside its place" for metres in mean[mine]],
            **{("ref_id", "pred_id")[own]: ids, ("ref_id", "pred_id")[1 - own]: names},
        )  # fmt: skip


def _counterparts(sides: tuple[Labelled, Labelled]) -> tuple[Ints, Ints]:
    """Pairs of parts of both sides of which one has samples whose counterpart lies on the other one."""
    ref, pred = sides
    first, second = [], []
    for own, other, base, shift in ((ref, pred, 0, len(ref)), (pred, ref, len(ref), 0)):
        if len(own) == 0 or len(other) == 0:
            continue
        has = np.flatnonzero(own.segment >= 0)
        network = other.network
        at = _project(network, own.segment[has], own.place[has])
        road, metres = network.roads.along(own.segment[has], at, network.segment_lengths)
        before = np.concatenate([[0.0], np.cumsum(network.roads.length + 1.0)])
        begins = before[other.runs.road] + other.runs.begin
        order = np.argsort(begins, kind="stable")
        part = order[np.maximum(np.searchsorted(begins[order], before[road] + metres, side="right") - 1, 0)]
        on = (other.runs.road[part] == road) & (other.runs.begin[part] <= metres) & (metres <= other.runs.end[part])
        first.append(own.part[has][on] + base)
        second.append(part[on] + shift)
    if not first:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    pairs = np.unique(np.column_stack([np.concatenate(first), np.concatenate(second)]), axis=0)
    return pairs[:, 0], pairs[:, 1]


# ------------------------------------------------------------------ what is only on one side


def _listable(side: Labelled, scale: Scale) -> Bools:
    """Which parts are long enough to be listed, and farther away than the tolerance for more than a moment."""
    long = (side.metres >= scale.shortest) | (side.is_whole & (side.runs.length >= scale.shortest))
    return np.asarray(long & ~(side.far <= scale.hardly))


def _add_hidden(
    found: Found, side: Labelled, other: RoadNetwork, trees: Trees, open_: Bools, own: int, scale: Scale
) -> None:
    """Whole roads that are not there, though the tolerance hides most of them."""
    road = hidden_roads(side, other, trees, open_, _listable(side, scale), scale)
    length = side.network.roads.length[road]
    parts = np.flatnonzero(open_ & np.isin(side.runs.road, road))
    open_[parts] = False
    by_road = np.bincount(side.runs.road[parts], weights=side.metres[parts], minlength=len(side.network.roads))
    metres = by_road.astype(np.float64)[road]
    small = length < scale.shortest
    found.sum_up(_ALONE_KINDS[own], metres[small])
    hardly_there, _ = cut_roads(side.network, road[small], np.zeros(small.sum()), length[small])
    found.surroundings = np.concatenate([found.surroundings, hardly_there])
    lines, ids = cut_roads(side.network, road[~small], np.zeros((~small).sum()), length[~small])
    middle = shapely.get_coordinates(shapely.line_interpolate_point(lines, 0.5, normalized=True))
    copy = beside_its_double(side.network, road[~small], middle, 2 * scale.tolerance)
    names = np.array(ids, dtype=object)
    for kind, rows, note in (
        (_COPY_KINDS[own], copy, _COPY_NOTES[own]),
        (_ALONE_KINDS[own], ~copy, f"the {('prediction', 'reference')[own]} has no such road, only others near it"),
    ):
        found.add(kind, lines[rows], note=note, **{
            ("ref_id", "pred_id")[own]: names[rows], ("ref_m", "pred_m")[own]: metres[~small][rows]})  # fmt: skip


def _add_single(
    found: Found, side: Labelled, open_: Bools, own: int, label: int | None, kind: str, scale: Scale
) -> None:
    """Parts of one side that are left, of one label or of all."""
    chosen = np.flatnonzero(open_ & ((side.label == label) if label is not None else True))
    if label == COPY:
        chosen = chosen[side.metres[chosen] >= scale.shortest]
    open_[chosen] = False
    metres, listed = side.metres[chosen], _listable(side, scale)[chosen]
    found.sum_up(_ALONE_KINDS[own], metres[~listed])
    chosen = chosen[listed]
    lines, ids = cut_roads(side.network, side.runs.road[chosen], side.runs.begin[chosen], side.runs.end[chosen])
    other = ("prediction", "reference")[own]
    note = f"more than {scale.tolerance:g} m from the {other}" if label is None else _COPY_NOTES[own]
    found.add(
        kind, lines, dist_m=np.where(np.isfinite(side.far[chosen]), side.far[chosen], np.nan), note=note,
        **{("ref_id", "pred_id")[own]: ids, ("ref_m", "pred_m")[own]: metres[listed]},
    )  # fmt: skip
