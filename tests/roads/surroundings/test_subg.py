"""SUBG: closed-form cases, the slow version, metamorphic properties, sensitivity, errors on the map."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.geometry.sampling import random_places
from geoeval.roads.surroundings.subg import subg
from tests.conftest import load_cases
from tests.networks import BRIDGE, CROSS, LINE, grid, jittered, network, noisy, small_lines, with_extra_vertices
from tests.roads.errors import ERRORS
from tests.roads.metamorphic import MOTIONS, SPELLINGS, moved, scaled
from tests.roads.surroundings.slow_surroundings import subg_counts

TINY = {"max_distance": 8.0, "radius": 30.0, "spacing": 4.0}


@pytest.mark.parametrize("case", load_cases("subg"), ids=lambda case: case["name"])
def test_closed_form(case):
    given_, expected = case["input"], dict(case["expected"])
    parameters = given_["params"]
    assert parameters["dmatch"] == parameters["dstart"]
    result = subg(
        network(given_["gt"]),
        network(given_["pred"]),
        max_distance=parameters["dmatch"],
        radius=parameters["R"],
        spacing=parameters["spacing"],
        starts=given_["starts"],
    )
    if "tp_gt" in expected:
        assert result.counts["matched_ref"] == expected.pop("tp_gt")
    for name, value in expected.items():
        assert {**result.counts, **result.scores}[name] == pytest.approx(value, abs=case["tolerance"]), name


@settings(max_examples=50, deadline=None)
@given(st.data(), st.sampled_from(["text", "code"]))
def test_agrees_with_the_slow_version(data, mode):
    lines = data.draw(small_lines())
    reference, prediction = network(lines), network(data.draw(jittered(lines)))
    if reference.is_empty or prediction.is_empty:
        return
    starts = data.draw(st.lists(st.sampled_from(reference.nodes.tolist()), min_size=1, max_size=3))
    result = subg(reference, prediction, starts=starts, mode=mode, **TINY)
    assert tuple(result.counts.values())[:4] == subg_counts(reference, prediction, starts, mode=mode, **TINY)


@settings(max_examples=25, deadline=None)
@given(small_lines(), st.integers(0, 1000))
def test_extra_vertices_direction_and_order_change_nothing(lines, seed):
    other = noisy(lines, 3.0, seed)
    plain = subg(network(lines), network(other), **TINY)
    for respell in SPELLINGS.values():
        again = subg(network(respell(lines)), network(respell(other)), **TINY)
        assert again.counts == plain.counts
        assert again.scores == plain.scores


@pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)
def test_motions_change_nothing(motion):
    lines, starts = grid(3, 3), [[(10, 0), (110, 100)], [(200, 30), (200, 40)]]
    plain = subg(network(lines), network(noisy(lines, 4.0)), starts=[p for pair in starts for p in pair])
    places = [p for pair in motion(starts) for p in pair]
    assert subg(network(motion(lines)), network(motion(noisy(lines, 4.0))), starts=places).counts == plain.counts


def test_scaling_everything_changes_nothing():
    lines = grid(3, 3)
    plain = subg(network(lines), network(noisy(lines, 4.0)))
    parameters = {"max_distance": 45.0, "radius": 540.0, "spacing": 18.0, "starts": plain.scores["n"]}
    assert subg(network(scaled(lines, 3)), network(scaled(noisy(lines, 4.0), 3)), **parameters).scores == plain.scores


@settings(max_examples=25, deadline=None)
@given(small_lines())
def test_identity_is_perfect(lines):
    scores = subg(network(lines), network(lines), **TINY).scores
    assert (scores["precision"], scores["recall"], scores["f1"], scores["sd"]) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ([[(0, 0), (0, 42), (0, 14)]], (0, 28)),  # a road that turns back on itself
        (BRIDGE, (0, 0)),  # below a bridge
        ([[(0, 0), (60, 0)], [(20, 0), (40, 0)], [(40, 0), (40, 30)]], (30, 0)),  # roads on each other
    ],
)
def test_identity_where_two_roads_are_equally_near(lines, place):
    scores = subg(network(lines), network(lines), starts=[place], **TINY).scores
    assert (scores["precision"], scores["recall"]) == (1, 1)
    assert subg(network(lines), network(lines), starts="every 1 m", **TINY).scores["f1"] == 1


def test_of_equally_near_partners_the_one_that_agrees_best():
    reference = network([[(0, 0), (100, 0)]])
    for side in (5, -5):  # a stub on one side, the road on the other
        prediction = network([[(0, side), (10, side)], [(0, -side), (100, -side)]])
        scores = subg(reference, prediction, starts=[(0, 0)], radius=60.0).scores
        assert (scores["precision"], scores["recall"]) == (1, 1)


def test_areas_apart_add_their_counts():
    a, b = grid(3, 3), CROSS
    far = [moved(b, 5000.0, 0.0), moved(noisy(b, 5.0), 5000.0, 0.0)]
    starts, far_starts = [(30.0, 0.0), (100.0, 50.0)], [(5000.0, 30.0)]
    first = subg(network(a), network(noisy(a, 5.0)), starts=starts)
    second = subg(network(far[0]), network(far[1]), starts=far_starts)
    both = subg(network(a + far[0]), network(noisy(a, 5.0) + far[1]), starts=starts + far_starts)
    assert both.counts == {name: first.counts[name] + second.counts[name] for name in first.counts}


def test_seed_and_only_the_seed_decides():
    reference, prediction = network(grid()), network(noisy(grid(), 8.0))
    results = [subg(reference, prediction, starts=20, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)]
    assert results[0].scores == results[1].scores
    assert results[0].scores["f1"] != results[2].scores["f1"]
    default = [subg(reference, prediction).scores for _ in range(2)]
    assert default[0] == default[1]


def test_sd_tells_how_much_random_starts_move_the_score():
    reference, prediction = network(grid()), network(ERRORS["interruptions"](grid(), 6)[1])
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(60):
        places = random_places(reference, 40, rng).xy.tolist()
        drawn.append(subg(reference, prediction, starts=places).scores)
    assert np.mean([s["sd"] for s in drawn]) == pytest.approx(np.std([s["f1"] for s in drawn]), rel=0.3)


def test_number_of_starts():
    line = network([[(0, 0), (301, 0)]])
    assert subg(line, line).scores["n"] == 10
    assert subg(network([[(0, 0), (7, 0)]]), line).scores["n"] == 1
    assert subg(line, line, starts=7).scores["n"] == 7
    long = network([[(0, 0), (40000, 0)]])
    assert subg(long, long, radius=12.0).scores["n"] == 1000
    assert subg(line, line, starts="every 7 m").scores["n"] == 43
    short = network([[(0, 0), (299.999999, 0)]])  # rounding does not decide
    assert subg(short, short).scores["n"] == 10


def test_every_so_many_metres_needs_no_randomness():
    reference, prediction = network(grid()), network(noisy(grid(), 8.0))
    results = [subg(reference, prediction, starts="every 25 m", rng=np.random.default_rng(s)) for s in (1, 2)]
    assert results[0].counts == results[1].counts
    np.testing.assert_allclose(
        subg(network(LINE), network(LINE), starts="every 50 m").details["local"].xy[:, 0], [25, 75]
    )


@pytest.mark.parametrize("error", ["interruptions", "overconnections", "perturbations"])
def test_sensitive(error):
    for seed in range(2):
        clean, few, many = (subg(*map(network, ERRORS[error](grid(), k, seed=seed))).scores for k in (0, 4, 12))
        assert clean["f1"] == 1
        assert many["f1"] < few["f1"] < 1
        assert many["f1"] < 1 - max(0.02, 3 * many["sd"])


@pytest.mark.parametrize("error", ["doubled", "doubled_reference"])
def test_blind_to_doubled_roads(error):
    for seed in range(2):
        lines = ERRORS[error](grid(), 12, seed=seed)
        assert subg(*map(network, lines)).scores["f1"] == 1


def test_code_mode_sees_doubled_predictions():
    lines = ERRORS["doubled"](grid(), 12)
    scores = subg(*map(network, lines), mode="code").scores
    assert scores["precision"] < 0.95
    assert scores["recall"] == 1


def test_blind_to_far_false_roads():
    detached = [[(5000.0, 0.0), (5600.0, 0.0)]]
    assert subg(network(grid()), network(grid() + detached)).scores["f1"] == 1
    # Where the false roads begin at true ones, only what is within the radius of those is seen.
    for seed in range(2):
        scores = subg(*map(network, ERRORS["far_false_positives"](grid(), 12, seed=seed))).scores
        assert scores["recall"] == 1
        assert scores["precision"] > 0.75
        nearer = subg(*map(network, ERRORS["far_false_positives"](grid(), 12, seed=seed)), radius=60.0).scores
        assert nearer["precision"] > scores["precision"]


def test_the_gap_is_on_the_map():
    reference = network([[(0, 0), (300, 0)]], ids=["way 1"])
    prediction = network([[(0, 0), (100, 0)], [(200, 0), (300, 0)]], ids=["a", "b"])
    errors = subg(reference, prediction, starts="every 10 m", radius=60.0).errors
    rows = list(zip(errors.rows["kind"], errors.rows["ref_id"], errors.rows["pred_id"], strict=True))
    assert rows == [("missing", "way 1", "")]
    x = np.array(errors.geometries[0].coords)[:, 0]
    assert (x.min(), x.max()) == (pytest.approx(115, abs=10), pytest.approx(185, abs=10))
    assert errors.rows["length_m"][0] == pytest.approx(errors.geometries[0].length)
    assert 0.5 <= errors.rows["severity"][0] <= 1


@pytest.mark.parametrize(("a", "b", "score"), [([], [], 1), (LINE, [], 0), ([], LINE, 0)])
def test_empty_networks(a, b, score):
    result = subg(network(a), network(b))
    # What is reached counts, so that a place with an empty prediction weighs in a pool; no start is on it.
    starts = 3 if a else 0
    assert result.scores == {"precision": score, "recall": score, "f1": score, "sd": 0.0, "n": starts}
    nothing = {"matched_pred": 0, "pp": 0, "matched_ref": 0, "ap": 0, "n": 0}
    whole = subg(network(a), network(a)).counts
    assert result.counts == (nothing | {"ap": whole["ap"], "n": whole["n"]} if a else nothing)
    assert result.errors.rows["kind"] == ["missing"] * len(a) + ["spurious"] * len(b)
    assert result.errors.rows["length_m"] == [100.0] * (len(a) + len(b))


def test_nothing_near_is_zero():
    result = subg(network(LINE), network([[(0, 16), (100, 16)]]), starts=[(0, 0)], radius=60.0)
    assert (result.scores["precision"], result.scores["recall"], result.scores["f1"]) == (0, 0, 0)
    assert result.counts == {"matched_pred": 0, "pp": 0, "matched_ref": 0, "ap": 11, "n": 1}
    assert result.errors.rows["kind"] == ["missing"]
    assert result.errors.rows["severity"] == [1.0]


def test_rings_only():
    ring = [[(0, 0), (15, 0), (15, 15), (0, 15), (0, 0)]]
    assert subg(network(ring), network(ring)).scores["f1"] == 1


def test_progress_is_told_and_may_cancel():
    told = []
    subg(network(grid()), network(grid()), progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(told) <= 50

    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        subg(network(grid()), network(grid()), progress=stop)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_distance": 0}, "max_distance is 0"),
        ({"radius": -1.0}, "radius is -1.0"),
        ({"spacing": float("nan")}, "spacing is nan"),
        ({"spacing": "6"}, "spacing is '6'"),
        ({"mode": "fast"}, "mode is 'fast'"),
        ({"starts": 0}, "starts is 0"),
        ({"starts": 2.5}, "starts is 2.5"),
        ({"starts": "many"}, "starts is 'many'"),
        ({"starts": "every 0 m"}, "starts is 'every 0 m'"),
        ({"starts": []}, "empty list"),
        ({"starts": [(0, 0), (5,)]}, "start 1 is (5,)"),
        ({"starts": [("reference", (0, 0))]}, "start 0 is"),
        ({"starts": [(0, 500)]}, "(0, 500) is more than 15 m from the reference"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError) as error:
        subg(network(LINE), network(LINE), **parameters)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_with_extra_vertices_really_adds_some():
    assert len(network(with_extra_vertices(grid(), 1)).nodes) > len(network(grid()).nodes)


def test_vancouver_is_near_the_published_code(vancouver):
    """Published code: 0.688. It counts distinct nearest points and starts near places uniform in the area."""
    reference, prediction = vancouver
    pixels = {"max_distance": 25.0, "radius": 300.0, "spacing": 10.0}
    assert subg(reference, prediction, **pixels).scores["f1"] == pytest.approx(0.786, abs=0.015)
    somewhere = np.random.default_rng(0).uniform(-3836, 3836, (1000, 2))
    starts = reference.nearest(somewhere).xy.tolist()
    scores = subg(reference, prediction, **pixels, starts=starts, mode="code").scores
    assert scores["f1"] == pytest.approx(0.688, abs=0.03)
