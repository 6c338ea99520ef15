"""Damage by chance, from a seeded generator: the same seed gives the same bytes.

Packed formats are unpacked, damaged inside and packed again, with right sizes and checksums, so that the damage reaches
the parser and not only the unpacker. Text is damaged word by word as well as byte by byte.
"""

import bz2
import gzip
import io
import json
import re
import struct
import zipfile
import zlib
from random import Random

from tests.fuzz.hostile import png_chunk, varint

# fmt: off
_NUMBERS = ["0", "-1", "1e308", "-1e308", "1e-320", "NaN", "inf", "99999999999999999999", "2147483648", "-2147483649",
            "0x1", "1e9", "180.0000001", "-90.1", "", "1,5", "९"]
_WORDS = ["", "null", "{}", "[]", "\x00", "\ufffd", "=1+1", "../../etc/passwd", "/vsicurl/http://127.0.0.1:9/x",
          "é" * 50,
          "\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"), "a" * 3000]
# fmt: on
_INTS = [
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    2**63 - 1,
    2**63,
    2**64 - 1,
]
_TEXTS = (".osm", "json", ".svg", ".gml", ".kml", ".gpx", ".graphml", ".csv", ".txt", ".dxf", ".graph")
# Where the structure of a binary format lies: around these bytes, or within so many bytes of its start or end.
_HOT: dict[str, bytes | int] = {".gpkg": b"GP\x00", ".sqlite": b"CREATE", ".tif": 400, ".fgb": 300, ".parquet": -900}
# Definitions of CRSs, some of which name a file that never ends.
_DEFINITIONS = [
    "EPSG:4326", "EPSG:0", "EPSG:99999999999", "OGC:CRS84", "urn:ogc:def:crs:EPSG::25832", "IGNF:/dev/zero",
    "/dev/zero", "@/dev/zero", "+init=/dev/zero:1", "init = /dev/zero:1", "+init=epsg:4326",
    "+proj=utm +zone=32 +datum=WGS84",
    "+proj=longlat +nadgrids=/dev/zero", "+proj=hgridshift +grids=@null,/dev/zero +type=crs", "+proj=merc +a=1e400",
    "+proj=pipeline +step +proj=hgridshift +grids=/dev/zero", "+proj=utm +zone=32 +geoidgrids=../../../dev/zero",
    "+proj=tmerc +lat_0=NaN +lon_0=inf", "GEOGCS[" * 40, 'LOCAL_CS["x"]', '{"init": "/dev/zero:1"}', "{}",
    "+proj=ob_tran",
]  # fmt: skip
_PLACES_OF_CRS = re.compile(
    rb"EPSG:{1,2}\d+|urn:ogc:def:crs:[\w:.]+|OGC:CRS84|\+proj=[^\"<\x00]{1,200}|\+init=[\w:]+|(?<=METHOD\[\")[\w ]+|"
    rb"(?:PROJ|GEOG)C(?:R)?S\[[^\x00<]{20,2000}\]"
)
_TOKEN = re.compile(rb"[-+]?\d[\d.eE+-]*|[A-Za-z_]\w*|\s+|.", re.DOTALL)


def mutate(data: bytes, name: str, rng: Random) -> bytes:
    """A damaged copy; the name of the file says how it is packed."""
    if rng.random() < 0.08:
        data = _with_another_crs(data, rng)
    if rng.random() < 0.7:
        try:
            if name.endswith(".gz"):
                return gzip.compress(mutate(gzip.decompress(data), name[:-3], rng), 1, mtime=0)
            if name.endswith(".bz2"):
                return bz2.compress(mutate(bz2.decompress(data), name[:-4], rng), 1)
            if name.endswith((".zip", ".kmz", ".shz", ".dat")):
                return _around(_in_archive(data, rng), rng)
            if name.endswith(".pbf"):
                return _in_blocks(data, rng)
            if name.endswith(".png"):
                return _in_chunks(data, rng)
            if name.endswith(_TEXTS):
                return _by_numbers(data, rng) if rng.random() < 0.4 else _by_words(data, rng)
            if name.endswith(tuple(_HOT)):
                return _near(data, _HOT[next(end for end in _HOT if name.endswith(end))], rng)
        except (OSError, ValueError, struct.error, zlib.error, zipfile.BadZipFile):
            pass
    return _by_bytes(data, rng)


def _with_another_crs(data: bytes, rng: Random) -> bytes:
    """Another definition where one stands, plain or with escapes."""
    found = list(_PLACES_OF_CRS.finditer(data))
    if not found:
        return data
    place, text = rng.choice(found), rng.choice(_DEFINITIONS)
    kind = rng.randrange(4)
    if kind == 0:
        text = json.dumps(text)[1:-1]
    elif kind == 1:
        text = "".join(f"\\u{ord(sign):04x}" for sign in text)
    elif kind == 2:
        text = "".join(f"&#{ord(sign)};" for sign in text)
    return data[: place.start()] + text.encode() + data[place.end() :]


def _around(data: bytes, rng: Random) -> bytes:
    """Something before an archive, or after it, which programs that open it pass over."""
    if rng.random() < 0.4:
        data = rng.choice((b"x", b"#!/bin/sh\n", b"PK", b"{}", b"MZ" + bytes(500), bytes(70_000), b"\x1f\x8b")) + data
    if rng.random() < 0.1:
        data += rng.choice((b"x", b"PK\x05\x06", bytes(100)))
    return data


