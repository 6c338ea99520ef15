"""Networks from the networkx graphs of files, whose attributes follow any of the usual conventions."""

import ast
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.arrays import Floats
from geoeval.exceptions import HOW_TO_GIVE_CRS, EmptyInputError, MissingCRSError, UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.networkx_graphs import network_of_graph
from geoeval.readers.options import check_options
from geoeval.readers.pixel_frame import HOW_TO_PLACE_PIXELS, PixelFrame, place_pixels
from geoeval.stored_geometries import geometries_from_wkt

if TYPE_CHECKING:
    import networkx as nx

# Attributes that hold the place of a node, tried in this order; all nodes of a graph follow one convention.
_PAIRS = (("x", "y"), ("lon", "lat"), ("longitude", "latitude"), ("lng", "lat"))
_SINGLE = ("pos", "position", "o")
# Pixels beside the place, as CosmiQ's apls writes them: tried last.
_PIXEL_PAIR = ("x_pix", "y_pix")
_IN_PIXELS = ("o", _PIXEL_PAIR[0])
_IN_DEGREES = ("lon", "longitude", "lng")
_IDS = ("osmid", "source_id", "id")
READ_ATTRIBUTES = (
    *("cut", "geometry", "geometry_pix", "length", "pts", "source_ids"),
    *(*_IDS, *_SINGLE, *(name for pair in (*_PAIRS, _PIXEL_PAIR) for name in pair)),
)
_AS_IT_IS = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def network_from_graph(
    graph: "nx.Graph[Any]",
    path: str | Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    georeference: Any = None,
) -> RoadNetwork:
    """A network from a graph whose nodes and edges carry attributes, numbers possibly as text.

    Parameters
    ----------
    graph
        Its nodes carry ``x`` and ``y``; or ``lon`` and ``lat``, which mean EPSG:4326; or ``pos`` (x, y); or ``o``
        (row, column of an image, as written by sknw); or ``x_pix`` and ``y_pix`` (pixels, as written by CosmiQ's
        apls), if they have nothing else; or are coordinate pairs themselves. Edges may carry ``geometry`` (a line or
        WKT), or in pixels ``pts`` (rows and columns) or ``geometry_pix``, and ``source_ids``, ``osmid``,
        ``source_id`` or ``id``. Nodes may be marked as ``cut``.
    path
        The file, for messages.
    crs
        CRS of the coordinates, instead of the graph's attribute ``crs``.
    pixel_size, georeference
        Of coordinates in pixels, as in :func:`geoeval.readers.pixel_frame.place_pixels`; used only if the graph does
        not say where it is.

    Returns
    -------
    RoadNetwork
        Without segments if the graph has no edge.

    Raises
    ------
    EmptyInputError
        The graph has no node.
    """
    import networkx as nx

    check_options({"pixel_size": pixel_size})
    if len(graph) == 0:
        raise EmptyInputError(f"{path} holds a graph without any node")
    convention, places = _places(graph, path)
    pixels = np.array(list(places.values()))
    frame = _frame(graph, convention, path, pixels, crs=crs, pixel_size=pixel_size, georeference=georeference)
    placed = dict(zip(places, frame.places(pixels).tolist(), strict=True))
    # The two directions of a road are one only in a directed graph.
    plain: nx.MultiGraph[Any] = nx.MultiDiGraph() if graph.is_directed() else nx.MultiGraph()
    for node, data in graph.nodes(data=True):
        x, y = placed[node]
        plain.add_node(node, x=x, y=y, cut=_truth(data.get("cut", False)))
    for (first, last, data), own_id in zip(graph.edges(data=True), _edge_ids(graph), strict=True):
        line = _course(data, convention, f"{path}: edge {_name(first)} to {_name(last)}")
        per_segment = _listed(data.get("source_ids"))
        attributes = {
            "geometry": None if line is None else frame.geometries(line),
            "source_id": own_id,
            "source_ids": per_segment,
        }
        kept = {name: value for name, value in attributes.items() if value is not None}
        plain.add_edges_from([(first, last, kept)])
    isolated = sum(1 for _, degree in plain.degree() if degree == 0)
    problems = {"nodes_without_edges": isolated} if isolated else {}
    return network_of_graph(plain, crs=frame.crs, source=str(path), problems=problems)


def _frame(
    graph: "nx.Graph[Any]",
    convention: str,
    path: str | Path,
    pixels: Floats,
    *,
    crs: Any,
    pixel_size: float | None,
    georeference: Any,
) -> PixelFrame:
    """Where the coordinates are: as the user or the graph says, else pixels."""
    named = graph.graph.get("crs")
    in_pixels = convention in _IN_PIXELS
    if georeference is not None and (in_pixels or named in (None, "")) and convention not in _IN_DEGREES:
        return place_pixels(path, crs=crs, pixel_size=None, georeference=georeference)
    if crs is not None:
        return PixelFrame(projections.parse_crs(crs), _AS_IT_IS)
    if named not in (None, "") and convention != _PIXEL_PAIR[0]:
        return PixelFrame(projections.parse_crs(_crs_text(named)), _AS_IT_IS)
    if convention in _IN_DEGREES:
        return PixelFrame(projections.WGS84, _AS_IT_IS)
    if in_pixels or pixel_size is not None:
        return place_pixels(path, crs=None, pixel_size=pixel_size, pixels=pixels)
    msg = f"{path} does not say which CRS its coordinates are in; {HOW_TO_GIVE_CRS}; for pixels {HOW_TO_PLACE_PIXELS}"
    raise MissingCRSError(msg)


