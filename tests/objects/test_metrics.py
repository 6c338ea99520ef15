"""The metrics of objects: what must hold whatever the objects are, and edge cases."""

import json
from itertools import combinations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.affinity import rotate, translate

from geoeval import ObjectMap, evaluate_objects
from geoeval.exceptions import ParameterError
from geoeval.metrics.score_grid import score_grid
from geoeval.objects.evaluate import describe
from geoeval.objects.iou import average_precision
from geoeval.objects.overlaps import overlaps_of
from tests.objects.shapes_for_tests import CRS, boxes, objects, rectangle

QUICK = {"max-overlap": {"mallows": False}}


def scores(reference, prediction, **kwargs):
    return evaluate_objects(reference, prediction, parameters=kwargs.pop("parameters", QUICK), **kwargs).scores


def close(first, second):
    """The same scores up to rounding."""
    assert first.keys() == second.keys()
    for metric, values in first.items():
        for name, value in values.items():
            assert second[metric][name] == (value if value is None else pytest.approx(value, abs=1e-9)), name


def test_names_are_those_of_the_design():
    result = scores(objects((0, 0, 9, 9)), objects((1, 0, 9, 9)))
    assert {metric: list(values) for metric, values in result.items()} == {
        "bgm": ["score", "matched", "missed", "false_alarm"],
        "hoover": ["score", "correct", "over", "under", "missed", "false_alarm"],
        "max-overlap": [
            "precision", "recall", "f1", "mallows", "overlap", "one_to_one", "one_to_many", "many_to_one", "missed",
            "false_alarm",
        ],
        "iou": ["threshold", "tp", "fp", "fn", "precision", "recall", "f1", "ap"],
    }  # fmt: skip


def test_empty_maps():
    something, nothing = objects((0, 0, 9, 9)), objects()
    both = scores(nothing, nothing)
    for metric, name in (("bgm", "score"), ("hoover", "score"), ("max-overlap", "f1"), ("iou", "f1"), ("iou", "ap")):
        assert both[metric][name] == 1
        for pair in ((something, nothing), (nothing, something)):
            one = scores(*pair)[metric]
            assert one[name] == 0
    assert scores(something, nothing)["max-overlap"]["missed"] == 1
    assert scores(nothing, something)["iou"]["fp"] == 1


def test_objects_that_do_not_meet():
    result = evaluate_objects(objects((0, 0, 9, 9)), objects((50, 0, 9, 9)))
    assert result.scores["bgm"]["score"] == 0
    assert result.scores["hoover"]["score"] is None
    assert result.scores["max-overlap"]["f1"] == 0
    assert result.scores["max-overlap"]["mallows"] is None
    assert {"hoover.score", "max-overlap.mallows"} <= set(result.notes)
    assert json.loads(result.to_json())["scores"]["hoover"]["score"] is None


@settings(max_examples=25)
@given(boxes())
def test_identity_is_perfect(given_boxes):
    """Where objects of one map overlap each other a better total may pair them otherwise; else all is 1."""
    own = objects(*given_boxes)
    result = scores(own, own)
    if len(own.overlapping) == 0:
        assert result["bgm"]["score"] == pytest.approx(1)
        assert result["hoover"]["score"] == pytest.approx(1)
        assert result["max-overlap"]["f1"] == 1
    assert result["iou"]["f1"] == 1


@settings(max_examples=25)
@given(boxes())
def test_a_map_against_itself_has_no_errors(given_boxes):
    """Objects that match and the links between them are on the map, but are not errors."""
    own = objects(*given_boxes)
    if len(own.overlapping):
        return
    result = evaluate_objects(own, own, parameters=QUICK)
    assert result.error_summary() == {}
    assert len(result.errors["polygons"]) == 4 * len(own)
    assert set(result.errors["polygons"]["kind"]) <= {"matched"}


