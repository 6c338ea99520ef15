"""The heaviest stars of components of a few pairs, by trying every choice that can still be the best."""

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Bools, Ints


def best_of_few(ref: Ints, pred: Ints, weights: Ints, order: Ints, starts: Ints, components: Ints) -> Bools:
    """Which pairs are chosen in these components: the heaviest, of these with most objects, of these the first.

    The pairs of component c are ``order[starts[c]:starts[c + 1]]``. O(2^k k^2) for a component of k pairs at worst.
    """
    chosen = np.zeros(len(ref), dtype=np.bool_)
    if len(components):
        _try_all(ref, pred, weights, order, starts.astype(np.int64), components, chosen)
    return chosen


@kernel
def _try_all(ref: Ints, pred: Ints, weights: Ints, order: Ints, starts: Ints, components: Ints, chosen: Bools) -> None:
    for number in components:
        rows = order[starts[number] : starts[number + 1]]
        count = len(rows)
        # What all pairs from each on weigh: a choice that cannot reach the best any more is left.
        rest = np.zeros(count + 1, dtype=np.int64)
        for k in range(count - 1, -1, -1):
            rest[k] = rest[k + 1] + weights[rows[k]]
        taken = np.zeros(count, dtype=np.bool_)
        weight = np.zeros(count + 1, dtype=np.int64)
        # Of each pair: not tried, tried with it, tried without it. With it first, so that the first choice found is
        # the one with the first pairs.
        tried = np.zeros(count + 1, dtype=np.int64)
        best_weight, best_objects = np.int64(-1), -1
        k = 0
        while k >= 0:
            if k == count:
                objects = _objects(ref, pred, rows, taken)
                if weight[k] > best_weight or (weight[k] == best_weight and objects > best_objects):
                    best_weight, best_objects = weight[k], objects
                    for a in range(count):
                        chosen[rows[a]] = taken[a]
                k -= 1
                continue
            tried[k] += 1
            taken[k] = False
            if tried[k] == 1:
                if _fits(ref, pred, rows, taken, k):
                    taken[k] = True
                    weight[k + 1] = weight[k] + weights[rows[k]]
                    k += 1
                    tried[k] = 0
            elif tried[k] == 2 and weight[k] + rest[k + 1] >= best_weight:
                weight[k + 1] = weight[k]
                k += 1
                tried[k] = 0
            else:
                k -= 1


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
