"""The work of one tile of objects: the metrics on the components that belong to it, each held whole.

Objects that overlap, of the same map or of different ones, depend on each other, and so do those that are connected by
others: they are a component. It belongs to the tile in which its anchor lies, the lowest of the lower left corners of
its objects' bounding boxes (the smallest x, then the smallest y). So every object is counted in one tile, with all that
its counts depend on.

A tile reads the objects around it. A component is known to be complete if all its objects lie within the ground that
was read; where one that may belong to the tile is not, the tile reads as far as its objects reach, and twice as much
around them as before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.evaluation import run_metrics
from geoeval.model.objects import ObjectMap
from geoeval.model.result import ErrorFeatures
from geoeval.objects.overlaps import Overlaps, linked, overlap_pairs, overlaps_of
from geoeval.objects.registry import LEADING, METRICS
from geoeval.readers.area import area_in
from geoeval.roads.known import Box
from geoeval.scale.ground import SIDES
from geoeval.scale.grouped import opened
from geoeval.scale.object_store import ObjectStore, StoredObjects
from geoeval.scale.part import Counts, Part, error_table, exact_sum
from geoeval.scale.tiling import Key, Tiling, along_curve, box_in, grown, union

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Pairs = tuple[Ints, Ints, Floats]
Values = Mapping[str, Mapping[str, Any]]

# Metres around a tile that are read first: what lies on its border seldom reaches further.
_HALO = 50.0


@dataclass(frozen=True)
class ObjectGround:
    """Two stores of objects, the tiles over them, and the area to evaluate.

    It is small, and can be sent to another process, which reads the stores itself. The area is in the CRS of the
    tiling, or in degrees where that has none.
    """

    reference: Path
    prediction: Path
    tiling: Tiling
    area: BaseGeometry | None = None

    def store(self, side: str) -> ObjectStore:
        """The store of a side, open."""
        store: ObjectStore = opened(ObjectStore, getattr(self, side))
        return store

    @property
    def crs(self) -> CRS:
        """What places are given in: the projection of all tiles, or degrees."""
        return self.tiling.crs or projections.WGS84

    def tiles(self) -> list[Key]:
        """The tiles to which objects may belong, along a curve; one pass over all."""
        found: set[tuple[int, int]] = set()
        for side in SIDES:
            store = self.store(side)
            for batch in store.batches():
                inside = np.ones(len(batch), dtype=bool)
                if self.area is not None:
                    boxes = box_in(self.area.bounds, self.crs, store.crs)
                    inside = np.any([batch.meets(box) for box in boxes], axis=0)
                found |= set(map(tuple, self._keys(self._corners(batch.take(inside), store.crs)).tolist()))
        return sorted(found, key=along_curve)

    def load(self, side: str, box: Box, crs: CRS) -> "Side":
        """The objects of a side that meet a box, in a CRS, cut to the area."""
        store = self.store(side)
        stored = store.read(*box_in(box, crs, store.crs))
        whole = ObjectMap(
            shapely.from_wkb(stored.wkb), crs=store.crs, ids=np.arange(len(stored)), confidence=stored.confidence
        )
        in_place = whole.to_crs(crs)
        objects, crossing = in_place, np.zeros(len(stored), dtype=bool)
        if self.area is not None:
            area = area_in(self.area, crs, aoi_crs=self.crs)
            objects = in_place.clip(area)
            crossing[rows_of(in_place)] = ~shapely.covers(area, in_place.polygons)
        corners = self._corners(stored, store.crs)
        common = objects if self.tiling.crs is not None else self._in_degrees(whole, box, crs)
        return Side(stored, objects, common, crossing, corners, self._keys(corners))

    def _in_degrees(self, objects: ObjectMap, box: Box, crs: CRS) -> ObjectMap:
        """Objects that meet a box in degrees, without a seam at the antimeridian, cut to the area."""
        west, _, east, _ = box_in(box, crs, projections.WGS84)[0]

        def degrees(xy: Floats) -> Floats:
            places = self.tiling.places(xy, objects.crs)
            places[:, 0] += 360.0 * np.round(((west + east) / 2 - places[:, 0]) / 360.0)
            return places

        common = ObjectMap(shapely.transform(objects.polygons, degrees), crs=projections.WGS84, ids=objects.ids)
        return common if self.area is None else common.clip(self.area)

    def _corners(self, stored: StoredObjects, crs: CRS) -> Floats:
        """Where each object is anchored, from whatever tile it is seen."""
        return self.tiling.places(stored.box[:, :2], crs)

    def _keys(self, corners: Floats) -> Ints:
        return self.tiling.keys(corners) if len(corners) else np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class Side:
    """Objects of one side around a tile.

    Attributes
    ----------
    stored
        As they are in the store. The ids of the maps are rows of these.
    objects
        The map, cut to the area.
    common
        The same in coordinates that all tiles have in common.
    crossing
        Which of the stored objects do not lie in the area with all they have.
    corner, key
        Where each stored object is anchored, and the tile of that place.
    """

    stored: StoredObjects
    objects: ObjectMap
    common: ObjectMap
    crossing: Bools
    corner: Floats
    key: Ints

    @property
    def rows(self) -> Ints:
        """Of each object its row among the stored ones."""
        return rows_of(self.objects)


def rows_of(objects: ObjectMap) -> Ints:
    """The rows that a map's ids are."""
    return objects.ids.astype(np.int64)


