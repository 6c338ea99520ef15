"""Inputs of the protocols of objects: COCO files as they are, and other maps as one image of pixels of a metre."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError
from geoeval.model.object_map import ObjectMap
from geoeval.protocols.coco.rasterising import ring_borders, without_empty_runs
from geoeval.readers.coco.coco_json import read_coco
from geoeval.readers.coco.coco_objects import is_coco
from geoeval.readers.coco.coco_set import CocoImage, CocoSet, Shape
from geoeval.readers.coco.runs import PixelRuns
from geoeval.readers.given import read_given
from geoeval.readers.reader import InputFile
from geoeval.trust import trusting

Pair = tuple[Any, Any]


def instances_of(reference: Any, prediction: Any, reading: Mapping[str, Mapping[str, Any]]) -> tuple[Pair, Pair]:
    """Both inputs as COCO data sets, and as maps of our own where they are maps.

    COCO files keep their images, pixels and order. Two other maps become one image, in which a pixel is a metre (of
    pixel input with ``pixel_size=1`` a pixel) and the whole coordinates of both lie on the corners of pixels; objects
    without a confidence have 1.
    """
    given = dict(zip(SIDES, (reference, prediction), strict=True))
    sets = {side: _coco(one, reading.get(side, {})) for side, one in given.items()}
    if all(one is not None for one in sets.values()):
        empty = [ObjectMap([], source=one.source) for one in sets.values() if one is not None]
        return (sets["reference"], sets["prediction"]), (empty[0], empty[1])
    for side, one in sets.items():
        if one is not None:
            other = next(name for name in SIDES if name != side)
            raise ParameterError(f"the {side} is a COCO file and the {other} is not; give two COCO files, or none")
    maps = [read_given("objects", one, side=side, **reading.get(side, {})) for side, one in given.items()]
    maps[1] = maps[1].to_crs(maps[0].crs)
    return _one_image(*maps), (maps[0], maps[1])


def _coco(given: Any, reading: Mapping[str, Any]) -> CocoSet | None:
    if isinstance(given, CocoSet):
        return given
    if isinstance(given, str | Path) and Path(given).is_file() and is_coco(InputFile(Path(given))):
        with trusting(limits=reading.get("limits"), links=reading.get("links")):
            return read_coco(given)
    return None


def _one_image(reference: ObjectMap, prediction: ObjectMap) -> Pair:
    bounds = np.array([one.bounds for one in (reference, prediction) if not one.is_empty]).reshape(-1, 4)
    left, top = (float(np.floor(bounds[:, 0].min())), float(np.ceil(bounds[:, 3].max()))) if len(bounds) else (0.0, 0.0)
    width = int(np.ceil(bounds[:, 2].max()) - left) if len(bounds) else 1
    height = int(top - np.floor(bounds[:, 1].min())) if len(bounds) else 1
    image = CocoImage(height, width, "map")
    return _from_map(reference, image, left, top), _from_map(prediction, image, left, top, detected=True)


def _from_map(objects: ObjectMap, image: CocoImage, left: float, top: float, *, detected: bool = False) -> CocoSet:
    """A map as objects of one image; numbers from 1 on are their ids."""
    moved = shapely.transform(objects.polygons, lambda xy: np.column_stack([xy[:, 0] - left, top - xy[:, 1]]))
    low_high = shapely.bounds(moved).reshape(-1, 4)
    sure = np.ones(len(objects)) if objects.confidence is None else objects.confidence
    count = len(objects)
    return CocoSet(
        objects.source, {1: image}, {1: "object"}, list(range(1, count + 1)), [1] * count, [1] * count,
        [_shape(one, image) for one in moved], np.column_stack([low_high[:, :2], low_high[:, 2:] - low_high[:, :2]]),
        np.full(count, np.nan) if detected else objects.areas, np.zeros(count, dtype=bool), sure if detected else None,
    )  # fmt: skip


def _shape(polygon: Any, image: CocoImage) -> Shape:
    """Outlines of the parts; the runs of pixels where there are holes, which rings of COCO cannot say."""
    rings = [shapely.get_coordinates(ring)[:-1] for ring in shapely.get_rings(shapely.get_parts(polygon))]
    if len(rings) == shapely.get_num_geometries(polygon):
        return tuple(rings)
    height, width = image.size
    borders = without_empty_runs(np.concatenate([ring_borders(ring, height, width) for ring in rings]))
    return PixelRuns(height, width, np.diff(np.concatenate([[0], borders, [height * width]])).astype(np.int64))
