"""Evaluations in tiles against evaluations at once: the same numbers to the last one."""

import itertools
import json
import math
import re
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyproj import CRS

from geoeval import RoadNetwork, evaluate_roads
from geoeval.area import area_in
from geoeval.contents import SIDES
from geoeval.crs import WGS84, scale_error, to_lonlat
from geoeval.exceptions import EmptyInputError, GeoevalWarning, OutputError, ParameterError
from geoeval.metrics.metric import Metric
from geoeval.roads.alignment import moved
from geoeval.roads.geometry.sampling import in_units, places_at, systematic_positions
from geoeval.scale.store.road_store import Segments, store_network, write_store
from geoeval.scale.tiles import memory, tiled_roads
from geoeval.scale.tiles.part import Part, exact_sum
from geoeval.scale.tiles.projection import common_projection
from geoeval.scale.tiles.road_pair import RoadPair
from geoeval.scale.tiles.road_tile import survey_part
from geoeval.scale.tiles.survey import SurveyedCourse
from geoeval.scale.tiles.tiled_roads import evaluate_stores, evaluate_tiled
from geoeval.scale.tiles.tiling import Tiling, box_in
from tests.networks import BRIDGE, RING, grid, network, noisy
from tests.roads.errors import ERRORS

LOCAL = "ccq,junct,subg,opt-j,opt-g"
NEAR = {"subg": {"radius": 60.0}, "opt-g": {"radius": 60.0}}


def town(error="interruptions", count=5, size=4):
    lines = noisy(grid(size, size), 6.0, seed=1)
    reference, prediction = ERRORS[error](lines, count)
    return network(reference), network(noisy(prediction, 2.0, seed=2))


def same(tiled, whole):
    """The numbers of a result, to the last bit."""
    assert tiled.counts == whole.counts
    assert tiled.scores == whole.scores
    assert tiled.extent == whole.extent


def agree(tiled, whole):
    """All that can agree: what differs is how long it took, where errors are cut, and that tiles were used."""
    same(tiled, whole)
    for name in ("kind", "crs", "scale_error", "seed", "parameters", "area", "offset"):
        assert getattr(tiled, name) == getattr(whole, name), name
    for side in SIDES:
        found, wanted = getattr(tiled, side), getattr(whole, side)
        assert found == {**wanted, "length_m": pytest.approx(wanted["length_m"])}
    assert {name: note for name, note in tiled.notes.items() if name != "tiles"} == whole.notes
    assert list(tiled.inputs) == list(whole.inputs)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("size", [90.0, 5000.0])
def test_counts_and_scores_are_those_of_the_whole(error, size):
    reference, prediction = town(error)
    whole = evaluate_roads(reference, prediction, metrics=LOCAL, parameters=NEAR)
    tiled = evaluate_tiled(reference, prediction, tile_size=size, metrics=LOCAL, parameters=NEAR)
    agree(tiled, whole)


@st.composite
def roads_on_a_lattice(draw):
    """A few lines between places of a coarse lattice: they join, cross, double, close to rings, lie on borders."""
    place = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda p: (10.0 * p[0], 10.0 * p[1]))
    lines = st.lists(st.lists(place, min_size=2, max_size=5, unique=True), min_size=1, max_size=8)
    return draw(lines), draw(lines)


@given(roads_on_a_lattice(), st.sampled_from([16.0, 20.0, 33.0, 100.0]), st.integers(0, 3))
@settings(max_examples=15)
def test_any_roads_and_any_tiles(pair, size, seed):
    reference, prediction = (network(noisy(lines, 0.7, seed)) for lines in pair)
    parameters = {
        "ccq": {"tolerance": 4.0}, "junct": {"max_distance": 20.0, "direction_distance": 15.0},
        "opt-j": {"max_distance": 8.0}, "subg": {"radius": 30.0, "max_distance": 8.0, "starts": "every 9 m"},
        "opt-g": {"radius": 30.0, "max_distance": 8.0, "starts": 14},
    }  # fmt: skip
    whole = evaluate_roads(reference, prediction, metrics=LOCAL, parameters=parameters, seed=seed)
    tiled = evaluate_tiled(reference, prediction, metrics=LOCAL, parameters=parameters, seed=seed, tile_size=size)
    same(tiled, whole)


