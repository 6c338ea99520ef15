"""Stretches of roads as lines with the ids along them, and parts of segments joined to such stretches."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.ops import substring

from geoeval.roads.geometry.pieces import cut_roads, join_pieces
from tests.networks import network, small_lines

BENT = [[(0, 0), (10, 0), (10, 10), (20, 10)]]


def cut(net, road, begin, end):
    return cut_roads(net, np.array([road]), np.array([float(begin)]), np.array([float(end)]))


@pytest.mark.parametrize(
    ("begin", "end", "expected", "ids"),
    [
        (0, 30, [(0, 0), (10, 0), (10, 10), (20, 10)], "a;b"),
        (2, 5, [(2, 0), (5, 0)], "a"),
        (5, 12, [(5, 0), (10, 0), (10, 2)], "a;b"),
        (10, 20, [(10, 0), (10, 10)], "b"),  # from vertex to vertex: neither of the other segments
        (29, 30, [(19, 10), (20, 10)], "a"),
    ],
)
def test_a_stretch_of_a_bent_road(begin, end, expected, ids):
    net = network([BENT[0][:2], BENT[0][1:3], BENT[0][2:]], ids=["a", "b", "a"])
    lines, names = cut(net, 0, begin, end)
    assert [tuple(p) for p in lines[0].coords] == expected
    assert names == [ids]


@settings(max_examples=40, deadline=None)
@given(small_lines(), st.integers(0, 10**6))
def test_agrees_with_shapely(lines, seed):
    net = network(lines)
    if net.is_empty:
        return
    rng = np.random.default_rng(seed)
    road = rng.integers(0, len(net.roads), 5)
    share = np.sort(rng.random((5, 2)), axis=1)
    begin, end = (share * net.roads.length[road][:, None]).T
    found, ids = cut_roads(net, road, begin, end)
    for line, name, r, a, b in zip(found, ids, road, begin, end, strict=True):
        whole = shapely.LineString(net.nodes[net.roads.nodes_of(r)])
        expected = substring(whole, a, b)
        assert shapely.hausdorff_distance(line, expected) < 1e-6
        assert line.length == pytest.approx(b - a, abs=1e-6)
        on_it = [str(net.source_ids[s]) for s in net.roads.segments_of(r)]
        assert set(name.split(";")) <= set(on_it)


def test_many_ids_are_cut_short():
    net = network([[(i, 0), (i + 1, 0)] for i in range(20)])
    _, ids = cut(net, 0, 0, 20)
    assert ids == ["0;1;2;3;4;5;6;7;…"]


def test_nothing_to_cut():
    lines, ids = cut_roads(network(BENT), np.zeros(0, dtype=int), np.zeros(0), np.zeros(0))
    assert len(lines) == len(ids) == 0


def test_parts_that_continue_one_another_are_joined():
    net = network(BENT)
    # Parts of segments, two of which meet at a vertex and two of which overlap; the fourth stands alone.
    joined = join_pieces(
        net,
        np.array([0, 1, 1, 2]),
        np.array([4.0, 0.0, 2.0, 6.0]),
        np.array([10.0, 3.0, 5.0, 9.0]),
        value=np.array([1.0, 5.0, 2.0, 3.0]),
    )
    np.testing.assert_allclose(joined.begin, [4, 26])
    np.testing.assert_allclose(joined.end, [15, 29])
    np.testing.assert_allclose(joined.length, [11, 3])
    np.testing.assert_allclose(joined.value, [5, 3])
    assert [list(line.coords) for line in joined.lines] == [[(4, 0), (10, 0), (10, 5)], [(16, 10), (19, 10)]]
    assert len(join_pieces(net, np.array([2]), np.array([6.0]), np.array([9.0]), min_length=3.0).lines) == 0
