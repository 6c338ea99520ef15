"""Graphs of RoadTracer: nodes and edges as text, in pixels.

Topology comes from the nodes that the file names, never from coordinates, so that a bridge stays apart from the
road below it.
"""

from pathlib import Path
from typing import Any

import numpy as np

from geoeval.exceptions import EmptyInputError, UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph import NO_OBJECTS
from geoeval.readers.graph.text_lines import place_in, refuse_line
from geoeval.readers.pixel_frame import network_from_pairs, place_pixels
from geoeval.readers.reader import Reader, has_suffix
from geoeval.readers.text import read_text


def read_roadtracer(
    path: str | Path, *, crs: Any = None, pixel_size: float | None = None, georeference: Any = None
) -> RoadNetwork:
    """Read a RoadTracer graph: lines ``x y``, a blank line, then lines ``i j`` of node numbers from 0.

    Parameters
    ----------
    path
        The file. Its coordinates are pixels, y down.
    crs, pixel_size, georeference
        As in :func:`geoeval.readers.pixel_frame.place_pixels`.

    Returns
    -------
    RoadNetwork
        The format lists every edge in both directions; ``source_ids`` are the line numbers of the first listing.
        Nodes without edges are counted in ``problems``.

    Raises
    ------
    EmptyInputError
        There is no node.
    """
    listed, pairs, line_of = listed_graph(path)
    places = np.array(listed)
    frame = place_pixels(path, crs=crs, pixel_size=pixel_size, georeference=georeference, pixels=places)
    return network_from_pairs(
        frame.places(places),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        ids=np.array(line_of, dtype=np.int64),
        crs=frame.crs,
        source=str(path),
    )


def listed_graph(path: str | Path) -> tuple[list[tuple[float, float]], list[tuple[int, int]], list[int]]:
    """Places (x, y) of the nodes, pairs of node numbers, and the lines of these: all as the file lists them."""
    places: list[tuple[float, float]] = []
    pairs: list[tuple[int, int]] = []
    line_of: list[int] = []
    in_edges = False
    for number, line in enumerate(read_text(path).removesuffix("\n").split("\n"), start=1):
        fields = line.split()
        if not fields:
            in_edges = in_edges or bool(places)
        elif in_edges:
            pairs.append(_edge(fields, len(places), path, number))
            line_of.append(number)
        else:
            places.append(place_in(fields, path, number))
    if not places:
        raise EmptyInputError(f"{path} holds no node; a RoadTracer graph starts with lines 'x y'")
    if not in_edges:
        msg = f"{path} has no blank line after its {len(places)} nodes, so no edges; check that the file is complete"
        raise UnreadableInputError(msg)
    return places, pairs, line_of


def _edge(fields: list[str], count: int, path: str | Path, line: int) -> tuple[int, int]:
    try:
        first, last = map(int, fields)
    except ValueError:
        refuse_line(path, line, f"{' '.join(fields)[:40]!r} is not an edge; two node numbers are expected")
    if not (0 <= first < count and 0 <= last < count):
        refuse_line(path, line, f"edge {first} {last} but only nodes 0 to {count - 1}; check that the file is complete")
    return first, last


READER = Reader(
    "roadtracer", reads={"roads": read_roadtracer}, refuses=NO_OBJECTS, by_name=has_suffix(".graph", ".txt")
)
