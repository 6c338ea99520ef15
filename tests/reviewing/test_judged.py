"""Scores as judged against evaluations in which what was rejected is really not there."""

from itertools import pairwise

import numpy as np
import pytest
import shapely
from scipy.stats import binomtest

from geoeval import Drawing, ObjectMap, evaluate, evaluate_roads, review
from geoeval.model.courses import bar
from geoeval.reviewing.judged import wilson
from geoeval.reviewing.verdicts import REJECTED
from tests.networks import network
from tests.reviewing.runs import EAST, NORTH, evaluated, place, town

STEP = 0.25


def rejected(opened, chosen, word="not-an-error"):
    for name in chosen:
        opened.judge(name, word)
    return opened.judged()["as_judged"]


def samples(network):
    """The middles of short pieces of all segments, with the length of each."""
    ends = network.nodes[network.segments]
    counts = np.ceil(network.segment_lengths / STEP).astype(int)
    xy = np.concatenate(
        [a + (np.arange(n)[:, None] + 0.5) / n * (b - a) for (a, b), n in zip(ends, counts, strict=True)]
    )
    return shapely.points(xy), np.repeat(network.segment_lengths / counts, counts)


def unmatched(own, other, tolerance=5.0):
    lines = shapely.union_all(other.to_geodataframe().geometry.to_numpy())
    shapely.prepare(lines)
    points, length = samples(own)
    return points, length, ~shapely.dwithin(points, lines, tolerance)


@pytest.mark.parametrize("word", REJECTED)
def test_ccq_is_that_of_the_maps_without_the_rejected_stretches(result, opened, word):
    """Every piece of road is measured on its own; those at rejected errors are left out of the map they are in."""
    kinds = {"ref": "missing", "pred": "spurious"}
    chosen = [rows["error_id"].iloc[k] for _, rows in opened.errors.groupby("kind") for k in (0, 2) if k < len(rows)]
    chosen = [name for name in chosen if opened.run.error(name)["kind"] in kinds.values()]
    assert len(chosen) >= 3
    as_judged = rejected(opened, chosen, word)["ccq"]
    shapes = result.map_errors()["lines"].set_index("error_id").geometry
    sides = {"ref": ("reference", "prediction"), "pred": ("prediction", "reference")}
    found = {}
    for side, (own, other) in sides.items():
        points, length, wrong = unmatched(result.inputs[own], result.inputs[other])
        gone = np.zeros(len(points), dtype=bool)
        for name in chosen:
            if opened.run.error(name)["kind"] == kinds[side]:
                gone |= wrong & shapely.dwithin(points, shapes[name], 1e-6)
        assert gone.any()
        found[side] = length[~wrong].sum() / length[~gone].sum()
    assert as_judged["completeness"] == pytest.approx(found["ref"], abs=2e-4)
    assert as_judged["correctness"] == pytest.approx(found["pred"], abs=2e-4)
    quality = 1 / (1 / as_judged["correctness"] + 1 / as_judged["completeness"] - 1)
    assert as_judged["quality"] == pytest.approx(quality, rel=1e-12)


def test_a_missing_road_that_is_rejected_is_as_if_the_reference_had_none(tmp_path):
    """Exactly: what lies beyond the tolerance goes from the reference, the stub that is matched stays."""
    street = [(0, 0), (300, 0), (600, 0)]
    whole = network(place([street, [(300, 0), (300, 200)]]))
    stub = network(place([street, [(300, 0), (300, 5)]]))
    prediction = network(place([street]))
    opened = review(evaluated(whole, prediction), tmp_path / "run.gpkg")
    scores = rejected(opened, opened.errors["error_id"], "reference-is-wrong")
    assert scores["ccq"] == pytest.approx(evaluated(stub, prediction).scores["ccq"], abs=1e-12)
    # No arm of the branch is left in OPT-J either: the street alone.
    alone = evaluated(network(place([street])), prediction).scores["opt-j"]
    assert scores["opt-j"]["f1"] == alone["f1"] == 1.0


def test_a_break_that_is_rejected_is_as_if_the_reference_had_it(tmp_path):
    pieces = place([[(0, 0), (290, 0)], [(310, 0), (600, 0)]])
    whole, broken = network(place([[(0, 0), (600, 0)]])), network(pieces)
    opened = review(evaluated(whole, broken), tmp_path / "run.gpkg")
    assert opened.errors["kind"].tolist() == ["break"]
    scores = rejected(opened, opened.errors["error_id"], "reference-is-wrong")
    assert scores["opt-j"] == evaluated(broken, broken).scores["opt-j"]
    assert scores["ccq"]["quality"] == 1.0


