"""RoadTracer graphs, map-construction text, GraphML and node-link JSON."""

import itertools
import json
import sys

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval.crs import is_local
from geoeval.exceptions import (
    EmptyInputError,
    LayerChoiceError,
    MissingCRSError,
    MissingPixelSizeError,
    ParameterError,
    UnreadableInputError,
    UnsafeFileError,
)
from geoeval.model.network import RoadNetwork
from geoeval.readers.graphs import read_graph_file, read_map_construction, read_roadtracer
from tests.networks import CROSS, RING, TEE, grid, network, small_lines

TRIANGLE = "0 0\n30 0\n0 40\n\n0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n"


def same(a: RoadNetwork, b: RoadNetwork) -> None:
    np.testing.assert_allclose(a.nodes, b.nodes, atol=2e-6)
    np.testing.assert_array_equal(a.segments, b.segments)
    np.testing.assert_array_equal(a.cut, b.cut)


def save(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# ---------------------------------------------------------------------- RoadTracer


def test_roadtracer_in_pixels_and_in_metres(tmp_path):
    path = save(tmp_path, "a.graph", TRIANGLE)
    pixels, metres = read_graph_file(path, pixel_size=1), read_graph_file(path, pixel_size=0.5)
    assert pixels.length == 120
    assert metres.length == 60
    assert is_local(pixels.crs)
    assert pixels.problems == {}  # both directions are the format, not a problem
    assert sorted(pixels.source_ids.tolist()) == [5, 7, 9]  # lines of the file
    assert pixels.bounds == (0, 0, 30, 40)  # y is not turned round
    assert pixels.source == str(path)


@pytest.mark.parametrize(
    "text",
    [
        TRIANGLE.replace("\n", "\r\n"),
        TRIANGLE.rstrip(),
        TRIANGLE + "\n\n",
        "\n" + TRIANGLE,
        "\ufeff" + TRIANGLE,
        TRIANGLE.replace("30 0", "3.0e1\t  -0.0"),
        TRIANGLE.replace("\n\n", "\n \t\n\n"),
        TRIANGLE.replace("1 0\n", "").replace("2 1\n", ""),
    ],
)
def test_roadtracer_whatever_the_white_space(tmp_path, text):
    same(read_roadtracer(save(tmp_path, "a.graph", text), pixel_size=1), network([[(0, 0), (30, 0), (0, 40), (0, 0)]]))


@pytest.mark.parametrize(
    ("text", "error", "word"),
    [
        ("", EmptyInputError, "no node"),
        ("\n\n", EmptyInputError, "no node"),
        ("0 0\n1 1\n", UnreadableInputError, "blank line"),
        ("0 0\n1\n\n0 1\n", UnreadableInputError, "line 2"),
        ("0 0\n1 1 1\n\n0 1\n", UnreadableInputError, "line 2"),
        ("0 0\n1 x\n\n0 1\n", UnreadableInputError, "line 2"),
        ("0 0\n1 nan\n\n0 1\n", UnreadableInputError, "finite"),
        ("0 0\n1 1\n\n0 1\n0 2\n", UnreadableInputError, "line 5"),
        ("0 0\n1 1\n\n0 -1\n", UnreadableInputError, "line 4"),
        ("0 0\n1 1\n\n0 1.5\n", UnreadableInputError, "line 4"),
        (b"\xff\xfe\x00", UnreadableInputError, "not text"),
    ],
)
def test_malformed_roadtracer_names_the_line(tmp_path, text, error, word):
    with pytest.raises(error, match=word) as caught:
        read_roadtracer(save(tmp_path, "a.graph", text), pixel_size=1)
    assert "\n" not in str(caught.value)


def test_pixels_need_a_size(tmp_path):
    path = save(tmp_path, "a.graph", TRIANGLE)
    with pytest.raises(MissingPixelSizeError, match="--pixel-size M"):
        read_graph_file(path)
    with pytest.raises(ParameterError):
        read_graph_file(path, pixel_size=0)
    assert read_graph_file(path, crs="EPSG:32610").crs.to_epsg() == 32610
    with pytest.raises(UnreadableInputError, match="path"):
        read_graph_file(tmp_path / "absent.graph", pixel_size=1)


def test_what_a_roadtracer_graph_loses_is_counted(tmp_path):
    text = "0 0\n1 0\n5 5\n0 0\n2 0\n\n0 1\n0 1\n1 1\n3 4\n"
    got = read_roadtracer(save(tmp_path, "a.graph", text), pixel_size=1)
    assert got.problems == {"duplicate_segments": 1, "nodes_without_edges": 1, "zero_length_segments": 1}
    assert got.components.max() == 1  # two nodes at one place are two nodes
    assert read_roadtracer(save(tmp_path, "b.graph", "0 0\n1 0\n\n"), pixel_size=1).is_empty


@given(small_lines())
def test_roadtracer_round_trip(tmp_path_factory, lines):
    made = network(lines)
    path = tmp_path_factory.mktemp("graph") / "a.graph"
    pairs = [f"{a} {b}\n{b} {a}\n" for a, b in made.segments.tolist()]
    path.write_text("".join(f"{x!r} {y!r}\n" for x, y in made.nodes.tolist()) + "\n" + "".join(pairs))
    got = read_graph_file(path, crs="EPSG:32610")
    same(got, made)
    assert got.problems == {}


def test_vancouver(data):
    reference = read_graph_file(data / "roads/vancouver/reference.graph", pixel_size=1)
    assert (len(reference.nodes), len(reference.segments)) == (3587, 4224)
    text = (data / "roads/vancouver/reference.graph").read_text().split("\n\n")
    places = [tuple(map(float, line.split())) for line in text[0].splitlines()]
    edges = {frozenset(map(int, line.split())) for line in text[1].splitlines()}
    expected = sum(np.hypot(*np.subtract(*(places[i] for i in edge))) for edge in edges)
    assert reference.length == pytest.approx(expected)
    assert reference.clip((-3836, -3836, 3836, 3836)).length < reference.length
    prediction = read_graph_file(data / "roads/vancouver/roadtracer.graph", pixel_size=1)
    assert prediction.problems == {"nodes_without_edges": 3}


# ---------------------------------------------------------------------- map construction

VERTICES = "10,0,0\n11,100,0,7\n\n12,100.0,50.5\n"
EDGES = "1,10,11\n2,11,12,0\n3,12,11,1\n"


@pytest.fixture
def town(tmp_path):
    save(tmp_path, "town_vertices_osm.txt", VERTICES)
    save(tmp_path, "town_edges_osm.txt", EDGES)
    return tmp_path


def test_map_construction_from_either_file_or_the_folder(town):
    for path in (town, town / "town_vertices_osm.txt", town / "town_edges_osm.txt"):
        got = read_graph_file(path, crs="EPSG:32634")
        assert got.length == 150.5
        assert got.crs.to_epsg() == 32634
        assert got.source_ids.tolist() == [1, 2]
        assert got.problems == {}
    assert read_graph_file(town, pixel_size=2).length == 301
    with pytest.raises(MissingCRSError, match="--input-crs"):
        read_graph_file(town)


def test_map_construction_in_another_spelling(tmp_path):
    save(tmp_path, "Vertices.TXT", "id,x,y\r\na, 0 , 0\r\nb,3,4\r\n")
    save(tmp_path, "Edges.TXT", "id,from,to\r\ne1,a,b")
    got = read_map_construction(tmp_path, pixel_size=1)
    assert got.length == 5
    assert got.source_ids.tolist() == ["e1"]


@pytest.mark.parametrize(
    ("vertices", "edges", "error", "word"),
    [
        ("1,0\n", EDGES, UnreadableInputError, "vertices.txt line 1"),
        ("1,0,a\n", EDGES, UnreadableInputError, "vertices.txt line 1"),
        ("1,0,0\n1,0,1\n", EDGES, UnreadableInputError, "line 2"),
        (VERTICES, "1,10,99\n", UnreadableInputError, "edges.txt line 1"),
        (VERTICES, "1;10;11\n", UnreadableInputError, "edges.txt line 1"),
        ("", EDGES, EmptyInputError, "no vertex"),
    ],
)
def test_malformed_map_construction(tmp_path, vertices, edges, error, word):
    save(tmp_path, "vertices.txt", vertices)
    save(tmp_path, "edges.txt", edges)
    with pytest.raises(error, match=word):
        read_graph_file(tmp_path, crs="EPSG:32634")


def test_map_construction_that_is_not_there(tmp_path, town):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UnreadableInputError, match="vertices"):
        read_graph_file(empty, crs="EPSG:32634")
    save(empty, "a_vertices.txt", VERTICES)
    with pytest.raises(UnreadableInputError, match=r"a_edges\.txt"):
        read_graph_file(empty, crs="EPSG:32634")
    save(town, "other_vertices.txt", VERTICES)
    with pytest.raises(LayerChoiceError, match=r"other_vertices\.txt"):
        read_graph_file(town, crs="EPSG:32634")


