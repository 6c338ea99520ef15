"""Pickled graphs."""

import collections
import pickle

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS

from geoeval.crs import to_lonlat
from geoeval.exceptions import (
    CRSError,
    EmptyInputError,
    GeoevalError,
    MissingCRSError,
    MissingPixelSizeError,
    UnreadableInputError,
)
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph.pickles import read_pickle

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
SQUARE = {(10, 20): [(10, 60), (40, 20)], (10, 60): [(10, 20)], (40, 20): [(10, 20), (40, 60)], (40, 60): [(40, 20)]}


def save(tmp_path, content, name="a.p"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_dictionary_of_neighbours(tmp_path, protocol):
    path = save(tmp_path, pickle.dumps(SQUARE, protocol))
    got = read_pickle(path, pixel_size=0.5)
    assert got.length == (40 + 30 + 40) * 0.5
    assert got.bounds == (10, -20, 30, -5)  # columns are x, rows go down
    assert got.problems == {}
    assert len(got.roads) == 1
    with pytest.raises(MissingPixelSizeError, match="pixel_size=M"):
        read_pickle(path)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "turn",
    [
        lambda d: {(float(r), c + 0.25): [(float(a), b + 0.25) for a, b in v] for (r, c), v in d.items()},
        lambda d: {(np.float64(r), np.int32(c)): [tuple(np.array(n)) for n in v] for (r, c), v in d.items()},
        lambda d: {k: set(v) for k, v in d.items()},
        lambda d: {k: dict.fromkeys(v, 1) for k, v in d.items()},
        lambda d: collections.defaultdict(list, d),
        collections.OrderedDict,
        lambda d: {k: [n for n in v if n > k] for k, v in d.items()},
    ],
)
def test_forms_of_the_dictionary(tmp_path, turn, protocol):
    assert read_pickle(save(tmp_path, pickle.dumps(turn(SQUARE), protocol)), pixel_size=1).length == 110


def test_python_2_wrote_text(tmp_path):
    content = b"(dp0\n(I10\nI20\ntp1\n(lp2\n(F1e1\nL60L\ntp3\nas."
    assert read_pickle(save(tmp_path, content), pixel_size=1).length == 40


def test_python_2_wrote_numbers_as_text(tmp_path):
    one = (
        "cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(S'f8'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb"
        "S'\\x00\\x00\\x00\\x00\\x00\\x00\\xf0?'\ntR"
    )
    content = f"(d(I0\nI0\nt(l({one}I8\ntas."
    assert read_pickle(save(tmp_path, content.encode()), pixel_size=1).length == np.hypot(1, 8)


def test_a_graph_of_sat2graph_as_published(data):
    path = data / "protocols" / "sat2graph" / "prop.p"
    held = pickle.loads(path.read_bytes(), encoding="latin-1")
    edges = {frozenset([(float(a), float(b)), (float(c), float(d))]) for (a, b), row in held.items() for c, d in row}
    got = read_pickle(path, pixel_size=1)
    assert len(got.segments) == len(edges)
    assert got.length == pytest.approx(sum(np.hypot(*np.subtract(*edge)) for edge in edges))


@pytest.mark.parametrize(
    ("held", "error", "word"),
    [
        ({}, EmptyInputError, "empty"),
        ([1, 2], UnreadableInputError, "holds a list"),
        (None, UnreadableInputError, "something else"),
        (np.arange(3), UnreadableInputError, "ndarray"),
        ({"a": 1}, UnreadableInputError, "'a' is not a node"),
        ({(1, 2): 3}, UnreadableInputError, "not a list"),
        ({(1, 2): [3]}, UnreadableInputError, "3 is not a node"),
        ({(1, 2, 3): []}, UnreadableInputError, "not a node"),
        ({(1, 2): [(1, float("nan"))]}, UnreadableInputError, "not a node"),
        ({(1, 2): [(1, 10**400)]}, UnreadableInputError, "not a node"),
        ({(1, 2): [(1, "b")]}, UnreadableInputError, "not a node"),
        (nx.Graph(), EmptyInputError, "without any node"),
    ],
)
def test_what_is_no_graph(tmp_path, held, error, word):
    with pytest.raises(error, match=word) as caught:
        read_pickle(save(tmp_path, pickle.dumps(held)), pixel_size=1)
    assert "\n" not in str(caught.value)


