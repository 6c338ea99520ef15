"""How often values occur, as a small drawing in the page: it needs no script, and prints."""

from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Floats

_BINS = 24
WIDTH, HEIGHT = 360, 150


@dataclass(frozen=True)
class Bar:
    """One bar, in units of the drawing, and what is said of it."""

    x: float
    width: float
    height: float
    text: str


@dataclass(frozen=True)
class Histogram:
    """The drawing: bars over a line of ``WIDTH``, ``HEIGHT`` high, with the numbers at its ends and its top."""

    title: str
    label: str
    colour: str
    bars: tuple[Bar, ...]
    low: str
    high: str
    most: int


def histogram(
    values: Floats, *, title: str, label: str, colour: str, limits: tuple[float, float] | None = None
) -> Histogram | None:
    """How often values occur; ``None`` where there are no values.

    Without ``limits`` it goes from 0 to the value that only 2 % exceed. Values beyond the limits are in the last bars.
    """
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    low, high = limits or (0.0, float(np.quantile(values, 0.98)) or 1.0)
    counts, edges = np.histogram(np.clip(values, low, high), bins=_BINS, range=(low, max(high, low + 1e-9)))
    most, width = int(counts.max()), WIDTH / _BINS
    bars = tuple(
        Bar(width * place, width - 1, HEIGHT * count / most, f"{edges[place]:.4g} to {edges[place + 1]:.4g}: {count:,}")
        for place, count in enumerate(counts.tolist())
        if count
    )
    return Histogram(title, label, colour, bars, f"{low:.4g}", f"{high:.4g}", most)
