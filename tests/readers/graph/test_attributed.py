"""Attributes of graphs in GraphML and node-link JSON, in all habits of the field."""

import json

import networkx as nx
import numpy as np
import pytest
import shapely

from geoeval.exceptions import (
    MissingCRSError,
    MissingPixelSizeError,
    UnreadableInputError,
)
from geoeval.model.road_network import RoadNetwork
from geoeval.readers import read_network
from tests.networks import CROSS, RING, TEE, grid, network
from tests.readers.graph.graph_files import FORMS, same, streets, written


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_files(tmp_path, kind, form):
    graph = streets(kind)
    got = read_network(written(graph, tmp_path, form))
    same(got, RoadNetwork.from_networkx(graph))
    assert got.crs.to_epsg() == 32610
    assert len(got.roads) == (4 if graph.is_multigraph() else 1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lines", [CROSS, TEE, RING, grid(3, 3), [[(0, 0), (10, 0)], [(0, 0), (5, 5), (10, 0)]]])
def test_own_graph_attributes_come_back(tmp_path, lines, form):
    true_here = "+proj=tmerc +lat_0=45 +lon_0=9 +datum=WGS84 +units=m +no_defs +type=crs"
    made = network(lines, ids=[f"way {i}" for i in range(len(lines))], crs=true_here).clip((-50, -50, 130, 130))
    graph = made.to_networkx()
    for _, _, data in graph.edges(data=True):
        data["geometry"] = shapely.to_wkt(data["geometry"], rounding_precision=-1)
        data["source_ids"] = json.dumps(data["source_ids"]) if form == "graphml" else data["source_ids"]
    got = read_network(written(graph, tmp_path, form))
    same(got, made)
    assert got.source_ids.tolist() == made.source_ids.tolist()
    assert got.crs == made.crs


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("names", "epsg"), [(("lon", "lat"), 32631), (("longitude", "latitude"), 32631), (("lng", "lat"), 32631)]
)
def test_longitude_and_latitude_mean_degrees(tmp_path, form, names, epsg):
    graph = nx.Graph()
    for node, place in enumerate([(3.0, 50.0), (3.001, 50.0)]):
        graph.add_node(node, **dict(zip(names, place, strict=True)))
    graph.add_edge(0, 1)
    got = read_network(written(graph, tmp_path, form))
    assert got.crs.to_epsg() == epsg
    assert got.length == pytest.approx(71.7, abs=0.1)


@pytest.mark.parametrize("place", [[3, 4], "3, 4", "(3.0, 4.0)", "[3 4]", "POINT (3 4)"])
def test_places_as_pos(tmp_path, place):
    graph = nx.Graph()
    graph.add_node(0, pos=[0, 0])
    graph.add_node(1, pos=place)
    graph.add_edge(0, 1)
    assert read_network(written(graph, tmp_path, "json-links"), pixel_size=2).length == 10


def test_rows_and_columns_become_y_and_x(tmp_path):
    graph = nx.Graph()
    graph.add_node(0, o=[10, 0])
    graph.add_node(1, o=[10, 8])
    graph.add_edge(0, 1, pts=[[10, 0], [16, 4], [10, 8]])
    path = written(graph, tmp_path, "json-links")
    assert read_network(path, pixel_size=0.5).bounds == (0, -8, 4, -5)
    with pytest.raises(MissingPixelSizeError):
        read_network(path)


def test_nodes_that_are_places(tmp_path):
    graph = nx.Graph([((0, 0), (3, 4))])
    assert read_network(written(graph, tmp_path, "json-edges"), pixel_size=1).length == 5


@pytest.mark.parametrize("form", FORMS)
def test_graph_without_crs_is_refused(tmp_path, form):
    graph = streets()
    del graph.graph["crs"]
    path = written(graph, tmp_path, form)
    with pytest.raises(MissingCRSError, match="give crs="):
        read_network(path)
    assert read_network(path, pixel_size=2).length == pytest.approx(2 * read_network(path, crs=32610).length)


