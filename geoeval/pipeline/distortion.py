"""Whether a CRS that was asked for can be measured in: what its lengths are off, where the data are."""

from typing import Any

import numpy as np
from pyproj import CRS

from geoeval import crs as projections
from geoeval.exceptions import CRSError, ParameterError

# Lengths that are off by more than this are no lengths; below, the result says how much they are off.
LARGEST_ERROR = 0.01


def check_distortion(crs: CRS, *maps: Any) -> None:
    """Raise ``ParameterError`` if lengths in a CRS are more than 1 % off the ground at the corners of the maps.

    ``maps`` have ``crs`` and ``bounds``; empty ones and those without a place on Earth say nothing.
    """
    if projections.is_local(crs):
        return
    worst = 0.0
    for one in maps:
        bounds = np.asarray(one.bounds if one.bounds is not None else [np.nan], dtype=np.float64)
        if projections.is_local(one.crs) or not np.isfinite(bounds).all():
            continue
        west, south, east, north = bounds.tolist()
        middle = (west + east) / 2, (south + north) / 2
        corners = [(west, south), (west, north), (east, south), (east, north), middle]
        try:
            worst = max(worst, projections.scale_error(crs, projections.to_lonlat(np.array(corners), one.crs)))
        except CRSError:  # a corner of a box may lie off the world where the data do not
            continue
    if worst > LARGEST_ERROR:
        amount = f"{100 * worst:,.1f} %" if np.isfinite(worst) else "any amount"
        msg = (
            f"lengths in {projections.crs_name(crs)} are {amount} off the ground here; "
            "give a CRS made for this place, such as its UTM zone, or {leave:crs}"
        )
        raise ParameterError(msg)
