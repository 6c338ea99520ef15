"""OPT-P: closed-form cases, properties that must hold, and the map that explains the score."""

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.opt_p.decomposition import decompose
from geoeval.roads.opt_p.opt_p import match_path, opt_p
from geoeval.roads.opt_p.path_matching import points_along
from tests.conftest import load_cases
from tests.networks import LINE, TEE, grid, network, noisy, small_lines, with_extra_vertices
from tests.roads.errors import ERRORS
from tests.roads.opt_p.slow_opt_p import slow_scores

SCORES = ("precision", "recall", "f1", "precision_length_weighted", "recall_length_weighted")


def named(cases):
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", named(load_cases("opt_p_path")))
def test_path_cases(case):
    given_, expected = case["input"], case["expected"]
    found = match_path(
        given_["path"],
        network(given_["target"]),
        max_distance=given_["params"]["dmax"],
        step=given_["params"]["spacing"],
    )
    values = {
        "P": found.score,
        "runs": found.runs,
        "n_points": found.points,
        "n_broken": found.breaks,
        "unmatched_points": found.unmatched,
    }
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, abs=case["tolerance"]), name


@pytest.mark.parametrize("case", named(load_cases("opt_p_full")))
def test_full_cases(case):
    given_, expected = case["input"], dict(case["expected"])
    result = opt_p(
        network(given_["gt"]),
        network(given_["pred"]),
        max_distance=given_["params"]["dmax"],
        step=given_["params"]["spacing"],
        stop=given_["params"]["stop"],
        reference_paths=given_["gt_paths"],
        prediction_paths=given_["pred_paths"],
    )
    per_path = expected.pop("per_path_precision", None)
    if per_path is not None:
        assert result.details["prediction_path_scores"].tolist() == per_path
    for name, value in expected.items():
        assert result.scores[name] == pytest.approx(value, abs=case["tolerance"]), name


def test_printed_stop_does_not_see_doubled_roads():
    single, double = network(LINE), network([*LINE, [(0, 5), (100, 5)]])
    paths = [[(0, 0), (100, 0)], [(0, 5), (100, 5)]]
    result = opt_p(single, double, stop="either", step=10, prediction_paths=paths)
    assert result.scores["precision"] == 1.0
    assert result.counts["precision_paths"] == 10
    assert opt_p(single, double, step=10, prediction_paths=paths).scores["precision"] == 0.5


# ------------------------------------------------------------------ against the slow version


@settings(max_examples=15)
@given(small_lines(max_lines=4, size=70, step=14.0), st.integers(0, 10**6))
def test_agrees_with_slow_version(lines, seed):
    reference = network(noisy(lines, 2.0, seed))
    prediction = network(noisy(lines[: 1 + seed % len(lines)], 2.0, seed + 1))
    result = opt_p(reference, prediction, decompositions=1, rng=np.random.default_rng(seed), max_distance=11, step=12)
    seed = np.random.default_rng(seed).integers(2**63, size=1)[0]
    for source, target, name in ((reference, prediction, "reference"), (prediction, reference, "prediction")):
        paths = decompose(source, np.random.default_rng(seed))
        points = points_along(paths, 12.0)
        apart = [points.xy[i:j].tolist() for i, j in zip(points.start, points.start[1:], strict=False)]
        expected, breaks = slow_scores(target, apart, 11.0)
        assert result.details[f"{name}_path_scores"] == pytest.approx(expected, abs=1e-9)
        score = "recall" if name == "reference" else "precision"
        assert result.scores[score] == pytest.approx(np.mean(expected))
        assert result.scores[f"{score}_length_weighted"] == pytest.approx(np.average(expected, weights=paths.length))
        if name == "reference":
            assert result.scores["breaks"] == breaks


# ------------------------------------------------------------------ properties


