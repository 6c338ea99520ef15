"""Chamfer distance of matched outlines: the mean distance from one outline to the other, both ways.

The mean is taken along the outline, not over its corners, so that long sides count more: the middles of pieces of at
most ``spacing`` metres, of which each side has equal ones. Objects are paired one to one by IoU.
"""

from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import count, metres
from geoeval.objects.iou_matching import matched_pairs
from geoeval.objects.outline_distances import mean_distances
from geoeval.objects.overlaps import Overlaps, overlaps_of
from geoeval.objects.pair_means import mean_scores, pair_counts


def chamfer(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    threshold: float = 0.5,
    spacing: float = 0.25,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Mean Chamfer distance of matched objects, in metres.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    threshold
        Least IoU of a match.
    spacing
        Longest piece of an outline that is measured at its middle, in metres.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``chamfer`` and ``matched``. Two empty maps: 0. Without a match undefined.

    Notes
    -----
    O(n m) for a pair with n pieces and m corners.
    """
    if not spacing > 0:
        raise ParameterError(f"chamfer.spacing is {spacing}; give metres above 0")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    ref, pred = matched_pairs(prediction, overlaps, threshold, "chamfer")
    sides = (reference.outlines, ref), (prediction.outlines, pred)
    there, back = mean_distances(*sides[0], *sides[1], spacing), mean_distances(*sides[1], *sides[0], spacing)
    local = pair_counts(reference, prediction, ref, {"chamfer_sum": (there + back) / 2})
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    return mean_scores(counts, {"chamfer": "chamfer_sum"})


METRIC = Metric(
    chamfer, "chamfer", "Mean distance between matched outlines, along them.",
    scores=(
        metres("chamfer", "Mean distance from one outline to the other, both ways, over matched objects."),
        count("matched", "Pairs of objects that match.", "higher"),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
