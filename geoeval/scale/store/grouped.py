"""A file of rows that can be read by place: GeoParquet with bounds for each group of rows.

Parquet keeps the smallest and largest value of each column of each group, so a reader finds the groups that a box
needs and reads nothing else.
"""

import json
import os
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats
from geoeval.exceptions import UnreadableInputError
from geoeval.trust import no_such_file

# Bytes of groups that an open file keeps in memory for the next box.
CACHE_BYTES = 64 << 20


class Rows(Protocol):
    """The content of a file, as arrays."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        ...

    def __len__(self) -> int: ...

    def meets(self, box: Sequence[float]) -> Bools:
        """Whether the bounding box of each row meets the box, borders included."""
        ...

    def take(self, rows: ArrayLike | slice) -> Self:
        """Some of the rows."""
        ...


Kind = TypeVar("Kind", bound=Rows)


class Placed(Protocol):
    """Something with a CRS, bounds ``(n, 4)`` of its groups in that CRS, and facts."""

    crs: CRS
    group_bounds: Floats
    facts: dict[str, Any]


class GroupedFile(ABC, Generic[Kind]):
    """A file that is open for reading; rows are read when they are asked for.

    It can be sent to another process, which opens the file once for all its tasks. Several processes can read it at
    the same time; threads take turns. A subclass names in ``BOUNDS`` the columns that hold ``minx, miny, maxx, maxy``,
    and says how a table is read.

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged or not a store.
    """

    BOUNDS: tuple[str, str, str, str]

    path: Path
    crs: CRS
    facts: dict[str, Any]
    count: int
    bounds: tuple[float, float, float, float]
    group_bounds: Floats

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).absolute()
        self._lock = Lock()
        self._groups: OrderedDict[int, Kind] = OrderedDict()
        self._process = os.getpid()
        self._open()

    def __reduce__(self) -> tuple[Any, ...]:
        return opened, (type(self), self.path)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}, {self.count} rows, {projections.crs_name(self.crs)}>"

    def batches(self) -> Iterator[Kind]:
        """All rows, a group at a time; nothing is kept in memory."""
        return map(self.group, range(len(self.group_bounds)))

    def parts_in(self, box: Sequence[float]) -> list[Kind]:
        """The rows whose bounding boxes meet the box, borders included, group by group in the order of the file.

        ``box`` is ``(minx, miny, maxx, maxy)`` in the coordinates of the file. O(groups + rows of the groups that
        meet the box); groups that were read lately are still in memory.
        """
        west, south, east, north = box
        low, high = self.group_bounds[:, :2], self.group_bounds[:, 2:]
        meets = ((low <= [east, north]) & (high >= [west, south])).all(axis=1)
        return [group.take(group.meets(box)) for group in map(self._group, np.flatnonzero(meets).tolist())]

    @abstractmethod
    def _understood(self, table: Any) -> Kind:
        """The rows of a table."""

    def _open(self) -> None:
        from pyarrow import parquet

        with self._errors():
            if not self.path.is_file():
                raise no_such_file(self.path)
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
            self.group_bounds = self._bounds_of_groups(metadata)

    def _bounds_of_groups(self, metadata: Any) -> Floats:
        names = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
        places = [names.index(name) for name in self.BOUNDS]
        bounds = np.zeros((metadata.num_row_groups, 4))
        for number in range(len(bounds)):
            group = metadata.row_group(number)
            statistics = [group.column(place).statistics for place in places]
            bounds[number] = [one.min for one in statistics[:2]] + [one.max for one in statistics[2:]]
        return bounds

    def _group(self, number: int) -> Kind:
        """A group, from memory or from disk."""
        with self._lock:
            group = self._groups.pop(number, None)
        if group is None:
            group = self.group(number)
        with self._lock:
            self._groups[number] = group  # the latest comes last
            while len(self._groups) > 1 and sum(one.nbytes for one in self._groups.values()) > CACHE_BYTES:
                self._groups.popitem(last=False)
        return group

    def group(self, number: int) -> Kind:
        """The rows of one group."""
        with self._lock, self._errors():
            if self._process != os.getpid():  # a fork shares the open file with its parent
                self._process = os.getpid()
                self._open()
            return self._understood(self._file.read_row_group(number, use_threads=False))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Report in one line what is wrong with the file."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            msg = f"{self.path}: the store is damaged or cannot be read ({reason}); delete it, and it is made again"
            raise UnreadableInputError(msg) from error


def opened(kind: Any, path: Path) -> Any:
    """A file that each process opens once, with the groups it keeps in memory; again if it was written again."""
    return _open_once(kind, path, *stamp(path))


def stamp(path: Path) -> tuple[int, ...]:
    """What tells a file from an earlier one of the same name; empty where there is no file."""
    try:
        about = path.stat()
    except OSError:
        return ()
    return about.st_mtime_ns, about.st_size, about.st_ino


@lru_cache(maxsize=8)
def _open_once(kind: Any, path: Path, *_: int) -> Any:
    return kind(path)
