"""Polygons without the ground near their outline, against shapely's buffers."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval.model.object_map import ObjectMap
from geoeval.objects.inner_rings import inner_rings

CRS = "EPSG:32616"


@st.composite
def convex(draw):
    """Corners on a circle, none of them nearly straight: between 3 and 9, so every polygon turns left at each."""
    angles = sorted(draw(st.sets(st.integers(0, 17), min_size=3, max_size=9)))
    turned = np.radians(20 * np.array(angles) + draw(st.integers(0, 19)))
    radius = draw(st.integers(2, 20))
    return shapely.Polygon(np.column_stack([500_000 + radius * np.cos(turned), 4e6 + radius * np.sin(turned)]))


@given(st.lists(convex(), min_size=1, max_size=4), st.floats(0.05, 6.0))
def test_a_convex_polygon_shrinks_exactly(shapes, width):
    """What is left of it is what a buffer with mitred corners leaves, which has no arcs inwards."""
    objects = ObjectMap.from_polygons(shapes, crs=CRS)
    rows = np.arange(len(objects))
    rings, number = inner_rings(objects, rows, width)
    expected = shapely.buffer(objects.polygons, -width, join_style="mitre", mitre_limit=1e6)
    assert rings.areas()[number] == pytest.approx(shapely.area(expected), abs=1e-6)
    for row in rows:
        left = rings.polygon(number[row])
        assert left.symmetric_difference(expected[row]).area == pytest.approx(0.0, abs=1e-6)


def test_any_other_is_buffered():
    corner = shapely.union(shapely.box(0, 0, 30, 10), shapely.box(0, 0, 10, 30))
    court = shapely.box(50, 0, 90, 40).difference(shapely.box(60, 10, 80, 30))
    square = shapely.box(100, 0, 110, 10)
    objects = ObjectMap.from_polygons([corner, court, square], crs=CRS)
    # In another order, and one of them twice.
    rows = np.array([2, 0, 1, 0])
    rings, number = inner_rings(objects, rows, 2.0)
    expected = shapely.area(shapely.buffer(objects.polygons[rows], -2.0, quad_segs=8))
    assert rings.areas()[number] == pytest.approx(expected, abs=1e-9)
    nothing = inner_rings(objects, rows[:1], 6.0)
    assert nothing[0].areas()[nothing[1]].tolist() == [0.0]
