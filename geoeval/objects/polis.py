"""PoLiS: the mean distance between the corners of one outline and the other outline, both ways (Avbelj et al. 2015).

For outlines A and B with corners a_1..a_q and b_1..b_r: 1/(2q) sum of the distances of a_i from B, plus 1/(2r) sum of
the distances of b_j from A. Rings of holes belong to the outline. Objects are paired one to one by IoU.

The scripts that papers share do it otherwise, and ``as_scripted`` does as they do: only the ring around the first part
of an object counts, vertices on straight sides count, sums are divided by the number of vertices and one more, every
object of the reference takes the predicted one whose bounding box has the largest IoU with its own, if above 0.5, and
one predicted object may be taken twice. (Among objects that share ground; the scripts also leave out whole images whose
mean is 0. The protocols ``hisup`` and ``p3`` reproduce all of it, in pixels.)
"""

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import count, metres
from geoeval.objects.iou_matching import matched_pairs
from geoeval.objects.outline_distances import corner_distances
from geoeval.objects.overlaps import Overlaps, overlaps_of
from geoeval.objects.pair_means import mean_scores, pair_counts

_LEAST_BOX_IOU = 0.5


def polis(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    threshold: float = 0.5,
    as_scripted: bool = False,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Mean PoLiS of matched objects, in metres.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    threshold
        Least IoU of a match.
    as_scripted
        With the rules of the published scripts instead of the published definition.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``polis`` and ``matched``. Two empty maps: 0. Without a match undefined.

    Notes
    -----
    O(n m) for a pair with n and m corners.
    """
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    if as_scripted:
        ref, pred = _by_boxes(reference, prediction, overlaps)
        values = _scripted(reference.polygons[ref], prediction.polygons[pred])
    else:
        ref, pred = matched_pairs(prediction, overlaps, threshold, "polis")
        values = polis_of(reference, ref, prediction, pred)
    local = pair_counts(reference, prediction, ref, {"polis_sum": values})
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def polis_of(reference: ObjectMap, ref: Ints, prediction: ObjectMap, pred: Ints) -> Floats:
    """PoLiS of each pair."""
    there = corner_distances(reference.outlines, ref, prediction.outlines, pred)
    back = corner_distances(prediction.outlines, pred, reference.outlines, ref)
    return np.asarray((there[0] / np.maximum(there[1], 1) + back[0] / np.maximum(back[1], 1)) / 2)


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    return mean_scores(counts, {"polis": "polis_sum"})


def _by_boxes(reference: ObjectMap, prediction: ObjectMap, overlaps: Overlaps) -> tuple[Ints, Ints]:
    one, two = (shapely.bounds(own.polygons).reshape(-1, 4) for own in (reference, prediction))
    first, second = one[overlaps.ref], two[overlaps.pred]
    low, high = np.maximum(first[:, :2], second[:, :2]), np.minimum(first[:, 2:], second[:, 2:])
    common = np.maximum(high - low, 0.0).prod(axis=1)
    union = sum((own[:, 2:] - own[:, :2]).prod(axis=1) for own in (first, second)) - common
    iou = common / union
    order = np.lexsort([overlaps.pred, -iou, overlaps.ref])
    best = order[np.unique(overlaps.ref[order], return_index=True)[1]]
    best = best[iou[best] > _LEAST_BOX_IOU]
    return overlaps.ref[best], overlaps.pred[best]


def _scripted(one: Objects, other: Objects) -> Floats:
    rings = [shapely.get_exterior_ring(shapely.get_geometry(some, 0)) for some in (one, other)]
    return (_scripted_mean(rings[0], rings[1]) + _scripted_mean(rings[1], rings[0])) / 2


def _scripted_mean(rings: Objects, others: Objects) -> Floats:
    xy, owner = shapely.get_coordinates(rings, return_index=True)
    closing = np.append(owner[1:] != owner[:-1], True)[: len(owner)]
    xy, owner = xy[~closing], owner[~closing]
    distance = shapely.distance(shapely.points(xy), others[owner])
    sums = np.bincount(owner, weights=distance, minlength=len(rings))
    return np.asarray(sums / (np.bincount(owner, minlength=len(rings)) + 1))


METRIC = Metric(
    polis, "polis", "Mean distance between the corners of matched objects and the other outline.",
    scores=(
        metres("polis", "Mean distance between corners and the other outline, over matched objects."),
        count("matched", "Pairs of objects that match.", "higher"),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
