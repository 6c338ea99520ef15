"""What SUBG and OPT-G share: travel from all starts on both networks, count what is matched, and map what is not."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.model.network import RoadNetwork
from geoeval.model.result import ErrorFeatures, LocalCounts, MetricResult, Score
from geoeval.roads.empty import empty_scores
from geoeval.roads.known import Box, is_deep
from geoeval.roads.pieces import cut_roads
from geoeval.roads.reach import ControlPoints, Reach
from geoeval.roads.starts import Starts, bootstrap_sd

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Matcher = Callable[[ControlPoints, ControlPoints], tuple[Bools, Bools]]

# Windows that abut in truth may miss each other by rounding.
_TOUCHING = 2e-6
_AT_ONCE = 100_000


@dataclass(frozen=True)
class Visits:
    """Control points on one network.

    Of each start how many it has and how many of these are matched; of each point its place, as metres along all
    roads laid end to end (see ``road_begins``), and whether it is matched.
    """

    count: Ints
    matched_count: Ints
    at: Floats
    matched: Bools

    @classmethod
    def of(cls, points: ControlPoints, matched: Bools, begins: Floats) -> "Visits":
        """Control points, of which some are matched, on roads that begin at these metres."""
        so_far = np.concatenate([[0], np.cumsum(matched)])
        return cls(points.count, np.diff(so_far[points.first]), begins[points.road] + points.along, matched)

    def of_rows(self, rows: Bools) -> "Visits":
        """Those of some of the starts."""
        points = np.repeat(rows, self.count)
        return Visits(self.count[rows], self.matched_count[rows], self.at[points], self.matched[points])


def road_begins(network: RoadNetwork, spacing: float) -> Floats:
    """Where each road begins if all are laid end to end, two spacings apart; and where another one would."""
    return np.concatenate([[0.0], np.cumsum(network.roads.length + 2 * spacing)])


@dataclass(frozen=True)
class Matching:
    """The control points around all starts on both networks, and which of them are matched."""

    starts: Starts
    reference: Visits
    prediction: Visits

    @property
    def counts(self) -> Ints:
        """One row a start: matched and all predicted control points, matched and all reference ones."""
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
) -> Matching:
    """Travel from all starts and match what is reached, a batch of starts at a time.

    ``matcher`` takes the control points of both networks and says which of each are matched.
    """
    reach, other_reach = Reach(reference), Reach(prediction)
    begins, other_begins = road_begins(reference, spacing), road_begins(prediction, spacing)
    visits: list[tuple[Visits, Visits]] = []
    told = 0.0
    for batch in starts.batches():
        here, there = starts.reference, starts.prediction
        a = reach.control_points(here.segment[batch], here.offset[batch], radius=radius, spacing=spacing)
        b = other_reach.control_points(there.segment[batch], there.offset[batch], radius=radius, spacing=spacing)
        matched, other_matched = matcher(a, b)
        ours, theirs = Visits.of(a, matched, begins), Visits.of(b, other_matched, other_begins)
        visits.append(_best_partners(ours, theirs, starts.number[batch]))
        if progress is not None and batch.stop / len(starts.number) >= min(told + 0.02, 1.0):
            told = batch.stop / len(starts.number)
            progress(told)
    sides = zip(*visits, strict=True)
    return Matching(starts, *(_joined(side) for side in sides))


def local_counts(matching: Matching, names: Mapping[str, int], *, far: float, known: Box | None) -> LocalCounts:
    """The counts start by start; ``names`` tells the column of each, ``far`` how far a start sees."""
    starts, counts = matching.starts, matching.counts
    first = np.searchsorted(starts.number, np.arange(len(starts)))
    drawn = starts.drawn_on_reference
    here = np.concatenate([starts.reference.segment[first[:drawn]], starts.prediction.segment[first[drawn:]]])
    by_name = {name: counts[:, column].astype(np.float64) for name, column in names.items()}
    return LocalCounts(
        starts.xy,
        {**by_name, "n": np.ones(len(starts))},
        item=here,
        item_is_node=False,
        reference_rows=drawn,
        certain=is_deep(starts.xy, known, far),
    )


def scored(counts: Ints, drawn: int, rng: np.random.Generator | None) -> tuple[dict[str, Score], Ints]:
    """Scores ``precision``, ``recall``, ``f1``, ``sd``, ``n``, and the four pooled counts.

    ``counts`` has a row a start, as ``Matching.counts``; ``drawn`` of them are on the reference and come first.
    Without ``rng`` there is no ``sd``.
    """
    pooled = counts.sum(axis=0)
    precision, recall, f1 = (float(value[0]) for value in _ratios(pooled[None]))
    scores: dict[str, Score] = {"precision": precision, "recall": recall, "f1": f1}
    if rng is not None:
        # A stream of its own: how the starts were drawn must not matter to it.
        resampling, groups = rng.spawn(1)[0], (drawn, len(counts) - drawn)
        scores["sd"] = bootstrap_sd(lambda resampled: _ratios(resampled)[2], counts, groups, resampling)
    return {**scores, "n": len(counts)}, pooled


def result_of_empty(
    metric: str, reference: RoadNetwork, prediction: RoadNetwork, counts: Sequence[str], *, as_scores: bool
) -> MetricResult | None:
    """The result where a network is empty, or ``None``: all roads of the other one are missing or spurious."""
    scores = empty_scores(reference, prediction, good=("precision", "recall", "f1"))
    if scores is None:
        return None
    errors = ErrorFeatures(metric)
    for kind, network in (("missing", reference), ("spurious", prediction)):
        number = len(network.roads)
        whole = Stretches(np.arange(number), np.zeros(number), network.roads.length.copy(), np.ones(number))
        add_stretches(errors, kind, network, whole)
    none = dict.fromkeys(counts, 0)
    return MetricResult({**scores, **(none if as_scores else {}), "sd": 0.0, "n": 0}, {**none, "n": 0}, errors)


def errors_of(
    metric: str, reference: RoadNetwork, prediction: RoadNetwork, matching: Matching, *, spacing: float
) -> ErrorFeatures:
    """``missing`` stretches of the reference and ``spurious`` ones of the prediction."""
    errors = ErrorFeatures(metric)
    for kind, network, visits in (
        ("missing", reference, matching.reference),
        ("spurious", prediction, matching.prediction),
    ):
        add_stretches(errors, kind, network, unmatched_stretches(network, visits, spacing=spacing))
    return errors


@dataclass(frozen=True)
class Stretches:
    """Stretches of roads, metres along them where each begins and ends, and the share of visits without a partner."""

    road: Ints
    begin: Floats
    end: Floats
    rate: Floats


def unmatched_stretches(network: RoadNetwork, visits: Visits, *, spacing: float) -> Stretches:
    """Stretches where at least half of the visits went unmatched.

    A visited point stands for half a spacing of its road to either side. So the rate at a place is the share of
    unmatched visits among those within half a spacing; it is constant between the ends of such windows, and
    neighbouring parts with a rate of 0.5 or more become one stretch with their mean rate. What is finer than half a
    spacing says nothing: smaller gaps between parts are closed, smaller stretches dropped (unless the whole road is
    one). Other places that no start visited belong to none. O(v log v) for v visits.
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
        return Stretches(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    return Stretches(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("road", "begin", "end", "rate"))
    )


