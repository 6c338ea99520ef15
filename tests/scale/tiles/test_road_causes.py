"""Errors decided tile by tile are those that are decided at once: the same places, kinds, metres and confidence."""

import numpy as np
import pytest

from geoeval import evaluate, evaluate_tiled, perturb, read_network
from geoeval.cli.demo import helsinki
from geoeval.scale.tiles import road_causes, tiled_roads
from tests.networks import network
from tests.roads.causes.adding_up import unmatched_metres

ASKED = {"metrics": "ccq,opt-j", "aoi": "all", "plan": False}
KINDS = ("missing", "perturbations", "interruptions", "doubled", "overconnections", "far_false_positives")


def worse(reference, count):
    prediction = reference
    for seed, error in enumerate(KINDS):
        prediction = perturb(prediction, error, count, seed=seed).prediction
    return prediction


def listed(result, digits=2):
    """All that a map shows, in an order of its own."""
    assert result.decided is not None
    return sorted(
        (kind, *np.round([*shape.bounds, ref_m, pred_m], digits).tolist(), sure)
        for frame in result.map_errors().values()
        for shape, kind, ref_m, pred_m, sure in zip(
            frame.geometry, *(frame[name] for name in ("kind", "ref_m", "pred_m", "confidence")), strict=True)
    )  # fmt: skip


def same(tiled, whole):
    assert tiled.inputs == {}
    assert listed(tiled) == listed(whole)
    assert tiled.error_summary() == {
        kind: {"count": one["count"], "length_m": pytest.approx(one["length_m"])}
        for kind, one in whole.error_summary().items()
    }
    assert tiled.slivers == {
        kind: {"count": one["count"], "length_m": pytest.approx(one["length_m"])} for kind, one in whole.slivers.items()
    }
    told = unmatched_metres(tiled)
    for column, side in (("ref_m", "ref"), ("pred_m", "pred")):
        counts = tiled.counts["ccq"]
        assert told[column] == pytest.approx(counts[f"{side}_length"] - counts[f"{side}_matched"], abs=1e-4)


@pytest.fixture(scope="module")
def town():
    reference = read_network(helsinki(), network_type="drive")
    prediction = worse(reference, 6)
    return reference, prediction, evaluate(reference, prediction, **ASKED)


@pytest.mark.parametrize(("size", "workers"), [(300, 2), (700, 1), (2000, 1)])
def test_tiles_of_helsinki(town, size, workers):
    reference, prediction, whole = town
    same(evaluate(reference, prediction, tile_size=size, workers=workers, keep_inputs=False, **ASKED), whole)


def test_a_streamed_city(data, tmp_path):
    """Heidelberg from its PBF; parts that were kept make the same result again."""
    city = data / "osm" / "ors_heidelberg.osm.pbf"
    prediction = worse(read_network(city), 80)
    whole = evaluate(city, prediction, **ASKED)
    for _ in range(2):
        same(evaluate(city, prediction, tile_size=5000, keep_inputs=False, resume=tmp_path / "run", **ASKED), whole)
    assert len(list((tmp_path / "run").rglob("causes_*"))) > 4


def test_two_sources_of_washington(data):
    pair = [data / "roads" / "dc" / name for name in ("DcGisRoads.osm", "DcTigerRoads.osm")]
    same(evaluate(*pair, tile_size=800, keep_inputs=False, **ASKED), evaluate(*pair, **ASKED))


def test_a_road_much_longer_than_a_tile_is_one_error():
    """Its middle is in one tile; no tile sees all of it before it has looked as far as it takes."""
    x, y = 500_000, 5_000_000
    main = [(x, y), (x + 3000, y)]
    long = [(x, y), (x + 100, y + 400), (x + 2500, y + 400)]
    reference, prediction = network([main, long]), network([main])
    whole = evaluate(reference, prediction, **ASKED)
    assert whole.error_summary()["missing"]["count"] == 1
    tiled = evaluate(reference, prediction, tile_size=500, keep_inputs=False, **ASKED)
    same(tiled, whole)
    assert "causes" not in tiled.notes


def test_what_never_settles_is_said(monkeypatch):
    monkeypatch.setattr(road_causes, "_FARTHEST", 500.0)
    x, y = 500_000, 5_000_000
    lines = [[(x, y), (x + 9000, y)], [(x, y), (x, y + 300), (x + 9000, y + 300)]]
    for sides in ((lines, []), ([], lines)):
        pair = [network(one) for one in sides]
        same(evaluate(*pair, tile_size=500, keep_inputs=False, **ASKED), evaluate(*pair, **ASKED))
    tiled = evaluate(network(lines), network(lines[:1]), tile_size=500, keep_inputs=False, **ASKED)
    assert "parts hold errors of many kilometres" in tiled.notes["causes"]


def test_tiles_with_projections_of_their_own(town, monkeypatch):
    """Errors come in degrees, and metres are those of each tile."""
    reference, prediction, whole = town
    monkeypatch.setattr(tiled_roads, "common_projection", lambda *_: (None, None))
    tiled = evaluate_tiled(reference, prediction, tile_size=700, metrics="ccq,opt-j", decide=True)
    assert tiled.crs.is_geographic
    kinds = sorted(whole.map_errors()["lines"]["kind"])
    assert sorted(tiled.map_errors()["lines"]["kind"]) == kinds
    for name in ("confidence", "ref_m", "pred_m"):
        expected = sorted(whole.map_errors()["lines"][name])
        assert sorted(tiled.map_errors()["lines"][name]) == pytest.approx(expected, rel=2e-3, abs=0.011)
    assert tiled.map_errors()["lines"]["error_id"].is_unique


def test_without_ccq_nothing_is_decided():
    one = network([[(500_000, 0), (500_900, 0)]])
    assert evaluate(one, one, tile_size=500, keep_inputs=False, metrics="opt-j").decided is None
