"""Which objects of two maps overlap, and by how much: the basis of every object metric."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

import numpy as np
import shapely
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from geoeval._kernels.greedy import take_in_order
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.object_map import ROUNDING, Labels, ObjectMap


@dataclass(frozen=True)
class Overlaps:
    """Pairs of a reference and a predicted object that share ground, in the order of the objects.

    Attributes
    ----------
    ref, pred
        Numbers of the two objects of each pair.
    size
        What they share: square metres, or pixels where both maps lie on the same pixels.
    ref_size, pred_size
        Size of every object, in the same unit.
    ground
        What each object adds to the covered ground, where common ground counts once: the reference's objects first. It
        depends only on the objects that are connected with it by overlaps.
    unit
        Square metres of one unit of size.
    """

    ref: Ints
    pred: Ints
    size: Floats
    ref_size: Floats
    pred_size: Floats
    ground: Floats
    unit: float = 1.0

    @property
    def union(self) -> float:
        """Size of the ground that both maps cover together; rounded once, so it depends on no order."""
        return fsum(self.ground.tolist())

    @property
    def iou(self) -> Floats:
        """Intersection over union of each pair."""
        return self.size / (self.ref_size[self.ref] + self.pred_size[self.pred] - self.size)

    def above(self, min_overlap: float) -> "Overlaps":
        """The pairs that share more than ``min_overlap`` square metres."""
        if not min_overlap >= 0:
            raise ParameterError(f"min_overlap is {min_overlap}; give square metres, 0 or more")
        if min_overlap == 0:
            return self
        kept = self.size * self.unit > min_overlap
        return replace(self, ref=self.ref[kept], pred=self.pred[kept], size=self.size[kept])

    @cached_property
    def component(self) -> Ints:
        """The number of each pair's connected component: pairs that share an object, directly or by other pairs."""
        return pair_components(self.ref, self.pred)


def overlaps_of(
    reference: ObjectMap, prediction: ObjectMap, *, pairs: tuple[Ints, Ints, Floats] | None = None
) -> Overlaps:
    """The overlaps of two maps in one CRS: counted where both lie on the same pixels, else by polygon intersection.

    ``pairs`` are those of ``overlap_pairs``, if they are known. Empty maps have no pairs. O((n + m) log n) for maps of
    even density, plus the pairs.
    """
    true, predicted = reference.labels, prediction.labels
    if true is not None and predicted is not None and true.same_grid(predicted):
        return _pixel_overlaps(reference, true, prediction, predicted)
    ref, pred, size = overlap_pairs(reference, prediction) if pairs is None else pairs
    ground = _ground(reference, prediction, ref, pred, size)
    return Overlaps(ref, pred, size, reference.areas, prediction.areas, ground)


def overlap_pairs(reference: ObjectMap, prediction: ObjectMap) -> tuple[Ints, Ints, Floats]:
    """Pairs of polygons that share ground, in the order of the objects, and how many square metres they share.

    Less than a billionth of the smaller object is rounding, not overlap.
    """
    found = shapely.STRtree(reference.polygons).query(prediction.polygons)
    pred, ref = found[0].astype(np.int64), found[1].astype(np.int64)
    size = reference.rings.common_areas(ref, prediction.rings, pred)
    real = size > ROUNDING * np.minimum(reference.areas[ref], prediction.areas[pred])
    ref, pred, size = ref[real], pred[real], size[real]
    order = np.lexsort([pred, ref])
    ref, pred, size = ref[order], pred[order], size[order]
    # Rounding must not make an overlap larger than the object that it is part of, nor leave a rest of what is inside.
    smaller = np.minimum(reference.areas[ref], prediction.areas[pred])
    return ref, pred, np.where(size > (1 - ROUNDING) * smaller, smaller, size)


def overlaps_from_matrix(matrix: ArrayLike, *, ref_size: ArrayLike, pred_size: ArrayLike, union: float) -> Overlaps:
    """Overlaps from a matrix with a row for each reference object and a column for each predicted one."""
    shared = np.asarray(matrix, dtype=np.float64)
    ref, pred = np.nonzero(shared > 0)
    ground = np.zeros(sum(shared.shape))
    ground[:1] = union
    return Overlaps(
        ref.astype(np.int64),
        pred.astype(np.int64),
        shared[ref, pred],
        np.asarray(ref_size, dtype=np.float64),
        np.asarray(pred_size, dtype=np.float64),
        ground,
    )


