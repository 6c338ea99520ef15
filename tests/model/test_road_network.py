"""The invariants of a network, its contraction to roads, clipping, and nearest places."""

import itertools

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import GeoevalError, RoadNetwork
from tests.networks import BRIDGE, CROSS, LINE, RING, TEE, grid, network, small_lines, with_extra_vertices


def assert_same(a: RoadNetwork, b: RoadNetwork) -> None:
    assert np.array_equal(a.nodes, b.nodes)
    assert np.array_equal(a.segments, b.segments)


def plain_graph(net: RoadNetwork) -> nx.Graph:
    graph = nx.Graph()
    graph.add_edges_from(map(tuple, net.segments.tolist()))
    return graph


@given(small_lines())
def test_constructor_makes_the_invariants_hold(lines):
    net = network(lines)
    assert len(np.unique(net.nodes, axis=0)) == len(net.nodes)
    assert (net.segment_lengths > 0).all()
    assert len({frozenset(pair) for pair in net.segments.tolist()}) == len(net.segments)
    assert set(net.segments.ravel().tolist()) == set(range(len(net.nodes)))
    pieces = {frozenset([a, b]) for line in lines for a, b in itertools.pairwise(line) if a != b}
    assert net.length == pytest.approx(sum(np.hypot(*np.subtract(*tuple(piece))) for piece in pieces))


@given(small_lines(), st.randoms())
def test_order_and_direction_leave_no_trace(lines, random):
    shuffled = [line[::-1] if random.random() < 0.5 else line for line in random.sample(lines, len(lines))]
    assert_same(network(lines), network(shuffled))


@given(small_lines(), st.integers(0, 1000))
@settings(max_examples=60)
def test_roads_depend_on_geometry_alone(lines, seed):
    a, b = network(lines), network(with_extra_vertices(lines, seed))
    assert len(a.roads) == len(b.roads)
    assert a.roads.length == pytest.approx(b.roads.length, abs=1e-4)
    assert a.nodes[a.roads.ends] == pytest.approx(b.nodes[b.roads.ends], abs=1e-6)
    assert a.roads.closed.tolist() == b.roads.closed.tolist()


@given(small_lines())
def test_roads_cover_every_segment_once(lines):
    net = network(lines)
    roads = net.roads
    assert sorted(roads.path_segment.tolist()) == list(range(len(net.segments)))
    graph = plain_graph(net)
    features = {node for node, degree in graph.degree if degree != 2}
    for road in range(len(roads)):
        nodes, segments = roads.nodes_of(road).tolist(), roads.segments_of(road)
        assert [nodes[0], nodes[-1]] == roads.ends[road].tolist()
        assert not features & set(nodes[1:-1])
        assert roads.closed[road] == (nodes[0] not in features)
        assert [sorted(pair) for pair in itertools.pairwise(nodes)] == net.segments[segments].tolist()
        assert roads.length[road] == pytest.approx(net.segment_lengths[segments].sum())


@given(small_lines(), st.integers(0, 10**6))
def test_locate_is_the_inverse_of_along(lines, seed):
    net = network(lines)
    rng = np.random.default_rng(seed)
    segment = rng.integers(0, len(net.segments), 20)
    offset = rng.random(20) * net.segment_lengths[segment]
    road, metres = net.roads.along(segment, offset, net.segment_lengths)
    again, back = net.roads.locate(road, metres, net.segment_lengths)
    assert again.tolist() == segment.tolist()
    assert back == pytest.approx(offset, abs=1e-6)


def test_crossing_lines_without_a_common_vertex_stay_apart():
    net = network(BRIDGE)
    assert len(net.roads) == 2
    assert net.components.max() == 1


def test_coincident_nodes_of_a_given_topology_stay_apart():
    nodes = [(0, -50), (0, 0), (0, 50), (-50, 0), (0, 0), (50, 0)]
    net = RoadNetwork(nodes, [(0, 1), (1, 2), (3, 4), (4, 5)], crs="EPSG:32610", merge_coincident=False)
    assert len(net.nodes) == 6
    assert len(net.roads) == 2
    merged = RoadNetwork(nodes, [(0, 1), (1, 2), (3, 4), (4, 5)], crs="EPSG:32610")
    assert len(merged.roads) == 4


