"""Evaluating road networks in tiles from the command line: from files to stores to a result."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval import crs as projections
from geoeval.cli.inputs import read_input
from geoeval.cli.progress import Report
from geoeval.cli.roads import offset_notes
from geoeval.cli.tiles import Tiles
from geoeval.engines import Task, open_engine
from geoeval.exceptions import ParameterError
from geoeval.readers.area import area_in, read_area
from geoeval.readers.network import file_kind
from geoeval.roads.alignment import Offset, estimate_offset
from geoeval.roads.area import MARGIN, smaller_ground
from geoeval.scale.cache import cached_store
from geoeval.scale.evaluate import DEFAULT_TILE_SIZE, PREPARE, common_projection, evaluate_stores
from geoeval.scale.folder import subfolder
from geoeval.scale.ground import SIDES, Ground
from geoeval.scale.store import Store, store_network
from geoeval.scale.tiling import Tiling

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from geoeval.model.result import Result

Floats = NDArray[np.float64]

# Metres around a tile in which the offset of the prediction is looked for.
_AROUND = 50.0
# Segments that a browser can still show.
_DRAWN = 500_000


def evaluate_files(
    reference: str,
    prediction: str,
    *,
    tiles: Tiles,
    crs: str,
    aoi: str | None,
    align: bool,
    draw: bool,
    files: dict[str, dict[str, Any]],
    report: Report,
    **options: Any,
) -> "Result":
    """Evaluate two files in tiles; ``files`` has the reading options of each side.

    With ``draw`` the result has the networks too, unless they are too large to be drawn.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="geoeval-")))
        if tiles.resume is not None:
            folder = subfolder(tiles.resume, "inputs")
        engine = stack.enter_context(open_engine(tiles.workers, tiles.scheduler, prepare=PREPARE))
        report(0.0, "reading")
        tasks: list[Task] = [
            (_store, (file, folder / f"{side}.parquet", files[side]))
            for side, file in zip(SIDES, (reference, prediction), strict=True)
        ]
        # The workers of a cluster may have other disks.
        readers = engine if tiles.scheduler is None else stack.enter_context(open_engine())
        start = perf_counter()
        true, predicted = (store for _, store in sorted(readers.run(tasks)))
        seconds = perf_counter() - start
        common, _ = common_projection(true, predicted, None if crs == "auto" else projections.parse_crs(crs))
        area, note = _area(true, predicted, common, aoi)
        tiling = Tiling(tiles.size or DEFAULT_TILE_SIZE, common)
        ground = Ground(true.path, predicted.path, tiling, area)
        found = _offset(ground)
        shift = (-found.dx, -found.dy) if align and found is not None else (0.0, 0.0)
        if align and common is None:
            raise ParameterError("--align needs one projection for all tiles; evaluate a smaller area with --aoi")
        result = evaluate_stores(
            true, predicted, tile_size=tiling.size, crs=common, aoi=area, shift=shift, engine=engine,
            resume=tiles.resume, progress=lambda fraction, message: report(0.2 + 0.8 * fraction, message), **options,
        )  # fmt: skip
        if draw and common is not None and true.count + predicted.count <= _DRAWN:
            moved = replace(ground, shift=shift)
            result = replace(result, networks={side: moved.network(side, None, common) for side in SIDES})
    result.reference["source"], result.prediction["source"] = reference, prediction
    result.seconds["read"] = round(seconds, 6)
    notes, offset = offset_notes(found, align=align)
    if found is not None:
        notes["offset"] += " (estimated on the tile with most roads)"
    size = "" if area is None or common is None else f", {area.area / 1e6:,.2f} km²"
    return replace(result, notes={"area": f"evaluated on {note}{size}", **notes, **result.notes}, offset=offset)


def _store(file: str, path: Path, options: dict[str, Any]) -> Store:
    """A file as a store: OpenStreetMap streamed, and kept for later runs; anything else for this run."""
    if not file.startswith("osm:") and Path(file).exists() and file_kind(Path(file)) == "osm":
        return cached_store(file, network_type=options["network_type"], crs=options["crs"])
    return store_network(path, read_input(file, **options), overwrite=True)


def _area(reference: Store, prediction: Store, common: Any, aoi: str | None) -> "tuple[BaseGeometry | None, str]":
    """The area to evaluate, by the rule of an untiled evaluation, and how it was found."""
    crs = common or projections.WGS84
    if aoi not in {None, "all"}:
        return read_area(str(aoi), crs), f"--aoi {aoi}"
    if aoi is None and common is not None and reference.count and prediction.count:
        own = smaller_ground(_coverage(reference, common), _coverage(prediction, common))
        if own is not None:
            return own, "the prediction's coverage"
    return None, "all of both inputs"


def _coverage(store: Store, crs: Any) -> "BaseGeometry":
    """The hull of all that a store holds, and a margin around it."""
    outermost = [_outermost(batch.xy.reshape(-1, 2)) for batch in store.batches()]
    hull = shapely.MultiPoint(np.concatenate(outermost)).convex_hull
    if hull.geom_type != "Polygon":
        hull = hull.buffer(1e-6)
    return area_in(hull, crs, aoi_crs=store.crs).convex_hull.buffer(MARGIN)


def _outermost(xy: Floats) -> Floats:
    """The points of a convex hull."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return xy[ConvexHull(xy).vertices]
    except QhullError:  # all on one line
        return xy


def _offset(ground: Ground) -> Offset | None:
    """The offset of the prediction, estimated on the tile with most roads."""
    tiles = ground.tiles()
    key = max(tiles, key=lambda one: (tiles[one], one))
    loaded = ground.load(key, _AROUND)
    return estimate_offset(loaded.networks["reference"], loaded.networks["prediction"])
