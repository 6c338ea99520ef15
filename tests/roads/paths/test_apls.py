"""APLS: closed-form cases, a slow independent version, and what must not change it."""

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.paths.apls import apls
from tests import networks
from tests.conftest import load_cases
from tests.roads import errors as made
from tests.roads.paths.slow_paths import slow_matrix, slow_nearest
from tests.roads.paths.test_tlts import vancouver

DIRECTIONS = ("reference_to_prediction", "prediction_to_reference")
SCORES = ("apls", *DIRECTIONS)
EMPTY = networks.network([])


def run(reference, prediction, **kwargs):
    return apls(networks.network(reference), networks.network(prediction), **kwargs)


@pytest.mark.parametrize("case", load_cases("tlts_apls"), ids=lambda case: case["name"])
def test_closed_form_one_way(case):
    given_ = case["input"]
    result = run(given_["gt"], given_["pred"], pairs=given_["pairs"], max_distance=given_["params"]["dmax"])
    expected = case["expected"]["apls_gt_onto_pred"]
    assert result.scores["reference_to_prediction"] == pytest.approx(expected, abs=case["tolerance"])


@pytest.mark.parametrize("case", load_cases("apls_symmetric"), ids=lambda case: case["name"])
def test_closed_form_both_ways(case):
    given_, expected = case["input"], case["expected"]
    pairs = {"reference": given_["pairs_gt"], "prediction": given_["pairs_pred"]}
    scores = run(given_["gt"], given_["pred"], pairs=pairs, max_distance=given_["params"]["dmax"]).scores
    got = [scores[name] for name in SCORES]
    assert got == pytest.approx([expected[n] for n in ("apls", "gt_onto_pred", "pred_onto_gt")], abs=case["tolerance"])
    assert scores["n"] == 3


def slow_direction(here, there, max_distance, spacing, min_path):
    """Pairs and loss of one direction, with the control points found on the graph of roads."""
    places = {}
    for *_, road in here.to_networkx().edges(data=True):
        line = road["geometry"]
        closed = line.is_ring
        count = max(int(np.ceil(line.length / spacing - 1e-9)), 2 if closed else 1)
        for k in range(count + (not closed)):
            point = line.interpolate(k * line.length / count)
            places[round(point.x, 4), round(point.y, 4)] = slow_nearest(here, (point.x, point.y))
    points = list(places.values())
    partner = [slow_nearest(there, xy, max_distance) for xy in places]
    own = slow_matrix(here, points)
    known = [i for i, place in enumerate(partner) if place is not None]
    other = np.full_like(own, np.inf)
    other[np.ix_(known, known)] = slow_matrix(there, [partner[i] for i in known])
    losses = []
    for i in range(len(points)):
        for j in range(i):
            if 1e-6 < own[i, j] < np.inf and own[i, j] >= min_path:
                losses.append(min(1.0, abs(own[i, j] - other[i, j]) / own[i, j]))
    return len(losses), sum(losses)


@st.composite
def two_networks(draw):
    lines = draw(networks.small_lines(max_lines=4))
    # Moved a little, so that no two roads lie on one another and coordinates tell which one is meant.
    return networks.noisy(lines, 0.5), networks.noisy(draw(networks.jittered(lines)), 0.5, seed=1)


@settings(max_examples=35)
@given(two_networks())
def test_agrees_with_the_slow_version(drawn):
    reference, prediction = map(networks.network, drawn)
    if prediction.is_empty:
        return
    options = {"max_distance": 4.0, "spacing": 11.0, "min_path": 5.0}
    result = apls(reference, prediction, **options)
    for name, one, two in (("reference", reference, prediction), ("prediction", prediction, reference)):
        pairs, loss = slow_direction(one, two, **options)
        # Control points are told apart by coordinates here; two that nearly coincide make the versions differ.
        assert result.counts[f"{name}_pairs"] == pairs
        assert result.counts[f"{name}_loss"] == pytest.approx(loss, abs=1e-3)
    forth, back = (result.scores[name] for name in DIRECTIONS)
    if forth and back:
        assert result.scores["apls"] == pytest.approx(2 / (1 / forth + 1 / back))
    else:
        assert not result.scores["apls"]


@pytest.mark.parametrize("lines", [networks.LINE, networks.TEE, networks.RING, networks.BRIDGE, networks.grid()])
@pytest.mark.parametrize("pairs", ["all", 100])
def test_identity(lines, pairs):
    result = run(lines, lines, pairs=pairs)
    assert [result.scores[name] for name in SCORES] == [1, 1, 1]
    assert result.scores["sd"] == 0
    assert len(result.errors) == 0


def test_empty_networks():
    some = networks.network(networks.TEE)
    both, missing, spurious = apls(EMPTY, EMPTY), apls(some, EMPTY), apls(EMPTY, some)
    assert both.scores == {**dict.fromkeys(SCORES, 1.0), "sd": 0.0, "n": 0}
    assert missing.scores == spurious.scores == {**dict.fromkeys(SCORES, 0.0), "sd": 0.0, "n": 0}
    assert missing.errors.rows["kind"] == ["missing"] * 3
    assert spurious.errors.rows["kind"] == ["spurious"] * 3


