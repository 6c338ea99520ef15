"""Precision and recall of corners: which corners of the outlines are drawn, within a distance.

A corner is a vertex at which the outline turns. A predicted corner can match one of the reference that is at most
``max_distance`` away and whose object overlaps its own; as many corners as possible are matched, one to one. That
number is unique, where taking the nearest first would depend on the order. Corners of missed objects are missed,
corners of invented objects invented.
"""

import numpy as np

from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import count, share
from geoeval.objects.corner_pairs import marked, most_pairs, near_corners
from geoeval.objects.iou import scores_from_counts as scores_of_found
from geoeval.objects.object_counts import counts_of_corners
from geoeval.objects.overlaps import Overlaps, overlaps_of


def vertex(
    reference: ObjectMap, prediction: ObjectMap, *, max_distance: float = 1.0, overlaps: Overlaps | None = None
) -> MetricResult:
    """Score by the corners that are found.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    max_distance
        How far apart corners may be that match, in metres.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``precision``, ``recall``, ``f1``, ``tp``, ``fp`` and ``fn``. Both maps empty: 1; one empty: 0.

    Notes
    -----
    O(n m) for an overlapping pair with n and m corners, and O(p sqrt(c)) for c corners with p near pairs.
    """
    if not max_distance >= 0:
        raise ParameterError(f"vertex.max_distance is {max_distance}; give metres, 0 or more")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    sizes = len(reference.outlines.xy), len(prediction.outlines.xy)
    ref, pred = most_pairs(*near_corners(reference, prediction, overlaps, max_distance), *sizes)
    found, right = marked(ref, sizes[0]), marked(pred, sizes[1])
    nothing = np.zeros(sizes[0]), np.zeros(sizes[1])
    local = counts_of_corners(
        reference,
        prediction,
        {
            "tp": np.concatenate([found.astype(np.float64), nothing[1]]),
            "fp": np.concatenate([nothing[0], (~right).astype(np.float64)]),
            "fn": np.concatenate([(~found).astype(np.float64), nothing[1]]),
        },
    )
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local, "found": found, "right": right})


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    scores, notes = scores_of_found(counts)
    return {name: scores[name] for name in ("precision", "recall", "f1", "tp", "fp", "fn")}, notes


METRIC = Metric(
    vertex, "f1", "Corners of the outlines that are drawn, within a distance.",
    scores=(
        share("precision", "Share of the predicted corners that are right."),
        share("recall", "Share of the reference's corners that are found."),
        share("f1", "Harmonic mean of precision and recall."),
        count("tp", "Corners found.", "higher"),
        count("fp", "Predicted corners without a match.", "lower"),
        count("fn", "Corners of the reference that are not found.", "lower"),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
