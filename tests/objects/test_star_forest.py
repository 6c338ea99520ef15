"""The multi-object matching against every possible set of pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint
from scipy.optimize import milp as scipy_milp
from scipy.sparse import csc_array

from geoeval import evaluate_objects
from geoeval.objects import programme, star_forest
from geoeval.objects.programme import solve_programme
from geoeval.objects.star_forest import heaviest_stars
from tests.conftest import load_cases
from tests.objects.shapes_for_tests import objects
from tests.objects.slow_matching import allowed, best_matching


def chosen_of(C, **kwargs):
    C = np.asarray(C, dtype=float)
    ref, pred = np.nonzero(C > 0)
    found = heaviest_stars(ref, pred, C[ref, pred], **kwargs)
    return [(int(i), int(j)) for i, j in zip(ref[found.chosen], pred[found.chosen], strict=True)]


@st.composite
def matrices(draw, largest=3, pairs=9, values=4):
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest + 1))
    cells = draw(st.lists(st.integers(0, values), min_size=rows * columns, max_size=rows * columns))
    C = np.array(cells).reshape(rows, columns)
    C.ravel()[np.flatnonzero(C)[pairs:]] = 0
    return C


@pytest.mark.parametrize("case", load_cases("momm"), ids=lambda case: case["name"])
def test_closed_forms(case):
    C = np.array(case["input"]["C"])
    edges = chosen_of(C)
    assert sum(C[e] for e in edges) == case["expected"]["weight"]
    if "edges" in case["expected"]:
        assert edges == [tuple(e) for e in case["expected"]["edges"]]


@given(matrices())
def test_agrees_with_trying_every_set(C):
    """Weight, number of objects and the pairs themselves: ties included, which small whole numbers make often."""
    weight, count, pairs = best_matching(C)
    edges = chosen_of(C)
    assert edges == pairs
    assert sum(C[e] for e in edges) == weight
    assert len({i for i, _ in edges}) + len({j for _, j in edges}) == count


def solved(C, **kwargs):
    """The pairs that the integer programme chooses, and its answer."""
    ref, pred = np.nonzero(C)
    refs, left = np.unique(ref, return_inverse=True)
    _, right = np.unique(pred, return_inverse=True)
    answer = solve_programme(np.column_stack([left, right + len(refs)]), C[ref, pred], **{"time_limit": 60.0, **kwargs})
    return [(int(i), int(j)) for i, j in zip(ref[answer.chosen], pred[answer.chosen], strict=True)], answer


@given(matrices(pairs=8))
def test_the_integer_programme_agrees_with_trying_every_set(C):
    if not C.any():
        return
    pairs, answer = solved(C)
    assert answer.finished
    assert answer.lost == 0
    assert pairs == best_matching(C)[2]


def test_a_limit_may_be_as_large_as_wanted():
    C = np.array([[3, 2, 0], [1, 3, 2], [2, 0, 3]])
    assert solved(C, time_limit=np.inf)[0] == best_matching(C)[2]


# ---------------------------------------------------------------------- ties


def shuffling(rng):
    """``milp`` with its variables and rules in another order, which must not change the answer."""

    def milp(c, *, integrality, bounds, constraints, options):
        assert "time_limit" not in options, "no answer may depend on a clock"
        columns = rng.permutation(len(c))
        mixed = []
        for rule in constraints:
            matrix = csc_array(rule.A)
            rows = rng.permutation(matrix.shape[0])
            low, high = (np.broadcast_to(side, len(rows))[rows] for side in (rule.lb, rule.ub))
            mixed.append(LinearConstraint(matrix[rows][:, columns], lb=low, ub=high))
        rng.shuffle(mixed)
        answer = scipy_milp(
            c[columns], integrality=integrality[columns], bounds=bounds, constraints=mixed, options=options
        )
        if answer.x is not None:
            answer.x = answer.x[np.argsort(columns)]
        return answer

    return milp


@given(matrices(largest=3, pairs=9, values=2), st.integers(0, 2**31))
def test_ties_are_broken_alike_in_any_order_of_the_rules(C, seed):
    if not C.any():
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programme, "milp", shuffling(np.random.default_rng(seed)))
        pairs, answer = solved(C)
    assert answer.finished
    assert pairs == best_matching(C)[2]


@settings(max_examples=12)
@given(st.integers(0, 2**31), st.integers(1, 3))
def test_ties_in_knots_that_are_too_large_for_trying_every_set(seed, values):
    """Against the elimination, which counts in whole numbers and knows no solver."""
    rng = np.random.default_rng(seed)
    C = rng.integers(1, values + 1, (6, 6)) * (rng.random((6, 6)) < 0.6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_forest, "WIDEST", 12)
        expected = chosen_of(C)
        patch.setattr(star_forest, "WIDEST", 1)
        patch.setattr(programme, "milp", shuffling(rng))
        assert chosen_of(C) == expected


@given(matrices(largest=4, pairs=9, values=2), st.integers(0, 2**31))
def test_pairs_may_come_in_any_order(C, seed):
    ref, pred = np.nonzero(C)
    order = np.random.default_rng(seed).permutation(len(ref))
    found = heaviest_stars(ref[order], pred[order], C[ref, pred][order].astype(float))
    back = np.argsort(order)
    assert (found.chosen[back] == heaviest_stars(ref, pred, C[ref, pred].astype(float)).chosen).all()


@settings(max_examples=20)
@given(st.permutations(range(9)), st.permutations(range(9)), st.booleans())
def test_objects_may_come_in_any_order(first, second, as_programme):
    """Nine squares against nine that are shifted by half a side: every overlap is the same."""
    corners = [(10 * i, 10 * j) for i in range(3) for j in range(3)]
    quick = {"max-overlap": {"mallows": False}}

    def squares(order, shift):
        return objects(*((corners[k][0] + shift, corners[k][1] + shift, 10, 10) for k in order), ids=order)

    def matched(refs, preds):
        sides = squares(refs, 0), squares(preds, 5)
        result = evaluate_objects(*sides, metrics="max-overlap", parameters=quick)
        instances = result.details["max-overlap"]["instances"]
        return sorted(zip(sides[0].ids[instances.ref], sides[1].ids[instances.pred], strict=True))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_forest, "WIDEST", 1 if as_programme else 12)
        assert matched(first, second) == matched(range(9), range(9))


# ---------------------------------------------------------------------- sizes and limits


@given(matrices(largest=4, pairs=14, values=30), st.integers(1, 1000))
def test_rounding_of_fractions_makes_no_winner(C, divisor):
    """Sizes that are not whole give the same pairs as long as they are that different."""
    assert chosen_of(C) == chosen_of(C * 7919 / divisor)


def test_wide_components_go_to_the_programme_with_the_same_result(monkeypatch):
    rng = np.random.default_rng(3)
    for _ in range(3):
        C = rng.integers(1, 50, (5, 5)) * (rng.random((5, 5)) < 0.6)
        monkeypatch.setattr(star_forest, "WIDEST", 12)
        tables = chosen_of(C)
        monkeypatch.setattr(star_forest, "WIDEST", 1)
        assert chosen_of(C) == tables


@settings(max_examples=12)
@given(st.integers(0, 2**31))
def test_large_weights_in_the_programme(seed):
    """Square millimetres, of which the solver sees hundred-thousandths of the largest: no choice differs so little."""
    rng = np.random.default_rng(seed)
    C = rng.integers(1, 10**9, (5, 5)) * (rng.random((5, 5)) < 0.7)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(star_forest, "WIDEST", 12)
        expected = chosen_of(C)
        patch.setattr(star_forest, "WIDEST", 1)
        lost = sum(C[pair] for pair in expected) - sum(C[pair] for pair in chosen_of(C))
    assert 0 <= lost <= 10 * 1e-5 * C.max(initial=0)


def test_a_long_chain_is_a_tree():
    """A row of 3,000 houses, each overlapping its neighbour's prediction."""
    n = 3000
    ref, pred = np.concatenate([np.arange(n), np.arange(n - 1)]), np.concatenate([np.arange(n), np.arange(1, n)])
    order = np.lexsort([pred, ref])
    size = np.concatenate([np.full(n, 60.0), np.full(n - 1, 20.0)])[order]
    found = heaviest_stars(ref[order], pred[order], size)
    assert size[found.chosen].sum() == 60 * n
    assert not found.lost.any()
    assert not found.unfinished.any()


