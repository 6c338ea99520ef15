"""Objects of labels and masks."""

import numpy as np
import pytest

from geoeval import evaluate_objects, read_objects

rasterio = pytest.importorskip("rasterio")
CRS = "EPSG:32616"


def image(path, values, **kwargs):
    values = np.asarray(values)
    bands = values if values.ndim == 3 else values[None]
    driver = "PNG" if path.suffix == ".png" else "GTiff"
    size = {"height": bands.shape[1], "width": bands.shape[2], "count": len(bands), "dtype": bands.dtype}
    with rasterio.open(path, "w", driver=driver, **size, **kwargs) as dataset:
        dataset.write(bands)
    return path


PIXELS = np.zeros((20, 30), dtype=np.uint8)
PIXELS[2:8, 3:9] = 1
PIXELS[8:12, 9:15] = 1  # touches the first at a corner
PIXELS[2:8, 20:28] = 1
LABELS = PIXELS.copy()
LABELS[2:8, 20:24] = 7
LABELS[2:8, 24:28] = 9


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_masks_and_labels(tmp_path):
    """Masks of any two values fall into connected parts; more values are labels, whatever lies where."""
    for name, values in (("m.png", PIXELS * 255), ("m1.png", PIXELS), ("m7.png", PIXELS * 7)):
        read = read_objects(image(tmp_path / name, values), pixel_size=0.5)
        assert read.areas.tolist() == [9, 6, 12]
        assert read.problems == {}
    share = read_objects(image(tmp_path / "p.tif", PIXELS * np.float32(0.7)), pixel_size=0.5)
    assert share.areas.tolist() == [9, 6, 12]
    assert read_objects(tmp_path / "p.tif", pixel_size=0.5, threshold=0.8).is_empty
    labels = read_objects(image(tmp_path / "l.png", LABELS), pixel_size=0.5)
    assert sorted(zip(labels.ids, labels.areas, strict=True)) == [(1, 15), (7, 6), (9, 6)]
    assert labels.problems == {"labels_in_several_parts": 1}
    colours = np.stack([LABELS, LABELS // 2, 255 * (LABELS > 0)]).astype(np.uint8)
    assert sorted(read_objects(image(tmp_path / "c.png", colours), pixel_size=0.5).areas) == [6, 6, 15]
    assert len(read_objects(tmp_path / "l.png", pixel_size=0.5, threshold=1)) == 3
    assert read_objects(image(tmp_path / "none.png", 0 * PIXELS), pixel_size=1).is_empty


def test_a_georeferenced_label_image_lies_where_its_polygons_do(tmp_path):
    place = {"crs": CRS, "transform": rasterio.Affine(2.0, 0.0, 500_000.0, 0.0, -2.0, 3_700_000.0)}
    labels = read_objects(image(tmp_path / "l.tif", LABELS.astype(np.int32), **place))
    labels.to_geodataframe().to_file(tmp_path / "l.gpkg")
    polygons = read_objects(tmp_path / "l.gpkg")
    assert labels.bounds == polygons.bounds == (500_006, 3_699_976, 500_056, 3_699_996)
    mixed = evaluate_objects(labels, polygons, parameters={"max-overlap": {"resolution": 2.0}}).scores
    pixels = evaluate_objects(labels, labels, parameters={"max-overlap": {"resolution": 2.0}}).scores
    assert mixed["max-overlap"]["mallows"] == pytest.approx(1)
    assert mixed["bgm"]["score"] == pixels["bgm"]["score"] == 1
    assert pixels["max-overlap"]["overlap"] == mixed["max-overlap"]["overlap"] == 432
