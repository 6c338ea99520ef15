"""Matching of paths: against a slow version, against all assignments, and what it uses up."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.roads.opt_p.decomposition import decompose, path_of
from geoeval.roads.opt_p.opt_p import match_path
from geoeval.roads.opt_p.path_matching import match_points, path_scores, points_along
from geoeval.roads.opt_p.target import BEGIN, END, HEAD, NEXT, SEGMENT, clip, make_target, remove
from geoeval.roads.opt_p.twins import twins
from tests.networks import network, noisy, small_lines
from tests.roads.opt_p.slow_opt_p import SlowTarget, follow, slow_scores

RADIUS = 12.0


def pair(lines, seed):
    """Two networks without any tie: everything moved by a random amount, some lines of one left out."""
    kept = [line for i, line in enumerate(lines) if (seed + i) % 4] or lines
    return network(noisy(lines, 1.5, seed)), network(noisy(kept, 1.5, seed + 1))


@settings(max_examples=25)
@given(small_lines(max_lines=4, size=56, step=14.0), st.integers(0, 10**6))
def test_agrees_with_slow_version(lines, seed):
    source, target = pair(lines, seed)
    points = points_along(decompose(source, np.random.default_rng(seed)), 11.0)
    tried, matches = match_points(make_target(target, RADIUS), points, RADIUS)
    apart = [points.xy[i:j].tolist() for i, j in itertools.pairwise(points.start)]
    expected, breaks = slow_scores(target, apart, RADIUS)
    assert path_scores(tried, matches.link) == pytest.approx(expected, abs=1e-9)
    assert (matches.link == 2).sum() == breaks


@settings(max_examples=20)
@given(small_lines(max_lines=3, size=42, step=14.0), st.integers(0, 10**6))
def test_no_assignment_is_better(lines, seed):
    source, target = pair(lines, seed)
    path = decompose(source, np.random.default_rng(0)).coordinates(0)
    found = match_path(path, target, max_distance=RADIUS, step=14.0)
    points = points_along(path_of(path), 14.0).xy
    path_points = [tuple(p) for p in points.tolist()]
    slow = SlowTarget(target, RADIUS)
    options = [slow.candidates(p) or [None] for p in path_points]
    if np.prod([len(o) for o in options], dtype=float) > 3000:
        return
    joined = []
    for p, q in itertools.pairwise(path_points):
        graph, _ = slow.near(p, q)
        joined.append({frozenset((a, b)) for a in graph for b in _reachable(graph, a)})
    best = min(
        (
            sum(
                a is not None and b is not None and frozenset((a[0], b[0])) not in joined[i]
                for i, (a, b) in enumerate(itertools.pairwise(choice))
            ),
            sum(c[2] for c in choice if c is not None),
        )
        for choice in itertools.product(*options)
    )
    matched = ~np.isnan(found.places[:, 0])
    assert found.unmatched == sum(o == [None] for o in options)
    assert found.breaks == best[0]
    assert ((found.places - points)[matched] ** 2).sum() == pytest.approx(best[1], abs=1e-3)


def _reachable(graph, node):
    todo, done = [node], {node}
    while todo:
        for other in graph[todo.pop()]:
            if other not in done:
                done.add(other)
                todo.append(other)
    return done


def test_slow_version_on_a_plain_gap():
    target = SlowTarget(network([[(0, 0), (44, 0)], [(55, 0), (100, 0)]]), 15.0)
    points = [(10.0 * k, 0.0) for k in range(11)]
    chosen, steps = follow(target, points)
    assert steps.count("broken") == 1
    assert None not in chosen


def used(target_network, path, radius=15.0, step=10.0):
    """Length that a path uses up."""
    target = make_target(target_network, radius)
    match_points(target, points_along(path_of(path), step), radius)
    return target_network.length - _left(target)


def _left(target):
    total = 0.0
    for head in target.segments[:, HEAD]:
        piece = head
        while piece >= 0:
            total += target.metres[piece, END] - target.metres[piece, BEGIN]
            piece = target.pieces[piece, NEXT]
    return total


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        ([[(0, 0), (100, 0)]], [(0, 0), (100, 0)], 100.0),
        ([[(0, 0), (100, 0)]], [(20, 3), (60, 3)], 40.0),
        ([[(0, 0), (13, 0), (55, 0), (100, 0)]], [(20, 3), (60, 3)], 40.0),
        ([[(0, 0), (45, 0)], [(55, 0), (100, 0)]], [(0, 0), (100, 0)], 85.0),
        # A detour inside the capsule is used in full, the shorter of two ways alone.
        ([[(0, 0), (40, 0), (40, 10), (60, 10), (60, 0), (100, 0)]], [(0, 0), (100, 0)], 120.0),
        ([[(0, 0), (40, 0), (50, 9), (60, 0), (100, 0)], [(40, 0), (50, -8), (60, 0)]], [(0, 0), (100, 0)], None),
        # Side roads stay.
        ([[(0, 0), (50, 0), (100, 0)], [(50, 0), (50, 80)]], [(0, 0), (100, 0)], 100.0),
    ],
)
def test_uses_exactly_what_it_walks(lines, path, expected):
    if expected is None:
        expected = 80 + 2 * np.hypot(10, 8)
    assert used(network(lines), path) == pytest.approx(expected, abs=1e-9)


def test_crossing_road_stays_joined():
    target_network = network([[(-50, 0), (0, 0), (50, 0)], [(0, -50), (0, 0), (0, 50)]])
    target = make_target(target_network, 15.0)
    match_points(target, points_along(path_of([(-50, 0), (50, 0)]), 10.0), 15.0)
    points, matches = match_points(target, points_along(path_of([(0, -50), (0, 50)]), 10.0), 15.0)
    assert path_scores(points, matches.link).tolist() == [1.0]
    assert target.counts[1] == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=12))
@settings(max_examples=60)
def test_remove_is_set_difference(cuts):
    line = network([[(0, 0), (30, 0)]])
    target = make_target(line, 15.0)
    rest = set(range(30))
    for a, b in cuts:
        low, high = min(a, b), max(a, b)
        remove(target, 0, float(low), float(high))
        rest -= set(range(low, high))
    pieces, head = [], target.segments[0, HEAD]
    while head >= 0:
        pieces.append(tuple(target.metres[head, [BEGIN, END]]))
        head = target.pieces[head, NEXT]
    assert {k for a, b in pieces for k in range(round(a), round(b))} == rest
    assert len(pieces) == target.counts[1] == sum(k - 1 not in rest for k in rest)


@given(small_lines(size=300, step=33.0), st.integers(0, 10**6))
@settings(max_examples=40)
def test_index_finds_all_in_a_capsule(lines, seed):
    roads = network(noisy(lines, 3.0, seed))
    rng = np.random.default_rng(seed)
    target, slow = make_target(roads, 20.0), SlowTarget(roads, 20.0)
    for _ in range(4):
        x, y = rng.uniform(-30, 330, 2).tolist()
        p, q = (x, y), (x + rng.uniform(-20, 20), y + rng.uniform(-20, 20))
        found = clip(target, *p, *q, 20.0)
        _, spans = slow.near(p, q)
        assert sorted(target.pieces[:found, SEGMENT].tolist()) == sorted(spans)


def test_long_segment_in_few_cells():
    target = make_target(network([[(0, 0), (30000, 30000)], [(0, 30000), (30000, 0)]]), 15.0)
    assert len(target.cells) < 8000
    assert clip(target, 20000.0, 20005.0, 20000.0, 20005.0, 15.0) == 1


def test_points_stand_at_equal_steps():
    points = points_along(path_of([(0, 0), (40, 0), (40, 7)]), 15.0)
    assert points.steps.tolist() == [4]
    assert points.along == pytest.approx([0, 11.75, 23.5, 35.25, 47])
    assert points.xy[-1].tolist() == [40, 7]
    assert points_along(path_of([(0, 0), (45, 0)]), 15.0).steps.tolist() == [3]
    assert points_along(path_of([(0, 0), (1, 0)]), 15.0).steps.tolist() == [1]


def test_room_grows_when_many_roads_are_near():
    fan = network([[(0, 0.1 * k), (60, 0.1 * k)] for k in range(150)])
    points, matches = match_points(make_target(fan, 15.0), points_along(path_of([(0, 7), (60, 7)]), 15.0), 15.0)
    assert path_scores(points, matches.link).tolist() == [1.0]


def test_twins_are_roads_in_the_same_place():
    one = network([[(0, 0), (100, 0)], [(0, 50), (100, 50)], [(0, 100), (100, 120)]])
    other = network([[(0, 0), (30, 0), (100, 0)], [(0, 50.5), (100, 50.5)], [(0, 100), (100, 140)]])
    below = twins(other, one)
    middles = other.nodes[other.segments].mean(axis=1)
    assert [bool(b >= 0) for b in below] == [bool(y == 0) for y in middles[:, 1]]
    assert twins(one, one).tolist() == list(range(3))
