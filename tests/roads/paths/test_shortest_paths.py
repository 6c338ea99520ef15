"""Shortest paths between places, against networkx on the uncontracted graph."""

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.model.road_network import Location
from geoeval.roads.geometry.sampling import coordinates, random_places
from geoeval.roads.paths.shortest_paths import PathFinder, distance_matrix, network_distances, rows, shortest_course
from tests import networks
from tests.roads.paths.slow_paths import slow_distances, slow_matrix


def at(network, *points):
    return network.nearest(np.array(points, dtype=float))


def between(network, a, b):
    return network_distances(network, at(network, a), at(network, b))[0]


def located(network, places):
    segment = np.array([place[0] for place in places], dtype=np.int64)
    offset = np.array([place[1] for place in places], dtype=np.float64)
    return Location(segment, offset, coordinates(network, segment, offset), np.zeros(len(segment)))


PARALLEL = [[(0, 0), (100, 0)], [(0, 0), (50, 10), (100, 0)], [(0, 0), (50, -80), (100, 0)]]
LOOP = [[(-50, 0), (0, 0)], [(0, 0), (40, 0), (40, 40), (0, 40), (0, 0)]]


@pytest.mark.parametrize(
    ("lines", "a", "b", "expected"),
    [
        (networks.LINE, (20, 0), (70, 0), 50),
        (networks.LINE, (20, 0), (20, 0), 0),
        (networks.TEE, (-30, 0), (0, 40), 70),
        (networks.BRIDGE, (-30, 0), (0, 40), np.inf),
        (networks.RING, (10, 0), (0, 10), 20),  # over the anchor
        (networks.RING, (10, 0), (40, 30), 60),
        (networks.RING, (39, 40), (40, 39), 2),
        (LOOP, (-10, 0), (0, 30), 40),
        (LOOP, (0, 5), (5, 0), 10),
        (LOOP, (10, 40), (40, 10), 60),
        (PARALLEL, (0, 0), (100, 0), 100),
        (PARALLEL, (0, 0), (50, 10), np.hypot(50, 10)),
    ],
)
def test_known_distances(lines, a, b, expected):
    network = networks.network(lines)
    assert between(network, a, b) == pytest.approx(expected, abs=1e-9)
    assert between(network, b, a) == between(network, a, b)


def test_around_is_shorter_than_along():
    # Both places are on the long way round; between them the short road is the quicker one.
    network = networks.network([[(0, 0), (0, 200), (10, 200), (10, 0)], [(0, 0), (10, 0)]])
    assert between(network, (0, 10), (10, 20)) == 40


def test_a_place_that_is_nowhere_is_not_reached():
    network = networks.network(networks.LINE)
    off = network.nearest([(50.0, 90.0)], max_distance=15)
    assert network_distances(network, off, at(network, (0, 0)))[0] == np.inf
    assert network_distances(network, at(network, (0, 0)), off)[0] == np.inf
    assert distance_matrix(network, off, at(network, (0, 0), (9, 0))).tolist() == [[np.inf, np.inf]]
    assert shortest_course(network, off, at(network, (0, 0))) == [None]


def test_no_places():
    network = networks.network(networks.LINE)
    none = network.nearest(np.zeros((0, 2)))
    assert network_distances(network, none, none).shape == (0,)
    assert distance_matrix(network, none, at(network, (1, 0))).shape == (0, 1)


@st.composite
def networks_with_places(draw, count=6):
    network = networks.network(draw(networks.small_lines()))
    places = []
    for _ in range(count):
        segment = draw(st.integers(0, len(network.segments) - 1))
        share = draw(st.sampled_from([0.0, 1.0, 0.5, 0.25, 0.3333]))
        places.append((segment, share * float(network.segment_lengths[segment])))
    return network, places


@settings(max_examples=100)
@given(networks_with_places())
def test_distances_agree_with_networkx(drawn):
    network, places = drawn
    expected = slow_matrix(network, places)
    where = located(network, places)
    np.testing.assert_allclose(distance_matrix(network, where, where), expected, rtol=0, atol=1e-6)
    pairs = list(itertools.product(places, places))
    start, end = located(network, [a for a, _ in pairs]), located(network, [b for _, b in pairs])
    np.testing.assert_allclose(network_distances(network, start, end), expected.ravel(), rtol=0, atol=1e-6)


@settings(max_examples=60)
@given(networks_with_places())
def test_courses_are_on_the_network_and_as_long_as_the_distance(drawn):
    network, places = drawn
    pairs = list(itertools.combinations(places, 2))
    start, end = located(network, [a for a, _ in pairs]), located(network, [b for _, b in pairs])
    roads = shapely.multilinestrings(network.lines)
    distances = network_distances(network, start, end)
    for i, course in enumerate(shortest_course(network, start, end)):
        if course is None:
            assert distances[i] in (0, np.inf)
            continue
        assert course.line.length == pytest.approx(distances[i], abs=1e-6)
        assert course.line.coords[0] == pytest.approx(start.xy[i], abs=1e-6)
        assert course.line.coords[-1] == pytest.approx(end.xy[i], abs=1e-6)
        vertices = shapely.get_coordinates(course.line)
        middles = (vertices[1:] + vertices[:-1]) / 2
        assert (shapely.distance(roads, shapely.points(np.concatenate([vertices, middles]))) < 1e-6).all()


