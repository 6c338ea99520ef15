"""The ground that a map covers: solid inside, close to its roads outside, and wider where there are fewer roads."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.coverage import CELL, coverage_of
from geoeval.crs import parse_crs
from tests.networks import grid, network

METRES = parse_crs("EPSG:32610")


def segments(lines):
    one = network(lines)
    return one.nodes[one.segments]


def covered(lines):
    return coverage_of([segments(lines)], METRES)


def test_a_town_covers_its_blocks_and_a_cell_or_two_around():
    town = covered(grid(6, 6))
    assert town.is_known
    # But for the cells at the very corners, which a disc does not reach.
    for arm in (shapely.box(-CELL, 0, 500 + CELL, 500), shapely.box(0, -CELL, 500, 500 + CELL)):
        assert town.polygon.covers(arm)
    assert shapely.box(0, 0, 500, 500).buffer(2 * CELL, join_style="mitre").covers(town.polygon)
    assert town.covers(np.array([[250.0, 250.0], [-100.0, 250.0]])).tolist() == [True, False]


def test_two_towns_are_two_grounds_and_a_lake_between_roads_is_none():
    apart = [[(x + 5000, y) for x, y in line] for line in grid(6, 6)]
    assert shapely.get_num_geometries(covered(grid(6, 6) + apart).polygon) == 2
    around_lake = [line for line in grid(30, 30) if not all(400 < x < 2500 and 400 < y < 2500 for x, y in line)]
    assert covered(around_lake).polygon.covers(shapely.Point(1450, 1450))
    assert shapely.get_num_interior_rings(covered(around_lake).polygon) == 0


def test_ground_follows_the_roads_and_not_their_hull():
    ell = [line for line in grid(41, 41) if min(max(x for x, _ in line), max(y for _, y in line)) <= 500]
    polygon = covered(ell).polygon
    assert polygon.area < 0.45 * polygon.convex_hull.area
    assert not polygon.covers(shapely.Point(1500, 1500))


def test_fewer_roads_have_a_larger_scale():
    lines = grid(20, 20)
    order = np.random.default_rng(0).permutation(len(lines))
    whole, half = (covered([lines[i] for i in order[:count]]) for count in (len(lines), len(lines) // 2))
    assert half.scale > whole.scale
    assert half.polygon.intersection(whole.polygon).area > 0.95 * whole.polygon.area


@pytest.mark.parametrize(
    "lines", [[[(0, 0), (2000, 10)]], [[(0, 0), (900, 900)]], [[(0, 0), (80, 0)], [(900, 700), (900, 790)]]]
)
def test_a_few_lines_do_not_tell_what_they_cover(lines):
    few = covered(lines)
    assert not few.is_known
    assert few.covers(np.array([[1e6, 1e6]])).all()
    assert few.polygon.covers(shapely.MultiLineString(lines))


def test_nothing_covers_nothing():
    for none in ([], [np.zeros((0, 2, 2))]):
        assert coverage_of(none, METRES).is_empty
        assert coverage_of(none, METRES).polygon.is_empty


def test_dots_are_counted_and_not_their_outlines():
    corners = np.array([(x, y) for x in range(0, 1000, 100) for y in range(0, 1000, 100)], dtype=float)
    boxes = shapely.box(*corners.T, *(corners + 12).T)
    xy = shapely.get_coordinates(boxes).reshape(-1, 5, 2)
    outlines = np.stack([xy[:, :-1], xy[:, 1:]], axis=2).reshape(-1, 2, 2)
    whole = coverage_of([outlines], METRES, dots=corners + 6)
    assert whole.is_known
    assert whole.polygon.covers(shapely.box(0, 0, 912, 912))
    assert whole.polygon.area < 1.3 * 912**2


places = st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000))


@given(st.lists(st.tuples(places, places), min_size=1, max_size=40), st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=60, deadline=None)
def test_batches_order_and_direction_leave_no_trace(pairs, cuts):
    ends = np.array(pairs, dtype=float) / 7
    once = coverage_of([ends], METRES)
    turned = np.random.default_rng(len(cuts)).permutation(ends)[:, ::-1]
    parts = coverage_of(np.split(turned, sorted(min(cut, len(ends)) for cut in cuts)), METRES)
    assert (once.size, once.scale) == (parts.size, parts.scale)
    assert np.array_equal(once.cells, parts.cells)
    assert once.polygon.wkb == parts.polygon.wkb
    # Each cell holds a place of some segment, and each end lies in a cell.
    held = {tuple(cell) for cell in once.cells.tolist()}
    assert {tuple(cell) for cell in np.floor(ends.reshape(-1, 2) / once.size).astype(int).tolist()} <= held
    squares = shapely.box(*(once.cells * once.size).T, *((once.cells + 1) * once.size).T)
    assert (shapely.distance(squares, shapely.multilinestrings(list(ends))) < 1e-9).all()
    assert shapely.covers(once.polygon.buffer(1e-6), shapely.linestrings(ends)).all()


@given(st.lists(st.tuples(places, places), min_size=30, max_size=60))
@settings(max_examples=20, deadline=None)
def test_the_grown_and_shrunk_ground_is_what_buffers_give(pairs):
    """The disc of cells against GEOS: to a cell or two of each other along the border."""
    one = coverage_of([np.array(pairs, dtype=float) / 10], METRES)
    if one.is_known:
        step = max(one.size, one.scale / 32)
        squares = shapely.union_all(shapely.box(*(one.cells * one.size).T, *((one.cells + 1) * one.size).T))
        closed = squares.buffer(one.scale / 2).buffer(step - one.scale / 2)
        filled = shapely.union_all([shapely.Polygon(part.exterior) for part in shapely.get_parts(closed)])
        assert filled.buffer(3 * step).covers(one.polygon)
        assert one.polygon.buffer(3 * step).covers(filled)


def test_a_country_has_larger_cells():
    far = [[(x * 40, y * 40) for x, y in line] for line in grid(20, 20)]
    country = covered(far)
    assert country.size == 64.0
    assert np.ptp(country.cells, axis=0).max() < 2048
