"""GeoParquet, which GDAL can read only if it was built so."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import shapely

from geoeval.crs import parse_crs
from geoeval.exceptions import UnreadableInputError
from geoeval.gdal_files.parquet import PARQUET_FAILURES, open_parquet
from geoeval.readers.vector.ogr import VectorTable
from geoeval.readers.vector.wkb import decode


def read_parquet(path: Path, *, columns: Sequence[str] = ()) -> VectorTable:
    """Read the primary geometry of a GeoParquet file or folder and some columns; ids are row numbers from 0."""
    try:
        opened = open_parquet(path)
        there = opened.source.schema.names
        wanted = [column for column in dict.fromkeys(columns) if column in there]
        table = opened.source.to_table(columns=[opened.column, *wanted])
        if opened.is_wkb:
            geometries, problems = decode(opened.wkb(table))
        else:
            import geopandas as gpd

            if opened.crs is not None:
                parse_crs(opened.crs)  # before geopandas does
            frame = gpd.read_parquet(path.absolute(), columns=[opened.column])
            geometries, problems = frame.geometry.to_numpy(), {}
        values = {column: table[column].to_pandas().to_numpy() for column in wanted}
        crs = opened.crs
    except (*PARQUET_FAILURES, shapely.errors.ShapelyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UnreadableInputError(f"{path} cannot be read ({reason}); check that the file is complete") from error
    names = tuple(column for column in there if column != opened.column)
    return VectorTable(geometries, np.arange(len(geometries)), values, crs, problems=problems, names=names)
