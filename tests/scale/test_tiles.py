"""Evaluations in tiles against evaluations at once: the same numbers to the last one."""

import math
from fractions import Fraction

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import RoadNetwork, evaluate_roads
from geoeval.exceptions import ParameterError
from geoeval.registry import Metric
from geoeval.roads.sampling import in_units, places_at, systematic_positions
from geoeval.scale.evaluate import evaluate_stores, evaluate_tiled
from geoeval.scale.ground import SIDES, Ground
from geoeval.scale.part import Part, exact_sum
from geoeval.scale.store import Segments, store_network, write_store
from geoeval.scale.survey import Course
from geoeval.scale.tile import survey_tile
from geoeval.scale.tiling import Tiling, box_in
from tests.networks import BRIDGE, RING, grid, network, noisy
from tests.roads.errors import ERRORS

LOCAL = "ccq,junct,subg,opt-j,opt-g"
NEAR = {"subg": {"radius": 60.0}, "opt-g": {"radius": 60.0}}


def town(error="interruptions", count=5, size=4):
    lines = noisy(grid(size, size), 6.0, seed=1)
    reference, prediction = ERRORS[error](lines, count)
    return network(reference), network(noisy(prediction, 2.0, seed=2))


def same(tiled, whole):
    assert tiled.counts == whole.counts
    assert tiled.scores == whole.scores


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("size", [90.0, 5000.0])
def test_counts_and_scores_are_those_of_the_whole(error, size):
    reference, prediction = town(error)
    whole = evaluate_roads(reference, prediction, metrics=LOCAL, parameters=NEAR)
    tiled = evaluate_tiled(reference, prediction, tile_size=size, metrics=LOCAL, parameters=NEAR)
    same(tiled, whole)
    for side in SIDES:
        for name in ("nodes", "segments", "sha256"):
            assert getattr(tiled, side)[name] == getattr(whole, side)[name]
        assert getattr(tiled, side)["length_m"] == pytest.approx(getattr(whole, side)["length_m"])


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
def test_what_is_certain_does_not_depend_on_roads_beyond_the_known_ground(pair, corner):
    """The rule that tiles rest on, metric by metric: certain counts are those of the whole network."""
    x, y, side = corner
    known = (float(x), float(y), float(x + side), float(y + side))
    networks = [network(noisy(lines, 3.0, seed)) for seed, lines in enumerate(pair)]
    parts = [_meeting(one, known) for one in networks]
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
        part = function(*parts, **values, known=known).details["local"]
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
def test_a_tile_takes_as_much_ground_as_its_counts_depend_on(error, monkeypatch):
    """With hardly any ground around it at first, a tile must notice by itself that it needs more."""
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
    ground = Ground(store.path, store.path, Tiling(size, whole.crs))
    tiles = list(ground.tiles())
    course = Course([survey_tile(ground, key, ("reference",))["reference"] for key in tiles])
    total = int(in_units(whole.segment_lengths).sum())
    assert course.total == total
    positions = systematic_positions(total, 97, 0.3)
    expected = places_at(whole, positions).xy
    seen = []
    for tile, starts in course.starts(positions).items():
        loaded = ground.load(tiles[tile], 5.0)
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


def test_metrics_that_need_whole_networks():
    reference, prediction = town()
    names = "tlts,apls,opt-p,junct"
    parameters = {"junct": {"cluster": 20.0}, "opt-p": {"decompositions": 2}}
    whole = evaluate_roads(reference, prediction, metrics=names, parameters=parameters)
    tiled = evaluate_tiled(reference, prediction, tile_size=150, metrics=names, parameters=parameters)
    assert tiled.scores == whole.scores
    assert not any("tile by tile" in note for note in tiled.notes.values())
    apart = evaluate_tiled(reference, prediction, tile_size=250, metrics=names, parameters=parameters, memory=0)
    for name, headline in (("tlts", "correct"), ("apls", "apls"), ("opt-p", "f1"), ("junct", "f1")):
        assert "tile by tile" in apart.notes[f"{name}.{headline}"]
        assert 0 < apart.scores[name][headline] <= 1


def test_empty_networks_and_empty_tiles():
    reference, _ = town()
    nothing = network([])
    for pair in ((reference, nothing), (nothing, reference), (nothing, nothing)):
        same(evaluate_tiled(*pair, tile_size=100, metrics=LOCAL), evaluate_roads(*pair, metrics=LOCAL))
    corner = network([[(0, 0), (30, 0)], [(10, 0), (10, 30)]])
    pair = (reference, corner)
    whole = evaluate_roads(*pair, metrics=LOCAL, parameters=NEAR)
    same(evaluate_tiled(*pair, tile_size=100, metrics=LOCAL, parameters=NEAR), whole)


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


def test_an_area_cuts_roads_in_tiles_too(tmp_path):
    reference, prediction = town(size=5)
    area = shapely.Polygon([(33, 20), (310, 60), (350, 340), (150, 390)])
    whole = evaluate_roads(reference, prediction, metrics=LOCAL, parameters=NEAR, aoi=area)
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate((reference, prediction))]
    for size in (80, 160):
        tiled = evaluate_stores(*stores, tile_size=size, metrics=LOCAL, parameters=NEAR, aoi=area)
        same(tiled, whole)


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


def test_across_the_antimeridian(tmp_path):
    towns = [(179.998, -17.0)]
    stores = [geographic(tmp_path, "a", towns), geographic(tmp_path, "b", towns, seed=1)]
    results = [evaluate_stores(*stores, tile_size=size, metrics=LOCAL, parameters=NEAR) for size in (90, 9000)]
    for result in results:
        same(result, results[-1])
    assert results[0].counts["ccq"]["ref_length"] == pytest.approx(2400, rel=5e-3)


def test_boxes_in_degrees_hold_the_box():
    from pyproj import CRS

    for crs, box in (("EPSG:32601", (4e5, -2e6, 4.2e5, -1.98e6)), ("EPSG:32632", (3e5, 5e6, 9e5, 5.6e6)),
                     ("EPSG:3031", (-1e5, -1e5, 1e5, 1e5)), ("EPSG:3031", (5e5, 5e5, 6e5, 6e5))):  # fmt: skip
        source, target = CRS.from_user_input(crs), CRS.from_epsg(4326)
        rng = np.random.default_rng(0)
        places = rng.uniform(box[:2], box[2:], (500, 2))
        from geoeval.crs import to_lonlat

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
        {"ccq": {"ref_length": Fraction(1, 3)}}, {"opt-g": np.array([[1, 0, 2, 3, 4, 5]])},
        {"apls": {"apls": None, "n": 3}}, {"apls": {"apls": "why"}}, {"reference": {"nodes": Fraction(4)}},
    )  # fmt: skip
    other = Part.from_bytes(part.to_bytes())
    assert other.counts == part.counts
    assert other.scores == part.scores
    assert other.notes == part.notes
    np.testing.assert_array_equal(other.starts["opt-g"], part.starts["opt-g"])
    assert other.errors.num_rows == 0


@pytest.mark.parametrize("size", [0.0, -1.0, float("nan"), float("inf")])
def test_sizes_that_make_no_tiles(size):
    reference, prediction = town()
    with pytest.raises(ParameterError, match="tile size"):
        evaluate_tiled(reference, prediction, tile_size=size, metrics="ccq")
