"""A name for each error that says what it is, where, and of which features: the same in every run that finds it."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects

if TYPE_CHECKING:
    import geopandas as gpd

    from geoeval.model.result import Result


_METRES_PER_DEGREE = 111_195.0


def with_error_ids(frame: "gpd.GeoDataFrame", taken: set[str] | None = None) -> "gpd.GeoDataFrame":
    """The errors with a column ``error_id``, unique in the frame and not among those ``taken``, which grow by them.

    An id depends on kind, ids of both features and place (in whole metres) of its error alone, so what changes
    elsewhere does not change it. O(n).
    """
    in_degrees = frame.crs is not None and frame.crs.is_geographic
    places = (error_places(frame.geometry.to_numpy()) * (_METRES_PER_DEGREE if in_degrees else 1.0)).round(0)
    seen = set() if taken is None else taken
    rows = zip(frame["kind"], frame["ref_id"], frame["pred_id"], places.tolist(), strict=True)
    names = [_new_name(f"{kind}|{ref}|{pred}|{x:.0f}|{y:.0f}", seen) for kind, ref, pred, (x, y) in rows]
    return frame.assign(error_id=np.array(names, dtype=object).astype(str) if names else np.zeros(0, dtype=str))


def with_ids(result: "Result") -> "Result":
    """The result with an ``error_id``, unique in the run, for each error that a map shows."""
    taken: set[str] = set()
    frames = {}
    for layer, frame in result.map_errors().items():
        own = frame["error_id"].tolist() if "error_id" in frame else []
        is_unique = "error_id" in frame and len(set(own)) == len(own) and taken.isdisjoint(own)
        frames[layer] = frame if is_unique else with_error_ids(frame.drop(columns="error_id", errors="ignore"), taken)
        taken.update(frames[layer]["error_id"])
    return replace(result, decided=frames)


def task_ids(kinds: Sequence[str], places: Floats) -> list[str]:
    """Names of errors that are handed to other programs, unique among them.

    They depend on the kind and the place of each, longitude and latitude to about a metre, and on nothing else. So a
    task keeps its name where the features of a map are numbered anew, errors come and go around it, or the map is
    measured in another CRS. They begin with a word because MapRoulette takes a name of digits alone for the id of an
    OpenStreetMap element. O(n).
    """
    seen: set[str] = set()
    rows = zip(kinds, places.tolist(), strict=True)
    return [f"geoeval-{_new_name(f'{kind}|{lon:.5f}|{lat:.5f}', seen)}" for kind, (lon, lat) in rows]


def error_places(geometries: Objects) -> Floats:
    """Where errors are: the centroids, one row each; not a number for one without geometry."""
    middles = shapely.centroid(geometries)
    return np.column_stack([shapely.get_x(middles), shapely.get_y(middles)]).reshape(-1, 2)


def _new_name(text: str, seen: set[str]) -> str:
    """A name for this text that is not among those seen, which grow by it."""
    name = _digest(text)
    while name in seen:
        name = _digest(name)
    seen.add(name)
    return name


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=6).hexdigest()
