import json

import numpy as np
import pytest

from geoeval import exceptions
from geoeval.lines.evaluate import evaluate_lines
from geoeval.model.courses import arc, bar, polyline
from geoeval.model.drawing import Drawing

BAR = Drawing([bar((10, 20), (90, 20))], width=8)


def test_scores_have_the_agreed_names_and_are_json():
    result = evaluate_lines(BAR, BAR, seconds=3.0)
    content = json.loads(result.to_json())
    assert content["kind"] == "lines"
    assert {name: list(scores) for name, scores in content["scores"].items()} == {
        "pixel": ["dp", "fp", "pri"],
        "vector": ["dv", "fv", "vri"],
        "combined": ["cdi"],
        "time": ["per_pixel", "per_line"],
    }
    assert content["scores"]["time"]["per_line"] == 3.0
    assert content["scores"]["time"]["per_pixel"] == 3.0 / content["counts"]["pixel"]["ref_pixels"]


def test_weights_reach_the_combined_index():
    other = Drawing([bar((10, 22), (60, 22))], width=6)
    weights = {"pixel": {"alpha": 0.3}, "vector": {"beta": 0.8}, "combined": {"gamma": 0.1}}
    scores = evaluate_lines(BAR, other, parameters=weights).scores
    pixel, vector = scores["pixel"], scores["vector"]
    pri = 0.3 * pixel["dp"] + 0.7 * (1 - pixel["fp"])
    vri = 0.8 * vector["dv"] + 0.2 * (1 - vector["fv"])
    assert (pixel["pri"], vector["vri"]) == (pytest.approx(pri), pytest.approx(vri))
    assert scores["combined"]["cdi"] == pytest.approx(0.1 * pri + 0.9 * vri)
    alone = evaluate_lines(BAR, other, parameters=weights, metrics="combined").scores["combined"]
    assert alone == scores["combined"]


def test_time_without_anything_to_divide_by_is_undefined():
    assert "time" not in evaluate_lines(BAR, BAR).scores
    result = evaluate_lines(Drawing([]), BAR, seconds=1.0)
    assert result.scores["time"] == {"per_pixel": None, "per_line": None}
    assert "time.per_line" in result.notes
    assert evaluate_lines(BAR, BAR, metrics="time").scores["time"]["per_line"] is None
    with pytest.raises(exceptions.ParameterError, match="seconds"):
        evaluate_lines(BAR, BAR, seconds=-1.0)


def older(prediction, reference=BAR, **parameters):
    scores = evaluate_lines(reference, prediction, metrics="kong,hori-doermann", parameters=parameters).scores
    return scores["kong"], scores["hori-doermann"]


def test_kong_is_binary():
    def found(angle=0.0, distance=0.0, share=1.0):
        direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        middle, half = np.array([50, 20 + distance]), 40 * share * direction
        return older(Drawing([bar(middle - half, middle + half)]))[0]

    yes, no = {"detection": 1, "false_alarm": 0}, {"detection": 0, "false_alarm": 1}
    assert found(angle=2.9) == found(angle=182.9) == found(distance=4.9) == found(share=0.81) == found(share=1.2) == yes
    assert found(angle=3.1) == found(distance=5.1) == found(share=0.79) == found(share=1.3) == no


def test_kong_uses_each_line_once():
    twice = Drawing([bar((10, 20), (90, 20)), bar((10, 21), (90, 21))])
    assert older(twice)[0] == {"detection": 1, "false_alarm": 0.5}
    halves = Drawing([bar((10, 20), (50, 20)), bar((50, 20), (90, 20))])
    assert older(halves)[0] == {"detection": 0, "false_alarm": 1}


def test_hori_doermann_by_hand():
    # Ends within 8 / 2 + 1 = 5 match: the first bar is 3 and 4 away (mean 3.5), the second too far at one end.
    prediction = Drawing([bar((90, 24), (10, 23)), bar((10, 20), (84, 20))])
    scores = older(prediction)[1]
    assert scores["count_ratio"] == 2
    assert scores["length_ratio"] == pytest.approx((np.hypot(80, 1) + 74) / 80)
    assert scores["deviation"] == pytest.approx(3.5)
    assert scores["matched"] == 1
    assert older(prediction, **{"hori-doermann": {"margin": 2.0}})[1]["deviation"] == pytest.approx(3.0)


