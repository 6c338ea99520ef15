"""One-to-one assignment with capped costs: permutations, scipy, and plain loops as witnesses."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval._kernels.assignment import assign, near
from tests.roads.surroundings.slow_surroundings import best_pairs, capped_cost_by_permutations, distances, greedy_pairs


def one_problem(a, b):
    a, b = (np.ascontiguousarray(np.array(p, dtype=float).reshape(-1, 2)) for p in (a, b))
    return np.array([0, len(a)]), a, np.array([0, len(b)]), b


def on_a_line(*x):
    return [(float(value), 0.0) for value in x]


def pairs(a, b, cap, method="optimal"):
    partner = assign(*one_problem(a, b), cap=cap, method=method)
    return [(i, int(j)) for i, j in enumerate(partner) if j >= 0]


def capped_cost(d, chosen, cap):
    return sum(d[i, j] for i, j in chosen) + cap * (min(d.shape) - len(chosen))


points = st.lists(st.tuples(st.floats(0, 30), st.floats(0, 30)), max_size=5)


@settings(max_examples=80, deadline=None)
@given(points, points)
def test_no_permutation_is_cheaper(a, b):
    cap = 10.0
    d = distances(a, b)
    chosen = pairs(a, b, cap)
    assert len({i for i, _ in chosen}) == len({j for _, j in chosen}) == len(chosen)
    assert all(d[i, j] < cap for i, j in chosen)
    assert capped_cost(d, chosen, cap) == pytest.approx(capped_cost_by_permutations(d, cap), abs=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    cap = float(rng.uniform(3, 25))
    a, b = (rng.uniform(0, 100, (rng.integers(0, 90), 2)) for _ in range(2))
    if seed % 2:  # along a line, where chains of changes are long
        a[:, 1] = b[:, 1] = 0.0
    d = distances(a, b)
    chosen = pairs(a, b, cap)
    expected = best_pairs(d, cap)
    assert capped_cost(d, chosen, cap) == pytest.approx(capped_cost(d, expected, cap), abs=1e-3)
    assert len(chosen) == len(expected)
    assert len(chosen) == len(pairs(b, a, cap))


@settings(max_examples=50, deadline=None)
@given(points, points)
def test_greedy_takes_the_closest_pair_first(a, b):
    d = distances(a, b)
    # Distances that differ by less than the rounding are ties, and then the order of the points decides.
    away = np.sort(d[d < 10.5])
    if (np.diff(away) < 1e-4).any() or (abs(away - 10.0) < 1e-4).any():
        return
    assert sorted(pairs(a, b, 10.0, "greedy")) == sorted(greedy_pairs(d, 10.0))


def test_cost_counts_and_not_the_number_of_pairs():
    assert pairs(on_a_line(10, 0), on_a_line(10, 20), 15.0) == [(0, 0)]
    assert len(pairs(on_a_line(10, 0), on_a_line(10, 20), 21.0)) == 2


def test_greedy_and_optimal_differ():
    # The closest pair, 1 m, leaves 14 m for the others; without it there are pairs of 6 m and 7 m.
    a, b = on_a_line(0, 7), on_a_line(6, 14)
    assert pairs(a, b, 13.0, "greedy") == [(1, 0)]
    assert pairs(a, b, 13.0) == [(0, 0), (1, 1)]
    assert pairs(a, b, 11.9) == [(1, 0)]


def test_of_equal_sums_the_one_with_more_pairs():
    # Three steps of 5 cost as much as two free pairs and the cap of 15.
    for angle in (0.0, 0.3, 1.0):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        a, b = (np.array(on_a_line(*x)) @ turn for x in ((0, 5, 10), (5, 10, 15)))
        for order in itertools.permutations(range(3)):
            assert len(pairs(a[list(order)], b, 15.0)) == 3
            assert len(pairs(b, a[list(order)], 15.0)) == 3
            assert len(pairs(a[list(order)], b, 14.9)) == 2


def test_a_pair_at_the_cap_does_not_count():
    for method in ("optimal", "greedy"):
        assert pairs([(0, 0)], [(9, 12)], 15.0, method) == []
        assert pairs([(0, 0)], [(9, 12)], 15.001, method) == [(0, 0)]
        # A cap met but for rounding is met.
        assert pairs([(0.1, 0.2)], [(0.1 + 15 * np.cos(0.7), 0.2 + 15 * np.sin(0.7))], 15.0, method) == []


def test_points_at_one_place_pair_in_order():
    assert pairs([(0, 0)] * 3, [(0, 0)] * 3, 1.0) == [(0, 0), (1, 1), (2, 2)]


def test_empty_sides():
    assert pairs([], [(0, 0)], 15.0) == []
    assert pairs([(0, 0)], [], 15.0) == []
    assert pairs([], [], 15.0) == []


def test_many_problems_are_solved_as_one_at_a_time():
    rng = np.random.default_rng(4)
    sizes = rng.integers(0, 40, (12, 2))
    sizes[3], sizes[5, 0], sizes[7, 1] = 0, 0, 0
    first, other_first = (np.concatenate([[0], np.cumsum(sizes[:, i])]) for i in (0, 1))
    a, b = rng.uniform(0, 60, (first[-1], 2)), rng.uniform(0, 60, (other_first[-1], 2))
    together = assign(first, a, other_first, b, cap=12.0, method="optimal")
    matched, other_matched, nearest = near(first, a, other_first, b, distance=12.0)
    for i in range(len(sizes)):
        mine, theirs = slice(first[i], first[i + 1]), slice(other_first[i], other_first[i + 1])
        alone = one_problem(a[mine], b[theirs])
        partner = assign(*alone, cap=12.0, method="optimal")
        np.testing.assert_array_equal(together[mine], np.where(partner >= 0, partner + other_first[i], -1))
        d = distances(a[mine], b[theirs])
        np.testing.assert_array_equal(matched[mine], (d <= 12.0).any(axis=1))
        np.testing.assert_array_equal(other_matched[theirs], (d <= 12.0).any(axis=0))
        if matched[mine].any():
            expected = d.argmin(axis=1) + other_first[i]
            np.testing.assert_array_equal(nearest[mine][matched[mine]], expected[matched[mine]])


def test_more_pairs_than_guessed():
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0, 10, (90, 2)), rng.uniform(0, 10, (80, 2))
    assert len(pairs(a, b, 20.0)) == 80  # 7200 pairs, all closer than the cap


def test_far_apart_points_share_few_cells():
    rng = np.random.default_rng(6)
    a = rng.uniform(0, 1e6, (300, 2))
    b = a[::-1] + rng.uniform(-0.5, 0.5, (300, 2))
    assert pairs(a, b, 1.0) == [(i, 299 - i) for i in range(300)]


def test_near_is_inclusive():
    for place, expected in (((9.0, 12.0), True), ((9.0, 12.00001), False)):
        matched, other_matched, _ = near(*one_problem([(0, 0)], [place]), distance=15.0)
        assert matched.tolist() == other_matched.tolist() == [expected]


def test_of_equally_near_ones_the_first():
    _, _, nearest = near(*one_problem([(0, 0)], [(3, 4), (-5, 0), (0, 5 - 1e-8)]), distance=15.0)
    assert nearest.tolist() == [0]