def test_old_ways_to_name_a_crs(tmp_path):
    graph = streets()
    for crs in ({"init": "epsg:32610"}, "{'init': 'epsg:32610'}", "epsg:32610"):
        graph.graph["crs"] = crs
        assert read_network(written(graph, tmp_path, "json-links")).crs.to_epsg() == 32610


def test_ids_of_edges(tmp_path):
    graph = streets(nx.MultiDiGraph)
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        data["osmid"] = str(700 + number) if number else "[5, 6]"
    got = read_network(written(graph, tmp_path, "graphml"))
    assert set(got.source_ids.tolist()) == {"5, 6", "701", "702", "703"}
    # Keys of parallel edges come back as ids from GraphML; they do not tell edges apart.
    got = read_network(written(streets(), tmp_path, "graphml"))
    assert set(got.source_ids.tolist()) == {0, 1, 2, 3}


def test_lonely_nodes_are_counted(tmp_path):
    graph = streets()
    graph.add_node("e", x=1.0, y=1.0)
    assert read_network(written(graph, tmp_path, "graphml")).problems["nodes_without_edges"] == 1
    graph.remove_edges_from(list(graph.edges))
    assert read_network(written(graph, tmp_path, "json-links")).is_empty


def test_osmnx_file_gives_what_osmnx_gives(tmp_path):
    osmnx = pytest.importorskip("osmnx")
    graph = nx.MultiDiGraph(crs="epsg:4326", created_with="OSMnx", simplified=True)
    for node, (x, y) in enumerate([(-122.4, 37.8), (-122.399, 37.8), (-122.399, 37.801)]):
        graph.add_node(node, x=x, y=y, street_count=3)
    bent = shapely.LineString([(-122.4, 37.8), (-122.3995, 37.8002), (-122.399, 37.8)])
    for u, v, osmid, line in ((0, 1, [11, 12], bent), (1, 0, [12, 11], bent.reverse()), (1, 2, 13, None)):
        data = {"osmid": osmid, "oneway": False, "length": 1.0} | ({"geometry": line} if line else {})
        graph.add_edge(u, v, **data)
    path = tmp_path / "town.graphml"
    osmnx.save_graphml(graph, path)
    got, expected = read_network(path), RoadNetwork.from_osmnx(osmnx.load_graphml(path))
    same(got, expected)
    assert got.problems == expected.problems == {"edges_in_both_directions": 1}
    assert sorted(map(str, got.source_ids)) == sorted(map(str, expected.source_ids))


@pytest.mark.parametrize(
    "geometry", ["LINESTRING (0 0", "POINT (0 0)", "LINESTRING (0 0, nan 1)", 7, {"type": "Point"}]
)
def test_geometry_of_an_edge_that_is_no_line(tmp_path, geometry):
    graph = streets()
    next(iter(graph.edges(data=True)))[2]["geometry"] = geometry
    with pytest.raises(UnreadableInputError, match="edge 'a' to 'b'"):
        read_network(written(graph, tmp_path, "json-links"))


def test_geometry_nested_without_end_is_refused(tmp_path):
    graph = streets()
    next(iter(graph.edges(data=True)))[2]["geometry"] = "GEOMETRYCOLLECTION (" * 200_000
    with pytest.raises(UnreadableInputError, match="not a line"):
        read_network(written(graph, tmp_path, "json-links"))


def test_other_forms_of_geometry(tmp_path):
    graph = streets()
    edge = next(iter(graph.edges(data=True)))[2]
    lengths = []
    for geometry in (
        "LINESTRING Z (500000 0 1, 500050 10 1, 500100 0 1)",
        "MULTILINESTRING ((500000 0, 500050 10), (500050 10, 500100 0))",
        [[500_000, 0], [500_050, 10], [500_100, 0]],
        {"type": "LineString", "coordinates": [[500_000, 0], [500_050, 10], [500_100, 0]]},
        "LINESTRING (500100 0, 500050 10, 500000 0)",
    ):
        edge["geometry"] = geometry
        lengths.append(read_network(written(graph, tmp_path, "json-links")).length)
    assert lengths == pytest.approx([lengths[0]] * 5)
    assert lengths[0] == pytest.approx(2 * np.hypot(50, 10) + 159)
