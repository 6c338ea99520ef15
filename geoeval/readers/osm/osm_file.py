"""OpenStreetMap files: their formats, and one line for everything that can be wrong with them."""

import bz2
import ctypes
import errno
import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from xml.parsers import expat

import osmium

from geoeval.arrays import Box
from geoeval.exceptions import OutputError, UnreadableInputError
from geoeval.readers.osm.unpacked_size import check_unpacked_size
from geoeval.trust import no_such_file

_OPENERS: dict[str, Any] = {"osm": open, "osm.gz": gzip.open, "osm.bz2": bz2.open, "pbf": open}
_FAILURES = (
    RuntimeError, OSError, EOFError, ValueError, KeyError, IndexError, OverflowError, zlib.error, expat.ExpatError,
    osmium.InvalidLocationError,
)  # fmt: skip


@dataclass(frozen=True)
class OsmFile:
    """A file that osmium reads, and its format as osmium names it."""

    path: Path
    format: str

    @property
    def file(self) -> Any:
        """The file for osmium, which takes ``-`` for the standard input and names such as ``http:`` for addresses."""
        return osmium.io.File(str(self.path.absolute()), self.format)

    def reader(self, entities: Any) -> Any:
        """A reader of some kinds of objects."""
        return osmium.io.Reader(self.file, entities)

    @property
    def is_pbf(self) -> bool:
        """Whether it is a PBF, which consists of blocks."""
        return self.format == "pbf"

    @cached_property
    def header(self) -> Any:
        """The header of the file."""
        with self.reader(osmium.osm.NOTHING) as reader:
            return reader.header()

    @cached_property
    def declared_box(self) -> Box | None:
        """The box that the file says it was cut to, in degrees: ``<bounds>`` in XML, the box in the header of a PBF."""
        box = self.header.box()
        if not box.valid():
            return None
        low, high = box.bottom_left, box.top_right
        return low.lon, low.lat, high.lon, high.lat

    @property
    def has_versions(self) -> bool:
        """Whether there may be several versions of an object, or deleted ones; only a PBF says so."""
        return not self.is_pbf or bool(self.header.has_multiple_object_versions)

    @property
    def has_located_ways(self) -> bool:
        """Whether ways carry the locations of their nodes, so that the nodes themselves may be missing."""
        features = [self.header.get(f"pbf_optional_feature_{i}", "") for i in range(8)]
        return self.is_pbf and "LocationsOnWays" in features

    @cached_property
    def _deleted(self) -> dict[str, set[int]]:
        """JOSM keeps deleted objects in its files, marked by an attribute that osmium does not know."""
        found: dict[str, set[int]] = {"node": set(), "way": set()}
        if self.is_pbf or self.header.get("generator", "") != "JOSM":
            return found

        def note(name: str, attributes: dict[str, str]) -> None:
            if name in found and attributes.get("action") == "delete":
                found[name].add(int(attributes["id"]))

        parser = expat.ParserCreate()
        parser.StartElementHandler = note
        with _OPENERS[self.format](self.path, "rb") as stream:
            parser.ParseFile(stream)
        return found

    @property
    def deleted_nodes(self) -> set[int]:
        """Nodes that were deleted in an editor and are still in the file."""
        return self._deleted["node"]

    @property
    def deleted_ways(self) -> set[int]:
        """Ways that were deleted in an editor and are still in the file."""
        return self._deleted["way"]

    @contextmanager
    def errors(self, folder: Path | None = None) -> Iterator[None]:
        """Turn the errors of osmium into ours; ``folder`` holds temporary files, if not TMPDIR."""
        try:
            yield
        except _FAILURES as error:
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            if "No space left" in reason:
                elsewhere = "write somewhere else" if folder else "set TMPDIR to another folder"
                msg = f"no space for temporary files in {folder or gettempdir()}; free some, or {elsewhere}"
                raise OutputError(msg) from error
            if os.strerror(errno.EAGAIN) in reason or os.strerror(errno.ENOMEM) in reason:
                msg = f"{self.path} cannot be read: too little memory or too few threads are allowed; allow more"
                raise UnreadableInputError(msg) from error
            msg = f"{self.path} is damaged or truncated ({reason}); download or export it again"
            raise UnreadableInputError(msg) from error


@contextmanager
def osm_writer(file: Any) -> Iterator[Any]:
    """A writer of osmium that fails as an error and not as the end of the interpreter.

    After a failure, such as text that is not UTF-8, the writer's destructor would throw, which C++ answers by ending
    the program. So a writer that failed is never destroyed.
    """
    writer = osmium.SimpleWriter(file)
    try:
        yield writer
        writer.close()
    except BaseException:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(writer))
        raise


def open_osm(path: Path) -> OsmFile:
    """The file, if its first bytes are those of an OpenStreetMap file, whatever its name is.

    Raises
    ------
    UnreadableInputError
        The file is missing, empty, a folder, or something else.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(64)
    except FileNotFoundError as error:
        raise no_such_file(path) from error
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be opened ({error.strerror}); give an OpenStreetMap file") from error
    if not head:
        raise UnreadableInputError(f"{path} is empty (0 bytes); download or export it again")
    if b"OSMHeader" in head:
        source = OsmFile(path, "pbf")
        with source.errors():
            check_unpacked_size(path, "pbf")
        return source
    packing = "osm.gz" if head.startswith(b"\x1f\x8b") else "osm.bz2" if head.startswith(b"BZh") else "osm"
    source = OsmFile(path, packing)
    with source.errors(), _OPENERS[packing](path, "rb") as stream:
        start = stream.read(4096)
    if b"<osm" not in start:
        msg = f"{path} is not an OpenStreetMap file; give .osm, .osm.gz, .osm.bz2 or .osm.pbf"
        raise UnreadableInputError(msg)
    with source.errors():
        check_unpacked_size(path, packing)
    return source
