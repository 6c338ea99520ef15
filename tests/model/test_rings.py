"""Areas on the corners of polygons are those of the geometries that shapely draws."""

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval.model import rings
from geoeval.model.rings import rings_of

# Coordinates of a map: small shapes far from the origin. Whole numbers, so that sides touch, coincide and are upright.
ORIGIN = np.array([500_000.0, 5_200_000.0])
# Square metres: the crossings that shapely draws there are rounded to nanometres.
ROUNDING = 1e-7


@st.composite
def polygons(draw):
    """A polygon or several, with holes, made of boxes and triangles that may touch; valid, and sometimes empty."""
    number = st.integers(0, 8)
    shape = shapely.Polygon()
    for _ in range(draw(st.integers(1, 4))):
        points = draw(st.lists(st.tuples(number, number), min_size=3, max_size=4, unique=True))
        part = shapely.MultiPoint(ORIGIN + np.array(points)).convex_hull
        if part.area:
            shape = shape.difference(part) if draw(st.booleans()) else shape.union(part)
    return shape if shape.geom_type in {"Polygon", "MultiPolygon"} else shapely.Polygon()


def reversed_rings(shape):
    parts = [
        shapely.Polygon(part.exterior.coords[::-1], [hole.coords[::-1] for hole in part.interiors])
        for part in shapely.get_parts(shape)
    ]
    return shapely.MultiPolygon(parts) if parts else shape


@pytest.fixture(params=[False, True], ids=["corners", "drawn"], autouse=True)
def way(request, monkeypatch):
    """Both ways to measure: on the corners, and by drawing where there are very many of them."""
    if request.param:
        monkeypatch.setattr(rings, "_MANY_PAIRS", 0)
        monkeypatch.setattr(rings, "_MANY_SIDES", 0)


@given(st.lists(st.tuples(polygons(), polygons()), min_size=1, max_size=4), st.booleans())
def test_common_areas(pairs, turned):
    one, other = (np.array(side, dtype=object) for side in zip(*pairs, strict=True))
    given_one = np.array([reversed_rings(shape) for shape in one], dtype=object) if turned else one
    first, second = rings_of(given_one), rings_of(other)
    assert first.areas() == pytest.approx(shapely.area(one), abs=ROUNDING)
    rows, partners = (grid.ravel() for grid in np.indices((len(one), len(other))))
    found = first.common_areas(rows, second, partners)
    assert found == pytest.approx(shapely.area(shapely.intersection(one[rows], other[partners])), abs=ROUNDING)
    joined = first.joined(second)
    assert joined.common_areas(rows, joined, len(one) + partners) == pytest.approx(found, abs=ROUNDING)
    for row in range(len(one)):
        assert first.polygon(row).symmetric_difference(one[row]).area == pytest.approx(0.0, abs=ROUNDING)


@given(st.lists(polygons(), min_size=1, max_size=5))
def test_lone_areas(shapes):
    shapes = np.array([shape for shape in shapes if shape.area] or [shapely.box(*ORIGIN, *(ORIGIN + 1))], dtype=object)
    rows = np.arange(len(shapes))
    near = np.array([other for row in rows for other in rows if other < row], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(rows)])
    alone = [
        shape.difference(shapely.union_all(shapes[:row])).area if row else shape.area
        for row, shape in enumerate(shapes)
    ]
    assert rings_of(shapes).lone_areas(rows, start, near) == pytest.approx(alone, abs=ROUNDING)


def test_what_is_empty_has_no_ring():
    """A polygon without a vertex, several of them, and none in a list, wherever they stand."""
    square = shapely.box(0, 0, 2, 2)
    shapes = np.array([shapely.Polygon(), square, shapely.MultiPolygon(), shapely.Polygon()], dtype=object)
    own = rings_of(shapes)
    assert np.diff(own.first).tolist() == [0, 1, 0, 0]
    assert own.begin.tolist() == [0, 5]
    assert own.areas().tolist() == [0, 4, 0, 0]
    rows, partners = (grid.ravel() for grid in np.indices((4, 4)))
    assert own.common_areas(rows, own, partners).tolist() == [
        4.0 * (i == j == 1) for i, j in zip(rows, partners, strict=True)
    ]


def test_a_polygon_alone_is_measured_by_its_own_sides(monkeypatch):
    """Neighbours of the next one, or of none, do not count: they would choose another way to measure."""
    circle = shapely.Point(0, 0).buffer(5)
    shapes = np.array([shapely.box(20, 0, 21, 1), shapely.box(0, 0, 9, 1), circle, shapely.box(40, 0, 41, 1)])
    own = rings_of(shapes)
    drawn = []
    monkeypatch.setattr(rings, "_MANY_SIDES", 20)
    monkeypatch.setattr(rings.Rings, "polygon", lambda _, i: drawn.append(i) or shapes[i])
    found = own.lone_areas(np.array([0, 1, 3]), np.array([0, 0, 1, 1]), np.array([2]))
    assert found == pytest.approx([1, shapely.difference(shapes[1], circle).area, 1])
    assert drawn == [2, 1]


def test_no_polygons():
    none = rings_of(np.zeros(0, dtype=object))
    nothing = np.zeros(0, dtype=np.int64)
    assert len(none) == len(none.areas()) == len(none.common_areas(nothing, none, nothing)) == 0