def test_parallel_roads_with_the_same_ends_stay_apart():
    net = network([[(0, 0), (50, 10), (100, 0)], [(0, 0), (50, -10), (100, 0)], [(-50, 0), (0, 0)]])
    # The two parallel roads and the stub: (100, 0) has degree 2, so the parallel ones are one loop at (0, 0).
    assert len(net.roads) == 2
    doubled = network([[(0, 0), (50, 10), (100, 0)], [(0, 0), (100, 0)], [(-50, 0), (0, 0)], [(100, 0), (150, 0)]])
    assert len(doubled.roads) == 4


def test_duplicates_and_points_are_dropped_counted_and_kept_for_the_map():
    net = network([[(0, 0), (0, 0), (50, 0), (100, 0)], [(100, 0), (50, 0)]], ids=["a", "b"])
    assert net.length == 100
    assert net.problems == {"zero_length_segments": 1, "duplicate_segments": 1}
    assert net.duplicate_ids.tolist() == ["b"]


def test_what_is_no_line_is_dropped_and_counted():
    shapes = [
        None,
        shapely.Point(0, 0),
        shapely.LineString(),
        shapely.from_wkt("MULTILINESTRING Z ((0 0 5, 10 0 5), (20 0 5, 30 0 5))"),
        shapely.from_wkt("GEOMETRYCOLLECTION (LINESTRING (40 0, 50 0), POINT (1 1), MULTILINESTRING ((60 0, 70 0)))"),
        [(80, 0), (np.nan, 0), (90, 0), (100, 0)],
    ]
    net = RoadNetwork.from_lines(shapes, crs="EPSG:32610", ids=list("abcdef"))
    assert net.length == 50
    assert net.problems == {"null_geometries": 1, "empty_geometries": 1, "not_lines": 2, "vertices_not_a_number": 1}
    assert sorted(net.source_ids.tolist()) == ["d", "d", "e", "e", "f"]


def test_arrays_cannot_be_changed():
    net = network(LINE)
    for array in (net.nodes, net.segments, net.source_ids, net.roads.length):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_ids_must_fit():
    with pytest.raises(GeoevalError, match="1 source ids for 2 segments"):
        RoadNetwork([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)], source_ids=["a"])
    with pytest.raises(GeoevalError, match="1 ids for 2 lines; give one id per line"):
        RoadNetwork.from_lines([[(0, 0), (1, 0)], [(2, 0), (3, 0)]], ids=["a"])


@pytest.mark.parametrize("lines", [LINE, TEE, CROSS, RING, BRIDGE, grid()])
def test_degrees_features_and_components(lines):
    net = network(lines)
    graph = plain_graph(net)
    assert net.degrees.tolist() == [graph.degree[node] for node in range(len(net.nodes))]
    assert net.features.tolist() == [node for node in range(len(net.nodes)) if graph.degree[node] != 2]
    assert net.components.max() + 1 == nx.number_connected_components(graph)


# ---------------------------------------------------------------------- clipping


@given(small_lines(), st.tuples(*[st.floats(5, 55).map(lambda v: round(v, 2))] * 4))
def test_clip_keeps_what_lies_inside(lines, corner):
    minx, miny = min(corner[0], corner[2]), min(corner[1], corner[3])
    box = (minx, miny, max(corner[0], corner[2]) + 1, max(corner[1], corner[3]) + 1)
    net = network(lines)
    clipped = net.clip(box)
    inside = shapely.intersection(net.lines, shapely.box(*box))
    assert clipped.length == pytest.approx(shapely.length(inside).sum(), abs=1e-4)
    if not clipped.is_empty:
        assert shapely.covers(shapely.box(*box).buffer(1e-4), clipped.lines).all()


def test_clip_marks_the_ends_it_makes():
    net = network([[(-100, 0), (100, 0)], [(0, 0), (0, 40)]]).clip((-50, -50, 50, 50))
    ends = net.nodes[net.cut]
    assert ends.tolist() == [[-50, 0], [50, 0]]
    assert net.nodes[net.features].tolist() == [[0, 0], [0, 40]]


