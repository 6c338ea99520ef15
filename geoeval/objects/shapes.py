"""How well the outlines of matched objects agree: IoU, PoLiS, Hausdorff distance and the offset of their centres.

Several objects on one side of a match are united first. PoLiS (Avbelj, Müller and Bamler, 2015) is the mean distance of
the vertices of one outline from the other outline, averaged over both directions; vertices on a straight side do not
count. The Hausdorff distance is measured at the vertices and at the quarters of each side.
"""

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.model.object_map import ObjectMap
from geoeval.objects.instances import Instances

_QUARTER = 0.25


def measure_shapes(reference: ObjectMap, prediction: ObjectMap, instances: Instances) -> dict[str, Floats]:
    """By name, one number per instance; empty arrays without instances.

    ``overlap_m2``, ``iou``, ``offset_m`` (between the centroids), ``polis_m``, ``hausd_m`` (Hausdorff). O(n) for
    outlines of bounded size.
    """
    refs, preds = instances.members()
    u, v = _together(reference, refs), _together(prediction, preds)
    overlap = shapely.area(shapely.intersection(u, v))
    union = shapely.area(u) + shapely.area(v) - overlap
    first, second = shapely.boundary(u), shapely.boundary(v)
    return {
        "overlap_m2": overlap,
        "iou": overlap / np.where(union > 0, union, 1.0),
        "offset_m": np.asarray(shapely.distance(shapely.centroid(u), shapely.centroid(v))),
        "polis_m": (_mean_distance(u, second) + _mean_distance(v, first)) / 2,
        "hausd_m": np.asarray(shapely.hausdorff_distance(first, second, densify=_QUARTER)),
    }


def _together(owner: ObjectMap, members: list[Ints]) -> Objects:
    """The union of each group of objects."""
    out = owner.polygons[np.array([group[0] for group in members], dtype=np.int64)]
    for row, group in enumerate(members):
        if len(group) > 1:
            out[row] = shapely.union_all(owner.polygons[group])
    return out


def _mean_distance(polygons: Objects, outlines: Objects) -> Floats:
    """Mean distance of the vertices of each polygon from the outline in the same row."""
    rings, row = shapely.get_rings(shapely.simplify(polygons, 0.0), return_index=True)
    xy, ring = shapely.get_coordinates(rings, return_index=True)
    closing = np.append(np.diff(ring) != 0, [True])[: len(ring)]
    owner = row[ring[~closing]]
    distance = shapely.distance(shapely.points(xy[~closing]), outlines[owner])
    count = np.bincount(owner, minlength=len(polygons))
    return np.bincount(owner, weights=distance, minlength=len(polygons)) / np.maximum(count, 1)
