"""TLTS: closed-form cases, a slow independent version, and what must not change it."""

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.paths.tlts import tlts
from tests import networks
from tests.conftest import load_cases
from tests.roads import errors as made
from tests.roads.paths.slow_paths import slow_distances, slow_nearest

CLASSES = ("correct", "too_long", "too_short", "infeasible")
EMPTY = networks.network([])


def run(reference, prediction, **kwargs):
    return tlts(networks.network(reference), networks.network(prediction), **kwargs)


def kinds(result):
    return result.errors.rows["kind"]


@pytest.mark.parametrize("case", load_cases("tlts_apls"), ids=lambda case: case["name"])
def test_closed_form(case):
    given_ = case["input"]
    parameters = {"max_distance": given_["params"]["dmax"], "length_tolerance": given_["params"]["tol"]}
    result = run(given_["gt"], given_["pred"], pairs=given_["pairs"], **parameters)
    for name, value in case["expected"].items():
        if name in CLASSES:
            assert result.scores[name] == pytest.approx(value, abs=case["tolerance"])
    assert sum(result.scores[name] for name in CLASSES) == pytest.approx(1)
    assert result.counts["pairs"] == len(given_["pairs"])


def slow_tlts(reference, prediction, pairs, max_distance, tolerance):
    """Class counts, one pair at a time."""
    counts = dict.fromkeys(CLASSES, 0)
    for pair in pairs:
        ends = [slow_nearest(reference, point) for point in pair]
        own = slow_distances(reference, [ends])[0]
        if not 1e-9 < own < np.inf:
            continue
        places = []
        for segment, along in ends:
            a, b = reference.nodes[reference.segments[segment]]
            places.append(slow_nearest(prediction, a + (b - a) * along / np.linalg.norm(b - a), max_distance))
        other = np.inf if None in places else slow_distances(prediction, [places])[0]
        if np.isinf(other):
            counts["infeasible"] += 1
        elif other > (1 + tolerance) * own + 1e-9:
            counts["too_long"] += 1
        elif other < (1 - tolerance) * own - 1e-9:
            counts["too_short"] += 1
        else:
            counts["correct"] += 1
    return counts


@st.composite
def drawn_pairs(draw):
    lines = draw(networks.small_lines())
    prediction = draw(networks.jittered(lines))
    coordinate = st.floats(-5, 65).map(lambda v: round(v, 3))
    point = st.tuples(coordinate, coordinate)
    return lines, prediction, draw(st.lists(st.tuples(point, point), min_size=1, max_size=5))


@settings(max_examples=60)
@given(drawn_pairs())
def test_agrees_with_the_slow_version(drawn):
    lines, moved, pairs = drawn
    reference, prediction = networks.network(lines), networks.network(moved)
    if prediction.is_empty:
        return
    result = tlts(reference, prediction, max_distance=4.0, pairs=pairs)
    expected = slow_tlts(reference, prediction, pairs, 4.0, 0.05)
    assert {name: result.counts[name] for name in CLASSES} == expected
    if sum(expected.values()) == 0:
        assert result.scores["correct"] is None
        assert result.notes["correct"]


@settings(max_examples=25)
@given(drawn_pairs())
def test_all_pairs_are_the_pairs_of_ends_and_junctions(drawn):
    lines, moved, _ = drawn
    # Moved a little, so that no two roads lie on one another and coordinates tell which one is meant.
    reference, prediction = networks.network(networks.noisy(lines, 0.5)), networks.network(moved)
    loops = reference.roads.ends[:, 0] == reference.roads.ends[:, 1]
    if prediction.is_empty or loops.any():
        return
    ends = reference.nodes[reference.features]
    pairs = [(ends[i], ends[j]) for i in range(len(ends)) for j in range(i)]
    result = tlts(reference, prediction, max_distance=4.0, pairs="all")
    if pairs:
        given_ = tlts(reference, prediction, max_distance=4.0, pairs=pairs)
        assert result.counts == given_.counts
        one, two = (
            sorted(
                (r[0], r[1], round(r[2], 6), r[3])
                for r in zip(*(x.errors.rows[name] for name in ("kind", "ref_id", "severity", "note")), strict=True)
                if r[0] == "culprit"
            )
            for x in (result, given_)
        )
        assert one == two
    assert result.scores["sd"] in (0.0, None)


