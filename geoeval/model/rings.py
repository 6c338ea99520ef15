"""Polygons as arrays: the vertices of all their rings, and areas that are measured on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geoeval._kernels.compiling import kernel
from geoeval._kernels.polygon_ground import common_areas, lone_areas
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.immutable import frozen

# From so many pairs of sides on, or so many sides, drawing an intersection is quicker.
_MANY_PAIRS, _MANY_SIDES = 200_000, 400


@dataclass(frozen=True)
class Rings:
    """Vertices of the rings of polygons.

    Attributes
    ----------
    xy
        Vertices ``(k, 2)`` as they were drawn, the closing ones too: ring after ring and polygon after polygon.
    begin
        Where the vertices of each ring begin, and one more number, where the last end.
    first
        The first ring of each polygon, and one more number.
    sense
        1 for rings that were drawn with the polygon on their left, -1 for the others.
    shell
        Which rings are outlines; the others are those of holes.
    """

    xy: Floats
    begin: Ints
    first: Ints
    sense: Floats
    shell: Bools

    @property
    def sides(self) -> Ints:
        """The number of vertices of each polygon."""
        return np.diff(self.begin[self.first])

    def common_areas(self, rows: Ints, other: "Rings", partners: Ints) -> Floats:
        """Area that each polygon of ``rows`` shares with its partner."""
        areas = np.empty(len(rows))
        many = self.sides[rows] * other.sides[partners] > _MANY_PAIRS
        few = np.flatnonzero(~many)
        areas[few] = common_areas(*self.arrays, rows[few], *other.arrays, partners[few])
        for k in np.flatnonzero(many):
            areas[k] = shapely.intersection(self.polygon(rows[k]), other.polygon(partners[k])).area
        return areas

    def lone_areas(self, rows: Ints, near_start: Ints, near: Ints) -> Floats:
        """Area of each polygon of ``rows`` that none of those near it covers.

        Those near the polygon of row k are ``near[near_start[k]:near_start[k + 1]]``.
        """
        own = np.diff(near_start)
        count = self.sides[rows] + np.bincount(
            np.repeat(np.arange(len(rows)), own), weights=self.sides[near], minlength=len(rows)
        )
        areas = np.empty(len(rows))
        many = count > _MANY_SIDES
        few = np.flatnonzero(~many)
        start = np.concatenate([[0], np.cumsum(own[few])])
        areas[few] = lone_areas(*self.arrays, rows[few], start, near[np.repeat(~many, own)])
        for k in np.flatnonzero(many):
            others = shapely.union_all([self.polygon(j) for j in near[near_start[k] : near_start[k + 1]]])
            areas[k] = shapely.difference(self.polygon(rows[k]), others).area
        return areas

    def areas(self) -> Floats:
        """Area of each polygon."""
        rings = np.append(_signed_areas(self.xy, self.begin) * self.sense, 0.0)
        return (
            np.where(np.diff(self.first) > 0, np.add.reduceat(rings, self.first[:-1]), 0.0) if len(self) else rings[:0]
        )

    def polygon(self, i: int) -> Any:
        """One of the polygons, as a geometry."""
        parts: list[list[Floats]] = []
        for ring in range(self.first[i], self.first[i + 1]):
            xy = self.xy[self.begin[ring] : self.begin[ring + 1]]
            if self.shell[ring]:
                parts.append([xy])
            else:
                parts[-1].append(xy)
        return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in parts])

    def __len__(self) -> int:
        return len(self.first) - 1

    def joined(self, other: "Rings") -> "Rings":
        """These polygons and then the others."""
        return Rings(
            np.concatenate([self.xy, other.xy]),
            np.concatenate([self.begin, other.begin[1:] + self.begin[-1]]),
            np.concatenate([self.first, other.first[1:] + self.first[-1]]),
            np.concatenate([self.sense, other.sense]),
            np.concatenate([self.shell, other.shell]),
        ).frozen()

    def frozen(self) -> "Rings":
        """The same, read-only: the loops are compiled for arrays that are."""
        return frozen(self)

    @property
    def arrays(self) -> tuple[Floats, Ints, Ints, Floats]:
        """What the compiled loops take."""
        return self.xy, self.begin, self.first, self.sense


def rings_of(polygons: Objects) -> Rings:
    """The rings of polygons, in their order; an empty polygon has none. O(vertices)."""
    xy = np.ascontiguousarray(shapely.get_coordinates(polygons))
    vertices = shapely.get_num_coordinates(polygons)
    simple = (
        (shapely.get_type_id(polygons) == shapely.GeometryType.POLYGON)
        & (shapely.get_num_interior_rings(polygons) == 0)
        & (vertices > 0)
    )
    others = np.flatnonzero(~simple)
    parts, part_owner = shapely.get_parts(polygons[others], return_index=True)
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    count = np.ones(len(polygons), dtype=np.int64)
    count[others] = np.bincount(part_owner[ring_part], minlength=len(others))
    of_simple = np.repeat(simple, count)
    size, shell = np.empty(len(of_simple), dtype=np.int64), np.ones(len(of_simple), dtype=bool)
    size[of_simple] = vertices[simple]
    size[~of_simple] = shapely.get_num_coordinates(rings)
    shell[~of_simple] = np.append(True, ring_part[1:] != ring_part[:-1])[: len(ring_part)]
    begin, first = (np.concatenate([[0], np.cumsum(own)]).astype(np.int64) for own in (size, count))
    sense = np.where((_signed_areas(xy, begin) > 0) == shell, 1.0, -1.0)
    return Rings(xy, begin, first, sense, shell).frozen()


@kernel
def _signed_areas(xy: Floats, begin: Ints) -> Floats:
    """Area of each ring, negative where it runs clockwise."""
    areas = np.zeros(len(begin) - 1)
    for ring in range(len(begin) - 1):
        for k in range(begin[ring], begin[ring + 1] - 1):
            # From a vertex of the ring itself: coordinates of millions of metres would round.
            x, y = xy[k, 0] - xy[begin[ring], 0], xy[k, 1] - xy[begin[ring], 1]
            x_end, y_end = xy[k + 1, 0] - xy[begin[ring], 0], xy[k + 1, 1] - xy[begin[ring], 1]
            areas[ring] += (x * y_end - y * x_end) / 2
    return areas
