"""The decided errors as a map lists them: how sure each is, the surest first, each with a name; slivers in one line."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Floats
from geoeval.model.error_ids import with_error_ids
from geoeval.model.result import Result
from geoeval.roads.causes.confidence import agreement, confidences
from geoeval.roads.causes.grouping import joined_sets
from geoeval.roads.causes.labelled import Scale

if TYPE_CHECKING:
    import geopandas as gpd

# While errors are decided, this column tells those at the border of the ground.
AT_BORDER = "at_border"
# What is reported of the inputs themselves stays on the map.
_OF_THE_INPUT = "duplicate"


def with_listed_errors(
    result: Result, frames: "Mapping[str, gpd.GeoDataFrame]", slivers: dict[str, dict[str, float]], scale: Scale,
    agreeing: Mapping[str, Floats] | None = None,
) -> Result:  # fmt: skip
    """The result with its decided errors, the surest first.

    Parameters
    ----------
    result
        Whose errors they are.
    frames
        The decided errors by geometry type, with ``AT_BORDER``.
    slivers
        By kind: number and length of what is too small to be listed.
    scale
        What is near.
    agreeing
        By geometry type how far other metrics agree with each error, where that is known.
    """
    decided = {}
    for layer, frame in frames.items():
        agree = agreement(frame, result, scale) if agreeing is None else agreeing[layer]
        border = frame[AT_BORDER].to_numpy(dtype=np.float64) if AT_BORDER in frame else np.zeros(len(frame))
        given = frame.drop(columns=AT_BORDER, errors="ignore")
        given = given.assign(confidence=confidences(given, agree, border > 0, scale))
        own = with_error_ids(given.iloc[_order(given)].reset_index(drop=True))
        decided[layer] = _with_input_errors(own, result, layer)
    return replace(result, decided=decided, slivers=slivers, notes={**result.notes, **_note(slivers, scale)})


def _note(slivers: Mapping[str, Mapping[str, float]], scale: Scale) -> dict[str, str]:
    if not slivers:
        return {}
    told = ", ".join(f"{entry['count']:,} {kind} ({entry['length_m']:,.0f} m)" for kind, entry in slivers.items())
    return {"slivers": f"summed up, not listed, because shorter than {scale.shortest:g} m or never more than "
                       f"{scale.hardly:g} m away: {told}"}  # fmt: skip


def _order(frame: "gpd.GeoDataFrame") -> Any:
    """The surest first, then the longest, then by place."""
    bounds = shapely.bounds(frame.geometry.to_numpy()).reshape(-1, 4)
    length = frame["length_m"].fillna(0.0).to_numpy(dtype=np.float64)
    return np.lexsort([bounds[:, 1], bounds[:, 0], -length, -frame["confidence"].to_numpy(dtype=np.float64)])


def _with_input_errors(frame: "gpd.GeoDataFrame", result: Result, layer: str) -> "gpd.GeoDataFrame":
    """With what is said of the inputs themselves, last."""
    import pandas as pd

    raw = result.errors[layer]
    extra = raw[raw["kind"] == _OF_THE_INPUT]
    if len(extra) == 0:
        return frame
    extra = _joined(extra).assign(confidence=1.0, ref_m=0.0, pred_m=0.0)
    extra = with_error_ids(extra.reindex(columns=[name for name in frame.columns if name != "error_id"]))
    return pd.concat([frame, extra], ignore_index=True) if len(frame) else extra.reset_index(drop=True)


def _joined(segments: "gpd.GeoDataFrame") -> "gpd.GeoDataFrame":
    """Segments of one feature that hang together as one row; what is there three times is so at one place."""
    feature = (segments["ref_id"].astype(str) + "|" + segments["pred_id"].astype(str)).to_numpy(dtype=str)
    ends = shapely.get_coordinates(shapely.normalize(segments.geometry.to_numpy())).reshape(-1, 4)
    feature = np.unique(feature, return_inverse=True)[1]
    _, once = np.unique(np.column_stack([feature, ends]), axis=0, return_index=True)
    segments, feature, ends = segments.iloc[once], feature[once], ends[once]
    # Those that share an end.
    place = np.unique(np.column_stack([np.repeat(feature, 2), ends.reshape(-1, 2)]), axis=0, return_inverse=True)[1]
    of = np.repeat(np.arange(len(once)), 2)[order := np.argsort(place.ravel(), kind="stable")]
    same = np.flatnonzero(np.diff(place.ravel()[order]) == 0)
    stretch = joined_sets(len(once), of[same], of[same + 1])
    order = np.argsort(stretch, kind="stable")
    lines = shapely.line_merge(shapely.multilinestrings(segments.geometry.to_numpy()[order], indices=stretch[order]))
    metres = np.bincount(stretch, weights=segments["length_m"].to_numpy(dtype=np.float64))
    first = np.unique(stretch, return_index=True)[1]
    return segments.iloc[first].set_geometry(lines, crs=segments.crs).assign(length_m=metres)
