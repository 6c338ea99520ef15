"""The few words of protobuf that tell the blocks of a PBF apart."""

import struct
from typing import BinaryIO

# Bytes of the largest header and of the largest block that the format allows; a length beyond is not believed.
LARGEST_HEADER, LARGEST_BLOCK = 64 << 10, 32 << 20
# Bytes of the longest number of protobuf.
_LONGEST_NUMBER = 10


def read_block(stream: BinaryIO) -> tuple[bytes, bytes, bytes] | None:
    """The next block of a PBF: its kind, the bytes before its content, and its content; ``None`` at the end.

    The content is shorter than it should be where the file is cut. Raises ``ValueError`` for what is no block.
    """
    length = stream.read(4)
    if len(length) < 4:
        return None
    (header_size,) = struct.unpack(">I", length)
    if header_size > LARGEST_HEADER:
        raise ValueError(f"a block whose header says {header_size:,} bytes")
    header = stream.read(header_size)
    kind, size = block_header(header)
    if size > LARGEST_BLOCK:
        raise ValueError(f"a block that says {size:,} bytes")
    return kind, length + header, stream.read(size)


def block_header(message: bytes) -> tuple[bytes, int]:
    """Kind and size of a PBF block: fields 1 and 3 of the protobuf message BlobHeader."""
    kind, data_size, at = b"", 0, 0
    while at < len(message):
        tag, at = read_varint(message, at)
        value, at = read_varint(message, at)
        if tag & 7 == 2:  # bytes, preceded by their length
            if tag >> 3 == 1:
                kind = message[at : at + value]
            at += value
        elif tag >> 3 == 3:
            data_size = value
    return kind, data_size


def read_varint(message: bytes, at: int) -> tuple[int, int]:
    """An integer of protobuf, seven bits per byte, and where the next item begins."""
    value = shift = 0
    while True:
        if at >= len(message) or shift >= 7 * _LONGEST_NUMBER:
            raise ValueError("a block ends too early")
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
