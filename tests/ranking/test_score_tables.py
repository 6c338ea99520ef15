"""Scores of results: the metrics themselves say which way each of them is better."""

import json

import pytest

from geoeval.contents import CONTENTS
from geoeval.metrics.registry import registry_of
from geoeval.ranking.score_tables import read_scores


def write(folder, name, kind, scores):
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"geoeval": "0", "kind": kind, "scores": scores}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "metric", "score", "lower"),
    [
        ("objects", "max-overlap", "mallows", False),
        ("objects", "hoover", "over", True),
        ("objects", "iou", "fp", True),
        ("objects", "iou", "tp", False),
        ("roads", "opt-p", "breaks", True),
        ("roads", "distance", "hausdorff_reference", True),
        ("roads", "distance", "chamfer_prediction", True),
        ("roads", "junct", "f_error", True),
        ("roads", "tlts", "infeasible", True),
        ("roads", "opt-j", "f1", False),
        ("lines", "pixel", "fp", True),
        ("lines", "vector", "fv", True),
        ("lines", "time", "per_line", True),
        ("lines", "hori-doermann", "deviation", True),
        ("lines", "hori-doermann", "length_ratio", False),
    ],
)
def test_the_right_way_round(tmp_path, kind, metric, score, lower):
    files = [write(tmp_path, name, kind, {metric: {score: value}}) for name, value in (("a", 1), ("b", 2))]
    assert (f"{metric}.{score}" in read_scores(files).lower) is lower


@pytest.mark.parametrize("kind", CONTENTS)
def test_headlines_are_scores_with_a_direction(kind):
    registry = registry_of(kind)
    for metric in registry.metrics.values():
        assert registry.scores[f"{metric.name}.{metric.headline}"].better != "neutral"


def test_a_score_that_no_metric_declares_is_kept(tmp_path):
    files = [write(tmp_path, name, "roads", {"opt-j": {"f1": 0.5, "made_up": 1}}) for name in "ab"]
    found = read_scores(files)
    assert (found.headlines, found.lower) == (["opt-j.f1"], [])
    assert "opt-j.made_up" in found.table.columns
