"""MTA, the maximum tangent angle error of Frame Field Learning, as scripted and with its faults mended.

Contours of predicted objects are sampled every 2 pixels, and each sample is projected to the nearest point of the true
contours. The error of a contour is the largest angle between a piece of it and the projected piece; pieces of no length
and those stretched or shrunk by more than 2 are left out. The number is the mean over contours, in degrees.

Scripted: all predictions of an image are united first, so that buildings that touch become one contour, and the true
ones are united and grown by 0.0001. Mended: every object keeps its own contour. Images without predictions or truths,
which break the script under new versions of numpy, have no contours.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats
from geoeval.model.scores import ScoreValue
from geoeval.protocols.coco.outlines import ImageOutlines, Rings

_SPACING = 2.0
_STRETCH = 2.0
_LEAST_PRECISION = 0.5
_GROWTH = 1e-4


def scripted_mta(images: Iterable[ImageOutlines], *, scripted: bool) -> ScoreValue:
    """Mean over all contours of all images, in degrees; ``None`` where no contour can be compared."""
    errors = []
    for image in images:
        true, found = (_objects(some) for some in (image.true, image.found))
        if len(true) == 0 or len(found) == 0:
            continue
        ground = shapely.union_all(true)
        if scripted:
            true = shapely.get_parts(shapely.buffer(ground, _GROWTH))
            found = shapely.get_parts(shapely.buffer(shapely.union_all(found), 0))
        area = shapely.area(found)
        kept = found[(area > 0) & (shapely.area(shapely.intersection(found, ground)) >= _LEAST_PRECISION * area)]
        contours = shapely.get_rings(kept)
        target = shapely.multilinestrings(shapely.get_rings(shapely.get_parts(true)))
        errors += [_largest_angle(sampled(shapely.get_coordinates(contour)), target) for contour in contours]
    compared = [error for error in errors if np.isfinite(error)]
    return float(np.mean(compared)) if compared else None


def _largest_angle(samples: Floats, target: Any) -> float:
    """The largest angle in degrees between a piece and its projection; NaN where no piece counts."""
    ways = shapely.shortest_line(np.asarray(shapely.points(samples)), target)
    feet = shapely.get_coordinates(ways)[1::2]
    piece, projected = np.diff(samples, axis=0), np.diff(feet, axis=0)
    length, other = np.hypot(*piece.T), np.hypot(*projected.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = length / other
    # With a little room: a piece at exactly the limit must not count or not by rounding.
    kept = (length > 0) & (other > 0) & (ratio > (1 + 1e-9) / _STRETCH) & (ratio < _STRETCH * (1 - 1e-9))
    cross = np.abs(piece[:, 0] * projected[:, 1] - piece[:, 1] * projected[:, 0])
    angles = np.degrees(np.arctan2(cross, np.abs((piece * projected).sum(axis=1))))
    return float(angles[kept].max()) if kept.any() else np.nan


def _objects(some: list[Rings]) -> Any:
    """Valid polygons; the rings of an object are united."""
    shapes = [
        shapely.union_all(shapely.make_valid([shapely.Polygon(ring) for ring in rings], method="structure"))
        for rings in some
    ]
    return shapely.get_parts(np.array([None, *shapes], dtype=object)[1:])


def sampled(line: Floats) -> Floats:
    """Points along a line: each edge of length l in max(1, round(l / 2)) equal pieces."""
    length = np.hypot(*np.diff(line, axis=0).T)
    pieces = np.maximum(1, np.round(length / _SPACING)).astype(np.int64)
    edge = np.repeat(np.arange(len(pieces)), pieces)
    share = (np.arange(len(edge)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) / pieces[edge]
    points = line[edge] + share[:, None] * (line[edge + 1] - line[edge])
    return np.vstack([points, line[-1:]])
