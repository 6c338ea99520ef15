"""One ranking from many scores: the closed-form cases, ties, wrong input, published rows."""

import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval import GeoevalError, rank
from geoeval.ranking import rank as module
from tests.conftest import HERE, load_cases

CASES = load_cases("hasse")


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_closed_form_cases(case):
    expected = case["expected"]
    found = rank(case["input"]["indicators"], accuracy=case["input"]["accuracy"])
    if "n_ext" in expected:
        assert found.linear_extensions == expected["n_ext"]
    if "rank" in expected:
        assert found.ranks == expected["rank"]
    if "freq" in expected:
        assert found.frequencies.counts == expected["freq"]
    if "order" in expected:
        assert found.order == expected["order"]
    if "intervals" in expected:
        assert [list(span) for span in found.intervals] == expected["intervals"]
    if "covers" in expected:  # written as (worse, better) there
        assert sorted(found.covers) == sorted((str(b + 1), str(a + 1)) for a, b in expected["covers"])


def test_two_that_cannot_be_told_apart_after_the_first_round_tie_in_the_second():
    case = next(case for case in CASES if case["name"] == "chain3_plus_free")
    found = rank(case["input"]["indicators"])
    assert found.ranks == [1, 2, 4, 2]


tables = st.integers(1, 7).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=n, max_size=n))


@given(tables)
def test_ranks_agree_with_the_scores_and_lie_in_their_intervals(rows):
    found = rank(rows)
    for a in range(len(rows)):
        best, worst = found.intervals[a]
        assert best <= found.ranks[a] <= worst
        for b in range(len(rows)):
            if found.better[a, b]:
                assert found.ranks[a] < found.ranks[b]
            if rows[a] == rows[b]:
                assert found.ranks[a] == found.ranks[b]
    # Competition ranks: as many items are before an item as its rank says.
    assert all(sum(other < own for other in found.ranks) == own - 1 for own in found.ranks)


@given(tables, st.randoms(use_true_random=False))
def test_order_of_the_items_and_the_scale_of_a_score_do_not_matter(rows, random):
    places = list(range(len(rows)))
    random.shuffle(places)
    found = rank([rows[i] for i in places])
    scaled = rank([(10 * p, q**3, r - 7) for p, q, r in rows])
    assert [found.ranks[places.index(i)] for i in range(len(rows))] == rank(rows).ranks == scaled.ranks


@given(tables)
def test_drawn_ranks_agree_with_the_scores(rows):
    better = rank(rows).better
    _, ranks, _ = module._linearise(better, 500, 0)
    drawn = module._compare(module.rank_frequencies(better, max_up_sets=0, samples=500))
    assert (drawn[better]).all() or len(rows) < 3
    assert not (drawn & drawn.T).any()
    assert len(ranks) == len(rows)


def test_scores_as_mapping_frame_and_rows_are_the_same():
    mapping = {"a": {"p": 3, "r": 1}, "b": {"p": 2, "r": 2}, "c": {"p": 1, "r": 0}}
    frame = pd.DataFrame([{"name": name, **row} for name, row in mapping.items()])
    rows = [[3, 1], [2, 2], [1, 0]]
    found = [rank(mapping), rank(frame), rank(frame.set_index("name")), rank(rows, indicators=["p", "r"])]
    assert [one.ranks for one in found] == [[1, 1, 3]] * 4
    assert found[0].as_dict() == found[1].as_dict() == found[2].as_dict()


def test_smaller_is_better_where_said():
    scores = {"a": {"f1": 0.9, "distance": 3.0}, "b": {"f1": 0.8, "distance": 5.0}}
    assert rank(scores, lower=["distance"]).ranks == [1, 2]
    assert rank(scores).ranks == [1, 1]
    assert rank(scores, accuracy="distance", lower=["distance"], indicators=["f1"]).ranks == [1, 2]


