"""A file of any supported kind becomes one ``ObjectMap`` in metres."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from geoeval.exceptions import EmptyInputError, ParameterError, UnreadableInputError
from geoeval.model.objects import ObjectMap
from geoeval.readers.area import area_in
from geoeval.readers.network import file_kind
from geoeval.readers.wkb import kinds_of

# Columns that say how sure a detector is, in the order of preference.
CONFIDENCE = ("confidence", "Confidence", "conf", "score", "probability", "prob")


def read_objects(
    path: str | Path,
    *,
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    threshold: float | None = None,
    aoi: tuple[float, float, float, float] | BaseGeometry | None = None,
) -> ObjectMap:
    """Read objects such as buildings from a file of any supported kind, in metres.

    Parameters
    ----------
    path
        Polygons in Shapefile, GeoPackage, GeoJSON, FlatGeobuf, GeoParquet and whatever else GDAL opens; OpenStreetMap
        (.osm, .osm.gz, .osm.bz2, .osm.pbf), of which the buildings are taken, those of multipolygon relations too;
        SpaceNet CSV; images (GeoTIFF, PNG), of which the pixels carry the number of their object, or are a mask.
    crs
        What the file's coordinates are in, where it does not say, or to overrule what it says.
    layer
        Which layer (GeoPackage and the like), image (SpaceNet CSV) or band, where there are several.
    pixel_size
        Metres per pixel, for input in pixels.
    threshold
        Makes an image a mask: a pixel is in an object if its value is at least this.
    aoi
        Keep this area only: ``(minx, miny, maxx, maxy)`` or a polygon, in degrees or in the map's CRS.

    Returns
    -------
    ObjectMap
        What was dropped or mended is counted in its ``problems``. A file without any row, and an image without any
        object, is an empty map; one whose rows are no polygons is refused with a ``GeoevalError``.
    """
    if pixel_size is not None and not pixel_size > 0:
        raise ParameterError(f"the pixel size is {pixel_size}; give the metres of a pixel, a number above 0")
    file = Path(path)
    if not file.exists():
        raise UnreadableInputError(f"{path}: no such file; check the path")
    kind = file_kind(file)
    if kind == "osm":
        from geoeval.readers.objects_osm import read_osm_buildings

        objects = read_osm_buildings(file, crs=crs)
    elif kind == "raster":
        from geoeval.readers.objects_raster import read_label_image

        objects = read_label_image(file, crs=crs, pixel_size=pixel_size, band=layer, threshold=threshold)
    elif kind == "csv":
        objects = _read_table(file, crs=crs, pixel_size=pixel_size, image=layer)
    elif kind == "graph":
        raise UnreadableInputError(f"{path} holds a graph; give polygons or a labelled image")
    else:
        objects = _read_vector(file, crs=crs, layer=layer)
    objects.source = str(path)
    return objects if aoi is None else objects.clip(area_in(aoi, objects.crs))


def _read_vector(file: Path, *, crs: Any, layer: str | None) -> ObjectMap:
    from geoeval.readers.ogr import read_table
    from geoeval.readers.vector import ROW_ID, crs_of

    table = read_table(file, layer=layer, columns=(*CONFIDENCE, ROW_ID), shape="polygons")
    kinds = set(kinds_of(table.geometries))
    if not kinds & {"polygons", "collections"} and (len(table.geometries) or not table.may_hold):
        held = " and ".join(sorted(kinds)) or f"{len(table.geometries)} rows without a usable geometry"
        raise EmptyInputError(f"{file} holds {held}, no polygons; give a layer of polygons")
    # Surfaces that could not be read are counted again as what they became.
    problems = {name: count for name, count in table.problems.items() if name != "not_lines"}
    return ObjectMap.from_polygons(
        table.geometries,
        crs=crs_of(file, table, crs),
        ids=table.columns.get(ROW_ID, table.ids),
        confidence=_confidence(table.columns),
        problems=problems,
    )


def _read_table(file: Path, *, crs: Any, pixel_size: float | None, image: str | None) -> ObjectMap:
    from geoeval.readers.spacenet import read_wkt_table

    found = read_wkt_table(file, crs=crs, pixel_size=pixel_size, image=image)
    columns = {str(name): found.table[name].to_numpy() for name in found.table.columns}
    objects = ObjectMap.from_polygons(found.geometries, crs=found.crs, ids=found.rows, confidence=_confidence(columns))
    if objects.is_empty and objects.problems.get("not_polygons"):
        number = objects.problems["not_polygons"]
        raise EmptyInputError(f"{file} holds {number} geometries, none of them a polygon; buildings are polygons")
    return objects


def _confidence(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.float64] | None:
    """The first column that says how sure a detector is, if all of it are numbers."""
    for name in CONFIDENCE:
        if name in columns:
            try:
                values = np.asarray(columns[name], dtype=np.float64)
            except (TypeError, ValueError):
                continue
            if np.isfinite(values).all():
                return values
    return None
