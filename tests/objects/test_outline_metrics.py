"""AP, boundary AP, PoLiS, C-IoU, vertices, angles, Hausdorff, Chamfer, amounts: by hand, brute force, invariance."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.affinity import rotate, translate

from geoeval import ObjectMap, evaluate_objects, evaluate_objects_tiled
from geoeval.exceptions import ParameterError
from geoeval.objects.registry import METRICS
from tests.objects import slow_outlines as slow
from tests.objects.shapes_for_tests import CRS, objects, rectangle

FIRST = ("bgm", "hoover", "max-overlap", "iou")
NEW = tuple(name for name in METRICS if name not in FIRST)
SQUARE = rectangle(0, 0, 20, 20)
# The headline of a square of 20 m whose prediction lies 2 m beside it: 360 m² of 440 m² in common.
SHIFTED = {
    "bgm": 360 / 440, "hoover": 360 / 400, "max-overlap": 1.0, "iou": 1.0,
    "ap": 0.7,  # at 0.5, 0.55 ... 0.8
    "boundary-ap": 0.0,  # frames of 144 m² have 72 in common
    "polis": 1.0,  # two corners on the other's sides, two 2 m away
    "c-iou": 360 / 440, "vertex": 0.0,  # no corner within 1 m
    "angle": 0.0, "right-angles": 1.0, "hausdorff": 2.0,
    # Metres of outline times their distance: the outer side 40, the inner one 36, as its ends are near others, ends 4.
    "chamfer": (40 + 36 + 4) / 80,
    "amounts": 0.0,
}  # fmt: skip


# Mallows distances are on a grid that lies north up.
NO_MALLOWS = {"max-overlap": {"mallows": False}}


def made(*polygons, **more):
    return ObjectMap.from_polygons(polygons, crs=CRS, **more)


def scores(reference, prediction, *names, **parameters):
    found = evaluate_objects(reference, prediction, metrics=names or NEW, parameters=parameters).scores
    return found[names[0]] if len(names) == 1 else found


def close(first, second, abs=1e-7):  # noqa: A002 - as pytest names it
    for metric, values in first.items():
        for name, value in values.items():
            assert second[metric][name] == (value if value is None else pytest.approx(value, abs=abs)), (metric, name)


@st.composite
def maps(draw):
    """A few crooked houses, some of them with a yard, and a prediction of them with confidences that all differ."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    true, found = [], []
    for k in range(int(rng.integers(1, 5))):
        count = int(rng.integers(4, 8))
        angle = 2 * np.pi * (np.arange(count) + rng.uniform(-0.3, 0.3, count)) / count
        out = rng.uniform(6, 12, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
        ring = out + np.array([30.0 * k, rng.uniform(-3, 3)])
        yard = [[(30 * k - 1, -1), (30 * k - 1, 1), (30 * k + 1, 1), (30 * k + 1, -1)]] if rng.random() < 0.3 else []
        moved = shapely.Polygon(ring + rng.normal(0, 0.6, ring.shape), yard)
        house = shapely.Polygon(ring, yard)
        if rng.random() < 0.9:
            true.append(house)
        if rng.random() < 0.9:
            found.append(moved)
    true, found = ([one for one in some if one.is_valid] for some in (true, found))
    if rng.random() < 0.3:
        found.append(rectangle(5, 40, 8, 8))
    sure = rng.permutation(len(found)) / 10 + 0.05
    return made(*true), made(*found, confidence=sure)


# ---------------------------------------------------------------------- by hand


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_of_a_shifted_square(metric):
    own = {"chamfer": {"spacing": 0.01}} if metric == "chamfer" else {}
    found = scores(objects((100, 100, 20, 20)), objects((102, 100, 20, 20)), metric, **own)
    assert found[METRICS[metric].headline] == pytest.approx(SHIFTED[metric], abs=1e-4 if own else 1e-9)
    assert found.get("matched", 1) == 1


def test_polis_as_scripted():
    a, b = objects((0, 0, 20, 20)), objects((2, 0, 20, 20))
    assert scores(a, b, "polis", polis={"as_scripted": True})["polis"] == pytest.approx(4 / 5)
    # Two objects of the reference may take one prediction; the published definition pairs one to one.
    two = objects((0, 0, 20, 20), (1, 0, 20, 20))
    scripted = scores(two, a, "polis", polis={"as_scripted": True})
    assert scripted == {"polis": pytest.approx((0 + 4 * 0.5 / 5) / 2), "matched": 2}
    assert scores(two, a, "polis") == {"polis": 0.0, "matched": 1}
    # Vertices on straight sides and holes: the first counts, the second does not.
    holed = made(SQUARE.difference(rectangle(8, 8, 4, 4)))
    other = made(SQUARE.difference(rectangle(9, 8, 4, 4)))
    assert scores(holed, other, "polis", polis={"as_scripted": True})["polis"] == 0.0
    assert scores(holed, other, "polis")["polis"] == pytest.approx(2 * 1 / 8)
    # Two triangles that fill one box and share next to nothing: boxes decide in the script.
    lower, upper = shapely.Polygon([(0, 0), (20, 20), (0, 20)]), shapely.Polygon([(-0.5, 0), (19.5, 0), (19.5, 20)])
    scripted = scores(made(lower), made(upper), "polis", polis={"as_scripted": True})
    assert scripted == {"polis": pytest.approx((0.5 + 19.5 / 2**0.5) / 4), "matched": 1}
    assert scores(made(lower), made(upper), "polis")["matched"] == 0
    more = made(shapely.segmentize(rectangle(2, 0, 20, 20), 10))
    assert scores(a, more, "polis")["polis"] == pytest.approx(1.0)
    # Of its eight vertices four are 2 m off, two of them in the middle of a side.
    assert scores(a, more, "polis", polis={"as_scripted": True})["polis"] == pytest.approx((4 / 5 + 8 / 9) / 2)


def test_hausdorff_is_exact_between_corners():
    # A notch from below: the middle of the notch's roof is farthest from a square's outline.
    notched = made(SQUARE.difference(rectangle(8, 0, 4, 12)))
    found = scores(made(SQUARE), notched, "hausdorff")["hausdorff"]
    assert found == pytest.approx(8.0)  # from the corners of the notch's roof to the side above
    # Between two walls the farthest place of a line is in the middle, at no corner.
    slit = shapely.Polygon([(0, 0), (20, 0), (20, 20), (0, 20)], [[(1, 9), (19, 9), (19, 11), (1, 11)]])
    assert scores(made(SQUARE), made(slit), "hausdorff")["hausdorff"] == pytest.approx(9.0)
    wedge = made(shapely.Polygon([(0, 0), (10, 0), (5, 8)]))
    # The middle of the base is farther from the legs than any corner is: the inscribed half angle says how far.
    legs = made(shapely.Polygon([(0, 0), (5, 5), (10, 0), (5, 8)]))
    expected = max(slow.slow_hausdorff(wedge.polygons[0], legs.polygons[0], 20001), 0)
    assert scores(wedge, legs, "hausdorff", hausdorff={"threshold": 0.1})["hausdorff"] == pytest.approx(
        expected, abs=1e-3
    )


def test_chamfer_of_a_square_in_a_square():
    # The inner outline is 1 m away everywhere; the outer one too, but for its corners.
    inner = rectangle(1, 1, 18, 18)
    found = scores(made(SQUARE), made(inner), "chamfer", chamfer={"spacing": 0.01})["chamfer"]
    corner = np.mean([math.hypot(1, t) for t in (np.arange(1000) + 0.5) / 1000])
    assert found == pytest.approx((1 + (18 * 1 + 2 * corner) / 20) / 2, abs=1e-5)


def test_angle_of_a_turned_side():
    leaning = made(shapely.Polygon([(0, 0), (20, 4), (20, 20), (0, 20)]))
    assert scores(made(SQUARE), leaning, "angle")["max_tangent_angle"] == pytest.approx(math.degrees(math.atan(0.2)))
    assert scores(made(SQUARE), made(SQUARE), "angle")["max_tangent_angle"] == pytest.approx(0)


def test_c_iou_by_hand():
    half = shapely.Polygon([(0, 0), (20, 0), (20, 10), (10, 10), (10, 12), (0, 12)])  # 220 of 400, six corners
    found = scores(made(SQUARE), made(half), "c-iou")
    assert found == {
        "c_iou": pytest.approx(0.55 * (1 - 2 / 10)), "iou": pytest.approx(0.55), "vertex_ratio": pytest.approx(1.5)
    }  # fmt: skip
    # Ground that two objects of a map share counts once.
    overlapping = objects((0, 0, 20, 20), (10, 0, 20, 20))
    assert scores(overlapping, made(rectangle(0, 0, 30, 20)), "c-iou")["iou"] == pytest.approx(1.0)


def test_vertices_by_hand():
    found = scores(made(SQUARE), made(shapely.Polygon([(0, 0), (20, 0.5), (20, 20), (5, 20), (0, 15)])), "vertex")
    assert {name: found[name] for name in ("tp", "fp", "fn")} == {"tp": 3, "fp": 2, "fn": 1}
    # A corner of the house next door is no find, however near.
    apart = scores(objects((0, 0, 9, 9)), objects((9.2, 0, 9, 9)), "vertex")
    assert (apart["tp"], apart["f1"]) == (0, 0.0)


def test_rounded_corners_do_not_turn_as_square_ones():
    rounded = made(SQUARE.buffer(-3).buffer(3))
    found = scores(made(SQUARE), rounded, "right-angles")
    assert found["score"] == 0.0
    assert (found["right_reference"], found["right_prediction"]) == (1.0, 0.0)
    shifted = scores(made(SQUARE), made(translate(SQUARE, 1, 1)), "right-angles")
    assert shifted == {"score": 1.0, "right_reference": 1.0, "right_prediction": 1.0}
    # One corner cut off: three of four turn as they should; 270 degrees of 360 on both sides.
    cut = made(shapely.Polygon([(0, 0), (20, 0), (20, 20), (5, 20), (0, 15)]))
    assert scores(made(SQUARE), cut, "right-angles")["score"] == pytest.approx(540 / 720)


def test_boundary_iou_of_a_shifted_square():
    # Frames 2 m wide of squares 2 m apart: the bars along the shift share 2 * 18 * 2, the upright ones nothing.
    found = scores(objects((0, 0, 20, 20)), objects((2, 0, 20, 20)), "boundary-ap")
    frame, common = 400 - 256, 2 * 18 * 2
    assert found["boundary_iou"] == pytest.approx(common / (2 * frame - common))


def test_average_precision_by_hand():
    reference = objects((0, 0, 20, 20), (100, 0, 20, 20))
    # The surest is right with IoU 1, the next wrong, the last found with IoU 0.6.
    prediction = objects((0, 0, 20, 20), (200, 0, 20, 20), (105, 0, 20, 20), confidence=[0.9, 0.8, 0.7])
    found = scores(reference, prediction, "ap")
    at_half = (51 + 50 * 2 / 3) / 101
    assert found["ap50"] == pytest.approx(at_half)
    assert found["ap75"] == pytest.approx(51 / 101)
    assert found["ap"] == pytest.approx((3 * at_half + 7 * 51 / 101) / 10)
    assert (found["ar1"], found["ar10"], found["ar"]) == pytest.approx((0.5, 0.65, 0.65))
    assert found["ap_small"] is None
    without = scores(reference, objects((0, 0, 20, 20), (200, 0, 20, 20)), "ap")
    assert without["ap50"] == pytest.approx(51 / 101 * 0.5)  # one point: precision and recall a half
    assert without["ar1"] is None


def test_amounts_by_hand():
    reference = objects((10, 10, 10, 10), (20, 30, 10, 10), (300, 10, 20, 10))
    prediction = objects((12, 10, 10, 10), (310, 10, 10, 10), (330, 20, 10, 20))
    assert scores(reference, prediction, "amounts") == {
        "count_error": pytest.approx(2 / 3), "area_error": pytest.approx((100 + 100) / 400),
        "count_ratio": 1.0, "area_ratio": 1.0,
    }  # fmt: skip


# ---------------------------------------------------------------------- whatever the maps


@pytest.mark.parametrize("metric", NEW)
def test_empty_maps(metric):
    something, nothing = objects((0, 0, 20, 20)), objects()
    better = {score.name: score.better for score in METRICS[metric].scores}
    for name, value in scores(nothing, nothing, metric).items():
        perfect = 0 if better[name] == "lower" or METRICS[metric].scores[-1].name == name == "matched" else 1
        assert value == (0 if name in {"tp", "fp", "fn", "matched"} else perfect), name
    headline = METRICS[metric].headline
    for pair in ((something, nothing), (nothing, something)):
        value = scores(*pair, metric)[headline]
        assert value == (1 if pair[1] is nothing else None) if metric == "amounts" else value in {0, None}


@settings(max_examples=25)
@given(maps())
def test_brute_force(pair):
    reference, prediction = pair
    found = scores(*pair)
    for metric, name, value, tolerance in (
        ("polis", "polis", slow.slow_polis, 1e-8), ("chamfer", "chamfer", slow.slow_chamfer, 1e-8),
        ("angle", "max_tangent_angle", slow.slow_angle, 1e-4), ("hausdorff", "hausdorff", slow.slow_hausdorff, 0.05),
    ):  # fmt: skip
        if reference.is_empty and prediction.is_empty:
            assert found[metric][name] == 0
            continue
        expected = slow.mean_over_matches(reference, prediction, value)
        assert found[metric][name] == (expected if expected is None else pytest.approx(expected, abs=tolerance)), metric
    assert found["vertex"]["tp"] == slow.slow_vertex(reference, prediction)
    if not reference.is_empty and not prediction.is_empty:
        assert found["ap"]["ap"] == pytest.approx(slow.slow_ap(reference, prediction, slow.slow_iou), abs=1e-9)
        rims = slow.slow_ap(reference, prediction, slow.slow_boundary_iou)
        assert found["boundary-ap"]["ap"] == pytest.approx(rims, abs=1e-9)
        for size, limits in (("small", (0, 100.0)), ("medium", (100.0, 900.0))):
            expected = slow.slow_ap(reference, prediction, slow.slow_iou, *limits)
            value = found["ap"][f"ap_{size}"]
            assert value == (expected if expected is None else pytest.approx(expected, abs=1e-9))
        union = shapely.union_all(reference.polygons), shapely.union_all(prediction.polygons)
        assert found["c-iou"]["iou"] == pytest.approx(slow.slow_iou(*union), abs=1e-9)


def redrawn(polygon, rng):
    """The same ground: another start, the other way round, and more vertices on its sides."""
    rings = []
    for ring in (polygon.exterior, *polygon.interiors):
        xy = shapely.get_coordinates(shapely.segmentize(ring, 2.5))[:-1]
        xy = np.roll(xy, int(rng.integers(len(xy))), axis=0)
        rings.append(xy[::-1] if rng.random() < 0.5 else xy)
    return shapely.Polygon(rings[0], rings[1:])


@settings(max_examples=20)
@given(maps(), st.integers(0, 2**32))
def test_the_way_of_drawing_changes_nothing(pair, seed):
    rng = np.random.default_rng(seed)
    again = []
    for own in pair:
        order = rng.permutation(len(own))
        sure = None if own.confidence is None else own.confidence[order]
        again.append(made(*[redrawn(own.polygons[k], rng) for k in order], confidence=sure))
    close(scores(*pair, *METRICS, **NO_MALLOWS), scores(*again, *METRICS, **NO_MALLOWS))


@settings(max_examples=15)
@given(maps(), st.floats(0, 360), st.integers(-4, 4), st.integers(-4, 4))
def test_places_and_directions_change_nothing(pair, turn, east, north):
    names = [name for name in METRICS if name != "amounts"]
    expected = scores(*pair, *names, **NO_MALLOWS)
    moved = [
        made(*(translate(one, 250 * east, 250 * north) for one in own.polygons), confidence=own.confidence)
        for own in pair
    ]
    close(scores(*pair, *METRICS, **NO_MALLOWS), scores(*moved, *METRICS, **NO_MALLOWS))  # amounts too, by whole cells
    turned = [
        made(*(rotate(one, turn, origin=(0, 0)) for one in own.polygons), confidence=own.confidence) for own in pair
    ]
    close(expected, scores(*turned, *names, **NO_MALLOWS), abs=1e-5)


@settings(max_examples=10)
@given(maps(), st.sampled_from([17.0, 45.0]))
def test_tiles_give_the_same_numbers(pair, tile_size):
    if pair[0].is_empty or pair[1].is_empty:
        return
    whole = evaluate_objects(*pair, metrics=NEW)
    tiled = evaluate_objects_tiled(*pair, tile_size=tile_size, metrics=NEW)
    close(whole.scores, tiled.scores, abs=1e-12)


def test_parameters_that_make_no_sense():
    a = objects((0, 0, 9, 9))
    for metric, values, message in (
        ("polis", {"threshold": 0}, "polis.threshold"), ("chamfer", {"spacing": 0}, "chamfer.spacing"),
        ("angle", {"stretch": 1}, "angle.spacing"), ("boundary-ap", {"width": 0}, "boundary-ap.width"),
        ("vertex", {"max_distance": -1}, "vertex.max_distance"), ("right-angles", {"tolerance": 60}, "right-angles"),
        ("amounts", {"cell_size": 0}, "amounts.cell_size"), ("ap", {"small_area": 0}, "small_area"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            scores(a, a, metric, **{metric: values})
