"""How much of the outlines turns as the reference's do: corners at their places and with their angles.

An outline is where it turns: a square turns by 90 degrees at four corners, a rounded one by little at many. A predicted
corner turns as one of the reference does if it is at most ``max_distance`` away, their objects overlap, and their turns
differ by at most ``tolerance`` degrees, left turns being left turns. Corners match one to one, the most alike turns
first and the nearest of these. The score is the turning of all matched corners of both maps, without signs, as a share
of all turning. So rounded corners, jagged sides and wrong angles lower it, and a shift within the distance does not.

``right_reference`` and ``right_prediction`` are the shares of the turning of each map that is in right angles, within
the tolerance: how rectangular the maps are, whatever their places.
"""

import numpy as np

from geoeval._kernels.greedy import take_in_order
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import ScoreValue, share
from geoeval.objects.corner_pairs import near_corners
from geoeval.objects.object_counts import counts_of_corners
from geoeval.objects.overlaps import Overlaps, overlaps_of


def right_angles(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    max_distance: float = 2.0,
    tolerance: float = 10.0,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Score by the turning of the outlines.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    max_distance
        How far apart corners may be that match, in metres.
    tolerance
        By how much turns that match may differ, and right angles may be off, in degrees.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``score``, ``right_reference``, ``right_prediction``. Both maps empty: 1; one empty: score 0, and the share of
        right angles of the empty one is undefined.

    Notes
    -----
    O(n m) for an overlapping pair with n and m corners, and O(p log p) for p near pairs of corners.
    """
    if not (max_distance >= 0 and 0 <= tolerance < 45):
        msg = (
            f"right-angles.max_distance is {max_distance} and tolerance {tolerance}; give metres, and degrees below 45"
        )
        raise ParameterError(msg)
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    turns = reference.outlines.turns(), prediction.outlines.turns()
    ref, pred = near_corners(reference, prediction, overlaps, max_distance)
    differs = np.abs(turns[0][ref] - turns[1][pred])
    apart = np.hypot(*(reference.outlines.xy[ref] - prediction.outlines.xy[pred]).T)
    order = np.lexsort(np.round(np.stack([apart, differs]), 6))
    order = order[differs[order] <= tolerance + 1e-6]
    taken = take_in_order(ref[order], pred[order], len(turns[0]), len(turns[1]))
    matched = ref[order][taken], pred[order][taken]
    as_it_should = [np.zeros(len(own)) for own in turns]
    for own, rows, turn in zip(as_it_should, matched, turns, strict=True):
        own[rows] = np.abs(turn[rows])
    nothing = np.zeros(len(turns[0])), np.zeros(len(turns[1]))
    right = [np.where(np.abs(np.abs(own) - 90) <= tolerance + 1e-6, np.abs(own), 0.0) for own in turns]
    local = counts_of_corners(
        reference,
        prediction,
        {
            "alike": np.concatenate(as_it_should),
            "ref_turning": np.concatenate([np.abs(turns[0]), nothing[1]]),
            "pred_turning": np.concatenate([nothing[0], np.abs(turns[1])]),
            "ref_right": np.concatenate([right[0], nothing[1]]),
            "pred_right": np.concatenate([nothing[0], right[1]]),
        },
    )
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    total = counts["ref_turning"] + counts["pred_turning"]
    scores: dict[str, ScoreValue] = {"score": counts["alike"] / total if total else 1.0}
    notes = {}
    for side, name in (("ref", "right_reference"), ("pred", "right_prediction")):
        turning = counts[f"{side}_turning"]
        scores[name] = counts[f"{side}_right"] / turning if turning else (None if total else 1.0)
        if scores[name] is None:
            notes[name] = "there are no objects to turn"
    return scores, notes


METRIC = Metric(
    right_angles, "score", "How much of the outlines turns where and as the reference's do.",
    scores=(
        share("score", "Turning of the matched corners of both maps as a share of all turning."),
        share("right_reference", "Share of the reference's turning that is in right angles."),
        share("right_prediction", "Share of the prediction's turning that is in right angles."),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
