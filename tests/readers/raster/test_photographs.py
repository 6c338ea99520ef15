"""A photograph is not a mask."""

import numpy as np
import pytest
import rasterio

from geoeval import read_network, read_objects
from geoeval.exceptions import ParameterError
from tests.readers.raster.masks import TEE, draw


def save(path, *bands):
    options = {"photometric": "RGB"} if len(bands) == 3 and path.suffix == ".tif" else {}
    with rasterio.open(
        path, "w", width=bands[0].shape[1], height=bands[0].shape[0], count=len(bands), dtype="uint8", **options
    ) as file:
        for number, band in enumerate(bands, 1):
            file.write(band.astype(np.uint8), number)
    return path


@pytest.fixture(autouse=True)
def _no_georeference():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
        yield


def photograph(generator, size=120):
    """Fields of different brightness with grain, and a bright road."""
    fields = np.kron(generator.integers(60, 180, (6, 6)), np.ones((size // 6, size // 6)))
    grain = generator.normal(0, 8, (size, size))
    picture = np.clip(fields + grain, 0, 255)
    picture[58:62] = 250
    return picture


@pytest.mark.parametrize("colours", [1, 3])
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif"])
def test_a_photograph_is_refused_and_a_threshold_makes_a_mask_of_it(tmp_path, suffix, colours):
    generator = np.random.default_rng(3)
    bands = [photograph(generator) for _ in range(colours)]
    path = save(tmp_path / f"aerial{suffix}", *bands)
    for read in (read_network, read_objects):
        with pytest.raises(ParameterError, match=r"looks like a photograph.*threshold=V makes") as caught:
            read(path, pixel_size=1)
        assert "\n" not in str(caught.value)
    assert read_network(path, pixel_size=1, threshold=240).length == pytest.approx(120, abs=6)
    assert read_objects(path, pixel_size=1, threshold=240).area == pytest.approx(480, rel=0.1)


def test_masks_and_maps_of_probability_are_no_photographs(tmp_path):
    mask = draw(TEE, 5)
    generator = np.random.default_rng(5)
    # As networks give them: sure almost everywhere, and fractions along the borders.
    from scipy.ndimage import gaussian_filter

    blurred = 255 * np.clip(gaussian_filter(mask.astype(float), 2) + generator.normal(0, 0.02, mask.shape), 0, 1)
    for name, bands in {
        "mask.png": [255 * mask],
        "mask.jpg": [255 * mask],
        "red.png": [255 * mask, 0 * mask, 0 * mask],
        "probability.tif": [blurred],
        "grey.png": [120 * mask + 40],
    }.items():
        path = save(tmp_path / name, *bands)
        threshold = {"threshold": 100} if name == "grey.png" else {}
        assert read_network(path, pixel_size=1, **threshold).length == pytest.approx(240, rel=0.05), name


def test_many_labels_are_no_photograph(tmp_path):
    """Blocks of nine pixels with a label each, as small as buildings get."""
    labels = np.kron(np.arange(1, 241).reshape(15, 16), np.ones((3, 3)))
    assert len(read_objects(save(tmp_path / "labels.png", labels), pixel_size=1)) == 240
