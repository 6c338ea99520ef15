"""The made-up place on Earth where Sat2Graph's scripts put every tile.

Rows and columns become degrees at 41 north, 71 west, 111111 px a degree. All constants of the scripts are in degrees of
latitude, so that 1e-5 is 1.1111 px.
"""

import numpy as np

from geoeval.arrays import Bools, Floats

PIXELS_PER_DEGREE = 111111.0
TOP, LEFT = 41.0, -71.0
# A tile reaches this many degrees from its corner at most: some 11,000 px.
_LARGEST_TILE = 0.1


def degrees_of(pixels: Floats) -> Floats:
    """Latitude and longitude ``(n, 2)`` of rows and columns."""
    lat = TOP - pixels[:, 0] * 1.0 / PIXELS_PER_DEGREE
    lon = LEFT + (pixels[:, 1] * 1.0 / PIXELS_PER_DEGREE) / np.cos(np.radians(TOP))
    return np.column_stack([lat, lon])


def pixels_of(degrees: Floats) -> Floats:
    """Rows and columns of latitudes and longitudes, the way back."""
    rows = (TOP - degrees[:, 0]) * PIXELS_PER_DEGREE
    columns = (degrees[:, 1] - LEFT) * PIXELS_PER_DEGREE * np.cos(np.radians(TOP))
    return np.column_stack([rows, columns])


def in_a_tile(degrees: Floats) -> bool:
    """Whether all latitudes and longitudes lie where the scripts put tiles, and not where roads are."""
    near: Bools = np.abs(degrees - np.array([TOP, LEFT])) < _LARGEST_TILE
    return bool(near.all())
