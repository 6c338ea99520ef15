"""How often an item has each rank, over all rankings that agree with a partial order (its linear extensions).

Counted exactly by dynamic programming over up-sets: a linear extension is a path from the empty set to the full set,
and it gives item a the rank r if it adds a to a set of r - 1 items. If there are too many up-sets, independent random
linear extensions are drawn instead, by adjacent transpositions with the weights of Bubley and Dyer (*Faster random
generation of linear extensions*, Discrete Mathematics 1999). They run until the distance to the uniform distribution
is provably below 0.001.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log, sqrt
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from geoeval.arrays import Bools, Ints, Objects
from geoeval.ranking.order import Order, levels
from geoeval.seeds import Seed, whole_seed

# As many as 22 items have if no two of them are comparable.
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
        ``counts[a][r]`` is the number of linear extensions, all or those drawn, in which item a has the rank r + 1.
    total
        Number of linear extensions counted.
    exact
        Whether all linear extensions were counted.
    error
        0 if exact. Otherwise, with probability ``CONFIDENCE``, all cumulative shares ``cumulative()[a, r] / total`` are
        within this distance of the true ones.
    """

    counts: list[list[int]]
    total: int
    exact: bool
    error: float

    def cumulative(self) -> Objects:
        """How often each item has each rank or a better one, as Python integers."""
        table = np.empty((len(self.counts), len(self.counts)), dtype=object)
        for item, row in enumerate(self.counts):
            table[item] = np.cumsum(np.array(row, dtype=object))
        return table


def rank_frequencies(
    better: Order, *, samples: int = SAMPLES, seed: Seed = 0, rng: Seed | None = None, max_up_sets: int = MAX_UP_SETS
) -> Frequencies:
    """How often each item has each rank in the linear extensions of an order.

    Parameters
    ----------
    better
        A transitive order.
    samples
        Number of linear extensions to draw if there are too many up-sets. With several hundred items, where each one
        takes long, fewer are drawn, but at least 500.
    seed, rng
        Seed of the random draws.
    max_up_sets
        Largest number of up-sets that are counted exactly, in O(n) time each.

    Returns
    -------
    Frequencies
        Without items there is one linear extension, the empty one.

    Examples
    --------
    >>> import numpy as np
    >>> from geoeval.ranking.linear_extensions import rank_frequencies
    >>> first_beats_second = np.array([[False, True, False], [False, False, False], [False, False, False]])
    >>> rank_frequencies(first_beats_second).counts
    [[2, 1, 0], [0, 1, 2], [1, 1, 1]]
    """
    seed = whole_seed(seed, rng)
    # The w items of one level, none better than another, have 2^w up-sets alone: a quick test for too many.
    wide = int(np.bincount(levels(better)).max()) if len(better) else 0
    sets = _up_sets(better, max_up_sets) if len(better) <= 62 and 2**wide <= max_up_sets else None
    if sets is not None:
        return _exact(better, sets)
    return _sampled(better, samples, seed)


def _up_sets(better: Order, limit: int) -> list[Ints] | None:
    """All up-sets by size, as sorted bit masks; ``None`` if there are more than ``limit``."""
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
    """The better items of each item, as a bit mask."""
    return [sum(1 << int(other) for other in np.flatnonzero(column)) for column in better.T]


def _fits(sets: Ints, item: int, above: list[int]) -> Bools:
    """Which sets the item can be added to: it is not in the set, and all better items are."""
    needed = np.int64(above[item])
    return ((sets & np.int64(1 << item)) == 0) & ((sets & needed) == needed)


def _exact(better: Order, sets: list[Ints]) -> Frequencies:
    n = len(better)
    above = _masks(better)
    ways = _ways(sets, above, np.float64)
    total = ways[-1][0]
    kind: Any = np.int64 if total < _MAX_INT64 else object
    # Floats are exact as long as they can represent every integer.
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


def _ways(sets: list[Ints], above: list[int], kind: Any) -> list[NDArray[Any]]:
    """Number of orders in which the items of each up-set can be added one by one."""
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
    # Massart's bound covers the cumulative shares of one item, a union bound those of all items.
    error = sqrt(log(2 * n / (1 - CONFIDENCE)) / (2 * drawn)) + _DISTANCE
    return Frequencies(counts.tolist(), drawn, exact=False, error=error)


@njit(cache=True)
def _draw(better, start, table, steps, samples, state):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 # pragma: no cover
    """Count ranks over independent chains; xorshift gives the same random numbers on every machine."""
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
            # The upper bits choose the place, the lowest one is the coin toss.
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
