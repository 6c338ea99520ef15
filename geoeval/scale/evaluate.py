"""Evaluate two road networks on disk in tiles: the same numbers as at once, on as many workers as there are."""

import os
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval._version import __version__
from geoeval.engines import Engine, open_engine
from geoeval.evaluation import Progress, check_seed
from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.model.result import Result, Score
from geoeval.roads.evaluate import describe, evaluate_roads
from geoeval.roads.registry import LEADING, METRICS, choose_metrics, choose_parameters
from geoeval.roads.starts import is_systematic, systematic_starts
from geoeval.scale.folder import RunFolder, digest_of
from geoeval.scale.ground import SIDES, Ground
from geoeval.scale.grouped import Placed
from geoeval.scale.part import Part, add_up, error_layers
from geoeval.scale.running import kept_parts, run_folder, run_parts
from geoeval.scale.store import Store, network_of, store_network
from geoeval.scale.survey import NO_STARTS, Course, Survey
from geoeval.scale.tile import Given, Work, evaluate_piece, evaluate_tile, survey_tile
from geoeval.scale.tiling import Key, Tiling, box_in, union

if TYPE_CHECKING:
    import geopandas as gpd

DEFAULT_TILE_SIZE = 10_000.0
# What a worker needs.
PREPARE = "geoeval.scale.tile"
# Metrics that start at places, and on which networks.
_START_SIDES = {"subg": ("reference",), "opt-g": SIDES}
# What a whole network needs in memory, per segment, with everything that a metric makes of it.
_BYTES_PER_SEGMENT = 2000
_SURVEYED = 0.2


@dataclass(frozen=True)
class _Run:
    """A run: the ground, its tiles, what is to be evaluated there, and the parts that are done, by name."""

    ground: Ground
    tiles: list[Key]
    local: Work
    whole: Work
    fits: bool
    parts: dict[str, bytes] = field(default_factory=dict)


def evaluate_tiled(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    tile_size: float = DEFAULT_TILE_SIZE,
    aoi: tuple[float, float, float, float] | BaseGeometry | None = None,
    **options: Any,
) -> Result:
    """Score a predicted network against a reference, tile by tile; the numbers are those of ``evaluate_roads``.

    Parameters
    ----------
    reference, prediction, aoi
        As for ``evaluate_roads``.
    tile_size, options
        As for ``evaluate_stores``: ``metrics``, ``parameters``, ``preset``, ``seed``, ``workers``, ``scheduler``,
        ``resume``, ``progress``, ``memory``.

    Returns
    -------
    Result
        As ``evaluate_stores`` gives it.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, -400), (450, 400)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 3), (900, 3)]], crs="EPSG:32610")
    >>> tiled = evaluate_tiled(reference, prediction, tile_size=200, metrics="ccq,opt-j")
    >>> tiled.counts == evaluate_roads(reference, prediction, metrics="ccq,opt-j").counts
    True
    """
    networks = [reference, prediction.to_crs(reference.crs)]
    if aoi is not None:
        networks = [network.clip(aoi) for network in networks]
    with TemporaryDirectory(prefix="geoeval-") as folder:
        stores = [
            store_network(Path(folder) / f"{side}.parquet", network)
            for side, network in zip(SIDES, networks, strict=True)
        ]
        result = evaluate_stores(*stores, tile_size=tile_size, crs=reference.crs, **options)
    true, predicted = networks
    return replace(
        result,
        reference=describe(true),
        prediction=describe(predicted),
        area=shapely.box(*aoi) if isinstance(aoi, tuple | list) else aoi,
        networks={"reference": true, "prediction": predicted},
    )


