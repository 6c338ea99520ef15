"""The scores of many places in one number: as published scripts do it, as their mean, and by adding up counts.

Three ways, which differ by points: the mean of the places gives every place the same weight; pooling adds up the counts
behind the scores, so that every junction, metre or path has the same weight; a protocol has the rule of its script.
The 95 % intervals tell how much the number depends on which places were tested: places are drawn again and again with
replacement, as many as there are (a bootstrap, with the quantiles of :mod:`geoeval.studies.comparison`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.metrics.metric import Metric
from geoeval.model.scores import Score, ScoreValue
from geoeval.protocols.aggregation import mean_of_places
from geoeval.seeds import Seed, whole_seed
from geoeval.studies.comparison import interval_levels

MEAN, POOLED = "mean", "pooled"
Interval = tuple[float, float] | None
# Scores that say how a score was found, not how good the map is: of no use over places.
_OF_SAMPLING = ("sd", "n")
_MANY = 1000
# With fewer places an interval reaches about from the worst of them to the best, which says little.
ENOUGH_PLACES = 10


@dataclass(frozen=True)
class PlaceValues:
    """What one place adds for one metric: scores, ``None`` where it is left out, and counts where it has them."""

    scores: Mapping[str, ScoreValue] | None
    counts: Mapping[str, float] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Aggregate:
    """The scores of all places together by one rule.

    Attributes
    ----------
    metric, rule
        ``opt-j`` and ``mean``, ``pooled`` or the name of a published rule.
    scores, intervals
        By name; an interval is ``None`` where it cannot be told.
    places
        How many places count.
    note
        Why there is nothing, where that is so; or that the places are too few for intervals to mean much.
    """

    metric: str
    rule: str
    scores: dict[str, ScoreValue]
    intervals: dict[str, Interval]
    places: int
    note: str = ""


def worst(score: Score) -> ScoreValue:
    """The worst value that a score can have; ``None`` where there is no such."""
    low, high = score.range
    return low if score.better == "higher" else high if score.better == "lower" else None


def aggregate(
    metric: Metric,
    places: Sequence[PlaceValues],
    *,
    repetitions: int = _MANY,
    seed: Seed = 0,
    rng: Seed | None = None,
) -> list[Aggregate]:
    """Put places together by every rule that a metric or protocol has.

    Parameters
    ----------
    metric
        A metric, or a protocol with the rules of its scripts.
    places
        In the order of their names: one published rule ends at the first place without a score.
    repetitions, seed, rng
        Of the bootstrap; 0 repetitions give no intervals.

    Returns
    -------
    list of Aggregate
        First the published rules, then ``mean`` and ``pooled``. No place that counts: every score is ``None``.
        O(repetitions x places) for each rule.
    """
    published: Mapping[str, Callable[..., Any]] = getattr(metric, "aggregates", {})
    drawing = _Drawing(repetitions, whole_seed(seed, rng))
    found = [
        _mean(metric, name, places, drawing)
        if rule is mean_of_places
        else _by_rule(metric, name, rule, places, drawing)
        for name, rule in published.items()
    ]
    if MEAN not in published:
        found.append(_mean(metric, MEAN, places, drawing))
    found.append(_pooled(metric, places, drawing))
    return [replace(one, note=f"{one.places} places are {_FEW}") if too_few(one) else one for one in found]


_FEW = f"too few for intervals: fewer than {ENOUGH_PLACES} give about the range from the worst place to the best"


def too_few(one: Aggregate) -> bool:
    """Whether there are intervals, but of too few places to mean much."""
    return one.places < ENOUGH_PLACES and any(span is not None for span in one.intervals.values())


@dataclass(frozen=True)
class _Drawing:
    """Places drawn with replacement, the same ones whenever as many are drawn."""

    repetitions: int
    seed: int

    def weights(self, count: int) -> Floats:
        """How often each place is in each sample ``(repetitions, count)``; none for fewer than two places."""
        if count < 2:
            return np.zeros((0, count))
        drawn = np.random.default_rng(self.seed).multinomial(count, np.full(count, 1 / count), self.repetitions)
        return drawn.astype(np.float64)


def _by_rule(
    metric: Metric, name: str, rule: Callable[..., Any], places: Sequence[PlaceValues], drawing: _Drawing
) -> Aggregate:
    """By the rule of a script, which is given the places in their order, also those that are drawn."""
    given = [place.scores for place in places]
    scores = dict(rule(given))
    counted = scores.pop("places", None)
    order = np.arange(len(given))
    weights = drawing.weights(len(given)).astype(np.int64)
    drawn = [rule([given[i] for i in np.repeat(order, times).tolist()]) for times in weights]
    samples = {one: np.array([_float(sample.get(one)) for sample in drawn]) for one in scores}
    count = sum(one is not None for one in given) if counted is None else int(counted)
    return Aggregate(metric.name, name, scores, _intervals(samples, scores, count), count)


def _mean(metric: Metric, name: str, places: Sequence[PlaceValues], drawing: _Drawing) -> Aggregate:
    """The mean of every score over the places that have it."""
    counted = [place.scores for place in places if place.scores is not None]
    names = [one for one in dict.fromkeys(one for scores in counted for one in scores) if one not in _OF_SAMPLING]
    values = np.array([[_float(scores.get(one)) for one in names] for scores in counted]).reshape(
        len(counted), len(names)
    )
    known = np.isfinite(values)
    scores: dict[str, ScoreValue] = {
        one: fsum(values[known[:, i], i]) / int(known[:, i].sum()) if known[:, i].any() else None
        for i, one in enumerate(names)
    }
    weights = drawing.weights(len(counted))
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = (weights @ np.where(known, values, 0.0)) / (weights @ known.astype(np.float64))
    samples = {one: drawn[:, i] for i, one in enumerate(names)}
    return Aggregate(metric.name, name, scores, _intervals(samples, scores, len(counted)), len(counted))


def _pooled(metric: Metric, places: Sequence[PlaceValues], drawing: _Drawing) -> Aggregate:
    """Scores of the sums of counts."""
    if metric.scores_from_counts is None:
        return Aggregate(metric.name, POOLED, {}, {}, 0, f"{metric.name} has no counts that add up")
    counted = [place for place in places if place.counts]
    if not counted:
        return Aggregate(metric.name, POOLED, {}, {}, 0, "no place has counts")
    counts = [_counts_to_pool(metric, place) for place in counted]
    names = list(counts[0])
    values = np.array([[float(own[name]) for name in names] for own in counts])
    parameters = counted[0].parameters

    def scores_of(sums: Sequence[float]) -> dict[str, ScoreValue]:
        return metric.scores_of(dict(zip(names, sums, strict=True)), parameters)[0]

    scores = {name: value for name, value in scores_of([fsum(column) for column in values.T]).items()
              if name not in _OF_SAMPLING}  # fmt: skip
    drawn = [scores_of(sums) for sums in (drawing.weights(len(counted)) @ values).tolist()]
    samples = {one: np.array([_float(sample.get(one)) for sample in drawn]) for one in scores}
    return Aggregate(metric.name, POOLED, scores, _intervals(samples, scores, len(counted)), len(counted))


def _counts_to_pool(metric: Metric, place: PlaceValues) -> Mapping[str, float]:
    """What a place adds to the sums of counts."""
    counts = place.counts or {}
    return counts if metric.counts_to_pool is None else metric.counts_to_pool(place.scores or {}, counts)


def _intervals(samples: Mapping[str, Floats], scores: Mapping[str, ScoreValue], places: int) -> dict[str, Interval]:
    intervals: dict[str, Interval] = {}
    for name, drawn in samples.items():
        known = drawn[np.isfinite(drawn)]
        told = places > 1 and len(known) > 0 and scores.get(name) is not None
        low, high = np.quantile(known, interval_levels(places)).tolist() if told else (0.0, 0.0)
        intervals[name] = (low, high) if told else None
    return intervals


def _float(value: ScoreValue) -> float:
    return float("nan") if value is None else float(value)
