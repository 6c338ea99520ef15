"""Files that once ended the interpreter, took minutes, or led elsewhere, each made anew from its description.

``HOSTILE`` has a row per file: its name, the content it is read as, what makes it, and words of the refusal; no words
where the file may be read, as long as nothing else is.
"""

import bz2
import gzip
import json
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ezdxf
import numpy as np

from tests.readers.osm.osm_files import NODES, ROAD, TOWN, way, write, xml

LINES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {},
            "geometry": {"type": "LineString", "coordinates": [[8.6, 49.4], [8.61, 49.41], [8.62, 49.4]]},
        }
    ],
}


@dataclass(frozen=True)
class Hostile:
    """A file that is refused: ``make`` writes it at the path it is given, and may write others beside it."""

    name: str
    content: str
    make: Callable[..., Any]
    says: str
    file: str

    def write(self, folder: Path, address: str = "http://127.0.0.1:9/x") -> Path:
        """The file in a new folder; ``address`` is what it leads to, if it leads to the network."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file
        self.make(path, address)
        return path


HOSTILE: list[Hostile] = []


def hostile(file: str, content: str, says: str):
    """Add a file to the list."""

    def add(make):
        HOSTILE.append(Hostile(make.__name__, content, make, says, file))
        return make

    return add


# ---------------------------------------------------------------------- OpenStreetMap


@hostile("town.osm.pbf", "roads", "invalid Unicode")
def pbf_with_text_that_is_not_utf8(path, _):
    write(path, TOWN, format="pbf,pbf_compression=none")
    path.write_bytes(path.read_bytes().replace("Straß".encode(), b"Stra\xff\xfe"))


@hostile("josm.osm", "roads", "no road|damaged")
def osm_comment_of_unfinished_elements(path, _):
    comment = "<node " * 100_000
    path.write_text(xml(f"<!-- {comment} -->", *NODES, generator="JOSM"))


@hostile("bomb.osm.gz", "roads", "unpacks to .*--limits expansion=")
def gzip_bomb(path, _):
    inside = xml(*NODES, "<!--" + " " * 120_000_000 + "-->", way(1, [1, 2], ROAD))
    path.write_bytes(gzip.compress(inside.encode(), 9))


@hostile("bomb.osm.bz2", "roads", "unpacks to .*--limits expansion=")
def bzip2_bomb(path, _):
    inside = xml(*NODES, "<!--" + " " * 60_000_000 + "-->", way(1, [1, 2], ROAD))
    path.write_bytes(bz2.compress(inside.encode()))


@hostile("bomb.osm.pbf", "roads", "unpacks to .*--limits expansion=")
def pbf_of_well_packed_blocks(path, _):
    write(path, TOWN)
    packed = zlib.compress(bytes(30_000_000), 9)
    blob = b"\x10" + _varint(30_000_000) + b"\x1a" + _varint(len(packed)) + packed
    header = b"\x0a\x07OSMData\x18" + _varint(len(blob))
    path.write_bytes(path.read_bytes() + 20 * (struct.pack(">I", len(header)) + header + blob))


def _varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


# ---------------------------------------------------------------------- drawings


def _dxf(path, build):
    document = ezdxf.new()
    build(document)
    document.saveas(path)


@hostile("nested.dxf", "lines", "shapes of its blocks.*--limits copies=")
def dxf_blocks_nested_40_deep(path, _):
    def build(document):
        document.blocks.new("B0").add_line((0, 0), (1, 1))
        for level in range(1, 41):
            block = document.blocks.new(f"B{level}")
            block.add_blockref(f"B{level - 1}", (0, 0))
            block.add_blockref(f"B{level - 1}", (1, 0))
        document.modelspace().add_blockref("B40", (0, 0))

    _dxf(path, build)


@hostile("empty.dxf", "lines", "shapes of its blocks.*--limits copies=")
def dxf_of_nested_blocks_without_a_line(path, _):
    def build(document):
        document.blocks.new("B0")
        for level in range(1, 41):
            block = document.blocks.new(f"B{level}")
            block.add_blockref(f"B{level - 1}", (0, 0))
            block.add_blockref(f"B{level - 1}", (1, 0))
        document.modelspace().add_blockref("B40", (0, 0))

    _dxf(path, build)


@hostile("grid.dxf", "lines", "shapes of its blocks.*--limits copies=")
def dxf_minsert_of_millions(path, _):
    def build(document):
        document.blocks.new("B").add_line((0, 0), (1, 1))
        grid = {"row_count": 30_000, "column_count": 30_000, "row_spacing": 1.0, "column_spacing": 1.0}
        document.modelspace().add_blockref("B", (0, 0), dxfattribs=grid)

    _dxf(path, build)


@hostile("self.dxf", "lines", "'SELF' contains itself")
def dxf_block_that_inserts_itself(path, _):
    def build(document):
        block = document.blocks.new("SELF")
        block.add_line((0, 0), (1, 1))
        block.add_blockref("SELF", (1, 0))
        document.modelspace().add_blockref("SELF", (0, 0))

    _dxf(path, build)


@hostile("deep.dxf", "lines", "150 blocks inside each other.*--limits depth=")
def dxf_chain_of_150_blocks(path, _):
    def build(document):
        document.blocks.new("B1").add_line((0, 0), (1, 1))
        for level in range(2, 151):
            document.blocks.new(f"B{level}").add_blockref(f"B{level - 1}", (0, 0))
        document.modelspace().add_blockref("B150", (0, 0))

    _dxf(path, build)


def _svg(inside):
    start = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">'
    return f"{start}{inside}</svg>"


@hostile("use.svg", "lines", "shapes of .* elements.*--limits copies=")
def svg_of_nested_uses(path, _):
    levels = ['<g id="g0"><line x1="0" y1="0" x2="5" y2="5" stroke="black"/></g>']
    for level in range(1, 30):
        twice = f'<use xlink:href="#g{level - 1}"/>' * 2
        levels.append(f'<g id="g{level}">{twice}</g>')
    path.write_text(_svg(f'<defs>{"".join(levels)}</defs><use href="#g29"/>'))


@hostile("self.svg", "lines", "repeats itself")
def svg_use_of_itself(path, _):
    path.write_text(_svg('<g id="a"><line x1="0" y1="0" x2="5" y2="5" stroke="black"/><use href="#a"/></g>'))


@hostile("groups.svg", "lines", "elements inside each other.*--limits depth=")
def svg_of_2000_nested_groups(path, _):
    inside = '<line x1="0" y1="0" x2="5" y2="5" stroke="black"/>'
    path.write_text(_svg('<g transform="rotate(1)">' * 2000 + inside + "</g>" * 2000))


# ---------------------------------------------------------------------- images


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(path, width, height, bits):
    row = b"\x00" + b"\xff" * (width * bits // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row * 100) for _ in range(height // 100)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b""))


@hostile("bomb.png", "roads", "pixels.*--limits (pixels|expansion)=")
def png_bomb(path, _):
    _png(path, 24_000, 24_000, 1)


@hostile("bomb8.png", "objects", "pixels.*--limits expansion=")
def png_bomb_below_the_limit_of_pixels(path, _):
    _png(path, 9_000, 9_000, 8)


@hostile("bomb.tif", "roads", "pixels.*--limits (pixels|expansion)=")
def tiff_bomb(path, _):
    import rasterio

    place = {"crs": "EPSG:32632", "transform": rasterio.Affine(1, 0, 5e5, 0, -1, 5e6)}
    shape = {"width": 40_000, "height": 40_000, "count": 1, "dtype": "uint8", **place}
    with rasterio.open(path, "w", driver="GTiff", compress="DEFLATE", SPARSE_OK=True, tiled=True, **shape) as image:
        image.write(np.ones((1, 256, 256), dtype=np.uint8), window=((0, 256), (0, 256)))


@hostile("image.vrt", "roads", "virtual file.*--links follow")
def raster_vrt(path, address):
    path.write_text(
        '<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>/vsicurl/{address}.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )


# ---------------------------------------------------------------------- vector files that lead elsewhere


def _secret(path):
    """A file of somebody else's beside the folder."""
    secret = path.parent.parent / "secret.geojson"
    secret.write_text(json.dumps(LINES))
    return secret