@settings(max_examples=40)
@given(small_lines(max_lines=7), st.integers(0, 1000))
def test_identity_is_perfect(lines, seed):
    """Also on a lattice far finer than the tolerance, with roads that overlap."""
    roads = network(lines)
    result = opt_p(roads, roads, decompositions=2, rng=np.random.default_rng(seed))
    assert {result.scores[name] for name in SCORES} == {1.0}
    assert result.scores["breaks"] == 0
    assert len(result.errors) == 0


def test_short_cuts_do_not_spoil_identity():
    """A path must lose its own course, not a shorter way beside it that a later path needs."""
    paths = [
        [(24, 15), (25, 5), (32, 12), (35, 46), (11, 2), (25, 5)],
        [(11, 2), (24, 15), (32, 12), (46, 46), (35, 46)],
    ]
    roads = network(paths)
    assert opt_p(roads, roads, reference_paths=paths, prediction_paths=paths).scores["f1"] == 1.0


def test_roads_above_each_other_do_not_spoil_identity():
    """Two roads in one place near their common end: a path must use its own."""
    lines = [[(120, 20), (20, 120), (0, 80)], [(20, 20), (20, 120), (140, 0)]]
    roads = network(lines)
    for seed in range(20):
        assert opt_p(roads, roads, decompositions=1, rng=np.random.default_rng(seed)).scores["f1"] == 1.0


@settings(max_examples=25)
@given(small_lines(), st.integers(0, 1000))
def test_swap_swaps_precision_and_recall(lines, seed):
    one, other = network(lines), network(noisy(lines[1:] or lines, 4.0, seed))
    there = opt_p(one, other, decompositions=2, rng=np.random.default_rng(seed)).scores
    back = opt_p(other, one, decompositions=2, rng=np.random.default_rng(seed)).scores
    assert (there["precision"], there["recall"], there["f1"]) == (back["recall"], back["precision"], back["f1"])
    assert there["precision_length_weighted"] == back["recall_length_weighted"]


@settings(max_examples=25)
@given(small_lines(size=120, step=14.0), st.integers(0, 1000))
def test_vertices_order_and_ids_do_not_matter(lines, seed):
    one, other = noisy(lines, 1.0, seed), noisy(lines, 5.0, seed + 1)
    plain = opt_p(network(one), network(other), decompositions=2).scores
    dense = opt_p(
        network(with_extra_vertices(one, seed)), network(with_extra_vertices(other, seed + 1)), decompositions=2
    ).scores
    for name in (*SCORES, "breaks"):
        assert dense[name] == pytest.approx(plain[name], abs=1e-9), name


@pytest.mark.parametrize("scale", [0.6, 1.0, 40.0])
def test_motion_mirror_and_scale(scale):
    one, other = noisy(grid(), 2.0, 1), noisy(grid()[3:], 4.0, 2)
    paths = []
    for lines in (one, other):
        found = decompose(network(lines), np.random.default_rng(5))
        paths.append([found.coordinates(k) for k in range(len(found))])

    def moved(xy):
        x, y = np.asarray(xy, dtype=float).T * scale
        return np.column_stack([-(0.8 * x - 0.6 * y) + 5000, 0.6 * x + 0.8 * y - 300])

    plain = opt_p(network(one), network(other), reference_paths=paths[0], prediction_paths=paths[1]).scores
    turned = opt_p(
        network([moved(line) for line in one]),
        network([moved(line) for line in other]),
        max_distance=15 * scale,
        step=15 * scale,
        reference_paths=[moved(path) for path in paths[0]],
        prediction_paths=[moved(path) for path in paths[1]],
    ).scores
    assert 0.1 < plain["f1"] < 0.99
    for name in (*SCORES, "breaks"):
        assert turned[name] == pytest.approx(plain[name], abs=1e-9), name


def test_duplicates_and_empty_lines_do_not_matter():
    one, other = noisy(TEE, 1.0, 1), noisy(TEE, 3.0, 2)
    plain = opt_p(network(one), network(other)).scores
    assert opt_p(network(one + one[:1]), network([*other, [other[0][0], other[0][0]]])).scores == plain


