"""The map explains the numbers: what the layers show adds up to what the scores count."""

import geopandas as gpd
import pytest

from geoeval import evaluate_roads
from geoeval.perturbation.perturb import perturb
from geoeval.writers.layers import write_layers
from tests.networks import grid, network


@pytest.fixture(scope="module")
def result():
    town = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(7, 7, 120.0)])
    prediction = town
    for error, count in (("missing", 6), ("interruptions", 9), ("overconnections", 5), ("doubled", 3)):
        prediction = perturb(prediction, error, count, seed=7).prediction
    return evaluate_roads(town, prediction, parameters={"opt-p": {"decompositions": 2}, "tlts": {"pairs": 200}})


def rows(result, kind):
    frames = result.map_errors()
    return [frame[frame["kind"] == kind] for frame in frames.values()]


def test_missing_and_spurious_are_what_ccq_leaves_unmatched(result):
    counts = result.counts["ccq"]
    for kind, side in (("missing", "ref"), ("spurious", "pred")):
        length = sum(frame["length_m"].sum() for frame in rows(result, kind))
        assert length == pytest.approx(counts[f"{side}_length"] - counts[f"{side}_matched"], abs=1e-6)
        assert sum(frame.geometry.length.sum() for frame in rows(result, kind)) == pytest.approx(length, abs=1e-3)


def test_breaks_are_those_of_opt_p(result):
    assert sum(len(frame) for frame in rows(result, "break")) == result.scores["opt-p"]["breaks"]


def test_each_kind_on_the_map_comes_from_one_metric(result):
    for kind in ("missing", "spurious", "break", "false_link", "doubled", "merged", "junction", "culprit"):
        assert len({metric for frame in rows(result, kind) for metric in frame["metric"]}) <= 1


def test_files_hold_what_the_json_says(result, tmp_path):
    layers = write_layers(result, tmp_path / "errors")
    said = result.plain()["errors"]
    found = {}
    for layer in layers:
        if layer.role in {"area", "grid"}:
            continue
        frame = gpd.read_file(layer.path)
        entry = found.setdefault(layer.role, [0, 0.0])
        entry[0] += len(frame)
        entry[1] += frame["length_m"].sum()
    assert {kind: count for kind, (count, _) in found.items() if count} == {k: v["count"] for k, v in said.items()}
    for kind, entry in said.items():
        assert found[kind][1] == pytest.approx(entry["length_m"], abs=0.01 * max(entry["count"], 1))
