"""The array types that the whole house speaks of, named once."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]
# minx, miny, maxx, maxy
Box = tuple[float, float, float, float]


def writable(geometries: Objects) -> Objects:
    """The geometries in an array that may be written to: shapely before 2.2 takes no other apart."""
    return geometries if geometries.flags.writeable else geometries.copy()
