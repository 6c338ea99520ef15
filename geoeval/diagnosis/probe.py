"""Places of two networks and what of the other network is near them: what all checks of roads look at."""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.boxes import nearest_segments
from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.network_tree import network_tree
from geoeval.roads.geometry.sampling import systematic_places

# Metres: a place follows the other network within this distance (the usual tolerance of CCQ); how far is looked.
FOLLOWS, LOOKED = 5.0, 30.0
_SAMPLES = 3000


@dataclass(frozen=True)
class Probe:
    """Places of one network at equal distances, and the nearest of the other network.

    Attributes
    ----------
    network, other
        Whose places they are, and where was looked.
    segment, xy
        Of the network, for each place.
    near, distance
        The nearest segment of the other network and how far it is; -1 and infinite where it is far.
    """

    network: RoadNetwork
    other: RoadNetwork
    segment: Ints
    xy: Floats
    near: Ints
    distance: Floats

    @property
    def follows(self) -> Bools:
        """Whether the other network has a road there."""
        return np.asarray(self.distance <= FOLLOWS)


def probes(reference: RoadNetwork, prediction: RoadNetwork, shift: tuple[float, float]) -> tuple[Probe, Probe]:
    """Places of the reference and of the prediction, compared after a shift of the prediction was undone."""
    trees = [network_tree(one) for one in (reference, prediction)]
    made = []
    for own, other, tree, sign in ((reference, prediction, trees[1], 1.0), (prediction, reference, trees[0], -1.0)):
        places = systematic_places(own, int(np.clip(own.length / 5, 200, _SAMPLES)), 0.5)
        found, distance = nearest_segments(places.xy + sign * np.array(shift), tree, max_distance=LOOKED)
        near = np.where(found >= 0, tree.order[np.maximum(found, 0)], -1)
        made.append(Probe(own, other, places.segment, places.xy, near, distance))
    return made[0], made[1]
