"""Mallows distance between the shapes of matched objects: sensitive to boundary and fragmentation errors.

Özdemir, Aksoy et al. (2010), section 4.2. Let U be the pixels of the reference's objects in a match and V those of the
predicted ones. The weight of a pixel is its distance from the nearest pixel outside its own object (1 for a border
pixel); the weights of U and of V are normalised to a sum of 1. The score is one minus the cost of moving one
distribution into the other (earth mover's distance), as a share of the largest distance between a pixel of U and one of
V.

Weight that both have on the same pixel need not move, as the distance is a metric: it is removed first, which leaves
the cost as it is and makes the transport problem smaller. The rest is solved exactly (``transport``).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import shapely
from scipy.ndimage import distance_transform_edt, find_objects
from scipy.spatial.distance import cdist

from geoeval.arrays import Bools, Floats, Ints
from geoeval.engines import Task, open_engine
from geoeval.model.object_map import Labels, ObjectMap
from geoeval.objects.instances import Instances
from geoeval.objects.transport import earth_movers_distance

# The polygons of the reference and of the prediction in a match, and their masks where they came from pixels.
MallowsJob = tuple[Iterable[Any], Iterable[Any], tuple[list[Bools], list[Bools]] | None]
# Matches that a worker compares before it takes others.
_SHARE = 500
# Less than this share of the whole weight is rounding.
_NOTHING = 1e-15


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

    Two labelled images on the same pixels are compared on those, everything else on pixels as in ``polygon_masks``.
    """
    true, predicted = reference.labels, prediction.labels
    pixels = None
    if true is not None and predicted is not None and true.same_grid(predicted):
        pixels = PixelObjects(true), PixelObjects(predicted)
    jobs: list[MallowsJob] = []
    for refs, preds in zip(*instances.members(), strict=True):
        masks = None
        if pixels is not None:
            masks = label_masks(pixels[0], refs, pixels[1], preds)
            if max(sum(mask.sum() for mask in side) for side in masks) > most:
                masks = None
        jobs.append((reference.polygons[refs], prediction.polygons[preds], masks))
    scores, coarser = np.zeros(len(jobs)), np.zeros(len(jobs), dtype=bool)
    starts = range(0, len(jobs), _SHARE)
    tasks: list[Task] = [(mallows_scores, (jobs[start : start + _SHARE], resolution, across, most)) for start in starts]
    with open_engine(min(workers, max(len(tasks), 1))) as engine:
        for done, (number, outcome) in enumerate(engine.run(tasks), start=1):
            rows = slice(starts[number], starts[number] + _SHARE)
            scores[rows], coarser[rows] = outcome
            if progress is not None:
                progress(done / len(tasks))
    return scores, coarser


def mallows_score(reference: Sequence[Bools], prediction: Sequence[Bools]) -> float:
    """Score of one match, from 0 to 1; each object is a mask, all on the same pixels.

    Where both sides are the same single pixel, so that the largest distance is 0, the score is 1.
    """
    u, v = (_weights(masks) for masks in (reference, prediction))
    farthest = _farthest(u > 0, v > 0)
    if farthest == 0:
        return 1.0
    return max(1 - _transport(u - v) / farthest, 0.0)


def mallows_scores(jobs: Sequence[MallowsJob], resolution: float, across: int, most: int) -> tuple[Floats, Bools]:
    """The score of each match, and whether it was compared on larger pixels than ``resolution``.

    A match without masks is compared on those of ``polygon_masks``.
    """
    scores, coarser = np.zeros(len(jobs)), np.zeros(len(jobs), dtype=bool)
    for row, (refs, preds, masks) in enumerate(jobs):
        if masks is None:
            u, v, coarser[row] = polygon_masks(refs, preds, resolution=resolution, across=across, most=most)
            masks = u, v  # noqa: PLW2901 - the masks of this match
        scores[row] = mallows_score(*masks)
    return scores, coarser


