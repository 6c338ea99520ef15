import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geoeval._kernels.capsules import capsule_interval

coordinate = st.integers(-40, 40).map(lambda k: k / 4)
wide = st.floats(-12, 12).map(lambda v: round(v, 4))
point = st.one_of(st.tuples(coordinate, coordinate), st.tuples(wide, wide))


def distance(a, b, share, p, q):
    """Distance of the place at a share of a-b to p-q, by shapely."""
    place = shapely.Point(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
    other = shapely.Point(p) if p == q else shapely.LineString([p, q])
    return place.distance(other)


@settings(max_examples=100)
@given(a=point, b=point, p=point, q=point, radius=st.floats(0.25, 9.0))
def test_inside_is_near_and_outside_is_far(a, b, p, q, radius):
    lo, hi = capsule_interval(*a, *b, *p, *q, radius)
    for share in np.linspace(0, 1, 41):
        far = distance(a, b, share, p, q) - radius
        if abs(far) > 1e-7:
            assert (lo <= share <= hi) == (far < 0)
    if lo <= hi:
        assert 0 <= lo <= hi <= 1
        for share in (lo, hi):
            assert distance(a, b, share, p, q) <= radius + 1e-9
            if 0 < share < 1:
                assert distance(a, b, share, p, q) == pytest.approx(radius, abs=1e-7)


@settings(max_examples=60)
@given(a=point, b=point, p=point, q=point, radius=st.floats(0.25, 9.0))
def test_direction_and_place_do_not_matter(a, b, p, q, radius):
    assume(a != b)
    lo, hi = capsule_interval(*a, *b, *p, *q, radius)
    assume(lo <= hi and hi - lo > 1e-6)
    assert capsule_interval(*a, *b, *q, *p, radius) == pytest.approx((lo, hi), abs=1e-9)
    assert capsule_interval(*b, *a, *p, *q, radius) == pytest.approx((1 - hi, 1 - lo), abs=1e-9)
    # As far from the origin as national grids are: coordinates carry an error of a nanometre there.
    moved = [value + shift for xy in (a, b, p, q) for value, shift in zip(xy, (5e5, 5e6), strict=True)]
    lo, hi = capsule_interval(*a, *b, *p, *q, radius + 1e-8)
    assert np.allclose(capsule_interval(*moved, radius + 1e-8), (lo, hi), atol=1e-3)


@pytest.mark.parametrize(
    ("a", "b", "p", "q", "radius", "expected"),
    [
        ((0, 0), (10, 0), (2, 3), (6, 3), 3, (0.2, 0.6)),  # touches the straight side
        ((0, 0), (10, 0), (4, 0), (4, 0), 2, (0.2, 0.6)),  # a disc
        ((0, 0), (10, 0), (4, 0), (6, 0), 1, (0.3, 0.7)),  # along the axis, through both caps
        ((0, 0), (10, 0), (5, -50), (5, 50), 1, (0.4, 0.6)),  # across
        ((0, 0), (10000, 0), (5000, -50), (5000, 50), 1, (0.4999, 0.5001)),  # a small part of a long road
        ((0, 0), (10, 0), (-50, 0), (50, 0), 1, (0.0, 1.0)),  # wholly inside
        ((0, 0), (10, 0), (-4, 3), (0, 3), 5, (0.0, 0.4)),  # leaves through a cap
        ((3, 1), (3, 1), (0, 0), (9, 0), 1, (0.0, 1.0)),  # a point inside
    ],
)
def test_closed_forms(a, b, p, q, radius, expected):
    assert capsule_interval(*map(float, (*a, *b, *p, *q)), float(radius)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "p", "q"),
    [
        ((0, 0), (10, 0), (0, 1.01), (10, 1.01)),
        ((0, 0), (10, 0), (11.01, 0), (20, 0)),
        ((3, 2), (3, 2), (0, 0), (9, 0)),
        ((0, 0), (10, 0), (4, 1.01), (4, 1.01)),
        ((0, 0), (10, 10), (7, 0), (9, 2)),
    ],
)
def test_outside(a, b, p, q):
    lo, hi = capsule_interval(*map(float, (*a, *b, *p, *q)), 1.0)
    assert lo > hi
