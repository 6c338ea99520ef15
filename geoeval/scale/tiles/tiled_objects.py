"""Evaluate two maps of objects on disk in tiles: the numbers of an evaluation at once, on any number of workers."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyproj import CRS

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.contents import SIDES
from geoeval.engines import Engine, open_engine
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress, cut_to, extent_of, warn_of_empty
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.objects.content import CONTENT as OBJECTS
from geoeval.objects.registry import METRICS, REGISTRY
from geoeval.scale.store.object_store import ObjectStore, store_objects
from geoeval.scale.tiles.gathering import Scored, TiledContent, gather_parts
from geoeval.scale.tiles.object_pair import ObjectPair
from geoeval.scale.tiles.object_tile import evaluate_object_part
from geoeval.scale.tiles.part import Part, totals
from geoeval.scale.tiles.projection import area_of, common_projection
from geoeval.scale.tiles.running import kept_parts, parts_of, run_folder, run_parts
from geoeval.scale.tiles.tiling import Tiling
from geoeval.seeds import Seed, whole_seed

# The module that workers load before their first task.
PREPARE = "geoeval.scale.tiles.object_tile"
_OBJECTS = TiledContent("objects", METRICS, "objects", ("ref_n", "pred_n"))


def evaluate_objects_tiled(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    tile_size: float = OBJECTS.tile_size,
    aoi: Any = None,
    **options: Any,
) -> Result:
    """Score predicted objects against a reference, tile by tile; the numbers are those of ``evaluate_objects``.

    Parameters
    ----------
    reference, prediction, aoi
        As for ``evaluate_objects``.
    tile_size, options
        As for ``evaluate_object_stores``: ``metrics``, ``parameters``, ``workers``, ``scheduler``, ``resume``,
        ``progress``.

    Returns
    -------
    Result
        As ``evaluate_object_stores`` gives it, with both maps in ``inputs``.

    Examples
    --------
    >>> import shapely
    >>> from geoeval import ObjectMap, evaluate_objects, evaluate_objects_tiled
    >>> reference = ObjectMap.from_polygons([shapely.box(0, 0, 90, 10), shapely.box(0, 50, 8, 58)], crs="EPSG:32616")
    >>> prediction = ObjectMap.from_polygons([shapely.box(2, 0, 95, 10)], crs="EPSG:32616")
    >>> tiled = evaluate_objects_tiled(reference, prediction, tile_size=20)
    >>> tiled.scores == evaluate_objects(reference, prediction).scores
    True
    """
    prediction = prediction.to_crs(reference.crs)
    area = None
    if aoi is not None:
        area = area_in(aoi, reference.crs, near=extent_of(reference, prediction))
        reference, prediction = cut_to(area, reference, prediction)
    maps = dict(zip(SIDES, (reference, prediction), strict=True))
    with TemporaryDirectory(prefix="geoeval-") as folder:
        stores = [store_objects(Path(folder) / f"{side}.parquet", objects) for side, objects in maps.items()]
        result = evaluate_object_stores(*stores, tile_size=tile_size, crs=reference.crs, **options)
    return replace(
        result,
        area=area,
        inputs=maps,
    )


def evaluate_object_stores(
    reference: ObjectStore,
    prediction: ObjectStore,
    *,
    tile_size: float = OBJECTS.tile_size,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    seed: Seed = 0,
    rng: Seed | None = None,
    crs: CRS | None = None,
    aoi: Any = None,
    workers: int = 1,
    scheduler: str | None = None,
    engine: Engine | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score predicted objects against a reference, tile by tile.

    All metrics give the counts and scores of the untiled evaluation, to the last digit, whatever the size and order of
    the tiles and the number of workers: objects that overlap, directly or through others, are held together.

    Parameters
    ----------
    reference, prediction
        The objects, in stores that all workers can read.
    tile_size
        Metres.
    metrics, parameters, progress
        As for ``evaluate_objects``.
    seed, rng
        Kept in the result; these metrics draw no random numbers.
    crs
        What to measure in; by default the prediction's own CRS. Where that is not right within 0.1 % on all of the
        evaluated ground, each tile has its own projection.
    aoi
        The area to evaluate, in ``crs``; without ``crs`` as in ``geoeval.area``, in degrees or in the CRS of the
        prediction.
    workers, scheduler
        Processes on this machine, or the address of a Dask scheduler.
    engine
        An open engine to use instead.
    resume
        Folder that keeps finished tiles; an interrupted run goes on where it was.

    Returns
    -------
    Result
        As ``evaluate_objects`` gives it, but ``errors`` are those of ``Result.map_errors``: each object once. ``cells``
        are the tiles with their scores; there are no ``inputs`` and ``details``. Empty maps score as they do untiled.

    Raises
    ------
    EmptyInputError
        Nothing of either map lies in the area.
    ParameterError
        Both maps are images on the same pixels, which are compared by counting pixels, all at once.

    Notes
    -----
    O(n log n) time for n objects in small components; memory for a tile with its surroundings on each worker and,
    where the parts are put together, for the errors.
    """
    values = REGISTRY.choose_parameters(REGISTRY.choose_metrics(metrics), parameters)
    seed = whole_seed(seed, rng)
    grids = [store.facts.get("grid") for store in (reference, prediction)]
    if grids[0] is not None and grids[0] == grids[1]:
        raise ParameterError("two images on the same pixels are not evaluated in tiles; leave the tile size out")
    area, area_crs = area_of(aoi, crs, prediction)
    common, scale_error = common_projection(reference, prediction, crs, area, area_crs, trust_metric=False)
    if area is not None:
        area = area_in(area, common or projections.WGS84, aoi_crs=area_crs)
    pair = ObjectPair(reference.path, prediction.path, Tiling(tile_size, common), area)
    folder = run_folder(resume, pair, kind="objects", parameters=values)
    tell = progress or (lambda _fraction, _message: None)
    opened = open_engine(workers, scheduler, prepare=PREPARE) if engine is None else nullcontext(engine)
    with opened as workforce:
        tell(0.0, "finding the tiles")
        tiles = pair.tiles() or {(0, 0): 0}
        groups = parts_of(tiles, pair.tiling)
        done = kept_parts(groups, folder)
        tasks = {name: (evaluate_object_part, (pair, own, values)) for name, own in groups.items() if name not in done}
        data = done | run_parts(tasks, workforce, folder, tell, done=len(done))
    tell(1.0, "adding up")
    parts = [Part.from_bytes(data[name]) for name in groups]
    scored = {name: _scored(name, parts, own) for name, own in values.items()}
    facts: dict[str, Any] = {"parameters": values, "seed": seed, "scale_error": scale_error}
    result = gather_parts(_OBJECTS, pair, list(tiles), parts, scored, **facts)
    if area is not None:
        warn_of_empty([side for side in SIDES if not getattr(result, side)["objects"]])
    return result


def _scored(name: str, parts: list[Part], values: Mapping[str, Any]) -> Scored:
    """What all tiles together give for a metric."""
    counts = totals(part.counts[name] for part in parts)
    rows = [part.rows[name].reshape(-1, 3) for part in parts if name in part.rows]
    scores, notes = METRICS[name].scores_together(counts, rows, values)
    return Scored(scores, counts, notes)
