"""Scores as judged against evaluations in which what was rejected is really not there."""

import sqlite3
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest
import shapely
from scipy.stats import binomtest

from geoeval import Drawing, ObjectMap, RoadNetwork, evaluate, evaluate_roads, review
from geoeval.exceptions import UnreadableInputError
from geoeval.model.courses import bar
from geoeval.reviewing import measured_again
from geoeval.reviewing.judged import wilson
from geoeval.reviewing.kept_maps import network_of
from geoeval.reviewing.measured_again import scores_without
from geoeval.reviewing.verdicts import REJECTED
from tests.networks import grid, network
from tests.reviewing.runs import EAST, NORTH, evaluated, place, town, with_errors

STREET, FAR, CROSS = [(0, 0), (300, 0), (600, 0)], [(0, 400), (300, 400), (600, 400)], [(300, 0), (300, 400)]
WHOLE = [STREET, FAR, CROSS]
BROKEN = [[(0, 0), (140, 0)], [(160, 0), (300, 0), (600, 0)], FAR, CROSS]
LOOSE = [STREET, FAR, [(300, 8), (300, 400)]]
# By name: reference, prediction, the kind that is found, and both maps without it.
ALONE = {
    "a road that is missing": (WHOLE, [STREET, FAR], "missing", [STREET, FAR], [STREET, FAR]),
    "a road too many": ([STREET, FAR], WHOLE, "spurious", [STREET, FAR], [STREET, FAR]),
    "a break": (WHOLE, BROKEN, "break", BROKEN, BROKEN),
    "a false link": (BROKEN, WHOLE, "false_link", BROKEN, BROKEN),
    "a road that ends too early": (WHOLE, LOOSE, "break", LOOSE, LOOSE),
}


def rejected(opened, chosen, word="not-an-error"):
    for name in chosen:
        opened.judge(name, word)
    return opened.judged()["as_judged"]


@pytest.mark.parametrize("word", REJECTED)
@pytest.mark.parametrize("name", ALONE)
def test_every_metric_is_that_of_the_maps_without_the_rejected_error(tmp_path, name, word):
    """The maps without it are drawn by hand; nothing of the machinery that takes errors out is in them."""
    reference, prediction, kind, *without = (
        one if isinstance(one, str) else network(place(one)) for one in ALONE[name]
    )
    opened = review(evaluated(reference, prediction, "all"), tmp_path / "run.gpkg")
    assert opened.errors["kind"].tolist() == [kind]
    found = rejected(opened, opened.errors["error_id"], word)
    expected = evaluated(*without, "all").scores
    assert set(found) == set(expected) == set(opened.run.record["scores"])
    for metric, scores in expected.items():
        assert found[metric] == pytest.approx(scores, abs=1e-9), metric
    given = opened.run.record["scores"]
    assert any(given[metric] != pytest.approx(scores, abs=1e-3) for metric, scores in expected.items())


def roads_without(roads, shapes):
    """The roads between junctions that are not the road of any of these errors, as a map of their own."""
    frame = roads.to_geodataframe()
    middles = [shape.interpolate(0.5, normalized=True) for shape in shapes]
    gone = np.zeros(len(frame), dtype=bool)
    for middle in middles:
        away = frame.geometry.distance(middle)
        assert away.min() < 1e-6
        gone |= (away == away.min()).to_numpy()
    return RoadNetwork.from_lines([list(line.coords) for line in frame.geometry[~gone]], crs=roads.crs)


def test_in_a_town_every_metric_is_that_of_the_maps_without_the_rejected_roads(result, opened):
    """Whole blocks that are missing go from the reference, roads that should not be there from the prediction."""
    errors, shapes = opened.errors, result.map_errors()["lines"].set_index("error_id").geometry
    chosen = {kind: errors[errors["kind"] == kind]["error_id"].tolist()[::2] for kind in ("missing", "spurious")}
    assert min(map(len, chosen.values())) >= 2
    found = rejected(opened, chosen["missing"] + chosen["spurious"])
    true = roads_without(result.inputs["reference"], shapes[chosen["missing"]])
    predicted = roads_without(result.inputs["prediction"], shapes[chosen["spurious"]])
    expected = evaluate_roads(true, predicted, metrics=list(found)).scores
    for metric, scores in expected.items():
        assert found[metric] == pytest.approx(scores, abs=1e-9), metric
        assert found[metric] != result.scores[metric], metric


