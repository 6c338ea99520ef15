"""``coco`` against the published numbers, and against pycocotools on random data sets."""

import contextlib
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from geoeval import evaluate
from geoeval.exceptions import ParameterError
from geoeval.protocols.coco.overlap_tables import run_ious
from geoeval.protocols.coco.rasterising import borders_of
from geoeval.readers.coco.coco_json import read_coco
from tests.protocols.coco.made_sets import made_sets, packed_runs, ring

# pycocotools gives numpy arrays in an old way.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

NAMES = ("ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large")
NAMES += ("ar1", "ar10", "ar100", "ar_small", "ar_medium", "ar_large")
PUBLISHED = {
    "segm": (
        0.3195452758576433, 0.5622883972521636, 0.29892653412086784, 0.3873740315997838, 0.31018272403369485,
        0.3269339071005138, 0.2682297225711534, 0.41544868114906375, 0.4168394992198818, 0.4694498622754236,
        0.37675922666197265, 0.3814715099715099,
    ),
    "bbox": (
        0.5045806987249628, 0.6969727247299577, 0.5729816669904824, 0.5856257209410443, 0.5193996948036719,
        0.5013978986347466, 0.38681277964578054, 0.5936795762842003, 0.595352982877607, 0.6398109626113442,
        0.5664205978994309, 0.5642905982905982,
    ),
}  # fmt: skip


def save(folder, truths, results):
    paths = folder / "truths.json", folder / "results.json"
    for path, content in zip(paths, (truths, results), strict=True):
        path.write_text(json.dumps(content))
    return paths


def scores_of(paths, **parameters):
    return evaluate(*paths, kind="objects", protocol="coco", parameters={"coco": parameters}).scores["coco"]


def pycoco(truths, results, iou_type):
    """The twelve numbers of pycocotools; None where it prints -1."""
    with contextlib.redirect_stdout(io.StringIO()):
        true = COCO()
        true.dataset = truths
        true.createIndex()
        run = COCOeval(true, true.loadRes(results), iou_type)
        run.evaluate()
        run.accumulate()
        run.summarize()
    return {name: None if value == -1 else value for name, value in zip(NAMES, run.stats, strict=True)}


@pytest.mark.parametrize("iou_type", PUBLISHED)
def test_published_numbers(data, iou_type):
    folder = data / "protocols" / "coco"
    results = folder / f"instances_val2014_fake{iou_type}100_results.json"
    scores = scores_of((folder / "instances_val2014_100.json", results), iou_type=iou_type)
    assert list(scores) == list(NAMES)
    assert list(scores.values()) == pytest.approx(PUBLISHED[iou_type], abs=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_random_data_sets_against_pycocotools(tmp_path, seed):
    truths, results = made_sets(seed, boxes=seed % 3 == 2)
    paths = save(tmp_path, truths, results)
    for iou_type in ("segm", "bbox"):
        expected = pycoco(json.loads(json.dumps(truths)), json.loads(json.dumps(results)), iou_type)
        assert scores_of(paths, iou_type=iou_type) == pytest.approx(expected, abs=1e-12), iou_type


@given(seed=st.integers(0, 2**32))
def test_pixels_of_rings_against_pycocotools(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 80)), int(rng.integers(1, 80))
    rings = [ring(rng, size) for _ in range(int(rng.integers(1, 4)))]
    if rng.random() < 0.3:
        rings[0] = [*rings[0], *rings[0][-2:], *rings[0][:2]]  # vertices twice
    borders = borders_of(tuple(np.reshape(one, (-1, 2)) for one in rings), np.zeros(4), size)
    flat = np.zeros(size[0] * size[1], dtype=np.uint8)
    for low, high in borders.reshape(-1, 2):
        flat[low:high] = 1
    expected = coco_mask.decode(coco_mask.merge(coco_mask.frPyObjects(rings, *size)))
    np.testing.assert_array_equal(flat.reshape(size[1], size[0]).T, expected)


def test_runs_are_read_as_pycocotools_reads_them(tmp_path):
    truths, results = made_sets(3)
    paths = save(tmp_path, truths, results)
    found = read_coco(paths[0])
    sizes = {one["id"]: (one["height"], one["width"]) for one in truths["images"]}
    for row, own in enumerate(truths["annotations"]):
        size = sizes[own["image_id"]]
        expected = coco_mask.decode(packed_runs(own["segmentation"], size))
        flat = np.zeros(expected.size, dtype=np.uint8)
        for low, high in borders_of(found.shapes[row], found.boxes[row], size).reshape(-1, 2):
            flat[low:high] = 1
        np.testing.assert_array_equal(flat.reshape(size[1], size[0]).T, expected)


