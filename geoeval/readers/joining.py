"""Objects of tiles joined at the borders.

Where two tiles lie side by side, the pieces on both sides of the border are one object if they meet there: each reaches
the border, to a metre, and half of what the narrower one takes of the border belongs to the other too. Where tiles
overlap, two objects are one if they share at least half of what the smaller one has on the common ground. Pieces that
are joined become their union; a gap between them is closed where their corners lie as near to each other as they do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from pyproj import CRS
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from shapely.geometry.base import BaseGeometry

from geoeval.area import area_in
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.object_map import NO_CLASS, ObjectMap
from geoeval.repairing import repaired

# Metres: how far from the border a piece may end that it cuts, and the least stretch of it that pieces share.
REACH, LEAST = 1.0, 0.1
# Share of the narrower or smaller piece that must be common.
COMMON = 0.5
# Metres by which lines that should coincide may differ.
_ROUNDING = 0.01
# Metres by which corners that are the same one may differ.
_TOUCHING = 1e-6


@dataclass(frozen=True)
class Tile:
    """The objects of a tile, and its ground in their CRS; ``None`` where that is not known."""

    objects: ObjectMap
    ground: BaseGeometry | None

    @property
    def is_image(self) -> bool:
        """Whether its ground is that of an image."""
        return self.objects.extent is not None and self.objects.extent.exact

    def to_crs(self, crs: CRS) -> "Tile":
        """The same tile in another CRS."""
        own = self.objects.crs
        ground = self.ground if self.ground is None or own == crs else area_in(self.ground, crs, aoi_crs=own)
        return Tile(self.objects.to_crs(crs), ground)


@dataclass(frozen=True)
class Joined:
    """Objects of all tiles; ``members`` are the rows of each among all pieces, tile after tile."""

    polygons: Objects
    members: list[Ints]
    confidence: Floats | None
    classes: list[Any] | None


def joined_pieces(tiles: Sequence[Tile]) -> Joined:
    """The objects of tiles in one CRS, those that borders cut in one piece. Objects of two classes are two.

    Confidences are those of the surest pieces, and none where a tile with objects has none: an object without one has
    no place among the others.

    O(n log n) for n pieces of bounded size.
    """
    maps = [tile.objects for tile in tiles]
    polygons = np.concatenate([np.zeros(0, dtype=object), *(one.polygons for one in maps)])
    owner = np.repeat(np.arange(len(tiles)), [len(one) for one in maps])
    classes = _classes(maps)
    pairs = _pairs(tiles, polygons, owner)
    if classes is not None:
        pairs = pairs[classes[pairs[:, 0]] == classes[pairs[:, 1]]]
    count = len(polygons)
    links = coo_array((np.ones(len(pairs), dtype=bool), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    number, label = connected_components(links, directed=False)
    order = np.argsort(label, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if number else []
    whole = np.array([None, *(_union(polygons[rows]) for rows in members)], dtype=object)[1:]
    sure = _confidences(maps)
    return Joined(
        whole,
        members,
        None if sure is None else np.array([sure[rows].max() for rows in members]),
        None if classes is None else [classes[rows[0]] for rows in members],
    )


def _classes(maps: Sequence[ObjectMap]) -> Objects | None:
    """The classes of all pieces; ``None`` where no tile has any."""
    if all(one.classes is None for one in maps):
        return None
    return np.concatenate(
        [np.full(len(one), NO_CLASS, dtype=object) if one.classes is None else one.classes for one in maps]
    )


def _confidences(maps: Sequence[ObjectMap]) -> Floats | None:
    """The confidences of all pieces; ``None`` where a tile with objects has none."""
    told = [one.confidence for one in maps if not one.is_empty]
    known = [one for one in told if one is not None]
    return np.concatenate(known) if known and len(known) == len(told) else None


def _pairs(tiles: Sequence[Tile], polygons: Objects, owner: Ints) -> Ints:
    """Pairs ``(k, 2)`` of pieces of different tiles that are one object."""
    tree = shapely.STRtree(polygons)
    near = tree.query(polygons, predicate="dwithin", distance=2 * REACH).T.astype(np.int64)
    near = near[owner[near[:, 0]] < owner[near[:, 1]]]
    found = [np.zeros((0, 2), dtype=np.int64)]
    for (one, other), pairs in _by_tiles(near, owner):
        ground, beside = tiles[one].ground, tiles[other].ground
        if ground is None or beside is None:
            continue
        first, second = polygons[pairs[:, 0]], polygons[pairs[:, 1]]
        same = _share_ground(first, second, shapely.intersection(ground, beside))
        border = shapely.intersection(shapely.boundary(ground), shapely.buffer(beside, REACH))
        same |= _meet(first, second, border)
        found.append(pairs[same])
    return np.concatenate(found)


def _by_tiles(pairs: Ints, owner: Ints) -> Iterator[tuple[tuple[int, int], Ints]]:
    """The pairs of pieces by their two tiles."""
    tiles = owner[pairs]
    order = np.lexsort([tiles[:, 1], tiles[:, 0]])
    pairs, tiles = pairs[order], tiles[order]
    ends = np.flatnonzero((np.diff(tiles, axis=0) != 0).any(axis=1)) + 1
    for part, own in zip(np.split(pairs, ends), np.split(tiles, ends), strict=True):
        if len(part):
            yield (int(own[0, 0]), int(own[0, 1])), part


def _share_ground(first: Objects, second: Objects, zone: BaseGeometry) -> Bools:
    """Which pairs are the same ground, where tiles overlap."""
    common = shapely.area(shapely.intersection(first, second))
    least = np.minimum(*(shapely.area(shapely.intersection(one, zone)) for one in (first, second)))
    return np.asarray((common > 0) & (common >= COMMON * least) & (least > 0))


def _meet(first: Objects, second: Objects, border: BaseGeometry) -> Bools:
    """Which pairs take the same stretch of a border."""
    if border.length == 0:
        return np.zeros(len(first), dtype=bool)
    taken, reaching = [], np.ones(len(first), dtype=bool)
    for pieces in (first, second):
        gap = shapely.distance(pieces, border)
        reaching &= gap <= REACH
        taken.append(shapely.intersection(border, shapely.buffer(pieces, gap + _ROUNDING)))
    common = shapely.length(shapely.intersection(taken[0], taken[1]))
    least = np.minimum(*map(shapely.length, taken))
    return np.asarray(reaching & (common >= np.maximum(COMMON * least, LEAST)))


def _union(pieces: Objects) -> Any:
    """The union of pieces; corners on both sides of a border that are as near as the pieces become one."""
    whole = pieces[0]
    for piece in pieces[1:]:
        gap = shapely.distance(whole, piece)
        snapped = shapely.snap(piece, whole, min(gap, 2 * REACH) + _TOUCHING)
        if not shapely.is_valid(snapped):  # corners of a narrow part were brought together
            snapped = repaired(snapped, "a joined object")
        closed, plain = shapely.union(whole, snapped), shapely.union(whole, piece)
        # Closing a gap adds ground: where a part of the piece was folded away, the gap stays.
        kept = closed.area >= plain.area - 2 * _TOUCHING * piece.length
        whole = closed if kept and shapely.is_valid(closed) else plain
    return whole
