"""A small static map as inline SVG, light enough for a notebook cell whatever the size of the input."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects, writable
from geoeval.model.error_kinds import BLACK, ErrorKind
from geoeval.model.result import Result
from geoeval.report.map_content import INPUT_COLOURS, INPUT_OPACITIES, ROLES, error_groups, input_lines

# Of the map at most, in pixels of the page.
WIDTH, HEIGHT = 680, 440
# Coordinates are whole numbers, so many to a pixel: fine enough for any screen, and short as text.
_UNITS = 4
# Bytes of path that each input may take, all errors together, and the outline of the evaluated ground.
_INPUT_BYTES, _ERROR_BYTES, _AREA_BYTES = 90_000, 90_000, 5_000
# Multiples that coordinates are rounded to, until the path fits.
_STEPS = (1, 2, 4, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128)
# About as many bytes take a move to a place, and each step from there.
_MOVE_BYTES, _STEP_BYTES = 10, 5
_MARGIN = 6 * _UNITS
# More than any coordinate on the page, so that a place is one number, and two places are one too.
_FAR = 1 << 13
# Widths in pixels, of few features and of many.
_WIDTHS = {"reference": (3.0, 1.5), "prediction": (1.2, 0.6)}
_MANY_LINES, _MANY_POINTS = 5_000, 150

Group = tuple[ErrorKind, str, Any]


def static_map(result: Result, *, scale_bar: bool = False) -> tuple[ET.Element | None, list[Group]]:
    """The map with the errors that it draws, from the top down; no map where there is nothing to draw.

    Kinds that cover many places at once are not drawn, nor what is matched.
    """
    groups = [group for group in error_groups(result) if group[0].is_error and not group[0].hidden]
    inputs = [(role, lines) for role in ROLES if (lines := input_lines(result, role)) is not None]
    paper = _Paper.over(result, [lines for _, lines in inputs] + [rows.geometry.to_numpy() for *_, rows in groups])
    if paper is None:
        return None, []
    width, height = paper.size.tolist()
    svg = ET.Element("svg", {
        "viewBox": f"0 0 {width} {height}", "width": str(width // _UNITS), "height": str(height // _UNITS),
        "style": "max-width:100%;height:auto", "role": "img", "aria-label": "Map of reference, prediction and errors",
        "fill": "none", "stroke-linecap": "round", "stroke-linejoin": "round",
    })  # fmt: skip
    if result.area is not None and not result.area.is_empty:
        outline = np.array([None, result.area.boundary], dtype=object)[1:]
        path = _path(svg, _line_data(paper.place(outline), _AREA_BYTES, with_dots=False), BLACK, 1.0)
        path.attrib |= {"stroke-dasharray": f"{4 * _UNITS}", "stroke-opacity": "0.6"}
        ET.SubElement(path, "title").text = "Evaluated ground"
    for role, lines in inputs:
        data = _line_data(paper.place(lines), _INPUT_BYTES, with_dots=False)
        path = _path(svg, data, INPUT_COLOURS[role], _WIDTHS[role][len(lines) > _MANY_LINES])
        path.set("stroke-opacity", str(INPUT_OPACITIES[role]))
        ET.SubElement(path, "title").text = role.capitalize()
    for kind, geometry, rows in groups:
        data = _DATA[geometry](paper.place(rows.geometry.to_numpy()), _ERROR_BYTES // len(groups))
        path = _path(svg, data, kind.colour, _stroke(kind, geometry, len(rows)))
        if geometry == "polygons":
            path.attrib |= {"fill": path.attrib["stroke"], "fill-opacity": "0.35"}
        ET.SubElement(path, "title").text = f"{kind.label}: {len(rows):,}. {kind.about}"
    if scale_bar:
        _add_scale_bar(svg, paper, result.unit)
    return svg, groups[::-1]


def ink(colour: str) -> str:
    """A colour on any paper: black follows the text around it."""
    return "currentColor" if colour == BLACK else colour


class _Paper:
    """From coordinates in metres to whole numbers on the page, y downwards."""

    def __init__(self, low: Floats, high: Floats) -> None:
        extent = high - low
        inner = np.array([WIDTH, HEIGHT]) * _UNITS - 2 * _MARGIN
        self.low = low
        self.scale = float((inner[extent > 0] / extent[extent > 0]).min(initial=np.inf)) if extent.any() else 1.0
        # A single street has a frame too.
        self.size: Ints = np.maximum(np.ceil(extent * self.scale).astype(np.int64) + 2 * _MARGIN, 40 * _UNITS)
        self.offset = (self.size - extent * self.scale) / 2

    @classmethod
    def over(cls, result: Result, drawn: list[Objects]) -> "_Paper | None":
        """For all that is drawn, and all that was compared; ``None`` where that is nothing."""
        boxes = [shapely.total_bounds(geometries) for geometries in drawn if len(geometries)]
        boxes += [] if result.extent is None else [np.array(result.extent)]
        bounds = np.array([box for box in boxes if np.isfinite(box).all()]).reshape(-1, 4)
        return cls(bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)) if len(bounds) and len(drawn) else None

    def place(self, geometries: Objects) -> Objects:
        def move(xy: Floats) -> Floats:
            x, y = ((xy - self.low) * self.scale + self.offset).T
            return np.column_stack([x, self.size[1] - y])

        return np.asarray(shapely.transform(geometries, move))


def _add_scale_bar(svg: ET.Element, paper: _Paper, unit: str) -> None:
    """A round length of at most a fifth of the width, in the corner."""
    width, height = paper.size.tolist()
    longest = 0.2 * width / paper.scale
    ten = 10.0 ** np.floor(np.log10(longest))
    length = float(next(ten * n for n in (5, 2, 1) if ten * n <= longest * (1 + 1e-9)))
    x, y, end = _MARGIN, height - _MARGIN, _MARGIN + length * paper.scale
    _path(svg, f"M{x} {y - 16}V{y}H{end:.0f}V{y - 16}", BLACK, 1.5)
    text = ET.SubElement(svg, "text", {"x": f"{end + 16:.0f}", "y": str(y), "fill": "currentColor", "font-size": "44"})
    is_long = unit == "m" and length >= 1000
    text.text = f"{length / 1000:,g} km" if is_long else f"{length:,g} {unit}"


def _path(svg: ET.Element, data: str, colour: str, width: float) -> ET.Element:
    return ET.SubElement(svg, "path", {"d": data, "stroke": ink(colour), "stroke-width": f"{width * _UNITS:g}"})


def _stroke(kind: ErrorKind, geometry: str, count: int) -> float:
    """Width in pixels; a point is a line without length, so its width is its size."""
    if geometry == "points":
        return 6.0 if count <= _MANY_POINTS else 3.5
    if geometry == "polygons":
        return 1.0
    return 2.2 if not kind.emphasised else 4.5 if count <= _MANY_POINTS else 3.0


def _line_data(lines: Objects, limit: int, *, with_dots: bool = True) -> str:
    """Lines, each stretch once; those without length on the page are dots."""
    parts = shapely.get_parts(writable(lines))

    def size(step: int) -> int:
        stretches, dots = _stretches(parts, step)
        # Chains begin and end where the number of stretches that meet is not two.
        meeting = np.unique(_numbers(stretches.reshape(-1, 2)), return_counts=True)[1]
        chains = int(meeting[meeting != 2].sum()) // 2
        return _STEP_BYTES * len(stretches) + _MOVE_BYTES * (chains + with_dots * len(dots))

    stretches, dots = _stretches(parts, _finest_step(size, limit))
    pieces = np.asarray(shapely.linestrings(stretches.reshape(-1, 2, 2)))
    chains = shapely.get_parts(shapely.line_merge(shapely.multilinestrings(pieces)))
    courses, _ = _courses(chains, 1)
    return "".join(map(_moves, courses)) + (_dots(dots) if with_dots else "")


def _point_data(points: Objects, limit: int) -> str:
    xy = shapely.get_coordinates(points)

    def places(step: int) -> Ints:
        return _each_once(_rounded(xy, step))

    return _dots(places(_finest_step(lambda step: _MOVE_BYTES * len(places(step)), limit)))


def _area_data(polygons: Objects, limit: int) -> str:
    """Outlines, holes too; those without extent on the page are dots."""
    # Holes turn the other way than the outlines around them, so that they stay unfilled.
    turned = shapely.get_parts(shapely.normalize(polygons))
    xy, ring = shapely.get_coordinates(shapely.get_rings(turned), return_index=True)
    rings = np.asarray(shapely.linestrings(xy, indices=ring))

    def size(step: int) -> int:
        outlines, dots = _courses(rings, step, shortest=4)
        return _STEP_BYTES * sum(map(len, outlines)) + _MOVE_BYTES * (len(outlines) + len(dots))

    outlines, dots = _courses(rings, _finest_step(size, limit), shortest=4)
    return "".join(f"{_moves(one[:-1])}z" for one in outlines) + _dots(dots)


_DATA: dict[str, Callable[[Objects, int], str]] = {"lines": _line_data, "points": _point_data, "polygons": _area_data}


def _finest_step(size: Callable[[int], int], limit: int) -> int:
    """The least rounding with which the size in bytes is within the limit; the coarsest where none is."""
    return _STEPS[min(bisect_left(_STEPS, True, key=lambda step: size(step) <= limit), len(_STEPS) - 1)]  # noqa: FBT003


def _stretches(lines: Objects, step: int) -> tuple[Ints, Ints]:
    """Straight stretches ``(k, 4)`` between rounded places, each once, and the places of lines without length."""
    xy, line = shapely.get_coordinates(_simpler(lines, step), return_index=True)
    places = _rounded(xy, step)
    pairs = np.flatnonzero(line[1:] == line[:-1])
    stretches = np.hstack([places[pairs], places[pairs + 1]])
    long = (stretches[:, :2] != stretches[:, 2:]).any(axis=1)
    numbers, first = np.unique(line, return_index=True)
    dots = places[first[~np.isin(numbers, line[pairs][long])]]
    ends = np.sort(_numbers(stretches[long].reshape(-1, 2)).reshape(-1, 2), axis=1)
    pairs = np.unique(ends[:, 0] * _FAR**2 + ends[:, 1])
    return _places(np.column_stack(np.divmod(pairs, _FAR**2))).reshape(-1, 4), _each_once(dots)


def _courses(lines: Objects, step: int, *, shortest: int = 2) -> tuple[list[Ints], Ints]:
    """The rounded places of each line, without those that repeat the one before.

    Those with fewer places than ``shortest`` are given apart, by their first place, each place once.
    """
    xy, line = shapely.get_coordinates(_simpler(lines, step), return_index=True)
    places = _rounded(xy, step)
    kept = np.append(True, (line[1:] != line[:-1]) | (places[1:] != places[:-1]).any(axis=1))[: len(line)]
    places, line = places[kept], line[kept]
    count = np.bincount(line)[line] if len(line) else line
    begins = np.append(True, line[1:] != line[:-1])[: len(line)]
    long = count >= shortest
    courses = np.split(places[long], np.flatnonzero(begins[long])[1:]) if long.any() else []
    return courses, _each_once(places[begins & ~long])


def _simpler(lines: Objects, step: int) -> Objects:
    return np.asarray(shapely.simplify(lines, step / 2, preserve_topology=False))


def _numbers(places: Ints) -> Ints:
    """Each place as one number, and back with ``_places``."""
    return np.asarray(places[:, 0] * _FAR + places[:, 1])


def _places(numbers: Ints) -> Ints:
    return np.stack(np.divmod(numbers, _FAR), axis=-1)


def _each_once(places: Ints) -> Ints:
    return _places(np.unique(_numbers(places)))


def _rounded(xy: Floats, step: int) -> Ints:
    return np.asarray(np.rint(xy / step) * step, dtype=np.int64)


def _moves(course: Ints) -> str:
    """A course in the words of SVG: to its first place, then step by step, in as few characters as it takes."""
    steps = np.diff(course, axis=0).ravel().tolist()
    text = "".join(str(step) if step < 0 else f" {step}" for step in steps)
    return f"M{course[0, 0]} {course[0, 1]}l{text.removeprefix(' ')}"


def _dots(places: Ints) -> str:
    return "".join(f"M{x} {y}h0" for x, y in places.tolist())
