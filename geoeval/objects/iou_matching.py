"""One-to-one matches by intersection over union: the highest confidence first, then the largest IoU."""

import numpy as np

from geoeval._kernels.greedy import take_in_order
from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.object_map import ObjectMap
from geoeval.objects.overlaps import Overlaps

# Share of a threshold that is enough: an IoU equal to it must not fall short of it by rounding, nor when a map is
# turned, which moves coordinates by as much as they are rounded to.
ENOUGH = 1 - 1e-8
# Decimals of an IoU that tell it from another one.
IOU_DECIMALS = 8


def matched_pairs(prediction: ObjectMap, overlaps: Overlaps, threshold: float, metric: str) -> tuple[Ints, Ints]:
    """Objects of the reference and of the prediction that match with at least this IoU, in the reference's order."""
    if not 0 < threshold <= 1:
        raise ParameterError(f"{metric}.threshold is {threshold}; give a share above 0 and at most 1")
    ref, pred, value = ordered_pairs(overlaps, confidence_of(prediction))
    rows = greedy(ref, pred, value, threshold)
    order = np.argsort(ref[rows], kind="stable")
    return ref[rows][order], pred[rows][order]


def confidence_of(prediction: ObjectMap) -> Floats:
    """The confidence in each object; 0 where the map has none."""
    return np.zeros(len(prediction)) if prediction.confidence is None else prediction.confidence


def ordered_pairs(
    overlaps: Overlaps, confidence: Floats, counted: tuple[Bools, Bools] | None = None
) -> tuple[Ints, Ints, Floats]:
    """Pairs of counted objects and their IoU: the highest confidence first, then the largest IoU."""
    ref, pred, value = overlaps.ref, overlaps.pred, overlaps.iou
    if counted is not None:
        rows = np.flatnonzero(counted[0][ref] & counted[1][pred])
        ref, pred, value = ref[rows], pred[rows], value[rows]
    # By rounding, equal values must not come in an order of their own.
    order = np.lexsort([pred, ref, -np.round(value, IOU_DECIMALS), -confidence[pred]])
    return ref[order], pred[order], value[order]


def greedy(ref: Ints, pred: Ints, value: Floats, threshold: float) -> Ints:
    """Rows of the pairs that match, taken in this order, each object once. O(pairs)."""
    rows = np.flatnonzero(value >= threshold * ENOUGH)
    i, j = ref[rows], pred[rows]
    return rows[take_in_order(i, j, int(i.max(initial=-1)) + 1, int(j.max(initial=-1)) + 1)]
