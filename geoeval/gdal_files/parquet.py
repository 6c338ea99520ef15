"""GeoParquet, which GDAL can read only if it was built so: how it is opened, and how much it may become."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from geoeval.arrays import Objects
from geoeval.exceptions import UnreadableInputError
from geoeval.trust import check_expansion, check_limit

PARQUET_SUFFIXES = (".parquet", ".geoparquet", ".pq")
# What a damaged file raises; pyarrow's own errors are of these classes.
PARQUET_FAILURES = (KeyError, ValueError, OSError, TypeError, RuntimeError, NotImplementedError, AttributeError)
# Bytes of the shortest line as WKB.
_LEAST = 41


class GeoParquet(NamedTuple):
    """An open file or folder: pyarrow's dataset, the primary geometry column, and what is said about it."""

    source: Any
    column: str
    about: dict[str, Any]

    @property
    def crs(self) -> Any:
        """The CRS by the standard: longitude and latitude if it is absent, unknown if it is null."""
        if "crs" not in self.about:
            return "OGC:CRS84"
        return self.about["crs"]

    @property
    def is_wkb(self) -> bool:
        """Whether geometries are stored as WKB."""
        return bool(self.about["encoding"] == "WKB")

    def wkb(self, table: Any) -> Objects:
        """The geometries of a table of this file, as WKB."""
        return np.array([None, *table[self.column].to_pylist()], dtype=object)[1:]


def open_parquet(path: Path) -> GeoParquet:
    """Open GeoParquet whose size is within the limits; raises some of ``PARQUET_FAILURES`` for a damaged file."""
    from pyarrow import dataset

    source = dataset.dataset(path.absolute(), format="parquet")  # some names would be taken for addresses
    metadata = source.schema.metadata or {}
    described = json.loads(metadata[b"geo"]) if b"geo" in metadata else None
    if described is None:
        msg = f"{path} is Parquet without geometry (no GeoParquet metadata); write it with geopandas or GDAL"
        raise UnreadableInputError(msg)
    name = described["primary_column"]
    about = described["columns"][name]
    _check_size(source, path)
    return GeoParquet(source, name, about)


def _check_size(source: Any, path: Path) -> None:
    """Columns of equal values are packed so well that a few kilobytes can be billions of rows."""
    rows = source.count_rows()
    check_limit("features", rows, path, f"has {rows:,} rows")
    packed = sum(Path(file).stat().st_size for file in source.files)
    unpacked = 0
    for fragment in source.get_fragments():
        unpacked += sum(fragment.metadata.row_group(k).total_byte_size for k in range(fragment.metadata.num_row_groups))
    check_expansion(max(unpacked, _LEAST * rows), packed, path)
