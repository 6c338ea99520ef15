"""The edit plan: its gains are those that really come when an error is mended."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from geoeval import evaluate, evaluate_roads
from geoeval.model.plan import REST, with_plan
from geoeval.perturbation.perturb import perturb
from geoeval.roads.edit_plan import Effort, edit_plan
from tests.networks import grid, network

TOWN = network(grid(8, 8, 150.0))


def mean_score(result) -> float:
    return (result.scores["ccq"]["quality"] + result.scores["opt-j"]["f1"]) / 2


@pytest.mark.parametrize(
    ("error", "kind", "action"),
    [
        ("interruptions", "break", "join"),
        ("missing", "missing", "add"),
        ("overconnections", "spurious", "delete"),
        ("doubled", "spurious", "delete"),
    ],
)
def test_the_gain_of_one_error_is_what_mending_it_brings(error, kind, action):
    made = perturb(TOWN, error, 1, seed=2, **({"gap": 20.0} if error == "interruptions" else {}))
    result = evaluate_roads(
        made.reference, made.prediction, metrics="ccq,opt-p,opt-j", parameters={"opt-p": {"decompositions": 1}}
    )
    plan = edit_plan(result)
    assert plan.measured
    assert (kind, action) in set(zip(plan.edits["kind"], plan.edits["action"], strict=True))
    to_perfect = 1 - mean_score(result)
    assert plan.edits["gain"].sum() == pytest.approx(to_perfect, abs=1e-9)
    # The listed errors alone bring it, and not the rest.
    listed = plan.edits[plan.edits["kind"] != REST]
    assert listed["gain"].sum() == pytest.approx(to_perfect, rel=0.15)
    assert mean_score(evaluate_roads(TOWN, result.apply(plan, top=len(listed)), metrics="ccq,opt-j")) == pytest.approx(
        mean_score(result) + listed["gain"].sum(), abs=1e-9
    )


def test_no_error_no_edit():
    result = evaluate_roads(TOWN, TOWN, metrics="ccq,opt-j")
    plan = edit_plan(result)
    assert len(plan.edits) == 0
    assert with_plan(result, plan).plan is plan
    assert plan.summary()["to_perfect"] == 0
    assert plan.summary()["effort_s"] == 0


def test_many_errors_are_ranked_by_gain_per_second_and_add_up():
    prediction = TOWN
    for error, count in (("missing", 5), ("interruptions", 8), ("overconnections", 4)):
        prediction = perturb(prediction, error, count, seed=1).prediction
    result = evaluate_roads(TOWN, prediction, metrics="ccq,opt-p,opt-j", parameters={"opt-p": {"decompositions": 1}})
    plan = edit_plan(result)
    assert plan.edits["rank"].tolist() == list(range(1, len(plan.edits) + 1))
    assert plan.edits["total"].to_numpy() == pytest.approx(plan.edits["gain"].cumsum().to_numpy())
    summary = plan.summary()
    assert summary["edits"] >= 12
    assert summary["measured"]
    assert summary["gain"] == pytest.approx(summary["to_perfect"], abs=1e-9)
    assert plan.edits["kind"].iloc[-1] == REST
    # The better half comes first.
    listed = plan.edits.iloc[:-1]
    half = len(listed) // 2
    rate = [part["gain"].sum() / part["effort_s"].sum() for part in (listed.iloc[:half], listed.iloc[half:])]
    assert rate[0] > 1.2 * rate[1]


@pytest.fixture(scope="module")
def town_with_errors():
    prediction = TOWN
    for error, count in (("missing", 5), ("interruptions", 8), ("overconnections", 4)):
        prediction = perturb(prediction, error, count, seed=1).prediction
    return evaluate_roads(TOWN, prediction, parameters={"opt-p": {"decompositions": 1}, "tlts": {"pairs": 50}})


def test_a_result_with_its_plan_keeps_the_errors_of_every_metric(town_with_errors):
    plan = edit_plan(town_with_errors)
    marked = with_plan(town_with_errors, plan)
    assert marked.plan is plan
    assert marked.as_dict()["plan"] == plan.summary()
    for layer, frame in town_with_errors.errors.items():
        found = marked.errors[layer]
        assert found.drop(columns=["gain", "effort_s", "rank"]).equals(frame)
        in_plan = found["rank"].notna()
        assert found[["gain", "effort_s"]].notna().eq(in_plan, axis=0).all(axis=None)
        assert in_plan.sum() == (plan.edits["layer"] == layer).sum()
    # Each edit is the row of the map's frames that it names, and only such rows have a rank.
    on_map = marked.map_errors()
    assert len(plan.edits) > 12
    for edit in plan.edits[plan.edits["kind"] != REST].itertuples():
        error = on_map[edit.layer].iloc[edit.row]
        for name in ("rank", "gain", "effort_s", "kind", "metric", "ref_id", "pred_id", "note"):
            assert error[name] == getattr(edit, name)
    assert sum(frame["rank"].count() for frame in marked.errors.values()) == len(plan.edits) - 1
    assert {len(frame) for frame in marked.errors.values()} != {len(frame) for frame in on_map.values()}


def gain_of_arms(result, here, there):
    """How the mean of both scores grows if a junction with so many arms gets as many as the reference has."""
    counts = result.counts["opt-j"]
    tp, pp, ap = counts["tp"] + there - min(here, there), counts["pp"] + there - here, counts["ap"]
    f1 = 2 * min(tp, pp, ap) / (pp + ap)
    return max((f1 - result.scores["opt-j"]["f1"]) / 2, 0.0)


def test_the_gain_of_a_junction_follows_from_its_arms(town_with_errors):
    # Far from other edits, so that none of them stands for the junctions.
    points = town_with_errors.errors["points"]
    arms = [(3, 4), (4, 3), (0, 5), (np.nan, 4), (3, np.nan)]
    own = points.iloc[[0] * len(arms)].assign(kind="junction", metric="opt-j", note="no numbers in words")
    own = own.set_geometry([shapely.Point(1e5 + 100 * i, 0) for i in range(len(arms))], crs=points.crs)
    own["arms"], own["ref_arms"] = zip(*arms, strict=True)
    expected = [gain_of_arms(town_with_errors, *pair) for pair in arms[:3]] + [0.0, 0.0]
    assert min(expected[:3]) > 0
    # Without its maps a result cannot measure: the gain is the one that is expected.
    result = replace(town_with_errors, errors=town_with_errors.errors | {"points": own}, inputs={})
    assert not edit_plan(result).measured
    edits = edit_plan(result).edits
    edits = edits[edits["kind"] == "junction"].sort_values("x")
    assert edits["gain"].tolist() == pytest.approx(expected)
    # Frames of other origin may lack the columns.
    result = replace(result, errors=result.errors | {"points": own.drop(columns=["arms", "ref_arms"])})
    edits = edit_plan(result).edits
    assert edits.loc[edits["kind"] == "junction", "gain"].tolist() == [0.0] * len(arms)


def test_effort_follows_the_parameters():
    made = perturb(TOWN, "missing", 3, seed=4)
    result = evaluate_roads(made.reference, made.prediction, metrics="ccq")
    quick = edit_plan(result, effort=Effort(add=1.0, per_100_m=0.0, move=1.0)).edits["effort_s"]
    assert set(quick) == {1.0}
    usual = edit_plan(result).edits
    assert usual["effort_s"].tolist() == pytest.approx((15 + usual["length_m"] / 20).tolist())
    with pytest.raises(Exception, match="negative"):
        Effort(join=-1)


def test_a_plan_without_the_scores_that_gains_are_in_gains_nothing():
    moved = [[(x + 3.0, y + 4.0) for x, y in line] for line in grid(4, 4, 200.0)]
    plan = evaluate(network(grid(4, 4, 200.0)), network(moved), metrics="junct").plan
    assert plan.edits["kind"].tolist() == ["rest"]
    assert plan.edits["gain"].tolist() == [0.0]


def test_a_result_without_its_counts_has_a_plan_of_the_other_score():
    """As one from a file may be, whose counts are damaged."""
    true = network(grid(3, 3))
    made = evaluate(true, perturb(true, "missing", 2, seed=1).prediction, metrics="ccq,opt-j", aoi="all", plan=False)
    damaged = replace(made, inputs={}, details={}, counts={**made.counts, "ccq": {"ref_length": 1.0}})
    without = replace(made, inputs={}, details={}, scores={**made.scores, "ccq": {}})
    assert edit_plan(damaged).edits["gain"].tolist() == edit_plan(without).edits["gain"].tolist()
    assert edit_plan(replace(damaged, counts={})).edits["gain"].to_numpy().max(initial=0.0) == 0.0
