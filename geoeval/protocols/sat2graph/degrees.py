"""The made-up place on Earth where Sat2Graph's scripts put every tile, and distances there.

Rows and columns become degrees at 41 north, 71 west, 111111 px a degree. All constants of the scripts are in degrees of
latitude, so that 1e-5 is 1.1111 px.
"""

import numpy as np

from geoeval._kernels.compiling import inner
from geoeval.arrays import Floats

PIXELS_PER_DEGREE = 111111.0
_TOP, _LEFT = 41.0, -71.0


def degrees_of(pixels: Floats) -> Floats:
    """Latitude and longitude ``(n, 2)`` of rows and columns."""
    lat = _TOP - pixels[:, 0] * 1.0 / PIXELS_PER_DEGREE
    lon = _LEFT + (pixels[:, 1] * 1.0 / PIXELS_PER_DEGREE) / np.cos(np.radians(_TOP))
    return np.column_stack([lat, lon])


def pixels_of(degrees: Floats) -> Floats:
    """Rows and columns of latitudes and longitudes, the way back."""
    rows = (_TOP - degrees[:, 0]) * PIXELS_PER_DEGREE
    columns = (degrees[:, 1] - _LEFT) * PIXELS_PER_DEGREE * np.cos(np.radians(_TOP))
    return np.column_stack([rows, columns])


@inner
def degrees_between(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Distance in degrees of latitude; the first place decides how wide a degree of longitude is."""
    across = (other_lon - lon) * np.cos(np.radians(lat))
    return np.sqrt((other_lat - lat) ** 2 + across**2)