def evaluate_stores(
    reference: Store,
    prediction: Store,
    *,
    tile_size: float = DEFAULT_TILE_SIZE,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: int = 0,
    crs: CRS | None = None,
    aoi: BaseGeometry | None = None,
    shift: tuple[float, float] = (0.0, 0.0),
    workers: int = 1,
    scheduler: str | None = None,
    engine: Engine | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    memory: float | None = None,
) -> Result:
    """Score a prediction against a reference, tile by tile.

    CCQ, JUNCT, OPT-J, SUBG and OPT-G give the counts of the untiled evaluation, to the last one, whatever the size
    and order of the tiles and the number of workers. TLTS, APLS, OPT-P and JUNCT with clusters need whole networks:
    they are evaluated on all of the ground where memory allows, else tile by tile, which the notes say.

    Parameters
    ----------
    reference, prediction
        The networks, in stores that all workers can read.
    tile_size
        Metres.
    metrics, parameters, preset, seed, progress
        As for ``evaluate_roads``.
    crs
        What to evaluate in; by default the metric CRS of the stores, or one that fits the prediction. Where no
        projection is right within 0.1 % everywhere, each tile has its own.
    aoi
        Evaluated area, in ``crs`` (degrees where each tile has its own).
    shift
        Metres east and north by which the prediction is moved first.
    workers, scheduler
        Processes on this machine, or the address of a Dask scheduler.
    engine
        An open engine to be used instead.
    resume
        Folder that keeps finished tiles; a run that was interrupted goes on where it was.
    memory
        Bytes that whole networks may take; by default half of what is free.

    Returns
    -------
    Result
        As ``evaluate_roads`` gives it. Stretches of road that cross the border of a tile are cut there. ``cells`` are
        the tiles with their scores; ``networks`` are not there.

    Notes
    -----
    O(n log n) time for n segments; memory for a tile with its surroundings on each worker and, on the side that
    gathers, for the errors and about a hundred bytes a road.
    """
    chosen = choose_metrics(metrics)
    values = choose_parameters(chosen, parameters, preset)
    check_seed(seed)
    if not (reference.count and prediction.count):
        return _of_empty(reference, prediction, values, seed, crs, aoi)
    common, scale_error = common_projection(reference, prediction, crs)
    ground = Ground(reference.path, prediction.path, Tiling(tile_size, common), aoi, shift)
    local = {name: own for name, own in values.items() if METRICS[name].halo(own) is not None}
    whole = {name: own for name, own in values.items() if name not in local}
    limit = _free_memory() / 2 if memory is None else memory
    fits = common is not None and (reference.count + prediction.count) * _BYTES_PER_SEGMENT <= limit
    facts = {
        "geoeval": __version__,
        "inputs": [digest_of(store.path) for store in (reference, prediction)],
        "projection": None if common is None else common.to_wkt(),
        "area": None if aoi is None else shapely.to_wkb(aoi, hex=True),
        "tile size": tile_size,
        "shift": list(shift),
        "parameters": values,
        "seed": seed,
        "way for whole networks": fits if whole else None,
    }
    folder = run_folder(resume, facts)
    tell = progress or (lambda _fraction, _message: None)
    # The workers start while this process looks for the tiles.
    opened = open_engine(workers, scheduler, prepare=PREPARE) if engine is None else nullcontext(engine)
    with opened as workforce:
        tell(0.0, "finding the tiles")
        tiles = ground.tiles()
        # The largest first, so that no worker is left with one when the others are done.
        order = sorted(tiles, key=lambda key: (-tiles[key], key))
        run = _Run(ground, order, Work(local, seed), Work(whole, seed), fits)
        _work(run, workforce, folder, tell)
    tell(1.0, "adding up")
    return _gather(run, values, seed, scale_error)


