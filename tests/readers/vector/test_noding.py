"""Which lines join: by hand, and against slow versions written differently."""

import itertools
import math
import random

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geoeval.crs import LOCAL_METRES
from geoeval.exceptions import ParameterError
from geoeval.model.line_parts import network_parts
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.vector.noding import node_lines
from tests.networks import small_lines


def noded(lines, node="ends", ids=None) -> RoadNetwork:
    parts = node_lines(network_parts(lines, ids), node=node)
    facts = {"crs": LOCAL_METRES, "source_ids": parts.ids, "problems": parts.problems}
    return RoadNetwork(parts.coordinates, parts.segments, **facts)


def places(network) -> set:
    return set(map(tuple, network.nodes.tolist()))


def edges(network) -> set:
    return {tuple(sorted(map(tuple, pair))) for pair in network.nodes[network.segments].tolist()}


def count_components(network) -> int:
    return int(network.components.max()) + 1


THROUGH = [(-100, 0), (100, 0)]


# ---------------------------------------------------------------------- by hand


@pytest.mark.parametrize("off", [0.0, 0.004, -0.004, 0.0099])
def test_an_end_on_a_line_joins_it_and_gives_it_a_vertex(off):
    network = noded([THROUGH, [(0, off), (0, 50)]])
    assert edges(network) == {((-100, 0), (0, off)), ((0, off), (100, 0)), ((0, off), (0, 50))}
    assert network.problems == ({"ends_snapped": 1} if off else {})


def test_an_end_farther_than_a_centimetre_stays_alone():
    assert count_components(noded([THROUGH, [(0, 0.011), (0, 50)]])) == 2


def test_two_lines_that_end_together_on_a_third_join_it():
    network = noded([THROUGH, [(0, 0), (0, 50)], [(0, 0), (0, -50)]])
    assert sorted(network.degrees.tolist()) == [1, 1, 1, 1, 4]


def test_an_end_that_meets_a_vertex_of_one_line_joins_another_line_that_passes():
    bend = [(-50, 30), (0, 0), (-50, -30)]
    network = noded([THROUGH, bend, [(0, 0), (0, 50)]])
    assert network.degrees.max() == 5


def test_ends_near_each_other_join_at_the_smaller_place():
    network = noded([[(0, 0), (10, 0)], [(10.005, 0.004), (20, 0)]])
    assert edges(network) == {((0, 0), (10, 0)), ((10, 0), (20, 0))}
    assert network.problems == {"ends_snapped": 2}
    assert count_components(noded([[(0, 0), (10, 0)], [(10.012, 0), (20, 0)]])) == 2


def test_an_end_near_a_vertex_takes_it_and_leaves_no_stub():
    network = noded([[(-100, 0), (0, 0), (100, 5)], [(0.003, -0.004), (0, -50)]])
    assert sorted(network.degrees.tolist()) == [1, 1, 1, 3]


def test_an_end_on_its_own_line_joins_it():
    six = [(0, 100), (0, 0), (40, 0), (40, 40), (0, 40)]
    network = noded([six])
    assert sorted(network.degrees.tolist()) == [1, 2, 2, 2, 3]


def test_lines_that_lie_upon_each_other_are_one_where_they_do():
    network = noded([[(0, 0), (60, 0)], [(40, 0), (100, 0)]])
    assert edges(network) == {((0, 0), (40, 0)), ((40, 0), (60, 0)), ((60, 0), (100, 0))}
    assert network.problems == {"duplicate_segments": 1}


def test_a_bridge_joins_only_where_crossings_do():
    bridge = [(0, -100), (0, 100)]
    assert count_components(noded([THROUGH, bridge])) == 2
    crossed = noded([THROUGH, bridge], "crossings")
    assert places(crossed) == {(-100, 0), (100, 0), (0, -100), (0, 100), (0, 0)}
    assert sorted(crossed.degrees.tolist()) == [1, 1, 1, 1, 4]


