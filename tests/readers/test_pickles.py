"""Pickled graphs are read, and nothing in them is run."""

import collections
import copyreg
import datetime as dt
import io
import os
import pickle
import struct
import subprocess

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from pyproj import CRS

from geoeval.exceptions import (
    EmptyInputError,
    GeoevalError,
    MissingCRSError,
    MissingPixelSizeError,
    UnreadableInputError,
    UnsafeFileError,
)
from geoeval.model.network import RoadNetwork
from geoeval.readers.graphs import read_graph_file
from geoeval.readers.pickled_values import StoredGraph, plain
from geoeval.readers.pickles import read_pickle
from geoeval.readers.unpickle import load

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
SQUARE = {(10, 20): [(10, 60), (40, 20)], (10, 60): [(10, 20)], (40, 20): [(10, 20), (40, 60)], (40, 60): [(40, 20)]}


def save(tmp_path, content, name="a.p"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


# ---------------------------------------------------------------------- Sat2Graph


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_dictionary_of_neighbours(tmp_path, protocol):
    path = save(tmp_path, pickle.dumps(SQUARE, protocol))
    got = read_graph_file(path, pixel_size=0.5)
    assert got.length == (40 + 30 + 40) * 0.5
    assert got.bounds == (10, 5, 30, 20)  # columns are x, rows are y and go downwards
    assert got.problems == {}
    assert len(got.roads) == 1
    with pytest.raises(MissingPixelSizeError, match="--pixel-size"):
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


@pytest.mark.parametrize(
    ("held", "error", "word"),
    [
        ({}, EmptyInputError, "empty"),
        ([1, 2], UnreadableInputError, "holds a list"),
        (None, UnreadableInputError, "something else"),
        (np.arange(3), UnreadableInputError, "ndarray"),
        ({"a": 1}, UnreadableInputError, "'a' is no node"),
        ({(1, 2): 3}, UnreadableInputError, "no list"),
        ({(1, 2): [3]}, UnreadableInputError, "3 is no node"),
        ({(1, 2, 3): []}, UnreadableInputError, "no node"),
        ({(1, 2): [(1, float("nan"))]}, UnreadableInputError, "no node"),
        ({(1, 2): [(1, 10**400)]}, UnreadableInputError, "no node"),
        ({(1, 2): [(1, "b")]}, UnreadableInputError, "no node"),
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


# ---------------------------------------------------------------------- networkx


def streets(kind):
    graph = kind(crs="EPSG:32610", name="town", made=[{"by": ("hand", None)}])
    graph.add_node(1, x=0.0, y=np.float32(0), tags={"a", "b"}, extra=collections.defaultdict(list, k=[1]))
    graph.add_node(2, x=np.int64(100), y=0, o=collections.OrderedDict(z=1), flag=np.bool_(1))
    graph.add_node(3, x=np.float64(100), y=50.0, cut=True, z=1 + 2j, raw=bytearray(b"ab"), text=np.str_("é"))
    graph.add_edge(1, 2, geometry=shapely.LineString([(0, 0), (50, 10), (100, 0)]), osmid=np.int64(7), f=frozenset([1]))
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
    got = read_graph_file(save(tmp_path, pickle.dumps(graph, protocol), "a.gpickle"))
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
    assert read_pickle(path, pixel_size=0.5).bounds == (0, 5, 4, 8)


def test_crs_objects_and_the_lack_of_them(tmp_path):
    graph = streets(nx.MultiGraph)
    graph.graph["crs"] = CRS.from_epsg(32611)
    assert read_pickle(save(tmp_path, pickle.dumps(graph))).crs.to_epsg() == 32611
    del graph.graph["crs"]
    with pytest.raises(MissingCRSError, match="--input-crs"):
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


@pytest.mark.parametrize(
    "value",
    [
        {"a": (1, 2.5, None, True, "é", b"x"), "b": [[], {}, ()], 3: {1, 2}, (1, (2, 3)): frozenset([1])},
        [-1, 2**31, 2**70, -(2**40), 1e300, float("inf"), "", "x" * 300, b"y" * 300, "\ud800"],
        [[1, 2]] * 3,
        {i: str(i) for i in range(2000)},
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_plain_values_are_as_python_reads_them(value, protocol):
    content = pickle.dumps(value, protocol)
    assert load(content, "a.p") == pickle.loads(content)


@pytest.mark.parametrize(
    "array",
    [np.arange(6).reshape(2, 3), np.arange(6.0).reshape(2, 3).T, np.array([True]), np.array(["a", "é"]),
     np.zeros((0, 2)), np.array([1 + 2j]), np.arange(3, dtype=">i2"), np.array([None, 2], dtype=object)],
)  # fmt: skip
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_arrays_are_as_numpy_reads_them(array, protocol):
    got = plain(load(pickle.dumps(array, protocol), "a.p"))
    np.testing.assert_array_equal(got, array)
    assert got.shape == array.shape


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=15,
)


@given(json_like, st.sampled_from(list(PROTOCOLS)))
def test_any_plain_value_comes_back(value, protocol):
    assert load(pickle.dumps(value, protocol), "a.p") == value


# ---------------------------------------------------------------------- attacks


class Call:
    """A pickle that calls a function when Python reads it."""

    def __init__(self, function, *args):
        self.parts = function, args

    def __reduce__(self):
        return self.parts


def opcodes(*parts):
    return b"\x80\x04" + b"".join(parts) + b"."


def text(value):
    return b"\x8c" + bytes([len(value)]) + value.encode()


GRAPH = text("networkx.classes.graph") + text("Graph") + b"\x93"
LIST = text("builtins") + text("list") + b"\x93"
ATTRIBUTES = b"".join(text(f"k{number}") + b"N" for number in range(1000))
ATTACKS = {
    "os.system": lambda flag: pickle.dumps(Call(os.system, f"touch {flag}")),
    "subprocess": lambda flag: pickle.dumps(Call(subprocess.check_output, ["touch", str(flag)])),
    "eval": lambda flag: pickle.dumps(Call(eval, f"open({str(flag)!r}, 'w')")),
    "exec": lambda flag: pickle.dumps(Call(exec, f"open({str(flag)!r}, 'w')")),
    "open": lambda flag: pickle.dumps(Call(open, str(flag), "w")),
    "getattr": lambda flag: pickle.dumps(Call(getattr, "x", "join")),
    "import": lambda flag: pickle.dumps(Call(__import__, "antigravity")),
    "in a graph": lambda flag: pickle.dumps(nx.Graph([(1, Call(os.system, f"touch {flag}"))])),
    "in an attribute": lambda flag: pickle.dumps({(0, 0): [Call(os.system, f"touch {flag}")]}),
    "as a factory": lambda flag: pickle.dumps(collections.defaultdict(os.getcwd)),
    "protocol 0": lambda flag: f"cposix\nsystem\n(Vtouch {flag}\ntR.".encode(),
    "old instance": lambda flag: f"(Vtouch {flag}\nios\nsystem\n.".encode(),
    "object": lambda flag: f"(cos\nsystem\nVtouch {flag}\no.".encode(),
    "nested name": lambda flag: opcodes(text("networkx"), text("os.system"), b"\x93", text(f"touch {flag}"), b"\x85R"),
    "module of a module": lambda flag: opcodes(text("networkx.classes.graph"), text("nx.os.system"), b"\x93"),
    "beside a graph": lambda flag: opcodes(text("networkx.classes.graph"), text("Graph.__init__"), b"\x93"),
    "view with a dot": lambda flag: opcodes(text("networkx.classes.coreviews"), text("AtlasView.__new__"), b"\x93"),
    "numpy load": lambda flag: opcodes(text("numpy"), text("load"), b"\x93"),
    "numpy runstring": lambda flag: opcodes(text("numpy.testing._private.utils"), text("runstring"), b"\x93"),
    "io": lambda flag: pickle.dumps(Call(io.FileIO, str(flag), "w")),
    "new with keywords": lambda flag: opcodes(GRAPH, b")}\x92"),
    "extension": lambda flag: opcodes(b"\x82\x01"),
    "extension 2": lambda flag: opcodes(b"\x83\x01\x00"),
    "extension 4": lambda flag: opcodes(b"\x84\x01\x00\x00\x00"),
    "persistent id": lambda flag: b"Pos\n.",
    "binary persistent id": lambda flag: opcodes(text("os"), b"Q"),
    "outside buffer": lambda flag: b"\x80\x05\x97.",
    "build on a dictionary": lambda flag: opcodes(b"}}", text("__class__"), text("x"), b"sb"),
    "build on a class": lambda flag: opcodes(GRAPH, b"N}", text("__init__"), text("x"), b"s\x86b"),
    "build on a function": lambda flag: opcodes(
        text("numpy._core.multiarray"), text("scalar"), b"\x93N}", text("__code__"), text("x"), b"s\x86b"
    ),
    "date": lambda flag: pickle.dumps(dt.datetime(2020, 1, 1)),  # noqa: DTZ001
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_refused_and_nothing_is_run(tmp_path, name):
    flag = tmp_path / "flag"
    copyreg.add_extension("os", "system", 1)
    try:
        with pytest.raises(UnsafeFileError) as caught:
            read_graph_file(save(tmp_path, ATTACKS[name](flag)), pixel_size=1)
    finally:
        copyreg.remove_extension("os", "system", 1)
    assert not flag.exists()
    assert "\n" not in str(caught.value)


def test_refusal_names_the_class(tmp_path):
    with pytest.raises(UnsafeFileError, match=r"posix\.system"):
        read_pickle(save(tmp_path, pickle.dumps(Call(os.system, "true"))), pixel_size=1)


def test_allowed_classes_cannot_be_abused():
    """Calling, building and indexing what stands for allowed classes changes nothing outside of the result."""
    scalar = text("numpy._core.multiarray") + text("scalar") + b"\x93"
    for content in (
        opcodes(GRAPH, b")\x81}", text("build"), text("x"), b"sb"),  # an attribute named as a method
        opcodes(GRAPH, b")\x81}", text("__class__"), text("x"), b"sb"),
        opcodes(GRAPH, b")\x81]K\x01a"),
        opcodes(GRAPH, b")R"),
        opcodes(scalar, b")R"),
        opcodes(GRAPH, b")\x81K\x01K\x02s"),
        opcodes(GRAPH, b")\x81K\x01a"),
        opcodes(b"K\x01)R"),
    ):
        try:
            got = load(content, "a.p")
        except GeoevalError:
            continue
        assert isinstance(got, StoredGraph | list)
    assert StoredGraph("Graph").build.__func__ is StoredGraph.build


def chain(depth, opcode=b"\x85"):
    return b")" + opcode * depth


def doubling(depth, opcode=b"\x86"):
    return b")" + b"".join(b"2" + opcode for _ in range(depth))


@pytest.mark.parametrize(
    "content",
    [
        opcodes(b"}", chain(2 * 10**5), b"K\x01s"),  # a key so deep that hashing it would overflow the stack
        opcodes(b"}", doubling(60), b"K\x01s"),  # a key whose hash would never be ready
        opcodes(b"(", doubling(60), b"\x91"),
        opcodes(b"\x8f(", doubling(60), b"\x90"),
        opcodes(text("builtins"), text("set"), b"\x93]", doubling(60), b"a\x85R"),
        opcodes(text("numpy"), text("dtype"), b"\x93", doubling(60), b"\x85R"),
        opcodes(text("_codecs"), text("encode"), b"\x93", text("a"), doubling(60), b"\x86R"),
        opcodes(text("pyproj.crs.crs"), text("CRS"), b"\x93", doubling(60), b"\x85R"),
        opcodes(b"}", doubling(60), doubling(60), b"s"),
        opcodes(b"}(K\x01K\x02\x86", doubling(60), b"u"),  # neighbours that are no list of nodes
        opcodes(b"]r\xff\xff\xff\xff"),  # a memory of four thousand million places
        opcodes(b"\x8e" + struct.pack("<Q", 2**62)),
        b"\x80\x05\x96" + struct.pack("<Q", 2**40) + b".",
        opcodes(b"\x95" + struct.pack("<Q", 2**62)),
        opcodes(b"\x8b" + struct.pack("<i", 2**30)),
    ],
)
def test_bombs_are_refused(tmp_path, content):
    with pytest.raises(GeoevalError) as caught:
        read_pickle(save(tmp_path, content), pixel_size=1)
    assert len(str(caught.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize(
    "content",
    [
        # A list of a thousand values, copied a hundred thousand times by a few bytes each.
        opcodes(b"](" + b"K\x01" * 1000 + b"e\x940", LIST, b"\x940", b"h\x01h\x00\x85R0" * 10**5, b"N"),
        # A state of a thousand attributes, stored as often.
        opcodes(GRAPH, b")\x81\x94}(" + ATTRIBUTES, b"u\x940" + b"h\x00h\x01b0" * 10**5, b"N"),
    ],
)
def test_copies_without_end_are_refused(content):
    with pytest.raises(UnreadableInputError, match="over and over"):
        load(content, "a.p")


@pytest.mark.parametrize("name", ["x", "pos", "geometry", "osmid", "pts", "cut", "source_ids", "other"])
def test_attributes_without_end(tmp_path, name):
    deep: list = []
    for _ in range(60):
        deep = [deep, deep]
    graph = nx.Graph(crs="EPSG:32610", other=deep)
    graph.add_node(1, x=0, y=0)
    graph.add_node(2, **{"x": 1, "y": 0} | {name: deep})
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


def test_geometry_without_end_is_refused(tmp_path):
    wkb = struct.pack("<BII", 1, 7, 1) * 200_000 + struct.pack("<BIdd", 1, 1, 0, 0)
    content = opcodes(text("shapely.io"), text("from_wkb"), b"\x93B" + struct.pack("<I", len(wkb)) + wkb + b"\x85R")
    with pytest.raises(UnreadableInputError, match="neither a point nor a line"):
        read_pickle(save(tmp_path, content))


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


@given(st.binary(max_size=200))
def test_noise_is_refused(noise):
    said = ""
    try:
        load(noise, "a.p")
    except GeoevalError as error:
        said = str(error)
    assert "\n" not in said
