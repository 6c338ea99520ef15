"""OPT-G: do the surroundings that can be reached from a place agree, each place used once.

From starts on both networks, half each, travel a radius along the roads of the start's network, and in the other one
from the nearest place to the start (of equally near ones, the one that agrees best). Put a control point wherever the
way is a multiple of the spacing long. Pair the control points of both one to one, so that the sum of
min(distance, max_distance) is least; the pairs closer than max_distance are the true positives. Pooled over starts,
precision is TP / PP with PP the predicted control points, and recall TP / AP with AP the reference's. A start without a
place of the other network within max_distance finds nothing there: all its control points are unmatched.

After Citraro, Koziński and Fua (ECCV 2020), section 3.3. Their text says distance travelled, which their program
replaces by a disc, and the Hungarian algorithm, which it replaces by greedy pairs; this module follows the text.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from geoeval._kernels.assignment import assign
from geoeval.arrays import Bools, Box
from geoeval.defaults import MAX_DISTANCE, SAMPLE_SPACING
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, count, share, spread
from geoeval.roads.surroundings.reach import ReachedPoints
from geoeval.roads.surroundings.surroundings_comparison import SurroundingsComparison, halo

_OPT_G = SurroundingsComparison(
    "opt-g", ("reference", "prediction"), {"tp": 0, "pp": 1, "ap": 3}, counts_are_scores=True
)


def opt_g(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    radius: float = 180.0,
    spacing: float = SAMPLE_SPACING,
    starts: Any = None,
    matching: Literal["optimal", "greedy"] = "optimal",
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
    loaded_box: Box | None = None,
) -> MetricResult:
    """Precision and recall of the places that can be reached, paired one to one.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        Metres: the control points of a pair are closer than this, and a start is at most this far from its partner.
    radius
        Metres to travel from each start.
    spacing
        Metres between control points.
    starts
        How many starts there are, half on each network (rounded up to an even number); by default 1000, or one every
        30 m of road if that is fewer. ``"every 30 m"``: one in the middle of every 30 m of both networks, without
        randomness. Or a list of ``("reference" or "prediction", (x, y))``, each moved to the nearest place of its
        network.
    matching
        ``"optimal"``, or ``"greedy"``: of all pairs the closest first.
    rng
        Shifts the systematic starts; seeded with 0 by default.
    progress
        Called with the fraction done.
    loaded_box
        For tiles: the box within which all roads are given, see ``metrics.borders``.

    Returns
    -------
    MetricResult
        Scores ``precision``, ``recall``, ``f1``, ``sd``, ``n``, the number of starts, and ``tp``, ``pp``, ``ap``;
        counts ``tp``, ``pp``, ``ap`` and ``n``. Errors: ``missing`` and ``spurious`` stretches, where at least half of
        the visits went unmatched, with that share as severity.

    Notes
    -----
    ``sd`` estimates the standard deviation of f1 over seeds, by how alike neighbouring starts are (Gundersen and Jensen
    1987); it is right within about a factor of two. Starts that are named: as if each had been drawn at random. Every
    so many metres: 0.

    Without any predicted (or reference) control point precision (or recall) is 0. Both networks empty: the scores are
    1. One empty: they are 0, and all of the other one is missing or spurious. O(s (k log k + p log p)) for s starts
    with k roads and p close pairs each.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.roads.surroundings.opt_g import opt_g
    >>> reference = RoadNetwork.from_lines([[(60, 0), (0, 0), (0, 4), (60, 4)]])
    >>> prediction = RoadNetwork.from_lines([[(60, 0), (0, 0)]])
    >>> scores = opt_g(reference, prediction, radius=30, starts=[("reference", (0, 0))]).scores
    >>> scores["tp"], scores["pp"], scores["ap"]
    (6, 6, 11)
    """
    if matching not in ("optimal", "greedy"):
        raise ParameterError(f"matching is {matching!r}; give 'optimal' or 'greedy'")

    def matcher(a: ReachedPoints, b: ReachedPoints) -> tuple[Bools, Bools]:
        partner = assign(a.first, a.xy, b.first, b.xy, cap=max_distance, method=matching)
        other_matched = np.zeros(len(b.xy), dtype=bool)
        other_matched[partner[partner >= 0]] = True
        return partner >= 0, other_matched

    return _OPT_G.compare(
        reference, prediction, matcher, max_distance=max_distance, radius=radius, spacing=spacing, starts=starts,
        rng=rng, progress=progress, loaded_box=loaded_box,
    )  # fmt: skip


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from counts, which may be sums over several areas, and no notes: every score is defined."""
    tp, pp, ap = counts["tp"], counts["pp"], counts["ap"]
    both = pp + ap
    return {
        "precision": tp / pp if pp else 0.0,
        "recall": tp / ap if ap else 0.0,
        "f1": 2 * tp / both if both else 0.0,
    }, {}


METRIC = Metric(
    opt_g, "f1", "Do the surroundings that can be reached from a place agree, each place used once.",
    scores=(
        share("precision", "Share of the places reached in the prediction that have a partner of their own."),
        share("recall", "Share of the places reached in the reference that have a partner of their own."),
        share("f1", "Harmonic mean of precision and recall."),
        spread("f1"),
        count("n", "Number of starts."),
        count("tp", "Pairs of places that agree.", "higher"),
        count("pp", "Places reached in the prediction."),
        count("ap", "Places reached in the reference."),
    ),
    counting="starts", start_sides=_OPT_G.sides, halo=halo, scores_from_counts=scores_from_counts,
    scores_from_starts=_OPT_G.scores_from_starts,
)  # fmt: skip
