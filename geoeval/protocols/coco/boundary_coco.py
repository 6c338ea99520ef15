"""``boundary-coco``: COCO's numbers with boundary IoU (Cheng et al., CVPR 2021), in pixels.

The boundary of an object is what an erosion by d pixels with a 3 x 3 square takes away, d times; beyond the image is
background, so the image's border is a boundary too. d is 2 % of the image's diagonal, rounded, and at least 1. The IoU
used is the smaller one of the masks' and the boundaries'; with a crowd that of the masks alone.
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from scipy import ndimage

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.metric_result import MetricResult
from geoeval.protocols.coco.coco import areas_of, pixels_of, sizes_of
from geoeval.protocols.coco.overlap_tables import run_ious
from geoeval.protocols.coco.scoring import SCORES, detections_of, scored
from geoeval.protocols.protocol import Protocol
from geoeval.readers.coco.coco_set import CocoSet
from geoeval.readers.coco.runs import PixelRuns, runs_of_mask


def boundary_coco(
    reference: CocoSet, prediction: CocoSet, *, dilation_ratio: float = 0.02, script: str = "coco"
) -> MetricResult:
    """COCO's twelve numbers, with boundary IoU in the place of mask IoU.

    Parameters
    ----------
    reference, prediction
        As for ``coco``.
    dilation_ratio
        Width of the boundary as a share of the image's diagonal.
    script
        As for ``coco``.

    Returns
    -------
    MetricResult
        As for ``coco``.

    Notes
    -----
    O(pixels of the objects' boxes), then as ``coco``.
    """
    if not 0 < dilation_ratio < 1:
        raise ParameterError(f"boundary-coco.dilation_ratio is {dilation_ratio}; give a share above 0 and below 1")
    detections_of(reference, prediction)
    sizes = sizes_of(reference)
    pixels = [pixels_of(data, sizes) for data in (reference, prediction)]
    rims = [
        [
            boundary_of(borders, sizes[image], boundary_width(sizes[image], dilation_ratio))
            for borders, image in zip(own, data.image, strict=True)
        ]
        for own, data in zip(pixels, (reference, prediction), strict=True)
    ]

    def ious(_: Hashable, rows: Sequence[int], own: Sequence[int], crowd: Bools) -> Floats:
        masks, edges = (
            run_ious([some[1][k] for k in rows], [some[0][k] for k in own], crowd) for some in (pixels, rims)
        )
        return np.where(crowd[None, :], masks, np.minimum(masks, edges))

    areas = areas_of(reference, sizes), areas_of(prediction, sizes)
    return scored(reference, prediction, areas, ious, script=script)


def boundary_width(size: tuple[int, int], ratio: float) -> int:
    """Pixels of a boundary's width, at least 1."""
    return max(1, round(ratio * math.hypot(*size)))


def boundary_of(borders: Ints, size: tuple[int, int], width: int) -> Ints:
    """The boundary of an object, as borders of runs. O(pixels of its box)."""
    if len(borders) == 0:
        return borders
    height = size[0]
    # Only the columns that the object touches; beyond them is background, as beyond the image.
    first, last = borders[0] // height, (borders[-1] - 1) // height + 1
    counts = np.diff(np.concatenate([[first * height], borders, [last * height]])).astype(np.int64)
    mask = PixelRuns(height, int(last - first), counts).mask()
    inside = ndimage.minimum_filter(mask.astype(np.uint8), size=2 * width + 1, mode="constant", cval=0)
    return runs_of_mask(mask & (inside == 0)).borders + first * height


PROTOCOL = Protocol(
    boundary_coco, "ap", "COCO's numbers with boundary IoU: the smaller of the IoU of masks and of their boundaries.",
    scores=SCORES,
    version="1", takes="instances",
    origin="Boundary IoU (Cheng, Girshick, Dollár, Berg, Kirillov, CVPR 2021) in COCO's evaluation.",
    blind_to="metres: the width of a boundary follows the size of the image, so cutting an image changes the number",
    prefer=("boundary-ap", "polis"),
)  # fmt: skip
