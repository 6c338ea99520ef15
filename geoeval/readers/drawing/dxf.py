"""Lines of DXF drawings: LINE, ARC, CIRCLE, LWPOLYLINE and POLYLINE with bulges, in blocks too.

Ellipses and splines become polylines within a thousandth of their extent. The width of a line is the constant width of
its polyline, else its line weight or that of its layer (millimetres on paper, taken as drawing units), else unknown.
"""

from collections.abc import Iterator
from math import radians
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import LayerChoiceError
from geoeval.model.courses import arc, bar, polyline
from geoeval.model.drawing import Drawing
from geoeval.readers.drawing.drawn_lines import DrawnLines, dash_style, drawing_errors, missing_extra
from geoeval.readers.drawing.dxf_blocks import check_blocks
from geoeval.readers.reader import InputFile, Reader, has_suffix

_CURVES = ("ELLIPSE", "SPLINE")
# Entities that lie in a plane of their own.
_FLAT = ("CIRCLE", "ARC", "LWPOLYLINE", "POLYLINE", *_CURVES)
# Lines to construct with, which are no part of the drawing.
_ENDLESS = ("RAY", "XLINE")


def read_dxf(
    path: Path,
    *,
    width: float | None = None,
    crs: Any = None,
    layer: str | None = None,
    pixel_size: float | None = None,
) -> Drawing:
    """Read the lines of the model space.

    Parameters
    ----------
    path
        A DXF file; blocks are exploded.
    width
        Width of lines that do not say, in units of the drawing; by default as ``Drawing`` assumes it.
    crs
        CRS of the coordinates; by default a plane without a place on Earth.
    layer
        Only the lines of this layer.
    pixel_size
        Metres per unit of the drawing; by default the unit is kept.

    Returns
    -------
    Drawing
        Ids are the handles of the entities. Entities that are not lines (text, hatches, images, wipeouts) and lines
        without an end (RAY, XLINE) are counted in ``problems``.

    Raises
    ------
    EmptyInputError
        There is no line.
    """
    with drawing_errors(path, "DXF"):
        lines = _lines(path, layer)
    lines.check_not_empty(path)
    return lines.drawing(path, width=width, crs=crs, pixel_size=pixel_size)


def _lines(path: Path, layer: str | None) -> DrawnLines:
    """All lines, or those of one layer. O(entities)."""
    document = _opened(path)
    if layer is not None and layer not in document.layers:
        names = ", ".join(sorted(one.dxf.name for one in document.layers))
        raise LayerChoiceError(f"{path} has no layer {layer!r}; choose one of: {names}")
    from ezdxf.disassemble import recursive_decompose

    check_blocks(document, path)
    lines = DrawnLines()
    styles: dict[str, int] = {}
    for number, entity in enumerate(recursive_decompose(document.modelspace())):
        if layer is not None and entity.dxf.get("layer", "0").lower() != layer.lower():
            continue
        courses = list(_courses(entity))
        if not courses:
            lines.count(_problem(entity))
            continue
        linetype = _own_or_layer(document, entity, "linetype", "BYLAYER", "CONTINUOUS")
        if linetype not in styles:
            styles[linetype] = _style(document, linetype)
        name = entity.dxf.get("handle") or f"{entity.dxftype().lower()}-{number}"
        for course in courses:
            lines.add(course, _width(document, entity), styles[linetype], name)
    return lines


def is_dxf(file: InputFile) -> bool:
    """Whether it is DXF by its name or its first lines."""
    return file.suffix == ".dxf" or file.head.split()[:2] == [b"0", b"SECTION"]


def check_dxf(path: Path) -> None:
    """Raise an error for a file whose blocks make more than the limits allow."""
    with drawing_errors(path, "DXF"):
        check_blocks(_opened(path), path)