@given(roads_on_a_lattice(), st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(20, 60)))
@settings(max_examples=40)
def test_what_is_certain_does_not_depend_on_roads_beyond_the_loaded_box(pair, corner):
    """The rule that tiles rest on, metric by metric: certain counts are those of the whole network."""
    x, y, side = corner
    box = (float(x), float(y), float(x + side), float(y + side))
    networks = [network(noisy(lines, 3.0, seed)) for seed, lines in enumerate(pair)]
    parts = [_meeting(one, box) for one in networks]
    places = [("reference", (float(x), float(y))) for x, y in networks[0].nodes[::2]]
    for name, values in {
        "ccq": {"tolerance": 3.0},
        "junct": {"max_distance": 12.0, "direction_distance": 6.0},
        "opt-j": {"max_distance": 9.0},
        "opt-g": {"radius": 18.0, "max_distance": 6.0, "spacing": 3.0, "starts": places},
    }.items():
        function = _function(name)
        whole = function(*networks, **values).details["local"]
        if name == "opt-g":
            here = parts[0]
            if here.is_empty:
                continue
            values["starts"] = [start for start in places if here.nearest([start[1]]).distance[0] < 1e-6]
            if not values["starts"]:
                continue
        part = function(*parts, **values, loaded_box=box).details["local"]
        expected = {tuple(np.round(xy, 6)): row for row, xy in enumerate(whole.xy)}
        for row in np.flatnonzero(part.certain):
            other = expected[tuple(np.round(part.xy[row], 6))]
            for count in part.counts:
                if name == "opt-g" or (row < part.reference_rows) == (other < whole.reference_rows):
                    assert part.counts[count][row] == whole.counts[count][other], (name, count, part.xy[row])


def _function(name):
    from geoeval.roads.registry import METRICS

    return METRICS[name].function


def _meeting(whole, box):
    """The segments of a network whose boxes meet a box, as a tile has them."""
    ends = whole.nodes[whole.segments]
    low, high = ends.min(axis=1), ends.max(axis=1)
    meets = ((low <= box[2:]) & (high >= box[:2])).all(axis=1)
    return RoadNetwork(whole.nodes, whole.segments[meets], crs=whole.crs, merge_coincident=False)


@pytest.mark.parametrize("error", ERRORS)
def test_a_tile_loads_as_much_as_its_counts_depend_on(error, monkeypatch):
    """With hardly anything around it at first, a tile must notice by itself that it needs more."""
    reference, prediction = town(error)
    parameters = {**NEAR, "junct": {"direction_distance": 30.0}}
    whole = evaluate_roads(reference, prediction, metrics=LOCAL, parameters=parameters)
    monkeypatch.setattr(Metric, "halo", lambda _metric, _values: 0.01)
    same(evaluate_tiled(reference, prediction, tile_size=150, metrics=LOCAL, parameters=parameters), whole)


@pytest.mark.parametrize("size", [40.0, 170.0, 3000.0])
@pytest.mark.parametrize("lines", [grid(4, 5), RING, BRIDGE, [*grid(3, 3), *RING], noisy(grid(5, 5), 9.0, 3)])
def test_starts_lie_where_they_lie_on_the_whole_network(lines, size, tmp_path):
    whole = network(lines)
    store = store_network(tmp_path / "a.parquet", whole)
    pair = RoadPair(store.path, store.path, Tiling(size, whole.crs))
    tiles = list(pair.tiles())
    course = SurveyedCourse([survey_part(pair, [key], ("reference",))["reference"] for key in tiles])
    total = int(in_units(whole.segment_lengths).sum())
    assert course.total == total
    positions = systematic_positions(total, 97, 0.3)
    expected = places_at(whole, positions).xy
    seen = []
    for tile, starts in course.starts(positions).items():
        loaded = pair.load([tiles[tile]], 5.0)
        places = starts.locate(loaded.networks["reference"], loaded.owned["reference"])
        assert loaded.owned["reference"].segment[places.segment].all()
        np.testing.assert_array_equal(places.xy, expected[starts.number])
        seen.extend(starts.number.tolist())
    assert sorted(seen) == list(range(97))


