"""Runs of pixels as COCO stores masks: column by column, background and object in turn, beginning with background."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from geoeval.arrays import Bools, Ints


@dataclass(frozen=True)
class PixelRuns:
    """A mask as the lengths of its runs.

    Attributes
    ----------
    height, width
        Of the image.
    counts
        Lengths of the runs, the first of which is background; they fill the image.
    """

    height: int
    width: int
    counts: Ints

    @property
    def area(self) -> int:
        """Number of pixels of the object."""
        return int(self.counts[1::2].sum())

    @property
    def borders(self) -> Ints:
        """Where the runs of the object begin and end, in turn."""
        ends = np.cumsum(self.counts)
        return ends[: len(ends) // 2 * 2]

    def mask(self) -> Bools:
        """The pixels ``(height, width)``."""
        flat = np.repeat(np.arange(len(self.counts)) % 2 == 1, self.counts)
        return flat.reshape(self.width, self.height).T

    def box(self) -> tuple[int, int, int, int]:
        """Left column, upper row, width and height of the pixels; zeros where there are none."""
        mask = self.mask()
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if len(rows) == 0:
            return 0, 0, 0, 0
        return int(columns[0]), int(rows[0]), int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1


def runs_of_mask(mask: ArrayLike) -> PixelRuns:
    """The runs of a mask ``(height, width)``."""
    pixels = np.asarray(mask, dtype=bool)
    flat = pixels.T.ravel()
    changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    first = [0] if len(flat) and flat[0] else []
    height, width = pixels.shape
    return PixelRuns(height, width, np.diff(np.concatenate([[0], first, changes, [len(flat)]])).astype(np.int64))


def runs_from_text(text: str) -> Ints:
    """Lengths of runs from COCO's text of them.

    Each number is written in groups of five bits, the lowest first, as characters from ``0`` on; a further bit says
    that another group follows, and the fifth of the last group is the sign. From the fourth number on, what is written
    is the difference to the last but one.

    Raises
    ------
    ValueError
        The text ends within a number, or has a character that stands for no group.
    """
    groups = np.frombuffer(text.encode("latin-1", "replace"), dtype=np.uint8).astype(np.int64) - 48
    if len(groups) == 0 or groups.min() < 0 or groups.max() >= 64 or groups[-1] & 32:
        raise ValueError("it is no text of runs")
    last = (groups & 32) == 0
    number = np.cumsum(last) - last
    begin = np.concatenate([[0], np.flatnonzero(last)[:-1] + 1])
    place = np.arange(len(groups)) - begin[number]
    if place.max() > 11:  # more than 60 bits
        raise ValueError("a run is longer than any image")
    values = np.zeros(number[-1] + 1, dtype=np.int64)
    np.add.at(values, number, (groups & 31) << (5 * place))
    negative = (groups[last] & 16) != 0
    values[negative] -= np.int64(1) << (5 * (place[last][negative] + 1))
    # Differences to the last but one: odd and even places each add up, from the second and third number on.
    values[1::2] = np.cumsum(values[1::2])
    values[2::2] = np.cumsum(values[2::2])
    return values