def polygon_masks(
    reference: Iterable[Any], prediction: Iterable[Any], *, resolution: float, across: int, most: int
) -> tuple[list[Bools], list[Bools], bool]:
    """The objects of a match as masks, and whether their pixels had to be larger than ``resolution``.

    Pixels are ``resolution`` metres wide, or smaller so that the smallest object is ``across`` pixels across, or larger
    so that neither side has more than ``most`` pixels. A pixel is in an object if its centre is.
    """
    first, second = list(reference), list(prediction)
    objects = np.array([None, *first, *second], dtype=object)[1:]
    boxes = shapely.bounds(objects)
    cell = min(resolution, float(np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]).min()) / across)
    areas = shapely.area(objects)
    largest = max(areas[: len(first)].sum(), areas[len(first) :].sum())
    coarser = largest > most * cell**2
    if coarser:
        cell = float(np.sqrt(largest / most))
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    masks = [_mask(one, box, low, high, cell) for one, box in zip(objects, boxes, strict=True)]
    return masks[: len(first)], masks[len(first) :], bool(coarser)


def label_masks(
    true: "PixelObjects", refs: Ints, predicted: "PixelObjects", preds: Ints
) -> tuple[list[Bools], list[Bools]]:
    """The objects of a match as masks on the pixels of their labelled images."""
    boxes = [*(true.boxes[k] for k in refs), *(predicted.boxes[k] for k in preds)]
    rows = slice(min(box[0].start for box in boxes), max(box[0].stop for box in boxes))
    columns = slice(min(box[1].start for box in boxes), max(box[1].stop for box in boxes))
    return (
        [true.codes[rows, columns] == k + 1 for k in refs],
        [predicted.codes[rows, columns] == k + 1 for k in preds],
    )


class PixelObjects:
    """A labelled image, and the box around each object in it."""

    def __init__(self, labels: Labels) -> None:
        self.codes = labels.codes
        self.boxes: list[tuple[slice, slice]] = find_objects(labels.codes)


def _mask(polygon: Any, box: Floats, low: Floats, high: Floats, cell: float) -> Bools:
    # With a tolerance: a box of 30 pixels must not get a 31st by rounding.
    columns, rows = np.maximum(np.ceil((high - low) / cell - 1e-6), 1).astype(np.int64)
    mask = np.zeros((rows, columns), dtype=bool)
    first = np.maximum(np.floor((box[:2] - low) / cell).astype(np.int64) - 1, 0)
    last = np.minimum(np.ceil((box[2:] - low) / cell).astype(np.int64) + 1, [columns, rows])
    x = low[0] + (np.arange(first[0], last[0]) + 0.5) * cell
    y = low[1] + (np.arange(first[1], last[1]) + 0.5) * cell
    shapely.prepare(polygon)
    mask[first[1] : last[1], first[0] : last[0]] = shapely.contains_xy(polygon, *np.meshgrid(x, y))
    if not mask.any():  # too thin to contain a centre
        inside = shapely.get_coordinates(shapely.point_on_surface(polygon))[0]
        column, row = np.clip(np.floor((inside - low) / cell).astype(np.int64), 0, [columns - 1, rows - 1])
        mask[row, column] = True
    return mask


def _weights(masks: Sequence[Bools]) -> Floats:
    """Distance of each pixel to the nearest pixel outside its own object, normalised over all objects."""
    rows, columns = masks[0].shape
    total = np.zeros((rows, columns))
    framed = np.zeros((rows + 2, columns + 2), dtype=bool)
    for mask in masks:
        framed[1:-1, 1:-1] = mask
        total += distance_transform_edt(framed)[1:-1, 1:-1]
    return total / total.sum()


def _farthest(first: Bools, second: Bools) -> float:
    """Largest distance between a pixel of one and a pixel of the other; only the ends of rows can be that far."""
    ends = []
    for mask in (first, second):
        rows = np.flatnonzero(mask.any(axis=1))
        left, right = mask[rows].argmax(axis=1), mask.shape[1] - 1 - mask[rows, ::-1].argmax(axis=1)
        ends.append(np.concatenate([np.column_stack([rows, left]), np.column_stack([rows, right])]))
    return float(cdist(*ends).max())


def _transport(surplus: Floats) -> float:
    """Cost of moving the surplus to where it is negative."""
    tiny = _NOTHING * surplus.size
    source, sink = np.argwhere(surplus > tiny), np.argwhere(surplus < -tiny)
    if len(source) == 0 or len(sink) == 0:
        return 0.0
    return earth_movers_distance(
        source.astype(np.float64), surplus[tuple(source.T)], sink.astype(np.float64), -surplus[tuple(sink.T)]
    )
