"""Distances at the made-up place on Earth where Sat2Graph's scripts put every tile."""

import numpy as np

from geoeval._kernels.compiling import inner
from geoeval.readers.graph.tile_degrees import PIXELS_PER_DEGREE, degrees_of, pixels_of

__all__ = ["PIXELS_PER_DEGREE", "degrees_between", "degrees_of", "pixels_of"]


@inner
def degrees_between(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Distance in degrees of latitude; the first place decides how wide a degree of longitude is."""
    across = (other_lon - lon) * np.cos(np.radians(lat))
    return np.sqrt((other_lat - lat) ** 2 + across**2)
