"""Pickled graphs: dictionaries of Sat2Graph and networkx gpickles.

Nothing in the file is run; see :mod:`geoeval.readers.graph.unpickle`.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from shapely.geometry.base import BaseGeometry

from geoeval.exceptions import EmptyInputError, UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph import NO_OBJECTS
from geoeval.readers.graph.attributed import READ_ATTRIBUTES, network_from_graph
from geoeval.readers.graph.pickled_values import Ignored, StoredGraph, plain
from geoeval.readers.graph.unpickle import load
from geoeval.readers.pixel_frame import network_from_pairs, place_pixels
from geoeval.readers.reader import Reader, has_suffix

if TYPE_CHECKING:
    import networkx as nx


def read_pickle(
    path: str | Path, *, crs: Any = None, pixel_size: float | None = None, georeference: Any = None
) -> RoadNetwork:
    """Read a pickled graph without running anything in the file.

    Parameters
    ----------
    path
        Either a dictionary as stored by Sat2Graph and RNGDet, ``{(row, column): [(row, column), ...]}``, or a
        networkx graph of any of its four classes, written by Python 2 or 3.
    crs
        CRS of the coordinates. Without a georeference, the pairs of a dictionary are then (y, x) in that CRS.
    pixel_size, georeference
        As in :func:`geoeval.readers.pixel_frame.place_pixels`.

    Returns
    -------
    RoadNetwork
        Without segments if there are nodes but no edge.

    Raises
    ------
    EmptyInputError
        The dictionary or graph is empty.
    UnsafeFileError
        If the file asks for anything but plain containers, numbers and networkx graphs.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error
    held = load(content, path)
    if isinstance(held, StoredGraph):
        graph = restored(held, path)
        return network_from_graph(graph, path, crs=crs, pixel_size=pixel_size, georeference=georeference)
    if isinstance(held, dict):
        return network_from_neighbours(held, path, crs=crs, pixel_size=pixel_size, georeference=georeference)
    what = "something else" if held is None else f"a {type(plain(held)).__name__}"
    msg = f"{path} holds {what}; a networkx graph or a dictionary (row, column) -> neighbours is expected"
    raise UnreadableInputError(msg)


def network_from_neighbours(
    neighbours: dict[Any, Any], path: str | Path, *, crs: Any, pixel_size: float | None, georeference: Any
) -> RoadNetwork:
    """A network from a dictionary of neighbours; ``source_ids`` number the pairs as they come."""
    if not neighbours:
        raise EmptyInputError(f"{path} holds an empty dictionary; there is no road in it")
    number: dict[Any, int] = {}
    pairs: list[tuple[int, int]] = []
    for node, listed in neighbours.items():
        first = number.setdefault(row_column(node, path), len(number))
        others = _listed(listed)
        if not isinstance(others, list | tuple | set | frozenset | dict):
            msg = f"{path}: the neighbours of {_name(node)} are not a list; a list of (row, column) is expected"
            raise UnreadableInputError(msg)
        # A set has no order of its own; sorted, it gives the same ids on every run.
        ordered = sorted(others, key=repr) if isinstance(others, set | frozenset) else others
        pairs.extend((first, number.setdefault(row_column(other, path), len(number))) for other in ordered)
    pixels = np.array(list(number), dtype=np.float64)[:, ::-1]
    frame = place_pixels(path, crs=crs, pixel_size=pixel_size, georeference=georeference, pixels=pixels)
    return network_from_pairs(
        frame.places(pixels),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        ids=np.arange(len(pairs)),
        crs=frame.crs,
        source=str(path),
    )


def _listed(value: Any) -> Any:
    """A list in place of a stored array; anything else as it is."""
    array = plain(value)
    return array.tolist() if isinstance(array, np.ndarray) else value


def row_column(node: Any, path: str | Path) -> tuple[float, float]:
    """A node as two finite numbers."""
    node = _listed(node)
    pair = node if isinstance(node, tuple | list) else ()
    real = len(pair) == 2 and all(isinstance(part, int | float) and abs(part) < 1e15 for part in pair)
    if not real or any(math.isnan(part) for part in pair):
        msg = f"{path}: {_name(node)} is not a node; a graph or a dictionary (row, column) -> neighbours is expected"
        raise UnreadableInputError(msg)
    return float(pair[0]), float(pair[1])


def _name(node: Any) -> str:
    """A node for a message: short, and never a deep object."""
    if isinstance(node, tuple) and len(node) <= 3 and not any(isinstance(part, tuple | list | dict) for part in node):
        return repr(node)[:60]
    return repr(node)[:60] if isinstance(node, str | int | float) else f"a {type(node).__name__}"


def restored(stored: StoredGraph, path: str | Path) -> "nx.Graph[Any]":
    """A networkx graph with the nodes, edges and attributes that were stored."""
    import networkx as nx

    many = stored.kind.startswith("Multi")
    graph: nx.MultiGraph[Any] = nx.MultiDiGraph() if stored.kind.endswith("DiGraph") else nx.MultiGraph()
    attributes, nodes, adjacency = (
        stored.state.get(name, stored.state.get(old, {}))
        for name, old in (("graph", "graph"), ("_node", "node"), ("_adj", "adj"))
    )
    try:
        graph.graph.update(crs=_crs(attributes.get("crs")))
        for node, data in nodes.items():
            graph.add_nodes_from([(node, _plain_values(data))])
        for first, row in adjacency.items():
            for last, data in row.items():
                _ = nodes[first], nodes[last]  # an edge whose end is not a node is a KeyError
                # The dictionary of an undirected edge is stored from both of its ends.
                if not graph.is_directed() and first != last and first in graph.adj[last]:
                    continue
                for one in data.values() if many else (data,):
                    graph.add_edges_from([(first, last, _plain_values(one))])
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        msg = f"{path} holds a damaged networkx graph, or a view of one; save it again with graph.copy()"
        raise UnreadableInputError(msg) from error
    return graph


def _crs(named: Any) -> Any:
    """The CRS as text, or as a dictionary of PROJ parameters as old versions of osmnx have it."""
    named = plain(named)
    if isinstance(named, dict):
        return {str(name): _simple(value) for name, value in named.items()}
    return _simple(named)


def _plain_values(data: dict[Any, Any]) -> dict[str, Any]:
    """The attributes that are read. One of an unusual kind is an error only where it is needed."""
    values = {}
    for name in READ_ATTRIBUTES:
        if name in data:
            try:
                values[name] = _simple(data[name])
            except TypeError:
                values[name] = Ignored()
    return values


def _simple(value: Any) -> Any:
    """A number, text, geometry, or an array or list of numbers; anything deeper could be endless."""
    value = plain(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, set | frozenset):
        value = sorted(value, key=lambda part: (type(part).__name__, part))  # a set has no order of its own
    if isinstance(value, list | tuple):
        parts = [tuple(plain(part)) if isinstance(plain(part), list | tuple | np.ndarray) else part for part in value]
        flat = [number for part in parts for number in (part if isinstance(part, tuple) else (part,))]
        value = parts
    else:
        flat = [value]
    if not all(one is None or isinstance(one, str | int | float | BaseGeometry | np.generic) for one in flat):
        raise TypeError("an attribute is neither number nor text nor a list of them")
    return value


READER = Reader(
    "pickle",
    reads={"roads": read_pickle},
    refuses=NO_OBJECTS,
    by_name=has_suffix(".p", ".pkl", ".pickle", ".gpickle"),
)
