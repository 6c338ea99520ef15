"""Where most lines are: the ground on which the offset of large maps is estimated.

Large maps are not compared as a whole: their offset is estimated on the square cell of 10 km in which most of their
segments begin. Which cell that is depends on the segments alone, not on the way in which they are stored or evaluated.
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from geoeval.arrays import Box, Floats

# Up to this many segments of the prediction the offset is estimated on all of it.
MANY_SEGMENTS = 200_000
# Metres: the side of a cell, and how much of the ground around the busiest cell is taken with it.
CELL_SIZE = 10_000.0
AROUND_CELL = 50.0

# Column and row of a cell as one number, which sorts like both.
_ROWS = 1 << 32


def offset_ground(batches: Iterable[Floats]) -> Box | None:
    """The box to which networks are cut to estimate their offset; ``None`` if the prediction is small as it is.

    Parameters
    ----------
    batches
        Coordinates ``(n, 2, 2)`` of the segments of the prediction, cut to the area that is evaluated, in metres, in
        parts of any size. A segment that comes twice in a row, as duplicates do in stores, counts once.

    Returns
    -------
    Box or None
        The cell in which most segments have their lower end (the smaller x, then y), and ``AROUND_CELL`` around it.
        Cells begin at multiples of their size. Of cells with as many segments the first by column, then row is taken.

    Notes
    -----
    O(n log n) in the segments of a batch; memory grows with the largest batch and the number of cells.
    """
    counts = _segments_by_cell(batches)
    if counts.total() <= MANY_SEGMENTS:
        return None
    minx, miny, maxx, maxy = _largest(counts)
    return minx - AROUND_CELL, miny - AROUND_CELL, maxx + AROUND_CELL, maxy + AROUND_CELL


def _segments_by_cell(batches: Iterable[Floats]) -> Counter[int]:
    counts: Counter[int] = Counter()
    last = np.full((1, 4), np.nan)
    for batch in batches:
        if len(batch) == 0:
            continue
        ends = np.round(batch, 6)  # as networks round coordinates
        swap = (ends[:, 0, 0] > ends[:, 1, 0]) | ((ends[:, 0, 0] == ends[:, 1, 0]) & (ends[:, 0, 1] > ends[:, 1, 1]))
        ends[swap] = ends[swap][:, ::-1]
        rows = np.concatenate([last, ends.reshape(-1, 4)])
        once = (rows[1:] != rows[:-1]).any(axis=1)
        last = rows[-1:]
        cell = np.floor(ends[once, 0] / CELL_SIZE).astype(np.int64)
        numbers, count = np.unique(cell[:, 0] * _ROWS + cell[:, 1] + _ROWS // 2, return_counts=True)
        counts.update(dict(zip(numbers.tolist(), count.tolist(), strict=True)))
    return counts


def _largest(counts: Counter[int]) -> Box:
    column, row = divmod(min(counts, key=lambda number: (-counts[number], number)), _ROWS)
    x, y = column * CELL_SIZE, (row - _ROWS // 2) * CELL_SIZE
    return x, y, x + CELL_SIZE, y + CELL_SIZE
