"""A drawing as arrays: lines with a width and a style, in one unit of length."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import shapely
from numpy.typing import ArrayLike
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats, Ints, Objects, writable
from geoeval.exceptions import ParameterError
from geoeval.model.courses import chords, piece_lengths, polyline
from geoeval.model.frame_columns import ids_of_frame
from geoeval.model.immutable import Counts, Immutable, frozen
from geoeval.model.line_parts import as_geometries

if TYPE_CHECKING:
    import geopandas as gpd
    from matplotlib.axes import Axes


# Width of lines that state none: that of a road in metres on a map, else this share of the drawing's diagonal.
ROAD_WIDTH, WIDTH_SHARE = 8.0, 1 / 500
BAR, ARC, POLYLINE = 1, 2, 3
SHAPES = {BAR: "bar", ARC: "arc", POLYLINE: "polyline"}
_LARGEST_STYLE = 2**31
STYLES = {1: "solid", 2: "dashed", 3: "dash-dotted", 4: "dash-dot-dotted"}


@dataclass(frozen=True)
class PixelImage:
    """The black pixels of a drawing, ``ink[row, column]``, and where they are.

    ``affine`` maps column and row to x and y of the pixel's centre: ``x = a column + b row + c`` and
    ``y = d column + e row + f``. Without a georeference the centre of pixel (column, row) has these numbers, times the
    size of a pixel, as coordinates: the pixel coordinates that vectorisers write.
    """

    ink: Bools
    affine: tuple[float, float, float, float, float, float] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    crs: CRS = projections.LOCAL_METRES
    source: str = ""


class Drawing(Immutable):
    """Lines of a drawing: bars, circular arcs and polylines, each with a width and a style. Immutable.

    Coordinates and widths have the same unit: metres on a map, else the unit of the drawing (pixels, millimetres). Make
    one with ``from_lines``, ``from_geodataframe`` or ``read_drawing``.

    Parameters
    ----------
    courses
        One array per line, made with ``bar``, ``arc`` or ``polyline`` of :mod:`geoeval.model.courses`. Lines without
        length and lines with a coordinate that is not a number are dropped and counted in ``problems``.
    width
        Width of each line, or of all lines; above 0. NaN stands for a width that nobody states: such lines are 8 wide
        on a map (metres), else a 500th of the diagonal of the drawing's extent, rounded to one digit.
    style
        Style of each line, or of all lines: 1 solid, 2 dashed, 3 dash-dotted, 4 dash-dot-dotted, or these names.
    crs
        CRS of the coordinates; ``None`` for a plane without a place on Earth.
    ids
        Ids of the features that the lines came from; by default their numbers.
    shapes
        Shape of each line (1 bar, 2 arc, 3 polyline), if it is known; by default it follows from the pieces.
    problems
        What was dropped or repaired so far, counted by name.
    source
        Where the drawing came from, for messages and results.
    scale_error
        Largest relative error of a length in ``crs``; ``None`` if unknown.
    assumed
        Whether the width of each line was assumed before, because nobody states it; by default where it is NaN.

    Attributes
    ----------
    pieces, first
        The pieces of all lines; those of line ``i`` are ``pieces[first[i]:first[i + 1]]``.
    lengths, widths, styles, shapes
        One value per line. A single straight piece is a bar (1), a single circular one an arc (2), anything else a
        polyline (3).
    ends
        First and last point of each line, ``(n, 2, 2)``.
    closed
        Whether each line ends where it begins.
    assumed
        Whether nobody states the width of each line.

    Examples
    --------
    >>> from geoeval import Drawing
    >>> from geoeval.model.courses import bar
    >>> Drawing([bar((10, 20), (90, 20))], width=8).length
    80.0
    """

    pieces: Floats
    first: Ints
    lengths: Floats
    widths: Floats
    styles: Ints
    ids: Objects
    shapes: Ints
    ends: Floats
    closed: Bools
    assumed: Bools
    crs: CRS
    problems: Mapping[str, int]
    source: str
    scale_error: float | None

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
        assumed: Bools | None = None,
    ) -> None:
        given = [np.asarray(course, dtype=np.float64).reshape(-1, 7) for course in courses]
        counts = dict(problems or {})
        names = list(range(len(given))) if ids is None else list(ids)
        if len(names) != len(given):
            raise ParameterError(f"{len(names)} ids for {len(given)} lines; give one per line")
        widths = np.array(np.broadcast_to(np.asarray(width, dtype=np.float64), len(given)))
        styles = np.array(_style_codes(style, len(given)), dtype=np.int64)
        given = [course[piece_lengths(course) != 0.0] for course in given]
        finite = np.array([bool(np.isfinite(course).all()) for course in given], dtype=bool)
        lengths = np.array([piece_lengths(course).sum() for course in given], dtype=np.float64)
        for what, mask in (("not_a_number", ~finite), ("without_length", finite & ~(lengths > 0))):
            if mask.any():
                counts[what] = counts.get(what, 0) + int(mask.sum())
        kept = np.flatnonzero(finite & (lengths > 0))
        unstated = np.isnan(widths)
        bad = kept[~((widths[kept] > 0) & np.isfinite(widths[kept]) | unstated[kept])]
        if len(bad):
            where = f"line {names[bad[0]]} of {source or 'the drawing'}"
            raise ParameterError(f"{where} has the width {widths[bad[0]]:g}; give a width above 0")
        own = [given[i] for i in kept]
        pieces = np.ascontiguousarray(np.vstack([np.zeros((0, 7)), *own]))
        first = np.concatenate([[0], np.cumsum([len(course) for course in own])]).astype(np.int64)
        own_crs = projections.LOCAL_METRES if crs is None else projections.parse_crs(crs)
        if unstated[kept].any():
            widths[unstated] = _usual_width(pieces, own_crs)
        single, curved = np.diff(first) == 1, pieces[first[:-1], 6] != 0.0
        seen = np.where(single, np.where(curved, ARC, BAR), POLYLINE)
        begin, end = pieces[first[:-1], 0:2], pieces[first[1:] - 1, 2:4]
        arrays = {
            "pieces": pieces,
            "first": first,
            "lengths": lengths[kept],
            "widths": widths[kept],
            "styles": styles[kept],
            "ids": np.array([None, *(names[i] for i in kept)], dtype=object)[1:],
            "shapes": (seen if shapes is None else np.asarray(shapes)[kept]).astype(np.int64),
            "ends": np.stack([begin, end], axis=1),
            "closed": np.hypot(*(end - begin).T) <= 1e-9 * lengths[kept],
            "assumed": (unstated if assumed is None else np.asarray(assumed, dtype=bool))[kept],
        }
        vars(self).update(
            {name: frozen(array) for name, array in arrays.items()},
            crs=own_crs,
            problems=Counts(counts),
            source=source,
            scale_error=scale_error,
        )

    @classmethod
    def from_lines(
        cls,
        lines: Iterable[Any],
        *,
        width: Any = None,
        style: Any = 1,
        crs: Any = None,
        ids: Iterable[Any] | None = None,
        problems: Mapping[str, int] | None = None,
        source: str = "",
    ) -> Self:
        """Make a drawing from lines: two vertices make a bar, more a polyline.

        Parameters
        ----------
        lines
            Shapely lines or sequences of coordinates. Z and M are dropped, multi-part lines split up. ``None``, empty
            geometries, other geometries and vertices that are not a number are dropped and counted.
        width
            Width of each line, or of all lines; NaN, and by default, as ``Drawing`` assumes it.
        style
            Style of each line, or of all lines; see ``Drawing``.
        crs
            CRS of the coordinates. Degrees, feet and Mercator are projected to metres; a projected CRS in metres is
            kept; ``None`` means a plane without a place on Earth, which what looks like degrees must not be.
        ids
            One per line; by default its number.

        Examples
        --------
        >>> from geoeval import Drawing
        >>> Drawing.from_lines([[(0, 0), (30, 0)], [(0, 0), (0, 40), (50, 40)]], style=["solid", "dashed"])
        <Drawing: 1 bar, 1 polyline, 120.0 long, local metres>
        """
        given = as_geometries(lines)
        names = list(range(len(given))) if ids is None else list(ids)
        if len(names) != len(given):
            raise ParameterError(f"{len(names)} ids for {len(given)} lines; give one id per line")
        widths = np.broadcast_to(np.asarray(np.nan if width is None else width, dtype=np.float64), len(given))
        styles = _style_codes(style, len(given))
        points, row, counts = _vertices(given)
        sizes = [len(one) for one in points]
        places = np.concatenate([np.zeros((0, 2)), *points])
        own = projections.assumed_metres(places) if crs is None else projections.parse_crs(crs)
        xy, metric, error = projections.to_metres(places, own, trust_projected=True)
        return cls(
            [polyline(course) for course in np.split(xy, np.cumsum(sizes)[:-1])] if points else [],
            width=widths[row],
            style=[styles[i] for i in row],
            crs=metric,
            ids=[names[i] for i in row],
            problems=Counter(counts) + Counter(problems or {}),
            source=source,
            scale_error=error,
        )

    @classmethod
    def from_geodataframe(
        cls,
        frame: "gpd.GeoDataFrame",
        *,
        width_column: str = "width",
        style_column: str = "style",
        id_column: str | None = None,
        width: float | None = None,
        crs: Any = None,
        source: str = "",
    ) -> Self:
        """Make a drawing from a GeoDataFrame of lines, such as ``to_geodataframe`` gives; arcs are polylines then.

        Parameters
        ----------
        frame
            Lines; see ``from_lines``. Without a CRS they lie in a plane without a place on Earth.
        width_column, style_column
            Columns with the width, as a number or text such as ``"8 m"``, and the style, as a number or name; if they
            exist. Widths that cannot be read are counted in ``problems``.
        id_column
            Column with the ids; by default the index.
        width
            Width of lines that have none; by default as ``Drawing`` assumes it.
        crs
            CRS to use instead of the frame's.

        Examples
        --------
        >>> import geopandas as gpd
        >>> from shapely import LineString
        >>> from geoeval import Drawing
        >>> frame = gpd.GeoDataFrame({"width": [4.0]}, geometry=[LineString([(0, 0), (30, 0)])], crs="EPSG:32610")
        >>> Drawing.from_geodataframe(frame).widths
        array([4.])
        """
        usual = np.nan if width is None else width
        widths = [line_width(value) for value in frame[width_column]] if width_column in frame else [usual] * len(frame)
        unknown = sum(value is None for value in widths)
        styles = [line_style(value) for value in frame[style_column]] if style_column in frame else 1
        return cls.from_lines(
            frame.geometry.to_numpy(),
            width=[usual if value is None else value for value in widths],
            style=styles,
            crs=frame.crs if crs is None else crs,
            ids=ids_of_frame(frame, id_column),
            problems={"width_not_known": unknown} if unknown else {},
            source=source,
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def __repr__(self) -> str:
        counts = [(int((self.shapes == code).sum()), name) for code, name in SHAPES.items()]
        kinds = ", ".join(f"{count:,} {name}{'s' * (count != 1)}" for count, name in counts if count)
        return f"<Drawing: {kinds or 'no lines'}, {self.length:,.1f} long, {projections.crs_name(self.crs)}>"

    def plot(self, ax: "Axes | None" = None, **style: Any) -> "Axes":
        """Plot the lines with matplotlib: as wide as they are, with a centre line in their style.

        Parameters
        ----------
        ax
            Axes to draw on; by default new ones.
        style
            Style of the centre lines, such as ``color`` or ``linewidth``: arguments of
            ``matplotlib.collections.LineCollection``.

        Returns
        -------
        matplotlib.axes.Axes
            With the same scale in x and y.
        """
        from geoeval.model.plotting import plot_drawing

        return plot_drawing(self, ax, **style)

    @property
    def is_empty(self) -> bool:
        """Whether there is no line."""
        return len(self) == 0

    @property
    def length(self) -> float:
        """Length of all lines."""
        return float(self.lengths.sum())

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(minx, miny, maxx, maxy)`` of the lines, without their width; NaN for an empty drawing."""
        if self.is_empty:
            return (np.nan, np.nan, np.nan, np.nan)
        minx, miny, maxx, maxy = shapely.total_bounds(self.geometries()).tolist()
        return minx, miny, maxx, maxy

    @property
    def usual_width(self) -> float | None:
        """The width of lines that state none; where all do, the median; ``None`` for an empty drawing."""
        chosen = self.widths[self.assumed] if self.assumed.any() else self.widths
        return float(np.median(chosen)) if len(chosen) else None

    def assuming_width(self, width: float | None) -> "Drawing":
        """The same lines, with this width where nobody states it; ``None`` changes nothing."""
        if width is None or (self.widths[self.assumed] == width).all():
            return self
        changed = object.__new__(Drawing)  # all else is as it was
        vars(changed).update(vars(self), widths=frozen(np.where(self.assumed, width, self.widths)))
        return changed

    @cached_property
    def middles(self) -> Floats:
        """Midpoint of each line, ``(n, 2)``."""
        middles = shapely.line_interpolate_point(self.geometries(), 0.5, normalized=True)
        return frozen(shapely.get_coordinates(middles).reshape(-1, 2))

    def geometries(self) -> Objects:
        """Each line as a shapely LineString, circular pieces with a vertex every 3 degrees."""
        lines, piece = chords(self.pieces)
        if len(lines) == 0:
            return np.zeros(0, dtype=object)
        owner = np.repeat(np.arange(len(self)), np.diff(self.first))[piece]
        last = np.append(np.flatnonzero(np.diff(owner)), len(owner) - 1)
        # After each line's chords comes the end of the last one.
        vertices = np.insert(lines[:, 0:2], last + 1, lines[last, 2:4], axis=0)
        return np.asarray(shapely.linestrings(vertices, indices=np.insert(owner, last + 1, owner[last])))

    def class_names_of(self, ids: Sequence[str]) -> list[str]:
        """The class of each source line: lines have none."""
        return [""] * len(ids)

    def to_geodataframe(self) -> "gpd.GeoDataFrame":
        """One row per line with its ``id``, ``shape``, ``width`` and ``style``; arcs have a vertex every 3 degrees."""
        import geopandas as gpd

        table = {
            "id": [str(value) for value in self.ids],
            "shape": [SHAPES[int(code)] for code in self.shapes],
            "width": self.widths,
            "style": [STYLES.get(int(code), str(code)) for code in self.styles],
        }
        return gpd.GeoDataFrame(table, geometry=self.geometries(), crs=self.crs)

    def to_crs(self, crs: Any) -> "Drawing":
        """The same lines in another CRS. Widths are in metres and stay; circular pieces become chords of 3 degrees."""
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
            assumed=self.assumed,
        )


