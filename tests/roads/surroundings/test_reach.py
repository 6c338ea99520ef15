"""Control points: closed forms, the slow version, and independence of how a network is written down."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from geoeval.model.road_network import RoadNetwork
from geoeval.roads.surroundings.reach import Reach
from tests.networks import BRIDGE, CROSS, RING, grid, network, small_lines, with_extra_vertices
from tests.roads.metamorphic import turned
from tests.roads.surroundings.slow_surroundings import control_points

LOLLIPOP = [[(0, 0), (30, 0)], [(30, 0), (45, 10), (45, -10), (30, 0)]]
PARALLEL = [[(0, 0), (20, 15), (40, 0)], [(0, 0), (20, -15), (40, 0)], [(40, 0), (60, 0)]]


def points(lines, place, radius, spacing):
    net = lines if isinstance(lines, RoadNetwork) else network(lines)
    at = net.nearest([place])
    return Reach(net).control_points(at.segment, at.offset, radius=radius, spacing=spacing)


def in_order(xy):
    xy = np.round(xy, 4) + 0.0
    return xy[np.lexsort([xy[:, 1], xy[:, 0]])]


@pytest.mark.parametrize(
    ("lines", "place", "radius", "spacing", "expected"),
    [
        ([[(0, 0), (100, 0)]], (0, 0), 60, 6, 11),
        ([[(0, 0), (100, 0)]], (50, 0), 30, 6, 11),
        ([[(0, 0), (100, 0)]], (50, 0), 200, 25, 5),  # ends at 50 count once each
        (CROSS, (0, 0), 30, 6, 21),
        (CROSS, (-12, 0), 30, 6, 1 + 5 + 2 + 3 * 3),  # the junction, at 12, counts once
        (RING, (0, 0), 1000, 8, 20),  # perimeter 160: 0, the peak at 80, and 9 levels twice
        (RING, (20, 0), 1000, 8, 20),  # the same wherever the ring is entered
        (RING, (20, 0), 1000, 9, 17),  # the highest level, 72, is below the peak
        (BRIDGE, (0, -10), 30, 6, 11),  # no way from the bridge to the road below
        (LOLLIPOP, (0, 0), 1000, 10, 4 + 2 * 2),  # 0 to 30 on the stem; 40 and 50 both ways round, 58 is the peak
        (PARALLEL, (0, 0), 1000, 25, 1 + 2 + 1),  # 0, two at 25, the junction at 50; the end at 70 is no level
        ([[(0, 0), (5, 0)]], (2, 0), 60, 6, 1),
        ([[(0, 0), (100, 0)]], (30, 0), 5, 6, 1),  # a radius below the spacing: the start alone
    ],
)
def test_known_counts(lines, place, radius, spacing, expected):
    assert len(points(lines, place, radius, spacing).xy) == expected


def test_lollipop_meets_itself_once_at_the_far_side():
    # The stem is 30 m; the loop has 18.0278 + 20 + 18.0278 = 56.0555 m, so that its far side is 58.0278 away.
    spacing = (30 + 56.05551275463989 / 2) / 4
    xy = points(LOLLIPOP, (0, 0), 1000, spacing).xy
    assert len(xy) == 1 + 2 + 2 + 1
    assert np.isclose(xy, (45, 0)).all(axis=1).sum() == 1


@settings(max_examples=60, deadline=None)
@given(small_lines(), st.integers(0, 10**6), st.sampled_from([3.0, 3.5, 7.0, 10.0]))
def test_agrees_with_the_slow_version(lines, seed, spacing):
    net = network(lines)
    if net.is_empty:
        return
    rng = np.random.default_rng(seed)
    at_node = net.nodes[rng.integers(len(net.nodes))]
    segment = net.nodes[net.segments[rng.integers(len(net.segments))]]
    for place in (at_node, segment.mean(axis=0), segment[0] + rng.random() * (segment[1] - segment[0])):
        fast = points(net, place, 40.0, spacing)
        slow = control_points(net, net.nearest([place]), radius=40.0, spacing=spacing)
        np.testing.assert_allclose(in_order(fast.xy), in_order(slow), atol=2e-4)


@settings(max_examples=40, deadline=None)
@given(small_lines(), st.integers(0, 10**6))
# A ring that leaves its first node and comes back to it on the same line.
@example([[(0, 0), (7, 0)], [(0, 0), (7, 0)], [(28, 28), (7, 7), (0, 7)], [(28, 28), (14, 7), (0, 7)]], 1)
def test_other_ways_to_write_the_same_network(lines, seed):
    net, other = network(lines), network(with_extra_vertices(lines, seed))
    if net.is_empty:
        return
    place = net.nodes[seed % len(net.nodes)] if seed % 2 else net.nodes[net.segments[seed % len(net.segments)]].mean(0)
    a, b = points(net, place, 45.0, 3.5), points(other, place, 45.0, 3.5)
    np.testing.assert_allclose(a.xy, b.xy, atol=1e-5)
    np.testing.assert_array_equal(a.road, b.road)
    np.testing.assert_allclose(a.along, b.along, atol=1e-5)


@pytest.mark.parametrize("shift", [0.0, 1e-7, 4e-7, 9e-7])
def test_rounding_to_micrometres_changes_no_count(shift):
    # Two equally long ways round a block whose corner is a micrometre off: the far corner is still one point.
    lines = [[(0, 0), (60, 0), (60 + shift, 60)], [(0, 0), (0, 60 - shift), (60, 60)]]
    lines[1][-1] = lines[0][-1]
    assert len(points(lines, (0, 0), 200, 10).xy) == 24


def test_the_far_side_of_a_ring_is_one_point_in_every_direction():
    seen = 0
    for degrees in range(1, 90):
        net = network(turned([[(0, 0), (15, 0), (15, 15), (0, 15), (0, 0)]], degrees))
        if 1e-9 < abs(net.length / 2 - 30) < 9e-7:  # but for rounding to micrometres half of the ring is 30 m
            start = turned([[(7.5, 0)]], degrees)[0][0]
            assert len(points(net, start, 60, 6).xy) == 10
            seen += 1
    assert seen > 20


def test_a_start_a_micrometre_from_a_junction_is_at_it():
    for offset in (0.0, 1e-6):
        assert len(points(CROSS, (offset, 0), 30, 6).xy) == 21


def test_many_starts_and_none():
    net = network(grid())
    reach = Reach(net)
    at = net.nearest([(50, 0), (0, 0), (120, 100)])
    segment = np.array([at.segment[0], -1, at.segment[1], at.segment[2]])
    offset = np.array([at.offset[0], 0.0, at.offset[1], at.offset[2]])
    together = reach.control_points(segment, offset, radius=180.0, spacing=6.0)
    assert together.count[1] == 0
    assert together.start[0] == 0
    assert set(together.start.tolist()) == {0, 2, 3}
    for i in (0, 2, 3):
        alone = reach.control_points(segment[i : i + 1], offset[i : i + 1], radius=180.0, spacing=6.0)
        np.testing.assert_array_equal(together.xy[together.first[i] : together.first[i + 1]], alone.xy)


def test_more_points_than_guessed():
    net = network(grid(12, 12, 50.0))
    at = net.nearest([(275, 275)])
    found = Reach(net).control_points(at.segment, at.offset, radius=2000.0, spacing=1.0)
    # Every level is met; all 13200 m of road are within reach, so there is about one point a metre.
    assert len(found.xy) == pytest.approx(net.length, rel=0.02)


def test_places_are_on_their_roads():
    net = network([*LOLLIPOP, [(30, 0), (30, 50)]])
    found = points(net, (3, 0), 60.0, 7.0)
    segment, offset = net.roads.locate(found.road, found.along, net.segment_lengths)
    ends = net.nodes[net.segments[segment]]
    xy = ends[:, 0] + (offset / net.segment_lengths[segment])[:, None] * (ends[:, 1] - ends[:, 0])
    np.testing.assert_allclose(xy, found.xy, atol=1e-9)


def test_an_empty_network_has_no_points():
    found = Reach(network([])).control_points(np.array([-1]), np.array([0.0]), radius=60.0, spacing=6.0)
    assert len(found.xy) == 0
    assert found.count.tolist() == [0]
