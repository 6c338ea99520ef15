"""Optimal transport against POT's network simplex, an assignment solver, and what is known in one dimension."""

import numpy as np
import ot
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.stats import wasserstein_distance

from geoeval.objects.mallows import mallows_score
from geoeval.objects.transport import cheapest_plan, least_cost, whole_weights


def earth_movers_distance(*given_problem):
    """The cost by our solver, which is compiled for one layout of arrays."""
    return float(least_cost(*map(np.ascontiguousarray, given_problem)))


def by_pot(source, supply, sink, demand):
    """The same cost by another solver."""
    moved = supply.sum()
    return ot.emd2(supply / moved, demand / demand.sum(), cdist(source, sink), numItermax=10**7) * moved


def problem(seed, n, m, size=30):
    rng = np.random.default_rng(seed)
    places = rng.permutation(size * size)[: n + m]
    xy = np.column_stack(np.divmod(places, size)).astype(float)
    supply, demand = rng.integers(1, 6, n) / 7.0, rng.integers(1, 6, m) / 3.0
    return xy[:n], supply / supply.sum(), xy[n:], demand / demand.sum()


@given(st.integers(0, 2**31), st.integers(1, 40), st.integers(1, 40))
def test_agrees_with_pot(seed, n, m):
    given_problem = problem(seed, n, m)
    assert earth_movers_distance(*given_problem) == pytest.approx(by_pot(*given_problem), abs=1e-10)


def test_whole_weights_have_the_same_sum():
    """Sums just below a power of two among them: there every weight may be rounded up."""
    for seed in range(300):
        _, supply, _, demand = problem(seed, 35, 37)
        have, want, unit = whole_weights(supply * (1 - 2**-53), demand)
        assert sum(map(int, have)) == sum(map(int, want)) < 2**53
        assert np.abs(have * unit - supply).max() < 1e-15
    assert earth_movers_distance(*problem(2827, 35, 37)) == pytest.approx(by_pot(*problem(2827, 35, 37)), abs=1e-10)


@settings(max_examples=3)
@given(st.integers(0, 2**31))
def test_large_problems_which_are_solved_from_coarse_to_fine(seed):
    given_problem = problem(seed, 330, 350)
    assert earth_movers_distance(*given_problem) == pytest.approx(by_pot(*given_problem), abs=1e-10)


# ---------------------------------------------------------------------- degenerate problems


@st.composite
def degenerate(draw, most=14):
    """Few places and few weights, so that prices and weights are often equal, and partial sums too.

    Sources may coincide with sinks and with each other, lie on a line or all in one place, and weigh nothing.
    """
    width = draw(st.sampled_from([0, 1, 4]))
    height = draw(st.sampled_from([0, 0, 3]))
    place = st.tuples(st.integers(0, width), st.integers(0, height))
    sides = []
    for _ in range(2):
        places = draw(st.lists(place, min_size=1, max_size=most))
        weights = draw(st.lists(st.integers(0, 2), min_size=len(places), max_size=len(places)))
        sides.append((np.array(places, dtype=float), np.array(weights, dtype=float)))
    (source, supply), (sink, demand) = sides
    # Both sides have the same sum, which is a whole number of whole weights on either.
    if supply.sum() == 0 or demand.sum() == 0:
        supply, demand = np.ones(len(source)), np.ones(len(sink))
    return source, supply * demand.sum(), sink, demand * supply.sum()


HERE, THERE = np.zeros((1, 2)), np.array([[3.0, 4.0]])


@settings(max_examples=300)
@given(degenerate())
@example((HERE, np.ones(1), THERE, np.ones(1)))
@example((HERE, np.ones(1), HERE, np.ones(1)))
@example((np.repeat(HERE, 5, axis=0), np.ones(5), np.repeat(THERE, 4, axis=0), np.full(4, 1.25)))
@example((np.repeat(HERE, 3, axis=0), np.array([0.0, 0.0, 2.0]), THERE.repeat(3, axis=0), np.array([0.0, 2.0, 0.0])))
def test_degenerate_problems_agree_with_pot(given_problem):
    assert earth_movers_distance(*given_problem) == pytest.approx(by_pot(*given_problem), abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(20, 60), st.integers(2, 12))
