"""Room for errors that stand alone: none comes near another, nor near a neighbour that it could run into."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from rtree.index import Index


class Room:
    """Ground that errors take, piece by piece.

    Parameters
    ----------
    neighbours
        What no error may come near, but for its own; by default errors only keep away from each other.
    """

    def __init__(self, neighbours: Sequence[Any] | NDArray[np.object_] = ()) -> None:
        self._neighbours = shapely.STRtree(neighbours)
        self._taken: list[Any] = []
        self._index = Index()

    def take(self, ground: Sequence[Any], clearance: float, *, own: Collection[int] = ()) -> bool:
        """Take the ground of one error, unless something lies within ``clearance`` of it: then nothing happens.

        ``own`` are the numbers of the neighbours that the error is made of. O(log n) where little is near.
        """
        shapes = np.array([None, *ground], dtype=object)[1:]
        near = self._neighbours.query(shapes, "dwithin", clearance)[1]
        if not set(near.tolist()) <= set(own) or self._is_taken(shapes, clearance):
            return False
        for shape in shapes:
            self._index.insert(len(self._taken), shape.bounds)
            self._taken.append(shape)
        return True

    def _is_taken(self, shapes: NDArray[np.object_], clearance: float) -> bool:
        for shape in shapes:
            minx, miny, maxx, maxy = shape.bounds
            box = (minx - clearance, miny - clearance, maxx + clearance, maxy + clearance)
            if any(shapely.dwithin(shape, self._taken[i], clearance) for i in self._index.intersection(box)):
                return True
        return False
