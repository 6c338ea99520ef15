"""Mallows distance between the shapes of matched objects: sensitive to boundary and fragmentation errors.

Özdemir, Aksoy et al. (2010), section 4.2. Let U be the pixels of the reference's objects in a match and V those of the
predicted ones. The weight of a pixel is its distance from the nearest pixel outside its own object (1 for a border
pixel); the weights of U and of V are normalised to a sum of 1. The score is one minus the cost of moving one
distribution into the other (earth mover's distance), as a share of the largest distance between a pixel of U and one of
V.

Weight that both have on the same pixel need not move, as the distance is a metric: it is removed first, which leaves
the cost as it is and makes the transport problem smaller. The rest is solved exactly (``transport``).
"""

from collections.abc import Callable, Sequence

import numpy as np
import shapely
from scipy.ndimage import find_objects

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.engines import Task, open_engine
from geoeval.model.object_map import Labels, ObjectMap
from geoeval.model.rings import rings_of
from geoeval.objects.instances import Instances
from geoeval.objects.pixel_shapes import add_depths, fill_mask
from geoeval.objects.transport import least_cost

# Matches that a worker compares before it takes others.
_SHARE = 500
# Less than this share of the whole weight is rounding.
_NOTHING = 1e-15

# The masks of the reference's and of the predicted objects of a match, each an image an object.
Masks = tuple[Bools, Bools]


def mallows_of_matches(
    reference: ObjectMap,
    prediction: ObjectMap,
    instances: Instances,
    *,
    resolution: float,
    across: int,
    most: int,
    progress: Callable[[float], None] | None = None,
    workers: int = 1,
) -> tuple[Floats, Bools]:
    """The score of each match, and whether it was compared on larger pixels; shared out among workers.

    Two labelled images on the same pixels are compared on those, everything else as in ``scores_of_polygons``.
    """
    scores, coarser = np.zeros(len(instances)), np.zeros(len(instances), dtype=bool)
    drawn = np.arange(len(instances))
    jobs: list[tuple[Ints, Task]] = []
    true, predicted = reference.labels, prediction.labels
    if true is not None and predicted is not None and true.same_grid(predicted):
        masks = _label_masks(PixelObjects(true), PixelObjects(predicted), instances, most)
        drawn = np.flatnonzero([own is None for own in masks])
        rows = np.flatnonzero([own is not None for own in masks])
        jobs += [(some, (scores_of_masks, ([masks[k] for k in some],))) for some in _shares(rows)]
    polygons, start, middle = _side_by_side(reference, prediction, instances)
    for some in _shares(drawn):
        chosen = np.concatenate([np.arange(start[k], start[k + 1]) for k in some])
        ends = np.concatenate([[0], np.cumsum(np.diff(start)[some])])
        parts = polygons[chosen], ends, ends[:-1] + (middle - start[:-1])[some]
        jobs.append((some, (scores_of_polygons, (*parts, resolution, across, most))))
    with open_engine(min(workers, max(len(jobs), 1))) as engine:
        for done, (number, outcome) in enumerate(engine.run([task for _, task in jobs]), start=1):
            rows = jobs[number][0]
            scores[rows], coarser[rows] = outcome
            if progress is not None:
                progress(done / len(jobs))
    return scores, coarser


def mallows_score(reference: Sequence[Bools] | Bools, prediction: Sequence[Bools] | Bools) -> float:
    """Score of one match, from 0 to 1; each object is a mask, all on the same pixels.

    Where both sides are the same single pixel, so that the largest distance is 0, the score is 1.
    """
    return float(_score(np.array(reference, dtype=bool), np.array(prediction, dtype=bool)))


def scores_of_masks(masks: Sequence[Masks]) -> tuple[Floats, Bools]:
    """The score of each match, none of which was compared on larger pixels."""
    return np.array([mallows_score(*own) for own in masks]), np.zeros(len(masks), dtype=bool)


def scores_of_polygons(
    polygons: Objects, start: Ints, middle: Ints, resolution: float, across: int, most: int
) -> tuple[Floats, Bools]:
    """The score of each match, and whether its pixels had to be larger than ``resolution``.

    The polygons of match k are those from ``start[k]`` to ``start[k + 1]``, where the predicted ones begin at
    ``middle[k]``. Pixels are ``resolution`` metres wide, or smaller so that the smallest object is ``across`` pixels
    across, or larger so that neither side has more than ``most`` pixels. A pixel is in an object if its centre is; an
    object too thin to contain a centre has the pixel of a point inside it.
    """
    rings = rings_of(polygons)
    boxes, areas = shapely.bounds(polygons).reshape(-1, 4), shapely.area(polygons)
    given = (rings.xy, rings.begin, rings.first, boxes, areas, start, middle, resolution, across, most)
    scores, coarser = _scores(*given, np.zeros((0, 2)))
    thin = np.isnan(scores)
    if thin.any():
        inside = shapely.get_coordinates(shapely.point_on_surface(polygons))
        scores, coarser = _scores(*given, inside)
    return scores, coarser


class PixelObjects:
    """A labelled image, and the box around each object in it."""

    def __init__(self, labels: Labels) -> None:
        self.codes = labels.codes
        self.boxes: list[tuple[slice, slice]] = find_objects(labels.codes)


def label_masks(true: PixelObjects, refs: Ints, predicted: PixelObjects, preds: Ints) -> Masks:
    """The objects of a match as masks on the pixels of their labelled images."""
    boxes = [*(true.boxes[k] for k in refs), *(predicted.boxes[k] for k in preds)]
    rows = slice(min(box[0].start for box in boxes), max(box[0].stop for box in boxes))
    columns = slice(min(box[1].start for box in boxes), max(box[1].stop for box in boxes))
    return (
        true.codes[rows, columns] == refs[:, None, None] + 1,
        predicted.codes[rows, columns] == preds[:, None, None] + 1,
    )


