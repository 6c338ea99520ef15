"""Objects in tiles against the whole: whatever the tiles and whoever does the work, the numbers are the same."""

import itertools
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS

from geoeval import ObjectMap, evaluate_objects, perturb
from geoeval.contents import SIDES
from geoeval.crs import WGS84, transform
from geoeval.engines import open_engine
from geoeval.exceptions import EmptyInputError, GeoevalWarning, OutputError, ParameterError
from geoeval.readers import read_objects
from geoeval.scale.store.object_store import store_objects, write_object_store
from geoeval.scale.tiles import object_tile
from geoeval.scale.tiles.object_pair import ObjectPair
from geoeval.scale.tiles.tiled_objects import evaluate_object_stores, evaluate_objects_tiled
from geoeval.scale.tiles.tiling import Tiling
from tests.objects.shapes_for_tests import CRS as METRES
from tests.objects.shapes_for_tests import objects

QUICK = {"max-overlap": {"mallows": False}}


def same(tiled, whole):
    """All of a result, to the last bit, and every error on the map; what differs is how long it took."""
    for name in ("kind", "crs", "scale_error", "counts", "scores", "parameters", "reference", "prediction", "area"):
        assert getattr(tiled, name) == getattr(whole, name), name
    assert (tiled.extent, list(tiled.inputs)) == (whole.extent, list(whole.inputs))
    assert {name: note for name, note in tiled.notes.items() if name != "tiles"} == whole.notes
    assert tiled.error_summary() == whole.error_summary()
    for kind, frame in whole.map_errors().items():
        assert rows(tiled.errors[kind]) == rows(frame)


def rows(frame):
    """The rows of a layer in an order of their own."""
    columns = sorted(name for name in frame.columns if name != "geometry" and frame[name].notna().any())
    shapes = [shape.wkb_hex for shape in shapely.normalize(frame.geometry.to_numpy())]
    return sorted(zip(shapes, *(map(str, frame[name]) for name in columns), strict=True))


def chain(count, step=(17.3, 0.0), size=20.0, start=0):
    """Boxes that each overlap the next one, in turn of either map."""
    places = [(k * step[0], k * step[1], size, size) for k in range(count)]
    return places[start::2], places[1 - start :: 2]


def town(seed=0, count=60, extent=300.0):
    """Houses of odd sizes against others, some on top of each other in one map."""
    rng = np.random.default_rng(seed)
    return [
        np.column_stack([rng.uniform(0, extent, (count, 2)), rng.uniform(3, 25, (count, 2))]).tolist() for _ in "ab"
    ]


@pytest.mark.parametrize("size", [7.0, 60.0, 333.3, 1e6])
@pytest.mark.parametrize("step", [(17.3, 0.0), (-11.1, 9.7), (0.0, 15.2), (-17.0, -0.4)])
def test_a_chain_across_tiles_is_held_whole(step, size):
    """A component of 40 objects; its anchor may be at either end."""
    first, second = chain(40, step)
    maps = objects(*first, (300, 300, 9, 9)), objects(*second)
    whole = evaluate_objects(*maps, parameters=QUICK)
    same(evaluate_objects_tiled(*maps, tile_size=size, parameters=QUICK), whole)


def test_parts_that_come_together_outside_the_tile():
    """Two arms begin in one tile, the lower one with another tile's anchor, and meet far away in a third."""
    arms = [(200.0, 205.0, 700.0, 8.0), (90.0, 230.0, 810.0, 8.0)]
    ends = [(895.0, 200.0, 10.0, 60.0), (60.0, 228.0, 40.0, 12.0), (40.0, 231.0, 25.0, 4.0)]
    maps = objects(*arms), objects(*ends)
    whole = evaluate_objects(*maps, parameters=QUICK)
    for size in (50.0, 100.0, 220.0, 450.0):
        same(evaluate_objects_tiled(*maps, tile_size=size, parameters=QUICK), whole)


def test_objects_that_overlap_in_one_map_only_are_held_together_too():
    """Else the area that they cover together would be counted twice."""
    maps = objects((0, 0, 60, 10), (55, 0, 60, 10), (110, 0, 60, 10)), objects((300, 0, 9, 9))
    whole = evaluate_objects(*maps, parameters=QUICK)
    assert whole.counts["bgm"]["union"] == pytest.approx(1700 + 81)
    for size in (10, 70, 120):
        same(evaluate_objects_tiled(*maps, tile_size=size, parameters=QUICK), whole)


