"""Many places in one number: every rule against one written here, and the intervals against a slow bootstrap."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval.benchmarking.aggregation import PlaceValues, aggregate, worst
from geoeval.metrics.registry import declarations_of
from geoeval.model.scores import Score
from geoeval.protocols.registry import PROTOCOLS
from geoeval.studies.comparison import interval_levels

KNOWN = declarations_of("roads")


def by_rule(name, places, **options):
    options = {"repetitions": 0, **options}
    return {one.rule: one for one in aggregate(KNOWN[name], places, **options)}


def topo(precision, recall):
    total = precision + recall
    return {"f1": 2 * precision * recall / total if total else 0.0, "precision": precision, "recall": recall}


def test_city_scale_topo_is_the_mean_of_each_score():
    rows = [(0.9, 0.8), (0.5, 0.4), (0.0, 0.0)]
    found = by_rule("sat2graph-topo", [PlaceValues(topo(*row)) for row in rows])["city"]
    f1 = [2 * p * r / (p + r) if p + r else 0 for p, r in rows]
    assert found.scores["f1"] == pytest.approx(sum(f1) / 3)
    assert found.scores["precision"] == pytest.approx(1.4 / 3)
    assert found.places == 3


def test_spacenet_topo_leaves_zeros_out_and_takes_f1_of_the_means():
    rows = [(0.9, 0.8), (0.5, 0.4), (0.0, 0.0)]
    found = by_rule("sat2graph-topo", [PlaceValues(topo(*row)) for row in rows])["spacenet"]
    assert found.scores["f1"] == pytest.approx(2 * 0.7 * 0.6 / 1.3)
    assert found.places == 2


def test_city_scale_apls_cuts_decimals_and_ends_at_the_first_gap():
    values = [0.1234567, 0.987654, None, 0.5]
    places = [PlaceValues(None if value is None else {"apls": value}) for value in values]
    found = by_rule("sat2graph-apls", places)["city"]
    assert found.scores["apls"] == pytest.approx((0.12345 + 0.98765) / 2, abs=1e-12)
    assert found.places == 2


def test_a_public_spacenet_run_exactly(data):
    folder = data / "protocols" / "samroad"
    told = json.loads((folder / "spacenet_apls.json").read_text())
    chips = [PlaceValues({"apls": value}) for _, value in told["apls"]]
    missing = told["n_total"] - told["n_evaluated"]
    found = by_rule("sat2graph-apls", [*chips, *[PlaceValues(None)] * missing])
    assert found["spacenet"].scores["apls"] == told["final_APLS"] == 0.7012189241573034
    assert found["spacenet"].places == 356
    zeros = [*chips, *[PlaceValues({"apls": 0.0})] * missing]
    assert by_rule("sat2graph-apls", zeros)["mean"].scores["apls"] == pytest.approx(0.6535, abs=5e-5)
    told = json.loads((folder / "spacenet_topo.json").read_text())
    pairs = [PlaceValues(topo(p, r)) for p, r in zip(told["prec"], told["recall"], strict=True)]
    found = by_rule("sat2graph-topo", pairs)
    assert found["spacenet"].scores["f1"] == told["f1"] == 0.791655597777948
    assert found["city"].scores["f1"] == pytest.approx(0.7750, abs=5e-5)


def test_every_published_rule_can_be_called_and_has_intervals():
    """Whatever protocols there are."""
    for name, protocol in PROTOCOLS.items():
        places = [PlaceValues({score.name: 0.1 * i for score in protocol.scores}) for i in range(1, 6)]
        found = aggregate(protocol, places, repetitions=20)
        assert [one.rule for one in found][: len(protocol.aggregates)] == list(protocol.aggregates), name
        assert found[-1].rule == "pooled"
        assert {one.rule for one in found} >= {"pooled"}
        main = found[0].intervals[protocol.headline]
        assert main is None or main[0] <= found[0].scores[protocol.headline] <= main[1]


COUNTS = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=12)


@given(COUNTS)
def test_pooling_is_the_score_of_the_sums(rows):
    places = [
        PlaceValues({"f1": 0.0}, {"tp": min(tp, pp, ap), "pp": pp, "ap": ap}) for tp, pp, ap in rows
    ]  # fmt: skip
    found = by_rule("opt-j", places)["pooled"]
    tp, pp, ap = (sum(place.counts[name] for place in places) for name in ("tp", "pp", "ap"))
    assert found.scores["f1"] == (None if pp + ap == 0 else pytest.approx(2 * tp / (pp + ap)))
    assert (found.scores["tp"], found.places) == (tp, len(rows))


def test_pooling_one_place_gives_its_own_scores():
    from geoeval import evaluate
    from tests.benchmarking.folders import cross, street

    result = evaluate(cross(), street(), aoi="all")
    for name, counts in result.counts.items():
        found = by_rule(name, [PlaceValues(result.scores[name], counts, result.parameters[name])])["pooled"]
        own = {score: result.scores[name][score] for score in found.scores}
        assert found.scores == pytest.approx(own), name


def test_pooling_weights_places_by_their_counts():
    small, large = {"tp": 1, "pp": 1, "ap": 1}, {"tp": 10, "pp": 100, "ap": 100}
    places = [PlaceValues({"f1": 1.0}, small), PlaceValues({"f1": 0.1}, large)]
    found = by_rule("opt-j", places)
    assert found["mean"].scores["f1"] == pytest.approx(0.55)
    assert found["pooled"].scores["f1"] == pytest.approx(11 / 101)


def test_metrics_without_sums_say_so():
    found = by_rule("betti", [PlaceValues({"betti_error": 1.0})])["pooled"]
    assert (found.scores, found.note) == ({}, "betti has no counts that add up")


def test_intervals_are_those_of_a_slow_bootstrap():
    rng = np.random.default_rng(3)
    values = rng.uniform(0.3, 1.0, 12)
    places = [PlaceValues({"f1": float(value)}, {"tp": float(value) * 10, "pp": 10.0, "ap": 10.0}) for value in values]
    found = {one.rule: one for one in aggregate(KNOWN["opt-j"], places, repetitions=4000, seed=1)}
    slow = np.random.default_rng(99)
    drawn = [np.mean([values[slow.integers(12)] for _ in range(12)]) for _ in range(4000)]
    expected = np.quantile(drawn, interval_levels(12))
    assert found["mean"].intervals["f1"] == pytest.approx(expected, abs=0.02)
    assert found["pooled"].intervals["f1"] == pytest.approx(expected, abs=0.02)  # equal sizes: the same thing
    again = {one.rule: one for one in aggregate(KNOWN["opt-j"], places, repetitions=4000, seed=1)}
    assert again["pooled"].intervals == found["pooled"].intervals


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(5)
    hits = 0
    for trial in range(150):
        places = [PlaceValues({"f1": float(value)}) for value in rng.beta(8, 3, 20)]
        low, high = aggregate(KNOWN["opt-j"], places, repetitions=300, seed=trial)[0].intervals["f1"]
        hits += low <= 8 / 11 <= high
    assert 0.88 <= hits / 150 <= 1.0


def test_nothing_counts():
    found = by_rule("opt-j", [PlaceValues(None), PlaceValues(None)])
    assert (found["mean"].scores, found["mean"].places) == ({}, 0)
    one = {rule.rule: rule for rule in aggregate(KNOWN["opt-j"], [PlaceValues({"f1": 0.5})], repetitions=10)}
    assert one["mean"].intervals == {"f1": None}


def test_the_worst_that_a_score_can_be():
    assert worst(Score("f1", "")) == 0.0
    assert worst(Score("f_error", "", "lower")) == 1.0
    assert worst(Score("distance", "", "lower", (0.0, None))) is None
    assert worst(Score("n", "", "neutral", (0.0, None))) is None


def test_a_place_with_an_empty_prediction_weighs_in_the_pool_of_subg_and_opt_g():
    """As much as one whose prediction is a speck far away."""
    from geoeval import evaluate_roads
    from tests.networks import grid, network

    town, nothing = network(grid()), network([])
    speck = network([[(90_000, 0), (90_000.01, 0)]])
    good = evaluate_roads(town, town, metrics="subg,opt-g")
    for name in ("subg", "opt-g"):
        pools = []
        for prediction in (nothing, speck):
            bad = evaluate_roads(town, prediction, metrics="subg,opt-g")
            places = [PlaceValues(one.scores[name], one.counts[name]) for one in (good, bad)]
            pools.append(by_rule(name, places)["pooled"].scores)
        assert pools[0]["recall"] < 0.8
        assert pools[0]["f1"] == pytest.approx(pools[1]["f1"], abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6))
def test_pooled_amounts_are_those_of_all_places_on_one_map(rows):
    import shapely

    from geoeval.model.object_map import ObjectMap
    from geoeval.objects.amounts import METRIC, amounts

    def squares(number, east):
        corners = [(east + 20 * i, 10) for i in range(number)]
        return [shapely.box(x, y, x + 10 + i, y + 10) for i, (x, y) in enumerate(corners)]

    def both(row, east):
        return [ObjectMap.from_polygons(squares(number, east), crs="EPSG:32610") for number in row]

    places = [amounts(*both(row, 0)) for row in rows]
    found = aggregate(METRIC, [PlaceValues(one.scores, one.counts) for one in places], repetitions=0)
    sides = [
        ObjectMap.from_polygons(
            [one for i, row in enumerate(rows) for one in squares(row[side], 1000 * i)], crs="EPSG:32610"
        )
        for side in (0, 1)
    ]
    together = amounts(*sides).scores
    pooled = next(one for one in found if one.rule == "pooled").scores
    assert pooled == {name: None if value is None else pytest.approx(value) for name, value in together.items()}


def test_few_places_are_too_few_for_intervals():
    counts = {"tp": 1, "pp": 2, "ap": 2}
    for number, few in ((4, True), (9, True), (10, False), (40, False)):
        places = [PlaceValues({"f1": 0.1 + 0.02 * i}, counts) for i in range(number)]
        for one in aggregate(KNOWN["opt-j"], places, repetitions=50):
            assert ("too few" in one.note) == few
            assert not few or one.note.startswith(f"{number} places")
    assert not any(one.note for one in aggregate(KNOWN["opt-j"], [PlaceValues({"f1": 0.1}, counts)], repetitions=50))
