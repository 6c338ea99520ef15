"""Sorting any number of rows in bounded memory.

Rows that do not fit into memory are kept on disk. They are divided by the leading binary digits of the key until each
share fits, so every row is written a few times and nothing is merged.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Ints

Rows = NDArray[np.void]

# Bytes of rows that are sorted in memory at once; sorting takes as much again.
IN_MEMORY = 48 << 20
# Bytes of rows that are read back from disk at once.
CHUNK = 8 << 20
# Rows are divided into this power of two of shares at a time.
_SPLIT_DIGITS = 6


class DiskSort:
    """Takes rows in any order and gives them back in ascending order of a key; rows with the same key as they came.

    Parameters
    ----------
    folder
        For temporary files; it is created when it is needed, and empty at the end.
    key
        Gives whole numbers from 0 on for rows. It is called only when all rows are there.
    ties
        Further keys for rows with the same key, the most important one last.
    """

    def __init__(
        self, folder: Path, key: Callable[[Rows], Ints], *, ties: Callable[[Rows], list[NDArray[Any]]] | None = None
    ) -> None:
        self.count = 0
        self._folder = folder
        self._key = key
        self._ties = ties
        self._waiting: list[Rows] = []
        self._on_disk: list[_Pile] = []

    def put(self, rows: Rows) -> None:
        """Add rows: structured arrays with the same fields, whose text may be of any width."""
        if len(rows) == 0:
            return
        self.count += len(rows)
        self._waiting.append(rows)
        if sum(part.nbytes for part in self._waiting) >= IN_MEMORY:
            self._flush()

    def in_order(self, digits: int) -> Iterator[Rows]:
        """All rows, some at a time; can be called once. ``digits`` are the binary digits of the largest key."""
        if self._on_disk:
            self._flush()
            yield from self._shared_out(self._on_disk, digits)
        elif self._waiting:
            waiting, self._waiting = self._waiting, []
            yield self._sorted(waiting)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._folder.mkdir(exist_ok=True)
            pile = _Pile(self._folder / f"{len(self._on_disk)}", np.result_type(*waiting))
            for rows in waiting:
                pile.add(rows)
            self._on_disk.append(pile)

    def _shared_out(self, piles: list["_Pile"], digits: int) -> Iterator[Rows]:
        """The rows of piles whose keys differ in the last binary ``digits`` alone."""
        if digits == 0 or sum(pile.size for pile in piles) <= IN_MEMORY:
            yield self._sorted(_taken(piles))
            return
        step = min(_SPLIT_DIGITS, digits)
        name, kind = piles[0].path.name, np.result_type(*(pile.kind for pile in piles))
        shares = [_Pile(self._folder / f"{name}-{number}", kind) for number in range(1 << step)]
        for rows in _taken(piles):
            share = (self._key(rows) >> (digits - step)) & ((1 << step) - 1)
            order = np.argsort(share, kind="stable")
            starts = np.flatnonzero(np.diff(share[order], prepend=-1))
            for mine in np.split(order, starts[1:]):
                shares[share[mine[0]]].add(rows[mine])
        for pile in shares:
            if pile.size:
                yield from self._shared_out([pile], digits - step)

    def _sorted(self, parts: Iterable[Rows]) -> Rows:
        rows = np.concatenate(list(parts))
        key = self._key(rows)
        if self._ties is not None:
            return rows[np.lexsort([*self._ties(rows), key])]
        return rows if (key[1:] >= key[:-1]).all() else rows[np.argsort(key, kind="stable")]


class _Pile:
    """A file of rows, one after the other."""

    def __init__(self, path: Path, kind: np.dtype[Any]) -> None:
        self.path = path
        self.kind = kind
        self.size = 0

    def add(self, rows: Rows) -> None:
        with self.path.open("ab") as stream:
            rows.astype(self.kind, copy=False).tofile(stream)
        self.size += len(rows) * self.kind.itemsize


def _taken(piles: Iterable[_Pile]) -> Iterator[Rows]:
    """The rows of piles, which are deleted on the way."""
    for pile in piles:
        with pile.path.open("rb") as stream:
            while len(rows := np.fromfile(stream, dtype=pile.kind, count=max(CHUNK // pile.kind.itemsize, 1))):
                yield rows
        pile.path.unlink()
