"""A drawing of any supported kind becomes one ``Drawing``; an image becomes its black pixels."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.crs import LOCAL_METRES, is_local, parse_crs, to_metres
from geoeval.exceptions import CRSError, EmptyInputError, MissingExtraError, ParameterError, UnreadableInputError
from geoeval.model.courses import bar, polyline
from geoeval.model.drawing import Drawing, PixelImage, style_code
from geoeval.readers.network import file_kind
from geoeval.readers.pixels import check_pixel_size
from geoeval.readers.text import read_text

# Width of lines that do not say: roads on a map, and lines of a drawing.
ROAD_WIDTH, LINE_WIDTH = 8.0, 1.0
INKS = ("auto", "dark", "bright")
_TABLE_SUFFIXES = (".txt", ".csv", ".tsv", ".dat", ".lines")


@dataclass
class DrawnLines:
    """Lines on the way from a file to a ``Drawing``; a width that the file does not give is NaN."""

    courses: list[NDArray[np.float64]] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    styles: list[int] = field(default_factory=list)
    ids: list[Any] = field(default_factory=list)
    problems: dict[str, int] = field(default_factory=dict)

    def add(self, course: NDArray[np.float64], width: float, style: int, name: Any) -> None:
        """One line more."""
        self.courses.append(course)
        self.widths.append(width)
        self.styles.append(style)
        self.ids.append(name)

    def count(self, problem: str, number: int = 1) -> None:
        """Something that was left out."""
        self.problems[problem] = self.problems.get(problem, 0) + number


def read_drawing(
    path: str | Path,
    *,
    width: float | None = None,
    width_column: str = "width",
    style_column: str = "style",
    labels: Sequence[str] = ("wall",),
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
) -> Drawing:
    """Read the lines of a drawing or of a map.

    Parameters
    ----------
    path
        DXF (lines, arcs, circles, polylines with bulges, blocks exploded); SVG (all stroked shapes); a table of text
        rows ``x1 y1 x2 y2 width [style]`` with ``#`` comments, or ``x1 y1 x2 y2 label ...``; or lines in Shapefile,
        GeoPackage, GeoJSON and whatever else GDAL opens.
    width
        Of lines that do not say theirs; by default 8 on a map (metres) and 1 in a drawing (its unit).
    width_column, style_column
        Columns of a map layer, where they are there; widths in metres, styles as numbers or names.
    labels
        Which rows of a labelled table are lines; the others are counted in ``problems``.
    crs
        What the coordinates are in, where the file does not say, or to overrule what it says. Drawings need none.
    layer
        Which layer of a map file, or of a DXF drawing.
    pixel_size
        Metres of the drawing's unit, to compare it with a map; by default the unit is kept.

    Returns
    -------
    Drawing
        Rows and entities that are no lines are counted in ``problems``. A file without any line is an error, a map
        layer or table without any row an empty drawing.
    """
    check_pixel_size(pixel_size)
    if width is not None and not (isfinite(width) and width > 0):
        raise ParameterError(f"the width is {width}; give a width above 0")
    file = Path(path)
    if not file.exists():
        raise UnreadableInputError(f"{path}: no such file; check the path")
    kind = drawing_kind(file)
    if kind == "raster":
        raise UnreadableInputError(f"{path} is an image, not lines; give it with --image FILE (read_image)")
    if kind == "map":
        return _read_map(
            file, width=width, columns=(width_column, style_column), crs=crs, layer=layer, pixel_size=pixel_size
        )
    if kind == "dxf":
        from geoeval.readers.dxf import read_dxf

        lines = read_dxf(file, layer=layer)
    elif kind == "svg":
        from geoeval.readers.svg import read_svg

        lines = read_svg(file)
    else:
        lines = _read_rows(file, labels)
    if kind != "table" and not lines.courses:
        what = ", ".join(f"{count} {name}" for name, count in lines.problems.items()) or "nothing"
        raise EmptyInputError(f"{path} holds {what}, no lines; give a drawing with lines")
    scale = pixel_size or 1.0
    widths = np.array(lines.widths, dtype=np.float64)
    return Drawing(
        [course * np.array([scale] * 6 + [1.0]) for course in lines.courses],
        width=np.where(np.isnan(widths), LINE_WIDTH if width is None else width, widths) * scale,
        style=lines.styles,
        crs=LOCAL_METRES if crs is None else parse_crs(crs),
        ids=lines.ids,
        problems=lines.problems,
        source=str(path),
    )


def read_image(
    path: str | Path, *, ink: str = "auto", crs: Any = None, pixel_size: float | None = None, layer: str | None = None
) -> PixelImage:
    """Read the black pixels of a scanned drawing or map: PNG, TIFF, JPEG.

    Parameters
    ----------
    path
        The image. Without a georeference pixel (column, row) lies at these coordinates, times ``pixel_size``.
    ink
        ``"dark"``, ``"bright"``, or ``"auto"``: whichever there is less of. The limit is the middle of the values.
    crs, layer
        As for masks of roads: the CRS where the file does not say, and the band where there are several.
    pixel_size
        Size of a pixel of an image without a georeference; by default 1.
    """
    if ink not in INKS:
        raise ParameterError(f"unknown ink {ink!r}; choose among {', '.join(INKS)}")
    check_pixel_size(pixel_size)
    if not Path(path).exists():
        raise UnreadableInputError(f"{path}: no such file; check the path")
    from geoeval.readers.raster import open_image

    values, valid, grid = open_image(Path(path), crs=crs, pixel_size=pixel_size or 1.0, layer=layer)
    if grid.crs.is_geographic:
        raise CRSError(f"{path} is in degrees, where widths mean nothing; warp it to a CRS in metres (gdalwarp)")
    values = values.astype(np.float64)
    low, high = (values.min(where=valid, initial=np.inf), values.max(where=valid, initial=-np.inf))
    dark = (values <= (low + high) / 2) & valid & (low < high)
    bright = (values > (low + high) / 2) & valid
    chosen = dark if ink == "dark" or (ink == "auto" and dark.sum() <= bright.sum() and low < high) else bright
    a, b, c, d, e, f = grid.affine
    # A georeference is that of pixel corners, plain pixel coordinates are those of middles.
    half = 0.0 if is_local(grid.crs) else 0.5
    middle = (a, b, c + half * (a + b), d, e, f + half * (d + e))
    return PixelImage(chosen, middle, grid.crs, source=str(path))


def drawing_kind(file: Path) -> str:
    """``dxf``, ``svg``, ``raster``, ``table`` or ``map``."""
    suffix = file.suffix.lower()
    if suffix in {".dxf", ".svg"}:
        return suffix[1:]
    if file.is_file() and suffix in _TABLE_SUFFIXES:
        return "table"
    return "raster" if file_kind(file) == "raster" else "map"


def dash_style(marks: Sequence[float]) -> int:
    """Style of a line with these marks (dashes and dots, without the gaps) in a period of its pattern.

    No mark is solid; equal marks are dashed, one long and one short dash-dotted, one long and several short
    dash-dot-dotted.
    """
    if not marks:
        return 1
    if max(marks) - min(marks) <= 1e-9 * max(marks):
        return 2
    return 3 if len(marks) == 2 else 4


def missing_extra(package: str) -> MissingExtraError:
    """What to say where a package for drawings is not installed."""
    return MissingExtraError(f'this drawing needs {package}, which is not installed; pip install "geoeval[drawings]"')


def _read_rows(file: Path, labels: Sequence[str]) -> DrawnLines:
    """The plain table, or the one with a label in the fifth column."""
    lines = DrawnLines()
    for number, text in enumerate(read_text(file).splitlines(), start=1):
        words = text.partition("#")[0].replace(",", " ").replace(";", " ").split()
        if not words:
            continue
        values = [_number(word) for word in words[:5]]
        if len(values) < 5 or any(value is None for value in values[:4]):
            msg = f"{file}, row {number}: {text.strip()[:60]!r} is no line; write x1 y1 x2 y2 width [style]"
            raise UnreadableInputError(msg)
        x1, y1, x2, y2, width = values
        if width is None:
            if words[4] in labels:
                lines.add(bar((x1, y1), (x2, y2)), np.nan, 1, number)  # type: ignore[arg-type]
            else:
                lines.count("other_labels")
            continue
        if not width > 0:
            raise UnreadableInputError(f"{file}, row {number}: the width is {width:g}; give a width above 0")
        try:
            style = style_code(words[5]) if len(words) > 5 else 1
        except ParameterError as error:
            raise UnreadableInputError(f"{file}, row {number}: {error}") from error
        lines.add(bar((x1, y1), (x2, y2)), width, style, number)  # type: ignore[arg-type]
    return lines


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _read_map(
    file: Path, *, width: float | None, columns: tuple[str, str], crs: Any, layer: str | None, pixel_size: float | None
) -> Drawing:
    """Lines of a map layer: two vertices are a bar, more a polyline."""
    from geoeval.readers.ogr import read_table
    from geoeval.readers.vector import ROW_ID, crs_of

    table = read_table(file, layer=layer, columns=(*columns, ROW_ID))
    problems = dict(table.problems)
    own = LOCAL_METRES if crs is None and table.crs is None and pixel_size else crs_of(file, table, crs)
    parts, row = shapely.get_parts(table.geometries, return_index=True)
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
        raise EmptyInputError(f"{file} holds no lines; give a layer of lines")
    coordinates, line = shapely.get_coordinates(parts, return_index=True)
    finite = np.isfinite(coordinates).all(axis=1)
    if not finite.all():
        problems["vertices_not_a_number"] = int((~finite).sum())
    coordinates, line = coordinates[finite] * (pixel_size if is_local(own) and pixel_size else 1.0), line[finite]
    xy, metric, error = to_metres(coordinates, own, trust_projected=True)
    courses = np.split(xy, np.searchsorted(line, np.arange(1, len(parts)))) if len(parts) else []
    fallback = ROAD_WIDTH if width is None else width
    widths = [_width(value) for value in table.columns.get(columns[0], [None] * len(table.geometries))]
    unknown = sum(widths[i] is None for i in row) if columns[0] in table.columns else 0
    if unknown:
        problems["width_not_known"] = unknown
    styles = [_style(value, file) for value in table.columns.get(columns[1], [1] * len(table.geometries))]
    ids = table.columns.get(ROW_ID, table.ids)
    return Drawing(
        [polyline(points) for points in courses],
        width=[widths[i] or fallback for i in row],
        style=[styles[i] for i in row],
        crs=metric,
        ids=[ids[i] for i in row],
        problems=problems,
        source=str(file),
        scale_error=error,
    )


def _width(value: Any) -> float | None:
    """A width in metres; ``None`` where a row has none that can be understood."""
    number = _number(str(value).removesuffix("m").strip()) if value is not None else None
    return number if number is not None and number > 0 else None


def _style(value: Any, file: Path) -> int:
    if value is None or value == "" or value != value:  # noqa: PLR0124 - not a number
        return 1
    try:
        return style_code(value)
    except ParameterError as error:
        raise UnreadableInputError(f"{file}: {error}") from error
