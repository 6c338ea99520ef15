"""Locations of the nodes of some ways, without a Python step per node and without memory for all other nodes.

osmium can look up nodes by id only with a table of all of them, or with a set of ids that takes up to 1.6 GB. A PBF,
however, is a sequence of blocks, each of which is a file of its own once the header is put before it. So osmium writes
the nodes of a few blocks at a time to a table on disk (id, x, y: 16 bytes per node), from which numpy picks those that
are asked for.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import osmium
from numpy.typing import NDArray

from geoeval.arrays import Bools, Floats, Ints
from geoeval.readers.osm.osm_file import OsmFile
from geoeval.readers.osm.pbf_blocks import read_block

# Bytes of a PBF that are unpacked together: enough to be fast, and too few to matter in memory.
CHUNK = 1 << 18
# One row of osmium's table of nodes; coordinates are whole numbers of 1e-7 degrees, as in the file.
_ROW = np.dtype([("id", "<i8"), ("x", "<i4"), ("y", "<i4")])
# The smallest table that osmium makes.
_FIRST_SIZE = _ROW.itemsize << 20
# Coordinates in OpenStreetMap are whole numbers of 1e-7 degrees.
PER_DEGREE = 10_000_000
UNKNOWN = 2**31 - 1


def node_locations(
    source: OsmFile, nodes: Ints, folder: Path, located: Mapping[int, tuple[float, float]] | None = None
) -> tuple[Floats, Bools]:
    """Longitude and latitude of nodes, and which of them are known.

    Parameters
    ----------
    source
        The file.
    nodes
        Ids, ascending.
    folder
        Where a table of the nodes of a few blocks may be written.
    located
        Locations that are known already.

    Notes
    -----
    O(file) time in osmium; O(n) memory for n nodes asked for. A node outside the world is unknown.
    """
    xy = np.full((len(nodes), 2), UNKNOWN, dtype=np.int64)
    for node, place in (located or {}).items():
        xy[np.searchsorted(nodes, node)] = np.round(np.multiply(place, PER_DEGREE))
    if not (located and is_placed(xy).all()):
        # osmium's table knows neither versions nor the negative ids that editors give to new objects.
        if source.has_versions or nodes[0] < 0:
            _one_by_one(source, nodes, xy)
        else:
            _by_blocks(source, nodes, xy, folder)
    return xy / PER_DEGREE, is_placed(xy)


def node_rows(source: OsmFile, folder: Path) -> Iterator[NDArray[np.void]]:
    """All nodes of a PBF in their order, a few blocks at a time: ``id``, ``x`` and ``y`` in 1e-7 degrees."""
    path = folder / "nodes.bin"
    with path.open("wb") as stream:
        stream.truncate(_FIRST_SIZE)  # a hole: osmium would fill its first megabytes, used or not
    table = osmium.index.create_map(f"sparse_file_array,{path}")
    for chunk in _chunks(source.path):
        table.clear()
        with osmium.io.Reader(osmium.io.FileBuffer(chunk, "pbf"), osmium.osm.NODE) as reader:
            osmium.apply(reader, osmium.NodeLocationsForWays(table))
        yield np.fromfile(path, dtype=_ROW, count=table.used_memory() // _ROW.itemsize)


def is_placed(xy: NDArray[Any]) -> Bools:
    """Which locations, in 1e-7 degrees, are on Earth."""
    return (np.abs(xy[:, 0]) <= 180 * PER_DEGREE) & (np.abs(xy[:, 1]) <= 90 * PER_DEGREE)


def _by_blocks(source: OsmFile, nodes: Ints, xy: Ints, folder: Path) -> None:
    left = int((~is_placed(xy)).sum())
    for rows in node_rows(source, folder):
        left -= _pick(rows, nodes, xy)
        if left == 0:
            return


def _pick(rows: NDArray[np.void], nodes: Ints, xy: Ints) -> int:
    """Take the locations of ``nodes`` that are among the rows; returns how many of them were unknown until now."""
    if len(rows) == 0:
        return 0
    ids = np.ascontiguousarray(rows["id"])
    if (ids[1:] < ids[:-1]).any():
        order = np.argsort(ids, kind="stable")
        rows, ids = rows[order], ids[order]
    first, last = np.searchsorted(nodes, [ids[0], ids[-1] + 1])
    row = np.searchsorted(ids, nodes[first:last])
    hit = ids[row] == nodes[first:last]
    asked, row = first + np.flatnonzero(hit), row[hit]
    new = int((xy[asked, 0] == UNKNOWN).sum())
    xy[asked, 0], xy[asked, 1] = rows["x"][row], rows["y"][row]
    return new


def _chunks(path: Path) -> Iterator[bytes]:
    """A PBF in parts of complete blocks, each a PBF that can be read alone."""
    header, parts, size = b"", [], 0
    with path.open("rb") as stream:
        while (found := read_block(stream)) is not None:
            kind, start, content = found
            block = start + content
            if kind == b"OSMHeader":
                header = block
                continue
            parts.append(block)
            size += len(block)
            if size >= CHUNK:
                yield header + b"".join(parts)
                parts, size = [], 0
    if parts:
        yield header + b"".join(parts)


def _one_by_one(source: OsmFile, nodes: Ints, xy: Ints) -> None:
    """Take the newest version of each node, in a loop over all nodes; deleted ones are unknown."""
    number, deleted = {node: i for i, node in enumerate(nodes.tolist())}, source.deleted_nodes
    versions: dict[int, int] = {}
    node: Any
    for node in osmium.FileProcessor(source.file, osmium.osm.NODE):
        at = number.get(node.id)
        if at is None or node.version < versions.get(at, 0):
            continue
        versions[at] = node.version
        gone = node.deleted or node.id in deleted
        xy[at] = (UNKNOWN, UNKNOWN) if gone else (node.location.x, node.location.y)
