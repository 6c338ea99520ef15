"""COCO's average precision and recall on a map in metres: what ``ap`` and ``boundary-ap`` share.

For each IoU from 0.5 to 0.95 in steps of 0.05, predicted objects are taken by falling confidence, and of equal
confidence the largest IoU first; each takes the free object of the reference with the largest IoU, if that is at least
the threshold. Precision over recall, made monotone, is read at the recalls 0, 0.01 to 1, and the mean taken, over the
thresholds too. Objects of one confidence enter the curve together: no order among them is better than another. Without
confidences the curve is one point.

By size as in COCO: objects of the reference outside a range of areas are ignored, taken only where no other can be, and
what takes them is ignored too, as is what takes nothing and is outside the range itself.

A map is one image. So ``ar1``, ``ar10`` and ``ar100`` are recalls of the 1, 10 and 100 objects of highest confidence,
all those of the last one's confidence among them, and undefined without confidences.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import Score, ScoreValue, share
from geoeval.objects.iou_matching import ENOUGH, IOU_DECIMALS, confidence_of
from geoeval.objects.object_counts import counts_of_objects
from geoeval.objects.overlaps import Overlaps

THRESHOLDS = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))
RECALLS = np.linspace(0.0, 1.0, 101)
SIZES = ("all", "small", "medium", "large")
_MOST = (1, 10, 100)
# Of a row: a bit a threshold for matched, as many for ignored, then the size, and whether confidences are real.
_BITS = len(THRESHOLDS)
_WIDTH = 2 * _BITS + 3
_NO_CONFIDENCE = "the prediction has no confidences, by which the first ones would be chosen"
SCORES: tuple[Score, ...] = (
    share("ap", "Average precision, mean over IoU from 0.5 to 0.95."),
    share("ap50", "Average precision at IoU 0.5."),
    share("ap75", "Average precision at IoU 0.75."),
    *(share(f"ap_{size}", f"Average precision of {size} objects.") for size in SIZES[1:]),
    share("ar", "Recall, mean over IoU from 0.5 to 0.95."),
    *(share(f"ar{most}", f"The same of the {most} predicted objects of highest confidence.") for most in _MOST),
    *(share(f"ar_{size}", f"Recall of {size} objects.") for size in SIZES[1:]),
)


def precision_and_recall(
    reference: ObjectMap, prediction: ObjectMap, overlaps: Overlaps, iou: Floats, sizes: tuple[float, float]
) -> MetricResult:
    """All scores, from the overlapping pairs and the IoU of each; ``sizes`` are the square metres between the ranges.

    Rows in the details can be concatenated over areas: confidence, a code of what matched, and how many have both.
    O(p log p) for p pairs.
    """
    if not 0 < sizes[0] <= sizes[1]:
        raise ParameterError(
            f"small_area is {sizes[0]} and large_area {sizes[1]}; give square metres, the smaller first"
        )
    limits = {"all": (0.0, np.inf), "small": (0.0, sizes[0]), "medium": sizes, "large": (sizes[1], np.inf)}
    areas = [own.areas for own in (reference, prediction)]
    n, m = len(reference), len(prediction)
    values, rank = np.unique(-confidence_of(prediction), return_inverse=True)
    candidates = _candidates(overlaps, iou, rank)
    real = prediction.confidence is not None
    counts: dict[str, Floats] = {}
    rows = []
    for number, (size, (low, high)) in enumerate(limits.items()):
        outside = [(own < low) | (own > high) for own in areas]
        code, found = _matched(candidates, outside, rank)
        counts[f"refs_{size}"] = np.concatenate([(~outside[0]).astype(np.float64), np.zeros(m)])
        if size == "all":
            counts["preds"] = np.concatenate([np.zeros(n), np.ones(m)])
            for k, threshold in enumerate(THRESHOLDS):
                counts[f"found_{100 * threshold:.0f}"] = np.concatenate(
                    [(found >> k & 1).astype(np.float64), np.zeros(m)]
                )
        code += (number + 4 * real) << 2 * _BITS
        pairs, how_many = np.unique(rank << _WIDTH | code, return_counts=True)
        rows.append(np.column_stack([-values[pairs >> _WIDTH], pairs & (1 << _WIDTH) - 1, how_many]))
    local = counts_of_objects(reference, prediction, counts)
    sums = local.sums()
    table = np.concatenate(rows)
    scores, notes = scores_from_rows(sums, table)
    return MetricResult(scores, sums, None, notes, {"local": local, "rows": table})


def scores_from_counts(counts: Mapping[str, float]) -> Scored:
    """What counts alone say: the recall."""
    recall = np.mean([counts[f"found_{100 * t:.0f}"] for t in THRESHOLDS])
    true = counts["refs_all"]
    return {"ar": float(recall / true) if true else float(not counts["preds"])}, {}


def scores_from_rows(counts: Mapping[str, float], rows: Floats, **_: object) -> Scored:
    """All scores and notes, from the counts and rows of several areas together."""
    code = rows[:, 1].astype(np.int64)
    size, real = code >> 2 * _BITS & 3, bool((code >> 2 * _BITS + 2).any())
    tables = {
        name: _table(rows[size == k], code[size == k], counts[f"refs_{name}"], int(counts["preds"]))
        for k, name in enumerate(SIZES)
    }
    whole = tables["all"]
    firsts = {f"ar{most}": whole.recall_of(most) if real or not counts["preds"] else None for most in _MOST}
    scores: dict[str, ScoreValue] = {
        "ap": whole.precision(), "ap50": whole.precision(0.5), "ap75": whole.precision(0.75),
        **{f"ap_{name}": tables[name].precision() for name in SIZES[1:]},
        "ar": whole.recall_of(None), **firsts,
        **{f"ar_{name}": tables[name].recall_of(None) for name in SIZES[1:]},
    }  # fmt: skip
    notes = {
        name: _NO_CONFIDENCE if name in firsts else f"the reference has no {name.split('_')[-1]} objects"
        for name, value in scores.items()
        if value is None
    }
    return scores, notes


@dataclass(frozen=True)
class _Curve:
    """Precision at the recalls ``(thresholds, 101)``, and what the first objects found; nothing where nothing counts.

    ``value`` is what a map has where there is nothing to find: 1 or 0, or ``None`` where that is undefined.
    """

    at_recalls: Floats | None
    reached: Floats
    entered: Floats
    value: float | None

    def precision(self, threshold: float | None = None) -> ScoreValue:
        if self.at_recalls is None:
            return self.value
        chosen = self.at_recalls if threshold is None else self.at_recalls[THRESHOLDS.index(threshold)]
        return float(chosen.mean())

    def recall_of(self, most: int | None) -> ScoreValue:
        if self.at_recalls is None:
            return self.value
        if self.reached.shape[1] == 0:
            return 0.0
        last = -1 if most is None else min(int(np.searchsorted(self.entered, most)), self.reached.shape[1] - 1)
        return float(self.reached[:, last].mean())


def _table(rows: Floats, code: Ints, truths: float, predicted: int) -> _Curve:
    if not truths:
        # Two empty maps are alike; a range of sizes in which there is nothing says nothing.
        return _Curve(None, np.zeros((_BITS, 0)), np.zeros(0), _nothing_true(rows, code, predicted))
    value, group = np.unique(-rows[:, 0], return_inverse=True)
    bits = np.arange(_BITS)
    hit, ignored = (code[:, None] >> bits & 1).astype(bool), (code[:, None] >> bits + _BITS & 1).astype(bool)
    true, false = (
        np.cumsum(_sums(group, own * rows[:, 2:3], len(value)), axis=0).T for own in (hit & ~ignored, ~hit & ~ignored)
    )
    entered = np.cumsum(np.bincount(group, weights=rows[:, 2], minlength=len(value))).astype(np.float64)
    reached = true / truths
    exact = true / np.maximum(true + false, 1.0)
    best = np.maximum.accumulate(exact[:, ::-1], axis=1)[:, ::-1]
    read = np.zeros((_BITS, len(RECALLS)))
    for k in range(_BITS):
        # A recall that is reached must not fall short of it by rounding.
        at = np.searchsorted(reached[k], RECALLS * ENOUGH, side="left")
        read[k, at < len(value)] = best[k, at[at < len(value)]]
    return _Curve(read, reached, entered, None)


def _nothing_true(rows: Floats, code: Ints, predicted: int) -> float | None:
    """Without anything to find: 1 for empty maps, 0 for a map of everything that invents, undefined for a size."""
    if not predicted:
        return 1.0
    whole = len(code) > 0 and bool((code >> 2 * _BITS & 3 == 0).all())
    return 0.0 if whole and len(rows) else None


def _sums(group: Ints, values: Floats, count: int) -> Floats:
    return np.stack([np.bincount(group, weights=column, minlength=count) for column in values.T], axis=1)


def _candidates(overlaps: Overlaps, iou: Floats, rank: Ints) -> tuple[Ints, Ints, Floats]:
    """Pairs that can match at some threshold: by falling confidence, then by falling IoU."""
    rows = np.flatnonzero(iou >= THRESHOLDS[0] * ENOUGH)
    ref, pred, iou = overlaps.ref[rows], overlaps.pred[rows], iou[rows]
    # By rounding, equal values must not come in an order of their own.
    order = np.lexsort([pred, ref, -np.round(iou, IOU_DECIMALS), rank[pred]])
    return ref[order], pred[order], iou[order]


def _matched(candidates: tuple[Ints, Ints, Floats], outside: list[Bools], rank: Ints) -> tuple[Ints, Ints]:
    """What became of each predicted object and of each of the reference, a bit a threshold.

    Predicted objects have bits for matched, then as many for ignored. Objects outside the range are taken last among
    those of a confidence, and do not count.
    """
    ref, pred, iou = candidates
    order = np.argsort(rank[pred] * 2 + outside[0][ref], kind="stable")
    return _match_all(ref[order], pred[order], iou[order], outside[0], outside[1], np.array(THRESHOLDS) * ENOUGH)


@kernel
def _match_all(
    ref: Ints, pred: Ints, iou: Floats, outside_ref: Bools, outside_pred: Bools, thresholds: Floats
) -> tuple[Ints, Ints]:
    code, found = np.zeros(len(outside_pred), np.int64), np.zeros(len(outside_ref), np.int64)
    for k in range(len(thresholds)):
        matched, ignored = 1 << k, 1 << (k + len(thresholds))
        for row in range(len(ref)):
            i, j = ref[row], pred[row]
            if iou[row] >= thresholds[k] and not found[i] & matched and not code[j] & matched:
                found[i] |= matched
                code[j] |= matched
                if outside_ref[i]:
                    code[j] |= ignored
        for j in range(len(code)):
            if outside_pred[j] and not code[j] & matched:
                code[j] |= ignored
    return code, found
