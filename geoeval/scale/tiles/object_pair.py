"""Two maps of objects on disk, and the parts of them that a tile needs."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import shapely
from pyproj import CRS

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Bools, Box, Floats, Ints
from geoeval.contents import SIDES
from geoeval.model.object_map import ObjectMap
from geoeval.scale.store.object_store import ObjectStore, StoredObjects
from geoeval.scale.tiles.store_pair import StorePair
from geoeval.scale.tiles.tiling import Key, along_curve, box_in


@dataclass(frozen=True)
class ObjectSide:
    """Objects of one side around a tile.

    Attributes
    ----------
    stored
        The objects as they are in the store. The ids of the maps are rows of these.
    objects
        The map, cut to the area.
    common
        The same map in coordinates that all tiles have in common.
    crossing
        Which of the stored objects do not lie wholly in the area.
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
    """The rows of stored objects that the ids of a map stand for."""
    return objects.ids.astype(np.int64)


def map_of(stored: StoredObjects, crs: CRS, target: CRS) -> ObjectMap:
    """Stored objects in a CRS in metres; ids are their rows. What is not valid there is repaired there."""
    polygons = shapely.from_wkb(stored.wkb)
    error = None
    if target != crs and len(polygons):
        xy, _, error = projections.to_metres(shapely.get_coordinates(polygons), crs, target=target)
        polygons = shapely.set_coordinates(polygons, xy)
    rows = np.arange(len(stored))
    return ObjectMap(polygons, crs=target, ids=rows, confidence=stored.confidence, scale_error=error)


@dataclass(frozen=True)
class ObjectPair(StorePair[ObjectStore]):
    """Two stores of objects, the tiles over them, and the area to evaluate."""

    STORE = ObjectStore

    def tiles(self) -> dict[Key, int]:
        """The tiles to which objects of the area may belong, along a curve, and how many are anchored in each.

        An object belongs to the tile of its anchor, which may lie outside the area where the object is cut. One pass
        over the objects near the area.
        """
        found: Counter[Key] = Counter()
        for side in SIDES:
            store = self.store(side)
            for group in self.groups_in_area(side):
                batch = store.group(group)
                if self.area is not None:
                    batch = batch.take(self.meet_area(self.boxes(batch.box, store.crs, side)))
                keys, counts = np.unique(self._keys(self._corners(batch, store.crs)), axis=0, return_counts=True)
                found.update(dict(zip(map(tuple, keys.tolist()), counts.tolist(), strict=True)))
        return {key: found[key] for key in sorted(found, key=along_curve)}

    def load(self, side: str, box: Box, crs: CRS) -> ObjectSide:
        """The objects of a side that meet a box, in a CRS, cut to the area."""
        store = self.store(side)
        stored = store.read(*box_in(box, crs, store.crs))
        in_place = map_of(stored, store.crs, crs)
        objects, crossing = in_place, np.zeros(len(stored), dtype=bool)
        if self.area is not None:
            area = area_in(self.area, crs, aoi_crs=self.crs)
            objects = in_place.clip(area, aoi_crs=crs)
            crossing[rows_of(in_place)] = ~shapely.covers(area, in_place.polygons)
        corners = self._corners(stored, store.crs)
        common = objects if self.tiling.crs is not None else self._in_degrees(in_place, box, crs)
        return ObjectSide(stored, objects, common, crossing, corners, self._keys(corners))

    def _in_degrees(self, objects: ObjectMap, box: Box, crs: CRS) -> ObjectMap:
        """Objects that meet a box in degrees, without a seam at the antimeridian, cut to the area."""
        west, _, east, _ = box_in(box, crs, projections.WGS84)[0]

        def degrees(xy: Floats) -> Floats:
            places = self.tiling.places(xy, objects.crs)
            places[:, 0] += 360.0 * np.round(((west + east) / 2 - places[:, 0]) / 360.0)
            return places

        common = ObjectMap(shapely.transform(objects.polygons, degrees), crs=projections.WGS84, ids=objects.ids)
        return common if self.area is None else common.clip(self.area, aoi_crs=projections.WGS84)

    def _corners(self, stored: StoredObjects, crs: CRS) -> Floats:
        """Where each object is anchored, whatever tile looks at it."""
        return self.tiling.places(stored.box[:, :2], crs)

    def _keys(self, corners: Floats) -> Ints:
        return self.tiling.keys(corners) if len(corners) else np.zeros((0, 2), dtype=np.int64)
