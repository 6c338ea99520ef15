"""COCO's rasteriser: which pixels an outline covers.

Outlines are drawn on a grid five times as fine. Where the drawn outline steps from one fine column to the next, and
that step lies at the middle of a column of pixels, the column is crossed at the row below the step. The pixels between
the first and the second, the third and the fourth crossing of a column belong to the object. This differs from the
usual rule of pixel centres by up to half a pixel along the outline, so other rasterisers give other numbers.
"""

from collections.abc import Sequence

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints
from geoeval.readers.coco.coco_set import Shape
from geoeval.readers.coco.runs import PixelRuns

_FINE = 5


def borders_of(shape: Shape, box: Floats, size: tuple[int, int]) -> Ints:
    """Where the runs of an object's pixels begin and end, in turn, column by column.

    Rings of one object are put together; an object without rings and pixels is its box. O(length of the outline).
    """
    height, width = size
    if isinstance(shape, PixelRuns):
        return shape.borders
    if shape is None:
        x, y, wide, high = box
        shape = (np.array([[x, y], [x, y + high], [x + wide, y + high], [x + wide, y]]),)
    rings = [ring_borders(ring, height, width) for ring in shape]
    return rings[0] if len(rings) == 1 else united(rings)


def ring_borders(ring: Floats, height: int, width: int) -> Ints:
    """Where the runs of the pixels inside one ring ``(k, 2)`` begin and end; nothing for a ring outside the image."""
    # Truncated, not rounded down: so does the conversion to integers that the original relies on.
    fine = np.trunc(_FINE * np.asarray(ring, dtype=np.float64) + 0.5).astype(np.int64)
    crossings = np.sort(_crossings(fine, height, width))
    if len(crossings) % 2:
        crossings = np.append(crossings, height * width)
    return without_empty_runs(crossings)


def united(borders: Sequence[Ints]) -> Ints:
    """Borders of the runs that any of several objects has."""
    places = np.concatenate([np.zeros(0, dtype=np.int64), *borders])
    step = np.concatenate([np.zeros(0, dtype=np.int64), *(np.resize([1, -1], len(one)) for one in borders)])
    order = np.lexsort([-step, places])
    depth = np.cumsum(step[order])
    before = depth - step[order]
    return without_empty_runs(places[order][(depth == 0) != (before == 0)])


def without_empty_runs(borders: Ints) -> Ints:
    """Borders in ascending order, where two at one place cancel out."""
    values, number = np.unique(borders, return_counts=True)
    return values[number % 2 == 1].astype(np.int64)


@kernel
def _crossings(fine: Ints, height: int, width: int) -> Ints:
    """The places ``column * height + row`` at which the fine outline crosses the middles of columns."""
    count = len(fine)
    steps = 0
    for k in range(count):
        following = (k + 1) % count
        steps += max(abs(fine[k, 0] - fine[following, 0]), abs(fine[k, 1] - fine[following, 1])) + 1
    found = np.empty(steps, dtype=np.int64)
    total = 0
    old_x, old_y = fine[0, 0], fine[0, 1]
    for k in range(count):
        following = (k + 1) % count
        across = abs(fine[following, 0] - fine[k, 0])
        down = abs(fine[following, 1] - fine[k, 1])
        length = max(across, down)
        for step in range(length + 1):
            x, y = _fine_point(fine[k], fine[following], across >= down, length, step)
            if x != old_x:
                row_column = _crossing(old_x, old_y, x, y, height, width)
                if row_column >= 0:
                    found[total] = row_column
                    total += 1
            old_x, old_y = x, y
    return found[:total]


@inner
def _fine_point(start: Ints, end: Ints, flat: bool, length: int, step: int) -> tuple[int, int]:
    """A point of a fine line; each line is drawn from its left (flat lines) or upper end, whichever way it runs."""
    if length == 0:
        return start[0], start[1]
    along = 0 if flat else 1
    turned = start[along] > end[along]
    first, last = (end, start) if turned else (start, end)
    at = length - step if turned else step
    slope = (last[1 - along] - first[1 - along]) / length
    beside = int(first[1 - along] + slope * at + 0.5)
    return (first[0] + at, beside) if flat else (beside, first[1] + at)


@inner
def _crossing(old_x: int, old_y: int, x: int, y: int, height: int, width: int) -> int:
    column = x if x < old_x else x - 1
    middle = _FINE // 2
    if column < middle or (column - middle) % _FINE != 0 or (column - middle) // _FINE > width - 1:
        return -1
    # Division rounds down, so the negative of the negative rounds up.
    row = -((middle - min(y, old_y)) // _FINE)
    return (column - middle) // _FINE * height + min(max(row, 0), height)
