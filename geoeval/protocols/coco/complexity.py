"""C-IoU and N-ratio as scripted: the IoU of all that is drawn in an image, times how alike the numbers of vertices are.

Scripted: the vertices of first rings count as listed, a repeated closing one too. PolyWorld's and Pix2Poly's scripts
reuse the predicted mask of the image before where an image has no detection. Mended: all rings, closing vertices left
out, and no mask where nothing is detected.
"""

from collections.abc import Hashable, Iterable, Mapping

import numpy as np

from geoeval.arrays import Ints
from geoeval.model.scores import ScoreValue
from geoeval.protocols.coco.outlines import ImageOutlines, Rings, opened
from geoeval.protocols.coco.overlap_tables import area_of, common_pixels
from geoeval.protocols.coco.rasterising import borders_of, united

_LITTLE = 1e-9


def complexity_scores(
    images: Iterable[ImageOutlines], sizes: Mapping[Hashable, tuple[int, int]], *, scripted: bool, stale_mask: bool
) -> dict[str, ScoreValue]:
    """Means over images: ``iou``, ``c_iou``, ``similarity`` of the numbers of vertices, and ``n_ratio``.

    ``n_ratio`` is the number of predicted vertices over that of true ones, over images that have true ones. All are
    ``None`` where there is no image.
    """
    rows, ratios = [], []
    left: tuple[tuple[int, int], Ints] | None = None
    for image in images:
        size = sizes[image.image]
        true, found = (
            united([borders_of(rings, np.full(4, np.nan), size) for rings in some])
            for some in (image.true, image.found)
        )  # fmt: skip
        if image.found:
            left = size, found
        elif stale_mask and left is not None and left[0] == size:
            found = left[1]
        vertices = [sum(_vertices(rings, scripted=scripted) for rings in some) for some in (image.true, image.found)]
        similarity = 1 - abs(vertices[0] - vertices[1]) / (sum(vertices) + _LITTLE)
        iou = _iou(true, found)
        rows.append((iou, iou * similarity, similarity))
        if vertices[0]:
            ratios.append(vertices[1] / vertices[0])
    means = np.mean(rows, axis=0).tolist() if rows else (None, None, None)
    ratio = float(np.mean(ratios)) if ratios else None
    return {"iou": means[0], "c_iou": means[1], "similarity": means[2], "n_ratio": ratio}


def _vertices(rings: Rings, *, scripted: bool) -> int:
    return len(rings[0]) if scripted else sum(len(opened(ring)) for ring in rings)


def _iou(one: Ints, other: Ints) -> float:
    areas = area_of(one), area_of(other)
    if not any(areas):
        return 1.0
    common = common_pixels(one, other)
    return common / (areas[0] + areas[1] - common + _LITTLE)
