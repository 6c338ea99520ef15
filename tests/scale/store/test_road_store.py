"""Stores against all their segments, looked at one by one."""

import multiprocessing
import pickle

import geopandas as gpd
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from geoeval import crs as projections
from geoeval.exceptions import OutputError, ParameterError, UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.osm.osm_roads import read_osm
from geoeval.roads.evaluate import describe
from geoeval.scale.store import grouped, sorting, spool, store_file
from geoeval.scale.store.road_store import Segments, Store, network_of, store_network, write_store
from tests.networks import BRIDGE, CROSS, grid, network, noisy


def random_segments(count, *, seed=0, size=10_000.0, text=False):
    rng = np.random.default_rng(seed)
    start = rng.uniform(0, size, (count, 2))
    xy = np.stack([start, start + rng.normal(0, size / 50, (count, 2))], axis=1)
    source = rng.integers(0, 99, count)
    return Segments(
        xy,
        np.arange(2 * count).reshape(-1, 2),
        np.array([f"road {one}" for one in source]) if text else source,
        rng.random((count, 2)) < 0.1,
    )


def rows(segments):
    """The segments as a set of tuples, whatever their order."""
    parts = (segments.xy, segments.node, segments.source, segments.cut)
    return sorted(repr([part[i].tolist() for part in parts]) for i in range(len(segments)))


def meeting(segments, box):
    """Segments whose boxes meet the box, one by one."""
    found = []
    for i, ((ax, ay), (bx, by)) in enumerate(segments.xy.tolist()):
        apart = max(ax, bx) < box[0] or min(ax, bx) > box[2] or max(ay, by) < box[1] or min(ay, by) > box[3]
        if not apart:
            found.append(i)
    return segments.take(found)


@pytest.fixture
def small(monkeypatch):
    """Groups and memory so small that little data needs many of them."""
    monkeypatch.setattr(store_file, "GROUP_ROWS", 64)
    monkeypatch.setattr(sorting, "IN_MEMORY", 12_000)
    monkeypatch.setattr(sorting, "CHUNK", 3000)


@pytest.mark.parametrize("text", [False, True])
def test_a_box_gives_what_a_look_at_each_segment_gives(tmp_path, small, text):
    segments = random_segments(3000, text=text)
    made = write_store(tmp_path / "a.parquet", [segments.take(slice(i, i + 70)) for i in range(0, 3000, 70)],
                       crs="EPSG:32610", facts={"what": "noise"})  # fmt: skip
    assert (made.count, made.facts["what"], made.crs) == (3000, "noise", projections.parse_crs("EPSG:32610"))
    assert rows(made.read_all()) == rows(segments)
    assert made.read_all().source.dtype.kind == ("U" if text else "i")
    assert made.bounds == (*segments.bounds[:, :2].min(axis=0), *segments.bounds[:, 2:].max(axis=0))
    rng = np.random.default_rng(1)
    for _ in range(30):
        low = rng.uniform(-1000, 10_500, 2)
        box = (*low, *(low + rng.uniform(0, 2000, 2)))
        assert rows(made.read(box)) == rows(meeting(segments, box))
    x, y = segments.xy[17, 0]
    assert rows(made.read((x, y, x, y))) == rows(meeting(segments, (x, y, x, y)))
    nothing = made.read((1e6, 1e6, 2e6, 2e6))
    assert len(nothing) == 0
    assert nothing.source.dtype.kind == made.read_all().source.dtype.kind


def test_group_bounds_are_those_of_the_rows_and_small(tmp_path, small):
    made = write_store(tmp_path / "a.parquet", [random_segments(3000)], crs="EPSG:32610", facts={})
    groups = list(made.batches())
    assert [len(group) for group in groups] == [64] * 46 + [56]
    for bounds, group in zip(made.group_bounds, groups, strict=True):
        assert bounds.tolist() == [*group.bounds[:, :2].min(axis=0), *group.bounds[:, 2:].max(axis=0)]
    width, height = np.mean(made.group_bounds[:, 2:] - made.group_bounds[:, :2], axis=0)
    assert width * height < 0.1 * 10_000**2, "the curve keeps near things together"


