"""What the readers of vector layers share: how layers are recognised, their ids and their CRS."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS
from pyproj.exceptions import CRSError as ProjCRSError

from geoeval.crs import parse_crs
from geoeval.exceptions import HOW_TO_GIVE_CRS, CRSError, LayerChoiceError, MissingCRSError
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
    try:
        return crs.sub_crs_list[0] if crs.is_compound else crs.to_2d()
    except ProjCRSError as error:  # a damaged one, which PROJ takes until it is written anew
        raise CRSError(f"the CRS of {source} cannot be understood; {HOW_TO_GIVE_CRS}") from error


def id_columns(id_column: str | None) -> tuple[str, ...]:
    """The columns to read for the ids of a layer."""
    return (ROW_ID,) if id_column is None else (ROW_ID, id_column)


def ids_of(source: str, table: "VectorTable", id_column: str | None) -> NDArray[Any]:
    """The ids of rows: the column that the user names, the column ``ge_id``, or the feature ids of the file.

    A row without a value has the empty text.
    """
    if id_column is None:
        return without_nulls(table.columns[ROW_ID]) if ROW_ID in table.columns else table.ids
    return without_nulls(_column_of(source, table, id_column, "ids"))


def classes_of(source: str, table: "VectorTable", class_column: str | None) -> NDArray[Any] | None:
    """What each row is, by the column that the user names; ``None`` where none is named."""
    if class_column is None:
        return None
    return without_nulls(_column_of(source, table, class_column, "classes"))


def check_column(source: str, name: str, purpose: str, there: Iterable[str]) -> None:
    """Refuse the name of a column that is not there, and say which are."""
    names = list(there)
    if name not in names:
        listed = ", ".join(names) or "none"
        raise LayerChoiceError(f"{source} has no column {name!r} for the {purpose}; its columns are {listed[:200]}")


def _column_of(source: str, table: "VectorTable", name: str, purpose: str) -> NDArray[Any]:
    """The values of a column that the user names; none where there are no rows: such GeoJSON has no columns."""
    if name not in table.columns and len(table.geometries) == 0:
        return np.zeros(0, dtype=object)
    check_column(source, name, purpose, table.names or table.columns)
    return table.columns[name]


def without_nulls(ids: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers and text, where nulls may have turned numbers into fractions; shapefiles have no null in text."""
    if ids.dtype.kind in "iu":
        return ids
    if ids.dtype.kind == "f":
        known = np.isfinite(ids)
        whole = (ids[known] == np.round(ids[known])).all() and (np.abs(ids[known]) < 2**53).all()
        plain = [
            (int(value) if whole else float(value)) if here else "" for value, here in zip(ids, known, strict=True)
        ]
        return np.array(plain, dtype=np.int64) if whole and known.all() else np.array([None, *plain], dtype=object)[1:]
    kept = [value if isinstance(value, str | int) else "" if _is_null(value) else str(value) for value in ids]
    return np.array([None, *kept], dtype=object)[1:]


def _is_null(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124 - NaN and NaT are no number
