"""The places of the vertices of ways, without a table of all nodes.

Vertices are sorted by node on disk and read side by side with the nodes of the file, which are sorted already; with
their places they are sorted back into the order in which they came.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.arrays import Ints
from geoeval.readers.osm.node_store import PER_DEGREE, UNKNOWN, is_placed, node_rows
from geoeval.readers.osm.osm_file import OsmFile
from geoeval.readers.osm.ways import NotInOrderError, Ways
from geoeval.scale.store.sorting import DiskSort, Rows

_WANTED = np.dtype([("node", "i8"), ("vertex", "i8")])
_PLACED = np.dtype([("vertex", "i8"), ("x", "i4"), ("y", "i4")])


class VertexPlaces:
    """Takes the nodes of ways in any number, and gives back the place of each in the same order, in bounded memory.

    Parameters
    ----------
    source
        A PBF in the order of ids.
    folder
        For temporary files.
    """

    def __init__(self, source: OsmFile, folder: Path) -> None:
        self.count = 0
        self._source = source
        self._folder = folder
        self._last_node = 0
        self._wanted = DiskSort(folder / "wanted", lambda rows: rows["node"])
        self._placed = DiskSort(folder / "placed", lambda rows: rows["vertex"])

    def want(self, ways: Ways) -> None:
        """Add the nodes of ways, way by way.

        Raises
        ------
        NotInOrderError
            A node has a negative id, or only some of the ways carry the places of their nodes.
        """
        if len(ways.refs) == 0:
            return
        if ways.refs.min() < 0:
            raise NotInOrderError
        vertex = np.arange(self.count, self.count + len(ways.refs))
        if ways.located:
            self._placed.put(_located(ways, vertex))
        else:
            self._wanted.put(_rows(_WANTED, node=ways.refs, vertex=vertex))
        self._last_node = max(self._last_node, int(ways.refs.max()))
        self.count += len(ways.refs)

    def look_up(self) -> int:
        """Find all places, once all nodes are there; gives how many nodes the file lacks.

        Raises
        ------
        NotInOrderError
            The nodes of the file do not ascend.
        """
        if self._wanted.count == 0:
            return 0
        blocks = _ascending(node_rows(self._source, self._folder))
        block = next(blocks, None)
        missing = 0
        for rows in self._wanted.in_order(self._last_node.bit_length()):
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
        return missing

    def in_order(self) -> "PlacesInOrder":
        """The places of all vertices; once only."""
        return PlacesInOrder(self._placed.in_order(self.count.bit_length()))


class PlacesInOrder:
    """Places in 1e-7 degrees, as many at a time as are asked for."""

    def __init__(self, parts: Iterator[Rows]) -> None:
        self._parts = parts
        self._rest = np.empty(0, dtype=_PLACED)

    def take(self, count: int) -> Ints:
        """The next places ``(count, 2)``; those that are not known are not on Earth."""
        while len(self._rest) < count:
            self._rest = np.concatenate([self._rest, next(self._parts)])
        taken, self._rest = self._rest[:count], self._rest[count:]
        return np.column_stack([taken["x"], taken["y"]]).astype(np.int64)


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