def test_athens(data):
    got = read_graph_file(data / "roads/athens", crs="EPSG:32634")
    assert (len(got.nodes), len(got.segments)) == (2692, 3436)
    assert got.problems == {"nodes_without_edges": 2}
    assert 190_000 < got.length < 195_000
    assert got.scale_error < 0.001


# ---------------------------------------------------------------------- networkx


def streets(kind=nx.MultiGraph, **attributes):
    graph = kind(crs="EPSG:32610", **attributes)
    for node, (x, y) in {"a": (0.0, 0.0), "b": (100.0, 0.0), "c": (100.0, 50.0), "d": (-9.0, 0.0)}.items():
        graph.add_node(node, x=x, y=y)
    graph.add_edge("a", "b", geometry="LINESTRING (0 0, 50 10, 100 0)", name="bent")
    graph.add_edge("b", "c")
    graph.add_edge("d", "a")
    if graph.is_multigraph():
        graph.add_edge("a", "b")
    return graph


def node_link(graph, edges="links"):
    return {
        "directed": graph.is_directed(),
        "multigraph": graph.is_multigraph(),
        "graph": dict(graph.graph),
        "nodes": [{"id": node, **data} for node, data in graph.nodes(data=True)],
        edges: [{"source": u, "target": v, **data} for u, v, data in graph.edges(data=True)],
    }


