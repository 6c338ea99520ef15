"""The edit plan: its gains are those that really come when an error is mended."""

import numpy as np
import pytest

from geoeval import evaluate_roads
from geoeval.roads.plan import Effort, edit_plan, with_plan
from geoeval.synthetic.perturb import perturb
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
    perfect = mean_score(evaluate_roads(TOWN, TOWN, metrics="ccq,opt-j"))
    best = plan.edits.iloc[0]
    assert (best["kind"], best["action"]) == (kind, action)
    assert best["gain"] == pytest.approx(perfect - mean_score(result), rel=0.6)


def test_no_error_no_edit():
    plan = edit_plan(evaluate_roads(TOWN, TOWN, metrics="ccq,opt-j"))
    assert len(plan.edits) == 0
    assert plan.summary()["to_perfect"] == 0
    assert plan.summary()["effort_s"] == 0


def test_many_errors_are_ranked_by_gain_per_second_and_add_up():
    prediction = TOWN
    for error, count in (("missing", 5), ("interruptions", 8), ("overconnections", 4)):
        prediction = perturb(prediction, error, count, seed=1).prediction
    result = evaluate_roads(TOWN, prediction, metrics="ccq,opt-p,opt-j", parameters={"opt-p": {"decompositions": 1}})
    plan = edit_plan(result)
    rate = (plan.edits["gain"] / plan.edits["effort_s"]).to_numpy()
    assert (np.diff(rate) <= 1e-12).all()
    assert plan.edits["rank"].tolist() == list(range(1, len(plan.edits) + 1))
    summary = plan.summary()
    assert summary["edits"] >= 12
    assert summary["gain"] == pytest.approx(summary["to_perfect"], rel=0.5)
    marked = with_plan(result, plan)
    ranks = np.concatenate([frame["rank"].dropna().to_numpy() for frame in marked.errors.values()])
    assert sorted(ranks) == plan.edits["rank"].tolist()
    row = plan.edits.iloc[0]
    assert marked.errors[row["layer"]].loc[row["row"], "gain"] == row["gain"]


def test_effort_follows_the_parameters():
    made = perturb(TOWN, "missing", 3, seed=4)
    result = evaluate_roads(made.reference, made.prediction, metrics="ccq")
    quick = edit_plan(result, effort=Effort(add=1.0, per_100_m=0.0)).edits["effort_s"]
    assert set(quick) == {1.0}
    usual = edit_plan(result).edits
    assert usual["effort_s"].tolist() == pytest.approx((15 + usual["length_m"] / 20).tolist())
    with pytest.raises(Exception, match="negative"):
        Effort(join=-1)