def test_same_seed_same_result_and_seed_moves_little():
    one, other = network(grid(5, 5)), network(noisy(grid(5, 5)[:-6], 6.0, 3))
    results = [opt_p(one, other, rng=np.random.default_rng(seed)) for seed in (7, 7, 8)]
    assert results[0].scores == results[1].scores
    assert [g.wkb for g in results[0].errors.geometries] == [g.wkb for g in results[1].errors.geometries]
    assert results[0].scores != results[2].scores
    assert results[0].scores["f1"] == pytest.approx(results[2].scores["f1"], abs=0.1)
    assert results[0].scores["sd"] == pytest.approx(np.std(results[0].details["f1"], ddof=1))


def test_far_identical_roads_move_the_score_towards_1():
    one, other = noisy(TEE, 1.0, 1), noisy(TEE[:1], 3.0, 2)
    far = [[(x + 5000, y) for x, y in line] for line in grid(2, 3)]
    assert (
        opt_p(network(one + far), network(other + far)).scores["f1"] > opt_p(network(one), network(other)).scores["f1"]
    )


@pytest.mark.parametrize("error", ERRORS)
def test_sensitive_to_every_error(error):
    def score(count):
        results = []
        for seed in (0, 1):
            reference, prediction = ERRORS[error](grid(), count, seed=seed)
            results.append(opt_p(network(reference), network(prediction), decompositions=3))
        return np.mean([r.scores["f1"] for r in results]), results

    perfect, _ = score(0)
    few, _ = score(4)
    many, results = score(12)
    assert perfect == 1.0
    assert many < few < perfect - 0.02
    kinds = {kind for r in results for kind in r.errors.rows["kind"]}
    expected = {
        "interruptions": {"break"},
        "overconnections": {"spurious"},
        "perturbations": {"missing", "spurious"},
        "doubled": {"doubled"},
        "doubled_reference": {"merged"},
        "far_false_positives": {"spurious"},
    }
    assert expected[error] <= kinds


# ------------------------------------------------------------------ the map


def rows(result, kind):
    table = result.errors.rows
    return [
        {"geometry": result.errors.geometries[i], **{name: table[name][i] for name in table}}
        for i in range(len(result.errors))
        if table["kind"][i] == kind
    ]


def test_every_interruption_is_one_break_at_its_gap():
    reference, prediction = ERRORS["interruptions"](grid(), 7, gap=8.0)
    result = opt_p(network(reference), network(prediction), decompositions=2)
    breaks = rows(result, "break")
    assert len(breaks) == result.scores["breaks"] == 7
    middles = {tuple(np.round(row["geometry"].centroid.coords[0], 6)) for row in breaks}
    cut = [line for line in reference if line not in prediction]
    assert middles == {tuple(np.mean(line, axis=0).tolist()) for line in cut}
    assert [row["length_m"] for row in breaks] == pytest.approx([8.0] * 7)
    assert [row["dist_m"] for row in breaks] == pytest.approx([8.0] * 7)
    assert {len(row["pred_id"].split(";")) for row in breaks} == {2}
    assert all(reference[int(row["ref_id"])] in cut for row in breaks)
    assert len(result.errors) == 7


def test_break_where_roads_cross_without_joining():
    reference = network([[(-60, 0), (0, 0), (0, 70)], [(80, 0), (0, 0), (0, -90)]])
    prediction = network([[(-60, 0), (80, 0)], [(0, 70), (0, -90)]])
    result = opt_p(reference, prediction, decompositions=1, reference_paths=[[(-60, 0), (0, 0), (0, 70)]])
    (row,) = rows(result, "break")
    assert row["dist_m"] == 0.0
    assert "cross" in row["note"]
    assert row["geometry"].length > 0


