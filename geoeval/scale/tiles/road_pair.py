"""Two road networks on disk, and the parts of them that a tile needs."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval.arrays import Box, Floats, Ints
from geoeval.contents import SIDES
from geoeval.exceptions import CRSError
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.alignment import moved
from geoeval.scale.store.grouped import stamp
from geoeval.scale.store.road_store import Segments, Store, network_of
from geoeval.scale.tiles.store_pair import StorePair
from geoeval.scale.tiles.tiling import Key, Owned, along_curve, box_in, grown, union

# Groups of segments that cover no more tiles than this are not read to find their tiles.
_FEW_TILES = 9
# How far the segments of a tile are first expected to lead out of it, in parts of its size.
_OVERHANG = 0.02


@dataclass(frozen=True)
class Loaded:
    """The two networks around a tile.

    Attributes
    ----------
    networks, owned
        By side: the network, and what of it belongs to the tile.
    loaded_box
        The box whose roads were all loaded; ``None`` where all roads were.
    core
        The tile itself, in the coordinates of the networks.
    """

    networks: dict[str, RoadNetwork]
    owned: dict[str, Owned]
    loaded_box: Box | None
    core: BaseGeometry


@dataclass(frozen=True)
class RoadPair(StorePair[Store]):
    """Two stores of roads, the tiles over them, the area to evaluate, and the shift of the prediction in metres."""

    STORE = Store

    shift: tuple[float, float] = (0.0, 0.0)

    def offset(self, side: str) -> tuple[float, float]:
        """Metres east and north by which a side is moved before it is evaluated."""
        return self.shift if side == "prediction" else (0.0, 0.0)

    def tiles(self) -> dict[Key, int]:
        """The tiles of the area that roads may run through, and about how many segments each has.

        Groups of segments that cover few tiles are not read: an empty tile costs little.
        """
        return _tiles(self, stamp(self.reference), stamp(self.prediction))

    def is_empty(self, side: str) -> bool:
        """Whether a side has no road in the area; reads no further than to the first one."""
        store = self.store(side)
        if self.area is None:
            return store.count == 0
        return all(self._without_roads(side, store.group(group)) for group in self.groups_in_area(side))

    def load(self, key: Key, halo: float) -> Loaded:
        """The networks of a tile, with all roads within ``halo`` metres of its own."""
        crs = self.tiling.projection(key)
        core = self.tiling.polygon(key, crs)
        around = grown(core.bounds, _OVERHANG * self.tiling.size)
        while True:
            box = grown(around, halo + 1.0)
            networks = {side: self.network(side, box, crs) for side in SIDES}
            owned = {side: Owned.of(network, self.tiling, key) for side, network in networks.items()}
            wider = around
            for side in SIDES:
                wider = _with(wider, networks[side].nodes[networks[side].segments[owned[side].segment]].reshape(-1, 2))
            if wider == around:
                return Loaded(networks, owned, None if self._holds_all(box, crs) else box, core)
            around = wider  # a segment of the tile leads far out of it

    def network(self, side: str, box: Box | None, crs: CRS) -> RoadNetwork:
        """The network of a side within a box, or all of it, in a CRS, cut to the area."""
        if box is None and self.area is not None and crs == self.tiling.crs:
            box = grown(self.area.bounds, 1.0)
        segments = self.store(side).read_all() if box is None else self._read(side, box, crs)
        return self._made(side, segments, crs)

    def _made(self, side: str, segments: Segments, crs: CRS) -> RoadNetwork:
        """The network that some segments of a side make: in a CRS, moved, and cut to the area."""
        store = self.store(side)
        network = network_of(segments, crs=store.crs, to_crs=crs, facts=store.facts)
        if any(self.offset(side)):
            network = moved(network, *self.offset(side))
        return network if self.area is None else network.clip(self.area, aoi_crs=self.crs)

    def _without_roads(self, side: str, segments: Segments) -> bool:
        somewhere = self.tiling.places(segments.xy[:1, 0], self.store(side).crs)
        crs = self.tiling.projection(tuple(self.tiling.keys(somewhere)[0].tolist()))
        return self._made(side, segments, crs).is_empty

    def _read(self, side: str, box: Box, crs: CRS) -> Segments:
        store = self.store(side)
        dx, dy = self.offset(side)
        boxes = box_in((box[0] - dx, box[1] - dy, box[2] - dx, box[3] - dy), crs, store.crs)
        found = Segments.joined([store.read(one) for one in boxes])
        if len(boxes) > 1:  # a segment may meet both
            found = found.take(np.unique(found.node, axis=0, return_index=True)[1])
        return found

    def covered(self, side: str, group: int) -> Ints | None:
        """The tiles that the box of a group of segments covers, where they are few."""
        store = self.store(side)
        if self.tiling.crs is None:
            return None
        boxes = box_in(tuple(store.group_bounds[group].tolist()), store.crs, self.tiling.crs)
        corners = np.array(boxes[0]).reshape(2, 2) + self.offset(side)
        low, high = self.tiling.keys(corners)
        return _between(low, high) if (high - low + 1).prod() <= _FEW_TILES else None

    def crossed(self, segments: Segments, side: str, crs: CRS) -> Ints:
        """The tiles of both ends of each segment, and those that it may cross between them."""
        places = self.tiling.places(segments.xy, crs) + self.offset(side)
        ends = np.stack([self.tiling.keys(places[:, end]) for end in (0, 1)], axis=1)
        low, high = ends.min(axis=1), ends.max(axis=1)
        keys = [ends[:, 0], ends[(low != high).any(axis=1), 1]]
        far = (high - low).sum(axis=1) > 1
        if self.tiling.crs is None:  # not the long way round from one side of the antimeridian to the other
            far &= np.abs(places[:, 0, 0] - places[:, 1, 0]) < 180
        for first, last in np.unique(np.concatenate([low, high], axis=1)[far], axis=0).reshape(-1, 2, 2):
            keys.append(_between(first, last))
        return np.concatenate(keys)

    def _holds_all(self, box: Box, crs: CRS) -> bool:
        for side in SIDES:
            store = self.store(side)
            if store.count:
                try:
                    boxes = box_in(store.bounds, store.crs, crs)
                except CRSError:  # the other side of the world has no place in the projection of a tile
                    return False
                for one in boxes:
                    west, south, east, north = grown(one, max(map(abs, self.shift)))
                    if not (box[0] <= west and box[1] <= south and box[2] >= east and box[3] >= north):
                        return False
        return True


def _with(box: Box, places: Floats) -> Box:
    """A box that holds some places too."""
    if len(places) == 0:
        return box
    return union([box, (*places.min(axis=0).tolist(), *places.max(axis=0).tolist())])


def _between(low: Ints, high: Ints) -> Ints:
    """All tiles from one column and row to others."""
    columns, rows = (np.arange(low[axis], high[axis] + 1) for axis in (0, 1))
    return np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)


@lru_cache(maxsize=2)
def _tiles(pair: RoadPair, *_: tuple[int, ...]) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for side in SIDES:
        store = pair.store(side)
        for group in pair.groups_in_area(side):
            keys = pair.covered(side, group)
            if keys is not None:
                counts = np.full(len(keys), store.count // len(store.group_bounds) // len(keys))
            else:
                keys = pair.crossed(store.group(group), side, store.crs)
                keys, counts = np.unique(keys, axis=0, return_counts=True)
            for (column, row), count in zip(keys.tolist(), counts.tolist(), strict=True):
                found[column, row] = found.get((column, row), 0) + count
    return {key: found[key] for key in pair.tiles_in_area(sorted(found, key=along_curve))}
