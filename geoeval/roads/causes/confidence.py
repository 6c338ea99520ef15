"""How sure an error is, from 0 to 1: how large it is, whether other metrics see it too, and how near a border.

The product of three parts.

- Size. What CCQ leaves unmatched of it, over that and ten metres: 0.5 at 10 m, 0.91 at 100 m. What is displaced counts
  with the metres that it is so, if these are more. For gaps the shorter the
  surer: 1 for none, 0.5 at twice the ``max_distance``. For junctions the share of the arms that is wrong.
- Agreement. 1 if all of OPT-P and OPT-J that were evaluated report something at the place, 0.6 if none does.
- Border. 0.5 where a road that was cut at the border of the evaluated ground ends within ``max_distance``: what lies
  beyond is not known. Else 1.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Objects
from geoeval.model.result import Result
from geoeval.roads.causes.labelled import Scale

if TYPE_CHECKING:
    import geopandas as gpd

_WITNESSES = ("opt-p", "opt-j")
_ALONE = 0.6
_AT_BORDER = 0.5


def confidences(frame: "gpd.GeoDataFrame", agree: Floats, at_border: Bools, scale: Scale) -> Floats:
    """The confidence of each decided error, in hundredths. O(k) for k errors."""
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
    return np.asarray((size * agree * np.where(at_border, _AT_BORDER, 1.0)).round(2))


def agreement(frame: "gpd.GeoDataFrame", result: Result, scale: Scale) -> Floats:
    """How far other metrics agree with each error. O(k log n) for k errors and n findings."""
    return agreement_of(frame.geometry.to_numpy(), witnesses_of(result), scale)


def witnesses_of(result: Result) -> list[Objects]:
    """What each of the other metrics found, of those that were evaluated."""
    frames = [result.errors[layer] for layer in ("points", "lines")]
    return [
        np.concatenate([one.geometry.to_numpy()[(one["metric"] == name).to_numpy()] for one in frames])
        for name in _WITNESSES if name in result.scores
    ]  # fmt: skip


def agreement_of(shapes: Objects, witnesses: Sequence[Objects], scale: Scale) -> Floats:
    """As ``agreement``, from what each of the other metrics found."""
    if not witnesses:
        return np.ones(len(shapes))
    seen = np.zeros(len(shapes))
    for there in witnesses:
        near = np.zeros(len(shapes), dtype=bool)
        near[shapely.STRtree(there).query(shapes, "dwithin", 2 * scale.tolerance)[0]] = True
        seen += near
    return _ALONE + (1 - _ALONE) * seen / len(witnesses)