def test_what_both_maps_have_is_taken_as_the_reference_has_it(tmp_path):
    """A displaced road: the same map as the plan's own edit makes, evaluated by everyone's door."""
    bent = [[(0, 0), (100, 0), (110, 9), (200, 9), (210, 0), (300, 0), (600, 0)], FAR, CROSS]
    result = evaluated(network(place(WHOLE)), network(place(bent)), "all")
    opened = review(result, tmp_path / "run.gpkg")
    assert opened.errors["kind"].tolist() == ["displaced"]
    edit = result.plan.edits[result.plan.edits["kind"] == "displaced"]
    expected = evaluate_roads(result.inputs["reference"], result.apply(edit)).scores
    assert rejected(opened, opened.errors["error_id"]) == expected
    assert expected["ccq"]["quality"] > result.scores["ccq"]["quality"]


def test_a_run_read_back_from_its_file_is_the_run(tmp_path):
    """To the last digit in every metric, where roads were cut at the border and cross without joining too."""
    lines = [*grid(5, 5, 150.0), [(-50, -40), (700, 655)], [(75, -80), (75, 700)]]
    roads = network(place(lines))
    predicted = with_errors(roads, seed=3)
    area = (EAST - 20, NORTH + 30, EAST + 640, NORTH + 560)
    result = evaluate(roads, predicted, metrics="all", aoi=area)
    assert result.inputs["reference"].cut.any()
    opened = review(result, tmp_path / "run.gpkg")
    for side in ("reference", "prediction"):
        back, own = network_of(opened.run, side), result.inputs[side]
        for name in ("nodes", "segments", "cut"):
            assert np.array_equal(getattr(back, name), getattr(own, name)), (side, name)
        assert back.source_ids.tolist() == [str(one) for one in own.source_ids]
    again, notes = scores_without(opened.run, [])
    assert again == result.scores
    assert notes == {name: text for name, text in result.notes.items() if name in notes}


def test_all_rejected_leaves_nothing_wrong_but_what_is_too_small_to_be_listed(result, opened):
    scores = rejected(opened, opened.errors["error_id"])
    small = sum(entry["length_m"] for entry in result.slivers.values())
    worst = 1 - 2 * small / result.inputs["reference"].length
    assert 0.99 < worst <= scores["ccq"]["quality"] <= 1.0
    assert scores["opt-j"]["f1"] == scores["apls"]["apls"] == 1.0


def test_no_rejection_lowers_a_score_of_what_only_one_map_has(result, tmp_path):
    opened = review(evaluated(result.inputs["reference"], result.inputs["prediction"]), tmp_path / "run.gpkg")
    before = opened.judged()["as_judged"]
    for name in opened.errors["error_id"]:
        opened.judge(name, "not-an-error")
        now = opened.judged()["as_judged"]
        for metric, score in (("ccq", "quality"), ("opt-j", "f1")):
            assert now[metric][score] >= before[metric][score]
        before = now


def test_scores_can_be_left_out_and_are_measured_once(opened, monkeypatch):
    opened.judge(opened.errors["error_id"][0], "not-an-error")
    facts = opened.judged(scores=False)
    assert facts["as_judged"] is None
    assert facts["seconds"]["scores"] > 0
    measured = opened.judged()
    assert measured["as_judged"] != measured["as_given"]
    monkeypatch.setattr(measured_again, "scores_without", None)
    opened.judge(opened.errors["error_id"][1], "error")
    assert opened.judged()["as_judged"] == measured["as_judged"]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM prediction WHERE fid = 1",
        "UPDATE reference SET geom = NULL",
        "UPDATE errors SET layer = 'x\" --'",
        "UPDATE reference SET ge_from = 'x'",
    ],
)
def test_a_file_whose_maps_were_changed_is_one_line_or_still_a_map(opened, damage):
    opened.judge(opened.errors["error_id"][0], "not-an-error")
    with closing(sqlite3.connect(opened.run.path)) as database, database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f'DROP TRIGGER "{name}"')
        database.execute(damage)
    if damage.startswith("DELETE"):
        assert opened.judged()["as_judged"]["ccq"]["quality"] is not None
    else:
        with pytest.raises(UnreadableInputError, match="evaluate again"):
            opened.judged()


