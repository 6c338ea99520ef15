"""Black pixels of scanned drawings."""

import numpy as np
import pytest

from geoeval import exceptions
from geoeval.lines.evaluate import evaluate_lines
from geoeval.model.courses import bar
from geoeval.model.drawing import Drawing
from geoeval.readers import read_drawing, read_image


def test_images_dark_on_bright_and_the_other_way(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    ink = np.zeros((40, 100), dtype=bool)
    ink[17:24, 10:91] = True
    options = {"driver": "PNG", "width": 100, "height": 40, "count": 1, "dtype": "uint8"}
    found = {}
    for name, values in (("dark", np.where(ink, 0, 255)), ("bright", np.where(ink, 255, 0))):
        warned = pytest.warns(rasterio.errors.NotGeoreferencedWarning)
        with warned, rasterio.open(tmp_path / f"{name}.png", "w", **options) as dataset:
            dataset.write(values.astype(np.uint8), 1)
        found[name] = read_image(tmp_path / f"{name}.png")
        assert (found[name].ink == ink).all()
        assert (read_image(tmp_path / f"{name}.png", ink="dark").ink == (ink if name == "dark" else ~ink)).all()
    # The caps of a bar of 7 are round, those of the image are not: a few pixels at the corners.
    drawing = Drawing([bar((13, 20), (87, 20))], width=7)
    scores = evaluate_lines(drawing, drawing, image=found["dark"], metrics="pixel").scores["pixel"]
    assert scores["fp"] == 0
    assert 0.95 < scores["dp"] < 1
    with pytest.raises(exceptions.UnreadableInputError, match="image=FILE"):
        read_drawing(tmp_path / "dark.png")
    with pytest.raises(exceptions.ParameterError, match="ink"):
        read_image(tmp_path / "dark.png", ink="blue")


def test_georeferenced_images_are_placed_by_the_middles_of_their_pixels(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    ink = np.zeros((50, 50), dtype=np.uint8)
    ink[10, 5:45] = 255
    options = {"driver": "GTiff", "width": 50, "height": 50, "count": 1, "dtype": "uint8", "crs": "EPSG:32633"}
    transform = rasterio.Affine(2.0, 0.0, 500000.0, 0.0, -2.0, 5000100.0)
    with rasterio.open(tmp_path / "map.tif", "w", transform=transform, **options) as dataset:
        dataset.write(ink, 1)
    image = read_image(tmp_path / "map.tif")
    # The middle of column 5 lies at 500000 + 5.5 * 2, that of row 10 at 5000100 - 10.5 * 2.
    road = Drawing([bar((500011, 5000079), (500089, 5000079))], width=2, crs="EPSG:32633")
    assert evaluate_lines(road, road, image=image, metrics="pixel").scores["pixel"] == {"dp": 1, "fp": 0, "pri": 1}
    elsewhere = Drawing([bar((0, 0), (9, 0))])
    with pytest.raises(exceptions.CRSError):
        evaluate_lines(elsewhere, elsewhere, image=image)
