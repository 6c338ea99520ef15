"""What readers of text share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
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
    """Ids as integers where all of them are, else as text."""
    try:
        return np.array([int(value) for value in values], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(values, dtype=object)


def geometries_from_wkt(texts: Sequence[str | None]) -> NDArray[np.object_]:
    """Geometries, None for None and for what is no WKT.

    No road is a collection in a collection; a million of them in each other would stop Python itself.
    """
    shallow = [None if text is None or text.upper().count("COLLECTION") > 16 else text for text in texts]
    with np.errstate(invalid="ignore"):  # a coordinate that is not a number is for the caller to see
        return shapely.from_wkt(np.array(shallow, dtype=object), on_invalid="ignore")
