"""The ground that a map covers, told from its lines alone: cells that follow the roads, not a hull around them.

Lines are laid over square cells. Around each occupied cell the smallest square is looked for that holds four times its
own side in road: there the roads are a net and no longer single lines, and a fourth of its side is about their spacing.
Three quarters of the cells settle the scale of the map. Gaps narrower than a square of that scale, and whatever roads
enclose, are covered; beyond the outermost roads the ground goes on for a cell or two, which are 16 m in a town.

So a map of one neighbourhood covers that neighbourhood, and a map that lost half its roads still covers the place: its
scale has grown with its gaps. Where the whole map holds no more than a few lines, nothing tells what it covers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval.arrays import Bools, Floats, Ints

# Side of the smallest cells in metres: a road that lies as far off as metrics tolerate is still on the ground.
CELL = 16.0
# Cells along a side, at most; the cells of a larger map are 2, 4, 8 ... times as large.
MOST_CELLS = 2048
# A square is filled that holds so many times its side in road, and this share of the cells lies in filled ones.
CROSSINGS, MOST = 4, 0.75
# Cells along the scale of a map.
_FINE = 32
# Metres between places on a line that mark their cells, and how many of them are held at once.
_STEP, _AT_ONCE = CELL / 2, 1 << 21
_ROWS = 1 << 31


@dataclass(frozen=True)
class Coverage:
    """What a map covers.

    Attributes
    ----------
    crs
        CRS of the coordinates, in metres.
    cells
        Column and row ``(n, 2)`` of the cells with something in them; cells begin at multiples of their size.
    size
        Side of a cell in metres.
    scale
        Side in metres of the squares that the map fills; gaps as wide are covered. ``inf`` where it fills none.
    """

    crs: CRS
    cells: Ints
    size: float
    scale: float

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in the map."""
        return len(self.cells) == 0

    @property
    def is_known(self) -> bool:
        """Whether what is covered can be told at all."""
        return bool(np.isfinite(self.scale))

    @property
    def places(self) -> Floats:
        """The middles of the cells with something in them, ``(n, 2)``."""
        return np.asarray((self.cells + 0.5) * self.size, dtype=np.float64)

    def covers(self, places: Floats) -> Bools:
        """Whether places ``(n, 2)`` in this CRS are covered; all are where that cannot be told."""
        if not self.is_known:
            return np.ones(len(places), dtype=bool)
        shapely.prepare(self.polygon)
        return np.asarray(shapely.contains_xy(self.polygon, places))

    @cached_property
    def polygon(self) -> BaseGeometry:
        """The covered ground, without holes; where it cannot be told, the hull around all there is, and a cell more."""
        if self.is_empty:
            return shapely.Polygon()
        if not self.is_known:
            return shapely.MultiPoint(self.places).convex_hull.buffer(CELL + self.size / 2, join_style="mitre")
        larger = max(round(np.log2(self.scale / self.size / _FINE)), 0)
        cells, size = self.cells >> larger, self.size * 2**larger
        reach = self.scale / 2 / size
        around = int(np.ceil(reach)) + 2
        corner = cells.min(axis=0) - around
        near = np.zeros(cells.max(axis=0) - corner + around + 1, dtype=bool)
        near[tuple((cells - corner).T)] = True
        # Grown and shrunk again, which closes gaps; by a cell less: the metres beyond the outermost roads.
        return _outline(~_grown(~_grown(near, reach), reach - 1), corner, size)


def coverage_of(batches: Iterable[Floats], crs: CRS, *, dots: Floats | None = None) -> Coverage:
    """What a map covers.

    Parameters
    ----------
    batches
        Its segments ``(m, 2, 2)`` in metres, in batches of any number and order.
    crs
        CRS of the coordinates.
    dots
        Places ``(n, 2)`` of objects that the segments are outlines of. Of dots a square is filled that holds 16: as
        many as roads of the same spacing would enclose.

    Notes
    -----
    O(n log n) time for n segments and one place every 8 m of them; memory for a batch and the cells.
    """
    level, keys = 0, np.zeros(0, dtype=np.int64)
    for batch in batches:
        for places in _along(batch):
            index = np.floor(places / CELL).astype(np.int64) >> level
            keys = np.union1d(keys, index[:, 0] * _ROWS + index[:, 1])
            while len(keys) and np.ptp(cells := _cells(keys), axis=0).max() >= MOST_CELLS:
                level += 1
                keys = _larger(cells)
    cells, size = _cells(keys), CELL * 2**level
    held = cells if dots is None else np.floor(dots / size).astype(np.int64)
    return Coverage(crs, cells, size, size * _squares_filled(held, are_dots=dots is not None))


