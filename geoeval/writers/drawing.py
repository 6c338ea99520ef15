"""The lines of a drawing as a file that other programs open, and that reads back as the same drawing.

SVG holds all there is: arcs stay arcs. The table ``x1 y1 x2 y2 width style`` holds straight lines only. In the formats
of maps circular pieces become chords of 3 degrees.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from geoeval.crs import is_local, parse_crs
from geoeval.exceptions import CRSError, OutputError
from geoeval.model.drawing import BAR, STYLES, Drawing
from geoeval.writers.aside import check_file, new_file
from geoeval.writers.frames import DRIVERS, write_frame
from geoeval.writers.tables import clean_text

Floats = NDArray[np.float64]

TABLES = (".txt", ".csv", ".tsv", ".dat", ".lines")
# Dashes and gaps of each style, in widths of the line.
_DASHES: dict[int, tuple[int, ...]] = {1: (), 2: (4, 2), 3: (6, 2, 1, 2), 4: (6, 2, 1, 2, 1, 2)}


def check_drawing_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The place, or an ``OutputError`` where it cannot be written: to be asked before the work."""
    file = Path(path)
    known = (*TABLES, ".svg", *DRIVERS)
    if file.suffix.lower() not in known:
        kind = file.suffix or "that"
        raise OutputError(f"{file}: lines are not written as {kind}; choose among {', '.join(known)}")
    return check_file(file, overwrite=overwrite)


def write_drawing(drawing: Drawing, path: str | Path, *, crs: Any = None, overwrite: bool = False) -> Path:
    """Write the lines of a drawing; the suffix says in which format.

    Parameters
    ----------
    drawing
        What to write. An empty one gives a file without lines, which reads back but for SVG.
    path
        ``.txt`` and the like for a table of straight lines, ``.svg``, or as a map ``.shp``, ``.gpkg``, ``.geojson``,
        ``.fgb`` or ``.parquet`` with the columns ``ge_id``, ``shape``, ``width`` and ``style``.
    crs
        What the coordinates shall be in; by default what the drawing is in, for GeoJSON longitude and latitude.
    overwrite
        Replace a file that exists.

    Raises
    ------
    OutputError
        The suffix is not known, the file exists, cannot be written, or cannot hold these lines.
    CRSError
        The drawing has no place on Earth and cannot be brought into ``crs``.
    """
    file = check_drawing_file(path, overwrite=overwrite)
    suffix = file.suffix.lower()
    if suffix in DRIVERS:
        if suffix == ".geojson" and is_local(drawing.crs):
            raise OutputError(f"{file}: GeoJSON cannot say that a drawing has no place on Earth; use .gpkg or .svg")
        frame = drawing.to_geodataframe().rename(columns={"id": "ge_id"})
        frame["ge_id"] = [clean_text(value) for value in drawing.ids]
        return write_frame(frame, file, geometry="LineString", crs=crs, overwrite=overwrite)
    if crs is not None:
        if is_local(drawing.crs) != is_local(parse_crs(crs)):
            raise CRSError(f"{file}: a drawing without a place on Earth has no other CRS; leave --crs away")
        drawing = drawing.to_crs(crs)
    rows = _svg(drawing, file) if suffix == ".svg" else _table(drawing, file)
    with new_file(file, overwrite=overwrite) as aside, aside.open("w", encoding="utf-8", newline="\n") as text:
        text.writelines(f"{row}\n" for row in rows)
    return file


def _table(drawing: Drawing, file: Path) -> list[str]:
    other = int((drawing.shapes != BAR).sum())
    if other:
        raise OutputError(f"{file}: {other} of {len(drawing)} lines are not straight, as a table has them; use .svg")
    rows = zip(drawing.ends.reshape(-1, 4).tolist(), drawing.widths.tolist(), drawing.styles.tolist(), strict=True)
    return ["# x1 y1 x2 y2 width style", *(f"{_numbers(*ends, width)} {style}" for ends, width, style in rows)]


def _svg(drawing: Drawing, file: Path) -> list[str]:
    unknown = drawing.styles[~np.isin(drawing.styles, list(_DASHES))]
    if len(unknown):
        known = ", ".join(STYLES.values())
        raise OutputError(f"{file}: SVG has no line style {unknown[0]}, only {known}; use .gpkg")
    head = '<svg xmlns="http://www.w3.org/2000/svg" fill="none" stroke="black">'
    return [head, *(_path(drawing, row) for row in range(len(drawing))), "</svg>"]


def _path(drawing: Drawing, row: int) -> str:
    course = drawing.pieces[drawing.first[row] : drawing.first[row + 1]]
    width = float(drawing.widths[row])
    dashes = " ".join(f"{width * mark!r}" for mark in _DASHES[int(drawing.styles[row])])
    facts = {
        "id": clean_text(drawing.ids[row]),
        "d": " ".join([f"M {_numbers(*course[0, 0:2].tolist())}", *_steps(course)]),
        "stroke-width": repr(width),
        **({"stroke-dasharray": dashes} if dashes else {}),
    }
    return f"<path {' '.join(f'{name}={quoteattr(value)}' for name, value in facts.items())}/>"


def _steps(course: Floats) -> Iterator[str]:
    """Lines and arcs from piece to piece; what turns by half a circle or more is drawn in parts."""
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