def test_matches_and_links_are_not_counted_as_errors():
    result = evaluate_objects(objects((0, 0, 10, 10)), objects((1, 0, 10, 10)), parameters=QUICK)
    assert set(result.errors["lines"]["kind"]) == {"link"}
    assert result.error_summary() == {}
    assert json.loads(result.to_json())["matches"]["link"]["count"] == 1


def test_the_same_object_three_times_is_found_three_times():
    """Its ground counts as often as both maps have it."""
    thrice, once = (ObjectMap.from_polygons([rectangle(0, 0, 10, 10)] * times, crs=CRS) for times in (3, 1))
    result = evaluate_objects(thrice, thrice, metrics="bgm,hoover,max-overlap")
    assert result.scores["bgm"]["score"] == result.scores["hoover"]["score"] == 1
    assert result.scores["hoover"]["correct"] == result.scores["max-overlap"]["one_to_one"] == 3
    assert not result.notes
    lonely = evaluate_objects(once, thrice, metrics="bgm,hoover").scores
    assert (lonely["bgm"]["score"], lonely["bgm"]["false_alarm"]) == (1, 2)


@settings(max_examples=25)
@given(boxes(), boxes())
def test_swapping_the_maps_swaps_precision_and_recall(first, second):
    a, b = objects(*first), objects(*second)
    there, back = scores(a, b), scores(b, a)
    assert there["bgm"]["score"] == pytest.approx(back["bgm"]["score"])
    assert there["max-overlap"]["overlap"] == pytest.approx(back["max-overlap"]["overlap"])
    # Of equally good matchings either may be taken, but the number of objects in them is the same.
    left_out = [own["max-overlap"]["missed"] + own["max-overlap"]["false_alarm"] for own in (there, back)]
    assert left_out[0] == left_out[1]
    if not (len(a.overlapping) or len(b.overlapping)):
        assert there["iou"]["precision"] == back["iou"]["recall"]
        assert there["hoover"]["correct"] == back["hoover"]["correct"]
        assert there["hoover"]["over"] == back["hoover"]["under"]


@settings(max_examples=25)
@given(boxes(most=5), boxes(most=5), st.randoms(use_true_random=False))
def test_order_ids_and_extra_vertices_leave_no_trace(first, second, random):
    plain = scores(objects(*first), objects(*second))
    shuffled = []
    for given_boxes in (first, second):
        mixed = [shapely.segmentize(rectangle(*box).reverse(), 1.7) for box in given_boxes]
        random.shuffle(mixed)
        shuffled.append(ObjectMap.from_polygons(mixed, crs=CRS, ids=[f"x{k}" for k in range(len(mixed))]))
    close(plain, scores(*shuffled))


def test_rigid_motion_and_far_objects():
    """Moved and turned together nothing changes; the same objects far away bring scores closer to 1."""
    a, b = [rectangle(0, 0, 20, 10), rectangle(30, 0, 9, 9)], [rectangle(3, 1, 20, 10), rectangle(60, 0, 9, 9)]

    def moved(geometries):
        return ObjectMap.from_polygons([translate(rotate(g, 30, origin=(0, 0)), 500, 300) for g in geometries], crs=CRS)

    plain = scores(ObjectMap.from_polygons(a, crs=CRS), ObjectMap.from_polygons(b, crs=CRS))
    close(plain, scores(moved(a), moved(b)))
    far = rectangle(1000, 1000, 10, 10)
    more = scores(ObjectMap.from_polygons([*a, far], crs=CRS), ObjectMap.from_polygons([*b, far], crs=CRS))
    for metric, name in (("bgm", "score"), ("max-overlap", "f1"), ("iou", "f1")):
        assert plain[metric][name] < more[metric][name] < 1