def written(graph, tmp_path, form):
    path = tmp_path / f"g.{form.split('-')[0]}"
    if form == "graphml":
        nx.write_graphml(graph, path)
    else:
        path.write_text(json.dumps(node_link(graph, form.split("-")[1])))
    return path


FORMS = ["graphml", "json-links", "json-edges"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_files(tmp_path, kind, form):
    graph = streets(kind)
    got = read_graph_file(written(graph, tmp_path, form))
    same(got, RoadNetwork.from_networkx(graph))
    assert got.crs.to_epsg() == 32610
    assert len(got.roads) == (4 if graph.is_multigraph() else 1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lines", [CROSS, TEE, RING, grid(3, 3), [[(0, 0), (10, 0)], [(0, 0), (5, 5), (10, 0)]]])
def test_own_graph_attributes_come_back(tmp_path, lines, form):
    made = network(lines, ids=[f"way {i}" for i in range(len(lines))]).clip((-50, -50, 130, 130))
    graph = made.to_networkx()
    for _, _, data in graph.edges(data=True):
        data["geometry"] = shapely.to_wkt(data["geometry"], rounding_precision=-1)
        data["source_ids"] = json.dumps(data["source_ids"]) if form == "graphml" else data["source_ids"]
    got = read_graph_file(written(graph, tmp_path, form))
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
    got = read_graph_file(written(graph, tmp_path, form))
    assert got.crs.to_epsg() == epsg
    assert got.length == pytest.approx(71.7, abs=0.1)


@pytest.mark.parametrize("place", [[3, 4], "3, 4", "(3.0, 4.0)", "[3 4]", "POINT (3 4)"])
def test_places_as_pos(tmp_path, place):
    graph = nx.Graph()
    graph.add_node(0, pos=[0, 0])
    graph.add_node(1, pos=place)
    graph.add_edge(0, 1)
    assert read_graph_file(written(graph, tmp_path, "json-links"), pixel_size=2).length == 10


def test_rows_and_columns_become_y_and_x(tmp_path):
    graph = nx.Graph()
    graph.add_node(0, o=[10, 0])
    graph.add_node(1, o=[10, 8])
    graph.add_edge(0, 1, pts=[[10, 0], [16, 4], [10, 8]])
    path = written(graph, tmp_path, "json-links")
    assert read_graph_file(path, pixel_size=0.5).bounds == (0, 5, 4, 8)
    with pytest.raises(MissingPixelSizeError):
        read_graph_file(path)


def test_nodes_that_are_places(tmp_path):
    graph = nx.Graph([((0, 0), (3, 4))])
    assert read_graph_file(written(graph, tmp_path, "json-edges"), pixel_size=1).length == 5


@pytest.mark.parametrize("form", FORMS)
def test_graph_without_crs_is_refused(tmp_path, form):
    graph = streets()
    del graph.graph["crs"]
    path = written(graph, tmp_path, form)
    with pytest.raises(MissingCRSError, match="--input-crs"):
        read_graph_file(path)
    assert read_graph_file(path, pixel_size=2).length == pytest.approx(2 * read_graph_file(path, crs=32610).length)


def test_old_ways_to_name_a_crs(tmp_path):
    graph = streets()
    for crs in ({"init": "epsg:32610"}, "{'init': 'epsg:32610'}", "epsg:32610"):
        graph.graph["crs"] = crs
        assert read_graph_file(written(graph, tmp_path, "json-links")).crs.to_epsg() == 32610


def test_ids_of_edges(tmp_path):
    graph = streets(nx.MultiDiGraph)
    for number, (_, _, data) in enumerate(graph.edges(data=True)):
        data["osmid"] = str(700 + number) if number else "[5, 6]"
    got = read_graph_file(written(graph, tmp_path, "graphml"))
    assert set(got.source_ids.tolist()) == {"5, 6", "701", "702", "703"}
    # Keys of parallel edges come back as ids from GraphML; they do not tell edges apart.
    got = read_graph_file(written(streets(), tmp_path, "graphml"))
    assert set(got.source_ids.tolist()) == {0, 1, 2, 3}


def test_lonely_nodes_are_counted(tmp_path):
    graph = streets()
    graph.add_node("e", x=1.0, y=1.0)
    assert read_graph_file(written(graph, tmp_path, "graphml")).problems["nodes_without_edges"] == 1
    graph.remove_edges_from(list(graph.edges))
    assert read_graph_file(written(graph, tmp_path, "json-links")).is_empty


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
    got, expected = read_graph_file(path), RoadNetwork.from_osmnx(osmnx.load_graphml(path))
    same(got, expected)
    assert got.problems == expected.problems == {"edges_in_both_directions": 1}
    assert sorted(map(str, got.source_ids)) == sorted(map(str, expected.source_ids))


@pytest.mark.parametrize(
    ("name", "text", "error", "word"),
    [
        ("a.graphml", "<graphml>", UnreadableInputError, "XML"),
        ("a.graphml", "", UnreadableInputError, "XML"),
        ("a.graphml", "<html></html>", UnreadableInputError, "GraphML"),
        ("a.json", "{", UnreadableInputError, "JSON"),
        ("a.json", "[1, 2]", UnreadableInputError, "node-link"),
        ("a.json", '{"nodes": []}', UnreadableInputError, "node-link"),
        ("a.json", '{"nodes": [], "links": []}', EmptyInputError, "without any node"),
        ("a.json", '{"nodes": [{"id": 1}], "links": []}', UnreadableInputError, "node 1 has no place"),
        ("a.json", '{"nodes": [{"id": 1, "x": NaN, "y": 0}], "links": []}', UnreadableInputError, "nan"),
        ("a.json", '{"nodes": [{"id": 1, "x": "e", "y": 0}], "links": []}', UnreadableInputError, "no place"),
        ("a.json", '{"nodes": [{"id": 1, "x": 1, "y": 0}, {"id": 2, "x": 1}], "links": []}', UnreadableInputError, "2"),
        ("a.json", '{"nodes": [{"id": {}}], "links": []}', UnreadableInputError, "node-link"),
        ("a.json", '{"nodes": [], "links": [{"source": 1, "target": 2}]}', UnreadableInputError, "no node"),
        ("a.json", "[" * 100_000, UnreadableInputError, "JSON"),
        ("a.txt", "hello world\n", UnreadableInputError, "line 1"),
    ],
)
def test_damaged_graphs_are_refused_in_one_line(tmp_path, name, text, error, word):
    with pytest.raises(error, match=word) as caught:
        read_graph_file(save(tmp_path, name, text), crs="EPSG:32610")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


@pytest.mark.parametrize(
    "geometry", ["LINESTRING (0 0", "POINT (0 0)", "LINESTRING (0 0, nan 1)", 7, {"type": "Point"}]
)
def test_geometry_of_an_edge_that_is_no_line(tmp_path, geometry):
    graph = streets()
    next(iter(graph.edges(data=True)))[2]["geometry"] = geometry
    with pytest.raises(UnreadableInputError, match="edge 'a' to 'b'"):
        read_graph_file(written(graph, tmp_path, "json-links"))


def test_geometry_nested_without_end_is_refused(tmp_path):
    graph = streets()
    next(iter(graph.edges(data=True)))[2]["geometry"] = "GEOMETRYCOLLECTION (" * 200_000
    with pytest.raises(UnreadableInputError, match="no line"):
        read_graph_file(written(graph, tmp_path, "json-links"))


def test_other_forms_of_geometry(tmp_path):
    graph = streets()
    edge = next(iter(graph.edges(data=True)))[2]
    lengths = []
    for geometry in (
        "LINESTRING Z (0 0 1, 50 10 1, 100 0 1)",
        "MULTILINESTRING ((0 0, 50 10), (50 10, 100 0))",
        [[0, 0], [50, 10], [100, 0]],
        {"type": "LineString", "coordinates": [[0, 0], [50, 10], [100, 0]]},
        "LINESTRING (100 0, 50 10, 0 0)",
    ):
        edge["geometry"] = geometry
        lengths.append(read_graph_file(written(graph, tmp_path, "json-links")).length)
    assert lengths == pytest.approx([lengths[0]] * 5)
    assert lengths[0] == pytest.approx(2 * np.hypot(50, 10) + 159)


BILLION = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "ha">{}]><graphml>&z;</graphml>'.format(
    "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in itertools.pairwise("abcdefghijklmnopqrstuvwxyz"))
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY z SYSTEM "file:///etc/passwd">]><graphml>&z;</graphml>'
PARAMETER = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY % z SYSTEM "file:///etc/passwd"> %z;]><graphml/>'