def diagonal(pieces: Floats) -> float:
    """Diagonal of the box around pieces; 0 without any."""
    lines, _ = chords(pieces)
    if len(lines) == 0:
        return 0.0
    points = lines[:, :4].reshape(-1, 2)
    return float(np.hypot(*np.ptp(points, axis=0)))


def _usual_width(pieces: Floats, crs: CRS) -> float:
    """The width of lines that state none. One digit, so that a slightly larger extent does not change it."""
    if not projections.is_local(crs):
        return ROAD_WIDTH
    return float(f"{diagonal(pieces) * WIDTH_SHARE:.0e}")


def style_code(value: Any) -> int:
    """The number of a style, given as number or name."""
    names = {name: code for code, name in STYLES.items()}
    text = str(value).strip().lower().replace("_", "-")
    if text in names:
        return names[text]
    try:
        code = int(float(text))
    except (ValueError, OverflowError):
        code = 0
    if not 1 <= code < _LARGEST_STYLE or code != float(text):
        msg = f"unknown line style {str(value)[:40]!r}; give a number from 1 on or one of {', '.join(names)}"
        raise ParameterError(msg)
    return code


def line_style(value: Any) -> int:
    """The number of the style in a table; solid where the cell is empty."""
    return 1 if _is_nothing(value) else style_code(value)


