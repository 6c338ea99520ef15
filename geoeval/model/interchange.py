"""Conversion of networks from and to networkx, osmnx and geopandas."""

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval import crs as projections
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import UnreadableInputError
from geoeval.stored_geometries import geometries_from_wkt

if TYPE_CHECKING:
    import geopandas as gpd
    import networkx as nx

    from geoeval.model.road_network import RoadNetwork

Network = TypeVar("Network", bound="RoadNetwork")


def from_networkx(
    make: type[Network], graph: "nx.Graph[Any]", *, crs: Any = None, trust_projected: bool = True
) -> Network:
    """See ``RoadNetwork.from_networkx``; ``trust_projected`` as for ``geoeval.crs.to_metres``."""
    named = crs if crs is not None else graph.graph.get("crs")
    number = {node: i for i, node in enumerate(graph.nodes)}
    places = [_position(node, data) for node, data in graph.nodes(data=True)]
    given = projections.assumed_metres(places) if named is None else projections.parse_crs(named)
    touching = 1e-9 if given.is_geographic else 1e-6  # a geometry that ends this near its node ends there
    coordinates = [np.array(places, dtype=np.float64).reshape(-1, 2)]
    count = len(number)
    segments: list[Ints] = []
    ids: list[Any] = []
    chains: dict[tuple[Any, ...], Ints] = {}
    unpaired: Counter[tuple[Any, ...]] = Counter()
    both_directions = 0
    for order, (u, v, data) in enumerate(graph.edges(data=True)):
        inner, turned = _inner_vertices(data.get("geometry"), places[number[u]], places[number[v]], touching)
        course, direction = _course(number[u], number[v], inner)
        name = _name(data)
        if graph.is_directed() and unpaired[course, -direction, name]:
            unpaired[course, -direction, name] -= 1
            both_directions += 1
            continue
        unpaired[course, direction, name] += 1
        chain = chains.get(course)
        if chain is None:
            chain = np.concatenate([[number[u]], count + np.arange(len(inner)), [number[v]]]).astype(np.int64)
            chains[course] = chain if direction >= 0 else chain[::-1]
            count += len(inner)
            coordinates.append(inner)
        elif direction < 0:
            chain = chain[::-1]
        segments.append(np.column_stack([chain[:-1], chain[1:]]))
        ids.extend(_edge_ids(data, order, len(chain) - 1, turned=turned))
    xy, metric, error = projections.to_metres(np.concatenate(coordinates), given, trust_projected=trust_projected)
    cut = np.zeros(len(xy), dtype=bool)
    cut[: len(number)] = [bool(data.get("cut", False)) for _, data in graph.nodes(data=True)]
    return make(
        xy,
        np.concatenate(segments) if segments else np.zeros((0, 2), dtype=np.int64),
        crs=metric,
        source_ids=_id_array(ids),
        merge_coincident=False,
        cut=cut,
        problems={"edges_in_both_directions": both_directions} if both_directions else {},
        scale_error=error,
    )


def to_networkx(network: "RoadNetwork") -> "nx.MultiGraph[Any]":
    """See ``RoadNetwork.to_networkx``."""
    import networkx as nx

    graph: nx.MultiGraph[Any] = nx.MultiGraph(crs=network.crs.to_wkt())
    roads = network.roads
    for node in np.unique(roads.ends).tolist():
        x, y = network.nodes[node].tolist()
        graph.add_node(node, x=x, y=y, **({"cut": True} if network.cut[node] else {}))
    for road in range(len(roads)):
        first, last = roads.ends[road].tolist()
        graph.add_edge(
            first,
            last,
            geometry=shapely.LineString(network.nodes[roads.nodes_of(road)]),
            length=float(roads.length[road]),
            source_ids=network.source_ids[roads.segments_of(road)].tolist(),
        )
    return graph