def test_all_pairs_of_a_ring():
    assert run(networks.RING, networks.RING, pairs="all").scores == {
        "correct": 1.0,
        "too_long": 0.0,
        "too_short": 0.0,
        "infeasible": 0.0,
        "sd": 0.0,
        "n": 1,
    }


@pytest.mark.parametrize("lines", [networks.LINE, networks.TEE, networks.RING, networks.BRIDGE, networks.grid()])
@pytest.mark.parametrize("pairs", [200, "all"])
def test_identity(lines, pairs):
    result = run(lines, lines, pairs=pairs)
    assert result.scores["correct"] == 1
    assert len(result.errors) == 0


def test_empty_networks():
    some = networks.network(networks.TEE)
    perfect = {"correct": 1.0, "too_long": 0.0, "too_short": 0.0, "infeasible": 0.0, "sd": 0.0, "n": 0}
    nothing = {**perfect, "correct": 0.0, "infeasible": 1.0}
    assert tlts(EMPTY, EMPTY).scores == perfect
    missing, spurious = tlts(some, EMPTY), tlts(EMPTY, some)
    assert (missing.scores, kinds(missing)) == (nothing, ["missing"] * 3)
    assert (spurious.scores, kinds(spurious)) == (nothing, ["spurious"] * 3)


def test_nothing_to_look_at_is_undefined():
    result = run(networks.BRIDGE, networks.BRIDGE, pairs=[((-50, 0), (0, 50)), ((9, 0), (9, 0))])
    assert [result.scores[name] for name in (*CLASSES, "sd")] == [None] * 5
    assert "not connected" in result.notes["n"]
    assert set(result.notes) == {*CLASSES, "sd", "n"}
    assert run(networks.LINE, networks.LINE, pairs=[]).scores["correct"] is None


def test_bounds_are_inclusive():
    # 105 m against 100 m, exactly representable lengths.
    reference, prediction = [[(0, 0), (80, 0)]], [[(0, 0), (0, 2), (80, 2), (80, 0)]]
    pairs = [((0, 0), (80, 0))]
    assert run(reference, prediction, pairs=pairs).scores["correct"] == 1
    assert run(reference, prediction, pairs=pairs, length_tolerance=0.0499).scores["too_long"] == 1
    apart = [[(0, 15), (80, 15)]]
    assert run(reference, apart, pairs=pairs).scores["correct"] == 1
    assert run(reference, apart, pairs=pairs, max_distance=14.99).scores["infeasible"] == 1


def test_same_seed_same_result_and_deviation_as_observed():
    reference, prediction = made.interruptions(networks.grid(), 6, seed=3)
    one, two = (run(reference, prediction, rng=np.random.default_rng(7)) for _ in range(2))
    assert one.scores == two.scores
    assert one.errors.rows == two.errors.rows
    assert [g.wkb for g in one.errors.geometries] == [g.wkb for g in two.errors.geometries]
    whole = networks.network(reference), networks.network(prediction)
    scores = [tlts(*whole, pairs=100, rng=np.random.default_rng(s)).scores for s in range(60)]
    seen = np.std([s["correct"] for s in scores])
    assert np.mean([s["sd"] for s in scores]) == pytest.approx(seen, rel=0.35)


def test_default_seed():
    reference, prediction = made.interruptions(networks.grid(), 6)
    assert run(reference, prediction).scores == run(reference, prediction, rng=np.random.default_rng(0)).scores


