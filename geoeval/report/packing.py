"""Geometries and columns as short text that the script of a page unpacks.

Coordinates are whole steps from an origin, each vertex as the difference from the one before, and whole numbers take
as few bytes as they need: seven bits a byte, the least first, the eighth bit set where more follow. A city in a report
takes an eighth of what it takes as plain JSON.
"""

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects, writable


def pack_numbers(numbers: Ints) -> str:
    """Whole numbers from 0 to 2**53 as text. O(n)."""
    values = np.asarray(numbers, dtype=np.int64)
    length = np.ones(len(values), dtype=np.int64)
    bits = 7
    while (more := values >> bits > 0).any():
        length += more
        bits += 7
    owner = np.repeat(np.arange(len(values)), length)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    data = (values[owner] >> 7 * place) & 127 | np.where(place < length[owner] - 1, 128, 0)
    return b64encode(data.astype(np.uint8).tobytes()).decode("ascii")


def pack_geometries(
    geometries: Objects, *, place: Callable[[Floats], Floats], origin: Floats, step: float
) -> dict[str, Any]:
    """Points, lines or outlines, one a row, of one part or several.

    Parameters
    ----------
    geometries
        Of one kind; areas are given by their outlines.
    place
        From coordinates to those of the page.
    origin, step
        Where the page counts from, and in which steps.

    Returns
    -------
    dict
        ``rows``, their number; ``parts`` of each row, ``None`` where each has one; ``vertices`` of each part; and
        ``xy``, the steps from vertex to vertex through all parts, where ``2 k`` is ``k`` and ``2 k - 1`` is ``-k``.
    """
    pieces, row = shapely.get_parts(writable(geometries), return_index=True)
    xy, piece = shapely.get_coordinates(pieces, return_index=True)
    counted = np.rint((place(xy) - origin) / step).astype(np.int64)
    steps = np.diff(counted, axis=0, prepend=np.zeros((1, 2), dtype=np.int64))
    parts = np.bincount(row, minlength=len(geometries))
    return {
        "rows": len(geometries),
        "parts": None if (parts == 1).all() else pack_numbers(parts),
        "vertices": pack_numbers(np.bincount(piece, minlength=len(pieces))),
        "xy": pack_numbers(np.where(steps >= 0, 2 * steps, -2 * steps - 1).ravel()),
    }


def pack_texts(texts: Sequence[str]) -> dict[str, Any]:
    """A column of texts, each text once where many are the same."""
    different = list(dict.fromkeys(texts))
    if 2 * len(different) > len(texts):
        return {"values": list(texts)}
    number = {text: index for index, text in enumerate(different)}
    return {"values": different, "index": pack_numbers(np.array([number[text] for text in texts], dtype=np.int64))}


def pack_floats(values: Floats) -> list[float | None]:
    """A column of numbers with four digits; those that are not finite are null."""
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in values.tolist()]
