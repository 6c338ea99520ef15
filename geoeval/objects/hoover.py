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

from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.object_map import ROUNDING, ObjectMap
from geoeval.model.scores import ScoreValue, count, share
from geoeval.objects.instances import Instances, object_features
from geoeval.objects.overlaps import OVERLAPPING_NOTE, Overlaps, overlaps_of

# Shares are compared with this tolerance, so that an exact share is not lost to rounding.
_TOLERANCE = 1e-12
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
        empty: 0. The score can exceed 1, with a note, where objects of one map overlap each other: the ground that they
        share counts for each of them.

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
    features = object_features("hoover", reference, prediction, found.instances)
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
    elif score is not None and score > 1 + ROUNDING:
        notes["score"] = OVERLAPPING_NOTE
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
    limit = threshold * (1 - _TOLERANCE)
    in_ref, in_pred = size >= limit * overlaps.ref_size[ref], size >= limit * overlaps.pred_size[pred]
    both = np.flatnonzero(in_ref & in_pred)
    score = (size[both] / overlaps.ref_size[ref[both]] + size[both] / overlaps.pred_size[pred[both]]) / 2
    candidates: list[tuple[float, int, int, Ints]] = [
        (-value, 0, first, row)
        for value, first, row in zip(score.tolist(), ref[both].tolist(), both[:, None], strict=True)
    ]
    for form, one, many, one_size, many_size, inside in (
        (1, ref, pred, overlaps.ref_size, overlaps.pred_size, in_pred),
        (2, pred, ref, overlaps.pred_size, overlaps.ref_size, in_ref),
    ):
        rows = np.flatnonzero(inside)
        rows = rows[np.bincount(one[rows], minlength=1)[one[rows]] > 1]
        rows = rows[np.argsort(one[rows], kind="stable")]
        for group in np.split(rows, np.flatnonzero(np.diff(one[rows])) + 1):
            if len(group) < 2:
                continue
            shared, own = size[group].sum(), one_size[one[group[0]]]
            if shared >= limit * own:
                score = (shared / own + shared / many_size[many[group]].sum()) / 2
                candidates.append((-float(score), form, int(one[group[0]]), group))
    return _accepted(overlaps, sorted(candidates, key=lambda one: one[:3]))


def _accepted(overlaps: Overlaps, candidates: list[tuple[float, int, int, Ints]]) -> HooverMatching:
    used: tuple[set[int], set[int]] = set(), set()
    taken = []
    all_refs, all_preds = overlaps.ref.tolist(), overlaps.pred.tolist()
    for candidate in candidates:
        rows = candidate[3].tolist()
        refs, preds = [all_refs[row] for row in rows], [all_preds[row] for row in rows]
        if used[0].isdisjoint(refs) and used[1].isdisjoint(preds):
            used[0].update(refs)
            used[1].update(preds)
            taken.append(candidate)
    taken.sort(key=lambda one: int(one[3][0]))
    rows = np.concatenate([one[3] for one in taken]) if taken else np.zeros(0, dtype=np.int64)
    order = np.sort(rows)
    instances = Instances.from_pairs(
        overlaps.ref[order], overlaps.pred[order], len(overlaps.ref_size), len(overlaps.pred_size)
    )
    return HooverMatching(
        instances, np.array([one[1] for one in taken], dtype=np.int64), np.array([-one[0] for one in taken])
    )


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
    return LocalCounts(np.concatenate(places), values)


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
