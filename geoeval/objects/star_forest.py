"""The heaviest set of pairs in which no object both shares and is shared: every chosen pair has an end used once.

Constraint (4) of Özdemir, Aksoy et al. (2010) says that where a pair is chosen, its reference and its output object
cannot both have other partners. So the chosen pairs form stars: one object with its partners, who have no other. The
heaviest such set is hard to find in general, but overlaps of buildings fall into small components:

- a component that is a star is taken whole;
- one that is a tree, or nearly, is solved by eliminating object after object. A table keeps, for the objects that
  border on those already gone, what role they play (centre of a star, or leaf) and whether they have a partner;
- the rest is an integer programme for HiGHS, with a time limit and the remaining gap told.

Of equally heavy sets the one with most objects matched is taken, of these the one whose pairs come first in order.
Sizes are compared as whole numbers (pixels, or square millimetres), so that rounding makes no winner.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geoeval.objects.elimination import eliminate, elimination_order
from geoeval.objects.overlaps import pair_components
from geoeval.objects.programme import solve_programme

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Objects that a table of the elimination may speak of, each in one of 4 states.
WIDEST = 6
# Square metres times this are square millimetres.
_PER_UNIT = 1_000_000


@dataclass(frozen=True)
class StarForest:
    """The chosen pairs, and what they may lack.

    ``lost`` is, at the first pair of each component that was not solved to the end, how much heavier a better choice
    could at most be; else 0.
    """

    chosen: NDArray[np.bool_]
    lost: Floats


def heaviest_stars(ref: Ints, pred: Ints, size: Floats, *, time_limit: float = 60.0) -> StarForest:
    """Choose among pairs, which come in order of ``ref`` and then ``pred``.

    ``time_limit`` is in seconds for each component that needs the integer programme. No pairs: none is chosen.
    Linear in the pairs of stars and trees.
    """
    chosen = np.zeros(len(ref), dtype=bool)
    component = pair_components(ref, pred)
    weights, scale = _whole(size, component)
    pairs = np.bincount(component)
    (refs, most_of_ref), (preds, most_of_pred) = (_degrees(side, component) for side in (ref, pred))
    objects, busiest = refs + preds, np.maximum(most_of_ref, most_of_pred)
    chosen[(busiest == pairs)[component]] = True
    lost = np.zeros(len(ref))
    order = np.argsort(component, kind="stable")
    starts = np.concatenate([[0], np.cumsum(pairs)])
    for number in np.flatnonzero(busiest < pairs):
        rows = order[starts[number] : starts[number + 1]]
        ends, count = _renumbered(ref[rows], pred[rows])
        edges = list(zip(*ends.T.tolist(), strict=True))
        is_tree = pairs[number] < objects[number]
        sequence = elimination_order(edges, count, count if is_tree else WIDEST)
        if sequence is not None:
            chosen[rows] = eliminate(edges, weights[rows].tolist(), sequence)
        else:
            chosen[rows], missing = solve_programme(ends, weights[rows], time_limit=time_limit)
            lost[rows[0]] = missing / scale[rows[0]]
    return StarForest(chosen, lost)


def _whole(size: Floats, component: Ints) -> tuple[Ints, Floats]:
    """Sizes as whole numbers, and by what they were multiplied: the same for all pairs of a component."""
    broken = np.bincount(component, weights=size != np.round(size)) > 0
    scale = np.where(broken[component], float(_PER_UNIT), 1.0)
    return np.maximum(np.round(size * scale), 1).astype(np.int64), scale


def _degrees(side: Ints, component: Ints) -> tuple[Ints, Ints]:
    """Of each component: the number of its objects on this side, and of pairs of the busiest of them."""
    if len(side) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    _, first, count = np.unique(side, return_index=True, return_counts=True)
    most = np.zeros(component.max() + 1, dtype=np.int64)
    np.maximum.at(most, component[first], count)
    return np.bincount(component[first], minlength=len(most)), most


def _renumbered(ref: Ints, pred: Ints) -> tuple[Ints, int]:
    """Objects of one component numbered from 0, the reference's first."""
    refs, left = np.unique(ref, return_inverse=True)
    preds, right = np.unique(pred, return_inverse=True)
    return np.column_stack([left, right + len(refs)]), len(refs) + len(preds)
