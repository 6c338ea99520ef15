"""Small runs that the tests of reviews share."""

import numpy as np

from geoeval import RoadNetwork, evaluate
from geoeval.perturbation.perturb import perturb
from tests.networks import grid, network

EAST, NORTH = 500_000, 5_000_000
ERRORS = (("missing", 6), ("interruptions", 8), ("overconnections", 4), ("doubled", 3))


def place(lines):
    return [[(x + EAST, y + NORTH) for x, y in line] for line in lines]


def town():
    """8 by 8 streets of 150 m."""
    return network(place(grid(8, 8, 150.0)))


def with_errors(roads, seed=7):
    for error, count in ERRORS:
        roads = perturb(roads, error, count, seed=seed).prediction
    return roads


def evaluated(reference, prediction, metrics="ccq,opt-j", **more):
    return evaluate(reference, prediction, metrics=metrics, aoi="all", **more)


def renumbered(roads, *, moved=0.0, seed=0):
    """The same roads as rows of another file: other ids, and every vertex moved a little."""
    frame = roads.to_geodataframe()
    rng = np.random.default_rng(seed)
    shift = {}

    def move(point):
        key = tuple(np.round(point, 6))
        return shift.setdefault(key, tuple(np.add(point, rng.uniform(-moved, moved, 2))))

    lines = [[move(point) for point in line.coords] for line in frame.geometry]
    return RoadNetwork.from_lines(lines, crs=roads.crs, ids=[1_000 + 3 * row for row in range(len(lines))])
