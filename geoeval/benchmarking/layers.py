"""The errors of all places as map layers: each row says of which place and method it is."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import shapely

from geoeval import crs as projections
from geoeval.benchmarking.outcome import Outcome
from geoeval.crs import WGS84, from_name, is_local, to_lonlat
from geoeval.model.result import Result
from geoeval.scale.tiles.tile_errors import error_layers
from geoeval.writers.layers import write_layers

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

    from geoeval.benchmarking.result import Benchmark


def write_error_layers(found: "Benchmark", made: Path, layer_format: str) -> None:
    """Write the errors of all places and the places themselves to ``errors``.

    Places on Earth lie where they are, in their CRS where they share one, else in degrees. Places in pixels have
    nothing in common but their corner: they lie on top of each other, and ``place`` tells them apart; beside places on
    Earth they are in ``errors_px``.
    """
    drawn = [outcome for outcome in found.outcomes if outcome.crs and found.counted_as(outcome) != "left out"]
    local = [outcome for outcome in drawn if is_local(from_name(outcome.crs))]
    placed = [outcome for outcome in drawn if not is_local(from_name(outcome.crs))]
    for name, outcomes in (("errors", placed or local), ("errors_px", local if placed else [])):
        if outcomes:
            _write(found, outcomes, made / name, layer_format)


def _write(found: "Benchmark", outcomes: Sequence[Outcome], folder: Path, layer_format: str) -> None:
    names = sorted({outcome.crs for outcome in outcomes})
    common = from_name(names[0]) if len(names) == 1 else WGS84
    tables = [table for outcome in outcomes if (table := _table(outcome, common)) is not None]
    frames = _as_text(error_layers(tables, common))
    extents = [_box(outcome, common) for outcome in outcomes if outcome.extent is not None]
    whole = shapely.total_bounds(np.array(extents, dtype=object)) if extents else None
    result = Result(
        kind=found.ruler.kind, crs=common, scale_error=None, seed=found.ruler.seed, reference={}, prediction={},
        parameters={}, scores={}, counts={}, errors=frames, notes={}, seconds={}, decided=frames,
        extent=None if whole is None else tuple(whole.tolist()),
    )  # fmt: skip
    write_layers(result, folder, format=layer_format, grid=_places(found, outcomes, common))


def _table(outcome: Outcome, common: "CRS") -> pa.Table | None:
    """The errors of a place with its name, in the common CRS."""
    table = outcome.table
    if table is None or table.num_rows == 0:
        return None
    own = from_name(outcome.crs)
    if own != common:
        shapes = shapely.from_wkb(table["geometry"].to_numpy(zero_copy_only=False))
        moved = shapely.transform(shapes, lambda xy: _brought(xy, own, common))
        column = table.column_names.index("geometry")
        table = table.set_column(column, "geometry", pa.array(list(shapely.to_wkb(moved)), type=pa.binary()))
    for name, value in (("place", outcome.place), ("method", outcome.method)):
        table = table.append_column(name, pa.array([value] * table.num_rows, type=pa.string()))
    return table


def _as_text(frames: "dict[str, gpd.GeoDataFrame]") -> "dict[str, gpd.GeoDataFrame]":
    """The frames with place and method in front."""
    first = ("place", "method")
    return {
        name: frame[[*(one for one in first if one in frame), *(one for one in frame.columns if one not in first)]]
        for name, frame in frames.items()
    }


def _places(found: "Benchmark", outcomes: Sequence[Outcome], common: "CRS") -> "gpd.GeoDataFrame":
    """A rectangle around each place, with its scores."""
    import geopandas as gpd
    import pandas as pd

    rows: list[dict[str, Any]] = []
    boxes = []
    for outcome in outcomes:
        if outcome.extent is not None:
            values = {name: np.nan if value is None else float(value) for name, value in outcome.values()}
            rows.append({"place": outcome.place, "method": outcome.method, **values})
            boxes.append(_box(outcome, common))
    names = [f"{metric.name}.{score.name}" for metric in found.metrics for score in metric.scores]
    table = pd.DataFrame(rows, columns=["place", "method", *names])
    return gpd.GeoDataFrame(table, geometry=boxes, crs=common)


def _box(outcome: Outcome, common: "CRS") -> shapely.Polygon:
    assert outcome.extent is not None
    own, box = from_name(outcome.crs), shapely.box(*outcome.extent)
    return box if own == common else shapely.transform(box, lambda xy: _brought(xy, own, common))


def _brought(xy: Any, own: "CRS", common: "CRS") -> Any:
    return to_lonlat(xy, own) if common == WGS84 else projections.transform(xy, own, common)
