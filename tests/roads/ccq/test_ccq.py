import json

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.ccq.ccq import ccq, ccq_raster, scores_from_counts
from tests.conftest import HERE, load_cases
from tests.networks import LINE, grid, jittered, network, noisy, small_lines
from tests.roads.metamorphic import MOTIONS, SPELLINGS, moved, scaled

RASTER = {case["name"]: case for case in load_cases("ccq_raster")}
VECTOR = {case["name"]: case for case in load_cases("ccq_vector")}


def errors_of(result, kind):
    rows = result.errors.rows
    chosen = [i for i, value in enumerate(rows["kind"]) if value == kind]
    return [{name: rows[name][i] for name in rows} | {"geometry": result.errors.geometries[i]} for i in chosen]


@st.composite
def pairs(draw):
    lines = draw(small_lines())
    return lines, draw(jittered(lines))


# ---------------------------------------------------------------- closed forms


@pytest.mark.parametrize("name", VECTOR)
def test_vector_case(name):
    case = VECTOR[name]
    given_ = case["input"]
    result = ccq(network(given_["gt"]), network(given_["pred"]), tolerance=given_["params"]["tau"])
    for score, value in case["expected"].items():
        assert result.scores[score] == pytest.approx(value, abs=case["tolerance"])


@pytest.mark.parametrize("name", RASTER)
def test_raster_case(name):
    case = RASTER[name]
    given_ = case["input"]
    result = ccq_raster(given_["gt"], given_["pred"], slack=given_["params"]["slack_px"])
    for score, value in case["expected"].items():
        assert result.scores[score] == pytest.approx(value, abs=case["tolerance"])


def test_table_of_the_paper_recombines():
    rows = json.loads((HERE / "cases" / "citraro_table1.json").read_text())["rows"]
    assert len(rows) == 8
    for row in rows:
        counts = {"pred_length": 1, "pred_matched": row["ccq_corr"], "ref_length": 1, "ref_matched": row["ccq_comp"]}
        assert scores_from_counts(counts)[0]["quality"] == pytest.approx(row["ccq_quality"], abs=0.0015)


# ---------------------------------------------------------------- independent checks


def near_length(network_, other, tolerance, quad_segs=256):
    """Length within a tolerance, by buffers: a polygon inside the true buffer, too small by less than 2e-5."""
    buffer = shapely.union_all(shapely.buffer(other.lines, tolerance * (1 + 1e-5), quad_segs=quad_segs))
    return shapely.length(shapely.intersection(network_.lines, buffer)).sum()


@settings(max_examples=40)
@given(lines=pairs(), tolerance=st.sampled_from([2.0, 5.0, 9.0]))
def test_against_buffers(lines, tolerance):
    reference, prediction = map(network, lines)
    result = ccq(reference, prediction, tolerance=tolerance)
    assert result.counts["ref_length"] == pytest.approx(reference.length)
    # A segment that grazes a buffer gains a length of the root of the radius' error.
    rough = 0.02 * (len(reference.segments) + len(prediction.segments))
    for side, one, other in (("ref", reference, prediction), ("pred", prediction, reference)):
        if not other.is_empty:
            expected = near_length(one, other, tolerance)
            assert result.counts[f"{side}_matched"] == pytest.approx(expected, abs=rough)


@settings(max_examples=30)
@given(lines=pairs(), tolerance=st.sampled_from([2.5, 5.0, 9.0]))
def test_against_samples(lines, tolerance):
    reference, prediction = map(network, lines)
    result = ccq(reference, prediction, tolerance=tolerance)
    shares = (np.arange(400) + 0.5) / 400
    for side, one, other in (("ref", reference, prediction), ("pred", prediction, reference)):
        everything = shapely.union_all(other.lines)  # an empty geometry is at no distance, so it is near nothing
        places = shapely.line_interpolate_point(one.lines[:, None], shares, normalized=True)
        near = shapely.distance(places, everything) <= tolerance + 1e-9
        matched = (one.segment_lengths[:, None] * near).sum() / 400
        # Each segment may have a few ends of intervals, each known to one step.
        step = one.length / 400
        assert result.counts[f"{side}_matched"] == pytest.approx(matched, abs=4 * step + 1e-9)


@settings(max_examples=40)
@given(lines=pairs())
def test_errors_add_up(lines):
    reference, prediction = map(network, lines)
    result = ccq(reference, prediction)
    for kind, side, other in (("missing", "ref", prediction), ("spurious", "pred", reference)):
        rows = errors_of(result, kind)
        unmatched = result.counts[f"{side}_length"] - result.counts[f"{side}_matched"]
        assert sum(row["length_m"] for row in rows) == pytest.approx(unmatched, abs=1e-6)
        for row in rows:
            assert row["geometry"].length == pytest.approx(row["length_m"], abs=1e-5)
            if not other.is_empty:
                assert row["dist_m"] >= 5.0
                assert 0.5 <= row["severity"] <= 1.0
                dense = shapely.segmentize(row["geometry"], 0.05)
                away = shapely.distance(
                    shapely.points(shapely.get_coordinates(dense)), shapely.multilinestrings(list(other.lines))
                )
                assert row["dist_m"] == pytest.approx(away.max(), abs=0.06)


# ---------------------------------------------------------------- errors


def test_what_the_map_shows():
    reference = network([[(0, 0), (100, 0)], [(0, 50), (100, 50)]], ids=["main", "second"])
    prediction = network([[(0, 3), (100, 3)], [(0, 62), (100, 62)]], ids=[7, 8])
    result = ccq(reference, prediction)
    (missing,) = errors_of(result, "missing")
    assert (missing["ref_id"], missing["pred_id"]) == ("second", "")
    assert missing["dist_m"] == pytest.approx(12)
    assert missing["length_m"] == pytest.approx(100)
    assert missing["note"] == "missing: more than 5 m from the prediction"
    (spurious,) = errors_of(result, "spurious")
    assert (spurious["ref_id"], spurious["pred_id"]) == ("", "8")
    assert spurious["severity"] == pytest.approx(12 / 17)
    (displaced,) = errors_of(result, "displaced")
    assert (displaced["ref_id"], displaced["pred_id"]) == ("main", "7")
    assert displaced["dist_m"] == pytest.approx(3)
    assert displaced["length_m"] == pytest.approx(100)


def test_displaced_is_between_half_and_all_of_the_tolerance():
    # The road leaves the reference slowly: 0 m away at x = 0, 10 m at x = 1000.
    prediction = network([[(0, 0), (400, 4), (1000, 10)]])
    (displaced,) = errors_of(ccq(network([[(-50, 0), (1100, 0)]]), prediction), "displaced")
    assert displaced["length_m"] == pytest.approx(250, rel=1e-4)
    assert displaced["dist_m"] == pytest.approx(3.75, rel=1e-6)
    assert shapely.get_coordinates(displaced["geometry"])[:, 0] == pytest.approx([250, 400, 500])


def test_a_gap_in_one_road_is_one_missing_piece_whatever_its_vertices():
    reference = network([[(0, 0), (30, 0), (40, 0), (60, 0), (100, 0)]])
    (missing,) = errors_of(ccq(reference, network([[(0, 0), (20, 0)], [(80, 0), (100, 0)]])), "missing")
    assert missing["length_m"] == pytest.approx(50)


# ---------------------------------------------------------------- empty and wrong input


def test_empty():
    nothing, road = network([]), network([[(0, 0), (100, 0)]])
    assert set(ccq(nothing, nothing).scores.values()) == {1.0}
    for reference, prediction, kind in ((road, nothing, "missing"), (nothing, road, "spurious")):
        result = ccq(reference, prediction)
        assert set(result.scores.values()) == {0.0}
        (row,) = errors_of(result, kind)
        assert row["length_m"] == pytest.approx(100)
        assert np.isnan(row["dist_m"])
        assert row["severity"] == 1.0
        assert "is empty" in row["note"]
    masks = np.zeros((3, 3)), np.eye(3)
    assert set(ccq_raster(masks[0], masks[0], slack=1).scores.values()) == {1.0}
    assert set(ccq_raster(masks[0], masks[1], slack=1).scores.values()) == {0.0}
    assert set(ccq_raster(masks[1], masks[0], slack=1).scores.values()) == {0.0}


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, np.inf])
def test_wrong_tolerance(tolerance):
    road = network([[(0, 0), (100, 0)]])
    with pytest.raises(ParameterError, match="tolerance"):
        ccq(road, road, tolerance=tolerance)
    with pytest.raises(ParameterError, match="slack"):
        ccq_raster([[1]], [[1]], slack=tolerance)
    with pytest.raises(ParameterError, match="shape"):
        ccq_raster([[1]], [[1, 0]], slack=1)


# ---------------------------------------------------------------- properties


def scores(lines, tolerance=5.0):
    return ccq(network(lines[0]), network(lines[1]), tolerance=tolerance).scores


@settings(max_examples=25)
@given(lines=pairs(), name=st.sampled_from(sorted(MOTIONS)))
def test_motions(lines, name):
    motion = MOTIONS[name]
    assert scores([motion(one) for one in lines]) == pytest.approx(scores(lines), abs=1e-3)


@settings(max_examples=25)
@given(lines=pairs(), name=st.sampled_from(sorted(SPELLINGS)))
def test_spellings(lines, name):
    spelled = SPELLINGS[name](lines[0]), SPELLINGS[name](lines[1]) if lines[1] else []
    assert scores(spelled) == pytest.approx(scores(lines), abs=1e-3)


@settings(max_examples=25)
@given(lines=pairs())
def test_scale_swap_and_identity(lines):
    there, back = scores(lines), scores(lines[::-1])
    assert scores([scaled(one, 2.0) for one in lines], tolerance=10.0) == pytest.approx(there, abs=1e-3)
    assert back["quality"] == pytest.approx(there["quality"])
    assert (back["correctness"], back["completeness"]) == pytest.approx((there["completeness"], there["correctness"]))
    assert set(scores([lines[0], lines[0]]).values()) == {1.0}


@settings(max_examples=20)
@given(one=pairs(), two=pairs())
def test_far_areas_add(one, two):
    both = [a + moved(b, 5000.0, 0.0) for a, b in zip(one, two, strict=True)]
    parts = [ccq(network(r), network(p)).counts for r, p in (one, two)]
    added = ccq(network(both[0]), network(both[1])).counts
    assert added == pytest.approx({key: parts[0][key] + parts[1][key] for key in added}, abs=1e-6)


def test_below_the_tolerance_nothing_is_lost_and_beyond_more_errors_cost_more():
    lines = grid()
    near = [[(x + 3, y + 4) for x, y in line] for line in lines]
    assert ccq(network(lines), network(near)).scores["quality"] == 1.0
    qualities = [ccq(network(lines), network(noisy(lines, amount))).scores["quality"] for amount in (0, 3, 9, 27)]
    assert qualities[0] == 1.0
    assert (np.diff(qualities) < 0).all()


def test_same_input_same_bytes():
    reference, prediction = network(grid()), network(noisy(grid(), 5.0))
    first, second = ccq(reference, prediction), ccq(reference, prediction)
    assert first.scores == second.scores
    assert [g.wkb for g in first.errors.geometries] == [g.wkb for g in second.errors.geometries]
    assert first.errors.rows["note"] == second.errors.rows["note"]


# ---------------------------------------------------------------- real data


def test_vancouver(vancouver):
    result = ccq(*vancouver, tolerance=8.0)
    # The authors' code at full resolution, in pixels: quality 0.422; metres weigh diagonal roads rightly.
    assert result.scores["quality"] == pytest.approx(0.4306, abs=0.0005)
    assert result.scores["correctness"] == pytest.approx(0.5966, abs=0.0005)
    assert result.scores["completeness"] == pytest.approx(0.6074, abs=0.0005)


def test_a_tile_does_not_say_that_a_network_is_empty():
    """What is empty around a tile need not be empty elsewhere."""
    whole = ccq(network(LINE), network([]))
    tile = ccq(network(LINE), network([]), loaded_box=(-50.0, -50.0, 150.0, 50.0))
    assert whole.errors.rows["note"] == ["missing: the prediction is empty"]
    assert tile.errors.rows["note"] == ["missing: more than 5 m from the prediction"]
    assert tile.counts == whole.counts
