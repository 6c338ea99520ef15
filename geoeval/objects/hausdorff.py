"""Hausdorff distance of matched outlines: how far the outlines go from each other where they are farthest apart.

Exact for polygons: the farthest place need not be a corner. Objects are paired one to one by IoU.
"""

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.outlines import Outlines
from geoeval.model.scores import count, metres
from geoeval.objects.iou_matching import matched_pairs
from geoeval.objects.outline_distances import farthest_distances
from geoeval.objects.overlaps import Overlaps, overlaps_of
from geoeval.objects.pair_means import mean_scores, pair_counts


def hausdorff(
    reference: ObjectMap, prediction: ObjectMap, *, threshold: float = 0.5, overlaps: Overlaps | None = None
) -> MetricResult:
    """Mean Hausdorff distance of matched objects, in metres.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    threshold
        Least IoU of a match.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``hausdorff`` and ``matched``. Two empty maps: 0. Without a match undefined.

    Notes
    -----
    O(n m) for a pair with n and m corners, times the halvings of the few stretches that may be the farthest.
    """
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    ref, pred = matched_pairs(prediction, overlaps, threshold, "hausdorff")
    values = hausdorff_of(reference.outlines, ref, prediction.outlines, pred)
    local = pair_counts(reference, prediction, ref, {"hausdorff_sum": values})
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def hausdorff_of(one: Outlines, rows: Ints, other: Outlines, partners: Ints) -> Floats:
    """Hausdorff distance of each pair of outlines."""
    there, back = farthest_distances(one, rows, other, partners), farthest_distances(other, partners, one, rows)
    return np.maximum(there, back)


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    return mean_scores(counts, {"hausdorff": "hausdorff_sum"})


METRIC = Metric(
    hausdorff, "hausdorff", "How far matched outlines go from each other at most.",
    scores=(
        metres("hausdorff", "Largest distance between the outlines, mean over matched objects."),
        count("matched", "Pairs of objects that match.", "higher"),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
