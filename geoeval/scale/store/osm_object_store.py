"""Buildings of an OpenStreetMap file of any size, streamed into a store in bounded memory.

Ways and relations with the tag ``building``, and the ways that such relations need, come from osmium as text. Their
vertices get their places as those of roads do. Then some buildings at a time are a small file of their own, with just
the nodes and ways that they need, of which osmium makes areas as it does of a whole file.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import osmium
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.files import check_file, temporary_beside
from geoeval.readers.osm.node_store import PER_DEGREE, is_placed
from geoeval.readers.osm.osm_buildings import check_found, osm_buildings
from geoeval.readers.osm.osm_file import OsmFile, open_osm, osm_writer
from geoeval.readers.osm.osm_roads import declared_extent, geographic
from geoeval.readers.osm.ways import NotInOrderError, ways_in
from geoeval.scale.store.object_store import ObjectStore, write_object_store
from geoeval.scale.store.vertex_places import PlacesInOrder, VertexPlaces

# Bytes of osmium's text that are read at once: some ten thousand buildings.
TEXT = 1 << 20
_MEMBER = re.compile(rb"[M,]w(-?\d+)@")


def store_osm_buildings(
    source: str | Path, path: str | Path, *, crs: Any = None, overwrite: bool = False
) -> ObjectStore:
    """Write the buildings of an OpenStreetMap file into a store, in degrees and as they are drawn.

    The buildings, errors and problems are those of ``read_osm_buildings``. A PBF in the order of ids, as extracts are,
    is streamed. Other files are read into memory: XML, several versions of an object, negative ids of an editor, places
    of nodes that the ways carry.

    Parameters
    ----------
    source
        The file; its format is recognised by its content.
    path
        The store. Temporary files lie beside it.
    crs
        Another geographic CRS, if the coordinates are not WGS 84.
    overwrite
        Whether an existing store may be replaced.

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged or not from OpenStreetMap.
    EmptyInputError
        It has no building, or no outline of any.
    OutputError
        The store exists already or cannot be written.

    Notes
    -----
    O(file) time in osmium and O(n log n) for n vertices. Memory for some ten thousand buildings, and 30 bytes for each
    way of a relation; about 60 bytes per vertex on disk besides the store.
    """
    degrees = geographic(crs)
    file = open_osm(Path(source))
    final = check_file(path, overwrite=overwrite)
    extent = declared_extent(file, degrees)
    facts: dict[str, Any] = {"source": str(source), "extent": None if extent is None else extent.as_dict()}
    with temporary_beside(final) as folder, file.errors(folder):
        parts = _in_memory(file)
        if file.is_pbf and not file.has_versions and not file.has_located_ways:
            with suppress(NotInOrderError):
                parts = _Stream(file, folder).parts()
        return write_object_store(final, _counted(parts, file, facts), crs=degrees, facts=facts, overwrite=overwrite)


@dataclass(frozen=True)
class _Part:
    """Some buildings, and how many have no outline."""

    polygons: Objects
    ids: list[str]
    lost: int
    confidence: Floats | None = None


def _in_memory(source: OsmFile) -> Iterator[_Part]:
    found = osm_buildings(source)
    yield _Part(found.polygons, found.names, found.lost)


def _counted(parts: Iterable[_Part], source: OsmFile, facts: dict[str, Any]) -> Iterator[_Part]:
    """The parts; the problems are added to the facts at the end, those of outlines as a map of objects counts them."""
    counts = {"buildings_without_outline": 0, "repaired": 0, "without_area": 0}
    number = 0
    for part in parts:
        number += len(part.ids)
        counts["buildings_without_outline"] += part.lost
        valid: Bools = shapely.is_valid(part.polygons)
        counts["repaired"] += int((~valid).sum())
        counts["without_area"] += int((shapely.area(part.polygons[valid]) == 0).sum())
        yield part
    check_found(source.path, number, number + counts["buildings_without_outline"])
    facts["problems"] = {name: count for name, count in counts.items() if count}


class _Stream:
    """A PBF whose buildings are assembled some at a time, with its temporary files in a folder."""

    def __init__(self, source: OsmFile, folder: Path) -> None:
        self._folder = folder
        building = osmium.filter.KeyFilter("building")
        self._relations = _text(source, osmium.osm.RELATION, building, folder / "relations.opl")
        self._ways = _text(source, osmium.osm.WAY, building, folder / "ways.opl")
        self._members = _MemberWays(source, folder, self._relations)
        self._places = VertexPlaces(source, folder)
        for path in (self._members.text, self._ways):
            last = -1
            for lines in _lines(path):
                ways = ways_in(lines)
                if ways.ids[0] <= last or (ways.ids[1:] <= ways.ids[:-1]).any():
                    raise NotInOrderError
                last = int(ways.ids[-1])
                self._places.want(ways)
        self._places.look_up()

    def parts(self) -> Iterator[_Part]:
        """Relations first, then ways, both by their ids: the order of a file that is read at once."""
        places = self._places.in_order()
        self._members.keep(places)
        for lines in _lines(self._relations):
            nodes, ways = self._members.of(lines)
            yield self._assembled(nodes, ways, lines)
        for lines in _lines(self._ways):
            refs = ways_in(lines).refs
            yield self._assembled(_nodes(refs, places.take(len(refs))), lines, [])

    def _assembled(self, *groups: Iterable[bytes]) -> _Part:
        """The buildings of a small file of nodes, ways and relations."""
        path = self._folder / "part.opl"
        with path.open("wb") as stream:
            for lines in groups:
                stream.writelines(lines)
        return next(_in_memory(OsmFile(path, "opl")))


@dataclass
class _MemberWays:
    """The ways of building relations, kept on disk with the places of their nodes."""

    source: OsmFile
    folder: Path
    relations: Path
    text: Path = field(init=False)

    def __post_init__(self) -> None:
        wanted: set[int] = set()
        last = -1
        for lines in _lines(self.relations):
            for line in lines:
                number = int(line[1 : line.index(b" ")])
                if number <= last:
                    raise NotInOrderError
                last = number
                wanted.update(map(int, _MEMBER.findall(line)))
        if min(wanted, default=0) < 0:
            raise NotInOrderError
        chosen = osmium.filter.IdFilter(wanted)
        self.text = self.folder / "members.opl"
        if wanted:
            _text(self.source, osmium.osm.WAY, chosen, self.text)
        else:
            self.text.touch()

    def keep(self, places: PlacesInOrder) -> None:
        """Take the places of all nodes of these ways, which come first."""
        ids, sizes = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        with (self.folder / "members").open("wb") as stream:
            for lines in _lines(self.text):
                ways = ways_in(lines)
                ids.append(ways.ids)
                sizes.append(ways.sizes)
                np.column_stack([ways.refs, places.take(len(ways.refs))]).tofile(stream)
        self._ids = np.concatenate(ids)
        self._ends = np.cumsum(np.concatenate(sizes))

    def of(self, relations: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
        """The nodes and the ways that some relations need, as lines of text; ways that are not there are left out."""
        wanted = np.unique([int(way) for line in relations for way in _MEMBER.findall(line)]).astype(np.int64)
        there = np.flatnonzero(np.isin(self._ids, wanted, assume_unique=True))
        found, lines = [np.zeros((0, 3), dtype=np.int64)], []
        with (self.folder / "members").open("rb") as stream:
            for row in there.tolist():
                start = int(self._ends[row - 1]) if row else 0
                stream.seek(24 * start)
                count = 3 * (int(self._ends[row]) - start)
                own = np.fromfile(stream, dtype=np.int64, count=count).reshape(-1, 3)
                found.append(own)
                refs = ",".join(f"n{node}" for node in own[:, 0].tolist())
                lines.append(f"w{self._ids[row]} N{refs}\n".encode())
        every = np.concatenate(found)
        return _nodes(every[:, 0], every[:, 1:]), lines


def _text(source: OsmFile, kind: Any, chosen: Any, path: Path) -> Path:
    """The chosen objects of a kind as text in a file, one a line."""
    with (
        osm_writer(osmium.io.File(str(path), "opl,add_metadata=false")) as writer,
        source.reader(kind) as reader,
    ):
        osmium.apply(reader, chosen, writer)
    return path


def _lines(path: Path) -> Iterator[list[bytes]]:
    """The lines of a file, some at a time."""
    with path.open("rb") as stream:
        while lines := stream.readlines(TEXT):
            yield lines


def _nodes(refs: Ints, xy: Ints) -> list[bytes]:
    """Nodes with their places as lines of text, each once, by their ids; those without a place are left out."""
    node, first = np.unique(refs, return_index=True)
    here = is_placed(xy[first])
    degrees = (xy[first[here]] / PER_DEGREE).tolist()
    return [f"n{one} x{x:.7f} y{y:.7f}\n".encode() for one, (x, y) in zip(node[here].tolist(), degrees, strict=True)]
