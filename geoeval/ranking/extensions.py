"""How often an item has a rank, over all rankings that agree with a partial order (its linear extensions).

Exact by dynamic programming over up-sets: a linear extension is a way from the empty set to the whole one, and the
ones that give item a the rank r are those that add a to a set of r - 1 items. Where there are too many up-sets,
independent random linear extensions are drawn instead: adjacent transpositions, with Bubley's and Dyer's weights
(*Faster random generation of linear extensions*, Discrete Mathematics 1999), run until the distance to the uniform
distribution is proved to be below 0.001.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log, sqrt
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from geoeval.ranking.order import Order, levels

# As many as 22 items have that are not comparable at all.
MAX_UP_SETS = 1 << 22
SAMPLES = 4000
CONFIDENCE = 0.99
_DISTANCE = 0.001
_MAX_STEPS = 1_000_000_000
_MIN_SAMPLES = 500
# Larger counts need Python's integers.
_MAX_INT64, _MAX_EXACT_FLOAT = 2.0**62, 2.0**53


@dataclass(frozen=True)
class Frequencies:
    """How often each item has each rank.

    Attributes
    ----------
    counts
        ``counts[a][r]``: linear extensions that give item a the rank r + 1; of all, or of those that were drawn.
    total
        Of how many.
    exact
        Whether that is all of them.
    error
        0 where exact. Else every cumulative share, ``cumulative()[a, r] / total``, is within this of the true one,
        all at once, with probability ``CONFIDENCE``.
    """

    counts: list[list[int]]
    total: int
    exact: bool
    error: float

    def cumulative(self) -> NDArray[np.object_]:
        """How often each item has at most each rank, as Python integers."""
        table = np.empty((len(self.counts), len(self.counts)), dtype=object)
        for item, row in enumerate(self.counts):
            table[item] = np.cumsum(np.array(row, dtype=object))
        return table


def rank_frequencies(
    better: Order, *, samples: int = SAMPLES, seed: int = 0, max_up_sets: int = MAX_UP_SETS
) -> Frequencies:
    """How often each item has each rank in the linear extensions of an order.

    Parameters
    ----------
    better
        The order, transitive.
    samples
        How many linear extensions to draw where there are too many up-sets. Fewer (but at least 500) for several
        hundred items, where each takes long.
    seed
        Of the drawing.
    max_up_sets
        Exact up to so many up-sets: O(n) time for each.

    Returns
    -------
    Frequencies
        No items at all: one extension, the empty one.
    """
    # A set of items of which none is better than another has 2^w up-sets of its own: too many are seen at once.
    wide = int(np.bincount(levels(better)).max()) if len(better) else 0
    sets = _up_sets(better, max_up_sets) if len(better) <= 62 and 2**wide <= max_up_sets else None
    if sets is not None:
        return _exact(better, sets)
    return _sampled(better, samples, seed)


def _up_sets(better: Order, limit: int) -> list[NDArray[np.int64]] | None:
    """All up-sets by size, each a bit mask, sorted; ``None`` where there are more than ``limit``."""
    above = _masks(better)
    sets = [np.zeros(1, dtype=np.int64)]
    count = 1
    for _ in range(len(better)):
        grown = [sets[-1][_fits(sets[-1], item, above)] | (1 << item) for item in range(len(better))]
        sets.append(np.unique(np.concatenate(grown)))
        count += len(sets[-1])
        if count > limit:
            return None
    return sets


def _masks(better: Order) -> list[int]:
    """For each item the better ones, as a bit mask."""
    return [sum(1 << int(other) for other in np.flatnonzero(column)) for column in better.T]


def _fits(sets: NDArray[np.int64], item: int, above: list[int]) -> NDArray[np.bool_]:
    """To which of the sets the item can be added: it is not in, and everything better is."""
    needed = np.int64(above[item])
    return ((sets & np.int64(1 << item)) == 0) & ((sets & needed) == needed)


def _exact(better: Order, sets: list[NDArray[np.int64]]) -> Frequencies:
    n = len(better)
    above = _masks(better)
    ways = _ways(sets, above, np.float64)
    total = ways[-1][0]
    kind: Any = np.int64 if total < _MAX_INT64 else object
    # Floats count exactly as far as they hold every integer.
    ways = [row.astype(kind) for row in ways] if total < _MAX_EXACT_FLOAT else _ways(sets, above, kind)
    counts = [[0] * n for _ in range(n)]
    onward: NDArray[Any] = np.ones(1, dtype=kind)
    for size in range(n - 1, -1, -1):
        here = np.zeros(len(sets[size]), dtype=kind)
        for item in range(n):
            source = np.flatnonzero(_fits(sets[size], item, above))
            target = np.searchsorted(sets[size + 1], sets[size][source] | (1 << item))
            here[source] += onward[target]
            counts[item][size] = int((ways[size][source] * onward[target]).sum())
        onward = here
    return Frequencies(counts, int(onward[0]), exact=True, error=0.0)


def _ways(sets: list[NDArray[np.int64]], above: list[int], kind: Any) -> list[NDArray[Any]]:
    """In how many orders the items of each up-set can be added, one after the other."""
    ways: list[NDArray[Any]] = [np.ones(1, dtype=kind)]
    for size, (sources, targets) in enumerate(pairwise(sets)):
        grown = np.zeros(len(targets), dtype=kind)
        for item in range(len(above)):
            source = np.flatnonzero(_fits(sources, item, above))
            grown[np.searchsorted(targets, sources[source] | (1 << item))] += ways[size][source]
        ways.append(grown)
    return ways


def _sampled(better: Order, samples: int, seed: int) -> Frequencies:
    n = len(better)
    weights = (n**3 - n) // 6
    steps = ceil(weights * log(n * (n - 1) / 2 / _DISTANCE)) if n > 1 else 0
    drawn = max(_MIN_SAMPLES, min(samples, _MAX_STEPS // max(steps, 1)))
    position = np.arange(1, n)
    table = np.repeat(position - 1, position * (n - position))
    start = np.argsort(better.sum(axis=0), kind="stable").astype(np.int64)
    state = np.random.default_rng(seed).integers(1, 2**62, dtype=np.int64)
    counts = _draw(np.ascontiguousarray(better), start, table.astype(np.int64), steps, drawn, state)
    # Massart's bound holds for one item's cumulative shares at once; a union bound for all items.
    error = sqrt(log(2 * n / (1 - CONFIDENCE)) / (2 * drawn)) + _DISTANCE
    return Frequencies(counts.tolist(), drawn, exact=False, error=error)


@njit(cache=True)
def _draw(better, start, table, steps, samples, state):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 # pragma: no cover
    """Ranks counted over independent chains; random numbers by xorshift, the same on every machine."""
    n = len(start)
    counts = np.zeros((n, n), dtype=np.int64)
    size = np.uint64(len(table))
    random = np.uint64(state)
    for _ in range(samples):
        ranking = start.copy()
        for _ in range(steps):
            random ^= random << np.uint64(13)
            random ^= random >> np.uint64(7)
            random ^= random << np.uint64(17)
            # The upper bits choose the place, a lower one tosses the coin.
            if random & np.uint64(1):
                continue
            place = table[np.int64(((random >> np.uint64(32)) * size) >> np.uint64(32))]
            first, second = ranking[place], ranking[place + 1]
            if not better[first, second]:
                ranking[place] = second
                ranking[place + 1] = first
        for rank in range(n):
            counts[ranking[rank], rank] += 1
    return counts
