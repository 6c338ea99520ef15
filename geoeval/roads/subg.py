"""SUBG: whether the surroundings reached by travelling from a place agree.

From starts on the reference, travel a radius along its roads, and in the prediction from the nearest place to the
start (of equally near ones, the one that agrees best); put a control point wherever the way is a multiple of the
spacing long. A control point is matched if the other network has one within max_distance. Pooled over starts:
precision is the share of predicted control points that are matched, recall that of the reference ones. A start
without a place of the prediction within max_distance finds nothing there. (Biagioni, Eriksson 2012; in the form of
Citraro, Koziński, Fua 2020, section 2.4.)

By this rule a road predicted twice, or one where there are two, is not noticed, nor are false roads far from all
true ones: OPT-G sees them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.model.result import MetricResult, Score
from geoeval.roads.assignment import near
from geoeval.roads.known import Box
from geoeval.roads.reach import ControlPoints
from geoeval.roads.starts import check_lengths, choose_starts
from geoeval.roads.visits import Bools, Ints, errors_of, local_counts, match_surroundings, result_of_empty, scored

# Where the counts stand in a start's row.
_COLUMNS = {"matched_pred": 0, "pp": 1, "matched_ref": 2, "ap": 3}


def subg(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = 15.0,
    radius: float = 180.0,
    spacing: float = 6.0,
    starts: Any = None,
    mode: Literal["text", "code"] = "text",
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
    known: Box | None = None,
) -> MetricResult:
    """Precision and recall of the places reached by travelling, each near any place of the other network.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        Metres: how near a matched control point is to one of the other network, and the partner to its start.
    radius
        Metres to travel from each start.
    spacing
        Metres between control points.
    starts
        How many on the reference; by default 1000, or one every 30 m of road if that is fewer. ``"every 30 m"``: one
        in the middle of every 30 m, without randomness. Or a list of ``(x, y)``, each taken at the nearest place.
    mode
        ``"text"`` as above. ``"code"``: as released code does, a predicted control point is matched only if it is
        the nearest one of some reference control point, which lowers the precision of doubled roads.
    rng
        Shifts the systematic starts, and draws the resamples for ``sd``; by default seeded with 0.
    progress
        Called with the fraction done.
    known
        For tiles: the ground whose roads are all given, see ``roads.known``.

    Returns
    -------
    Scores ``precision``, ``recall``, ``f1``, ``sd`` of f1 over the starts, and ``n`` starts. Precision is 0 where no
    start has a partner. Both networks empty: 1; one empty: 0, and all of the other one is missing or spurious.
    Errors: ``missing`` and ``spurious`` stretches, where at least half of the visits found no partner, with that
    share as severity.

    O(s (k log k + p)) for s starts with k roads and p close pairs of control points each.

    Examples
    --------
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]])
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (30, 0)], [(36, 0), (100, 0)]])
    >>> subg(reference, prediction, radius=60, starts=[(0, 0)]).counts
    {'matched_pred': 6, 'pp': 6, 'matched_ref': 8, 'ap': 11, 'n': 1}
    """
    check_lengths(max_distance=max_distance, radius=radius, spacing=spacing)
    if mode not in ("text", "code"):
        raise ParameterError(f"mode is {mode!r}; give 'text' or 'code'")
    empty = result_of_empty("subg", reference, prediction, tuple(_COLUMNS), as_scores=False)
    if empty is not None and known is None:
        return empty
    rng = np.random.default_rng(0) if rng is None else rng
    chosen = choose_starts(reference, prediction, starts, both=False, max_distance=max_distance, rng=rng)

    def matcher(a: ControlPoints, b: ControlPoints) -> tuple[Bools, Bools]:
        matched, other_matched, nearest = near(a.first, a.xy, b.first, b.xy, distance=max_distance)
        if mode == "code":
            other_matched = np.zeros(len(b.xy), dtype=bool)
            other_matched[nearest[matched]] = True
        return matched, other_matched

    matching = match_surroundings(
        reference, prediction, chosen, matcher, radius=radius, spacing=spacing, progress=progress
    )
    local = local_counts(matching, _COLUMNS, far=radius + max_distance, known=known)
    errors = errors_of("subg", reference, prediction, matching, spacing=spacing)
    scores, counts = scores_from_starts(matching.counts, chosen.drawn_on_reference, rng if known is None else None)
    return MetricResult(scores, counts, errors, details={"local": local, "start_counts": matching.counts})


def halo(values: Mapping[str, Any]) -> float:
    """Metres of ground around a place that its counts depend on."""
    return float(values["radius"] + values["max_distance"])


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, Score], dict[str, str]]:
    """Scores from counts, which may be sums over several areas, and notes (none: every score is defined)."""
    precision = counts["matched_pred"] / counts["pp"] if counts["pp"] else 0.0
    recall = counts["matched_ref"] / counts["ap"] if counts["ap"] else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / both if both else 0.0}, {}


def scores_from_starts(
    counts: Ints, drawn: int, rng: np.random.Generator | None
) -> tuple[dict[str, Score], dict[str, float]]:
    """Scores and counts from rows of counts, one a start, of which the first ``drawn`` are on the reference."""
    scores, pooled = scored(counts, drawn, rng)
    return scores, {**{name: int(pooled[column]) for name, column in _COLUMNS.items()}, "n": len(counts)}
