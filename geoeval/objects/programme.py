"""The heaviest stars as an integer programme, solved by HiGHS: for knots of overlaps that are far from being trees.

Every object may be a centre, and every pair may make one of its two objects a leaf of the other. A leaf has one centre,
and an object is a centre or a leaf, not both. These are the rules of facility location; the solution of their linear
relaxation is nearly whole, so that HiGHS seldom has to branch.

The answer is unique, so it does not depend on the solver, the machine or the order of the rules:

1. the heaviest choice is found;
2. the pairs in which other choices of that weight differ from it are found; mostly there are none;
3. of these choices one with most objects is found;
4. of these the first in order, a few pairs at a time.

HiGHS computes in floats with a tolerance of a millionth, so weights are rounded to whole numbers of at most 100,000.
The work is limited by the number of nodes of the search tree, never by a clock. A search that reaches the limit says
so, and gives what HiGHS had found by then: the same on every machine with the same version of HiGHS.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from geoeval._kernels.greedy import take_in_order
from geoeval.arrays import Bools, Floats, Ints

# The largest weight that the solver sees.
_LARGEST = 100_000
# Nodes that take about a second, times pairs: a node takes longer the more pairs there are.
_NODES_PER_SECOND = 2000
# HiGHS counts nodes in 32 bits.
_MOST_NODES = 2**31 - 1
# Pairs whose order is decided at once: the first counts 2 to this power.
_AT_ONCE = 15


@dataclass(frozen=True)
class ProgrammeAnswer:
    """The chosen pairs, by how much the heaviest choice could exceed them, and whether the search was finished.

    An unfinished search with nothing ``lost`` found a heaviest choice, but not the first of them.
    """

    chosen: Bools
    lost: float
    finished: bool


def solve_programme(ends: Ints, weights: Ints, *, time_limit: float) -> ProgrammeAnswer:
    """Choose among pairs, which come in order.

    ``ends`` are the two objects of each pair, numbered from 0; ``weights`` whole numbers. ``time_limit`` is a number of
    nodes: about as many as are searched in so many seconds.
    """
    programme = _Programme(ends, weights, nodes=int(min(time_limit * _NODES_PER_SECOND / len(ends), _MOST_NODES)))
    answer = programme.solve(programme.weight)
    chosen = _greedy(ends, weights) if answer.x is None else programme.pairs_of(answer)
    if answer.status != 0:
        lost = programme.most(answer) - float(weights[chosen].sum())
        return ProgrammeAnswer(chosen, max(lost, 1.0), finished=False)
    return programme.first_of_the_heaviest(chosen)


class _UnfinishedError(Exception):
    """The nodes are used up, or the solver's tolerance let a wrong answer pass."""


