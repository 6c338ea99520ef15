"""Files as GDAL can open them: unpacked, and where nothing is written beside the input.

Where GDAL would write there (the index of a shapefile, the schema of a GML file, the shared memory of a database in
use), a copy in a temporary folder is opened instead. Packed files are unpacked there too: what an archive says of the
size of its members need not be true, and a database is looked at before GDAL opens it.
"""

import gzip
import lzma
import re
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geoeval.exceptions import UnreadableInputError
from geoeval.gdal_files.archives import is_archive
from geoeval.gdal_files.checks import check_plain
from geoeval.gdal_files.drivers import plain_gdal
from geoeval.trust import check_expansion

_ZIPPED_SUFFIXES = (".shp", ".gpkg", ".geojson", ".fgb", ".gml", ".kml")
_BLOCK = 1 << 20
# The last ones are methods of packing that Python does not know or cannot follow, and names that no file can have.
_UNPACKING = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, OSError, EOFError, ValueError, LookupError,
    struct.error, MemoryError,
)  # fmt: skip


@contextmanager
def openable(path: Path, given: Path | None = None) -> Iterator[list[Path]]:
    """Paths that GDAL can open without writing beside the input, checked by ``check_plain``; ``given`` as there."""
    given = given or path
    path = path.absolute()  # or GDAL takes some names for addresses, options or archives
    _check_name(path, given)
    check_plain(path, given)
    suffix = path.suffix.lower()
    start = _start(path, 20)
    no_index = suffix == ".shp" and path.is_file() and not _has_index(path, given)
    with tempfile.TemporaryDirectory(prefix="geoeval-") as name:
        folder = Path(name)
        if is_archive(path):
            yield _unzipped(path, folder, given)
        elif start.startswith(b"\x1f\x8b"):
            inside = _gunzipped(path, folder, given)
            if _start(inside, 2) == b"\x1f\x8b":
                raise UnreadableInputError(f"{given} is packed again and again; unpack it first")
            with openable(inside, given) as inner:
                yield inner
        elif no_index or suffix in {".gml", ".xml"} or _is_in_use(path, start):
            for part in path.parent.iterdir():
                own = part.stem == path.stem or part.name.startswith(path.name)
                if own and part.is_file() and part.suffix.lower() != ".shx":
                    shutil.copy(part, folder)
            if no_index:
                _make_index(given, folder / path.name)
            yield [folder / path.name]
        else:
            yield [path]


def unreadable(path: Path, error: Exception) -> UnreadableInputError:
    """The error for a file that GDAL, or whoever unpacks it, gave up."""
    reason = " ".join(str(error).split())
    if "not recognized as being in a supported file format" in reason:
        return UnreadableInputError(
            f"{path} is not a kind of file that geoeval reads; give a map layer, an image or a graph"
        )
    if re.search("[\x00-\x1f\x7f;\ud800-\udfff]", str(path)):
        return UnreadableInputError(f"{str(path)!r} has a name that GDAL cannot open; give it a plain one")
    return UnreadableInputError(f"{path} cannot be read ({reason[:200]}); check that the file is complete")


def _check_name(path: Path, given: Path) -> None:
    """Refuse names that GDAL reads as a place inside of an archive or of its own folders."""
    if "!" in str(path) or path.as_posix().startswith("/vsi"):
        raise UnreadableInputError(f"{given} has a name that GDAL cannot open; give it a plain one")


def _start(path: Path, size: int) -> bytes:
    """The first bytes of a file; none of a folder."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(size)


def _unzipped(path: Path, folder: Path, given: Path) -> list[Path]:
    """The vector files in an archive; shapefiles without an index get one."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename.startswith("__MACOSX/"):
                    archive.extract(member, folder)
    except _UNPACKING as error:
        raise unreadable(given, error) from error
    files = sorted(file for file in folder.rglob("*") if file.is_file() or file.suffix.lower() == ".gdb")
    datasets = [file for file in files if file.suffix.lower() in (*_ZIPPED_SUFFIXES, ".gdb")]
    for dataset in datasets or files:
        if is_archive(dataset):
            raise UnreadableInputError(f"{given} holds an archive, {dataset.name[:80]!r}; unpack that one first")
        check_plain(dataset, given)
    for dataset in datasets:
        if dataset.suffix.lower() == ".shp" and not _has_index(dataset, given):
            _make_index(given, dataset)
    return datasets or [folder]


def _gunzipped(path: Path, folder: Path, given: Path) -> Path:
    """The file in a gzip file, as far as the limits allow it to grow."""
    inner = folder / (path.stem if path.suffix.lower() == ".gz" else path.name)
    packed, size = path.stat().st_size, 0
    try:
        with gzip.open(path, "rb") as source, inner.open("wb") as target:
            while block := source.read(_BLOCK):
                size += len(block)
                check_expansion(size, packed, given)
                target.write(block)
    except _UNPACKING as error:
        raise unreadable(given, error) from error
    return inner


def _make_index(given: Path, copy: Path) -> None:
    """Let GDAL write the .shx of a copy."""
    import pyogrio

    for index in (copy.with_suffix(".shx"), copy.with_suffix(".SHX")):
        if index.is_dir():
            raise UnreadableInputError(f"{given} has a folder {index.name[:80]!r} in place of a file; pack it again")
        index.unlink(missing_ok=True)
    with plain_gdal({"SHAPE_RESTORE_SHX": "YES"}):
        try:
            pyogrio.list_layers(copy)
        except (RuntimeError, ValueError, OSError) as error:
            raise unreadable(given, error) from error


def _has_index(path: Path, given: Path) -> bool:
    """Whether the .shx beside a .shp exists and is complete; refuses a truncated .shp."""
    if _length_in_header(path) > path.stat().st_size:
        raise UnreadableInputError(f"{given} is truncated; get a complete copy")
    index = next((path.with_suffix(suffix) for suffix in (".shx", ".SHX") if path.with_suffix(suffix).exists()), None)
    return index is not None and 100 <= _length_in_header(index) <= index.stat().st_size


def _length_in_header(path: Path) -> int:
    """The length in bytes that a .shp or .shx names in its header."""
    head = _start(path, 28)
    return 2 * struct.unpack(">i", head[24:28])[0] if len(head) == 28 else 0


def _is_in_use(path: Path, start: bytes) -> bool:
    """Whether reading a database would change it: in write-ahead mode, or with a journal left by a crash."""
    journals = [path.with_name(path.name + part) for part in ("-wal", "-journal")]
    return start.startswith(b"SQLite format 3\x00") and (
        start[18:20] == b"\x02\x02" or any(journal.exists() for journal in journals)
    )