def test_nothing_rejected_gives_the_scores_as_given(opened):
    names = opened.errors["error_id"]
    opened.judge(names[0], "error")
    opened.judge(names[1], "later")
    facts = opened.judged()
    assert facts["as_judged"] == facts["as_given"] == opened.run.record["scores"]
    assert facts["notes"] == {}
    assert (facts["left"], facts["listed"]) == (len(names) - 1, len(names))


def test_a_run_without_its_maps_takes_ccq_out_and_says_what_stays_in_opt_j(tmp_path):
    reference = town()
    prediction = network(place([[(0, 0), (150, 0), (300, 0)], [(150, 0), (150, 150)]]))
    result = evaluate(
        reference,
        prediction,
        metrics="ccq,opt-j,apls",
        aoi="all",
        tile_size=2_000.0,
        keep_inputs=False,
        crs="EPSG:32610",
    )
    assert not result.inputs
    opened = review(result, tmp_path / "run.gpkg")
    missing = opened.errors[opened.errors["kind"] == "missing"]
    scores = rejected(opened, missing["error_id"])
    assert scores["ccq"]["completeness"] == pytest.approx(1.0, abs=1e-9)
    assert "still counted although rejected" in opened.judged()["notes"]["opt-j"]
    assert scores["apls"]["apls"] is None
    assert "did not hold both maps" in opened.judged()["notes"]["apls"]


# ---------------------------------------------------------------------- objects


def houses(*boxes, shift=0.0):
    """Boxes ``x, y, width, height`` by a name that they keep."""
    return {name: shapely.box(EAST + x + shift, NORTH + y, EAST + x + shift + w, NORTH + y + h)
            for name, x, y, w, h in boxes}  # fmt: skip


TRUE = houses(("a", 0, 0, 10, 10), ("b", 30, 0, 20, 10), ("c", 60, 0, 10, 10), ("d", 75, 0, 10, 10),
              ("e", 100, 0, 10, 10), ("f", 130, 0, 10, 10), ("g", 160, 0, 12, 9))  # fmt: skip
# b is in two pieces, c and d are one, e is missed, z is none, g is moved.
FOUND = houses(("p", 0, 0, 10, 9), ("q", 30, 0, 10, 10), ("r", 40, 0, 10, 10), ("s", 60, 0, 25, 10),
               ("t", 130, 0, 10, 10), ("u", 165, 0, 12, 9), ("z", 200, 0, 10, 10))  # fmt: skip


def evaluated_objects(true, found):
    maps = [ObjectMap.from_polygons(list(one.values()), ids=list(one), crs="EPSG:32610") for one in (true, found)]
    return evaluate(*maps, kind="objects", aoi="all")


@pytest.mark.parametrize(
    ("kind", "without"),
    [("missed", "e"), ("false_alarm", "z"), ("split", "bqr"), ("merge", "cds")],
)
def test_objects_that_are_rejected_are_as_if_they_were_not_there(tmp_path, kind, without):
    opened = review(evaluated_objects(TRUE, FOUND), tmp_path / "run.gpkg")
    chosen = opened.errors[opened.errors["kind"] == kind]["error_id"]
    assert len(chosen) == 1
    scores = rejected(opened, chosen)
    left = [{name: shape for name, shape in one.items() if name not in without} for one in (TRUE, FOUND)]
    there = evaluated_objects(*left).scores
    if kind in {"missed", "false_alarm"}:
        for name in ("precision", "recall", "f1", "tp", "fp", "fn"):
            assert scores["iou"][name] == there["iou"][name]
        assert scores["bgm"]["missed"] == there["bgm"]["missed"]
        assert scores["bgm"]["false_alarm"] == there["bgm"]["false_alarm"]
        compared = ("precision", "recall", "f1", "mallows", "one_to_one", "one_to_many", "many_to_one", "missed")
    else:
        # The objects themselves are found either way, so precision and recall keep them.
        compared = ("mallows", "one_to_many", "many_to_one", "missed", "false_alarm")
        assert scores["hoover"] == pytest.approx(there["hoover"])
    for name in compared:
        assert scores["max-overlap"][name] == pytest.approx(there["max-overlap"][name]), name
    assert scores["iou"]["threshold"] == 0.5
    assert scores["iou"]["ap"] is scores["bgm"]["score"] is scores["max-overlap"]["overlap"] is None
    notes = opened.judged()["notes"]
    assert {"iou.ap", "bgm.score", "max-overlap.overlap"} <= set(notes)
    assert ("iou" in notes) == ("bgm" in notes) == (kind in {"split", "merge"})


