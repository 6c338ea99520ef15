"""What SUBG and OPT-G do alike: everything except how control points are matched."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Box, Floats, Ints
from geoeval.contents import SIDES
from geoeval.metrics.borders import is_surrounded
from geoeval.metrics.empty import empty_scores
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue
from geoeval.roads.geometry.pieces import cut_roads
from geoeval.roads.surroundings.starts import check_lengths, choose_starts, is_systematic, spread_of_shifts
from geoeval.roads.surroundings.visits import (
    Matcher,
    VisitedStretches,
    VisitMatching,
    match_surroundings,
    unmatched_stretches,
)


def halo(values: Mapping[str, Any]) -> float:
    """Metres around a start that its counts depend on."""
    return float(values["radius"] + values["max_distance"])


@dataclass(frozen=True)
class SurroundingsComparison:
    """A comparison of the surroundings of many starts, as a metric declares it.

    Attributes
    ----------
    metric
        The metric's name.
    sides
        The networks on which it starts.
    columns
        Its counts by name: the column of each in the rows of ``VisitMatching.counts``.
    counts_are_scores
        Whether the counts are scores too.
    """

    metric: str
    sides: tuple[str, ...]
    columns: Mapping[str, int]
    counts_are_scores: bool

    def compare(
        self,
        reference: RoadNetwork,
        prediction: RoadNetwork,
        matcher: Matcher,
        *,
        max_distance: float,
        radius: float,
        spacing: float,
        starts: Any,
        rng: np.random.Generator | None,
        progress: Callable[[float], None] | None,
        loaded_box: Box | None,
    ) -> MetricResult:
        """Travel from all starts and score what ``matcher`` matches; the parameters are those of the metric."""
        check_lengths(max_distance=max_distance, radius=radius, spacing=spacing)
        pair = zip(SIDES, (reference, prediction), strict=True)
        empty = [side for side, network in pair if network.is_empty] if loaded_box is None else []
        if set(self.sides) <= set(empty):
            return self._result_without_starts(reference, prediction)
        rng = np.random.default_rng(0) if rng is None else rng
        chosen = choose_starts(
            reference, prediction, starts, both=len(self.sides) == 2, max_distance=max_distance, rng=rng,
            empty=empty,
        )  # fmt: skip
        matching = match_surroundings(
            reference, prediction, chosen, matcher, radius=radius, spacing=spacing, progress=progress
        )
        local = self._local_counts(matching, far=radius + max_distance, loaded_box=loaded_box)
        errors = ErrorFeatures(self.metric)
        for kind, network, visits in (
            ("missing", reference, matching.reference),
            ("spurious", prediction, matching.prediction),
        ):
            if empty:
                _add_stretches(errors, kind, network, _whole_roads(network), _OTHER_EMPTY)
            else:
                _add_stretches(errors, kind, network, unmatched_stretches(network, visits, spacing=spacing), _UNMATCHED)
        scores, counts = self.scores_from_starts(
            matching.counts, chosen.drawn_on_reference, starts, sd=loaded_box is None
        )
        return MetricResult(scores, counts, errors, details={"local": local, "start_counts": matching.counts})

    def scores_from_starts(
        self, counts: Ints, drawn: int, starts: Any, *, sd: bool = True
    ) -> tuple[dict[str, ScoreValue], dict[str, float]]:
        """Scores and counts from one row of counts per start, as in ``VisitMatching.counts``, in order of the starts.

        The first ``drawn`` starts are on the reference. ``starts`` is the parameter of the metric. Without ``sd`` there
        is no standard deviation, which takes all starts.
        """
        pooled = counts.sum(axis=0)
        precision, recall, f1 = (float(value[0]) for value in _ratios(pooled[None]))
        scores: dict[str, ScoreValue] = {"precision": precision, "recall": recall, "f1": f1}
        if sd:
            scores["sd"] = _deviation(counts, drawn, starts)
        return self._with_counts(
            scores, {name: int(pooled[column]) for name, column in self.columns.items()}, len(counts)
        )

    def _with_counts(
        self, scores: dict[str, ScoreValue], total: dict[str, int], starts: int
    ) -> tuple[dict[str, ScoreValue], dict[str, float]]:
        as_scores = total if self.counts_are_scores else {}
        return {**scores, "n": starts, **as_scores}, {**total, "n": starts}

    def _result_without_starts(self, reference: RoadNetwork, prediction: RoadNetwork) -> MetricResult:
        """The result if the networks on which it starts are empty."""
        good = empty_scores(reference, prediction, good=("precision", "recall", "f1")) or {}
        errors = ErrorFeatures(self.metric)
        _add_stretches(errors, "spurious", prediction, _whole_roads(prediction), _OTHER_EMPTY)
        return MetricResult(*self._with_counts({**good, "sd": 0.0}, dict.fromkeys(self.columns, 0), 0), errors)

    def _local_counts(self, matching: VisitMatching, *, far: float, loaded_box: Box | None) -> LocalCounts:
        """The counts per start; ``far`` is how far a start sees."""
        starts, counts = matching.starts, matching.counts
        first = np.searchsorted(starts.number, np.arange(len(starts)))
        drawn = starts.drawn_on_reference
        here = np.concatenate([starts.reference.segment[first[:drawn]], starts.prediction.segment[first[drawn:]]])
        by_name = {name: counts[:, column].astype(np.float64) for name, column in self.columns.items()}
        return LocalCounts(
            starts.xy,
            {**by_name, "n": np.ones(len(starts))},
            item=here,
            item_is_node=False,
            reference_rows=drawn,
            certain=is_surrounded(starts.xy, loaded_box, far),
        )


# Tiles cut stretches at their borders: this is true of every part, as the share itself is not.
_UNMATCHED = "unmatched in at least half of the visits"
_OTHER_EMPTY = "the other network is empty"


def _whole_roads(network: RoadNetwork) -> VisitedStretches:
    """All roads of a network, unmatched in every visit."""
    number = len(network.roads)
    return VisitedStretches(np.arange(number), np.zeros(number), network.roads.length.copy(), np.ones(number))


def _add_stretches(
    errors: ErrorFeatures, kind: str, network: RoadNetwork, stretches: VisitedStretches, note: str
) -> None:
    """Add stretches of a network as features, ``missing`` (of the reference) or ``spurious``."""
    lines, ids = cut_roads(network, stretches.road, stretches.begin, stretches.end)
    names: dict[str, Any] = {"ref_id" if kind == "missing" else "pred_id": ids}
    length = stretches.end - stretches.begin
    errors.add(kind, lines, length_m=length, severity=stretches.rate, note=note, **names)


def _ratios(counts: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1 of rows of four counts; 0 where nothing was counted."""
    matched, predicted, found, actual = counts.T.astype(np.float64)
    precision, recall = matched / np.maximum(predicted, 1.0), found / np.maximum(actual, 1.0)
    both = precision + recall
    return precision, recall, 2 * precision * recall / np.where(both > 0, both, 1.0)