def test_doubled_and_merged_name_both_sides():
    single = network(LINE, ids=["old"])
    double = network([*LINE, [(0, 5), (100, 5)]], ids=["new", "copy"])
    paths = {"reference_paths": [[(0, 0), (100, 0)]], "prediction_paths": [[(0, 0), (100, 0)], [(0, 5), (100, 5)]]}
    (row,) = rows(opt_p(single, double, **paths), "doubled")
    assert (row["ref_id"], row["pred_id"], row["length_m"], row["dist_m"]) == ("old", "copy", 100.0, 5.0)
    (row,) = rows(
        opt_p(double, single, reference_paths=paths["prediction_paths"], prediction_paths=paths["reference_paths"]),
        "merged",
    )
    assert (row["ref_id"], row["pred_id"], row["length_m"], row["severity"]) == ("copy", "old", 100.0, 1.0)


def test_missing_stretch_and_false_link():
    reference = network([[(0, 0), (200, 0)]], ids=["road"])
    half = network([[(0, 0), (100, 0)]])
    (row,) = rows(opt_p(reference, half, step=10), "missing")
    assert row["geometry"].bounds == pytest.approx((115, 0, 200, 0))
    assert (row["ref_id"], row["pred_id"]) == ("road", "")
    assert row["severity"] == pytest.approx(85 / 200)
    (row,) = rows(opt_p(half, reference, step=10), "spurious")
    assert row["length_m"] == pytest.approx(85)

    gap = network([[(0, 0), (96, 0)], [(104, 0), (200, 0)]], ids=["west", "east"])
    (row,) = rows(opt_p(gap, reference), "false_link")
    assert row["dist_m"] == pytest.approx(8.0)
    assert shapely.distance(row["geometry"], shapely.Point(100, 0)) < 15
    assert sorted(row["ref_id"].split(";")) == ["east", "west"]
    assert row["pred_id"] == "road"


def test_severity_of_a_break_is_what_joining_would_add():
    reference, prediction = network([[(0, 0), (100, 0)]]), network([[(0, 0), (44.5, 0)], [(45.5, 0), (100, 0)]])
    result = opt_p(reference, prediction, step=10)
    (row,) = rows(result, "break")
    assert row["severity"] == pytest.approx(1 - result.scores["recall"])


def test_break_by_a_road_used_up_says_so():
    """A crossing predicted as two tees: the road through uses the link between them up."""
    reference = network([[(-60, 0), (0, 0), (60, 0)], [(0, -60), (0, 0), (0, 60)]])
    prediction = network([[(-60, 0), (-4, 0), (4, 0), (60, 0)], [(-4, 0), (-4, 60)], [(4, 0), (4, -60)]])
    paths = [[(-60, 0), (60, 0)], [(0, -60), (0, 60)]]
    result = opt_p(reference, prediction, reference_paths=paths)
    assert result.details["reference_path_scores"][0] == 1.0
    (row,) = rows(result, "break")
    assert "another road has used it" in row["note"]
    assert row["length_m"] == pytest.approx(row["geometry"].length)
    assert opt_p(reference, prediction, reference_paths=paths[::-1]).details["reference_path_scores"][0] == 1.0


# ------------------------------------------------------------------ edges


def test_empty_networks():
    empty, roads = RoadNetwork.from_lines([], crs="EPSG:32610"), network(TEE)
    both = opt_p(empty, empty)
    assert {both.scores[name] for name in SCORES} == {1.0}
    assert (both.scores["breaks"], both.scores["sd"], both.scores["n"]) == (0, 0.0, 0)
    for one, other, kind in ((roads, empty, "missing"), (empty, roads, "spurious")):
        result = opt_p(one, other)
        assert {result.scores[name] for name in SCORES} == {0.0}
        assert set(result.errors.rows["kind"]) == {kind}
        assert sum(result.errors.rows["length_m"]) == pytest.approx(roads.length)
    assert match_path([(0, 0), (50, 0)], empty).score == 0.0


