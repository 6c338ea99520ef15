"""Travelling from all starts on both networks: which control points are matched, and where they are not."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.surroundings.reach import Reach, ReachedPoints
from geoeval.roads.surroundings.starts import Starts

# Takes the control points of the reference and of the prediction, and says which of each are matched.
Matcher = Callable[[ReachedPoints, ReachedPoints], tuple[Bools, Bools]]

# Windows that touch may miss each other by rounding.
_TOUCHING = 2e-6
_AT_ONCE = 100_000


@dataclass(frozen=True)
class Visits:
    """Control points on one network.

    Attributes
    ----------
    count, matched_count
        How many control points each start has, and how many of them are matched.
    at, matched
        Where each control point is, in metres along all roads laid end to end (see ``road_begins``), and whether it is
        matched.
    """

    count: Ints
    matched_count: Ints
    at: Floats
    matched: Bools

    @classmethod
    def of(cls, points: ReachedPoints, matched: Bools, begins: Floats) -> "Visits":
        """Control points, some of them matched, on roads that begin at these metres."""
        so_far = np.concatenate([[0], np.cumsum(matched)])
        return cls(points.count, np.diff(so_far[points.first]), begins[points.road] + points.along, matched)

    def of_rows(self, rows: Bools) -> "Visits":
        """Those of some of the starts."""
        points = np.repeat(rows, self.count)
        return Visits(self.count[rows], self.matched_count[rows], self.at[points], self.matched[points])


def road_begins(network: RoadNetwork, spacing: float) -> Floats:
    """Where each road begins if all are laid end to end, two spacings apart; and where one more would begin."""
    return np.concatenate([[0.0], np.cumsum(network.roads.length + 2 * spacing)])


@dataclass(frozen=True)
class VisitMatching:
    """The control points around all starts on both networks, and which of them are matched."""

    starts: Starts
    reference: Visits
    prediction: Visits

    @property
    def counts(self) -> Ints:
        """One row per start: matched and all predicted control points, matched and all reference ones."""
        a, b = self.reference, self.prediction
        return np.column_stack([b.matched_count, b.count, a.matched_count, a.count])


def match_surroundings(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    starts: Starts,
    matcher: Matcher,
    *,
    radius: float,
    spacing: float,
    progress: Callable[[float], None] | None,
) -> VisitMatching:
    """Travel from all starts and match what is reached, one batch of starts at a time."""
    reach, other_reach = Reach(reference), Reach(prediction)
    begins, other_begins = road_begins(reference, spacing), road_begins(prediction, spacing)
    visits: list[tuple[Visits, Visits]] = []
    reported = 0.0
    for batch in starts.batches():
        here, there = starts.reference, starts.prediction
        a = reach.control_points(here.segment[batch], here.offset[batch], radius=radius, spacing=spacing)
        b = other_reach.control_points(there.segment[batch], there.offset[batch], radius=radius, spacing=spacing)
        matched, other_matched = matcher(a, b)
        ours, theirs = Visits.of(a, matched, begins), Visits.of(b, other_matched, other_begins)
        visits.append(_best_partners(ours, theirs, starts.number[batch]))
        if progress is not None and batch.stop / len(starts.number) >= min(reported + 0.02, 1.0):
            reported = batch.stop / len(starts.number)
            progress(reported)
    sides = zip(*visits, strict=True)
    return VisitMatching(starts, *(_joined(side) for side in sides))


@dataclass(frozen=True)
class VisitedStretches:
    """Stretches of roads: the metres at which each begins and ends, and the share of visits that went unmatched."""

    road: Ints
    begin: Floats
    end: Floats
    rate: Floats


def unmatched_stretches(network: RoadNetwork, visits: Visits, *, spacing: float) -> VisitedStretches:
    """Stretches where at least half of the visits went unmatched.

    A visited point stands for half a spacing of its road to either side. So the rate at a place is the share of
    unmatched visits among those within half a spacing; it is constant between the ends of such windows, and
    neighbouring parts with a rate of 0.5 or more become one stretch with their mean rate. Anything shorter than half a
    spacing is noise: such gaps between parts are closed, and such stretches are dropped unless they are whole roads.
    Other places that no start visited are in no stretch. O(v log v) for v visits.
    """
    begins = road_begins(network, spacing)  # so far apart that windows of two roads never meet
    order = np.argsort(visits.at, kind="stable")
    at, lost = visits.at[order], ~visits.matched[order]
    # Some roads at a time, so that the memory for windows does not grow with the number of visits.
    first_of_road = np.searchsorted(at, begins - spacing)
    wanted = np.arange(_AT_ONCE, len(at), _AT_ONCE)
    cuts = np.unique([0, *first_of_road[np.searchsorted(first_of_road, wanted)], len(at)]).tolist()
    parts = [
        _stretches(network, begins, at[begin:end], lost[begin:end], spacing) for begin, end in itertools.pairwise(cuts)
    ]
    if not parts:
        return VisitedStretches(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    return VisitedStretches(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("road", "begin", "end", "rate"))
    )


def _stretches(network: RoadNetwork, begins: Floats, at: Floats, lost: Bools, spacing: float) -> VisitedStretches:
    """The same for visits sorted by their place on all roads laid end to end."""
    length, half = network.roads.length, spacing / 2
    # Where windows open and close, in one order; both are sorted already, so this sort only merges them.
    edge = np.concatenate([at - half, at + half])
    order = np.argsort(edge, kind="stable")
    edge = edge[order]
    open_now = np.cumsum(np.where(order < len(at), 1, -1))[:-1]
    change = lost.astype(np.int64)
    unmatched = np.cumsum(np.concatenate([change, -change])[order])[:-1]
    part = np.flatnonzero((2 * unmatched >= open_now) & (open_now > 0) & (np.diff(edge) > _TOUCHING))
    road = np.searchsorted(begins, edge[part] + half, side="right") - 1
    begin = np.maximum(edge[part] - begins[road], 0.0)
    end = np.minimum(edge[part + 1] - begins[road], length[road])
    rate = unmatched[part] / open_now[part]
    inside = end - begin > _TOUCHING
    road, begin, end, rate = road[inside], begin[inside], end[inside], rate[inside]
    if len(road) == 0:
        return VisitedStretches(road, begin, end, rate)
    opens = np.ones(len(road), dtype=bool)
    opens[1:] = (road[1:] != road[:-1]) | (begin[1:] - end[:-1] >= half - _TOUCHING)
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(road)) - 1
    mean = np.add.reduceat(rate * (end - begin), first) / np.add.reduceat(end - begin, first)
    road, begin, end = road[first], begin[first], end[last]
    keep = end - begin >= np.minimum(half, length[road]) - _TOUCHING
    return VisitedStretches(road[keep], begin[keep], end[keep], np.minimum(mean[keep], 1.0))


def _best_partners(ours: Visits, theirs: Visits, number: Ints) -> tuple[Visits, Visits]:
    """One row per start: of equally near partners the one that leaves least unmatched, then that which matches most."""
    if len(np.unique(number)) == len(number):
        return ours, theirs
    agreeing = ours.matched_count + theirs.matched_count
    order = np.lexsort([-agreeing, ours.count + theirs.count - agreeing, number])
    rows = np.zeros(len(order), dtype=bool)
    rows[order[np.r_[True, np.diff(number[order]) > 0]]] = True
    return ours.of_rows(rows), theirs.of_rows(rows)


def _joined(visits: Sequence[Visits]) -> Visits:
    names = ("count", "matched_count", "at", "matched")
    return Visits(*(np.concatenate([getattr(one, name) for one in visits]) for name in names))
