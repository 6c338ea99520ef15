"""Roads of OpenStreetMap files, joined where their ways share a node and nowhere else.

The work per node is done by osmium and numpy, never in a Python loop: one pass takes the ways of the wanted kind
(``ways``), a second one the locations of their nodes (``node_store``). So memory grows with the roads and not with the
file, and a PBF costs little more than one pass over its ways.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import CRSError, EmptyInputError
from geoeval.model.extent import Extent
from geoeval.model.road_network import RoadNetwork
from geoeval.model.source_classes import SourceClasses, source_classes
from geoeval.readers.osm.recognition import has_osm_name, is_osm
from geoeval.readers.osm.way_classes import WayRule, way_rule
from geoeval.readers.reader import Reader

if TYPE_CHECKING:
    from geoeval.readers.osm.osm_file import OsmFile
    from geoeval.readers.osm.ways import Ways


def read_osm(path: str | Path, *, network_type: str | Sequence[str] = "drive", crs: Any = None) -> RoadNetwork:
    """Read the roads of an OpenStreetMap file: .osm, .osm.gz, .osm.bz2 or .osm.pbf.

    Areas are left out; roundabouts are not areas. If an object has several versions, the newest counts; deleted
    objects are left out. A way with unknown nodes is kept where two consecutive nodes are known.

    Parameters
    ----------
    path
        The file; its content decides its format.
    network_type
        ``"drive"``, ``"walk"``, ``"bike"``, ``"all"``, ``"cycle"``, ``"rail"``, ``"power"``, ``"waterway"`` and more
        (see :mod:`geoeval.readers.osm.way_classes`); highway classes, as a list or as text with commas; or tags such
        as ``"railway=tram"``, ``"highway=residential,tertiary"`` and ``"waterway=*"``.
    crs
        Another geographic CRS, if the coordinates are not WGS 84 as usual in OpenStreetMap.

    Returns
    -------
    RoadNetwork
        In metres; ``source_ids`` are the ids of the OSM ways. ``problems`` counts ``ways_with_missing_nodes``,
        ``missing_nodes``, ``areas`` (ways of a wanted class that are areas) and ``ways_without_access`` (private, or
        closed to the traffic of the network type).

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
    from geoeval.readers.osm.osm_file import open_osm

    rule = way_rule(network_type)
    degrees = geographic(crs)
    source = open_osm(Path(path))
    roads = osm_roads(source, rule)
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
        extent=declared_extent(source, degrees),
    )
    if network.is_empty:
        raise without_length(path, rule)
    return network.with_classes(roads.classes)


@dataclass(frozen=True)
class OsmRoads:
    """Roads in degrees: ids and locations of nodes, segments as pairs of node numbers, and the way of each segment."""

    nodes: Ints
    lonlat: Floats
    segments: Ints
    ways: Ints
    problems: dict[str, int]
    classes: SourceClasses | None = None


def osm_roads(source: "OsmFile", rule: WayRule) -> OsmRoads:
    """The roads that a rule selects, in the order of the ids of their ways; errors and problems as in ``read_osm``."""
    from geoeval.readers.osm.node_store import node_locations
    from geoeval.readers.osm.ways import read_ways, way_segments

    with TemporaryDirectory(prefix="geoeval-") as folder, source.errors():
        ways = read_ways(source, rule, Path(folder))
        if len(ways.refs) == 0:
            raise without_roads(source, rule, ways.problems)
        nodes, number = np.unique(ways.refs, return_inverse=True)
        lonlat, is_placed = node_locations(source, nodes, Path(folder), ways.located)

    segments, way = way_segments(ways.sizes, number, is_placed)
    if len(segments) == 0:
        raise without_nodes(source.path, rule, len(ways.ids))
    problems = _problems(ways, number, is_placed)
    ids = ways.ids[way]
    if (np.diff(ids) < 0).any():  # the result does not depend on the order of the file
        order = np.argsort(ids, kind="stable")
        segments, ids = segments[order], ids[order]
    if not is_placed.all():
        nodes, lonlat, segments = nodes[is_placed], lonlat[is_placed], (np.cumsum(is_placed) - 1)[segments]
    classes = source_classes(ways.ids, np.array(ways.classes), of_ways=True)
    return OsmRoads(nodes, lonlat, segments, ids, problems, classes)


def without_roads(source: "OsmFile", rule: WayRule, problems: Mapping[str, int]) -> EmptyInputError:
    """The error for a file that has no way of the network type."""
    from geoeval.readers.osm.ways import what_there_is

    there = what_there_is(source, rule, problems)
    return EmptyInputError(f"{source.path}: no road of network type {rule.name}; {there}")


def without_nodes(path: Path, rule: WayRule, count: int) -> EmptyInputError:
    """The error for a file that has ways but no two consecutive nodes of any of them."""
    msg = (
        f"{path}: has {count} roads of network type {rule.name} but not their nodes; "
        "make the extract again with complete ways"
    )
    return EmptyInputError(msg)


def without_length(path: str | Path, rule: WayRule) -> EmptyInputError:
    """The error for a file whose roads are points."""
    return EmptyInputError(f"{path}: its roads of network type {rule.name} have no length; give another file")


def declared_extent(source: "OsmFile", crs: Any) -> Extent | None:
    """The bounds that a file declares, if it does; ways that were kept whole may lead out of them."""
    box = source.declared_box
    return None if box is None else Extent.of_box(box, crs, exact=False)


def geographic(crs: Any) -> Any:
    """The CRS of an OpenStreetMap file: WGS 84, or the geographic one given."""
    if crs is None:
        return projections.WGS84
    given = projections.parse_crs(crs)
    if not given.is_geographic:
        msg = (
            f"OpenStreetMap files are in degrees and cannot be in {projections.crs_name(given)}; "
            "leave out the CRS of this input"
        )
        raise CRSError(msg)
    return given


def _problems(ways: "Ways", number: Ints, is_placed: Bools) -> dict[str, int]:
    problems = dict(ways.problems)
    if not is_placed.all():
        way = np.repeat(np.arange(len(ways.sizes)), ways.sizes)
        problems["missing_nodes"] = int((~is_placed).sum())
        problems["ways_with_missing_nodes"] = len(np.unique(way[~is_placed[number]]))
    return problems


READER = Reader("osm", reads={"roads": read_osm}, by_content=is_osm, by_name=has_osm_name)
