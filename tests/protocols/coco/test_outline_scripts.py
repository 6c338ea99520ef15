"""``hisup`` and ``p3``: each faulty rule of the scripts by itself, and the same without it."""

import numpy as np
import pytest

from geoeval import evaluate
from geoeval.exceptions import ParameterError
from tests.protocols.coco.test_coco import save

SQUARE = ((10, 10), (30, 10), (30, 30), (10, 30))


def ring(corners, shift=(0, 0), *, closed=False):
    points = [(x + shift[0], y + shift[1]) for x, y in corners]
    return [float(value) for point in (points + points[:1] if closed else points) for value in point]


def scored(folder, truths, found, protocol="hisup", rules="scripted", size=100):
    """Scores of images given as lists of objects, which are lists of rings."""
    images = [{"id": k + 1, "height": size, "width": size} for k in range(len(truths))]
    rows = [
        [{"image_id": k + 1, "category_id": 1, "segmentation": rings} for k, own in enumerate(some) for rings in own]
        for some in (truths, found)
    ]
    true = [{"id": k + 1, "iscrowd": 0, "area": 1, **row} for k, row in enumerate(rows[0])]
    paths = save(
        folder, {"images": images, "annotations": true, "categories": [{"id": 1}]}, [{"score": 1, **r} for r in rows[1]]
    )
    return evaluate(*paths, kind="objects", protocol=protocol, parameters={protocol: {"rules": rules}}).scores[protocol]


def pair(folder, truths, found, protocol="hisup"):
    return [scored(folder, truths, found, protocol, rules) for rules in ("scripted", "mended")]


def test_polis_counts_the_closing_vertex(tmp_path):
    # Every vertex of a square moved by 2 to the right: two lie on the other outline's sides, two are 2 away; so mean 1.
    scripted, mended = pair(tmp_path, [[[ring(SQUARE)]]], [[[ring(SQUARE, (2, 0))]]])
    assert mended["polis"] == pytest.approx(1.0)
    assert scripted["polis"] == pytest.approx(4 / 5)


def test_polis_looks_at_the_first_ring_alone(tmp_path):
    far = ((60, 60), (70, 60), (70, 70), (60, 70))
    truth, found = [ring(SQUARE), ring(far)], [ring(SQUARE, (2, 0)), ring(far, (0, 8))]
    scripted, mended = pair(tmp_path, [[truth]], [[found]])
    assert scripted["polis"] == pytest.approx(4 / 5)
    # Of the second squares, two vertices are 8 away and two lie on the other's sides; of the first two are 2 away.
    assert mended["polis"] == pytest.approx((2 * 2 + 2 * 8) / 8)


def test_polis_takes_a_detection_twice(tmp_path):
    # Two truths on each other, one detection: the second truth is matched with it again.
    scripted, mended = pair(tmp_path, [[[ring(SQUARE)], [ring(SQUARE, (4, 0))]]], [[[ring(SQUARE)]]])
    assert scripted["polis"] == pytest.approx((0 + 4 * 2 / 5) / 2)
    assert mended["polis"] == 0.0


def test_polis_leaves_out_perfect_images(tmp_path):
    truths, found = [[[ring(SQUARE)]], [[ring(SQUARE)]]], [[[ring(SQUARE)]], [[ring(SQUARE, (2, 0))]]]
    scripted, mended = pair(tmp_path, truths, found)
    assert scripted["polis"] == pytest.approx(4 / 5)  # not the half
    assert mended["polis"] == pytest.approx(1 / 2)
    assert scored(tmp_path, truths, found, "p3")["polis"] == pytest.approx(2 / 5)


def test_boxes_and_not_outlines_decide_what_polis_compares(tmp_path):
    # Two triangles of one box, whose common part is nothing, match by their boxes.
    lower, upper = ((10, 10), (30, 30), (10, 30)), ((10, 10), (30, 10), (30, 30))
    scripted, mended = pair(tmp_path, [[[ring(lower)]]], [[[ring(upper)]]])
    assert mended["polis"] == pytest.approx(200**0.5 / 3)
    assert scripted["polis"] == pytest.approx(200**0.5 / 4)
    apart = scored(tmp_path, [[[ring(SQUARE)]]], [[[ring(SQUARE, (15, 0))]]])
    assert apart["polis"] is None


def test_c_iou_keeps_the_mask_of_the_image_before(tmp_path):
    truths, found = [[[ring(SQUARE)]], [[ring(SQUARE)]]], [[[ring(SQUARE)]], []]
    scripted, mended = pair(tmp_path, truths, found)
    assert scripted["iou"] == pytest.approx(1.0)
    assert mended["iou"] == pytest.approx(0.5)
    assert scripted["c_iou"] == pytest.approx(0.5)  # 4 vertices against none
    assert scored(tmp_path, truths, found, "p3")["iou"] == pytest.approx(0.5)


