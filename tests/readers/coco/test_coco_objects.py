"""COCO files as objects in metres, and what is wrong with damaged ones."""

import json

import numpy as np
import pytest
import shapely

from geoeval.exceptions import LayerChoiceError, MissingPixelSizeError, UnreadableInputError
from geoeval.readers import read_objects
from geoeval.readers.coco.coco_json import read_coco
from geoeval.readers.coco.runs import PixelRuns, runs_from_text, runs_of_mask

RING = [2.0, 1.0, 6.0, 1.0, 6.0, 4.0, 2.0, 4.0]


def annotations(*rows):
    images = [{"id": 5, "height": 10, "width": 8, "file_name": "a.png"}, {"id": 6, "height": 10, "width": 8}]
    own = [{"id": k + 1, "image_id": 5, "category_id": 1, **row} for k, row in enumerate(rows)]
    return {"info": {}, "images": images, "annotations": own, "categories": [{"id": 1, "name": "building"}]}


def save(folder, content):
    path = folder / "coco.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_rings_runs_and_boxes_become_polygons(tmp_path):
    mask = np.zeros((10, 8), dtype=bool)
    mask[1:4, 2:6] = True
    runs = {"size": [10, 8], "counts": runs_of_mask(mask).counts.tolist()}
    hole = np.zeros((10, 8), dtype=bool)
    hole[0:5, 0:5] = True
    hole[2, 2] = False
    holed = {"size": [10, 8], "counts": runs_of_mask(hole).counts.tolist()}
    rows = [{"segmentation": [RING]}, {"segmentation": runs}, {"bbox": [2, 1, 4, 3]}, {"segmentation": holed}]
    rows.append({"segmentation": runs, "iscrowd": 1})
    path = save(tmp_path, annotations(*rows))
    objects = read_objects(path, layer="a.png", pixel_size=0.5)
    by_id = dict(zip(objects.ids, objects.polygons, strict=True))
    for number in (1, 2, 3):
        assert shapely.equals(by_id[number], shapely.box(1, -2, 3, -0.5))
    assert by_id[4].area == 24 / 4
    assert dict(objects.problems) == {"crowds": 1}
    assert len(read_objects(path, layer="6", pixel_size=1)) == 0
    with pytest.raises(LayerChoiceError, match=r"2 images \(5, 6\); to choose one"):
        read_objects(path, pixel_size=1)
    with pytest.raises(LayerChoiceError, match=r"no image 'b\.png'"):
        read_objects(path, layer="b.png", pixel_size=1)
    with pytest.raises(MissingPixelSizeError):
        read_objects(path, layer="5")


def test_results_have_confidences(tmp_path):
    two = [2.0, 5.0, 6.0, 5.0, 6.0, 8.0, 2.0, 8.0]
    rows = [{"image_id": 5, "category_id": 1, "segmentation": [RING, two], "score": 0.7}]
    objects = read_objects(save(tmp_path, rows), pixel_size=1)
    assert objects.confidence.tolist() == [0.7]
    assert objects.area == 24
    assert len(read_objects(save(tmp_path, []), pixel_size=1)) == 0


def test_text_of_runs():
    # 6 background, then 1 in each of two columns, from COCO's own example of a 3 x 3 mask.
    assert runs_from_text("61").tolist() == [6, 1]
    assert PixelRuns(1, 7, np.array([2, 3, 2])).box() == (2, 0, 3, 1)
    assert PixelRuns(1, 7, np.array([7])).box() == (0, 0, 0, 0)
    for broken in ("", "6P", "\x10"):
        with pytest.raises(ValueError, match="no text of runs"):
            runs_from_text(broken)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"images": [], "annotations": [', "is not JSON"),
        ({"images": [], "annotations": {"a": 1}}, "no COCO file"),
        (annotations({"segmentation": [[1, 2, 3, 4, 5]]}), "object 1: a ring has x and y in turn"),
        (
            annotations({"segmentation": [["a", 2, 3, 4, 5, 6]]}),
            "object 1: a ring of the segmentation is no list of numb",
        ),
        (annotations({"segmentation": {"size": [10, 8], "counts": [3, 4]}}), "do not fill 8 x 10 pixels"),
        (annotations({"segmentation": {"size": [10], "counts": [80]}}), "need their size"),
        (annotations({"segmentation": {"size": [10, 8], "counts": "6P"}}), "are damaged"),
        (annotations({"segmentation": [RING], "image_id": 9}), "there is no image 9"),
        (
            annotations({"segmentation": [RING], "id": 2}, {"segmentation": [RING], "id": 2}),
            "two objects with the id 2",
        ),
        (annotations({"segmentation": [RING], "score": 1}, {"segmentation": [RING]}), "object 2 has no score"),
        (annotations({"segmentation": [RING], "image_id": None}), "has no image_id"),
        (annotations({"bbox": [1, 2, 3]}), "a box is left, top, width, height"),
    ],
)
def test_damaged_files_are_refused_with_the_place(tmp_path, content, message):
    with pytest.raises(UnreadableInputError, match=message):
        read_coco(save(tmp_path, content))
