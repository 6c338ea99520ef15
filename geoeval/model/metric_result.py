"""The result of one metric: scores, the counts behind them, and the features that explain them."""

from dataclasses import dataclass, field
from math import fsum
from typing import Any

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.features import ErrorFeatures
from geoeval.model.scores import ScoreValue

# Whole numbers below this are exact in floats.
_WHOLE = 2.0**53


@dataclass(frozen=True)
class LocalCounts:
    """Counts of a metric, place by place; their sums are the counts of the metric.

    Attributes
    ----------
    xy
        Coordinates of each row, for maps.
    counts
        Values by name, one per row.
    item
        For metrics that can be evaluated in tiles: the node, segment or object of each row, in the reference for the
        first ``reference_rows`` rows and in the prediction for the others; ``item_is_node`` tells nodes from segments.
    certain
        For metrics that can be evaluated in tiles: whether a row would be the same with more roads beyond the loaded
        ones.
    """

    xy: Floats
    counts: dict[str, Floats]
    item: Ints | None = None
    item_is_node: bool = True
    reference_rows: int = 0
    certain: Bools | None = None

    def sums(self) -> dict[str, float]:
        """The sum of each count, rounded only once, so that it does not depend on the order."""
        return {name: _exact_sum(values) for name, values in self.counts.items()}


def _exact_sum(values: Floats) -> float:
    """The sum, rounded once; whole numbers add up exactly by themselves."""
    total = float(values.sum())
    if abs(total) < _WHOLE and np.array_equal(values, np.rint(values)):
        return total
    return fsum(values[values != 0].tolist())


@dataclass(frozen=True)
class MetricResult:
    """The result of one metric.

    Attributes
    ----------
    scores
        Scores by name; ``None`` if undefined, with the reason in ``notes``.
    counts
        The counts that the scores are ratios of; the counts of several areas can be added up.
    errors
        Features that explain the scores.
    notes
        Reasons and remarks by score name.
    details
        More for reports and studies, by name; ``local`` is a ``LocalCounts``.
    """

    scores: dict[str, ScoreValue]
    counts: dict[str, float] = field(default_factory=dict)
    errors: ErrorFeatures | None = None
    notes: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)
