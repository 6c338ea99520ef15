"""``coco``: average precision and recall of detected objects, as COCO's evaluation gives them.

Reproduced in pixels, with COCO's own rasteriser and matching. Three rules of the original that one would not expect,
kept here because published numbers have them:

* An annotation with the id 0 cannot be found: what matches it counts as a false alarm.
* The field ``ignore`` of an annotation has no effect; ``iscrowd`` takes its place.
* Where the first result has a box, the size of every detection (small, medium, large) is that of its box, also for
  ``segm``.

``script="ffl"`` is Frame Field Learning's script, which PolyWorld points to as well: images without a detection are
left out, so that whole images of missed buildings cost nothing; and where AR1, AR10 and AR100 should stand, it prints
AR, AR50 and AR75, all of 100 detections.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.metric_result import MetricResult
from geoeval.protocols.coco.overlap_tables import area_of, box_ious, run_ious
from geoeval.protocols.coco.rasterising import borders_of
from geoeval.protocols.coco.scoring import SCORES, detections_of, scored
from geoeval.protocols.protocol import Protocol
from geoeval.readers.coco.coco_set import CocoSet
from geoeval.readers.coco.runs import PixelRuns

IOU_TYPES = ("segm", "bbox")


def coco(reference: CocoSet, prediction: CocoSet, *, iou_type: str = "segm", script: str = "coco") -> MetricResult:
    """COCO's twelve numbers.

    Parameters
    ----------
    reference
        Annotations, with the sizes of their images.
    prediction
        Results with scores, for images of the reference.
    iou_type
        ``segm`` compares pixels, ``bbox`` boxes.
    script
        ``coco``, or ``ffl``; see the head of this module.

    Returns
    -------
    MetricResult
        A number is undefined where the reference has no object of that size (COCO prints -1). Nothing detected: 0.
        Details: ``ap_by_class``.

    Notes
    -----
    O(length of the outlines + pairs of an image and category times their runs).
    """
    if iou_type not in IOU_TYPES:
        raise ParameterError(f"coco.iou_type is {iou_type!r}; choose one of {', '.join(IOU_TYPES)}")
    detections_of(reference, prediction)
    sizes = sizes_of(reference)
    if iou_type == "bbox":
        true, found = (boxes_of(data, sizes) for data in (reference, prediction))

        def ious(_: Hashable, rows: Sequence[int], own: Sequence[int], crowd: Bools) -> Floats:
            return box_ious(found[rows], true[own], crowd)
    else:
        pixels = [pixels_of(data, sizes) for data in (reference, prediction)]

        def ious(_: Hashable, rows: Sequence[int], own: Sequence[int], crowd: Bools) -> Floats:
            return run_ious([pixels[1][k] for k in rows], [pixels[0][k] for k in own], crowd)

    areas = areas_of(reference, sizes), areas_of(prediction, sizes)
    return scored(reference, prediction, areas, ious, script=script)


def sizes_of(reference: CocoSet) -> dict[Hashable, tuple[int, int]]:
    """Height and width of each image; an error where one is unknown."""
    for key, image in reference.images.items():
        if image.height is None:
            msg = f"{reference.source} does not say how large image {key!r} is; give annotations with height and width"
            raise ParameterError(msg)
    return {key: image.size for key, image in reference.images.items()}


def pixels_of(data: CocoSet, sizes: dict[Hashable, tuple[int, int]]) -> list[Ints]:
    """The pixels of each object, as borders of runs."""
    found = []
    for number, shape in enumerate(data.shapes):
        size = sizes[data.image[number]]
        if isinstance(shape, PixelRuns) and (shape.height, shape.width) != size:
            msg = f"object {data.ids[number]!r} of {data.source} has {shape.width} x {shape.height} pixels, its image "
            raise ParameterError(f"{msg}{size[1]} x {size[0]}; rescale it")
        if shape is None and np.isnan(data.boxes[number]).any():
            raise ParameterError(f"object {data.ids[number]!r} of {data.source} has neither outline, pixels nor box")
        found.append(borders_of(shape, data.boxes[number], size))
    return found


def boxes_of(data: CocoSet, sizes: dict[Hashable, tuple[int, int]]) -> Floats:
    """Boxes as the file says, else around the pixels."""
    boxes = data.boxes.copy()
    for row in np.flatnonzero(np.isnan(boxes).any(axis=1)).tolist():
        height, width = sizes[data.image[row]]
        borders = borders_of(data.shapes[row], boxes[row], (height, width))
        counts = np.diff(np.concatenate([[0], borders, [height * width]])).astype(np.int64)
        boxes[row] = PixelRuns(height, width, counts).box()
    return boxes


def areas_of(data: CocoSet, sizes: dict[Hashable, tuple[int, int]]) -> Floats:
    """Areas as the file says; of results those of their boxes, if the first has one, else of their pixels."""
    areas = data.areas.copy()
    if data.score is not None and len(data) and np.isfinite(data.boxes[0]).all():
        areas = np.where(np.isnan(areas), data.boxes[:, 2] * data.boxes[:, 3], areas)
    for row in np.flatnonzero(np.isnan(areas)).tolist():
        areas[row] = area_of(borders_of(data.shapes[row], data.boxes[row], sizes[data.image[row]]))
    return areas


PROTOCOL = Protocol(
    coco, "ap", "COCO's average precision and recall of detected objects, by pixels or boxes.",
    scores=SCORES,
    version="1", takes="instances",
    origin="COCO's evaluation of detections (Lin et al., ECCV 2014), as CrowdAI and most papers on buildings use it.",
    blind_to="shape: rounded corners and outlines off by a few pixels cost next to nothing; metres; what is beyond 100",
    prefer=("iou", "max-overlap", "boundary-ap"),
)  # fmt: skip
