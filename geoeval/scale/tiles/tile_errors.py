"""The errors of tiles: chosen, brought into common coordinates, and put together as layers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import shapely

from geoeval.arrays import Ints, Objects
from geoeval.crs import to_lonlat
from geoeval.model.features import GEOMETRY_TYPES, ErrorFeatures
from geoeval.scale.tiles.tiling import Key, Tiling, positions_of

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

_TEXT = ErrorFeatures.TEXT


def taken(errors: ErrorFeatures, rows: Ints, geometries: Objects, **columns: list[Any]) -> ErrorFeatures:
    """Some of the errors, with these geometries, and with other values in some columns."""
    chosen = ErrorFeatures(errors.metric)
    chosen.geometries = list(geometries)
    chosen.rows = {name: [values[row] for row in rows.tolist()] for name, values in errors.rows.items()} | columns
    return chosen


def standing_in(errors: ErrorFeatures, tiling: Tiling, tiles: Sequence[Key], crs: "CRS") -> ErrorFeatures:
    """The errors, in a CRS, whose middle lies in one of some tiles."""
    geometries = as_array(errors.geometries)
    middle = shapely.get_coordinates(shapely.line_interpolate_point(_as_lines(geometries), 0.5, normalized=True))
    inside = np.flatnonzero(positions_of(tiling.keys(tiling.places(middle, crs)), tiles) >= 0)
    return taken(errors, inside, geometries[inside])


def _as_lines(geometries: Objects) -> Objects:
    """Points as lines without length, so that all have a middle."""
    lines = geometries.copy()
    points = np.flatnonzero(shapely.get_type_id(geometries) == 0)
    xy = shapely.get_coordinates(geometries[points])
    lines[points] = shapely.linestrings(np.repeat(xy[:, None], 2, axis=1))
    return lines


def in_degrees(errors: Sequence[ErrorFeatures], crs: "CRS") -> list[ErrorFeatures]:
    """The same errors in degrees, for tiles that have nothing else in common."""
    return [
        taken(one, np.arange(len(one)), shapely.transform(as_array(one.geometries), lambda xy: to_lonlat(xy, crs)))
        for one in errors
    ]


def as_array(geometries: Sequence[Any]) -> Objects:
    """Geometries as an array of one dimension."""
    return np.array([None, *geometries], dtype=object)[1:]


def error_table(collected: Sequence[ErrorFeatures]) -> pa.Table:
    """Errors as an Arrow table."""
    own = sorted({name for one in collected for name in one.rows if name not in ErrorFeatures.COLUMNS})
    columns: dict[str, Any] = {}
    for name in (*ErrorFeatures.COLUMNS, *own):
        values = [value for one in collected for value in one.rows.get(name) or [np.nan] * len(one)]
        if name in _TEXT:
            columns[name] = pa.array([str(value) for value in values], type=pa.string())
        else:
            columns[name] = pa.array(np.array(values, dtype=np.float64))
    geometries = as_array([geometry for one in collected for geometry in one.geometries])
    columns["geometry"] = pa.array(list(shapely.to_wkb(geometries)) if len(geometries) else [], type=pa.binary())
    return pa.table(columns)


def error_layers(tables: Sequence[pa.Table], crs: "CRS") -> "dict[str, gpd.GeoDataFrame]":
    """The errors of several tables, as ``error_frames`` gives them; the order of the tables does not matter.

    Columns stay arrays throughout, so that the errors of millions of objects fit into memory.
    """
    import geopandas as gpd
    import pandas as pd

    whole = pa.concat_tables(tables, promote_options="default") if tables else error_table([])
    geometries = np.asarray(shapely.from_wkb(whole["geometry"].to_numpy(zero_copy_only=False)), dtype=object)
    own = sorted(name for name in whole.column_names if name not in ErrorFeatures.COLUMNS and name != "geometry")
    columns = {name: whole[name] for name in (*ErrorFeatures.COLUMNS, *own)}
    order = _in_order(geometries, *(columns[name] for name in ("length_m", "kind", "metric")))
    shape = shapely.get_type_id(geometries)[order] if len(order) else np.zeros(0, dtype=int)
    layers = {}
    for single, name in GEOMETRY_TYPES.items():
        rows = order[np.isin(shape, {0: [0, 4], 1: [1, 2, 5], 3: [3, 6]}[single])]
        picked = {
            column: pd.Series(values.take(pa.array(rows)).to_numpy(zero_copy_only=False), dtype=str)
            if column in _TEXT
            else values.to_numpy()[rows]
            for column, values in columns.items()
        }
        layers[name] = gpd.GeoDataFrame(pd.DataFrame(picked), geometry=geometries[rows], crs=crs)
    return layers


def _in_order(geometries: Objects, length: Any, kind: Any, metric: Any) -> Ints:
    """Rows by metric, kind, place and length, so that the order of the tiles does not matter."""
    bounds = shapely.bounds(geometries).reshape(-1, 4)
    words = [np.unique(column.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1]
             for column in (kind, metric)]  # fmt: skip
    return np.lexsort([length.to_numpy(), *bounds.T[::-1], *words])
