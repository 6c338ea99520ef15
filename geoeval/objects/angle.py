"""Maximum tangent angle error of matched outlines (after Girard et al., Frame Field Learning, CVPR 2021).

The predicted outline is cut into pieces: each side into max(1, round(l / spacing)) equal ones. The ends of a piece are
projected to the nearest places of the reference's outline; the angle between the piece and its projection is the error
of the tangent there. Pieces whose projection is stretched or shrunk by ``stretch`` or more are left out: they lie at
corners. The error of an object is the largest angle, so one cut corner tells; the score is the mean over the objects.

Each object is compared with the one that it matches, one to one by IoU. (Frame Field Learning's script first unites the
predictions of an image and compares with all of the reference: see the protocols ``hisup`` and ``p3``.)
"""

import numpy as np

from geoeval._kernels.compiling import kernel, searching
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import Score, count
from geoeval.objects.iou_matching import matched_pairs
from geoeval.objects.outline_distances import empty_sides, fill_sides, nearest_on_side
from geoeval.objects.overlaps import Overlaps, overlaps_of
from geoeval.objects.pair_means import mean_scores, pair_counts

# Degrees that are rounding.
_NO_ANGLE = 1e-6


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
    O(k n) for k pieces and objects with n corners.
    """
    if not (spacing > 0 and stretch > 1):
        raise ParameterError(f"angle.spacing is {spacing} and stretch {stretch}; give metres above 0, and more than 1")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    ref, pred = matched_pairs(prediction, overlaps, threshold, "angle")
    outlines = [(own.xy, own.following, own.start) for own in (prediction.outlines, reference.outlines)]
    worst = _largest_angles(*outlines[0], pred, *outlines[1], ref, spacing, stretch)
    compared = np.isfinite(worst)
    worst[worst < _NO_ANGLE] = 0.0
    columns = {"angle_sum": worst[compared]}
    local = pair_counts(reference, prediction, ref[compared], columns)
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    return MetricResult(scores, counts, None, notes, {"local": local})


def scores_from_counts(counts: dict[str, float]) -> Scored:
    """Scores and notes from counts, which may be sums over several areas."""
    return mean_scores(counts, {"max_tangent_angle": "angle_sum"})


@kernel
def _largest_angles(
    xy: Floats, following: Ints, start: Ints, rows: Ints, other: Floats, other_following: Ints, other_start: Ints,
    partners: Ints, spacing: float, stretch: float,
) -> Floats:  # fmt: skip
    """The largest angle in degrees between pieces and their projections, for each pair; NaN where none counts."""
    angles = np.full(len(rows), np.nan)
    sides = empty_sides(other_start, partners)
    feet = np.empty((3, 64))
    for pair in range(len(rows)):
        i = rows[pair]
        if start[i] == start[i + 1]:
            continue
        ox, oy = xy[start[i], 0], xy[start[i], 1]
        count = fill_sides(other, other_following, other_start, partners[pair], ox, oy, sides)
        # The largest angle so far is that of a triangle with these two sides.
        across, along = -1.0, 1.0
        for k in range(start[i], start[i + 1]):
            dx, dy = xy[following[k], 0] - xy[k, 0], xy[following[k], 1] - xy[k, 1]
            length = np.hypot(dx, dy)
            pieces = max(1, int(np.rint(length / spacing)))
            if pieces >= feet.shape[1]:
                feet = np.empty((3, 2 * pieces))
            dx, dy, length = dx / pieces, dy / pieces, length / pieces
            feet[0, : pieces + 1] = np.inf
            for s in range(count):
                _nearer_feet(
                    xy[k, 0] - ox, xy[k, 1] - oy, dx, dy, pieces + 1,
                    sides[0, s], sides[1, s], sides[2, s], sides[3, s], sides[4, s], feet,
                )  # fmt: skip
            for piece in range(pieces):
                fx, fy = feet[1, piece + 1] - feet[1, piece], feet[2, piece + 1] - feet[2, piece]
                other_length = np.hypot(fx, fy)
                # With a little room: a piece at exactly the limit must not count or not by rounding.
                if length > other_length * (1 + 1e-9) / stretch and length < other_length * stretch * (1 - 1e-9):
                    high, low = abs(dx * fy - dy * fx), abs(dx * fx + dy * fy)
                    if high * along > across * low:
                        across, along = high, low
        if across >= 0:
            angles[pair] = np.degrees(np.arctan2(across, along))
    return angles


@searching
def _nearer_feet(
    x: float, y: float, dx: float, dy: float, points: int, ax: float, ay: float, bx: float, by: float, over: float,
    feet: Floats,
) -> None:  # fmt: skip
    """Of each point its squared distance and the nearest place, where that is on this side."""
    for p in range(points):
        square, share = nearest_on_side(ax - x - p * dx, ay - y - p * dy, bx, by, over)
        nearer = square < feet[0, p]
        feet[0, p] = square if nearer else feet[0, p]
        feet[1, p] = ax + share * bx if nearer else feet[1, p]
        feet[2, p] = ay + share * by if nearer else feet[2, p]


METRIC = Metric(
    angle, "max_tangent_angle", "How much the outline of matched objects is turned where it is turned most.",
    scores=(
        Score("max_tangent_angle", "Largest tangent angle error, mean over matched objects.", "lower", (0, 90), "°"),
        count("matched", "Pairs of objects that could be compared.", "higher"),
    ),
    counting="places", scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
