"""GDAL for files of strangers: what leads to other files or addresses is refused, and the network is never used.

GDAL has drivers for virtual files, services on the network and programs that it runs. While a local file is opened,
only drivers that read the given file and the parts beside it are there.
"""

import re
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from geoeval.exceptions import LinkedFileError, UnreadableInputError
from geoeval.trust import check_expansion, follows_links

# Drivers of files that hold their data themselves. A driver that a later GDAL adds is not used until it is named here.
_PLAIN = frozenset(
    {
        "AIVector", "AVCBin", "AVCE00", "CAD", "CSV", "DGN", "DXF", "EDIGEO", "ESRI Shapefile", "ESRIJSON",
        "FileGDB", "FlatGeobuf", "GML", "GPKG", "GPX", "GTFS", "GeoJSON", "GeoJSONSeq", "GeoRSS", "Interlis 1",
        "Interlis 2", "JML", "JSONFG", "KML", "LIBKML", "LVBAG", "MEM", "MVT", "MapInfo File", "MapML", "Memory",
        "MiraMonVector", "NAS", "ODS", "OGR_GMT", "OSM", "OpenFileGDB", "PMTiles", "Parquet", "S57", "SQLite", "SXF",
        "Selafin", "TIGER", "TopoJSON", "UK .NTF", "VDV", "VFK", "WAsP", "XLS", "XLSX", "netCDF",
    }
)  # fmt: skip
# Drivers of files that name other files on this machine.
_VIRTUAL = frozenset({"OGR_VRT"})
# Where something would still ask the network: names that no address has, and a proxy that cannot be reached.
OFFLINE = {
    "CPL_VSIL_CURL_ALLOWED_FILENAME": "/nowhere",
    "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".nowhere",
    "GDAL_HTTP_PROXY": "http://0.0.0.0:0",
    "GDAL_HTTPS_PROXY": "http://0.0.0.0:0",
    "GDAL_HTTP_MAX_RETRY": "0",
    "GDAL_HTTP_CONNECTTIMEOUT": "1",
    "GML_DOWNLOAD_WFS_SCHEMA": "NO",
    "OGR_SQLITE_ALLOW_EXTERNAL_ACCESS": "NO",
}
# The first bytes of images, and the name of their format in GDAL.
IMAGE_FORMATS = {
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"II*\x00": "GTiff",
    b"MM\x00*": "GTiff",
    b"II+\x00": "GTiff",
    b"MM\x00+": "GTiff",
}
_ALLOW = "give --links follow (links=) if you trust it"
_VIRTUAL_STARTS = (b"<OGRVRTDataSource", b"<VRTDataset", b"<GDALTileIndexDataset", b"<OGRWFSDataSource", b"<GDAL_WMS")
_CRS_BY_ADDRESS = re.compile(rb'"crs"\s{0,20}:\s{0,20}\{[^}]{0,200}"href"')
# Parts of GeoPackage and SQLite that are tables of the same file.
_INNER_MODULES = ("rtree", "fts3", "fts4", "fts5", "rtree_i32")


@contextmanager
def plain_gdal(options: Mapping[str, str] | None = None) -> Iterator[None]:
    """GDAL as pyogrio has it, with some options, and with no driver that leads away from the given file."""
    import pyogrio
    from pyogrio._ogr import _register_drivers

    usable = _PLAIN | (_VIRTUAL if follows_links() else frozenset())
    skipped = [name for name in pyogrio.list_drivers() if name not in usable]
    settings = {**OFFLINE, **(options or {}), "GDAL_SKIP": ",".join(skipped)}
    before = {name: pyogrio.get_gdal_config_option(name) for name in settings}
    pyogrio.set_gdal_config_options(settings)
    _register_drivers()
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options(before)
        _register_drivers()


def check_plain(path: Path) -> None:
    """Raise ``LinkedFileError`` for a file that leads to others, ``TooLargeError`` for an archive that is a bomb."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        head = file.read(4096)
    if not follows_links():
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if path.suffix.lower() == ".vrt" or any(word in start[:1000] for word in _VIRTUAL_STARTS):
            raise LinkedFileError(f"{path} is a virtual file, which leads to other files; {_ALLOW}")
        if b"!table" in head[:200].lower() and b'"\\isseamless" = "true"' in head.lower():
            raise LinkedFileError(f"{path} is a seamless table, which leads to other tables; {_ALLOW}")
    if _CRS_BY_ADDRESS.search(head):
        raise LinkedFileError(f"{path} names its CRS by an address, which is never asked; write it with the CRS's name")
    if head.startswith(b"PK"):
        _check_archive(path)


def image_driver(path: Path) -> str:
    """GDAL's name for the format of an image, by its first bytes; a virtual image is refused unless links are followed.

    GDAL knows many more, some of which open other files or addresses.
    """
    with path.open("rb") as stream:
        head = stream.read(8)
    for start, driver in IMAGE_FORMATS.items():
        if head.startswith(start):
            return driver
    if path.suffix.lower() == ".vrt":
        check_plain(path)
        return "VRT"
    raise UnreadableInputError(f"{path} is not an image; give a GeoTIFF, PNG or JPEG")


def views_in(path: Path) -> dict[str, str]:
    """Layers of a database that are queries or come from elsewhere, by name; none where links are followed."""
    if follows_links() or not path.is_file():
        return {}
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            return {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.text_factory = lambda text: text.decode(errors="replace")
            rows: list[tuple[Any, Any, Any]] = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    except (sqlite3.Error, UnicodeDecodeError):  # GDAL says what is wrong with it
        return {}
    found = {}
    for kind, name, sql in rows:
        words = " ".join(str(sql or "").lower().split())
        if kind == "view":
            found[str(name)] = "is a query (a view)"
        elif words.startswith("create virtual table") and not any(f"using {one}" in words for one in _INNER_MODULES):
            found[str(name)] = "is a virtual table"
    return found


def refuse_view(path: Path, name: str, what: str) -> LinkedFileError:
    """The error for a layer that is a query."""
    return LinkedFileError(f"{path}: layer {name!r} {what}, which runs what its author wrote; {_ALLOW}")


def _check_archive(path: Path) -> None:
    """An archive whose members have places outside of it is refused, trusted or not."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeDecodeError):
        return  # the reader says what is wrong with it
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in PurePosixPath(name).parts or name[1:3] == ":/":
            msg = f"{path} has a member {member.filename[:80]!r}, which lies outside of the archive; pack it again"
            raise LinkedFileError(msg)
        if (member.external_attr >> 16) & 0o170000 == 0o120000:
            raise LinkedFileError(f"{path} has a member {member.filename[:80]!r}, which is a link; pack it again")
    check_expansion(sum(member.file_size for member in members), path.stat().st_size, path)