def test_vertices_order_direction_ids_and_duplicates_do_not_matter():
    reference, prediction = made.perturbations(networks.grid(), 5, seed=1)
    plain = run(reference, prediction, pairs=300)
    changed_reference, changed_prediction = (
        networks.with_extra_vertices(lines, seed) for seed, lines in enumerate((reference, prediction))
    )
    changed = run(changed_reference + changed_reference[:3], changed_prediction + changed_prediction[2:4], pairs=300)
    assert changed.scores == plain.scores
    assert kinds(changed) == kinds(plain)
    np.testing.assert_allclose(changed.errors.rows["length_m"], plain.errors.rows["length_m"], atol=1e-3)


@pytest.mark.parametrize("pairs", ["given", "all"])
def test_motion_mirror_and_scale(pairs):
    reference, prediction = made.perturbations(networks.noisy(networks.grid(), 5.0), 6, seed=2)
    rng = np.random.default_rng(0)
    points = rng.uniform(0, 300, (80, 2, 2))
    turn = np.array([[np.cos(0.7), np.sin(0.7)], [np.sin(0.7), -np.cos(0.7)]])  # and mirrored

    def moved(lines, scale=1.0):
        return [(np.array(line) @ turn * scale + (5000, 90000)).tolist() for line in lines]

    plain = run(reference, prediction, pairs=points if pairs == "given" else "all")
    chosen = [points @ turn * s + (5000, 90000) if pairs == "given" else "all" for s in (1.0, 2.5)]
    assert 0 < plain.scores["correct"] < 1
    assert run(moved(reference), moved(prediction), pairs=chosen[0]).counts == plain.counts
    scaled = run(moved(reference, 2.5), moved(prediction, 2.5), pairs=chosen[1], max_distance=37.5)
    assert scaled.counts == plain.counts


def test_a_bridge_does_not_lead_down():
    joined = [[(-100, 0), (0, 0), (100, 0)], [(0, -100), (0, 0), (0, 100)]]
    pairs = [((-50, 0), (0, 50))]
    assert run(joined, networks.BRIDGE, pairs=pairs).scores["infeasible"] == 1


def test_failing_pairs_are_paths_on_the_map():
    reference, prediction = (
        [[(0, 0), (100, 0), (200, 0)], [(100, 0), (100, 90)]],
        [[(0, 0), (90, 0)], [(110, 0), (200, 0)]],
    )
    network = networks.network(reference, ids=["main", "side"])
    pairs = [((0, 0), (200, 0)), ((0, 0), (50, 0)), ((0, 0), (100, 90)), ((150, 0), (200, 0))]
    result = tlts(network, networks.network(prediction), pairs=pairs)
    rows = result.errors.rows
    paths = [i for i, kind in enumerate(rows["kind"]) if kind == "path"]
    assert [rows["length_m"][i] for i in paths] == [200, 190]
    assert [rows["ref_id"][i] for i in paths] == ["main", "main;side"]
    assert "not connected" in rows["note"][paths[0]]
    assert "within 15 m of one end" in rows["note"][paths[1]]
    assert result.errors.geometries[paths[1]].equals_exact(shapely.LineString([(0, 0), (100, 0), (100, 90)]), 1e-9)
    culprits = {rows["note"][i]: rows["severity"][i] for i, kind in enumerate(rows["kind"]) if kind == "culprit"}
    assert culprits == {
        "2 of 3 shortest paths through here fail": pytest.approx(2 / 3),
        "1 of 2 shortest paths through here fail": 0.5,
        "1 of 1 shortest paths through here fail": 1.0,
    }


def test_too_long_and_too_short_say_by_how_much():
    pairs = [((0, 0), (100, 0))]
    long = run(networks.LINE, [[(0, 0), (0, 15), (100, 15), (100, 0)]], pairs=pairs).errors.rows
    assert long["note"][0] == "too long: 130.0 m instead of 100.0 m, ratio 1.300"
    assert long["severity"][0] == pytest.approx(0.3)
    short = run([[(0, 0), (0, 50), (100, 50), (100, 0)]], [[(0, 0), (100, 0)]], pairs=pairs).errors.rows
    assert short["note"][0] == "too short: 100.0 m instead of 200.0 m, ratio 0.500"


