"""Stores are made once, and again when they have to be."""

import multiprocessing
import os
import random
import time

import pytest

from geoeval.exceptions import EmptyInputError, GeoevalWarning, OutputError, UnreadableInputError
from geoeval.scale.store import cache
from geoeval.scale.store.cache import cached_store, store_folder
from tests.readers.osm.osm_files import node, way, write, xml

ROADS = xml(
    node(1, 8.0, 49.0),
    node(2, 8.001, 49.0),
    node(3, 8.001, 49.001),
    way(5, [1, 2], {"highway": "residential"}),
    way(6, [2, 3], {"highway": "service"}),
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "geoeval" / "stores"


@pytest.fixture
def made(monkeypatch):
    """The sources of stores that were really made."""
    sources = []
    original = cache.store_osm
    monkeypatch.setattr(cache, "store_osm", lambda source, *a, **k: sources.append(source) or original(source, *a, **k))
    return sources


def test_a_store_is_made_once_for_a_content_and_its_options(tmp_path, folder, made):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    store = cached_store(source)
    assert store.path.parent == folder == store_folder()
    assert (store.count, len(made)) == (1, 1)
    again = cached_store(str(source), network_type=" drive ", crs="EPSG:4326")
    moved = write(tmp_path / "b.osm.pbf", ROADS)
    assert {again.path, cached_store(moved).path} == {store.path}
    assert len(made) == 1
    assert cached_store(source, network_type="all").count == 2
    assert cached_store(source, crs="EPSG:4258").crs.to_epsg() == 4258
    assert len(made) == 3
    write(source, ROADS.replace("8.001", "8.002"))
    assert cached_store(source).bounds != store.bounds
    assert len(made) == 4
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("harm", ["cut", "spoilt", "other", "empty"])
def test_a_damaged_store_is_made_again(tmp_path, made, harm):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    store = cached_store(source)
    whole = store.path.read_bytes()
    store.path.write_bytes(
        {"cut": whole[:-50], "spoilt": whole[:20] + b"damage" + whole[26:], "other": b"hello", "empty": b""}[harm]
    )
    with pytest.warns(GeoevalWarning, match="is damaged and is made again"):
        assert cached_store(source).read_all().source.tolist() == [5]
    assert len(made) == 2
    assert store.path.read_bytes() == whole


def test_a_store_damaged_in_any_byte_is_made_again(tmp_path, made):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    store = cached_store(source)
    whole = store.path.read_bytes()
    rng = random.Random(0)
    places = rng.sample(range(len(whole)), 30)
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= rng.randrange(1, 256)
        store.path.write_bytes(damaged)
        with pytest.warns(GeoevalWarning, match="damaged"):
            cached_store(source)
        assert store.path.read_bytes() == whole
    assert len(made) == 1 + len(places)


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_the_cache_belongs_to_its_user_alone(tmp_path, folder, monkeypatch):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    cached_store(source)
    assert folder.stat().st_mode & 0o777 == 0o755
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(OutputError, match=r"belongs to another user.*XDG_CACHE_HOME"):
        cached_store(source)


def test_another_format_does_not_take_old_stores(tmp_path, made, monkeypatch):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    cached_store(source)
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    cached_store(source)
    assert len(made) == 2


def test_two_processes_at_once(tmp_path, folder):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        stores = pool.map(cached_store, [source] * 6, chunksize=1)
    assert {store.path for store in stores} == set(folder.iterdir())
    assert [store.read_all().source.tolist() for store in stores] == [[5]] * 6


def test_what_cannot_be_done_is_said_and_leaves_nothing(tmp_path, folder, monkeypatch):
    with pytest.raises(UnreadableInputError, match="no such file"):
        cached_store(tmp_path / "none.osm.pbf")
    source = write(tmp_path / "a.osm.pbf", ROADS)
    with pytest.raises(EmptyInputError, match="motorway"):
        cached_store(source, network_type="motorway")
    assert not folder.exists() or list(folder.iterdir()) == []
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(OutputError, match="XDG_CACHE_HOME") as caught:
        cached_store(source)
    assert "\n" not in str(caught.value)


def test_what_killed_runs_left_is_cleared(tmp_path, folder):
    source = write(tmp_path / "a.osm.pbf", ROADS)
    for name, age in ((".geoeval-old", cache.ABANDONED + 60), (".geoeval-new", 60)):
        (folder / name).mkdir(parents=True)
        (folder / name / "ways").write_text("some")
        os.utime(folder / name, (time.time() - age,) * 2)
    cached_store(source)
    assert sorted(path.suffix or path.name for path in folder.iterdir()) == [".geoeval-new", ".parquet"]
