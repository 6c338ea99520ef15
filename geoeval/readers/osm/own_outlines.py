"""Outlines of buildings that osmium does not assemble: rings that cross themselves, and negative ids of an editor.

The rings are made from the nodes of the ways as they are. What encloses no clear area is left to ``ObjectMap``, which
repairs and counts it.
"""

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import osmium
import shapely

from geoeval.arrays import Floats
from geoeval.readers.osm.node_store import node_locations
from geoeval.readers.osm.osm_file import OsmFile
from geoeval.repairing import repaired

# Kind ("way" or "relation") and id.
Name = tuple[str, int]
# Ways that make the outer and the inner rings of a building.
_Members = tuple[list[int], list[int]]


def own_outlines(source: OsmFile, lost: Iterable[Name], crossing: Iterable[Name]) -> dict[Name, bytes]:
    """Outlines as WKB of buildings that osmium gave up, where their nodes are there and their rings close.

    Parameters
    ----------
    source
        The file.
    lost
        Buildings without an outline. They are looked at only if they have negative ids, which osmium cannot look up;
        else their nodes are missing.
    crossing
        Those of which osmium has the nodes and does not understand the rings.

    Notes
    -----
    Passes over the relations and ways of the file in osmium, and over the nodes if any building needs them.
    """
    wanted = sorted({*lost, *crossing})
    if not wanted:
        return {}
    members = _members(source, wanted)
    refs = _refs(source, set(chain.from_iterable(chain(*parts) for parts in members.values())))
    certain = set(crossing)
    chosen = {
        name: parts
        for name, parts in members.items()
        if all(way in refs for way in chain(*parts))
        and (name in certain or any(ref < 0 for way in chain(*parts) for ref in refs[way]))
    }
    if not chosen:
        return {}
    nodes = np.unique([ref for parts in chosen.values() for way in chain(*parts) for ref in refs[way]])
    with TemporaryDirectory(prefix="geoeval-") as folder:
        lonlat, is_placed = node_locations(source, nodes, Path(folder))
    places = {node: place for node, place, here in zip(nodes.tolist(), lonlat, is_placed, strict=True) if here}
    found = {name: _outline(parts, refs, places, source.path) for name, parts in chosen.items()}
    return {name: shapely.to_wkb(shape) for name, shape in found.items() if shape is not None}


def _members(source: OsmFile, names: list[Name]) -> dict[Name, _Members]:
    """The ways of each building; a member without a role is an outer one."""
    members: dict[Name, _Members] = {name: ([name[1]], []) for name in names if name[0] == "way"}
    relations = [number for kind, number in names if kind == "relation"]
    relation: Any
    for relation in _some(source, osmium.osm.RELATION, relations):
        ways = [(member.ref, member.role) for member in relation.members if member.type == "w"]
        inner = [way for way, role in ways if role == "inner"]
        members["relation", relation.id] = ([way for way, role in ways if role != "inner"], inner)
    return members


def _refs(source: OsmFile, ways: set[int]) -> dict[int, list[int]]:
    """The nodes of ways that are in the file."""
    return {way.id: [node.ref for node in way.nodes] for way in _some(source, osmium.osm.WAY, ways)}


def _some(source: OsmFile, kind: Any, ids: Iterable[int]) -> Any:
    wanted = set(ids)
    if not wanted:
        return ()
    # osmium's own filter knows no negative ids.
    if min(wanted) < 0:
        return (thing for thing in osmium.FileProcessor(source.file, kind) if thing.id in wanted)
    return osmium.FileProcessor(source.file, kind).with_filter(osmium.filter.IdFilter(wanted))


def _outline(members: _Members, refs: Mapping[int, list[int]], places: Mapping[int, Floats], source: Path) -> Any:
    """The polygon of outer rings without the inner ones; ``None`` if a node is missing or a ring stays open."""
    grounds = []
    for ways in members:
        rings = _rings([refs[way] for way in ways])
        if rings is None or any(node not in places for ring in rings for node in ring):
            return None
        grounds.append([shapely.Polygon([places[node] for node in ring]) for ring in rings])
    outer, inner = grounds
    if len(outer) == 1 and not inner:
        return outer[0]
    whole = [shapely.union_all(repaired(shapes, source)) for shapes in grounds]
    ground = shapely.difference(whole[0], whole[1])
    return None if shapely.is_empty(ground) else ground


def _rings(parts: list[list[int]]) -> list[list[int]] | None:
    """Ways joined at their common ends into closed rings of nodes; ``None`` if one of them stays open."""
    left = [part for part in parts if len(part) > 1]
    rings = []
    while left:
        ring = list(left.pop(0))
        while ring[0] != ring[-1]:
            row = next((row for row, part in enumerate(left) if ring[-1] in (part[0], part[-1])), None)
            if row is None:
                return None
            part = left.pop(row)
            ring += part[1:] if part[0] == ring[-1] else part[-2::-1]
        if len(ring) < 4:
            return None
        rings.append(ring)
    return rings or ([] if not parts else None)
