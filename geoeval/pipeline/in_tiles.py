"""The same job in tiles: the two maps become stores on disk, and these a result, on any number of workers.

OpenStreetMap files are streamed into stores without ever being held in memory; everything else is read and brought
together as for an evaluation at once, and stored then. Buildings are in :mod:`geoeval.pipeline.streamed_objects`.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Box, Floats
from geoeval.contents import SIDES
from geoeval.diagnosis.diagnose import diagnose
from geoeval.diagnosis.finding import worst_first
from geoeval.diagnosis.place import check_place
from geoeval.engines import Engine, Task, open_engine
from geoeval.exceptions import ParameterError
from geoeval.files import NAME
from geoeval.metrics.running import warn_of_empty
from geoeval.model.clipping import stretches_inside
from geoeval.model.extent import Extent
from geoeval.model.result import Result
from geoeval.offsets.busiest import AROUND_CELL, MANY_SEGMENTS, offset_ground
from geoeval.pipeline.distortion import check_distortion
from geoeval.pipeline.evaluation import Evaluation, Execution
from geoeval.pipeline.ground import OneSide, find_ground, ground_findings, ground_note, left_out, said_of_ground
from geoeval.pipeline.meeting import check_meeting
from geoeval.pipeline.offset import is_removed, offset_note, offset_numbers
from geoeval.pipeline.pairing import Pair, bring_together, given_crs
from geoeval.pipeline.record import described
from geoeval.pipeline.streamed_objects import evaluate_streamed_objects
from geoeval.readers.given import read_given
from geoeval.readers.registry import read_apart, recognise
from geoeval.roads.alignment import prevailing_offset
from geoeval.scale.store.cache import cached_object_store, cached_store
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.store.object_store import store_objects
from geoeval.scale.store.road_store import Store, store_network
from geoeval.scale.tiles import tiled_objects, tiled_roads
from geoeval.scale.tiles.projection import common_projection, metric_crs
from geoeval.scale.tiles.road_pair import RoadPair
from geoeval.scale.tiles.run_folder import subfolder
from geoeval.scale.tiles.tiling import Tiling, box_in, grown, union
from geoeval.trust import trusting

if TYPE_CHECKING:
    from geoeval.model.road_network import RoadNetwork

# Share of the progress after which the inputs are read.
_READ = 0.15
# Segments that a browser can still show.
_DRAWN = 500_000


def evaluate_in_tiles(
    evaluation: Evaluation, reference: Any, prediction: Any, aoi: Any, execution: Execution
) -> Result:
    """What ``evaluate`` does where a tile size, a scheduler or a folder to resume from is given."""
    kind, reading, crs, align = evaluation.kind, evaluation.sides, evaluation.crs, evaluation.align
    keep_inputs, scheduler, resume = evaluation.keep_inputs, execution.scheduler, execution.resume
    given = dict(zip(SIDES, (reference, prediction), strict=True))
    if kind == "objects":
        for side in SIDES:
            if reading[side].get("class_column") is not None or getattr(given[side], "classes", None) is not None:
                raise ParameterError("classes are not evaluated in tiles; {leave:tile-size}, or {leave:class}")
    with ExitStack() as stack:
        if resume is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="geoeval-")))
        else:
            folder = subfolder(Path(resume), "inputs")
        engine = stack.enter_context(open_engine(execution.workers, scheduler, prepare=tiled_roads.PREPARE))
        options: dict[str, Any] = {
            "metrics": evaluation.names, "parameters": evaluation.parameters, "seed": evaluation.seed,
            "tile_size": evaluation.tile_size, "engine": engine, "resume": resume,
            "progress": lambda share, said: execution.progress(_READ + (1 - _READ) * share, said),
        }  # fmt: skip
        if kind == "roads":
            options |= {"preset": evaluation.preset, "whole_networks": evaluation.whole_networks}
        if kind == "roads" and any(_is_osm_file(one) for one in given.values()):
            # The workers of a cluster may have other disks.
            readers = engine if scheduler is None else stack.enter_context(open_engine())
            return _streamed(given, reading, folder, readers, aoi, crs, align, keep_inputs, options)
        if kind == "objects" and not align and any(_is_osm_file(one) for one in given.values()):
            readers = engine if scheduler is None else stack.enter_context(open_engine())
            start = perf_counter()
            stores = _stores(given, reading, folder, readers, kind="objects")
            read = perf_counter() - start
            result = evaluate_streamed_objects(*stores, aoi=aoi, crs=crs, keep_inputs=keep_inputs, options=options)
            return _told(given, result, read)
        start = perf_counter()
        maps = [read_given(kind, given[side], side=side, **reading[side]) for side in SIDES]
        read = perf_counter() - start
        pair = bring_together(kind, *maps, aoi=aoi, crs=crs, align=align)
        return _stored(kind, pair, folder, given_crs(crs), keep_inputs, options, read)


def _stored(
    kind: str, pair: Pair, folder: Path, crs: CRS | None, keep_inputs: bool, options: dict[str, Any], read: float
) -> Result:
    """Two maps that were read and brought together, in tiles."""
    store: Any = store_network if kind == "roads" else store_objects
    evaluate: Any = tiled_roads.evaluate_stores if kind == "roads" else tiled_objects.evaluate_object_stores
    maps = dict(zip(SIDES, (pair.reference, pair.prediction), strict=True))
    stores = [store(folder / f"{side}.parquet", one, overwrite=True) for side, one in maps.items()]
    if kind == "roads":
        options = {**options, "decide": not keep_inputs}
    result = evaluate(*stores, crs=crs, **options)
    return replace(
        result, area=pair.area, ground=pair.ground, offset=pair.offset, notes={**pair.notes, **result.notes},
        diagnosis=(*pair.findings, *result.diagnosis),
        seconds={**result.seconds, "read": round(read, 6)}, inputs=maps if keep_inputs else {},
    )  # fmt: skip


def _streamed(
    given: Mapping[str, Any], reading: Mapping[str, Mapping[str, Any]], folder: Path, readers: Engine, aoi: Any,
    crs: Any, align: bool, keep_inputs: bool, options: dict[str, Any],
) -> Result:  # fmt: skip
    """Road networks of which at least one is streamed from its file into a store."""
    start = perf_counter()
    true, predicted = _stores(given, reading, folder, readers, kind="roads")
    read = perf_counter() - start
    sides = dict(zip(SIDES, map(_StoreSide, (true, predicted)), strict=True))
    check_meeting(sides["reference"], sides["prediction"], aoi)
    if (asked := given_crs(crs)) is not None:
        check_distortion(asked, true, predicted)
    target = given_crs(crs) or metric_crs(predicted if predicted.count else true)
    near = _bounds((true, predicted), target) if aoi is not None else None
    ground = find_ground(sides["reference"].told, sides["prediction"].told, target, aoi, near=near)
    area = ground.area
    if area is not None and area.is_empty:
        warn_of_empty(SIDES)
    shares: dict[str, float] = {}
    for name, side in () if area is None else sides.items():
        assert area is not None
        shares |= left_out(name, side.length_in(area, target), side.length)
    common, _ = common_projection(true, predicted, given_crs(crs), area, target)
    if area is not None and common is None:
        area = area_in(area, projections.WGS84, aoi_crs=target)
    tiling = Tiling(options["tile_size"], common)
    pair = RoadPair(true.path, predicted.path, tiling, area)
    compared = _compared(pair, (true, predicted))
    found = None if compared is None else prevailing_offset(*compared)
    removed = is_removed(found, align=align)
    checks: list[dict[str, str]] = []
    if compared is not None:
        met = [store.facts.get("problems", {}) for store in (true, predicted)]
        checks = [*check_place(*compared), *diagnose("roads", *compared, offset=found, removed=removed, problems=met)]
    shift = (-found.dx, -found.dy) if found is not None and removed else (0.0, 0.0)
    if align and common is None:
        raise ParameterError("an offset is removed in one projection for all tiles; evaluate a smaller area")
    kept = keep_inputs and common is not None and true.count + predicted.count <= _DRAWN
    result = tiled_roads.evaluate_stores(true, predicted, crs=common, aoi=area, shift=shift, decide=not kept, **options)
    inputs = {}
    if kept and common is not None:
        moved = replace(pair, shift=shift)
        inputs = {side: moved.network(side, None, common) for side in SIDES}
    notes = {"area": ground_note(ground, shares), **offset_note(found, align=align)}
    result = replace(
        result, ground=said_of_ground(ground, shares), offset=offset_numbers(found, align=align),
        notes={**notes, **result.notes}, inputs=inputs,
        diagnosis=worst_first([*ground_findings(ground, shares), *checks]),
    )  # fmt: skip
    return _told(given, result, read)


def _told(given: Mapping[str, Any], result: Result, read: float) -> Result:
    """The result of stores with the names and digests of the inputs, and the seconds that reading took."""
    named: dict[str, Any] = {side: _named(given[side], getattr(result, side)) for side in SIDES}
    return replace(result, seconds={**result.seconds, "read": round(read, 6)}, **named)


def _named(given: Any, facts: dict[str, Any]) -> dict[str, Any]:
    """What is said of an input: name and digest are those of the file, not of the store that was made of it."""
    if not isinstance(given, str | Path):
        return facts
    own = described(Path(given)) if _is_osm_file(given) else None
    return {**facts, "source": str(given), "sha256": facts["sha256"] if own is None else own["sha256"]}


def _is_osm_file(given: Any) -> bool:
    """Whether this names a file of OpenStreetMap data, which can be streamed."""
    if not isinstance(given, str | Path) or str(given).startswith("osm:") or NAME in str(given):
        return False
    return recognise(given).kind == "osm"


def _stores(
    given: Mapping[str, Any], reading: Mapping[str, Mapping[str, Any]], folder: Path, readers: Engine, *, kind: str
) -> tuple[Any, Any]:
    """Both inputs as stores."""
    tasks: list[Task] = [(_store, (kind, given[side], side, folder, dict(reading[side]))) for side in SIDES]
    true, predicted = (store for _, store in sorted(readers.run(tasks), key=lambda done: done[0]))
    return true, predicted


def _store(kind: str, given: Any, side: str, folder: Path, options: dict[str, Any]) -> GroupedFile[Any]:
    """An input as a store: OpenStreetMap streamed, and kept for later runs; anything else for this run."""
    if options.get("untrusted"):
        return read_apart(_store, given, kind, given, side, folder, {**options, "untrusted": False})
    final = folder / f"{side}.parquet"
    if _is_osm_file(given):
        kept: Any = cached_store if kind == "roads" else cached_object_store
        names = ("network_type", "crs") if kind == "roads" else ("crs",)
        used = {name: options[name] for name in names if options.get(name) is not None}
        with trusting(limits=options.get("limits"), links=options.get("links")):
            return kept(given, **used, otherwise=final)
    store: Any = store_network if kind == "roads" else store_objects
    return store(final, read_given(kind, given, side=side, **options), overwrite=True)


@dataclass(frozen=True)
class _StoreSide:
    """A store as a side of a pair, measured in metres of its own, as the network of its file would be."""

    store: Store

    @cached_property
    def crs(self) -> CRS:
        return metric_crs(self.store)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return self.store.count == 0

    @property
    def bounds(self) -> Box:
        """The box around all of it."""
        return union(box_in(self.store.bounds, self.store.crs, self.crs))

    @property
    def extent(self) -> Extent | None:
        """The ground that its source says it covers."""
        return Extent.from_dict(self.store.facts.get("extent"))

    @cached_property
    def told(self) -> OneSide:
        """What tells its ground."""
        return OneSide(self.crs, self.segments, self.extent)

    def segments(self) -> Iterator[Floats]:
        """All segments, in batches."""
        return (places.reshape(-1, 2, 2) for places in _places(self.store, self.crs))

    @property
    def length(self) -> float:
        """Metres of road."""
        return sum(float(_lengths(ends).sum()) for ends in self._once())

    def length_in(self, area: BaseGeometry, crs: CRS) -> float:
        """Metres of road in an area."""
        own = area_in(area, self.crs, aoi_crs=crs)
        inside = (stretches_inside(ends, _lengths(ends), own) for ends in self._once())
        return sum(float((parts.end - parts.begin).sum()) for parts in inside)

    def _once(self) -> Iterator[Floats]:
        """The segments, duplicates but once: they come right after each other."""
        last = np.full((1, 2, 2), np.nan)
        for ends in self.segments():
            rows = np.concatenate([last, ends])
            real = (rows[1:] != rows[:-1]).any(axis=(1, 2)) & (ends[:, 0] != ends[:, 1]).any(axis=1)
            last = rows[-1:]
            yield ends[real]


def _lengths(ends: Floats) -> Floats:
    return np.asarray(np.hypot(*(ends[:, 1] - ends[:, 0]).T), dtype=np.float64)


def _places(store: Store, crs: CRS) -> Iterator[Floats]:
    """The nodes of a store in a CRS, as a network would have them."""
    for batch in store.batches():
        yield np.round(projections.transform(batch.xy.reshape(-1, 2), store.crs, crs), 6)


def _bounds(stores: tuple[Store, ...], crs: CRS) -> Box | None:
    boxes = [box for store in stores if store.count for box in box_in(store.bounds, store.crs, crs)]
    return union(boxes) if boxes else None


def _compared(pair: RoadPair, stores: tuple[Store, ...]) -> "list[RoadNetwork] | None":
    """The networks on the ground on which an evaluation at once estimates the offset; ``None`` where one is empty."""
    crs = pair.tiling.crs
    if not all(store.count for store in stores):
        return None
    if crs is None:
        tiles = pair.tiles()
        loaded = pair.load([max(tiles, key=lambda one: (tiles[one], one))], AROUND_CELL)
        return [loaded.networks[side] for side in SIDES]
    box = None
    if pair.area is None and stores[1].count > MANY_SEGMENTS:
        box = offset_ground(places.reshape(-1, 2, 2) for places in _places(stores[1], crs))
    if box is None:
        return [pair.network(side, None, crs) for side in SIDES]
    near = (pair.network(side, grown(box, 1.0), crs) for side in SIDES)
    return [network.clip(shapely.box(*box), aoi_crs=crs) for network in near]
