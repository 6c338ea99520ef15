import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.junctions.junct import junct
from tests.conftest import HERE, load_cases
from tests.networks import CROSS, LINE, RING, TEE, grid, jittered, network, noisy, small_lines
from tests.roads import errors as synthetic
from tests.roads.metamorphic import MOTIONS, SPELLINGS, moved, scaled
from tests.roads.slow_graph import follow, graph, place_along

CASES = {case["name"]: case for case in load_cases("junct")}
NAMES = {"F_correct": "f_correct", "F_error": "f_error"}


@st.composite
def pairs(draw):
    lines = draw(small_lines())
    return lines, draw(jittered(lines))


def counts(lines, **options):
    return junct(network(lines[0]), network(lines[1]), **options).counts


def notes(result):
    return sorted(result.errors.rows["note"])


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    given_, parameters = case["input"], case["input"]["params"]
    result = junct(
        network(given_["gt"]),
        network(given_["pred"]),
        max_distance=parameters["dmax"],
        direction_distance=parameters["r_dir"],
    )
    values = result.scores | result.counts
    for score, value in case["expected"].items():
        assert values[NAMES.get(score, score)] == pytest.approx(value, abs=case["tolerance"])
    assert result.scores["recall"] == result.scores["f_correct"]
    assert result.scores["precision"] == pytest.approx(1 - result.scores["f_error"])


def test_table_of_the_paper_recombines_where_areas_are_pooled():
    rows = json.loads((HERE / "cases" / "citraro_table1.json").read_text())["rows"]
    pooled = [row for row in rows if row["dataset"] == "DeepGlobe"]
    assert len(pooled) == 3
    for row in pooled:
        recall, precision = row["junct_Fcorrect"], 1 - row["junct_Ferror"]
        assert 2 * precision * recall / (precision + recall) == pytest.approx(row["junct_f1"], abs=0.0015)


# ---------------------------------------------------------------- the definition once more, slowly


def slow_junctions(lines, direction_distance):
    neighbours = graph(lines)
    junctions = {}
    for p, around in neighbours.items():
        if len(around) >= 3:
            junctions[p] = []
            for q in around:
                path = follow(neighbours, p, q)
                length = sum(math.dist(a, b) for a, b in itertools.pairwise(path))
                x, y = place_along(path, min(direction_distance, length / 2 if path[-1] == p else length))
                junctions[p].append((x - p[0], y - p[1]))
    return junctions


def slow_captured(mine, theirs):
    def near(a, b):
        size = math.hypot(*a) * math.hypot(*b)
        return size > 0 and (a[0] * b[0] + a[1] * b[1]) / size > 1e-6

    return sum(any(near(a, b) for b in theirs) for a in mine) / len(mine)


def slow_counts(lines, max_distance, direction_distance):
    ref, pred = (slow_junctions(one, direction_distance) for one in lines)
    candidates = sorted(
        (round(math.dist(p, q), 6), *sorted([p, q]), p, q) for p in ref for q in pred if math.dist(p, q) <= max_distance
    )
    partner = {}
    for *_, p, q in candidates:
        if p not in partner and q not in partner.values():
            partner[p] = q
    correct = sum(slow_captured(ref[p], pred[q]) for p, q in partner.items())
    false = sum(1 - slow_captured(pred[q], ref[p]) for p, q in partner.items())
    return {"n_correct": correct, "n_error": false + len(pred) - len(partner), "junctions": len(ref)}


@settings(max_examples=60)
@given(lines=pairs(), radius=st.sampled_from([10.0, 66.0]), along=st.sampled_from([3.0, 11.0, 66.0]))
def test_against_the_slow_greedy(lines, radius, along):
    result = counts(lines, max_distance=radius, direction_distance=along)
    assert result == pytest.approx(slow_counts(lines, radius, along), abs=1e-9)


# ---------------------------------------------------------------- modes


def staggered(gap):
    """A crossing drawn as two T junctions some metres apart."""
    return [[(-100, 0), (0, 0), (gap, 0), (100, 0)], [(0, 0), (0, 100)], [(gap, 0), (gap, -100)]]