def _crs_text(named: Any) -> Any:
    """The CRS, also from the dictionaries of old versions, as objects or as text.

    They hold ``{'init': 'epsg:4326'}``, or PROJ's parameters: ``{'proj': 'utm', 'zone': 11, 'datum': 'WGS84'}``.
    """
    if isinstance(named, str) and named.lstrip().startswith("{"):
        try:
            named = ast.literal_eval(named.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return named
    if isinstance(named, dict) and "init" in named:
        code = re.search(r"epsg:\d+", str(named["init"]), re.IGNORECASE)
        return code.group() if code else str(named["init"])
    return named


# ---------------------------------------------------------------------- nodes


def _places(graph: "nx.Graph[Any]", path: str | Path) -> tuple[str, dict[Any, tuple[float, float]]]:
    """The attribute that holds the places, and the place of every node."""
    _, sample = next(iter(graph.nodes(data=True)))
    pair = next((names for names in _PAIRS if all(name in sample for name in names)), None)
    single = next((name for name in _SINGLE if name in sample), None)
    if pair is None and single is None and all(name in sample for name in _PIXEL_PAIR):
        pair = _PIXEL_PAIR
    places = {}
    for node, data in graph.nodes(data=True):
        try:
            if pair is not None:
                x, y = float(data[pair[0]]), float(data[pair[1]])
            elif single is not None:
                x, y = _two_numbers(data[single])
            else:
                x, y = _two_numbers(node)
        except (KeyError, TypeError, ValueError, shapely.errors.ShapelyError):
            wanted = " and ".join(pair) if pair else single or "x and y, or lon and lat, or pos"
            msg = f"{path}: node {_name(node)} has no place; every node needs {wanted} as numbers"
            raise UnreadableInputError(msg) from None
        if single == "o" and pair is None:
            x, y = y, x
        if not (math.isfinite(x) and math.isfinite(y)):
            msg = f"{path}: node {_name(node)} is at {x}, {y}; remove it or give it a place"
            raise UnreadableInputError(msg)
        places[node] = (x, y)
    return pair[0] if pair else single or "node", places


def _two_numbers(value: Any) -> tuple[float, float]:
    """A pair of numbers from a sequence, a point, or either of them as text."""
    if isinstance(value, str):
        value = _from_wkt(value) if value.lstrip().upper().startswith("POINT") else re.split(r"[,;\s]+", value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        value = [part.strip("()[]") for part in value if part.strip("()[]")]
    if isinstance(value, BaseGeometry):
        value = shapely.get_coordinates(value)[0]
    numbers = np.asarray(value, dtype=np.float64).ravel()
    if len(numbers) < 2:
        raise ValueError("not a pair")
    return float(numbers[0]), float(numbers[1])


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in {"true", "1", "yes"}
    return isinstance(value, int | float) and value == 1


def _name(node: Any) -> str:
    """A node for a message: short, and never a long or deep object."""
    return repr(node)[:60] if isinstance(node, str | int | float | tuple) else type(node).__name__


# ---------------------------------------------------------------------- edges


def _course(data: dict[str, Any], convention: str, where: str) -> BaseGeometry | None:
    """The line of an edge; ``None`` if the edge is straight."""
    given = data.get("geometry_pix" if convention == _PIXEL_PAIR[0] else "geometry")
    try:
        if given is None and data.get("pts") is not None:
            rows_columns = np.asarray(data["pts"], dtype=np.float64).reshape(-1, 2)
            line: Any = shapely.LineString(rows_columns[:, ::-1]) if len(rows_columns) > 1 else None
        elif isinstance(given, str):
            line = _from_wkt(given) if given.strip() else None
        elif given is None or isinstance(given, BaseGeometry):
            line = given
        else:
            given = given["coordinates"] if isinstance(given, dict) else given
            line = shapely.LineString(np.asarray(given, dtype=np.float64)[:, :2])
    except (ValueError, TypeError, LookupError, RecursionError, shapely.errors.ShapelyError) as error:
        raise UnreadableInputError(f"{where} has a geometry that is not a line; give it as WKT or remove it") from error
    if line is None or line.is_empty:
        return None
    if line.geom_type == "MultiLineString":
        line = shapely.line_merge(line)
    if line.geom_type not in {"LineString", "LinearRing"} or not np.isfinite(shapely.get_coordinates(line)).all():
        raise UnreadableInputError(f"{where} has a {line.geom_type} as geometry; an edge needs one line")
    return line


def _from_wkt(text: str) -> Any:
    geometry = geometries_from_wkt([text])[0]
    if geometry is None:
        raise ValueError("not WKT")
    return geometry


def _edge_ids(graph: "nx.Graph[Any]") -> list[Any]:
    """The id of each edge, a list if osmnx merged ways; ``None`` if the ids of the edges are not distinct."""
    rows = [data for _, _, data in graph.edges(data=True)]
    for name in _IDS:
        if all(isinstance(data.get(name), str | int | float | list | tuple) for data in rows):
            values = [_plain_id(data[name]) for data in rows]
            # GraphML repeats the keys of parallel edges as ids: the same few for all edges.
            if name != "id" or len(set(map(str, values))) == len(values):
                return values
    return [None] * len(rows)


def _plain_id(value: Any) -> Any:
    """An integer, text, or a list of them."""
    several = _listed(value)
    if several is not None:
        return [part if isinstance(part, str | int | float) else type(part).__name__ for part in several]
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value):
        return int(value)
    return value if type(value) is int else str(value)


def _listed(value: Any) -> list[Any] | None:
    """A list, also if it comes as text; ``None`` for anything else."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        for parse in (json.loads, ast.literal_eval):
            try:
                value = parse(value)
                break
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                continue
    return list(value) if isinstance(value, list | tuple) else None


def short_reason(error: Exception) -> str:
    """The message of an error, in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return f"no {text}" if isinstance(error, KeyError) else text[:120]