def evaluate_object_tile(ground: ObjectGround, key: Key, values: Values) -> bytes:
    """The part of a tile, as bytes."""
    reference, prediction, overlaps, inputs = _own(ground, key)
    metrics = [METRICS[name] for name in values]
    results, seconds = run_metrics(
        metrics,
        reference,
        prediction,
        {name: dict(own) for name, own in values.items()},
        shared={"overlaps": overlaps},
    )
    errors = [_shown(one.errors, list(values)) for one in results.values() if one.errors is not None]
    if ground.tiling.crs is None:  # only degrees are common to all tiles
        crs = reference.crs
        for one in errors:
            one.geometries = list(shapely.transform(one.geometries, lambda xy: projections.to_lonlat(xy, crs)))
    return Part(
        counts={
            name: {count: exact_sum(own) for count, own in one.details["local"].counts.items()}
            for name, one in results.items()
        },
        rows={name: one.details["rows"] for name, one in results.items() if "rows" in one.details},
        inputs=inputs,
        seconds=seconds,
        errors=error_table(errors),
    ).to_bytes()


def _own(ground: ObjectGround, key: Key) -> tuple[ObjectMap, ObjectMap, Overlaps, dict[str, Counts]]:
    """The two maps of the components that belong to a tile, their overlaps, and what is told of them."""
    crs = ground.tiling.projection(key)
    core = ground.tiling.polygon(key, crs).bounds
    box, halo = grown(core, _HALO), _HALO
    while True:
        sides = [ground.load(side, box, crs) for side in SIDES]
        pairs = overlap_pairs(sides[0].objects, sides[1].objects)
        chosen = _anchored_here(sides, key, _components(sides, pairs))
        bounds = np.concatenate(
            [shapely.bounds(one.objects.polygons[mine]).reshape(-1, 4) for one, mine in zip(sides, chosen, strict=True)]
        )
        inside = (bounds[:, :2] >= box[:2]).all(axis=1) & (bounds[:, 2:] <= box[2:]).all(axis=1)
        if inside.all():
            break
        halo *= 2
        box = grown(union([core, *bounds.tolist()]), halo)
    reference, prediction = (
        side.objects.take(np.flatnonzero(mine), ids=side.stored.source[side.rows[mine]])
        for side, mine in zip(sides, chosen, strict=True)
    )
    inputs = {
        name: _facts(side, mine, own)
        for name, side, mine, own in zip(SIDES, sides, chosen, (reference, prediction), strict=True)
    }
    overlaps = overlaps_of(reference, prediction, pairs=_renumbered(pairs, chosen))
    return reference, prediction, overlaps, inputs


def _renumbered(pairs: Pairs, chosen: list[Bools]) -> Pairs:
    """The pairs of the chosen objects by their new numbers."""
    ref, pred, size = pairs
    kept = chosen[0][ref] & chosen[1][pred]
    number_of_ref, number_of_pred = (np.cumsum(mine) - 1 for mine in chosen)
    return number_of_ref[ref[kept]], number_of_pred[pred[kept]], size[kept]


def _components(sides: list[Side], pairs: Pairs) -> Ints:
    """The component of each stored object of both sides, which is the same in all tiles."""
    reference, prediction = (side.common for side in sides)
    if reference is not sides[0].objects or prediction is not sides[1].objects:
        pairs = overlap_pairs(reference, prediction)
    first, second = rows_of(reference), rows_of(prediction) + len(sides[0].stored)
    links = np.concatenate(
        [
            np.column_stack([first[pairs[0]], second[pairs[1]]]),
            first[reference.overlapping],
            second[prediction.overlapping],
        ]
    )
    return linked(sum(len(side.stored) for side in sides), links)


def _anchored_here(sides: list[Side], key: Key, label: Ints) -> list[Bools]:
    """By side which objects are in components whose lowest corner, as far as they are known, lies in the tile."""
    there = np.concatenate([sides[0].rows, len(sides[0].stored) + sides[1].rows])
    corner = np.concatenate([side.corner for side in sides])[there]
    here = (np.concatenate([side.key for side in sides])[there] == np.array(key)).all(axis=1)
    label = label[there]
    order = np.lexsort([corner[:, 1], corner[:, 0], label])
    lowest = order[np.unique(label[order], return_index=True)[1]]
    mine = np.isin(label, label[lowest[here[lowest]]])
    return np.split(mine, [len(sides[0].objects)])


def _facts(side: Side, mine: Bools, objects: ObjectMap) -> Counts:
    """What is told of the objects of one side that belong to the tile."""
    return {
        "objects": Fraction(len(objects)),
        "area_m2": exact_sum(objects.areas),
        "overlapping_pairs": Fraction(len(objects.overlapping)),
        "cut_objects": Fraction(int(side.crossing[side.rows[mine]].sum())),
    }


def _shown(errors: ErrorFeatures, metrics: list[str]) -> ErrorFeatures:
    """The features that a map shows: several metrics may tell of the same object."""
    leads = {kind: next((one for one in order if one in metrics), None) for kind, order in LEADING.items()}
    rows = [row for row, kind in enumerate(errors.rows["kind"]) if leads.get(kind, errors.metric) == errors.metric]
    if len(rows) == len(errors):
        return errors
    shown = ErrorFeatures(errors.metric)
    shown.geometries = [errors.geometries[row] for row in rows]
    shown.rows = {name: [values[row] for row in rows] for name, values in errors.rows.items()}
    return shown
