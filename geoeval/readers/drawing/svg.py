"""Lines of SVG drawings: all shapes with a stroke, in pixels of 1/96 inch, y down.

Each subpath is one line. Circular arcs stay circular; elliptic arcs and Bézier curves become polylines of 32 pieces.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import UnreadableInputError
from geoeval.model.courses import bar, piece_lengths, polyline
from geoeval.model.drawing import Drawing
from geoeval.readers.drawing.drawn_lines import DrawnLines, dash_style, drawing_errors, missing_extra
from geoeval.readers.drawing.svg_groups import check_groups
from geoeval.readers.reader import Reader, has_suffix

_STEPS = 32


def read_svg(path: Path, *, crs: Any = None, pixel_size: float | None = None) -> Drawing:
    """Read all stroked shapes, with transforms, units and style sheets applied.

    Parameters
    ----------
    path
        An SVG file.
    crs
        CRS of the coordinates; by default a plane without a place on Earth.
    pixel_size
        Metres per pixel of the drawing; by default pixels are kept.

    Returns
    -------
    Drawing
        Ids are those of the shapes, else their kind and number. Shapes without a stroke are counted in ``problems``.

    Raises
    ------
    EmptyInputError
        There is no stroked shape.
    """
    with drawing_errors(path, "SVG"):
        lines = _lines(path)
    lines.check_not_empty(path)
    return lines.drawing(path, width=None, crs=crs, pixel_size=pixel_size)


def _lines(path: Path) -> DrawnLines:
    """All stroked shapes. O(shapes)."""
    try:
        import svgelements
    except ImportError as error:
        raise missing_extra("svgelements") from error
    check_groups(path)
    document = svgelements.SVG.parse(str(path), reify=True)
    if not isinstance(document, svgelements.SVG):
        raise UnreadableInputError(f"{path} is XML but not SVG; check what kind of file it is")
    lines = DrawnLines()
    number = 0
    for shape in document.elements():
        if not isinstance(shape, svgelements.Shape):
            continue
        number += 1
        if shape.stroke.value is None or not shape.stroke_width or shape.stroke_width <= 0:
            lines.count("without_stroke")
            continue
        style = _style(shape.values.get("stroke-dasharray"))
        name = shape.id or f"{type(shape).__name__.lower()}-{number}"
        for course in _courses(abs(svgelements.Path(shape)), svgelements):
            lines.add(course, float(shape.stroke_width), style, name)
    return lines


def _courses(path: Any, svg: Any) -> Iterator[Floats]:
    """Each subpath."""
    rows: list[Floats] = []
    for segment in path:
        if isinstance(segment, svg.Move):
            if rows:
                yield _merged(np.vstack(rows))
            rows = []
            continue
        start, end = segment.start, segment.end
        if start is None or end is None:
            continue
        if isinstance(segment, svg.Arc) and abs(segment.rx - segment.ry) <= 1e-6 * abs(segment.rx):
            own = [start.x, start.y, end.x, end.y, segment.center.x, segment.center.y, float(segment.sweep)]
            rows.append(np.array([own]))
        elif isinstance(segment, svg.Line | svg.Close):
            rows.append(bar((start.x, start.y), (end.x, end.y)))
        else:
            rows.append(polyline(_curve(segment)))
    if rows:
        yield _merged(np.vstack(rows))


def _curve(segment: Any) -> Any:
    """Places along a curve, its ends included."""
    controls = [getattr(segment, name, None) for name in ("start", "control", "control1", "control2", "end")]
    places = np.array([(point.x, point.y) for point in controls if point is not None])
    if len(places) == 2:  # an elliptic arc
        points = [segment.point(step / _STEPS) for step in range(_STEPS + 1)]
        return [(point.x, point.y) for point in points]
    share = np.linspace(0.0, 1.0, _STEPS + 1)[:, None, None]
    course = places[None]
    while course.shape[1] > 1:  # de Casteljau's scheme, for all places at once
        course = course[:, :-1] * (1 - share) + course[:, 1:] * share
    return course[:, 0]


def _merged(course: Floats) -> Floats:
    """The pieces of a line, with neighbouring arcs of one circle merged: a circle comes in quarters."""
    lengths = piece_lengths(course)
    course = course[lengths > 1e-9 * lengths.sum()]  # closing a circle leaves a piece of rounding
    if not course[:, 6].any():
        return course
    kept = [piece.copy() for piece in course[:1]]
    for piece in course[1:]:
        last = kept[-1]
        radius = np.hypot(*(last[0:2] - last[4:6]))
        same = last[6] * piece[6] > 0 and np.allclose(last[4:6], piece[4:6], rtol=0, atol=1e-9 * radius)
        other = np.hypot(*(piece[0:2] - piece[4:6]))
        if same and abs(other - radius) <= 1e-9 * radius and abs(last[6] + piece[6]) <= 2 * np.pi + 1e-9:
            last[2:4] = piece[2:4]
            last[6] += piece[6]
        else:
            kept.append(piece.copy())
    return np.array(kept).reshape(-1, 7)


def _style(dashes: Any) -> int:
    """The style of a ``stroke-dasharray``; a list of odd length is repeated once."""
    words = str(dashes or "none").replace(",", " ").split()
    try:
        values = [float(word.rstrip("pxmcitn%")) for word in words]
    except ValueError:  # none, or inherit
        return 1
    if len(values) % 2:
        values *= 2
    return dash_style(values[::2]) if any(values[1::2]) else 1


READER = Reader("svg", reads={"lines": read_svg}, by_name=has_suffix(".svg"))