def _stretches(network: RoadNetwork, begins: Floats, at: Floats, lost: Bools, spacing: float) -> Stretches:
    """The same for visits sorted by their place on all roads laid end to end."""
    length, half = network.roads.length, spacing / 2
    # Opening and closing of the windows in one order; both are sorted already, so that this sort only merges.
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
        return Stretches(road, begin, end, rate)
    opens = np.ones(len(road), dtype=bool)
    opens[1:] = (road[1:] != road[:-1]) | (begin[1:] - end[:-1] >= half - _TOUCHING)
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(road)) - 1
    mean = np.add.reduceat(rate * (end - begin), first) / np.add.reduceat(end - begin, first)
    road, begin, end = road[first], begin[first], end[last]
    keep = end - begin >= np.minimum(half, length[road]) - _TOUCHING
    return Stretches(road[keep], begin[keep], end[keep], np.minimum(mean[keep], 1.0))


def add_stretches(errors: ErrorFeatures, kind: str, network: RoadNetwork, stretches: Stretches) -> None:
    """Add stretches of a network as features, ``missing`` (of the reference) or ``spurious``."""
    lines, ids = cut_roads(network, stretches.road, stretches.begin, stretches.end)
    names: dict[str, Any] = {"ref_id" if kind == "missing" else "pred_id": ids}
    note = [f"unmatched in {share:.0%} of the visits" for share in stretches.rate]
    length = stretches.end - stretches.begin
    errors.add(kind, lines, length_m=length, severity=stretches.rate, note=note, **names)


def _best_partners(ours: Visits, theirs: Visits, number: Ints) -> tuple[Visits, Visits]:
    """One row a start: of equally near partners the one that leaves least unmatched, then the one that matches most."""
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


def _ratios(counts: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1 of rows of four counts; 0 where nothing was counted."""
    matched, predicted, found, actual = counts.T.astype(np.float64)
    precision, recall = matched / np.maximum(predicted, 1.0), found / np.maximum(actual, 1.0)
    both = precision + recall
    return precision, recall, 2 * precision * recall / np.where(both > 0, both, 1.0)
