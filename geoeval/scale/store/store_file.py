"""The inside of a store of roads: the rows of a GeoParquet file, and its metadata."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pyproj import CRS

from geoeval.scale.store.segments import Segments
from geoeval.scale.store.spool import Spool

# Rows that are read together: some hundred kilometres of road, about half a megabyte.
GROUP_ROWS = 8192


def write_rows(path: Path, spool: Spool, crs: CRS, facts: Mapping[str, Any]) -> None:
    """Write segments in the order of the spool, in groups of rows."""
    from pyarrow import parquet

    schema = _schema(bool(spool.text_ids))
    geometry: dict[str, Any] = {
        "encoding": "linestring",
        "geometry_types": ["LineString"] if spool.count else [],
        "crs": crs.to_json_dict(),
    }
    if spool.count:
        geometry["bbox"] = spool.bounds.tolist()
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": geometry}}
    with parquet.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=["source", "class"],
        write_statistics=True,
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        rest = Segments.joined([])
        duplicates = 0
        for segments in spool.in_order():
            duplicates += _duplicates(segments)
            rest = Segments.joined([rest, segments]) if len(rest) else segments
            whole = len(rest) // GROUP_ROWS * GROUP_ROWS
            for start in range(0, whole, GROUP_ROWS):
                writer.write_table(_table(rest.take(slice(start, start + GROUP_ROWS)), schema))
            rest = rest.take(slice(whole, None))
        if len(rest):
            writer.write_table(_table(rest, schema))
        problems = dict(facts.get("problems", {}))
        if duplicates:
            problems.setdefault("duplicate_segments", duplicates)
        complete = {**facts, "problems": problems}
        writer.add_key_value_metadata({"geo": json.dumps(geo), "geoeval": json.dumps(complete)})


def _schema(text_ids: bool) -> Any:
    import pyarrow as pa

    point = pa.struct([pa.field("x", pa.float64(), nullable=False), pa.field("y", pa.float64(), nullable=False)])
    return pa.schema(
        [
            ("geometry", pa.list_(pa.field("element", point, nullable=False))),
            ("from", pa.int64()),
            ("to", pa.int64()),
            ("source", pa.string() if text_ids else pa.int64()),
            ("from_cut", pa.bool_()),
            ("to_cut", pa.bool_()),
            ("class", pa.int32()),
        ]
    )


def _table(segments: Segments, schema: Any) -> Any:
    import pyarrow as pa

    kind = schema.field("geometry").type
    xy = segments.xy.reshape(-1, 2)
    columns = [pa.array(np.ascontiguousarray(xy[:, axis])) for axis in (0, 1)]
    points = pa.StructArray.from_arrays(columns, fields=list(kind.value_type))
    starts = pa.array(np.arange(0, len(xy) + 1, 2, dtype=np.int32))
    return pa.table(
        [
            pa.ListArray.from_arrays(starts, points, type=kind),
            *(pa.array(np.ascontiguousarray(segments.node[:, end])) for end in (0, 1)),
            pa.array(segments.source, type=schema.field("source").type),
            *(pa.array(np.ascontiguousarray(segments.cut[:, end])) for end in (0, 1)),
            pa.array(segments.road_class, type=pa.int32()),
        ],
        schema=schema,
    )


def _duplicates(segments: Segments) -> int:
    """How many of the segments, in the order of a spool, have the same nodes as the one before."""
    low, high = segments.node.min(axis=1), segments.node.max(axis=1)
    return int(((low[1:] == low[:-1]) & (high[1:] == high[:-1]) & (low[1:] < high[1:])).sum())
