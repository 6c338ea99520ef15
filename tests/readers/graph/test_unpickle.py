"""Pickles: plain values come back, and nothing in a pickle is run."""

import collections
import contextlib
import copyreg
import datetime as dt
import io
import os
import pickle
import struct
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval.exceptions import (
    GeoevalError,
    UnreadableInputError,
    UnsafeFileError,
)
from geoeval.readers.graph import pickled_values
from geoeval.readers.graph.pickled_values import (
    Ignored,
    Name,
    StoredArray,
    StoredCRS,
    StoredDtype,
    StoredGeometry,
    StoredGraph,
    plain,
)
from geoeval.readers.graph.pickles import read_pickle
from geoeval.readers.graph.unpickle import _Unpickler, load

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def save(tmp_path, content, name="a.p"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


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
OBJECT = text("builtins") + text("object") + b"\x93"
RECONSTRUCTOR = text("copyreg") + text("_reconstructor") + b"\x93"
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
    "extension in the cache": lambda flag: opcodes(b"\x82\x02", text(f"touch {flag}"), b"\x85R"),
    "keywords": lambda flag: opcodes(GRAPH, b")}", text("incoming_graph_data"), text(f"touch {flag}"), b"s\x92"),
    "new object of a function": lambda flag: opcodes(text("os"), text("system"), b"\x93", text("x"), b"\x85\x81"),
    "reconstructor": lambda flag: opcodes(RECONSTRUCTOR, text("os"), text("_wrap_close"), b"\x93", OBJECT, b"N\x87R"),
    "old reconstructor": lambda flag: b"ccopy_reg\n_reconstructor\n(csubprocess\nPopen\nc__builtin__\nobject\nNtR.",
    "build on an array": lambda flag: opcodes(b"]}", text("append"), OBJECT, b"sb"),
    "build on text": lambda flag: opcodes(text("x"), b"N}", text("__class__"), text("y"), b"s\x86b"),
    "build on a stand-in": lambda flag: opcodes(LIST, b"}", text("make"), text("x"), b"sb"),
    "build slots on a stand-in": lambda flag: opcodes(LIST, b"N}", text("make"), text("x"), b"s\x86b"),
    "read-only buffer": lambda flag: b"\x80\x05C\x01x\x98.",
}
# Modules and names that no graph needs, and that do harm or lead to something that does.
NAMES = [
    "__main__ x", "asyncio.unix_events _UnixSubprocessTransport._start", "bdb Bdb.run", "builtins __import__",
    "builtins breakpoint", "builtins compile", "builtins dict.__class__", "builtins getattr", "builtins globals",
    "builtins input", "builtins list.__init__", "builtins memoryview", "builtins object.__subclasses__",
    "builtins setattr", "builtins type", "builtins vars", "builtins ", " builtins list", "builtins\x00 list",
    "code InteractiveInterpreter", "codecs open", "_codecs decode", "collections OrderedDict.fromkeys",
    "collections namedtuple", "copyreg __newobj__", "copyreg __newobj_ex__", "copyreg add_extension",
    "copyreg _reconstructor.__globals__", "ctypes CDLL", "functools partial", "geoeval.user_folders user_cache",
    "geoeval.readers.graph.unpickle load", "geopandas.geodataframe GeoDataFrame", "importlib import_module",
    "networkx.classes.coreviews ", "networkx.classes.coreviews AtlasView.__init__.__globals__",
    "networkx.classes.graph Graph.add_node", "networkx.classes.graph nx", "networkx.classes.reportviews sys.modules",
    "networkx.readwrite.gpickle read_gpickle", "networkx.utils.misc open_file", "numpy dtype.type", "numpy fromfile",
    "numpy load", "numpy memmap", "numpy.core.multiarray _reconstruct.__call__", "numpy.core.multiarray fromfile",
    "numpy.core.records fromfile", "numpy.lib.npyio DataSource", "operator attrgetter", "operator methodcaller",
    "os popen", "pandas.core.frame DataFrame", "pandas.core.indexes.base _new_Index", "pandas.io.pickle read_pickle",
    "pandas._libs.internals _unpickle_block", "pickle loads", "posix system", "pty spawn", "pydoc pipepager",
    "pyproj.crs.crs CRS.from_user_input", "pyproj.datadir set_data_dir", "runpy run_path", "shapely.geometry.base os",
    "shapely.geometry.polygon Polygon", "shapely.io from_wkt", "shapely.io np.load", "shapely.lib from_wkb",
    "shapely.wkt loads", "shutil rmtree", "socket socket", "sys modules", "sys exit", "timeit timeit",
    "types CodeType", "types FunctionType", "webbrowser open", "zipfile ZipFile",
]  # fmt: skip


