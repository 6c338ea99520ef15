"""Any number of segments put in order along a curve through the plane, in bounded memory.

Segments that come one after the other are near each other, which is what makes a store quick to read by place.
The curve is Hilbert's, through a square of 65,536 by 65,536 cells over the data. What does not fit in memory waits on
disk, and is shared out among parts of the curve until each part fits.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.scale.segments import Segments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Segments that are sorted in memory at once: about 60 MB of them, and as much again for sorting.
IN_MEMORY = 1 << 20
# Binary digits of a cell's column and row.
DIGITS = 16
# A part of the curve is shared out among this power of two of smaller ones.
_SPLIT_DIGITS = 6
# Segments that are taken back from disk at once.
_CHUNK = 1 << 17


class Spool:
    """Takes segments in any order, and gives them back in the order of the curve.

    Segments at one place of the curve come in the order of their nodes, and those with the same nodes in the order in
    which they were put in, or with ``by_source`` in that of their source ids.

    Parameters
    ----------
    folder
        Where segments may wait; it is the caller's to remove.
    """

    def __init__(self, folder: Path, *, by_source: bool = False) -> None:
        self.folder = folder
        self.by_source = by_source
        self.count = 0
        self.bounds = np.array([np.inf, np.inf, -np.inf, -np.inf])
        self.text_ids: bool | None = None
        self._waiting: list[Segments] = []
        self._on_disk: list[_Pile] = []

    def put(self, segments: Segments) -> None:
        """Add segments."""
        if len(segments) == 0:
            return
        segments = self._with_plain_ids(segments)
        corners = segments.xy.reshape(-1, 2)
        if not np.isfinite(corners).all():
            raise ParameterError("a segment has a coordinate that is not a number; drop such segments first")
        self.bounds[:2] = np.minimum(self.bounds[:2], corners.min(axis=0))
        self.bounds[2:] = np.maximum(self.bounds[2:], corners.max(axis=0))
        self.count += len(segments)
        self._waiting.append(segments)
        if sum(map(len, self._waiting)) >= IN_MEMORY:
            self._flush()

    def in_order(self) -> Iterator[Segments]:
        """All segments, some at a time; once only."""
        if not self._on_disk:
            waiting, self._waiting = self._waiting, []
            yield from self._sorted(Segments.joined(waiting))
            return
        self._flush()
        yield from self._shared_out(self._on_disk, digits=2 * DIGITS, count=self.count)

    def _with_plain_ids(self, segments: Segments) -> Segments:
        """Ids as whole numbers or as text, all of one kind."""
        ids = segments.source
        if ids.dtype.kind == "O" and all(isinstance(one, int | np.integer) for one in ids.tolist()):
            ids = ids.astype(np.int64)
        ids = ids.astype(np.int64) if ids.dtype.kind in "iu" else np.asarray([str(one) for one in ids.tolist()])
        text_ids = ids.dtype.kind == "U"
        if self.text_ids not in {None, text_ids}:
            raise ParameterError("some source ids are numbers and some are text; give all of them as text")
        self.text_ids = text_ids
        return Segments(segments.xy, segments.node, ids, segments.cut)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            segments = Segments.joined(waiting)
            pile = _Pile(self.folder / f"{len(self._on_disk)}", segments.source.dtype)
            pile.add(segments)
            self._on_disk.append(pile)

    def _shared_out(self, piles: list["_Pile"], *, digits: int, count: int) -> Iterator[Segments]:
        """Segments of piles, whose places on the curve agree but for the last binary ``digits``."""
        if count <= IN_MEMORY or digits == 0:
            yield from self._sorted(Segments.joined([part for pile in piles for part in pile.taken()]))
            return
        step = min(_SPLIT_DIGITS, digits)
        widest = max((pile.ids for pile in piles), key=lambda ids: ids.itemsize)
        name = piles[0].path.name
        parts = [_Pile(self.folder / f"{name}-{part}", widest) for part in range(1 << step)]
        counts = np.zeros(len(parts), dtype=np.int64)
        for segments in (part for pile in piles for part in pile.taken()):
            part = (self._key(segments) >> (digits - step)) & ((1 << step) - 1)
            order = np.argsort(part, kind="stable")
            for number, rows in _runs(part[order]):
                parts[number].add(segments.take(order[rows]))
                counts[number] += rows.stop - rows.start
        for number in np.flatnonzero(counts).tolist():
            yield from self._shared_out([parts[number]], digits=digits - step, count=int(counts[number]))

    def _sorted(self, segments: Segments) -> Iterator[Segments]:
        if len(segments):
            low, high = segments.node.min(axis=1), segments.node.max(axis=1)
            keys = [high, low, self._key(segments)]
            yield segments.take(np.lexsort([segments.source, *keys] if self.by_source else keys))

    def _key(self, segments: Segments) -> Ints:
        """Where the middle of each segment lies on the curve; the direction of the segment does not matter."""
        middle = (segments.xy[:, 0] + segments.xy[:, 1]) / 2
        size = max(float((self.bounds[2:] - self.bounds[:2]).max()), np.finfo(np.float64).tiny)
        cell = ((middle - self.bounds[:2]) / size * (1 << DIGITS)).astype(np.int64)
        return hilbert(np.clip(cell, 0, (1 << DIGITS) - 1))


def hilbert(cell: Ints, digits: int = DIGITS) -> Ints:
    """Place on Hilbert's curve of cells ``(n, 2)`` of a square with ``2**digits`` cells a side. O(n digits)."""
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


def _runs(values: Ints) -> Iterator[tuple[int, slice]]:
    """Each value of a sorted array, and where it stands."""
    starts = np.flatnonzero(np.diff(values, prepend=-1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(values)], strict=True):
        yield int(values[start]), slice(start, stop)


class _Pile:
    """A file of segments, one after the other, in rows of fixed size; text as wide as the widest so far."""

    def __init__(self, path: Path, ids: np.dtype[Any]) -> None:
        self.path = path
        self.ids = ids
        self._row = np.dtype([("xy", "f8", (2, 2)), ("node", "i8", (2,)), ("source", ids), ("cut", "?", (2,))])

    def add(self, segments: Segments) -> None:
        with self.path.open("ab") as stream:
            for start in range(0, len(segments), _CHUNK):
                part = segments.take(slice(start, start + _CHUNK))
                rows = np.empty(len(part), dtype=self._row)
                rows["xy"], rows["node"], rows["source"], rows["cut"] = part.xy, part.node, part.source, part.cut
                rows.tofile(stream)

    def taken(self) -> Iterator[Segments]:
        """What was put on the pile, which is gone afterwards."""
        with self.path.open("rb") as stream:
            while len(rows := np.fromfile(stream, dtype=self._row, count=_CHUNK)):
                yield Segments(*(np.ascontiguousarray(rows[name]) for name in ("xy", "node", "source", "cut")))
        self.path.unlink()