def test_nodes_without_neighbours_are_counted(tmp_path):
    got = read_pickle(save(tmp_path, pickle.dumps(SQUARE | {(0, 0): []})), pixel_size=1)
    assert got.problems == {"nodes_without_edges": 1}
    assert read_pickle(save(tmp_path, pickle.dumps({(0, 0): []})), pixel_size=1).is_empty


def streets(kind):
    graph = kind(crs="EPSG:32610", name="town", made=[{"by": ("hand", None)}])
    graph.add_node(1, x=500_000.0, y=np.float32(0), tags={"a", "b"}, extra=collections.defaultdict(list, k=[1]))
    graph.add_node(2, x=np.int64(500_100), y=0, o=collections.OrderedDict(z=1), flag=np.bool_(1))
    graph.add_node(3, x=np.float64(500_100), y=50.0, cut=True, z=1 + 2j, raw=bytearray(b"ab"), text=np.str_("é"))
    bent = shapely.LineString([(500_000, 0), (500_050, 10), (500_100, 0)])
    graph.add_edge(1, 2, geometry=bent, osmid=np.int64(7), f=frozenset([1]))
    graph.add_edge(
        2, 3, osmid=8, array=np.arange(6.0).reshape(2, 3, order="F"), objects=np.array([1, "x"], dtype=object)
    )
    if graph.is_multigraph():
        graph.add_edge(1, 2, osmid=9, point=shapely.Point(1, 2, 3))
    if graph.is_directed():
        graph.add_edge(3, 2, osmid=8)
    return graph


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_graph(tmp_path, kind, protocol):
    graph = streets(kind)
    for name in ("adj", "nodes", "edges", "degree", "in_edges", "succ", "pred", "in_degree", "out_degree"):
        getattr(graph, name, None)  # views are kept in the graph, and so in the pickle
    got = read_pickle(save(tmp_path, pickle.dumps(graph, protocol), "a.gpickle"))
    expected = RoadNetwork.from_networkx(graph)
    np.testing.assert_array_equal(got.nodes, expected.nodes)
    np.testing.assert_array_equal(got.segments, expected.segments)
    np.testing.assert_array_equal(got.source_ids, expected.source_ids)
    np.testing.assert_array_equal(got.cut, expected.cut)
    assert got.crs == expected.crs
    assert got.problems == expected.problems


def test_graph_of_an_image(tmp_path):
    graph = nx.MultiGraph()
    graph.add_node(0, o=np.array([10.0, 0.0]), pts=np.array([[10, 0]], dtype=np.int16))
    graph.add_node(1, o=np.array([10.0, 8.0]))
    graph.add_edge(0, 1, pts=np.array([[10, 0], [16, 4], [10, 8]], dtype=np.int16), weight=14.4)
    path = save(tmp_path, pickle.dumps(graph))
    assert read_pickle(path, pixel_size=0.5).bounds == (0, -8, 4, -5)


def test_crs_objects_and_the_lack_of_them(tmp_path):
    graph = streets(nx.MultiGraph)
    graph.graph["crs"] = CRS.from_epsg(32611)
    assert read_pickle(save(tmp_path, pickle.dumps(graph))).crs.to_epsg() == 32611
    del graph.graph["crs"]
    with pytest.raises(MissingCRSError, match="give crs="):
        read_pickle(save(tmp_path, pickle.dumps(graph)))


def test_graph_of_an_older_networkx(tmp_path):
    """Before networkx 2 the dictionaries had other names."""
    content = pickle.dumps(streets(nx.Graph), 2)
    content = content.replace(b"X\x05\x00\x00\x00_node", b"X\x04\x00\x00\x00node")
    content = content.replace(b"X\x04\x00\x00\x00_adj", b"X\x03\x00\x00\x00adj")
    content = content.replace(b"__networkx_cache__", b"edge_attr_dict_fac")
    assert read_pickle(save(tmp_path, content)).length == pytest.approx(2 * np.hypot(50, 10) + 50)


def test_view_of_a_graph_is_refused(tmp_path):
    state = {"_node": 5, "_adj": {}}
    content = b"\x80\x02cnetworkx.classes.graph\nGraph\n)\x81" + pickle.dumps(state, 2)[2:-1] + b"b."
    with pytest.raises(UnreadableInputError, match="copy"):
        read_pickle(save(tmp_path, content))


