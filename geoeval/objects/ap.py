"""COCO's average precision and recall, exact on polygons in metres: see ``average_precision`` for the definition.

Sizes are square metres. COCO's 32 x 32 and 96 x 96 pixels are about 92 and 829 square metres at the 0.3 m of most
images of buildings; the ranges here are 100 and 900.
"""

from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.objects.average_precision import SCORES, precision_and_recall, scores_from_counts, scores_from_rows
from geoeval.objects.overlaps import Overlaps, overlaps_of


def ap(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    small_area: float = 100.0,
    large_area: float = 900.0,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Average precision and recall.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    small_area, large_area
        Small objects have at most the first, large ones at least the second, in square metres.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        Both maps empty: 1; one empty: 0. Undefined for sizes that the reference does not have.

    Notes
    -----
    O(p log p) for p overlapping pairs.
    """
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    return precision_and_recall(reference, prediction, overlaps, overlaps.iou, (small_area, large_area))


METRIC = Metric(
    ap, "ap", "COCO's average precision and recall, on polygons in metres.",
    scores=SCORES,
    counting="places", scores_from_counts=scores_from_counts, scores_from_rows=scores_from_rows, in_all=False,
)  # fmt: skip