def test_clip_with_a_polygon_in_two_parts_keeps_ids():
    area = shapely.union(shapely.box(0, -5, 10, 5), shapely.box(90, -5, 120, 5))
    net = network(LINE, ids=["way"]).clip(area)
    assert net.length == pytest.approx(20)
    assert net.source_ids.tolist() == ["way", "way"]
    assert net.cut.sum() == 2


@given(small_lines(), st.integers(0, 10**6))
def test_some_segments_stay_in_their_order(lines, seed):
    net = network(lines)
    which = np.random.default_rng(seed).random(len(net.segments)) < 0.5
    some = net.some(which)
    np.testing.assert_array_equal(some.nodes[some.segments], net.nodes[net.segments[which]])
    np.testing.assert_array_equal(some.source_ids, net.source_ids[which])
    # So do the nodes that are left.
    np.testing.assert_array_equal(some.nodes, net.nodes[np.unique(net.segments[which])])


def test_clip_does_not_join_a_bridge_with_the_road_below():
    net = RoadNetwork(
        [(0, -50), (0, 0), (0, 50), (-50, 0), (0, 0), (50, 0)],
        [(0, 1), (1, 2), (3, 4), (4, 5)],
        merge_coincident=False,
    ).clip((-40, -40, 40, 40))
    assert net.components.max() == 1


# ---------------------------------------------------------------------- nearest places


@given(small_lines(), st.lists(st.tuples(st.floats(-20, 80), st.floats(-20, 80)), min_size=1, max_size=10))
def test_nearest_agrees_with_every_segment_in_turn(lines, points):
    net = network(lines)
    found = net.nearest(points)
    for i, point in enumerate(points):
        distances = shapely.distance(net.lines, shapely.Point(point))
        assert found.distance[i] == pytest.approx(distances.min(), abs=1e-9)
        assert np.hypot(*(found.xy[i] - point)) == pytest.approx(distances.min(), abs=1e-9)
        line = net.lines[found.segment[i]]
        assert shapely.distance(line, shapely.Point(found.xy[i])) < 1e-9
        assert line.interpolate(found.offset[i]).distance(shapely.Point(found.xy[i])) < 1e-9


def test_nearest_beyond_the_limit_is_nothing():
    found = network(LINE).nearest([(50, 15), (50, 15.1)], max_distance=15)
    assert found.segment.tolist() == [0, -1]
    assert found.distance.tolist() == [15, np.inf]


def test_nearest_takes_the_smallest_of_equally_near_places():
    found = network([[(0, 10), (100, 10)], [(0, -10), (100, -10)]]).nearest([(50, 0)])
    assert found.xy.tolist() == [[50, -10]]


def test_empty_network():
    net = RoadNetwork.from_lines([], crs="EPSG:32610")
    assert net.is_empty
    assert net.length == 0
    assert len(net.roads) == 0
    assert net.clip((0, 0, 1, 1)).is_empty
    assert net.nearest([(0, 0)]).distance.tolist() == [np.inf]
    assert net.to_networkx().number_of_nodes() == 0
    assert len(net.to_geodataframe()) == 0


def test_of_many_equal_segments_the_first_counts():
    rng = np.random.default_rng(0)
    nodes = rng.integers(0, 5, (40, 2)) * 10.0  # many nodes at few places
    segments = rng.integers(0, 40, (5000, 2))
    net = RoadNetwork(nodes, segments, crs="EPSG:32610")
    first = {}
    for number, (a, b) in enumerate(segments.tolist()):
        ends = frozenset([tuple(nodes[a]), tuple(nodes[b])])
        if len(ends) == 2:
            first.setdefault(ends, number)
    found = [frozenset(map(tuple, net.nodes[pair])) for pair in net.segments]
    assert dict(zip(found, net.source_ids.tolist(), strict=True)) == first
    assert net.nodes.tolist() == sorted(map(list, {tuple(node) for ends in first for node in ends}))
