"""The protocol of Kong et al. (1996), as far as Liu and Dori (1997) describe it: a bar is matched or it is not.

A detected bar matches a reference bar if the angle between them is less than 3 degrees, the distance less than 5
pixels, and they overlap enough. Fragments and combinations are simply wrong: of several candidates the one with the
largest overlap is taken, and each bar is used once. The detection rate is the share of the reference bars that are
matched, the false-alarm rate the share of the detected bars that are not.

Left open there, and chosen here: the overlap is the common part of both bars along the reference's direction as a
share of the longer bar, at least 0.8; the distance is measured at the middle of that common part. Arcs and polylines
are not part of the protocol and are left out.
"""

import numpy as np
import shapely

from geoeval._kernels.greedy import take_in_order
from geoeval.exceptions import ParameterError
from geoeval.lines.bars import Bars, bars_of, left_out_note
from geoeval.lines.rates import rates
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import error_share, share


def kong(
    reference: Drawing,
    prediction: Drawing,
    *,
    max_angle: float = 3.0,
    max_distance: float = 5.0,
    min_overlap: float = 0.8,
) -> MetricResult:
    """Scores ``detection`` and ``false_alarm``.

    Parameters
    ----------
    reference, prediction
        The drawings, in one unit of length.
    max_angle
        The angle between two bars must be smaller, in degrees.
    max_distance
        The distance between two bars must be smaller, in the unit of the drawings.
    min_overlap
        The least overlap of two bars, as a share of the longer one.

    Returns
    -------
    MetricResult
        No bar on either side: 1 and 0. A note says how many lines that are not bars were left out.

    Notes
    -----
    O(n log n + pairs of bars near each other).
    """
    if not (max_angle > 0 and max_distance > 0 and 0 < min_overlap <= 1):
        given = f"max_angle is {max_angle}, max_distance {max_distance}, min_overlap {min_overlap}"
        raise ParameterError(f"{given}; give numbers above 0, min_overlap at most 1")
    true, found = bars_of(reference), bars_of(prediction)
    matched = _matched(true, found, max_angle, max_distance, min_overlap)
    detection, false_alarm = rates(len(true), len(found), matched, matched)
    return MetricResult(
        scores={"detection": detection, "false_alarm": false_alarm},
        counts={"ref_bars": len(true), "pred_bars": len(found), "matched": matched},
        notes=left_out_note("detection", reference, prediction),
    )


def _matched(true: Bars, found: Bars, max_angle: float, max_distance: float, min_overlap: float) -> int:
    """Number of matched pairs; the largest overlap is matched first."""
    if len(true) == 0 or len(found) == 0:
        return 0
    tree = shapely.STRtree(found.boxes(0.0))
    g, k = tree.query(true.boxes(max_distance))
    direction, length = true.directions[g], true.lengths[g]
    along = np.einsum("pij,pj->pi", found.ends[k] - true.ends[g, :1], direction)
    low, high = np.maximum(along.min(axis=1), 0.0), np.minimum(along.max(axis=1), length)
    overlap = (high - low) / np.maximum(length, found.lengths[k])
    cosine = np.abs((direction * found.directions[k]).sum(axis=1))
    angle = np.degrees(np.arccos(np.clip(cosine, 0.0, 1.0)))
    # The place on the detected bar beside the middle of the common part, and how far it is from the reference's axis.
    span = along[:, 1] - along[:, 0]
    share = ((low + high) / 2 - along[:, 0]) / np.where(span == 0, 1.0, span)
    place = found.ends[k, 0] + share[:, None] * (found.ends[k, 1] - found.ends[k, 0]) - true.ends[g, 0]
    distance = np.abs(direction[:, 0] * place[:, 1] - direction[:, 1] * place[:, 0])
    fits = np.flatnonzero((angle < max_angle) & (distance < max_distance) & (overlap >= min_overlap) & (span != 0))
    order = fits[np.lexsort([k[fits], g[fits], np.round(distance[fits], 9), -np.round(overlap[fits], 9)])]
    return int(take_in_order(g[order], k[order], len(true), len(found)).sum())


METRIC = Metric(
    kong, "detection", "Share of bars that match in angle, distance and overlap.",
    scores=(
        share("detection", "Share of the reference's bars that are matched."),
        error_share("false_alarm", "Share of the detected bars that match none."),
    ),
    in_all=False,
)  # fmt: skip
