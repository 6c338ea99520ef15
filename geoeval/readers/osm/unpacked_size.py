"""How large a packed OpenStreetMap file is, without keeping any of it: a bomb is refused before it is read."""

import bz2
import gzip
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from geoeval.readers.osm.pbf_blocks import LARGEST_BLOCK, read_block, read_varint
from geoeval.trust import check_expansion

_UNPACKERS: dict[str, Any] = {"osm.gz": gzip.open, "osm.bz2": bz2.open}
_PIECE = 1 << 20
# Fields of the protobuf message Blob, and the tag with which the texts of a block begin.
_RAW, _RAW_SIZE, _ZLIB = 1, 2, 3
_TEXTS_TAG = 0x0A
# How many fields are looked at: blocks have a few, tables of texts some thousands.
_FEW, _MANY = 64, 1_000_000


def check_unpacked_size(path: Path, packing: str) -> None:
    """Raise ``TooLargeError`` for a file that unpacks to far more than its size; ``packing`` as osmium names it.

    O(file) for a PBF, whose blocks say how large they are (and osmium holds them to it); O(unpacked size) for the
    others, a fraction of the time that reading their XML takes. A PBF with texts that would crash osmium raises
    ``ValueError``.
    """
    packed = path.stat().st_size
    if packing == "pbf":
        with path.open("rb") as stream:
            size = 0
            for _, blob, stored in _blocks(stream):
                said = blob.get(_RAW_SIZE, stored)
                size += said if isinstance(said, int) else stored
                check_expansion(size, packed, path)
            stream.seek(0)
            for kind, blob, _ in _blocks(stream):
                if kind == b"OSMData":
                    _check_texts(blob)
    elif packing in _UNPACKERS:
        size = 0
        with _UNPACKERS[packing](path, "rb") as unpacked:
            while piece := unpacked.read(_PIECE):
                size += len(piece)
                check_expansion(size, packed, path)


def _blocks(stream: BinaryIO) -> Iterator[tuple[bytes, dict[int, Any], int]]:
    """Kinds, fields and stored sizes of the blocks of a PBF."""
    while (block := read_block(stream)) is not None:
        kind, _, content = block
        yield kind, dict(islice(_fields(content), _FEW)), len(content)


def _check_texts(blob: dict[int, Any]) -> None:
    """Raise ``ValueError`` for a text with a zero byte, behind which osmium would read memory that is not its own.

    The texts come first in a block, so little of it is unpacked.
    """
    if isinstance(blob.get(_RAW), bytes):
        content: bytes = blob[_RAW]
    elif isinstance(blob.get(_ZLIB), bytes):
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(blob[_ZLIB], 16)
        tag, at = read_varint(content, 0)
        size = sum(read_varint(content, at)) if tag == _TEXTS_TAG else LARGEST_BLOCK
        content += unpacker.decompress(unpacker.unconsumed_tail, min(size, LARGEST_BLOCK))
    else:
        return
    texts = next((value for field, value in islice(_fields(content), _FEW) if field == 1), None)
    if not isinstance(texts, bytes):
        raise ValueError("a block without texts")  # noqa: TRY004 - of the file, not of an argument
    # The length of an empty text is a zero after a line feed; more than the usual one or two are looked at singly.
    empty = texts.count(b"\n\0")
    doubtful = empty > 2 and any(b"\0" in text for _, text in islice(_fields(texts), _MANY) if isinstance(text, bytes))
    if texts.count(b"\0") != empty or doubtful:
        raise ValueError("a text with a zero byte")


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and values of the fields of a protobuf message; the last one may be cut."""
    at = 0
    while at < len(message):
        tag, at = read_varint(message, at)
        value, at = read_varint(message, at)
        if tag >> 3 == 0:
            raise ValueError("a block of unknown form")
        if tag & 7 == 2:
            yield tag >> 3, message[at : at + value]
            at += value
        elif tag & 7 == 0:
            yield tag >> 3, value
        else:  # these messages have no other kinds
            raise ValueError("a block of unknown form")
