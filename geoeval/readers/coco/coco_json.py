"""COCO JSON files: data sets of annotations, and lists of results."""

import json
import math
from collections import Counter
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import UnreadableInputError
from geoeval.readers.coco.coco_set import CocoImage, CocoSet, Shape
from geoeval.readers.coco.runs import PixelRuns, runs_from_text
from geoeval.readers.text import read_text
from geoeval.trust import check_limit


def read_coco(path: str | Path) -> CocoSet:
    """Read a data set (``images``, ``annotations``, ``categories``) or a list of results, as its file lists it.

    Parameters
    ----------
    path
        A JSON file. Segmentations are lists of rings ``[x1, y1, x2, y2, ...]``, of which four numbers are a box, or
        runs of pixels, as text or as a list.

    Returns
    -------
    CocoSet
        In pixels. A list of results, or a data set whose rows all have a ``score``, has a confidence in each object.

    Raises
    ------
    UnreadableInputError
        It is no such file, or a row of it is damaged; the message names the row.
    """
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:100]
        raise UnreadableInputError(f"{path} is not JSON ({reason}); write it again") from error
    rows = content.get("annotations") if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnreadableInputError(
            f"{path} is no COCO file; give one with images and annotations, or a list of results"
        )
    images, categories = {}, {}
    if isinstance(content, dict):
        images = {_id(one, "id", path): _image(one, path) for one in _listed(content, "images", path)}
        for one in _listed(content, "categories", path):
            number = _id(one, "id", path)
            categories[number] = str(one.get("name", number))
    found = _rows(rows, images, categories, path)
    # The areas of results are never those of the file.
    return found if isinstance(content, dict) else replace(found, areas=np.full(len(found), np.nan))


def _rows(
    rows: list[dict[str, Any]], images: dict[Hashable, CocoImage], categories: dict[Hashable, str], path: str | Path
) -> CocoSet:
    check_limit("features", len(rows), path, f"has {len(rows):,} objects")
    known = bool(images)
    ids, image, category, shapes = [], [], [], []
    boxes, areas, score = np.full((len(rows), 4), np.nan), np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    crowd = np.zeros(len(rows), dtype=bool)
    for number, row in enumerate(rows):
        where = f"{path}, object {number + 1}"
        own = _id(row, "image_id", where)
        if own not in images:
            if known:
                raise UnreadableInputError(f"{where}: there is no image {own!r}; add it to the images")
            images[own] = CocoImage(None, None, str(own))
        image.append(own)
        category.append(_id(row, "category_id", where) if "category_id" in row else 1)
        categories.setdefault(category[-1], str(category[-1]))
        ids.append(_id(row, "id", where) if "id" in row else number + 1)
        shapes.append(_shape(row.get("segmentation"), where))
        boxes[number] = _box(row.get("bbox"), where)
        areas[number] = _number(row.get("area", math.nan), f"{where}: the area")
        score[number] = _number(row.get("score", math.nan), f"{where}: the score")
        crowd[number] = bool(row.get("iscrowd", 0))
    if len(set(ids)) < len(ids):
        twice = Counter(ids).most_common(1)[0][0]
        raise UnreadableInputError(f"{path} has two objects with the id {twice!r}; number them anew")
    sure = np.isfinite(score)
    if sure.any() and not sure.all():
        raise UnreadableInputError(f"{path}: object {int(np.argmin(sure)) + 1} has no score, others have one")
    return CocoSet(
        str(path), images, categories, ids, image, category, shapes, boxes, areas, crowd,
        score if len(rows) and sure.all() else None,
    )  # fmt: skip


def _listed(content: dict[str, Any], name: str, path: str | Path) -> list[dict[str, Any]]:
    values = content.get(name, [])
    if not isinstance(values, list) or not all(isinstance(one, dict) for one in values):
        raise UnreadableInputError(f"{path}: {name} is no list of objects, as in COCO files")
    return values


def _id(row: dict[str, Any], name: str, where: str | Path) -> Hashable:
    value = row.get(name)
    if not isinstance(value, int | str) or isinstance(value, bool):
        raise UnreadableInputError(f"{where} has no {name}; every row needs a number or text")
    return value


def _image(one: dict[str, Any], path: str | Path) -> CocoImage:
    height, width = one.get("height"), one.get("width")
    name = str(one.get("file_name", one["id"]))
    if height is None and width is None:
        return CocoImage(None, None, name)
    if not (isinstance(height, int) and isinstance(width, int) and min(height, width) > 0):
        raise UnreadableInputError(f"{path}: image {one['id']!r} has no height and width in pixels; add them")
    check_limit("pixels", height * width, path, f"has an image of {width} x {height} pixels")
    return CocoImage(height, width, name)


def _number(value: Any, what: str) -> float:
    with suppress(OverflowError):  # a whole number may have more digits than any float
        if isinstance(value, int | float) and not isinstance(value, bool) and not math.isinf(value):
            return float(value)
    raise UnreadableInputError(f"{what} is {str(value)[:30]!r}, not a number")


def _box(value: Any, where: str) -> Floats:
    if value is None or value == []:
        return np.full(4, np.nan)
    box = _numbers(value, f"{where}: the box")
    if len(box) != 4 or not (box[2:] >= 0).all():
        raise UnreadableInputError(f"{where}: a box is left, top, width, height; there are {str(value)[:60]}")
    return box


def _numbers(values: Any, what: str) -> Floats:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise UnreadableInputError(f"{what} is no list of numbers")
    return numbers


def _shape(value: Any, where: str) -> Shape:
    if value is None or value == []:
        return None
    if isinstance(value, dict):
        return _runs(value, where)
    if not isinstance(value, list):
        raise UnreadableInputError(f"{where}: the segmentation is neither a list of rings nor runs of pixels")
    rings = [_numbers(ring, f"{where}: a ring of the segmentation") for ring in value]
    if any(len(ring) % 2 or len(ring) < 4 for ring in rings):
        raise UnreadableInputError(f"{where}: a ring has x and y in turn, for three vertices or more")
    return tuple(_box_ring(*ring) if len(ring) == 4 else ring.reshape(-1, 2) for ring in rings)


def _box_ring(x: float, y: float, width: float, height: float) -> Floats:
    return np.array([[x, y], [x, y + height], [x + width, y + height], [x + width, y]])


def _runs(value: dict[str, Any], where: str) -> PixelRuns:
    size, counts = value.get("size"), value.get("counts")
    if not (isinstance(size, list) and len(size) == 2 and all(isinstance(one, int) and one > 0 for one in size)):
        raise UnreadableInputError(f"{where}: runs of pixels need their size, height and width")
    check_limit("pixels", size[0] * size[1], where, f"has {size[1]} x {size[0]} pixels")
    try:
        lengths = runs_from_text(counts) if isinstance(counts, str) else _numbers(counts, f"{where}: counts")
    except ValueError as error:
        raise UnreadableInputError(f"{where}: the runs of pixels are damaged ({error})") from error
    runs = PixelRuns(size[0], size[1], lengths.astype(np.int64))
    if runs.counts.min(initial=0) < 0 or runs.counts.sum() != size[0] * size[1]:
        raise UnreadableInputError(f"{where}: the runs of pixels do not fill {size[1]} x {size[0]} pixels")
    return runs
