"""Outlines that cross themselves, made valid; those that do so again and again are refused.

The time and memory of the repair grow with the square of the vertices where each side crosses all others, so a file of
some kilobytes could keep it busy for hours.
"""

from typing import Any

import numpy as np
import shapely

from geoeval.trust import check_limit

# How many sides are compared with all others at once, and how many near ones are looked at for each crossing allowed.
_AT_ONCE, _NEAR = 8, 200


def repaired(polygons: Any, source: object) -> Any:
    """Polygons, alone or in an array, without crossings: each encloses everything inside its rings.

    Raises
    ------
    TooLargeError
        They cross themselves in more places than the limit of ``crossings``.

    Notes
    -----
    O(n log n + crossings) to count the crossings of ``n`` sides; then GEOS.
    """
    _check_crossings(polygons, source)
    return shapely.make_valid(polygons, method="structure", keep_collapsed=False)


def _check_crossings(polygons: Any, source: object) -> None:
    """Count the crossings until there are too many."""
    found = near = 0
    for polygon in np.atleast_1d(np.asarray(polygons, dtype=object)):
        xy, ring = shapely.get_coordinates(shapely.get_rings(shapely.get_parts(polygon)), return_index=True)
        real = (ring[1:] == ring[:-1]) & np.isfinite(xy[:-1] + xy[1:]).all(axis=1)
        sides = shapely.linestrings(np.stack([xy[:-1], xy[1:]], axis=1)[real])
        tree = shapely.STRtree(sides)
        for start in range(0, len(sides), _AT_ONCE):
            one, other = tree.query(sides[start : start + _AT_ONCE])
            ahead = other > one + start
            near += int(ahead.sum())
            found += int(shapely.crosses(sides[one[ahead] + start], sides[other[ahead]]).sum())
            check_limit("crossings", found, source, f"has outlines that cross themselves in more than {found:,} places")
            check_limit("crossings", near / _NEAR, source, f"has outlines with {near:,} sides beside each other")