def test_all_pairs_show_the_shortest_failing_paths(monkeypatch):
    monkeypatch.setattr("geoeval.roads.paths.tlts._MOST_PATHS", 7)
    reference, prediction = made.interruptions(networks.grid(), 9)
    some = run(reference, prediction, pairs="all")
    monkeypatch.setattr("geoeval.roads.paths.tlts._MOST_PATHS", 10_000)
    every = run(reference, prediction, pairs="all")
    few, many = (
        [length for kind, length in zip(kinds(r), r.errors.rows["length_m"], strict=True) if kind == "path"]
        for r in (some, every)
    )
    assert few == sorted(many)[:7]
    assert len(many) == every.counts["pairs"] - every.counts["correct"]
    assert some.scores == every.scores


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("error", "options", "low", "high"),
    [
        ("interruptions", {}, 0.0, 0.7),
        ("perturbations", {}, 0.0, 0.7),
        ("overconnections", {}, 0.7, 1.0),
        ("doubled", {}, 1.0, 1.0),
        ("doubled_reference", {}, 0.9, 1.0),
        ("far_false_positives", {}, 1.0, 1.0),
    ],
)
def test_sensitivity(error, options, low, high, seed):
    reference, prediction = made.ERRORS[error](networks.grid(), 12, seed=seed, **options)
    assert low <= run(reference, prediction, pairs=400).scores["correct"] <= high


@pytest.mark.parametrize("error", ["interruptions", "perturbations"])
def test_more_errors_lower_score(error):
    means = []
    for count in (0, 4, 8, 12):
        made_ = [made.ERRORS[error](networks.grid(), count, seed=s) for s in range(3)]
        means.append(np.mean([run(*lines, pairs=300).scores["correct"] for lines in made_]))
    assert means[0] == 1
    assert sorted(means, reverse=True) == means


def test_progress_reports_seldom_and_can_stop():
    calls = []
    run(networks.grid(), networks.grid(), progress=calls.append)
    assert calls == sorted(calls)
    assert 5 <= len(calls) <= 50
    assert 0 <= min(calls) <= max(calls) <= 1

    def stop(_):
        raise KeyboardInterrupt

    for pairs in (100, "all"):
        with pytest.raises(KeyboardInterrupt):
            run(networks.grid(), networks.grid(), pairs=pairs, progress=stop)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_distance": -1},
        {"max_distance": np.nan},
        {"length_tolerance": -0.1},
        {"length_tolerance": "5 %"},
        {"pairs": 0},
    ],
)
def test_wrong_parameters(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        run(networks.LINE, networks.LINE, **wrong)


def test_vancouver(data):
    reference, prediction = vancouver(data)
    result = tlts(reference, prediction, max_distance=25.0)
    assert result.scores["correct"] == pytest.approx(0.574, abs=0.03)
    assert result.scores["n"] == 1000
    # The authors' code gives .484, .203 and .313, because it starts where the network is sparse; so do these.
    anywhere = np.random.default_rng(1).uniform(-3836, 3836, (1500, 2, 2))
    sparse = tlts(reference, prediction, max_distance=25.0, pairs=anywhere).scores
    assert sparse["correct"] == pytest.approx(0.484, abs=0.03)
    assert sparse["too_long"] + sparse["too_short"] == pytest.approx(0.203, abs=0.04)
    assert sparse["infeasible"] == pytest.approx(0.313, abs=0.04)


def vancouver(data):
    """The published pixel graphs, cropped as for the authors' scores."""
    found = []
    for name in ("reference", "roadtracer"):
        nodes, segments = (data / "roads" / "vancouver" / f"{name}.graph").read_text().strip().split("\n\n")
        xy, pairs = (np.loadtxt(part.splitlines()) for part in (nodes, segments))
        found.append(RoadNetwork(xy, pairs.astype(int)).clip((-3836, -3836, 3836, 3836)))
    return found
