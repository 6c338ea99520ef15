"""Which reader a file needs, told by its content first and its suffix second."""

import bz2
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shapely.geometry.base import BaseGeometry

from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.model.network import RoadNetwork
from geoeval.readers.area import area_in

NODE_CHOICES = ("ends", "crossings", "none")
RASTER_SUFFIXES = (".tif", ".tiff", ".png", ".jpg", ".jpeg", ".vrt")
PICKLE_SUFFIXES = (".p", ".pkl", ".pickle", ".gpickle")


def read_network(
    path: str | Path,
    *,
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    network_type: str | Sequence[str] = "drive",
    aoi: tuple[float, float, float, float] | BaseGeometry | None = None,
    node: str = "ends",
) -> RoadNetwork:
    """Read a road network of any supported kind, in metres.

    Parameters
    ----------
    path
        A file or folder: OpenStreetMap (.osm, .osm.gz, .osm.bz2, .osm.pbf), Shapefile, GeoPackage, GeoJSON,
        FlatGeobuf, GeoParquet and whatever else GDAL opens, RoadTracer .graph, map-construction text, SpaceNet
        CSV, networkx GraphML, JSON and pickles, GeoTIFF and PNG masks; or ``osm:`` and a place name or
        ``minx,miny,maxx,maxy`` in degrees, which is downloaded.
    crs
        What the file's coordinates are in, where it does not say, or to overrule what it says.
    layer
        Which layer (GeoPackage and the like) or image (SpaceNet CSV), where there are several.
    pixel_size
        Metres per pixel, for input in pixels.
    network_type
        For OpenStreetMap: ``"drive"``, ``"walk"``, ``"bike"``, ``"all"``, or highway classes.
    aoi
        Keep this area only: ``(minx, miny, maxx, maxy)`` or a polygon, in degrees or in the network's CRS.
    node
        How lines of a vector file become a graph: ``"ends"`` (an end that lies on another line within 1 cm
        joins it), ``"crossings"`` (every crossing joins), ``"none"`` (only equal vertices join).

    Returns
    -------
    RoadNetwork
        What was dropped or mended is counted in its ``problems``. A layer without any feature is an empty
        network; a file that cannot hold roads is refused with a ``GeoevalError``.
    """
    if node not in NODE_CHOICES:
        raise ParameterError(f"unknown way to join lines {node!r}; choose node= among {', '.join(NODE_CHOICES)}")
    if pixel_size is not None and not pixel_size > 0:
        raise ParameterError(f"the pixel size is {pixel_size}; give the metres of a pixel, a number above 0")
    if str(path).startswith("osm:"):
        from geoeval.readers.osm_download import download_osm

        network = download_osm(str(path).removeprefix("osm:"), network_type=network_type)
    else:
        file = Path(path)
        if not file.exists():
            raise UnreadableInputError(f"{path}: no such file; check the path")
        read = _reader(file, crs=crs, layer=layer, pixel_size=pixel_size, network_type=network_type, node=node)
        network = read(file)
    network.source = str(path)
    if aoi is not None:
        network = network.clip(area_in(aoi, network.crs))
    return network


def _reader(
    file: Path, *, crs: Any, layer: str | None, pixel_size: float | None, network_type: str | Sequence[str], node: str
) -> Callable[[Path], RoadNetwork]:
    """The reader for this file with the options that it takes."""
    kind = file_kind(file)
    if kind == "osm":
        from geoeval.readers.osm import read_osm

        return lambda path: read_osm(path, network_type=network_type, crs=crs)
    if kind == "raster":
        from geoeval.readers.raster import read_raster

        return lambda path: read_raster(path, crs=crs, pixel_size=pixel_size, layer=layer)
    if kind == "csv":
        from geoeval.readers.spacenet import read_spacenet

        return lambda path: read_spacenet(path, crs=crs, pixel_size=pixel_size, image=layer)
    if kind == "graph":
        from geoeval.readers.graphs import read_graph_file

        return lambda path: read_graph_file(path, crs=crs, pixel_size=pixel_size)
    from geoeval.readers.vector import read_vector

    return lambda path: read_vector(path, crs=crs, layer=layer, node=node)


def file_kind(file: Path) -> str:
    """``osm``, ``raster``, ``csv``, ``graph`` or ``vector``: by the first bytes, then by the suffix."""
    suffix = file.suffix.lower()
    if file.is_dir():
        return "vector" if suffix in {".gdb", ".parquet"} or any(file.glob("*.shp")) else "graph"
    head = _head(file)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"OSMHeader" in head[:64] or b"<osm" in head[:2000] or b"<osmChange" in head[:2000]:
        return "osm"
    if head.startswith((b"\x89PNG", b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+", b"\xff\xd8\xff")):
        return "raster"
    if b"<graphml" in head[:2000]:
        return "graph"
    if start.startswith(b"{"):
        return "graph" if _is_node_link(file) else "vector"
    if suffix in {".osm", ".pbf"} or file.name.lower().endswith((".osm.gz", ".osm.bz2")):
        return "osm"
    if suffix in RASTER_SUFFIXES:
        return "raster"
    if suffix in {".csv", ".tsv"}:
        return "csv"
    if suffix in {".graph", ".txt", ".graphml", *PICKLE_SUFFIXES}:
        return "graph"
    return "vector"


def _head(file: Path, size: int = 4096) -> bytes:
    """The first bytes, unpacked where the file is packed; nothing where it cannot be read."""
    openers: dict[str, Callable[[Path, str], Any]] = {".gz": gzip.open, ".bz2": bz2.open}
    try:
        with openers.get(file.suffix.lower(), Path.open)(file, "rb") as stream:
            return stream.read(size)
    except PermissionError as error:
        raise UnreadableInputError(f"{file}: may not be read; check its permissions") from error
    except (OSError, EOFError):
        return b""


def _is_node_link(file: Path) -> bool:
    """Whether a JSON file is a networkx graph: GeoJSON always has a ``type`` with a geometry or features."""
    import json

    try:
        content = json.loads(file.read_bytes())
    except (ValueError, OSError, RecursionError):
        return False
    return isinstance(content, dict) and "nodes" in content and ("links" in content or "edges" in content)
