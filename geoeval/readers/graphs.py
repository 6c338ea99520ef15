"""Graph files, and the text formats among them: RoadTracer ``.graph`` and map construction.

Topology comes from the nodes that the file names, never from coordinates, so that a bridge stays apart from the
road below it.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from geoeval import crs as projections
from geoeval.exceptions import HOW_TO_GIVE_CRS, EmptyInputError, LayerChoiceError, MissingCRSError, UnreadableInputError
from geoeval.model.network import RoadNetwork
from geoeval.readers.networkx_files import read_graphml, read_node_link
from geoeval.readers.pickles import read_pickle
from geoeval.readers.pixels import check_pixel_size, network_from_pairs, pixel_frame
from geoeval.readers.text import number_array, read_text

PICKLE_SUFFIXES = (".p", ".pkl", ".pickle", ".gpickle")


def read_graph_file(path: str | Path, *, crs: Any = None, pixel_size: float | None = None) -> RoadNetwork:
    """Read a graph file of any kind: ``.graph``, ``.txt``, ``.graphml``, ``.json``, a pickle, or a folder.

    Parameters
    ----------
    path
        The file; for map-construction text either of its two files or their folder.
    crs
        What the coordinates are in, where the file does not say, or to overrule what it says.
    pixel_size
        Metres per pixel, for coordinates in pixels.

    Returns
    -------
    RoadNetwork
        Without segments where the file has nodes but no edge. A file without any node is an error.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix in PICKLE_SUFFIXES:
        return read_pickle(file, crs=crs, pixel_size=pixel_size)
    if file.is_dir() or (suffix != ".graph" and re.search("vertices|edges", file.name, re.IGNORECASE)):
        return read_map_construction(file, crs=crs, pixel_size=pixel_size)
    if suffix == ".graphml" or _begins_with(file, b"<"):
        return read_graphml(file, crs=crs, pixel_size=pixel_size)
    if suffix == ".json" or _begins_with(file, b"{"):
        return read_node_link(file, crs=crs, pixel_size=pixel_size)
    return read_roadtracer(file, crs=crs, pixel_size=pixel_size)


def read_roadtracer(path: str | Path, *, crs: Any = None, pixel_size: float | None = None) -> RoadNetwork:
    """Read a RoadTracer graph: lines ``x y``, a blank line, then lines ``i j`` of node numbers from 0.

    Coordinates are pixels, y downwards, and stay so, times ``pixel_size``; without ``crs`` they are metres
    without a place on Earth. The format lists every edge in both directions; ``source_ids`` are the line numbers
    of the first listing. O(n).
    """
    frame, size = pixel_frame(path, crs=crs, pixel_size=pixel_size)
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
            places.append(_place(fields, path, number))
    if not places:
        raise EmptyInputError(f"{path} holds no node; a RoadTracer graph begins with lines 'x y'")
    if not in_edges:
        msg = f"{path} has no blank line after its {len(places)} nodes, so no edges; check that the file is complete"
        raise UnreadableInputError(msg)
    return network_from_pairs(
        np.array(places) * size,
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        ids=np.array(line_of, dtype=np.int64),
        crs=frame,
        source=str(path),
    )


def read_map_construction(path: str | Path, *, crs: Any = None, pixel_size: float | None = None) -> RoadNetwork:
    """Read the text format of map construction: ``*vertices*.txt`` and ``*edges*.txt``.

    Vertices are lines ``id,x,y`` (z and more are ignored), edges ``id,from,to`` (more is ignored); a header line
    is skipped. ``source_ids`` are the edges' ids. The format names no CRS, so ``crs`` (or ``pixel_size``, which
    then multiplies the coordinates) must say what the coordinates are in.

    Parameters
    ----------
    path
        Either file, the other being named alike, or the folder that holds both.
    """
    vertices, edges = _vertices_and_edges(Path(path))
    check_pixel_size(pixel_size)
    if crs is None and pixel_size is None:
        msg = (
            f"{vertices} does not say what its coordinates are in; {HOW_TO_GIVE_CRS}, "
            "or --pixel-size 1 (pixel_size=1) for metres without a place on Earth"
        )
        raise MissingCRSError(msg)
    places: list[tuple[float, float]] = []
    number_of: dict[str, int] = {}
    for line, fields in _table(vertices):
        place = _place(fields[1:3], vertices, line)
        number = number_of.setdefault(fields[0], len(places))
        if number == len(places):
            places.append(place)
        elif places[number] != place:
            _refuse(vertices, line, f"vertex {fields[0]} was elsewhere before; give every vertex one place")
    if not places:
        raise EmptyInputError(f"{vertices} holds no vertex; its lines should be 'id,x,y'")
    pairs: list[tuple[int, int]] = []
    ids: list[str] = []
    for line, fields in _table(edges):
        for end in fields[1:3]:
            if end not in number_of:
                _refuse(edges, line, f"vertex {end} is not in {vertices.name}; check that the files belong together")
        pairs.append((number_of[fields[1]], number_of[fields[2]]))
        ids.append(fields[0])
    return network_from_pairs(
        np.array(places) * (pixel_size or 1.0),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        ids=number_array(ids),
        crs=projections.LOCAL_METRES if crs is None else projections.parse_crs(crs),
        source=str(path),
    )


# ---------------------------------------------------------------------- text


def _place(fields: list[str], path: str | Path, line: int) -> tuple[float, float]:
    try:
        x, y = map(float, fields)
    except ValueError:
        _refuse(path, line, f"{' '.join(fields)[:40]!r} is not a place; two numbers x and y are expected")
    if not (math.isfinite(x) and math.isfinite(y)):
        _refuse(path, line, f"{' '.join(fields)[:40]!r} is not a place; the coordinates must be finite")
    return x, y


def _edge(fields: list[str], count: int, path: str | Path, line: int) -> tuple[int, int]:
    try:
        first, last = map(int, fields)
    except ValueError:
        _refuse(path, line, f"{' '.join(fields)[:40]!r} is not an edge; two node numbers are expected")
    if not (0 <= first < count and 0 <= last < count):
        _refuse(path, line, f"edge {first} {last}, but nodes have the numbers 0 to {count - 1}; is the file complete?")
    return first, last


def _refuse(path: str | Path, line: int, why: str) -> NoReturn:
    raise UnreadableInputError(f"{path} line {line}: {why}")


def _table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and fields of comma-separated text, without blank lines and without a header."""
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
            _refuse(path, number, f"{line.strip()[:40]!r} has {len(fields)} fields; id and two more are expected")
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
            msg = f"{path} has no partner {file.name}; put vertices and edges into one folder, named alike"
            raise UnreadableInputError(msg)
    return vertices, edges


def _renamed(path: Path, old: str, new: str) -> Path:
    """The path with a word of its name replaced, in the case in which it is written."""

    def same_case(match: re.Match[str]) -> str:
        word = match.group()
        return new.upper() if word.isupper() else new.capitalize() if word[0].isupper() else new

    return path.with_name(re.sub(old, same_case, path.name, flags=re.IGNORECASE))


def _begins_with(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(start)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error
