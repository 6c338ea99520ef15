"""Images that cannot be read."""

import sys

import numpy as np
import pytest

from geoeval.exceptions import (
    MissingExtraError,
    TooLargeError,
    UnreadableInputError,
)
from geoeval.readers.raster.road_masks import read_raster
from geoeval.trust import trusting
from tests.readers.raster.masks import (
    TEE,
    draw,
    utm,
    write,
)

rasterio = pytest.importorskip("rasterio")
pytest.importorskip("skimage")
pytestmark = pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")


def test_what_is_no_image(tmp_path):
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
    with trusting("pixels=100"), pytest.raises(TooLargeError, match=r"cut into tiles.*limits=\"pixels=400"):
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
