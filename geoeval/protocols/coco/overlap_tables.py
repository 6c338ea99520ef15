"""How much objects of one image overlap: tables of intersection over union, of pixels and of boxes."""

from collections.abc import Sequence

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints


def run_ious(detections: Sequence[Ints], truths: Sequence[Ints], crowd: Bools) -> Floats:
    """IoU ``(detections, truths)`` of objects given as borders of runs; with a crowd, the share of the detection.

    An object without pixels has an IoU of 0 with all. O(runs) a pair.
    """
    common = _common(*_packed(detections), *_packed(truths))
    areas, true = (np.array([area_of(one) for one in some], dtype=np.int64) for some in (detections, truths))
    union = np.where(crowd[None, :], areas[:, None], areas[:, None] + true[None, :] - common)
    return np.asarray(common / np.where(common == 0, 1, union), dtype=np.float64)


def area_of(borders: Ints) -> int:
    """Number of pixels of an object given as borders of runs."""
    return int((borders[1::2] - borders[::2]).sum())


def box_ious(detections: Floats, truths: Floats, crowd: Bools) -> Floats:
    """IoU ``(detections, truths)`` of boxes (left, top, width, height); with a crowd, the share of the detection."""
    low = np.maximum(detections[:, None, :2], truths[None, :, :2])
    high = np.minimum((detections[:, :2] + detections[:, 2:])[:, None], (truths[:, :2] + truths[:, 2:])[None])
    common = np.prod(np.maximum(high - low, 0.0), axis=2)
    own, true = detections[:, 2:].prod(axis=1)[:, None], truths[:, 2:].prod(axis=1)[None]
    union = np.where(crowd[None, :], own, own + true - common)
    return np.asarray(np.divide(common, union, out=np.zeros_like(common), where=common > 0), dtype=np.float64)


def common_pixels(one: Ints, other: Ints) -> int:
    """Pixels that two objects share."""
    return int(_common(*_packed([one]), *_packed([other]))[0, 0])


def _packed(borders: Sequence[Ints]) -> tuple[Ints, Ints]:
    ends = np.cumsum([0, *(len(one) for one in borders)])
    return np.concatenate([np.zeros(0, dtype=np.int64), *borders]), np.asarray(ends, dtype=np.int64)


@kernel
def _common(one: Ints, one_ends: Ints, two: Ints, two_ends: Ints) -> Ints:
    """Pixels that objects share, from the borders of their runs, one object after the other."""
    table = np.zeros((len(one_ends) - 1, len(two_ends) - 1), dtype=np.int64)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            a, b = one_ends[i], two_ends[j]
            while a < one_ends[i + 1] and b < two_ends[j + 1]:
                low, high = max(one[a], two[b]), min(one[a + 1], two[b + 1])
                if high > low:
                    table[i, j] += high - low
                if one[a + 1] < two[b + 1]:
                    a += 2
                else:
                    b += 2
    return table
