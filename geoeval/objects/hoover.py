"""Hoover index: objects found correctly, over-detected (in pieces) or under-detected (several as one).

Hoover, Jean-Baptiste, Jiang et al. (1996), as Özdemir, Aksoy et al. (2010), section 4.1.2, use it for objects. With a
threshold T above one half:

- a pair is correct if it shares at least T of either object;
- an object of the reference is over-detected if at least T of it is covered by several predicted objects that each
  lie in it with at least T of their area; all such predicted objects are taken;
- under-detection is the same with the sides exchanged.

Where an object could be in several instances the paper keeps the one with the highest score. Here instances are
accepted in descending order of their score, and an instance with an object that is already used is left out.
"""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.object_map import ROUNDING, ObjectMap
from geoeval.model.scores import ScoreValue, count, share
from geoeval.objects.instances import Instances, features_later
from geoeval.objects.iou_matching import ENOUGH
from geoeval.objects.overlaps import Overlaps, overlaps_of

_FORMS = ("correct", "over", "under")


def hoover(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    threshold: float = 0.6,
    min_overlap: float = 0.0,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Score by the mean of the overlap shares of all instances.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    threshold
        T, above 0.5 and at most 1.
    min_overlap
        Pairs that share no more than this, in square metres, cannot match.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``score`` from T to 1, undefined where both maps have objects but there is no instance; numbers of ``correct``,
        ``over`` and ``under`` instances, of ``missed`` and ``false_alarm`` objects. Both maps empty: score 1; one
        empty: 0. Where objects of one map overlap each other, an object is covered at most wholly.

    Notes
    -----
    O(p log p) for p overlapping pairs.
    """
    if not 0.5 < threshold <= 1:
        raise ParameterError(f"hoover.threshold is {threshold}; give a share above 0.5 and at most 1")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    found = match_hoover(overlaps.above(min_overlap), threshold)
    local = _local(reference, prediction, found)
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    features = features_later("hoover", reference, prediction, found.instances)
    details = {"instances": found.instances, "score": found.score, "local": local}
    return MetricResult(scores, counts, features, notes, details)


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    instances = sum(counts[form] for form in _FORMS)
    missed, false_alarm = counts["missed"], counts["false_alarm"]
    score: ScoreValue = counts["score_sum"] / instances if instances else None
    notes = {}
    if not instances:
        if not (missed and false_alarm):
            score = float(not missed and not false_alarm)
        else:
            notes["score"] = "no overlap reaches the threshold"
    whole = {name: int(counts[name]) for name in (*_FORMS, "missed", "false_alarm")}
    return {"score": score, **whole}, notes


@dataclass(frozen=True)
class HooverMatching:
    """The accepted instances, each with its form (0 correct, 1 over, 2 under) and score."""

    instances: Instances
    form: Ints
    score: Floats


def match_hoover(overlaps: Overlaps, threshold: float) -> HooverMatching:
    """The accepted instances; where several compete for an object, the one with the best score wins."""
    ref, pred, size = overlaps.ref, overlaps.pred, overlaps.size
    limit = threshold * ENOUGH
    in_ref, in_pred = size >= limit * overlaps.ref_size[ref], size >= limit * overlaps.pred_size[pred]
    both = np.flatnonzero(in_ref & in_pred)
    of_ref = overlaps.ref_size[ref], overlaps.pred_size[pred]
    of_pred = of_ref[::-1]
    found = [
        _candidates(both, np.arange(len(both)), size, of_ref, limit),
        _candidates(*_groups(np.flatnonzero(in_pred), ref), size, of_ref, limit),
        _candidates(*_groups(np.flatnonzero(in_ref), pred), size, of_pred, limit),
    ]
    rows = np.concatenate([one.rows for one in found])
    count = np.concatenate([one.count for one in found])
    score = np.concatenate([one.score for one in found])
    form = np.repeat(np.arange(len(found)), [len(one.count) for one in found])
    start = np.cumsum(count) - count
    object_of_one = np.where(form == 2, pred[rows[start]], ref[rows[start]])
    best_first = np.lexsort([object_of_one, form, -score])
    accepted = _accept(best_first, start, count, rows, ref, pred, len(overlaps.ref_size), len(overlaps.pred_size))
    chosen = np.flatnonzero(accepted)
    chosen = chosen[np.argsort(rows[start[chosen]], kind="stable")]
    pairs = np.sort(rows[np.repeat(accepted, count)])
    instances = Instances.from_pairs(ref[pairs], pred[pairs], len(overlaps.ref_size), len(overlaps.pred_size))
    return HooverMatching(instances, form[chosen], score[chosen])


@dataclass(frozen=True)
class _Candidates:
    """Instances that may be accepted: their pairs one after the other, how many each has, and its score."""

    rows: Ints
    count: Ints
    score: Floats


def _groups(rows: Ints, one: Ints) -> tuple[Ints, Ints]:
    """The pairs of objects ``one`` that have several, object after object, and where each object's begin."""
    rows = rows[np.bincount(one[rows], minlength=1)[one[rows]] > 1]
    rows = rows[np.argsort(one[rows], kind="stable")]
    return rows, np.flatnonzero(np.diff(one[rows], prepend=-1))


def _candidates(rows: Ints, start: Ints, size: Floats, sizes: tuple[Floats, Floats], limit: float) -> _Candidates:
    """Those groups of pairs whose one object is covered enough; ``sizes`` are those of the one and the many objects."""
    if len(rows) == 0:
        return _Candidates(rows, rows, np.zeros(0))
    one_size, many_size = sizes
    own = one_size[rows[start]]
    shared, many = np.add.reduceat(size[rows], start), np.add.reduceat(many_size[rows], start)
    count = np.diff(np.append(start, len(rows)))
    kept = shared >= limit * own
    # Ground that several of the many cover is found once; the many never share more than they are.
    score = (np.minimum(shared / own, 1.0) + np.minimum(shared / many, 1.0)) / 2
    score[score > 1 - ROUNDING] = 1.0
    return _Candidates(rows[np.repeat(kept, count)], count[kept], score[kept])


@kernel
def _accept(order: Ints, start: Ints, count: Ints, rows: Ints, ref: Ints, pred: Ints, refs: int, preds: int) -> Bools:
    """Which candidates have no object that an earlier one in the order has."""
    accepted = np.zeros(len(order), np.bool_)
    used_ref, used_pred = np.zeros(refs, np.bool_), np.zeros(preds, np.bool_)
    for candidate in order:
        free = True
        for k in range(start[candidate], start[candidate] + count[candidate]):
            free = free and not used_ref[ref[rows[k]]] and not used_pred[pred[rows[k]]]
        if free:
            accepted[candidate] = True
            for k in range(start[candidate], start[candidate] + count[candidate]):
                used_ref[ref[rows[k]]], used_pred[pred[rows[k]]] = True, True
    return accepted


def _local(reference: ObjectMap, prediction: ObjectMap, found: HooverMatching) -> LocalCounts:
    """Counts of an instance at its first reference object, of objects in no instance at themselves."""
    own = found.instances
    first, _ = own.firsts
    sizes = (len(first), len(own.missed), len(own.false_alarms))
    spread = np.repeat(np.arange(3), sizes)
    values = {form: np.zeros(len(spread)) for form in (*_FORMS, "score_sum", "missed", "false_alarm")}
    for k, form in enumerate(_FORMS):
        values[form][: sizes[0]] = found.form == k
    values["score_sum"][: sizes[0]] = found.score
    values["missed"][spread == 1] = 1.0
    values["false_alarm"][spread == 2] = 1.0
    places = [reference.centroids[first], reference.centroids[own.missed], prediction.centroids[own.false_alarms]]
    item = np.concatenate([first, own.missed, own.false_alarms])
    return LocalCounts(np.concatenate(places), values, item=item, reference_rows=sizes[0] + sizes[1])


METRIC = Metric(
    hoover, "score", "How well objects overlap that are found as they are, in pieces, or several as one.",
    scores=(
        share("score", "Mean overlap of the objects found, as a share of their area."),
        count("correct", "Objects found as they are, one to one.", "higher"),
        count("over", "Objects of the reference found in pieces.", "lower"),
        count("under", "Predicted objects that are several of the reference.", "lower"),
        count("missed", "Objects of the reference that are not found.", "lower"),
        count("false_alarm", "Predicted objects without a match.", "lower"),
    ),
    counting="places", scores_from_counts=scores_from_counts,
)  # fmt: skip
