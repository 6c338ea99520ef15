"""COCO's matching of detections and truths, and its tables of precision and recall."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints

THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALLS = np.linspace(0.0, 1.0, 101)
# Pixels from and to which objects count, both inclusive.
SIZES = {"all": (0.0, 1e10), "small": (0.0, 32.0**2), "medium": (32.0**2, 96.0**2), "large": (96.0**2, 1e10)}
MOST_DETECTIONS = 100


@dataclass(frozen=True)
class Group:
    """Detections and truths of one image and category, detections by falling score and at most 100.

    Attributes
    ----------
    image, category
        Their ids.
    iou
        Of each detection with each truth ``(detections, truths)``.
    score, area
        Of the detections.
    true_area, crowd
        Of the truths.
    unnamed
        Which truths have the id 0: what matches one counts as unmatched, because 0 means no match to the original.
    """

    image: Hashable
    category: Hashable
    iou: Floats
    score: Floats
    area: Floats
    true_area: Floats
    crowd: Bools
    unnamed: Bools


@dataclass(frozen=True)
class Tables:
    """Precision at 101 recalls and the last recall, for one category, size and number of detections.

    ``precision`` is ``(thresholds, recalls)`` and ``recall`` ``(thresholds,)``.
    """

    precision: Floats
    recall: Floats


def by_score(score: Floats) -> Ints:
    """The order of detections by falling score; equal ones keep their order."""
    return np.argsort(-score, kind="stable")


def tables_of(groups: Iterable[Group], size: str) -> dict[int, Tables]:
    """Tables of one category for 1, 10 and 100 detections an image; empty where no truth of this size counts.

    Groups come in the order of their images. O(thresholds times pairs), plus the sorting.
    """
    low, high = SIZES[size]
    scores, hits, left_out, truths = [], [], [], 0
    for group in groups:
        ignored = group.crowd | (group.true_area < low) | (group.true_area > high)
        order = np.argsort(ignored, kind="stable")
        iou = np.ascontiguousarray(group.iou[:, order])
        match = _matches(iou, ignored[order], group.crowd[order], THRESHOLDS)
        # -1, no match, reads the last entry, which stands for no truth.
        to_ignored, to_unnamed = (np.append(mark[order], False)[match] for mark in (ignored, group.unnamed))
        found = (match >= 0) & ~to_unnamed
        outside = (group.area < low) | (group.area > high)
        scores.append(group.score)
        hits.append(found)
        left_out.append(to_ignored | (~found & outside[None, :]))
        truths += int((~ignored).sum())
    if truths == 0:
        return {}
    return {most: _tables(scores, hits, left_out, truths, most) for most in (1, 10, MOST_DETECTIONS)}


def _tables(scores: list[Floats], hits: list[Bools], left_out: list[Bools], truths: int, most: int) -> Tables:
    order = by_score(np.concatenate([one[:most] for one in scores]))
    hit, out = (np.concatenate([one[:, :most] for one in some], axis=1)[:, order] for some in (hits, left_out))
    precision, recall = np.zeros((len(THRESHOLDS), len(RECALLS))), np.zeros(len(THRESHOLDS))
    for row in range(len(THRESHOLDS)):
        true = np.cumsum(hit[row] & ~out[row])
        false = np.cumsum(~hit[row] & ~out[row])
        reached = true / truths
        recall[row] = reached[-1] if len(reached) else 0.0
        # The little added keeps the original from dividing by 0.
        exact = true / (false + true + np.spacing(1))
        best = np.maximum.accumulate(exact[::-1])[::-1]
        at = np.searchsorted(reached, RECALLS, side="left")
        precision[row, at < len(best)] = best[at[at < len(best)]]
    return Tables(precision, recall)


@kernel
def _matches(iou: Floats, ignored: Bools, crowd: Bools, thresholds: Floats) -> Ints:
    """The truth of each detection for each threshold, -1 for none. Truths that count come before ignored ones.

    Of truths with the same IoU the later one is taken. A crowd may be taken again and again.
    """
    detections, truths = iou.shape
    match = np.full((len(thresholds), detections), -1, dtype=np.int64)
    for t in range(len(thresholds)):
        taken = np.zeros(truths, dtype=np.bool_)
        for d in range(detections):
            best = min(thresholds[t], 1 - 1e-10)
            chosen = -1
            for g in range(truths):
                if taken[g] and not crowd[g]:
                    continue
                if chosen >= 0 and ignored[g] and not ignored[chosen]:
                    break
                if iou[d, g] >= best:
                    best, chosen = iou[d, g], g
            if chosen >= 0:
                match[t, d] = chosen
                taken[chosen] = True
    return match
