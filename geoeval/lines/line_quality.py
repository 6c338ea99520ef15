"""The quality of overlaps and of lines: Liu and Dori 1997, Sect. 4.2; ``vector`` has the formulas."""

from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.lines.line_matching import LineMatching


def overlap_quality(matching: LineMatching, even_width: float | None = None) -> Floats:
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
    """Basic and fragmentation quality of each line and the length of its overlaps; 0, 1 and 0 without any overlap."""

    basic: Floats
    fragmentation: Floats
    overlapped: Floats

    @property
    def total(self) -> Floats:
        """Basic times fragmentation quality."""
        return self.basic * self.fragmentation


def line_quality(line: Ints, length: Floats, quality: Floats, line_lengths: Floats) -> LineQuality:
    """The qualities of each line from those of its overlaps."""
    count = len(line_lengths)
    weighted = np.bincount(line, weights=quality * length, minlength=count)
    total = np.bincount(line, weights=length, minlength=count).astype(np.float64)
    squares = np.bincount(line, weights=length**2, minlength=count)
    basic = weighted / np.maximum(line_lengths, total)
    return LineQuality(basic, np.where(total > 0, np.sqrt(squares) / np.where(total > 0, total, 1.0), 1.0), total)