@settings(max_examples=25)
@given(boxes(most=6), boxes(most=6))
def test_overlaps_and_union_against_pixels(first, second):
    """Whole coordinates: every size is a number of unit squares, which an image counts."""
    images = [np.zeros((45, 45), dtype=int) for _ in range(2)]
    for image, given_boxes in zip(images, (first, second), strict=True):
        for x, y, w, h in given_boxes:
            image[y : y + h, x : x + w] += 1
    overlaps = overlaps_of(objects(*first), objects(*second))
    assert overlaps.union == pytest.approx(np.count_nonzero(images[0] + images[1]))
    assert overlaps.size.sum() == pytest.approx((images[0] * images[1]).sum())


@settings(max_examples=15)
@given(st.integers(0, 2**31))
def test_pixels_and_their_outlines_give_the_same(seed):
    rng = np.random.default_rng(seed)
    maps = []
    for _ in range(2):
        image = np.zeros((24, 24), dtype=np.int32)
        for label in range(1, 5):
            x, y, w, h = rng.integers(0, 16), rng.integers(0, 16), *rng.integers(3, 8, 2)
            image[y : y + h, x : x + w] = label
        maps.append(ObjectMap.from_labels(image))
    outlines = [ObjectMap.from_polygons(one.polygons, crs=one.crs) for one in maps]
    close(scores(*maps), scores(*outlines))


def test_forms_of_matches_on_the_map():
    reference = objects((0, 0, 20, 10), (100, 0, 10, 10), (112, 0, 10, 10), (200, 0, 10, 10), (300, 0, 10, 10))
    prediction = objects((0, 0, 9, 10), (11, 0, 9, 10), (100, 0, 22, 10), (206, 0, 10, 10), (400, 0, 10, 10))
    result = evaluate_objects(reference, prediction, metrics="max-overlap")
    own = result.scores["max-overlap"]
    assert [own[name] for name in ("one_to_one", "one_to_many", "many_to_one", "missed", "false_alarm")] == [1] * 5
    assert (own["precision"], own["recall"]) == (0.8, 0.8)
    frame = result.errors["polygons"].set_index("kind")
    assert frame.loc["split", "note"] == "drawn as 2 objects"
    assert frame.loc["split", "pred_id"] == "0;1"
    assert frame.loc["split", "geometry"].equals(rectangle(0, 0, 20, 10))
    assert frame.loc["merge", "ref_id"] == "1;2"
    assert frame.loc["merge", "geometry"].equals(rectangle(100, 0, 22, 10))
    assert frame.loc["missed", "area_m2"] == frame.loc["false_alarm", "area_m2"] == 100
    matched = frame.loc["matched"]
    assert (matched["overlap_m2"], matched["dist_m"], matched["hausd_m"]) == (40, 6, 6)
    assert matched["iou"] == pytest.approx(0.25)
    assert matched["polis_m"] == pytest.approx(3)  # two of four vertices are 6 m off, two lie on the other's sides
    assert frame.loc["boundary", "geometry"].area == pytest.approx(120)
    lines = result.errors["lines"]
    assert set(lines["kind"]) == {"link"}
    assert len(lines) == 5  # two of the split, two of the merge, one of the match


def test_polis_by_hand():
    """A unit step aside: of the inner vertices the distance is to the side, of the outer ones to the corner's side."""
    a, b = objects((0, 0, 10, 10)), objects((1, 0, 10, 10))
    own = evaluate_objects(a, b, metrics="max-overlap", parameters=QUICK).details["max-overlap"]["shapes"]
    # Vertices (0, 0) and (0, 10) are 1 m from the other's left side; (10, 0) and (10, 10) lie on its long sides.
    assert own["polis_m"][0] == pytest.approx(0.5)
    assert own["hausd_m"][0] == 1
    assert own["offset_m"][0] == 1


def test_a_sliver_of_a_neighbour_is_no_match_where_told_so():
    reference, prediction = objects((0, 0, 10, 10), (10, 0, 10, 10)), objects((0, 0, 10.1, 10))
    assert scores(reference, prediction)["max-overlap"]["many_to_one"] == 1
    kept = {"max-overlap": {"min_overlap": 2.0, "mallows": False}}
    assert scores(reference, prediction, parameters=kept)["max-overlap"]["one_to_one"] == 1