def _along(segments: Floats) -> Iterable[Floats]:
    """Places on segments, at most ``_STEP`` metres apart, whichever way the segments point."""
    swap = (segments[:, 0, 0] > segments[:, 1, 0]) | (
        (segments[:, 0, 0] == segments[:, 1, 0]) & (segments[:, 0, 1] > segments[:, 1, 1])
    )
    ends = np.where(swap[:, None, None], segments[:, ::-1], segments)
    start, vector = ends[:, 0], ends[:, 1] - ends[:, 0]
    steps = np.maximum(np.ceil(np.hypot(*vector.T) / _STEP), 1.0).astype(np.int64)
    total = np.cumsum(steps + 1)
    first = 0
    while first < len(ends):
        last = max(int(np.searchsorted(total, (total[first - 1] if first else 0) + _AT_ONCE, side="right")), first + 1)
        count = steps[first:last] + 1
        own = np.repeat(np.arange(first, last), count)
        number = np.arange(len(own)) - np.repeat(np.cumsum(count) - count, count)
        yield start[own] + (number / steps[own])[:, None] * vector[own]
        first = last


def _cells(keys: Ints) -> Ints:
    """Columns and rows of sorted keys."""
    row = (keys + _ROWS // 2) % _ROWS - _ROWS // 2
    return np.column_stack([(keys - row) // _ROWS, row])


def _larger(cells: Ints) -> Ints:
    """The keys of the cells of twice the size."""
    half = cells >> 1
    return np.unique(half[:, 0] * _ROWS + half[:, 1])


def _squares_filled(cells: Ints, *, are_dots: bool) -> float:
    """The side, in cells, of the squares that most cells fill with their neighbours; ``inf`` where there are none."""
    if len(cells) == 0:
        return float("inf")
    places = cells - cells.min(axis=0)
    shape = places.max(axis=0) + 1
    counts = np.zeros(shape + 1, dtype=np.int64)
    np.add.at(counts, tuple((places + 1).T), 1)
    counts = counts.cumsum(axis=0).cumsum(axis=1)
    # What lies off the map holds no roads and is not looked at; yet a single line is no map of its own narrow strip.
    shape_seen = np.maximum(shape, shape.max() // 2)
    filled, side = np.zeros(len(cells), dtype=bool), CROSSINGS
    while side < 4 * shape.max():  # the last one holds all of the map, wherever it stands
        low, high = places - side // 2, places + side // 2
        seen = np.clip(high, 0, shape_seen) - np.clip(low, 0, shape_seen)
        (x0, y0), (x1, y1) = np.clip(low, 0, shape).T, np.clip(high, 0, shape).T
        held = counts[x1, y1] - counts[x0, y1] - counts[x1, y0] + counts[x0, y0]
        room = seen.prod(axis=1)
        filled |= (held * side**2 if are_dots else held**2) >= CROSSINGS**2 * room
        if filled.sum() >= MOST * len(cells):
            return float(side)
        side *= 2
    return float("inf")


def _grown(mask: Bools, reach: float) -> Bools:
    """All cells within reach of those of a mask, whose border cells lie on no other side of it. O(reach x cells)."""
    rows, columns = mask.shape
    whole = int(reach)
    count = np.zeros((rows, columns + 2 * whole + 1), dtype=np.int32)
    np.cumsum(mask, axis=1, out=count[:, whole + 1 : whole + 1 + columns])
    count[:, whole + 1 + columns :] = count[:, [whole + columns]]
    grown = np.zeros_like(mask)
    for step in range(whole + 1):
        width = int(np.sqrt(reach**2 - step**2))
        last, first = whole + 1 + width, whole - width
        wide = count[:, last : last + columns] > count[:, first : first + columns]
        grown[step:] |= wide[: rows - step]
        grown[: rows - step] |= wide[step:]
    return grown


def _outline(mask: Bools, corner: Ints, size: float) -> BaseGeometry:
    """The ground of cells as polygons, with all that they enclose."""
    column, first = np.nonzero(mask & ~np.pad(mask, ((0, 0), (1, 0)))[:, :-1])
    _, last = np.nonzero(mask & ~np.pad(mask, ((0, 0), (0, 1)))[:, 1:])
    x, low, high = (column + corner[0]) * size, (first + corner[1]) * size, (last + 1 + corner[1]) * size
    ground = shapely.union_all(shapely.box(x, low, x + size, high))
    filled = shapely.polygons(shapely.get_exterior_ring(shapely.get_parts(ground)))
    return shapely.normalize(shapely.union_all(filled))