def _by_bytes(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        if not out:
            break
        at = rng.randrange(len(out))
        what = rng.randrange(8)
        if what == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            out[at] = rng.randrange(256)
        elif what == 2:
            size = rng.choice((2, 4, 8))
            value = rng.choice(_INTS) & (256**size - 1)
            out[at : at + size] = value.to_bytes(size, rng.choice(("little", "big")))
        elif what == 3:
            out[at : at + 8] = struct.pack("<d", rng.choice((float("nan"), float("inf"), 1e308, -1e308, 5e-324, 0.0)))
        elif what == 4:
            del out[at : at + rng.choice((1, 2, 8, 64))]
        elif what == 5:
            out[at:at] = out[at : at + rng.choice((1, 8, 64, 500))] * rng.choice((1, 2, 30))
        elif what == 6:
            out[at:at] = rng.randbytes(rng.choice((1, 4, 32)))
        else:
            del out[at:]
    return bytes(out)


def _by_words(data: bytes, rng: Random) -> bytes:
    words = _TOKEN.findall(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        if not words:
            break
        numbers = [k for k, word in enumerate(words) if word[:1].isdigit() or word[:1] == b"-"]
        at = rng.choice(numbers) if numbers and rng.random() < 0.6 else rng.randrange(len(words))
        what = rng.randrange(7)
        if what <= 1:
            words[at] = rng.choice(_NUMBERS).encode()
        elif what == 2:
            words[at] = rng.choice(_WORDS).encode(errors="replace")
        elif what == 3:
            del words[at : at + rng.choice((1, 3, 20))]
        elif what == 4:
            end = at + rng.choice((1, 5, 40))
            words[at:at] = words[at:end] * rng.choice((1, 2, 200))
        elif what == 5:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        else:
            words[at] = _by_bytes(words[at], rng)
    return b"".join(words)


def _by_numbers(data: bytes, rng: Random) -> bytes:
    """Other numbers in a text that stays whole, so that they reach what comes after the parser."""
    words = _TOKEN.findall(data)
    numbers = [k for k, word in enumerate(words) if word[:1].isdigit() or word[:1] in b"+-"]
    for _ in range(rng.choice((1, 1, 2, 5))):
        if numbers:
            at = rng.choice(numbers)
            near = f"{rng.choice((-1, 1)) * rng.random() * 10.0 ** rng.randrange(-3, 4):.6g}"
            words[at] = rng.choice([*_NUMBERS[:10], near, near, near, words[rng.choice(numbers)].decode()]).encode()
    return b"".join(words)


def _near(data: bytes, place: bytes | int, rng: Random) -> bytes:
    """Damage where the structure lies."""
    if isinstance(place, bytes):
        found = [at for at in range(len(data)) if data.startswith(place, at)]
        begin = rng.choice(found) if found else 0
        end = begin + 120
    else:
        begin, end = (0, place) if place > 0 else (max(len(data) + place, 0), len(data))
    return data[:begin] + _by_bytes(data[begin:end], rng) + data[end:]


def _in_archive(data: bytes, rng: Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    hit = rng.choice(sorted(members))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            if name == hit and rng.random() < 0.1:
                continue
            damaged = _by_bytes(content, rng) if name == hit else content
            archive.writestr(zipfile.ZipInfo(rng.choice(_WORDS[4:8]) if rng.random() < 0.02 else name), damaged)
    return out.getvalue()


def _in_blocks(data: bytes, rng: Random) -> bytes:
    """A PBF with one damaged block, its sizes right."""
    from geoeval.readers.osm.pbf_blocks import block_header

    at, blocks = 0, []
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        kind, length = block_header(data[at + 4 : at + 4 + size])
        at += 4 + size
        blocks.append((kind, data[at : at + length]))
        at += length
    hit = rng.randrange(len(blocks))
    out = b""
    for number, (kind, given) in enumerate(blocks):
        blob = given
        if number == hit:
            start = blob.find(b"\x78")
            raw = _by_bytes(zlib.decompressobj().decompress(blob[max(start, 0) :]), rng)
            packed = zlib.compress(raw)
            blob = b"\x10" + varint(len(raw)) + b"\x1a" + varint(len(packed)) + packed
        header = b"\x0a" + varint(len(kind)) + kind + b"\x18" + varint(len(blob))
        out += struct.pack(">I", len(header)) + header + blob
    return out


def _in_chunks(data: bytes, rng: Random) -> bytes:
    """A PNG with a damaged chunk, its checksum right."""
    at, chunks = 8, []
    while at < len(data):
        (size,) = struct.unpack_from(">I", data, at)
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + size]))
        at += size + 12
    hit = rng.randrange(len(chunks))
    kind, content = chunks[hit]
    if kind == b"IDAT" and rng.random() < 0.7:
        content = zlib.compress(_by_bytes(zlib.decompress(content), rng))
    else:
        content = _by_bytes(content, rng)
    chunks[hit] = kind, content
    return data[:8] + b"".join(png_chunk(*chunk) for chunk in chunks)
