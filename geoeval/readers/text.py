"""What readers of text share."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.arrays import Objects
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


def geometries_from_wkt(texts: Sequence[str | None]) -> Objects:
    """Geometries; ``None`` for ``None`` and for text that is not WKT.

    Roads are not nested collections, and a million nested ones would crash Python.
    """
    shallow = [None if text is None or text.upper().count("COLLECTION") > 16 else text for text in texts]
    with np.errstate(invalid="ignore"):  # the caller deals with coordinates that are not numbers
        return shapely.from_wkt(np.array(shallow, dtype=object), on_invalid="ignore")
