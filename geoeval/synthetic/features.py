"""The errors that were put in, as a file of lines."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval import crs as projections
from geoeval.exceptions import OutputError
from geoeval.writers.aside import check_file, new_file

if TYPE_CHECKING:
    import geopandas as gpd

DRIVERS = {".shp": "ESRI Shapefile", ".gpkg": "GPKG", ".geojson": "GeoJSON", ".fgb": "FlatGeobuf", ".parquet": ""}


def check_features(path: str | Path, *, overwrite: bool = False) -> Path:
    """The place, or an ``OutputError`` where it cannot be written: to be asked before the work."""
    file = Path(path)
    if file.suffix.lower() not in DRIVERS:
        kind = file.suffix or "that"
        raise OutputError(f"{file}: features are not written as {kind}; choose among {', '.join(DRIVERS)}")
    return check_file(file, overwrite=overwrite)


def write_features(frame: "gpd.GeoDataFrame", path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write error features; the suffix says in which format. GeoJSON is in longitude and latitude where it can be.

    No features give a file without rows.
    """
    import pyogrio

    final = check_features(path, overwrite=overwrite)
    suffix = final.suffix.lower()
    local = projections.is_local(projections.parse_crs(frame.crs))
    if crs is not None and not local:
        frame = frame.to_crs(projections.parse_crs(crs))
    elif suffix == ".geojson" and not local:
        frame = frame.to_crs(projections.WGS84)
    with new_file(final, overwrite=overwrite) as aside:
        if suffix == ".parquet":
            frame.to_parquet(aside, index=False)
            return final
        before = pyogrio.get_gdal_config_option("OGR_CURRENT_DATE")
        pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": "2000-01-01T00:00:00.000Z"})
        # Rows keep their order, which FlatGeobuf's index would change.
        own = {".shp": {"DBF_DATE_LAST_UPDATE": "2000-01-01"}, ".fgb": {"SPATIAL_INDEX": "NO"}}.get(suffix, {})
        try:
            with warnings.catch_warnings():
                # GeoJSON in local metres, and texts that a shapefile cuts: seen in the file, no harm done.
                warnings.simplefilter("ignore")
                pyogrio.write_dataframe(
                    frame, aside, driver=DRIVERS[suffix], geometry_type="LineString", layer_options=own
                )
        except (RuntimeError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise OutputError(f"{final.name} cannot be written ({reason}); choose another format") from error
        finally:
            pyogrio.set_gdal_config_options({"OGR_CURRENT_DATE": before})
    return final
