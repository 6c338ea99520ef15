"""Damage by chance, from a seeded generator: the same seed gives the same bytes.

Packed formats are unpacked, damaged inside and packed again, with right sizes and checksums, so that the damage reaches
the parser and not only the unpacker. Text is damaged word by word as well as byte by byte.
"""

import bz2
import contextlib
import gzip
import io
import json
import re
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.hostile import png_chunk, varint

# fmt: off
_NUMBERS = ["0", "-1", "1e308", "-1e308", "1e-320", "NaN", "inf", "99999999999999999999", "2147483648", "-2147483649",
            "0x1", "1e9", "180.0000001", "-90.1", "", "1,5", "९"]
_WORDS = ["", "null", "{}", "[]", "\x00", "\ufffd", "=1+1", "../../etc/passwd", "/vsicurl/http://127.0.0.1:9/x",
          "é" * 50,
          "\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"), "a" * 3000]
# fmt: on
# What a record may not ask for, or not in this form; and values of any type.
_ASKED = [
    ("scheduler", "tcp://127.0.0.1:9"),
    ("resume", "made"),
    ("links", "follow"),
    ("limits", "none"),
    ("untrusted", False),
    ("workers", 64),
    ("progress", "print"),
    ("aoi", "/dev/zero"),
    ("aoi", [0, 0, 1, 1]),
    ("aoi", {"wkt": "POLYGON ((0 0, 9e9 0, 0 9e9, 0 0))"}),
    ("image", "/dev/zero"),
    ("crs", "EPSG:32632"),
    ("crs", "+proj=utm +zone=32 +nadgrids=/dev/zero"),
    ("georeference", "1,0,0,0,1,0"),
    ("layer", "x"),
    ("metrics", "all"),
    ("kind", "objects"),
    ("protocol", "cldice"),
    ("align", True),
    ("tile_size", 200.0),
    ("pixel_size", 1e-9),
    ("parameters", {"ccq": {"tolerance": 1e9}}),
    ("seconds", 1.0),
    ("plan", True),
    ("node", "none"),
    ("network_type", "a=b"),
    ("seed", 10**30),
    ("reference", "osm:x"),
]
_VALUES = [
    None,
    True,
    0,
    -1,
    10**40,
    1e308,
    -1e-308,
    "",
    "x",
    "é" * 300,
    "\x1b[31m",
    [],
    {},
    [[]],
    {"a": {"b": 1}},
    "POLYGON ((0 0, 1 0, 1 1, 0 0))",
    "POINT EMPTY",
    "GEOMETRYCOLLECTION(" * 50,
    "EPSG:4326",
    "0" * 64,
]
_OF_RUN = ["errors", "verdicts", "shares", "run"]
_FACTS = ["format", "record", "kind", "crs", "unit", "not_judged", "still_counted"]
_SQL_VALUES = [
    "NULL",
    "'x'",
    "''",
    "0",
    "-1",
    "9e999",
    "-9e999",
    "1e308",
    "x'00ff'",
    "zeroblob(1000)",
    "'not-an-error'",
    "'{}'",
    "'[1]'",
    "9223372036854775807",
    "'objects'",
    "'EPSG:4326'",
    "'local metres'",
]
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
# Records that stay JSON while they are damaged.
_RECORDS = ("result.json", "earlier.json", "record.json")
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
            if name in _RECORDS and rng.random() < 0.7:
                return _in_record(data, rng)
            if name == "run.gpkg" and rng.random() < 0.7:
                return _in_database(data, rng)
            if name.endswith(".part") and rng.random() < 0.7:
                return _in_part(data, rng)
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
        except (OSError, ValueError, struct.error, zlib.error, zipfile.BadZipFile, sqlite3.Error):
            pass
    return _by_bytes(data, rng)


