"""Two networks on disk, and the parts of them that a tile needs."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.model.network import RoadNetwork
from geoeval.readers.area import area_in
from geoeval.roads.alignment import moved
from geoeval.roads.known import Box
from geoeval.scale.grouped import opened, stamp
from geoeval.scale.store import Segments, Store, network_of
from geoeval.scale.tiling import Floats, Ints, Key, Owned, Tiling, along_curve, box_in, grown, union

SIDES = ("reference", "prediction")
# Groups of segments in no more tiles than this are taken to be in all of them.
_FEW_TILES = 9
# How far segments of a tile are first taken to lead out of it, in parts of its size.
_OVERHANG = 0.02


@dataclass(frozen=True)
class Loaded:
    """The two networks around a tile.

    Attributes
    ----------
    networks, owned
        By side: the network, and what of it belongs to the tile.
    known
        The ground whose roads are all there; ``None`` is all ground.
    core
        The tile itself, in the coordinates of the networks.
    """

    networks: dict[str, RoadNetwork]
    owned: dict[str, Owned]
    known: Box | None
    core: BaseGeometry


@dataclass(frozen=True)
class Ground:
    """Two stores, the tiles over them, the area to evaluate, and metres by which the prediction is moved.

    It is small, and can be sent to another process, which reads the stores itself. The area is in the CRS of the
    tiling, or in degrees where that has none.
    """

    reference: Path
    prediction: Path
    tiling: Tiling
    area: BaseGeometry | None = None
    shift: tuple[float, float] = (0.0, 0.0)

    def store(self, side: str) -> Store:
        """The store of a side, open."""
        store: Store = opened(Store, getattr(self, side))
        return store

    def tiles(self) -> dict[Key, int]:
        """The tiles that roads may run through, and about how many segments each has.

        Groups of segments that lie in few tiles are not read: that a tile is empty is soon found out.
        """
        return _tiles(self, stamp(self.reference), stamp(self.prediction))

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
        """The network of a side within a box, or all of it, in a CRS."""
        store = self.store(side)
        segments = store.read_all() if box is None else self._read(side, box, crs)
        network = network_of(segments, crs=store.crs, to_crs=crs, source=str(store.facts.get("source", "")))
        if side == "prediction" and any(self.shift):
            network = moved(network, *self.shift)
        if self.area is None:
            return network
        return network.clip(area_in(self.area, crs, aoi_crs=self.tiling.crs or projections.WGS84))

    def _read(self, side: str, box: Box, crs: CRS) -> Segments:
        store = self.store(side)
        dx, dy = self._shift(side)
        boxes = box_in((box[0] - dx, box[1] - dy, box[2] - dx, box[3] - dy), crs, store.crs)
        found = Segments.joined([store.read(one) for one in boxes])
        if len(boxes) > 1:  # a segment may meet both
            found = found.take(np.unique(found.node, axis=0, return_index=True)[1])
        return found

    def covered(self, side: str, group: int) -> Ints | None:
        """The tiles that a group of segments lies in, by its box alone, where they are few."""
        store = self.store(side)
        if self.tiling.crs is None:
            return None
        boxes = box_in(tuple(store.group_bounds[group].tolist()), store.crs, self.tiling.crs)
        corners = np.array(boxes[0]).reshape(2, 2) + self._shift(side)
        low, high = self.tiling.keys(corners)
        return _between(low, high) if (high - low + 1).prod() <= _FEW_TILES else None

    def crossed(self, segments: Segments, side: str, crs: CRS) -> Ints:
        """The tiles of both ends of each segment, and those that it may cross between them."""
        places = self.tiling.places(segments.xy, crs) + self._shift(side)
        ends = np.stack([self.tiling.keys(places[:, end]) for end in (0, 1)], axis=1)
        low, high = ends.min(axis=1), ends.max(axis=1)
        keys = [ends[:, 0], ends[(low != high).any(axis=1), 1]]
        far = (high - low).sum(axis=1) > 1
        if self.tiling.crs is None:  # not the long way round from one side of the antimeridian to the other
            far &= np.abs(places[:, 0, 0] - places[:, 1, 0]) < 180
        for first, last in np.unique(np.concatenate([low, high], axis=1)[far], axis=0).reshape(-1, 2, 2):
            keys.append(_between(first, last))
        return np.concatenate(keys)

    def _shift(self, side: str) -> tuple[float, float]:
        return self.shift if side == "prediction" else (0.0, 0.0)

    def _holds_all(self, box: Box, crs: CRS) -> bool:
        for side in SIDES:
            store = self.store(side)
            if store.count:
                for one in box_in(store.bounds, store.crs, crs):
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
def _tiles(ground: Ground, *_: tuple[int, ...]) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for side in SIDES:
        store = ground.store(side)
        groups = len(store.group_bounds)
        for group in range(groups):
            keys = ground.covered(side, group)
            if keys is not None:
                counts = np.full(len(keys), store.count // groups // len(keys))
            else:
                keys = ground.crossed(store.group(group), side, store.crs)
                keys, counts = np.unique(keys, axis=0, return_counts=True)
            for (column, row), count in zip(keys.tolist(), counts.tolist(), strict=True):
                found[column, row] = found.get((column, row), 0) + count
    return {key: found[key] for key in sorted(found, key=along_curve)}
