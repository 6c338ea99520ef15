"""A road network as a file that other programs open, and that reads back as the same graph.

Line formats have one row per road, cut where the source feature changes: ``source_id``, ``length_m``, ``ge_from`` and
``ge_to`` (the nodes at its ends, which tell roads that join from roads that only touch), and ``ge_cut`` where clipping
made an end (1 at the first, 2 at the last, 3 at both). Graph formats have nodes and the roads between them.

What a format cannot hold: RoadTracer's ``.graph`` has neither CRS nor source ids nor cut ends. Segments that the
input had twice (``RoadNetwork.duplicates``) are written once. Ids other than integers are written as text.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Floats
from geoeval.exceptions import OutputError
from geoeval.files import check_output, keeps_inputs, new_file
from geoeval.model.road_network import RoadNetwork
from geoeval.writers.feature_files import target_crs
from geoeval.writers.gdal import SHAPEFILE_TEXT, layer_of, write_rows
from geoeval.writers.tables import clean_text

if TYPE_CHECKING:
    import geopandas as gpd

Placing = Callable[[Floats], Floats]


def check_network_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of a file that can be written, or an ``OutputError``; ask before the work."""
    return check_output(path, "roads", overwrite=overwrite)


@keeps_inputs
def write_network(network: RoadNetwork, path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write a road network to a file.

    Parameters
    ----------
    network
        The network. An empty one gives a file without rows, which the line formats read back as an empty network;
        a graph file without nodes is refused by the reader.
    path
        The file; its suffix chooses the format: ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb``, ``.parquet`` or
        ``.geoparquet`` for lines, ``.graph`` (RoadTracer), ``.graphml`` or ``.json`` (networkx) for a graph. A
        GeoPackage has one layer, named like the file.
    crs
        CRS of the file; by default that of the network, and longitude and latitude for GeoJSON.
    overwrite
        Replace an existing file, with all its parts.

    Returns
    -------
    Path
        The file. It appears when it is complete; after an error, what was there before is still there.

    Raises
    ------
    OutputError
        The suffix is unknown, the file exists, or it cannot be written.
    CRSError
        The network is in local metres and cannot be transformed to ``crs``.

    Examples
    --------
    >>> from geoeval import RoadNetwork, write_network
    >>> network = RoadNetwork.from_lines([[(0, 0), (100, 0)], [(100, 0), (100, 80)]], crs="EPSG:32610")
    >>> write_network(network, "roads.gpkg", overwrite=True).name
    'roads.gpkg'
    """
    file = check_network_file(path, overwrite=overwrite)
    suffix = file.suffix.lower()
    target = target_crs(network.crs, crs, suffix)
    with new_file(file, overwrite=overwrite) as unfinished:
        WRITERS[suffix](network, unfinished, target, _placing(network, target))
    return Path(path)


def _placing(network: RoadNetwork, target: CRS) -> Placing:
    """The way of coordinates into the target CRS; longitudes go beyond 180 where the antimeridian is crossed."""

    def place(xy: Floats) -> Floats:
        return projections.transform(xy, network.crs, target)

    if not target.is_geographic or network.is_empty or np.ptp(place(network.nodes)[:, 0]) <= 180:
        return place

    def place_beyond(xy: Floats) -> Floats:
        placed = place(xy)
        return np.column_stack([np.where(placed[:, 0] < 0, placed[:, 0] + 360, placed[:, 0]), placed[:, 1]])

    return place_beyond


# ---------------------------------------------------------------------- lines


def _frame(network: RoadNetwork, crs: CRS, place: Placing) -> "gpd.GeoDataFrame":
    """The rows of the line formats."""
    import geopandas as gpd

    rows = network.to_geodataframe()
    columns = {name: rows[name].to_numpy() for name in rows.columns.drop("geometry")}
    columns["source_id"] = _plain_ids(columns["source_id"])
    lines = rows.geometry.to_numpy()
    return gpd.GeoDataFrame(columns, geometry=shapely.transform(lines, place) if len(lines) else [], crs=crs)


def _plain_ids(ids: NDArray[Any]) -> NDArray[Any]:
    """Integers where all are, else text that every file can hold."""
    values = ids.tolist()
    if all(isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    return np.array([None, *(clean_text(value) for value in values)], dtype=object)[1:]


def _write_shapefile(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    frame = _frame(network, crs, place)
    ids = frame["source_id"].to_numpy()
    if any(len(str(value).encode()) > SHAPEFILE_TEXT for value in ids):
        msg = f"{path.name}: a source id has more than {SHAPEFILE_TEXT} bytes, which a shapefile cannot hold; use .gpkg"
        raise OutputError(msg)
    if len(ids) and ids.dtype != object and np.abs(ids).max() >= 10**17:
        frame["source_id"] = ids.astype(str).astype(object)  # wider numbers become inexact in a shapefile
    _write_whole(frame, path)


def _write_geopackage(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    _write_whole(_frame(network, crs, place), path, layer=layer_of(path, otherwise="roads"))


def _write_flatgeobuf(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    _write_whole(_frame(network, crs, place), path)


def _write_whole(frame: "gpd.GeoDataFrame", path: Path, *, layer: str | None = None) -> None:
    """Write all of it or nothing: a warning of the library means that something was cut off."""
    lost = write_rows(frame, path, path.suffix[1:].lower(), geometry="LineString", layer=layer)
    if lost:
        raise OutputError(f"{path.name} cannot be written ({'; '.join(lost)}); choose another format")


def _write_parquet(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    _frame(network, crs, place).to_parquet(path, index=False)


def _write_geojson(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    """Written by hand: every digit is kept, and a CRS that is not longitude and latitude is named."""
    frame = _frame(network, crs, place)
    geometries = shapely.to_geojson(frame.geometry.to_numpy())
    names = [name for name in frame.columns if name != "geometry"]
    rows = zip(*(frame[name].tolist() for name in names), strict=True)
    head: dict[str, Any] = {"type": "FeatureCollection", "name": path.stem}
    if crs != projections.WGS84:
        authority = crs.to_authority(min_confidence=100)
        name = "urn:ogc:def:crs:{}::{}".format(*authority) if authority else crs.to_wkt()
        head["crs"] = {"type": "name", "properties": {"name": name}}
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "features": [')
        separator = "\n"
        for row, geometry in zip(rows, geometries, strict=True):
            properties = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            file.write(f'{separator}{{"type": "Feature", "properties": {properties}, "geometry": {geometry}}}')
            separator = ",\n"
        file.write("\n]}\n")


# ---------------------------------------------------------------------- graphs


def _write_roadtracer(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    """Lines ``x y``, a blank line, then lines ``i j`` with every segment in both directions.

    Without a place on Earth the coordinates are those of an image, whose y points down.
    """
    places = place(network.nodes)
    if projections.is_local(crs):
        places = np.column_stack([places[:, 0], 0.0 - places[:, 1]])
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"{x!r} {y!r}\n" for x, y in places.tolist())
        file.write("\n")
        file.writelines(f"{first} {last}\n{last} {first}\n" for first, last in network.segments.tolist())


def _write_graphml(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    import networkx as nx

    nodes, edges = _graph(network, place)
    graph: nx.MultiGraph[Any] = nx.MultiGraph(crs=crs.to_wkt())
    graph.add_nodes_from((node.pop("id"), node) for node in nodes)
    for edge in edges:
        ids = json.dumps(edge.pop("source_ids"), ensure_ascii=False)
        graph.add_edge(edge.pop("source"), edge.pop("target"), edge.pop("key"), **edge, source_ids=ids)
    nx.write_graphml(graph, path)


def _write_node_link(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    nodes, edges = _graph(network, place)
    graph = {"directed": False, "multigraph": True, "graph": {"crs": crs.to_wkt()}, "nodes": nodes, "edges": edges}
    path.write_text(json.dumps(graph, ensure_ascii=False), encoding="utf-8")


def _graph(network: RoadNetwork, place: Placing) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Nodes and edges between junctions and ends, as ``RoadNetwork.to_networkx`` has them, of plain values only."""
    roads, xy = network.roads, place(network.nodes).tolist()
    ids = _plain_ids(network.source_ids)
    nodes = [
        {"id": node, "x": xy[node][0], "y": xy[node][1], **({"cut": True} if network.cut[node] else {})}
        for node in np.unique(roads.ends).tolist()
    ]
    keys: dict[tuple[int, int], int] = {}
    edges = []
    for road, (first, last) in enumerate(roads.ends.tolist()):
        key = keys[first, last] = keys.get((first, last), -1) + 1
        course = ", ".join(f"{xy[node][0]!r} {xy[node][1]!r}" for node in roads.nodes_of(road).tolist())
        edges.append(
            {
                "source": first,
                "target": last,
                "key": key,
                "length": float(roads.length[road]),
                "geometry": f"LINESTRING ({course})",
                "source_ids": ids[roads.segments_of(road)].tolist(),
            }
        )
    return nodes, edges


WRITERS: dict[str, Callable[[RoadNetwork, Path, CRS, Placing], None]] = {
    ".shp": _write_shapefile,
    ".gpkg": _write_geopackage,
    ".geojson": _write_geojson,
    ".fgb": _write_flatgeobuf,
    ".parquet": _write_parquet,
    ".geoparquet": _write_parquet,
    ".graph": _write_roadtracer,
    ".graphml": _write_graphml,
    ".json": _write_node_link,
}
