"""The heaviest set of pairs in which no object both shares and is shared: every chosen pair has an end used once.

Constraint (4) of Özdemir, Aksoy et al. (2010) says that where a pair is chosen, its reference and its predicted object
cannot both have other partners. So the chosen pairs form stars: one object with its partners, which have no other. The
heaviest such set is hard to find in general, but overlaps of buildings fall into small components:

- a component that is a star is taken whole;
- in one of a few pairs every choice is tried (``few_pairs``);
- one that is a tree, or nearly, is solved by eliminating object after object (``elimination``);
- the rest, a knot, is solved as an integer programme (``programme``).

Of equally heavy sets the one with most objects is taken, of these the one whose pairs come first in order. So there is
one answer, whatever finds it. Sizes are compared as whole numbers (pixels, or square millimetres; in knots at most
100,000 for the largest), so that rounding decides nothing.
"""

from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.objects.elimination import eliminate, elimination_order
from geoeval.objects.few_pairs import best_of_few
from geoeval.objects.overlaps import pair_components
from geoeval.objects.programme import solve_programme

# Objects that a table of the elimination may cover, each in one of 4 states.
WIDEST = 6
# Components of at most so many pairs are tried out.
_FEW = 60
# Square metres times this are square millimetres.
_PER_UNIT = 1_000_000


@dataclass(frozen=True)
class StarForest:
    """The chosen pairs, and what they may lack.

    ``unfinished`` marks the first pair of each knot whose search was stopped; ``lost`` is, there, by how much the
    heaviest choice could exceed this one at most, else 0.
    """

    chosen: Bools
    unfinished: Bools
    lost: Floats


def heaviest_stars(ref: Ints, pred: Ints, size: Floats, *, time_limit: float = 60.0) -> StarForest:
    """Choose among pairs, given in any order; the first is the one with the lowest ``ref``, then the lowest ``pred``.

    ``time_limit`` bounds the search in each knot, as for ``solve_programme``: no clock is read. No pairs: none is
    chosen. Linear in the pairs of stars and trees.
    """
    chosen = np.zeros(len(ref), dtype=bool)
    component = pair_components(ref, pred)
    weights, scale = _whole(size, component)
    pair_count = np.bincount(component)
    (refs, most_of_ref), (preds, most_of_pred) = (_degrees(side, component) for side in (ref, pred))
    objects, busiest = refs + preds, np.maximum(most_of_ref, most_of_pred)
    chosen[(busiest == pair_count)[component]] = True
    unfinished, lost = np.zeros(len(ref), dtype=bool), np.zeros(len(ref))
    order = np.lexsort([pred, ref, component])
    starts = np.concatenate([[0], np.cumsum(pair_count)])
    left = busiest < pair_count
    small = np.flatnonzero(left & (pair_count <= _FEW))
    tried, solved = best_of_few(ref, pred, weights, order, starts, small)
    chosen |= tried
    left[small[solved]] = False
    for number in np.flatnonzero(left):
        rows = order[starts[number] : starts[number + 1]]
        ends, count = _renumbered(ref[rows], pred[rows])
        edges = list(zip(*ends.T.tolist(), strict=True))
        is_tree = pair_count[number] < objects[number]
        sequence = elimination_order(edges, count, count if is_tree else WIDEST)
        if sequence is not None:
            chosen[rows] = eliminate(edges, weights[rows].tolist(), sequence)
        else:
            answer = solve_programme(ends, weights[rows], time_limit=time_limit)
            chosen[rows] = answer.chosen
            unfinished[rows[0]], lost[rows[0]] = not answer.finished, answer.lost / scale[rows[0]]
    return StarForest(chosen, unfinished, lost)


def _whole(size: Floats, component: Ints) -> tuple[Ints, Floats]:
    """Sizes as whole numbers, and the factor that made them so: the same for all pairs of a component."""
    broken = np.bincount(component, weights=size != np.round(size)) > 0
    scale = np.where(broken[component], float(_PER_UNIT), 1.0)
    return np.maximum(np.round(size * scale), 1).astype(np.int64), scale


def _degrees(side: Ints, component: Ints) -> tuple[Ints, Ints]:
    """For each component: how many objects it has on this side, and how many pairs the busiest of them has."""
    if len(side) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    _, first, count = np.unique(side, return_index=True, return_counts=True)
    most = np.zeros(component.max() + 1, dtype=np.int64)
    np.maximum.at(most, component[first], count)
    return np.bincount(component[first], minlength=len(most)), most


def _renumbered(ref: Ints, pred: Ints) -> tuple[Ints, int]:
    """The objects of one component numbered from 0, those of the reference first."""
    refs, left = np.unique(ref, return_inverse=True)
    preds, right = np.unique(pred, return_inverse=True)
    return np.column_stack([left, right + len(refs)]), len(refs) + len(preds)
