"""The work of one tile: its metrics on its own roads, with as much ground around them as they need.

A metric says of each count whether roads beyond the known ground could change it. Where they could, the tile is
evaluated again with twice the ground around it. So the counts are those of the whole network: candidates that depend
on each other across the border of a tile are held together, and no more than these.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval.crs import to_lonlat
from geoeval.model.result import ErrorFeatures, LocalCounts, MetricResult
from geoeval.registry import Metric
from geoeval.roads.evaluate import duplicates
from geoeval.roads.registry import METRICS
from geoeval.scale.ground import SIDES, Ground, Loaded
from geoeval.scale.part import Counts, Part, error_table, exact_sum
from geoeval.scale.survey import Survey, TileStarts, survey
from geoeval.scale.tiling import Key

Bools = NDArray[np.bool_]

_CUT = "cut at the border of a tile"
_ID_COLUMNS = ("ref_id", "pred_id")


@dataclass(frozen=True)
class Work:
    """What is to be evaluated: metrics by name with all their parameters, and the seed."""

    values: Mapping[str, Mapping[str, Any]]
    seed: int = 0


@dataclass(frozen=True)
class Given:
    """The starts of one metric in a tile: by side where they are, or explicit places with their numbers."""

    found: Mapping[str, TileStarts] = field(default_factory=dict)
    places: list[Any] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


def survey_tile(ground: Ground, key: Key, sides: tuple[str, ...]) -> dict[str, Survey]:
    """What a tile tells of the roads of the two networks, for systematic starts."""
    loaded = ground.load(key, 0.0)
    return {side: survey(loaded.networks[side], loaded.owned[side]) for side in sides}


def evaluate_tile(ground: Ground, key: Key, work: Work, starts: Mapping[str, Given]) -> bytes:
    """The part of a tile, as bytes: counts of metrics that can be added up, and their errors."""
    metrics = [METRICS[name] for name in work.values]
    halo = max((metric.halo(work.values[metric.name]) or 0.0 for metric in metrics), default=0.0)
    loaded = ground.load(key, halo)
    inputs = {side: _facts(loaded, side) for side in SIDES}
    counts: dict[str, Counts] = {}
    rows: dict[str, Any] = {}
    seconds: dict[str, float] = {}
    twice = [duplicates(loaded.networks[side], column) for side, column in zip(SIDES, _ID_COLUMNS, strict=True)]
    errors = [_standing_in(one, loaded, ground, key) for one in twice]
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
                        here = np.arange(len(local.xy)) < local.reference_rows
                        rows[metric.name] = np.column_stack([_numbers(given), here, result.details["start_counts"]])
                    found = result.errors or ErrorFeatures(metric.name)
                    keep = _standing_in if local.item_is_node else _cut_to
                    errors.append(keep(found, loaded, ground, key))
            seconds[metric.name] = seconds.get(metric.name, 0.0) + perf_counter() - before
        waiting = uncertain
        if waiting:
            halo = 2 * max(halo, 1.0)
            loaded = ground.load(key, halo)
    _to_common(errors, ground, loaded.networks["reference"].crs)
    return Part(counts, rows, inputs=inputs, seconds=seconds, errors=error_table(errors)).to_bytes()


def evaluate_piece(ground: Ground, key: Key | None, work: Work) -> bytes:
    """Metrics that cannot be added up, on all of the ground, or (where that is too much) on a tile cut out of it."""
    if key is None:
        assert ground.tiling.crs is not None
        networks = {side: ground.network(side, None, ground.tiling.crs) for side in SIDES}
    else:
        loaded = ground.load(key, 0.0)
        networks = {side: loaded.networks[side].clip(loaded.core) for side in SIDES}
    lengths = {side: {"length_m": exact_sum(networks[side].segment_lengths)} for side in SIDES}
    part = Part(lengths=lengths)
    errors: list[ErrorFeatures] = []
    for name, values in work.values.items():
        before = perf_counter()
        result = _call(METRICS[name], networks, dict(values), work.seed)
        part.scores[name], part.notes[name] = result.scores, result.notes
        part.counts[name] = {count: exact_sum(np.array([value])) for count, value in result.counts.items()}
        part.seconds[name] = perf_counter() - before
        if result.errors is not None:
            errors.append(result.errors)
    _to_common(errors, ground, networks["reference"].crs)
    return replace(part, errors=error_table(errors)).to_bytes()


def _to_common(errors: list[ErrorFeatures], ground: Ground, crs: CRS) -> None:
    """Bring errors into degrees where nothing else is common to all tiles."""
    if ground.tiling.crs is None:
        for one in errors:
            one.geometries = list(shapely.transform(one.geometries, lambda xy: to_lonlat(xy, crs)))


def _evaluate(metric: Metric, loaded: Loaded, work: Work, given: Given | None) -> MetricResult | None:
    """A metric on the roads around a tile; nothing where it has starts and none of them is here."""
    values = dict(work.values[metric.name])
    if given is not None:
        if given.found:
            values["starts"] = {
                side: starts.locate(loaded.networks[side], loaded.owned[side]) for side, starts in given.found.items()
            }
        else:
            values["starts"] = given.places
        if not len(_numbers(given)):
            return None
    return _call(metric, loaded.networks, values, work.seed, known=loaded.known or _EVERYWHERE)


# Metrics tell a network that is empty from one that is empty here by whether there is known ground.
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


def _numbers(given: Given) -> NDArray[np.int64]:
    """The numbers of the starts, in the order in which the metric has them: those on the reference first."""
    if given.found:
        return np.concatenate([starts.number for starts in given.found.values()])
    return np.array(given.numbers, dtype=np.int64)


def _standing_in(errors: ErrorFeatures, loaded: Loaded, ground: Ground, key: Key) -> ErrorFeatures:
    """The errors whose middle lies in the tile."""
    geometries = np.array([None, *errors.geometries], dtype=object)[1:]
    middle = shapely.get_coordinates(shapely.line_interpolate_point(_as_lines(geometries), 0.5, normalized=True))
    keys = ground.tiling.keys(ground.tiling.places(middle, loaded.networks["reference"].crs))
    inside = np.flatnonzero((keys == np.array(key)).all(axis=1))
    return _taken(errors, inside, geometries[inside])


def _cut_to(errors: ErrorFeatures, loaded: Loaded, ground: Ground, key: Key) -> ErrorFeatures:  # noqa: ARG001
    """Stretches of road, cut at the border of the tile."""
    geometries = np.array([None, *errors.geometries], dtype=object)[1:]
    shapely.prepare(loaded.core)
    whole = shapely.covers(loaded.core, geometries)
    crossing = np.flatnonzero(~whole & shapely.intersects(loaded.core, geometries))
    pieces, owner = shapely.get_parts(shapely.intersection(geometries[crossing], loaded.core), return_index=True)
    real = shapely.length(pieces) > 1e-6
    pieces, owner = pieces[real], crossing[owner[real]]
    kept = _taken(errors, np.concatenate([np.flatnonzero(whole), owner]), np.concatenate([geometries[whole], pieces]))
    first = int(whole.sum())
    kept.rows["length_m"][first:] = shapely.length(pieces).tolist()
    kept.rows["note"][first:] = [f"{note}; {_CUT}" for note in kept.rows["note"][first:]]
    return kept


def _as_lines(geometries: NDArray[np.object_]) -> NDArray[np.object_]:
    """Points as lines without length, so that all have a middle."""
    lines = geometries.copy()
    points = np.flatnonzero(shapely.get_type_id(geometries) == 0)
    xy = shapely.get_coordinates(geometries[points])
    lines[points] = shapely.linestrings(np.repeat(xy[:, None], 2, axis=1))
    return lines


def _taken(errors: ErrorFeatures, rows: NDArray[np.int64], geometries: NDArray[np.object_]) -> ErrorFeatures:
    taken = ErrorFeatures(errors.metric)
    taken.geometries = list(geometries)
    taken.rows = {name: [values[row] for row in rows.tolist()] for name, values in errors.rows.items()}
    return taken


def _facts(loaded: Loaded, side: str) -> Counts:
    network, owned = loaded.networks[side], loaded.owned[side]
    return {
        "nodes": Fraction(int(owned.node.sum())),
        "segments": Fraction(int(owned.segment.sum())),
        "length_m": exact_sum(network.segment_lengths[owned.segment]),
    }
