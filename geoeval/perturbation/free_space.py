"""Free space for isolated errors: none comes near another one, or near a neighbour that it could run into.

The neighbours never change, so they are indexed in shapely's packed tree. The taken space grows with every error, so
it is indexed in an rtree.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import shapely
from rtree.index import Index

from geoeval.arrays import Objects


class FreeSpace:
    """The space that errors take up, one after the other.

    Parameters
    ----------
    neighbours
        Geometries that errors keep away from, except those that an error changes. By default errors keep away only
        from each other.
    """

    def __init__(self, neighbours: Sequence[Any] | Objects = ()) -> None:
        self._neighbours = shapely.STRtree(neighbours)
        self._taken: list[Any] = []
        self._index = Index()

    def take(self, geometries: Sequence[Any], clearance: float, *, own: Collection[int] = ()) -> bool:
        """Take the space of one error if nothing lies within ``clearance`` of it; return whether it was taken.

        ``own`` are the indices of the neighbours that the error changes. O(log n) where little is near.
        """
        shapes = np.array([None, *geometries], dtype=object)[1:]
        near = self._neighbours.query(shapes, "dwithin", clearance)[1]
        if not set(near.tolist()) <= set(own) or self._is_taken(shapes, clearance):
            return False
        for shape in shapes:
            self._index.insert(len(self._taken), shape.bounds)
            self._taken.append(shape)
        return True

    def _is_taken(self, shapes: Objects, clearance: float) -> bool:
        for shape in shapes:
            minx, miny, maxx, maxy = shape.bounds
            box = (minx - clearance, miny - clearance, maxx + clearance, maxy + clearance)
            if any(shapely.dwithin(shape, self._taken[i], clearance) for i in self._index.intersection(box)):
                return True
        return False
