"""Known errors of objects: what was said to be done was done, nothing else, and the error layers find it."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import GeoevalError, ObjectMap, evaluate_objects, perturb, read_objects
from geoeval.model.error_kinds import kinds_that_reveal
from geoeval.perturbation.object_errors import ERRORS
from geoeval.perturbation.perturb import magnitudes_of
from geoeval.studies.detection import OBJECT_PARAMETERS, detection
from tests.objects.shapes_for_tests import CRS, objects

# Houses in rows, 6 m apart in a row, with an L among them.
ROWS = [(18 * i, 30 * j, 12, 8 + (i + j) % 3) for i in range(8) for j in range(6)]
ELL = shapely.Polygon([(200, 0), (230, 0), (230, 10), (210, 10), (210, 25), (200, 25)])
TOWN = ObjectMap.from_polygons([*(shapely.box(x, y, x + w, y + h) for x, y, w, h in ROWS), ELL], crs=CRS)
COUNT = 7


def as_set(polygons) -> set[bytes]:
    return set(shapely.to_wkb(polygons).tolist())


def ground_of(made, row) -> list:
    """What an error takes away and what it puts in."""
    sides = ((made.reference, row["ref_id"]), (made.prediction, row["pred_id"]))
    return [one for side, names in sides for one in side.polygons[np.isin(side.ids.astype(str), names.split(";"))]]


def reported(made) -> dict[str, int]:
    found = evaluate_objects(
        made.reference, made.prediction, metrics="max-overlap", parameters=OBJECT_PARAMETERS
    ).error_summary()
    return {kind: entry["count"] for kind, entry in found.items() if kind not in {"matched", "link"}}


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(3))
def test_the_errors_asked_for_and_the_rest_as_it_was(error, seed):
    made = perturb(TOWN, error, COUNT, seed=seed)
    frame = made.errors["polygons"]
    assert made.reference is TOWN
    assert made.count == len(frame) == COUNT
    assert len(made.errors["lines"]) == len(made.errors["points"]) == 0
    gone = [name for text in frame["ref_id"] if text for name in text.split(";")]
    assert len(gone) == len(set(gone)) == {"false_alarm": 0, "merged": 2 * COUNT}.get(error, COUNT)
    kept = ~np.isin(TOWN.ids.astype(str), gone)
    # Byte for byte, under the same ids.
    there = dict(zip(shapely.to_wkb(made.prediction.polygons), made.prediction.ids, strict=True))
    for polygon, name in zip(shapely.to_wkb(TOWN.polygons[kept]), TOWN.ids[kept], strict=True):
        assert there[polygon] == name
    new = {name for text in frame["pred_id"] if text for name in text.split(";")}
    assert {str(name) for name in made.prediction.ids} == {str(name) for name in TOWN.ids[kept]} | new
    assert len(made.prediction) == kept.sum() + len(new)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(3))
def test_the_error_layers_find_every_error_and_report_no_other(error, seed):
    made = perturb(TOWN, error, COUNT, seed=seed)
    (kind,) = kinds_that_reveal("objects", error)
    assert reported(made) == {kind: COUNT}


def test_detection_says_so():
    table = detection(TOWN, count=3, seeds=2)
    assert table["error"].tolist() == list(ERRORS)
    assert (table[["inserted", "found", "reported", "right"]] == 6).all(axis=None)


def test_what_is_missed_is_gone():
    made = perturb(TOWN, "missed", COUNT)
    frame = made.errors["polygons"]
    assert (frame["kind"] == "missed").all()
    assert as_set(TOWN.polygons) - as_set(made.prediction.polygons) == as_set(frame.geometry.to_numpy())
    assert made.prediction.area == pytest.approx(TOWN.area - frame.geometry.area.sum())


def test_false_alarms_are_squares_on_free_ground():
    made = perturb(TOWN, "false_alarm", COUNT, size=5.0, clearance=3.0)
    new = made.errors["polygons"].geometry.to_numpy()
    assert shapely.area(new) == pytest.approx(25.0)
    assert made.errors["polygons"]["pred_id"].tolist() == [f"false_alarm {i + 1}" for i in range(COUNT)]
    assert shapely.distance(shapely.union_all(new), shapely.union_all(TOWN.polygons)) > 3
    assert made.prediction.area == pytest.approx(TOWN.area + 25 * COUNT)


@pytest.mark.parametrize("gap", [0.0, 0.5])
def test_split_objects_keep_their_ground_but_for_the_gap(gap):
    made = perturb(TOWN, "split", COUNT, gap=gap, seed=1)
    for _, row in made.errors["polygons"].iterrows():
        parts = made.prediction.polygons[np.isin(made.prediction.ids.astype(str), row["pred_id"].split(";"))]
        assert len(parts) == 2
        assert shapely.covers(row.geometry.buffer(1e-9), parts).all()
        assert shapely.distance(*parts) == pytest.approx(gap)
        if row.geometry.area < 200:  # houses, cut across their longer side, which is the one of 12 m
            assert sum(part.area for part in parts) == pytest.approx(row.geometry.area * (1 - gap / 12))
    if gap == 0:
        assert made.prediction.area == pytest.approx(TOWN.area, abs=1e-6)


def test_a_house_is_halved_across_its_longer_side():
    halves = perturb(objects((0, 0, 20, 10)), "split", 1).prediction.polygons
    assert as_set(shapely.normalize(halves)) == as_set(
        shapely.normalize([shapely.box(0, 0, 10, 10), shapely.box(10, 0, 20, 10)])
    )


def test_what_a_cut_would_leave_in_three_parts_is_not_split():
    two_legs = shapely.box(0, 0, 30, 40).difference(shapely.box(5, 0, 25, 35))
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(ObjectMap.from_polygons([two_legs], crs=CRS), "split", 1)


def test_merged_objects_are_joined_by_a_bridge():
    made = perturb(objects((0, 0, 10, 8), (14, 0, 10, 8), (60, 0, 9, 9)), "merged", 1, bridge=3.0)
    (one,) = made.errors["polygons"].geometry
    assert made.errors["polygons"][["kind", "ref_id", "dist_m"]].to_numpy().tolist() == [["merge", "0;1", 4.0]]
    # Half of its width reaches beyond the ends of the bridge, into the houses.
    assert one.area == pytest.approx(2 * 80 + 4 * 3, rel=0.2)
    assert one.area >= 160 + 4 * 1.5
    assert made.prediction.ids.tolist() == ["0+1", 2]


def test_houses_with_a_common_wall_become_their_union():
    made = perturb(objects((0, 0, 10, 8), (10, 0, 10, 8)), "merged", 1)
    assert made.prediction.area == 160
    corner = perturb(objects((0, 0, 10, 8), (10, 8, 10, 8)), "merged", 1, bridge=2.0)
    assert corner.prediction.area == pytest.approx(160 + 2)
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(objects((0, 0, 10, 8), (14, 0, 10, 8)), "merged", 1, reach=3.9)


@settings(max_examples=20)
@given(st.floats(0.1, 4.0), st.integers(0, 20))
def test_shifted_objects_move_by_the_distance_as_they_are(distance, seed):
    made = perturb(TOWN, "shifted", 3, distance=distance, seed=seed)
    for _, row in made.errors["polygons"].iterrows():
        (there,) = made.prediction.polygons[made.prediction.ids.astype(str) == row["pred_id"]]
        moved = shapely.get_coordinates(there) - shapely.get_coordinates(row.geometry)
        assert np.hypot(*moved.T) == pytest.approx(distance)
        assert np.ptp(moved, axis=0) == pytest.approx(0, abs=1e-9)
        assert there.area == pytest.approx(row.geometry.area)


@settings(max_examples=20)
@given(st.floats(0.1, 2.0), st.integers(0, 20))
def test_every_side_grows_by_the_distance(distance, seed):
    houses = objects(*ROWS)
    made = perturb(houses, "grown", 3, distance=distance, seed=seed, clearance=0.5)
    for _, row in made.errors["polygons"].iterrows():
        (there,) = made.prediction.polygons[made.prediction.ids.astype(str) == row["pred_id"]]
        minx, miny, maxx, maxy = row.geometry.bounds
        wanted = shapely.box(minx - distance, miny - distance, maxx + distance, maxy + distance)
        assert there.symmetric_difference(wanted).area == pytest.approx(0, abs=1e-6)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(3, 12), st.integers(3, 12)), max_size=9),
    st.sampled_from(sorted(ERRORS)),
    st.integers(0, 3),
)
def test_any_houses_and_error(boxes, error, seed):
    """There is room and the errors stand alone, or one line says that there is none."""
    houses = objects(*boxes)
    try:
        made = perturb(houses, error, 2, seed=seed)
    except GeoevalError as problem:
        if "stand alone, not 2" not in str(problem):
            raise
        return
    frame = made.errors["polygons"]
    assert made.count == len(frame) == 2
    first, second = (shapely.union_all(ground_of(made, row)) for _, row in frame.iterrows())
    assert first.distance(second) > 1.0
    if error not in {"missed", "split"}:
        own = ";".join(frame["pred_id"]).split(";")
        others = made.prediction.polygons[~np.isin(made.prediction.ids.astype(str), own)]
        assert (shapely.distance(others, first.union(second)) > 1.0).all()
    before = reported(perturb(houses, error, 0))
    (kind,) = kinds_that_reveal("objects", error)
    assert reported(made).get(kind, 0) == before.get(kind, 0) + 2


@pytest.mark.parametrize("error", ERRORS)
def test_same_seed_same_bytes_whatever_the_order(error):
    order = np.random.default_rng(5).permutation(len(TOWN))
    turned = [shapely.Polygon(np.roll(shapely.get_coordinates(one)[:-1], 1, axis=0)) for one in TOWN.polygons[order]]
    other = ObjectMap.from_polygons(turned, crs=CRS, ids=TOWN.ids[order])
    one, two, three = (perturb(*given, seed=seed) for *given, seed in (
        (TOWN, error, COUNT, 0), (other, error, COUNT, 0), (TOWN, error, COUNT, 1)
    ))  # fmt: skip
    assert [str(name) for name in one.prediction.ids] == [str(name) for name in two.prediction.ids]
    same = shapely.equals_exact(*(shapely.normalize(made.prediction.polygons) for made in (one, two)), tolerance=1e-9)
    assert same.all()
    assert one.errors["polygons"].drop(columns="geometry").equals(two.errors["polygons"].drop(columns="geometry"))
    again = perturb(ObjectMap.from_polygons(TOWN.polygons[order], crs=CRS, ids=TOWN.ids[order]), error, COUNT)
    assert shapely.to_wkb(again.prediction.polygons).tolist() == shapely.to_wkb(one.prediction.polygons).tolist()
    assert as_set(three.prediction.polygons) != as_set(one.prediction.polygons)


def test_objects_that_overlap_others_are_left_as_they_are():
    tangle = objects((0, 0, 10, 10), (5, 5, 10, 10), (40, 0, 10, 10))
    for error in ("missed", "split", "shifted", "grown"):
        assert perturb(tangle, error, 1).errors["polygons"]["ref_id"].tolist() == ["2"]
        with pytest.raises(GeoevalError, match="room for 1"):
            perturb(tangle, error, 2)


def test_neighbours_wall_to_wall_may_be_missed_or_split_but_not_both():
    terrace = objects((0, 0, 10, 8), (10, 0, 10, 8))
    for error in ("missed", "split"):
        assert perturb(terrace, error, 1).count == 1
        with pytest.raises(GeoevalError, match="this map of objects has room for 1 "):
            perturb(terrace, error, 2)
    for error in ("shifted", "grown"):
        with pytest.raises(GeoevalError, match="room for 0"):
            perturb(terrace, error, 1)
    apart = objects((0, 0, 10, 8), (10.5, 8.5, 10, 8))
    assert perturb(apart, "missed", 2, clearance=0.7).prediction.is_empty
    with pytest.raises(GeoevalError, match="room for 1 "):
        perturb(apart, "missed", 2, clearance=0.8)


def test_an_object_is_not_shifted_off_its_ground():
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(objects((0, 0, 3, 3)), "shifted", 1, distance=6.0)


def test_pixels_are_left_behind():
    pytest.importorskip("rasterio")
    labels = np.zeros((40, 60), dtype=int)
    labels[5:15, 5:15], labels[25:35, 30:45] = 1, 2
    made = perturb(ObjectMap.from_labels(labels), "missed", 1)
    assert made.prediction.labels is None
    assert reported(made) == {"missed": 1}


@pytest.mark.parametrize("error", ERRORS)
def test_nothing_to_do_and_nothing_to_do_it_to(error):
    same = perturb(TOWN, error, 0)
    assert same.reference is same.prediction is TOWN
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(objects(), error, 1)
    assert perturb(objects(), error, 0).prediction.is_empty


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"error": "interruptions", "count": 1}, "unknown error 'interruptions' of objects; choose among missed"),
        ({"error": "missed", "count": -1}, "number of errors is -1"),
        ({"error": "missed", "count": 1, "gap": 3.0}, "no magnitude 'gap'; choose among clearance"),
        ({"error": "grown", "count": 1, "distance": 0.0}, "distance is 0 m; give a number above 0"),
        ({"error": "split", "count": 1, "gap": -1.0}, "gap is -1 m; give 0 or more"),
        ({"error": "split", "count": 1, "gap": None}, "gap of split is None"),
        ({"error": "shifted", "count": 1, "seed": -1}, "seed is -1"),
    ],
)
def test_wrong_arguments_are_one_clear_line(arguments, words):
    with pytest.raises(GeoevalError, match=words):
        perturb(TOWN, **arguments)


def test_magnitudes():
    assert magnitudes_of("merged", kind="objects") == {"reach": 10.0, "bridge": 2.0, "clearance": 1.0}


@pytest.mark.parametrize("error", ERRORS)
def test_real_towns(data, error):
    town = read_objects(data / "osm" / "graphhopper_monaco.osm.gz")
    made = perturb(town, error, 40, seed=2)
    (kind,) = kinds_that_reveal("objects", error)
    assert reported(made) == {kind: 40}
    village = read_objects(data / "buildings" / "gt.geojson")
    assert reported(perturb(village, error, 5)) == {kind: 5}
