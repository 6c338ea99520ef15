"""OpenStreetMap files: their formats, and one line for everything that can be wrong with them."""

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import osmium

from geoeval.exceptions import OutputError, UnreadableInputError

_OPENERS: dict[str, Any] = {"osm": open, "osm.gz": gzip.open, "osm.bz2": bz2.open, "pbf": open}
# JOSM keeps deleted objects in its files, marked by an attribute that osmium does not know.
_DELETED_IN_JOSM = re.compile(rb"""<(node|way)\s(?=[^>]*\baction=["']delete["'])[^>]*?\bid=["'](-?\d+)["']""")


@dataclass(frozen=True)
class OsmFile:
    """A file that osmium reads, and its format as osmium names it."""

    path: Path
    format: str

    @property
    def file(self) -> Any:
        """The file for osmium."""
        return osmium.io.File(str(self.path), self.format)

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
    def _deleted(self) -> dict[bytes, set[int]]:
        found: dict[bytes, set[int]] = {b"node": set(), b"way": set()}
        if not self.is_pbf and self.header.get("generator", "") == "JOSM":
            with _OPENERS[self.format](self.path, "rb") as stream:
                for line in stream:
                    for kind, number in _DELETED_IN_JOSM.findall(line):
                        found[kind].add(int(number))
        return found

    @property
    def deleted_nodes(self) -> set[int]:
        """Nodes that were deleted in an editor and are still in the file."""
        return self._deleted[b"node"]

    @property
    def deleted_ways(self) -> set[int]:
        """Ways that were deleted in an editor and are still in the file."""
        return self._deleted[b"way"]

    @contextmanager
    def errors(self, folder: Path | None = None) -> Iterator[None]:
        """Turn the errors of osmium into ours; ``folder`` holds temporary files, if not TMPDIR."""
        try:
            yield
        except (RuntimeError, OSError, EOFError, ValueError, zlib.error, osmium.InvalidLocationError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            if "No space left" in reason:
                elsewhere = "write somewhere else" if folder else "set TMPDIR to another folder"
                msg = f"no space for temporary files in {folder or gettempdir()}; free some, or {elsewhere}"
                raise OutputError(msg) from error
            msg = f"{self.path} is damaged or truncated ({reason}); download or export it again"
            raise UnreadableInputError(msg) from error


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
        raise UnreadableInputError(f"{path}: no such file; check the path") from error
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be opened ({error.strerror}); give an OpenStreetMap file") from error
    if not head:
        raise UnreadableInputError(f"{path} is empty (0 bytes); download or export it again")
    if b"OSMHeader" in head:
        return OsmFile(path, "pbf")
    packing = "osm.gz" if head.startswith(b"\x1f\x8b") else "osm.bz2" if head.startswith(b"BZh") else "osm"
    source = OsmFile(path, packing)
    with source.errors(), _OPENERS[packing](path, "rb") as stream:
        start = stream.read(4096)
    if b"<osm" not in start:
        msg = f"{path} is not an OpenStreetMap file; give .osm, .osm.gz, .osm.bz2 or .osm.pbf"
        raise UnreadableInputError(msg)
    return source
