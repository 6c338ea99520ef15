"""Masks and probability maps, traced to graphs whose topology is checked against the image's own."""

import math
import sys

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from geoeval.crs import is_local
from geoeval.exceptions import (
    EmptyInputError,
    LayerChoiceError,
    MissingCRSError,
    MissingExtraError,
    MissingPixelSizeError,
    ParameterError,
    UnreadableInputError,
)
from geoeval.model.network import RoadNetwork
from geoeval.readers.raster import read_raster, thinned
from geoeval.readers.skeleton import pixel_graph, trace

rasterio = pytest.importorskip("rasterio")
measure = pytest.importorskip("skimage.measure")

pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")

TEE = [[(20, 100), (180, 100)], [(100, 100), (100, 180)]]
CIRCLE = shapely.Point(100, 100).buffer(40, quad_segs=64).exterior
ROUNDABOUT = [CIRCLE, [(140, 100), (195, 100)], [(60, 100), (5, 100)], [(100, 140), (100, 195)], [(100, 60), (100, 5)]]
STAR = [[(100, 100), (100 + 80 * math.cos(angle), 100 + 80 * math.sin(angle))] for angle in np.arange(5) * 1.2566]
EIGHT = [[(100 + side * x, y) for x, y in ((0, 100), (40, 60), (80, 100), (40, 140), (0, 100))] for side in (-1, 1)]
LADDER = [[(20, 60), (180, 60)], [(20, 140), (180, 140)], [(60, 60), (60, 140)], [(140, 60), (140, 140)]]
SQUARE = [[(40, 40), (160, 40), (160, 160), (40, 160), (40, 40)]]


def crossing(angle, x=100.0, y=100.0):
    dx, dy = 70 * math.cos(math.radians(angle)), 70 * math.sin(math.radians(angle))
    return [[(x - 80, y), (x + 80, y)], [(x - dx, y - dy), (x + dx, y + dy)]]