class Watch:
    """What Python does besides computing while it is on: imports, code, files, processes."""

    def __init__(self):
        self.on, self.events = False, []
        sys.addaudithook(self._see)  # cannot be taken off again

    def _see(self, event, _):
        if self.on:
            self.events.append(event)

    @contextlib.contextmanager
    def seeing(self):
        self.events.clear()
        self.on = True
        try:
            yield
        finally:
            self.on = False


@pytest.fixture(scope="module")
def watch():
    load(pickle.dumps("x", 0), "a.p")  # Python imports a codec when it is first used
    return Watch()


def state_of_the_module():
    """Everything that a pickle could have changed for those read after it."""
    classes = [thing for thing in vars(pickled_values).values() if isinstance(thing, type)]
    inside = {thing: dict(vars(thing)) for thing in [*classes, _Unpickler]}
    return dict(vars(pickled_values)), inside, dict(pickled_values._TABLE), dict(copyreg._extension_cache)


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_refused_and_nothing_is_run(tmp_path, name, watch, monkeypatch):
    flag = tmp_path / "flag"
    content, before = ATTACKS[name](flag), state_of_the_module()
    copyreg.add_extension("os", "system", 1)
    copyreg.add_extension("os", "popen", 2)
    monkeypatch.setitem(copyreg._extension_cache, 2, os.popen)
    try:
        with watch.seeing(), pytest.raises(UnsafeFileError) as caught:
            load(content, "a.p")
    finally:
        copyreg.remove_extension("os", "system", 1)
        copyreg.remove_extension("os", "popen", 2)
    assert watch.events == []
    assert state_of_the_module() == before
    assert not flag.exists()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("protocol", [0, 4])
def test_names_that_no_graph_needs_are_refused(name, protocol, watch):
    module, attribute = name.split(" ") if not name.startswith(" ") else (" builtins", "list")
    named = f"c{module}\n{attribute}\n".encode() if protocol == 0 else text(module) + text(attribute) + b"\x93"
    content = (named if protocol == 0 else b"\x80\x04" + named) + b"."
    loaded = set(sys.modules)
    with watch.seeing(), pytest.raises(UnsafeFileError, match="nothing of it was run"):
        load(content, "a.p")
    assert watch.events == []
    assert set(sys.modules) == loaded


def test_the_watch_sees_what_python_would_do(watch):
    """The attacks are real: Python's own unpickler runs them, and the watch sees it."""
    content = pickle.dumps(Call(os.system, "true"))
    with watch.seeing():
        pickle.loads(content)
    assert {"pickle.find_class", "os.system"} <= set(watch.events)


def test_refusal_names_the_class(tmp_path):
    with pytest.raises(UnsafeFileError, match=r"posix\.system"):
        read_pickle(save(tmp_path, pickle.dumps(Call(os.system, "true"))), pixel_size=1)


def name_of(module, name):
    return text(module) + text(name) + b"\x93"


MULTIARRAY = "numpy._core.multiarray"
SCALAR, ARRAY = name_of(MULTIARRAY, "scalar"), name_of("numpy", "ndarray")
DTYPE, FROM_BUFFER = name_of("numpy", "dtype"), name_of("numpy._core.numeric", "_frombuffer")
BYTES, CRS_NAME = name_of("builtins", "bytes"), name_of("pyproj.crs.crs", "CRS")
BIG = b"\x8a\x09" + (2**64).to_bytes(9, "little")
EMPTY_ARRAY = name_of(MULTIARRAY, "_reconstruct") + ARRAY + b"K\x00\x85C\x01b\x87R"


def dtype(name):
    return DTYPE + text(name) + b"\x89\x88\x87R"


def filled(shape, kind, content):
    """An array of this shape, type and content."""
    return EMPTY_ARRAY + b"(K\x01" + shape + dtype(kind) + b"\x89" + content + b"tb"


