"""Vector files that claim more than they hold, or hold far more than their size."""

import json
import struct

import numpy as np

from tests.fuzz.hostile.row import hostile


@hostile("many.fgb", "roads", "")
def flatgeobuf_that_claims_endless_rows(path, _):
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])] * 1234, crs=4326)
    frame.to_file(path, driver="FlatGeobuf", SPATIAL_INDEX="NO")
    content = path.read_bytes()
    assert content.count(struct.pack("<Q", 1234)) == 1
    path.write_bytes(content.replace(struct.pack("<Q", 1234), struct.pack("<Q", 7_000_000_000)))


@hostile("bomb.parquet", "roads", "rows.*limits.{1,2}(features|expansion)=|unpacks to")
def parquet_of_sixty_million_equal_rows(path, _):
    import pyarrow as pa
    from pyarrow import parquet

    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    line = struct.pack("<BII4d", 1, 2, 2, 8.6, 49.4, 8.61, 49.41)
    rows = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_000_000, dtype=np.int32)), pa.array([line]))
    schema = pa.schema([("geometry", rows.type)])
    with parquet.ParquetWriter(path, schema, compression="zstd", store_schema=False) as writer:
        for _part in range(60):
            writer.write_table(pa.table([rows], schema=schema), row_group_size=1_000_000)
        writer.add_key_value_metadata({"geo": json.dumps(geo)})


def _parquet(path, wkb):
    import pyarrow as pa
    from pyarrow import parquet

    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    table = pa.table({"geometry": pa.array([wkb])}).replace_schema_metadata({"geo": json.dumps(geo)})
    parquet.write_table(table, path)


_LINE = struct.pack("<BII4d", 1, 2, 2, 8.6, 49.4, 8.61, 49.41)


@hostile("deep.parquet", "roads", "without a usable geometry")
def parquet_of_collections_inside_each_other(path, _):
    _parquet(path, struct.pack("<BII", 1, 7, 1) * 300_000 + _LINE)


@hostile("deep.parquet", "area", "no polygons")
def parquet_of_multipolygons_inside_each_other(path, _):
    _parquet(path, struct.pack(">BII", 0, 6, 1) * 300_000 + _LINE)


@hostile("bomb.parquet", "area", "rows.*limits.{1,2}(features|expansion)=|unpacks to")
def area_of_sixty_million_equal_rows(path, address):
    parquet_of_sixty_million_equal_rows(path, address)


@hostile("geo.parquet", "objects", "cannot be read")
def parquet_described_by_endless_brackets(path, _):
    import pyarrow as pa
    from pyarrow import parquet

    brackets = "[" * 100_000
    parquet.write_table(pa.table({"geometry": pa.array([b""])}).replace_schema_metadata({"geo": brackets}), path)


@hostile("topology.json", "roads", "unpacks to .*limits.{1,2}expansion=")
def topojson_that_uses_an_arc_a_million_times(path, _):
    shape = {"type": "LineString", "arcs": [0] * 20_000}
    objects = {"a": {"type": "GeometryCollection", "geometries": [shape] * 10}}
    content = {"type": "Topology", "objects": objects, "arcs": [[[1, 1]] * 10_000]}
    path.write_text(json.dumps(content))


@hostile("deep.geojson", "roads", "nest|Too many|too deep")
def geojson_of_brackets_inside_each_other(path, _):
    deep = "[" * 200_000 + "]" * 200_000
    path.write_text('{"type": "LineString", "coordinates": ' + deep + "}")


def _shapefile(path, part, at, value):
    """A shapefile with a lie: four bytes of one of its files are others."""
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame({"a": ["b"]}, geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(path)
    content = bytearray(path.with_suffix(part).read_bytes())
    content[at : at + 4] = value
    path.with_suffix(part).write_bytes(content)


@hostile("points.shp", "roads", "no lines|cannot be read")
def shapefile_that_claims_endless_points(path, _):
    _shapefile(path, ".shp", 148, struct.pack("<i", 0x7FFFFFFF))


@hostile("record.shp", "roads", "cannot be read|no lines|Invalid length")
def shapefile_that_claims_an_endless_record(path, _):
    _shapefile(path, ".shx", 104, struct.pack(">i", 0x3FFFFFFF))


@hostile("rows.dbf", "roads", "rows.*limits.{1,2}features=")
def table_that_claims_endless_rows(path, _):
    head = struct.pack("<BBBBIHH", 3, 1, 1, 1, 0x7FFFFFFF, 65, 2) + bytes(20)
    path.write_bytes(head + b"NAME" + bytes(7) + b"C" + bytes(4) + b"\1\0" + bytes(14) + b"\r a")


@hostile("star.geojson", "objects", "cross themselves.*limits.{1,2}crossings=")
def geojson_outline_that_crosses_itself_everywhere(path, _):
    turns = 2.4 * np.arange(20_000)
    ring = np.column_stack([8 + np.cos(turns) / 100, 49 + np.sin(turns) / 100]).round(7).tolist()
    path.write_text(json.dumps({"type": "Polygon", "coordinates": [[*ring, ring[0]]]}))