@hostile("layer.vrt", "roads", "virtual file.*--links follow")
def ogr_vrt(path, _):
    path.write_text(
        '<OGRVRTDataSource><OGRVRTLayer name="secret">'
        f"<SrcDataSource>{_secret(path)}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
    )


@hostile("sql.xml", "objects", "virtual file.*--links follow")
def ogr_vrt_with_sql_and_another_name(path, address):
    path.write_text(
        f'<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/vsicurl/{address}.geojson</SrcDataSource>'
        "<SrcSQL>SELECT * FROM secret</SrcSQL></OGRVRTLayer></OGRVRTDataSource>"
    )


@hostile("service.xml", "roads", "virtual file.*--links follow")
def wfs_description(path, address):
    path.write_text(f"<OGRWFSDataSource><URL>{address}</URL></OGRWFSDataSource>")


@hostile("pipeline.gdalg.json", "roads", "not a kind of file|cannot be read|no layers")
def gdal_pipeline(path, address):
    line = f"gdal vector pipeline ! read /vsicurl/{address}.geojson"
    path.write_text(json.dumps({"type": "gdal_streamed_alg", "command_line": line}))


@hostile("link.geojson", "roads", "names its CRS by an address")
def geojson_whose_crs_is_an_address(path, address):
    crs = {"type": "link", "properties": {"href": address, "type": "proj4"}}
    path.write_text(json.dumps({**LINES, "crs": crs}))


