"""Maps in stores as sides of a pair: what is asked of them is what is asked of maps in memory.

Nothing here holds a whole map, but where it is small enough to be drawn. ``IN_STORES`` has what each content does with
stores and tiles.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from types import MappingProxyType
from typing import Any, cast

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Box, Floats
from geoeval.contents import SIDES
from geoeval.model.clipping import stretches_inside
from geoeval.model.extent import Extent
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.offsets.busiest import AROUND_CELL, MANY_SEGMENTS, offset_ground
from geoeval.pipeline.evaluation import Evaluation
from geoeval.pipeline.ground import OneSide
from geoeval.scale.store.cache import cached_object_store, cached_store
from geoeval.scale.store.object_store import store_objects
from geoeval.scale.store.road_store import store_network
from geoeval.scale.tiles import tiled_objects, tiled_roads
from geoeval.scale.tiles.object_pair import map_of
from geoeval.scale.tiles.projection import metric_crs
from geoeval.scale.tiles.road_pair import RoadPair
from geoeval.scale.tiles.tiling import Tiling, box_in, grown, union


class StoredMap(ABC):
    """A store as a side of a pair, measured in metres of its own, as the map of its file would be.

    Attributes
    ----------
    store
        The store.
    """

    def __init__(self, store: Any) -> None:
        self.store = store

    @cached_property
    def crs(self) -> CRS:
        """What it is measured in."""
        return metric_crs(self.store)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return bool(self.store.count == 0)

    @property
    def problems(self) -> dict[str, int]:
        """What reading dropped or repaired."""
        problems: dict[str, int] = self.store.facts.get("problems", {})
        return problems

    @property
    def bounds(self) -> Box:
        """The box around all of it."""
        return union(self.boxes(self.crs))

    @property
    def extent(self) -> Extent | None:
        """The ground that its source says it covers."""
        return Extent.from_dict(self.store.facts.get("extent"))

    @property
    def ground(self) -> OneSide:
        """What tells its ground."""
        return OneSide(self.crs, self.lines, self.extent, self.dots)

    @property
    def dots(self) -> Floats | None:
        """Where its objects are, if it is a map of objects."""
        return None

    def boxes(self, crs: CRS) -> list[Box]:
        """The boxes in a CRS around all of it; none where it is empty."""
        return box_in(self.store.bounds, self.store.crs, crs) if self.store.count else []

    @abstractmethod
    def lines(self) -> Iterator[Floats]:
        """All segments ``(m, 2, 2)``, in batches."""

    @property
    @abstractmethod
    def amount(self) -> float:
        """How much it is: metres of road, square metres of objects."""

    @abstractmethod
    def amount_in(self, area: BaseGeometry, crs: CRS) -> float:
        """How much of it lies in an area."""


class RoadsInStore(StoredMap):
    """A store of roads."""

    def lines(self) -> Iterator[Floats]:
        """All segments."""
        return self.lines_in(self.crs)

    def lines_in(self, crs: CRS) -> Iterator[Floats]:
        """All segments in a CRS, as a network would have them."""
        for batch in self.store.batches():
            places = projections.transform(batch.xy.reshape(-1, 2), self.store.crs, crs)
            yield np.round(places, 6).reshape(-1, 2, 2)

    @property
    def amount(self) -> float:
        """Metres of road."""
        return sum(float(_lengths(ends).sum()) for ends in self._once())

    def amount_in(self, area: BaseGeometry, crs: CRS) -> float:
        """Metres of road in an area."""
        own = area_in(area, self.crs, aoi_crs=crs)
        inside = (stretches_inside(ends, _lengths(ends), own) for ends in self._once())
        return sum(float((parts.end - parts.begin).sum()) for parts in inside)

    def _once(self) -> Iterator[Floats]:
        """The segments, duplicates but once: they come right after each other."""
        last = np.full((1, 2, 2), np.nan)
        for ends in self.lines():
            rows = np.concatenate([last, ends])
            real = (rows[1:] != rows[:-1]).any(axis=(1, 2)) & (ends[:, 0] != ends[:, 1]).any(axis=1)
            last = rows[-1:]
            yield ends[real]


def _lengths(ends: Floats) -> Floats:
    return np.asarray(np.hypot(*(ends[:, 1] - ends[:, 0]).T), dtype=np.float64)


class ObjectsInStore(StoredMap):
    """A store of objects."""

    def lines(self) -> Iterator[Floats]:
        """The segments of all outlines."""
        return self.lines_in(self.crs)

    @cached_property
    def dots(self) -> Floats:
        """Where the objects are."""
        return np.concatenate([np.zeros((0, 2)), *(part.centroids for part in self._parts(self.crs))])

    @property
    def amount(self) -> float:
        """Square metres of all objects."""
        return fsum(part.area for part in self._parts(self.crs))

    def amount_in(self, area: BaseGeometry, crs: CRS) -> float:
        """Square metres of what lies in an area."""
        return fsum(part.to_crs(self.crs).area for part in self._parts(crs, area))

    def map_in(self, crs: CRS, area: BaseGeometry | None = None, box: Box | None = None) -> ObjectMap:
        """The objects that meet a box, or all, in a CRS and cut to an area."""
        stored = self.store.read(*(self.boxes(self.store.crs) if box is None else box_in(box, crs, self.store.crs)))
        there = map_of(stored, self.store.crs, crs)
        named = there.take(np.arange(len(there)), ids=stored.source[there.ids.astype(np.int64)])
        return named if area is None else named.clip(area, aoi_crs=crs)

    def lines_in(self, crs: CRS, area: BaseGeometry | None = None) -> Iterator[Floats]:
        """The segments of the outlines in a CRS, cut to an area."""
        return (part.line_ends for part in self._parts(crs, area))

    def _parts(self, crs: CRS, area: BaseGeometry | None = None) -> Iterator[ObjectMap]:
        """The objects in a CRS, cut to an area, some at a time."""
        for stored in self.store.batches():
            part = map_of(stored, self.store.crs, crs)
            yield part if area is None else part.clip(area, aoi_crs=crs)


@dataclass(frozen=True)
class StoredPair:
    """Two maps in stores on the ground on which they are compared.

    Attributes
    ----------
    reference, prediction
        The maps.
    target
        What both are measured in, where that is one projection.
    common
        The projection of all tiles; ``None`` where each has its own.
    area
        What both are cut to, in ``target``; ``None`` where nothing is cut.
    tile_size
        Metres.
    """

    reference: Any
    prediction: Any
    target: CRS
    common: CRS | None
    area: BaseGeometry | None
    tile_size: float

    @property
    def tiled_area(self) -> BaseGeometry | None:
        """The area in the coordinates that all tiles have in common: their projection, or degrees."""
        if self.area is None or self.common is not None:
            return self.area
        return area_in(self.area, projections.WGS84, aoi_crs=self.target)

    @property
    def stores(self) -> tuple[Any, Any]:
        """Both stores."""
        return self.reference.store, self.prediction.store


@dataclass(frozen=True)
class InStores:
    """What a content does with stores and tiles.

    Attributes
    ----------
    side
        What a store is as a side of a pair.
    store
        Writes a map into a store.
    cached
        Makes a store of an OpenStreetMap file, which is kept for later runs.
    reading
        Options of reading that ``cached`` takes.
    compared
        Both maps where the offset between them is estimated, as an evaluation at once does.
    maps
        Both maps, the prediction shifted by so many metres.
    evaluate
        Evaluates two stores in tiles: the evaluation, both stores, the shift, whether errors are decided tile by tile,
        and what ``evaluate_stores`` takes.
    drawn
        Features of both maps that a browser can still show.
    aligns
        Whether maps in stores can be shifted.
    """

    side: type[StoredMap]
    store: Callable[..., Any]
    cached: Callable[..., Any]
    reading: tuple[str, ...]
    compared: Callable[[StoredPair], list[Any]]
    maps: Callable[[StoredPair, tuple[float, float]], dict[str, Any]]
    evaluate: Callable[..., Result]
    drawn: int
    aligns: bool


def _road_pair(pair: StoredPair, shift: tuple[float, float] = (0.0, 0.0)) -> RoadPair:
    true, predicted = pair.stores
    return RoadPair(true.path, predicted.path, Tiling(pair.tile_size, pair.common), pair.tiled_area, shift)


def _compared_roads(pair: StoredPair) -> list[Any]:
    roads, crs = _road_pair(pair), pair.common
    if pair.reference.is_empty or pair.prediction.is_empty:
        return [roads.network(side, None, pair.target) for side in SIDES]
    if crs is None:
        tiles = roads.tiles()
        loaded = roads.load([max(tiles, key=lambda one: (tiles[one], one))], AROUND_CELL)
        return [loaded.networks[side] for side in SIDES]
    box = None
    if pair.area is None and pair.prediction.store.count > MANY_SEGMENTS:
        box = offset_ground(pair.prediction.lines_in(crs))
    if box is None:
        return [roads.network(side, None, crs) for side in SIDES]
    near = (roads.network(side, grown(box, 1.0), crs) for side in SIDES)
    return [network.clip(shapely.box(*box), aoi_crs=crs) for network in near]


def _compared_objects(pair: StoredPair) -> list[Any]:
    box = offset_ground(pair.prediction.lines_in(pair.target, pair.area))
    return [side.map_in(pair.target, pair.area, box) for side in (pair.reference, pair.prediction)]


def _whole_roads(pair: StoredPair, shift: tuple[float, float]) -> dict[str, Any]:
    assert pair.common is not None
    roads = _road_pair(pair, shift)
    return {side: roads.network(side, None, pair.common) for side in SIDES}


def _whole_objects(pair: StoredPair, _shift: tuple[float, float]) -> dict[str, Any]:
    return {side: getattr(pair, side).map_in(pair.common, pair.tiled_area) for side in SIDES}


def _roads_in_tiles(evaluation: Evaluation, *stores: Any, **options: Any) -> Result:
    return tiled_roads.evaluate_stores(
        *stores,
        preset=evaluation.preset,
        whole_networks=cast("tiled_roads.WholeNetworks", evaluation.whole_networks),
        **options,
    )


def _objects_in_tiles(_evaluation: Evaluation, *stores: Any, shift: Any, decide: bool, **options: Any) -> Result:  # noqa: ARG001 - each object is decided with its part
    return tiled_objects.evaluate_object_stores(*stores, **options)


IN_STORES: Mapping[str, InStores] = MappingProxyType({
    "roads": InStores(
        RoadsInStore, store_network, cached_store, ("network_type", "crs"), _compared_roads, _whole_roads,
        _roads_in_tiles, drawn=500_000, aligns=True,
    ),
    "objects": InStores(
        ObjectsInStore, store_objects, cached_object_store, ("crs",), _compared_objects, _whole_objects,
        _objects_in_tiles, drawn=200_000, aligns=False,
    ),
})  # fmt: skip
