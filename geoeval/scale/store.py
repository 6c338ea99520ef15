"""A road network on disk that can be read by place.

A store is one GeoParquet file (version 1.1, encoding ``linestring``), which GDAL, QGIS and geopandas open too: a row
a segment, in the order of a curve through the plane, in groups of rows. Parquet keeps the smallest and largest
coordinate of each group, so a reader knows which groups a box needs and reads nothing else. The columns are
``geometry``, ``from`` and ``to`` (identities of the nodes at its ends), ``source``, ``from_cut`` and ``to_cut``.
"""

import json
import os
import shutil
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.exceptions import UnreadableInputError
from geoeval.model.network import RoadNetwork
from geoeval.scale.segments import Segments, network_of, segments_of
from geoeval.scale.spool import Spool
from geoeval.scale.store_file import write_rows
from geoeval.writers.aside import new_file

__all__ = ["Segments", "Store", "network_of", "store_network", "write_store"]

Floats = NDArray[np.float64]

# Bytes of groups that an open store keeps at hand for the next box.
CACHE_BYTES = 64 << 20
_X, _Y = ("geometry.list.element.x", "geometry.list.element.y")


def write_store(
    path: str | Path,
    batches: Iterable[Segments],
    *,
    crs: Any,
    facts: Mapping[str, Any],
    overwrite: bool = False,
) -> "Store":
    """Write segments of any number into a store.

    Parameters
    ----------
    path
        The file; it gets its name when it is complete.
    batches
        The segments, in parts of any size and any order; those with the same nodes stay in theirs. No segments at all
        make an empty store.
    crs
        What their coordinates are in.
    facts
        What else shall be known of them, as JSON has it. They are written after the last batch was taken, so that
        who makes the batches may complete them. ``duplicate_segments``, the number of segments whose nodes another
        segment has too, is added to its ``problems`` unless it is there.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    OutputError
        The file exists already or cannot be written.
    ParameterError
        A coordinate is not a number, or some ids are numbers and others text.

    Notes
    -----
    O(m log m) time; memory for about a million segments, whatever m is; the rest waits beside the file on disk.
    """
    crs = projections.parse_crs(crs)
    with new_file(path, overwrite=overwrite) as aside:
        waiting = aside.parent / "waiting"
        waiting.mkdir()
        spool = Spool(waiting)
        for batch in batches:
            spool.put(batch)
        write_rows(aside, spool, crs, facts)
        shutil.rmtree(waiting)
    return Store(path)


def store_network(
    path: str | Path, network: RoadNetwork, *, facts: Mapping[str, Any] | None = None, overwrite: bool = False
) -> "Store":
    """Write a network into a store, its coordinates bit for bit, with its duplicate segments.

    A node's number is its identity. Source ids that are neither whole numbers nor text become text. ``problems``,
    ``source`` and ``scale_error`` of the network are among the facts.
    """
    known = {"problems": dict(network.problems), "source": network.source, "scale_error": network.scale_error}
    batches = [segments_of(network)]
    return write_store(path, batches, crs=network.crs, facts={**known, **(facts or {})}, overwrite=overwrite)