class _Programme:
    """Variables: each pair with its first and with its second object as the leaf; centres; centres with a leaf."""

    def __init__(self, ends: Ints, weights: Ints, *, nodes: int) -> None:
        pairs, objects = len(ends), int(ends.max()) + 1
        self.ends, self.nodes = ends, nodes
        self.unit = max(float(weights.max()) / _LARGEST, 1.0)
        self.weights = np.maximum(np.round(weights / self.unit), 1).astype(np.int64)
        self.total = float(weights.sum())
        self.width = 2 * pairs + 2 * objects
        self.weight = self.of_pairs(self.weights)
        self.objects = np.zeros(self.width)
        self.objects[: 2 * pairs] = 1.0
        self.objects[2 * pairs + objects :] = 1.0

        leaf, centre = ends.T.ravel(), ends[:, ::-1].T.ravel()
        link, one = np.arange(2 * pairs), np.arange(objects)
        is_centre, has_leaf = 2 * pairs + one, 2 * pairs + objects + one
        self.rules = [
            LinearConstraint(self._matrix(objects, [(leaf, link, 1.0), (one, is_centre, 1.0)]), ub=1.0),
            LinearConstraint(self._matrix(2 * pairs, [(link, link, 1.0), (link, is_centre[centre], -1.0)]), ub=0.0),
            LinearConstraint(self._matrix(objects, [(one, has_leaf, 1.0), (centre, link, -1.0)]), ub=0.0),
        ]
        pair = np.arange(pairs)
        self._pair_matrix = self._matrix(pairs, [(pair, pair, 1.0), (pair, pairs + pair, 1.0)])

    def _matrix(self, rows: int, entries: list[tuple[Ints, Ints, float]]) -> Any:
        row, column = (np.concatenate([entry[k] for entry in entries]) for k in (0, 1))
        value = np.concatenate([np.full(len(entry[0]), entry[2]) for entry in entries])
        return coo_array((value, (row, column)), shape=(rows, self.width)).tocsc()

    def of_pairs(self, values: Ints | Floats) -> Floats:
        """A goal that gives each pair its value, whichever of its objects is the leaf."""
        out = np.zeros(self.width)
        out[: 2 * len(self.ends)] = np.tile(values, 2)
        return out

    def solve(self, goal: Floats, *rules: LinearConstraint) -> Any:
        answer = milp(
            -goal,
            integrality=np.ones(self.width),
            bounds=Bounds(0.0, 1.0),
            constraints=[*self.rules, *rules],
            options={"node_limit": self.nodes, "mip_rel_gap": 0.0},
        )
        self.nodes = max(self.nodes - max(answer.mip_node_count or 0, 1), 0)
        return answer

    def pairs_of(self, answer: Any) -> Bools:
        links = answer.x[: 2 * len(self.ends)].reshape(2, -1)
        return np.asarray(links.max(axis=0) > 0.5)

    def most(self, answer: Any) -> float:
        """What a choice can weigh at most, in the given weights."""
        if answer.mip_dual_bound is None:
            return self.total
        # Fewer pairs than objects are chosen, each rounded by half a unit at most.
        rounding = 0.5 * self.ends.max() if self.unit > 1 else 0.0
        return min((rounding - answer.mip_dual_bound) * self.unit, self.total)

    def matched(self, chosen: Bools) -> int:
        return len(np.unique(self.ends[chosen]))

    def first_of_the_heaviest(self, chosen: Bools) -> ProgrammeAnswer:
        """Of the choices as heavy as this one those with most objects, and of these the first in order."""
        try:
            held = [LinearConstraint(self.weight[None, :], lb=float(self.weights[chosen].sum()) - 0.5)]
            undecided = self._differences(chosen, held)
            if not undecided.any():
                return ProgrammeAnswer(chosen, 0.0, finished=True)
            if self.matched(chosen) <= self.ends.max():
                chosen = self._as_heavy(chosen, self.objects, *held, self._decided(chosen, undecided))
            held.append(LinearConstraint(self.objects[None, :], lb=self.matched(chosen) - 0.5))
            while undecided.any():
                block = np.flatnonzero(undecided)[:_AT_ONCE]
                goal = np.zeros(len(chosen))
                goal[block] = 2.0 ** np.arange(len(block))[::-1]
                chosen = self._as_heavy(chosen, self.of_pairs(goal), *held, self._decided(chosen, undecided))
                undecided[block] = False
        except _UnfinishedError:
            return ProgrammeAnswer(chosen, 0.0, finished=False)
        return ProgrammeAnswer(chosen, 0.0, finished=True)

    def _differences(self, chosen: Bools, held: list[LinearConstraint]) -> Bools:
        """The pairs that are chosen in some choices of this weight and not in others."""
        different = np.zeros(len(chosen), dtype=bool)
        while True:
            goal = np.where(different, 0.0, np.where(chosen, -1.0, 1.0))
            new = (self._as_heavy(chosen, self.of_pairs(goal), *held) != chosen) & ~different
            if not new.any():
                return different
            different |= new

    def _decided(self, chosen: Bools, undecided: Bools) -> LinearConstraint:
        return LinearConstraint(self._pair_matrix, lb=chosen & ~undecided, ub=chosen | undecided)

    def _as_heavy(self, chosen: Bools, goal: Floats, *rules: LinearConstraint) -> Bools:
        """The best choice for a goal, which must weigh as much as this one."""
        answer = self.solve(goal, *rules)
        if answer.status != 0:
            raise _UnfinishedError
        found = self.pairs_of(answer)
        if self.weights[found].sum() != self.weights[chosen].sum():
            raise _UnfinishedError
        return found


def _greedy(ends: Ints, weights: Ints) -> Bools:
    """Pairs by weight, each object once: the answer when the solver has found nothing yet."""
    order = np.argsort(-weights, kind="stable")
    chosen = np.zeros(len(ends), dtype=bool)
    refs, preds = ends[order].T.copy()
    chosen[order] = take_in_order(refs, preds, *(ends.max(axis=0) + 1).tolist())
    return chosen
