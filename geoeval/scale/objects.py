"""Evaluate two maps of objects on disk in tiles: the same numbers as at once, on as many workers as there are."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval._version import __version__
from geoeval.engines import open_engine
from geoeval.evaluation import Progress, check_seed
from geoeval.exceptions import ParameterError
from geoeval.model.objects import ObjectMap
from geoeval.model.result import Result, Score
from geoeval.objects.registry import LEADING, METRICS, REGISTRY
from geoeval.scale.evaluate import common_projection
from geoeval.scale.folder import digest_of
from geoeval.scale.ground import SIDES
from geoeval.scale.object_store import ObjectStore, store_objects
from geoeval.scale.object_tile import ObjectGround, evaluate_object_tile
from geoeval.scale.part import Part, add_up, error_layers
from geoeval.scale.running import kept_parts, run_folder, run_parts
from geoeval.scale.tiling import Key, Tiling, box_in, union

if TYPE_CHECKING:
    import geopandas as gpd

DEFAULT_TILE_SIZE = 2000.0


def evaluate_objects_tiled(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    tile_size: float = DEFAULT_TILE_SIZE,
    aoi: tuple[float, float, float, float] | BaseGeometry | None = None,
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

    Examples
    --------
    >>> from geoeval import ObjectMap, evaluate_objects
    >>> reference = ObjectMap.from_polygons([shapely.box(0, 0, 90, 10), shapely.box(0, 50, 8, 58)], crs="EPSG:32616")
    >>> prediction = ObjectMap.from_polygons([shapely.box(2, 0, 95, 10)], crs="EPSG:32616")
    >>> tiled = evaluate_objects_tiled(reference, prediction, tile_size=20)
    >>> tiled.scores == evaluate_objects(reference, prediction).scores
    True
    """
    area = shapely.box(*aoi) if isinstance(aoi, tuple | list) else aoi
    with TemporaryDirectory(prefix="geoeval-") as folder:
        stores = [
            store_objects(Path(folder) / f"{side}.parquet", objects)
            for side, objects in zip(SIDES, (reference, prediction), strict=True)
        ]
        return evaluate_object_stores(*stores, tile_size=tile_size, crs=reference.crs, aoi=area, **options)


