"""JSON that geoeval wrote and that anybody may have changed since: read as data, within bounds.

A few bytes of JSON can hold numbers that no float holds, brackets thousands deep, and text that cannot be printed.
Whoever works with the values would stumble over them later, and in words that help nobody.
"""

import json
import math
from pathlib import Path
from typing import Any

# Bytes of a file, levels inside each other, and bits of a whole number: far more than geoeval writes.
_MOST_BYTES, _DEEPEST, _LARGEST_BITS = 100_000_000, 20, 1000


def read_json(path: Path) -> Any:
    """The value in a JSON file.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        As ``parse_json`` raises it, or the file is too long.
    """
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise ValueError(f"{size:,} bytes are more than a record has")
    return parse_json(path.read_bytes())


def parse_json(text: str | bytes, *, finite: bool = True) -> Any:
    """The value that a JSON text in UTF-8 stands for, where all numbers are ``finite`` unless said otherwise. O(n).

    Raises
    ------
    ValueError
        It is not JSON, or holds what no record holds; the message says which, in a few words.
    """
    try:
        value = json.loads(text.decode("utf-8") if isinstance(text, bytes) else text)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    _check(value, finite=finite)
    return value


def _check(value: Any, *, finite: bool) -> None:
    waiting = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} brackets inside each other")
        if finite and isinstance(one, float) and not math.isfinite(one):
            raise ValueError("a number that is not finite")
        if isinstance(one, int) and one.bit_length() > _LARGEST_BITS:
            raise ValueError("a number that is too large")
        if isinstance(one, str) and not _is_unicode(one):
            raise ValueError("text that is not Unicode")
        if isinstance(one, dict):
            waiting += [(part, depth + 1) for pair in one.items() for part in pair]
        elif isinstance(one, list):
            waiting += [(part, depth + 1) for part in one]


def _is_unicode(text: str) -> bool:
    """Whether a text can be written; half a character cannot."""
    return text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text)