def test_a_line_that_crosses_itself_joins_itself_where_crossings_do():
    eight = [(0, 0), (20, 20), (20, 0), (0, 20)]
    assert sorted(noded([eight]).degrees.tolist()) == [1, 1, 2, 2]
    crossed = noded([eight], "crossings")
    assert sorted(crossed.degrees.tolist()) == [1, 1, 2, 2, 4]
    assert (10, 10) in places(crossed)


def test_a_vertex_on_a_line_joins_only_where_crossings_do():
    touching = [(-50, 30), (0, 0), (50, 30)]
    assert count_components(noded([THROUGH, touching])) == 2
    assert sorted(noded([THROUGH, touching], "crossings").degrees.tolist()) == [1, 1, 1, 1, 4]


def test_a_vertex_on_a_slanted_line_joins_although_its_place_is_rounded():
    slanted = [(0, 0), (1000, 333.333333)]
    vertex = (1000 / 7, 333.333333 / 7)
    for sign in (1, -1):
        beside = [(vertex[0] - 10, vertex[1] + sign * 20), vertex, (vertex[0] + 10, vertex[1] + sign * 20)]
        assert sorted(noded([slanted, beside], "crossings").degrees.tolist()) == [1, 1, 1, 1, 4]


def test_a_vertex_on_a_line_is_the_only_crossing_there():
    # The lines part so slowly that they also cross, two metres on, within a micrometre of each other.
    network = noded([[(0, 0), (1000, 0)], [(500, -1e-6), (900, 2e-4)]], "crossings")
    assert len(network.nodes) == 4


def test_a_crossing_next_to_a_vertex_is_at_the_vertex():
    network = noded([[(-100, 0), (0.004, 0), (100, 1)], [(0, -100), (0, 100)]], "crossings")
    assert len(network.nodes) == 5
    assert (0.004, 0) in places(network)


def test_three_lines_that_cross_almost_in_one_point_make_one_junction():
    network = noded([THROUGH, [(0, -100), (0, 100)], [(-100, -100.003), (100, 99.997)]], "crossings")
    assert sorted(network.degrees.tolist()) == [1] * 6 + [6]


def test_none_joins_nothing_but_equal_vertices():
    lines = [THROUGH, [(0, 0), (0, 50)], [(0, 50), (10, 50)]]
    assert count_components(noded(lines, "none")) == 2


def test_every_piece_keeps_the_id_of_its_line():
    network = noded([THROUGH, [(0, 0), (0, 50)], [(50, 0), (50, 50)]], ids=["through", "a", "b"])
    assert sorted(network.source_ids.tolist()) == ["a", "b", "through", "through", "through"]


@pytest.mark.parametrize("node", ["ends", "crossings", "none"])
def test_no_line_gives_no_line(node):
    assert noded([], node).is_empty


@pytest.mark.parametrize("node", ["ends", "crossings"])
def test_a_segment_without_length_does_no_harm(node):
    network = noded([[(0, 0), (0, 0), (10, 0)], [(5, 0), (5, 5), (5, 5)]], node)
    assert network.problems["zero_length_segments"] == 2
    assert sorted(network.degrees.tolist()) == [1, 1, 1, 3]


def test_an_unknown_way_to_join_is_refused_by_name():
    with pytest.raises(ParameterError, match="ends, crossings, none"):
        noded([THROUGH], "everything")


def test_coordinates_far_from_zero_join_alike():
    shift = np.array([678_901.234567, 6_789_012.345678])
    lines = [np.array(line) + shift for line in (THROUGH, [(13.7, 0.004), (0, 50)], [(40, -20), (47, 30)])]
    assert sorted(noded(lines).degrees.tolist()) == [1, 1, 1, 1, 1, 3]
    assert sorted(noded(lines, "crossings").degrees.tolist()) == [1, 1, 1, 1, 1, 3, 4]


# ---------------------------------------------------------------------- against slow versions


