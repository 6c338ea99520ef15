import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval.lines.nearness import farthest, foot_on_line
from geoeval.model.courses import arc, bar, piece_lengths, polyline
from tests.lines.drawings import random_drawing
from tests.lines.slow_drawing import SlowLine, lines_of


def far(one, other, begin=0.0, end=None, limit=np.inf):
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    stop = piece_lengths(one).sum() if end is None else end
    return farthest(one, 0, len(one), begin, stop, other, 0, len(other), limit)


def test_between_two_legs_the_middle_is_farthest():
    # The distance to the left leg rises, to the right one falls; they meet at 5. Nothing else turns there.
    legs = polyline([(0, 100), (0, -100), (10, -100), (10, 100)])
    assert far(bar((0, 0), (10, 0)), legs) == pytest.approx(5)
    assert far(bar((0.5, 0), (9.7, 0)), legs) == pytest.approx(5)


def test_before_the_gap_of_a_ring_its_ends_are_equally_far():
    # An arc of radius 10 is open from -60 to 60 degrees, its ends at (5, ±8.66). On a line before it the distance to
    # the nearer end is largest at y = 0, where the nearer one changes: there x = 20.5, so sqrt(15.5² + 75).
    ring = arc((0, 0), 10, np.pi / 3, 4 * np.pi / 3)
    assert far(bar((20, -9), (21, 9)), ring) == pytest.approx(np.sqrt(15.5**2 + 75))


def test_inside_a_circle_the_place_nearest_to_the_centre_is_farthest():
    assert far(bar((-20, 3), (20, 3)), arc((0, 0), 10)) == pytest.approx(np.hypot(20, 3) - 10)
    assert far(bar((-10, 3), (10, 3)), arc((0, 0), 10)) == pytest.approx(7)
    assert far(arc((0, 0), 10), bar((-100, -4), (100, -4))) == pytest.approx(14)
    assert far(arc((0, 0), 10), arc((3, 4), 8)) == pytest.approx(7)  # opposite the other's centre: 10 + 5 - 8


def test_only_the_part_asked_for_counts():
    slope = bar((0, 0), (30, 40))
    assert far(slope, bar((0, 0), (100, 0))) == pytest.approx(40)
    assert far(slope, bar((0, 0), (100, 0)), end=25.0) == pytest.approx(20)
    assert far(slope, bar((0, 0), (100, 0)), begin=5.0, end=5.0) == pytest.approx(4)


def test_many_pieces_near_at_once():
    # From the middle of a circle of 360 chords all are equally far; so is a line that is gone along ten times.
    angle = np.linspace(0, 2 * np.pi, 361)
    ring = polyline(10 * np.column_stack([np.cos(angle), np.sin(angle)]))
    assert far(bar((-1, 0), (1, 0)), ring) == pytest.approx(10 * np.cos(np.pi / 360), abs=1e-3)
    there_and_back = polyline([(0, 0), (10, 0)] * 10)
    assert far(bar((0, 2), (10, 2)), there_and_back) == pytest.approx(2)


def test_the_search_ends_at_the_limit():
    assert far(bar((0, 0), (0, 100)), bar((0, 0), (1, 0)), limit=5.0) >= 5


@given(st.integers(0, 10**6))
def test_agrees_with_dense_sampling(seed):
    drawing = random_drawing(np.random.default_rng(seed), 2)
    one, other = np.split(drawing.pieces, drawing.first[1:-1])
    slow, target = (SlowLine(course, 1, 1, 1) for course in (one, other))
    expected = target.distance(slow.xy).max()
    step = slow.length / len(slow.xy)
    assert expected - 1e-2 <= far(one, other) <= expected + step + 1e-2


@given(st.integers(0, 10**6), st.floats(0, 100), st.floats(0, 100))
def test_feet_agree_with_dense_sampling(seed, x, y):
    drawing = random_drawing(np.random.default_rng(seed), 1)
    line = lines_of(drawing)[0]
    distance, way = foot_on_line(drawing.pieces, 0, len(drawing.pieces), x, y)
    assert distance == pytest.approx(line.distance(np.array([[x, y]]))[0], abs=1e-2)
    place = np.array([np.interp(way, line.way, line.xy[:, axis]) for axis in (0, 1)])
    assert np.hypot(*(place - [x, y])) == pytest.approx(distance, abs=5e-2)
