"""OpenStreetMap files that take minutes or end the interpreter."""

import bz2
import gzip
import math
import struct
import zlib

from tests.fuzz.hostile.row import hostile
from tests.readers.osm.osm_files import NODES, ROAD, TOWN, way, write, xml


@hostile("town.osm.pbf", "roads", "invalid Unicode")
def pbf_with_text_that_is_not_utf8(path, _):
    write(path, TOWN, format="pbf,pbf_compression=none")
    path.write_bytes(path.read_bytes().replace("Straß".encode(), b"Stra\xff\xfe"))


@hostile("josm.osm", "roads", "no road|damaged")
def osm_comment_of_unfinished_elements(path, _):
    comment = "<node " * 100_000
    path.write_text(xml(f"<!-- {comment} -->", *NODES, generator="JOSM"))


@hostile("bomb.osm.gz", "roads", "unpacks to .*limits.{1,2}expansion=")
def gzip_bomb(path, _):
    inside = xml(*NODES, "<!--" + " " * 120_000_000 + "-->", way(1, [1, 2], ROAD))
    path.write_bytes(gzip.compress(inside.encode(), 9))


@hostile("bomb.osm.bz2", "roads", "unpacks to .*limits.{1,2}expansion=")
def bzip2_bomb(path, _):
    inside = xml(*NODES, "<!--" + " " * 60_000_000 + "-->", way(1, [1, 2], ROAD))
    path.write_bytes(bz2.compress(inside.encode()))


@hostile("bomb.osm.pbf", "roads", "unpacks to .*limits.{1,2}expansion=")
def pbf_of_well_packed_blocks(path, _):
    write(path, TOWN)
    packed = zlib.compress(bytes(30_000_000), 9)
    blob = b"\x10" + varint(30_000_000) + b"\x1a" + varint(len(packed)) + packed
    header = b"\x0a\x07OSMData\x18" + varint(len(blob))
    path.write_bytes(path.read_bytes() + 20 * (struct.pack(">I", len(header)) + header + blob))


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


@hostile("josm.osm", "roads", "no road|damaged")
def osm_comment_of_20000_unfinished_elements(path, _):
    comment = "<node " * 20_000
    path.write_text(xml(f"<!-- {comment} -->", *NODES, generator="JOSM"))


@hostile("crossing.osm", "objects", "cross themselves.*limits.{1,2}crossings=")
def osm_building_whose_outline_crosses_itself_everywhere(path, _):
    places = [(49 + math.sin(2.4 * k) / 1000, 8 + math.cos(2.4 * k) / 1000) for k in range(1, 1900)]
    nodes = [f'<node id="{k}" lat="{y:.7f}" lon="{x:.7f}"/>' for k, (y, x) in enumerate(places, start=1)]
    path.write_text(xml(*nodes, way(1, [*range(1, 1900), 1], {"building": "yes"})))


def _block(header_size=None, size=2, content=b"zz"):
    """A block whose lengths may be lies."""
    header = b"\x0a\x07OSMData\x18" + varint(size)
    return struct.pack(">I", len(header) if header_size is None else header_size) + header + content


@hostile("town.osm.pbf", "roads", "is damaged or truncated")
def pbf_that_claims_a_block_of_four_gigabytes(path, _):
    write(path, TOWN)
    path.write_bytes(path.read_bytes() + _block(size=(4 << 30) - 1))


@hostile("town.osm.pbf", "objects", "is damaged or truncated")
def pbf_that_claims_a_block_beyond_all_memory(path, _):
    write(path, TOWN)
    path.write_bytes(path.read_bytes() + _block(size=2**62))


@hostile("town.osm.pbf", "roads", "is damaged or truncated")
def pbf_that_claims_a_header_of_four_gigabytes(path, _):
    write(path, TOWN)
    path.write_bytes(path.read_bytes() + _block(header_size=0xFFFFFFFF))


@hostile("town.osm.pbf", "roads", "is damaged or truncated")
def pbf_that_begins_with_a_header_of_four_gigabytes(path, _):
    path.write_bytes(struct.pack(">I", 0xFFFFFFF0) + b"\x0a\x09OSMHeader\x18\x05" + b"x" * 50)


@hostile("town.osm.pbf", "roads", "is damaged or truncated")
def pbf_with_a_number_without_an_end(path, _):
    write(path, TOWN)
    header = b"\x0a\x07OSMData\x18" + b"\xff" * 60_000 + b"\x01"
    path.write_bytes(path.read_bytes() + struct.pack(">I", len(header)) + header)


@hostile("town.osm.pbf", "roads", "unpacks to .*limits.{1,2}expansion=|is damaged")
def pbf_block_that_claims_to_unpack_to_gigabytes(path, _):
    write(path, TOWN)
    packed = zlib.compress(b"\x0a\x00")
    blob = b"\x10" + varint(3 << 30) + b"\x1a" + varint(len(packed)) + packed
    path.write_bytes(path.read_bytes() + _block(size=len(blob), content=blob))
