"""Masks are traced to graphs whose topology is checked against the image's own."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval.readers.raster.road_masks import thinned
from geoeval.readers.raster.skeleton import pixel_graph
from tests.readers.raster.masks import (
    CIRCLE,
    EIGHT,
    LADDER,
    ROUNDABOUT,
    SQUARE,
    STAR,
    TEE,
    crossing,
    draw,
    ends_and_junctions,
    graph_topology,
    topology,
    traced,
)

measure = pytest.importorskip("skimage.measure")
DRAWINGS = {
    "line": ([[(20, 30), (180, 150)]], {1: 2}, 0),
    "tee": (TEE, {1: 3, 3: 1}, 0),
    "cross": (crossing(90), {1: 4, 4: 1}, 0),
    "cross at 75 degrees": (crossing(75), {1: 4, 4: 1}, 0),
    "cross at 60 degrees": (crossing(60), {1: 4, 4: 1}, 0),
    "cross at 45 degrees": (crossing(45), {1: 4, 4: 1}, 0),
    "cross turned by 45 degrees": ([[(40, 40), (160, 160)], [(40, 160), (160, 40)]], {1: 4, 4: 1}, 0),
    "star": (STAR, {1: 5, 5: 1}, 0),
    "ring": ([CIRCLE], {}, 1),
    "square": (SQUARE, {}, 1),
    "roundabout": (ROUNDABOUT, {1: 4, 3: 4}, 1),
    "two rings with one place in common": (EIGHT, {4: 1}, 2),
    "ladder": (LADDER, {1: 4, 3: 4}, 1),
}  # fmt: skip


@pytest.mark.parametrize("width", [2, 3, 6, 11, 16])
@pytest.mark.parametrize("name", DRAWINGS)
def test_known_drawings(name, width):
    lines, nodes, rings = DRAWINGS[name]
    mask = draw(lines, width, (200, 240))
    got = traced(mask, min_spur=1.25 * width)
    assert ends_and_junctions(got) == nodes
    assert graph_topology(got) == (1, rings)
    assert graph_topology(got) == topology(mask)
    assert 1 - rings == measure.euler_number(mask, connectivity=2)
    expected = sum(shapely.LineString(line).length for line in lines)
    assert got.length == pytest.approx(expected, rel=0.03, abs=width * len(lines))
    # Every place is near a line that was drawn, nearer where no junction had to be put together.
    drawn = shapely.MultiLineString([shapely.LineString(line) for line in lines])
    assert shapely.distance(shapely.points(got.nodes), drawn).max() <= 1.5 + width / 4


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 14])
@pytest.mark.parametrize("gap", [1, 2, 3])
@pytest.mark.parametrize("bridge", [0, 1])
def test_parallel_roads_stay_apart(width, gap, bridge):
    mask = np.zeros((60, 200), dtype=bool)
    mask[10 : 10 + width, 5:195] = True
    mask[10 + width + gap : 10 + 2 * width + gap, 5:195] = True
    mask[10 : 10 + 2 * width + gap, 100 : 100 + min(width, 3) * bridge] = True
    got = traced(mask)
    assert graph_topology(got) == topology(mask) == (2 - bridge, 0)
    assert min(ends_and_junctions(got).items()) == (1, 4)
    middle = [10 + (width - 1) / 2, 10 + width + gap + (width - 1) / 2]
    far = np.abs(got.nodes[:, 1][:, None] - middle).min(axis=1)
    assert far.max() <= (1.0 if not bridge else (width + gap) / 2)
    if gap == 3:
        assert ends_and_junctions(got) == ({1: 4} if not bridge else {1: 4, 3: 2})


def test_parallel_roads_between_the_same_junctions_stay_two():
    """A road that splits round a narrow island, simplified by far more than the island's width."""
    mask = np.zeros((40, 200), dtype=bool)
    mask[19:21, 5:195] = True
    mask[16:25, 60:140] = True
    mask[19:22, 63:137] = False
    for tolerance in (0, 1, 5, 50):
        got = traced(mask, simplify=tolerance)
        assert graph_topology(got) == (1, 1)
        assert ends_and_junctions(got) == {1: 2, 3: 2}
        assert len(got.roads) == 4


