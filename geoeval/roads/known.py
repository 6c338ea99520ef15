"""What can be said of a part of a network whose surroundings are not known.

A tile of an evaluation holds all roads that meet a box, the known ground, and none beyond. A metric that can be
evaluated in tiles takes this box as ``known`` and says for each of its counts whether roads beyond the box could
change it. What is not certain is counted again with a larger box.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float]

# More than any rounding of a distance.
_SLACK = 1e-3


def is_deep(xy: Floats, known: Box | None, distance: float) -> NDArray[np.bool_]:
    """Whether all ground within a distance of each place is known; ``None`` is all ground."""
    if known is None:
        return np.ones(len(xy), dtype=bool)
    low, high = np.array(known[:2]), np.array(known[2:])
    return np.minimum(xy - low, high - xy).min(axis=1, initial=np.inf) >= distance + _SLACK
