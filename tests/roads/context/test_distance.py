import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.roads.context.distance import SCORES, distance
from tests.networks import LINE, TEE, jittered, network, small_lines
from tests.roads.metamorphic import MOTIONS, SPELLINGS, scaled


@st.composite
def pairs(draw):
    lines = draw(small_lines())
    return lines, draw(jittered(lines)) or lines


def scores(lines):
    return distance(network(lines[0]), network(lines[1])).scores


def test_closed_forms():
    # A parallel road that is half as long: 3 m away, and beyond its end up to hypot(50, 3).
    result = scores((LINE, [[(0, 3), (50, 3)]]))
    beyond = (50 * math.hypot(50, 3) + 9 * math.asinh(50 / 3)) / 2
    assert result["chamfer_prediction"] == pytest.approx(3)
    assert result["chamfer_reference"] == pytest.approx((150 + beyond) / 100)
    assert result["chamfer"] == pytest.approx((3 + (150 + beyond) / 100) / 2)
    assert result["hausdorff_prediction"] == pytest.approx(3)
    assert result["hausdorff"] == result["hausdorff_reference"] == pytest.approx(math.hypot(50, 3))


def test_the_farthest_place_is_inside_a_segment():
    # Between two parallel roads, where no vertex is: a distance over vertices alone would say 50.
    result = scores(([[(0, 0), (100, 0)]], [[(0, -50), (0, 50)], [(100, -50), (100, 50)]]))
    assert result["hausdorff_reference"] == pytest.approx(50)
    assert result["hausdorff_prediction"] == pytest.approx(50)
    assert result["chamfer_reference"] == pytest.approx(25)


@settings(max_examples=40)
@given(lines=pairs())
def test_against_samples(lines):
    networks = [network(one) for one in lines]
    result = distance(*networks)
    for side, name in enumerate(("reference", "prediction")):
        shares = (np.arange(500) + 0.5) / 500
        own, other = networks[side], shapely.multilinestrings(list(networks[1 - side].lines))
        away = shapely.distance(shapely.line_interpolate_point(own.lines[:, None], shares, normalized=True), other)
        mean = (away.mean(axis=1) * own.segment_lengths).sum() / own.length
        assert result.scores[f"chamfer_{name}"] == pytest.approx(mean, abs=1e-3)
        step = own.segment_lengths.max() / 1000
        assert away.max() - 1e-9 <= result.scores[f"hausdorff_{name}"] <= away.max() + step + 1e-9


@settings(max_examples=20)
@given(lines=pairs(), name=st.sampled_from(sorted({**MOTIONS, **SPELLINGS})))
def test_properties(lines, name):
    expected = scores(lines)
    changed = {**MOTIONS, **SPELLINGS}[name]
    assert scores([changed(one) for one in lines]) == pytest.approx(expected, abs=1e-5)
    doubled = {key: 2 * value for key, value in expected.items()}
    assert scores([scaled(one, 2.0) for one in lines]) == pytest.approx(doubled, abs=1e-9)
    back = scores(lines[::-1])
    assert (back["chamfer"], back["hausdorff"]) == pytest.approx((expected["chamfer"], expected["hausdorff"]))
    assert back["chamfer_reference"] == pytest.approx(expected["chamfer_prediction"])
    assert set(scores([lines[0], lines[0]]).values()) == {0.0}


def test_the_farthest_places_are_on_the_map():
    result = distance(network(TEE, ids=["main", "north"]), network([[(-100, 0), (100, 0)]]))
    assert result.errors.rows["kind"] == ["missing"]
    assert result.errors.rows["ref_id"] == ["north"]
    assert result.errors.rows["dist_m"] == pytest.approx([100])
    assert result.errors.geometries[0].coords[0] == pytest.approx((0, 100))


def test_empty():
    nothing, line = network([]), network(LINE)
    assert distance(nothing, nothing).scores == dict.fromkeys(SCORES, 0.0)
    for pair, which in (((line, nothing), "prediction"), ((nothing, line), "reference")):
        result = distance(*pair)
        assert result.scores == dict.fromkeys(SCORES)
        assert set(result.notes.values()) == {f"the {which} is empty: there is no distance to nothing"}
