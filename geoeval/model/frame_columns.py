"""What the maps read from a GeoDataFrame besides its geometries: the CRS and the ids."""

from typing import TYPE_CHECKING, Any

from pyproj import CRS

from geoeval import crs as projections
from geoeval.exceptions import MissingCRSError, ParameterError

if TYPE_CHECKING:
    import geopandas as gpd


def crs_of_frame(frame: "gpd.GeoDataFrame", crs: Any = None) -> CRS:
    """The CRS of a GeoDataFrame, or the one to use instead; an error where there is none."""
    given = frame.crs if crs is None else crs
    if given is None:
        raise MissingCRSError("the GeoDataFrame has no CRS; set it with frame.set_crs('EPSG:n') or pass crs=")
    return projections.parse_crs(given)


def ids_of_frame(frame: "gpd.GeoDataFrame", id_column: str | None = None) -> Any:
    """The ids of the rows: a column, or the index."""
    if id_column is None:
        return frame.index
    if id_column not in frame.columns:
        held = ", ".join(map(str, frame.columns))
        raise ParameterError(f"the GeoDataFrame has no column {id_column!r}; choose id_column among {held}")
    return frame[id_column]
