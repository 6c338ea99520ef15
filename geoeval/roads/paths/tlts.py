"""TLTS: how many shortest paths of the reference are too long, too short or missing in the prediction.

Wegner, Montoya-Zegarra and Schindler (2013), in the form of Citraro, Koziński and Fua (ECCV 2020), section 2.2. Pairs
of connected places are drawn on the reference, both uniform in length. Each place is moved to the nearest place of
the prediction. A pair with a place farther than ``max_distance``, or not connected there, is *infeasible*.
Otherwise the lengths a of the shortest path in the reference and b in the prediction are compared: b above
(1 + ``length_tolerance``) a is *too long*, below (1 - ``length_tolerance``) a *too short*, else *correct*.

Shortest means by length, not by number of vertices, and places lie anywhere on roads, not only at vertices.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.defaults import MAX_DISTANCE
from geoeval.metrics.empty import empty_scores
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, count, error_share, share, spread
from geoeval.roads.paths.culprits import add_all_roads, add_culprits
from geoeval.roads.paths.pairs import (
    check_length,
    compare_pairs,
    control_points,
    given_pairs,
    parse_pairs,
    partners,
    random_pairs,
    ticker,
)
from geoeval.roads.paths.shortest_paths import PathFinder, Places, Route, rows

CLASSES = ("correct", "too_long", "too_short", "infeasible")
_CORRECT, _TOO_LONG, _TOO_SHORT, _INFEASIBLE = range(4)
# With pairs="all" millions can fail; the map shows this many, the shortest: they locate the error best.
_MOST_PATHS = 1000
_MOST_IDS = 8


def tlts(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    length_tolerance: float = 0.05,
    pairs: int | str | Sequence[Any] = 1000,
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
) -> MetricResult:
    """Share of shortest paths whose length the prediction keeps.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        How far, in metres, a place of the reference may be from its partner in the prediction.
    length_tolerance
        Relative difference of lengths up to which a path is correct.
    pairs
        Number of random pairs; or a list of ``((x, y), (x, y))``, each place moved to the nearest place of the
        reference; or ``"all"``: every pair of junctions and ends (and of the far points of loops and rings), without
        sampling. Given pairs whose places are not connected in the reference, or are the same, do not count.
    rng
        Source of the random pairs; ``default_rng(0)`` by default.
    progress
        Called from time to time with the fraction done; an exception raised in it stops the work.

    Returns
    -------
    MetricResult
        Scores ``correct``, ``too_long``, ``too_short``, ``infeasible``, ``sd`` (standard deviation of ``correct`` that
        resampling the pairs would give, sqrt(p (1 - p) / n); 0 for ``"all"``) and ``n``, the pairs counted. Errors:
        ``path``, the reference's shortest path of each pair that fails (with ``"all"``, of the 1000 shortest), and
        ``culprit``, each reference road with the share of the paths through it that fail.

    Notes
    -----
    Both networks empty: correct is 1. One empty: infeasible is 1. Without pairs to count the scores are undefined. One
    directed search per pair and network, O(n r log r) at worst for n pairs and r roads. With ``"all"`` one search per
    junction or end and network, O(k (r log r + k)), and memory grows with k and r only.
    """
    max_distance = check_length("max_distance", max_distance)
    length_tolerance = check_length("length_tolerance", length_tolerance)
    wanted = parse_pairs(pairs)
    errors = ErrorFeatures("tlts")
    empty = empty_scores(reference, prediction, good=CLASSES[:1], bad=CLASSES[3:])
    if empty is not None:
        add_all_roads(errors, reference, prediction)
        return MetricResult({**dict.fromkeys(CLASSES, 0.0), **empty, "sd": 0.0, "n": 0}, errors=errors)

    here, there = PathFinder(reference), PathFinder(prediction)
    if isinstance(wanted, str):
        matching = _match_all(here, there, max_distance, length_tolerance, progress)
    else:
        generator = rng if rng is not None else np.random.default_rng(0)
        drawn = random_pairs(here, wanted, generator) if isinstance(wanted, int) else given_pairs(here, wanted)
        matching = _match(here, there, *drawn, max_distance, length_tolerance, progress)
    _add_paths(errors, here, matching, max_distance)
    add_culprits(errors, here, matching.through, "{0:.0f} of {1:.0f} shortest paths through here fail", ids="ref_id")
    return _result(matching, errors, sampled=not isinstance(wanted, str))


@dataclass(frozen=True)
class TltsMatching:
    """Pairs by class, paths through each road (all, failing), and the pairs that the map shows, perhaps with paths."""

    counts: Ints
    through: Floats
    start: Places
    end: Places
    kind: Ints
    here: Floats
    there: Floats
    away: Bools
    dropped: int = 0
    routes: list[Route | None] | None = None


def _match(
    here: PathFinder,
    there: PathFinder,
    start: Places,
    end: Places,
    max_distance: float,
    tolerance: float,
    progress: Callable[[float], None] | None,
) -> TltsMatching:
    """Compare the pairs one by one."""
    compared = compare_pairs(here, there, start, end, max_distance, ticker(progress, len(start)))
    a, b = compared.here, compared.there
    counted = np.isfinite(a) & (a > 0)
    kind = _classify(a[counted], b[counted], tolerance)
    numbers = np.flatnonzero(counted)
    weight = np.column_stack([np.ones(len(numbers)), (kind != _CORRECT).astype(np.float64)])
    through = compared.through(numbers, weight, len(here.graph.length))
    return TltsMatching(
        np.bincount(kind, minlength=4),
        through,
        start[counted],
        end[counted],
        kind,
        a[counted],
        b[counted],
        compared.away[counted],
        int((~counted).sum()),
        [compared.routes[i] for i in numbers.tolist()],
    )


def _match_all(
    here: PathFinder, there: PathFinder, max_distance: float, tolerance: float, progress: Callable[[float], None] | None
) -> TltsMatching:
    """Compare all pairs of junctions and ends, row by row; keep the shortest failing pairs."""
    points = control_points(here, np.inf).places
    matched = partners(here, there, points, max_distance)
    tick = ticker(progress, len(points))
    counts, through = np.zeros(4, dtype=np.int64), np.zeros((len(here.graph.length), 2))
    kept = np.zeros((0, 4))  # first point, second point, length here, length there
    for i, a, b in rows(here, points, there, matched):
        tick(i)
        counted = np.isfinite(a)
        kind = np.full(len(a), -1)
        kind[counted] = _classify(a[counted], b[counted], tolerance)
        counts += np.bincount(kind[counted], minlength=4)
        failed = kind > _CORRECT
        here.credit(i, points, a, np.column_stack([counted, failed]).astype(np.float64), through)
        later = np.flatnonzero(failed)
        row = np.column_stack([np.full(len(later), i), i + 1 + later, a[later], b[later]])
        kept = np.concatenate([kept, row])
        if len(kept) > 20 * _MOST_PATHS:
            kept = kept[np.argsort(kept[:, 2], kind="stable")[:_MOST_PATHS]]
    kept = kept[np.argsort(kept[:, 2], kind="stable")[:_MOST_PATHS]]
    first, second = kept[:, 0].astype(np.int64), kept[:, 1].astype(np.int64)
    kind = _classify(kept[:, 2], kept[:, 3], tolerance)
    away = np.column_stack([matched.road[first] < 0, matched.road[second] < 0])
    return TltsMatching(counts, through, points[first], points[second], kind, kept[:, 2], kept[:, 3], away)


def _classify(a: Floats, b: Floats, tolerance: float) -> Ints:
    """The class of each pair of lengths; the bounds themselves are correct."""
    excess = b / a - 1.0
    classes = [~np.isfinite(b), excess > tolerance + 1e-9, excess < -tolerance - 1e-9]
    return np.select(classes, [_INFEASIBLE, _TOO_LONG, _TOO_SHORT], default=_CORRECT).astype(np.int64)


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Shares of the classes from numbers of pairs, which may be sums over several areas."""
    n = counts["pairs"]
    if not n:
        return dict.fromkeys(CLASSES), dict.fromkeys(CLASSES, "no pair of places is connected in the reference")
    return {name: counts[name] / n for name in CLASSES}, {}