def square(image, x, **more):
    corners = [x, 10, x, 30, x + 20, 30, x + 20, 10]
    return {"image_id": image, "category_id": 1, "segmentation": [corners], **more}


def two_images(truths):
    images = [{"id": key, "height": 100, "width": 100} for key in (1, 2)]
    rows = [{"area": 400, "iscrowd": 0, "bbox": [0, 0, 20, 20], **row} for row in truths]
    return {"images": images, "annotations": rows, "categories": [{"id": 1}]}


def test_an_object_with_the_id_0_cannot_be_found(tmp_path):
    results = [square(1, 10, score=0.9)]
    paths = save(tmp_path, two_images([square(1, 10, id=0)]), results)
    assert scores_of(paths)["ap"] == 0.0
    paths = save(tmp_path, two_images([square(1, 10, id=1)]), results)
    assert scores_of(paths)["ap"] == pytest.approx(1.0)


def test_the_script_of_frame_fields_leaves_out_images_without_detection(tmp_path):
    paths = save(tmp_path, two_images([square(1, 10, id=1), square(2, 10, id=2)]), [square(1, 10, score=0.9)])
    right, scripted = scores_of(paths), scores_of(paths, script="ffl")
    assert right["ar100"] == 0.5
    assert right["ap"] == pytest.approx(51 / 101)
    assert scripted["ap"] == pytest.approx(1.0)
    # All three are of 100 detections: of two objects in one image one detection finds one.
    both = [square(1, 10, id=1), square(1, 60, id=2)]
    paths = save(tmp_path, two_images(both), [square(1, x, score=s) for x, s in ((10, 0.9), (60, 0.8))])
    assert (scores_of(paths)["ar1"], scores_of(paths, script="ffl")["ar1"]) == (0.5, 1.0)
    # A detection off by 4 of 20 pixels has IoU 2/3: found at 0.5, 0.55, 0.6, 0.65, not at 0.75.
    paths = save(tmp_path, two_images([square(1, 10, id=1)]), [square(1, 14, score=0.9)])
    scripted = scores_of(paths, script="ffl")
    assert [scripted[name] for name in ("ar1", "ar10", "ar100")] == pytest.approx([0.4, 1.0, 0.0])
    assert [scores_of(paths)[name] for name in ("ar1", "ar10", "ar100")] == pytest.approx([0.4] * 3)


def test_iou_of_objects_that_share_nothing_is_0():
    one, none = np.array([2, 5]), np.zeros(0, dtype=np.int64)
    np.testing.assert_array_equal(
        run_ious([one, none], [none, np.array([4, 8])], np.zeros(2, bool)), [[0, 1 / 6], [0, 0]]
    )


def test_maps_in_metres_are_one_image(tmp_path):
    import geopandas as gpd
    import shapely

    truth = gpd.GeoDataFrame(geometry=[shapely.box(500000, 0, 500010, 10)], crs="EPSG:32631")
    found = gpd.GeoDataFrame(geometry=[shapely.box(500000, 0, 500010, 8)], crs="EPSG:32631")
    scores = evaluate(truth, found, kind="objects", protocol="coco").scores["coco"]
    assert scores["ap"] == pytest.approx(0.7)  # IoU 0.8
    assert scores["ap_large"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda truths, results: results[0].pop("score"), "no scores"),
        (lambda truths, results: results[0].update(image_id=7), "image 7, which the reference does not have"),
        (lambda truths, results: truths["images"][0].update(height=None, width=None), "does not say how large"),
    ],
)
def test_what_cannot_be_scored_is_said(tmp_path, change, message):
    truths, results = two_images([square(1, 10, id=1)]), [square(1, 10, score=0.9)]
    change(truths, results)
    with pytest.raises(ParameterError, match=message):
        scores_of(save(tmp_path, truths, results))


def test_protocols_know_what_they_score(tmp_path):
    paths = save(tmp_path, two_images([square(1, 10, id=1)]), [square(1, 10, score=0.9)])
    with pytest.raises(ParameterError, match="coco scores objects, not roads; use geoeval objects"):
        evaluate(*paths, protocol="coco")
    with pytest.raises(ParameterError, match="choose one of segm, bbox"):
        scores_of(paths, iou_type="keypoints")
