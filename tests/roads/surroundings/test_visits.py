"""Where control points go unmatched, as stretches of roads: by the definition, place by place."""

import numpy as np
import pytest

from geoeval.roads.surroundings import visits as module
from geoeval.roads.surroundings.visits import Visits, road_begins, unmatched_stretches
from tests.networks import network

SPACING = 6.0


def seen(net, points):
    """Visits of one start from (road, metres along it, matched)."""
    road, along, matched = (np.array(column) for column in zip(*points, strict=True))
    at = road_begins(net, SPACING)[road] + along
    return Visits(np.array([len(at)]), np.array([matched.sum()]), at, matched.astype(bool))


def stretches(net, points):
    found = unmatched_stretches(net, seen(net, points), spacing=SPACING)
    return [
        (int(road), round(float(begin), 6), round(float(end), 6), round(float(rate), 6))
        for road, begin, end, rate in zip(found.road, found.begin, found.end, found.rate, strict=True)
    ]


LINE = [[(0, 0), (100, 0)]]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(0, 50, False)], [(0, 47, 53, 1)]),
        ([(0, 50, True)], []),
        ([(0, 50, False), (0, 50, True)], [(0, 47, 53, 0.5)]),
        ([(0, 50, False), (0, 50, True), (0, 50, True)], []),
        ([(0, 44, False), (0, 50, False), (0, 56, False)], [(0, 41, 59, 1)]),  # windows that abut are one stretch
        ([(0, 20, False), (0, 50, False)], [(0, 17, 23, 1), (0, 47, 53, 1)]),
        ([(0, 20, False), (0, 28, False)], [(0, 17, 31, 1)]),  # 2 m between them say nothing
        ([(0, 20, False), (0, 29, False)], [(0, 17, 23, 1), (0, 26, 32, 1)]),  # 3 m do
        ([(0, 0, False), (0, 99, False)], [(0, 0, 3, 1), (0, 96, 100, 1)]),  # a road ends where it ends
        # From 47 to 48 one of one, from 48 to 53 one of two: together 6 m at (1 + 2.5) / 6.
        ([(0, 50, False), (0, 51, True)], [(0, 47, 53, 0.583333)]),
        # Only from 47 to 48, less than half a spacing.
        ([(0, 50, False), (0, 51, True), (0, 51, True)], []),
    ],
)
def test_on_one_road(points, expected):
    assert stretches(network(LINE), points) == expected


def test_a_road_shorter_than_half_a_spacing_is_shown():
    assert stretches(network([[(0, 0), (2, 0)]]), [(0, 1, False)]) == [(0, 0, 2, 1)]


def test_roads_do_not_run_into_each_other():
    net = network([[(0, 0), (30, 0)], [(30, 0), (60, 0)], [(30, 0), (30, 50)]])
    assert stretches(net, [(0, 29, False), (1, 1, False), (2, 1, True)]) == [(0, 26, 30, 1), (1, 0, 4, 1)]


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_the_definition(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    net = network([[(0, 0), (80, 0)], [(80, 0), (200, 0)], [(80, 0), (80, 45)], [(500, 0), (504, 0)]])
    points = []
    for road, length in enumerate(net.roads.length):
        points += [(road, x, rng.random() < 0.4) for x in rng.uniform(0, length, 40)]
    found = stretches(net, points)
    for road, length in enumerate(net.roads.length):
        marked = [(begin, end) for r, begin, end, _ in found if r == road]
        for x in rng.uniform(0, length, 60):
            close = [ok for r, at, ok in points if r == road and abs(at - x) <= SPACING / 2]
            bad = bool(close) and 2 * sum(not ok for ok in close) >= len(close)
            inside = any(begin <= x <= end for begin, end in marked)
            # Marked where the rate is high, but for what is finer than half a spacing.
            if inside != bad:
                nearby = [
                    (2 * sum(not ok for ok in near) >= len(near)) if near else False
                    for near in (
                        [ok for r, at, ok in points if r == road and abs(at - y) <= SPACING / 2]
                        for y in np.linspace(max(x - SPACING / 2, 0), min(x + SPACING / 2, length), 200)
                    )
                ]
                assert len(set(nearby)) == 2
    monkeypatch.setattr(module, "_AT_ONCE", 7)  # some roads at a time gives the same
    assert stretches(net, points) == found


def test_many_visits_are_taken_some_roads_at_a_time(monkeypatch):
    net = network([[(0, 0), (30, 0)], [(30, 0), (60, 0)], [(30, 0), (30, 50)]])
    points = [(road, x, False) for road in range(3) for x in range(0, 30, 6)]
    whole = stretches(net, points)
    for at_once in (1, 2, 5, 6):
        monkeypatch.setattr(module, "_AT_ONCE", at_once)
        assert stretches(net, points) == whole


def test_no_visits():
    none = np.zeros(0)
    found = unmatched_stretches(
        network(LINE), Visits(np.zeros(1, int), np.zeros(1, int), none, none.astype(bool)), spacing=SPACING
    )
    assert len(found.road) == 0
