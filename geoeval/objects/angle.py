"""Maximum tangent angle error of matched outlines (after Girard et al., Frame Field Learning, CVPR 2021).

The predicted outline is cut into pieces: each side into max(1, round(l / spacing)) equal ones. The ends of a piece are
projected to the nearest places of the reference's outline; the angle between the piece and its projection is the error
of the tangent there. Pieces whose projection is stretched or shrunk by ``stretch`` or more are left out: they lie at
corners. The error of an object is the largest angle, so one cut corner tells; the score is the mean over the objects.

Each object is compared with the one that it matches, one to one by IoU. (Frame Field Learning's script first unites the
predictions of an image and compares with all of the reference: see the protocols ``hisup`` and ``p3``.)
"""

from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.outlines import Outlines
from geoeval.model.scores import Score, count
from geoeval.objects.iou_matching import matched_pairs
from geoeval.objects.overlaps import Overlaps, overlaps_of
from geoeval.objects.pair_means import mean_scores, pair_counts


def angle(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    threshold: float = 0.5,
    spacing: float = 0.5,
    stretch: float = 2.0,
    overlaps: Overlaps | None = None,
) -> MetricResult:
    """Mean of the largest tangent angle errors of matched objects, in degrees.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS; the prediction may have a ``confidence``.
    threshold
        Least IoU of a match.
    spacing
        Length of the pieces, in metres.
    stretch
        A piece whose length is so many times that of its projection, or less than that part of it, is left out.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``max_tangent_angle`` from 0 to 90 and ``matched``, the objects that could be compared. Two empty maps: 0.
        Without a match undefined.

    Notes
    -----
    O(k log n) for k pieces and objects with n corners.
    """
    if not (spacing > 0 and stretch > 1):
        raise ParameterError(f"angle.spacing is {spacing} and stretch {stretch}; give metres above 0, and more than 1")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    ref, pred = matched_pairs(prediction, overlaps, threshold, "angle")
    points, piece_end, owner = _pieces(prediction.outlines, pred, spacing)
    worst = largest_angles(points, piece_end, owner, shapely.boundary(reference.polygons[ref]), stretch)
    compared = np.isfinite(worst)
    columns = {"angle_sum": worst[compared]}
    local = pair_counts(reference, prediction, ref[compared], columns)
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def largest_angles(points: Floats, piece_end: Floats, owner: Any, outlines: Any, stretch: float) -> Floats:
    """The largest angle in degrees between pieces and their projections, for each outline; NaN where none counts.

    Pieces run from ``points`` ``(k, 2)`` to ``piece_end``, and are compared with the outline of number ``owner``.
    """
    ends = [
        shapely.get_coordinates(shapely.shortest_line(shapely.points(own), outlines[owner])).reshape(-1, 2, 2)[:, 1]
        for own in (points, piece_end)
    ]
    piece, projected = piece_end - points, ends[1] - ends[0]
    length, other = np.hypot(*piece.T), np.hypot(*projected.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = length / other
    # With a little room: a piece at exactly the limit must not count or not by rounding.
    kept = (length > 0) & (other > 0) & (ratio > (1 + 1e-9) / stretch) & (ratio < stretch * (1 - 1e-9))
    cross = np.abs(piece[:, 0] * projected[:, 1] - piece[:, 1] * projected[:, 0])
    angles = np.degrees(np.arctan2(cross, np.abs((piece * projected).sum(axis=1))))
    worst = np.full(len(outlines), -np.inf)
    np.maximum.at(worst, owner[kept], angles[kept])
    return np.where(np.isfinite(worst), worst, np.nan)


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    return mean_scores(counts, {"max_tangent_angle": "angle_sum"})


def _pieces(outlines: Outlines, rows: Any, spacing: float) -> tuple[Floats, Floats, Any]:
    """Begin and end of each piece of the chosen objects' outlines, and the number of the object among the chosen."""
    count = outlines.corners[rows]
    owner = np.repeat(np.arange(len(rows)), count)
    corner = np.repeat(outlines.start[rows] - (np.cumsum(count) - count), count) + np.arange(len(owner))
    begin, end = outlines.xy[corner], outlines.xy[outlines.following[corner]]
    pieces = np.maximum(1, np.round(np.hypot(*(end - begin).T) / spacing)).astype(np.int64)
    side = np.repeat(np.arange(len(pieces)), pieces)
    order = np.arange(len(side)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    first, last = (order / pieces[side])[:, None], ((order + 1) / pieces[side])[:, None]
    way = (end - begin)[side]
    return begin[side] + first * way, begin[side] + last * way, owner[side]


METRIC = Metric(
    angle, "max_tangent_angle", "How much the outline of matched objects is turned where it is turned most.",
    scores=(
        Score("max_tangent_angle", "Largest tangent angle error, mean over matched objects.", "lower", (0, 90), "°"),
        count("matched", "Pairs of objects that could be compared.", "higher"),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
