"""The few words of protobuf that tell the blocks of a PBF apart."""


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
        if at >= len(message):
            raise ValueError("a block ends too early")
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
