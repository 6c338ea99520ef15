"""JUNCT of RoadTracer, clDice, Betti numbers and Citraro's parameters, on inputs that can be counted by hand."""

import numpy as np
import pytest

from geoeval import RoadNetwork, evaluate
from geoeval.exceptions import ParameterError

CROSS = {(1000, 1000): [(1000, 800), (1000, 1200), (800, 1000), (1200, 1000)]}
CROSS |= {end: [(1000, 1000)] for end in CROSS[1000, 1000]}
REGION = [0, 0, 2000, 2000]


def junct(reference, prediction):
    given = {"roadtracer-junct": {"region": REGION}}
    return evaluate(reference, prediction, protocol="roadtracer-junct", parameters=given)


def test_junctions_of_vancouver(data):
    folder = data / "roads" / "vancouver"
    result = evaluate(folder / "reference.graph", folder / "roadtracer.graph", protocol="roadtracer-junct")
    scores = result.scores["roadtracer-junct"]
    # The program gives .774, .149 and .811; other orders of the nodes move f1 by as much as is left.
    assert (scores["f_correct"], scores["f_error"]) == pytest.approx((0.774, 0.149), abs=0.0025)
    assert scores["f1"] == pytest.approx(0.811, abs=0.001)


def test_a_crossing_that_lost_an_arm():
    assert junct(CROSS, CROSS).scores["roadtracer-junct"] == {"f1": 1.0, "f_correct": 1.0, "f_error": 0.0}
    three = {key: [n for n in others if n != (1000, 800)] for key, others in CROSS.items() if key != (1000, 800)}
    scores = junct(CROSS, three).scores["roadtracer-junct"]
    assert scores["f_correct"] == pytest.approx(3 / 4)  # north and south are no less than 90 degrees from west
    assert scores["f_error"] == 0.0
    none = {(1000, 800): [(1000, 1200)], (1000, 1200): [(1000, 800)]}
    result = junct(CROSS, none)
    assert result.scores["roadtracer-junct"]["f_correct"] == 0.0
    assert result.errors["points"]["kind"].tolist() == ["unmatched_hole"]
    assert result.errors["points"].geometry.iloc[0].coords[0] == (1000.0, -1000.0)


def test_arms_without_a_partner_are_on_the_map():
    three = {key: [n for n in others if n != (1000, 800)] for key, others in CROSS.items() if key != (1000, 800)}
    points = junct(CROSS, three).errors["points"]
    assert points["kind"].tolist() == ["unmatched_hole"]
    assert points["severity"].tolist() == [0.25]
    assert points["note"].tolist() == ["25% of this junction's arms have no partner"]
    outside = evaluate(CROSS, CROSS, protocol="roadtracer-junct")
    assert outside.scores["roadtracer-junct"]["f1"] is None
    assert "260 px inside the region" in outside.notes["roadtracer-junct.f1"]
    with pytest.raises(ParameterError, match="give \\[min_column"):
        evaluate(CROSS, CROSS, protocol="roadtracer-junct", parameters={"roadtracer-junct": {"region": [1, 2]}})


def test_cldice_of_a_line_and_its_half():
    whole, half = np.zeros((40, 100), dtype=bool), np.zeros((40, 100), dtype=bool)
    whole[20, 10:90] = True
    half[20, 10:50] = True
    scores = evaluate(whole, half, protocol="cldice").scores["cldice"]
    assert scores == {"cldice": pytest.approx(2 / 3), "precision": 1.0, "sensitivity": pytest.approx(1 / 2)}
    nothing = evaluate(whole, np.zeros_like(whole), protocol="cldice")
    assert nothing.scores["cldice"]["cldice"] is None
    assert "no skeleton" in nothing.notes["cldice.cldice"]
    with pytest.raises(ParameterError, match="of one size"):
        evaluate(whole, half[:, :50], protocol="cldice")


def test_betti_numbers_by_three_conventions():
    ring, two = np.zeros((130, 130), dtype=bool), np.zeros((130, 130), dtype=bool)
    ring[10:30, 10:30] = True
    ring[15:25, 15:25] = False
    two[10:30, 10:30] = True
    two[100:110, 100:110] = True

    def errors(convention):
        return evaluate(ring, two, protocol="betti", parameters={"betti": {"convention": convention}}).scores["betti"]

    assert errors("image") == {"betti_error": 2.0, "b0_error": 1.0, "b1_error": 1.0}
    assert errors("window=65") == {"betti_error": 0.5, "b0_error": 0.25, "b1_error": 0.25}
    assert errors("closed-border") == {"betti_error": 1.0, "b0_error": None, "b1_error": 1.0}
    with pytest.raises(ParameterError, match="window=65"):
        errors("box")


def test_diagonal_pixels_join_the_foreground_and_not_the_background():
    diamond = np.zeros((5, 5), dtype=bool)
    diamond[[1, 2, 2, 3], [2, 1, 3, 2]] = True
    empty = np.zeros_like(diamond)
    assert evaluate(diamond, empty, protocol="betti").scores["betti"]["b0_error"] == 1.0
    assert evaluate(diamond, empty, protocol="betti").scores["betti"]["b1_error"] == 1.0


def test_citraro_is_our_metrics_with_the_published_parameters():
    found = evaluate(CROSS_NETWORK, CROSS_NETWORK, protocol="citraro").scores["citraro"]
    assert set(found.values()) == {1.0}
    assert len(found) == 9
    broken = RoadNetwork.from_lines([[(0, 0), (380, 0)], [(400, -400), (400, 0), (400, 300)], [(420, 0), (800, 30)]])
    drawn = evaluate(CROSS_NETWORK, broken, protocol="citraro", seed=3).scores
    assert drawn == evaluate(CROSS_NETWORK, broken, protocol="citraro", parameters={"citraro": {"seed": 3}}).scores


def _network():
    return RoadNetwork.from_lines([[(0, 0), (800, 0)], [(400, -400), (400, 0), (400, 400)], [(400, 0), (0, 0)]])


CROSS_NETWORK = _network()
