"""The work of some tiles: the metrics on their own roads, with as many roads around them as they need.

A metric says of each count whether roads beyond the box that was loaded could change it. Where they could, the tiles
are evaluated again with twice as much around them. So the counts are those of the whole network: what depends on each
other across the border of a tile is held together, and no more than that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geoeval.arrays import Box, Ints, Objects
from geoeval.contents import SIDES
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.roads.content import duplicates
from geoeval.roads.registry import METRICS
from geoeval.scale.tiles.part import CountsByTile, Part, box_around, counts_by_tile, exact_sum
from geoeval.scale.tiles.road_pair import Loaded, RoadPair
from geoeval.scale.tiles.survey import Survey, TileStarts, survey
from geoeval.scale.tiles.tile_errors import as_array, error_table, in_degrees, standing_in, taken
from geoeval.scale.tiles.tiling import Key

_CUT = "cut at the border of a tile"
_ID_COLUMNS = ("ref_id", "pred_id")
# Metres; a shorter piece of an error is rounding.
_SHORTEST = 1e-6


@dataclass(frozen=True)
class TileWork:
    """What is to be evaluated: metrics by name with all their parameters, and the seed."""

    values: Mapping[str, Mapping[str, Any]]
    seed: int = 0


@dataclass(frozen=True)
class GivenStarts:
    """The starts of one metric in a part: where they are on each side, or places that the user named.

    Attributes
    ----------
    found
        By side the starts at equal distances.
    places, numbers, tile
        Places that the user named, their numbers among all starts, and the tile of each as its position in the part.
    """

    found: Mapping[str, TileStarts] = field(default_factory=dict)
    places: tuple[Any, ...] = ()
    numbers: tuple[int, ...] = ()
    tile: tuple[int, ...] = ()


def survey_part(pair: RoadPair, tiles: Sequence[Key], sides: tuple[str, ...]) -> dict[str, Survey]:
    """What systematic starts need to know of the roads of some tiles."""
    loaded = pair.load(tiles, 0.0)
    return {side: survey(loaded.networks[side], loaded.owned[side]) for side in sides}


def evaluate_part(pair: RoadPair, tiles: Sequence[Key], work: TileWork, starts: Mapping[str, GivenStarts]) -> bytes:
    """The part of some tiles, as bytes: what belongs to each, counts of metrics that can be added up, and errors."""
    metrics = [METRICS[name] for name in work.values]
    halo = max((metric.reach(work.values[metric.name]) or 0.0 for metric in metrics), default=0.0)
    loaded = pair.load(tiles, halo)
    inputs, bounds = {side: _facts(loaded, side, tiles) for side in SIDES}, _bounds(loaded, pair)
    counts: dict[str, CountsByTile] = {}
    start_rows: dict[str, Ints] = {}
    seconds: dict[str, float] = {}
    twice = [duplicates(loaded.networks[side], column) for side, column in zip(SIDES, _ID_COLUMNS, strict=True)]
    errors = [standing_in(one, pair.tiling, tiles, loaded.crs) for one in twice]
    waiting = metrics
    while waiting:
        uncertain = []
        for metric in waiting:
            before = perf_counter()
            given = starts.get(metric.name)
            result = _evaluate(metric, loaded, work, given)
            local = None if result is None else result.details["local"]
            if result is not None and local is not None:
                tile = _tiles_of_rows(local, loaded, given)
                if not local.certain[tile >= 0].all():
                    uncertain.append(metric)
                else:
                    counts[metric.name] = counts_by_tile(local.counts, tile, tiles)
                    if given is not None:
                        on_reference = np.arange(len(local.xy)) < local.reference_rows
                        columns = [_numbers(given), on_reference, result.details["start_counts"]]
                        start_rows[metric.name] = np.column_stack(columns)
                    found = result.errors or ErrorFeatures(metric.name)
                    whole = local.item_is_node
                    errors += [standing_in(found, pair.tiling, tiles, loaded.crs)] if whole else _cut(found, loaded)
            seconds[metric.name] = seconds.get(metric.name, 0.0) + perf_counter() - before
        waiting = uncertain
        if waiting:
            halo = 2 * max(halo, 1.0)
            loaded = pair.load(tiles, halo)
    if pair.tiling.crs is None:
        errors = in_degrees(errors, loaded.crs)
    return Part(
        counts, start_rows, inputs=inputs, seconds=seconds, errors=error_table(errors), bounds=bounds
    ).to_bytes()


def evaluate_whole(pair: RoadPair, key: Key | None, work: TileWork) -> bytes:
    """Metrics that cannot be added up, on all roads, or on those of a tile, cut at its border; the part as bytes."""
    if key is None:
        networks = {side: pair.network(side, None, pair.crs) for side in SIDES}
    else:
        loaded = pair.load([key], 0.0)
        networks = {side: loaded.networks[side].clip(loaded.cores[0], aoi_crs=loaded.crs) for side in SIDES}
    results, seconds = {}, {}
    for name, values in work.values.items():
        before = perf_counter()
        results[name] = _call(METRICS[name], networks, dict(values), work.seed)
        seconds[name] = perf_counter() - before
    errors = [result.errors for result in results.values() if result.errors is not None]
    if pair.tiling.crs is None:
        errors = in_degrees(errors, networks["reference"].crs)
    return Part(
        counts={
            name: {None: {count: exact_sum(np.array([value])) for count, value in result.counts.items()}}
            for name, result in results.items()
        },
        scores={name: result.scores for name, result in results.items()},
        notes={name: result.notes for name, result in results.items()},
        lengths={side: {"length_m": exact_sum(networks[side].segment_lengths)} for side in SIDES},
        seconds=seconds,
        errors=error_table(errors),
    ).to_bytes()


def _evaluate(metric: Metric, loaded: Loaded, work: TileWork, given: GivenStarts | None) -> MetricResult | None:
    """A metric on the roads around some tiles; ``None`` where it has starts, but none here."""
    values = dict(work.values[metric.name])
    if given is not None:
        if given.found:
            values["starts"] = {
                side: starts.locate(loaded.networks[side], loaded.owned[side]) for side, starts in given.found.items()
            }
        else:
            values["starts"] = list(given.places)
        if not len(_numbers(given)):
            return None
    return _call(metric, loaded.networks, values, work.seed, loaded_box=loaded.loaded_box or _EVERYWHERE)


# Metrics tell an empty network from one that is empty here by whether they are given a box.
_EVERYWHERE = (-np.inf, -np.inf, np.inf, np.inf)


def _call(metric: Metric, networks: Mapping[str, Any], values: dict[str, Any], seed: int, **more: Any) -> MetricResult:
    if metric.accepts("rng"):
        more["rng"] = np.random.default_rng([seed, crc32(metric.name.encode())])
    return metric.function(networks["reference"], networks["prediction"], **values, **more)


def _tiles_of_rows(local: LocalCounts, loaded: Loaded, given: GivenStarts | None) -> Ints:
    """The tile of each row of counts, as its position among the tiles; -1 where it belongs to another one."""
    if given is not None and given.tile:
        return np.array(given.tile, dtype=np.int64)
    assert local.item is not None
    cut = local.reference_rows
    tiles = [
        (loaded.owned[side].tile_of_node if local.item_is_node else loaded.owned[side].tile_of_segment)[items]
        for side, items in zip(SIDES, (local.item[:cut], local.item[cut:]), strict=True)
    ]
    return np.concatenate(tiles)


def _numbers(given: GivenStarts) -> Ints:
    """The numbers of the starts, in the order in which the metric has them: those on the reference first."""
    if given.found:
        return np.concatenate([starts.number for starts in given.found.values()])
    return np.array(given.numbers, dtype=np.int64)


def _cut(errors: ErrorFeatures, loaded: Loaded) -> list[ErrorFeatures]:
    """Stretches of road by tile, cut at its border."""
    geometries = as_array(errors.geometries)
    tile, near = shapely.STRtree(geometries).query(loaded.cores)
    order = np.lexsort([near, tile])
    rows = np.split(near[order], np.searchsorted(tile[order], np.arange(1, len(loaded.cores))))
    return [_cut_to(core, errors, geometries, own) for core, own in zip(loaded.cores, rows, strict=True) if len(own)]


def _cut_to(core: BaseGeometry, errors: ErrorFeatures, shapes: Objects, rows: Ints) -> ErrorFeatures:
    """Some of the stretches, cut at the border of a tile; those along it belong to the tile above or to the right.

    Notes stay: what a metric says of a stretch is true of every part of it.
    """
    geometries = shapes[rows]
    west, south, east, north = core.bounds
    upper = shapely.LineString([(east, south), (east, north), (west, north)])
    shapely.prepare(core)
    shapely.prepare(upper)
    along = shapely.intersects(upper, geometries)
    along[along] = shapely.length(shapely.intersection(geometries[along], upper)) > _SHORTEST
    whole = shapely.covers(core, geometries) & ~along
    crossing = np.flatnonzero(~whole & shapely.intersects(core, geometries))
    inside = shapely.intersection(geometries[crossing], core)
    inside[along[crossing]] = shapely.difference(inside[along[crossing]], upper)
    pieces, owner = shapely.get_parts(inside, return_index=True)
    real = shapely.length(pieces) > _SHORTEST
    pieces, owner = pieces[real], crossing[owner[real]]
    uncut, lengths = np.flatnonzero(whole), shapely.length(pieces).tolist()
    metres, notes = errors.rows["length_m"], errors.rows["note"]
    return taken(
        errors,
        rows[np.concatenate([uncut, owner])],
        np.concatenate([geometries[uncut], pieces]),
        length_m=[metres[row] for row in rows[uncut].tolist()] + lengths,
        note=[notes[row] for row in rows[uncut].tolist()] + [f"{notes[row]}; {_CUT}" for row in rows[owner].tolist()],
    )


def _facts(loaded: Loaded, side: str, tiles: Sequence[Key]) -> CountsByTile:
    """How much of a side belongs to each tile."""
    network, owned = loaded.networks[side], loaded.owned[side]
    nodes = counts_by_tile({"nodes": np.ones(len(network.nodes))}, owned.tile_of_node, tiles)
    columns = {"segments": np.ones(len(network.segments)), "length_m": network.segment_lengths}
    segments = counts_by_tile(columns, owned.tile_of_segment, tiles)
    return {key: {**nodes[key], **segments[key]} for key in nodes}


def _bounds(loaded: Loaded, pair: RoadPair) -> Box | None:
    """The box around the nodes of both sides that belong to the tiles, in coordinates that all tiles share."""
    nodes = [
        (owned.places if pair.tiling.crs is None else loaded.networks[side].nodes)[owned.node]
        for side, owned in loaded.owned.items()
    ]
    return box_around(np.concatenate(nodes))
