"""The functions that users call to read a file: thin, typed and documented names for ``read_map``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.readers.registry import read_map
from geoeval.readers.unused import check_use

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from geoeval.model.drawing import Drawing, PixelImage
    from geoeval.model.object_map import ObjectMap
    from geoeval.model.road_network import RoadNetwork


def read_network(
    path: str | Path,
    *,
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    network_type: str | Sequence[str] = "drive",
    aoi: "tuple[float, float, float, float] | BaseGeometry | None" = None,
    node: str = "ends",
    **options: Any,
) -> "RoadNetwork":
    """Read a road network of any supported kind, in metres.

    Parameters
    ----------
    path
        A file or folder: OpenStreetMap (.osm, .osm.gz, .osm.bz2, .osm.pbf), Shapefile, GeoPackage, GeoJSON,
        FlatGeobuf, GeoParquet and whatever else GDAL opens, RoadTracer .graph, map-construction text, SpaceNet
        CSV, networkx GraphML, JSON and pickles, GeoTIFF and PNG masks; or ``osm:`` and a place name or
        ``minx,miny,maxx,maxy`` in degrees, which is downloaded.
    crs
        CRS of the coordinates, if the file does not say or is wrong.
    layer
        Which layer (GeoPackage and the like), image (SpaceNet CSV) or band, if there are several.
    pixel_size
        Metres per pixel, for input in pixels.
    network_type
        For OpenStreetMap: ``"drive"``, ``"walk"``, ``"bike"``, ``"all"``, ``"cycle"``, ``"rail"``, ``"power"``,
        ``"waterway"`` and more, highway classes, or tags such as ``"railway=tram"`` and ``"waterway=*"``.
    aoi
        Keep only this area: ``(minx, miny, maxx, maxy)`` or a polygon, in degrees or in the CRS of the network.
    node
        How lines of a vector file become a graph: ``"ends"`` (an end that lies on another line within 1 cm
        joins it), ``"crossings"`` (every crossing joins), ``"none"`` (only equal vertices join).
    **options
        Any other option of :data:`geoeval.readers.options.INPUT_OPTIONS`, such as ``threshold``, ``min_spur`` and
        ``simplify`` for masks.

    Returns
    -------
    RoadNetwork
        ``problems`` counts everything that was dropped or repaired. A layer without features gives an empty network.

    Raises
    ------
    GeoevalError
        The file cannot be read or cannot hold roads, or an option makes no sense.
    """
    given = {"crs": crs, "layer": layer, "pixel_size": pixel_size, "network_type": network_type, "node": node}
    check_use("roads", [(path, {**given, **options})])
    network: RoadNetwork = read_map("roads", path, **given, **options)
    return network if aoi is None else network.clip(aoi)


def read_objects(
    path: str | Path,
    *,
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    threshold: float | None = None,
    aoi: "tuple[float, float, float, float] | BaseGeometry | None" = None,
    **options: Any,
) -> "ObjectMap":
    """Read objects such as buildings from a file of any supported kind, in metres.

    Parameters
    ----------
    path
        Polygons in Shapefile, GeoPackage, GeoJSON, FlatGeobuf, GeoParquet and whatever else GDAL opens; the buildings
        of OpenStreetMap (.osm, .osm.gz, .osm.bz2, .osm.pbf), multipolygon relations included; SpaceNet CSV; COCO JSON;
        images (GeoTIFF, PNG) of labels, or masks. A pattern with ``{name}`` (``labels/{name}.tif``) stands for the
        tiles of one scene, which are joined.
    crs
        CRS of the coordinates, if the file does not say or is wrong.
    layer
        Which layer (GeoPackage and the like), image (SpaceNet CSV) or band, if there are several.
    pixel_size
        Metres per pixel, for input in pixels.
    threshold
        Makes an image a mask: a pixel belongs to an object if its value is at least this.
    aoi
        Keep only this area: ``(minx, miny, maxx, maxy)`` or a polygon, in degrees or in the CRS of the map.
    **options
        Any other option of :data:`geoeval.readers.options.INPUT_OPTIONS`.

    Returns
    -------
    ObjectMap
        ``problems`` counts everything that was dropped or repaired. A file without rows, and an image without
        objects, give an empty map.

    Raises
    ------
    GeoevalError
        The file cannot be read or holds no polygons, or an option makes no sense.
    """
    given = {"crs": crs, "layer": layer, "pixel_size": pixel_size, "threshold": threshold}
    check_use("objects", [(path, {**given, **options})])
    objects: ObjectMap = read_map("objects", path, **given, **options)
    return objects if aoi is None else objects.clip(aoi)


def read_drawing(
    path: str | Path,
    *,
    width: float | None = None,
    width_column: str = "width",
    style_column: str = "style",
    labels: str | Sequence[str] = "wall",
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    **options: Any,
) -> "Drawing":
    """Read the lines of a drawing or map.

    Parameters
    ----------
    path
        DXF (lines, arcs, circles, polylines with bulges, blocks exploded); SVG (all stroked shapes); a table of text
        rows ``x1 y1 x2 y2 width [style]`` with ``#`` comments, or ``x1 y1 x2 y2 label ...``; or lines in Shapefile,
        GeoPackage, GeoJSON and whatever else GDAL opens.
    width
        Width of lines that do not say; by default 8 on a map (metres) and 1 in a drawing (its unit).
    width_column, style_column
        Columns of a map layer, if they exist; widths in metres, styles as numbers or names.
    labels
        Which rows of a labelled table are lines; the others are counted in ``problems``.
    crs
        CRS of the coordinates, if the file does not say or is wrong. Drawings need none.
    layer
        Which layer of a map file or DXF drawing.
    pixel_size
        Metres per unit of the drawing, to compare it with a map; by default the unit is kept.
    **options
        Any other option of :data:`geoeval.readers.options.INPUT_OPTIONS`.

    Returns
    -------
    Drawing
        Rows and entities that are not lines are counted in ``problems``. A map layer or table without rows gives an
        empty drawing.

    Raises
    ------
    GeoevalError
        The file cannot be read or holds no lines, or an option makes no sense.
    """
    given: dict[str, Any] = {"width": width, "width_column": width_column, "style_column": style_column}
    given |= {"labels": labels, "crs": crs, "layer": layer, "pixel_size": pixel_size}
    check_use("lines", [(path, {**given, **options})])
    return read_map("lines", path, **given, **options)


def read_image(
    path: str | Path, *, ink: str = "auto", crs: Any = None, pixel_size: float | None = None, layer: str | None = None
) -> "PixelImage":
    """Read the black pixels of a scanned drawing or map: PNG, TIFF, JPEG.

    Parameters
    ----------
    path
        The image. Without a georeference, pixel (column, row) lies at these coordinates times ``pixel_size``.
    ink
        ``"dark"``, ``"bright"``, or ``"auto"``: whichever is rarer. The limit is the middle of the values.
    crs
        CRS of the georeference, if the file does not say or is wrong.
    pixel_size
        Size of a pixel of an image without georeference; by default 1.
    layer
        Which band, if there are several.

    Raises
    ------
    GeoevalError
        The file cannot be read or is in degrees, or an option makes no sense.
    """
    from geoeval.readers.raster.scanned_drawings import read_image as read

    return read(path, ink=ink, crs=crs, pixel_size=pixel_size, layer=layer)