class Store:
    """A store that was written; reading starts when something is asked for.

    It can be sent to another process, which opens the file itself, once for all tasks that need it, and read by
    several at once. Threads take turns.

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged or not a store.
    """

    path: Path
    crs: CRS
    facts: dict[str, Any]
    count: int
    bounds: tuple[float, float, float, float]
    group_bounds: Floats

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        self._lock = Lock()
        self._groups: OrderedDict[int, Segments] = OrderedDict()
        self._process = os.getpid()
        self._open()

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (self.path,)

    def __repr__(self) -> str:
        return f"<Store {self.path}, {self.count} segments, {projections.crs_name(self.crs)}>"

    def read(self, box: Sequence[float]) -> Segments:
        """All segments whose bounding boxes meet the box, borders included; in the order of the store.

        ``box`` is ``(minx, miny, maxx, maxy)`` in the coordinates of the store. O(groups + rows of the groups that
        meet the box); groups that were read lately are at hand.
        """
        west, south, east, north = box
        low, high = self.group_bounds[:, :2], self.group_bounds[:, 2:]
        meets = ((low <= [east, north]) & (high >= [west, south])).all(axis=1)
        parts = [group.take(group.meets(box)) for group in map(self._group, np.flatnonzero(meets).tolist())]
        return Segments.joined([part for part in parts if len(part)] or parts[:1] or [self._none()])

    def read_all(self) -> Segments:
        """All segments."""
        return Segments.joined(list(self.batches()) or [self._none()])

    def batches(self) -> Iterator[Segments]:
        """All segments, a group at a time; nothing of it is kept at hand."""
        return map(self.group, range(len(self.group_bounds)))

    def _open(self) -> None:
        from pyarrow import parquet

        with self._errors():
            if not self.path.is_file():
                raise UnreadableInputError(f"{self.path}: no such file; check the path")
            self._file = parquet.ParquetFile(self.path, page_checksum_verification=True)
            metadata = self._file.metadata
            described = metadata.metadata or {}
            if b"geoeval" not in described:
                raise UnreadableInputError(f"{self.path}: is not a store that geoeval wrote; give the file itself")
            self.facts = json.loads(described[b"geoeval"])
            geometry = json.loads(described[b"geo"])["columns"]["geometry"]
            self.crs = CRS.from_json_dict(geometry["crs"])
            self.count = metadata.num_rows
            self.bounds = tuple(geometry.get("bbox", (np.nan,) * 4))
            self.group_bounds = _group_bounds(metadata)
            self._text_ids = self._file.schema_arrow.field("source").type != "int64"

    def _group(self, number: int) -> Segments:
        """A group, from memory or from disk."""
        with self._lock:
            group = self._groups.pop(number, None)
        if group is None:
            group = self.group(number)
        with self._lock:
            self._groups[number] = group  # the latest stands last
            while len(self._groups) > 1 and sum(map(_bytes, self._groups.values())) > CACHE_BYTES:
                self._groups.popitem(last=False)
        return group

    def group(self, number: int) -> Segments:
        """The segments of one group."""
        with self._lock, self._errors():
            if self._process != os.getpid():  # a fork shares the open file with its parent
                self._process = os.getpid()
                self._open()
            table = self._file.read_row_group(number, use_threads=False)
            columns = {name: table.column(name).combine_chunks() for name in table.column_names}
            points = columns["geometry"].values if len(table) else columns["geometry"].flatten()
            xy = np.column_stack([points.field(0).to_numpy(), points.field(1).to_numpy()])
            source = columns["source"].to_numpy(zero_copy_only=False)
            return Segments(
                xy.reshape(-1, 2, 2),
                np.column_stack([columns["from"].to_numpy(), columns["to"].to_numpy()]),
                np.asarray(source.tolist(), dtype=str) if self._text_ids else source,
                np.column_stack([columns[end].to_numpy(zero_copy_only=False) for end in ("from_cut", "to_cut")]),
            )

    def _none(self) -> Segments:
        none = Segments.joined([])
        return Segments(none.xy, none.node, none.source.astype(str) if self._text_ids else none.source, none.cut)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in one line what is wrong with the file."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            msg = f"{self.path}: the store is damaged or cannot be read ({reason}); delete it, and it is made again"
            raise UnreadableInputError(msg) from error


def _opened(path: Path) -> Store:
    """A store that came from another process, with what it has at hand."""
    try:
        about = path.stat()
    except OSError:
        return Store(path)  # which says what is wrong
    return _open_once(path, about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=4)
def _open_once(path: Path, *_: int) -> Store:
    return Store(path)


def _group_bounds(metadata: Any) -> Floats:
    """``minx, miny, maxx, maxy`` of each group of rows, from what Parquet keeps of its columns."""
    names = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    x, y = names.index(_X), names.index(_Y)
    bounds = np.zeros((metadata.num_row_groups, 4))
    for number in range(len(bounds)):
        group = metadata.row_group(number)
        in_x, in_y = group.column(x).statistics, group.column(y).statistics
        bounds[number] = in_x.min, in_y.min, in_x.max, in_y.max
    return bounds


def _bytes(segments: Segments) -> int:
    return segments.xy.nbytes + segments.node.nbytes + segments.source.nbytes + segments.cut.nbytes
