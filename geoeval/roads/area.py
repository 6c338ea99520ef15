"""Which ground is evaluated, where the two inputs do not cover the same."""

import shapely
from shapely.geometry.base import BaseGeometry

from geoeval.model.network import RoadNetwork
from geoeval.model.objects import ObjectMap

# Reference roads just beside the prediction's outermost roads belong to the comparison: they are missing.
MARGIN = 50.0
# The reference is cut only where it clearly covers more ground.
LARGER = 1.5


def coverage(network: RoadNetwork | ObjectMap) -> BaseGeometry:
    """The ground that roads or objects cover: its convex hull and a margin around it."""
    return shapely.MultiPoint(network.nodes).convex_hull.buffer(MARGIN)


def evaluated_area(reference: RoadNetwork | ObjectMap, prediction: RoadNetwork | ObjectMap) -> BaseGeometry | None:
    """The prediction's coverage where the reference covers clearly more ground, else ``None``: all of both.

    A city's extract against one neighbourhood's prediction must not count the rest of the city as missing.
    """
    if reference.is_empty or prediction.is_empty:
        return None
    return smaller_ground(coverage(reference), coverage(prediction))


def smaller_ground(reference: BaseGeometry, prediction: BaseGeometry) -> BaseGeometry | None:
    """Of what two inputs cover the prediction's, where the reference covers clearly more, else ``None``."""
    return prediction if reference.area > LARGER * prediction.area else None
