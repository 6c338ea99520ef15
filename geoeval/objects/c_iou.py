"""C-IoU: the IoU of all covered ground, times how alike the numbers of corners are (Zorzi et al., PolyWorld, 2022).

IoU is that of the ground which the objects of each map cover together. With N corners in the reference and N' in the
prediction, the likeness is 1 - |N - N'| / (N + N'), and C-IoU their product. Vertices on straight sides and the closing
vertex of a ring are no corners; all rings count. ``vertex_ratio`` is N' / N.

PolyWorld takes the mean over images; a map is one image here, and the grid (``--grid``) has the scores of its cells.
What the published scripts count otherwise is in the protocols ``hisup`` and ``p3``.
"""

import numpy as np

from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ROUNDING, ObjectMap
from geoeval.model.scores import Score, ScoreValue, share
from geoeval.objects.object_counts import counts_of_objects
from geoeval.objects.overlaps import Overlaps, covered_ground, overlaps_of


def c_iou(reference: ObjectMap, prediction: ObjectMap, *, overlaps: Overlaps | None = None) -> MetricResult:
    """Score by covered ground and the number of corners.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``c_iou``, ``iou``, ``vertex_ratio``. Both maps empty: 1; one empty: 0, and without a reference the ratio is
        undefined.

    Notes
    -----
    O(corners) besides the overlaps.
    """
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    n, m = len(reference), len(prediction)
    nothing = np.zeros(n), np.zeros(m)
    own = [
        sizes * overlaps.unit if objects.labels is not None else covered_ground(objects)
        for objects, sizes in ((reference, overlaps.ref_size), (prediction, overlaps.pred_size))
    ]
    local = counts_of_objects(
        reference,
        prediction,
        {
            "union": overlaps.ground * overlaps.unit,
            "ref_ground": np.concatenate([own[0], nothing[1]]),
            "pred_ground": np.concatenate([nothing[0], own[1]]),
            "ref_corners": np.concatenate([reference.outlines.corners, nothing[1]]),
            "pred_corners": np.concatenate([nothing[0], prediction.outlines.corners]),
        },
    )
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    true, found = counts["ref_corners"], counts["pred_corners"]
    common = max(counts["ref_ground"] + counts["pred_ground"] - counts["union"], 0.0)
    iou = common / counts["union"] if counts["union"] else 1.0
    iou = 1.0 if iou > 1 - ROUNDING else iou
    likeness = 1 - abs(true - found) / (true + found) if true + found else 1.0
    ratio: ScoreValue = found / true if true else (None if found else 1.0)
    notes = {} if ratio is not None else {"vertex_ratio": "the reference has no corners"}
    return {"c_iou": iou * likeness, "iou": iou, "vertex_ratio": ratio}, notes


METRIC = Metric(
    c_iou, "c_iou", "Common ground as a share of all covered ground, times the likeness of the numbers of corners.",
    scores=(
        share("c_iou", "IoU of all covered ground times the likeness of the numbers of corners."),
        share("iou", "IoU of all covered ground."),
        Score("vertex_ratio", "Predicted corners over those of the reference; 1 is right.", "neutral", (0.0, None)),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
