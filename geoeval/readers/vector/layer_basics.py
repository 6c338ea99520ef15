"""What the readers of vector layers share: how layers are recognised, their ids and their CRS."""

from typing import TYPE_CHECKING, Any

from pyproj import CRS

from geoeval.crs import parse_crs
from geoeval.exceptions import HOW_TO_GIVE_CRS, CRSError, MissingCRSError
from geoeval.readers.reader import InputFile

if TYPE_CHECKING:
    from geoeval.readers.vector.ogr import VectorTable

# A program that hands over a copy of its own rows names them in this column, because a copy has other feature ids.
ROW_ID = "ge_id"


def is_vector(file: InputFile) -> bool:
    """Whether it is GeoJSON, or a folder of vector data: a geodatabase, GeoParquet or shapefiles."""
    if file.is_folder:
        return file.path.suffix.lower() in {".gdb", ".parquet"} or any(file.path.glob("*.shp"))
    return file.is_json_object


def may_be_vector(_: InputFile) -> bool:
    """True for any file: GDAL says what it cannot open."""
    return True


def crs_of(source: str, table: "VectorTable", given: Any) -> CRS:
    """The CRS of a layer, or the one given, without heights."""
    if given is not None:
        crs = parse_crs(given)
    else:
        if table.crs is None:
            raise MissingCRSError(f"{source} does not say which CRS its coordinates are in; {HOW_TO_GIVE_CRS}")
        try:
            crs = parse_crs(table.crs)
        except CRSError as error:
            raise CRSError(f"the CRS of {source} cannot be understood; {HOW_TO_GIVE_CRS}") from error
        # GeoPackage has two entries for an unknown CRS.
        if crs.name.lower().startswith("undefined"):
            raise MissingCRSError(f"{source} says that its CRS is undefined; {HOW_TO_GIVE_CRS}")
    return crs.sub_crs_list[0] if crs.is_compound else crs.to_2d()
