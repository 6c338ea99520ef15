"""What lies around an error, for a small map: pieces of both maps and of the error, as plain numbers."""

import struct
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Box, Objects, writable
from geoeval.contents import SIDES
from geoeval.exceptions import UnreadableInputError
from geoeval.reviewing.run_database import RunDatabase
from geoeval.stored_geometries import geometries_from_wkb

# Features of one map that are drawn at most; more would be a blot.
MOST = 4_000
# Bytes of the envelope in the header of a geometry, by its code.
_ENVELOPES = (0, 32, 48, 48, 64)


def surroundings(run: RunDatabase, box: Box) -> dict[str, Any]:
    """Pieces of ``reference`` and ``prediction`` in a box, each a flat list of metres from the middle of the box.

    ``cut_short`` says whether there was more than can be drawn. A run without its maps gives none. O(pieces).
    """
    found: dict[str, Any] = {"box": box, "cut_short": False}
    for side in SIDES:
        shapes = _in_box(run, side, box)
        found["cut_short"] |= len(shapes) > MOST
        found[side] = pieces(shapely.clip_by_rect(shapes[:MOST], *box), _middle(box))
    return found


def error_shape(run: RunDatabase, layer: str, row: int, box: Box) -> dict[str, Any]:
    """The error itself: ``type`` of its geometry, and its pieces."""
    check_layer(run, layer)
    rows = run.rows(f'SELECT geom FROM "{layer}" WHERE fid = ?', row)  # noqa: S608 - a layer of the run
    shapes = shapes_of([one["geom"] for one in rows])
    names = {0: "points", 4: "points", 3: "polygons", 6: "polygons"}
    types = shapely.get_type_id(shapes)
    return {
        "type": names.get(int(types[0]), "lines") if len(types) else "lines",
        "pieces": pieces(shapes, _middle(box)),
    }


def pieces(shapes: Objects, middle: tuple[float, float]) -> list[list[float]]:
    """Points, lines and rings as flat lists ``x, y, x, y``, in metres from a point, to the centimetre."""
    parts = shapely.get_parts(shapely.get_parts(writable(shapes)))
    types = shapely.get_type_id(parts)
    rings = shapely.get_rings(parts[types == 3])
    simple = np.concatenate([parts[np.isin(types, (0, 1, 2))], rings])
    coordinates, owner = shapely.get_coordinates(simple, return_index=True)
    local = np.round(coordinates - middle, 2)
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    return [piece.ravel().tolist() for piece in np.split(local, starts[1:])] if len(local) else []


def _in_box(run: RunDatabase, table: str, box: Box) -> Objects:
    """The features of a layer whose boxes meet a box; one more than can be drawn at most."""
    index = f"rtree_{table}_geom"
    there = run.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)", table, index)
    if len(there) < 2:
        return np.zeros(0, dtype=object)
    rows = run.rows(
        f'SELECT geom FROM "{table}" WHERE fid IN (SELECT id FROM "{index}" '  # noqa: S608 - names are ours
        "WHERE maxx >= ? AND minx <= ? AND maxy >= ? AND miny <= ?) LIMIT ?",
        box[0], box[2], box[1], box[3], MOST + 1,
    )  # fmt: skip
    return shapes_of([row["geom"] for row in rows])


def shapes_of(blobs: list[bytes]) -> Objects:
    """The geometries of a GeoPackage's blobs; what is none, or empty, is left out."""
    texts = []
    for blob in blobs:
        if not isinstance(blob, bytes) or len(blob) < 8 or blob[:2] != b"GP":
            continue
        (flags,) = struct.unpack("B", blob[3:4])
        code = flags >> 1 & 7
        if code < len(_ENVELOPES):
            texts.append(blob[8 + _ENVELOPES[code] :])
    shapes = geometries_from_wkb(np.array([None, *texts], dtype=object)[1:])
    return np.asarray(shapes[~(shapely.is_missing(shapes) | shapely.is_empty(shapes))], dtype=object)


def check_layer(run: RunDatabase, layer: str) -> None:
    """Raise ``UnreadableInputError`` for what is no layer of the run."""
    known = run.rows("SELECT 1 FROM gpkg_contents WHERE data_type = 'features' AND table_name = ?", layer)
    if not known or '"' in layer:
        raise UnreadableInputError(f"{run.path} has no layer {layer[:40]!r}; evaluate again")


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