@pytest.mark.parametrize("name", ["x", "pos", "geometry", "osmid", "pts", "cut", "source_ids", "other"])
def test_attributes_without_end(tmp_path, name):
    deep: list = []
    for _ in range(60):
        deep = [deep, deep]
    graph = nx.Graph(crs="EPSG:32610", other=deep)
    graph.add_node(1, x=500_000, y=0)
    graph.add_node(2, **{"x": 500_001, "y": 0} | {name: deep})
    graph.add_edge(1, 2, **{name: deep})
    path = save(tmp_path, pickle.dumps(graph))
    if name in {"x", "geometry", "pts"}:
        with pytest.raises(UnreadableInputError):
            read_pickle(path)
    else:  # attributes that a network can do without
        assert read_pickle(path).length == 1
    graph.graph["crs"] = deep
    with pytest.raises(UnreadableInputError):
        read_pickle(save(tmp_path, pickle.dumps(graph)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_truncated_pickles_are_refused_in_one_line(tmp_path, protocol):
    content = pickle.dumps(streets(nx.MultiGraph), protocol)
    for size in range(0, len(content) - 1, 37):
        with pytest.raises(UnreadableInputError) as caught:
            read_pickle(save(tmp_path, content[:size]))
        assert "\n" not in str(caught.value)


@given(st.data())
def test_damaged_pickles_never_give_a_traceback(tmp_path_factory, data):
    content = bytearray(pickle.dumps(streets(nx.MultiDiGraph), data.draw(st.sampled_from(list(PROTOCOLS)))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / "a.p"
    path.write_bytes(content)
    said = ""
    try:
        read_pickle(path)
    except GeoevalError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize(("name", "counts"), [("gt.p", (3696, 3975, 78511)), ("prop.p", (4518, 4845, 85427))])
def test_graphs_of_sat2graph(data, name, counts):
    """Pickled by Python 2; the edges and the extent are those that the standard library reads."""
    path = data / "protocols/sat2graph" / name
    got = read_pickle(path, pixel_size=1)
    assert (len(got.nodes), len(got.segments), round(got.length)) == counts
    neighbours = pickle.loads(path.read_bytes(), encoding="latin1")
    edges = {frozenset([node, tuple(other)]) for node, others in neighbours.items() for other in others}
    assert len(got.segments) == len({edge for edge in edges if len(edge) == 2})
    rows, columns = np.array(list(neighbours), dtype=float).T
    assert got.bounds == (columns.min(), -rows.max(), columns.max(), -rows.min())


@pytest.mark.parametrize("name", ["img0_truth.gpickle", "img0_proposal.gpickle"])
def test_graphs_of_cosmiq(data, name):
    got = read_pickle(data / "protocols/cosmiq" / name)
    assert got.crs.is_projected
    assert (got.crs.utm_zone, got.scale_error < 0.001) == ("11N", True)
    assert 4400 < got.length < 4800
    assert -115.172 < to_lonlat(got.nodes, got.crs)[:, 0].min() < -115.166


def test_crs_as_a_dictionary(tmp_path):
    graph = streets(nx.MultiGraph)
    for named in ({"init": "epsg:32611"}, {"proj": "utm", "zone": 11, "datum": "WGS84", "units": "m"}):
        graph.graph["crs"] = named
        assert read_pickle(save(tmp_path, pickle.dumps(graph))).crs.utm_zone == "11N"
    graph.graph["crs"] = {"proj": "nonsense"}
    with pytest.raises(CRSError, match="unknown coordinate reference system"):
        read_pickle(save(tmp_path, pickle.dumps(graph)))


def test_arrays_and_line_ends_of_windows(tmp_path):
    """Neighbours as lists and arrays, as forks of Sat2Graph have them, and a text pickle with Windows line ends."""
    listed = {(10, 20): [[10, 60]], (10, 60): np.array([[10, 20], [40, 60]])}
    assert read_pickle(save(tmp_path, pickle.dumps(listed, 2)), pixel_size=1).length == 70
    text = pickle.dumps({(np.int64(10), np.int64(20)): [(10, 60)]}, 0).replace(b"\n", b"\r\n")
    assert read_pickle(save(tmp_path, text), pixel_size=1).length == 40