def test_older_protocols_leave_out_what_they_do_not_know():
    both = Drawing([bar((10, 20), (90, 20)), arc((50, 50), 9), polyline([(0, 0), (5, 5), (9, 0)])], width=8)
    result = evaluate_lines(both, both, metrics="kong,hori-doermann")
    assert result.scores["kong"] == {"detection": 1, "false_alarm": 0}
    assert result.scores["hori-doermann"]["count_ratio"] == 1
    assert "4 arcs and polylines" in result.notes["kong.detection"]
    nothing = evaluate_lines(Drawing([]), BAR, metrics="kong,hori-doermann")
    assert nothing.scores["hori-doermann"]["length_ratio"] is None
    assert nothing.scores["kong"] == {"detection": 0, "false_alarm": 1}


def test_progress_and_inputs_in_different_crs():
    steps = []
    road = Drawing([polyline([(500000, 5000000), (500300, 5000040), (500600, 5000000)])], width=8, crs="EPSG:32633")
    circle = Drawing([arc((500000, 5000000), 100)], width=8, crs="EPSG:32633")
    for drawing in (road, circle):
        there = drawing.to_crs("EPSG:32632")
        assert there.shapes.tolist() == drawing.shapes.tolist()
        scores = evaluate_lines(drawing, there, metrics="vector", progress=lambda *step: steps.append(step)).scores
        assert scores["vector"]["vri"] > 0.99
    assert steps[-1] == (1.0, "done")
    with pytest.raises(exceptions.CRSError):
        evaluate_lines(BAR, road)


def test_a_drawing_is_measured_in_its_own_scale():
    """Where nobody states a width, the unit of the drawing does not matter: metres, inches or sheets."""
    true = [bar((0, 0), (100, 0)), bar((0, 0), (0, 60)), arc((50, 30), 20, 0.0, 4.0), polyline([(0, 60), (50, 73)])]
    found = [
        bar((0, 0.13), (70, 0.13)),
        bar((0, 0), (0, 60)),
        arc((50, 30), 20.1, 0.3, 3.0),
        polyline([(0, 60), (40, 90)]),
    ]

    def scores(scale):
        factors = np.array([scale] * 6 + [1.0])
        drawings = [Drawing([course * factors for course in lines], width=np.nan) for lines in (true, found)]
        result = evaluate_lines(*drawings)
        assert "state none" in result.notes["width"]
        return {name: result.scores[name] for name in ("pixel", "vector", "combined")}

    own = scores(1.0)
    assert 0 < own["combined"]["cdi"] < 1
    for scale in (0.001, 10.0, 1e5):  # powers of ten keep the digit that a width is rounded to
        for name, values in scores(scale).items():
            assert values == pytest.approx(own[name], abs=1e-9)


def test_a_prediction_without_widths_takes_those_of_the_reference():
    true = Drawing([bar((0, 0), (100, 0)), bar((0, 50), (100, 50))], width=6)
    for found in (np.nan, 6):
        drawn = Drawing([bar((0, 0), (100, 0)), bar((0, 50), (100, 50))], width=found)
        result = evaluate_lines(true, drawn)
        assert result.scores["combined"]["cdi"] == 1.0
        assert ("width" in result.notes) == (found != 6)
    assert evaluate_lines(true, drawn).parameters["pixel"]["resolution"] == 1.0
    fine = Drawing([bar((0, 0), (100, 0))], width=0.25)
    assert evaluate_lines(fine, fine).parameters["pixel"]["resolution"] == 0.25
    hair = Drawing([bar((0, 0), (100, 0))], width=1e-6)
    assert evaluate_lines(hair, hair).parameters["pixel"]["resolution"] == 100 / 5000
    asked = {"pixel": {"resolution": 0.5}}
    assert evaluate_lines(fine, fine, parameters=asked).parameters["pixel"]["resolution"] == 0.5


def test_lines_inside_the_width_of_their_neighbours_match_themselves():
    """By the printed rule the short line is a fragment of the long one that it lies in."""
    nested = Drawing([bar((0, 0), (100, 0)), bar((20, 1), (60, 1)), bar((0, 3), (100, 3))], width=8)
    assert evaluate_lines(nested, nested).scores["vector"] == {"dv": 1.0, "fv": 0.0, "vri": 1.0}
    without = Drawing([bar((0, 0), (100, 0)), bar((0, 3), (100, 3))], width=8)
    assert evaluate_lines(nested, without).scores["vector"]["dv"] < 1.0


def test_real_drawings_against_themselves_are_perfect(data):
    from geoeval import read_drawing

    for path in sorted((data / "drawings").iterdir()):
        scores = evaluate_lines(*[read_drawing(path)] * 2).scores
        assert scores["pixel"] == {"dp": 1.0, "fp": 0.0, "pri": 1.0}, path.name
        assert scores["vector"] == {"dv": 1.0, "fv": 0.0, "vri": 1.0}, path.name