def line_width(value: Any) -> float | None:
    """The width in a table, such as ``8`` or ``"8 m"``; ``None`` where it is missing or not a number above 0."""
    try:
        width = float(str(value).strip().removesuffix("m"))
    except ValueError:
        return None
    return width if isfinite(width) and width > 0 else None


def _is_nothing(value: Any) -> bool:
    return value is None or str(value).strip().lower() in {"", "nan", "<na>", "nat"}


def _style_codes(style: Any, count: int) -> Sequence[int]:
    if isinstance(style, str | int | np.integer):
        return [style_code(style)] * count
    codes = [style_code(value) for value in style]
    if len(codes) != count:
        raise ParameterError(f"{len(codes)} styles for {count} lines; give one per line")
    return codes


def _vertices(geometries: Objects) -> tuple[list[Floats], Ints, dict[str, int]]:
    """The vertices of every part of every line, the line of each part, and how much was dropped."""
    parts, row = shapely.get_parts(writable(geometries), return_index=True)
    parts, nested = shapely.get_parts(parts, return_index=True)  # of collections
    usable = np.isin(shapely.get_type_id(parts), (1, 2)) & ~shapely.is_empty(parts)
    parts, row = parts[usable], row[nested][usable]
    xy, part = shapely.get_coordinates(parts, return_index=True)
    finite = np.isfinite(xy).all(axis=1)
    dropped = {
        "not_lines": int((~usable).sum()),
        "null_geometries": int(shapely.is_missing(geometries).sum()),
        "vertices_not_a_number": int((~finite).sum()),
    }
    points = np.split(xy[finite], np.searchsorted(part[finite], np.arange(1, len(parts)))) if len(parts) else []
    return points, row, {name: count for name, count in dropped.items() if count}
