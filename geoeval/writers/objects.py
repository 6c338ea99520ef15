"""Objects as a file of polygons that other programs open, and that reads back as the same map."""

from pathlib import Path
from typing import Any

from geoeval.crs import is_local
from geoeval.exceptions import OutputError
from geoeval.model.objects import ObjectMap
from geoeval.writers.frames import check_frame_file, write_frame
from geoeval.writers.tables import clean_text


def check_objects_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The place, or an ``OutputError`` where it cannot be written: to be asked before the work."""
    return check_frame_file(path, what="objects", overwrite=overwrite)


def write_objects(objects: ObjectMap, path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write a map of objects; the suffix says in which format.

    Parameters
    ----------
    objects
        What to write: one row an object with its id (``ge_id``) and area. An empty map gives a file without rows.
    path
        ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb`` or ``.parquet``.
    crs
        What the coordinates shall be in; by default what the map is in, for GeoJSON longitude and latitude.
    overwrite
        Replace a file that exists.

    Raises
    ------
    OutputError
        The suffix is not known, the file exists, or it cannot be written.
    CRSError
        The map has no place on Earth and cannot be brought into ``crs``.
    """
    file = check_objects_file(path, overwrite=overwrite)
    if file.suffix.lower() == ".geojson" and is_local(objects.crs):
        raise OutputError(f"{file}: GeoJSON cannot say that coordinates are local metres; use .gpkg")
    frame = objects.to_geodataframe().rename(columns={"source_id": "ge_id"})
    frame["ge_id"] = [clean_text(value) for value in objects.ids]
    return write_frame(frame, file, geometry="Polygon", crs=crs, overwrite=overwrite)
