"""How well the outlines of matched objects agree: IoU, PoLiS, Hausdorff distance and the offset of their centres.

Several objects on one side of a match are united first. PoLiS (Avbelj, Müller and Bamler, 2015) is the mean distance of
the vertices of one outline from the other outline, averaged over both directions; vertices on a straight side do not
count. The Hausdorff distance is exact.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.model.object_map import ObjectMap
from geoeval.model.outlines import Outlines, outlines_of
from geoeval.objects.hausdorff import hausdorff_of
from geoeval.objects.instances import Instances
from geoeval.objects.outline_distances import corner_distances


def measure_shapes(
    reference: ObjectMap, prediction: ObjectMap, instances: Instances, *, shared: Floats | None = None
) -> dict[str, Floats]:
    """By name, one number per instance; empty arrays without instances.

    ``shared`` is what the pairs of the instances share, in square metres, if it is known.

    ``overlap_m2``, ``iou``, ``offset_m`` (between the centroids), ``polis_m``, ``hausd_m`` (Hausdorff). O(n) for
    outlines of bounded size.
    """
    u, v = _together(reference, instances, 0), _together(prediction, instances, 1)
    overlap = np.zeros(len(instances))
    unknown = np.ones(len(instances), dtype=bool)
    if shared is not None:
        overlap[instances.of_ref[instances.ref]] = shared
        unknown = ~instances.single
    overlap[unknown] = shapely.area(shapely.intersection(u.polygons[unknown], v.polygons[unknown]))
    union = u.areas + v.areas - overlap
    one, two = (u.outlines, u.rows), (v.outlines, v.rows)
    there, back = corner_distances(*one, *two), corner_distances(*two, *one)
    return {
        "overlap_m2": overlap,
        "iou": overlap / np.where(union > 0, union, 1.0),
        "offset_m": np.sqrt(((u.centroids - v.centroids) ** 2).sum(axis=1)),
        "polis_m": (there[0] / np.maximum(there[1], 1) + back[0] / np.maximum(back[1], 1)) / 2,
        "hausd_m": hausdorff_of(*one, *two),
    }


@dataclass(frozen=True)
class _United:
    """What each instance has on one side: the union of its objects. The outline of instance k is ``rows[k]``."""

    polygons: Objects
    areas: Floats
    centroids: Floats
    outlines: Outlines
    rows: Ints


def _together(owner: ObjectMap, instances: Instances, side: int) -> _United:
    """The reference's side of all instances, or the prediction's; a single object is as the map knows it."""
    number = (instances.of_ref, instances.of_pred)[side]
    several = np.append((instances.refs, instances.preds)[side] > 1, False)  # -1, in no instance, reads the last
    among = np.flatnonzero(several[number])
    among = among[np.argsort(number[among], kind="stable")]
    groups = np.split(among, np.flatnonzero(np.diff(number[among])) + 1) if len(among) else []
    united = np.array([None, *(shapely.union_all(owner.polygons[group]) for group in groups)], dtype=object)[1:]
    which = number[[group[0] for group in groups]]
    rows = instances.firsts[side].copy()
    polygons, areas, centroids = owner.polygons[rows], owner.areas[rows], owner.centroids[rows]
    if len(which):
        polygons[which], areas[which] = united, shapely.area(united)
        centroids[which] = shapely.get_coordinates(shapely.centroid(united))
        rows[which] = len(owner) + np.arange(len(which))
    return _United(polygons, areas, centroids, owner.outlines.joined(outlines_of(united)), rows)