def pair_components(ref: Ints, pred: Ints) -> Ints:
    """Connected component of each pair, numbered in the order of their first pairs. O(pairs)."""
    if len(ref) == 0:
        return np.zeros(0, dtype=np.int64)
    refs, preds = int(ref.max()) + 1, int(pred.max()) + 1
    label = linked(refs + preds, np.column_stack([ref, pred + refs]))
    _, first, number = np.unique(label[ref], return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[number]


def _pixel_overlaps(reference: ObjectMap, true: Labels, prediction: ObjectMap, predicted: Labels) -> Overlaps:
    columns = len(prediction) + 1
    code, count = np.unique(true.codes * columns + predicted.codes, return_counts=True)
    ref, pred = code // columns, code % columns
    ref_size = np.bincount(ref, weights=count, minlength=len(reference) + 1)[1:].astype(np.float64)
    pred_size = np.bincount(pred, weights=count, minlength=columns)[1:].astype(np.float64)
    both = (ref > 0) & (pred > 0)
    ref, pred, size = ref[both] - 1, pred[both] - 1, count[both].astype(np.float64)
    pixels = ref_size.sum() + pred_size.sum()
    unit = float((reference.area + prediction.area) / pixels) if pixels else 1.0
    return Overlaps(ref, pred, size, ref_size, pred_size, _simple_ground(ref_size, pred_size, pred, size), unit)


def _simple_ground(ref_size: Floats, pred_size: Floats, pred: Ints, size: Floats) -> Floats:
    """All of each reference object, and what is left of each predicted object without its overlaps."""
    return np.concatenate([ref_size, pred_size - np.bincount(pred, weights=size, minlength=len(pred_size))])


def same_objects(overlaps: Overlaps) -> tuple[Ints, Ints]:
    """Pairs that are the same object in both maps, each once, and the pairs of all other objects."""
    ref, pred, size = overlaps.ref, overlaps.pred, overlaps.size
    larger = np.maximum(overlaps.ref_size[ref], overlaps.pred_size[pred])
    equal = np.flatnonzero(size >= (1 - ROUNDING) * larger)
    counts = len(overlaps.ref_size), len(overlaps.pred_size)
    same = equal[take_in_order(ref[equal], pred[equal], *counts)]
    free = [np.ones(count, dtype=bool) for count in counts]
    free[0][ref[same]] = free[1][pred[same]] = False
    return same, np.flatnonzero(free[0][ref] & free[1][pred])


def covered_ground(objects: ObjectMap) -> Floats:
    """What each object adds to the ground that a map covers, where common ground counts once."""
    nothing = np.zeros(0, dtype=np.int64)
    empty = ObjectMap([], crs=objects.crs)
    return _ground(objects, empty, nothing, nothing, np.zeros(0))


def _ground(reference: ObjectMap, prediction: ObjectMap, ref: Ints, pred: Ints, size: Floats) -> Floats:
    """As ``_simple_ground``, but measured where objects of one map overlap: what none of those before covers."""
    ground = _simple_ground(reference.areas, prediction.areas, pred, size)
    shift = len(reference)
    own = np.concatenate([reference.overlapping, prediction.overlapping + shift])
    if len(own) == 0:
        return ground
    pairs = np.concatenate([np.column_stack([ref, pred + shift]), own])
    tangled = np.zeros(len(ground), dtype=bool)
    tangled[own] = True
    tangled[pairs[tangled[pairs[:, 0]], 1]] = True
    pairs = pairs[tangled[pairs[:, 1]]]
    pairs = pairs[np.lexsort(pairs.T)]
    later, start = np.unique(pairs[:, 1], return_index=True)
    rings = reference.rings.joined(prediction.rings)
    ground[later] = rings.lone_areas(later, np.append(start, len(pairs)), pairs[:, 0])
    return ground


def linked(count: int, pairs: Ints) -> Ints:
    """The connected component of each of ``count`` objects, which pairs ``(k, 2)`` of them link. O(objects + pairs)."""
    graph = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return np.asarray(connected_components(graph.tocsr(), directed=False)[1], dtype=np.int64)