def test_opt_j_of_each_error_is_what_mending_it_alone_would_bring(result, opened):
    """The wrong arms on both sides, counted again after the edit of one error was carried out on the map."""
    plan = result.plan.edits
    shares = {(row["error_id"], row["count"]): row["amount"] for row in opened.run.rows(
        "SELECT * FROM shares WHERE metric = 'opt-j'")}  # fmt: skip
    frames = result.map_errors()
    wrong = {count: result.counts["opt-j"][count] - result.counts["opt-j"]["tp"] for count in ("pp", "ap")}
    for row in range(len(plan)):
        edit = plan.iloc[[row]]
        if edit["layer"].item() == "":
            continue
        name = frames[edit["layer"].item()]["error_id"].iloc[edit["row"].item()]
        mended = evaluate_roads(result.inputs["reference"], result.apply(edit), metrics="opt-j").counts["opt-j"]
        gone = {count: wrong[count] - (mended[count] - mended["tp"]) for count in wrong}
        taken = {count: shares.get((name, count), 0.0) for count in wrong}
        # What one side lacks is taken from the other, and what leaves more wrong than before takes nothing out.
        assert sum(taken.values()) == max(sum(gone.values()), 0), edit["kind"].item()
        assert min(taken.values()) >= 0
        assert min(gone.values()) < 0 or taken == gone


def test_all_rejected_leaves_what_is_too_small_to_be_listed(result, opened):
    scores = rejected(opened, opened.errors["error_id"])
    counts = result.counts["ccq"]
    for side, kind, score in (("ref", "missing", "completeness"), ("pred", "spurious", "correctness")):
        small = result.slivers.get(kind, {}).get("length_m", 0.0)
        right = counts[f"{side}_matched"]
        assert scores["ccq"][score] == pytest.approx(right / (right + small), abs=1e-9)
    # Neighbours that are rejected together may be worth more than what is wrong; no score goes beyond 1.
    assert result.scores["opt-j"]["f1"] < scores["opt-j"]["f1"] <= 1.0


def test_no_rejection_lowers_a_score(opened):
    before = opened.judged()["as_judged"]
    for name in opened.errors["error_id"]:
        opened.judge(name, "not-an-error")
        now = opened.judged()["as_judged"]
        for metric, score in (("ccq", "quality"), ("opt-j", "f1"), ("opt-j", "precision"), ("opt-j", "recall")):
            assert now[metric][score] >= before[metric][score]
        before = now


def test_nothing_rejected_gives_the_scores_as_given(opened):
    names = opened.errors["error_id"]
    opened.judge(names[0], "error")
    opened.judge(names[1], "later")
    facts = opened.judged()
    assert facts["as_judged"] == facts["as_given"] == opened.run.record["scores"]
    assert facts["notes"] == {}
    assert (facts["left"], facts["listed"]) == (len(names) - 1, len(names))


def test_metrics_that_cannot_be_judged_say_so(tmp_path):
    reference = town()
    prediction = network(place([[(0, 0), (150, 0)]]))
    opened = review(evaluated(reference, prediction, "ccq,apls,junct"), tmp_path / "run.gpkg")
    assert opened.judged()["as_judged"]["apls"]["apls"] is not None
    scores = rejected(opened, opened.errors["error_id"][:1])
    assert set(scores["apls"].values()) == set(scores["junct"].values()) == {None}
    assert "cannot be told" in opened.judged()["notes"]["apls"]
    assert scores["ccq"]["quality"] is not None


def test_a_run_without_its_maps_takes_ccq_out_and_says_what_stays_in_opt_j(tmp_path):
    reference = town()
    prediction = network(place([[(0, 0), (150, 0), (300, 0)], [(150, 0), (150, 150)]]))
    result = evaluate(
        reference, prediction, metrics="ccq,opt-j", aoi="all", tile_size=2_000.0, keep_inputs=False, crs="EPSG:32610"
    )
    assert not result.inputs
    opened = review(result, tmp_path / "run.gpkg")
    missing = opened.errors[opened.errors["kind"] == "missing"]
    scores = rejected(opened, missing["error_id"])
    assert scores["ccq"]["completeness"] == pytest.approx(1.0, abs=1e-9)
    assert "still counted although rejected" in opened.judged()["notes"]["opt-j"]


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
    # 1,000 s is somebody who went away.
    assert facts["seconds"] == {"per_verdict": 3.5, "left": 3.5 * facts["left"]}