def _label_masks(true: PixelObjects, predicted: PixelObjects, instances: Instances, most: int) -> list[Masks | None]:
    """The masks of each match; ``None`` where a side has more than ``most`` pixels."""
    found = [label_masks(true, refs, predicted, preds) for refs, preds in zip(*instances.members(), strict=True)]
    return [None if max(side.sum() for side in own) > most else own for own in found]


def _shares(rows: Ints) -> list[Ints]:
    return [rows[k : k + _SHARE] for k in range(0, len(rows), _SHARE)]


def _side_by_side(reference: ObjectMap, prediction: ObjectMap, instances: Instances) -> tuple[Objects, Ints, Ints]:
    """The polygons of all matches one after the other, where each match begins, and where its predicted ones do."""
    number = np.concatenate([instances.of_ref, instances.of_pred])
    there = np.flatnonzero(number >= 0)
    order = there[np.argsort(number[there], kind="stable")]
    start = np.concatenate([[0], np.cumsum(instances.refs + instances.preds)])
    return np.concatenate([reference.polygons, prediction.polygons])[order], start, start[:-1] + instances.refs


# ---------------------------------------------------------------------- compiled


@kernel
def _scores(
    xy: Floats, begin: Ints, first: Ints, boxes: Floats, areas: Floats, start: Ints, middle: Ints, resolution: float,
    across: int, most: int, inside: Floats,
) -> tuple[Floats, Bools]:  # fmt: skip
    """As ``scores_of_polygons``; not a number where an object has no pixel, and no point ``inside`` it is known."""
    scores, coarser = np.empty(len(middle)), np.zeros(len(middle), np.bool_)
    for match in range(len(middle)):
        low, half, high = start[match], middle[match], start[match + 1]
        box = boxes[low:high]
        least = min((box[:, 2] - box[:, 0]).min(), (box[:, 3] - box[:, 1]).min())
        cell = min(resolution, least / across)
        largest = max(areas[low:half].sum(), areas[half:high].sum())
        coarser[match] = largest > most * cell**2
        if coarser[match]:
            cell = np.sqrt(largest / most)
        x, y = box[:, 0].min(), box[:, 1].min()
        # With a tolerance: a box of 30 pixels must not get a 31st by rounding.
        columns = max(int(np.ceil((box[:, 2].max() - x) / cell - 1e-6)), 1)
        rows = max(int(np.ceil((box[:, 3].max() - y) / cell - 1e-6)), 1)
        masks = np.zeros((high - low, rows, columns), np.bool_)
        complete = True
        for k in range(high - low):
            rings = begin[first[low + k] : first[low + k + 1] + 1]
            if fill_mask(xy, rings, x, y, cell, masks[k]) == 0:
                if len(inside):
                    column = min(max(int(np.floor((inside[low + k, 0] - x) / cell)), 0), columns - 1)
                    row = min(max(int(np.floor((inside[low + k, 1] - y) / cell)), 0), rows - 1)
                    masks[k, row, column] = True
                else:
                    complete = False
        scores[match] = _score(masks[: half - low], masks[half - low :]) if complete else np.nan
    return scores, coarser


@kernel
def _score(reference: Bools, prediction: Bools) -> float:
    u, v = _weights(reference), _weights(prediction)
    farthest = _farthest(u, v)
    if farthest == 0:
        return 1.0
    return max(1 - _transport(u - v) / farthest, 0.0)


@inner
def _weights(masks: Bools) -> Floats:
    """Distance of each pixel to the nearest pixel outside its own object, normalised over all objects."""
    total = np.zeros(masks.shape[1:])
    for k in range(len(masks)):
        add_depths(masks[k], total)
    return total / total.sum()


@inner
def _farthest(one: Floats, other: Floats) -> float:
    """Largest distance between a pixel of one and a pixel of the other; only the ends of rows can be that far."""
    farthest = 0
    first, second = _row_ends(one), _row_ends(other)
    for r in range(len(first)):
        for s in range(len(second)):
            if first[r, 0] <= first[r, 1] and second[s, 0] <= second[s, 1]:
                across = max(abs(first[r, 1] - second[s, 0]), abs(second[s, 1] - first[r, 0]))
                farthest = max(farthest, across**2 + (r - s) ** 2)
    return np.sqrt(farthest)


@inner
def _row_ends(weights: Floats) -> Ints:
    """The first and the last column of each row that weigh something; the last before the first where none does."""
    rows, columns = weights.shape
    ends = np.empty((rows, 2), np.int64)
    for row in range(rows):
        ends[row, 0], ends[row, 1] = columns, -1
        for column in range(columns):
            if weights[row, column] > 0:
                ends[row, 0], ends[row, 1] = min(ends[row, 0], column), column
    return ends


@inner
def _transport(surplus: Floats) -> float:
    """Cost of moving the surplus to where it is negative."""
    tiny = _NOTHING * surplus.size
    source, supply = _heavier(surplus, tiny)
    sink, demand = _heavier(-surplus, tiny)
    if len(source) == 0 or len(sink) == 0:
        return 0.0
    return least_cost(source, supply, sink, demand)


@inner
def _heavier(surplus: Floats, tiny: float) -> tuple[Floats, Floats]:
    """Places and weights of the pixels with more than next to nothing."""
    rows, columns = surplus.shape
    places, weights = np.empty((surplus.size, 2)), np.empty(surplus.size)
    count = 0
    for row in range(rows):
        for column in range(columns):
            if surplus[row, column] > tiny:
                places[count, 0], places[count, 1], weights[count] = row, column, surplus[row, column]
                count += 1
    return places[:count], weights[:count]