def evaluate_object_stores(
    reference: ObjectStore,
    prediction: ObjectStore,
    *,
    tile_size: float = DEFAULT_TILE_SIZE,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    crs: CRS | None = None,
    aoi: BaseGeometry | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score predicted objects against a reference, tile by tile.

    All metrics give the counts and scores of the untiled evaluation, to the last digit, whatever the size and order of
    the tiles and the number of workers: objects that overlap, directly or by others, are held together.

    Parameters
    ----------
    reference, prediction
        The objects, in stores that all workers can read.
    tile_size
        Metres.
    metrics, parameters, progress
        As for ``evaluate_objects``.
    seed
        There is no chance in these metrics; it is kept in the result.
    crs
        What to evaluate in; by default the prediction's, if it is right within 0.1 % everywhere. Where it is not, each
        tile has its own projection.
    aoi
        Evaluated area, in ``crs`` (degrees where each tile has its own).
    workers, scheduler
        Processes on this machine, or the address of a Dask scheduler.
    resume
        Folder that keeps finished tiles; a run that was interrupted goes on where it was.

    Returns
    -------
    Result
        As ``evaluate_objects`` gives it, but ``errors`` are those of ``Result.map_errors``: each object once. ``cells``
        are the tiles with their scores; there are no ``networks`` and ``details``. Empty maps give what they give
        untiled.

    Raises
    ------
    ParameterError
        Both maps are images on the same pixels, which are compared by counting pixels, all at once.

    Notes
    -----
    O(n log n) time for n objects in small components; memory for a tile with its surroundings on each worker and, on
    the side that gathers, for the errors.
    """
    values = REGISTRY.choose_parameters(REGISTRY.choose_metrics(metrics), parameters)
    check_seed(seed)
    grids = [store.facts.get("grid") for store in (reference, prediction)]
    if grids[0] is not None and grids[0] == grids[1]:
        raise ParameterError("two images on the same pixels are not evaluated in tiles; leave the tile size out")
    common, scale_error = projection_of(reference, prediction, crs)
    ground = ObjectGround(reference.path, prediction.path, Tiling(tile_size, common), aoi)
    tell = progress or (lambda _fraction, _message: None)
    tell(0.0, "finding the tiles")
    tiles = {f"{key[0]}_{key[1]}": key for key in ground.tiles() or [(0, 0)]}
    facts = {
        "geoeval": __version__,
        "kind": "objects",
        "inputs": [digest_of(store.path) for store in (reference, prediction)],
        "projection": None if common is None else common.to_wkt(),
        "area": None if aoi is None else shapely.to_wkb(aoi, hex=True),
        "tile size": tile_size,
        "parameters": values,
    }
    folder = run_folder(resume, facts)
    parts = kept_parts(tiles, folder)
    tasks = {name: (evaluate_object_tile, (ground, key, values)) for name, key in tiles.items() if name not in parts}
    with open_engine(workers, scheduler, prepare="geoeval.scale.object_tile") as engine:
        parts |= run_parts(tasks, engine, folder, tell, done=len(parts))
    tell(1.0, "adding up")
    return _gather(ground, tiles, {name: Part.from_bytes(parts[name]) for name in tiles}, values, seed, scale_error)


def projection_of(reference: ObjectStore, prediction: ObjectStore, crs: CRS | None) -> tuple[CRS | None, float | None]:
    """The one projection for all tiles, or ``None`` where none is right everywhere; its error."""
    full = [store for store in (reference, prediction) if store.count]
    if not full:
        return crs or prediction.crs, None if projections.is_local(crs or prediction.crs) else 0.0
    common, error = common_projection(full[0], full[-1], crs)
    if crs is None and error is not None and error > projections.MAX_SCALE_ERROR:
        return None, None
    return common, error


def _gather(
    ground: ObjectGround,
    tiles: Mapping[str, Key],
    parts: Mapping[str, Part],
    values: dict[str, dict[str, Any]],
    seed: int,
    scale_error: float | None,
) -> Result:
    """One result of all parts, which come in the order of the tiles."""
    scores: dict[str, dict[str, Score]] = {}
    counts: dict[str, dict[str, float]] = {}
    own = ground.tiling.crs is None
    notes = {
        "tiles": f"evaluated in {len(tiles)} tiles of {ground.tiling.size:g} m"
        + (", each in its own projection" if own else "")
    }
    for name, parameters in values.items():
        counts[name] = add_up([part.counts[name] for part in parts.values()])
        scores[name], said = _scores(name, counts[name], parts.values(), parameters)
        notes |= {f"{name}.{score}": note for score, note in said.items()}
    described = {side: _describe(ground.store(side), [part.inputs[side] for part in parts.values()]) for side in SIDES}
    tables = [part.errors for part in parts.values() if part.errors is not None]
    return Result(
        kind="objects",
        crs=ground.crs,
        scale_error=scale_error,
        seed=seed,
        **described,
        parameters=values,
        scores=scores,
        counts=counts,
        errors=error_layers(tables, ground.crs),
        notes=notes,
        seconds={name: round(sum(part.seconds[name] for part in parts.values()), 6) for name in values},
        area=ground.area if ground.area is not None else _around(ground),
        leading=dict(LEADING),
        cells=_cells(ground, tiles, parts),
    )


def _scores(
    name: str, counts: dict[str, float], parts: Iterable[Part], values: Mapping[str, Any]
) -> tuple[dict[str, Score], dict[str, str]]:
    """Scores and notes of a metric from what all tiles give together."""
    module = METRICS[name].module
    rows = [part.rows[name] for part in parts if name in part.rows]
    if rows:
        scores, notes = module.scores_from_rows(counts, np.concatenate([one.reshape(-1, 3) for one in rows]), **values)
    else:
        scores, notes = module.scores_from_counts(counts)
    return scores, notes


def _describe(store: ObjectStore, facts: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What a result says of an input."""
    total = add_up(facts)
    found = {name: int(total[name]) for name in ("cut_objects", "overlapping_pairs") if total[name]}
    return {
        "source": store.facts.get("source", str(store.path)),
        "objects": int(total["objects"]),
        "area_m2": total["area_m2"],
        "sha256": store.facts.get("sha256", ""),
        "problems": store.facts.get("problems", {}) | found,
    }


def _around(ground: ObjectGround) -> BaseGeometry | None:
    """The box around both maps."""
    stores = [store for store in map(ground.store, SIDES) if store.count]
    boxes = [box for store in stores for box in box_in(store.bounds, store.crs, ground.crs)]
    return shapely.box(*union(boxes)) if boxes else None


def _cells(ground: ObjectGround, tiles: Mapping[str, Key], parts: Mapping[str, Part]) -> "gpd.GeoDataFrame":
    """The tiles that have objects, with their own scores."""
    import geopandas as gpd

    rows, squares = [], []
    for name, part in parts.items():
        numbers = [float(part.inputs[side]["objects"]) for side in SIDES]
        if not any(numbers):
            continue
        row = dict(zip(("ref_n", "pred_n"), numbers, strict=True))
        for metric, counts in part.counts.items():
            own = {count: float(value) for count, value in counts.items()}
            if any(own.values()):
                scores = METRICS[metric].module.scores_from_counts(own)[0]
                row |= {f"{metric}.{score}": np.nan if value is None else value for score, value in scores.items()}
        rows.append(row)
        squares.append(ground.tiling.polygon(tiles[name], ground.crs))
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["ref_n", "pred_n"]
    columns = {name: [row.get(name, np.nan) for row in rows] for name in names}
    return gpd.GeoDataFrame(columns, geometry=squares, crs=ground.crs)
