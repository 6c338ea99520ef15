"""What readers of text share."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.exceptions import UnreadableInputError


def read_text(path: str | Path) -> str:
    """The text of a file, whatever its line ends, without a byte order mark."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{path} is not text (byte {error.start}); check what kind of file it is") from error
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error


def number_array(values: list[str]) -> NDArray[Any]:
    """Ids as integers if all of them are, else as text."""
    try:
        return np.array([int(value) for value in values], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(values, dtype=object)


def finite_number(text: str) -> float | None:
    """A number; ``None`` for anything else, infinite numbers included."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
