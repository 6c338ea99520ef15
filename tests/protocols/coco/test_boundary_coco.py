"""``boundary-coco`` against pycocotools' matching with boundaries that are eroded step by step."""

import contextlib
import io
import json
import math

import numpy as np
import pytest
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from geoeval import evaluate
from geoeval.exceptions import ParameterError
from geoeval.protocols.coco.boundary_coco import boundary_of, boundary_width
from geoeval.readers.coco.runs import runs_of_mask
from tests.protocols.coco.made_sets import made_sets
from tests.protocols.coco.test_coco import NAMES, save, square, two_images

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def eroded_once(mask):
    """What a 3 x 3 square leaves: the pixels of which all nine neighbours are there."""
    rows, columns = mask.shape
    padded = np.pad(mask, 1)
    return np.all([padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)], axis=0)


def slow_boundary(mask, ratio):
    width = max(1, int(round(ratio * math.sqrt(mask.shape[0] ** 2 + mask.shape[1] ** 2))))  # noqa: RUF046
    inside = mask
    for _ in range(width):
        inside = eroded_once(inside)
    return mask & ~inside


class SlowBoundaries(COCOeval):
    """COCO's own evaluation with another IoU."""

    ratio = 0.02

    def computeIoU(self, imgId, catId):  # noqa: N802 - pycocotools' name
        truths, found = self._gts[imgId, catId], self._dts[imgId, catId]
        if not truths and not found:
            return []
        found = [found[k] for k in np.argsort([-one["score"] for one in found], kind="mergesort")][:100]
        table = np.zeros((len(found), len(truths)))
        for d, one in enumerate(found):
            for g, other in enumerate(truths):
                a, b = (coco_mask.decode(row["segmentation"]).astype(bool) for row in (one, other))
                if other["iscrowd"]:
                    table[d, g] = (a & b).sum() / a.sum() if a.any() else 0.0
                    continue
                rims = [slow_boundary(mask, self.ratio) for mask in (a, b)]
                table[d, g] = min(
                    (x & y).sum() / (x | y).sum() if (x | y).any() else 0.0 for x, y in ((a, b), (rims[0], rims[1]))
                )
        return table


def scores_of(paths, **parameters):
    result = evaluate(*paths, kind="objects", protocol="boundary-coco", parameters={"boundary-coco": parameters})
    return result.scores["boundary-coco"]


@pytest.mark.parametrize(("seed", "ratio"), [(1, 0.02), (2, 0.02), (4, 0.05)])
def test_random_data_sets_against_slow_boundaries(tmp_path, seed, ratio):
    truths, results = made_sets(seed, images=3)
    paths = save(tmp_path, truths, results)
    with contextlib.redirect_stdout(io.StringIO()):
        true = COCO()
        true.dataset = json.loads(json.dumps(truths))
        true.createIndex()
        run = SlowBoundaries(true, true.loadRes(json.loads(json.dumps(results))), "segm")
        run.ratio = ratio
        run.evaluate()
        run.accumulate()
        run.summarize()
    expected = {name: None if value == -1 else value for name, value in zip(NAMES, run.stats, strict=True)}
    assert scores_of(paths, dilation_ratio=ratio) == pytest.approx(expected, abs=1e-9)


def test_boundary_of_a_square_at_the_border_of_the_image():
    mask = np.zeros((9, 12), dtype=bool)
    mask[0:7, 2:9] = True
    expected = mask.copy()
    expected[2:5, 4:7] = False  # the border of the image is a boundary too
    found = boundary_of(runs_of_mask(mask).borders, mask.shape, 2)
    np.testing.assert_array_equal(found, runs_of_mask(expected).borders)
    assert boundary_width((100, 100), 0.02) == 3
    assert boundary_width((5, 5), 0.02) == 1


def test_a_shifted_square_by_hand(tmp_path):
    """Squares of 20 pixels, 2 apart, boundaries 3 wide: the mask has IoU 360/440, the boundary far less."""
    paths = save(tmp_path, two_images([square(1, 10, id=1)]), [square(1, 12, score=0.9)])
    # Rings of 204 pixels each: the two horizontal bars share 2 * 3 * 18, of the upright ones 1 of 3 columns does twice.
    common = 2 * 3 * 18 + 2 * 1 * 14
    expected = sum(common / (2 * 204 - common) >= t for t in np.linspace(0.5, 0.95, 10)) / 10
    assert scores_of(paths)["ar100"] == pytest.approx(expected)
    assert expected == 0.1
    with pytest.raises(ParameterError, match="share above 0"):
        scores_of(paths, dilation_ratio=0)
