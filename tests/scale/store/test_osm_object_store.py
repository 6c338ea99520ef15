"""Buildings streamed into a store against the map that is read in memory."""

import numpy as np
import pytest

from geoeval import evaluate, read_objects
from geoeval.exceptions import EmptyInputError, GeoevalWarning
from geoeval.scale.store import cache, osm_object_store, sorting
from geoeval.scale.store.cache import cached_object_store, cached_store, store_folder
from geoeval.scale.store.osm_object_store import store_osm_buildings
from geoeval.scale.tiles.object_pair import map_of
from tests.readers.osm.osm_files import node, way, write, xml

EVERYWHERE = (-180.0, -90.0, 180.0, 90.0)
HOUSE = {"building": "yes"}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def assembled(monkeypatch):
    """So little memory that a few houses have to wait on disk; gives the names of the files that osmium assembled."""
    monkeypatch.setattr(sorting, "IN_MEMORY", 2000)
    monkeypatch.setattr(sorting, "CHUNK", 500)
    monkeypatch.setattr(osm_object_store, "TEXT", 400)
    names, original = [], osm_object_store.osm_buildings
    monkeypatch.setattr(osm_object_store, "osm_buildings", lambda one: names.append(one.path.name) or original(one))
    return names


def assert_same(store, objects):
    """The store makes the map bit for bit."""
    stored = store.read(EVERYWHERE)
    made = map_of(stored, store.crs, objects.crs)
    assert [one.wkb for one in made.polygons] == [one.wkb for one in objects.polygons]
    assert stored.source[made.ids.astype(int)].tolist() == objects.ids.tolist()
    assert store.facts["problems"] == objects.problems


