"""Real networks that the tests of several road metrics share."""

import numpy as np
import pytest

from geoeval.model.road_network import RoadNetwork


@pytest.fixture(scope="session")
def vancouver(data):
    """Reference and prediction of a test city in pixels, cropped as in the published evaluations."""

    def load(name):
        nodes, edges = (data / "roads" / "vancouver" / name).read_text().strip().split("\n\n")
        return RoadNetwork(np.loadtxt(nodes.splitlines()), np.loadtxt(edges.splitlines(), dtype=np.int64))

    crop = (-3836.0, -3836.0, 3836.0, 3836.0)
    return load("reference.graph").clip(crop), load("roadtracer.graph").clip(crop)