@pytest.mark.parametrize("text", [BILLION, OUTSIDE, PARAMETER])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_entities_are_refused(tmp_path, text, encoding):
    declared = text.replace('"1.0"', f'"1.0" encoding="{encoding}"')
    with pytest.raises(UnsafeFileError, match="entity"):
        read_graph_file(save(tmp_path, "bomb.graphml", declared.encode(encoding)))


def test_doctype_without_entities_is_read(tmp_path):
    path = written(streets(), tmp_path, "graphml")
    text = path.read_text()
    path.write_text(text.replace("<graphml", "<!DOCTYPE graphml>\n<graphml", 1))
    assert len(read_graph_file(path).roads) == 4


def test_content_decides_where_the_suffix_does_not(tmp_path):
    graph = streets()
    for form in FORMS:
        path = written(graph, tmp_path, form)
        assert len(read_graph_file(path.rename(tmp_path / "graph.dat")).roads) == 4


@given(st.binary(max_size=300), st.sampled_from(["a.graph", "a.graphml", "a.json", "a.txt", "a_edges.txt"]))
def test_noise_is_never_a_traceback(tmp_path_factory, noise, name):
    from geoeval.exceptions import GeoevalError

    folder = tmp_path_factory.mktemp("noise")
    (folder / name).write_bytes(noise)
    before = sys.getrecursionlimit()
    with pytest.raises(GeoevalError):
        read_graph_file(folder / name)
    assert sys.getrecursionlimit() == before
