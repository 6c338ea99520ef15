"""Drawn lines with width and style, as arrays in one unit of length."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.exceptions import ParameterError
from geoeval.model.courses import chords, piece_lengths

if TYPE_CHECKING:
    import geopandas as gpd

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BAR, ARC, POLYLINE = 1, 2, 3
SHAPES = {BAR: "bar", ARC: "arc", POLYLINE: "polyline"}
STYLES = {1: "solid", 2: "dashed", 3: "dash-dotted", 4: "dash-dot-dotted"}


@dataclass(frozen=True)
class PixelImage:
    """The black pixels of a drawing: ``ink[row, column]``, and where they are.

    ``affine`` maps column and row to x and y of the pixel's middle, as ``x = a column + b row + c`` and
    ``y = d column + e row + f``. Without a georeference the middle of pixel (column, row) is at these numbers times
    the size of a pixel: the pixel coordinates that vectorisers write.
    """

    ink: NDArray[np.bool_]
    affine: tuple[float, float, float, float, float, float] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    crs: CRS = projections.LOCAL_METRES
    source: str = ""


class Drawing:
    """Lines of a drawing: bars, circular arcs and polylines, each with a width and a style. Immutable.

    Coordinates and widths are in the same unit: metres on a map, else the drawing's own (pixels, millimetres).

    Parameters
    ----------
    courses
        One array a line, as :mod:`geoeval.model.courses` makes them with ``bar``, ``arc`` and ``polyline``. Lines
        without length and those with a coordinate that is not a number are dropped and counted in ``problems``.
    width
        Of each line, or of all; above 0.
    style
        Of each line, or of all: 1 solid, 2 dashed, 3 dash-dotted, 4 dash-dot-dotted, or these names.
    crs
        What the coordinates are in; ``None`` for a plane without a place on Earth.
    ids
        Of the features that the lines came from; by default their numbers.
    shapes
        What each line is (1 bar, 2 arc, 3 polyline), where it is known from elsewhere; by default told by its pieces.

    Attributes
    ----------
    pieces, first
        The pieces of all lines; those of line ``i`` are ``pieces[first[i]:first[i + 1]]``.
    lengths, widths, styles, shapes
        Of each line. A single straight piece is a bar (1), a single circular one an arc (2), all else a polyline (3).
    closed
        Whether the line ends where it begins.

    Examples
    --------
    >>> from geoeval.model.courses import bar
    >>> Drawing([bar((10, 20), (90, 20))], width=8).length
    80.0
    """

    def __init__(
        self,
        courses: Iterable[Floats],
        *,
        width: ArrayLike = 1.0,
        style: Any = 1,
        crs: Any = None,
        ids: Iterable[Any] | None = None,
        shapes: Sequence[int] | Ints | None = None,
        problems: Mapping[str, int] | None = None,
        source: str = "",
        scale_error: float | None = None,
    ) -> None:
        given = [np.asarray(course, dtype=np.float64).reshape(-1, 7) for course in courses]
        self.problems = dict(problems or {})
        names = list(range(len(given))) if ids is None else list(ids)
        if len(names) != len(given):
            raise ParameterError(f"{len(names)} ids for {len(given)} lines; give one each")
        widths = np.array(np.broadcast_to(np.asarray(width, dtype=np.float64), len(given)))
        styles = np.array(_style_codes(style, len(given)), dtype=np.int64)
        given = [course[piece_lengths(course) != 0.0] for course in given]
        finite = np.array([bool(np.isfinite(course).all()) for course in given], dtype=bool)
        lengths = np.array([piece_lengths(course).sum() for course in given], dtype=np.float64)
        self._count("not_a_number", ~finite)
        self._count("without_length", finite & ~(lengths > 0))
        kept = np.flatnonzero(finite & (lengths > 0))
        bad = kept[~((widths[kept] > 0) & np.isfinite(widths[kept]))]
        if len(bad):
            where = f"line {names[bad[0]]} of {source or 'the drawing'}"
            raise ParameterError(f"{where} has the width {widths[bad[0]]:g}; give a width above 0")
        own = [given[i] for i in kept]
        self.pieces: Floats = np.ascontiguousarray(np.vstack([np.zeros((0, 7)), *own]))
        self.first: Ints = np.concatenate([[0], np.cumsum([len(course) for course in own])]).astype(np.int64)
        self.lengths: Floats = lengths[kept]
        self.widths: Floats = widths[kept]
        self.styles: Ints = styles[kept]
        self.ids = np.array([None, *(names[i] for i in kept)], dtype=object)[1:]
        single, curved = np.diff(self.first) == 1, self.pieces[self.first[:-1], 6] != 0.0
        told = np.where(single, np.where(curved, ARC, BAR), POLYLINE)
        self.shapes: Ints = (told if shapes is None else np.asarray(shapes)[kept]).astype(np.int64)
        begin, end = self.pieces[self.first[:-1], 0:2], self.pieces[self.first[1:] - 1, 2:4]
        self.ends: Floats = np.stack([begin, end], axis=1)
        self.closed = np.hypot(*(end - begin).T) <= 1e-9 * self.lengths
        self.crs = projections.LOCAL_METRES if crs is None else projections.parse_crs(crs)
        self.source = source
        self.scale_error = scale_error
        for array in (self.pieces, self.first, self.lengths, self.widths, self.styles, self.shapes, self.ends):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{(self.shapes == code).sum():,} {name}s" for code, name in SHAPES.items())
        return f"<Drawing: {kinds}, {self.length:,.1f} long, {projections.crs_name(self.crs)}>"

    @property
    def is_empty(self) -> bool:
        """Whether there is no line."""
        return len(self) == 0

    @property
    def length(self) -> float:
        """Of all lines together."""
        return float(self.lengths.sum())

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``minx, miny, maxx, maxy`` of the lines, without their width; not numbers where there is none."""
        values = shapely.total_bounds(self.geometries())
        return tuple(float(value) for value in values)  # type: ignore[return-value]

    def geometries(self) -> NDArray[np.object_]:
        """Each line as a shapely LineString, circular pieces with a vertex every 3 degrees."""
        lines, piece = chords(self.pieces)
        if len(lines) == 0:
            return np.zeros(0, dtype=object)
        owner = np.repeat(np.arange(len(self)), np.diff(self.first))[piece]
        last = np.append(np.flatnonzero(np.diff(owner)), len(owner) - 1)
        # After each line's chords comes the end of the last one.
        vertices = np.insert(lines[:, 0:2], last + 1, lines[last, 2:4], axis=0)
        return np.asarray(shapely.linestrings(vertices, indices=np.insert(owner, last + 1, owner[last])))

    def to_geodataframe(self) -> "gpd.GeoDataFrame":
        """One row a line with its id, shape, width and style."""
        import geopandas as gpd

        table = {
            "id": [str(value) for value in self.ids],
            "shape": [SHAPES[int(code)] for code in self.shapes],
            "width": self.widths,
            "style": [STYLES.get(int(code), str(code)) for code in self.styles],
        }
        return gpd.GeoDataFrame(table, geometry=self.geometries(), crs=self.crs)

    def to_crs(self, crs: Any) -> "Drawing":
        """The same lines in another CRS; widths are metres and stay. Circular pieces become chords of 3 degrees."""
        target = projections.parse_crs(crs)
        if target == self.crs:
            return self
        lines, piece = chords(self.pieces)
        moved = np.hstack([projections.transform(lines[:, part], self.crs, target) for part in (slice(2), slice(2, 4))])
        rows = np.hstack([moved, np.zeros((len(moved), 3))])
        owner = np.repeat(np.arange(len(self)), np.diff(self.first))[piece]
        lonlat = projections.to_lonlat(moved.reshape(-1, 2), target)
        return Drawing(
            np.split(rows, np.searchsorted(owner, np.arange(1, len(self)))) if len(self) else [],
            width=self.widths,
            style=self.styles,
            crs=target,
            ids=self.ids,
            shapes=self.shapes,
            problems=self.problems,
            source=self.source,
            scale_error=projections.scale_error(target, lonlat) if len(lonlat) else 0.0,
        )

    def _count(self, what: str, mask: NDArray[np.bool_]) -> None:
        if mask.any():
            self.problems[what] = self.problems.get(what, 0) + int(mask.sum())


def style_code(value: Any) -> int:
    """The number of a style given as number or name."""
    names = {name: code for code, name in STYLES.items()}
    text = str(value).strip().lower().replace("_", "-")
    if text in names:
        return names[text]
    try:
        code = int(float(text))
    except (ValueError, OverflowError):
        code = 0
    if code < 1 or code != float(text):
        msg = f"unknown line style {value!r}; give a number from 1 on or one of {', '.join(names)}"
        raise ParameterError(msg)
    return code


def _style_codes(style: Any, count: int) -> Sequence[int]:
    if isinstance(style, str | int | np.integer):
        return [style_code(style)] * count
    codes = [style_code(value) for value in style]
    if len(codes) != count:
        raise ParameterError(f"{len(codes)} styles for {count} lines; give one each")
    return codes
