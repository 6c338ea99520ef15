"""Exact distances along lines, against dense samples by shapely."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval._kernels.boxes import box_tree, nearest_distance
from geoeval._kernels.distance_along import offsets_along

whole = st.integers(0, 12).map(float)
real = st.floats(0, 12).map(lambda v: round(v, 3))
row = st.one_of(st.tuples(whole, whole, whole, whole), st.tuples(real, real, real, real))
segment = row.filter(lambda s: np.hypot(s[0] - s[2], s[1] - s[3]) > 1e-3)


def sampled(line, segments, count=2001):
    """Integral and maximum of the distance, by the trapezoid rule."""
    start, end = np.array(line[:2]), np.array(line[2:])
    places = shapely.points(start + np.linspace(0, 1, count)[:, None] * (end - start))
    away = shapely.distance(places, shapely.multilinestrings(list(np.reshape(segments, (-1, 2, 2)))))
    length = np.hypot(*(end - start))
    return np.trapezoid(away, dx=length / (count - 1)), away.max(), length / (count - 1)


@settings(max_examples=80)
@given(
    line=segment,
    segments=st.lists(segment, min_size=1, max_size=40),
    shift=st.sampled_from([(0.0, 0.0), (0.0, 0.0), (30.0, 0.0), (-500.0, 700.0)]),
)
def test_against_samples(line, segments, shift):
    line = np.add(line, [*shift, *shift])
    result = offsets_along(line[None], box_tree(np.array(segments)))
    integral, greatest, step = sampled(line, segments)
    assert result.integral[0] == pytest.approx(integral, abs=step**2 * 50)
    assert greatest - 1e-9 <= result.greatest[0] <= greatest + step
    length = np.hypot(*(line[2:] - line[:2]))
    place = shapely.Point(line[:2] + result.at[0] / length * (line[2:] - line[:2]))
    network = shapely.multilinestrings(list(np.reshape(segments, (-1, 2, 2))))
    assert place.distance(network) == pytest.approx(result.greatest[0], abs=1e-9)


@settings(max_examples=50)
@given(segments=st.lists(segment, min_size=1, max_size=60), x=real, y=real)
def test_nearest_distance(segments, x, y):
    tree = box_tree(np.array(segments))
    network = shapely.multilinestrings(list(np.reshape(segments, (-1, 2, 2))))
    assert nearest_distance(tree.segments, tree.boxes, x, y, np.empty(128, dtype=np.int64)) == pytest.approx(
        shapely.Point(x, y).distance(network)
    )


def test_closed_forms():
    tree = box_tree(np.array([[0.0, 0.0, 10.0, 0.0]]))
    lines = np.array([[0, 3, 10, 3], [0, -4, 0, 4], [10, 0, 14, 0], [13, -4, 13, 4], [2, 5, 2, 5]], dtype=float)
    result = offsets_along(lines, tree)
    along_a_point = 4 * 5 + 9 * np.arcsinh(4 / 3)  # twice the integral of sqrt(9 + t^2) from 0 to 4
    assert result.integral == pytest.approx([30, 16, 8, along_a_point, 0], abs=1e-12)
    assert result.greatest == pytest.approx([3, 4, 4, 5, 5], abs=1e-12)
    assert result.at[2] == pytest.approx(4)


def test_parts_that_touch_without_crossing():
    # The end (2, 8) of one segment lies on another: on the way past it both are equally far in one place only,
    # which happens to be the middle between two other changes.
    segments = [[2.0, 8.0, 2.0, 3.0], [4.0, 8.0, 6.0, 3.0], [9.0, 8.0, 1.0, 8.0]]
    line = [1.0, 8.0, 6.0, 9.0]
    result = offsets_along(np.array([line]), box_tree(np.array(segments)))
    # Above the long one all the way: from 0 to 1 m in a straight line.
    assert result.greatest[0] == pytest.approx(1.0)
    assert result.integral[0] == pytest.approx(np.hypot(5, 1) / 2)


def test_many_segments_equally_far():
    # A star of forty roads: all of them are equally far beyond its middle, and none is left out.
    angles = np.linspace(np.pi / 2, 3 * np.pi / 2, 40)
    star = np.column_stack([np.zeros((40, 2)), 100 * np.cos(angles), 100 * np.sin(angles)])
    result = offsets_along(np.array([[1.0, 0.0, 50.0, 0.0]]), box_tree(star))
    assert result.integral[0] == pytest.approx((50**2 - 1) / 2)
    assert result.greatest[0] == pytest.approx(50)


def test_nothing_is_infinitely_far():
    result = offsets_along(np.array([[0.0, 0.0, 1.0, 0.0]]), box_tree(np.zeros((0, 4))))
    assert np.isinf(result.integral).all()
    assert np.isinf(result.greatest).all()