def test_named_starts():
    reference, prediction = town()
    xy = reference.nodes[::3].tolist()
    for metrics, starts in (
        ("subg", xy),
        ("opt-g", [("prediction" if i % 2 else "reference", place) for i, place in enumerate(xy)]),
    ):
        parameters = {metrics: {"starts": starts, "radius": 60.0, "max_distance": 25.0}}
        whole = evaluate_roads(reference, prediction, metrics=metrics, parameters=parameters)
        same(evaluate_tiled(reference, prediction, tile_size=90, metrics=metrics, parameters=parameters), whole)
    for starts, words in (([(1e6, 1e6)], "no road is near"), ([], "empty list"), ([1, 2], "not a list of places")):
        with pytest.raises(ParameterError, match=words):
            evaluate_tiled(reference, prediction, tile_size=90, metrics="subg", parameters={"subg": {"starts": starts}})


def test_a_store_that_was_written_anew_is_read_anew(tmp_path):
    """A long-lived process, such as a worker of a cluster, must not take an old store for a new one of its name."""
    reference, prediction = town()
    first = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    before = evaluate_stores(*first, tile_size=150, metrics="ccq,opt-j")
    again = [
        store_network(tmp_path / f"{i}.parquet", one, overwrite=True) for i, one in enumerate((prediction, reference))
    ]
    after = evaluate_stores(*again, tile_size=150, metrics="ccq,opt-j")
    assert after.counts["opt-j"]["ap"] == before.counts["opt-j"]["pp"]
    assert after.counts["ccq"]["ref_length"] == before.counts["ccq"]["pred_length"]


WHOLE = {
    "metrics": "tlts,apls,opt-p,junct",
    "parameters": {"junct": {"cluster": 20.0}, "opt-p": {"decompositions": 2}},
}


def test_metrics_that_need_whole_networks():
    reference, prediction = town()
    whole = evaluate_roads(reference, prediction, **WHOLE)
    agree(evaluate_tiled(reference, prediction, tile_size=150, **WHOLE), whole)
    apart = evaluate_tiled(reference, prediction, tile_size=250, whole_networks="tiles", **WHOLE)
    for name, headline in (("tlts", "correct"), ("apls", "apls"), ("opt-p", "f1"), ("junct", "f1")):
        assert apart.notes[f"{name}.{headline}"].startswith("evaluated tile by tile, as asked for")
        assert 0 < apart.scores[name][headline] <= 1
    assert apart.scores != whole.scores


def test_the_option_decides_and_not_the_machine(tmp_path, monkeypatch):
    """A machine with too little memory says so; no machine gives other numbers, and a run goes on on any of them."""
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate(town())]
    keep = {"tile_size": 250, **WHOLE, "resume": tmp_path / "run"}
    segments = sum(store.count for store in stores)
    monkeypatch.setattr(tiled_roads, "available_memory", lambda: memory.BYTES_PER_SEGMENT * segments - 1.0)
    with pytest.raises(ParameterError, match=r"tlts, apls, junct and opt-p .* 0\.0 GB .*whole_networks=\"tiles\""):
        evaluate_stores(*stores, **keep)
    before = evaluate_stores(*stores, tile_size=250, whole_networks="tiles", **WHOLE)
    for available in (memory.BYTES_PER_SEGMENT * segments, None, 1e15):
        monkeypatch.setattr(tiled_roads, "available_memory", lambda value=available: value)
        same(evaluate_stores(*stores, **keep), evaluate_roads(*town(), **WHOLE))
        shutil.rmtree(tmp_path / "run" / "tiles")
        same(evaluate_stores(*stores, tile_size=250, whole_networks="tiles", **WHOLE), before)
    evaluate_stores(*stores, **keep)
    monkeypatch.setattr(tiled_roads, "available_memory", lambda: 0.0)
    evaluate_stores(*stores, **keep)  # all is done: it takes no memory
    assert json.loads((tmp_path / "run" / "run.json").read_text())["whole networks"] == "together"
    with pytest.raises(OutputError, match="another whole networks"):
        evaluate_stores(*stores, **keep, whole_networks="tiles")


