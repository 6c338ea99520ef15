"""Which drivers of GDAL may open a file, and the network that none of them reaches.

GDAL has drivers for virtual files, services on the network and programs that it runs. While a local file is opened,
only drivers that read the given file and the parts beside it are there.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from geoeval.exceptions import UnreadableInputError
from geoeval.gdal_files.checks import check_plain
from geoeval.gdal_files.scan import check_definitions
from geoeval.gdal_files.settings import gdal_settings
from geoeval.trust import check_regular, follows_links

# Drivers of files that hold their data themselves. A driver that a later GDAL adds is not used until it is named here.
# Spreadsheets hold no geometry. DXF and TopoJSON repeat what they hold, so they are used where that was counted first.
_PLAIN = frozenset(
    {
        "AIVector", "AVCBin", "AVCE00", "CAD", "CSV", "DGN", "EDIGEO", "ESRI Shapefile", "ESRIJSON",
        "FileGDB", "FlatGeobuf", "GML", "GPKG", "GPX", "GTFS", "GeoJSON", "GeoJSONSeq", "GeoRSS", "Interlis 1",
        "Interlis 2", "JML", "JSONFG", "KML", "LIBKML", "LVBAG", "MEM", "MVT", "MapInfo File", "MapML", "Memory",
        "MiraMonVector", "NAS", "OGR_GMT", "OSM", "OpenFileGDB", "PMTiles", "Parquet", "S57", "SQLite", "SXF",
        "Selafin", "TIGER", "UK .NTF", "VDV", "VFK", "WAsP", "netCDF",
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
# All drivers that GDAL was seen to have.
_known: set[str] = set()


@contextmanager
def plain_gdal(options: Mapping[str, str] | None = None, *, also: Collection[str] = ()) -> Iterator[None]:
    """GDAL as pyogrio has it, with some options, and with no driver that leads away from the given file.

    ``also`` are drivers whose files were checked.
    """
    import pyogrio
    from pyogrio._ogr import _register_drivers

    usable = {*_PLAIN, *also, *(_VIRTUAL if follows_links() else ())}
    with gdal_settings({**OFFLINE, **(options or {})}):
        # Those that a block around this one left out are not listed now, and would come back in this one.
        _known.update(pyogrio.list_drivers())
        try:
            with gdal_settings({"GDAL_SKIP": ",".join(sorted(_known - usable))}):
                _register_drivers()
                yield
        finally:
            _register_drivers()


def image_driver(path: Path) -> str:
    """GDAL's name for the format of an image, by its first bytes; a virtual image is refused unless links are followed.

    GDAL knows many more, some of which open other files or addresses.
    """
    check_regular(path)
    if not follows_links():
        check_definitions(path, path)
    with path.open("rb") as stream:
        head = stream.read(8)
    for start, driver in IMAGE_FORMATS.items():
        if head.startswith(start):
            return driver
    if path.suffix.lower() == ".vrt":
        check_plain(path)
        return "VRT"
    raise UnreadableInputError(f"{path} is not an image; give a GeoTIFF, PNG or JPEG")