@settings(max_examples=60)
@given(networks_with_places(count=7))
def test_paths_from_one_place_credit_the_roads_of_each_path(drawn):
    network, places = drawn
    paths = PathFinder(network)
    points = paths.places(located(network, places))
    rng = np.random.default_rng(0)
    got, expected = np.zeros((2, len(network.roads), 2))
    for i, lengths, _ in rows(paths, points, paths, points):
        weight = rng.integers(1, 9, (len(lengths), 2)).astype(float)
        paths.credit(i, points, lengths, weight, got)
        for j in range(len(lengths)):
            route = PathFinder(network).route(points[[i]], points[[i + 1 + j]], 0) or []
            expected[sorted({road for road, _, _ in route})] += weight[j]
    np.testing.assert_array_equal(got, expected)


def test_ids_come_in_the_order_of_the_course():
    network = networks.network([[(0, 0), (50, 0)], [(50, 0), (100, 0)], [(100, 0), (100, 50)]], ids=["a", "b", "c"])
    there, back = shortest_course(network, at(network, (10, 0), (100, 20)), at(network, (100, 20), (10, 0)))
    assert (there.ids, back.ids) == (["a", "b", "c"], ["c", "b", "a"])
    assert list(there.line.coords) == [(10, 0), (50, 0), (100, 0), (100, 20)]
    near = shortest_course(network, at(network, (10, 0)), at(network, (40, 0)))[0]
    assert (near.ids, list(near.line.coords)) == (["a"], [(10, 0), (40, 0)])


def test_directed_search_equals_full_search_in_a_winding_town():
    # Detours of up to 90 m, so that the straight line says little about a road.
    rng = np.random.default_rng(3)
    lines = [[a, *(np.add(a, b) / 2 + rng.uniform(-90, 90, (1, 2))).tolist(), b] for a, b in networks.grid(9, 9)]
    network = networks.network(lines)
    start, end = random_places(network, 300, rng), random_places(network, 300, rng)
    got = network_distances(network, start, end)
    np.testing.assert_array_equal(got, distance_matrix(network, start, end).diagonal())
    np.testing.assert_array_equal(got, network_distances(network, end, start))
    pairs = [((s, a), (t, b)) for s, a, t, b in zip(start.segment, start.offset, end.segment, end.offset, strict=True)]
    np.testing.assert_allclose(got, slow_distances(network, pairs), atol=1e-6)


def test_a_road_counts_once_where_a_path_leaves_it_and_comes_back():
    # From a place on the long road around by the short one; first from its end, then from inside.
    stubs = [[(0, 0), (0, -50)], [(10, 0), (10, -50)]]
    network = networks.network([[(0, 0), (0, 200), (10, 200), (10, 0)], [(0, 0), (10, 0)], *stubs])
    paths = PathFinder(network)
    # A place at a junction may be given on any road there; here it is on the long one.
    start = paths.places_on(np.full(2, network.roads.length.argmax()), np.array([0.0, 5.0]))
    end = paths.places(at(network, (10, 20), (10, 20)))
    for i, metres in enumerate((30, 35)):
        points = paths.places_on(np.append(start.road[i], end.road[i]), np.append(start.at[i], end.at[i]))
        _, lengths, _ = next(rows(paths, points, paths, points))
        assert lengths.tolist() == [metres]
        through = np.zeros((4, 2))
        paths.credit(0, points, lengths, np.ones((1, 2)), through)
        assert sorted(through[:, 0] * network.roads.length) == [0, 0, 10, 410]
        assert {road for road, _, _ in paths.route(start, end, i)} == set(np.flatnonzero(through[:, 1]))


def test_equal_paths_do_not_depend_on_vertices_order_or_direction():
    lines = networks.grid(5, 5)
    plain, other = networks.network(lines), networks.network(networks.with_extra_vertices(lines, seed=4))
    xy = [(0, 0), (400, 400), (50, 100), (300, 350), (0, 400), (400, 0)]
    corners = np.array(list(itertools.permutations(xy, 2)), dtype=float)
    for network in (plain, other):
        assert len(network.roads) == len(plain.roads)
    courses = [shortest_course(n, n.nearest(corners[:, 0]), n.nearest(corners[:, 1])) for n in (plain, other)]
    for one, two in zip(*courses, strict=True):
        assert one.line.length == pytest.approx(two.line.length, abs=1e-6)
        assert one.line.hausdorff_distance(two.line) < 1e-5


def test_far_from_the_origin():
    far = [[(x + 500_000, y + 5_400_000) for x, y in line] for line in networks.noisy(networks.grid(5, 5), 9.0)]
    near, there = networks.network(networks.noisy(networks.grid(5, 5), 9.0)), networks.network(far)
    rng = np.random.default_rng(1)
    start, end = random_places(near, 40, rng).xy, random_places(near, 40, rng).xy
    shift = (500_000, 5_400_000)
    one = network_distances(near, near.nearest(start), near.nearest(end))
    two = network_distances(there, there.nearest(start + shift), there.nearest(end + shift))
    np.testing.assert_allclose(one, two, atol=1e-4)
