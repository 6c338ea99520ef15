"""Features that the path metrics share: roads through which shortest paths fail, and roads without any partner."""

import numpy as np
from numpy.typing import NDArray

from geoeval.model.network import RoadNetwork
from geoeval.model.result import ErrorFeatures
from geoeval.roads.pairs import ControlPoints
from geoeval.roads.paths import Paths
from geoeval.roads.pieces import cut_roads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def add_culprits(
    errors: ErrorFeatures, paths: Paths, through: Floats, note: str, *, ids: str, least: float = 0.0
) -> None:
    """Each road whose share of failed paths exceeds ``least``; ``through`` has all paths and the failed ones.

    ``note`` is a format of the failed paths, all paths and the share; ``ids`` is the column for the road's ids.
    """
    share = np.divide(through[:, 1], through[:, 0], out=np.zeros(len(through)), where=through[:, 0] > 0)
    road = np.flatnonzero(share > least)
    notes = [note.format(failed, count, failed / count) for count, failed in through[road].tolist()]
    add_stretches(
        errors, "culprit", paths.network, road, np.zeros(len(road)), ids=ids, severity=share[road], note=notes
    )


def add_stretches(
    errors: ErrorFeatures,
    kind: str,
    network: RoadNetwork,
    road: Ints,
    begin: Floats,
    end: Floats | None = None,
    *,
    ids: str,
    severity: Floats | float = 1.0,
    note: str | list[str] = "",
) -> None:
    """Stretches of roads between two metres along them, by default to the road's end."""
    stop = network.roads.length[road] if end is None else end
    lines, names = cut_roads(network, road, begin, stop)
    errors.add(kind, lines, severity=severity, note=note, **{ids: names})


def add_around(
    errors: ErrorFeatures,
    kind: str,
    paths: Paths,
    points: ControlPoints,
    chosen: NDArray[np.bool_],
    *,
    ids: str,
    note: str,
) -> None:
    """Stretches around chosen control points: half a step on either side, neighbours joined."""
    here = chosen[points.point]
    continues = np.r_[False, here[:-1] & (points.road[1:] == points.road[:-1])]
    first = np.flatnonzero(here & ~continues)
    last = np.flatnonzero(here & ~np.r_[continues[1:] & here[1:], False])
    begin = np.maximum(points.at[first] - points.half_step[first], 0.0)
    end = np.minimum(points.at[last] + points.half_step[last], paths.network.roads.length[points.road[last]])
    add_stretches(errors, kind, paths.network, points.road[first], begin, end, ids=ids, note=note)


def add_all_roads(errors: ErrorFeatures, reference: RoadNetwork, prediction: RoadNetwork) -> None:
    """Where one network is empty: every road of the other."""
    for network, kind, ids in ((reference, "missing", "ref_id"), (prediction, "spurious", "pred_id")):
        road = np.arange(len(network.roads))
        add_stretches(errors, kind, network, road, np.zeros(len(road)), ids=ids, note="the other network is empty")
