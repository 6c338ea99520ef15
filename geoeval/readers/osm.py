"""Roads of an OpenStreetMap file, joined where their ways share a node and nowhere else.

The work per node is done by osmium and numpy, never in a Python loop: one pass takes the ways of the wanted kind
(``osm_ways``), a second one the places of the nodes that those ways use (``osm_nodes``). So memory grows with the
roads and not with the file, and a PBF costs little more than going through its ways.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval import crs as projections
from geoeval.exceptions import CRSError, EmptyInputError
from geoeval.model.network import RoadNetwork
from geoeval.readers.osm_classes import WayRule, way_rule
from geoeval.readers.osm_file import OsmFile, open_osm
from geoeval.readers.osm_nodes import node_locations
from geoeval.readers.osm_ways import Ways, read_ways, way_segments, what_there_is

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def read_osm(path: str | Path, *, network_type: str | Sequence[str] = "drive", crs: Any = None) -> RoadNetwork:
    """Read the roads of an OpenStreetMap file: .osm, .osm.gz, .osm.bz2 or .osm.pbf.

    Areas are left out, roundabouts are not areas. Of several versions of an object the newest counts; deleted
    objects are not there. Ways with unknown nodes are kept where two consecutive ones are known.

    Parameters
    ----------
    path
        The file; its kind is told by its content.
    network_type
        ``"drive"``, ``"walk"``, ``"bike"``, ``"all"`` (see ``osm_classes``), or highway classes, as a list or
        as text with commas.
    crs
        What the coordinates are in, if not degrees on WGS 84 as OpenStreetMap has them; another geographic CRS.

    Returns
    -------
    RoadNetwork
        In metres, ``source_ids`` the ids of the OSM ways, and in ``problems``: ``ways_with_missing_nodes``,
        ``missing_nodes``, ``areas`` (ways of a wanted class that are surfaces), ``ways_without_access`` (private,
        or closed to the traffic of the network type).

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged or not from OpenStreetMap.
    EmptyInputError
        It has no way of the network type, or no node of those ways.

    Notes
    -----
    O(file) time in osmium, O(r log r) time and O(r) memory for r vertices of roads.
    """
    rule = way_rule(network_type)
    degrees = geographic(crs)
    roads = osm_roads(open_osm(Path(path)), rule)
    xy, metric, error = projections.to_metres(roads.lonlat, degrees)
    network = RoadNetwork(
        xy,
        roads.segments,
        crs=metric,
        source_ids=roads.ways,
        merge_coincident=False,
        problems=roads.problems,
        source=str(path),
        scale_error=error,
    )
    if network.is_empty:
        raise without_length(path, rule)
    return network


@dataclass(frozen=True)
class OsmRoads:
    """Roads of a file in degrees: ids and places of nodes, segments between rows of these, and the way of each."""

    nodes: Ints
    lonlat: Floats
    segments: Ints
    ways: Ints
    problems: dict[str, int]


def osm_roads(source: OsmFile, rule: WayRule) -> OsmRoads:
    """The roads that a rule wants, segments in the order of the ways' ids; errors and problems as ``read_osm``."""
    with TemporaryDirectory(prefix="geoeval-") as folder, source.errors():
        ways = read_ways(source, rule, Path(folder))
        if len(ways.refs) == 0:
            raise without_roads(source, rule, ways.problems)
        nodes, number = np.unique(ways.refs, return_inverse=True)
        lonlat, known = node_locations(source, nodes, Path(folder), ways.located)

    segments, way = way_segments(ways.sizes, number, known)
    if len(segments) == 0:
        raise without_nodes(source.path, rule, len(ways.ids))
    problems = _problems(ways, number, known)
    ids = ways.ids[way]
    if (np.diff(ids) < 0).any():  # the order of the file shall leave no trace
        order = np.argsort(ids, kind="stable")
        segments, ids = segments[order], ids[order]
    if not known.all():
        nodes, lonlat, segments = nodes[known], lonlat[known], (np.cumsum(known) - 1)[segments]
    return OsmRoads(nodes, lonlat, segments, ids, problems)


def without_roads(source: OsmFile, rule: WayRule, problems: Mapping[str, int]) -> EmptyInputError:
    """The error for a file that has no way of the network type."""
    there = what_there_is(source, problems)
    return EmptyInputError(f"{source.path}: no road of network type {rule.name}; {there}")


def without_nodes(path: Path, rule: WayRule, count: int) -> EmptyInputError:
    """The error for a file that has ways but not two nodes of them that follow each other."""
    msg = (
        f"{path}: has {count} roads of network type {rule.name} but not the nodes that they run through; "
        "make the extract again with complete ways"
    )
    return EmptyInputError(msg)


def without_length(path: str | Path, rule: WayRule) -> EmptyInputError:
    """The error for a file whose roads are points."""
    return EmptyInputError(f"{path}: its roads of network type {rule.name} have no length; it is the wrong file")


def geographic(crs: Any) -> Any:
    """The CRS of an OpenStreetMap file: WGS 84, or another one in degrees that a user names."""
    if crs is None:
        return projections.WGS84
    given = projections.parse_crs(crs)
    if not given.is_geographic:
        msg = (
            f"OpenStreetMap files are in degrees, so {projections.crs_name(given)} cannot be what their coordinates "
            "are in; leave the CRS of this input out"
        )
        raise CRSError(msg)
    return given


def _problems(ways: Ways, number: Ints, known: NDArray[np.bool_]) -> dict[str, int]:
    problems = dict(ways.problems)
    if not known.all():
        way = np.repeat(np.arange(len(ways.sizes)), ways.sizes)
        problems["missing_nodes"] = int((~known).sum())
        problems["ways_with_missing_nodes"] = len(np.unique(way[~known[number]]))
    return problems
