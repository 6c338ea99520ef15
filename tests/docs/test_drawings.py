"""The drawings of what a metric counts are true: the metric gives the scores that follow from each."""

import re
from itertools import accumulate, pairwise
from math import dist
from types import SimpleNamespace

import networkx as nx
import pytest
from shapely import LineString, Point

from geoeval import evaluate
from geoeval.contents import CONTENTS
from geoeval.metrics.registry import registry_of

pytest.importorskip("matplotlib", reason="the drawings need geoeval[docs]")

from making.drawings import SKETCHES
from making.worlds import tiny_map

ALL = [(content, name) for content in CONTENTS for name in registry_of(content).metrics]
NUMBER = r"-?\d+(?:\.\d+)?"
FRACTION = rf"(?<!1-)\\frac{{({NUMBER})}}{{({NUMBER})}}=({NUMBER})(?![\d\\])"


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


def test_sums_on_the_drawings_are_right():
    """What is written as a fraction of two numbers and its value is that value, to the digits that are written."""
    found = 0
    for content, name in ALL:
        for line in SKETCHES[content][name]().formula:
            for over, under, value in re.findall(FRACTION, line):
                digits = len(value.partition(".")[2])
                assert float(over) / float(under) == pytest.approx(float(value), abs=0.51 * 10**-digits), line
                found += 1
    assert found > 20


def test_the_lengths_of_paths_are_those_of_the_drawing():
    """Each pair of places names the shortest path in both networks, where there is one."""
    sketch = SKETCHES["roads"]["tlts"]()
    told = []
    sketch.draw(SimpleNamespace(say=lambda _place, text, _colour: told.append(text), **dict.fromkeys(
        ("reference", "prediction", "dots"), lambda *_lines, **_style: None)))  # fmt: skip
    lengths = [tuple(map(float, re.findall(rf"({NUMBER}) m", text))) for text in told]
    expected = []
    for pair in sketch.parameters["pairs"]:
        found = tuple(shortest(lines, *pair) for lines in (sketch.reference, sketch.prediction))
        expected.append(() if None in found else found)
    assert lengths == expected
    assert len([one for one in lengths if one]) == 3


def shortest(lines, start, end):
    """The length of the shortest way between two places on lines, or None."""
    graph = nx.Graph()
    for line in lines:
        between = LineString(line)
        stops = {between.project(Point(one)): one for one in (start, end) if between.distance(Point(one)) < 1e-9}
        stops |= dict(zip(accumulate(map(dist, line, line[1:]), initial=0.0), line, strict=False))
        for (before, one), (after, other) in pairwise(sorted(stops.items())):
            graph.add_edge(one, other, length=after - before)
    if not (start in graph and end in graph and nx.has_path(graph, start, end)):
        return None
    return nx.shortest_path_length(graph, start, end, weight="length")
