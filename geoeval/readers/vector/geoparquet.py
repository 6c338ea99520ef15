"""GeoParquet, which GDAL can read only if it was built so."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from geoeval.exceptions import UnreadableInputError
from geoeval.readers.vector.ogr import VectorTable
from geoeval.readers.vector.wkb import decode
from geoeval.trust import check_expansion, check_limit

# Bytes of the shortest line as WKB.
_LEAST = 41


def read_parquet(path: Path, *, columns: Sequence[str] = ()) -> VectorTable:
    """Read the primary geometry of a GeoParquet file or folder and some columns; ids are row numbers from 0."""
    import pyarrow as pa
    from pyarrow import dataset

    try:
        source = dataset.dataset(path, format="parquet")
        metadata = source.schema.metadata or {}
        described = json.loads(metadata[b"geo"]) if b"geo" in metadata else None
        if described is None:
            msg = f"{path} is Parquet without geometry (no GeoParquet metadata); write it with geopandas or GDAL"
            raise UnreadableInputError(msg)
        name = described["primary_column"]
        about = described["columns"][name]
        wanted = [column for column in dict.fromkeys(columns) if column in source.schema.names]
        _check_size(source, path)
        table = source.to_table(columns=[name, *wanted])
        if about["encoding"] == "WKB":
            wkb = np.array([None, *table[name].to_pylist()], dtype=object)[1:]
            geometries, problems = decode(wkb)
        else:
            import geopandas as gpd

            frame = gpd.read_parquet(path, columns=[name])
            geometries, problems = frame.geometry.to_numpy(), {}
    except (pa.ArrowException, KeyError, ValueError, OSError, TypeError, shapely.errors.ShapelyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UnreadableInputError(f"{path} cannot be read ({reason}); check that the file is complete") from error
    names = tuple(column for column in source.schema.names if column != name)
    values = {column: table[column].to_pandas().to_numpy() for column in wanted}
    return VectorTable(geometries, np.arange(len(geometries)), values, _crs(about), problems=problems, names=names)


def _check_size(source: Any, path: Path) -> None:
    """Columns of equal values are packed so well that a few kilobytes can be billions of rows."""
    rows = source.count_rows()
    check_limit("features", rows, path, f"has {rows:,} rows")
    packed = sum(Path(file).stat().st_size for file in source.files)
    unpacked = 0
    for fragment in source.get_fragments():
        unpacked += sum(fragment.metadata.row_group(k).total_byte_size for k in range(fragment.metadata.num_row_groups))
    check_expansion(max(unpacked, _LEAST * rows), packed, path)


def _crs(about: dict[str, Any]) -> Any:
    """The CRS by the standard: longitude and latitude if it is absent, unknown if it is null."""
    if "crs" not in about:
        return "OGC:CRS84"
    return None if about["crs"] is None else json.dumps(about["crs"])
