"""Pixel level: how much of the ink was detected, and how much of what was detected is ink.

Liu and Dori 1997, Sect. 4.1. With Pg the black pixels of the ground-truth image and Pd those of the detected lines,
Dp is the share of Pg in Pd (5), Fp the share of Pd outside Pg (10), and PRI = alpha Dp + (1 - alpha)(1 - Fp) (11).
Without an image Pg are the pixels of the reference's lines, drawn by the same rule as those of the prediction.

Nothing detected gives Fp 0 and so PRI .5, as the formulas say: look at Dp too.
"""

from geoeval.lines.rates import check_weight, rates, recovery_index
from geoeval.lines.shared_work import SharedWork
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import error_share, share


def pixel(
    reference: Drawing,
    prediction: Drawing,
    *,
    alpha: float = 0.5,
    resolution: float | None = None,
    work: SharedWork | None = None,
) -> MetricResult:
    """Scores ``dp``, ``fp`` and ``pri``.

    Parameters
    ----------
    reference, prediction
        The drawings, in one unit of length.
    alpha
        Weight of the detection rate in PRI.
    resolution
        Size of a pixel, in the unit of the drawings; ignored where an image is given. By default a metre on a map; in
        a drawing the width of the reference's lines that state none, else 1, or less where its lines are narrower.
    work
        What other metrics of the same drawings have computed, and the ground-truth image.

    Returns
    -------
    MetricResult
        No black pixel on either side: ``pri`` is 1. ``counts`` are the numbers of black pixels.

    Notes
    -----
    O(pixels of the lines).
    """
    check_weight("alpha", alpha)
    pixels = (work or SharedWork(reference, prediction, resolution=resolution)).pixels
    dp, fp = rates(pixels.reference, pixels.prediction, pixels.common, pixels.common)
    return MetricResult(
        scores={"dp": dp, "fp": fp, "pri": recovery_index(dp, fp, alpha)},
        counts={"ref_pixels": pixels.reference, "pred_pixels": pixels.prediction, "common_pixels": pixels.common},
    )


METRIC = Metric(
    pixel, "pri", "Black pixels that were detected, and detected pixels that are not black.",
    scores=(
        share("dp", "Share of the black pixels that were detected."),
        error_share("fp", "Share of the detected pixels that are not black."),
        share("pri", "Pixel recovery index: detection and false alarms in one number."),
    ),
)  # fmt: skip
