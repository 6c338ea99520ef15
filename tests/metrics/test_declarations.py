"""Every metric of every kind of map gives what it declares: its scores, their ranges, and how it counts."""

from inspect import signature
from math import inf

import pytest
from shapely.affinity import rotate

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError
from geoeval.lines.shared_work import SharedWork
from geoeval.metrics.registry import registry_of
from geoeval.model.courses import arc, bar, polyline
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import LocalCounts
from geoeval.model.object_map import ObjectMap
from tests.networks import grid, network, noisy
from tests.objects.shapes_for_tests import CRS, objects

BLOCKS = grid(3, 4)
HOUSES = [(30 * i, 30 * j, 12, 10) for i in range(4) for j in range(3)]
# One moved, one cut in two, three missing, one invented; the others have grown.
FOUND = [(4, 0, 12, 10), (30, 0, 5, 10), (36, 0, 6, 10), (200, 0, 9, 9), *((x, y, 13, 11) for x, y, *_ in HOUSES[5:])]
STROKES = [
    bar((10, 20), (90, 20)),
    bar((10, 60), (90, 60)),
    arc((150, 40), 30, 0.2, 2.0),
    polyline([(10, 90), (40, 99), (90, 90)]),
]
# The first bar in two pieces, the second moved, the arc as it is, no polyline, and a bar that is not there.
DETECTED = [
    bar((10, 21), (45, 21)),
    bar((50, 20), (90, 20)),
    bar((11, 61), (90, 61)),
    STROKES[2],
    bar((10, 120), (60, 120)),
]
PAIRS = {
    "roads": (network(BLOCKS), network(noisy([*BLOCKS[:-2], [(20, 20), (80, 70)]], 2.0))),
    # A little crooked, so that angles have something to say.
    "objects": (objects(*HOUSES), ObjectMap.from_polygons([rotate(p, 4) for p in objects(*FOUND).polygons], crs=CRS)),
    "lines": (Drawing(STROKES, width=8), Drawing(DETECTED, width=6)),
}
EMPTY = {"roads": network([]), "objects": objects(), "lines": Drawing([])}
# Fewer samples than usual: the declarations do not depend on them.
FEW = {"opt-p": {"decompositions": 2}, "tlts": {"pairs": 50}}
METRICS = [(kind, name) for kind in CONTENTS for name in registry_of(kind).metrics]


def evaluated(kind, name, reference, prediction):
    """The metric with its default parameters; the one that divides a time gets one."""
    metric = registry_of(kind).metrics[name]
    more = {} if name != "time" else {"work": SharedWork(reference, prediction, seconds=2.5)}
    return metric, metric.function(reference, prediction, **FEW.get(name, {}), **more)


def inputs(kind):
    reference, prediction = PAIRS[kind]
    nothing = EMPTY[kind]
    return {
        "with errors": (reference, prediction),
        "exchanged": (prediction, reference),
        "the same": (reference, reference),
        "no prediction": (reference, nothing),
        "no reference": (nothing, prediction),
        "nothing": (nothing, nothing),
    }


@pytest.mark.parametrize("case", inputs("lines"))
@pytest.mark.parametrize(("kind", "name"), METRICS)
def test_scores_are_those_declared(kind, name, case):
    metric, result = evaluated(kind, name, *inputs(kind)[case])
    assert list(result.scores) == [score.name for score in metric.scores]
    assert metric.headline in result.scores
    for score in metric.scores:
        value, (low, high) = result.scores[score.name], score.range
        if value is None:
            assert result.notes[score.name]
        else:
            assert (-inf if low is None else low) - 1e-12 <= value <= (inf if high is None else high) + 1e-12
            assert isinstance(value, int) == (score.unit == "count")


@pytest.mark.parametrize(("kind", "name"), METRICS)
def test_the_example_has_something_to_score(kind, name):
    """Each headline is defined, and neither perfect nor as bad as can be: so the other tests look at real numbers."""
    metric, result = evaluated(kind, name, *PAIRS[kind])
    score = next(score for score in metric.scores if score.name == metric.headline)
    value = result.scores[metric.headline]
    assert value is not None
    assert value not in score.range
    assert score.better != "neutral"


@pytest.mark.parametrize(("kind", "name"), METRICS)
def test_metrics_count_as_they_say(kind, name):
    metric, result = evaluated(kind, name, *PAIRS[kind])
    local = result.details.get("local")
    assert (local is not None) == (metric.counting != "whole") == metric.by_place
    assert (metric.counting == "starts") == bool(metric.start_sides)
    if local is None:
        assert metric.halo is None
        return
    assert isinstance(local, LocalCounts)
    assert all(len(values) == len(local.xy) for values in local.counts.values())
    assert local.sums() == pytest.approx(result.counts)
    pooled, _ = metric.scores_of(result.counts, metric.defaults | FEW.get(name, {}))
    assert pooled == pytest.approx({score: result.scores[score] for score in pooled})
    # A headline that follows the confidences needs their rows, not the counts alone.
    assert metric.headline in pooled or metric.scores_from_rows is not None


@pytest.mark.parametrize(("kind", "name"), METRICS)
def test_declarations_are_complete(kind, name):
    metric = registry_of(kind).metrics[name]
    assert metric.name == name
    assert len({score.name for score in metric.scores}) == len(metric.scores)
    for text in (metric.about, *(score.about for score in metric.scores)):
        assert not text[0].islower()
        assert text.endswith(".")
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in signature(metric.function).parameters.values())


def test_a_parameter_takes_what_its_description_says():
    """TLTS's pairs are a number, a word or a list; no other word, no truth value, no number that arrays cannot hold."""
    registry = registry_of("roads")
    chosen = registry.choose_metrics("tlts")
    for value in ("all", 7, [((0, 0), (1, 1))]):
        assert registry.choose_parameters(chosen, given={"tlts": {"pairs": value}})["tlts"]["pairs"] == value
    for value in (True, 2**70):
        with pytest.raises(ParameterError, match=r"tlts\.pairs is"):
            registry.choose_parameters(chosen, given={"tlts": {"pairs": value}})
    for value in (float("nan"), float("inf"), 1.5, "many"):
        with pytest.raises(ParameterError, match="pairs"):
            chosen[0].function(*PAIRS["roads"], pairs=value)