def draw(lines, width, shape=(200, 200)):
    """All pixels whose middle is at most half the width from a line."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    area = shapely.union_all(shapely.buffer([shapely.LineString(line) for line in lines], width / 2))
    shapely.prepare(area)
    return shapely.intersects_xy(area, columns, rows)


def topology(image):
    """Components (8-connected) and holes (4-connected) of an image, by labelling."""
    padded = np.pad(image, 1)
    return ndimage.label(padded, np.ones((3, 3)))[1], ndimage.label(~padded)[1] - 1


def traced(mask, *, min_spur=10.0, simplify=1.0):
    pixels, segments = pixel_graph(thinned(mask))
    got = trace(mask, pixels, segments, metres=pixels, min_spur=min_spur, simplify=simplify)
    return RoadNetwork(got.xy, got.segments, merge_coincident=False, problems=got.problems)


def graph_topology(network):
    components = int(network.components.max()) + 1
    return components, len(network.segments) - len(network.nodes) + components


def ends_and_junctions(network):
    """How many nodes there are of each degree but 2."""
    values, times = np.unique(network.degrees[network.degrees != 2], return_counts=True)
    return dict(zip(values.tolist(), times.tolist(), strict=True))


def write(path, values, **profile):
    bands = values[None] if values.ndim == 2 else values
    profile = {"driver": "GTiff" if path.suffix == ".tif" else "PNG", "dtype": bands.dtype} | profile
    with rasterio.open(path, "w", count=len(bands), height=bands.shape[1], width=bands.shape[2], **profile) as dataset:
        dataset.write(bands)
    return path


def utm(size=1.0):
    return {"crs": "EPSG:32610", "transform": rasterio.Affine(size, 0, 500_000, 0, -size, 4_000_000)}


# ---------------------------------------------------------------------- tracing

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


# ---------------------------------------------------------------------- reading


def test_geotiff_in_metres(tmp_path):
    mask = draw(TEE, 5).astype(np.uint8)
    got = read_raster(write(tmp_path / "a.tif", mask, **utm(2.0)))
    assert got.crs.to_epsg() == 32610
    assert ends_and_junctions(got) == {1: 3, 3: 1}
    assert got.length == pytest.approx(2 * 240, rel=0.03)
    junction = got.nodes[got.degrees == 3][0]
    np.testing.assert_allclose(junction, [500_000 + 2 * 100.5, 4_000_000 - 2 * 100.5], atol=2)
    assert got.scale_error < 0.001
    assert set(got.source_ids.tolist()) == {0, 1, 2}
    assert got.source == str(tmp_path / "a.tif")


def test_geotiff_in_degrees(tmp_path):
    mask = draw([[(20, 100), (180, 100)]], 3).astype(np.uint8)
    transform = rasterio.Affine(1e-5, 0, 7.0, 0, -1e-5, 60.0)
    got = read_raster(write(tmp_path / "a.tif", mask, crs="EPSG:4326", transform=transform))
    assert got.crs.to_epsg() == 32632
    assert got.length == pytest.approx(160 * 1e-5 * 111_320 * 0.5017, rel=0.02)


def test_rotated_and_mirrored_georeference(tmp_path):
    mask = draw(TEE, 3).astype(np.uint8)
    straight = read_raster(write(tmp_path / "a.tif", mask, **utm()))
    cosine, sine = math.cos(math.radians(30)), math.sin(math.radians(30))
    turned = rasterio.Affine(cosine, -sine, 500_000, sine, cosine, 4_000_000)
    got = read_raster(write(tmp_path / "b.tif", mask, crs="EPSG:32610", transform=turned))
    assert got.length == pytest.approx(straight.length)
    expected = 500_000 + 100.5 * (cosine - sine), 4_000_000 + 100.5 * (cosine + sine)
    np.testing.assert_allclose(got.nodes[got.degrees == 3][0], expected, atol=1.5)


def test_png_with_a_pixel_size(tmp_path):
    mask = draw(TEE, 3).astype(np.uint8) * 255
    path = write(tmp_path / "a.png", mask)
    got = read_raster(path, pixel_size=0.5)
    assert is_local(got.crs)
    assert got.length == pytest.approx(120, rel=0.03)
    np.testing.assert_allclose(got.nodes[got.degrees == 3][0], [50.25, 50.25], atol=0.5)  # y is not turned round
    assert got.bounds[3] > 85
    with pytest.raises(MissingPixelSizeError, match="--pixel-size"):
        read_raster(path)
    with pytest.raises(MissingPixelSizeError, match="does not place it"):
        read_raster(path, crs="EPSG:32610")
    with pytest.raises(ParameterError):
        read_raster(path, pixel_size=-1)


def test_world_file_and_no_crs(tmp_path):
    path = write(tmp_path / "a.png", draw(TEE, 3).astype(np.uint8) * 255)
    (tmp_path / "a.pgw").write_text("2.0\n0\n0\n-2.0\n500001\n3999999\n")
    assert read_raster(path, crs="EPSG:32610").length == pytest.approx(480, rel=0.03)
    with pytest.raises(MissingCRSError, match="--input-crs"):
        read_raster(path)


def test_given_crs_overrules_the_file(tmp_path):
    path = write(tmp_path / "a.tif", draw(TEE, 3).astype(np.uint8), **utm())
    assert read_raster(path, crs="EPSG:32633").crs.to_epsg() == 32633


def test_control_points_only(tmp_path):
    path = tmp_path / "a.tif"
    points = [rasterio.control.GroundControlPoint(r, c, c + 5e5, 4e6 - r) for r, c in ((0, 0), (0, 200), (200, 0))]
    with rasterio.open(
        path, "w", driver="GTiff", dtype="uint8", count=1, height=200, width=200, gcps=points, crs="EPSG:32610"
    ) as file:
        file.write(draw(TEE, 3).astype(np.uint8), 1)
    with pytest.raises(MissingCRSError, match="control points"):
        read_raster(path)


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda mask: mask, np.uint8),
        (lambda mask: mask * 255, np.uint8),
        (lambda mask: mask * 200 + 50, np.uint8),
        (lambda mask: mask * 65535, np.uint16),
        (lambda mask: mask * 0.9 + 0.05, np.float32),
        (lambda mask: mask * 0.4 + 0.2, np.float64),
        (lambda mask: np.where(mask, 1.0, np.nan), np.float32),
        (lambda mask: mask * 254.0, np.float32),
        (lambda mask: mask * 2 - 1, np.int16),
    ],
)
def test_default_threshold_is_half_of_full_scale(tmp_path, make, dtype):
    mask = draw(TEE, 3)
    got = read_raster(write(tmp_path / "a.tif", make(mask.astype(float)).astype(dtype), **utm()))
    assert ends_and_junctions(got) == {1: 3, 3: 1}


def test_threshold(tmp_path):
    probability = np.where(draw(TEE[:1], 5), 0.8, np.where(draw(TEE[1:], 5), 0.3, 0.0)).astype(np.float32)
    path = write(tmp_path / "a.tif", probability, **utm())
    assert ends_and_junctions(read_raster(path)) == {1: 2}
    assert ends_and_junctions(read_raster(path, threshold=0.2)) == {1: 3, 3: 1}
    with pytest.raises(EmptyInputError, match=r"at least 0\.9 .*largest value is 0\.8"):
        read_raster(path, threshold=0.9)
    labels = write(tmp_path / "b.tif", draw(TEE, 5).astype(np.int32) * 100_000, **utm())
    with pytest.raises(ParameterError, match="100000"):
        read_raster(labels)
    assert ends_and_junctions(read_raster(labels, threshold=1)) == {1: 3, 3: 1}


def test_threshold_itself_is_road_and_places_are_middles_of_pixels(tmp_path):
    mask = np.zeros((30, 40), dtype=np.uint8)
    mask[10, 5:35] = 1
    got = read_raster(write(tmp_path / "a.tif", mask, **utm(2.0)), threshold=1)
    assert got.nodes.tolist() == [[500_011, 3_999_979], [500_069, 3_999_979]]


def test_pixels_without_data_are_no_road(tmp_path):
    mask = draw(TEE, 5).astype(np.uint8)
    mask[:60] = 255
    got = read_raster(write(tmp_path / "a.tif", mask, nodata=255, **utm()))
    assert ends_and_junctions(got) == {1: 3, 3: 1}
    values = np.where(draw(TEE, 5), 0.9, 0.0).astype(np.float32)
    values[:60] = 9999
    assert ends_and_junctions(read_raster(write(tmp_path / "b.tif", values, nodata=9999, **utm()))) == {1: 3, 3: 1}
    with pytest.raises(EmptyInputError, match="no pixel has data"):
        read_raster(write(tmp_path / "c.tif", np.full((9, 9), 7, dtype=np.uint8), nodata=7, **utm()))


def test_colours_alpha_and_bands(tmp_path):
    mask = draw(TEE, 5).astype(np.uint8) * 255
    none, full = np.zeros_like(mask), np.full_like(mask, 255)
    for name, bands in {"red": [mask, none, none], "white": [mask] * 3, "alpha": [mask, mask, none, full]}.items():
        path = write(tmp_path / f"{name}.png", np.stack(bands))
        assert ends_and_junctions(read_raster(path, pixel_size=1)) == {1: 3, 3: 1}
    grey = write(tmp_path / "grey.png", np.stack([mask, full]))
    assert ends_and_junctions(read_raster(grey, pixel_size=1)) == {1: 3, 3: 1}
    classes = np.stack([(255 - mask) / 255, mask / 255]).astype(np.float32)
    path = write(tmp_path / "classes.tif", classes, **utm())
    with pytest.raises(LayerChoiceError, match="--layer"):
        read_raster(path)
    assert ends_and_junctions(read_raster(path, layer="2")) == {1: 3, 3: 1}
    with pytest.raises(LayerChoiceError, match="1 to 2"):
        read_raster(path, layer=3)


def test_png_with_a_palette(tmp_path):
    """Colours count, not their numbers: here 0 is white, the road."""
    path = tmp_path / "a.png"
    mask = draw(TEE, 5)
    with rasterio.open(path, "w", driver="PNG", dtype="uint8", count=1, height=200, width=200) as file:
        file.write(np.where(mask, 0, 1).astype(np.uint8), 1)
        file.write_colormap(1, {0: (255, 255, 255, 255), 1: (0, 0, 0, 255)})
    assert ends_and_junctions(read_raster(path, pixel_size=1)) == {1: 3, 3: 1}


@pytest.mark.parametrize("value", [0, 1])
def test_nothing_to_trace(tmp_path, value):
    mask = np.zeros((20, 20), dtype=np.uint8)
    mask[5, 5] = value
    with pytest.raises(EmptyInputError, match="1 dots" if value else "no pixel"):
        read_raster(write(tmp_path / "a.tif", mask, **utm()))


def test_options_are_metres(tmp_path):
    mask = np.zeros((100, 100), dtype=np.uint8)
    mask[50, 5:95] = mask[30:50, 50] = 1
    path = write(tmp_path / "a.tif", mask, **utm(0.5))
    assert ends_and_junctions(read_raster(path, min_spur=9)) == {1: 3, 3: 1}
    pruned = read_raster(path, min_spur=11)
    assert ends_and_junctions(pruned) == {1: 2}
    assert pruned.problems == {"spurs_pruned": 1}
    wave = np.zeros((100, 300), dtype=np.uint8)
    columns = np.arange(10, 290)
    wave[np.round(50 + 8 * np.sin(columns / 12)).astype(int), columns] = 1
    path = write(tmp_path / "b.tif", wave, **utm(0.5))
    sizes = [len(read_raster(path, simplify=tolerance).nodes) for tolerance in (0, None, 2.0, 20.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 250
    assert sizes[-1] == 2
    for name in ("min_spur", "simplify", "threshold"):
        with pytest.raises(ParameterError, match=name):
            read_raster(path, **{name: float("nan")})


def test_what_is_no_image(tmp_path, monkeypatch):
    text = tmp_path / "a.png"
    text.write_text("not an image")
    with pytest.raises(UnreadableInputError, match="image") as caught:
        read_raster(text, pixel_size=1)
    assert "\n" not in str(caught.value)
    with pytest.raises(UnreadableInputError):
        read_raster(tmp_path / "absent.tif")
    whole = write(tmp_path / "b.tif", np.random.default_rng(0).integers(0, 2, (300, 300), dtype=np.uint8), **utm())
    whole.write_bytes(whole.read_bytes()[:30_000])
    with pytest.raises(UnreadableInputError):
        read_raster(whole)
    monkeypatch.setattr("geoeval.readers.raster.MAX_PIXELS", 100)
    with pytest.raises(UnreadableInputError, match="tiles"):
        read_raster(write(tmp_path / "c.tif", np.ones((20, 20), dtype=np.uint8), **utm()))
    complex_values = write(tmp_path / "d.tif", np.ones((9, 9), dtype=np.complex64), **utm())
    with pytest.raises(UnreadableInputError, match="complex64"):
        read_raster(complex_values)


@pytest.mark.parametrize("package", ["rasterio", "skimage"])
def test_missing_extra(tmp_path, monkeypatch, package):
    path = write(tmp_path / "a.tif", draw(TEE, 3).astype(np.uint8), **utm())
    for name in [*sys.modules]:
        if name == package or name.startswith(f"{package}."):
            monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r'pip install "geoeval\[raster\]"'):
        read_raster(path)
