"""A score over its tolerance: each point is an evaluation, and the mean is the area under the curve."""

import numpy as np
import pytest

from geoeval import GeoevalError, RoadNetwork, evaluate, perturb
from geoeval.studies.curve import Curve, parse_range, tolerance_curve
from geoeval.studies.study_figures import curve_figure
from tests.networks import CRS, grid, network, noisy

TOWN = network(noisy(grid(4, 4, 200.0), 4.0))
SHIFTED = network([[(x + 3.0, y + 4.0) for x, y in line] for line in noisy(grid(4, 4, 200.0), 4.0)])


@pytest.mark.parametrize(("metric", "parameter"), [("ccq", "tolerance"), ("opt-j", "max_distance")])
def test_each_point_is_an_evaluation_with_that_tolerance(metric, parameter):
    prediction = perturb(SHIFTED, "missing", 4).prediction
    steps = [2.0, 6.0, 20.0]
    curve = tolerance_curve(TOWN, prediction, metric=metric, tolerances=steps)
    for step, scores in zip(steps, curve.scores, strict=True):
        expected = evaluate(TOWN, prediction, metrics=metric, parameters={metric: {parameter: step}})
        assert scores == expected.scores[metric]
    assert curve.values.tolist() == [scores[curve.headline] for scores in curve.scores]
    assert curve.values[0] < curve.values[-1]  # 5 m are beyond 2 m
    assert curve.to_frame()["tolerance_m"].tolist() == steps
    assert curve.to_frame()[curve.headline].tolist() == curve.values.tolist()


def test_the_rest_of_the_town_is_left_out_as_in_an_evaluation():
    city = grid(16, 16)
    part = network([line for line in city if max(max(place) for place in line) <= 700])
    found = {}
    for name, area in {"own": {}, "all": {"aoi": "all"}, "box": {"aoi": (-50, -50, 1100, 1100)}}.items():
        curve = tolerance_curve(network(city), part, metric="ccq", tolerances=[5.0], **area)
        assert curve.scores == [evaluate(network(city), part, metrics="ccq", **area).scores["ccq"]]
        found[name] = curve.area
    assert found["own"] > found["box"] > found["all"]


def test_the_tolerance_is_changed_and_other_parameters_are_kept():
    given = {"max_distance": 1.0, "direction_distance": 20.0}
    curve = tolerance_curve(TOWN, SHIFTED, metric="junct", tolerances=[8.0], parameters={"junct": given})
    expected = evaluate(TOWN, SHIFTED, metrics="junct", parameters={"junct": given | {"max_distance": 8.0}})
    assert curve.scores == [expected.scores["junct"]]


def curve_of(values, tolerances):
    return Curve("m", "f1", np.array(tolerances, dtype=float), [{"f1": value} for value in values])


def test_the_mean_is_the_area_under_the_curve():
    assert curve_of([0.0, 1.0], [2, 4]).area == 0.5
    assert curve_of([0.0, 1.0, 1.0], [1, 2, 4]).area == pytest.approx((0.5 * 1 + 1 * 2) / 3)
    assert curve_of([0.25], [3]).area == 0.25
    undefined = curve_of([None, 1.0], [1, 2])
    assert undefined.area is None
    assert np.isnan(undefined.values[0])


def test_empty_networks_are_perfect_at_any_tolerance():
    nothing = RoadNetwork([], [], crs=CRS)
    assert tolerance_curve(nothing, nothing, metric="ccq", tolerances=[1.0, 9.0]).area == 1


def test_the_figure_shows_the_curve():
    axes = curve_figure(curve_of([0.0, 1.0], [2, 4])).axes[0]
    assert axes.lines[0].get_xydata().tolist() == [[2, 0], [4, 1]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("tolerance (m)", "m f1")
    assert axes.get_title(loc="right") == "mean 0.500"
    assert curve_figure(curve_of([None, 1.0], [1, 2])).axes[0].get_title(loc="right") == ""


def test_progress_begins_with_reading():
    told = []
    tolerance_curve(TOWN, TOWN, metric="ccq", tolerances=[1.0, 2.0], progress=lambda *said: told.append(said))
    assert told == [(0.0, "reading"), (0.0, "tolerance 1 m"), (0.5, "tolerance 2 m")]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"metric": "ccq,opt-j"}, "a curve shows one metric, not 'ccq,opt-j'"),
        ({"metric": "pixel"}, "pixel has no tolerance; choose another metric"),
        ({"tolerances": []}, "positive and increasing"),
        ({"tolerances": [0.0, 1.0]}, "positive and increasing"),
        ({"tolerances": [2.0, 2.0]}, "positive and increasing"),
        ({"metric": "opt-x"}, "unknown metric"),
    ],
)
def test_wrong_choices_are_refused_before_the_reading(arguments, words):
    with pytest.raises(GeoevalError, match=words):
        tolerance_curve("absent.gpkg", "absent.gpkg", **{"tolerances": [1.0]} | arguments)


def test_ranges():
    assert parse_range("1:4").tolist() == [1, 2, 3, 4]
    assert parse_range("1:2:0.1").tolist() == pytest.approx(np.linspace(1, 2, 11))
    assert parse_range("5:5").tolist() == [5]
    for text in ("", "3", "9:3", "0:3", "1:3:0", "1:3:-1", "a:b", "1:2:3:4"):
        with pytest.raises(GeoevalError, match="FIRST:LAST"):
            parse_range(text)
