"""RoadTracer graphs."""

import numpy as np
import pytest
from hypothesis import given

from geoeval.crs import is_local
from geoeval.exceptions import (
    EmptyInputError,
    MissingPixelSizeError,
    ParameterError,
    UnreadableInputError,
)
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph.roadtracer import read_roadtracer
from tests.networks import network, small_lines
from tests.readers.graph.graph_files import same, save

TRIANGLE = "0 0\n30 0\n0 40\n\n0 1\n1 0\n1 2\n2 1\n2 0\n0 2\n"


def test_roadtracer_in_pixels_and_in_metres(tmp_path):
    path = save(tmp_path, "a.graph", TRIANGLE)
    pixels, metres = read_roadtracer(path, pixel_size=1), read_roadtracer(path, pixel_size=0.5)
    assert pixels.length == 120
    assert metres.length == 60
    assert is_local(pixels.crs)
    assert pixels.problems == {}  # both directions are the format, not a problem
    assert sorted(pixels.source_ids.tolist()) == [5, 7, 9]  # lines of the file
    assert pixels.bounds == (0, -40, 30, 0)  # y points up, as on a map
    assert pixels.source == str(path)


@pytest.mark.parametrize(
    "text",
    [
        TRIANGLE.replace("\n", "\r\n"),
        TRIANGLE.rstrip(),
        TRIANGLE + "\n\n",
        "\n" + TRIANGLE,
        "\ufeff" + TRIANGLE,
        TRIANGLE.replace("30 0", "3.0e1\t  -0.0"),
        TRIANGLE.replace("\n\n", "\n \t\n\n"),
        TRIANGLE.replace("1 0\n", "").replace("2 1\n", ""),
    ],
)
def test_roadtracer_whatever_the_white_space(tmp_path, text):
    same(read_roadtracer(save(tmp_path, "a.graph", text), pixel_size=1), network([[(0, 0), (30, 0), (0, -40), (0, 0)]]))


@pytest.mark.parametrize(
    ("text", "error", "word"),
    [
        ("", EmptyInputError, "no node"),
        ("\n\n", EmptyInputError, "no node"),
        ("0 0\n1 1\n", UnreadableInputError, "blank line"),
        ("0 0\n1\n\n0 1\n", UnreadableInputError, "line 2"),
        ("0 0\n1 1 1\n\n0 1\n", UnreadableInputError, "line 2"),
        ("0 0\n1 x\n\n0 1\n", UnreadableInputError, "line 2"),
        ("0 0\n1 nan\n\n0 1\n", UnreadableInputError, "finite"),
        ("0 0\n1 1\n\n0 1\n0 2\n", UnreadableInputError, "line 5"),
        ("0 0\n1 1\n\n0 -1\n", UnreadableInputError, "line 4"),
        ("0 0\n1 1\n\n0 1.5\n", UnreadableInputError, "line 4"),
        (b"\xff\xfe\x00", UnreadableInputError, "not text"),
    ],
)
def test_malformed_roadtracer_names_the_line(tmp_path, text, error, word):
    with pytest.raises(error, match=word) as caught:
        read_roadtracer(save(tmp_path, "a.graph", text), pixel_size=1)
    assert "\n" not in str(caught.value)


def test_pixels_need_a_size(tmp_path):
    path = save(tmp_path, "a.graph", TRIANGLE)
    with pytest.raises(MissingPixelSizeError, match="pixel_size=M"):
        read_roadtracer(path)
    with pytest.raises(ParameterError):
        read_roadtracer(path, pixel_size=0)
    moved = save(tmp_path, "b.graph", TRIANGLE.replace("0 0\n30 0\n0 40", "500000 0\n500030 0\n500000 40"))
    assert read_roadtracer(moved, crs="EPSG:32610").crs.to_epsg() == 32610
    assert read_roadtracer(moved, crs="EPSG:32610").bounds == (500000, 0, 500030, 40)  # a map has y up already
    assert read_roadtracer(path, crs="EPSG:3857").scale_error < 0.001  # not what it says, but the ground is measured
    with pytest.raises(UnreadableInputError, match="path"):
        read_roadtracer(tmp_path / "absent.graph", pixel_size=1)


def test_what_a_roadtracer_graph_loses_is_counted(tmp_path):
    text = "0 0\n1 0\n5 5\n0 0\n2 0\n\n0 1\n0 1\n1 1\n3 4\n"
    got = read_roadtracer(save(tmp_path, "a.graph", text), pixel_size=1)
    assert got.problems == {"duplicate_segments": 1, "nodes_without_edges": 1, "zero_length_segments": 1}
    assert got.components.max() == 1  # two nodes at one place are two nodes
    assert read_roadtracer(save(tmp_path, "b.graph", "0 0\n1 0\n\n"), pixel_size=1).is_empty


@given(small_lines())
def test_roadtracer_round_trip(tmp_path_factory, lines):
    made = network(lines)
    path = tmp_path_factory.mktemp("graph") / "a.graph"
    pairs = [f"{a} {b}\n{b} {a}\n" for a, b in made.segments.tolist()]
    path.write_text("".join(f"{x!r} {y!r}\n" for x, y in made.nodes.tolist()) + "\n" + "".join(pairs))
    got = read_roadtracer(path, pixel_size=1)
    same(got, RoadNetwork(made.nodes * [1, -1], made.segments, merge_coincident=False))
    assert got.problems == {}


def test_vancouver(data):
    reference = read_roadtracer(data / "roads/vancouver/reference.graph", pixel_size=1)
    assert (len(reference.nodes), len(reference.segments)) == (3587, 4224)
    text = (data / "roads/vancouver/reference.graph").read_text().split("\n\n")
    places = [tuple(map(float, line.split())) for line in text[0].splitlines()]
    edges = {frozenset(map(int, line.split())) for line in text[1].splitlines()}
    expected = sum(np.hypot(*np.subtract(*(places[i] for i in edge))) for edge in edges)
    assert reference.length == pytest.approx(expected)
    assert reference.clip((-3836, -3836, 3836, 3836)).length < reference.length
    prediction = read_roadtracer(data / "roads/vancouver/roadtracer.graph", pixel_size=1)
    assert prediction.problems == {"nodes_without_edges": 3}
