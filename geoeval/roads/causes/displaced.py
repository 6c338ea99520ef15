"""Roads, and pieces of both networks, that are there but not at their place."""

import numpy as np
import shapely

from geoeval.arrays import Bools, Ints
from geoeval.roads.causes.clusters import clusters_of
from geoeval.roads.causes.counterparts import counterparts, most_common
from geoeval.roads.causes.cross_sections import ALONE, COPY, DISPLACED
from geoeval.roads.causes.found import ALONE_KINDS, IDS, Found
from geoeval.roads.causes.grouping import joined_sets
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.causes.same_nodes import FARTHEST
from geoeval.roads.causes.same_places import hang_on_same_places
from geoeval.roads.causes.unmatched import Runs
from geoeval.roads.geometry.pieces import cut_roads
from geoeval.roads.geometry.sampling import coordinates

# What is displaced: this share of a road, or so many times the reach.
_MOST_OF_A_ROAD = 0.6
_LONG_WAY = 5.0
# Of a tangle: pieces, and the greatest radius in reaches.
_SEVERAL = 3
SMALL_PLACE = 2.5


def add_bent(
    found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], roads: tuple[Runs, Runs], scale: Scale
) -> None:
    """Roads that leave their place between two junctions and come back to it: one error for each time.

    ``roads`` are pairs of stretches between the same stops, see ``same_roads``. What else lies beside such a bend, as
    the other line of a divided road, has nothing to do with it.
    """
    ref, pred = sides
    count = len(ref) + len(pred)
    inside = np.concatenate([_leaves_and_returns(side, still, scale) for side, still in zip(sides, open_, strict=True)])
    first, second = _on_same_roads(sides, np.concatenate(open_), roads, scale)
    groups = joined_sets(count, first, second)
    bent = np.isin(np.arange(count), np.concatenate([first, second]))
    # All of the parts of a bend are parts of a bend.
    outside = np.zeros(count, dtype=bool)
    outside[groups[~inside]] = True
    _add(found, sides, open_, groups, bent & ~outside[groups], scale)


def _leaves_and_returns(side: Labelled, still: Bools, scale: Scale) -> Bools:
    """Which parts belong to a run, all of it open and near, that does not reach an end of its road."""
    inside = still & (side.ends() < 0).all(axis=1) & (side.far <= FARTHEST * scale.reach)
    run = np.cumsum(side.follows < 0) - 1
    return np.asarray((np.bincount(run, weights=~inside) == 0)[run]) if len(side) else inside


def add_displaced(
    found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], roads: tuple[Runs, Runs], scale: Scale
) -> None:
    """Roads that are there but aside, and pieces of both networks that hang on the same places: one error each.

    ``roads`` are pairs of stretches between the same stops, see ``same_roads``: what is unmatched of them is displaced.
    """
    ref, pred = sides
    count = len(ref) + len(pred)
    first, second = counterparts(sides)
    label = np.concatenate([ref.label, pred.label])
    still = np.concatenate(open_)
    aside = still & (label == DISPLACED)
    linked = aside[first] & aside[second]
    near = still & (np.concatenate([ref.far, pred.far]) <= FARTHEST * scale.reach)
    links = [hang_on_same_places(sides, near & ((label == ALONE) | aside), first, second, scale),
             _on_same_roads(sides, near & ((label == ALONE) | (label == COPY) | aside), roads, scale)]  # fmt: skip
    together = [np.concatenate(ends) for ends in zip(*links, strict=True)]
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
    _add(found, sides, open_, groups, moved & (both[groups] | whole[groups]), scale)