ABUSE = {
    "attribute named as a method": opcodes(GRAPH, b")\x81}", text("build"), text("x"), b"sb"),
    "class of a graph": opcodes(GRAPH, b")\x81}", text("__class__"), LIST, b"sb"),
    "dictionary of a graph": opcodes(GRAPH, b")\x81}", text("__dict__"), b"}sb"),
    "__setstate__ of a graph": opcodes(GRAPH, b")\x81}", text("__setstate__"), LIST, b"sb}b"),
    "slots of a graph": opcodes(GRAPH, b")\x81N}", text("build"), LIST, b"s\x86b"),
    "state that is no dictionary": opcodes(GRAPH, b")\x81K\x05b"),
    "state of a view": opcodes(name_of("networkx.classes.coreviews", "AtlasView"), b")\x81}", text("x"), b"Nsb"),
    "append to a graph": opcodes(GRAPH, b")\x81K\x01a"),
    "appends to a graph": opcodes(GRAPH, b")\x81(K\x01K\x02e"),
    "item of a graph": opcodes(GRAPH, b")\x81K\x01K\x02s"),
    "member of a graph": opcodes(GRAPH, b")\x81(K\x01\x90"),
    "call of a graph": opcodes(GRAPH, b")\x81)R"),
    "call of a method": opcodes(GRAPH, b")R}b)R"),
    "call of a number": opcodes(b"K\x01)R"),
    "call of text": opcodes(text("os.system"), text("true"), b"\x85R"),
    "call of an object": opcodes(OBJECT, b")R"),
    "call with arguments that are no tuple": opcodes(LIST, b"]R"),
    "call with too few arguments": opcodes(SCALAR, b")R"),
    "call with too many arguments": opcodes(LIST, b"]]]\x87R"),
    "old instance of a function": opcodes(b"(", SCALAR, b"o"),
    "reconstructor of a function": opcodes(RECONSTRUCTOR, SCALAR, OBJECT, b"N\x87R"),
    "reconstructor of itself": opcodes(RECONSTRUCTOR, RECONSTRUCTOR, OBJECT, b"N\x87R"),
    "reconstructor of text": opcodes(RECONSTRUCTOR, text("os.system"), OBJECT, b"N\x87R"),
    "bytes of a size": opcodes(BYTES, BIG, b"\x85R"),
    "bytes in another encoding": opcodes(name_of("_codecs", "encode"), text("x"), text("unicode_escape"), b"\x86R"),
    "list of a number": opcodes(LIST, BIG, b"\x85R"),
    "set of lists": opcodes(name_of("builtins", "set"), b"]]a\x85R"),
    "dictionary of text": opcodes(name_of("builtins", "dict"), text("abcd"), b"\x85R"),
    "factory": opcodes(name_of("collections", "defaultdict"), SCALAR, b"\x85R"),
    "type that is no text": opcodes(DTYPE, LIST, b"\x85R"),
    "order that is no text": opcodes(dtype("f8"), b"(K\x03K\x01tb"),
    "CRS that is no text": opcodes(CRS_NAME, b"}\x85R"),
    "CRS of a state that is no dictionary": opcodes(CRS_NAME, b")\x81]b"),
    "pointers in bytes": opcodes(filled(b"K\x01\x85", "O8", b"C\x08abcdefgh")),
    "pointers in a buffer": opcodes(FROM_BUFFER, b"(C\x08abcdefgh", dtype("O8"), b"K\x01\x85", text("C"), b"tR"),
    "pointer in a scalar": opcodes(SCALAR, dtype("O8"), b"C\x08abcdefgh\x86R"),
    "records": opcodes(FROM_BUFFER, b"(C\x08abcdefgh", dtype("V8"), b"K\x01\x85", text("C"), b"tR"),
    "dates": opcodes(SCALAR, dtype("M8[ns]"), b"C\x08abcdefgh\x86R"),
    "enormous items": opcodes(FROM_BUFFER, b"(C\x01a", dtype("S999999"), b"K\x01\x85", text("C"), b"tR"),
    "enormous shape": opcodes(FROM_BUFFER, b"(C\x08abcdefgh", dtype("f8"), BIG, b"\x85", text("C"), b"tR"),
    "negative shape": opcodes(FROM_BUFFER, b"(C\x08abcdefgh", dtype("f8"), b"J\xfe\xff\xff\xff\x85", text("C"), b"tR"),
    "shape that is no tuple": opcodes(filled(b"]", "f8", b"C\x08abcdefgh")),
    "array in itself": opcodes(EMPTY_ARRAY, b"\x94(K\x01K\x01\x85", dtype("O8"), b"\x89]h\x00atb"),
    "objects of another number": opcodes(filled(b"K\x09\x85", "O8", b"]K\x01a")),
    "array without a type": opcodes(EMPTY_ARRAY, b"(K\x01K\x01\x85NN]tb"),
    "list in itself": opcodes(b"]\x94h\x00a"),
    "dictionary in itself": opcodes(b"}\x94K\x01h\x00s"),
    "graph in itself": opcodes(GRAPH, b")\x81\x94}", text("_node"), b"h\x00sb"),
    "nothing": b".",
    "mark alone": opcodes(b"("),
    "class named by a number": opcodes(b"K\x01", text("x"), b"\x93"),
    "memory that is not there": opcodes(b"h\x07"),
    "negative memory": b"]p-1\n.",
    "memory without end": b"]p" + b"9" * 5000 + b"\n.",
    "number without end": b"I" + b"9" * 5000 + b"\n.",
    "unknown operation": opcodes(b"\xff"),
    "protocol of tomorrow": b"\x80\xff].",
}
STAND_INS = (StoredArray, StoredCRS, StoredDtype, StoredGeometry, StoredGraph, Ignored, Name)
PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)


