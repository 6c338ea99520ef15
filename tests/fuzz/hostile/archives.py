"""Archives under any name, with anything before them, and with members that lie, collide or lead elsewhere."""

import gzip
import io
import json
import struct
import zipfile

from tests.fuzz.hostile.databases import geopackage
from tests.fuzz.hostile.row import LINES, add_hostile, hostile

_ROADS = json.dumps(LINES)
_KML = (
    '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><LineString>'
    "<coordinates>8.6,49.4 8.61,49.41</coordinates></LineString></Placemark></Document></kml>"
)
# What stands before the first member: bytes of a program, of text, of other formats.
_PREFIXES = {
    "a_byte": b"x",
    "a_line": b"#!/bin/sh\n",
    "a_program": b"MZ" + bytes(600),
    "json": b'{"type": "FeatureCollection", "features": []}\n',
    "markup": b"<kml></kml>\n",
    "zeros": bytes(3_000),
}


def _zip(*members, packed=zipfile.ZIP_DEFLATED):
    """An archive of names and contents, as bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packed) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def _bomb(name="roads.geojson"):
    return _zip((name, _ROADS + " " * 40_000_000))


def _many(name="{}.geojson"):
    return _zip(*((name.format(number), "{}") for number in range(2001)), packed=zipfile.ZIP_STORED)


def _write(content):
    return lambda path, _: path.write_bytes(content())


for word, prefix in _PREFIXES.items():
    for suffix in (".zip", ".kmz"):
        name = "roads.geojson" if suffix == ".zip" else "doc.kml"
        add_hostile(
            f"zip_bomb_after_{word}_as_{suffix[1:]}", f"a{suffix}", "roads", "unpacks to .*limits.{1,2}expansion=",
            _write(lambda prefix=prefix, name=name: prefix + _bomb(name)),
        )  # fmt: skip
    add_hostile(
        f"zip_with_a_member_above_it_after_{word}", "a.zip", "roads", "lies outside of the archive",
        _write(lambda prefix=prefix: prefix + _zip(("../secret.geojson", "{}"))),
    )  # fmt: skip

for suffix in (".geojson", ".gpkg.zip", ".shz", ".shp.zip", ".dat", ".gml", ".kml", ".gdb.zip"):
    add_hostile(
        f"zip_bomb_named_{suffix[1:].replace('.', '_')}", f"a{suffix}", "roads", "unpacks to .*limits.{1,2}expansion=",
        _write(_bomb),
    )  # fmt: skip
    add_hostile(
        f"zip_bomb_after_a_line_named_{suffix[1:].replace('.', '_')}", f"a{suffix}", "objects",
        "unpacks to .*limits.{1,2}expansion=", _write(lambda: b"a line\n" + _bomb()),
    )  # fmt: skip


@hostile("a.zip", "area", "unpacks to .*limits.{1,2}expansion=")
def zip_bomb_of_an_area_after_a_line(path, _):
    path.write_bytes(b"a line\n" + _bomb())


@hostile("a.zip", "lines", "unpacks to .*limits.{1,2}expansion=")
def zip_bomb_of_a_drawing_after_a_line(path, _):
    path.write_bytes(b"a line\n" + _bomb())


@hostile("many.kmz", "roads", "members.*limits.{1,2}members=")
def kmz_of_very_many_files_after_a_line(path, _):
    path.write_bytes(b"a line\n" + _many("{}.kml"))


@hostile("link.kmz", "roads", "which is a link")
def kmz_with_a_symbolic_link_after_a_line(path, _):
    member = zipfile.ZipInfo("doc.kml")
    member.external_attr = 0o120777 << 16
    path.write_bytes(b"a line\n" + _zip((member, "/etc/passwd")))


@hostile("network.kmz", "roads", "loads a layer from elsewhere")
def kmz_that_loads_another(path, address):
    link = f"<NetworkLink><Link><href>{address}.kml</href></Link></NetworkLink>"
    path.write_bytes(b"x" + _zip(("doc.kml", _KML.replace("<Placemark>", f"{link}<Placemark>"))))


@hostile("drive.zip", "roads", "lies outside of the archive")
def zip_with_a_member_on_another_drive(path, _):
    path.write_bytes(_zip(("C:secret.geojson", "{}")))


@hostile("backslash.zip", "roads", "lies outside of the archive")
def zip_with_a_member_above_it_by_backslashes(path, _):
    path.write_bytes(_zip(("a\\..\\..\\secret.geojson", "{}")))


@hostile("a.zip", "roads", "holds an archive")
def zip_in_a_zip_under_the_name_of_a_map(path, _):
    path.write_bytes(_zip(("roads.geojson", b"x" + _bomb())))


@hostile("a.zip", "roads", "holds an archive")
def kmz_in_a_zip(path, _):
    path.write_bytes(_zip(("roads.kmz", _zip(("doc.kml", _KML)))))


@hostile("a.geojson.gz", "roads", "unpacks to .*limits.{1,2}expansion=")
def zip_bomb_in_a_gzip(path, _):
    path.write_bytes(gzip.compress(b"x" + _bomb()))


@hostile("a.geojson.gz", "roads", "packed again and again")
def gzip_in_a_gzip(path, _):
    path.write_bytes(gzip.compress(gzip.compress(_ROADS.encode())))


@hostile("a.gpkg.gz", "roads", "is a query.*links.{1,2}follow")
def geopackage_whose_layer_is_a_query_in_a_gzip(path, _):
    inner = path.with_suffix("")
    geopackage(inner, "SELECT fid, geom FROM real")
    path.write_bytes(gzip.compress(inner.read_bytes()))
    inner.unlink()


@hostile("a.gpkg.zip", "roads", "is a query.*links.{1,2}follow")
def geopackage_whose_layer_is_a_query_in_a_zip_after_a_line(path, _):
    inner = path.with_name("inner.gpkg")
    geopackage(inner, "SELECT fid, geom FROM real")
    path.write_bytes(b"a line\n" + _zip(("a.gpkg", inner.read_bytes())))
    inner.unlink()


def _shapefile_zip(path, *, instead):
    """A zipped shapefile with a folder in place of one of its parts."""
    import geopandas as gpd
    from shapely.geometry import LineString

    folder = path.parent / "made"
    folder.mkdir()
    frame = gpd.GeoDataFrame({"a": ["b"]}, geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(folder / "roads.shp")
    parts = [(part.name, part.read_bytes()) for part in sorted(folder.iterdir()) if part.suffix != instead]
    path.write_bytes(_zip(*parts, (f"roads{instead}/", b""), (f"roads{instead}/a", b"b")))
    for part in folder.iterdir():
        part.unlink()
    folder.rmdir()


@hostile("a.zip", "roads", "has a folder 'roads.shx' in place of a file")
def zip_with_a_folder_in_place_of_an_index(path, _):
    _shapefile_zip(path, instead=".shx")


@hostile("a.zip", "roads", "")
def zip_with_a_folder_in_place_of_a_table(path, _):
    _shapefile_zip(path, instead=".dbf")


@hostile("a.zip", "roads", "")
def zip_with_a_folder_in_place_of_a_projection(path, _):
    _shapefile_zip(path, instead=".prj")


@hostile("a.zip", "roads", "cannot be read|not a kind of file|no layers")
def zip_with_a_folder_in_place_of_a_shapefile(path, _):
    _shapefile_zip(path, instead=".shp")


@hostile("a.zip", "roads", "cannot be read")
def zip_whose_member_is_a_file_and_a_folder(path, _):
    path.write_bytes(_zip(("a.geojson", _ROADS), ("a.geojson/b.geojson", _ROADS)))


@hostile("a.zip", "roads", "cannot be read")
def zip_with_a_name_that_no_file_can_have(path, _):
    path.write_bytes(_zip(("a" * 300 + ".geojson", _ROADS)))


@hostile("a.zip", "roads", "cannot be read")
def zip_packed_by_an_unknown_method(path, _):
    path.write_bytes(_zip(("a.geojson", _ROADS)).replace(b"\x08\x00", b"\x63\x00"))


@hostile("a.zip", "roads", "cannot be read")
def zip_whose_lzma_is_damaged(path, _):
    content = _zip(("a.geojson", _ROADS), packed=zipfile.ZIP_LZMA)
    at = content.index(b"a.geojson") + 9
    path.write_bytes(content[:at] + b"\x09\x14\x05\x00\x5d\xff\xff\xff\xff" + b"\xff" * 60 + content[at + 69 :])


@hostile("a.zip", "roads", "cannot be read")
def zip_that_is_locked(path, _):
    content = bytearray(_zip(("a.geojson", _ROADS)))
    content[6] |= 1
    at = content.index(b"PK\x01\x02") + 8
    content[at] |= 1
    path.write_bytes(bytes(content))


@hostile("a.zip", "roads", "cannot be read|unpacks to|not a kind of file|no layers")
def zip_whose_list_is_elsewhere(path, _):
    content = bytearray(_zip(("a.geojson", _ROADS)))
    at = content.index(b"PK\x05\x06") + 16
    content[at : at + 4] = struct.pack("<I", 0x7FFFFFFF)
    path.write_bytes(bytes(content))


@hostile("a.zip", "roads", "unpacks to .*limits.{1,2}expansion=")
def zip_whose_members_share_their_bytes(path, _):
    """Many entries of the list name the same packed member."""
    content = _zip(("a.geojson", " " * 1_000_000))
    start = content.index(b"PK\x01\x02")
    entry, end = content[start : content.index(b"PK\x05\x06")], content[content.index(b"PK\x05\x06") :]
    count = 1900
    tail = end[:8] + struct.pack("<HHII", count, count, count * len(entry), start) + end[20:]
    path.write_bytes(content[:start] + entry * count + tail)
