"""Features of the path metrics: roads through which shortest paths fail, and roads without a partner."""

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.features import ErrorFeatures
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.pieces import cut_roads
from geoeval.roads.paths.pairs import ControlPoints
from geoeval.roads.paths.shortest_paths import PathFinder


def add_culprits(
    errors: ErrorFeatures, paths: PathFinder, through: Floats, note: str, *, ids: str, least: float = 0.0
) -> None:
    """Add each road whose share of failed paths exceeds ``least``.

    ``through`` is the number of all paths and of failed paths through each road ``(roads, 2)``, ``note`` a format of
    the failed paths, all paths and the share, and ``ids`` the column for the road's ids.
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
    """Add stretches of roads, from ``begin`` to ``end`` metres along each, by default to the end of the road."""
    stop = network.roads.length[road] if end is None else end
    lines, names = cut_roads(network, road, begin, stop)
    errors.add(kind, lines, severity=severity, note=note, **{ids: names})


def add_around(
    errors: ErrorFeatures,
    kind: str,
    paths: PathFinder,
    points: ControlPoints,
    chosen: Bools,
    *,
    ids: str,
    note: str,
) -> None:
    """Add stretches around chosen control points: half a step on either side, neighbours joined."""
    here = chosen[points.point]
    continues = np.r_[False, here[:-1] & (points.road[1:] == points.road[:-1])]
    first = np.flatnonzero(here & ~continues)
    last = np.flatnonzero(here & ~np.r_[continues[1:] & here[1:], False])
    begin = np.maximum(points.at[first] - points.half_step[first], 0.0)
    end = np.minimum(points.at[last] + points.half_step[last], paths.network.roads.length[points.road[last]])
    add_stretches(errors, kind, paths.network, points.road[first], begin, end, ids=ids, note=note)


def add_all_roads(errors: ErrorFeatures, reference: RoadNetwork, prediction: RoadNetwork) -> None:
    """Add every road of both networks, one of which is empty."""
    for network, kind, ids in ((reference, "missing", "ref_id"), (prediction, "spurious", "pred_id")):
        road = np.arange(len(network.roads))
        add_stretches(errors, kind, network, road, np.zeros(len(road)), ids=ids, note="the other network is empty")
