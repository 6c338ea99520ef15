"""Start points of TOPO: places every so often along the chains of the reference."""

import itertools
from dataclasses import dataclass
from math import cos, radians, sqrt

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.protocols.file_graph import Neighbours


@dataclass(frozen=True)
class StartPlaces:
    """StartPlaces on a graph: where they are, the edge, and how far its two ends are, in degrees of latitude."""

    degrees: Floats
    ends: Ints
    distances: Floats

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, chosen: Ints) -> "StartPlaces":
        return StartPlaces(self.degrees[chosen], self.ends[chosen], self.distances[chosen])


def start_points(degrees: Floats, neighbours: Neighbours, density: float) -> StartPlaces:
    """Start points along all chains between nodes that have not exactly two neighbours.

    Quirks that are part of the number: an edge between two such nodes is walked from both of its ends, so its points
    occur twice; a point exactly on a vertex belongs to both segments; a closed ring without such a node has no points.
    O(n).
    """
    lat, lon = degrees[:, 0].tolist(), degrees[:, 1].tolist()
    start, node = neighbours.start.tolist(), neighbours.node.tolist()
    interior = [False] * len(lat)
    found: list[tuple[float, float, int, int, float, float]] = []
    for first in range(len(lat)):
        around = node[start[first] : start[first + 1]]
        if len(around) == 2:
            continue
        for second in around:
            if interior[second]:
                continue
            chain = [first, second]
            while start[chain[-1] + 1] - start[chain[-1]] == 2:
                one, other = node[start[chain[-1]] : start[chain[-1] + 1]]
                chain.append(other if one == chain[-2] else one)
            for inside in chain[1:-1]:
                interior[inside] = True
            found.extend(_along(chain, lat, lon, density))
    table = np.array(found, dtype=np.float64).reshape(-1, 6)
    return StartPlaces(table[:, :2], table[:, 2:4].astype(np.int64), table[:, 4:])


def _along(
    chain: list[int], lat: list[float], lon: list[float], density: float
) -> list[tuple[float, float, int, int, float, float]]:
    """Points at equal distances along a chain, one for each ``density`` and at least one; none on a short chain."""
    reached = [0.0]
    for a, b in itertools.pairwise(chain):
        across = (lon[b] - lon[a]) * cos(radians(lat[a]))
        reached.append(reached[-1] + sqrt((lat[b] - lat[a]) ** 2 + across**2))
    length = reached[-1]
    if length < density / 2:
        return []
    count = max(int(length / density), 1)
    points = []
    for k in range(1, count + 1):
        at = length * k / (count + 1)
        for j, (a, b) in enumerate(itertools.pairwise(chain)):
            if reached[j] <= at <= reached[j + 1]:
                share = (at - reached[j]) / (reached[j + 1] - reached[j])
                place = ((1 - share) * lat[a] + share * lat[b], (1 - share) * lon[a] + share * lon[b])
                points.append((*place, a, b, at - reached[j], reached[j + 1] - at))
    return points


def inside(places: StartPlaces, low: Floats, high: Floats, margin: float) -> StartPlaces:
    """The places that are more than a share of the region's height and width inside of it."""
    pad = (high - low) * margin
    kept = ((places.degrees > low + pad) & (places.degrees < high - pad)).all(axis=1)
    return places[np.flatnonzero(kept)]