def test_the_option_matters_only_where_a_metric_needs_whole_networks(tmp_path, monkeypatch):
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate(town())]
    keep = {"tile_size": 250, "metrics": "ccq", "resume": tmp_path / "run"}
    monkeypatch.setattr(tiled_roads, "available_memory", lambda: 0.0)
    same(evaluate_stores(*stores, **keep), evaluate_stores(*stores, **keep, whole_networks="tiles"))
    with pytest.raises(ParameterError, match="whole_networks is 'apart'"):
        evaluate_stores(*stores, tile_size=250, metrics="ccq", whole_networks="apart")


def test_memory_counts_what_lies_in_the_area(tmp_path, monkeypatch):
    reference, prediction = (network(noisy(grid(30, 30), 3.0, seed)) for seed in (1, 2))
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    enough = memory.BYTES_PER_SEGMENT * sum(store.count for store in stores) / 2
    monkeypatch.setattr(tiled_roads, "available_memory", lambda: enough)
    options = {"tile_size": 300, "metrics": "apls"}
    with pytest.raises(ParameterError, match="whole networks"):
        evaluate_stores(*stores, **options)
    area = shapely.box(150, 120, 1010, 905)
    same(evaluate_stores(*stores, **options, aoi=area), evaluate_roads(reference, prediction, metrics="apls", aoi=area))


def test_available_memory():
    assert 1e6 < memory.available_memory() < 1e15
    memory.check_memory(10**12, None, ["apls"])
    with pytest.raises(
        ParameterError, match=r"^apls on whole networks need about 2\.0 GB .*1\.5 GB are .*leave apls out"
    ):
        memory.check_memory(2_000_000, 1.5e9, ["apls"])


def test_empty_networks_and_empty_tiles():
    reference, _ = town()
    nothing = network([])
    for pair in ((reference, nothing), (nothing, reference), (nothing, nothing)):
        same(evaluate_tiled(*pair, tile_size=100, metrics=LOCAL), evaluate_roads(*pair, metrics=LOCAL))
    corner = network([[(0, 0), (30, 0)], [(10, 0), (10, 30)]])
    pair = (reference, corner)
    whole = evaluate_roads(*pair, metrics=LOCAL, parameters=NEAR)
    same(evaluate_tiled(*pair, tile_size=100, metrics=LOCAL, parameters=NEAR), whole)


def test_an_area_that_leaves_nothing(tmp_path):
    reference = network([[(0, 0), (300, 0)], [(100, 0), (100, 200)]])
    prediction = network([[(0, 2), (300, 2)], [(1000, 0), (1000, 100)]])
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    options = {"metrics": f"{LOCAL},apls", "parameters": NEAR}
    for side, area in (("reference", shapely.box(900, -9, 1100, 200)), ("prediction", shapely.box(50, 50, 150, 250))):
        with pytest.warns(GeoevalWarning, match=f"nothing of the {side} lies"):
            whole = evaluate_roads(reference, prediction, aoi=area, **options)
        with pytest.warns(GeoevalWarning, match=f"nothing of the {side} lies"):
            tiled = evaluate_stores(*stores, tile_size=90, aoi=area, **options)
        agree(replace(tiled, inputs=whole.inputs, scale_error=whole.scale_error), whole)
        with pytest.warns(GeoevalWarning, match=f"nothing of the {side} lies"):
            agree(evaluate_tiled(reference, prediction, tile_size=90, aoi=area, **options), whole)
    nowhere = shapely.box(50, 5, 90, 190)  # among the roads, but on none of them
    with pytest.raises(EmptyInputError, match="nothing of either input"):
        evaluate_stores(*stores, tile_size=90, aoi=nowhere, **options)
    with pytest.raises(EmptyInputError, match="nothing of either input"):
        evaluate_tiled(reference, prediction, tile_size=90, aoi=nowhere, **options)