@pytest.mark.parametrize("tolerance", [0, 1, 30, 1000])
def test_a_ring_stays_a_ring(tolerance):
    got = traced(draw([CIRCLE], 3), simplify=tolerance)
    assert graph_topology(got) == (1, 1)
    assert got.roads.closed.tolist() == [True]


def test_staggered_arms():
    """Side roads that are set off by more than the road's width are two junctions, by less than half of it one."""
    for width in (3, 6, 12):
        for offset, nodes in ((2 * width, {1: 4, 3: 2}), (width / 2, {1: 4, 4: 1})):
            lines = [[(10, 100), (190, 100)], [(100, 100), (100, 180)], [(100 + offset, 100), (100 + offset, 20)]]
            assert ends_and_junctions(traced(draw(lines, width))) == nodes


def test_spurs():
    """A tee whose leg has a length in metres, from too short to long enough; the through road is never pruned."""
    for leg, kept in ((4, False), (9, False), (11, True), (30, True)):
        mask = np.zeros((50, 100), dtype=bool)
        mask[40, 10:90] = True
        mask[40 - leg : 40, 50] = True
        got = traced(mask, min_spur=10)
        assert ends_and_junctions(got) == ({1: 3, 3: 1} if kept else {1: 2})
        assert got.problems == ({} if kept else {"spurs_pruned": 1})
        assert got.length == pytest.approx(79 + (leg if kept else 0), abs=1)


def test_short_roads_that_stand_alone_are_kept():
    mask = np.zeros((40, 40), dtype=bool)
    mask[5, 5:9] = True
    mask[20, 20:27] = mask[17:24, 23] = True  # a star of four short arms keeps two of them
    got = traced(mask, min_spur=10)
    assert graph_topology(got) == (2, 0)
    assert ends_and_junctions(got) == {1: 4}
    assert got.length == 3 + 6


def test_a_forked_end_keeps_its_longer_branch():
    mask = np.zeros((60, 100), dtype=bool)
    mask[30, 10:60] = True
    for step in range(1, 9):
        mask[30 - step, 59 + step] = True
    for step in range(1, 5):
        mask[30 + step, 59 + step] = True
    got = traced(mask, min_spur=20)
    assert ends_and_junctions(got) == {1: 2}
    assert got.nodes.max(axis=0).tolist() == [67, 30]


def test_comb_of_noise_is_pruned_from_a_wide_road():
    rng = np.random.default_rng(0)
    mask = np.zeros((60, 400), dtype=bool)
    mask[25:35, 10:390] = True
    mask[24, 10:390] = rng.random(380) < 0.3
    mask[35, 10:390] = rng.random(380) < 0.3
    got = traced(mask, min_spur=12)
    assert ends_and_junctions(got) == {1: 2}
    assert got.length == pytest.approx(375, abs=8)


@pytest.mark.parametrize(
    ("rows", "columns", "length"),
    [
        (slice(0, 1), slice(0, 50), 49),
        (slice(49, 50), slice(0, 50), 49),
        (slice(0, 50), slice(0, 1), 49),
        (slice(0, 50), slice(49, 50), 49),
        (slice(0, 3), slice(0, 50), 49),
        (slice(10, 11), slice(0, 2), 1),
    ],
)
def test_roads_at_the_edge_of_the_image(rows, columns, length):
    mask = np.zeros((50, 50), dtype=bool)
    mask[rows, columns] = True
    got = traced(mask)
    assert graph_topology(got) == (1, 0)
    assert got.length == pytest.approx(length, abs=3)