def test_only_the_groups_of_the_box_are_read_and_few_are_kept(tmp_path, small, monkeypatch):
    made = write_store(tmp_path / "a.parquet", [random_segments(3000)], crs="EPSG:32610", facts={})
    read = []
    decoded = Store.group
    monkeypatch.setattr(Store, "group", lambda self, number: read.append(number) or decoded(self, number))
    box = (0, 0, 500, 500)
    first = made.read(box)
    assert 0 < len(read) < 15
    before = list(read)
    assert rows(made.read(box)) == rows(first)
    assert read == before, "a group that was just read is at hand"
    monkeypatch.setattr(grouped, "CACHE_BYTES", 10_000)
    made.read((-1e9, -1e9, 1e9, 1e9))
    assert sum(group.nbytes for group in made._groups.values()) <= 10_000


def test_the_bytes_do_not_depend_on_memory_batches_or_order(tmp_path, small, monkeypatch):
    segments = random_segments(2000)
    cut_up = [segments.take(slice(i, i + 33)) for i in range(0, 2000, 33)]
    on_disk = write_store(tmp_path / "a.parquet", cut_up, crs="EPSG:32610", facts={})
    monkeypatch.setattr(sorting, "IN_MEMORY", 10**9)
    in_memory = write_store(tmp_path / "b.parquet", [segments], crs="EPSG:32610", facts={})
    turned = write_store(tmp_path / "c.parquet", [segments.take(slice(None, None, -1))], crs="EPSG:32610", facts={})
    assert on_disk.path.read_bytes() == in_memory.path.read_bytes() == turned.path.read_bytes()


def test_all_segments_at_one_place(tmp_path, small):
    one = random_segments(1)
    many = Segments(np.repeat(one.xy, 900, axis=0), np.arange(1800).reshape(-1, 2), np.arange(900),
                    np.zeros((900, 2), dtype=bool))  # fmt: skip
    made = write_store(
        tmp_path / "a.parquet", [many.take(slice(0, 450)), many.take(slice(450, None))], crs=32610, facts={}
    )
    assert rows(made.read_all()) == rows(many)


def test_geopandas_reads_it(tmp_path):
    net = network(grid())
    frame = gpd.read_parquet(store_network(tmp_path / "a.parquet", net).path)
    assert frame.crs == net.crs
    assert frame.length.sum() == pytest.approx(net.length)
    assert list(frame.columns) == ["geometry", "from", "to", "source", "from_cut", "to_cut", "class"]
    assert set(frame.geom_type) == {"LineString"}


@pytest.mark.parametrize(
    "crs", [None, "EPSG:32610", "+proj=tmerc +lat_0=49 +lon_0=8 +k_0=0.9999 +datum=WGS84 +units=m"]
)
def test_the_crs_comes_back(tmp_path, crs):
    net = RoadNetwork.from_lines(CROSS, crs=crs)
    made = store_network(tmp_path / "a.parquet", net)
    assert made.crs == net.crs
    assert projections.is_local(made.crs) == projections.is_local(net.crs)
    same_network(network_of(made.read_all(), crs=made.crs, to_crs=net.crs), net)


def same_network(one, other):
    for what in ("nodes", "segments", "source_ids", "cut"):
        a, b = getattr(one, what), getattr(other, what)
        assert a.dtype.kind == b.dtype.kind
        assert np.array_equal(a, b), what
    assert one.crs == other.crs
    duplicates = [sorted(zip(map(tuple, n.duplicates.tolist()), n.duplicate_ids.tolist(), strict=True))
                  for n in (one, other)]  # fmt: skip
    assert duplicates[0] == duplicates[1]


@pytest.mark.parametrize("lines", [grid(7, 9), CROSS, BRIDGE, [*noisy(grid(), 9.0), *noisy(grid(), 9.0)]])
def test_a_network_comes_back_bit_for_bit(tmp_path, small, lines):
    net = network(lines, ids=[f"street {i % 5}" for i in range(len(lines))][::-1])
    same_network(network_of(store_network(tmp_path / "a.parquet", net).read_all(), crs=net.crs, to_crs=net.crs), net)


def test_clipped_ends_duplicates_and_nodes_at_one_place_come_back(tmp_path):
    nodes = [(0, 0), (50, 0), (50, 0), (90, 7), (50, 80)]
    pairs = [(0, 1), (2, 3), (2, 4), (3, 2), (1, 0)]
    net = RoadNetwork(nodes, pairs, crs="EPSG:32610", source_ids=[5, 4, 3, 2, 1], merge_coincident=False)
    net = net.clip((10, -10, 1000, 60))
    assert net.cut.sum() == 2
    made = store_network(tmp_path / "a.parquet", net, facts={"seed": 3})
    same_network(network_of(made.read_all(), crs=made.crs, to_crs=net.crs), net)
    digest = describe(net)["sha256"]
    assert made.facts == {
        "problems": net.problems, "source": "", "scale_error": net.scale_error, "sha256": digest, "extent": None,
        "classes": None, "seed": 3,
    }  # fmt: skip


