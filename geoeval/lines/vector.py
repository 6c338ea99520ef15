"""Vector level: how well each line was detected, with its ends, place, width, style and shape.

Liu and Dori, *A protocol for performance evaluation of line detection algorithms*, Machine Vision and Applications 9
(1997), Sect. 4.2, on the overlaps of :mod:`geoeval.lines.matching`. The quality of an overlap c of a detected line k
and a reference line g is the geometric mean of five factors, each e to the power of minus:

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

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.lines.line_errors import line_errors
from geoeval.lines.matching import Matching
from geoeval.lines.rates import check_weight, rates, recovery_index
from geoeval.lines.work import Work
from geoeval.model.drawing import Drawing
from geoeval.model.result import LocalCounts, MetricResult

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def vector(
    reference: Drawing,
    prediction: Drawing,
    *,
    beta: float = 0.5,
    even_width: float | None = None,
    work: Work | None = None,
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
        one pixel counts as none, because either of the two middle pixels may be taken as the axis. By default the
        rule is off. It is applied to the overlap distance as to the ends.
    work
        What other metrics of the same drawings have computed.

    Returns
    -------
    MetricResult
        Both drawings empty: 1. ``details`` has ``qb``, ``qfr`` and ``fragments`` of the reference lines and the same
        of the detected lines.

    Notes
    -----
    O(n log n + pairs of lines near each other).
    """
    check_weight("beta", beta)
    if even_width is not None and not even_width > 0:
        raise ParameterError(f"even_width is {even_width}; give the size of a pixel, above 0")
    matching = (work or Work(reference, prediction)).matching
    found = overlap_rates(matching, even_width)
    counts = {
        "ref_length": reference.length,
        "ref_quality": found.detected,
        "pred_length": prediction.length,
        "pred_quality": found.true,
    }
    by_reference, by_prediction = found.by_reference, found.by_prediction
    errors, fragments, joined = line_errors(matching, found.quality, by_reference, by_prediction)
    return MetricResult(
        scores={"dv": found.dv, "fv": found.fv, "vri": found.index(beta)},
        counts=counts,
        errors=errors,
        details={
            "local": _local_counts(reference, prediction, by_reference, by_prediction),
            "reference": {"qb": by_reference.basic, "qfr": by_reference.fragmentation, "fragments": fragments},
            "prediction": {"qb": by_prediction.basic, "qfr": by_prediction.fragmentation, "fragments": joined},
        },
    )


def _local_counts(
    reference: Drawing, prediction: Drawing, by_reference: "LineQuality", by_prediction: "LineQuality"
) -> LocalCounts:
    """The counts line by line, each at the line's middle."""
    both = np.concatenate([reference.geometries(), prediction.geometries()])
    middles = shapely.get_coordinates(shapely.line_interpolate_point(both, 0.5, normalized=True))
    mine = np.arange(len(both)) < len(reference)
    length = np.concatenate([reference.lengths, prediction.lengths])
    good = length * np.concatenate([by_reference.total, by_prediction.total])
    counts = {
        "ref_length": np.where(mine, length, 0.0),
        "ref_quality": np.where(mine, good, 0.0),
        "pred_length": np.where(mine, 0.0, length),
        "pred_quality": np.where(mine, 0.0, good),
    }
    return LocalCounts(middles.reshape(-1, 2), counts)


@dataclass(frozen=True)
class VectorRates:
    """Qualities of overlaps and lines, and the two rates that they make."""

    quality: Floats
    by_reference: "LineQuality"
    by_prediction: "LineQuality"
    detected: float
    true: float
    dv: float
    fv: float

    def index(self, beta: float) -> float:
        """The vector recovery index."""
        return recovery_index(self.dv, self.fv, beta)


def overlap_rates(matching: Matching, even_width: float | None = None) -> VectorRates:
    """Dv and Fv with all that they are made of. O(lines + overlaps)."""
    reference, prediction = matching.reference, matching.prediction
    quality = overlap_quality(matching, even_width)
    by_reference = line_quality(matching.g, matching.length, quality, reference.lengths)
    by_prediction = line_quality(matching.k, matching.length, quality, prediction.lengths)
    detected = float((by_reference.total * reference.lengths).sum())
    true = float((by_prediction.total * prediction.lengths).sum())
    dv, fv = rates(reference.length, prediction.length, detected, true)
    return VectorRates(quality, by_reference, by_prediction, detected, true, dv, fv)


def overlap_quality(matching: Matching, even_width: float | None = None) -> Floats:
    """Quality of each overlap, from 0 to 1."""
    reference, prediction = matching.reference, matching.prediction
    width = reference.widths[matching.g]
    distances = [matching.d1, matching.d2, matching.d_overlap]
    if even_width is not None:
        pixels = width / even_width
        even = (np.abs(pixels - 2 * np.round(pixels / 2)) < 1e-6) & (pixels > 1)
        distances = [np.where(even & (np.abs(d / even_width - 1) < 1e-6), 0.0, d) for d in distances]
    d1, d2, d_overlap = distances
    exponent = (
        (d1 + d2) / width
        + 2 * d_overlap / width
        + np.abs(prediction.widths[matching.k] - width) / width
        + np.abs(prediction.styles[matching.k] - reference.styles[matching.g])
        + np.abs(prediction.shapes[matching.k] - reference.shapes[matching.g])
    )
    return np.exp(-exponent / 5)


@dataclass(frozen=True)
class LineQuality:
    """Basic, fragmentation and total quality of each line; 0, 1 and 0 for a line that overlaps nothing."""

    basic: Floats
    fragmentation: Floats
    overlapped: Floats

    @property
    def total(self) -> Floats:
        """Their product."""
        return self.basic * self.fragmentation


def line_quality(line: Ints, length: Floats, quality: Floats, line_lengths: Floats) -> LineQuality:
    """Gather the overlaps of each line."""
    count = len(line_lengths)
    weighted = np.bincount(line, weights=quality * length, minlength=count)
    total = np.bincount(line, weights=length, minlength=count).astype(np.float64)
    squares = np.bincount(line, weights=length**2, minlength=count)
    basic = weighted / np.maximum(line_lengths, total)
    return LineQuality(basic, np.where(total > 0, np.sqrt(squares) / np.where(total > 0, total, 1.0), 1.0), total)
