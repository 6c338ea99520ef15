"""The segments of a network in the form that the compiled loops take: rows of coordinates, and a tree of boxes."""

import numpy as np

from geoeval._kernels.boxes import BoxTree, box_tree
from geoeval.arrays import Floats
from geoeval.model.road_network import RoadNetwork


def segment_array(network: RoadNetwork) -> Floats:
    """The segments of a network as rows ``ax, ay, bx, by``."""
    return np.ascontiguousarray(network.nodes[network.segments].reshape(-1, 4))


def network_tree(network: RoadNetwork) -> BoxTree:
    """The tree of a network's segments."""
    return box_tree(segment_array(network))
