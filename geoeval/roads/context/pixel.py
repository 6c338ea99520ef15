"""Pixel precision, recall, IoU and F1 of the networks drawn with a constant width.

The usual measure of image segmentation, for context: it counts pixels and knows nothing of roads or of how they
connect. A pixel is set if its centre is within half the width of a road; with width 0, if a road passes through
it. Pixels lie on the grid of multiples of ``pixel_size``, whatever the extent of the networks.
"""

from collections.abc import Iterator, Mapping
from math import ceil, floor

import numpy as np

from geoeval._kernels.capsules import capsule_interval
from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.empty import empty_scores
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, share
from geoeval.roads.geometry.network_tree import segment_array

SCORES = ("precision", "recall", "iou", "f1")
# Pixels along the side of the square that is drawn at once: two masks of 1 MB.
_TILE = 1024


def pixel(
    reference: RoadNetwork, prediction: RoadNetwork, *, pixel_size: float = 1.0, width: float = 8.0
) -> MetricResult:
    """Compare two networks pixel by pixel.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    pixel_size
        Size of a pixel in metres.
    width
        Width of all roads in metres; 0 for lines one pixel wide.

    Returns
    -------
    MetricResult
        Scores ``precision``, ``recall``, ``iou``, ``f1``; counts ``tp``, ``fp``, ``fn`` in pixels. No errors: ``ccq``
        shows the same roads, in metres.

    Notes
    -----
    Both networks empty: all scores are 1. One empty: all scores are 0. Undefined if no road reaches the centre of a
    pixel. O(pixels near roads); memory does not grow with the extent.
    """
    if not (np.isfinite(pixel_size) and pixel_size > 0):
        raise ParameterError(f"pixel: pixel_size is {pixel_size}; give metres per pixel, above 0")
    if not (np.isfinite(width) and width >= 0):
        raise ParameterError(f"pixel: width is {width}; give a width in metres, 0 or more")
    # In pixels, from a whole pixel near the data, so that numbers are small and exact.
    corner = np.zeros(2)
    if not (reference.is_empty and prediction.is_empty):
        corner = np.floor(np.fmin(reference.bounds[:2], prediction.bounds[:2]) / pixel_size)
    ours, theirs = (segment_array(network) / pixel_size - np.tile(corner, 2) for network in (reference, prediction))
    counts = {"tp": 0.0, "fp": 0.0, "fn": 0.0}
    for mask, other in _tiles(ours, theirs, width / 2 / pixel_size):
        both = int((mask & other).sum())
        counts["tp"] += both
        counts["fn"] += int(mask.sum()) - both
        counts["fp"] += int(other.sum()) - both
    scores, notes = scores_from_counts(counts)
    empty = empty_scores(reference, prediction, good=SCORES)
    if empty is not None:
        scores, notes = empty, {}
    return MetricResult(scores, counts, notes=notes)


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
    ratios = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "iou": (tp, tp + fp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
    }
    scores: dict[str, ScoreValue] = {name: part / whole if whole else None for name, (part, whole) in ratios.items()}
    why = "no pixel is set; make the roads wider or the pixels smaller"
    return scores, {name: why for name, value in scores.items() if value is None}


def _tiles(ours: Floats, theirs: Floats, radius: float) -> Iterator[tuple[Bools, Bools]]:
    """The masks of both networks, one square of pixels after the other, wherever there is a road."""
    columns = [_tile_lists(lines, radius) for lines in (ours, theirs)]
    masks = [np.zeros((_TILE, _TILE), dtype=np.bool_) for _ in columns]
    for tile in sorted(set(columns[0]) | set(columns[1])):
        for lines, lists, mask in zip((ours, theirs), columns, masks, strict=True):
            mask[:] = False
            if tile in lists:
                _draw(lines, lists[tile], mask, float(tile[0] * _TILE), float(tile[1] * _TILE), radius)
        yield masks[0], masks[1]


def _tile_lists(lines: Floats, radius: float) -> dict[tuple[int, int], Ints]:
    """For each tile the lines whose box, with the width, touches it."""
    if len(lines) == 0:
        return {}
    low = np.floor((np.minimum(lines[:, :2], lines[:, 2:]) - radius) / _TILE).astype(np.int64)
    high = np.floor((np.maximum(lines[:, :2], lines[:, 2:]) + radius) / _TILE).astype(np.int64)
    size = high - low + 1
    number = size[:, 0] * size[:, 1]
    line = np.repeat(np.arange(len(lines)), number)
    within = np.arange(len(line)) - np.repeat(np.cumsum(number) - number, number)
    x, y = low[line, 0] + within % size[line, 0], low[line, 1] + within // size[line, 0]
    order = np.lexsort([line, y, x])
    x, y, line = x[order], y[order], line[order]
    first = np.flatnonzero(np.r_[True, (np.diff(x) != 0) | (np.diff(y) != 0)])
    parts = np.split(line, first[1:])
    return {(int(x[k]), int(y[k])): part for k, part in zip(first, parts, strict=True)}


@kernel
def _draw(lines: Floats, chosen: Ints, mask: Bools, left: float, bottom: float, radius: float) -> None:
    """Set the pixels of some lines; row i and column j of the mask are the pixel ``left + j, bottom + i``."""
    size = len(mask)
    for k in chosen:
        ax, ay, bx, by = lines[k, 0] - left, lines[k, 1] - bottom, lines[k, 2] - left, lines[k, 3] - bottom
        if ay > by:
            ax, ay, bx, by = bx, by, ax, ay
        for row in range(max(0, floor(ay - radius) - 1), min(size, floor(by + radius) + 2)):
            if radius > 0:
                # Along the centres of the row, from outside on the one side to outside on the other.
                start, end = min(ax, bx) - radius - 1, max(ax, bx) + radius + 1
                lo, hi = capsule_interval(start, row + 0.5, end, row + 0.5, ax, ay, bx, by, radius + 1e-9)
                first = ceil(start + lo * (end - start) - 0.5 - 1e-9)
                last = floor(start + hi * (end - start) - 0.5 + 1e-9)
                if lo > hi:
                    continue
            else:
                # The part of the line between the lower edge of the row, which belongs to it, and the upper one.
                if by < row or ay >= row + 1:
                    continue
                lo = max(0.0, (row - ay) / (by - ay)) if by > ay else 0.0
                hi = min(1.0, (row + 1 - ay) / (by - ay)) if by > ay else 1.0
                one, two = ax + lo * (bx - ax), ax + hi * (bx - ax)
                first, last = floor(min(one, two)), floor(max(one, two))
            for column in range(max(0, first), min(size - 1, last) + 1):
                mask[row, column] = True


METRIC = Metric(
    pixel, "iou", "Precision, recall and overlap of the rasterised networks.",
    scores=(
        share("precision", "Share of predicted pixels that are road in the reference."),
        share("recall", "Share of the reference's pixels that are predicted."),
        share("iou", "Common pixels as a share of all pixels that are road in either."),
        share("f1", "Harmonic mean of precision and recall."),
    ),
    scores_from_counts=scores_from_counts, in_all=False,
)  # fmt: skip
