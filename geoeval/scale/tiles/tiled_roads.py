"""Evaluate two road networks on disk in tiles: the numbers of an evaluation at once, on any number of workers."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from pyproj import CRS

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.contents import SIDES
from geoeval.engines import Engine, open_engine
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress, cut_to, extent_of, warn_of_empty
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.decide import with_decided_errors
from geoeval.roads.content import CONTENT as ROADS
from geoeval.roads.content import describe
from geoeval.roads.evaluate import evaluate_roads
from geoeval.roads.registry import METRICS, choose_metrics, choose_parameters
from geoeval.scale.store.road_store import Store, store_network
from geoeval.scale.tiles.gathering import Scored, TiledContent, gather_parts
from geoeval.scale.tiles.memory import available_memory, check_memory
from geoeval.scale.tiles.part import Part, totals
from geoeval.scale.tiles.projection import area_of, common_projection, corners_of
from geoeval.scale.tiles.road_causes import with_errors_decided_in_tiles
from geoeval.scale.tiles.road_pair import RoadPair
from geoeval.scale.tiles.road_starts import starts_of_parts
from geoeval.scale.tiles.road_tile import TileWork, evaluate_part, evaluate_whole
from geoeval.scale.tiles.run_folder import RunFolder
from geoeval.scale.tiles.running import kept_parts, parts_of, run_folder, run_parts
from geoeval.scale.tiles.tiling import Key, Tiling
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    from geoeval.model.scores import ScoreValue

WholeNetworks = Literal["together", "tiles"]

# The module that workers load before their first task.
PREPARE = "geoeval.scale.tiles.road_tile"
# Share of the progress after which the tiles are surveyed.
_SURVEYED = 0.2
# Share of the progress after which all metrics are evaluated, where errors are decided then.
_EVALUATED = 0.8
_ROADS = TiledContent("roads", METRICS, "length_m", ("ref_m", "pred_m"))


@dataclass(frozen=True)
class _Run:
    """A run: what is evaluated, in which tiles, and why metrics on whole networks go tile by tile, if they do."""

    pair: RoadPair
    tiles: dict[Key, int]
    parts: dict[str, tuple[Key, ...]]
    local: TileWork
    whole: TileWork
    why_apart: str | None

    @property
    def segments(self) -> int:
        """About how many segments are evaluated; those of tiles that reach beyond the area count too."""
        stored = sum(self.pair.store(side).count for side in SIDES)
        return stored if self.pair.area is None else min(stored, sum(self.tiles.values()))


def evaluate_tiled(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    tile_size: float = ROADS.tile_size,
    aoi: Any = None,
    **options: Any,
) -> Result:
    """Score a predicted network against a reference, tile by tile; the numbers are those of ``evaluate_roads``.

    Parameters
    ----------
    reference, prediction, aoi
        As for ``evaluate_roads``.
    tile_size, options
        As for ``evaluate_stores``: ``metrics``, ``parameters``, ``preset``, ``seed``, ``workers``, ``scheduler``,
        ``resume``, ``progress``, ``whole_networks``.

    Returns
    -------
    Result
        As ``evaluate_stores`` gives it, with both networks in ``inputs``.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, evaluate_tiled
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, -400), (450, 400)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 3), (900, 3)]], crs="EPSG:32610")
    >>> tiled = evaluate_tiled(reference, prediction, tile_size=200, metrics="ccq,opt-j")
    >>> tiled.counts == evaluate_roads(reference, prediction, metrics="ccq,opt-j").counts
    True
    """
    prediction = prediction.to_crs(reference.crs)
    area = None
    if aoi is not None:
        area = area_in(aoi, reference.crs, near=extent_of(reference, prediction))
        reference, prediction = cut_to(area, reference, prediction)
    networks = dict(zip(SIDES, (reference, prediction), strict=True))
    with TemporaryDirectory(prefix="geoeval-") as folder:
        stores = [store_network(Path(folder) / f"{side}.parquet", network) for side, network in networks.items()]
        result = evaluate_stores(*stores, tile_size=tile_size, crs=reference.crs, **options)
    return replace(
        result,
        reference=describe(reference),
        prediction=describe(prediction),
        area=area,
        inputs=networks,
    )


def evaluate_stores(
    reference: Store,
    prediction: Store,
    *,
    tile_size: float = ROADS.tile_size,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: Seed = 0,
    rng: Seed | None = None,
    crs: CRS | None = None,
    aoi: Any = None,
    shift: tuple[float, float] = (0.0, 0.0),
    workers: int = 1,
    scheduler: str | None = None,
    engine: Engine | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    whole_networks: WholeNetworks = "together",
    decide: bool = False,
) -> Result:
    """Score a prediction against a reference, tile by tile.

    CCQ, JUNCT, OPT-J, SUBG and OPT-G give the counts of the untiled evaluation, to the last one, whatever the size
    and order of the tiles and the number of workers. TLTS, APLS, OPT-P, and JUNCT with clusters, need whole networks:
    ``whole_networks`` says how they are evaluated. The numbers do not depend on the machine.

    Parameters
    ----------
    reference, prediction
        The networks, in stores that all workers can read.
    tile_size
        Metres.
    metrics, parameters, preset, seed, rng, progress
        As for ``evaluate_roads``.
    crs
        What to measure in; by default the prediction's own CRS where it is in metres, else a projection that fits
        the prediction. Where none is right within 0.1 % on all of the evaluated ground, each tile has its own.
    aoi
        The area to evaluate, in ``crs``; without ``crs`` as in ``geoeval.area``, in degrees or in the CRS of the
        prediction. Roads outside of it are not read.
    shift
        Metres east and north by which the prediction is moved first.
    workers, scheduler
        Processes on this machine, or the address of a Dask scheduler.
    engine
        An open engine to use instead.
    resume
        Folder that keeps finished tiles; an interrupted run goes on where it was.
    whole_networks
        For metrics that need whole networks: ``"together"`` evaluates them on all roads at once, as an untiled
        evaluation does, ``"tiles"`` tile by tile, which takes less memory and gives the mean of the tiles, weighted
        by the length of the reference. Where each tile has its own projection they always go tile by tile.
    decide
        Whether to decide on one error for each place, of its cause, as ``evaluate`` does; see ``road_causes``.

    Returns
    -------
    Result
        As ``evaluate_roads`` gives it. Stretches of road that cross the border of a tile are cut there. ``cells`` are
        the tiles with their scores; there are no ``inputs`` and ``details``.

    Raises
    ------
    EmptyInputError
        Nothing of either network lies in the area.
    ParameterError
        An option makes no sense, or whole networks do not fit into memory.

    Notes
    -----
    O(n log n) time for n segments; memory for a tile with its surroundings on each worker and, where the parts are
    put together, for the errors and about a hundred bytes per road. Whole networks take about 1 kB per segment.
    """
    chosen = choose_metrics(metrics)
    values = choose_parameters(chosen, parameters, preset)
    seed = whole_seed(seed, rng)
    if whole_networks not in get_args(WholeNetworks):
        raise ParameterError(f'whole_networks is {whole_networks!r}; give "together" or "tiles"')
    area, area_crs = area_of(aoi, crs, prediction)
    common, scale_error = common_projection(reference, prediction, crs, area, area_crs)
    if area is not None:
        area = area_in(area, common or projections.WGS84, aoi_crs=area_crs)
    pair = RoadPair(reference.path, prediction.path, Tiling(tile_size, common), area, shift)
    empty = [side for side in SIDES if pair.is_empty(side)]
    if area is not None:
        warn_of_empty(empty)
    if empty:
        result = _of_empty(pair, values, seed, scale_error)
        return with_decided_errors(result) if decide else result
    whole = {name: own for name, own in values.items() if METRICS[name].reach(own) is None}
    local = {name: own for name, own in values.items() if name not in whole}
    # Nothing here depends on the machine, so that a run can be continued on another one.
    how = {
        "shift": list(shift),
        "parameters": values,
        "seed": seed,
        "whole networks": whole_networks if whole else None,
    }
    folder = run_folder(resume, pair, **how)
    tell = progress or (lambda _fraction, _message: None)
    # The workers start while this process looks for the tiles.
    opened = open_engine(workers, scheduler, prepare=PREPARE) if engine is None else nullcontext(engine)
    with opened as workforce:
        tell(0.0, "finding the tiles")
        # The largest first, so that no worker is left with one when the others are done.
        tiles = dict(sorted(pair.tiles().items(), key=lambda item: (-item[1], item[0])))
        run = _Run(
            pair, tiles, parts_of(tiles, pair.tiling), TileWork(local, seed), TileWork(whole, seed),
            _why_apart(common, whole_networks),
        )  # fmt: skip
        share = _EVALUATED if decide else 1.0
        parts = _work(run, workforce, folder, lambda done, said: tell(share * done, said))
        tell(share, "adding up")
        result = _gather(run, parts, parameters=values, seed=seed, scale_error=scale_error)
        if decide:
            result = with_errors_decided_in_tiles(
                result, pair, run.parts, workforce, folder, lambda done, said: tell(share + (1 - share) * done, said)
            )
    return result


def _why_apart(common: CRS | None, whole_networks: WholeNetworks) -> str | None:
    """Why metrics that need whole networks go tile by tile, if they do."""
    if common is None:
        return "no projection is right for all tiles"
    return "as asked for" if whole_networks == "tiles" else None


def _of_empty(pair: RoadPair, values: Mapping[str, Mapping[str, Any]], seed: int, scale_error: float | None) -> Result:
    """The result where nothing of a network is evaluated: there is nothing to compare in tiles."""
    crs = pair.tiling.crs
    if crs is None:
        _, crs, scale_error = projections.to_metres(corners_of(*map(pair.store, SIDES)), projections.WGS84)
    networks = [pair.network(side, None, crs) for side in SIDES]
    result = evaluate_roads(*networks, metrics=list(values), parameters=values, seed=seed)
    area = None if pair.area is None else area_in(pair.area, crs, aoi_crs=pair.crs)
    return replace(result, area=area, scale_error=scale_error)


def _work(run: _Run, engine: Engine, folder: RunFolder | None, tell: Progress) -> dict[str, Part]:
    """All parts by name; those that are not kept from an earlier run are made now."""
    pieces = {"": None} if run.why_apart is None else {f"_{column}_{row}": (column, row) for column, row in run.tiles}
    wholes = {
        f"{metric}{suffix}": (evaluate_whole, (run.pair, key, TileWork({metric: own}, run.whole.seed)))
        for metric, own in run.whole.values.items()
        for suffix, key in pieces.items()
    }
    done = kept_parts([*wholes, *run.parts], folder)
    tasks: dict[str, Any] = {name: task for name, task in wholes.items() if name not in done}
    if tasks and run.why_apart is None:
        [(_, available)] = engine.run([(available_memory, ())])
        check_memory(run.segments, available, run.whole.values)
    left = {name: tiles for name, tiles in run.parts.items() if name not in done}
    if left:
        starts = starts_of_parts(
            run.pair, run.parts, run.local, engine, lambda share, said: tell(_SURVEYED * share, said)
        )
        tasks |= {name: (evaluate_part, (run.pair, tiles, run.local, starts[name])) for name, tiles in left.items()}
    made = run_parts(tasks, engine, folder, tell, done=len(done), since=_SURVEYED)
    return {name: Part.from_bytes(data) for name, data in (done | made).items()}


def _gather(run: _Run, parts: Mapping[str, Part], **facts: Any) -> Result:
    """One result of all parts."""
    ours = [parts[name] for name in run.parts]
    others = [part for part in parts.values() if part.scores]
    scored = {
        name: _pooled(name, ours, run.local.values[name])
        if name in run.local.values
        else _on_whole_networks(name, run, [part for part in others if name in part.scores])
        for name in facts["parameters"]
    }
    return gather_parts(_ROADS, run.pair, list(run.tiles), [*ours, *others], scored, **facts)


def _pooled(name: str, parts: Iterable[Part], values: Mapping[str, Any]) -> Scored:
    """What a metric gives whose counts add up."""
    metric, parts = METRICS[name], [part for part in parts if name in part.counts]
    if metric.counting != "starts":
        counts = totals(part.counts[name] for part in parts)
        scores, notes = metric.scores_of(counts, {})
        return Scored(scores, counts, notes)
    rows = np.concatenate([part.starts[name] for part in parts])
    rows = rows[np.argsort(rows[:, 0])]
    assert metric.scores_from_starts is not None
    scores, counts = metric.scores_from_starts(rows[:, 2:], int(rows[:, 1].sum()), values["starts"])
    return Scored(scores, counts, {})


def _on_whole_networks(name: str, run: _Run, parts: list[Part]) -> Scored:
    """What a metric gives that needs whole networks: its one part, or the mean over tiles."""
    if run.why_apart is None:
        [part] = parts
        counts = {count: float(value) for count, value in part.counts[name][None].items()}
        return Scored(part.scores[name], counts, part.notes[name])
    weights = np.array([float(part.lengths["reference"]["length_m"]) for part in parts])
    scores: dict[str, ScoreValue] = {}
    for score in dict.fromkeys(score for part in parts for score in part.scores[name]):
        values = np.array([part.scores[name].get(score) for part in parts], dtype=np.float64)
        defined = np.isfinite(values) & (weights > 0)
        scores[score] = float(np.average(values[defined], weights=weights[defined])) if defined.any() else None
    note = f"evaluated tile by tile, {run.why_apart}: the mean of the tiles, weighted by the length of the reference"
    return Scored(scores, {"tiles": len(parts)}, {METRICS[name].headline: note})
