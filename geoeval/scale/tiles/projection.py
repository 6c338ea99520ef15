"""One projection for all tiles where one is right everywhere, judged on the ground that is evaluated."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Floats
from geoeval.scale.store.grouped import Placed
from geoeval.scale.tiles.tiling import box_in


def common_projection(
    reference: Placed,
    prediction: Placed,
    crs: CRS | None = None,
    aoi: BaseGeometry | None = None,
    aoi_crs: CRS | None = None,
    *,
    trust_metric: bool = True,
) -> tuple[CRS | None, float | None]:
    """The projection that all tiles share, and its largest scale error on the evaluated ground.

    Parameters
    ----------
    reference, prediction
        The stores. Where the prediction is empty, the reference stands for it.
    crs
        A CRS in metres that was asked for: it is the answer, and its error is measured.
    aoi
        The evaluated area. Only what the stores hold within its bounds counts.
    aoi_crs
        What the area is in; by default ``crs``, else the CRS of the prediction.
    trust_metric
        Whether the prediction's own CRS, where it is in metres, is taken whatever its error.

    Returns
    -------
    crs
        What was asked for, else the prediction's own CRS in metres, else a projection that fits the prediction.
        ``None`` where it is not right within 0.1 %: each tile has its own then.
    scale_error
        ``None`` where there is no common projection, and in local metres, where it cannot be known.
    """
    stores = [store for store in (reference, prediction) if len(store.group_bounds)]
    leading = stores[-1] if stores else prediction
    metric = crs or (None if leading.crs.is_geographic else leading.crs)
    if metric is not None and projections.is_local(metric):
        return metric, None
    if not stores:
        return metric or projections.to_metres(np.zeros((0, 2)), projections.WGS84)[1], 0.0
    fitting = metric or projections.to_metres(corners_of(leading), projections.WGS84)[1]
    error = _recorded_error((reference, prediction), fitting) if aoi is None else None
    if error is None:
        places = corners_of(*stores) if aoi is None else _corners_in(stores, aoi, aoi_crs or crs or leading.crs)
        error = projections.scale_error(fitting, places)
    trusted = crs is not None or (metric is not None and trust_metric)
    return (fitting, error) if trusted or error <= projections.MAX_SCALE_ERROR else (None, None)


def area_of(aoi: Any, crs: CRS | None, prediction: Placed) -> tuple[BaseGeometry | None, CRS]:
    """An evaluated area as a polygon, and its CRS: ``crs``, or that of the prediction where there is none."""
    given = crs or prediction.crs
    if aoi is None:
        return None, given
    if crs is not None:
        return area_in(aoi, crs, aoi_crs=crs), given
    bounds = prediction.group_bounds
    near = (*bounds[:, :2].min(axis=0).tolist(), *bounds[:, 2:].max(axis=0).tolist()) if len(bounds) else None
    return area_in(aoi, given, near=near), given


def metric_crs(store: Placed) -> CRS:
    """What a store's map is measured in: its own CRS, or the projection that fits it."""
    if not store.crs.is_geographic:
        return store.crs
    return projections.to_metres(corners_of(store), projections.WGS84)[1]


def corners_of(*stores: Placed) -> Floats:
    """The corners of all groups of stores, in degrees."""
    return np.concatenate([_corners(store.group_bounds, store.crs) for store in stores])


def _recorded_error(stores: Sequence[Placed], crs: CRS) -> float | None:
    """The scale error that was measured, more finely than here, when maps in this CRS were stored."""
    errors = []
    for store in stores:
        error = store.facts.get("scale_error") if store.crs == crs else None
        if error is not None:
            errors.append(float(error))
        elif len(store.group_bounds):
            return None
    return max(errors, default=None)


def _corners_in(stores: Sequence[Placed], aoi: BaseGeometry, aoi_crs: CRS) -> Floats:
    """The corners of groups as far as they lie within the bounds of an area, in degrees; else those of the area."""
    found = []
    for store in stores:
        for box in box_in(aoi.bounds, aoi_crs, store.crs):
            low = np.maximum(store.group_bounds[:, :2], box[:2])
            high = np.minimum(store.group_bounds[:, 2:], box[2:])
            found.append(_corners(np.concatenate([low, high], axis=1)[(low <= high).all(axis=1)], store.crs))
    places = np.concatenate(found)
    return places if len(places) else _corners(np.array([aoi.bounds]), aoi_crs)


def _corners(boxes: Floats, crs: CRS) -> Floats:
    """The corners of boxes ``(n, 4)``, in degrees."""
    corners = np.concatenate([boxes[:, [i, j]] for i in (0, 2) for j in (1, 3)])
    return projections.to_lonlat(corners, crs)