def _result(matching: TltsMatching, errors: ErrorFeatures, *, sampled: bool) -> MetricResult:
    n = int(matching.counts.sum())
    notes = {}
    if matching.dropped:
        notes["n"] = (
            f"{matching.dropped} given pairs are not connected in the reference or the same place twice: not counted"
        )
    counts: dict[str, float] = {"pairs": n, **dict(zip(CLASSES, matching.counts.tolist(), strict=True))}
    scores, why = scores_from_counts(counts)
    notes |= why
    correct = scores[CLASSES[_CORRECT]]
    if correct is None:
        scores["sd"], notes["sd"] = None, why[CLASSES[_CORRECT]]
    else:
        scores["sd"] = float(np.sqrt(correct * (1 - correct) / n)) if sampled else 0.0
    return MetricResult(
        {**scores, "n": n},
        counts=counts,
        errors=errors,
        notes=notes,
        details={
            "start": matching.start.xy,
            "end": matching.end.xy,
            "class": matching.kind,
            "reference_length": matching.here,
            "prediction_length": matching.there,
        },
    )


def _add_paths(errors: ErrorFeatures, here: PathFinder, matching: TltsMatching, max_distance: float) -> None:
    """The reference's shortest path of each failing pair."""
    lines, ids, lengths, severities, notes = [], [], [], [], []
    for i in np.flatnonzero(matching.kind != _CORRECT).tolist():
        route = here.route(matching.start, matching.end, i) if matching.routes is None else matching.routes[i]
        if route is None:
            continue
        course = here.course(route)
        a, b, kind = matching.here[i], matching.there[i], matching.kind[i]
        if kind != _INFEASIBLE:
            note = f"{CLASSES[kind].replace('_', ' ')}: {b:.1f} m instead of {a:.1f} m, ratio {b / a:.3f}"
        elif matching.away[i].any():
            ends = "both ends" if matching.away[i].all() else "one end"
            note = f"infeasible: nothing within {max_distance:g} m of {ends} of this path of {a:.1f} m"
        else:
            note = f"infeasible: the ends of this path of {a:.1f} m are not connected in the prediction"
        lines.append(course.line)
        ids.append(";".join(course.ids[:_MOST_IDS]) + (";…" if len(course.ids) > _MOST_IDS else ""))
        lengths.append(a)
        severities.append(1.0 if kind == _INFEASIBLE else min(1.0, abs(a - b) / a))
        notes.append(note)
    errors.add("path", lines, ref_id=ids, length_m=lengths, severity=severities, note=notes)


METRIC = Metric(
    tlts, "correct", "Share of shortest paths whose length the prediction keeps within a tolerance.",
    scores=(
        share("correct", "Share of paths that are as long as in the reference."),
        error_share("too_long", "Share of paths that are too long in the prediction."),
        error_share("too_short", "Share of paths that are too short in the prediction."),
        error_share("infeasible", "Share of paths that the prediction does not have."),
        spread("correct"),
        count("n", "Number of paths compared."),
    ),
    scores_from_counts=scores_from_counts,
)  # fmt: skip