def test_a_long_straight_road_belongs_to_one_tile():
    reference = network([[(0.0, 0.0), (4000.0, 37.0)], [(1900.0, -300.0), (1900.0, 400.0)]])
    prediction = network([[(0.0, 4.0), (2500.0, 20.0)], [(2600.0, 30.0), (4000.0, 39.0)]])
    whole = evaluate_roads(reference, prediction, metrics=LOCAL)
    same(evaluate_tiled(reference, prediction, tile_size=100, metrics=LOCAL), whole)


def test_errors_are_those_of_the_whole_cut_at_borders():
    reference, prediction = town("overconnections", 4)
    names = "ccq,opt-j"
    whole = evaluate_roads(reference, prediction, metrics=names)
    tiled = evaluate_tiled(reference, prediction, tile_size=130, metrics=names)
    for geometry in ("points", "lines"):
        for metric in ("ccq", "opt-j"):
            one, other = (frame.errors[geometry] for frame in (whole, tiled))
            one, other = one[one["metric"] == metric], other[other["metric"] == metric]
            assert set(one["kind"]) == set(other["kind"])
            for kind in set(one["kind"]):
                a, b = one[one["kind"] == kind], other[other["kind"] == kind]
                assert b["length_m"].sum() == pytest.approx(a["length_m"].sum())
                assert shapely.union_all(a.geometry).buffer(0.01).covers(shapely.union_all(b.geometry))
                if metric == "opt-j":
                    assert len(a) == len(b)


def test_errors_along_the_border_of_tiles_are_there_once():
    """Roads on the border itself, on both sides of it, and across it."""
    lines = [[(0, 0), (0, 300)], [(100, 50), (100, 150), (160, 150)], [(50, 200), (250, 200)], [(40, 40), (90, 90)]]
    reference, prediction = network(lines), network([[(1000, 0), (1000, 90)]])
    whole, tiled = (
        evaluate(reference, prediction, metrics="ccq")
        for evaluate in (evaluate_roads, lambda *pair, **options: evaluate_tiled(*pair, tile_size=100, **options))
    )
    for kind, entry in whole.error_summary().items():
        assert tiled.error_summary()[kind]["length_m"] == pytest.approx(entry["length_m"])
    missing = tiled.errors_of("missing")
    assert missing["length_m"].sum() == pytest.approx(reference.length)
    assert shapely.union_all(missing.geometry).length == pytest.approx(reference.length)


@pytest.mark.parametrize("size", [35.0, 130.0])
def test_notes_of_cut_errors_are_true(size):
    """A note states no length, and what it says of the distance is true all along the piece."""
    reference, prediction = town("overconnections", 4)
    lines = evaluate_tiled(reference, prediction, tile_size=size, metrics="ccq,subg,opt-g").errors["lines"]
    cut = lines[lines["note"].str.contains("border of a tile")]
    assert {"ccq", "opt-g"} <= set(cut["metric"])
    np.testing.assert_allclose(cut["length_m"], shapely.length(cut.geometry))
    checked = 0
    for _, row in cut.iterrows():
        stated = re.findall(r"([\d.]+) m\b", row["note"])
        assert stated == re.findall(r"more than ([\d.]+) m from", row["note"])
        if stated:
            other = prediction if row["kind"] == "missing" else reference
            places = shapely.get_coordinates(
                shapely.line_interpolate_point(row.geometry, np.linspace(0, 1, 20), normalized=True)
            )
            assert other.nearest(places).distance.min() > float(stated[0]) - 1e-6
            checked += 1
    assert checked


AREA = shapely.Polygon([(33, 20), (310, 60), (350, 340), (150, 390)])


