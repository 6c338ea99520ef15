"""One-to-one matching, best candidate first: what OPT-J and JUNCT share."""

import numpy as np

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints


def place_keys(one: Floats, two: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Keys that order pairs of places ``(n, 2)`` by coordinates, most important first.

    They do not depend on which place belongs to which network, so that swapping the networks changes nothing.
    """
    a, b = np.round(one, 6), np.round(two, 6)
    swap = ((a[:, 0] > b[:, 0]) | ((a[:, 0] == b[:, 0]) & (a[:, 1] > b[:, 1])))[:, None]
    low, high = np.where(swap, b, a), np.where(swap, a, b)
    return low[:, 0], low[:, 1], high[:, 0], high[:, 1]


def take_in_order(ref: Ints, pred: Ints, refs: int, preds: int, unsure: tuple[Bools, Bools] | None = None) -> Bools:
    """Go through candidates in order and take each whose two sides are still free; -1 is a side that is always free.

    ``ref`` and ``pred`` are the sides, ``refs`` and ``preds`` how many there are of each. ``unsure`` marks those that
    may have candidates which are not in the list; those whose outcome depends on a marked one are marked too. Doubt
    spreads only to worse candidates, so it does not spread far. O(candidates).
    """
    taken = np.zeros(len(ref), dtype=np.bool_)
    if unsure is None:
        unsure = np.zeros(refs, dtype=np.bool_), np.zeros(preds, dtype=np.bool_)
    _take(ref, pred, np.ones(refs, dtype=np.bool_), np.ones(preds, dtype=np.bool_), *unsure, taken)
    return taken


@kernel
def _take(
    ref: Ints, pred: Ints, free_ref: Bools, free_pred: Bools, unsure_ref: Bools, unsure_pred: Bools, taken: Bools
) -> None:
    for k in range(len(ref)):
        i, j = ref[k], pred[k]
        if (i >= 0 and not free_ref[i]) or (j >= 0 and not free_pred[j]):
            continue
        doubt = (i >= 0 and unsure_ref[i]) or (j >= 0 and unsure_pred[j])
        taken[k] = not doubt
        if i >= 0:
            free_ref[i], unsure_ref[i] = doubt, doubt
        if j >= 0:
            free_pred[j], unsure_pred[j] = doubt, doubt
