"""Graphs in the text format of map construction: a file of vertices and a file of edges.

Topology comes from the vertices that the edges name, never from coordinates, so that a bridge stays apart from the
road below it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from geoeval import crs as projections
from geoeval.exceptions import HOW_TO_GIVE_CRS, EmptyInputError, LayerChoiceError, MissingCRSError, UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph import NO_OBJECTS
from geoeval.readers.graph.text_lines import place_in, refuse_line
from geoeval.readers.options import check_options
from geoeval.readers.pixel_frame import network_from_pairs
from geoeval.readers.reader import InputFile, Reader
from geoeval.readers.text import number_array, read_text


def read_map_construction(path: str | Path, *, crs: Any = None, pixel_size: float | None = None) -> RoadNetwork:
    """Read the text format of map construction: ``*vertices*.txt`` and ``*edges*.txt``.

    Vertices are lines ``id,x,y``, edges are lines ``id,from,to``; further fields and a header line are ignored.

    Parameters
    ----------
    path
        Either file, or the folder that holds both. The names of both differ in the words vertices and edges only.
    crs
        CRS of the coordinates, which the format does not name.
    pixel_size
        Metres per unit of the coordinates, instead of a CRS.

    Returns
    -------
    RoadNetwork
        ``source_ids`` are the ids of the edges. Vertices without edges are counted in ``problems``.

    Raises
    ------
    EmptyInputError
        There is no vertex.
    MissingCRSError
        Neither a CRS nor the size of a pixel is given.
    """
    vertices, edges = _vertices_and_edges(Path(path))
    check_options({"pixel_size": pixel_size})
    if crs is None and pixel_size is None:
        msg = (
            f"{vertices} does not say which CRS its coordinates are in; {HOW_TO_GIVE_CRS}, "
            "or {give:pixel-size=1} for metres without a place on Earth"
        )
        raise MissingCRSError(msg)
    places: list[tuple[float, float]] = []
    number_of: dict[str, int] = {}
    for line, fields in _table(vertices):
        place = place_in(fields[1:3], vertices, line)
        number = number_of.setdefault(fields[0], len(places))
        if number == len(places):
            places.append(place)
        elif places[number] != place:
            refuse_line(vertices, line, f"vertex {fields[0]} has another place further up; give every vertex one place")
    if not places:
        raise EmptyInputError(f"{vertices} holds no vertex; its lines should be 'id,x,y'")
    pairs: list[tuple[int, int]] = []
    ids: list[str] = []
    for line, fields in _table(edges):
        for end in fields[1:3]:
            if end not in number_of:
                refuse_line(
                    edges, line, f"vertex {end} is not in {vertices.name}; check that both files belong together"
                )
        pairs.append((number_of[fields[1]], number_of[fields[2]]))
        ids.append(fields[0])
    return network_from_pairs(
        np.array(places) * (pixel_size or 1.0),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        ids=number_array(ids),
        crs=projections.assumed_metres(places) if crs is None else projections.parse_crs(crs),
        source=str(path),
    )


def _table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and fields of comma-separated text, without blank lines and header."""
    header_allowed = True
    for number, line in enumerate(read_text(path).removesuffix("\n").split("\n"), start=1):
        fields = [field.strip() for field in line.split(",")]
        if fields == [""]:
            continue
        if header_allowed and fields[0].lower() in {"id", "vid", "eid", "vertex", "edge", "vertexid", "edgeid"}:
            header_allowed = False
            continue
        header_allowed = False
        if len(fields) < 3:
            refuse_line(path, number, f"{line.strip()[:40]!r} has {len(fields)} fields; id and two more are expected")
        yield number, fields


def _vertices_and_edges(path: Path) -> tuple[Path, Path]:
    """The two files, from either of them or from their folder."""
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if re.search("vertices.*[.]txt$", file.name, re.IGNORECASE))
        if len(found) > 1:
            names = ", ".join(file.name for file in found[:5])
            raise LayerChoiceError(f"{path} holds {len(found)} graphs ({names}); give the path of one vertices file")
        if not found:
            raise UnreadableInputError(f"{path} holds no roads; a folder needs *vertices*.txt and *edges*.txt")
        path = found[0]
    vertices = _renamed(path, "edges", "vertices")
    edges = _renamed(path, "vertices", "edges")
    for file in (vertices, edges):
        if not file.is_file():
            msg = f"{path} has no partner {file.name}; put vertices and edges into one folder"
            raise UnreadableInputError(msg)
    return vertices, edges


def _renamed(path: Path, old: str, new: str) -> Path:
    """The path with a word of its name replaced, in the case in which it is written."""

    def same_case(match: re.Match[str]) -> str:
        word = match.group()
        return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new

    return path.with_name(re.sub(old, same_case, path.name, flags=re.IGNORECASE))


def _is_named_so(file: InputFile) -> bool:
    """Whether it is a folder, or text with vertices or edges in its name."""
    named = re.search("vertices|edges", file.path.name, re.IGNORECASE) is not None
    return file.is_folder or (named and file.suffix == ".txt")


READER = Reader("map-construction", reads={"roads": read_map_construction}, refuses=NO_OBJECTS, by_name=_is_named_so)