def town(seed=0, houses=60):
    """Houses that cross themselves, stay open or lack nodes; courtyards, several parts, members that are not there."""
    rng = np.random.default_rng(seed)
    ids = np.sort(rng.choice(10**10, 8 * houses, replace=False)).tolist()
    nodes, ways, relations = [], [], []
    plot = np.array([(0, 0), (4, 0), (4, 3), (0, 3)])
    for k in range(houses):
        east, north = 8 + 1e-3 * (k % 9), 49 + 1e-3 * (k // 9)
        own = ids[8 * k : 8 * k + 8]
        corners = np.concatenate([plot, 1 + plot / 4]) + rng.uniform(-0.2, 0.2, (8, 2))
        places = [(round(east + 1e-4 * x, 7), round(north + 1e-4 * y, 7)) for x, y in corners]
        nodes += [node(number, *place) for number, place in zip(own, places, strict=True) if rng.random() < 0.99]
        outer, inner = own[:4], own[4:]
        form, tags = int(rng.integers(6)), HOUSE if rng.random() < 0.9 else {"building": "no"}
        if form == 0:  # a courtyard, the outer ring in two ways; sometimes a house of its own as well
            ways += [(10 * k, outer[:3], {}), (10 * k + 1, [*outer[2:], outer[0]], {}),
                     (10 * k + 2, [*inner, inner[0]], HOUSE if rng.random() < 0.5 else {})]  # fmt: skip
            members = [("w", 10 * k, "outer"), ("w", 10 * k + 1, "outer"), ("w", 10 * k + 2, "inner")]
            relations.append((k + 1, members[: 3 if rng.random() < 0.8 else 1], {"type": "multipolygon", **tags}))
        elif form == 1:  # a way of a relation that is not in the file
            ways.append((10 * k, [*outer, outer[0]], tags))
            relations.append((k + 1, [("w", 10 * k, "outer"), ("w", 10**9 + k, "inner")],
                              {"type": "multipolygon", **HOUSE}))  # fmt: skip
        elif form == 2:
            ways.append((10 * k, [outer[i] for i in (0, 2, 1, 3, 0)], tags))
        elif form == 3:
            ways.append((10 * k, outer if rng.random() < 0.3 else [*outer, outer[0]], tags))
        else:
            ways.append((10 * k, [*outer, outer[0]], tags))
    drawn = [way(number + 1, refs, tags) for number, refs, tags in ways]
    related = [
        f'<relation id="{number}">'
        + "".join(f'<member type="way" ref="{ref + 1}" role="{role}"/>' for _, ref, role in members)
        + "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
        + "</relation>"
        for number, members, tags in relations
    ]
    return nodes, drawn, related


@pytest.mark.parametrize("seed", range(4))
def test_streamed_and_read_at_once_are_the_same(tmp_path, assembled, seed):
    path = write(tmp_path / "town.osm.pbf", xml(*(line for part in town(seed) for line in part)))
    store = store_osm_buildings(path, tmp_path / "a.parquet")
    assert set(assembled) == {"part.opl"}
    assert len(assembled) > 5
    assert_same(store, read_objects(path))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.parquet", "town.osm.pbf"]


def test_a_way_that_an_extract_lacks_is_no_other_way(tmp_path):
    """Members are cut off at the border of an extract: the next way that is there must not come twice."""
    corners = ((0, 0), (1, 0), (1, 1), (0, 1))
    nodes = [node(4 * k + n + 1, 8 + 1e-3 * k + 1e-4 * x, 49 + 1e-4 * y)
             for k in range(3) for n, (x, y) in enumerate(corners)]  # fmt: skip
    rings = [[4 * k + 1, 4 * k + 2, 4 * k + 3, 4 * k + 4, 4 * k + 1] for k in range(3)]
    ways = [way(number, refs, tags) for number, refs, tags in zip((10, 20, 30), rings, (HOUSE, {}, HOUSE), strict=True)]
    relations = [
        f'<relation id="{number}"><tag k="type" v="multipolygon"/><tag k="building" v="yes"/>'
        + "".join(f'<member type="way" ref="{ref}" role="outer"/>' for ref in members)
        + "</relation>"
        for number, members in ((1, (20,)), (2, (15, 20)), (3, (25, 40)))
    ]
    path = write(tmp_path / "town.osm.pbf", xml(*nodes, *ways, *relations))
    whole = read_objects(path)
    assert whole.problems["buildings_without_outline"] > 0
    assert_same(store_osm_buildings(path, tmp_path / "a.parquet"), whole)


def test_what_cannot_be_streamed_is_read_at_once(tmp_path, assembled):
    nodes, ways, relations = town(5)
    text = xml(*nodes, *ways, *relations)
    (tmp_path / "town.osm").write_text(text)
    negative = text.replace('id="', 'id="-').replace('ref="', 'ref="-')
    mixed = xml(*nodes[::-1], *ways, *relations)
    write(tmp_path / "negative.osm.pbf", negative)
    write(tmp_path / "mixed.osm.pbf", mixed)
    for name in ("town.osm", "negative.osm.pbf", "mixed.osm.pbf"):
        assembled.clear()
        store = store_osm_buildings(tmp_path / name, tmp_path / "a.parquet", overwrite=True)
        assert assembled == [name]
        assert_same(store, read_objects(tmp_path / name))


def test_files_without_buildings_are_refused_as_the_reader_does(tmp_path):
    nodes = [node(k + 1, 8 + 1e-4 * k, 49) for k in range(4)]
    for lines, words in (
        ([*nodes, way(1, [1, 2, 3, 1], {"leisure": "park"})], "has no building"),
        ([*nodes[:1], way(1, [7, 8, 9, 7], HOUSE)], "has 1 buildings, but not their nodes"),
    ):
        path = write(tmp_path / "town.osm.pbf", xml(*lines))
        for read in (read_objects, lambda one: store_osm_buildings(one, tmp_path / "a.parquet")):
            with pytest.raises(EmptyInputError, match=words):
                read(path)
        assert not (tmp_path / "a.parquet").exists()


def test_a_store_is_kept_and_made_again_where_it_is_damaged(tmp_path, monkeypatch):
    path = write(tmp_path / "town.osm.pbf", xml(*(line for part in town(6) for line in part)))
    made = []
    monkeypatch.setattr(cache, "store_osm_buildings", lambda *a, **k: made.append(a) or store_osm_buildings(*a, **k))
    first = cached_object_store(path)
    assert cached_object_store(path).path == first.path
    assert len(made) == 1
    assert first.path.parent == store_folder()
    damaged = bytearray(first.path.read_bytes())
    damaged[100] ^= 1
    first.path.write_bytes(damaged)
    with pytest.warns(GeoevalWarning, match="made again"):
        assert_same(cached_object_store(path), read_objects(path))
    assert len(made) == 2


@pytest.mark.parametrize("half", [False, True])
def test_a_country_in_tiles_gives_the_numbers_of_the_whole(data, tmp_path, half):
    """Scores, counts, errors, ground, offset and findings, where the prediction covers all and half of the country."""
    path = data / "osm" / "valhalla_liechtenstein-latest.osm.pbf"
    prediction = path
    if half:
        frame = read_objects(path).to_geodataframe()[::2]
        north = frame[frame.centroid.y > frame.centroid.y.median()]
        prediction = tmp_path / "north.gpkg"
        north.set_geometry(north.geometry.translate(1.0, 0.5)).to_file(prediction)
    options = {"kind": "objects", "metrics": "iou"}
    whole = evaluate(path, prediction, **options)
    tiled = evaluate(path, prediction, tile_size=5000, **options)
    assert (tiled.notes["tiles"].split()[2] != "1", whole.area is not None) == (True, half)
    for what in ("scores", "counts", "ground", "offset", "diagnosis", "area", "crs"):
        assert getattr(tiled, what) == getattr(whole, what), what
    assert tiled.error_summary() == whole.error_summary()
    for side in ("reference", "prediction"):
        own = [{**getattr(one, side), "sha256": ""} for one in (whole, tiled)]
        assert own[0] == own[1]
        assert tiled.inputs[side].polygons.tolist() == whole.inputs[side].polygons.tolist()
    roads = cached_store(path)
    assert len(set(store_folder().glob("*.parquet")) - {roads.path}) == 1