def test_ties_are_ordered_by_accuracy_which_may_be_a_score_of_which_smaller_is_better():
    scores = {"a": {"p": 1, "r": 0, "mallows": 0.3}, "b": {"p": 0, "r": 1, "mallows": 0.2}}
    assert rank(scores, indicators=["p", "r"], accuracy="mallows").order == [0, 1]
    assert rank(scores, indicators=["p", "r"], accuracy="mallows", lower=["mallows"]).order == [1, 0]


def test_json_shape():
    found = rank({"a": {"p": 3, "r": 1}, "b": {"p": 2, "r": 2}, "c": {"p": 1, "r": 0}}).as_dict()
    assert found["kind"] == "ranking"
    assert found["items"][2] == {"name": "c", "rank": 3, "interval": [3, 3], "frequency": [0, 0, 2]}
    assert found["covers"] == [["a", "c"], ["b", "c"]]
    assert (found["linear_extensions"], found["exact"], found["pareto"]) == (2, True, ["a", "b"])
    json.dumps(found, allow_nan=False)


def test_beyond_counting_the_error_is_stated(monkeypatch):
    monkeypatch.setattr("geoeval.ranking.linear_extensions.rank_frequencies.__kwdefaults__", {
        "samples": 500, "seed": 0, "rng": None, "max_up_sets": 3,
    })  # fmt: skip
    found = rank([[3, 1, 5], [2, 2, 1], [1, 3, 0], [0, 0, 0]], samples=500).as_dict()
    assert found["exact"] is False
    assert found["linear_extensions"] is None
    assert 0 < found["error"] < 0.2
    assert found["items"][3]["name"] == "4"


@pytest.mark.parametrize(
    ("scores", "options", "words"),
    [
        ({"a": {"p": 1}}, {"indicators": ["q"]}, "no indicator 'q'"),
        ({"a": {"p": 1}, "b": {"p": None}}, {}, "b has no number for p"),
        ({"a": {"p": 1}, "b": {}}, {}, "b has no number for p"),
        ({"a": {"p": "high"}}, {}, "a has no number for p"),
        ({"a": {"p": 1}}, {"lower": ["z"]}, "no indicator 'z'"),
        ({"a": {"p": 1}}, {"accuracy": "z"}, "no score 'z'"),
        ({"a": {"p": 1}}, {"accuracy": [1.0, 2.0]}, "2 accuracies are given for 1 items"),
        ({"a": {"p": 1}}, {"indicators": []}, "no indicator is left"),
        (pd.DataFrame({"name": ["a", "a"], "p": [1, 2]}), {}, "'a' occurs twice"),
        ([1, 2, 3], {}, "not a table; give one row per item"),
        ([[1, 2]], {"indicators": ["p"]}, "1 indicators are named for 2 columns"),
    ],
)
def test_wrong_input_is_one_clear_line(scores, options, words):
    with pytest.raises(GeoevalError, match=words) as caught:
        rank(scores, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("nothing", [[], {}, pd.DataFrame()])
def test_no_items_give_an_empty_ranking(nothing):
    found = rank(nothing)
    assert (found.ranks, found.covers, found.linear_extensions) == ([], [], 1)


def published() -> dict[str, dict[str, dict[str, float]]]:
    rows = json.loads((HERE / "cases" / "citraro_table1.json").read_text())["rows"]
    found: dict = {}
    for row in rows:
        found.setdefault(row["dataset"], {})[row["method"]] = row
    return found


@pytest.mark.parametrize("dataset", ["RoadTracer", "DeepGlobe"])
def test_the_published_rows_are_ranked_alike_by_the_three_opt_metrics(dataset):
    opt = ["optp_f1", "optj_f1", "optg_f1"]
    together = rank(published()[dataset], indicators=opt)
    assert together.linear_extensions == 1
    for one in opt:
        assert rank(published()[dataset], indicators=[one]).ranks == together.ranks
    if dataset == "RoadTracer":
        names = [together.names[item] for item in together.order]
        assert names == ["RCNN-Unet", "Segmentation", "Roadtracer", "Seg-path", "DeepRoadMapper"]