def _deviation(counts: Ints, drawn: int, starts: Any) -> float:
    """Standard deviation of F1 over seeds: over shifts of all starts, or of named ones as if each had been drawn."""
    if isinstance(starts, str):
        return 0.0  # every so many metres: nothing is drawn
    shares = _shares_of_f1(counts)
    ours, theirs = shares[:drawn], shares[drawn:]
    if not is_systematic(starts):
        return float(np.sqrt(sum(((own - own.mean()) ** 2).sum() for own in (ours, theirs) if len(own))))
    # Starts on both networks shift together.
    return spread_of_shifts(ours + theirs if len(ours) == len(theirs) else shares)


def _shares_of_f1(counts: Ints) -> Floats:
    """What each start adds to the deviation of F1, to first order."""
    matched, predicted, found, actual = counts.T.astype(np.float64)
    precision, recall, _ = (float(value[0]) for value in _ratios(counts.sum(axis=0)[None]))
    if precision + recall == 0:
        return np.zeros(len(counts))
    of_precision = 2 * recall**2 * (matched - precision * predicted) / max(predicted.sum(), 1.0)
    of_recall = 2 * precision**2 * (found - recall * actual) / max(actual.sum(), 1.0)
    return (of_precision + of_recall) / (precision + recall) ** 2
