"""A constant offset between two maps of objects: estimated from their outlines, and removed on request.

Outlines are lines, so the offset is found as that of roads is, see :mod:`geoeval.offsets.estimate`: a side that was
drawn too far out is balanced by the opposite one, and what has no counterpart nearby does not count.
"""

import numpy as np
import shapely

from geoeval.arrays import Box, Ints, writable
from geoeval.model.object_map import ObjectMap
from geoeval.offsets.busiest import offset_ground
from geoeval.offsets.estimate import Offset, SampledLines, offset_between

_SAMPLES = 4000


def prevailing_offset(reference: ObjectMap, prediction: ObjectMap) -> Offset | None:
    """The offset of the prediction; ``None`` if a map is empty or too little of the two lies close together.

    Both maps are in one CRS, and cut to the area that is evaluated. Swapping the maps turns the offset round. Large
    maps are compared where most outlines are, see :mod:`geoeval.offsets.busiest`. O(n log n) in the vertices.
    """
    lines = [_outlines(one) for one in (reference, prediction)]
    box = offset_ground([lines[1].segments.reshape(-1, 2, 2)])
    if box is not None:
        lines = [_outlines(one.take(_meeting(one, box))) for one in (reference, prediction)]
    return offset_between(*lines)


def moved(objects: ObjectMap, dx: float, dy: float) -> ObjectMap:
    """The objects shifted by ``dx`` metres east and ``dy`` metres north; the pixels are left behind."""
    polygons = shapely.transform(objects.polygons, lambda xy: xy + np.array([dx, dy]))
    return ObjectMap(
        polygons, crs=objects.crs, ids=objects.ids, confidence=objects.confidence, classes=objects.classes,
        problems=objects.problems, source=objects.source, scale_error=objects.scale_error,
    )  # fmt: skip


def _meeting(objects: ObjectMap, box: Box) -> Ints:
    """The objects of which a part may lie in a box."""
    low, high = np.hsplit(shapely.bounds(objects.polygons), 2)
    return np.flatnonzero((low <= box[2:]).all(axis=1) & (high >= box[:2]).all(axis=1))


def _outlines(objects: ObjectMap) -> SampledLines:
    parts, owner = shapely.get_parts(writable(objects.polygons), return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    ends = np.column_stack([xy[:-1], xy[1:]])
    length = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
    real = (ring[:-1] == ring[1:]) & (length > 0)
    ends, length = ends[real], length[real]
    line: Ints = np.asarray(owner[part[ring[:-1][real]]], dtype=np.int64)
    if len(ends) == 0:
        none = np.zeros(0, dtype=np.int64)
        return SampledLines(np.zeros((0, 4)), none, np.zeros((0, 2)), none, 1.0)
    until = np.cumsum(length)
    count = int(np.clip(until[-1] / 2, 200, _SAMPLES))
    spacing = float(until[-1]) / count
    at = (np.arange(count) + 0.5) * spacing
    segment = np.minimum(np.searchsorted(until, at), len(ends) - 1)
    share = 1 - (until[segment] - at) / length[segment]
    places = ends[segment, :2] + share[:, None] * (ends[segment, 2:] - ends[segment, :2])
    return SampledLines(ends, line, places, segment, spacing)