def test_staircases_are_straight():
    for slope in (1.0, 0.5, 0.3, 0.05):
        mask = np.zeros((220, 220), dtype=bool)
        columns = np.arange(10, 200)
        mask[(10 + slope * (columns - 10)).astype(int), columns] = True
        mask[(10 + slope * (columns - 10)).astype(int) + 1, columns] = True
        got = traced(mask)
        assert ends_and_junctions(got) == {1: 2}
        assert got.length == pytest.approx(189 * math.hypot(1, slope), rel=0.01)
        assert len(got.nodes) < 6


def test_filled_and_tiny_masks():
    got = traced(np.ones((30, 50), dtype=bool))
    assert graph_topology(got) == (1, 0)
    pixels, segments = pixel_graph(np.ones((1, 1), dtype=bool))
    assert pixels.tolist() == [[0, 0]]
    assert len(segments) == 0
    assert traced(np.ones((1, 2), dtype=bool)).length == 1
    assert traced(np.eye(2, dtype=bool)).length == pytest.approx(math.sqrt(2))


images = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(1, 24), st.integers(1, 24), st.sampled_from([0.2, 0.5, 0.7, 0.9])
)


@given(images)
def test_pixel_graph_of_any_image_has_its_topology(parameters):
    """Not only of skeletons: the rule which neighbours are joined holds for every image."""
    seed, height, width, density = parameters
    image = np.random.default_rng(seed).random((height, width)) < density
    pixels, segments = pixel_graph(image)
    assert len(pixels) == image.sum()
    parent = list(range(len(pixels)))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    rings = 0
    for a, b in segments.tolist():
        assert np.abs(pixels[a] - pixels[b]).max() == 1
        rings += root(a) == root(b)
        parent[root(a)] = root(b)
    assert (len({root(i) for i in range(len(pixels))}), rings) == topology(image)


drawings = st.lists(
    st.lists(st.tuples(st.integers(-5, 65), st.integers(-5, 65)), min_size=2, max_size=4, unique=True),
    min_size=1,
    max_size=7,
)


@given(
    drawings, st.sampled_from([1.0, 1.5, 2.5, 4.0, 7.0]), st.sampled_from([(0, 0), (0, 1), (6, 1), (12, 4), (200, 80)])
)
def test_random_drawings_keep_components_and_holes(lines, width, options):
    mask = draw(lines, width, (60, 60))
    if not mask.any() or len(pixel_graph(thinned(mask))[1]) == 0:
        return
    got = traced(mask, min_spur=options[0], simplify=options[1])
    components, rings = graph_topology(got)
    single = got.problems.get("single_pixels", 0)
    assert (components + single, rings) == topology(mask) == topology(thinned(mask))
    assert set(got.problems) <= {"single_pixels", "spurs_pruned"}


@given(images, st.sampled_from([(0, 0), (5, 2), (100, 50)]))
def test_noise_keeps_components_and_holes(parameters, options):
    seed, height, width, density = parameters
    mask = np.random.default_rng(seed).random((height, width)) < density
    if len(pixel_graph(thinned(mask))[1]) == 0:
        return
    got = traced(mask, min_spur=options[0], simplify=options[1])
    components, rings = graph_topology(got)
    assert (components + got.problems.get("single_pixels", 0), rings) == topology(mask)


@pytest.mark.parametrize("seed", range(12))
def test_tiny_rings_survive_the_putting_together_of_junctions(seed):
    mask = np.random.default_rng(seed).random((40, 40)) < 0.6
    for min_spur in (0, 10):
        components, rings = graph_topology(got := traced(mask, min_spur=min_spur))
        assert (components + got.problems.get("single_pixels", 0), rings) == topology(mask)


@given(drawings, st.integers(0, 3))
def test_turning_the_image_turns_the_network(lines, turns):
    """Thinning is not symmetric, so only what must be equal is compared."""
    mask = draw(lines, 3, (60, 60))
    if not mask.any() or len(pixel_graph(thinned(mask))[1]) == 0:
        return
    got, turned = traced(mask), traced(np.rot90(mask, turns))
    assert graph_topology(got)[1] == graph_topology(turned)[1]