@hostile("schema.gml", "roads", "")
def gml_whose_schema_is_an_address(path, address):
    path.write_text(
        '<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xmlns:a="http://a" '
        f'xsi:schemaLocation="http://a {address}?SERVICE=WFS&amp;REQUEST=DescribeFeatureType&amp;TYPENAME=a:r">'
        f'<gml:featureMember><a:r><a:g xlink:href="{address}#1"/></a:r></gml:featureMember></wfs:FeatureCollection>'
    )


@hostile("network.kml", "roads", "")
def kml_that_loads_another(path, address):
    path.write_text(
        '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><NetworkLink><Link>'
        f"<href>{address}.kml</href></Link></NetworkLink></Document></kml>"
    )


def _gpkg(path, view):
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(path, layer="real")
    database = sqlite3.connect(path)
    database.execute(f"CREATE VIEW roads AS {view}")
    database.execute("DROP TRIGGER IF EXISTS gpkg_x")
    for table in ("gpkg_contents", "gpkg_geometry_columns"):
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        chosen = ",".join("'roads'" if name in {"table_name", "identifier"} else name for name in columns)
        database.execute(f"INSERT INTO {table} SELECT {chosen} FROM {table} WHERE table_name='real'")
        database.execute(f"DELETE FROM {table} WHERE table_name='real'")
    database.execute("DELETE FROM gpkg_extensions")
    database.execute("DELETE FROM gpkg_ogr_contents")
    database.commit()
    database.close()


@hostile("view.gpkg", "roads", "is a query.*--links follow")
def geopackage_with_an_endless_view(path, _):
    endless = "WITH RECURSIVE n(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM n) SELECT n.fid, real.geom FROM n, real"
    _gpkg(path, endless)


@hostile("geocode.gpkg", "roads", "is a query.*--links follow|without your consent")
def geopackage_view_that_asks_the_network(path, _):
    _gpkg(path, "SELECT fid, ogr_geocode('Heidelberg') AS place, geom FROM real")


@hostile("packed.zip", "roads", "is a query.*--links follow")
def geopackage_view_in_an_archive(path, _):
    inner = path.with_suffix(".gpkg")
    _gpkg(inner, "SELECT fid, geom FROM real")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(inner, "layer.gpkg")
    inner.unlink()


@hostile("up.zip", "roads", "lies outside of the archive")
def zip_with_a_member_above_it(path, _):
    _secret(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../secret.geojson", "{}")


@hostile("absolute.zip", "roads", "lies outside of the archive")
def zip_with_an_absolute_member(path, _):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{path.parent.parent}/roads.shp", b"x")
        archive.writestr(f"{path.parent.parent}/roads.dbf", b"x")


@hostile("link.zip", "roads", "which is a link")
def zip_with_a_symbolic_link(path, _):
    member = zipfile.ZipInfo("roads.geojson")
    member.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, str(_secret(path)))


@hostile("bomb.zip", "roads", "unpacks to .*--limits expansion=")
def zip_bomb(path, _):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roads.geojson", json.dumps(LINES) + " " * 100_000_000)


@hostile("many.fgb", "roads", "")
def flatgeobuf_that_claims_endless_rows(path, _):
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])] * 1234, crs=4326)
    frame.to_file(path, driver="FlatGeobuf", SPATIAL_INDEX="NO")
    content = path.read_bytes()
    assert content.count(struct.pack("<Q", 1234)) == 1
    path.write_bytes(content.replace(struct.pack("<Q", 1234), struct.pack("<Q", 7_000_000_000)))


@hostile("bomb.parquet", "roads", "rows.*--limits (features|expansion)=|unpacks to")
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
