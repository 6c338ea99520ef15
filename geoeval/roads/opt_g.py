"""OPT-G: whether the surroundings reached by travelling from a place agree, each place used once.

From starts on both networks, half each, travel a radius along the roads of the start's network, and in the other one
from the nearest place to the start (of equally near ones, the one that agrees best); put a control point wherever the
way is a multiple of the spacing long. Pair the control points of both one to one, so that the sum of
min(distance, max_distance) is least; the pairs closer than max_distance are the true positives. Pooled over starts:
precision TP / PP with PP the predicted control points, recall TP / AP with AP the reference ones. A start without a
place of the other network within max_distance finds nothing there: all its control points are unmatched. (Citraro,
Koziński, Fua 2020, section 3.3; their text says distance travelled, which their program replaces by a disc, and the
Hungarian algorithm, which it replaces by greedy pairs.)
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.model.result import MetricResult, Score
from geoeval.roads.assignment import assign
from geoeval.roads.known import Box
from geoeval.roads.reach import ControlPoints
from geoeval.roads.starts import check_lengths, choose_starts
from geoeval.roads.visits import Bools, Ints, errors_of, local_counts, match_surroundings, result_of_empty, scored

# Where the counts stand in a start's row.
_COLUMNS = {"tp": 0, "pp": 1, "ap": 3}


def opt_g(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = 15.0,
    radius: float = 180.0,
    spacing: float = 6.0,
    starts: Any = None,
    matching: Literal["optimal", "greedy"] = "optimal",
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
    known: Box | None = None,
) -> MetricResult:
    """Precision and recall of the places reached by travelling, paired one to one.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        Metres: pairs must be closer, and the partner of a start at most that far.
    radius
        Metres to travel from each start.
    spacing
        Metres between control points.
    starts
        How many, half on each network (rounded up to an even number); by default 1000, or one every 30 m of road if
        that is fewer. ``"every 30 m"``: one in the middle of every 30 m of both networks, without randomness. Or
        a list of ``("reference" or "prediction", (x, y))``, each taken at the nearest place of its network.
    matching
        ``"optimal"``, or ``"greedy"``: of all pairs the closest first.
    rng
        Shifts the systematic starts, and draws the resamples for ``sd``; by default seeded with 0.
    progress
        Called with the fraction done.
    known
        For tiles: the ground whose roads are all given, see ``roads.known``.

    Returns
    -------
    Scores ``precision``, ``recall``, ``f1``, ``tp``, ``pp``, ``ap``, ``sd`` of f1 over the starts, and ``n`` starts.
    Without any predicted (or reference) control point precision (or recall) is 0. Both networks empty: 1; one
    empty: 0, and all of the other one is missing or spurious. Errors: ``missing`` and ``spurious`` stretches, where
    at least half of the visits found no partner, with that share as severity.

    O(s (k log k + p log p)) for s starts with k roads and p close pairs each.

    Examples
    --------
    >>> reference = RoadNetwork.from_lines([[(60, 0), (0, 0), (0, 4), (60, 4)]])
    >>> prediction = RoadNetwork.from_lines([[(60, 0), (0, 0)]])
    >>> scores = opt_g(reference, prediction, radius=30, starts=[("reference", (0, 0))]).scores
    >>> scores["tp"], scores["pp"], scores["ap"]
    (6, 6, 11)
    """
    check_lengths(max_distance=max_distance, radius=radius, spacing=spacing)
    if matching not in ("optimal", "greedy"):
        raise ParameterError(f"matching is {matching!r}; give 'optimal' or 'greedy'")
    empty = result_of_empty("opt-g", reference, prediction, ("tp", "pp", "ap"), as_scores=True)
    if empty is not None and known is None:
        return empty
    rng = np.random.default_rng(0) if rng is None else rng
    chosen = choose_starts(reference, prediction, starts, both=True, max_distance=max_distance, rng=rng)

    def matcher(a: ControlPoints, b: ControlPoints) -> tuple[Bools, Bools]:
        partner = assign(a.first, a.xy, b.first, b.xy, cap=max_distance, method=matching)
        other_matched = np.zeros(len(b.xy), dtype=bool)
        other_matched[partner[partner >= 0]] = True
        return partner >= 0, other_matched

    matched = match_surroundings(
        reference, prediction, chosen, matcher, radius=radius, spacing=spacing, progress=progress
    )
    local = local_counts(matched, _COLUMNS, far=radius + max_distance, known=known)
    errors = errors_of("opt-g", reference, prediction, matched, spacing=spacing)
    scores, counts = scores_from_starts(matched.counts, chosen.drawn_on_reference, rng if known is None else None)
    return MetricResult(scores, counts, errors, details={"local": local, "start_counts": matched.counts})


def halo(values: Mapping[str, Any]) -> float:
    """Metres of ground around a place that its counts depend on."""
    return float(values["radius"] + values["max_distance"])


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, Score], dict[str, str]]:
    """Scores from counts, which may be sums over several areas, and notes (none: every score is defined)."""
    tp, pp, ap = counts["tp"], counts["pp"], counts["ap"]
    both = pp + ap
    return {
        "precision": tp / pp if pp else 0.0,
        "recall": tp / ap if ap else 0.0,
        "f1": 2 * tp / both if both else 0.0,
    }, {}


def scores_from_starts(
    counts: Ints, drawn: int, rng: np.random.Generator | None
) -> tuple[dict[str, Score], dict[str, float]]:
    """Scores and counts from rows of counts, one a start, of which the first ``drawn`` are on the reference."""
    scores, pooled = scored(counts, drawn, rng)
    total = {name: int(pooled[column]) for name, column in _COLUMNS.items()}
    return {**scores, **total}, {**total, "n": len(counts)}
