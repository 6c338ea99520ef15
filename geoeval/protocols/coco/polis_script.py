"""PoLiS as the scripts of HiSup, Pix2Poly and P3 compute it, and with their faults mended.

Each true object takes the detection whose bounding box has the largest IoU with its own, if that is above 0.5.
Scripted: only the first ring of an object counts, a detection may be taken twice, the sum of distances is divided by
the number of vertices and one more (the closing one), and images whose mean is exactly 0 are left out, perfect ones
too. Mended: all rings, each detection once (the largest IoU first), the number of vertices, and every image with a
match.
"""

from collections.abc import Iterable

import numpy as np
import shapely

from geoeval.arrays import Floats
from geoeval.model.scores import ScoreValue
from geoeval.protocols.coco.outlines import ImageOutlines, Rings, opened
from geoeval.protocols.coco.overlap_tables import box_ious

_LEAST_IOU = 0.5


def scripted_polis(images: Iterable[ImageOutlines], *, scripted: bool, skip_zero: bool) -> ScoreValue:
    """The mean over images of the mean over matched objects, in pixels; ``None`` where nothing matches."""
    means = []
    for image in images:
        values = [
            polis_of(image.true[i], image.found[j], scripted=scripted) for i, j in _matched(image, scripted=scripted)
        ]
        if values and not (skip_zero and np.mean(values) == 0):
            means.append(float(np.mean(values)))
    return float(np.mean(means)) if means else None


def polis_of(one: Rings, other: Rings, *, scripted: bool) -> float:
    """Half the sum of both mean distances from the vertices of one object to the outline of the other."""
    rings = [[opened(ring) for ring in (some[:1] if scripted else some)] for some in (one, other)]
    return sum(_mean_distance(rings[k], rings[1 - k], extra=int(scripted)) for k in (0, 1)) / 2


def _mean_distance(vertices: list[Floats], rings: list[Floats], *, extra: int) -> float:
    outline = shapely.MultiLineString([np.vstack([ring, ring[:1]]) for ring in rings])
    points = np.concatenate(vertices)
    return float(shapely.distance(shapely.points(points), outline).sum() / (len(points) + extra))


def _matched(image: ImageOutlines, *, scripted: bool) -> list[tuple[int, int]]:
    """Pairs of a true and a predicted object."""
    if not (image.true and image.found):
        return []
    iou = box_ious(_boxes(image.true), _boxes(image.found), np.zeros(len(image.found), dtype=bool))
    if scripted:
        best = iou.argmax(axis=1)
        return [(i, int(j)) for i, j in enumerate(best) if iou[i, j] > _LEAST_IOU]
    pairs: list[tuple[int, int]] = []
    for flat in np.argsort(-iou, axis=None, kind="stable"):
        i, j = divmod(int(flat), iou.shape[1])
        if iou[i, j] <= _LEAST_IOU:
            break
        if all(i != a and j != b for a, b in pairs):
            pairs.append((i, j))
    return sorted(pairs)


def _boxes(objects: list[Rings]) -> Floats:
    low, high = (np.array([bound(rings[0], axis=0) for rings in objects]) for bound in (np.min, np.max))
    return np.column_stack([low, high - low])
