"""Lines of map layers as a drawing, with widths in metres and styles from their columns."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import writable
from geoeval.crs import LOCAL_METRES, is_local, to_metres
from geoeval.exceptions import EmptyInputError, ParameterError, UnreadableInputError
from geoeval.model.courses import polyline
from geoeval.model.drawing import Drawing, style_code
from geoeval.readers.options import check_options
from geoeval.readers.osm.recognition import is_osm
from geoeval.readers.reader import InputFile, Reader
from geoeval.readers.text import finite_number
from geoeval.readers.vector.layer_basics import crs_of, id_columns, ids_of, is_vector, may_be_vector

if TYPE_CHECKING:
    from geoeval.readers.vector.ogr import VectorTable


def read_drawn_layer(
    path: Path,
    *,
    width: float | None = None,
    width_column: str = "width",
    style_column: str = "style",
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    id_column: str | None = None,
) -> Drawing:
    """Read the lines of a map layer: two vertices make a bar, more a polyline.

    Parameters
    ----------
    path
        A file, a zipped shapefile or a folder (.gdb) that GDAL opens, or GeoParquet.
    width
        Width in metres of lines that do not say; by default as ``Drawing`` assumes it.
    width_column, style_column
        Columns with the width in metres and the style as number or name, if they exist.
    crs
        CRS of the coordinates, if the file does not say or is wrong.
    layer
        Which layer, if several have lines.
    pixel_size
        Metres per unit of a file without CRS.
    id_column
        Column with the ids; by default ``ge_id`` if there is one, else the feature ids of the file.

    Returns
    -------
    Drawing
        Geometries that are not lines are counted in ``problems``. A layer of lines without any row gives an empty
        drawing.

    Raises
    ------
    EmptyInputError
        There are rows, but no line among them.
    """
    from geoeval.readers.vector.ogr import read_table

    check_options({"width": width, "pixel_size": pixel_size})
    table = read_table(path, layer=layer, columns=(width_column, style_column, *id_columns(id_column)))
    columns = {"width_column": width_column, "style_column": style_column}
    return drawing_from_table(
        table, str(path), width=width, crs=crs, pixel_size=pixel_size, id_column=id_column, **columns
    )


def drawing_from_table(
    table: "VectorTable",
    source: str,
    *,
    width: float | None = None,
    width_column: str = "width",
    style_column: str = "style",
    crs: Any = None,
    pixel_size: float | None = None,
    id_column: str | None = None,
) -> Drawing:
    """A drawing from rows of lines, as ``read_drawn_layer`` describes it."""
    problems = dict(table.problems)
    own = LOCAL_METRES if crs is None and table.crs is None and pixel_size else crs_of(source, table, crs)
    parts, row = shapely.get_parts(writable(table.geometries), return_index=True)
    parts, nested = shapely.get_parts(parts, return_index=True)  # of collections
    row = row[nested]
    usable = np.isin(shapely.get_type_id(parts), (1, 2)) & ~shapely.is_empty(parts)
    if not usable.all():
        problems["not_lines"] = problems.get("not_lines", 0) + int((~usable).sum())
    missing = int(shapely.is_missing(table.geometries).sum())
    if missing:
        problems["null_geometries"] = missing
    parts, row = parts[usable], row[usable]
    if len(parts) == 0 and (len(table.geometries) or not table.may_hold):
        raise EmptyInputError(f"{source} holds no lines; give a layer of lines")
    coordinates, line = shapely.get_coordinates(parts, return_index=True)
    finite = np.isfinite(coordinates).all(axis=1)
    if not finite.all():
        problems["vertices_not_a_number"] = int((~finite).sum())
    coordinates, line = coordinates[finite] * (pixel_size if is_local(own) and pixel_size else 1.0), line[finite]
    xy, metric, error = to_metres(coordinates, own)
    courses = np.split(xy, np.searchsorted(line, np.arange(1, len(parts)))) if len(parts) else []
    fallback = np.nan if width is None else width
    widths = [_width(value) for value in table.columns.get(width_column, [None] * len(table.geometries))]
    unknown = sum(widths[i] is None for i in row) if width_column in table.columns else 0
    if unknown:
        problems["width_not_known"] = unknown
    styles = [_style(value, source) for value in table.columns.get(style_column, [1] * len(table.geometries))]
    ids = ids_of(source, table, id_column)
    return Drawing(
        [polyline(points) for points in courses],
        width=[widths[i] or fallback for i in row],
        style=[styles[i] for i in row],
        crs=metric,
        ids=[ids[i] for i in row],
        problems=problems,
        source=source,
        scale_error=error,
    )


def _width(value: Any) -> float | None:
    """A width in metres; ``None`` if a row has none that can be understood."""
    number = finite_number(str(value).removesuffix("m").strip()) if value is not None else None
    return number if number is not None and number > 0 else None


def _style(value: Any, source: str) -> int:
    if value is None or value == "" or value != value:  # noqa: PLR0124 - not a number
        return 1
    try:
        return style_code(value)
    except ParameterError as error:
        raise UnreadableInputError(f"{source}: {error}") from error


def _has_lines(file: InputFile) -> bool:
    """Whether it is vector data or OpenStreetMap, which GDAL reads as well."""
    return is_vector(file) or is_osm(file)


READER = Reader("vector", reads={"lines": read_drawn_layer}, by_content=_has_lines, by_name=may_be_vector)
