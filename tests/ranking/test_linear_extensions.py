"""Counting rankings: against every permutation, closed forms, and drawn against counted."""

from itertools import permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval.ranking.linear_extensions import rank_frequencies
from geoeval.ranking.order import covers, dominance, intervals, levels, pareto, transitive


def count_permutations(better) -> tuple[list[list[int]], int]:
    """Every permutation tried, one after the other."""
    n = len(better)
    counts, total = [[0] * n for _ in range(n)], 0
    for ranking in permutations(range(n)):
        if any(better[ranking[j]][ranking[i]] for i in range(n) for j in range(i + 1, n)):
            continue
        total += 1
        for rank, item in enumerate(ranking):
            counts[item][rank] += 1
    return counts, total


tables = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=n, max_size=n).map(
        lambda rows: np.array(rows, dtype=float)
    )
)


@given(tables)
def test_exact_frequencies_are_those_of_all_permutations(values):
    better = dominance(values)
    found = rank_frequencies(better)
    assert found.exact
    assert (found.counts, found.total) == count_permutations(better)


@given(tables)
def test_frequencies_are_positive_exactly_in_the_rank_interval(values):
    better = dominance(values)
    for row, (best, worst) in zip(rank_frequencies(better).counts, intervals(better), strict=True):
        assert [r + 1 for r, count in enumerate(row) if count] == list(range(best, worst + 1))


@given(tables)
def test_covers_generate_the_order_and_nothing_can_be_left_out(values):
    better = dominance(values)
    lines = covers(better)
    relation = np.zeros_like(better)
    for a, b in lines:
        relation[a, b] = True
    assert (transitive(relation) == better).all()
    for a, b in lines:
        assert not any(better[a, c] and better[c, b] for c in range(len(better)))
        assert levels(better)[a] < levels(better)[b]


@given(tables)
def test_nothing_is_better_than_the_pareto_set_which_is_better_than_or_equal_to_something(values):
    best = set(pareto(dominance(values)).tolist())
    for item, row in enumerate(values):
        dominated = any((other >= row).all() and (other > row).any() for other in values)
        assert (item in best) == (not dominated)


def test_items_that_cannot_be_compared_have_every_ranking():
    found = rank_frequencies(np.zeros((9, 9), dtype=bool))
    assert found.total == factorial(9)
    assert found.counts == [[factorial(8)] * 9] * 9


def test_counts_beyond_64_bits_are_exact():
    # Two chains of 35: the ways to shuffle them are more than 2^64; the first item of a chain leads half of them.
    chain = np.triu(np.ones((31, 31), dtype=bool), 1)
    both = np.kron(np.eye(2, dtype=bool), chain)
    found = rank_frequencies(both)
    assert found.exact
    assert found.total == comb(62, 31)
    assert found.counts[0][0] == found.counts[31][0] == comb(61, 30)
    anti = np.zeros((21, 21), dtype=bool)
    anti[:10, 10:] = True
    assert rank_frequencies(anti).total == factorial(10) * factorial(11)


def test_python_integers_where_64_bits_are_too_few():
    # 34 chains' worth of shuffles in three chains: 33! / 11!^3 is about 1.4e14; five of 5 give 25! / 5!^5 = 6.2e14;
    # ten pairs and a chain of four exceed 2^63.
    pair = np.array([[False, True], [False, False]])
    parts = [pair] * 11
    better = np.zeros((22, 22), dtype=bool)
    for i, part in enumerate(parts):
        better[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = part
    assert rank_frequencies(better, max_up_sets=200_000).total == factorial(22) // 2**11


def test_no_items():
    found = rank_frequencies(np.zeros((0, 0), dtype=bool))
    assert (found.counts, found.total, found.exact) == ([], 1, True)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_drawn_frequencies_are_within_their_stated_error_at_15(seed):
    better = dominance(np.random.default_rng(seed).random((15, 3)))
    exact = rank_frequencies(better)
    drawn = rank_frequencies(better, max_up_sets=0, seed=seed)
    assert exact.exact
    assert not drawn.exact
    assert exact.error == 0
    assert 0 < drawn.error < 0.04
    assert [sum(row) for row in drawn.counts] == [drawn.total] * 15
    gap = np.abs((exact.cumulative() / exact.total - drawn.cumulative() / drawn.total).astype(float))
    assert gap.max() <= drawn.error
    for row, (best, worst) in zip(drawn.counts, intervals(better), strict=True):
        assert not any(row[: best - 1]) and not any(row[worst:])  # noqa: PT018


def test_drawing_is_repeatable_and_follows_its_seed():
    better = dominance(np.random.default_rng(5).random((8, 3)))
    first, again, other = (rank_frequencies(better, max_up_sets=0, samples=500, seed=s).counts for s in (1, 1, 2))
    assert first == again
    assert first != other