def test_duplicates_are_counted_and_stay_in_order(tmp_path, small):
    xy = np.array([[[0.0, 0], [9, 0]], [[9, 0], [0, 0]], [[0, 0], [0, 9]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]])
    node = np.array([[1, 2], [2, 1], [1, 3], [1, 1], [1, 1]])
    segments = Segments(xy, node, np.array([7, 5, 6, 1, 1]), np.zeros((5, 2), dtype=bool))
    for name, order, kept in (("a", slice(None), [6, 7]), ("b", slice(None, None, -1), [5, 6])):
        others = random_segments(2000)
        others = Segments(others.xy, others.node + 100, others.source * 0 + 9, others.cut)
        batches = [segments.take(order), others]
        made = write_store(tmp_path / name, batches, crs=32610, facts={"problems": {"areas": 2}})
        assert made.facts["problems"] == {"areas": 2, "duplicate_segments": 1}
        net = network_of(made.read((-1, -1, 10, 10)), crs=32610, to_crs=32610)
        assert sorted(set(net.source_ids.tolist()) - {9}) == kept
        assert net.problems == {"zero_length_segments": 2, "duplicate_segments": 1}


def test_text_ids_of_any_width(tmp_path, small):
    parts = [random_segments(300, seed=seed) for seed in range(4)]
    names = [np.full(300, "x" * (3 ** (seed + 1)) + "\u00e4") for seed in range(4)]
    parts = [Segments(part.xy, part.node + 10**4 * i, names[i], part.cut) for i, part in enumerate(parts)]
    made = write_store(tmp_path / "a.parquet", parts, crs=32610, facts={})
    assert rows(made.read_all()) == rows(Segments.joined(parts))


def test_a_part_in_another_crs_is_that_part_of_the_whole(tmp_path, small):
    degrees = np.add(grid(12, 12, 0.001), (8.5, 49.4))
    ends, number = np.unique(degrees.reshape(-1, 2), axis=0, return_inverse=True)
    pairs = number.reshape(-1, 2)
    segments = Segments(ends[pairs], pairs + 10**10, np.arange(len(pairs)), np.zeros((len(pairs), 2), dtype=bool))
    made = write_store(tmp_path / "a.parquet", [segments], crs="EPSG:4326", facts={})
    whole = network_of(made.read_all(), crs=made.crs, to_crs="EPSG:32632")
    part = network_of(
        made.read((8.5025, 49.4, 8.5045, 49.42)), crs=made.crs, to_crs="EPSG:32632", facts={"source": "x"}
    )
    ids = np.flatnonzero(np.isin(whole.source_ids, part.source_ids))
    assert 0 < len(ids) < len(pairs)
    assert np.array_equal(whole.nodes[whole.segments[ids]], part.nodes[part.segments])
    assert (part.source, part.crs.to_epsg()) == ("x", 32632)


def test_an_empty_store(tmp_path):
    made = write_store(tmp_path / "a.parquet", [], crs="EPSG:4326", facts={"problems": {"areas": 1}})
    assert (made.count, len(made.read_all()), len(made.read((0, 0, 9, 9))), list(made.batches())) == (0, 0, 0, [])
    assert made.group_bounds.shape == (0, 4)
    assert np.isnan(made.bounds).all()
    assert network_of(made.read_all(), crs=made.crs, to_crs="EPSG:32632").is_empty
    assert gpd.read_parquet(made.path).empty
    assert len(store_network(tmp_path / "b.parquet", network([])).read_all()) == 0


def test_a_store_goes_to_other_processes(tmp_path, small):
    made = write_store(tmp_path / "a.parquet", [random_segments(500)], crs="EPSG:32610", facts={})
    box = (1000, 1000, 6000, 6000)
    wanted = rows(made.read(box))
    assert rows(pickle.loads(pickle.dumps(made)).read(box)) == wanted
    assert len(pickle.dumps(made)) < 500, "the path and nothing else"
    assert pickle.loads(pickle.dumps(made)) is pickle.loads(pickle.dumps(made)), "opened once for all tasks"
    write_store(made.path, [random_segments(7)], crs="EPSG:32610", facts={}, overwrite=True)
    assert pickle.loads(pickle.dumps(made)).count == 7, "but not if it is another file by now"
    write_store(made.path, [random_segments(500)], crs="EPSG:32610", facts={}, overwrite=True)
    letter = pickle.dumps(made)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert all(rows(part) == wanted for part in pool.map(made.read, [box] * 6))
    made.path.unlink()
    with pytest.raises(UnreadableInputError, match="no such file"):
        pickle.loads(letter)


