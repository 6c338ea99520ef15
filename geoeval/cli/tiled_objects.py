"""Evaluating objects in tiles from the command line: two maps become stores, and these a result."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from geoeval import crs as projections
from geoeval.cli.tiles import Tiles
from geoeval.readers.area import area_in
from geoeval.scale.folder import subfolder
from geoeval.scale.ground import SIDES
from geoeval.scale.object_store import store_objects
from geoeval.scale.objects import DEFAULT_TILE_SIZE, evaluate_object_stores, projection_of

if TYPE_CHECKING:
    from geoeval.cli.inputs import Pair
    from geoeval.model.objects import ObjectMap
    from geoeval.model.result import Result


def evaluate_pair_in_tiles(pair: "Pair[ObjectMap]", tiles: Tiles, *, crs: str, **options: Any) -> "Result":
    """Evaluate two maps that were brought together, in tiles."""
    with TemporaryDirectory(prefix="geoeval-") as temporary:
        folder = Path(temporary) if tiles.resume is None else subfolder(tiles.resume, "inputs")
        true, predicted = (
            store_objects(folder / f"{side}.parquet", objects, overwrite=True)
            for side, objects in zip(SIDES, (pair.reference, pair.prediction), strict=True)
        )
        common, _ = projection_of(true, predicted, None if crs == "auto" else pair.reference.crs)
        area = pair.area
        if area is not None and common is None:
            area = area_in(area, projections.WGS84, aoi_crs=pair.reference.crs)
        return evaluate_object_stores(
            true, predicted, tile_size=tiles.size or DEFAULT_TILE_SIZE, crs=common, aoi=area, workers=tiles.workers,
            scheduler=tiles.scheduler, resume=tiles.resume, **options,
        )  # fmt: skip
