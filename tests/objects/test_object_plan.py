"""The plan of objects: its gains are what an evaluation finds, and after all edits the prediction is the reference."""

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import ObjectMap, edit_plan, evaluate, evaluate_objects, evaluate_objects_tiled, write_josm
from geoeval.exceptions import ParameterError
from geoeval.model.plan import REST
from geoeval.objects.by_class import evaluate_by_class
from geoeval.objects.edit_plan import ObjectEffort
from geoeval.objects.mending.gains import HEADLINES

CRS = "EPSG:32616"
QUICK = {"max-overlap": {"mallows": False}}


def objects(polygons, **more):
    return ObjectMap.from_polygons(polygons, crs=CRS, **more)


def planned(reference, prediction, metrics="bgm,max-overlap,iou"):
    return evaluate(reference, prediction, kind="objects", metrics=metrics, parameters=QUICK, aoi="all", plan=True)


def mean_score(result):
    return np.mean([result.scores[name][score] for name, score in HEADLINES.items() if name in result.scores])


def check_word(result):
    """Every number of first edits brings what is stated, and all of them make the prediction the reference."""
    score = evaluate_objects if result.inputs["reference"].classes is None else evaluate_by_class
    stated = np.concatenate([[0.0], np.cumsum(result.plan.edits["gain"])])
    assert result.plan.edits["total"].to_numpy() == pytest.approx(stated[1:], abs=1e-9)
    for top, gain in enumerate(stated):
        mended = result.apply(top=top)
        found = score(result.inputs["reference"], mended, metrics=list(result.scores), parameters=QUICK)
        assert mean_score(found) - mean_score(result) == pytest.approx(gain, abs=1e-9)
    same = [shapely.normalize(one.polygons) for one in (mended, result.inputs["reference"])]
    assert shapely.equals_exact(*same).all()


def test_every_kind_of_edit():
    """A house each that is missed, too much, shifted, turned, of another shape, in pieces, joined, and nearly right."""
    bar = shapely.box(0, 0, 30, 8)
    true = {
        "missed": shapely.box(0, 0, 10, 10), "shifted": shapely.box(100, 0, 110, 10),
        "turned": shapely.affinity.translate(bar, 200), "shape": shapely.box(300, 0, 310, 10),
        "pieces": shapely.box(400, 0, 420, 10), "one": shapely.box(500, 0, 510, 10),
        "two": shapely.box(511, 0, 521, 10), "right": shapely.box(600, 0, 610, 10),
    }  # fmt: skip
    predicted = {
        "alarm": shapely.box(50, 0, 60, 10), "shifted": shapely.box(103, -4, 113, 6),
        "turned": shapely.affinity.rotate(true["turned"], 25), "shape": shapely.box(300, 0, 310, 4),
        "left": shapely.box(400, 0, 409, 10), "other": shapely.box(410, 0, 420, 10),
        "joined": shapely.box(500, 0, 521, 10), "right": shapely.box(600, 0, 610.1, 10),
    }  # fmt: skip
    result = planned(objects(true.values(), ids=true), objects(predicted.values(), ids=predicted))
    edits = result.plan.edits.set_index("action")
    assert sorted(zip(edits.index, edits["kind"], strict=True)) == [
        ("add", "missed"), ("delete", "false_alarm"), ("merge", "split"), ("move", "boundary"), ("reshape", "boundary"),
        ("reshape", REST), ("rotate", "boundary"), ("split", "merge"),
    ]  # fmt: skip
    assert edits.loc["move", "fix"] == "move 3.0 m west, 4.0 m north"
    assert edits.loc["move", ["dx", "dy"]].tolist() == pytest.approx([-3, 4])
    assert edits.loc["rotate", "fix"].startswith("rotate by 25° to the right")
    assert edits.loc["rotate", "rotate_deg"] == pytest.approx(-25)
    assert edits.loc["split", "fix"] == "split into 2 objects"
    assert edits.loc["merge", "fix"] == "merge 2 objects into one"
    assert "60 % too small" in edits.loc["reshape", "fix"].iloc[0]
    check_word(result)
    ids = set(result.apply().ids)
    assert {"missed", "shifted", "turned", "shape", "pieces", "one", "two", "right"} == ids
    # What was moved stays the detector's outline, at another place, until the rest is carried out.
    moved = result.apply(result.plan.edits[result.plan.edits["action"] == "move"])
    assert shapely.equals_exact(moved.polygons, true["shifted"], tolerance=1e-9).sum() == 1
    shown = result.errors_of("boundary")
    assert set(shown["fix"]) == set(result.plan.edits.loc[result.plan.edits["kind"] == "boundary", "fix"])
    assert np.isfinite(result.errors_of("missed")["gain"]).all()


places = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(4, 14), st.integers(4, 14), st.sampled_from("ab")),
    max_size=7,
)


@settings(max_examples=20, deadline=None)
@given(places, places, st.booleans(), st.booleans())
def test_stated_gains_are_what_an_evaluation_finds(true, predicted, by_class, sure):
    """On tangles of rectangles, which overlap each other too."""

    def houses(rows, *, own):
        boxes = [shapely.box(x, y, x + width, y + height) for x, y, width, height, _ in rows]
        confidence = [(k * 7 % 5) / 5 for k in range(len(rows))] if own and sure else None
        return objects(boxes, classes=[row[4] for row in rows] if by_class else None, confidence=confidence)

    if true or predicted:
        check_word(planned(houses(true, own=False), houses(predicted, own=True)))


def test_more_edits_in_one_knot_than_rounds():
    """A block of twenty houses drawn as one, with a false alarm on each: the sum is right, and so is the end."""
    row = [shapely.box(10 * k, 0, 10 * k + 9, 9) for k in range(20)]
    alarms = [shapely.box(10 * k + 1, 1, 10 * k + 3, 3) for k in range(20)]
    result = planned(objects(row), objects([shapely.box(0, 0, 199, 9), *alarms]))
    everything = evaluate_objects(result.inputs["reference"], result.apply(), metrics="bgm,max-overlap,iou",
                                  parameters=QUICK)  # fmt: skip
    assert mean_score(everything) - mean_score(result) == pytest.approx(result.plan.edits["gain"].sum(), abs=1e-9)
    assert mean_score(everything) == pytest.approx(1.0)


def test_the_same_maps_one_metric_and_what_is_refused(tmp_path):
    house = objects([shapely.box(0, 0, 10, 10)])
    assert len(planned(house, house).plan.edits) == 0
    assert len(evaluate(house, house, kind="objects", metrics="iou").plan.edits) == 0
    assert evaluate(house, house, kind="objects", metrics="iou", plan=False).plan is None
    near = objects([shapely.box(1, 0, 11, 10)])
    result = planned(house, near, metrics="iou")
    assert result.plan.edits["kind"].tolist() == [REST]
    check_word(result)
    assert edit_plan(planned(house, near), effort=ObjectEffort(reshape=1.0)).edits["effort_s"].tolist() == [1.0]
    with pytest.raises(ParameterError, match="cannot be negative"):
        ObjectEffort(add=-1)
    with pytest.raises(ParameterError, match="at once, not in tiles"):
        edit_plan(evaluate_objects_tiled(house, near, tile_size=100))
    with pytest.raises(ParameterError, match="with max-overlap, hoover, bgm"):
        edit_plan(evaluate_objects(house, near, metrics="polis"))
    far = planned(house, objects([shapely.box(6, 0, 16, 10)]))
    far.plan.edits.to_csv(tmp_path / "plan.csv", index=False)
    assert far.apply(tmp_path / "plan.csv").polygons[0].equals(house.polygons[0])
    write_josm(far, tmp_path / "fix.osm")
    assert "Correct the outline of this object. Move 6.0 m west." in (tmp_path / "fix.osm").read_text()


def test_metrics_that_match_no_objects_and_tiles_say_why_there_is_no_plan(tmp_path):
    house, near = objects([shapely.box(0, 0, 10, 10)]), objects([shapely.box(1, 0, 11, 10)])
    for options in ({"metrics": "polis"}, {"metrics": "ap"}, {"tile_size": 100}):
        result = evaluate(house, near, kind="objects", aoi="all", plan=True, **options)
        assert result.plan is None
        assert "at once, not in tiles, with max-overlap" in result.notes["plan"]
    result.write_layers(tmp_path / "layers")
    assert not (tmp_path / "layers" / "plan.csv").exists()


def test_the_rest_tells_what_is_drawn_added_and_deleted():
    """Below ``min_area`` nothing is listed; each is still an edit of its own, with its own seconds."""
    large, small = shapely.box(0, 0, 20, 20), [shapely.box(50 * k, 50, 50 * k + 3, 53) for k in range(4)]
    reference = objects([large, small[0], small[1]])
    prediction = objects([shapely.box(0, 0, 20, 20.1), small[0], small[2], small[3]])
    result = evaluate(reference, prediction, kind="objects", metrics="iou", parameters={"iou": {"min_area": 50}},
                      aoi="all", plan=True)  # fmt: skip
    [rest] = result.plan.edits.to_dict("records")
    assert rest["kind"] == REST
    assert rest["fix"] == "draw 1 outline anew, add 1 object, delete 2 objects"
    assert rest["effort_s"] == 25 + 20 + 2 * 3
    assert shapely.equals(*(shapely.union_all(one.polygons) for one in (result.apply(), reference)))
