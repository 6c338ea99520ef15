"""Two stores of objects, at least one of them streamed from its file, evaluated as the maps themselves would be."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Box
from geoeval.contents import SIDES
from geoeval.diagnosis.diagnose import diagnose
from geoeval.diagnosis.finding import worst_first
from geoeval.diagnosis.place import check_place
from geoeval.model.extent import Extent
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.objects.alignment import prevailing_offset
from geoeval.offsets.busiest import offset_ground
from geoeval.pipeline.distortion import check_distortion
from geoeval.pipeline.ground import (
    OneSide,
    find_ground,
    ground_findings,
    ground_note,
    left_out,
    lines_of,
    said_of_ground,
)
from geoeval.pipeline.meeting import check_meeting
from geoeval.pipeline.offset import offset_note, offset_numbers
from geoeval.pipeline.pairing import given_crs
from geoeval.scale.store.object_store import ObjectStore
from geoeval.scale.tiles import tiled_objects
from geoeval.scale.tiles.object_pair import map_of
from geoeval.scale.tiles.projection import common_projection, metric_crs
from geoeval.scale.tiles.tiling import box_in, union

# Objects that a browser can still show.
_DRAWN = 200_000


def evaluate_streamed_objects(
    reference: ObjectStore, prediction: ObjectStore, *, aoi: Any, crs: Any, keep_inputs: bool, options: dict[str, Any]
) -> Result:
    """What ``evaluate`` does with two maps, from their stores; ``options`` are those of ``evaluate_object_stores``.

    Memory for a group of objects, a tile with its surroundings, 16 bytes for each object, and the errors.
    """
    sides = dict(zip(SIDES, (_Side(reference), _Side(prediction)), strict=True))
    check_meeting(sides["reference"], sides["prediction"], aoi)
    asked = given_crs(crs)
    if asked is not None:
        check_distortion(asked, reference, prediction)
    leading = prediction if prediction.count else reference
    target = asked or metric_crs(leading)
    near = union(boxes) if aoi is not None and (boxes := [b for s in sides.values() for b in s.boxes(target)]) else None
    ground = find_ground(sides["reference"].told, sides["prediction"].told, target, aoi, near=near)
    area = ground.area
    shares: dict[str, float] = {}
    for name, side in sides.items() if area is not None else ():
        assert area is not None
        shares |= left_out(name, side.area_in(area, target), side.area)
    found = _offset(sides["reference"], sides["prediction"], target, area)
    checks = [*check_place(*sides.values()), *diagnose("objects", *sides.values(), offset=found)]
    common, _ = common_projection(reference, prediction, asked, area, target)
    evaluated = area if area is None or common is not None else area_in(area, projections.WGS84, aoi_crs=target)
    result = tiled_objects.evaluate_object_stores(reference, prediction, crs=common, aoi=evaluated, **options)
    inputs = {}
    if keep_inputs and common is not None and reference.count + prediction.count <= _DRAWN:
        inputs = {name: side.map_in(common, evaluated) for name, side in sides.items()}
    return replace(
        result, ground=said_of_ground(ground, shares), offset=offset_numbers(found, align=False), inputs=inputs,
        notes={"area": ground_note(ground, shares), **offset_note(found, align=False), **result.notes},
        diagnosis=worst_first([*ground_findings(ground, shares), *checks]),
    )  # fmt: skip


def _offset(reference: "_Side", prediction: "_Side", crs: CRS, area: BaseGeometry | None) -> Any:
    """The offset of the prediction, on the ground on which an evaluation at once estimates it."""
    box = offset_ground(lines_of(part) for part in prediction.parts(crs, area))
    return prevailing_offset(*(side.map_in(crs, area, box) for side in (reference, prediction)))


@dataclass(frozen=True)
class _Side:
    """A store as a side of a pair, measured in metres of its own, as the map of its file would be."""

    store: ObjectStore

    @cached_property
    def crs(self) -> CRS:
        """What it is measured in."""
        return metric_crs(self.store)

    def __len__(self) -> int:
        return self.store.count

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return self.store.count == 0

    @property
    def problems(self) -> dict[str, int]:
        """What was dropped or repaired."""
        return self.store.facts.get("problems", {})

    @property
    def bounds(self) -> Box:
        """The box around all of it."""
        return union(self.boxes(self.crs))

    @property
    def extent(self) -> Extent | None:
        """The ground that its source says it covers."""
        return Extent.from_dict(self.store.facts.get("extent"))

    @cached_property
    def told(self) -> OneSide:
        """What tells its ground."""
        dots = [part.centroids for part in self.parts(self.crs)]
        places = np.concatenate(dots) if dots else np.zeros((0, 2))
        return OneSide(self.crs, lambda: (lines_of(part) for part in self.parts(self.crs)), self.extent, places)

    @property
    def area(self) -> float:
        """Square metres of all objects."""
        return fsum(part.area for part in self.parts(self.crs))

    def area_in(self, area: BaseGeometry, crs: CRS) -> float:
        """Square metres of what lies in an area."""
        return fsum(part.to_crs(self.crs).area for part in self.parts(crs, area))

    def boxes(self, crs: CRS) -> list[Box]:
        """The boxes in a CRS around all of it; none where it is empty."""
        return box_in(self.store.bounds, self.store.crs, crs) if self.store.count else []

    def parts(self, crs: CRS, area: BaseGeometry | None = None) -> Iterator[ObjectMap]:
        """The objects in a CRS, cut to an area, some at a time."""
        for stored in self.store.batches():
            part = map_of(stored, self.store.crs, crs)
            yield part if area is None else part.clip(area, aoi_crs=crs)

    def map_in(self, crs: CRS, area: BaseGeometry | None = None, box: Box | None = None) -> ObjectMap:
        """The objects that meet a box, or all, in a CRS and cut to an area."""
        stored = self.store.read(*(self.boxes(self.store.crs) if box is None else box_in(box, crs, self.store.crs)))
        there = map_of(stored, self.store.crs, crs)
        named = there.take(np.arange(len(there)), ids=stored.source[there.ids.astype(np.int64)])
        return named if area is None else named.clip(area, aoi_crs=crs)
