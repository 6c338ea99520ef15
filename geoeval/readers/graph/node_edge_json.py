"""Graphs as Sat2Graph's Go program reads them: ``[[[lat, lon], ...], [[i, j], ...]]``."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from geoeval import crs as projections
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import EmptyInputError, UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph import NO_OBJECTS
from geoeval.readers.graph.attributed import short_reason
from geoeval.readers.graph.tile_degrees import in_a_tile, pixels_of
from geoeval.readers.pixel_frame import network_from_pairs, place_pixels
from geoeval.readers.reader import InputFile, Reader
from geoeval.readers.text import read_text

_BEGINS = re.compile(rb"^(\xef\xbb\xbf)?\s*\[\s*\[\s*\[\s*[-+\d]")


def read_node_edge_json(
    path: str | Path, *, crs: Any = None, pixel_size: float | None = None, georeference: Any = None
) -> RoadNetwork:
    """Read a list of places and a list of pairs of their numbers.

    Parameters
    ----------
    path
        The file. Places at 41 north, 71 west are pixels of a tile, which Sat2Graph's scripts put there; all others are
        latitudes and longitudes.
    crs
        CRS of the coordinates, which are then y and x.
    pixel_size, georeference
        Of pixels, as in :func:`geoeval.readers.pixel_frame.place_pixels`.

    Returns
    -------
    RoadNetwork
        ``source_ids`` number the pairs as they come.
    """
    degrees, pairs = listed_places(path)
    if crs is None and in_a_tile(degrees):
        frame = place_pixels(path, crs=None, pixel_size=pixel_size, georeference=georeference)
        places, own = frame.places(pixels_of(degrees)[:, ::-1]), frame.crs
    else:
        places, own = degrees[:, ::-1], projections.WGS84 if crs is None else projections.parse_crs(crs)
    return network_from_pairs(places, pairs, ids=np.arange(len(pairs)), crs=own, source=str(path))


def listed_places(path: str | Path) -> tuple[Floats, Ints]:
    """Latitudes and longitudes, and pairs of their numbers, as the file lists them."""
    wanted = "a list of places [lat, lon] and a list of pairs [i, j] of their numbers are expected"
    try:
        content = json.loads(read_text(path))
        places, pairs = (np.array(part, dtype=np.float64).reshape(-1, 2) for part in content)
    except (ValueError, TypeError, RecursionError) as error:
        raise UnreadableInputError(f"{path} is not a graph ({short_reason(error)}); {wanted}") from error
    if len(places) == 0:
        raise EmptyInputError(f"{path} holds no place; there is no road in it")
    if not np.isfinite(places).all() or not (pairs == np.round(pairs)).all():
        raise UnreadableInputError(f"{path} is not a graph (a number is missing or no whole one); {wanted}")
    if not ((pairs >= 0) & (pairs < len(places))).all():
        raise UnreadableInputError(f"{path}: a pair names a place beyond the {len(places)} there are; check the file")
    return places, pairs.astype(np.int64)


def _is_node_edge_json(file: InputFile) -> bool:
    return bool(_BEGINS.match(file.head))


READER = Reader(
    "node-edge-json", reads={"roads": read_node_edge_json}, refuses=NO_OBJECTS, by_content=_is_node_edge_json
)
