"""Two stores that are compared tile by tile: what pairs of roads and of objects have in common."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats
from geoeval.scale.store.grouped import GroupedFile, opened
from geoeval.scale.tiles.tiling import Key, Tiling

# Metres by which the end of a road that is cut at the border of the area may lie outside of it.
_ROUNDING = 0.01
# By how much the border of an area in degrees may bulge where it is projected, in parts of the area's larger side.
_BULGE = 1 / 256

StoreType = TypeVar("StoreType", bound=GroupedFile[Any])


@dataclass(frozen=True)
class StorePair(Generic[StoreType]):
    """Two stores, the tiles over them, and the area to evaluate.

    A pair is small and can be sent to another process, which opens the stores itself. The area is in the CRS of the
    tiling, or in degrees where each tile has its own projection.
    """

    STORE: ClassVar[type[GroupedFile[Any]]]

    reference: Path
    prediction: Path
    tiling: Tiling
    area: BaseGeometry | None = None

    def store(self, side: str) -> StoreType:
        """The open store of a side."""
        store: StoreType = opened(self.STORE, getattr(self, side))
        return store

    @property
    def crs(self) -> CRS:
        """The CRS that all tiles have in common: their projection, or degrees where each has its own."""
        return self.tiling.crs or projections.WGS84

    def groups_in_area(self, side: str) -> list[int]:
        """The groups of a store that may hold something of the area, found from their boxes alone."""
        store = self.store(side)
        if self.area is None:
            return list(range(len(store.group_bounds)))
        return np.flatnonzero(self.meet_area(self.boxes(store.group_bounds, store.crs, side))).tolist()

    def tiles_in_area(self, keys: list[Key]) -> list[Key]:
        """The tiles that touch the area; all of them where there is none."""
        if self.area is None or not keys:
            return keys
        touching = self.meet_area(np.array([self.tiling.box(key) for key in keys]))
        return [key for key, touches in zip(keys, touching.tolist(), strict=True) if touches]

    def boxes(self, boxes: Floats, crs: CRS, side: str) -> Floats:
        """Boxes ``(n, 4)`` of a side in the coordinates of the tiles; a little larger where they are projected."""
        corners = self.tiling.places(boxes[:, [[0, 1], [0, 3], [2, 1], [2, 3]]], crs) + self.offset(side)
        low, high = corners.min(axis=1), corners.max(axis=1)
        margin = 0.0 if crs == self.crs else (high - low).max(axis=1, keepdims=True, initial=0.0) / 100
        return np.concatenate([low - margin, high + margin], axis=1)

    def offset(self, side: str) -> tuple[float, float]:  # noqa: ARG002 - a pair may move one of its sides
        """Metres east and north by which a side is moved before it is evaluated."""
        return 0.0, 0.0

    def meet_area(self, boxes: Floats) -> Bools:
        """Whether boxes ``(n, 4)`` in the coordinates of the tiles touch the area, or nearly do."""
        assert self.area is not None
        west, south, east, north = self.area.bounds
        near = self.area.buffer(_ROUNDING if self.tiling.crs is not None else _BULGE * max(east - west, north - south))
        shapely.prepare(near)
        # An area in degrees may go on beyond the antimeridian, where tiles begin again.
        turns = (0.0,) if self.tiling.crs is not None else (-360.0, 0.0, 360.0)
        sides = [(boxes[:, 0] + turn, boxes[:, 1], boxes[:, 2] + turn, boxes[:, 3]) for turn in turns]
        return np.any([shapely.intersects(near, shapely.box(*one)) for one in sides], axis=0)
