"""How sure an error is, from 0 to 1: how large it is, whether other metrics see it too, and how near a border.

The product of three parts.

- Size. What CCQ leaves unmatched of it, over that and ten metres: 0.5 at 10 m, 0.91 at 100 m. What is displaced counts
  with the metres that it is so, if these are more. For gaps the shorter the
  surer: 1 for none, 0.5 at twice the ``max_distance``. For junctions the share of the arms that is wrong.
- Agreement. 1 if all of OPT-P and OPT-J that were evaluated report something at the place, 0.6 if none does.
- Border. 0.5 where a road that was cut at the border of the evaluated ground ends within ``max_distance``: what lies
  beyond is not known. Else 1.
"""

from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.contents import SIDES
from geoeval.model.result import Result
from geoeval.roads.causes.labelled import Scale

if TYPE_CHECKING:
    import geopandas as gpd

_WITNESSES = ("opt-p", "opt-j")
_ALONE = 0.6
_AT_BORDER = 0.5


def confidences(frame: "gpd.GeoDataFrame", result: Result, scale: Scale) -> Floats:
    """The confidence of each decided error, in hundredths. O(k log n) for k errors and n findings."""
    if len(frame) == 0:
        return np.zeros(0)
    kind = frame["kind"].to_numpy(dtype=object)
    metres = (frame["ref_m"] + frame["pred_m"]).to_numpy(dtype=np.float64)
    aside = frame["dist_m"].fillna(0.0).to_numpy(dtype=np.float64)
    metres = np.where(kind == "displaced", np.maximum(metres, aside), metres)
    size = metres / (metres + scale.shortest)
    length = frame["length_m"].fillna(0.0).to_numpy(dtype=np.float64)
    gaps = np.isin(kind, ["break", "false_link"])
    size = np.where(gaps, np.maximum(1 - length / (4 * scale.reach), 0.0), size)
    size = np.where(kind == "junction", frame["severity"].to_numpy(dtype=np.float64), size)
    shapes = frame.geometry.to_numpy()
    return np.asarray((size * _agreement(shapes, result, scale) * _border(shapes, result, scale)).round(2))


def _agreement(shapes: Objects, result: Result, scale: Scale) -> Floats:
    asked = [name for name in _WITNESSES if name in result.scores]
    if not asked:
        return np.ones(len(shapes))
    seen = np.zeros(len(shapes))
    for name in asked:
        there = [
            frame.geometry.to_numpy()[(frame["metric"] == name).to_numpy()]
            for layer, frame in result.errors.items() if layer in ("points", "lines")
        ]  # fmt: skip
        witnesses = np.concatenate(there)
        near = np.zeros(len(shapes), dtype=bool)
        near[shapely.STRtree(witnesses).query(shapes, "dwithin", 2 * scale.tolerance)[0]] = True
        seen += near
    return _ALONE + (1 - _ALONE) * seen / len(asked)


def _border(shapes: Objects, result: Result, scale: Scale) -> Floats:
    cut = np.concatenate([result.inputs[side].nodes[result.inputs[side].cut] for side in SIDES])
    factor = np.ones(len(shapes))
    if len(cut):
        near = shapely.STRtree(np.asarray(shapely.points(cut))).query(shapes, "dwithin", scale.reach)[0]
        factor[near] = _AT_BORDER
    return factor
