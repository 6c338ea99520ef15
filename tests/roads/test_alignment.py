"""A constant offset is found and removed; the evaluated area follows the prediction."""

import numpy as np
import pytest

from geoeval import RoadNetwork
from geoeval.roads.alignment import estimate_offset, moved
from geoeval.roads.area import evaluated_area
from tests.networks import LINE, grid, network, noisy

TOWN = noisy(grid(8, 8), 15.0, seed=3)


@pytest.mark.parametrize(("dx", "dy"), [(0.0, 0.0), (7.0, -4.0), (-12.5, 3.0), (22.0, 18.0)])
def test_a_shift_is_found(dx, dy):
    reference = network(TOWN)
    found = estimate_offset(reference, moved(reference, dx, dy))
    assert (found.dx, found.dy) == pytest.approx((dx, dy), abs=0.02)


def test_a_shift_is_found_among_noise_and_missing_roads():
    reference = network(TOWN)
    prediction = moved(network(noisy(TOWN[::2], 1.0, seed=1)), 9.0, 6.0)
    found = estimate_offset(reference, prediction)
    assert (found.dx, found.dy) == pytest.approx((9.0, 6.0), abs=0.6)


def test_along_a_single_road_only_the_part_across_is_seen():
    reference = network([[(0, 0), (1000, 0)]])
    found = estimate_offset(reference, network([[(200, 5), (800, 5)]]))
    assert found.dy == pytest.approx(5, abs=0.01)
    assert found.dx == pytest.approx(0, abs=0.01)


def test_nothing_close_gives_no_offset():
    assert estimate_offset(network(LINE), network([[(0, 5000), (100, 5000)]])) is None
    assert estimate_offset(network(LINE), RoadNetwork.from_lines([])) is None


def test_moving_changes_nothing_else():
    net = network(TOWN)
    again = moved(moved(net, 3.25, -8.5), -3.25, 8.5)
    assert np.array_equal(again.nodes, net.nodes)
    assert np.array_equal(again.segments, net.segments)


def test_a_city_is_cut_to_the_neighbourhood_that_was_predicted():
    city, quarter = network(grid(20, 20)), network(grid(5, 5))
    area = evaluated_area(city, quarter)
    assert area.bounds == pytest.approx((-50, -50, 450, 450))
    assert evaluated_area(quarter, city) is None
    assert evaluated_area(city, city) is None
    assert evaluated_area(network(LINE), network([[(0, 0), (50, 0)]])) is None