def test_an_area_cuts_roads_in_tiles_too(tmp_path):
    reference, prediction = town(size=5)
    options = {"metrics": f"{LOCAL},apls", "parameters": NEAR}
    whole = evaluate_roads(reference, prediction, aoi=AREA, **options)
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    for size in (80, 160):
        tiled = evaluate_stores(*stores, tile_size=size, aoi=AREA, **options)
        same(tiled, whole)
        assert tiled.area == whole.area == AREA
        for side, name in itertools.product(SIDES, ("nodes", "segments", "length_m")):
            assert getattr(tiled, side)[name] == pytest.approx(getattr(whole, side)[name])
        agree(evaluate_tiled(reference, prediction, tile_size=size, aoi=AREA, **options), whole)


def test_what_an_area_is_in_is_found_out_once():
    """A box in degrees cuts what it cuts untiled."""
    reference, prediction = (
        RoadNetwork.from_lines(noisy(grid(4, 4), 2.0, seed), crs="EPSG:32632") for seed in (1, 2)
    )  # fmt: skip
    west, south = to_lonlat(np.array([[120.0, 90.0]]), reference.crs)[0]
    east, north = to_lonlat(np.array([[330.0, 250.0]]), reference.crs)[0]
    box = (west, south, east, north)
    whole = evaluate_roads(reference, prediction, metrics="ccq,opt-j", aoi=box)
    assert 0 < whole.reference["length_m"] < reference.length
    agree(evaluate_tiled(reference, prediction, metrics="ccq,opt-j", aoi=box, tile_size=70), whole)


@given(roads_on_a_lattice(), st.sampled_from([16.0, 20.0, 33.0]), st.lists(st.integers(0, 80), min_size=6, max_size=6))
@settings(max_examples=25)
def test_tiles_outside_the_area_are_not_evaluated(pair, size, corners):
    """Against all tiles, one by one: those with something to evaluate, and none that does not touch the area."""
    area = shapely.Polygon(np.array(corners, dtype=float).reshape(3, 2))
    assume(area.area > 1)
    with TemporaryDirectory() as folder:
        stores = [store_network(Path(folder) / f"{i}.parquet", network(lines)) for i, lines in enumerate(pair)]
        ground = RoadPair(*(store.path for store in stores), Tiling(size, stores[0].crs))
        cut = replace(ground, area=area)
        tiles = set(cut.tiles())
        assert tiles <= set(ground.tiles())
        for key in ground.tiles():
            box = shapely.box(*ground.tiling.box(key))
            if any(owned.node.any() or owned.segment.any() for owned in cut.load([key], 0.0).owned.values()):
                assert key in tiles
            if shapely.distance(box, area) > 0.1:
                assert key not in tiles
        for side, own in zip(SIDES, pair, strict=True):
            assert cut.is_empty(side) == network(own).clip(area).is_empty


def test_only_metrics_on_whole_networks(tmp_path):
    """What is said of the inputs does not depend on the metrics."""
    lines = [*grid(3, 3), [(0, 0), (100, 0)]]
    reference, prediction = network(lines), network(noisy(grid(3, 3), 2.0, 1))
    whole = evaluate_roads(reference, prediction, metrics="apls")
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    tiled = evaluate_stores(*stores, tile_size=150, metrics="apls")
    agree(replace(tiled, inputs=whole.inputs), whole)
    assert tiled.cells["ref_m"].sum() == pytest.approx(reference.length)


def test_a_shift_moves_the_extent_too(tmp_path):
    reference, prediction = town()
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    whole = evaluate_roads(reference, moved(prediction, -30.5, 12.25), metrics="ccq,opt-j", aoi=AREA)
    same(evaluate_stores(*stores, tile_size=90, metrics="ccq,opt-j", shift=(-30.5, 12.25), aoi=AREA), whole)


def test_cells_are_the_tiles_and_their_counts_add_up():
    reference, prediction = town()
    tiled = evaluate_tiled(reference, prediction, tile_size=200, metrics="ccq,opt-j")
    assert tiled.cells["ref_m"].sum() == pytest.approx(reference.length)
    assert (tiled.cells["opt-j.ap"].sum(), tiled.cells["opt-j.tp"].sum()) == (
        tiled.counts["opt-j"]["ap"], tiled.counts["opt-j"]["tp"])  # fmt: skip
    assert tiled.cells.geometry.area.max() == pytest.approx(200 * 200)