def millimetres(low, high):
    """Lengths that a map may have: GEOS cannot measure with 1e-215 m."""
    return st.integers(low * 1000, high * 1000).map(lambda number: number / 1000)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(*[millimetres(0, 60)] * 2, *[millimetres(1, 18)] * 2), max_size=9),
    st.lists(st.tuples(*[millimetres(0, 60)] * 2, *[millimetres(1, 18)] * 2), max_size=9),
    st.sampled_from([5.0, 16.0, 40.0, 1000.0]),
    st.booleans(),
)
def test_any_rectangles(first, second, size, cut):
    maps = objects(*first), objects(*second)
    aoi = (10.0, 5.0, 42.0, 39.0) if cut else None
    whole, said = outcome(evaluate_objects, *maps, aoi=aoi, parameters=QUICK)
    tiled, said_in_tiles = outcome(evaluate_objects_tiled, *maps, tile_size=size, aoi=aoi, parameters=QUICK)
    assert said == said_in_tiles
    if whole is not None:
        same(tiled, whole)


def outcome(function, *maps, **options):
    """What an evaluation gives, and what it says: warnings, or the error that ends it."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            return function(*maps, **options), [str(one.message) for one in found]
        except EmptyInputError as error:
            return None, [str(error)]


def stored(folder, maps):
    return [store_objects(folder / f"{side}.parquet", own) for side, own in zip(SIDES, maps, strict=True)]


@pytest.mark.parametrize("size", [16.0, 40.0, 1000.0])
def test_stores_are_cut_to_an_area_too(size, tmp_path):
    maps = [objects(*own) for own in town(4)]
    area = shapely.Polygon([(20, 10), (290, 40), (30, 280)])
    whole = evaluate_objects(*maps, aoi=area, parameters=QUICK)
    stores = stored(tmp_path, maps)
    tiled = evaluate_object_stores(*stores, tile_size=size, crs=stores[0].crs, aoi=area, parameters=QUICK)
    # The digest is that of the store, and the error that of the corners of the area.
    digests = {side: {**getattr(tiled, side), "sha256": getattr(whole, side)["sha256"]} for side in SIDES}
    assert tiled.scale_error == pytest.approx(whole.scale_error, abs=1e-6)
    same(replace(tiled, **digests, inputs=whole.inputs, scale_error=whole.scale_error), whole)


def test_an_area_that_leaves_nothing(tmp_path):
    maps = objects((0, 0, 9, 9), (30, 0, 9, 9)), objects((0, 0, 9, 9))
    stores = stored(tmp_path, maps)
    with pytest.warns(GeoevalWarning, match="nothing of the prediction lies"):
        tiled = evaluate_object_stores(*stores, tile_size=7, crs=stores[0].crs, aoi=shapely.box(25, 0, 50, 50))
    assert tiled.counts["bgm"] == {**tiled.counts["bgm"], "missed": 1, "matched": 0}
    with pytest.raises(EmptyInputError, match="nothing of either input"):
        evaluate_object_stores(*stores, tile_size=7, crs=stores[0].crs, aoi=shapely.box(12, 2, 20, 5))


def test_tiles_of_objects_outside_the_area_are_not_evaluated(tmp_path):
    """Against all tiles, one by one. An object on the border of the area may be anchored outside of it."""
    maps = [objects(*own) for own in town(6)]
    area = shapely.Polygon([(20, 10), (290, 40), (30, 280)])
    everywhere = ObjectPair(*(store.path for store in stored(tmp_path, maps)), Tiling(20.0, maps[0].crs))
    pair = replace(everywhere, area=area)
    tiles = set(pair.tiles())
    with_objects = {key for key in everywhere.tiles() if any(map(len, object_tile.load_own(pair, [key]).maps))}
    assert with_objects <= tiles
    assert len(tiles) < 0.7 * len(everywhere.tiles())
    corners = np.concatenate([shapely.bounds(one.polygons[shapely.intersects(one.polygons, area)]) for one in maps])
    assert tiles == set(map(tuple, np.floor(corners[:, :2] / 20).astype(int).tolist()))


def test_an_engine_that_is_open_already(tmp_path):
    maps = [objects(*own) for own in town(2)]
    whole = evaluate_objects(*maps, parameters=QUICK)
    with open_engine() as engine:
        stores = stored(tmp_path, maps)
        tiled = evaluate_object_stores(*stores, tile_size=90, crs=stores[0].crs, engine=engine, parameters=QUICK)
    same(replace(tiled, inputs=whole.inputs), whole)


@pytest.mark.parametrize("confident", [False, True])
def test_all_metrics_and_parameters(confident, monkeypatch):
    """With ids as text, doubled objects, confidence with ties, other thresholds, and little around a tile."""
    first, second = town(3)
    second += second[:5]
    rng = np.random.default_rng(1)
    sure = {"confidence": rng.integers(0, 8, len(second)) / 8} if confident else {}
    maps = objects(*first, ids=[f"way/{k}" for k in range(len(first))]), objects(*second, **sure)
    parameters = {
        "bgm": {"min_overlap": 3.0},
        "hoover": {"threshold": 0.51, "min_overlap": 1.0},
        "max-overlap": {"max_pixels": 200, "boundary": 0.8},
        "iou": {"threshold": 0.3, "min_area": 60.0},
    }
    whole = evaluate_objects(*maps, parameters=parameters)
    assert 0 < whole.scores["iou"]["ap"] < 1
    monkeypatch.setattr(object_tile, "_HALO", 0.5)
    for size in (23.0, 111.0, 5000.0):
        same(evaluate_objects_tiled(*maps, tile_size=size, parameters=parameters), whole)


def test_every_object_belongs_to_one_tile(tmp_path):
    first, second = town(8)
    stores = [
        store_objects(tmp_path / f"{side}.parquet", objects(*own))
        for side, own in (("reference", first), ("prediction", second))
    ]
    pair = ObjectPair(*(store.path for store in stores), Tiling(40.0, stores[0].crs))
    found = [[], []]
    for key in pair.tiles():
        for side, own in zip(found, object_tile.load_own(pair, [key]).maps, strict=True):
            side.extend(own.ids)
    for side, own in zip(found, (first, second), strict=True):
        assert sorted(map(int, side)) == list(range(len(own)))


@pytest.mark.parametrize(("first", "second"), [([], []), ([(0, 0, 9, 9)], []), ([], [(0, 0, 9, 9)])])
def test_empty_maps(first, second):
    maps = objects(*first), objects(*second)
    same(evaluate_objects_tiled(*maps, tile_size=5), evaluate_objects(*maps))


def test_maps_in_different_crss_and_an_area():
    first, second = town(5)
    maps = objects(*first), objects(*second).to_crs("EPSG:32615").to_crs("EPSG:32616").to_crs("EPSG:32617")
    area = shapely.Point(150, 150).buffer(90)
    whole = evaluate_objects(*maps, aoi=area, parameters=QUICK)
    assert whole.reference["problems"]["cut_objects"] > 3
    for size in (30.0, 250.0):
        same(evaluate_objects_tiled(*maps, tile_size=size, aoi=area, parameters=QUICK), whole)


def test_workers_leave_no_trace():
    maps = [objects(*own) for own in town(2)]
    alone, two = (
        evaluate_objects_tiled(*maps, tile_size=90, workers=workers, parameters=QUICK).plain() for workers in (1, 2)
    )
    assert json.dumps({**alone, "seconds": {}}) == json.dumps({**two, "seconds": {}})


def test_a_dask_cluster_gives_the_same(tmp_path):
    pytest.importorskip("distributed")
    from tests.scale.cluster import cluster

    maps = [objects(*own) for own in town(2)]
    whole = evaluate_objects(*maps, parameters=QUICK)
    with cluster(tmp_path, workers=2) as (address, _):
        same(evaluate_objects_tiled(*maps, tile_size=90, scheduler=address, parameters=QUICK), whole)


def test_a_run_goes_on_where_it_was(tmp_path, monkeypatch):
    stores = [
        store_objects(tmp_path / f"{side}.parquet", objects(*own)) for side, own in zip("ab", town(2), strict=True)
    ]
    keep = {"tile_size": 90, "resume": tmp_path / "run", "parameters": QUICK, "crs": stores[0].crs}

    def stop(fraction, _message):
        if fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_object_stores(*stores, progress=stop, **keep)
    done = list((tmp_path / "run" / "tiles").glob("*.part"))
    assert 2 < len(done) < 16
    calls = itertools.count()
    original = object_tile.run_metrics
    monkeypatch.setattr(object_tile, "run_metrics", lambda *a, **k: (next(calls), original(*a, **k))[1])
    damaged = bytearray(done[0].read_bytes())
    damaged[len(damaged) // 2] ^= 1
    done[0].write_bytes(damaged)
    done[1].write_bytes(done[2].read_bytes())  # whole, but of another tile
    (tmp_path / "run" / "run.json").write_bytes(b"\xff{")
    with pytest.warns(GeoevalWarning, match="is damaged and is made again") as warned:
        result = evaluate_object_stores(*stores, **keep)
    assert len(warned) == 3
    assert next(calls) == len(list((tmp_path / "run" / "tiles").iterdir())) - len(done) + 2
    whole = evaluate_objects(*(objects(*own) for own in town(2)), parameters=QUICK)
    same(replace(result, inputs=whole.inputs), whole)
    with pytest.raises(OutputError, match="another tile size"):
        evaluate_object_stores(*stores, **{**keep, "tile_size": 80})


def placed(boxes, crs, longitude, latitude):
    """Boxes in metres around a place."""
    east, north = transform(np.array([[longitude, latitude]]), WGS84, crs)[0] - 150
    moved = [(x + east, y + north, w, h) for x, y, w, h in boxes]
    return objects(*moved, crs=crs)


def test_each_tile_in_its_own_projection(tmp_path):
    """Two towns a third of the world apart, one of them across the antimeridian: together what they are alone."""
    pacific = CRS.from_epsg(3832)  # a Mercator projection, whose scale is wrong but which has no seam there
    places = (CRS.from_epsg(32632), 10.5, 51.0), (CRS.from_epsg(32760), 180.0, -17.0)
    towns = [[placed(own, *place) for own in town(seed)] for seed, place in enumerate(places)]
    alone = [evaluate_objects(*pair, parameters=QUICK) for pair in towns]
    stores = []
    for side, maps in zip(("reference", "prediction"), zip(*towns, strict=True), strict=True):
        batches = [one.to_crs(pacific) for one in maps]
        stores.append(write_object_store(tmp_path / f"{side}.parquet", batches, crs=pacific, facts={}))
    for size in (120.0, 1000.0):
        tiled = evaluate_object_stores(*stores, tile_size=size, parameters=QUICK)
        assert tiled.crs == WGS84
        assert "each in its own projection" in tiled.notes["tiles"]
        for metric, counts in tiled.counts.items():
            for name, value in counts.items():
                assert value == pytest.approx(sum(one.counts[metric][name] for one in alone), rel=2e-3), (metric, name)
        assert tiled.reference["objects"] == sum(one.reference["objects"] for one in alone)


def test_images_on_the_same_pixels_are_refused_others_not():
    pytest.importorskip("rasterio")
    image = np.zeros((40, 50), dtype=np.int32)
    image[2:12, 3:20], image[8:30, 18:40] = 1, 2
    first = ObjectMap.from_labels(image, crs=METRES)
    second = objects((4, 3, 15, 10), (20, 9, 18, 22))
    same(evaluate_objects_tiled(first, second, tile_size=9), evaluate_objects(first, second))
    with pytest.raises(ParameterError, match="same pixels"):
        evaluate_objects_tiled(first, ObjectMap.from_labels(image[::-1], crs=METRES))


def test_cells_are_the_tiles():
    maps = objects((1, 1, 8, 8), (31, 1, 8, 8)), objects((1, 1, 8, 8))
    cells = evaluate_objects_tiled(*maps, tile_size=10).cells
    assert cells[["ref_n", "pred_n", "bgm.score"]].to_numpy().tolist() == [[1, 1, 1], [1, 0, 0]]
    assert [shape.bounds for shape in cells.geometry] == [(0, 0, 10, 10), (30, 0, 40, 10)]


@pytest.mark.parametrize("size", [100.0, 700.0])
def test_real_buildings_against_a_worse_copy(data, size):
    reference = read_objects(data / "osm" / "graphhopper_monaco.osm.gz")
    prediction = reference
    for seed, error in enumerate(("missed", "split", "merged", "shifted", "grown", "false_alarm")):
        prediction = perturb(prediction, error, 15, seed=seed).prediction
    whole = evaluate_objects(reference, prediction, parameters=QUICK)
    assert whole.scores["max-overlap"]["f1"] < 1
    same(evaluate_objects_tiled(reference, prediction, tile_size=size, parameters=QUICK), whole)


def test_real_reference_and_prediction(data):
    maps = [read_objects(data / "buildings" / f"{name}.geojson") for name in ("gt", "pred")]
    whole = evaluate_objects(*maps)
    assert whole.scores["iou"]["tp"] == 8
    for size in (20.0, 90.0):
        same(evaluate_objects_tiled(*maps, tile_size=size, workers=1), whole)