def test_shared_walls_do_not_overlap():
    """Terraced houses turned by any angle: rounding along the common wall is no overlap."""
    depths = (11, 9, 12.3, 8, 10)
    for angle in range(7, 90, 7):
        row = [
            rotate(rectangle(500_000 + 7 * k, 4_000_000, 7, depth), angle, origin=(500_000, 4_000_000))
            for k, depth in enumerate(depths)
        ]
        own = ObjectMap.from_polygons(row, crs=CRS)
        assert len(own.overlapping) == 0
        assert len(overlaps_of(own, own).ref) == 5


def test_overlapping_objects_are_reported():
    facts = describe(objects((0, 0, 10, 10), (5, 0, 10, 10), (50, 0, 5, 5)))
    assert facts["problems"] == {"overlapping_pairs": 1}
    assert facts["objects"] == 3


def test_average_precision():
    """Hits, then a miss, then a hit: precision 1 up to recall 1/2, then 2/3."""
    assert average_precision(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]), 2) == pytest.approx(0.5 + 1 / 3)
    assert average_precision(np.array([True, False, True]), np.ones(3), 2) == pytest.approx(2 / 3)
    assert average_precision(np.zeros(0, dtype=bool), np.zeros(0), 2) == 0


def test_the_surer_prediction_goes_first():
    """Two predictions of one object: the surer one takes it although the other fits better."""
    reference = objects((0, 0, 10, 10))
    polygons = [rectangle(0, 0, 10, 9), rectangle(0, 0, 10, 7)]
    sure = ObjectMap.from_polygons(polygons, crs=CRS, confidence=[0.2, 0.9])
    result = evaluate_objects(reference, sure, metrics="iou")
    matched = result.errors["polygons"].query("kind == 'matched'")
    assert matched["iou"].tolist() == [pytest.approx(0.7)]
    assert result.scores["iou"]["ap"] == 1
    unsure = evaluate_objects(reference, ObjectMap.from_polygons(polygons, crs=CRS), metrics="iou")
    assert unsure.errors["polygons"].query("kind == 'matched'")["iou"].tolist() == [pytest.approx(0.9)]


def test_counts_of_cells_add_up():
    rng = np.random.default_rng(5)
    places = rng.uniform(0, 900, (60, 2)).round()
    reference = objects(*[(x, y, 12, 12) for x, y in places])
    prediction = objects(*[(x + 3, y, 12, 12) for x, y in places[10:]], (950, 950, 5, 5))
    result = evaluate_objects(reference, prediction, parameters=QUICK)
    grid = score_grid(result, cell_size=250)
    assert grid["ref_n"].sum() == 60
    for metric, names in (("max-overlap", ("missed", "false_alarm", "one_to_one")), ("iou", ("tp", "fp", "fn"))):
        for name in names:
            assert grid[f"{metric}.{name}"].sum() == result.scores[metric][name]
    assert grid["max-overlap.f1"].between(0, 1).all()
    assert score_grid(evaluate_objects(objects(), objects())).empty


def test_coarser_pixels_are_noted():
    pair = objects((0, 0, 300, 200)), objects((5, 0, 300, 200))
    result = evaluate_objects(*pair, metrics="max-overlap", parameters={"max-overlap": {"max_pixels": 400}})
    assert "1 matches" in result.notes["max-overlap.mallows"]
    fine = evaluate_objects(*pair, metrics="max-overlap", parameters={"max-overlap": {"resolution": 8.0}})
    assert result.scores["max-overlap"]["mallows"] == pytest.approx(fine.scores["max-overlap"]["mallows"], abs=0.01)


