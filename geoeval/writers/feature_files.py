"""A GeoDataFrame as one file of points, lines or polygons, in the format that its suffix says."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyproj import CRS

from geoeval.crs import WGS84, crs_name, is_local, parse_crs
from geoeval.exceptions import CRSError, GeoevalWarning
from geoeval.files import SUFFIXES, check_output, new_file
from geoeval.writers.gdal import cut_texts, layer_of, write_rows

if TYPE_CHECKING:
    import geopandas as gpd

FRAME_SUFFIXES = SUFFIXES["features"]
# Rows keep their order, which FlatGeobuf's index would change.
_LAYER_OPTIONS = {".fgb": {"SPATIAL_INDEX": "NO"}}


def check_frame_file(path: str | Path, *, what: str = "features", overwrite: bool = False) -> Path:
    """The path of a file that can be written, or an ``OutputError``; ask before the work."""
    return check_output(path, what, overwrite=overwrite)


def target_crs(own: CRS, wanted: Any, suffix: str) -> CRS:
    """The CRS of a file: the one that is wanted; by default its own, and longitude and latitude in GeoJSON.

    Raises
    ------
    CRSError
        One of the two is local metres, so that there is no way from one to the other.
    """
    if wanted is None:
        return WGS84 if suffix == ".geojson" and not is_local(own) else own
    target = parse_crs(wanted)
    if target != own and (is_local(own) or is_local(target)):
        raise CRSError(f"{crs_name(own)} cannot be written in {crs_name(target)}; give the CRS of the input")
    return target


def write_frame(
    frame: "gpd.GeoDataFrame", path: str | Path, *, geometry: str = "LineString", crs: Any = None,
    overwrite: bool = False,
) -> Path:  # fmt: skip
    """Write features of one geometry type to a file.

    Parameters
    ----------
    frame
        The features; none give a file without rows.
    path
        ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb`` or ``.parquet``.
    geometry
        Of all rows, in one part or several: ``Point``, ``LineString`` or ``Polygon``.
    crs
        CRS of the file; by default that of the features, and longitude and latitude for GeoJSON.
    overwrite
        Replace an existing file.

    Warns
    -----
    GeoevalWarning
        Text was cut because a shapefile cannot hold it, or the library said that something was lost.
    """
    final = check_frame_file(path, overwrite=overwrite)
    suffix = final.suffix.lower()
    own = parse_crs(frame.crs)
    target = target_crs(own, crs, suffix)
    rows = frame if target == own else frame.to_crs(target)
    rows, cut = cut_texts(rows, final.name) if suffix == ".shp" else (rows, ())
    with new_file(final, overwrite=overwrite) as unfinished:
        said = write_rows(
            rows, unfinished, suffix[1:], geometry=geometry, layer_options=_LAYER_OPTIONS.get(suffix),
            layer=layer_of(final, otherwise="features") if suffix == ".gpkg" else None,
        )  # fmt: skip
    for message in (*cut, *(f"{final.name}: {line}" for line in said)):
        warnings.warn(message, GeoevalWarning, stacklevel=2)
    return final
