import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.junctions.opt_j import opt_j
from tests.conftest import load_cases
from tests.networks import CROSS, LINE, RING, TEE, grid, jittered, network, noisy, small_lines
from tests.roads import errors as synthetic
from tests.roads.metamorphic import MOTIONS, SPELLINGS, moved, scaled
from tests.roads.slow_graph import graph, nearest

CASES = {case["name"]: case for case in load_cases("opt_j")}
FORMS = {"degree_first": "degree-first", "printed": "printed"}


def rows_of(result, kind=None):
    rows = result.errors.rows
    return [
        {name: rows[name][i] for name in rows} | {"geometry": result.errors.geometries[i]}
        for i in range(len(result.errors))
        if kind in {None, rows["kind"][i]}
    ]


def triple(reference, prediction, **options):
    counts = opt_j(network(reference), network(prediction), **options).counts
    return counts["tp"], counts["pp"], counts["ap"]


@st.composite
def pairs(draw):
    lines = draw(small_lines())
    return lines, draw(jittered(lines))


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    case = CASES[name]
    given_, parameters = case["input"], case["input"]["params"]
    result = opt_j(
        network(given_["gt"]),
        network(given_["pred"]),
        max_distance=parameters["dmax"],
        alpha=parameters["alpha"],
        exist=parameters["exist"],
        cost=FORMS[parameters["form"]],
    )
    for score, value in case["expected"].items():
        if value is None:
            assert result.scores[score] is None
            assert "no junction" in result.notes[score]
        else:
            assert result.scores[score] == pytest.approx(value, abs=case["tolerance"])


def test_printed_cost_prefers_the_road():
    # A junction 5 m along its road: the printed cost matches it to the road instead of to its partner.
    gt = [[(-50, 0), (0, 0), (50, 0)], [(0, 0), (0, 50)]]
    shifted = [[(-50, 0), (5, 0), (50, 0)], [(5, 0), (5, 50)]]
    assert opt_j(network(gt), network(shifted)).scores["f1"] == 1.0
    assert opt_j(network(gt), network(shifted), cost="printed", alpha=100.0).scores["f1"] == pytest.approx(0.875)


def test_equal_cost_prefers_the_feature():
    # The predicted T is as far from a crossing (one road more) as from a road beside it (one road less).
    crossing = [[(5, 0), end] for end in ((100, 0), (100, 50), (100, -50), (5, 100))]
    reference = [*crossing, [(-5, -300), (-5, 300)]]
    prediction = [[(0, 0), end] for end in ((-100, 0), (0, 100), (0, -100))]
    matching = opt_j(network(reference), network(prediction)).details["matching"]
    tee = matching.prediction.order.argmax()
    assert matching.prediction.order[tee] == 3
    assert matching.prediction.partner[tee] == matching.reference.order.argmax()
    assert triple(reference, prediction) == slow_counts((reference, prediction))


# ---------------------------------------------------------------- the definition once more, slowly


def slow_counts(lines, *, max_distance=15.0, alpha=60.0, exist=0.6):
    graphs = [graph(one) for one in lines]
    features = [{p: len(q) for p, q in one.items() if len(q) != 2} for one in graphs]
    candidates = []
    for p, order in features[0].items():
        for q, other in features[1].items():
            d = math.dist(p, q)
            if d <= max_distance:
                candidates.append((round(d + alpha * abs(order - other), 6), 0, round(d, 6), *sorted([p, q]), p, q))
    for side in (0, 1):
        for p, order in features[side].items():
            found = nearest(p, graphs[1 - side])
            if found is None or found[0] > max_distance:
                continue
            place = found[1:]
            if any(math.dist(place, q) <= exist for q in features[1 - side]):
                continue
            ends = (p, None) if side == 0 else (None, p)
            cost = round(found[0] + alpha * abs(order - 2), 6)
            candidates.append((cost, 1, round(found[0], 6), *sorted([p, place]), *ends))
    candidates.sort(key=lambda c: c[:5])
    free = [set(features[0]), set(features[1])]
    tp = pp = ap = 0
    for *_, p, q in candidates:
        if (p is None or p in free[0]) and (q is None or q in free[1]):
            orders = features[0].get(p, 2), features[1].get(q, 2)
            tp, ap, pp = tp + min(orders), ap + orders[0], pp + orders[1]
            free[0].discard(p)
            free[1].discard(q)
    return tp, pp + sum(features[1][q] for q in free[1]), ap + sum(features[0][p] for p in free[0])