def test_an_outline_that_is_rejected_stands_in_no_count(tmp_path):
    opened = review(evaluated_objects(TRUE, FOUND), tmp_path / "run.gpkg")
    chosen = opened.errors[opened.errors["kind"] == "boundary"]["error_id"]
    assert len(chosen) == 1
    scores = rejected(opened, chosen)
    given = opened.run.record["scores"]
    assert scores["max-overlap"]["f1"] == given["max-overlap"]["f1"]
    assert "stands in no count" in opened.judged()["notes"]["max-overlap"]


# ---------------------------------------------------------------------- lines


def test_lines_that_are_rejected_are_as_if_they_were_not_there(tmp_path):
    true = [bar((0, y), (80 + y, y)) for y in (0, 40, 80, 120)]
    found = [bar((0, 0), (78, 0.5)), bar((0, 40), (50, 40)), bar((60, 40), (120, 40)), bar((0, 300), (70, 300))]

    def result(true_lines, found_lines):
        return evaluate(Drawing(true_lines, width=4), Drawing(found_lines, width=4), kind="lines", metrics="vector")

    opened = review(result(true, found), tmp_path / "run.gpkg")
    errors = opened.errors
    chosen = errors[errors["kind"].isin(["missed", "false_alarm"])]
    assert sorted(chosen["kind"]) == ["false_alarm", "missed", "missed"]
    scores = rejected(opened, chosen["error_id"])
    assert scores["vector"] == pytest.approx(result(true[:2], found[:3]).scores["vector"], abs=1e-12)
    assert "vector" not in opened.judged()["notes"]
    rejected(opened, errors[errors["kind"] == "fragmented"]["error_id"])
    assert "1 fragmented" in opened.judged()["notes"]["vector"]


# ---------------------------------------------------------------------- shares of people


@pytest.mark.parametrize("trials", [1, 2, 7, 50, 1000])
def test_intervals_are_wilsons(trials):
    for successes in {0, 1, trials // 3, trials - 1, trials}:
        theirs = binomtest(successes, trials).proportion_ci(0.95, method="wilson")
        assert wilson(successes, trials) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert all(a <= b for a, b in pairwise(wilson(k, trials)[0] for k in range(trials + 1)))


def test_precision_time_and_what_is_left(opened):
    errors = opened.errors
    missing = errors[errors["kind"] == "missing"]["error_id"].tolist()
    words = ("error", "error", "not-an-error", "reference-is-wrong", "later")
    for name, word, seconds in zip(missing, words, (2, 4, 9, 1000, 3), strict=False):
        opened.judge(name, word, seconds=seconds)
    facts = opened.judged()
    own = facts["kinds"]["missing"]
    assert [own[key] for key in ("listed", "judged", "error", "not-an-error", "reference-is-wrong", "later")] == [
        len(missing), 4, 2, 1, 1, 1]  # fmt: skip
    assert own["precision"] == 0.5
    assert own["interval"] == pytest.approx(list(wilson(2, 4)))
    assert facts["kinds"]["spurious"]["precision"] is None
    assert facts["left"] == len(errors) - 4
    took = sum(seconds for name, seconds in opened.run.record["seconds"].items() if name != "read")
    assert took > 0
    # 1,000 s is somebody who went away.
    assert facts["seconds"] == {"per_verdict": 3.5, "left": 3.5 * facts["left"], "scores": pytest.approx(took)}
