"""The area of interest, from a box, a polygon or a file, in the CRS of a network."""

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.exceptions import MissingCRSError, ParameterError, UnreadableInputError

# A side of an area is a straight line in its own CRS; it gets this many vertices before it is projected.
_VERTICES_PER_SIDE = 32


def area_in(aoi: Any, crs: CRS, *, aoi_crs: Any = None) -> BaseGeometry:
    """An area in ``crs``.

    Parameters
    ----------
    aoi
        ``(minx, miny, maxx, maxy)`` or a polygon.
    crs
        Of the network that is to be cut.
    aoi_crs
        What the area's coordinates are in. By default degrees where they can be degrees and the network has
        a place on Earth, else ``crs``.
    """
    if isinstance(aoi, BaseGeometry):
        polygon = aoi
    else:
        box = np.asarray(aoi, dtype=np.float64).ravel()
        if len(box) != 4 or not (box[0] < box[2] and box[1] < box[3]):
            raise ParameterError(f"the area {aoi!r} is not a box; give minx,miny,maxx,maxy with min below max")
        polygon = shapely.box(*box)
    if polygon.is_empty or polygon.geom_type not in {"Polygon", "MultiPolygon"}:
        raise ParameterError(f"the area is a {polygon.geom_type} or empty; give a polygon or minx,miny,maxx,maxy")
    if aoi_crs is None:
        minx, miny, maxx, maxy = polygon.bounds
        degrees = minx >= -180 and maxx <= 180 and miny >= -90 and maxy <= 90
        given = projections.WGS84 if degrees and not projections.is_local(crs) else crs
    else:
        given = projections.parse_crs(aoi_crs)
    if given == crs:
        return polygon
    minx, miny, maxx, maxy = polygon.bounds
    dense = shapely.segmentize(polygon, max(maxx - minx, maxy - miny) / _VERTICES_PER_SIDE)
    return shapely.transform(dense, lambda xy: projections.transform(xy, given, crs))


def read_area(text: str, crs: CRS) -> BaseGeometry:
    """The area that the command line names: ``minx,miny,maxx,maxy`` or a file of polygons."""
    try:
        box = [float(word) for word in text.split(",")]
    except ValueError:
        box = []
    if box:
        return area_in(box, crs)
    return _area_file(Path(text), crs)


def _area_file(path: Path, crs: CRS) -> BaseGeometry:
    import pyogrio

    if not path.exists():
        raise UnreadableInputError(f"{path}: no such file; give --aoi as minx,miny,maxx,maxy or a file of polygons")
    try:
        frame = pyogrio.read_dataframe(path, columns=[])
    except (pyogrio.errors.DataSourceError, ValueError) as error:
        raise UnreadableInputError(f"{path}: cannot be read as a vector file for --aoi ({error})") from error
    geometry = frame.geometry[frame.geometry.notna() & frame.geometry.geom_type.isin(["Polygon", "MultiPolygon"])]
    if geometry.empty:
        raise UnreadableInputError(f"{path}: holds no polygon; --aoi needs the area to evaluate as polygons")
    if frame.crs is None:
        raise MissingCRSError(f"{path}: has no CRS; give the file one (.prj), or --aoi as minx,miny,maxx,maxy")
    return area_in(shapely.union_all(shapely.make_valid(geometry.to_numpy())), crs, aoi_crs=frame.crs)