def test_nothing_in_common():
    result = opt_p(network(LINE), network([[(0, 500), (100, 500)]]), decompositions=2)
    assert {result.scores[name] for name in SCORES} == {0.0}
    assert sorted(result.errors.rows["kind"]) == ["missing", "spurious"]


def test_one_decomposition_has_no_sd():
    result = opt_p(network(TEE), network(TEE), decompositions=1)
    assert result.scores["sd"] is None
    assert "sd" in result.notes


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_distance": 0},
        {"step": -1},
        {"step": float("nan")},
        {"decompositions": 0},
        {"decompositions": 1.5},
        {"stop": "never"},
        {"reference_paths": []},
        {"reference_paths": [[(0, 0), (7, 90)]]},
        {"prediction_paths": [[("a", "b")]]},
    ],
)
def test_bad_parameters(wrong):
    with pytest.raises(ParameterError):
        opt_p(network(TEE), network(TEE), **wrong)


def test_path_without_length():
    with pytest.raises(ParameterError, match="length"):
        match_path([(0, 0), (0, 0)], network(LINE))


def test_progress_rises_to_one_and_can_cancel():
    town = network(grid())
    for decompositions in (1, 3, 40):
        seen = []
        opt_p(town, town, decompositions=decompositions, progress=seen.append)
        assert seen == sorted(seen)
        assert seen[-1] == 1.0
        assert len(seen) <= max(50, 2 * decompositions)

    def cancel(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opt_p(town, town, progress=cancel)


@pytest.mark.parametrize("seed", range(5))
def test_ends_made_by_clipping_are_no_errors(seed):
    """On roads that do not meet, which have one decomposition only, whatever the random numbers are."""
    roads, box = [[(0, y), (200, y + 20), (400, y)] for y in (100, 200, 300)], (50.0, 50.0, 350.0, 350.0)
    cut, moved = network(roads).clip(box), network(noisy(roads, 4.0, seed)).clip(box)
    assert cut.cut.sum() == moved.cut.sum() == 6
    result = opt_p(cut, moved, decompositions=2)
    assert result.scores["f1"] == 1.0
    assert len(result.errors) == 0


@settings(max_examples=20)
@given(small_lines(size=120, step=14.0), st.integers(0, 1000))
def test_features_explain_the_scores(lines, seed):
    reference, prediction = network(noisy(lines, 1.0, seed)), network(noisy(lines[1:] or lines, 5.0, seed + 1))
    result = opt_p(reference, prediction, decompositions=1)
    assert len(rows(result, "break")) == result.scores["breaks"]
    assert all(0.0 < severity <= 1.0 for severity in result.errors.rows["severity"])
    assert all(geometry.length > 0 for geometry in result.errors.geometries)
    assume(result.scores["recall"] < 1.0 or result.scores["precision"] < 1.0)
    assert len(result.errors) > 0


def test_vancouver(data):
    """Near the authors' own code (f1 .45), which has a snapping rule besides; and as many breaks as features."""
    reference, prediction = (
        _read(data / "roads" / "vancouver" / name) for name in ("reference.graph", "roadtracer.graph")
    )
    result = opt_p(reference, prediction, max_distance=25, step=25, decompositions=2)
    assert result.scores["f1"] == pytest.approx(0.43, abs=0.03)
    assert len(rows(result, "break")) == result.scores["breaks"] > 100
    assert opt_p(prediction, prediction, max_distance=25, step=25, decompositions=1).scores["f1"] == 1.0


def _read(path):
    nodes, segments = path.read_text().split("\n\n", 1)
    xy = np.array([line.split() for line in nodes.splitlines()], dtype=float)
    pairs = np.array([line.split() for line in segments.split("\n") if line], dtype=int)
    return RoadNetwork(xy, pairs).clip((-3836, -3836, 3836, 3836))
