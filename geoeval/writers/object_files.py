"""A map of objects as a file of polygons that other programs open, and that reads back as the same map."""

from pathlib import Path
from typing import Any

from geoeval.crs import is_local
from geoeval.exceptions import OutputError
from geoeval.files import keeps_inputs
from geoeval.model.object_map import ObjectMap
from geoeval.writers.feature_files import check_frame_file, write_frame
from geoeval.writers.tables import clean_text


def check_objects_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of a file that can be written, or an ``OutputError``; ask before the work."""
    return check_frame_file(path, what="objects", overwrite=overwrite)


@keeps_inputs
def write_objects(objects: ObjectMap, path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write a map of objects to a file of polygons.

    Parameters
    ----------
    objects
        The map: one row per object with its id (``ge_id``), area, and class and confidence where they are known. An
        empty map gives a file without rows.
    path
        The file; its suffix chooses the format: ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb`` or ``.parquet``.
    crs
        CRS of the file; by default that of the map, and longitude and latitude for GeoJSON.
    overwrite
        Replace an existing file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        The suffix is unknown, the file exists, or it cannot be written.
    CRSError
        The map is in local metres and cannot be transformed to ``crs``.

    Examples
    --------
    >>> import shapely
    >>> from geoeval import ObjectMap, write_objects
    >>> houses = ObjectMap.from_polygons([shapely.box(0, 0, 12, 9), shapely.box(30, 0, 40, 8)], crs="EPSG:32610")
    >>> write_objects(houses, "houses.gpkg", overwrite=True).name
    'houses.gpkg'
    """
    file = check_objects_file(path, overwrite=overwrite)
    if file.suffix.lower() == ".geojson" and is_local(objects.crs):
        raise OutputError(f"{file}: GeoJSON cannot say that coordinates are local metres; use .gpkg")
    frame = objects.to_geodataframe().rename(columns={"source_id": "ge_id"})
    frame["ge_id"] = [clean_text(value) for value in objects.ids]
    return write_frame(frame, file, geometry="Polygon", crs=crs, overwrite=overwrite)
