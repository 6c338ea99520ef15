"""The drawings of what a metric counts are true: the metric gives the scores that follow from each."""

import re
import sys
from pathlib import Path

import pytest

from geoeval import evaluate
from geoeval.contents import CONTENTS
from geoeval.metrics.registry import registry_of

pytest.importorskip("matplotlib", reason="the drawings need geoeval[docs]")
sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from making.drawings import SKETCHES
from making.worlds import tiny_map

ALL = [(content, name) for content in CONTENTS for name in registry_of(content).metrics]
NUMBER = r"-?\d+(?:\.\d+)?"


def test_every_metric_is_drawn():
    drawn = {content: set(sketches) for content, sketches in SKETCHES.items()}
    assert drawn == {content: set(registry_of(content).metrics) for content in CONTENTS}


@pytest.mark.parametrize(("content", "name"), ALL)
def test_scores_follow_from_the_drawing(content, name):
    sketch = SKETCHES[content][name]()
    facts = {} if sketch.confidence is None else {"confidence": sketch.confidence}
    found = evaluate(
        tiny_map(content, sketch.reference), tiny_map(content, sketch.prediction, **facts), kind=content,
        metrics=[name, *sketch.others], parameters={name: sketch.parameters, **sketch.others}, seconds=sketch.seconds,
        **({} if content == "lines" else {"aoi": "all"}),
    ).scores[name]  # fmt: skip
    assert sketch.scores
    assert {score: found[score] for score in sketch.scores} == pytest.approx(dict(sketch.scores), abs=1e-9)


@pytest.mark.parametrize(("content", "name"), ALL)
def test_sums_on_the_drawing_are_right(content, name):
    """What is written as a fraction of two numbers and its value is that value, to the digits that are written."""
    for line in SKETCHES[content][name]().formula:
        for over, under, value in re.findall(rf"(?<!1-)\\frac{{({NUMBER})}}{{({NUMBER})}}=({NUMBER})(?![\d\\])", line):
            digits = len(value.partition(".")[2])
            assert float(over) / float(under) == pytest.approx(float(value), abs=0.51 * 10**-digits), line