def add_tangles(found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], scale: Scale) -> None:
    """What is left of both networks at one small place, in several pieces: it is drawn differently, as one error.

    A piece that ends freely in one network alone is no part of such a place.
    """
    near = np.concatenate(
        [still & (side.far <= FARTHEST * scale.reach) for side, still in zip(sides, open_, strict=True)]
    )
    if not near.any():
        return
    clusters = clusters_of(sides, near, scale.reach)
    is_ref = np.arange(len(near)) < len(sides[0])
    metres = np.concatenate([side.metres for side in sides])
    both = np.minimum(clusters.sums(metres * (near & is_ref)), clusters.sums(metres * (near & ~is_ref)))
    tangle = (clusters.sums(near) >= _SEVERAL) & (both >= scale.shortest) & clusters.end_alike
    tangle &= clusters.radius <= SMALL_PLACE * scale.reach
    _add(found, sides, open_, clusters.number, near & tangle[clusters.number], scale)


def _add(
    found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], groups: Ints, moved: Bools, scale: Scale
) -> None:
    """One error for each set of the parts that are displaced; parts of the reference are numbered first."""
    if not moved.any():
        return
    ref, pred = sides
    is_ref = np.arange(len(moved)) < len(ref)
    length = np.concatenate([ref.runs.length, pred.runs.length])
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
        small = np.flatnonzero(ours & np.isin(groups, number[~listed]))
        found.sum_up(ALONE_KINDS[own], sides[own].network, sides[own].runs.some(small - own * len(ref)), metres[small])
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
        beside = most_common(side.part[has], side.segment[has], len(side))[shown]
        names = [str(sides[1 - own].network.source_ids[k]) if k >= 0 else "" for k in beside.tolist()]
        found.add(
            "displaced", lines, dist_m=mean[mine], ref_m=ref_m[listed][mine], pred_m=pred_m[listed][mine],
            note=[f"drawn {metres:.0f} m beside its place" for metres in mean[mine]],
            **{IDS[own]: ids, IDS[1 - own]: names},
        )  # fmt: skip


def _on_same_roads(
    sides: tuple[Labelled, Labelled], may: Bools, roads: tuple[Runs, Runs], scale: Scale
) -> tuple[Ints, Ints]:
    """Pairs of parts near each other on roads that are the same."""
    ref, pred = sides
    pair = [own.that_hold(side.runs, len(side.network.roads)) for own, side in zip(roads, sides, strict=True)]
    alive = np.flatnonzero(may & (np.concatenate(pair) >= 0))
    here, there = alive[alive < len(ref)], alive[alive >= len(ref)] - len(ref)
    lines = [cut_roads(side.network, side.runs.road[own], side.runs.begin[own], side.runs.end[own])[0]
             for side, own in ((ref, here), (pred, there))]  # fmt: skip
    near = shapely.STRtree(lines[1]).query(lines[0], "dwithin", FARTHEST * scale.reach)
    one, other = here[near[0]], there[near[1]]
    same = pair[0][one] == pair[1][other]
    one, other, same_road = one[same], other[same], pair[0][one[same]]
    beside = _meet_along(sides, (one, other), roads[1].some(same_road))
    beside |= _meet_along(sides[::-1], (other, one), roads[0].some(same_road))
    return one[beside], other[beside] + len(ref)


def _meet_along(sides: tuple[Labelled, Labelled], parts: tuple[Ints, Ints], roads: Runs) -> Bools:
    """Whether parts of the first side, laid on stretches of the second one, meet the parts of the second one there.

    Of a road with several bends each is laid beside itself alone, however near they are.
    """
    (own, other), (mine, theirs) = sides, parts
    lines, _ = cut_roads(other.network, roads.road, roads.begin, roads.end)
    places = [
        roads.begin + shapely.line_locate_point(lines, np.asarray(shapely.points(coordinates(
            own.network, *own.network.roads.locate(own.runs.road[mine], metres[mine], own.network.segment_lengths)))))
        for metres in (own.runs.begin, own.runs.end)
    ]  # fmt: skip
    low, high = np.minimum(*places), np.maximum(*places)
    return np.asarray((low <= other.runs.end[theirs]) & (other.runs.begin[theirs] <= high))