def half_shifted_squares(side):
    """Squares against squares shifted by half a side, with equal overlaps: a chessboard, full of ties."""
    cells = [(i, j) for i in range(side) for j in range(side)]
    C = np.zeros((side**2, side**2), dtype=int)
    for a, (i, j) in enumerate(cells):
        for b, (k, m) in enumerate(cells):
            C[a, b] = 25 * (k in (i - 1, i) and m in (j - 1, j))
    return C


@pytest.mark.parametrize("time_limit", [1e-9, 0.1])
def test_a_search_that_is_stopped_says_what_it_may_lack(time_limit):
    C = half_shifted_squares(6)
    ref, pred = np.nonzero(C)
    found = heaviest_stars(ref, pred, C[ref, pred].astype(float), time_limit=time_limit)
    assert found.unfinished.sum() == 1
    assert found.unfinished[0]
    z = np.zeros(C.shape, dtype=int)
    z[ref[found.chosen], pred[found.chosen]] = 1
    assert allowed(z)
    assert z.any()
    assert (C * z).sum() < 1350 <= (C * z).sum() + found.lost.sum()
    again = heaviest_stars(ref, pred, C[ref, pred].astype(float), time_limit=time_limit)
    assert (again.chosen == found.chosen).all()


def test_a_search_that_is_stopped_among_ties_says_so(monkeypatch):
    C = half_shifted_squares(4)
    pairs, answer = solved(C)
    assert answer.finished
    steps = []

    def counting(*args, **kwargs):
        steps.append(kwargs["options"]["node_limit"])
        return scipy_milp(*args, **kwargs)

    monkeypatch.setattr(programme, "milp", counting)
    for nodes in range(1, 20):
        steps.clear()
        found, answer = solved(C, time_limit=(nodes + 0.5) * len(np.nonzero(C)[0]) / programme._NODES_PER_SECOND)
        assert steps[0] == nodes
        assert sum(C[pair] for pair in found) == sum(C[pair] for pair in pairs)
        assert answer.lost == 0
        if answer.finished:
            break
        assert len(steps) > 1
    assert nodes > 1
    assert found == pairs


def test_no_pairs():
    found = heaviest_stars(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    assert len(found.chosen) == len(found.lost) == len(found.unfinished) == 0
