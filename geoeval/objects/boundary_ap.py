"""Boundary AP and boundary IoU (Cheng et al., CVPR 2021), exact on polygons in metres.

The boundary of an object is the ground inside it that is at most ``width`` metres from its outline: the object without
its inside (``inner_rings``), whose arcs have eight chords a quarter. The IoU of two boundaries is cut where the objects
are large and alike, but their outlines are not. As published, a match has the smaller one of the objects' IoU and the
boundaries' IoU; from these follow average precision and recall as in ``ap``. Other than in pixels, the width is a
length on the ground and not a share of the image, and the border of the evaluated area is no boundary of its own.

``boundary_iou`` is the mean over the pairs that match with an IoU of at least 0.5.
"""

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ROUNDING, ObjectMap
from geoeval.model.rings import Rings
from geoeval.model.scores import share
from geoeval.objects import average_precision
from geoeval.objects.average_precision import SCORES, precision_and_recall
from geoeval.objects.inner_rings import inner_rings
from geoeval.objects.iou_matching import ENOUGH, matched_pairs
from geoeval.objects.overlaps import Overlaps, overlaps_of
from geoeval.objects.pair_means import UNMATCHED, pair_counts

# Pairs below this IoU match at no threshold, so their boundaries are not compared.
_LEAST = 0.5


def boundary_ap(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    width: float = 2.0,
    small_area: float = 100.0,
    large_area: float = 900.0,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Average precision and recall with boundary IoU.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    width
        Width of a boundary, in metres.
    small_area, large_area
        As for ``ap``.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        The scores of ``ap``, and ``boundary_iou``, which is undefined where nothing matches. Both maps empty: 1; one
        empty: 0.

    Notes
    -----
    O(n) buffers of n objects, an intersection for each pair that overlaps by half, and as ``ap``.
    """
    if not width > 0:
        raise ParameterError(f"boundary-ap.width is {width}; give metres above 0")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    iou = overlaps.iou
    near = np.flatnonzero(iou >= _LEAST * ENOUGH)
    edges = boundary_ious(reference, overlaps.ref[near], prediction, overlaps.pred[near], width)
    smaller = np.zeros(len(iou))
    smaller[near] = np.minimum(iou[near], edges)
    ref, pred = matched_pairs(prediction, overlaps, _LEAST, "boundary-ap")
    # The pairs are in the order of the objects, so each has a place of its own.
    place = np.searchsorted(overlaps.ref[near] * len(prediction) + overlaps.pred[near], ref * len(prediction) + pred)
    result = precision_and_recall(reference, prediction, overlaps, smaller, (small_area, large_area))
    local = result.details["local"]
    own = pair_counts(reference, prediction, ref, {"boundary_sum": edges[place]})
    local.counts.update({name: own.counts[name] for name in ("matched", "boundary_sum")})
    counts = local.sums()
    scores, notes = scores_from_rows(counts, result.details["rows"])
    return MetricResult(scores, counts, None, notes, result.details)


def boundary_ious(reference: ObjectMap, ref: Ints, prediction: ObjectMap, pred: Ints, width: float) -> Floats:
    """IoU of the boundaries of each pair.

    A boundary is an object without its inside, so what two boundaries share follows from what the objects and their
    insides share, and no boundary need be drawn.
    """
    true, found = reference.rings, prediction.rings
    (true_inside, i), (found_inside, j) = (
        _insides(own, rows, width) for own, rows in ((reference, ref), (prediction, pred))
    )
    common = (
        true.common_areas(ref, found, pred)
        - true_inside.common_areas(i, found, pred)
        - true.common_areas(ref, found_inside, j)
        + true_inside.common_areas(i, found_inside, j)
    )
    common = np.maximum(common, 0.0)
    own = reference.areas[ref] - true_inside.areas()[i] + prediction.areas[pred] - found_inside.areas()[j]
    iou = np.asarray(common / (own - common))
    return np.where(iou > 1 - ROUNDING, 1.0, iou)


def _insides(objects: ObjectMap, rows: Ints, width: float) -> tuple[Rings, Ints]:
    """The insides of the objects of the rows, made once each, and which of them belongs to each row."""
    used, number = np.unique(rows, return_inverse=True)
    rings, place = inner_rings(objects, used, width)
    return rings, place[number]


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """What counts alone say: recall and boundary IoU."""
    scores, notes = average_precision.scores_from_counts(counts)
    own, why = _boundary_iou(counts)
    return {**scores, **own}, {**notes, **why}


def scores_from_rows(counts: dict[str, float], rows: Floats, **_: object) -> Scored:
    """All scores and notes, from the counts and rows of several areas together."""
    scores, notes = average_precision.scores_from_rows(counts, rows)
    own, why = _boundary_iou(counts)
    return {**scores, **own}, {**notes, **why}


def _boundary_iou(counts: dict[str, float]) -> Scored:
    if counts["matched"]:
        return {"boundary_iou": counts["boundary_sum"] / counts["matched"]}, {}
    if not (counts["refs_all"] and counts["preds"]):
        return {"boundary_iou": float(not (counts["refs_all"] or counts["preds"]))}, {}
    return {"boundary_iou": None}, {"boundary_iou": UNMATCHED}


METRIC = Metric(
    boundary_ap, "ap", "COCO's average precision and recall with boundary IoU, on polygons in metres.",
    scores=(*SCORES, share("boundary_iou", "IoU of the boundaries, mean over matched objects.")),
    counting="places", scores_from_counts=scores_from_counts, scores_from_rows=scores_from_rows, in_all=False,
)  # fmt: skip
