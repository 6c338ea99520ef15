"""SUBG: do the surroundings that can be reached from a place agree.

From starts on the reference, travel a radius along its roads, and in the prediction from the nearest place to the
start (of equally near ones, the one that agrees best). Put a control point wherever the way is a multiple of the
spacing long. A control point is matched if the other network has one within max_distance. Pooled over starts,
precision is the share of predicted control points that are matched, and recall that of the reference's. A start
without a place of the prediction within max_distance finds nothing there. After Biagioni and Eriksson (2012), in the
form of Citraro, Koziński and Fua (ECCV 2020), section 2.4.

By this rule a road drawn twice, or two roads drawn as one, go unnoticed, and so do false roads far from all true ones.
OPT-G sees them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from geoeval._kernels.assignment import near
from geoeval.arrays import Bools, Box
from geoeval.defaults import MAX_DISTANCE, SAMPLE_SPACING
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, count, share, spread
from geoeval.roads.surroundings.reach import ReachedPoints
from geoeval.roads.surroundings.surroundings_comparison import SurroundingsComparison, halo

_SUBG = SurroundingsComparison(
    "subg", ("reference",), {"matched_pred": 0, "pp": 1, "matched_ref": 2, "ap": 3}, counts_are_scores=False
)


def subg(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    radius: float = 180.0,
    spacing: float = SAMPLE_SPACING,
    starts: Any = None,
    mode: Literal["text", "code"] = "text",
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
    loaded_box: Box | None = None,
) -> MetricResult:
    """Precision and recall of the places that can be reached, each near any place of the other network.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        How far, in metres, a control point may be from one that matches it, and a start from its partner.
    radius
        Metres to travel from each start.
    spacing
        Metres between control points.
    starts
        How many starts there are on the reference; by default 1000, or one every 30 m of road if that is fewer.
        ``"every 30 m"``: one in the middle of every 30 m, without randomness. Or a list of ``(x, y)``, each moved to
        the nearest place.
    mode
        ``"text"``: as in the module's docstring. ``"code"``: as in released code, a predicted control point is matched
        only if it is the nearest one of some reference control point, which lowers the precision of doubled roads.
    rng
        Shifts the systematic starts; seeded with 0 by default.
    progress
        Called with the fraction done.
    loaded_box
        For tiles: the box within which all roads are given, see ``metrics.borders``.

    Returns
    -------
    MetricResult
        Scores ``precision``, ``recall``, ``f1``, ``sd`` and ``n``, the number of starts; counts ``matched_pred``,
        ``pp``, ``matched_ref``, ``ap`` and ``n``. Errors: ``missing`` and ``spurious`` stretches, where at least half
        of the visits went unmatched, with that share as severity.

    Notes
    -----
    ``sd`` estimates the standard deviation of f1 over seeds, by how alike neighbouring starts are (Gundersen and Jensen
    1987); it is right within about a factor of two. Starts that are named: as if each had been drawn at random. Every
    so many metres: 0.

    Precision is 0 if no start has a partner. Both networks empty: the scores are 1. One empty: they are 0, and all of
    the other one is missing or spurious. O(s (k log k + p)) for s starts with k roads and p close pairs of control
    points each.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.roads.surroundings.subg import subg
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]])
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (30, 0)], [(36, 0), (100, 0)]])
    >>> subg(reference, prediction, radius=60, starts=[(0, 0)]).counts
    {'matched_pred': 6, 'pp': 6, 'matched_ref': 8, 'ap': 11, 'n': 1}
    """
    if mode not in ("text", "code"):
        raise ParameterError(f"mode is {mode!r}; give 'text' or 'code'")

    def matcher(a: ReachedPoints, b: ReachedPoints) -> tuple[Bools, Bools]:
        matched, other_matched, nearest = near(a.first, a.xy, b.first, b.xy, distance=max_distance)
        if mode == "code":
            other_matched = np.zeros(len(b.xy), dtype=bool)
            other_matched[nearest[matched]] = True
        return matched, other_matched

    return _SUBG.compare(
        reference, prediction, matcher, max_distance=max_distance, radius=radius, spacing=spacing, starts=starts,
        rng=rng, progress=progress, loaded_box=loaded_box,
    )  # fmt: skip


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from counts, which may be sums over several areas, and no notes: every score is defined."""
    precision = counts["matched_pred"] / counts["pp"] if counts["pp"] else 0.0
    recall = counts["matched_ref"] / counts["ap"] if counts["ap"] else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}, {}


METRIC = Metric(
    subg, "f1", "Do the surroundings that can be reached from a place agree.",
    scores=(
        share("precision", "Share of the places reached in the prediction that the reference reaches too."),
        share("recall", "Share of the places reached in the reference that the prediction reaches too."),
        share("f1", "Harmonic mean of precision and recall."),
        spread("f1"),
        count("n", "Number of starts."),
    ),
    counting="starts", start_sides=_SUBG.sides, halo=halo, scores_from_counts=scores_from_counts,
    scores_from_starts=_SUBG.scores_from_starts,
)  # fmt: skip