@pytest.mark.parametrize("name", ABUSE)
def test_allowed_names_cannot_be_abused(name, watch):
    """Whatever is done with stand-ins gives an error, or plain values and stand-ins, and changes nothing else."""
    before = state_of_the_module()
    try:
        with watch.seeing():
            got = load(ABUSE[name], "a.p")
    except GeoevalError as error:
        said = str(error)
    else:
        said = ""
        assert type(got) in {*STAND_INS, *PLAIN}
        if isinstance(got, StoredGraph):
            assert got.kind == "Graph"
            assert set(vars(got)) == {"kind", "state"}
        if isinstance(got, StoredArray):
            assert got.value is None or got.value.dtype.kind != "O" or got.value[0] is got
    assert watch.events == []
    assert "\n" not in said
    assert state_of_the_module() == before


def test_bytes_never_become_objects():
    """An array of objects is a list of values in a pickle; made of bytes it would be pointers to anywhere."""
    for name in ("pointers in bytes", "pointers in a buffer", "pointer in a scalar"):
        assert plain(load(ABUSE[name], "a.p")) is None
    objects = load(opcodes(filled(b"K\x02\x85", "O8", b"](K\x01N\x65")), "a.p")
    assert plain(objects).tolist() == [1, None]


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
        opcodes(GRAPH, b")\x81]", doubling(60), b"N\x86ab"),  # a state whose keys were not checked
        opcodes(GRAPH, b")\x81(", doubling(60), b"N\x86tb"),
        opcodes(name_of("builtins", "dict"), b"]", doubling(60), b"N\x86a\x85R"),
        opcodes(name_of("collections", "OrderedDict"), b"]", doubling(60), b"N\x86a\x85R"),
        opcodes(name_of("builtins", "frozenset"), b"]", doubling(60), b"a\x85R"),
        b"(" + doubling(60) + b"Nd.",
        opcodes(b"}", b"\x8b" + struct.pack("<i", 1000) + b"\x7f" * 1000, b"Ns"),  # a key that takes long to hash
        b"\x80\x05\x95" + struct.pack("<Q", 20) + b"\x96" + struct.pack("<Q", 2**40) + b".",
        opcodes(b"X" + struct.pack("<I", 2**32 - 1)),
        opcodes(b"\x8d" + struct.pack("<Q", 2**63 - 1)),
        opcodes(b"B" + struct.pack("<I", 2**32 - 1)),
        opcodes(b"T" + struct.pack("<i", 2**31 - 1)),
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
        # A constructor with a thousand arguments, and a view with a state of a thousand values.
        opcodes(b"(" + b"K\x01" * 1000 + b"t\x940", GRAPH, b"\x940", b"h\x01h\x00R0" * 10**5, b"N"),
        opcodes(
            b"(" + b"K\x01" * 1000 + b"t\x940",
            name_of("networkx.classes.coreviews", "AtlasView"),
            b")\x81\x940",
            b"h\x01h\x00b0" * 10**5,
            b"N",
        ),
    ],
)
def test_copies_without_end_are_refused(content):
    with pytest.raises(UnreadableInputError, match="over and over"):
        load(content, "a.p")


def test_geometry_without_end_is_refused(tmp_path):
    wkb = struct.pack("<BII", 1, 7, 1) * 200_000 + struct.pack("<BIdd", 1, 1, 0, 0)
    content = opcodes(text("shapely.io"), text("from_wkb"), b"\x93B" + struct.pack("<I", len(wkb)) + wkb + b"\x85R")
    with pytest.raises(UnreadableInputError, match="neither a point nor a line"):
        read_pickle(save(tmp_path, content))


@given(st.binary(max_size=200))
def test_noise_is_refused(noise):
    said = ""
    try:
        load(noise, "a.p")
    except GeoevalError as error:
        said = str(error)
    assert "\n" not in said