def test_nothing_to_look_at_is_undefined():
    result = run(networks.LINE, networks.LINE, min_path=1000)
    assert [result.scores[name] for name in (*SCORES, "sd")] == [None] * 4
    assert set(result.notes) == {*SCORES, "sd"}
    # Nothing near the prediction: the way there is 0, the way back has no pair, and the mean is 0 whatever it is.
    far = run(networks.LINE, [[(0, 900), (100, 900)]], pairs=[((0, 0), (100, 0))])
    assert [far.scores[name] for name in SCORES] == [0, 0, None]
    assert set(far.notes) == {"prediction_to_reference"}
    assert run(networks.LINE, networks.LINE, pairs=[]).scores["apls"] is None


@pytest.mark.parametrize("pairs", ["all", 150])
def test_swap_swaps_the_directions(pairs):
    reference, prediction = made.interruptions(networks.grid(), 7, seed=2)
    one, two = (
        run(*lines, pairs=pairs, rng=np.random.default_rng(4)).scores
        for lines in ((reference, prediction), (prediction, reference))
    )
    assert one["reference_to_prediction"] == two["prediction_to_reference"] != one["prediction_to_reference"]
    assert one["prediction_to_reference"] == two["reference_to_prediction"]
    assert (one["apls"], one["sd"], one["n"]) == pytest.approx((two["apls"], two["sd"], two["n"]))


def test_same_seed_same_result_and_deviation_as_observed():
    lines = made.interruptions(networks.grid(), 6, seed=3)
    whole = [networks.network(part) for part in lines]
    one, two = (apls(*whole, pairs=100, rng=np.random.default_rng(7)) for _ in range(2))
    assert one.scores == two.scores
    assert one.errors.rows == two.errors.rows
    scores = [apls(*whole, pairs=100, rng=np.random.default_rng(s)).scores for s in range(30)]
    seen = np.std([s["apls"] for s in scores])
    assert np.mean([s["sd"] for s in scores]) == pytest.approx(seen, rel=0.35)
    every = apls(*whole).scores
    assert every["sd"] == 0
    assert np.mean([s["apls"] for s in scores]) == pytest.approx(every["apls"], abs=0.05)


@pytest.mark.parametrize("pairs", ["all", 200])
def test_vertices_order_direction_and_duplicates_do_not_matter(pairs):
    reference, prediction = made.perturbations(networks.noisy(networks.grid(), 3.0), 5, seed=1)
    plain = run(reference, prediction, pairs=pairs)
    changed = [networks.with_extra_vertices(lines, seed) for seed, lines in enumerate((reference, prediction))]
    result = run(changed[0] + changed[0][:3], changed[1] + changed[1][4:], pairs=pairs)
    assert result.scores == pytest.approx(plain.scores, abs=1e-7)
    assert result.errors.rows["kind"] == plain.errors.rows["kind"]


def test_motion_mirror_and_scale():
    reference, prediction = made.perturbations(networks.noisy(networks.grid(), 5.0), 6, seed=2)
    turn = np.array([[np.cos(0.7), np.sin(0.7)], [np.sin(0.7), -np.cos(0.7)]])  # and mirrored
    plain = run(reference, prediction).scores
    assert 0 < plain["apls"] < 1
    for scale in (1.0, 2.5):
        moved = [[(np.array(line) @ turn * scale).tolist() for line in lines] for lines in (reference, prediction)]
        got = run(*moved, max_distance=15.0 * scale, spacing=50.0 * scale).scores
        assert got == pytest.approx(plain, abs=1e-6)


def test_given_pairs_are_looked_at_from_both_sides():
    reference, prediction = networks.LINE, [[(0, 5), (40, 5)], [(60, 5), (100, 5)], [(0, 300), (100, 300)]]
    pairs = [((0, 0), (30, 0)), ((0, 0), (100, 0)), ((10, 0), (50, 0)), ((10, 0), (10, 0))]
    result = run(reference, prediction, pairs=pairs, max_distance=8)
    assert result.scores["reference_to_prediction"] == pytest.approx(1 / 3)  # 30 m; broken; no partner at 50
    assert result.scores["prediction_to_reference"] == 1  # the first pair only: the second has no path there
    assert (result.counts["reference_pairs"], result.counts["prediction_pairs"]) == (3, 1)
    assert "1 pairs not counted" in result.notes["reference_to_prediction"]
    assert "3 pairs not counted" in result.notes["prediction_to_reference"]


def test_each_direction_may_have_pairs_of_its_own_kind():
    pairs = {"reference": [((0, 0), (100, 0))], "prediction": 25}
    result = run(networks.LINE, [*networks.LINE, [(0, 900), (100, 900)]], pairs=pairs)
    assert (result.counts["reference_pairs"], result.counts["prediction_pairs"]) == (1, 25)
    assert result.scores["reference_to_prediction"] == 1 > result.scores["prediction_to_reference"]