def _opened(path: Path) -> Any:
    try:
        from ezdxf import recover
        from ezdxf.filemanagement import readfile
    except ImportError as error:
        raise missing_extra("ezdxf") from error
    try:
        return readfile(path)
    except Exception:  # noqa: BLE001 - many programs write DXF that only a tolerant reader understands
        return recover.readfile(path)[0]


def _courses(entity: Any) -> Iterator[Floats]:
    """The line of an entity; nothing if it has none or lies in a tilted plane."""
    kind = entity.dxftype()
    if kind == "LINE":
        yield bar(entity.dxf.start, entity.dxf.end)
    if kind not in _FLAT:
        return
    up = entity.dxf.get("extrusion", (0, 0, 1))
    if abs(up[0]) > 1e-9 or abs(up[1]) > 1e-9:
        return
    turn = 1.0 if up[2] > 0 else -1.0
    if kind in {"CIRCLE", "ARC"} and entity.dxf.radius > 0:
        centre = entity.ocs().to_wcs(entity.dxf.center)
        start, end = (0.0, 360.0) if kind == "CIRCLE" else (entity.dxf.start_angle, entity.dxf.end_angle)
        sweep = radians((end - start) % 360.0 or 360.0)
        # Seen from below, x is mirrored: the angle a becomes 180 - a, and the arc turns the other way.
        begin = radians(start) if turn > 0 else np.pi - radians(start)
        yield arc(centre, entity.dxf.radius, begin, turn * sweep)
    elif kind == "LWPOLYLINE":
        points = [(point.x, point.y) for point in entity.vertices_in_wcs()]
        bulges = [turn * point[4] for point in entity.get_points()]
        yield polyline(points, bulges=bulges, closed=entity.closed)
    elif kind == "POLYLINE" and (entity.is_2d_polyline or entity.is_3d_polyline):
        points = [(point.x, point.y) for point in entity.points_in_wcs()]
        bulges = [turn * vertex.dxf.get("bulge", 0.0) for vertex in entity.vertices]
        yield polyline(points, bulges=bulges, closed=entity.is_closed)
    elif kind in _CURVES:
        yield polyline([(point[0], point[1]) for point in entity.flattening(_extent(entity) / 1000)])


def _problem(entity: Any) -> str:
    kind = entity.dxftype()
    if kind in _ENDLESS:
        return "endless_lines"
    return f"tilted_{kind.lower()}" if kind in _FLAT else "not_lines"


def _extent(entity: Any) -> float:
    if entity.dxftype() == "ELLIPSE":
        return float(entity.dxf.major_axis.magnitude)
    points = np.array([tuple(point)[:2] for point in entity.control_points or entity.fit_points], dtype=np.float64)
    return max(float(np.ptp(points, axis=0).max()), 1e-9)


def _own_or_layer(document: Any, entity: Any, name: str, by_layer: Any, fallback: Any) -> Any:
    """An attribute of the entity, or of its layer if the entity leaves it to the layer."""
    own = entity.dxf.get(name, by_layer)
    own = own.upper() if isinstance(own, str) else own
    if own != by_layer:
        return own
    layer = entity.dxf.get("layer", "0")
    value = document.layers.get(layer).dxf.get(name, fallback) if layer in document.layers else fallback
    return value.upper() if isinstance(value, str) else value


def _width(document: Any, entity: Any) -> float:
    constant = entity.dxf.get("const_width", 0.0) if entity.dxftype() == "LWPOLYLINE" else 0.0
    if entity.dxftype() == "POLYLINE":
        constant = entity.dxf.get("default_start_width", 0.0)
    if constant > 0:
        return float(constant)
    weight = _own_or_layer(document, entity, "lineweight", -1, -3)
    return weight / 100 if weight > 0 else np.nan


def _style(document: Any, name: str) -> int:
    if name in {"CONTINUOUS", "BYBLOCK", "BYLAYER"} or name not in document.linetypes:
        return 1
    return dash_style(document.linetypes.get(name).simplified_line_pattern()[::2])


READER = Reader("dxf", reads={"lines": read_dxf}, by_name=has_suffix(".dxf"))
