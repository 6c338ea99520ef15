"""To and from networkx and geopandas."""

import geopandas as gpd
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from shapely.geometry import LineString, box

from geoeval import GeoevalError, ObjectMap, RoadNetwork
from tests.networks import RING, TEE, network, small_lines

LOOPS = [[(-50, 0), (0, 0)], [(0, 0), (10, 10), (20, 0), (10, -10), (0, 0)]]


@given(small_lines())
def test_networkx_round_trip(lines):
    net = network(lines, ids=[f"way {i}" for i in range(len(lines))])
    again = RoadNetwork.from_networkx(net.to_networkx())
    assert np.array_equal(again.nodes, net.nodes)
    assert np.array_equal(again.segments, net.segments)
    assert again.source_ids.tolist() == net.source_ids.tolist()
    assert again.crs == net.crs


@given(small_lines())
def test_geodataframe_round_trip(lines):
    net = network(lines)
    frame = net.to_geodataframe()
    again = RoadNetwork.from_geodataframe(frame, id_column="source_id")
    assert np.array_equal(again.nodes, net.nodes)
    assert np.array_equal(again.segments, net.segments)
    assert again.source_ids.tolist() == net.source_ids.tolist()
    assert frame["length_m"].sum() == pytest.approx(net.length)


def test_networkx_has_roads_as_edges():
    graph = network(TEE).to_networkx()
    assert sorted(dict(graph.degree).values()) == [1, 1, 1, 3]
    assert {data["length"] for _, _, data in graph.edges(data=True)} == {100}


def test_parallel_edges_and_loops():
    graph = nx.MultiDiGraph(crs="EPSG:32610")
    graph.add_node("a", x=0, y=0)
    graph.add_node("b", x=100, y=0)
    course = LineString([(0, 0), (50, 20), (100, 0)])
    graph.add_edge("a", "b", osmid=1)
    graph.add_edge("b", "a", osmid=1)
    graph.add_edge("a", "b", osmid=[2, 3], geometry=course)
    graph.add_edge("b", "a", osmid=[2, 3], geometry=course.reverse())
    graph.add_edge("b", "b", osmid=4, geometry=LineString([(100, 0), (120, 10), (120, -10), (100, 0)]))
    net = RoadNetwork.from_osmnx(graph)
    assert net.length == pytest.approx(100 + course.length + 20 + 2 * np.hypot(20, 10))
    assert set(net.source_ids.tolist()) == {"1", "2, 3", "4"}
    assert net.problems == {"edges_in_both_directions": 2}
    assert len(RoadNetwork.from_networkx(net.to_networkx()).segments) == len(net.segments) == 6


def test_crossing_edges_of_a_graph_share_a_vertex_but_no_node():
    graph = nx.MultiGraph(crs="EPSG:32610")
    for name, (x, y) in {"w": (-50, 0), "e": (50, 0), "s": (0, -50), "n": (0, 50)}.items():
        graph.add_node(name, x=x, y=y)
    graph.add_edge("w", "e", geometry=LineString([(-50, 0), (0, 0), (50, 0)]))
    graph.add_edge("s", "n", geometry=LineString([(0, -50), (0, 0), (0, 50)]))
    assert RoadNetwork.from_networkx(graph).components.max() == 1


@pytest.mark.parametrize("style", ["xy", "pos", "tuple"])
def test_places_of_nodes_by_habit(style):
    graph = nx.Graph()
    if style == "tuple":
        graph.add_edge((0.0, 0.0), (30.0, 40.0))
    else:
        for name, x, y in (("a", 0, 0), ("b", 30, 40)):
            graph.add_node(name, **({"x": x, "y": y} if style == "xy" else {"pos": (x, y)}))
        graph.add_edge("a", "b")
    assert RoadNetwork.from_networkx(graph).length == 50


def test_a_node_without_a_place_is_refused():
    with pytest.raises(GeoevalError, match="node 0 of the graph has no coordinates; set x and y, or pos"):
        RoadNetwork.from_networkx(nx.path_graph(3))


def test_degrees_become_metres():
    frame = gpd.GeoDataFrame(geometry=[LineString([(13.0, 52.0), (13.0, 52.01)])], crs="EPSG:4326")
    net = RoadNetwork.from_geodataframe(frame)
    assert net.length == pytest.approx(1112.6, rel=1e-3)
    assert net.crs.to_epsg() == 32633


def test_a_frame_without_crs_is_refused():
    with pytest.raises(GeoevalError, match="no CRS"):
        RoadNetwork.from_geodataframe(gpd.GeoDataFrame(geometry=[LineString([(0, 0), (1, 0)])]))


@pytest.mark.parametrize("model", [RoadNetwork, ObjectMap])
def test_frames_give_ids_crs_and_source(model):
    shape = LineString([(0, 0), (10, 0)]) if model is RoadNetwork else box(0, 0, 10, 10)
    frame = gpd.GeoDataFrame({"name": ["a"]}, geometry=[shape], index=[7])
    with pytest.raises(GeoevalError, match=r"the GeoDataFrame has no CRS; set it with .* or pass crs="):
        model.from_geodataframe(frame)
    one = model.from_geodataframe(frame, crs="EPSG:32610", source="the table")
    assert one.crs.to_epsg() == 32610
    assert one.source == "the table"
    assert str(one.to_geodataframe()["source_id"][0]) == "7"
    named = model.from_geodataframe(frame.set_crs("EPSG:32610"), id_column="name")
    assert named.to_geodataframe()["source_id"].tolist() == ["a"]
    with pytest.raises(GeoevalError, match="no column 'id'; choose id_column among name, geometry"):
        model.from_geodataframe(frame.set_crs("EPSG:32610"), id_column="id")


def test_objects_survive_a_round_trip():
    objects = ObjectMap([box(0, 0, 10, 10), box(20, 0, 30, 5)], crs="EPSG:32610", ids=["a", "b"])
    again = ObjectMap.from_geodataframe(objects.to_geodataframe(), id_column="source_id")
    assert again.ids.tolist() == ["a", "b"]
    assert [one.wkt for one in again.polygons] == [one.wkt for one in objects.polygons]


def test_maps_show_themselves_in_one_line():
    assert repr(network(TEE)) == "<RoadNetwork: 0.30 km, 4 nodes, 3 segments, EPSG:32610>"
    assert repr(ObjectMap([box(0, 0, 50, 50)], crs="EPSG:32610")) == "<ObjectMap: 1 object, 2,500 m², EPSG:32610>"
    assert repr(ObjectMap([])) == "<ObjectMap: 0 objects, 0 m², local metres>"


def test_rings_and_loops_survive():
    for lines in (RING, LOOPS):
        net = network(lines)
        again = RoadNetwork.from_networkx(net.to_networkx())
        assert np.array_equal(again.segments, net.segments)