def geographic(folder, name, towns, seed=None):
    """A store in degrees of grid towns around places, as a streamed file gives it."""
    rng = np.random.default_rng(seed)
    parts, first = [], 0
    for longitude, latitude in towns:
        lines = np.array([[line[0], line[-1]] for line in grid(4, 4)])
        places, number = np.unique(lines.reshape(-1, 2), axis=0, return_inverse=True)
        if seed is not None:
            places = places + rng.normal(0, 3.0, places.shape)
        scale = np.array([111_320 * np.cos(np.radians(latitude)), 110_900])
        degrees = np.round(places / scale + [longitude, latitude], 7)
        degrees[:, 0] = (degrees[:, 0] + 180) % 360 - 180
        pairs = number.reshape(-1, 2)
        parts.append(
            Segments(degrees[pairs], pairs + first, np.arange(len(pairs)), np.zeros((len(pairs), 2), dtype=bool))
        )
        first += len(places)
    return write_store(folder / name, parts, crs="EPSG:4326", facts={"source": name})


def test_where_no_projection_fits_each_tile_has_its_own(tmp_path):
    towns = [(-120.0, 35.0), (-75.0, 45.0), (-60.0, -10.0)]
    stores = [geographic(tmp_path, "a", towns), geographic(tmp_path, "b", towns, seed=1)]
    results = [evaluate_stores(*stores, tile_size=size, metrics=LOCAL, parameters=NEAR) for size in (150, 50_000)]
    assert results[0].crs.is_geographic
    assert "each in its own projection" in results[0].notes["tiles"]
    alone = [
        evaluate_stores(
            geographic(tmp_path, f"a{i}", [town]), geographic(tmp_path, f"b{i}", towns[: i + 1], seed=1),
            tile_size=500, metrics="opt-j", crs=None, aoi=None,
        ) for i, town in enumerate(towns[:1])
    ]  # fmt: skip
    assert not alone[0].crs.is_geographic
    for result in results:
        assert result.counts["opt-j"] == results[0].counts["opt-j"]
        assert result.counts["junct"] == results[0].counts["junct"]
        assert result.counts["opt-j"]["ap"] == pytest.approx(3 * alone[0].counts["opt-j"]["ap"])
        for name, metres in result.counts["ccq"].items():
            assert metres == pytest.approx(results[0].counts["ccq"][name], rel=1e-3)
        # Ground metres: three towns of 24 blocks of 100 m.
        assert result.counts["ccq"]["ref_length"] == pytest.approx(3 * 2400, rel=5e-3)
        for frame in result.errors.values():
            if len(frame):
                assert np.abs(frame.total_bounds).max() <= 180


def test_where_no_projection_fits_metrics_on_whole_networks_go_tile_by_tile(tmp_path):
    towns = [(-120.0, 35.0), (-60.0, -10.0)]
    stores = [geographic(tmp_path, "a", towns), geographic(tmp_path, "b", towns, seed=1)]
    tiled = evaluate_stores(*stores, tile_size=5000, metrics="apls,ccq")
    assert tiled.notes["apls.apls"].startswith("evaluated tile by tile, no projection is right for all tiles")
    assert (tiled.area, tiled.scale_error) == (None, None)
    places = np.concatenate([batch.xy.reshape(-1, 2) for store in stores for batch in store.batches()])
    np.testing.assert_allclose(tiled.extent, [*places.min(axis=0), *places.max(axis=0)], atol=1e-8)


