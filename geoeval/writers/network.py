"""A road network as a file that other programs open, and that reads back as the same graph.

Line formats have one row a road, cut where the source feature changes: ``source_id``, ``length_m``, ``ge_from`` and
``ge_to`` (the nodes at its ends, by which roads that touch are told from roads that join), and ``ge_cut`` where
clipping made an end (1 at the first, 2 at the last, 3 at both). Graph formats have nodes and the roads between them.

What a format cannot hold: RoadTracer's ``.graph`` has neither CRS nor source ids nor cut ends. Segments that the
input had twice (``RoadNetwork.duplicates``) are written once. Ids that are no integers are written as text.
"""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyogrio
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.exceptions import CRSError, OutputError
from geoeval.model.network import RoadNetwork
from geoeval.writers.aside import check_file, new_file
from geoeval.writers.tables import clean_text

if TYPE_CHECKING:
    import geopandas as gpd

Floats = NDArray[np.float64]
Placing = Callable[[Floats], Floats]

# Bytes of text that a shapefile's table can hold.
SHAPEFILE_TEXT = 254
# Files say when they were written; the same network shall give the same bytes.
FIXED_DATE = "2000-01-01"
_RESERVED_LAYERS = ("gpkg", "sqlite_", "rtree_")


def write_network(network: RoadNetwork, path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write a network; the suffix says in which format.

    Parameters
    ----------
    network
        What to write. An empty one gives a file without rows, which the line formats give back as an empty
        network; a graph file without any node is refused when it is read.
    path
        ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb``, ``.parquet`` or ``.geoparquet`` for lines, ``.graph``
        (RoadTracer), ``.graphml`` or ``.json`` (networkx) for a graph. A GeoPackage has one layer, named as the file.
    crs
        What the coordinates shall be in; by default what the network is in, for GeoJSON longitude and latitude.
    overwrite
        Replace a file that exists, as a whole.

    Returns
    -------
    path
        The file. It appears when it is complete; an error leaves what was there before.

    Raises
    ------
    OutputError
        The suffix is not known, the file exists, or it cannot be written.
    CRSError
        The network has no place on Earth and cannot be brought into ``crs``.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in WRITERS:
        raise OutputError(f"{path}: a network is not written as {suffix or 'that'}; choose among {', '.join(WRITERS)}")
    check_file(file, overwrite=overwrite)
    target = _target(network, suffix, crs)
    with new_file(file, overwrite=overwrite) as aside:
        WRITERS[suffix](network, aside, target, _placing(network, target))
    return file


def _target(network: RoadNetwork, suffix: str, crs: Any) -> CRS:
    local = projections.is_local(network.crs)
    if crs is None:
        return projections.WGS84 if suffix == ".geojson" and not local else network.crs
    target = projections.parse_crs(crs)
    if target != network.crs and (local or projections.is_local(target)):
        names = projections.crs_name(network.crs), projections.crs_name(target)
        raise CRSError(f"a network in {names[0]} cannot be written in {names[1]}; give the CRS of the input")
    return target


def _placing(network: RoadNetwork, target: CRS) -> Placing:
    """How coordinates come into the target CRS; longitudes go on beyond 180 where the antimeridian is crossed."""

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
    columns = {name: rows[name].to_numpy() for name in ("source_id", "length_m", "ge_from", "ge_to")}
    columns["source_id"] = _plain_ids(columns["source_id"])
    if network.cut.any():
        columns["ge_cut"] = network.cut[columns["ge_from"]] + 2 * network.cut[columns["ge_to"]]
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
    options = {"DBF_DATE_LAST_UPDATE": FIXED_DATE}
    _write_ogr(frame, path, driver="ESRI Shapefile", encoding="UTF-8", layer_options=options)


def _write_geopackage(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    reserved = not path.stem or path.stem.lower().startswith(_RESERVED_LAYERS)
    layer = "roads" if reserved else path.stem
    # Version 1.2, which the GDAL of older QGIS knows too.
    options = {"VERSION": "1.2"}
    _write_ogr(_frame(network, crs, place), path, driver="GPKG", layer=layer, dataset_options=options)


def _write_flatgeobuf(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:
    _write_ogr(_frame(network, crs, place), path, driver="FlatGeobuf")


def _write_ogr(frame: "gpd.GeoDataFrame", path: Path, **options: Any) -> None:
    before = pyogrio.get_gdal_config_option("OGR_CURRENT_DATE")
    pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": f"{FIXED_DATE}T00:00:00.000Z"})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning here means that something was cut off
            pyogrio.write_dataframe(frame, path, geometry_type="LineString", promote_to_multi=False, **options)
    except (RuntimeError, ValueError, Warning) as error:
        reason = " ".join(str(error).split())[:200]
        msg = f"{path.name} cannot be written ({reason}); check the space there, or choose another format"
        raise OutputError(msg) from error
    finally:
        pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": before})


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


def _write_roadtracer(network: RoadNetwork, path: Path, crs: CRS, place: Placing) -> None:  # noqa: ARG001
    """Lines ``x y``, a blank line, then lines ``i j`` for every segment in both directions."""
    with path.open("w", encoding="ascii") as file:
        file.writelines(f"{x!r} {y!r}\n" for x, y in place(network.nodes).tolist())
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
