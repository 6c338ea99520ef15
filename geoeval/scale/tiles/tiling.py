"""Square tiles over a map, and which of them a road belongs to.

A segment belongs to the tile of its lower end (the smaller x, then the smaller y), a node to the tile it lies in. So
every count of an evaluation, which belongs to a node or a segment, belongs to one tile, whatever the size of the tiles.
Where one projection is right everywhere, tiles are squares in it. Where none is, tiles are rows and columns of latitude
and longitude, and each has its own projection.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Bools, Box, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork

Key = tuple[int, int]

_METRES_PER_DEGREE = 111_195.0
# Finer than the coordinates of any source, and coarser than what projecting there and back changes.
_DEGREE_DIGITS = 9
# Metres of a tile; the columns and rows of smaller ones are beyond count.
_SMALLEST = 1.0


@dataclass(frozen=True)
class Tiling:
    """Tiles of ``size`` metres; ``crs`` is the projection of all tiles, ``None`` where each has its own."""

    size: float
    crs: CRS | None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.size) and self.size >= _SMALLEST):
            raise ParameterError(f"the tile size is {self.size:g}; give {_SMALLEST:g} metre or more")

    def places(self, xy: Floats, crs: CRS) -> Floats:
        """Coordinates ``(..., 2)`` in a CRS as coordinates of the tiles: metres of their projection, or degrees."""
        flat = xy.reshape(-1, 2)
        if self.crs is None:
            flat = np.round(projections.to_lonlat(flat, crs), _DEGREE_DIGITS)
        else:
            flat = np.round(projections.transform(flat, crs, self.crs), 6)
        return flat.reshape(xy.shape)

    def keys(self, places: Floats) -> Ints:
        """Column and row of the tile of each place ``(n, 2)``."""
        if self.crs is not None:
            return np.floor(places / self.size).astype(np.int64)
        row = np.floor(places[:, 1] / self._height).astype(np.int64)
        return np.column_stack([np.floor(places[:, 0] / self._widths(row)).astype(np.int64), row])

    def box(self, key: Key) -> Box:
        """A tile in the coordinates of the tiles."""
        column, row = key
        width, height = self.size, self.size
        if self.crs is None:
            width, height = float(self._widths(np.array([row]))[0]), self._height
        return column * width, row * height, (column + 1) * width, (row + 1) * height

    def box_around(self, key: Key, metres: float) -> Box:
        """A tile and the ground around it, in the coordinates of the tiles."""
        west, south, east, north = self.box(key)
        wide, high = (metres * length / self.size for length in (east - west, north - south))
        return west - wide, south - high, east + wide, north + high

    def projection(self, key: Key) -> CRS:
        """The projection in which a tile is evaluated."""
        if self.crs is not None:
            return self.crs
        west, south, east, north = self.box(key)
        corners = np.array([(x, y) for x in (west, east) for y in (south, north)])
        return projections.to_metres(corners, projections.WGS84)[1]

    def polygon(self, key: Key, crs: CRS) -> BaseGeometry:
        """A tile in a CRS."""
        box = shapely.box(*self.box(key))
        if self.crs is not None:
            return box
        return area_in(shapely.segmentize(box, box.length / 400), crs, aoi_crs=projections.WGS84)

    @property
    def _height(self) -> float:
        return self.size / _METRES_PER_DEGREE

    def _widths(self, row: Ints) -> Floats:
        """Degrees of longitude of a tile in each row."""
        middle = np.radians(np.clip((row + 0.5) * self._height, -89.9, 89.9))
        return self._height / np.cos(middle)


def along_curve(key: Key) -> int:
    """The place of a tile along a curve through the plane, on which neighbours follow each other."""
    column, row = (value + (1 << 24) for value in key)
    return sum((((column >> bit) & 1) << (2 * bit)) | (((row >> bit) & 1) << (2 * bit + 1)) for bit in range(25))


def lower_end(places: Floats) -> Ints:
    """Which end of segments ``(m, 2, 2)`` is lower: 0 or 1."""
    a, b = places[:, 0], places[:, 1]
    return ((a[:, 0] > b[:, 0]) | ((a[:, 0] == b[:, 0]) & (a[:, 1] > b[:, 1]))).astype(np.int64)


def positions_of(keys: Ints, tiles: Sequence[Key]) -> Ints:
    """Of each key ``(n, 2)`` its position among some tiles; -1 where it is none of them. O((n + t) log t)."""
    codes = _code(np.array(tiles, dtype=np.int64).reshape(-1, 2))
    order = np.argsort(codes)
    found = order[np.minimum(np.searchsorted(codes, _code(keys), sorter=order), len(order) - 1)]
    return np.where(codes[found] == _code(keys), found, -1)


def _code(keys: Ints) -> Ints:
    """A number for each key."""
    return np.asarray((keys[:, 0] << 32) + keys[:, 1], dtype=np.int64)


def neighbouring(tiles: Mapping[Key, int], most: int) -> list[tuple[Key, ...]]:
    """Tiles in groups of neighbours with ``most`` features together, or of one tile; the largest groups first.

    Parameters
    ----------
    tiles
        How many features each tile has, about.
    most
        How many a group has at most, if it is not a single tile.

    Returns
    -------
    list
        Groups whose boxes hold no tile of another: what has too many is cut in two across its longer side, where both
        halves have nearly as many. The order of the tiles in a group is that of ``tiles``. O(t log t) for t tiles.
    """
    keys = list(tiles)
    if not keys:
        return []
    weight = np.array([tiles[key] for key in keys], dtype=np.int64)
    groups = _halved(np.arange(len(keys)), np.array(keys, dtype=np.int64).reshape(-1, 2), weight, most)
    groups.sort(key=lambda rows: (-int(weight[rows].sum()), keys[rows[0]]))
    return [tuple(keys[row] for row in rows.tolist()) for rows in groups]


def _halved(rows: Ints, keys: Ints, weight: Ints, most: int) -> list[Ints]:
    """Rows of keys in groups, see ``neighbouring``."""
    if len(rows) == 1 or weight[rows].sum() <= most:
        return [rows]
    axis = int(np.argmax(np.ptp(keys[rows], axis=0)))
    lines, line = np.unique(keys[rows, axis], return_inverse=True)
    below = np.cumsum(np.bincount(line.ravel(), weights=weight[rows]))[:-1]
    cut = lines[1 + np.argmin(np.abs(below - weight[rows].sum() / 2))]
    low = keys[rows, axis] < cut
    return [group for half in (rows[low], rows[~low]) for group in _halved(half, keys, weight, most)]


@dataclass(frozen=True)
class Owned:
    """What of a network belongs to some tiles.

    Attributes
    ----------
    places
        All nodes in the coordinates of the tiles.
    tile_of_node, tile_of_segment
        Of each node and segment the tile that it belongs to, as its position among the tiles; -1 for another one.
    lower
        Which end of each segment is lower: 0 or 1.
    """

    places: Floats
    tile_of_node: Ints
    tile_of_segment: Ints
    lower: Ints

    @classmethod
    def of(cls, network: RoadNetwork, tiling: Tiling, tiles: Sequence[Key]) -> "Owned":
        """Find what of a network belongs to some tiles."""
        places = tiling.places(network.nodes, network.crs)
        node = positions_of(tiling.keys(places), tiles) if len(places) else np.zeros(0, dtype=np.int64)
        lower = lower_end(places[network.segments])
        anchor = network.segments[np.arange(len(lower)), lower]
        return cls(places, node, node[anchor], lower)

    @property
    def node(self) -> Bools:
        """Which nodes belong to any of the tiles."""
        return self.tile_of_node >= 0

    @property
    def segment(self) -> Bools:
        """Which segments belong to any of the tiles."""
        return self.tile_of_segment >= 0


def box_in(box: Box, source: CRS, target: CRS) -> list[Box]:
    """Boxes in another CRS that hold all of a box; two where it crosses the antimeridian."""
    if source == target:
        return [box]
    steps = np.linspace(0.0, 1.0, 21)
    x, y = box[0] + steps * (box[2] - box[0]), box[1] + steps * (box[3] - box[1])
    border = [np.column_stack(np.broadcast_arrays(*side)) for side in ((x, y[0]), (x, y[-1]), (x[0], y), (x[-1], y))]
    there = projections.transform(np.concatenate(border), source, target)
    low, high = there.min(axis=0), there.max(axis=0)
    if target.is_geographic:
        low[0], high[0] = projections.longitude_span(there[:, 0])
        if high[0] - low[0] > 180:  # a box around a pole
            pole = np.sign(low[1]) * 90.0
            return [(-180.0, min(float(low[1]) - 1, pole), 180.0, max(float(high[1]) + 1, pole))]
    margin = (high - low) * 0.01  # between the sampled places a border may bulge a little
    (west, south), (east, north) = (low - margin).tolist(), (high + margin).tolist()
    if target.is_geographic and east > 180:
        return [(west, south, 180.0, north), (-180.0, south, east - 360.0, north)]
    if target.is_geographic and west < -180:
        return [(-180.0, south, east, north), (west + 360.0, south, 180.0, north)]
    return [(west, south, east, north)]


def union(boxes: Iterable[Box]) -> Box:
    """The box around boxes."""
    array = np.array(list(boxes), dtype=np.float64)
    return (*array[:, :2].min(axis=0).tolist(), *array[:, 2:].max(axis=0).tolist())


def grown(box: Box, metres: float) -> Box:
    """A box with a margin on every side."""
    return box[0] - metres, box[1] - metres, box[2] + metres, box[3] + metres
