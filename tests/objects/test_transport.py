"""Optimal transport against POT's network simplex and against what is known in one dimension."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from geoeval.objects import transport
from geoeval.objects.mallows import mallows_score
from geoeval.objects.transport import earth_movers_distance, transport_cost


def problem(seed, n, m, size=30):
    rng = np.random.default_rng(seed)
    places = rng.permutation(size * size)[: n + m]
    xy = np.column_stack(np.divmod(places, size)).astype(float)
    supply, demand = rng.integers(1, 6, n) / 7.0, rng.integers(1, 6, m) / 3.0
    return xy[:n], supply / supply.sum(), xy[n:], demand / demand.sum()


@given(st.integers(0, 2**31), st.integers(1, 40), st.integers(1, 40))
def test_agrees_with_another_solver(seed, n, m):
    ot = pytest.importorskip("ot")
    source, supply, sink, demand = problem(seed, n, m)
    expected = ot.emd2(supply, demand, cdist(source, sink))
    assert earth_movers_distance(source, supply, sink, demand) == pytest.approx(expected, abs=1e-10)


@settings(max_examples=3)
@given(st.integers(0, 2**31))
def test_large_problems_which_are_solved_from_coarse_to_fine(seed):
    ot = pytest.importorskip("ot")
    source, supply, sink, demand = problem(seed, 330, 350)
    expected = ot.emd2(supply, demand, cdist(source, sink), numItermax=10**7)
    assert earth_movers_distance(source, supply, sink, demand) == pytest.approx(expected, abs=1e-10)


@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 12))
def test_along_a_line_it_is_the_area_between_the_distributions(seed, n, m):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 9, n), rng.uniform(0, 9, m)
    supply, demand = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    places = [np.column_stack([values, np.zeros(len(values))]) for values in (x, y)]
    found = earth_movers_distance(places[0], supply, places[1], demand)
    assert found == pytest.approx(wasserstein_distance(x, y, supply, demand), abs=1e-10)


@given(st.integers(0, 2**31), st.integers(1, 25), st.integers(1, 25))
def test_potentials_prove_the_cost(seed, n, m):
    """Duality: potentials that no pair undercuts are worth as much as the plan costs, so no plan is cheaper."""
    source, supply, sink, demand = problem(seed, n, m)
    cost = cdist(source, sink)
    total, potential = transport_cost(cost, cost, supply, demand)
    of_sources = (cost - potential).min(axis=1)
    assert supply @ of_sources + demand @ potential == pytest.approx(total, abs=1e-9)


def test_the_other_solver_is_asked_where_ours_gives_up(monkeypatch):
    pytest.importorskip("ot")
    given_problem = problem(1, 8, 9)
    own = earth_movers_distance(*given_problem)
    monkeypatch.setattr(transport, "transport_cost", lambda *_: (-1.0, np.zeros(9)))
    assert earth_movers_distance(*given_problem) == pytest.approx(own)


def test_removing_common_mass_changes_nothing():
    """The score from the whole distributions, without taking away what both have."""
    ot = pytest.importorskip("ot")
    u, v = np.zeros((14, 16), dtype=bool), np.zeros((14, 16), dtype=bool)
    u[2:12, 1:11], v[3:12, 4:15] = True, True

    def weights(mask):
        """Distance to the nearest pixel outside, by looking at all of them."""
        inside, outside = np.argwhere(mask), np.argwhere(~np.pad(mask, 1)) - 1
        own = cdist(inside, outside).min(axis=1)
        return inside, own / own.sum()

    (a, pa), (b, pb) = weights(u), weights(v)
    expected = 1 - ot.emd2(pa, pb, cdist(a, b)) / cdist(a, b).max()
    assert mallows_score([u], [v]) == pytest.approx(expected, abs=1e-10)
