"""Streamed stores against the network that is read in memory."""

import itertools
import tracemalloc

import numpy as np
import osmium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import CRSError, GeoevalError, OutputError, UnreadableInputError
from geoeval.readers.osm import node_store as osm_nodes
from geoeval.readers.osm.osm_roads import read_osm
from geoeval.scale.store import osm_store, sorting
from geoeval.scale.store.osm_store import store_osm
from geoeval.scale.store.road_store import network_of
from tests.readers.osm.osm_files import node, way, write, xml

STREET = {"highway": "residential"}


def little_memory(monkeypatch, size=2000):
    """So little memory that a few streets have to wait on disk."""
    monkeypatch.setattr(sorting, "IN_MEMORY", size)
    monkeypatch.setattr(sorting, "CHUNK", size // 4)
    monkeypatch.setattr(osm_store, "TEXT", size // 2)
    monkeypatch.setattr(osm_store, "VERTICES", max(size // 40, 20))


@pytest.fixture
def streamed(monkeypatch):
    """Little memory, and files must not be read into it."""
    little_memory(monkeypatch)
    monkeypatch.setattr(osm_store, "osm_roads", None)


@pytest.fixture
def in_memory(monkeypatch):
    """How often a file was read into memory."""
    calls = []
    original = osm_store.osm_roads
    monkeypatch.setattr(osm_store, "osm_roads", lambda *a: calls.append(a) or original(*a))
    return calls


def assert_same(store, network):
    """The store makes the network bit for bit; duplicates may come in another order."""
    made = network_of(store.read_all(), crs=store.crs, to_crs=network.crs, facts=store.facts)
    for what in ("nodes", "segments", "source_ids", "cut"):
        assert np.array_equal(getattr(made, what), getattr(network, what)), what
    assert duplicates(made) == duplicates(network)
    assert store.facts["problems"] == network.problems
    assert classes(made) == classes(network)


def classes(network):
    """The class of each segment by name."""
    known = network.classes
    return None if known is None else [known.names[one] for one in known.of(network.source_ids).tolist()]


def duplicates(network):
    return sorted(zip(network.duplicates.tolist(), network.duplicate_ids.tolist(), strict=True))


def town(ways=60, seed=0, first_way=1):
    """Ways over few nodes: shared, repeated, closed, and some that run through nodes that are not there."""
    rng = np.random.default_rng(seed)
    ids = np.unique(rng.integers(1, 10**10, 120)).tolist()
    places = [(round(8 + 0.001 * (i % 11), 7), round(49 + 0.001 * (i // 11), 7)) for i in range(len(ids))]
    places[7] = places[6]  # two nodes at one place
    nodes = [node(number, *place) for number, place in zip(ids, places, strict=True) if number % 13]
    tags = [STREET, {"highway": "primary", "access": "private"}, {"highway": "service"}, {"building": "yes"},
            {**STREET, "area": "yes"}, STREET, {"highway": "path"}]  # fmt: skip
    lines = []
    for number in range(first_way, first_way + ways):
        start = int(rng.integers(0, len(ids) - 8))
        refs = ids[start : start + int(rng.integers(1, 8))]
        refs = [*refs, *refs[-1:]] if rng.random() < 0.2 else refs
        lines.append(way(number, refs, tags[int(rng.integers(0, len(tags)))]))
    return nodes, lines


@pytest.mark.parametrize("network_type", ["drive", "all", "walk", "path,service"])
def test_a_streamed_file_is_the_file_read_in_memory(tmp_path, streamed, network_type):
    nodes, ways = town()
    source = write(tmp_path / "a.osm.pbf", xml(*nodes, *ways))
    store = store_osm(source, tmp_path / "a.parquet", network_type=network_type)
    network = read_osm(source, network_type=network_type)
    assert_same(store, network)
    assert {"missing_nodes", "zero_length_segments", "duplicate_segments"} <= set(network.problems)
    assert store.facts["network_type"] == network_type
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.osm.pbf", "a.parquet"]


def test_coordinates_nodes_and_ways_are_those_of_openstreetmap(tmp_path, streamed):
    text = xml(
        node(10**10, 8.1234567, 49.7654321), node(10**10 + 7, 8.2, -0.1), way(10**9, [10**10, 10**10 + 7], STREET)
    )
    store = store_osm(write(tmp_path / "a.osm.pbf", text), tmp_path / "a.parquet")
    found = store.read_all()
    assert store.crs.to_epsg() == 4326
    assert found.node.tolist() == [[10**10, 10**10 + 7]]
    assert found.xy.tolist() == [[[8.1234567, 49.7654321], [8.2, -0.1]]]
    assert (found.source.tolist(), found.cut.tolist()) == ([10**9], [[False, False]])
    assert np.array_equal(found.xy, np.round(found.xy * 1e7) / 1e7)
    assert store_osm(tmp_path / "a.osm.pbf", tmp_path / "b.parquet", crs="EPSG:4258").crs.to_epsg() == 4258


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), ways=st.integers(1, 40), size=st.sampled_from([400, 3000, 10**8]))
def test_any_town(tmp_path_factory, seed, ways, size):
    nodes, lines = town(ways, seed)
    folder = tmp_path_factory.mktemp("town")
    source = write(folder / "a.osm.pbf", xml(*nodes, *lines))
    with pytest.MonkeyPatch.context() as monkeypatch:
        little_memory(monkeypatch, size)
        monkeypatch.setattr(osm_store, "osm_roads", None)
        same_answer(source, folder / "a.parquet")


def same_answer(source, path, **options):
    """The same roads, or the same error and nothing on disk."""
    wanted, made = (answer(read, source, *rest, **options) for read, rest in ((read_osm, ()), (store_osm, (path,))))
    if isinstance(wanted, GeoevalError):
        assert (type(made), str(made)) == (type(wanted), str(wanted))
        assert [item.name for item in path.parent.iterdir()] == [source.name]
    else:
        assert_same(made, wanted)


def answer(function, *arguments, **options):
    try:
        return function(*arguments, **options)
    except GeoevalError as error:
        return error


@pytest.mark.parametrize(
    "elements",
    [
        [node(1, 8, 49)],
        [node(1, 8, 49), node(2, 8.1, 49), way(5, [1, 2], {"highway": "path"})],
        [node(1, 8, 49), node(2, 8.1, 49), way(5, [1, 2], {**STREET, "access": "private"})],
        [node(1, 8, 49), way(5, [1, 2, 3], STREET)],
        [way(5, [1, 2, 3], STREET), way(6, [3, 4], STREET)],
        [node(1, 8, 49), way(5, [1, 1, 1], STREET)],
        [node(1, 8, 49), way(5, [1], STREET)],
        [],
    ],
)
def test_files_without_roads_are_refused_as_by_the_reader(tmp_path, streamed, elements):
    source = write(tmp_path / "a.osm.pbf", xml(*elements))
    with pytest.raises(GeoevalError):
        read_osm(source)
    same_answer(source, tmp_path / "a.parquet")


@pytest.mark.parametrize("suffix", [".osm", ".osm.gz", ".osm.bz2"])
def test_xml_is_read_in_memory(tmp_path, in_memory, suffix):
    nodes, ways = town()
    source = write(tmp_path / f"a{suffix}", xml(*nodes, *ways))
    same_answer(source, tmp_path / "a.parquet", network_type="all")
    assert len(in_memory) == 1


def shuffled_nodes(nodes, ways):
    return [*nodes[::-1], *ways]


def shuffled_ways(nodes, ways):
    return [*nodes, *ways[::-1]]


def one_late_node(nodes, ways):
    return [*nodes[1:], nodes[0], *ways]


def a_way_twice(nodes, ways):
    return [*nodes, *ways, ways[3], *ways[4:6]]


def a_way_twice_in_a_row(nodes, ways):
    at = next(row for row, line in enumerate(ways) if "residential" in line)
    return [*nodes, *ways[:at], ways[at].replace("residential", "primary"), *ways[at:]]


def negative_ids(nodes, ways):
    return [node(-1, 8, 49), node(-2, 8.01, 49), *nodes, way(-9, [-1, -2], STREET), *ways]


def negative_nodes(nodes, ways):
    return [node(-1, 8, 49), node(-2, 8.01, 49), *nodes, *ways, way(999, [-1, -2], STREET)]


@pytest.mark.parametrize(
    "change",
    [shuffled_nodes, shuffled_ways, one_late_node, a_way_twice, a_way_twice_in_a_row, negative_ids, negative_nodes],
)
@pytest.mark.parametrize("text", [1, 10**6])
def test_what_is_not_in_order_is_read_in_memory(tmp_path, in_memory, monkeypatch, change, text):
    little_memory(monkeypatch)
    monkeypatch.setattr(osm_store, "TEXT", text)
    source = write(tmp_path / "a.osm.pbf", xml(*change(*town())))
    same_answer(source, tmp_path / "a.parquet")
    assert len(in_memory) == 1


def test_a_node_that_comes_late_is_not_missed(tmp_path, in_memory, monkeypatch):
    """All wanted nodes lie below the last one of the first block, so that nobody would need to read on."""
    monkeypatch.setattr(osm_nodes, "CHUNK", 1)
    lines = [f"n{2 * i} x{8 + i / 1e5} y49" for i in range(1, 8001)]  # as many as osmium puts into a block
    source = from_opl(tmp_path / "a.osm.pbf", [*lines, "n5 x8 y49.1", "w1 Thighway=road Nn2,n5,n16000"])
    store = store_osm(source, tmp_path / "a.parquet")
    assert (store.count, store.facts["problems"], len(in_memory)) == (2, {}, 1)


@pytest.mark.parametrize("complete", [True, False])
def test_places_that_stand_with_the_ways(tmp_path, in_memory, complete):
    nodes, ways = town()
    plain = write(
        tmp_path / "plain.osm.pbf", xml(*nodes, *[one for one in ways if not complete or present(one, nodes)])
    )
    source = tmp_path / "a.osm.pbf"
    with osmium.SimpleWriter(osmium.io.File(str(source), "pbf,locations_on_ways=true")) as writer:
        for item in osmium.FileProcessor(str(plain)).with_locations():
            if item.is_way():
                writer.add(item)
    same_answer(source, tmp_path / "a.parquet", network_type="all")
    assert len(in_memory) == (0 if complete else 1)


def present(line, nodes):
    ids = {one.split('"')[1] for one in nodes}
    return all(part.split('"')[1] in ids for part in line.split("<nd")[1:])


def test_what_cannot_be_done_is_said_in_one_line(tmp_path, streamed):
    with pytest.raises(UnreadableInputError, match="no such file"):
        store_osm(tmp_path / "none.osm.pbf", tmp_path / "a.parquet")
    nodes, ways = town()
    source = write(tmp_path / "a.osm.pbf", xml(*nodes, *ways))
    with pytest.raises(CRSError, match="degrees"):
        store_osm(source, tmp_path / "a.parquet", crs="EPSG:32632")
    (tmp_path / "cut.osm.pbf").write_bytes(source.read_bytes()[:-40])
    with pytest.raises(UnreadableInputError, match="damaged") as caught:
        store_osm(tmp_path / "cut.osm.pbf", tmp_path / "a.parquet")
    assert "\n" not in str(caught.value)
    store_osm(source, tmp_path / "a.parquet")
    with pytest.raises(OutputError, match="exists already"):
        store_osm(source, tmp_path / "a.parquet")
    store_osm(source, tmp_path / "a.parquet", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.osm.pbf", "a.parquet", "cut.osm.pbf"]


def test_a_full_disk_is_said_and_nothing_is_left(tmp_path, streamed, monkeypatch):
    source = write(tmp_path / "a.osm.pbf", xml(*itertools.chain(*town())))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sorting._Pile, "add", full)
    with pytest.raises(OutputError, match=r"(?i)space"):
        store_osm(source, tmp_path / "a.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["a.osm.pbf"]


def test_memory_does_not_grow_with_the_file(tmp_path, streamed, monkeypatch):
    little_memory(monkeypatch, 200_000)
    store_osm(lattice(tmp_path / "few.osm.pbf", 2), tmp_path / "few.parquet")  # imports do not count
    peaks = []
    for rows in (100, 800):
        source = lattice(tmp_path / f"{rows}.osm.pbf", rows)
        tracemalloc.start()
        store = store_osm(source, tmp_path / f"{rows}.parquet")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert store.count == 99 * rows
    assert peaks[1] < 1.5 * peaks[0]


def lattice(path, rows):
    """Streets side by side, each with 100 nodes."""
    lines = [f"n{i + 1} x{8 + i % 100 / 1e3} y{49 + i // 100 / 1e3}" for i in range(100 * rows)]
    lines += [
        f"w{row + 1} Thighway=road N" + ",".join(f"n{100 * row + i + 1}" for i in range(100)) for row in range(rows)
    ]
    return from_opl(path, lines)


def from_opl(path, lines):
    text = osmium.io.FileBuffer("\n".join([*lines, ""]).encode(), "opl")
    with osmium.SimpleWriter(str(path)) as writer, osmium.io.Reader(text) as reader:
        osmium.apply(reader, writer)
    return path


@pytest.mark.parametrize("network_type", ["drive", "all"])
@pytest.mark.parametrize("name", ["ors_heidelberg", "valhalla_liechtenstein-latest", "valhalla_melborne"])
def test_a_real_extract(tmp_path, data, monkeypatch, name, network_type):
    little_memory(monkeypatch, 1 << 20)
    monkeypatch.setattr(osm_store, "osm_roads", None)
    source = data / "osm" / f"{name}.osm.pbf"
    store = store_osm(source, tmp_path / "a.parquet", network_type=network_type)
    assert_same(store, read_osm(source, network_type=network_type))
