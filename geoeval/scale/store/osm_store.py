"""Roads of an OpenStreetMap file of any size, streamed into a store in bounded memory.

The ways of the wanted kind come from osmium as text, some megabytes at a time. Their vertices are sorted by node on
disk and read side by side with the nodes of the file, which are sorted already; with their places they are sorted back
into the order of the ways, and make segments. There is no table of all nodes, neither in memory nor on disk.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.files import check_file, temporary_beside
from geoeval.readers.osm.node_store import PER_DEGREE, is_placed
from geoeval.readers.osm.osm_file import OsmFile, open_osm
from geoeval.readers.osm.osm_roads import (
    declared_extent,
    geographic,
    osm_roads,
    without_length,
    without_nodes,
    without_roads,
)
from geoeval.readers.osm.way_classes import WayRule, way_rule
from geoeval.readers.osm.ways import NotInOrderError, stream_ways, way_segments
from geoeval.scale.store.road_store import Store, write_store
from geoeval.scale.store.segments import Segments, class_facts
from geoeval.scale.store.vertex_places import VertexPlaces

# Bytes of osmium's text that are read at once.
TEXT = 4 << 20
# Vertices that are made into segments at once, give or take a way.
VERTICES = 1 << 17


def store_osm(
    source: str | Path,
    path: str | Path,
    *,
    network_type: str | Sequence[str] = "drive",
    crs: Any = None,
    overwrite: bool = False,
) -> Store:
    """Write the roads of an OpenStreetMap file into a store, in degrees as in the file.

    The ways, errors and problems are those of ``read_osm``; the problems are in the facts of the store. Nodes are
    identified by their OSM ids; source ids are those of ways.

    A PBF in the order of ids, as extracts are, is streamed. Other files are read into memory: XML, several versions
    of an object, negative ids of an editor, coordinates that only some ways have. ``osmium sort`` turns them into a
    PBF that can be streamed.

    Parameters
    ----------
    source
        The file; its format is recognised by its content.
    path
        The store. Temporary files lie beside it.
    network_type, crs
        As in ``read_osm``.
    overwrite
        Whether an existing store may be replaced.

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged or not from OpenStreetMap.
    EmptyInputError
        It has no way of the network type, or no node of those ways.
    OutputError
        The store exists already or cannot be written.

    Notes
    -----
    O(file) time in osmium and O(r log r) for r vertices of roads; bounded memory; about 50 bytes per vertex on disk
    besides the store.
    """
    rule = way_rule(network_type)
    degrees = geographic(crs)
    file = open_osm(Path(source))
    final = check_file(path, overwrite=overwrite)
    extent = declared_extent(file, degrees)
    facts: dict[str, Any] = {"network_type": rule.name, "extent": None if extent is None else extent.as_dict()}
    batches = _from_memory(file, rule, facts)
    with temporary_beside(final) as folder:
        if file.is_pbf and not file.has_versions:
            try:
                with file.errors(folder):
                    batches = _Stream(file, rule, folder).segments(facts)
            except NotInOrderError:
                pass
        return write_store(final, batches, crs=degrees, facts=facts, overwrite=overwrite)


def _from_memory(source: OsmFile, rule: WayRule, facts: dict[str, Any]) -> Iterator[Segments]:
    roads = osm_roads(source, rule)
    counts = _Counts(roads.problems)
    known = np.full(len(roads.ways), -1) if roads.classes is None else roads.classes.of(roads.ways)
    yield counts.with_length(roads.lonlat[roads.segments], roads.nodes[roads.segments], roads.ways, known)
    facts["problems"] = counts.problems
    facts["classes"] = class_facts(roads.classes)
    if counts.segments == 0:
        raise without_length(source.path, rule)


@dataclass
class _Counts:
    """Problems and segments, counted while reading."""

    problems: dict[str, int] = field(default_factory=dict)
    segments: int = 0

    def add(self, **numbers: int) -> None:
        for what, number in numbers.items():
            if number:
                self.problems[what] = self.problems.get(what, 0) + number

    def with_length(self, xy: Floats, node: Ints, source: Ints, road_class: Ints) -> Segments:
        """Segments without those from a node to itself. Different nodes at one place are different nodes."""
        real = node[:, 0] != node[:, 1]
        self.add(zero_length_segments=int((~real).sum()))
        self.segments += int(real.sum())
        return Segments(
            xy[real], node[real], source[real], np.zeros((int(real.sum()), 2), dtype=bool), road_class[real]
        )


class _Stream:
    """A PBF that is streamed into a store, with its temporary files in a folder."""

    def __init__(self, source: OsmFile, rule: WayRule, folder: Path) -> None:
        self._source = source
        self._rule = rule
        self._folder = folder
        self._counts = _Counts()
        self._classes: dict[str, int] = {}
        self._ways = folder / "ways"
        self._nodes = folder / "nodes"
        self._places = VertexPlaces(source, folder)
        self._way_count = 0
        self._take_ways()
        self._counts.add(missing_nodes=self._places.look_up())

    def segments(self, facts: dict[str, Any]) -> Iterator[Segments]:
        """The segments of some ways at a time; the problems are added to the facts at the end."""
        paired = 0
        places = self._places.in_order()
        with self._nodes.open("rb") as nodes:
            for ids, sizes, classes in self._some_ways():
                node = np.fromfile(nodes, dtype=np.int64, count=int(sizes.sum()))
                xy = places.take(len(node))
                here = is_placed(xy)
                pairs, way = way_segments(sizes, np.arange(len(node)), here)
                if not here.all():
                    owner = np.repeat(np.arange(len(sizes)), sizes)
                    self._counts.add(ways_with_missing_nodes=len(np.unique(owner[~here])))
                paired += len(pairs)
                yield self._counts.with_length((xy / PER_DEGREE)[pairs], node[pairs], ids[way], classes[way])
        if paired == 0:
            raise without_nodes(self._source.path, self._rule, self._way_count)
        if self._counts.segments == 0:
            raise without_length(self._source.path, self._rule)
        facts["problems"] = self._counts.problems
        facts["classes"] = {"names": list(self._classes), "of_ways": True}

    def _some_ways(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Ids, numbers of vertices and classes of ways, some at a time, so that their vertices are not too many."""
        with self._ways.open("rb") as stream:
            while len(rows := np.fromfile(stream, dtype=np.int64, count=3 * VERTICES).reshape(-1, 3)):
                batch = np.cumsum(rows[:, 1]) // VERTICES
                for some in np.split(rows, np.flatnonzero(np.diff(batch)) + 1):
                    yield some[:, 0], some[:, 1], some[:, 2]

    def _take_ways(self) -> None:
        """Write the ways and their nodes to disk, and note the vertices that need their places."""
        with self._ways.open("wb") as ways_file, self._nodes.open("wb") as nodes_file:
            for ways in stream_ways(self._source, self._rule, self._folder, size=TEXT):
                self._counts.add(**ways.problems)
                if len(ways.ids) == 0:
                    continue
                self._places.want(ways)
                classes = [self._classes.setdefault(name, len(self._classes)) for name in ways.classes]
                np.column_stack([ways.ids, ways.sizes, classes]).astype(np.int64).tofile(ways_file)
                ways.refs.tofile(nodes_file)
                self._way_count += len(ways.ids)
        if self._way_count == 0:
            raise without_roads(self._source, self._rule, self._counts.problems)
