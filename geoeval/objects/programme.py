"""The heaviest stars as an integer programme, solved by HiGHS: for components that are far from being trees.

Variables say of each pair whether it is chosen, of each object whether it is a leaf, and whether it has a partner. A
chosen pair has a leaf at one end, and a leaf has one pair. The heaviest choice is found first; then, with the weight
held, most objects; then, with these held, the pairs that come first.
"""

from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def solve_programme(ends: Ints, weights: Ints, *, time_limit: float) -> tuple[Mask, float]:
    """The chosen pairs, and the weight by which a better choice could at most exceed them: 0 if they are the best.

    ``ends`` are the two objects of each pair, numbered from 0; ``weights`` whole numbers.
    """
    programme = _Programme(ends, weights, monotonic() + time_limit)
    answer = programme.solve(programme.weight)
    if answer.x is None:
        chosen = _greedy(ends, weights)
        return chosen, float(weights.sum() - weights[chosen].sum())
    chosen = programme.pairs_of(answer)
    if answer.status != 0:
        bound = min(-answer.mip_dual_bound * programme.scale, float(weights.sum()))
        return chosen, max(bound - float(weights[chosen].sum()), 1.0)
    return programme.first_of_the_heaviest(chosen), 0.0


class _Programme:
    def __init__(self, ends: Ints, weights: Ints, end: float) -> None:
        pairs, objects = len(ends), int(ends.max()) + 1
        self.ends, self.weights, self.end = ends, weights, end
        self.width = pairs + 2 * objects
        self.scale = float(weights.max())
        self.weight = np.zeros(self.width)
        self.weight[:pairs] = weights / self.scale
        self.objects = np.zeros(self.width)
        self.objects[pairs + objects :] = 1.0

        pair, one = np.arange(pairs), np.arange(objects)
        leaf, matched = pairs + one, pairs + objects + one
        degree = np.bincount(ends.ravel(), minlength=objects).astype(np.float64)
        at_object = [(ends[:, side], pair, 1.0) for side in (0, 1)]
        has_leaf = [(pair, pair, 1.0), (pair, leaf[ends[:, 0]], -1.0), (pair, leaf[ends[:, 1]], -1.0)]
        one_pair = [*at_object, (one, leaf, degree - 1)]
        has_partner = [(one, matched, 1.0), *((row, column, -value) for row, column, value in at_object)]
        self.rules = [
            LinearConstraint(self._matrix(pairs, has_leaf), ub=0.0),
            LinearConstraint(self._matrix(objects, one_pair), ub=degree),
            LinearConstraint(self._matrix(objects, has_partner), ub=0.0),
        ]

    def _matrix(self, rows: int, entries: list[tuple[Ints, Ints, Any]]) -> Any:
        row, column = (np.concatenate([entry[k] for entry in entries]) for k in (0, 1))
        value = np.concatenate([np.broadcast_to(entry[2], entry[0].shape) for entry in entries])
        return coo_array((value, (row, column)), shape=(rows, self.width)).tocsc()

    def solve(self, goal: Floats, *rules: LinearConstraint, least: Floats | None = None) -> Any:
        bounds = Bounds(np.zeros(self.width) if least is None else least, np.ones(self.width))
        options = {"time_limit": max(self.end - monotonic(), 0.01), "mip_rel_gap": 0.0}
        constraints = [*self.rules, *rules]
        return milp(-goal, integrality=np.ones(self.width), bounds=bounds, constraints=constraints, options=options)

    def pairs_of(self, answer: Any) -> Mask:
        return np.asarray(answer.x[: len(self.ends)] > 0.5)

    def matched(self, chosen: Mask) -> int:
        return len(np.unique(self.ends[chosen]))

    def first_of_the_heaviest(self, chosen: Mask) -> Mask:
        """Of the choices as heavy as this one that with most objects, then the first in order; as time allows."""
        heaviest = int(self.weights[chosen].sum())
        held = LinearConstraint(self.weight[None, :], lb=(heaviest - 0.5) / self.scale)
        answer = self.solve(self.objects, held)
        chosen = self._as_good(answer, heaviest, self.matched(chosen), chosen)
        most = self.matched(chosen)
        many = LinearConstraint(self.objects[None, :], lb=most - 0.5)
        least = np.zeros(self.width)
        for k in range(len(self.ends)):
            least[k] = 1.0
            if not chosen[k]:
                answer = self.solve(self.objects, held, many, least=least)
                chosen = self._as_good(answer, heaviest, most, chosen)
                least[k] = float(chosen[k])
            if monotonic() > self.end:
                break
        return chosen

    def _as_good(self, answer: Any, heaviest: int, most: int, chosen: Mask) -> Mask:
        """The answer if it is really no worse than what we have: the solver rounds."""
        if answer.x is None:
            return chosen
        found = self.pairs_of(answer)
        return found if self.weights[found].sum() == heaviest and self.matched(found) >= most else chosen


def _greedy(ends: Ints, weights: Ints) -> Mask:
    """Pairs by weight, each object once: what there is when the solver finds nothing in time."""
    used: set[int] = set()
    chosen = np.zeros(len(ends), dtype=bool)
    for k in np.argsort(-weights, kind="stable").tolist():
        if not used & set(ends[k].tolist()):
            used |= set(ends[k].tolist())
            chosen[k] = True
    return chosen
