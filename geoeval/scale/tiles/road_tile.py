"""The work of one tile: the metrics on its own roads, with as many roads around them as they need.

A metric says of each count whether roads beyond the box that was loaded could change it. Where they could, the tile
is evaluated again with twice as much around it. So the counts are those of the whole network: what depends on each
other across the border of a tile is held together, and no more than that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
import shapely

from geoeval.arrays import Bools, Box, Ints
from geoeval.contents import SIDES
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.roads.evaluate import duplicates
from geoeval.roads.registry import METRICS
from geoeval.scale.tiles.part import Counts, Part, box_around, exact_sum
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
    """The starts of one metric in a tile: where they are on each side, or places that the user named; and numbers."""

    found: Mapping[str, TileStarts] = field(default_factory=dict)
    places: tuple[Any, ...] = ()
    numbers: tuple[int, ...] = ()


def survey_tile(pair: RoadPair, key: Key, sides: tuple[str, ...]) -> dict[str, Survey]:
    """What systematic starts need to know of the roads of a tile."""
    loaded = pair.load(key, 0.0)
    return {side: survey(loaded.networks[side], loaded.owned[side]) for side in sides}


def evaluate_tile(pair: RoadPair, key: Key, work: TileWork, starts: Mapping[str, GivenStarts]) -> bytes:
    """The part of a tile, as bytes: what belongs to it, counts of metrics that can be added up, and their errors."""
    metrics = [METRICS[name] for name in work.values]
    halo = max((metric.reach(work.values[metric.name]) or 0.0 for metric in metrics), default=0.0)
    loaded = pair.load(key, halo)
    inputs, bounds = {side: _facts(loaded, side) for side in SIDES}, _bounds(loaded, pair)
    counts: dict[str, Counts] = {}
    start_rows: dict[str, Ints] = {}
    seconds: dict[str, float] = {}
    twice = [duplicates(loaded.networks[side], column) for side, column in zip(SIDES, _ID_COLUMNS, strict=True)]
    errors = [standing_in(one, pair.tiling, key, loaded.networks["reference"].crs) for one in twice]
    waiting = metrics
    while waiting:
        uncertain = []
        for metric in waiting:
            before = perf_counter()
            given = starts.get(metric.name)
            result = _evaluate(metric, loaded, work, given)
            local = None if result is None else result.details["local"]
            if result is not None and local is not None:
                mine = _own(local, loaded) if given is None else np.ones(len(local.xy), dtype=bool)
                if not local.certain[mine].all():
                    uncertain.append(metric)
                else:
                    counts[metric.name] = {name: exact_sum(values[mine]) for name, values in local.counts.items()}
                    if given is not None:
                        on_reference = np.arange(len(local.xy)) < local.reference_rows
                        columns = [_numbers(given), on_reference, result.details["start_counts"]]
                        start_rows[metric.name] = np.column_stack(columns)
                    found = result.errors or ErrorFeatures(metric.name)
                    crs = loaded.networks["reference"].crs
                    whole = local.item_is_node
                    errors.append(standing_in(found, pair.tiling, key, crs) if whole else _cut(found, loaded))
            seconds[metric.name] = seconds.get(metric.name, 0.0) + perf_counter() - before
        waiting = uncertain
        if waiting:
            halo = 2 * max(halo, 1.0)
            loaded = pair.load(key, halo)
    if pair.tiling.crs is None:
        errors = in_degrees(errors, loaded.networks["reference"].crs)
    return Part(
        counts, start_rows, inputs=inputs, seconds=seconds, errors=error_table(errors), bounds=bounds
    ).to_bytes()


def evaluate_whole(pair: RoadPair, key: Key | None, work: TileWork) -> bytes:
    """Metrics that cannot be added up, on all roads, or on those of a tile, cut at its border; the part as bytes."""
    if key is None:
        networks = {side: pair.network(side, None, pair.crs) for side in SIDES}
    else:
        loaded = pair.load(key, 0.0)
        networks = {side: loaded.networks[side].clip(loaded.core, aoi_crs=loaded.networks[side].crs) for side in SIDES}
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
            name: {count: exact_sum(np.array([value])) for count, value in result.counts.items()}
            for name, result in results.items()
        },
        scores={name: result.scores for name, result in results.items()},
        notes={name: result.notes for name, result in results.items()},
        lengths={side: {"length_m": exact_sum(networks[side].segment_lengths)} for side in SIDES},
        seconds=seconds,
        errors=error_table(errors),
    ).to_bytes()


def _evaluate(metric: Metric, loaded: Loaded, work: TileWork, given: GivenStarts | None) -> MetricResult | None:
    """A metric on the roads around a tile; ``None`` where it has starts, but none here."""
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


def _own(local: LocalCounts, loaded: Loaded) -> Bools:
    """Which rows of counts belong to the tile."""
    assert local.item is not None
    cut = local.reference_rows
    masks = [
        (loaded.owned[side].node if local.item_is_node else loaded.owned[side].segment)[items]
        for side, items in zip(SIDES, (local.item[:cut], local.item[cut:]), strict=True)
    ]
    return np.concatenate(masks)


def _numbers(given: GivenStarts) -> Ints:
    """The numbers of the starts, in the order in which the metric has them: those on the reference first."""
    if given.found:
        return np.concatenate([starts.number for starts in given.found.values()])
    return np.array(given.numbers, dtype=np.int64)


def _cut(errors: ErrorFeatures, loaded: Loaded) -> ErrorFeatures:
    """Stretches of road, cut at the border of the tile; those along it belong to the tile above or to the right.

    Notes stay: what a metric says of a stretch is true of every part of it.
    """
    geometries = as_array(errors.geometries)
    west, south, east, north = loaded.core.bounds
    upper = shapely.LineString([(east, south), (east, north), (west, north)])
    shapely.prepare(loaded.core)
    shapely.prepare(upper)
    along = shapely.intersects(upper, geometries)
    along[along] = shapely.length(shapely.intersection(geometries[along], upper)) > _SHORTEST
    whole = shapely.covers(loaded.core, geometries) & ~along
    crossing = np.flatnonzero(~whole & shapely.intersects(loaded.core, geometries))
    inside = shapely.intersection(geometries[crossing], loaded.core)
    inside[along[crossing]] = shapely.difference(inside[along[crossing]], upper)
    pieces, owner = shapely.get_parts(inside, return_index=True)
    real = shapely.length(pieces) > _SHORTEST
    pieces, owner = pieces[real], crossing[owner[real]]
    uncut, lengths = np.flatnonzero(whole), shapely.length(pieces).tolist()
    return taken(
        errors,
        np.concatenate([uncut, owner]),
        np.concatenate([geometries[uncut], pieces]),
        length_m=[errors.rows["length_m"][row] for row in uncut.tolist()] + lengths,
        note=[errors.rows["note"][row] for row in uncut.tolist()]
        + [f"{errors.rows['note'][row]}; {_CUT}" for row in owner.tolist()],
    )


def _facts(loaded: Loaded, side: str) -> Counts:
    """How much of a side belongs to the tile."""
    network, owned = loaded.networks[side], loaded.owned[side]
    return {
        "nodes": Fraction(int(owned.node.sum())),
        "segments": Fraction(int(owned.segment.sum())),
        "length_m": exact_sum(network.segment_lengths[owned.segment]),
    }


def _bounds(loaded: Loaded, pair: RoadPair) -> Box | None:
    """The box around the nodes of both sides that belong to the tile, in coordinates that all tiles share."""
    nodes = [
        (owned.places if pair.tiling.crs is None else loaded.networks[side].nodes)[owned.node]
        for side, owned in loaded.owned.items()
    ]
    return box_around(np.concatenate(nodes))