def _of_empty(
    reference: Store,
    prediction: Store,
    values: Mapping[str, Mapping[str, Any]],
    seed: int,
    crs: CRS | None,
    aoi: BaseGeometry | None,
) -> Result:
    """The result where a network is empty: there is nothing to compare in tiles."""
    stores = (reference, prediction)
    corners = np.concatenate([_corners(store) for store in stores if store.count] or [np.zeros((1, 2))])
    metric = next((store.crs for store in stores[::-1] if not store.crs.is_geographic), None)
    target = crs or metric or projections.to_metres(corners, projections.WGS84)[1]
    networks = [
        network_of(store.read_all(), crs=store.crs, to_crs=target, source=str(store.facts.get("source", "")))
        for store in stores
    ]
    return evaluate_roads(*networks, metrics=list(values), parameters=values, seed=seed, aoi=aoi)


def _work(run: _Run, engine: Engine, folder: RunFolder | None, tell: Progress) -> None:
    """Do all parts that are not done yet; each is kept as soon as it is there."""
    names = {key: f"{key[0]}_{key[1]}" for key in run.tiles}
    wanted: dict[str, Any] = {}
    if run.whole.values:
        for name, own in run.whole.values.items():
            work = Work({name: own}, run.whole.seed)
            pieces = [None] if run.fits else run.tiles
            for key in pieces:
                wanted[name if key is None else f"{name}_{names[key]}"] = (evaluate_piece, (run.ground, key, work))
    if run.local.values:
        wanted |= {names[key]: None for key in run.tiles}
    run.parts.update(kept_parts(wanted, folder))
    tiles = [key for key in run.tiles if names[key] in wanted and names[key] not in run.parts]
    starts = _starts(run, engine, tell) if tiles else {}
    for key in tiles:
        wanted[names[key]] = (evaluate_tile, (run.ground, key, run.local, starts.get(key, _none(run.local))))
    left = {name: task for name, task in wanted.items() if name not in run.parts}
    run.parts.update(run_parts(left, engine, folder, tell, done=len(run.parts), since=_SURVEYED))


def _none(work: Work) -> dict[str, Given]:
    return {name: Given() for name in work.values if name in _START_SIDES}


def _starts(run: _Run, engine: Engine, tell: Progress) -> dict[Key, dict[str, Given]]:
    """By tile the starts of each metric that has any."""
    found: dict[Key, dict[str, Given]] = {key: _none(run.local) for key in run.tiles}
    systematic = [name for name in _none(run.local) if is_systematic(run.local.values[name]["starts"])]
    for name in _none(run.local):
        if name not in systematic:
            _name_starts(run, name, found)
    if not systematic:
        return found
    sides = tuple(side for side in SIDES if any(side in _START_SIDES[name] for name in systematic))
    surveys: list[dict[str, Survey]] = [{} for _ in run.tiles]
    tasks = [(survey_tile, (run.ground, key, sides)) for key in run.tiles]
    for done, (number, survey) in enumerate(engine.run(tasks), start=1):
        surveys[number] = survey
        tell(_SURVEYED * done / len(tasks), f"{done} of {len(tasks)} tiles surveyed")
    courses = {side: Course([one[side] for one in surveys]) for side in sides}
    for name in systematic:
        totals = {side: courses[side].total for side in _START_SIDES[name]}
        positions = systematic_starts(totals, run.local.values[name]["starts"], _rng(run.local.seed, name))
        before = 0
        for side, own in positions.items():
            for tile, starts in courses[side].starts(own).items():
                given = found[run.tiles[tile]]
                known = given[name].found or dict.fromkeys(_START_SIDES[name], NO_STARTS)
                given[name] = Given({**known, side: starts.numbered_from(before)})
            before += len(own)
    return found