def _in_record(data: bytes, rng: Random) -> bytes:
    """A record that stays JSON: keys swapped, gone or added, values of other types, and what no record may ask for."""
    record = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        call = record.get("run", {}).get("call") if isinstance(record.get("run"), dict) else None
        holders = [one for one in _containers(record) if one]
        one = call if isinstance(call, dict) and rng.random() < 0.5 else rng.choice(holders or [record])
        keys = list(one) if isinstance(one, dict) else list(range(len(one)))
        key = rng.choice(keys) if keys else None
        what = rng.randrange(6)
        if what == 0 and isinstance(one, dict):
            name, value = rng.choice(_ASKED)
            one[rng.choice(("", "", "reference_", "prediction_")) + name] = deepcopy(value)
        elif key is None:
            continue
        elif what == 1:
            other = rng.choice(keys)
            one[key], one[other] = one[other], one[key]
        elif what == 2:
            del one[key]
        elif what == 3 and isinstance(one, dict):
            one[rng.choice([*_WORDS[:6], str(key) + "x"])] = one.pop(key)
        elif what == 4:
            one[key] = rng.choice([json.loads(json.dumps(part)) for part in holders[:20]] or [None])
        else:
            one[key] = deepcopy(rng.choice(_VALUES))  # else it could come to hold itself
    return json.dumps(record).encode()


def _in_part(data: bytes, rng: Random) -> bytes:
    """A kept part whose facts are damaged as a record is."""
    from geoeval.scale.tiles.part import packed, unpacked

    table, facts = unpacked(data)
    return packed(table, json.loads(_in_record(json.dumps(facts).encode(), rng)))


def _containers(value: Any) -> list[Any]:
    """All dictionaries and lists in a value, from outside in."""
    found, waiting = [], [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, dict | list):
            found.append(one)
            waiting += one.values() if isinstance(one, dict) else one
    return found


def _in_database(data: bytes, rng: Random) -> bytes:
    """A database with something more or else in its schema, or with values of other types in its rows."""
    from tests.fuzz.hostile.run_files import altered

    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        path = Path(folder) / "run.gpkg"
        path.write_bytes(data)
        for _ in range(rng.choice((1, 1, 2, 4))):
            with contextlib.suppress(sqlite3.Error):  # the next one may fit
                altered(path, _statement(path, rng))
        return path.read_bytes()


def _statement(path: Path, rng: Random) -> str:
    with contextlib.closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = rng.choice([*_OF_RUN, *_OF_RUN, *tables])
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')] or ["fid"]
    column, value, event = rng.choice(columns), rng.choice(_SQL_VALUES), rng.choice(("INSERT", "UPDATE", "DELETE"))
    other = rng.choice(_OF_RUN)
    act = rng.choice((f"DELETE FROM {other}", f'UPDATE "{table}" SET "{column}" = {value}', "SELECT 1"))
    return rng.choice((
        f'UPDATE "{table}" SET "{column}" = {value} WHERE rowid % {rng.choice((1, 2, 3))} = 0',
        f'UPDATE "{table}" SET "{column}" = {value}',
        f"UPDATE run SET value = {value} WHERE name = '{rng.choice(_FACTS)}'",
        f'INSERT INTO "{table}" ("{column}") VALUES ({value})',
        f'DELETE FROM "{table}" WHERE rowid % 2 = 0',
        f'CREATE TRIGGER t{rng.randrange(9)} {rng.choice(("AFTER", "BEFORE"))} {event} ON "{table}" BEGIN {act}; END',
        f'CREATE VIEW v{rng.randrange(9)} AS SELECT * FROM "{table}"',
        f'DROP TABLE "{table}"; CREATE VIEW "{table}" AS SELECT * FROM {other}',
        f'ALTER TABLE "{table}" ADD COLUMN more {rng.choice(("TEXT", "BLOB", "AS (1)", "DEFAULT 3"))}',
        f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other',
        f'ALTER TABLE "{table}" DROP COLUMN "{column}"',
        f'DROP TABLE "{table}"',
        f'CREATE INDEX i{rng.randrange(9)} ON "{table}" ({rng.choice((column, f"lower({column})"))})',
    ))  # fmt: skip


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
