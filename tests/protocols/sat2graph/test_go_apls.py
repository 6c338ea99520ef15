"""APLS of Sat2Graph: against the Go program, and on roads whose paths can be counted."""

import pytest

from geoeval import evaluate
from geoeval.exceptions import ParameterError
from tests.protocols.sat2graph.test_topo import straight


def score(reference, prediction, **parameters):
    return evaluate(reference, prediction, protocol="sat2graph-apls", parameters={"sat2graph-apls": parameters})


def test_both_ways_are_those_of_the_go_program(data):
    folder = data / "protocols" / "sat2graph"
    scores = score(folder / "gt.p", folder / "prop.p").scores["sat2graph-apls"]
    ways = scores["reference_to_prediction"], scores["prediction_to_reference"]
    assert ways == pytest.approx((0.85233, 0.77986), abs=0.003)
    assert scores["apls"] == pytest.approx(sum(ways) / 2)


def test_a_road_against_itself_is_perfect():
    result = score(straight(800), straight(800))
    assert result.scores["sat2graph-apls"]["apls"] == 1.0
    assert result.scores["sat2graph-apls"]["sd"] == 0.0
    assert not any(len(frame) for frame in result.errors.values())


def test_a_break_loses_every_pair_across_it():
    """Two halves with a gap of 4 px: paths across cost 1, those within cost 0; back, no path is lost."""
    whole = straight(1600, pieces=16)
    halves = {key: [n for n in others if {key[1], n[1]} != {900.0, 1000.0}] for key, others in whole.items()}
    halves[(1000, 900.0)].append((1000, 948.0))
    halves[(1000, 948.0)] = [(1000, 900.0)]
    halves[(1000, 1000.0)].append((1000, 952.0))
    halves[(1000, 952.0)] = [(1000, 1000.0)]
    result = score(whole, halves)
    scores = result.scores["sat2graph-apls"]
    pairs = result.counts["sat2graph-apls"]["reference_to_prediction_pairs"]
    lost = result.counts["sat2graph-apls"]["reference_to_prediction_loss"]
    assert scores["prediction_to_reference"] == pytest.approx(1.0, abs=0.01)
    assert lost / pairs == pytest.approx(1 - scores["reference_to_prediction"])
    assert 0.45 < lost / pairs < 0.7  # half of all pairs, of which those nearer than 100 m do not count
    assert set(result.errors["points"]["kind"]) == {"lost_path"}


def test_drawn_orders_have_a_mean_and_a_spread():
    roads = straight(800), straight(500)
    one, same = (score(*roads, repeats=3).scores["sat2graph-apls"] for _ in range(2))
    assert one == same
    assert one["sd"] >= 0.0


def test_tables_and_empty_roads():
    scores = score(straight(300, row=200), straight(300, row=200), table="10").scores["sat2graph-apls"]
    assert scores["apls"] == 1.0
    assert score(straight(50), straight(50)).scores["sat2graph-apls"]["apls"] is None
    with pytest.raises(ParameterError, match="city, 15, 10"):
        score(straight(50), straight(50), table="20")
