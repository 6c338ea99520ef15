"""The heaviest stars of components of a few pairs, by trying every choice that can still be the best."""

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Bools, Ints

# Steps of a search after which other ways are quicker.
_MOST_STEPS = 20_000


def best_of_few(
    ref: Ints, pred: Ints, weights: Ints, order: Ints, starts: Ints, components: Ints
) -> tuple[Bools, Bools]:
    """Which pairs are chosen in these components: the heaviest, of these with most objects, of these the first.

    And which components are solved; one that takes too many steps is left, and nothing of it chosen. The pairs of
    component c are ``order[starts[c]:starts[c + 1]]``. O(k^2) a step.
    """
    chosen = np.zeros(len(ref), dtype=np.bool_)
    solved = np.zeros(len(components), dtype=np.bool_)
    if len(components):
        _try_all(ref, pred, weights, order, starts.astype(np.int64), components, chosen, solved)
    return chosen, solved


@kernel
def _try_all(
    ref: Ints, pred: Ints, weights: Ints, order: Ints, starts: Ints, components: Ints, chosen: Bools, solved: Bools
) -> None:
    for place in range(len(components)):
        number = components[place]
        rows = order[starts[number] : starts[number + 1]]
        count = len(rows)
        # The best that the pairs from each on can give, the last first: a choice that cannot reach the best with that
        # any more is left. Neighbours are near each other in the order, so few choices get far.
        rest = np.zeros(count + 1, dtype=np.int64)
        taken = np.zeros(count, dtype=np.bool_)
        best = np.zeros(count, dtype=np.bool_)
        for begin in range(count - 1, -1, -1):
            taken[:] = False
            rest[begin] = _search(ref, pred, weights, rows, begin, rest, taken, best)
            if rest[begin] < 0:
                break
        solved[place] = rest[0] >= 0
        for a in range(count):
            chosen[rows[a]] = best[a] and solved[place]


@inner
def _search(ref: Ints, pred: Ints, weights: Ints, rows: Ints, begin: int, rest: Ints, taken: Bools, best: Bools) -> int:
    """The weight of the best choice among the pairs from one on, which is put in ``best``; -1 if it takes too long."""
    count = len(rows)
    weight = np.zeros(count + 1, dtype=np.int64)
    # Of each pair: not tried, tried with it, tried without it. With it first, so that of equal choices the one with
    # the first pairs is found first.
    tried = np.zeros(count + 1, dtype=np.int64)
    most, objects = np.int64(-1), -1
    k, steps = begin, 0
    while k >= begin:
        steps += 1
        if steps > _MOST_STEPS:
            return -1
        if k == count:
            own = _objects(ref, pred, rows, taken) if begin == 0 else 0
            if weight[k] > most or (weight[k] == most and own > objects):
                most, objects = weight[k], own
                best[:] = taken
            k -= 1
            continue
        tried[k] += 1
        taken[k] = False
        if tried[k] == 1:
            added = weights[rows[k]]
            # Equal choices matter only among all pairs.
            reaches = weight[k] + added + rest[k + 1] - most >= int(begin > 0)
            if reaches and _fits(ref, pred, rows, taken, k):
                taken[k] = True
                weight[k + 1] = weight[k] + added
                k += 1
                tried[k] = 0
        elif tried[k] == 2 and weight[k] + rest[k + 1] - most >= int(begin > 0):
            weight[k + 1] = weight[k]
            k += 1
            tried[k] = 0
        else:
            k -= 1
    return int(most)


@inner
def _fits(ref: Ints, pred: Ints, rows: Ints, taken: Bools, new: int) -> bool:
    """Whether every pair still has an end of its own when one more is taken."""
    of_ref, of_pred = 0, 0
    for a in range(new):
        if taken[a] and ref[rows[a]] == ref[rows[new]]:
            of_ref += 1
            if _degree(pred, rows, taken, new, pred[rows[a]]) > 1:
                return False
        if taken[a] and pred[rows[a]] == pred[rows[new]]:
            of_pred += 1
            if _degree(ref, rows, taken, new, ref[rows[a]]) > 1:
                return False
    return of_ref == 0 or of_pred == 0


@inner
def _degree(side: Ints, rows: Ints, taken: Bools, until: int, owner: int) -> int:
    """Number of taken pairs that an object is in."""
    count = 0
    for a in range(until):
        count += int(taken[a] and side[rows[a]] == owner)
    return count


@inner
def _objects(ref: Ints, pred: Ints, rows: Ints, taken: Bools) -> int:
    """Number of objects in the taken pairs."""
    count = 0
    for a in range(len(rows)):
        if taken[a]:
            count += int(_degree(ref, rows, taken, a, ref[rows[a]]) == 0)
            count += int(_degree(pred, rows, taken, a, pred[rows[a]]) == 0)
    return count