def test_equal_weights_on_a_small_lattice_agree_with_the_best_assignment(seed, n, size):
    """Nearly every step changes no flow and many prices tie: where a simplex without a rule against it can go round."""
    rng = np.random.default_rng(seed)
    source, sink = rng.integers(0, size, (2, n, 2)).astype(float)
    cost = cdist(source, sink)
    expected = cost[linear_sum_assignment(cost)].sum()
    assert earth_movers_distance(source, np.ones(n), sink, np.ones(n)) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=2)
@given(st.integers(0, 2**31))
def test_ties_in_large_problems(seed):
    rng = np.random.default_rng(seed)
    source, sink = rng.integers(0, 12, (2, 300, 2)).astype(float)
    supply, demand = np.ones(300), rng.permutation(np.repeat([0.5, 1.0, 1.5], 100))
    expected = by_pot(source, supply, sink, demand)
    assert earth_movers_distance(source, supply, sink, demand) == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 2**31), st.floats(0, 1e-12))
def test_sums_that_differ_by_rounding(seed, noise):
    source, supply, sink, demand = problem(seed, 12, 9)
    expected = earth_movers_distance(source, supply, sink, demand)
    assert earth_movers_distance(source, supply * (1 + noise), sink, demand) == pytest.approx(expected, abs=1e-9)


def test_nothing_to_move():
    nothing = np.zeros(0)
    assert earth_movers_distance(np.zeros((0, 2)), nothing, np.zeros((0, 2)), nothing) == 0
    assert earth_movers_distance(HERE, np.zeros(1), THERE, np.zeros(1)) == 0


# ---------------------------------------------------------------------- what must hold


@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 12))
def test_along_a_line_it_is_the_area_between_the_distributions(seed, n, m):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(0, 9, n), rng.uniform(0, 9, m)
    supply, demand = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    places = [np.column_stack([values, np.zeros(len(values))]) for values in (x, y)]
    found = earth_movers_distance(places[0], supply, places[1], demand)
    assert found == pytest.approx(wasserstein_distance(x, y, supply, demand), abs=1e-10)


def whole_problem(seed, n, m):
    """Whole prices with ties, and whole weights with the same sum."""
    rng = np.random.default_rng(seed)
    supply, demand = rng.integers(1, 4, n), np.ones(m, dtype=np.int64)
    np.add.at(demand, rng.integers(0, m, max(int(supply.sum()) - m, 0)), 1)
    supply[0] += demand.sum() - supply.sum()
    return rng.integers(0, 5, (n, m)), supply, demand


@given(st.integers(0, 2**31), st.integers(1, 25), st.integers(1, 25))
def test_potentials_prove_the_plan(seed, n, m):
    """Duality: potentials that no pair undercuts are worth as much as the plan costs, so no plan is cheaper."""
    price, supply, demand = whole_problem(seed, n, m)
    parent, flow, potential = cheapest_plan(price, np.zeros(m, dtype=np.int64), supply, demand)
    plan = np.zeros((n, m), dtype=np.int64)
    for node in range(1, n + m):
        plan[min(node, parent[node]), max(node, parent[node]) - n] = flow[node]
    assert (plan.sum(axis=1) == supply).all()
    assert (plan.sum(axis=0) == demand).all()
    assert (plan >= 0).all()
    of_sources = (price - potential).min(axis=1)
    assert supply @ of_sources + demand @ potential == (plan * price).sum()
    assert all(flow[sink] > 0 for sink in range(n, n + m)), "strongly feasible"


@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 12))
def test_the_cost_does_not_depend_on_the_first_plan(seed, n, m):
    price, supply, demand = whole_problem(seed, n, m)
    guides = [np.zeros(m, dtype=np.int64), *np.random.default_rng(seed).integers(-9, 9, (3, m))]
    costs = set()
    for guide in guides:
        parent, flow, _ = cheapest_plan(price, guide, supply, demand)
        node = np.arange(1, n + m)
        costs.add(float((flow[1:] * price[np.minimum(node, parent[1:]), np.maximum(node, parent[1:]) - n]).sum()))
    assert len(costs) == 1


def test_removing_common_mass_changes_nothing():
    """The score from the whole distributions, without taking away what both have."""
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
