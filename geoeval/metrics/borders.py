"""What is certain near the border of a tile, beyond which no road was loaded.

The networks of a tile have all roads that meet a box, and no others. A metric that can be evaluated in tiles takes this
``loaded_box`` and says for each of its counts whether roads beyond the box could change it. Counts that are not certain
are made again with a larger box.
"""

import numpy as np

from geoeval.arrays import Bools, Box, Floats

# More than any rounding of a distance.
_SLACK = 1e-3


def is_surrounded(xy: Floats, loaded_box: Box | None, distance: float) -> Bools:
    """Whether all roads within ``distance`` metres of each place are loaded; without a box, all roads are."""
    if loaded_box is None:
        return np.ones(len(xy), dtype=bool)
    low, high = np.array(loaded_box[:2]), np.array(loaded_box[2:])
    return np.minimum(xy - low, high - xy).min(axis=1, initial=np.inf) >= distance + _SLACK
