"""Pieces that become one object: nothing of them is lost, whatever their corners."""

import numpy as np
import shapely
from hypothesis import example, given
from hypothesis import strategies as st

from geoeval.readers.joining import REACH, _union

# Half metres: corners of two pieces often lie in a line, and as near to two others.
halves = st.integers(0, 16).map(lambda number: number / 2)


@st.composite
def pieces(draw, least=2, most=3):
    """Valid polygons, one to the right of the other; each keeps away from the border by half a metre or less."""
    found = []
    for k in range(draw(st.integers(least, most))):
        points = draw(st.lists(st.tuples(halves, halves), min_size=3, max_size=9, unique=True))
        gap = draw(st.sampled_from([0.0, 0.15, 0.5]))
        ring = shapely.Polygon(np.add(points, (9 * k, 0)))
        shape = shapely.make_valid(ring, method="structure", keep_collapsed=False)
        inside = shapely.intersection(shape, shapely.box(9 * k + gap, -1, 9 * k + 8, 99))
        shape = shapely.union_all([part for part in shapely.get_parts(inside) if part.area])
        found.append(shape if shape.area else shapely.box(9 * k + gap, 0, 9 * k + 8, 8))
    nearer = [shapely.transform(shape, lambda xy, k=k: xy - (k, 0)) for k, shape in enumerate(found)]
    return np.array([None, *nearer], dtype=object)[1:]


def of_text(*texts):
    return shapely.from_wkt(np.array([f"POLYGON (({text}))" for text in texts], dtype=object))


@given(pieces())
@example(of_text("-0.5 6, -2 8, -1 11, -0.5 6", "4.5 -1.5, 0.5 -2.5, 0.5 5.5, 0.5 6, 4.5 -1.5"))
@example(of_text("-0.5 4, -0.5 2.5, -1 3.5, -0.5 4", "5 4, 1.5 6, 0.5 4.5, 0.5 7.5, 5 4"))
@example(of_text("-0.5 4, -0.5 3.5, -1 3.5, -0.5 4", "0.5 0, 0.5 4, 1.5 -2.5, 0.5 0"))
@example(of_text("-1.5 7, -1 5.5, -4.5 5.5, -1.5 7", "0.5 4, 0.5 5.5, 1 4, 0.5 4"))
def test_the_union_of_pieces_has_their_ground(given_pieces):
    """Snapping moves corners by the gap at most, and may fold a narrow piece; the ground is still that of both."""
    whole, plain = _union(given_pieces), shapely.union_all(given_pieces)
    assert whole.is_valid
    assert whole.geom_type in {"Polygon", "MultiPolygon"}
    rounding = 1e-5 * plain.length
    assert whole.area >= plain.area - rounding
    moved = 1e-3
    for k in range(1, len(given_pieces)):
        moved += 2 * min(shapely.distance(shapely.union_all(given_pieces[:k]), given_pieces[k]), 2 * REACH)
    assert plain.difference(whole.buffer(moved)).area <= rounding
    assert whole.difference(plain.buffer(1.01 * moved)).area <= rounding


def test_a_gap_between_pieces_is_closed():
    whole = _union(np.array([shapely.box(0, 0, 9.5, 6), shapely.box(10, 0, 20, 6), shapely.box(20.3, 0, 30, 6)]))
    assert whole.equals(shapely.box(0, 0, 30, 6))
