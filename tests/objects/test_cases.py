"""Closed-form cases, and the panels of Fig. 3 of Özdemir et al. (2010) that can be reconstructed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from geoeval import evaluate_objects
from geoeval.model.object_map import ObjectMap
from geoeval.objects.bgm import match_one_to_one
from geoeval.objects.hoover import match_hoover
from geoeval.objects.mallows import mallows_score
from geoeval.objects.overlaps import overlaps_from_matrix
from tests.conftest import load_cases
from tests.objects.shapes_for_tests import objects


@pytest.mark.parametrize("case", load_cases("bgm"), ids=lambda case: case["name"])
def test_bgm(case):
    C, union = np.array(case["input"]["C"]), case["input"]["union"]
    overlaps = overlaps_from_matrix(C, ref_size=C.sum(axis=1), pred_size=C.sum(axis=0), union=union)
    _, shared = match_one_to_one(overlaps)
    assert_allclose(shared.sum() / union, case["expected"]["score"], atol=case["tolerance"])


@pytest.mark.parametrize("case", load_cases("hoover"), ids=lambda case: case["name"])
def test_hoover(case):
    given, expected = case["input"], case["expected"]
    overlaps = overlaps_from_matrix(given["C"], ref_size=given["area_ref"], pred_size=given["area_out"], union=1.0)
    found = match_hoover(overlaps, given["params"]["T"])
    if expected["score"] is None:
        assert len(found.score) == 0
    else:
        assert_allclose(found.score.mean(), expected["score"], atol=case["tolerance"])
    assert len(found.instances.missed) == expected.get("missed", len(found.instances.missed))
    assert len(found.instances.false_alarms) == expected.get("false_alarms", len(found.instances.false_alarms))


@pytest.mark.parametrize("case", load_cases("mallows"), ids=lambda case: case["name"])
def test_mallows(case):
    u, v = ([np.array(mask, dtype=bool) for mask in case["input"][side]] for side in "UV")
    assert_allclose(mallows_score(u, v), case["expected"]["score"], atol=case["tolerance"])


def _labels(boxes):
    image = np.zeros((60, 70), dtype=np.int32)
    for number, (x, y, w, h) in enumerate(boxes, start=1):
        image[y + 8 : y + 8 + h, x + 8 : x + 8 + w] = number
    return ObjectMap.from_labels(image)


@pytest.mark.parametrize("form", ["labels", "polygons"])
@pytest.mark.parametrize("case", load_cases("ozdemir_fig3"), ids=lambda case: case["name"])
def test_figure_3(case, form):
    """The three printed scores, from pixels and from polygons with pixels of a metre."""
    boxes = [[case["input"]["reference"]], case["input"]["outputs"]]
    maps = [_labels(side) if form == "labels" else objects(*side) for side in boxes]
    result = evaluate_objects(*maps, metrics="bgm,hoover,max-overlap", parameters={"max-overlap": {"resolution": 1.0}})
    scores, expected = result.scores, case["expected"]
    assert_allclose(scores["bgm"]["score"], expected["bgm"], atol=case["tolerance"])
    assert_allclose(scores["max-overlap"]["mallows"], expected["mallows"], atol=case["tolerance"])
    assert_allclose(scores["max-overlap"]["mallows"], case["computed"]["mallows"], atol=1e-9)
    if expected["hoover"] is None:
        assert scores["hoover"]["score"] is None
        assert "hoover.score" in result.notes
    else:
        assert_allclose(scores["hoover"]["score"], expected["hoover"], atol=case["tolerance"])
