"""How large a packed OpenStreetMap file is, without keeping any of it: a bomb is refused before it is read."""

import bz2
import gzip
import struct
from pathlib import Path
from typing import Any, BinaryIO

from geoeval.readers.osm.pbf_blocks import block_header, read_varint
from geoeval.trust import check_expansion

_UNPACKERS: dict[str, Any] = {"osm.gz": gzip.open, "osm.bz2": bz2.open}
_PIECE = 1 << 20


def check_unpacked_size(path: Path, packing: str) -> None:
    """Raise ``TooLargeError`` for a file that unpacks to far more than its size; ``packing`` as osmium names it.

    O(blocks) for a PBF, whose blocks say how large they are (and osmium holds them to it); O(unpacked size) for the
    others, a fraction of the time that reading their XML takes.
    """
    packed = path.stat().st_size
    if packing == "pbf":
        with path.open("rb") as stream:
            check_expansion(_size_of_blocks(stream), packed, path)
    elif packing in _UNPACKERS:
        size = 0
        with _UNPACKERS[packing](path, "rb") as unpacked:
            while piece := unpacked.read(_PIECE):
                size += len(piece)
                check_expansion(size, packed, path)


def _size_of_blocks(stream: BinaryIO) -> int:
    """The sum of the sizes that the blocks of a PBF have when they are unpacked, as they say themselves."""
    total = 0
    while len(length := stream.read(4)) == 4:
        _, size = block_header(stream.read(*struct.unpack(">I", length)))
        end = stream.tell() + size
        total += _blob_size(stream, size)
        stream.seek(end)
    return total


def _blob_size(stream: BinaryIO, size: int) -> int:
    """Field 2 (raw_size) of the protobuf message Blob; its own size where it is not packed."""
    start = stream.tell()
    at = 0
    while at < size:
        stream.seek(start + at)
        head = stream.read(20)
        if not head:
            break
        tag, used = read_varint(head, 0)
        value, used = read_varint(head, used)
        if tag >> 3 == 2:
            return value
        at += used + (value if tag & 7 == 2 else 0)
    return size