@st.composite
def nearly_joined(draw):
    """Lines over a coarse lattice, moved by a few millimetres; no distance is near 1 cm."""
    millimetres = st.sampled_from([0, 0, 0, 4, -4, 8])
    coordinate = st.tuples(st.integers(0, 3), millimetres).map(lambda k: (7000 * k[0] + k[1]) / 1000)
    point = st.tuples(coordinate, coordinate)
    return draw(st.lists(st.lists(point, min_size=2, max_size=4, unique=True), min_size=1, max_size=6))


def slow_ends(lines) -> set:
    """The edges after joining ends, by trying every end on every vertex and every segment."""
    vertices = {p for line in lines for p in line}
    ends = {line[i] for line in lines for i in (0, -1)}
    group = {p: {p} for p in vertices}
    for end, vertex in itertools.product(sorted(ends), sorted(vertices)):
        if math.dist(end, vertex) <= 0.01 and group[end] is not group[vertex]:
            group[end] |= group[vertex]
            for member in group[vertex]:
                group[member] = group[end]
    found = set()
    for line in lines:
        for a, b in itertools.pairwise(line):
            segment = shapely.LineString([a, b])
            inside = {min(group[e]) for e in ends if segment.distance(shapely.Point(e)) <= 0.01}
            inside -= {min(group[a]), min(group[b])}
            along = sorted((segment.project(shapely.Point(p)), p) for p in inside)
            assume(all(second[0] - first[0] > 1e-6 for first, second in itertools.pairwise(along)))
            chain = [min(group[a]), *(p for _, p in along), min(group[b])]
            found |= {tuple(sorted(pair)) for pair in itertools.pairwise(chain) if pair[0] != pair[1]}
    return found


@given(nearly_joined())
@settings(max_examples=100)
def test_ends_join_as_the_slow_version_says(lines):
    assert edges(noded(lines)) == slow_ends(lines)


@given(small_lines(max_lines=7))
@settings(max_examples=60)
def test_crossings_join_as_overlay_says(lines):
    whole = shapely.unary_union(shapely.MultiLineString(lines))
    parts = [np.round(shapely.get_coordinates(part), 6) for part in shapely.get_parts(whole)]
    pieces = {tuple(sorted(map(tuple, pair))) for part in parts for pair in itertools.pairwise(part.tolist())}
    corners = sorted({p for pair in pieces for p in pair})
    # Where overlay finds two corners within a centimetre, we find one; that has tests of its own.
    assume(all(math.dist(p, q) > 0.02 for p, q in itertools.combinations(corners, 2)))
    network = noded(lines, "crossings")
    assert len(network.nodes) == len(corners)
    nearest = {tuple(p): min(corners, key=lambda q: math.dist(p, q)) for p in network.nodes.tolist()}
    assert all(math.dist(p, q) < 1e-5 for p, q in nearest.items())
    ours = {tuple(sorted((nearest[a], nearest[b]))) for a, b in edges(network)}
    assert ours == pieces


@pytest.mark.parametrize("node", ["ends", "crossings"])
@given(lines=nearly_joined(), seed=st.integers(0, 9))
@settings(max_examples=40)
def test_the_order_and_direction_of_lines_leave_no_trace(node, lines, seed):
    shuffled = [line[::-1] if seed % 2 else line for line in lines]
    random.Random(seed).shuffle(shuffled)
    first, second = noded(lines, node), noded(shuffled, node)
    np.testing.assert_array_equal(first.nodes, second.nodes)
    np.testing.assert_array_equal(first.segments, second.segments)


@given(nearly_joined())
@settings(max_examples=40)
def test_joining_at_crossings_joins_whatever_ends_join(lines):
    by_ends, by_crossings = noded(lines), noded(lines, "crossings")
    assume(not by_ends.is_empty and not by_crossings.is_empty)
    assert count_components(by_crossings) <= count_components(by_ends) <= count_components(noded(lines, "none"))