@settings(max_examples=80)
@given(lines=pairs())
def test_against_the_slow_greedy(lines):
    assert triple(*lines) == slow_counts(lines)


@settings(max_examples=30)
@given(lines=pairs())
def test_against_the_slow_greedy_with_other_parameters(lines):
    options = {"max_distance": 9.0, "alpha": 3.0, "exist": 2.0}
    assert triple(*lines, **options) == slow_counts(lines, **options)


# ---------------------------------------------------------------- the exact laws


@pytest.mark.parametrize(
    ("error", "law"),
    [
        (synthetic.interruptions, (2, 2, 4)),
        (synthetic.overconnections, (4, 6, 4)),
        (synthetic.doubled, (4, 6, 4)),
        (synthetic.doubled_reference, (4, 4, 6)),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_each_error_costs_what_it_should(error, law, seed):
    assert triple(*error(grid(), 0, seed=seed)) == (40, 40, 40)
    for count in (1, 5, 12):
        expected = tuple(40 + count * change for change in law)
        assert triple(*error(grid(), count, seed=seed)) == expected
    tp, pp, ap = (40 + 12 * change for change in law)
    f1 = opt_j(*map(network, error(grid(), 12, seed=seed))).scores["f1"]
    assert f1 == pytest.approx(2 * tp / (pp + ap))


def test_laws_of_branches_and_far_roads():
    town = grid()
    branch = [[(50, 0), (50, 40)]]
    with_branch = [*[line for line in town if line != [(0, 0), (100, 0)]], [(0, 0), (50, 0), (100, 0)], *branch]
    assert triple(town, with_branch) == (42, 44, 42)
    whole = triple(with_branch, with_branch)
    assert whole == (44, 44, 44)
    assert triple(with_branch, town) == (42, 42, 44)
    assert triple(town, [*town, [(5000, 0), (5100, 0)]]) == (40, 42, 40)


# ---------------------------------------------------------------- errors on the map


def test_a_break_is_one_line_at_the_gap():
    reference = network([[(0, 0), (100, 0)]], ids=["main"])
    prediction = network([[(0, 2), (46, 2)], [(54, 2), (100, 2)]], ids=["west", "east"])
    (row,) = rows_of(opt_j(reference, prediction))
    assert (row["kind"], row["ref_id"], row["pred_id"]) == ("break", "main", "west;east")
    assert row["geometry"].equals_exact(shapely.LineString([(46, 0), (54, 0)]), 1e-9)
    assert (row["length_m"], row["dist_m"]) == pytest.approx((8, 8))
    assert row["note"] == "gap: the road is interrupted for 8.0 m"


@pytest.mark.parametrize("count", [1, 7, 12])
def test_as_many_breaks_as_interruptions(count):
    reference, prediction = synthetic.interruptions(grid(), count, gap=20.0)
    rows = rows_of(opt_j(network(reference), network(prediction)))
    assert [row["kind"] for row in rows] == ["break"] * count
    assert [row["length_m"] for row in rows] == pytest.approx([20.0] * count)
    assert all(row["geometry"].geom_type == "LineString" for row in rows)


def test_three_breaks_in_one_bent_road():
    reference = network([[(0, 0), (100, 0), (100, 100), (200, 100)]])
    prediction = network(
        [
            [(0, 0), (30, 0)],
            [(50, 0), (100, 0), (100, 20)],
            [(100, 80), (100, 100), (150, 100)],
            [(160, 100), (200, 100)],
        ]
    )
    rows = rows_of(opt_j(reference, prediction))
    assert sorted(row["length_m"] for row in rows if row["kind"] == "break") == pytest.approx([10, 20, 60])
    assert len(rows) == 3


def test_ends_that_passed_each_other():
    prediction = network([[(0, 1), (53, 1)], [(47, -1), (100, -1)]])
    (row,) = rows_of(opt_j(network(LINE), prediction))
    assert row["kind"] == "break"
    assert row["length_m"] == pytest.approx(math.hypot(6, 2))


def test_a_gap_where_a_ring_begins():
    # The ring's roads begin at its smallest vertex, (0, 0), and the gap lies around it.
    reference = network(RING)
    prediction = network([[(10, 0), (40, 0), (40, 40), (0, 40), (0, 10)]])
    (row,) = rows_of(opt_j(reference, prediction))
    assert row["kind"] == "break"
    assert row["length_m"] == pytest.approx(20)
    assert row["geometry"].length == pytest.approx(20)


def test_a_floating_piece_is_two_gaps():
    prediction = network([[(0, 0), (30, 0)], [(45, 0), (55, 0)], [(70, 0), (100, 0)]])
    rows = rows_of(opt_j(network(LINE), prediction))
    assert sorted(row["length_m"] for row in rows) == pytest.approx([15, 15])
    assert {row["kind"] for row in rows} == {"break"}


def test_a_road_that_stops_alone():
    # The reference goes on to the junction; the prediction stops before it.
    prediction = [[(-100, 0), (100, 0)], [(0, 100), (0, 40)]]
    rows = rows_of(opt_j(network(TEE), network(prediction)))
    assert sorted((row["kind"], row["note"]) for row in rows) == [
        ("break", "gap end: the road stops 40.0 m before a junction"),
        ("junction", "missing arms: 2 here, 3 in the reference"),
    ]
    (row,) = [row for row in rows if row["kind"] == "break"]
    assert row["geometry"].equals_exact(shapely.LineString([(0, 0), (0, 40)]), 1e-9)
    assert row["length_m"] == pytest.approx(40)
    # Where the reference leads to no junction that lacks a road, there is only the end to show.
    (row,) = rows_of(opt_j(network([[(0, 0), (200, 0)]]), network([[(0, 0), (90, 0)]])), "break")
    assert row["geometry"].equals(shapely.Point(90, 0))
    assert row["note"] == "gap end: the road ends here, it goes on in the reference"


def test_a_junction_that_has_all_its_roads_is_not_joined_once_more():
    beside = [[(5, 60), (5, 30)]]
    rows = rows_of(opt_j(network(TEE), network([*TEE, *beside])))
    assert [(row["kind"], row["geometry"].geom_type) for row in rows] == [("break", "Point")] * 2


def test_a_false_link_is_one_line():
    reference = network([[(0, 0), (40, 0)], [(60, 0), (100, 0)]], ids=["a", "b"])
    (row,) = rows_of(opt_j(reference, network(LINE, ids=["through"])))
    assert (row["kind"], row["ref_id"], row["pred_id"]) == ("false_link", "a;b", "through")
    assert row["length_m"] == pytest.approx(20)
    assert row["note"] == "overrun: joins two ends that are 20.0 m apart in the reference"


def test_a_dead_end_joined_to_a_junction_is_a_false_link():
    reference = [[(-100, 0), (0, 0), (100, 0)], [(0, 100), (0, 40)]]
    rows = rows_of(opt_j(network(reference), network(TEE, ids=["main", "north"])))
    assert sorted((row["kind"], row["note"]) for row in rows) == [
        ("false_link", "overrun: goes on for 40.0 m to a junction, the road ends in the reference"),
        ("junction", "extra arms: 3 here, 2 in the reference"),
    ]
    (row,) = [row for row in rows if row["kind"] == "false_link"]
    assert (row["pred_id"], row["length_m"]) == ("north", pytest.approx(40))


def test_a_single_overrun_is_spurious():
    rows = rows_of(opt_j(network(LINE), network([[(0, 0), (160, 0)]])))
    assert sorted((row["kind"], row["note"].split(":")[0]) for row in rows) == [
        ("spurious", "overrun"),
        ("spurious", "spurious end"),
    ]


def test_junctions_name_both_numbers():
    south = [[(0, 0), (0, -100)]]
    (missing,) = rows_of(opt_j(network(CROSS), network(TEE)), "junction")
    assert missing["note"] == "missing arms: 3 here, 4 in the reference"
    assert (missing["arms"], missing["ref_arms"]) == (3, 4)
    assert missing["severity"] == pytest.approx(0.25)
    (extra,) = rows_of(opt_j(network(TEE), network([*TEE, *south])), "junction")
    assert extra["note"] == "extra arms: 4 here, 3 in the reference"
    assert (extra["arms"], extra["ref_arms"]) == (4, 3)
    (alone,) = rows_of(opt_j(network(moved(CROSS, 500, 0)), network(LINE)), "junction")
    assert alone["note"] == "missing junction: 0 here, 4 in the reference"
    assert (alone["arms"], alone["ref_arms"]) == (0, 4)
    (alone,) = rows_of(opt_j(network(LINE), network(moved(TEE, 500, 0))), "junction")
    assert alone["note"] == "spurious junction: 3 here, 0 in the reference"
    assert (alone["arms"], alone["ref_arms"]) == (3, 0)
    assert alone["severity"] == 1.0


def test_displaced_beyond_half_of_the_distance():
    rows = rows_of(opt_j(network(TEE), network(moved(TEE, 8, 6)), max_distance=15.0))
    assert {row["kind"] for row in rows} == {"displaced"}
    assert len(rows) == 4
    assert {row["note"] for row in rows} == {
        "displaced end: by +8.0 m east, +6.0 m north",
        "displaced junction: by +8.0 m east, +6.0 m north",
    }
    assert rows_of(opt_j(network(TEE), network(moved(TEE, 3, 4)), max_distance=15.0)) == []


@settings(max_examples=40)
@given(lines=pairs())
def test_every_wrong_road_is_on_the_map(lines):
    """The arms of junctions, gaps and links explain exactly what TP lacks of PP and AP."""
    result = opt_j(network(lines[0]), network(lines[1]))
    lost = {"here": 0, "there": 0}
    for row in rows_of(result):
        name = row["note"].split(":")[0]
        if row["kind"] == "junction":
            here, there = int(row["arms"]), int(row["ref_arms"])
            assert row["note"] == f"{name}: {here} here, {there} in the reference"
            lost["here"] += max(0, here - there)
            lost["there"] += max(0, there - here)
        else:
            effect = {
                "gap": (0, 2),
                "gap end": (0, 1),
                "overrun": (2, 0) if "joins two ends" in row["note"] else (1, 0),
                "missing end": (0, 1),
                "spurious end": (1, 0),
            }.get(name, (0, 0))
            lost["here"] += effect[0]
            lost["there"] += effect[1]
    assert lost["here"] == result.counts["pp"] - result.counts["tp"]
    assert lost["there"] == result.counts["ap"] - result.counts["tp"]


# ---------------------------------------------------------------- degenerate and wrong input


def test_empty_and_featureless():
    nothing, tee = network([]), network(TEE)
    both = opt_j(nothing, nothing)
    assert [both.scores[name] for name in ("precision", "recall", "f1")] == [1.0, 1.0, 1.0]
    missing = opt_j(tee, nothing)
    assert [missing.scores[name] for name in ("precision", "recall", "f1", "ap", "pp")] == [0.0, 0.0, 0.0, 6, 0]
    assert sorted(row["kind"] for row in rows_of(missing)) == ["junction", "missing", "missing", "missing"]
    spurious = opt_j(nothing, tee)
    assert [spurious.scores[name] for name in ("precision", "recall", "f1", "ap", "pp")] == [0.0, 0.0, 0.0, 0, 6]
    assert opt_j(network(RING), nothing).scores["f1"] == 0.0
    # A ring and a far road: nothing to recall, and nothing of what was claimed is right.
    ring = opt_j(network(RING), network(moved(LINE, 900, 0)))
    assert (ring.scores["precision"], ring.scores["recall"], ring.scores["f1"]) == (0.0, None, 0.0)
    assert "recall" in ring.notes


def test_ends_made_by_clipping_are_no_features():
    area = (20, 20, 280, 280)
    reference, prediction = network(grid()).clip(area), network(noisy(grid(), 2.0)).clip(area)
    result = opt_j(reference, prediction)
    assert (result.counts["tp"], result.counts["pp"], result.counts["ap"]) == (16, 16, 16)
    assert len(result.errors) == 0


@pytest.mark.parametrize("wrong", [{"max_distance": -1.0}, {"alpha": np.nan}, {"exist": np.inf}, {"cost": "cheap"}])
def test_wrong_parameters(wrong):
    with pytest.raises(ParameterError, match=f"opt-j: {next(iter(wrong))}"):
        opt_j(network(LINE), network(LINE), **wrong)


# ---------------------------------------------------------------- properties


@settings(max_examples=30)
@given(lines=pairs(), seed=st.integers(0, 5))
def test_spellings_and_swap(lines, seed):
    tp, pp, ap = triple(*lines)
    assert triple(*lines[::-1]) == (tp, ap, pp)
    assert triple(lines[0], lines[0])[:2] == (triple(lines[0], lines[0])[2],) * 2
    for spell in SPELLINGS.values():
        assert triple(spell(lines[0]), spell(lines[1]) if lines[1] else []) == (tp, pp, ap)


@st.composite
def untied(draw):
    """Networks without exact ties: every vertex is somewhere."""
    lines = noisy(draw(small_lines()), 1.0, seed=draw(st.integers(0, 99)))
    return lines, noisy(lines, 4.0, seed=draw(st.integers(100, 199)))


@settings(max_examples=30)
@given(lines=untied(), name=st.sampled_from(sorted(MOTIONS)))
def test_motions_scale_and_alpha(lines, name):
    expected = triple(*lines)
    assert triple(*(MOTIONS[name](one) for one in lines)) == expected
    assert triple(*(scaled(one, 3.0) for one in lines), max_distance=45.0, alpha=180.0, exist=1.8) == expected
    assert triple(*lines, alpha=16.0) == triple(*lines, alpha=1e6) == expected


@settings(max_examples=20)
@given(one=pairs(), two=pairs())
def test_far_areas_add(one, two):
    both = [a + moved(b, 5000.0, 0.0) for a, b in zip(one, two, strict=True)]
    assert triple(*both) == tuple(np.add(triple(*one), triple(*two)))


@pytest.mark.parametrize("amount", [1.0, 2.0])
def test_small_perturbations_cost_nothing(amount):
    # A place of a junction moved by less than max_distance, with its roads, stays matched.
    assert opt_j(network(grid()), network(noisy(grid(), amount))).scores["f1"] == 1.0


def test_same_input_same_bytes():
    reference, prediction = network(grid()), network(noisy(grid(), 9.0))
    first, second = opt_j(reference, prediction), opt_j(reference, prediction)
    assert first.scores == second.scores
    assert [g.wkb for g in first.errors.geometries] == [g.wkb for g in second.errors.geometries]


# ---------------------------------------------------------------- real data


def test_vancouver(vancouver):
    result = opt_j(*vancouver, max_distance=25.0, alpha=100.0, exist=1.0)
    # The authors' code: .736 / .795 / .765. It goes through the nodes one by one, reference first, so that a
    # junction gets its partner before that one could be matched to a nearer road; the same greedy list in that
    # order gives their numbers to the digit.
    assert result.scores["precision"] == pytest.approx(0.711, abs=0.001)
    assert result.scores["recall"] == pytest.approx(0.782, abs=0.001)
    assert result.scores["f1"] == pytest.approx(0.745, abs=0.001)
