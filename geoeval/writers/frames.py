"""A GeoDataFrame as one file of points, lines or polygons, in the format that its suffix says."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shapely

from geoeval import crs as projections
from geoeval.exceptions import CRSError, OutputError
from geoeval.writers.aside import check_file, new_file

if TYPE_CHECKING:
    import geopandas as gpd

DRIVERS = {".shp": "ESRI Shapefile", ".gpkg": "GPKG", ".geojson": "GeoJSON", ".fgb": "FlatGeobuf", ".parquet": ""}


def check_frame_file(path: str | Path, *, what: str = "features", overwrite: bool = False) -> Path:
    """The place, or an ``OutputError`` where it cannot be written: to be asked before the work."""
    file = Path(path)
    if file.suffix.lower() not in DRIVERS:
        kind = file.suffix or "that"
        raise OutputError(f"{file}: {what} are not written as {kind}; choose among {', '.join(DRIVERS)}")
    return check_file(file, overwrite=overwrite)


def write_frame(
    frame: "gpd.GeoDataFrame", path: str | Path, *, geometry: str = "LineString", crs: Any = None,
    overwrite: bool = False,
) -> Path:  # fmt: skip
    """Write the rows; GeoJSON is in longitude and latitude where it can be.

    Parameters
    ----------
    frame
        Features of one geometry type. None give a file without rows.
    path
        ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb`` or ``.parquet``.
    geometry
        Of all rows, in one part or several: ``Point``, ``LineString`` or ``Polygon``.
    crs
        What the coordinates shall be in; by default what they are in.
    overwrite
        Replace a file that exists.
    """
    import pyogrio

    final = check_frame_file(path, overwrite=overwrite)
    suffix = final.suffix.lower()
    own = projections.parse_crs(frame.crs)
    local = projections.is_local(own)
    if crs is not None and projections.parse_crs(crs) != own:
        if local:
            name = projections.crs_name(projections.parse_crs(crs))
            raise CRSError(f"local metres cannot be written in {name}; give the CRS of the input")
        frame = frame.to_crs(projections.parse_crs(crs))
    elif suffix == ".geojson" and not local and crs is None:
        frame = frame.to_crs(projections.WGS84)
    multi = bool((shapely.get_type_id(frame.geometry.to_numpy()) > 3).any())
    with new_file(final, overwrite=overwrite) as aside:
        if suffix == ".parquet":
            frame.to_parquet(aside, index=False)
            return final
        before = pyogrio.get_gdal_config_option("OGR_CURRENT_DATE")
        pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": "2000-01-01T00:00:00.000Z"})
        # Rows keep their order, which FlatGeobuf's index would change.
        options = {".shp": {"DBF_DATE_LAST_UPDATE": "2000-01-01"}, ".fgb": {"SPATIAL_INDEX": "NO"}}.get(suffix, {})
        try:
            with warnings.catch_warnings():
                # GeoJSON in local metres, and texts that a shapefile cuts: seen in the file, no harm done.
                warnings.simplefilter("ignore")
                pyogrio.write_dataframe(
                    frame, aside, driver=DRIVERS[suffix], layer_options=options, promote_to_multi=multi,
                    geometry_type=f"Multi{geometry}" if multi else geometry,
                )  # fmt: skip
        except (RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise OutputError(f"{final.name} cannot be written ({reason}); choose another format") from error
        finally:
            pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": before})
    return final
