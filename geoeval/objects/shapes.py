"""How well the outlines of matched objects agree: IoU, PoLiS, Hausdorff distance and the offset of their centres.

Several objects on one side of a match are united first. PoLiS (Avbelj, Müller and Bamler, 2015) is the mean distance of
the vertices of one outline from the other outline, averaged over both directions; vertices on a straight side do not
count. The Hausdorff distance is exact.
"""

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.model.object_map import ObjectMap
from geoeval.model.outlines import outlines_of
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
    overlap[unknown] = shapely.area(shapely.intersection(u[unknown], v[unknown]))
    union = shapely.area(u) + shapely.area(v) - overlap
    one, two, rows = outlines_of(u), outlines_of(v), np.arange(len(u))
    there, back = corner_distances(one, rows, two, rows), corner_distances(two, rows, one, rows)
    return {
        "overlap_m2": overlap,
        "iou": overlap / np.where(union > 0, union, 1.0),
        "offset_m": np.asarray(shapely.distance(shapely.centroid(u), shapely.centroid(v))),
        "polis_m": (there[0] / np.maximum(there[1], 1) + back[0] / np.maximum(back[1], 1)) / 2,
        "hausd_m": hausdorff_of(one, rows, two, rows),
    }


def _together(owner: ObjectMap, instances: Instances, side: int) -> Objects:
    """The union of the objects of each instance, of the reference or of the prediction."""
    out = owner.polygons[instances.firsts[side]]
    number = (instances.of_ref, instances.of_pred)[side]
    several = np.append((instances.refs, instances.preds)[side] > 1, False)  # -1, in no instance, reads the last
    among = np.flatnonzero(several[number])
    among = among[np.argsort(number[among], kind="stable")]
    for group in np.split(among, np.flatnonzero(np.diff(number[among])) + 1) if len(among) else []:
        out[number[group[0]]] = shapely.union_all(owner.polygons[group])
    return out