@pytest.mark.parametrize(
    ("metric", "values", "words"),
    [
        ("hoover", {"threshold": 0.5}, "above 0.5"),
        ("iou", {"threshold": 0}, "above 0"),
        ("iou", {"min_area": -1}, "0 or more"),
        ("bgm", {"min_overlap": -1}, "0 or more"),
        ("max-overlap", {"resolution": 0}, "above 0"),
        ("max-overlap", {"max_pixels": 3}, "at least 64"),
        ("max-overlap", {"boundary": 2}, "from 0 to 1"),
        ("max-overlap", {"colour": 2}, "parameter of max-overlap"),
    ],
)
def test_values_that_make_no_sense(metric, values, words):
    with pytest.raises(ParameterError, match=words):
        evaluate_objects(objects((0, 0, 9, 9)), objects((0, 0, 9, 9)), parameters={metric: values})


def test_an_area_cuts_both_maps():
    pair = objects((0, 0, 10, 10), (20, 0, 10, 10)), objects((0, 0, 10, 10))
    assert scores(*pair)["iou"]["fn"] == 1
    result = evaluate_objects(*pair, aoi=(-5, -5, 15, 15), parameters=QUICK)
    assert result.scores["iou"]["f1"] == 1
    assert result.area.area == 400


def test_the_same_run_gives_the_same_bytes():
    rng = np.random.default_rng(2)
    given_boxes = [(*rng.uniform(0, 200, 2), *rng.uniform(5, 15, 2)) for _ in range(30)]
    moved = [(x + 1, y - 1, w, h) for x, y, w, h in given_boxes]

    def text(first, second):
        result = evaluate_objects(objects(*first), objects(*second))
        result.seconds.clear()
        return result.to_json()

    assert text(given_boxes, moved) == text(given_boxes, moved)


def test_a_knot_that_is_not_solved_is_noted():
    """Twelve wide and twelve tall boxes that all cross each other, each differently."""
    wide = objects(*((0, 10 * k, 200, 3 + k % 5) for k in range(12)))
    tall = objects(*((10 * k, 0, 2 + k % 7, 200) for k in range(12)))
    parameters = {"max-overlap": {"time_limit": 1e-9, "mallows": False}}
    result = evaluate_objects(wide, tall, metrics="max-overlap", parameters=parameters)
    assert result.counts["max-overlap"]["unsolved"] == 1
    assert result.counts["max-overlap"]["overlap_lost"] > 0
    assert "1 knots of overlaps were not solved completely" in result.notes["max-overlap.overlap"]


def test_counts_are_the_sums_of_their_local_parts():
    rng = np.random.default_rng(5)
    first, second = (
        objects(*zip(*rng.uniform(0, 60, (2, 40)), *rng.uniform(2, 9, (2, 40)), strict=True)) for _ in "ab"
    )
    result = evaluate_objects(first, second)
    for metric, counts in result.counts.items():
        assert counts == result.details[metric]["local"].sums()
    # Ground where two objects of both maps lie counts twice.
    twice = [shapely.union_all([a & b for a, b in combinations(own.polygons, 2)]) for own in (first, second)]
    thrice = [shapely.union_all([a & b & c for a, b, c in combinations(own.polygons, 3)]) for own in (first, second)]
    union = shapely.union_all([*first.polygons, *second.polygons]).area
    union += sum(shapely.intersection(*often).area for often in (twice, thrice))
    assert result.counts["bgm"]["union"] == pytest.approx(union, rel=1e-12)


def test_workers_share_the_mallows_scores(monkeypatch):
    monkeypatch.setattr("geoeval.objects.mallows._SHARE", 2)
    rng = np.random.default_rng(3)
    houses = [(30 * k, 0, 8, 9) for k in range(5)]
    moved = [(x + dx, y + dy, w, h) for (x, y, w, h), (dx, dy) in zip(houses, rng.normal(0, 1, (5, 2)), strict=True)]
    alone, shared = (evaluate_objects(objects(*houses), objects(*moved), workers=workers) for workers in (1, 2))
    assert alone.scores == shared.scores
    assert 0 < alone.scores["max-overlap"]["mallows"] < 1