def test_c_iou_counts_closing_vertices_and_first_rings(tmp_path):
    scripted, mended = pair(tmp_path, [[[ring(SQUARE)]]], [[[ring(SQUARE, closed=True)]]])
    assert scripted["c_iou"] == pytest.approx(1 - 1 / 9)
    assert mended["c_iou"] == pytest.approx(1.0)
    assert scripted["n_ratio"] == pytest.approx(5 / 4)
    assert mended["n_ratio"] == 1.0
    small = ((50, 50), (60, 50), (60, 60), (50, 60))
    scripted, mended = pair(tmp_path, [[[ring(SQUARE), ring(small)]]], [[[ring(SQUARE), ring(small), ring(small)]]])
    assert scripted["c_iou"] == pytest.approx(1.0)
    assert mended["c_iou"] == pytest.approx(1 - 4 / 20)


def test_n_ratio_is_another_number_in_p3(tmp_path):
    five = ((10, 10), (20, 10), (30, 10), (30, 30), (10, 30), (10, 20))
    truths, found = [[[ring(SQUARE)]]], [[[ring(five)]]]
    assert scored(tmp_path, truths, found)["n_ratio"] == pytest.approx(6 / 4)
    assert scored(tmp_path, truths, found, "p3")["nr"] == pytest.approx(1 - 2 / 10)


def test_both_empty_is_perfect_in_c_iou(tmp_path):
    scores = scored(tmp_path, [[], [[ring(SQUARE)]]], [[], [[ring(SQUARE)]]])
    assert scores["iou"] == pytest.approx(1.0)
    assert scores["c_iou"] == pytest.approx(1.0)


def test_mta_of_a_turned_edge(tmp_path):
    # The upper side of a square rises by 4 over 20: its tangent is off by arctan 1/5.
    turned = ((10, 10), (30, 14), (30, 30), (10, 30))
    scripted, mended = pair(tmp_path, [[[ring(SQUARE)]]], [[[ring(turned)]]])
    for scores in (scripted, mended):
        assert scores["mta"] == pytest.approx(np.degrees(np.arctan(1 / 5)), abs=0.01)


def test_mta_unites_predictions_that_touch(tmp_path):
    # Beside a perfect house stands one with a turned side; united, they are one contour and not two.
    beside = ((30, 10), (50, 14), (50, 30), (30, 30))
    truths = [[[ring(SQUARE)], [ring(((30, 10), (50, 10), (50, 30), (30, 30)))]]]
    scripted, mended = pair(tmp_path, truths, [[[ring(SQUARE)], [ring(beside)]]])
    turn = np.degrees(np.arctan(1 / 5))
    assert mended["mta"] == pytest.approx(turn / 2, abs=0.01)
    assert scripted["mta"] == pytest.approx(turn, abs=0.01)


def test_mta_samples_every_two_pixels_and_leaves_out_stretched_edges(tmp_path):
    # A tooth of 6 pixels: its flanks are projected to points of the side below and left out, whatever the rules.
    tooth = ((10, 10), (19, 10), (19, 4), (21, 4), (21, 10), (30, 10), (30, 30), (10, 30))
    for scores in pair(tmp_path, [[[ring(SQUARE)]]], [[[ring(tooth)]]]):
        assert scores["mta"] == pytest.approx(0.0, abs=0.01)


def test_mta_leaves_out_what_lies_off_the_reference(tmp_path):
    scores = scored(tmp_path, [[[ring(SQUARE)]]], [[[ring(SQUARE, (11, 0))]]])
    assert scores["mta"] is None
    assert scored(tmp_path, [[], [[ring(SQUARE)]]], [[], []])["mta"] is None


def test_vertices_of_predictions_count_the_closing_one(tmp_path):
    scripted, mended = pair(tmp_path, [[[ring(SQUARE, closed=True)]]], [[[ring(SQUARE, (3, 0), closed=True)]]])
    assert scripted["vertex_precision"] == pytest.approx(4 / 5)
    assert mended["vertex_precision"] == 1.0
    assert scripted["vertex_recall"] == mended["vertex_recall"] == 1.0


def test_vertices_in_the_order_of_the_file(tmp_path):
    # Both of two predicted vertices are nearest to the first true one; the second true one is within reach of one.
    truth = ((10, 10), (10, 14), (60, 60))
    found = ((10, 11), (10, 11.5), (60, 60))
    scripted, mended = pair(tmp_path, [[[ring(truth)]]], [[[ring(found)]]])
    assert scripted["vertex_recall"] == pytest.approx(2 / 3)
    assert mended["vertex_recall"] == 1.0


def test_what_has_no_outline_is_refused(tmp_path):
    runs = {"size": [100, 100], "counts": [10_000]}
    with pytest.raises(ParameterError, match="compares outlines"):
        scored(tmp_path, [[[ring(SQUARE)]]], [[runs]])
    with pytest.raises(ParameterError, match=r"hisup\.rules is 'all'"):
        scored(tmp_path, [[[ring(SQUARE)]]], [[[ring(SQUARE)]]], rules="all")