def test_the_projection_is_judged_where_roads_are_evaluated(tmp_path):
    """A reference from coast to coast, and a prediction of one of its towns."""
    towns = [(-120.0, 35.0), (-75.0, 45.0), (-60.0, -10.0)]
    country, town = geographic(tmp_path, "a", towns), geographic(tmp_path, "b", towns[:1], seed=1)
    assert common_projection(country, town) == (None, None)
    around = shapely.box(-120.01, 34.99, -119.98, 35.02)
    common, error = common_projection(country, town, aoi=around)
    assert common == common_projection(town, town)[0]
    assert 0 < error < 0.001
    tiled = evaluate_stores(country, town, tile_size=150, metrics=LOCAL, parameters=NEAR, aoi=around)
    assert (tiled.crs, tiled.scale_error) == (common, error)
    alone = geographic(tmp_path, "c", towns[:1])
    same(tiled, evaluate_stores(alone, town, tile_size=500, metrics=LOCAL, parameters=NEAR))
    # In a CRS that was asked for the error is that of the area too.
    utm = CRS.from_epsg(32610)
    assert common_projection(country, town, utm)[1] > 1
    area = area_in(around, utm, aoi_crs=WGS84)
    given = evaluate_stores(country, town, tile_size=500, metrics="ccq", crs=utm, aoi=area)
    assert given.scale_error == pytest.approx(scale_error(utm, np.array([[-119.98, 35.0]])), abs=1e-5)
    # Where the area is large too, tiles have their own projections, and the area is in degrees.
    wide = shapely.box(-121, -20, -50, 36)
    own = evaluate_stores(country, town, tile_size=500, metrics="opt-j", aoi=wide)
    assert own.crs.is_geographic
    assert own.area == wide
    assert own.reference["nodes"] == 2 * tiled.reference["nodes"]


def test_across_the_antimeridian(tmp_path):
    towns = [(179.998, -17.0)]
    stores = [geographic(tmp_path, "a", towns), geographic(tmp_path, "b", towns, seed=1)]
    results = [evaluate_stores(*stores, tile_size=size, metrics=LOCAL, parameters=NEAR) for size in (90, 9000)]
    for result in results:
        same(result, results[-1])
    assert results[0].counts["ccq"]["ref_length"] == pytest.approx(2400, rel=5e-3)


def test_boxes_in_degrees_hold_the_box():
    for crs, box in (("EPSG:32601", (4e5, -2e6, 4.2e5, -1.98e6)), ("EPSG:32632", (3e5, 5e6, 9e5, 5.6e6)),
                     ("EPSG:3031", (-1e5, -1e5, 1e5, 1e5)), ("EPSG:3031", (5e5, 5e5, 6e5, 6e5))):  # fmt: skip
        source, target = CRS.from_user_input(crs), CRS.from_epsg(4326)
        rng = np.random.default_rng(0)
        places = rng.uniform(box[:2], box[2:], (500, 2))
        lonlat = to_lonlat(places, source)
        boxes = box_in(box, source, target)
        inside = [((lonlat >= one[:2]) & (lonlat <= one[2:])).all(axis=1) for one in boxes]
        assert np.any(inside, axis=0).all()


@given(st.lists(st.floats(-1e9, 1e9), max_size=30))
def test_exact_sums(values):
    assert exact_sum(np.array(values)) == sum(map(Fraction, values), Fraction(0))
    assert float(exact_sum(np.array(values))) == math.fsum(values)


def test_a_part_survives_its_way_through_bytes():
    part = Part(
        {"ccq": {(3, -1): {"ref_length": Fraction(1, 3)}}, "apls": {None: {"n": Fraction(3)}}},
        {"opt-g": np.array([[1, 0, 2, 3, 4, 5]])},
        {"apls": {"apls": None, "n": 3}}, {"apls": {"apls": "why"}}, {"reference": {(3, -1): {"nodes": Fraction(4)}}},
    )  # fmt: skip
    other = Part.from_bytes(part.to_bytes())
    assert other.counts == part.counts
    assert other.inputs == part.inputs
    assert other.scores == part.scores
    assert other.notes == part.notes
    np.testing.assert_array_equal(other.starts["opt-g"], part.starts["opt-g"])
    assert other.errors.num_rows == 0


@pytest.mark.parametrize("size", [0.0, -1.0, float("nan"), float("inf")])
def test_sizes_that_make_no_tiles(size):
    reference, prediction = town()
    with pytest.raises(ParameterError, match="tile size"):
        evaluate_tiled(reference, prediction, tile_size=size, metrics="ccq")
