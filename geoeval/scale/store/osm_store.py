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
from geoeval.readers.osm.node_store import PER_DEGREE, UNKNOWN, is_placed, node_rows
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
from geoeval.readers.osm.ways import NotInOrderError, Ways, stream_ways, way_segments
from geoeval.scale.store.road_store import Store, write_store
from geoeval.scale.store.segments import Segments, class_facts
from geoeval.scale.store.sorting import DiskSort, Rows

# Bytes of osmium's text that are read at once.
TEXT = 4 << 20
# Vertices that are made into segments at once, give or take a way.
VERTICES = 1 << 17
_WANTED = np.dtype([("node", "i8"), ("vertex", "i8")])
_PLACED = np.dtype([("vertex", "i8"), ("x", "i4"), ("y", "i4")])


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
        self._placed = DiskSort(folder / "placed", lambda rows: rows["vertex"])
        self._way_count = self._vertex_count = self._last_node = 0
        self._place(self._take_ways())

    def segments(self, facts: dict[str, Any]) -> Iterator[Segments]:
        """The segments of some ways at a time; the problems are added to the facts at the end."""
        paired = 0
        placed = _Taken(self._placed.in_order(self._vertex_count.bit_length()))
        with self._nodes.open("rb") as nodes:
            for ids, sizes, classes in self._some_ways():
                node = np.fromfile(nodes, dtype=np.int64, count=int(sizes.sum()))
                rows = placed.take(len(node))
                xy = np.column_stack([rows["x"], rows["y"]]).astype(np.int64)
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

    def _take_ways(self) -> DiskSort:
        """Write the ways and their nodes to disk; gives the vertices that still need their places."""
        wanted = DiskSort(self._folder / "wanted", lambda rows: rows["node"])
        with self._ways.open("wb") as ways_file, self._nodes.open("wb") as nodes_file:
            for ways in stream_ways(self._source, self._rule, self._folder, size=TEXT):
                self._counts.add(**ways.problems)
                if len(ways.ids) == 0:
                    continue
                if ways.refs.min() < 0:
                    raise NotInOrderError
                classes = [self._classes.setdefault(name, len(self._classes)) for name in ways.classes]
                np.column_stack([ways.ids, ways.sizes, classes]).astype(np.int64).tofile(ways_file)
                ways.refs.tofile(nodes_file)
                vertex = np.arange(self._vertex_count, self._vertex_count + len(ways.refs))
                if ways.located:
                    self._placed.put(_located(ways, vertex))
                else:
                    wanted.put(_rows(_WANTED, node=ways.refs, vertex=vertex))
                self._last_node = max(self._last_node, int(ways.refs.max()))
                self._way_count += len(ways.ids)
                self._vertex_count += len(ways.refs)
        if self._way_count == 0:
            raise without_roads(self._source, self._rule, self._counts.problems)
        return wanted

    def _place(self, wanted: DiskSort) -> None:
        """Give vertices the places of their nodes; both are read in the order of nodes, side by side."""
        if wanted.count == 0:
            return
        blocks = _ascending(node_rows(self._source, self._folder))
        block = next(blocks, None)
        missing = 0
        for rows in wanted.in_order(self._last_node.bit_length()):
            start = 0
            while start < len(rows):
                stop = len(rows)
                if block is not None:
                    stop = start + int(np.searchsorted(rows["node"][start:], block["id"][-1], side="right"))
                if stop > start:
                    placed, lost = _look_up(rows[start:stop], block)
                    self._placed.put(placed)
                    missing += lost
                    start = stop
                if start < len(rows):
                    block = next(blocks, None)
        if missing:
            for _ in blocks:  # if the rest is in order too, the nodes are really missing
                pass
        self._counts.add(missing_nodes=missing)


def _look_up(wanted: Rows, block: Rows | None) -> tuple[Rows, int]:
    """Vertices with the places of their nodes, and how many nodes the block does not have."""
    node = wanted["node"]
    placed = _rows(_PLACED, vertex=wanted["vertex"], x=np.full(len(node), UNKNOWN), y=np.full(len(node), UNKNOWN))
    if block is not None:
        row = np.minimum(np.searchsorted(block["id"], node), len(block) - 1)
        hit = block["id"][row] == node
        placed["x"][hit], placed["y"][hit] = block["x"][row[hit]], block["y"][row[hit]]
    here = is_placed(np.column_stack([placed["x"], placed["y"]]).astype(np.int64))
    return placed, len(np.unique(node[~here]))


def _located(ways: Ways, vertex: Ints) -> Rows:
    """Vertices whose places are stored with the ways."""
    if len(ways.located) < len(np.unique(ways.refs)):
        raise NotInOrderError
    nodes = np.fromiter(ways.located, dtype=np.int64)
    places = np.round(np.multiply(list(ways.located.values()), PER_DEGREE)).astype(np.int64)
    order = np.argsort(nodes)
    xy = places[order[np.searchsorted(nodes[order], ways.refs)]]
    if not is_placed(xy).all():
        raise NotInOrderError
    return _rows(_PLACED, vertex=vertex, x=xy[:, 0], y=xy[:, 1])


def _ascending(blocks: Iterator[Rows]) -> Iterator[Rows]:
    """The blocks of nodes that are not empty; an error where ids do not ascend."""
    last = -1
    for rows in blocks:
        if len(rows):
            if rows["id"][0] <= last or (rows["id"][1:] <= rows["id"][:-1]).any():
                raise NotInOrderError
            last = int(rows["id"][-1])
            yield rows


def _rows(kind: np.dtype[Any], **columns: Ints) -> Rows:
    rows = np.empty(len(next(iter(columns.values()))), dtype=kind)
    for name, values in columns.items():
        rows[name] = values
    return rows


class _Taken:
    """Rows of an iterator of arrays, as many at a time as are asked for."""

    def __init__(self, parts: Iterator[Rows]) -> None:
        self._parts = parts
        self._rest = np.empty(0, dtype=_PLACED)

    def take(self, count: int) -> Rows:
        while len(self._rest) < count:
            self._rest = np.concatenate([self._rest, next(self._parts)])
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken
