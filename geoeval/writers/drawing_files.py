"""The lines of a drawing as a file that other programs open, and that reads back as the same drawing.

SVG keeps everything: arcs stay arcs. The table ``x1 y1 x2 y2 width style`` holds straight lines only. In map formats
circular pieces become chords of 3 degrees.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from geoeval.arrays import Floats
from geoeval.crs import is_local
from geoeval.exceptions import OutputError
from geoeval.files import check_output, keeps_inputs, new_file
from geoeval.model.drawing import BAR, STYLES, Drawing
from geoeval.writers.feature_files import FRAME_SUFFIXES, target_crs, write_frame
from geoeval.writers.tables import clean_text

# Dashes and gaps of each style, in widths of the line.
_DASHES: dict[int, tuple[int, ...]] = {1: (), 2: (4, 2), 3: (6, 2, 1, 2), 4: (6, 2, 1, 2, 1, 2)}


def check_drawing_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of a file that can be written, or an ``OutputError``; ask before the work."""
    return check_output(path, "lines", overwrite=overwrite)


@keeps_inputs
def write_drawing(drawing: Drawing, path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write the lines of a drawing to a file.

    Parameters
    ----------
    drawing
        The drawing. An empty one gives a file without lines, which reads back in every format but SVG.
    path
        The file; its suffix chooses the format: ``.txt``, ``.csv``, ``.tsv``, ``.dat`` or ``.lines`` for a table of
        straight lines, ``.svg``, or a map layer as ``.shp``, ``.gpkg``, ``.geojson``, ``.fgb`` or ``.parquet`` with
        the columns ``ge_id``, ``shape``, ``width`` and ``style``.
    crs
        CRS of the file; by default that of the drawing, and longitude and latitude for GeoJSON.
    overwrite
        Replace an existing file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        The suffix is unknown, the file exists, it cannot be written, or the format cannot hold these lines.
    CRSError
        The drawing is in local coordinates and cannot be transformed to ``crs``.

    Examples
    --------
    >>> from geoeval import Drawing, write_drawing
    >>> from geoeval.model.courses import bar
    >>> drawing = Drawing([bar((10, 20), (90, 20)), bar((10, 40), (90, 40))], width=2)
    >>> write_drawing(drawing, "drawing.svg", overwrite=True).name
    'drawing.svg'
    """
    file = check_drawing_file(path, overwrite=overwrite)
    suffix = file.suffix.lower()
    if suffix in FRAME_SUFFIXES:
        if suffix == ".geojson" and is_local(drawing.crs):
            raise OutputError(f"{file}: GeoJSON cannot say that a drawing has no place on Earth; use .gpkg or .svg")
        frame = drawing.to_geodataframe().rename(columns={"id": "ge_id"})
        frame["ge_id"] = [clean_text(value) for value in drawing.ids]
        return write_frame(frame, file, geometry="LineString", crs=crs, overwrite=overwrite)
    drawing = drawing.to_crs(target_crs(drawing.crs, crs, suffix))
    rows = _svg(drawing, file) if suffix == ".svg" else _table(drawing, file)
    with (
        new_file(file, overwrite=overwrite) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="\n") as text,
    ):
        text.writelines(f"{row}\n" for row in rows)
    return file


def _table(drawing: Drawing, file: Path) -> list[str]:
    other = int((drawing.shapes != BAR).sum())
    if other:
        raise OutputError(
            f"{file}: {other} of {len(drawing)} lines are not straight, and a table holds only straight ones; use .svg"
        )
    rows = zip(drawing.ends.reshape(-1, 4).tolist(), drawing.widths.tolist(), drawing.styles.tolist(), strict=True)
    return ["# x1 y1 x2 y2 width style", *(f"{_numbers(*ends, width)} {style}" for ends, width, style in rows)]


def _svg(drawing: Drawing, file: Path) -> list[str]:
    unknown = drawing.styles[~np.isin(drawing.styles, list(_DASHES))]
    if len(unknown):
        styles = ", ".join(STYLES.values())
        raise OutputError(f"{file}: line style {unknown[0]} cannot be drawn in SVG, only {styles}; use .gpkg")
    head = '<svg xmlns="http://www.w3.org/2000/svg" fill="none" stroke="black">'
    return [head, *(_path(drawing, row) for row in range(len(drawing))), "</svg>"]


def _path(drawing: Drawing, row: int) -> str:
    course = drawing.pieces[drawing.first[row] : drawing.first[row + 1]]
    width = float(drawing.widths[row])
    dashes = " ".join(f"{width * mark!r}" for mark in _DASHES[int(drawing.styles[row])])
    attributes = {
        "id": clean_text(drawing.ids[row]),
        "d": " ".join([f"M {_numbers(*course[0, 0:2].tolist())}", *_steps(course)]),
        "stroke-width": repr(width),
        **({"stroke-dasharray": dashes} if dashes else {}),
    }
    return f"<path {' '.join(f'{name}={quoteattr(value)}' for name, value in attributes.items())}/>"


def _steps(course: Floats) -> Iterator[str]:
    """Lines and arcs from piece to piece; arcs in parts of less than a quarter turn."""
    for x0, y0, x1, y1, cx, cy, sweep in course.tolist():
        if sweep == 0:
            yield f"L {_numbers(x1, y1)}"
            continue
        radius, parts = float(np.hypot(x0 - cx, y0 - cy)), int(abs(sweep) // (np.pi / 2)) + 1
        for part in range(1, parts + 1):
            angle = np.arctan2(y0 - cy, x0 - cx) + sweep * part / parts
            x, y = (x1, y1) if part == parts else (cx + radius * np.cos(angle), cy + radius * np.sin(angle))
            yield f"A {_numbers(radius, radius)} 0 0 {int(sweep > 0)} {_numbers(float(x), float(y))}"


def _numbers(*values: float) -> str:
    return " ".join(repr(value) for value in values)
