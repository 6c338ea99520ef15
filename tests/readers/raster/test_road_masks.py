"""Masks and probability maps as road networks."""

import math

import numpy as np
import pytest

from geoeval.crs import is_local
from geoeval.exceptions import (
    EmptyInputError,
    LayerChoiceError,
    MissingCRSError,
    MissingPixelSizeError,
    ParameterError,
)
from geoeval.readers.raster.road_masks import read_raster
from tests.readers.raster.masks import (
    TEE,
    draw,
    ends_and_junctions,
    utm,
    write,
)

rasterio = pytest.importorskip("rasterio")
pytest.importorskip("skimage")
pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


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
    np.testing.assert_allclose(got.nodes[got.degrees == 3][0], [50.25, -50.25], atol=0.5)  # rows go down
    assert got.bounds[1] < -85
    with pytest.raises(MissingPixelSizeError, match="pixel_size=M"):
        read_raster(path)
    with pytest.raises(MissingPixelSizeError, match="does not place it"):
        read_raster(path, crs="EPSG:32610")
    with pytest.raises(ParameterError):
        read_raster(path, pixel_size=-1)


def test_world_file_and_no_crs(tmp_path):
    path = write(tmp_path / "a.png", draw(TEE, 3).astype(np.uint8) * 255)
    (tmp_path / "a.pgw").write_text("2.0\n0\n0\n-2.0\n500001\n3999999\n")
    assert read_raster(path, crs="EPSG:32610").length == pytest.approx(480, rel=0.03)
    with pytest.raises(MissingCRSError, match='give crs="EPSG:n"'):
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
    with pytest.raises(LayerChoiceError, match="give layer=NUMBER"):
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