def test_too_many_control_points_are_said():
    lines = made.interruptions(networks.grid(), 6)
    sampled, every = run(*lines, max_points=39), run(*lines)
    assert sampled.counts["reference_pairs"] == 1000
    assert every.notes == {}
    assert "1000 random pairs" in sampled.notes["reference_to_prediction"]
    assert sampled.scores["sd"] > 0
    assert sampled.scores["apls"] == pytest.approx(every.scores["apls"], abs=0.06)


def test_short_paths_can_be_skipped():
    # Control points at 0, 50, 100: paths of 50, 50 and 100 m.
    assert run(networks.LINE, networks.LINE, min_path=50).counts["reference_pairs"] == 3
    assert run(networks.LINE, networks.LINE, min_path=50.1).counts["reference_pairs"] == 1


def test_features_show_what_is_missing_and_what_is_false():
    reference = networks.network([[(0, 0), (100, 0), (200, 0)], [(100, 0), (100, 200)]], ids=["main", "side"])
    prediction = networks.network([[(0, 0), (200, 0)], [(50, 400), (50, 500)]], ids=["kept", "false"])
    errors = apls(reference, prediction).errors
    table = list(
        zip(errors.rows["kind"], errors.rows["ref_id"], errors.rows["pred_id"], errors.geometries, strict=True)
    )
    missing = [row for row in table if row[0] == "missing"]
    assert [row[1] for row in missing] == ["side"]
    # Control points at 50, 100, 150 and 200 have no partner; the first stands for the stretch from 25 on.
    assert missing[0][3].equals(shapely.LineString([(100, 25), (100, 200)]))
    spurious = [row for row in table if row[0] == "spurious"]
    assert [row[2] for row in spurious] == ["false"]
    assert spurious[0][3].length == 100
    culprits = [row for row in table if row[0] == "culprit"]
    assert {row[1] or row[2] for row in culprits} == {"main", "side", "false"}
    notes = dict(zip(errors.rows["ref_id"], errors.rows["note"], strict=True))
    assert "lose" in notes["main"]
    points = apls(reference, prediction, pairs=50).errors
    assert {g.geom_type for k, g in zip(points.rows["kind"], points.geometries, strict=True) if k == "missing"} == {
        "Point"
    }


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("error", "one_way", "both"),
    [
        ("interruptions", (0.0, 0.75), (0.0, 0.8)),
        ("perturbations", (0.0, 0.85), (0.0, 0.85)),
        ("overconnections", (0.9, 1.0), (0.0, 1.0)),
        ("doubled", (1.0, 1.0), (0.9, 1.0)),
        ("doubled_reference", (0.97, 1.0), (0.9, 1.0)),
        ("far_false_positives", (1.0, 1.0), (0.0, 0.8)),
    ],
)
def test_sensitivity(error, one_way, both, seed):
    scores = run(*made.ERRORS[error](networks.grid(), 12, seed=seed)).scores
    assert one_way[0] <= scores["reference_to_prediction"] <= one_way[1]
    assert both[0] <= scores["apls"] <= both[1]


@pytest.mark.parametrize("error", ["interruptions", "perturbations", "far_false_positives"])
def test_more_errors_lower_score(error):
    means = []
    for count in (0, 4, 8, 12):
        lines = [made.ERRORS[error](networks.grid(), count, seed=s) for s in range(3)]
        means.append(np.mean([run(*pair).scores["apls"] for pair in lines]))
    assert means[0] == 1
    assert sorted(means, reverse=True) == means


def test_progress_reports_seldom_and_can_stop():
    for pairs in ("all", 300):
        calls = []
        run(networks.grid(), networks.grid(), pairs=pairs, progress=calls.append)
        assert calls == sorted(calls)
        assert 10 <= len(calls) <= 52
        assert min(calls) == 0
        assert 0.5 < max(calls) <= 1

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(networks.grid(), networks.grid(), progress=stop)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_distance": -1},
        {"spacing": 0},
        {"spacing": np.inf},
        {"min_path": -1},
        {"max_points": "many"},
        {"pairs": "every"},
        {"pairs": {"reference": 5}},
    ],
)
def test_wrong_parameters(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        run(networks.LINE, networks.LINE, **wrong)


def test_clipped_ends_are_control_points_like_others():
    network = networks.network(networks.grid(3, 3)).clip((-10, -10, 130, 130))
    assert apls(network, network).scores["apls"] == 1
    assert nx.number_connected_components(network.to_networkx()) == 1


def test_vancouver(data):
    scores = apls(*vancouver(data), max_distance=25.0, pairs=1000).scores
    assert scores["reference_to_prediction"] == pytest.approx(0.723, abs=0.03)
    assert scores["prediction_to_reference"] == pytest.approx(0.582, abs=0.04)
    assert 0.005 < scores["sd"] < 0.02
