"""A network taken apart: every road once, from dead end to dead end, by geometry and seed alone."""

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.opt_p.decomposition import decompose, given_paths
from tests.networks import CROSS, LINE, RING, TEE, grid, network, noisy, small_lines, with_extra_vertices

LOLLIPOP = [[(-50, 0), (0, 0)], *[[(0, 0), (40, 0), (40, 40), (0, 40), (0, 0)]]]
TWO_LOOPS = [[(0, 0), (40, 0), (40, 40), (0, 0)], [(0, 0), (-40, 0), (-40, -40), (0, 0)]]
SHAPES = {
    "line": LINE,
    "tee": TEE,
    "cross": CROSS,
    "ring": RING,
    "lollipop": LOLLIPOP,
    "two loops": TWO_LOOPS,
    "apart": [*LOLLIPOP, *[[(x + 500, y) for x, y in line] for line in RING + TWO_LOOPS]],
    "grid": grid(3, 4),
}


def taken_apart(roads, seed=0):
    return decompose(roads, np.random.default_rng(seed))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_shapes(name, seed):
    check(network(SHAPES[name]), seed)


@settings(max_examples=60)
@given(small_lines(max_lines=8), st.integers(0, 1000))
def test_any_network(lines, seed):
    check(network(lines), seed)


def check(roads, seed):
    paths = taken_apart(roads, seed)
    assert paths.length.sum() == pytest.approx(roads.length)
    # Every segment once; a ring may begin inside one, which then comes in two parts.
    parts = {}
    for a, b, segment in zip(paths.begin, paths.end, paths.segment, strict=True):
        parts[segment] = parts.get(segment, 0.0) + np.hypot(*(b - a))
        ends = roads.nodes[roads.segments[segment]]
        assert np.hypot(*(ends - a).T).sum() == pytest.approx(roads.segment_lengths[segment], abs=1e-6)
    assert sorted(parts) == list(range(len(roads.segments)))
    assert [parts[s] for s in sorted(parts)] == pytest.approx(roads.segment_lengths.tolist())

    left = nx.MultiGraph([tuple(map(tuple, roads.nodes[pair].tolist())) for pair in roads.segments])
    for number in range(len(paths)):
        vertices = [tuple(p) for p in paths.coordinates(number).tolist()]
        edges = slice(paths.start[number], paths.start[number + 1])
        assert (paths.end[edges][:-1] == paths.begin[edges][1:]).all()
        inner = vertices[:-1]
        assert len(set(inner)) == len(inner), "a path visits no place twice but where it closes"
        dead_ends = {n for n, degree in left.degree if degree == 1}
        junctions = {n for n, degree in left.degree if degree > 2}
        if dead_ends:
            assert vertices[0] in dead_ends
            component = nx.node_connected_component(left, vertices[0])
            if len(component & dead_ends) > 1:
                assert vertices[-1] in dead_ends - {vertices[0]}
            else:
                assert vertices[-1] in vertices[:-1]
        elif junctions:
            assert vertices[0] in junctions
            assert vertices[-1] in vertices[:-1]
        else:
            assert vertices[0] == vertices[-1]
            vertices = [v for v in vertices if v in left]
            vertices.append(vertices[0])
        left.remove_edges_from(list(itertools.pairwise(vertices)))
    assert left.number_of_edges() == 0


def test_lollipop_is_one_path_from_its_end():
    paths = taken_apart(network(LOLLIPOP))
    assert len(paths) == 1
    assert paths.coordinates(0)[0].tolist() == [-50, 0]
    assert paths.coordinates(0)[-1].tolist() == [0, 0]


def test_ring_is_cut_at_a_random_place():
    starts = [taken_apart(network(RING), seed).coordinates(0)[0] for seed in range(8)]
    assert len({tuple(s) for s in starts}) == 8
    assert all(0 in s or 40 in s for s in starts)


def test_empty_network_has_no_paths():
    assert len(taken_apart(network([]))) == 0


@settings(max_examples=30)
@given(small_lines(), st.integers(0, 1000))
def test_vertices_order_and_direction_do_not_matter(lines, seed):
    lines = noisy(lines, 0.3, seed)
    plain, dense = network(lines), network(with_extra_vertices(lines, seed))
    one, other = taken_apart(plain, seed), taken_apart(dense, seed)
    assert one.length == pytest.approx(other.length, abs=1e-3)
    for number in range(len(one)):
        for end in (0, -1):
            assert one.coordinates(number)[end] == pytest.approx(other.coordinates(number)[end], abs=1e-3)


def test_seed_decides():
    town = network(grid(5, 5))
    same = [taken_apart(town, 3).begin.tobytes() for _ in range(2)]
    assert same[0] == same[1]
    assert len({taken_apart(town, seed).begin.tobytes() for seed in range(6)}) == 6


def test_choices_are_fair():
    arms = network(CROSS)
    seen = Counter()
    for seed in range(400):
        vertices = taken_apart(arms, seed).coordinates(0)
        seen[(tuple(vertices[0]), tuple(vertices[-1]))] += 1
    assert len(seen) == 12
    assert min(seen.values()) > 12
    assert max(seen.values()) < 60


def test_given_paths_must_lie_on_the_network():
    tee = network(TEE)
    paths = given_paths(tee, [[(-100, 0), (0, 0), (0, 100)], [(100, 0), (0, 0)]], "reference")
    assert paths.length.tolist() == [200, 100]
    assert (tee.nodes[tee.segments[paths.segment]].mean(axis=1) == (paths.begin + paths.end) / 2).all()
    with pytest.raises(ParameterError, match="leaves its roads"):
        given_paths(tee, [[(0, 0), (50, 50)]], "reference")
    with pytest.raises(ParameterError, match="coordinates"):
        given_paths(tee, [["a", "b"]], "reference")
