"""Segments sorted along a curve through the plane.

Segments that follow each other are near each other, which makes a store quick to read by place. The curve is
Hilbert's, through a square of 65,536 by 65,536 cells over the data.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Ints
from geoeval.exceptions import ParameterError
from geoeval.scale.store.segments import Segments
from geoeval.scale.store.sorting import DiskSort, Rows

# Binary digits of a cell's column and row.
DIGITS = 16


class Spool:
    """Takes segments in any order and gives them back along the curve, in bounded memory.

    Segments at the same place of the curve come in the order of their nodes, and those with the same nodes in the
    order in which they were added.

    Parameters
    ----------
    folder
        For temporary files.
    """

    def __init__(self, folder: Path) -> None:
        self.bounds = np.array([np.inf, np.inf, -np.inf, -np.inf])
        self.text_ids: bool | None = None
        self._sort = DiskSort(folder, self._key, ties=_nodes)

    @property
    def count(self) -> int:
        """How many segments were added."""
        return self._sort.count

    def put(self, segments: Segments) -> None:
        """Add segments."""
        if len(segments) == 0:
            return
        corners = segments.xy.reshape(-1, 2)
        if not np.isfinite(corners).all():
            raise ParameterError("a segment has a coordinate that is not a number; drop such segments first")
        self.bounds[:2] = np.minimum(self.bounds[:2], corners.min(axis=0))
        self.bounds[2:] = np.maximum(self.bounds[2:], corners.max(axis=0))
        ids = self._plain(segments.source)
        rows = np.empty(
            len(segments),
            dtype=[
                ("xy", "f8", (2, 2)),
                ("node", "i8", (2,)),
                ("source", ids.dtype),
                ("cut", "?", (2,)),
                ("class", "i4"),
            ],
        )
        rows["xy"], rows["node"], rows["source"], rows["cut"] = segments.xy, segments.node, ids, segments.cut
        rows["class"] = segments.road_class
        self._sort.put(rows)

    def in_order(self) -> Iterator[Segments]:
        """All segments, some at a time; can be called once. Segments with the same nodes come together."""
        for rows in self._sort.in_order(2 * DIGITS):
            yield Segments(rows["xy"], rows["node"], rows["source"], rows["cut"], rows["class"])

    def _plain(self, ids: NDArray[Any]) -> NDArray[Any]:
        """Ids as whole numbers, or all of them as text."""
        if ids.dtype.kind == "O" and all(isinstance(one, int | np.integer) for one in ids.tolist()):
            ids = ids.astype(np.int64)
        ids = ids.astype(np.int64) if ids.dtype.kind in "iu" else np.asarray([str(one) for one in ids.tolist()])
        text_ids = ids.dtype.kind == "U"
        if self.text_ids not in {None, text_ids}:
            raise ParameterError("some source ids are numbers and some are text; give all of them as text")
        self.text_ids = text_ids
        return ids

    def _key(self, rows: Rows) -> Ints:
        """Where the middle of each segment lies on the curve; the direction of the segment does not matter."""
        middle = (rows["xy"][:, 0] + rows["xy"][:, 1]) / 2
        size = max(float((self.bounds[2:] - self.bounds[:2]).max()), np.finfo(np.float64).tiny)
        cell = ((middle - self.bounds[:2]) / size * (1 << DIGITS)).astype(np.int64)
        return hilbert(np.clip(cell, 0, (1 << DIGITS) - 1))


def _nodes(rows: Rows) -> list[NDArray[Any]]:
    """Nodes of segments as further keys, whatever the direction of the segments."""
    return [rows["node"].max(axis=1), rows["node"].min(axis=1)]


def hilbert(cell: Ints, digits: int = DIGITS) -> Ints:
    """Place on Hilbert's curve of cells ``(n, 2)`` of a square with ``2**digits`` cells per side. O(n digits)."""
    x, y = cell[:, 0].copy(), cell[:, 1].copy()
    place = np.zeros(len(cell), dtype=np.int64)
    for digit in range(digits - 1, -1, -1):
        right, upper = (x >> digit) & 1, (y >> digit) & 1
        place = (place << 2) | ((3 * right) ^ upper)
        # The curve goes through a lower quarter turned: x and y change places, in the right one also mirrored.
        mirrored = ((1 << digit) - 1) * (right & (1 - upper))
        x, y = x ^ mirrored, y ^ mirrored
        swap = (x ^ y) * (1 - upper)
        x, y = x ^ swap, y ^ swap
    return place