def _name_starts(run: _Run, name: str, found: dict[Key, dict[str, Given]]) -> None:
    """Starts that the user names, each in the tile it lies in."""
    tiling = run.ground.tiling
    if tiling.crs is None:
        raise ParameterError(f"{name}: places to start at need one projection for all tiles; give a number of starts")
    both = len(_START_SIDES[name]) > 1
    rows = list(run.local.values[name]["starts"])
    try:
        # Those on the reference are counted first, as in the metric itself.
        order = sorted(range(len(rows)), key=lambda row: both and rows[row][0] != "reference")
        places = np.array([rows[row][1] if both else rows[row] for row in order], dtype=np.float64).reshape(
            len(rows), 2
        )
    except (TypeError, ValueError, IndexError) as error:
        raise ParameterError(
            f'{name}: the starts are not a list of places; give (x, y), for opt-g ("reference" or "prediction", (x, y))'
        ) from error
    if not rows:
        raise ParameterError(f"{name}: starts is an empty list; give at least one place, or leave it out")
    for number, (row, key) in enumerate(zip(order, tiling.keys(np.round(places, 6)).tolist(), strict=True)):
        near = [(key[0] + dx, key[1] + dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
        tile = next((one for one in near if one in found), None)
        if tile is None:
            x, y = places[number].tolist()
            raise ParameterError(f"{name}: no road is near the start ({x:g}, {y:g}); give places on roads")
        given = found[tile][name]
        found[tile][name] = Given({}, [*given.places, rows[row]], [*given.numbers, number])


def _rng(seed: int, metric: str) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(metric.encode())])


def _gather(run: _Run, values: dict[str, dict[str, Any]], seed: int, scale_error: float | None) -> Result:
    """One result of all parts."""
    ground, tiling = run.ground, run.ground.tiling
    parts = {name: Part.from_bytes(data) for name, data in run.parts.items()}
    scores: dict[str, dict[str, Score]] = {}
    counts: dict[str, dict[str, float]] = {}
    notes: dict[str, str] = {}
    for name in values:
        if name in run.local.values:
            scores[name], counts[name], said = _pooled(name, parts, seed)
        else:
            scores[name], counts[name], said = _of_pieces(name, run, parts)
        notes |= {f"{name}.{score}": note for score, note in said.items()}
    used = sum(any(facts["segments"] for facts in part.inputs.values()) for part in parts.values())
    notes["tiles"] = f"evaluated in {used or len(run.tiles)} tiles of {tiling.size:g} m" + (
        "" if tiling.crs is not None else ", each in its own projection"
    )
    crs = tiling.crs or projections.WGS84
    inputs = {side: add_up([part.inputs[side] for part in parts.values() if part.inputs]) for side in SIDES}
    return Result(
        kind="roads",
        crs=crs,
        scale_error=scale_error,
        seed=seed,
        reference=_describe(ground.store("reference"), inputs["reference"]),
        prediction=_describe(ground.store("prediction"), inputs["prediction"]),
        parameters=values,
        scores=scores,
        counts=counts,
        errors=error_layers([part.errors for part in parts.values() if part.errors is not None], crs),
        notes=notes,
        seconds={name: round(sum(part.seconds.get(name, 0.0) for part in parts.values()), 6) for name in values},
        area=_around(ground, crs) if ground.area is None else ground.area,
        leading=LEADING,
        cells=_cells(run, parts, crs),
    )


def _pooled(
    name: str, parts: Mapping[str, Part], seed: int
) -> tuple[dict[str, Score], dict[str, float], dict[str, str]]:
    """Scores, counts and notes of a metric whose counts add up."""
    module = METRICS[name].module
    if name not in _START_SIDES:
        counts = add_up([part.counts[name] for part in parts.values() if name in part.counts])
        scores, said = module.scores_from_counts(counts)
        return scores, counts, said
    rows = np.concatenate([part.starts[name] for part in parts.values() if name in part.starts])
    rows = rows[np.argsort(rows[:, 0])]
    scores, counts = module.scores_from_starts(rows[:, 2:], int(rows[:, 1].sum()), _rng(seed, name))
    return scores, counts, {}


