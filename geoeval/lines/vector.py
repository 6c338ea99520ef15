"""Vector level: how well each line was detected, with its ends, place, width, style and shape.

Liu and Dori, *A protocol for performance evaluation of line detection algorithms*, Machine Vision and Applications 9
(1997), Sect. 4.2, on the overlaps of :mod:`geoeval.lines.line_matching`. The quality of an overlap c of a detected
line k and a reference line g is the geometric mean of five factors, each e to the power of minus:

- ends: (d1 + d2) / W(g);
- overlap distance: 2 d_overlap / W(g);
- width: |W(k) - W(g)| / W(g);
- style: difference of the style numbers (solid 1, dashed 2, dash-dotted 3, dash-dot-dotted 4);
- shape: difference of the shape numbers (bar 1, arc 2, polyline 3).

A line's basic quality Qb is the mean of the qualities of its overlaps, weighted by length, over the longer of the line
and of all its overlaps. Its fragmentation quality Qfr is the root of the sum of the squared lengths over the sum of
the lengths: 1 for one overlap, .7071 for two equal ones. Dv is the mean of Qb Qfr over the reference lines, Fv that of
1 - Qb Qfr over the detected lines, both weighted by length.

Nothing detected gives Fv 0 and so VRI .5, as the formulas say: look at Dv too.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.lines.line_errors import line_errors
from geoeval.lines.line_matching import LineMatching
from geoeval.lines.line_quality import LineQuality, line_quality, overlap_quality
from geoeval.lines.rates import check_weight, rates, recovery_index
from geoeval.lines.shared_work import SharedWork
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.scores import ScoreValue, error_share, share


def vector(
    reference: Drawing,
    prediction: Drawing,
    *,
    beta: float = 0.5,
    even_width: float | None = None,
    work: SharedWork | None = None,
) -> MetricResult:
    """Scores ``dv``, ``fv`` and ``vri``, and the errors as map features.

    Parameters
    ----------
    reference, prediction
        The drawings, in one unit of length.
    beta
        Weight of the detection rate in VRI.
    even_width
        Size of a pixel, to apply the paper's rule for lines whose width is an even number of pixels: a distance of
        one pixel counts as none, because either of the two middle pixels may be the axis. It applies to the ends and to
        the overlap distance. By default the rule is off.
    work
        What other metrics of the same drawings have computed.

    Returns
    -------
    MetricResult
        Both drawings empty: ``vri`` is 1. ``details`` has ``qb``, ``qfr`` and ``fragments`` of the ``reference`` lines
        and of the ``prediction`` lines.

    Notes
    -----
    O(n log n + pairs of lines near each other).
    """
    check_weight("beta", beta)
    if even_width is not None and not even_width > 0:
        raise ParameterError(f"even_width is {even_width}; give the size of a pixel, above 0")
    matching = (work or SharedWork(reference, prediction)).matching
    rated = overlap_rates(matching, even_width)
    counts = {
        "ref_length": reference.length,
        "ref_quality": rated.ref_quality,
        "pred_length": prediction.length,
        "pred_quality": rated.pred_quality,
    }
    by_reference, by_prediction = rated.by_reference, rated.by_prediction
    errors, fragments, joined = line_errors(matching, rated.quality, by_reference, by_prediction)
    return MetricResult(
        scores={"dv": rated.dv, "fv": rated.fv, "vri": rated.index(beta)},
        counts=counts,
        errors=errors,
        details={
            "local": _local_counts(reference, prediction, by_reference, by_prediction),
            "reference": {"qb": by_reference.basic, "qfr": by_reference.fragmentation, "fragments": fragments},
            "prediction": {"qb": by_prediction.basic, "qfr": by_prediction.fragmentation, "fragments": joined},
        },
    )


def _local_counts(
    reference: Drawing, prediction: Drawing, by_reference: LineQuality, by_prediction: LineQuality
) -> LocalCounts:
    """The counts line by line, each at the line's middle."""
    middles = np.concatenate([reference.middles, prediction.middles])
    mine = np.arange(len(middles)) < len(reference)
    length = np.concatenate([reference.lengths, prediction.lengths])
    good = length * np.concatenate([by_reference.total, by_prediction.total])
    counts = {
        "ref_length": np.where(mine, length, 0.0),
        "ref_quality": np.where(mine, good, 0.0),
        "pred_length": np.where(mine, 0.0, length),
        "pred_quality": np.where(mine, 0.0, good),
    }
    return LocalCounts(middles, counts)


@dataclass(frozen=True)
class VectorRates:
    """Qualities of overlaps and lines, their sums weighted by length, and the two rates that follow from them."""

    quality: Floats
    by_reference: LineQuality
    by_prediction: LineQuality
    ref_quality: float
    pred_quality: float
    dv: float
    fv: float

    def index(self, beta: float) -> float:
        """The vector recovery index."""
        return recovery_index(self.dv, self.fv, beta)


def overlap_rates(matching: LineMatching, even_width: float | None = None) -> VectorRates:
    """Dv and Fv with the qualities that they are made of. O(lines + overlaps)."""
    reference, prediction = matching.reference, matching.prediction
    quality = overlap_quality(matching, even_width)
    by_reference = line_quality(matching.g, matching.length, quality, reference.lengths)
    by_prediction = line_quality(matching.k, matching.length, quality, prediction.lengths)
    ref_quality = float((by_reference.total * reference.lengths).sum())
    pred_quality = float((by_prediction.total * prediction.lengths).sum())
    dv, fv = rates(reference.length, prediction.length, ref_quality, pred_quality)
    return VectorRates(quality, by_reference, by_prediction, ref_quality, pred_quality, dv, fv)


def scores_from_counts(
    counts: Mapping[str, float], *, beta: float = 0.5
) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from lengths, as for a cell of the map; ``dv`` and ``fv`` are undefined without a line on their side."""
    ref_length, pred_length = counts["ref_length"], counts["pred_length"]
    dv = counts["ref_quality"] / ref_length if ref_length else None
    fv = 1 - counts["pred_quality"] / pred_length if pred_length else None
    return {"dv": dv, "fv": fv, "vri": recovery_index(dv or 0.0, fv or 0.0, beta)}, {}


METRIC = Metric(
    vector, "vri", "How well lines were detected: ends, place, width, style and shape.",
    scores=(
        share("dv", "How well the lines of the reference were detected, by length."),
        error_share("fv", "How far the detected lines are false alarms, by length."),
        share("vri", "Vector recovery index: detection and false alarms in one number."),
    ),
    counting="places", scores_from_counts=scores_from_counts,
)  # fmt: skip
