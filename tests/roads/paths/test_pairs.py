"""Which pairs the path metrics look at."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

from geoeval.exceptions import ParameterError
from geoeval.roads.paths.pairs import control_points, given_pairs, parse_pairs, partners, random_pairs
from geoeval.roads.paths.shortest_paths import PathFinder
from tests import networks


def paths_of(lines):
    return PathFinder(networks.network(lines))


def rounded(xy):
    return sorted(map(tuple, np.round(xy, 4).tolist()))


@pytest.mark.parametrize(
    ("lines", "spacing", "expected"),
    [
        ([[(0, 0), (100, 0)]], 50, [(0, 0), (50, 0), (100, 0)]),
        ([[(0, 0), (101, 0)]], 50, [(0, 0), (101 / 3, 0), (202 / 3, 0), (101, 0)]),
        ([[(0, 0), (49, 0)]], 50, [(0, 0), (49, 0)]),
        ([[(0, 0), (100, 0)]], np.inf, [(0, 0), (100, 0)]),
        ([[(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)]], 50, [(0, 0), (10, 10)]),
        ([[(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)]], 10, [(0, 0), (10, 0), (10, 10), (0, 10)]),
        (
            [[(-9, 0), (0, 0)], [(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)]],
            50,
            [(-9, 0), (0, 0), (10, 10)],
        ),
    ],
)
def test_control_points(lines, spacing, expected):
    assert rounded(control_points(paths_of(lines), spacing).places.xy) == rounded(np.array(expected, dtype=float))


@settings(max_examples=50)
@given(networks.small_lines())
def test_control_points_cover_each_road_in_equal_steps(lines):
    paths = paths_of(lines)
    points = control_points(paths, 9.0)
    network = paths.network
    assert len(rounded(points.places.xy)) == len(set(rounded(points.places.xy))) or len(network.roads) > 1
    for road in range(len(network.roads)):
        at = points.at[points.road == road]
        steps = np.diff(at)
        assert (at[0], at[-1]) == (0, pytest.approx(network.roads.length[road]))
        assert steps.max() <= 9.0 + 1e-6
        assert np.ptp(steps) < 1e-6
        assert (
            len(at) - 2 < network.roads.length[road] / 9.0 or network.roads.ends[road, 0] == network.roads.ends[road, 1]
        )
    for feature in network.features:
        assert np.linalg.norm(points.places.xy - network.nodes[feature], axis=1).min() < 1e-6


def test_control_points_know_nothing_of_vertices():
    lines = networks.noisy(networks.grid(), 8.0)
    one = control_points(paths_of(lines), 30.0).places
    two = control_points(paths_of(networks.with_extra_vertices(lines)), 30.0).places
    np.testing.assert_allclose(np.array(rounded(one.xy)), np.array(rounded(two.xy)), atol=1e-3)


def test_random_pairs_are_connected_uniform_and_repeatable():
    # Components of 300 m (a tee of 200 + 100) and 100 m: squares 9 to 1.
    paths = paths_of([[(0, 0), (100, 0), (200, 0)], [(100, 0), (100, 100)], [(0, 500), (100, 500)]])
    start, end = random_pairs(paths, 20_000, np.random.default_rng(1))
    assert paths.connected(start, end).all()
    for places in (start, end):
        assert (places.xy[:, 1] == 500).mean() == pytest.approx(0.1, abs=0.01)
        below = places.xy[places.xy[:, 1] < 500]
        assert (below[:, 1] > 0).mean() == pytest.approx(1 / 3, abs=0.015)
        assert np.histogram(below[below[:, 1] == 0, 0], 4, (0, 200))[0] == pytest.approx(3000, rel=0.1)
    large = start.xy[:, 1] < 500
    assert abs(np.corrcoef(start.xy[large, 0], end.xy[large, 0])[0, 1]) < 0.03
    again = random_pairs(paths, 20_000, np.random.default_rng(1))
    assert np.array_equal(again[0].xy, start.xy)
    assert np.array_equal(again[1].at, end.at)


def test_random_pairs_know_nothing_of_vertices():
    lines = [*networks.grid(3, 3), [(900, 0), (950, 30), (990, 0)]]
    one = random_pairs(paths_of(lines), 100, np.random.default_rng(2))
    two = random_pairs(paths_of(networks.with_extra_vertices(lines)), 100, np.random.default_rng(2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a.xy, b.xy, atol=1e-4)


def test_a_pair_is_never_one_place_twice():
    class Stuck:
        """Gives the same number again and again at first."""

        def __init__(self):
            self.calls = itertools.count()

        def random(self, shape):
            return np.full(shape, 0.5) if next(self.calls) < 2 else np.random.default_rng(0).random(shape)

    start, end = random_pairs(paths_of(networks.LINE), 3, Stuck())
    assert (start.at != end.at).all()


def test_partner_across_a_bridge_is_the_road_itself():
    for angle in (0.0, 0.3, 1.1):
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        paths = paths_of([(np.array(line) @ turn).tolist() for line in networks.BRIDGE])
        points = control_points(paths, 50.0).places
        assert partners(paths, paths, points, 15.0).road.tolist() == points.road.tolist()


def test_partners_beyond_the_distance_are_nowhere():
    here, there = paths_of(networks.LINE), paths_of([[(0, 15), (50, 15), (50, 40)]])
    places = given_pairs(here, np.array([[(0, 0), (66, 0)]], dtype=float))
    assert partners(here, there, places[0], 15.0).road.tolist() == [0]
    assert partners(here, there, places[1], 15.0).road.tolist() == [-1]


@pytest.mark.parametrize(
    "pairs", [0, -3, 2.5, True, "some", [(0, 0), (1, 1)], [[(0, 0), (1, np.nan)]], [[1], [2, 3]], None]
)
def test_pairs_that_make_no_sense(pairs):
    with pytest.raises(ParameterError, match="pairs"):
        parse_pairs(pairs)


def test_pairs_that_make_sense():
    assert parse_pairs(5) == parse_pairs(5.0) == parse_pairs(np.int64(5)) == 5
    assert parse_pairs("all") == "all"
    assert parse_pairs([]).shape == (0, 2, 2)
    assert parse_pairs((((0, 0), (1, 1)),)).tolist() == [[[0, 0], [1, 1]]]