def test_clusters_see_a_staggered_crossing_as_one():
    reference, prediction = network(CROSS), network(staggered(20))
    plain = junct(reference, prediction)
    assert plain.counts == {"n_correct": 0.75, "n_error": 1.0, "junctions": 1.0}
    merged = junct(reference, prediction, cluster=25.0)
    assert merged.counts == {"n_correct": 1.0, "n_error": 0.0, "junctions": 1.0}
    # Near as the crow flies, but joined by more than twice as much road.
    around = [[(0, 0), (0, 100), (20, 100), (20, 0)]]
    apart = [*around, [(-100, 0), (0, 0), (0, -100)], [(100, 0), (20, 0), (20, -100)]]
    assert junct(network(apart), network(apart), cluster=25.0).counts["junctions"] == 2
    assert junct(reference, prediction, cluster=15.0).counts == plain.counts


def test_original_mode_merges_what_belongs_to_one_reference_junction():
    reference, prediction = network(CROSS), network(staggered(60))
    # 60 m apart is too far for a cluster of its own, but both have the same reference junction nearest.
    assert junct(reference, prediction, cluster=51.0).counts["n_error"] == 1.0
    result = junct(reference, prediction, mode="original")
    assert result.counts == {"n_correct": 1.0, "n_error": 0.0, "junctions": 1.0}
    assert result.scores == junct(reference, prediction, mode="original", cluster=51.0).scores


def test_original_mode_rejects_what_does_not_fit():
    # Turned by 180 degrees a T captures 2 of 3 roads and has 1 of 3 false: gain 1/3. A fork the other way: none.
    narrow = [[(0, 0), (100, 10)], [(0, 0), (100, -10)], [(0, 0), (100, 0)]]
    other = [[(-x, y) for x, y in line] for line in narrow]
    assert junct(network(narrow), network(other), mode="original").counts["n_error"] == 1.0
    assert notes(junct(network(narrow), network(other), mode="original")) == [
        "extra: 3 arms here, no reference junction within 66 m",
        "missed: 3 arms in the reference, no junction within 66 m",
    ]
    tee = [[(x, -y) for x, y in line] for line in TEE]
    assert junct(network(TEE), network(tee), mode="original").counts["n_correct"] == pytest.approx(2 / 3)


def test_original_mode_takes_the_better_fit_not_the_nearer():
    far = [[(x + 10, y) for x, y in line] for line in CROSS]
    near_tee = [[(-100, -2), (0, -2), (5, -2)], [(0, -2), (0, -100)]]
    prediction = network([*far, *near_tee])
    assert junct(network(CROSS), prediction).counts["n_correct"] < 1.0
    assert junct(network(CROSS), prediction, mode="original", cluster=1.0).counts["n_correct"] == 1.0


# ---------------------------------------------------------------- errors on the map


def test_what_the_map_shows():
    reference = network([*CROSS, *moved(TEE, 1000, 0)], ids=["we", "sn", "far", "north"])
    result = junct(reference, network([*moved(TEE, 3, 4), *moved(TEE, -1000, 0)]))
    rows = result.errors.rows
    assert rows["kind"] == ["junction"] * 3
    assert rows["note"] == [
        "missed: 3 arms in the reference, no junction within 66 m",
        "extra: 3 arms here, no reference junction within 66 m",
        "matched: 3 of 4 reference arms captured, 0 of 3 arms here false",
    ]
    assert rows["arms"] == [0, 3, 3]
    assert rows["ref_arms"] == [3, 0, 4]
    assert rows["ref_id"] == ["far;north", "", "we;sn"]
    assert rows["severity"] == pytest.approx([1.0, 1.0, 0.25])
    assert rows["dist_m"][2] == pytest.approx(5.0)
    assert [g.coords[0] for g in result.errors.geometries] == [(1000, 0), (-1000, 0), (3, 4)]


# ---------------------------------------------------------------- degenerate and wrong input


def test_empty_and_without_junctions():
    nothing, tee, line = network([]), network(TEE), network(LINE)
    good, bad = ("f_correct", "precision", "recall", "f1"), ("f_error",)
    both = junct(nothing, nothing)
    assert [both.scores[name] for name in (*good, *bad)] == [1, 1, 1, 1, 0]
    for result in (junct(tee, nothing), junct(nothing, tee), junct(nothing, line)):
        assert [result.scores[name] for name in (*good, *bad)] == [0, 0, 0, 0, 1]
    assert len(junct(tee, nothing).errors) == len(junct(nothing, tee).errors) == 1
    for prediction in (tee, line, network(RING)):
        result = junct(line, prediction)
        assert set(result.scores.values()) == {None}
        assert set(result.notes.values()) == {"the reference has no junction"}
    assert junct(line, tee).counts == {"n_correct": 0, "n_error": 1, "junctions": 0}
    assert set(junct(tee, nothing, mode="original").scores.values()) == {0.0, 1.0}