def _of_pieces(
    name: str, run: _Run, parts: Mapping[str, Part]
) -> tuple[dict[str, Score], dict[str, float], dict[str, str]]:
    """Scores, counts and notes of a metric that needs whole networks: those, or the mean over tiles."""
    if run.fits:
        part = parts[name]
        counts = {count: float(value) for count, value in part.counts[name].items()}
        return part.scores[name], counts, part.notes[name]
    pieces = [part for part in parts.values() if name in part.scores]
    weights = np.array([float(part.lengths["reference"]["length_m"]) for part in pieces])
    scores: dict[str, Score] = {}
    for score in dict.fromkeys(score for part in pieces for score in part.scores[name]):
        values = np.array([part.scores[name].get(score) for part in pieces], dtype=np.float64)
        known = np.isfinite(values) & (weights > 0)
        scores[score] = float(np.average(values[known], weights=weights[known])) if known.any() else None
    why = "evaluated tile by tile, because the whole networks do not fit into memory: the mean of the tiles, by length"
    return scores, {"tiles": len(pieces)}, {METRICS[name].headline: why}


def _describe(store: Store, facts: Mapping[str, float]) -> dict[str, Any]:
    """What a result says of an input."""
    return {
        "source": store.facts.get("source", str(store.path)),
        "nodes": int(facts.get("nodes", 0)),
        "segments": int(facts.get("segments", 0)),
        "length_m": facts.get("length_m", 0.0),
        "sha256": digest_of(store.path),
        "problems": store.facts.get("problems", {}),
    }


def _around(ground: Ground, crs: CRS) -> BaseGeometry:
    """The box around both networks."""
    stores = [ground.store(side) for side in SIDES]
    return shapely.box(*union(box for store in stores for box in box_in(store.bounds, store.crs, crs)))


def _cells(run: _Run, parts: Mapping[str, Part], crs: CRS) -> "gpd.GeoDataFrame":
    """The tiles with their own scores."""
    import geopandas as gpd

    rows = []
    for key in run.tiles:
        part = parts.get(f"{key[0]}_{key[1]}")
        if part is None or not any(facts["segments"] for facts in part.inputs.values()):
            continue
        metres = {
            column: float(part.inputs[side]["length_m"])
            for side, column in zip(SIDES, ("ref_m", "pred_m"), strict=True)
        }
        row: dict[str, Any] = {**metres, "geometry": run.ground.tiling.polygon(key, crs)}
        for name, counts in part.counts.items():
            own = {count: float(value) for count, value in counts.items()}
            if any(own.values()):
                scores = METRICS[name].module.scores_from_counts(own)[0]
                row |= {f"{name}.{score}": np.nan if value is None else value for score, value in scores.items()}
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row if name != "geometry"))
    columns = {name: [row.get(name, np.nan) for row in rows] for name in names or ("ref_m", "pred_m")}
    return gpd.GeoDataFrame(columns, geometry=[row["geometry"] for row in rows], crs=crs)


def common_projection(reference: Placed, prediction: Placed, crs: CRS | None) -> tuple[CRS | None, float | None]:
    """The one projection for all tiles, or ``None`` where none is right everywhere; its error."""
    stores = (reference, prediction)
    if crs is None and not prediction.crs.is_geographic:
        crs = prediction.crs
    if crs is not None and projections.is_local(crs):
        return crs, None
    corners = np.concatenate([_corners(store) for store in stores])
    if crs is not None:
        return crs, projections.scale_error(crs, corners)
    fitting, error = projections.to_metres(_corners(prediction), projections.WGS84)[1:]
    error = max(error or 0.0, projections.scale_error(fitting, corners))
    return (fitting, error) if error <= projections.MAX_SCALE_ERROR else (None, None)


def _corners(store: Placed) -> Any:
    """Places around all that a store holds, in degrees."""
    bounds = store.group_bounds
    corners = np.concatenate([bounds[:, [i, j]] for i in (0, 2) for j in (1, 3)])
    return projections.to_lonlat(corners, store.crs)


def _free_memory() -> float:
    """Bytes of memory that are free on this machine, as far as the system tells."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        return 4e9
