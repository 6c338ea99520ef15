"""The multi-object matching against every possible set of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval.objects import star_forest
from geoeval.objects.programme import solve_programme
from geoeval.objects.star_forest import heaviest_stars
from tests.conftest import load_cases
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


@given(matrices(pairs=8))
def test_the_integer_programme_agrees_with_trying_every_set(C):
    ref, pred = np.nonzero(C)
    if len(ref) == 0:
        return
    refs, left = np.unique(ref, return_inverse=True)
    _, right = np.unique(pred, return_inverse=True)
    mask, gap = solve_programme(np.column_stack([left, right + len(refs)]), C[ref, pred], time_limit=60)
    assert gap == 0
    assert [(int(i), int(j)) for i, j in zip(ref[mask], pred[mask], strict=True)] == best_matching(C)[2]


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


def test_a_long_chain_is_a_tree():
    """A row of 3,000 houses, each overlapping its neighbour's prediction."""
    n = 3000
    ref, pred = np.concatenate([np.arange(n), np.arange(n - 1)]), np.concatenate([np.arange(n), np.arange(1, n)])
    order = np.lexsort([pred, ref])
    size = np.concatenate([np.full(n, 60.0), np.full(n - 1, 20.0)])[order]
    found = heaviest_stars(ref[order], pred[order], size)
    assert size[found.chosen].sum() == 60 * n
    assert not found.lost.any()


def test_out_of_time_tells_the_gap():
    rng = np.random.default_rng(0)
    C = rng.integers(1, 1000, (40, 40)) * (rng.random((40, 40)) < 0.2)
    ref, pred = np.nonzero(C)
    found = heaviest_stars(ref, pred, C[ref, pred].astype(float), time_limit=0.2)
    assert (found.lost > 0).sum() == 1
    assert found.lost.sum() < C.sum()
    z = np.zeros(C.shape, dtype=int)
    z[ref[found.chosen], pred[found.chosen]] = 1
    assert allowed(z)
    assert z.any()


def test_no_pairs():
    found = heaviest_stars(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    assert len(found.chosen) == 0
    assert len(found.lost) == 0