def test_a_loop_points_to_its_far_side():
    loop = [[(-50, 0), (0, 0)], [(0, 0), (10, 10), (20, 0), (10, -10), (0, 0)]]
    assert counts((loop, loop)) == {"n_correct": 1, "n_error": 0, "junctions": 1}
    turned = [[(-y, x) for x, y in line] for line in loop]
    # The tail points south now, the loop north: at right angles to all of the reference.
    assert counts((loop, turned)) == {"n_correct": 0, "n_error": 1, "junctions": 1}


@pytest.mark.parametrize(
    "wrong", [{"max_distance": -1.0}, {"direction_distance": 0.0}, {"cluster": np.nan}, {"mode": "fast"}]
)
def test_wrong_parameters(wrong):
    with pytest.raises(ParameterError, match=f"junct: {next(iter(wrong))}"):
        junct(network(LINE), network(LINE), **wrong)


# ---------------------------------------------------------------- properties


@settings(max_examples=30)
@given(lines=pairs(), cluster=st.sampled_from([0.0, 12.0]))
def test_spellings(lines, cluster):
    options = {"max_distance": 12.0, "direction_distance": 20.0, "cluster": cluster}
    expected = counts(lines, **options)
    for spell in SPELLINGS.values():
        assert counts((spell(lines[0]), spell(lines[1]) if lines[1] else []), **options) == pytest.approx(expected)
    same = junct(network(lines[0]), network(lines[0]), **options).scores
    assert same["f1"] is None or same["f1"] == pytest.approx(1.0)


@st.composite
def untied(draw):
    """Networks without exact ties: every vertex is somewhere."""
    lines = noisy(draw(small_lines()), 1.0, seed=draw(st.integers(0, 99)))
    return lines, noisy(lines, 4.0, seed=draw(st.integers(100, 199)))


@settings(max_examples=25)
@given(lines=untied(), name=st.sampled_from(sorted(MOTIONS)))
def test_motions_and_scale(lines, name):
    options = {"max_distance": 12.0, "direction_distance": 20.0}
    expected = pytest.approx(counts(lines, **options))
    assert counts([MOTIONS[name](one) for one in lines], **options) == expected
    assert counts([scaled(one, 3.0) for one in lines], max_distance=36.0, direction_distance=60.0) == expected


@settings(max_examples=15)
@given(one=pairs(), two=pairs())
def test_far_areas_add(one, two):
    both = [a + moved(b, 5000.0, 0.0) for a, b in zip(one, two, strict=True)]
    parts = [counts(one), counts(two)]
    assert counts(both) == pytest.approx({key: parts[0][key] + parts[1][key] for key in parts[0]})


@pytest.mark.parametrize("gap", [8.0, 30.0])
def test_broken_roads_are_not_seen(gap):
    lines = synthetic.interruptions(grid(), 24, gap=gap)
    assert junct(*map(network, lines)).scores["f1"] == 1.0
    assert junct(*map(network, lines)).scores["f_error"] == 0.0


def test_same_input_same_bytes():
    reference, prediction = network(grid()), network(noisy(grid(), 30.0))
    first, second = junct(reference, prediction), junct(reference, prediction)
    assert first.scores == second.scores
    assert first.errors.rows["note"] == second.errors.rows["note"]


# ---------------------------------------------------------------- real data


def test_vancouver(vancouver):
    # The RoadTracer program: .774 / .149 / .811.
    original = junct(*vancouver, max_distance=110.0, direction_distance=110.0, mode="original").scores
    assert original["f_correct"] == pytest.approx(0.774, abs=0.005)
    assert original["f_error"] == pytest.approx(0.149, abs=0.005)
    assert original["f1"] == pytest.approx(0.811, abs=0.005)
    # As printed in the paper each of a bundle of predicted junctions counts, and all but one of them are false.
    paper = junct(*vancouver, max_distance=110.0, direction_distance=110.0).scores
    assert paper["f_correct"] == pytest.approx(0.742, abs=0.001)
    assert paper["f_error"] == pytest.approx(0.518, abs=0.001)
