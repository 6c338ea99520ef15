"""Cutting to an area: the way in which roads are written down does not matter, and a network stays perfect."""

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval import evaluate_roads
from geoeval.perturbation.perturb import perturb
from tests.networks import grid, network, noisy, small_lines, with_extra_vertices
from tests.roads.metamorphic import AREAS, SPELLINGS, with_border_vertices

QUICK = {"tlts": {"pairs": 200}, "apls": {"pairs": 200}, "opt-p": {"decompositions": 2}}
# What is 1 in a perfect prediction.
PERFECT = {
    "ccq": "quality", "tlts": "correct", "apls": "apls", "junct": "f1", "subg": "f1", "opt-p": "f1", "opt-j": "f1",
    "opt-g": "f1",
}  # fmt: skip


def lines_of(net):
    return [[tuple(p) for p in line] for line in net.nodes[net.segments].tolist()]


def town():
    """A town with straight streets on whole hundreds, slanted ones and dead ends, and a faulty copy of it."""
    true = [*grid(5, 5), *noisy(grid(3, 3, 55.0), 5.0, seed=1), [(200, 150), (230, 170)], [(50, 350), (-40, 420)]]
    predicted = network(noisy(true, 1.0, seed=2))
    for error, count in (("interruptions", 4), ("missing", 4), ("overconnections", 2)):
        predicted = perturb(predicted, error, count, seed=3).prediction
    return true, lines_of(predicted)


TRUE, PREDICTED = town()


def scores(reference, prediction, area, **options):
    return evaluate_roads(reference, prediction, aoi=area, parameters=QUICK, **options).scores


@pytest.fixture(scope="module")
def as_given():
    return {name: scores(network(TRUE), network(PREDICTED), area) for name, area in AREAS.items()}


def respelled(lines, spelling, area):
    """The same lines written down in another way, some with vertices where they meet the border."""
    if spelling == "border vertices":
        return with_border_vertices(lines, area)
    if spelling == "border and extra vertices":
        return with_extra_vertices(with_border_vertices(lines, area), seed=4)
    return SPELLINGS[spelling](lines)


@pytest.mark.parametrize("spelling", [*SPELLINGS, "border vertices", "border and extra vertices"])
@pytest.mark.parametrize("name", AREAS)
def test_how_roads_are_written_down_does_not_matter(as_given, name, spelling):
    again = [respelled(one, spelling, AREAS[name]) for one in (TRUE, PREDICTED)]
    ids = [[f"road {i}" for i in range(len(one), 0, -1)] for one in again]
    found = scores(*(network(one, ids=own) for one, own in zip(again, ids, strict=True)), AREAS[name])
    assert found == {metric: pytest.approx(own, abs=1e-6) for metric, own in as_given[name].items()}
    for metric in ("junct", "opt-j"):
        assert found[metric] == as_given[name][metric]


def test_the_cases_say_something(as_given):
    """The areas cut roads, at vertices and between them, and the prediction is neither perfect nor useless."""
    for name, area in AREAS.items():
        net, cut = network(TRUE), network(TRUE).clip(area)
        assert 0 < cut.length < net.length
        assert cut.cut.sum() > 5
        assert len(with_border_vertices(TRUE, area)) > len(TRUE)
        for metric, score in PERFECT.items():
            assert 0.2 < as_given[name][metric][score] < 0.999
    on_border = shapely.intersects(AREAS["box"].boundary, shapely.points(network(TRUE).nodes))
    assert on_border.sum() > 3


@pytest.mark.parametrize("name", AREAS)
def test_a_network_against_itself_is_perfect(name):
    one = network(TRUE)
    other = network(with_extra_vertices(with_border_vertices(TRUE, AREAS[name])))
    for prediction in (one, other):
        found = scores(one, prediction, AREAS[name])
        for metric, score in PERFECT.items():
            assert found[metric][score] == pytest.approx(1.0, abs=1e-6), metric


def test_a_vertex_on_the_border_is_not_a_dead_end():
    """A cross in a box, its arms cut at the border: once between vertices, once at a vertex exactly there."""
    arms = [(-100, 0), (100, 0), (0, -100), (0, 100)]
    plain = network([[(0, 0), p] for p in arms])
    dotted = network([[(0, 0), (x / 2, y / 2), (x, y)] for x, y in arms])
    box = (-50, -50, 50, 50)
    for prediction in (plain, dotted):
        result = evaluate_roads(plain, prediction, aoi=box, metrics="opt-j")
        assert result.scores["opt-j"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0, "tp": 4, "pp": 4, "ap": 4}
        assert sum(len(frame) for frame in result.errors.values()) == 0


@st.composite
def lattice_areas(draw):
    """Boxes and triangles whose corners are places of the lattice of ``small_lines``: roads run along borders."""
    coordinate = st.integers(-1, 9).map(lambda k: 7.0 * k)
    corners = draw(st.lists(st.tuples(coordinate, coordinate), min_size=2, max_size=3, unique=True))
    (x, y), (u, v) = corners[:2]
    area = shapely.Polygon(corners) if len(corners) == 3 else shapely.box(min(x, u), min(y, v), max(x, u), max(y, v))
    return area if area.area > 1 else shapely.box(7.0, 7.0, 28.0, 35.0)


@given(lines=small_lines(), area=lattice_areas(), seed=st.integers(0, 1000))
def test_roads_on_the_border_do_not_depend_on_their_vertices(lines, area, seed):
    # Joined wherever they meet, so that no vertex joins what was apart.
    noded = shapely.union_all(shapely.linestrings([p for line in lines for p in itertools.pairwise(line)]))
    lines = [list(part.coords) for part in shapely.get_parts(noded)]
    one = network(lines)
    other = network(with_extra_vertices(with_border_vertices(lines, area), seed=seed))
    cut, again = one.clip(area, aoi_crs=one.crs), other.clip(area, aoi_crs=one.crs)
    assert again.length == pytest.approx(cut.length, abs=1e-4)
    np.testing.assert_allclose(again.nodes[again.features], cut.nodes[cut.features], atol=1e-5)
    if not cut.is_empty:
        names = "ccq,junct,opt-j"
        found = evaluate_roads(one, other, aoi=area, metrics=names).scores
        assert found["ccq"]["quality"] == pytest.approx(1.0, abs=1e-6)
        assert found["junct"]["f1"] in {None, 1.0}
        assert found["opt-j"]["f1"] in {None, 1.0}