def test_an_interrupted_write_leaves_nothing(tmp_path, small):
    def broken():
        yield random_segments(500)
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        write_store(tmp_path / "a.parquet", broken(), crs="EPSG:32610", facts={})
    assert list(tmp_path.iterdir()) == []
    write_store(tmp_path / "a.parquet", [random_segments(500)], crs="EPSG:32610", facts={})
    assert [item.name for item in tmp_path.iterdir()] == ["a.parquet"]
    with pytest.raises(OutputError, match="exists already"):
        write_store(tmp_path / "a.parquet", [], crs="EPSG:32610", facts={})
    assert write_store(tmp_path / "a.parquet", [], crs="EPSG:32610", facts={}, overwrite=True).count == 0


def test_what_is_no_store_is_said_in_one_line(tmp_path):
    made = store_network(tmp_path / "a.parquet", network(grid()))
    whole = made.path.read_bytes()
    cases = {
        "gone": None,
        "short": whole[:-100],
        "text": b"PAR1 but no more",
    }
    for name, content in cases.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UnreadableInputError, match=name) as caught:
            Store(path)
        assert "\n" not in str(caught.value)
    gpd.GeoDataFrame(geometry=gpd.points_from_xy([1], [2]), crs=4326).to_parquet(tmp_path / "points.parquet")
    with pytest.raises(UnreadableInputError, match="not a store"):
        Store(tmp_path / "points.parquet")
    (tmp_path / "spoilt").write_bytes(whole[:100] + bytes(40) + whole[140:])
    with pytest.raises(UnreadableInputError, match="damaged"):
        Store(tmp_path / "spoilt").read_all()


def test_what_cannot_be_stored_is_said(tmp_path):
    segments = random_segments(4)
    hole = Segments(np.where(segments.xy == segments.xy[0, 0, 0], np.nan, segments.xy), *segments_rest(segments))
    with pytest.raises(ParameterError, match="not a number"):
        write_store(tmp_path / "a.parquet", [hole], crs=32610, facts={})
    with pytest.raises(ParameterError, match="all of them as text"):
        write_store(tmp_path / "a.parquet", [segments, random_segments(4, text=True)], crs=32610, facts={})
    assert list(tmp_path.iterdir()) == []


def segments_rest(segments):
    return segments.node, segments.source, segments.cut


@settings(max_examples=25)
@given(
    xy=arrays(
        np.float64, st.tuples(st.integers(0, 40), st.just(2), st.just(2)), elements=st.floats(-1e7, 1e7, width=32)
    ),
    box=st.tuples(*[st.floats(-1.1e7, 1.1e7)] * 4),
)
def test_any_segments_and_any_box(tmp_path_factory, xy, box):
    segments = Segments(
        xy, np.arange(2 * len(xy)).reshape(-1, 2), np.arange(len(xy)), np.zeros((len(xy), 2), dtype=bool)
    )
    made = write_store(tmp_path_factory.mktemp("any") / "a.parquet", [segments], crs=32610, facts={})
    box = (*np.minimum(box[:2], box[2:]), *np.maximum(box[:2], box[2:]))
    assert rows(made.read_all()) == rows(segments)
    assert rows(made.read(box)) == rows(meeting(segments, box))


def test_the_curve_visits_each_cell_once_and_goes_to_a_neighbour():
    cells = np.stack(np.meshgrid(np.arange(16), np.arange(16)), axis=-1).reshape(-1, 2)
    place = spool.hilbert(cells, digits=4)
    assert sorted(place.tolist()) == list(range(256))
    steps = np.abs(np.diff(cells[np.argsort(place)], axis=0)).sum(axis=1)
    assert set(steps.tolist()) == {1}


@pytest.mark.parametrize("network_type", ["drive", "all"])
@pytest.mark.parametrize("name", ["ors_heidelberg", "valhalla_liechtenstein-latest"])
def test_a_town_comes_back_bit_for_bit(tmp_path, data, name, network_type):
    net = read_osm(data / "osm" / f"{name}.osm.pbf", network_type=network_type)
    made = store_network(tmp_path / "a.parquet", net)
    same_network(network_of(made.read_all(), crs=made.crs, to_crs=net.crs), net)
    assert made.facts["problems"] == net.problems
