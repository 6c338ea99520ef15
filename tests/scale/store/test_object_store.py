"""Objects on disk: what goes in comes out, by place, and other programs read it too."""

import pickle

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval import ObjectMap
from geoeval.exceptions import OutputError, ParameterError, UnreadableInputError
from geoeval.scale.store import object_store, sorting
from geoeval.scale.store.object_store import ObjectStore, store_objects, write_object_store
from tests.objects.shapes_for_tests import CRS, objects


def houses(count, seed=0, **more):
    rng = np.random.default_rng(seed)
    places = np.column_stack([rng.uniform(0, 1000, (count, 2)), rng.uniform(1, 30, (count, 2))])
    return objects(*places.tolist(), **more)


@pytest.fixture(autouse=True)
def _small_groups(monkeypatch):
    monkeypatch.setattr(object_store, "GROUP_ROWS", 16)


def test_all_comes_back_bit_for_bit(tmp_path):
    ring = shapely.Polygon(shapely.box(0.1, 0.2, 90.3, 90.7).exterior, [shapely.box(30, 30, 60, 60).exterior])
    parts = shapely.MultiPolygon([shapely.box(0, 100, 1 / 3, 101), shapely.box(5, 100, 6, 101.7)])
    given_map = ObjectMap.from_polygons([ring, parts], crs=CRS, ids=["way/1", "relation/2"], confidence=[0.25, 1 / 3])
    store = store_objects(tmp_path / "a.parquet", given_map)
    found = store.read((-1e9, -1e9, 1e9, 1e9))
    assert [shape.wkb for shape in given_map.polygons] == found.wkb.tolist()
    assert found.source.tolist() == given_map.ids.tolist()
    assert found.confidence.tolist() == given_map.confidence.tolist()
    assert store.crs == given_map.crs
    assert store.facts["problems"] == given_map.problems
    assert tuple(store.bounds) == given_map.bounds


@given(st.tuples(*[st.floats(-50, 1100)] * 4))
def test_a_box_gives_the_objects_that_meet_it(corners):
    import tempfile
    from pathlib import Path

    box = (*np.minimum(corners[:2], corners[2:]), *np.maximum(corners[:2], corners[2:]))
    own = houses(100)
    with tempfile.TemporaryDirectory() as folder:
        store = store_objects(Path(folder) / "a.parquet", own)
        found = store.read(box, box)
    wanted = np.flatnonzero(shapely.intersects(shapely.box(*box), shapely.box(*shapely.bounds(own.polygons).T)))
    assert found.number.tolist() == wanted.tolist()
    assert found.source.tolist() == [str(one) for one in own.ids[wanted]]


def test_groups_are_read_only_where_they_are_needed(tmp_path, monkeypatch):
    store = store_objects(tmp_path / "a.parquet", houses(400))
    assert len(store.group_bounds) == 25
    read = []
    original = ObjectStore.group
    monkeypatch.setattr(ObjectStore, "group", lambda self, n: (read.append(n), original(self, n))[1])
    store.read((10, 10, 40, 40))
    assert 0 < len(read) < 9
    store.read((12, 12, 20, 20))  # at hand
    assert len(read) < 9


def test_rows_that_wait_on_disk_come_in_the_same_order(tmp_path, monkeypatch):
    own = houses(300, ids=[f"way/{k}" for k in range(300)])
    at_once = store_objects(tmp_path / "a.parquet", own)
    monkeypatch.setattr(sorting, "IN_MEMORY", 4096)
    batches = [own.take(np.arange(k, min(k + 70, 300))) for k in range(0, 300, 70)]
    in_parts = write_object_store(tmp_path / "b.parquet", batches, crs=own.crs, facts={"a": 1})
    for one, other in zip(at_once.batches(), in_parts.batches(), strict=True):
        assert one.number.tolist() == other.number.tolist()
        assert one.wkb.tolist() == other.wkb.tolist()
        assert one.source.tolist() == other.source.tolist()
    assert in_parts.facts == {"a": 1}
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_other_programs_read_it(tmp_path):
    own = houses(40, confidence=np.linspace(0, 1, 40))
    store_objects(tmp_path / "a.parquet", own)
    frame = gpd.read_parquet(tmp_path / "a.parquet")
    assert frame.crs == own.crs
    assert frame.geometry.area.sum() == pytest.approx(own.area)
    near = gpd.read_parquet(tmp_path / "a.parquet", bbox=(0, 0, 300, 300))
    assert 0 < len(near) < 40


def test_empty_and_sent_to_another_process(tmp_path):
    store = store_objects(tmp_path / "a.parquet", objects())
    assert store.count == 0
    assert len(store.read((0, 0, 1, 1))) == 0
    there = pickle.loads(pickle.dumps(store_objects(tmp_path / "b.parquet", houses(3))))
    assert len(there.read((-1e9, -1e9, 1e9, 1e9))) == 3


def test_what_is_wrong_is_told(tmp_path):
    path = tmp_path / "a.parquet"
    store = store_objects(path, houses(3))
    with pytest.raises(OutputError, match="exists"):
        store_objects(path, houses(3))
    mixed = [houses(3), houses(3, confidence=[1, 2, 3])]
    with pytest.raises(ParameterError, match="confidence"):
        write_object_store(tmp_path / "b.parquet", mixed, crs=store.crs, facts={})
    with pytest.raises(UnreadableInputError, match="no such file"):
        ObjectStore(tmp_path / "none.parquet")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UnreadableInputError, match=r"damaged.*made again"):
        ObjectStore(path)
    houses(3).to_geodataframe().to_parquet(tmp_path / "c.parquet")
    with pytest.raises(UnreadableInputError, match="not a store"):
        ObjectStore(tmp_path / "c.parquet")
