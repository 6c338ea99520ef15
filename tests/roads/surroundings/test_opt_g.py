"""OPT-G: closed-form cases, the slow version, metamorphic properties, sensitivity, errors on the map."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.surroundings.opt_g import opt_g
from tests.conftest import load_cases
from tests.networks import BRIDGE, CROSS, LINE, grid, jittered, network, noisy, small_lines
from tests.roads.errors import ERRORS
from tests.roads.metamorphic import MOTIONS, SPELLINGS, moved, scaled
from tests.roads.surroundings.slow_surroundings import opt_g_counts

TINY = {"max_distance": 8.0, "radius": 30.0, "spacing": 4.0}
SIDE = {"gt": "reference", "pred": "prediction"}
OTHER = {"reference": "prediction", "prediction": "reference"}


@pytest.mark.parametrize("case", load_cases("opt_g"), ids=lambda case: case["name"])
def test_closed_form(case):
    given_ = case["input"]
    parameters = given_["params"]
    assert parameters["dmatch"] == parameters["dstart"]
    result = opt_g(
        network(given_["gt"]),
        network(given_["pred"]),
        max_distance=parameters["dmatch"],
        radius=parameters["R"],
        spacing=parameters["spacing"],
        starts=[(SIDE[side], place) for side, place in given_["starts"]],
    )
    for name, value in case["expected"].items():
        assert result.scores[name] == pytest.approx(value, abs=case["tolerance"]), name


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_agrees_with_the_slow_version(data):
    lines = data.draw(small_lines())
    reference, prediction = network(lines), network(data.draw(jittered(lines)))
    if reference.is_empty or prediction.is_empty:
        return
    on_reference = st.sampled_from([("reference", p) for p in reference.nodes.tolist()])
    on_prediction = st.sampled_from([("prediction", p) for p in prediction.nodes.tolist()])
    starts = data.draw(st.lists(on_reference | on_prediction, min_size=1, max_size=3))
    scores = opt_g(reference, prediction, starts=starts, **TINY).scores
    assert (scores["tp"], scores["pp"], scores["ap"]) == opt_g_counts(reference, prediction, starts, **TINY)


@settings(max_examples=25, deadline=None)
@given(small_lines(), st.integers(0, 1000))
def test_extra_vertices_direction_and_order_change_nothing(lines, seed):
    other = noisy(lines, 3.0, seed)
    plain = opt_g(network(lines), network(other), **TINY)
    for respell in SPELLINGS.values():
        again = opt_g(network(respell(lines)), network(respell(other)), **TINY)
        assert again.scores == plain.scores


@pytest.mark.parametrize("respell", SPELLINGS.values(), ids=SPELLINGS)
def test_exact_ties_do_not_hang_on_rounding(respell):
    # A straight grid against itself moved along its streets: costs tie everywhere.
    lines, other = grid(), moved(grid(), 6.0, 0.0)
    plain = opt_g(network(lines), network(other))
    again = opt_g(network(respell(lines)), network(respell(other)))
    assert again.scores == plain.scores
    assert again.errors.rows["kind"] == plain.errors.rows["kind"]
    np.testing.assert_allclose(again.errors.rows["length_m"], plain.errors.rows["length_m"], atol=1e-4)
    np.testing.assert_allclose(again.errors.rows["severity"], plain.errors.rows["severity"], atol=1e-4)


@pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)
def test_motions_change_nothing(motion):
    lines, places = grid(3, 3), [(10, 0), (110, 100), (200, 30), (200, 40)]
    plain = opt_g(network(lines), network(noisy(lines, 4.0)), starts=[("reference", p) for p in places])
    starts = [("reference", p) for p in motion([places])[0]]
    assert opt_g(network(motion(lines)), network(motion(noisy(lines, 4.0))), starts=starts).counts == plain.counts


def test_scaling_everything_changes_nothing():
    lines = grid(3, 3)
    plain = opt_g(network(lines), network(noisy(lines, 4.0)))
    parameters = {"max_distance": 45.0, "radius": 540.0, "spacing": 18.0, "starts": plain.scores["n"]}
    assert opt_g(network(scaled(lines, 3)), network(scaled(noisy(lines, 4.0), 3)), **parameters).scores == plain.scores


@settings(max_examples=25, deadline=None)
@given(small_lines(), st.integers(0, 1000), st.sampled_from(["optimal", "greedy"]))
def test_swap_swaps_precision_and_recall(lines, seed, matching):
    a, b = network(lines), network(noisy(lines, 4.0, seed))
    there, back = opt_g(a, b, **TINY, matching=matching).scores, opt_g(b, a, **TINY, matching=matching).scores
    assert (there["tp"], there["pp"], there["ap"]) == (back["tp"], back["ap"], back["pp"])
    assert (there["precision"], there["recall"]) == (back["recall"], back["precision"])
    assert there["f1"] == pytest.approx(back["f1"], abs=1e-12)


def test_swap_with_starts_given():
    a, b = network(grid()), network(noisy(grid(), 6.0)[3:])
    starts = [("reference", (30, 0)), ("prediction", (200, 150)), ("prediction", (10, 100))]
    there, back = opt_g(a, b, starts=starts), opt_g(b, a, starts=[(OTHER[side], place) for side, place in starts])
    assert (there.counts["tp"], there.counts["pp"]) == (back.counts["tp"], back.counts["ap"])


@settings(max_examples=25, deadline=None)
@given(small_lines(), st.sampled_from(["optimal", "greedy"]))
def test_identity_is_perfect(lines, matching):
    result = opt_g(network(lines), network(lines), **TINY, matching=matching)
    assert [result.scores[name] for name in ("precision", "recall", "f1", "sd")] == [1, 1, 1, 0]
    assert len(result.errors) == 0


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ([[(0, 0), (0, 42), (0, 14)]], (0, 28)),  # a road that turns back on itself
        (BRIDGE, (0, 0)),  # below a bridge
        ([[(0, 0), (60, 0)], [(20, 0), (40, 0)], [(40, 0), (40, 30)]], (30, 0)),  # roads on each other
    ],
)
def test_identity_where_two_roads_are_equally_near(lines, place):
    scores = opt_g(network(lines), network(lines), starts=[("reference", place)], **TINY).scores
    assert (scores["precision"], scores["recall"]) == (1, 1)
    assert opt_g(network(lines), network(lines), starts="every 1 m", **TINY).scores["f1"] == 1


def test_of_equally_near_partners_the_one_that_agrees_best():
    reference = network([[(0, 0), (100, 0)]])
    for side in (5, -5):  # a stub on one side, the road on the other
        prediction = network([[(0, side), (10, side)], [(0, -side), (100, -side)]])
        scores = opt_g(reference, prediction, starts=[("reference", (0, 0))], radius=60.0).scores
        assert (scores["precision"], scores["recall"]) == (1, 1)


def test_areas_apart_add_their_counts():
    a, b = grid(3, 3), CROSS
    far = [moved(b, 5000.0, 0.0), moved(noisy(b, 5.0), 5000.0, 0.0)]
    starts, far_starts = [("reference", (30, 0)), ("prediction", (100, 50))], [("prediction", (5000, 30))]
    first = opt_g(network(a), network(noisy(a, 5.0)), starts=starts)
    second = opt_g(network(far[0]), network(far[1]), starts=far_starts)
    both = opt_g(network(a + far[0]), network(noisy(a, 5.0) + far[1]), starts=starts + far_starts)
    assert both.counts == {name: first.counts[name] + second.counts[name] for name in first.counts}


def test_far_identical_roads_move_the_score_towards_one():
    lines, other = ERRORS["interruptions"](grid(), 6)
    far = moved(grid(), 5000.0, 0.0)
    assert (
        opt_g(network(lines), network(other)).scores["f1"]
        < opt_g(network(lines + far), network(other + far)).scores["f1"]
    )


def test_seed_and_only_the_seed_decides():
    reference, prediction = network(grid()), network(noisy(grid(), 8.0))
    results = [opt_g(reference, prediction, starts=20, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert results[0].scores == results[1].scores
    assert results[0].scores["f1"] != results[2].scores["f1"]
    assert opt_g(reference, prediction).scores == opt_g(reference, prediction).scores


def test_half_of_the_starts_on_each_network():
    long, short = network([[(0, 0), (500, 0)]]), network([[(0, 0), (100, 0)]])
    for starts, n in ((None, 20), (7, 8), (1, 2)):
        result = opt_g(long, short, starts=starts)
        assert result.scores["n"] == n
        assert result.details["local"].reference_rows == n / 2
    every = opt_g(long, short, starts="every 50 m").details
    assert every["local"].reference_rows == 10
    np.testing.assert_allclose(every["local"].xy[10:, 0], [25, 75])


@pytest.mark.parametrize("error", ERRORS)
def test_sensitive_to_everything(error):
    for seed in range(2):
        clean, few, many = (opt_g(*map(network, ERRORS[error](grid(), k, seed=seed))).scores for k in (0, 4, 12))
        assert clean["f1"] == 1
        assert many["f1"] < few["f1"] < 1
        assert many["f1"] < 1 - max(0.02, 3 * many["sd"])


def test_small_shifts_are_no_error():
    assert opt_g(network(LINE), network([[(0, 10), (100, 10)]])).scores["f1"] == 1


def test_greedy_finds_no_cheaper_matching():
    reference, prediction = network(grid()), network(noisy(grid(), 8.0))
    optimal, greedy = (opt_g(reference, prediction, matching=m).scores for m in ("optimal", "greedy"))
    assert (optimal["pp"], optimal["ap"]) == (greedy["pp"], greedy["ap"])
    assert greedy["tp"] != optimal["tp"]
    assert greedy["f1"] == pytest.approx(optimal["f1"], abs=0.05)


def test_missing_and_spurious_roads_are_on_the_map():
    reference = network([[(0, 0), (150, 0), (300, 0)], [(150, 0), (150, 90)]], ids=["street", "lane"])
    prediction = network([[(0, 0), (60, 0), (300, 0)], [(60, 0), (60, -90)]], ids=["a", "b"])
    errors = opt_g(reference, prediction, starts="every 10 m").errors
    found = {
        (kind, ref_id, pred_id): length
        for kind, ref_id, pred_id, length in zip(
            *(errors.rows[name] for name in ("kind", "ref_id", "pred_id", "length_m")), strict=True
        )
    }
    assert set(found) == {("missing", "lane", ""), ("spurious", "", "b")}
    assert all(75 < length <= 90 for length in found.values())
    assert set(errors.rows["note"]) == {"unmatched in at least half of the visits"}
    assert min(errors.rows["severity"]) >= 0.5


def test_doubled_road_is_on_the_map():
    reference = network([[(0, 0), (300, 0)]])
    prediction = network([[(0, 0), (50, 0), (250, 0), (300, 0)], [(50, 0), (50, 4), (250, 4), (250, 0)]])
    errors = opt_g(reference, prediction, starts="every 10 m").errors
    assert errors.rows["kind"] == ["spurious"]
    assert errors.geometries[0].equals(shapely.LineString([(50, 0), (50, 4), (250, 4), (250, 0)]))
    assert errors.rows["severity"][0] > 0.9


@pytest.mark.parametrize(("a", "b", "score"), [([], [], 1), (LINE, [], 0), ([], LINE, 0)])
def test_empty_networks(a, b, score):
    result = opt_g(network(a), network(b))
    # What is reached counts, so that a place with an empty side weighs in a pool: one start of the two has a network.
    assert result.counts["tp"] == 0
    assert (result.counts["ap"] > 0, result.counts["pp"] > 0) == (bool(a), bool(b))
    assert result.counts["n"] == (2 if a or b else 0)
    own = {name: result.counts[name] for name in ("n", "tp", "pp", "ap")}
    assert result.scores == {"precision": score, "recall": score, "f1": score, "sd": 0.0} | own
    assert result.errors.rows["kind"] == ["missing"] * len(a) + ["spurious"] * len(b)


def test_ends_made_by_clipping_need_no_rule():
    reference = network(grid()).clip((-10.0, -10.0, 130.0, 310.0))
    assert opt_g(reference, reference).scores["f1"] == 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_distance": -3}, "max_distance is -3"),
        ({"matching": "best"}, "matching is 'best'"),
        ({"starts": [(0, 0)]}, "start 0 is (0, 0)"),
        ({"starts": [("truth", (0, 0))]}, "start 0 is ('truth', (0, 0))"),
        ({"starts": [("prediction", (0, 99))]}, "(0, 99) is more than 15 m from the prediction"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError) as error:
        opt_g(network(LINE), network(LINE), **parameters)
    assert message in str(error.value)


def test_vancouver_is_near_the_published_code(vancouver):
    """Published code: 0.675. It matches greedily and starts near places uniform in the area, not in road length."""
    reference, prediction = vancouver
    pixels = {"max_distance": 25.0, "radius": 300.0, "spacing": 10.0}
    assert opt_g(reference, prediction, **pixels).scores["f1"] == pytest.approx(0.732, abs=0.015)
    rng = np.random.default_rng(0)
    starts = [
        (name, place)
        for name, network_ in (("reference", reference), ("prediction", prediction))
        for place in network_.nearest(rng.uniform(-3836, 3836, (500, 2))).xy.tolist()
    ]
    scores = opt_g(reference, prediction, **pixels, starts=starts, matching="greedy").scores
    assert scores["f1"] == pytest.approx(0.675, abs=0.03)
