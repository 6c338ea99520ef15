"""Precision and recall by intersection over union, as in the SpaceNet building challenges and in object detection.

Predicted objects are taken in descending order of their confidence; each matches the free object of the reference with
the largest IoU, if that is at least the threshold. Reference objects without a match are missed, predicted ones without
a match are false alarms. Among predictions of equal confidence, or without any, the pairs with the largest IoU go
first, so that the order of the input does not matter.
"""

import numpy as np

from geoeval.arrays import Bools, Floats
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import Score, ScoreValue, count, share
from geoeval.objects.instances import Instances, features_later
from geoeval.objects.iou_matching import confidence_of, greedy, ordered_pairs
from geoeval.objects.object_counts import counts_of_objects
from geoeval.objects.overlaps import Overlaps, overlaps_of

# Thresholds of the table in the details.
THRESHOLDS = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))


def iou(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    threshold: float = 0.5,
    min_area: float = 0.0,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Score by objects that overlap enough, one to one.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    threshold
        Least IoU of a match, above 0 and at most 1.
    min_area
        Objects smaller than this, in square metres, are left out on both sides. (SpaceNet: 20 pixels.)
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``tp``, ``fp``, ``fn``, ``precision``, ``recall``, ``f1``, and ``ap``, the area under the curve of precision
        over recall as the confidence falls (precision times recall where there is no confidence). Both maps empty: 1;
        one empty: 0. Details: ``thresholds`` has the number of matches at 0.5, 0.55 to 0.95; ``reference_iou`` has, for
        each reference object, the largest IoU with a predicted object that overlaps no other better, else 0.

    Notes
    -----
    O(p log p) for p overlapping pairs.
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"iou.threshold is {threshold}; give a share above 0 and at most 1")
    if not min_area >= 0:
        raise ParameterError(f"iou.min_area is {min_area}; give square metres, 0 or more")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    counted_ref = overlaps.ref_size * overlaps.unit >= min_area
    counted_pred = overlaps.pred_size * overlaps.unit >= min_area
    confidence = confidence_of(prediction)
    pairs = ordered_pairs(overlaps, confidence, (counted_ref, counted_pred))
    chosen = greedy(*pairs, threshold)
    order = np.lexsort([pairs[1][chosen], pairs[0][chosen]])
    rows = chosen[order]
    instances = Instances.from_pairs(pairs[0][rows], pairs[1][rows], len(counted_ref), len(counted_pred))
    features = features_later(
        "iou", reference, prediction, instances, values={"iou": pairs[2][rows]}, counted=(counted_ref, counted_pred)
    )
    local = _local(reference, prediction, instances, counted_ref, counted_pred)
    counts = local.sums()
    rows_by_confidence = confidence_rows(instances.of_pred[counted_pred] >= 0, confidence[counted_pred])
    scores, notes = scores_from_rows(counts, rows_by_confidence, threshold=threshold)
    details = {
        "instances": instances,
        "thresholds": {value: len(greedy(*pairs, value)) for value in THRESHOLDS},
        "reference_iou": reference_iou(overlaps),
        "local": local,
        "rows": rows_by_confidence,
    }
    return MetricResult(scores, counts, features, notes, details)


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    tp, fp, fn = (counts[name] for name in ("tp", "fp", "fn"))
    perfect = float(not (tp or fp or fn))
    return {
        "tp": int(tp),
        "fp": int(fp),
        "fn": int(fn),
        "precision": tp / (tp + fp) if tp + fp else perfect,
        "recall": tp / (tp + fn) if tp + fn else perfect,
        "f1": 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0,
    }, {}


def scores_from_rows(
    counts: dict[str, float], rows: Floats, *, threshold: float, **_: object
) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """All scores and notes, from the counts and rows of several areas together; further parameters are ignored."""
    scores, notes = scores_from_counts(counts)
    ap = _area_under_curve(rows, int(counts["tp"] + counts["fn"]))
    return {"threshold": threshold, **scores, "ap": ap}, notes


def confidence_rows(matched: Bools, confidence: Floats) -> Floats:
    """Each confidence with how many predictions have it and how many of these match; rows of areas can be concatenated.

    Predictions of equal confidence share a row: no order among them is better than another.
    """
    values, number = np.unique(confidence, return_inverse=True)
    hits = np.bincount(number, weights=matched, minlength=len(values))
    return np.column_stack([values, np.bincount(number, minlength=len(values)), hits])


def average_precision(matched: Bools, confidence: Floats, references: int) -> float:
    """Area under precision over recall, where precision is the best at this recall or a higher one."""
    return _area_under_curve(confidence_rows(matched, confidence), references)


def _area_under_curve(rows: Floats, references: int) -> float:
    if references == 0:
        return float(len(rows) == 0)
    if len(rows) == 0:
        return 0.0
    _, number = np.unique(rows[:, 0], return_inverse=True)
    # The highest confidence comes first.
    predictions, tp = (np.cumsum(np.bincount(number, weights=rows[:, k])[::-1]) for k in (1, 2))
    recall = np.concatenate([[0.0], tp / references])
    precision = np.maximum.accumulate((tp / predictions)[::-1])[::-1]
    return float((np.diff(recall) * precision).sum())


def reference_iou(overlaps: Overlaps) -> Floats:
    """For each reference object the largest IoU with a predicted object that overlaps no other better, else 0."""
    value = overlaps.iou
    order = np.lexsort([overlaps.ref, -value, overlaps.pred])
    _, first = np.unique(overlaps.pred[order], return_index=True)
    best = order[first]
    out = np.zeros(len(overlaps.ref_size))
    np.maximum.at(out, overlaps.ref[best], value[best])
    return out


def _local(
    reference: ObjectMap,
    prediction: ObjectMap,
    instances: Instances,
    counted_ref: Bools,
    counted_pred: Bools,
) -> LocalCounts:
    found_ref, found_pred = instances.of_ref >= 0, instances.of_pred >= 0
    nothing = [np.zeros(len(found_ref)), np.zeros(len(found_pred))]
    return counts_of_objects(
        reference,
        prediction,
        {
            "tp": np.concatenate([found_ref.astype(np.float64), nothing[1]]),
            "fp": np.concatenate([nothing[0], (counted_pred & ~found_pred).astype(np.float64)]),
            "fn": np.concatenate([(counted_ref & ~found_ref).astype(np.float64), nothing[1]]),
        },
    )


METRIC = Metric(
    iou, "f1", "Objects found one to one with at least a given intersection over union.",
    scores=(
        Score("threshold", "The least intersection over union of a match.", "neutral"),
        count("tp", "Objects found.", "higher"),
        count("fp", "Predicted objects without a match.", "lower"),
        count("fn", "Objects of the reference that are not found.", "lower"),
        share("precision", "Share of the predicted objects that match."),
        share("recall", "Share of the reference's objects that are found."),
        share("f1", "Harmonic mean of precision and recall."),
        share("ap", "Average precision as the confidence falls; without confidences, precision times recall."),
    ),
    counting="places", scores_from_counts=scores_from_counts, scores_from_rows=scores_from_rows,
)  # fmt: skip