def to_geodataframe(network: "RoadNetwork") -> "gpd.GeoDataFrame":
    """See ``RoadNetwork.to_geodataframe``."""
    import geopandas as gpd

    roads = network.roads
    ids = network.source_ids[roads.path_segment]
    road = roads.road_of[roads.path_segment]
    new = np.ones(len(ids), dtype=bool)
    new[1:] = (road[1:] != road[:-1]) | np.fromiter((a != b for a, b in zip(ids[1:], ids[:-1], strict=True)), bool)
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(ids))
    # Segment k of all roads together begins at node k + its road's number of the concatenated paths.
    chain_start = first + road[first]
    sizes = last - first + 1
    row = np.repeat(np.arange(len(first)), sizes)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    chain = roads.path[np.repeat(chain_start, sizes) + within]
    geometry = shapely.linestrings(network.nodes[chain], indices=row) if len(first) else []
    lengths = np.add.reduceat(network.segment_lengths[roads.path_segment], first) if len(first) else np.zeros(0)
    columns = {
        "source_id": ids[first],
        "length_m": lengths,
        "ge_from": roads.path[chain_start],
        "ge_to": roads.path[chain_start + sizes - 1],
    }
    if network.cut.any():
        columns["ge_cut"] = network.cut[columns["ge_from"]] + 2 * network.cut[columns["ge_to"]]
    return gpd.GeoDataFrame(columns, geometry=geometry, crs=network.crs)


def _position(node: Any, data: dict[str, Any]) -> tuple[float, float]:
    """Coordinates of a node, in any of the ways in which graphs of roads store them."""
    if "x" in data and "y" in data:
        return float(data["x"]), float(data["y"])
    for key in ("pos", "position", "o"):
        if key in data:
            x, y = np.asarray(data[key], dtype=np.float64).ravel()[:2]
            return float(x), float(y)
    if isinstance(node, tuple) and len(node) >= 2 and all(isinstance(value, int | float) for value in node[:2]):
        return float(node[0]), float(node[1])
    msg = f"node {node!r} of the graph has no coordinates; set x and y, or pos, or use (x, y) tuples as nodes"
    raise UnreadableInputError(msg)


def _inner_vertices(
    geometry: Any, start: tuple[float, float], end: tuple[float, float], touching: float
) -> tuple[Floats, bool]:
    """Vertices of an edge between its ends, from start to end, and whether the geometry had to be reversed."""
    if geometry is None:
        return np.zeros((0, 2)), False
    line = geometries_from_wkt([geometry])[0] if isinstance(geometry, str) else geometry
    if line is None:
        raise UnreadableInputError(f"the geometry {geometry[:40]!r} of an edge is not WKT; write LINESTRING (x y, x y)")
    coordinates = shapely.get_coordinates(line)
    if len(coordinates) < 2:
        return np.zeros((0, 2)), False
    forward = np.hypot(*(coordinates[0] - start)) + np.hypot(*(coordinates[-1] - end))
    backward = np.hypot(*(coordinates[0] - end)) + np.hypot(*(coordinates[-1] - start))
    turned = bool(backward < forward)
    if turned:
        coordinates = coordinates[::-1]
    inner = coordinates[1:-1]
    # A geometry may stop short of its nodes; its own ends are then vertices like the others.
    if np.hypot(*(coordinates[0] - start)) > touching:
        inner = np.concatenate([coordinates[:1], inner])
    if np.hypot(*(coordinates[-1] - end)) > touching:
        inner = np.concatenate([inner, coordinates[-1:]])
    return inner, turned


def _course(u: int, v: int, inner: Floats) -> tuple[tuple[Any, ...], int]:
    """A key that an edge and its reverse share, and which of them it is: 1, -1, or 0 if both are the same."""
    forward = (u, v, tuple(map(tuple, np.round(inner, 9).tolist())))
    backward = (v, u, forward[2][::-1])
    return min(forward, backward), (forward < backward) - (forward > backward)


def _name(data: dict[str, Any]) -> frozenset[str] | None:
    """The ids that an edge and its reverse share: osmnx lists the ids of merged ways in the order of travel."""
    value = data.get("osmid", data.get("source_ids", data.get("source_id", data.get("id"))))
    if value is None:
        return None
    return frozenset(map(str, value)) if isinstance(value, list | tuple) else frozenset([str(value)])


def _edge_ids(data: dict[str, Any], order: int, count: int, *, turned: bool) -> list[Any]:
    per_segment = data.get("source_ids")
    if isinstance(per_segment, list | tuple) and len(per_segment) == count:
        return list(per_segment[::-1] if turned else per_segment)
    value = data.get("osmid", data.get("source_id", data.get("id", order)))
    return [", ".join(map(str, value)) if isinstance(value, list | tuple) else value] * count


def _id_array(ids: list[Any]) -> NDArray[Any]:
    """Integers stay integers; anything else becomes text, so that one column holds them all."""
    if all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in ids):
        return np.array(ids, dtype=np.int64)
    return np.array([str(value) for value in ids], dtype=object)
