"""A name for each error that says what it is, where, and of which features: the same in every run that finds it."""

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects

if TYPE_CHECKING:
    import geopandas as gpd


_METRES_PER_DEGREE = 111_195.0


def with_error_ids(frame: "gpd.GeoDataFrame", taken: set[str] | None = None) -> "gpd.GeoDataFrame":
    """The errors with a column ``error_id``, unique in the frame and not among those ``taken``, which grow by them.

    An id depends on kind, ids of both features and place (in whole metres) of its error alone, so what changes
    elsewhere does not change it. O(n).
    """
    in_degrees = frame.crs is not None and frame.crs.is_geographic
    places = (error_places(frame.geometry.to_numpy()) * (_METRES_PER_DEGREE if in_degrees else 1.0)).round(0)
    names: list[str] = []
    seen = set() if taken is None else taken
    for kind, ref, pred, (x, y) in zip(frame["kind"], frame["ref_id"], frame["pred_id"], places.tolist(), strict=True):
        name = _digest(f"{kind}|{ref}|{pred}|{x:.0f}|{y:.0f}")
        while name in seen:
            name = _digest(name)
        seen.add(name)
        names.append(name)
    return frame.assign(error_id=np.array(names, dtype=object).astype(str) if names else np.zeros(0, dtype=str))


def error_places(geometries: Objects) -> Floats:
    """Where errors are: the centroids, one row each; not a number for one without geometry."""
    middles = shapely.centroid(geometries)
    return np.column_stack([shapely.get_x(middles), shapely.get_y(middles)]).reshape(-1, 2)


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
