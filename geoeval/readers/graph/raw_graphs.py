"""Graphs as their files list them: for protocols, to whose numbers the order of a file belongs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import LineString

from geoeval.arrays import Floats, Ints
from geoeval.exceptions import UnreadableInputError
from geoeval.readers.graph.node_edge_json import listed_places
from geoeval.readers.graph.pickled_values import StoredGraph
from geoeval.readers.graph.pickles import restored, row_column
from geoeval.readers.graph.roadtracer import listed_graph
from geoeval.readers.graph.tile_degrees import in_a_tile, pixels_of
from geoeval.readers.graph.unpickle import load
from geoeval.readers.registry import recognise

# Metres within which a line ends at its node.
_AT_A_NODE = 1.0


@dataclass(frozen=True)
class RawGraph:
    """Nodes as (row, column) in units of the file, and pairs of node numbers in the order of the file."""

    rows_columns: Floats
    pairs: Ints


def read_raw_graph(path: str | Path) -> RawGraph | None:
    """The graph of a pickled dictionary, a RoadTracer file or a tile for the Go program; None for any other file.

    Nodes of a dictionary are numbered as they first occur, a key before its neighbours; keys without neighbours vanish.
    The Go program's file lists each edge once, and gets both directions here, as the dictionary has them.
    """
    kind = recognise(path, "roads").kind
    if kind == "roadtracer":
        places, pairs, _ = listed_graph(path)
        return RawGraph(np.array(places)[:, ::-1], np.array(pairs, dtype=np.int64).reshape(-1, 2))
    if kind == "node-edge-json":
        degrees, listed_pairs = listed_places(path)
        both = np.stack([listed_pairs, listed_pairs[:, ::-1]], axis=1).reshape(-1, 2)
        # Degrees of a tile hold a pixel to a millionth of one; whole pixels are whole again.
        return RawGraph(np.round(pixels_of(degrees), 6), both) if in_a_tile(degrees) else None
    if kind != "pickle":
        return None
    held = _held(path)
    if not isinstance(held, Mapping):
        return None
    number: dict[tuple[float, float], int] = {}
    listed = []
    for node, others in held.items():
        if not isinstance(others, list | tuple | set | frozenset | Mapping):
            raise UnreadableInputError(f"{path}: the neighbours of a node are no list; write the graph again")
        ordered = sorted(others, key=repr) if isinstance(others, set | frozenset) else others
        for other in ordered:
            first = number.setdefault(row_column(node, path), len(number))
            listed.append((first, number.setdefault(row_column(other, path), len(number))))
    rows_columns = np.array(list(number), dtype=np.float64).reshape(-1, 2)
    return RawGraph(rows_columns, np.array(listed, dtype=np.int64).reshape(-1, 2))


@dataclass(frozen=True)
class RawLines:
    """Nodes (x, y), pairs of node numbers, and of each pair its course and the length that the file states."""

    nodes: Floats
    pairs: Ints
    lines: list[Floats]
    lengths: Floats


def read_raw_lines(path: str | Path) -> RawLines | None:
    """The graph of a gpickle whose nodes have x and y and whose edges are lines between them; None for any other file.

    Such graphs come from CosmiQ's apls; directed ones list a road twice and are no such graphs. Lengths are those of
    the attribute ``length``, which need not be those of the lines.
    """
    if recognise(path, "roads").kind != "pickle":
        return None
    held = _held(path)
    if not isinstance(held, StoredGraph):
        return None
    graph = restored(held, path)
    if graph.is_directed():
        return None
    number = {node: i for i, node in enumerate(graph)}
    try:
        nodes = np.array([[float(data["x"]), float(data["y"])] for _, data in graph.nodes(data=True)]).reshape(-1, 2)
        edges = [(number[a], number[b], data) for a, b, data in graph.edges(data=True)]
        lines = [_course(nodes[[a, b]], data.get("geometry")) for a, b, data in edges]
        lengths = [float(data["length"]) for _, _, data in edges]
    except (KeyError, TypeError, ValueError):
        return None
    pairs = np.array([(a, b) for a, b, _ in edges], dtype=np.int64).reshape(-1, 2)
    found = RawLines(nodes, pairs, lines, np.array(lengths))
    return found if len(nodes) and np.isfinite(nodes).all() and (found.lengths > 0).all() else None


def _course(ends: Floats, geometry: Any) -> Floats:
    """The course of an edge from its first end to its second, whichever way its line is drawn."""
    if geometry is None:
        return ends
    if not isinstance(geometry, LineString):
        raise TypeError("an edge that is no line")
    course = np.asarray(geometry.coords, dtype=np.float64)[:, :2]
    off = [max(np.hypot(*(way[[0, -1]] - ends).T)) for way in (course, course[::-1])]
    if min(off) > _AT_A_NODE:
        raise ValueError("a line that does not lie between its nodes")
    return course if off[0] <= off[1] else course[::-1]


def _held(path: str | Path) -> Any:
    try:
        return load(Path(path).read_bytes(), path)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error
