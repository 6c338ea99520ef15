"""Clusters: parts of both networks that touch each other, or lie near each other."""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.grouping import joined_sets
from geoeval.roads.causes.labelled import Labelled
from geoeval.roads.geometry.pieces import cut_roads


@dataclass(frozen=True)
class Clusters:
    """Clusters of living parts; parts of the reference are numbered first.

    Attributes
    ----------
    touching
        Pairs of parts of one network that share a node or follow each other, whether they live or not.
    pairs
        Pairs of living parts that touch, or lie near each other.
    number
        Of each part, its cluster; parts that do not live have one of their own.
    middle, radius
        Of each cluster: of a circle that holds it; undefined without a living part.
    end_alike
        Of each cluster, whether it has as many free ends in both networks; see ``_is_free``.
    """

    touching: Ints
    pairs: Ints
    number: Ints
    middle: Floats
    radius: Floats
    end_alike: Bools

    def __len__(self) -> int:
        return len(self.radius)

    def sums(self, values: Floats | Bools) -> Floats:
        """The sum of values of parts over each cluster."""
        return np.bincount(self.number, weights=values, minlength=len(self)).astype(np.float64)


def clusters_of(sides: tuple[Labelled, Labelled], alive: Bools, distance: float, also: Ints | None = None) -> Clusters:
    """Parts that are ``alive`` and touch, or lie within ``distance`` of a part of the other network.

    ``also`` are more pairs of parts that lie near each other. O(n log n).
    """
    split = len(sides[0])
    touching = np.concatenate([_touching(sides[0]), _touching(sides[1]) + split])
    lines = [
        cut_roads(side.network, side.runs.road, side.runs.begin, side.runs.end)[0] for side in sides
    ]  # fmt: skip
    near = shapely.STRtree(lines[1]).query(lines[0], "dwithin", distance)
    pairs = [touching, np.column_stack([near[0], near[1] + split]), *([] if also is None else [also])]
    linked = np.concatenate(pairs)
    linked = linked[alive[linked].all(axis=1)]
    number = joined_sets(len(alive), linked[:, 0], linked[:, 1])
    count = int(number.max()) + 1 if len(number) else 0
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    boxes = shapely.bounds(np.concatenate(lines))[alive]
    np.minimum.at(low, number[alive], boxes[:, :2])
    np.maximum.at(high, number[alive], boxes[:, 2:])
    held = np.isfinite(low).all(axis=1)
    middle, radius = np.full((count, 2), np.nan), np.full(count, np.nan)
    middle[held], radius[held] = (low[held] + high[held]) / 2, np.hypot(*(high - low)[held].T) / 2
    free = [
        _free_ends(side, own, of, count, distance)
        for side, own, of in zip(sides, np.split(alive, [split]), np.split(number, [split]), strict=True)
    ]
    return Clusters(touching, linked, number, middle, radius, free[0] == free[1])


def _touching(side: Labelled) -> Ints:
    """Pairs of parts that share a node, or follow each other on one run."""
    ends = side.ends()
    part, _ = np.nonzero(ends >= 0)
    node = ends[ends >= 0]
    order = np.lexsort([part, node])
    part, node = part[order], node[order]
    same = np.flatnonzero(node[1:] == node[:-1])
    later = np.flatnonzero(side.follows >= 0)
    return np.concatenate(
        [np.column_stack([part[same], part[same + 1]]), np.column_stack([later, side.follows[later]])]
    )


def _free_ends(side: Labelled, alive: Bools, cluster: Ints, count: int, distance: float) -> Ints:
    """How many free ends the living parts of each cluster have."""
    ends = side.ends()
    free = alive[:, None] & (ends >= 0) & _is_free(side.network, distance)[np.maximum(ends, 0)]
    return np.bincount(cluster[np.nonzero(free)[0]], minlength=count)


def _is_free(network: RoadNetwork, distance: float) -> Bools:
    """Which nodes are dead ends with no other one within a distance: two that are near each other are a gap."""
    free = network.degrees == 1
    ends = np.flatnonzero(free)
    if len(ends) > 1:
        gap, _ = cKDTree(network.nodes[ends]).query(network.nodes[ends], k=2, distance_upper_bound=distance)
        free[ends[np.isfinite(gap[:, 1])]] = False
    return free
