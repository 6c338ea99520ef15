"""A constant offset between two networks, such as misaligned imagery causes: estimated, and removed on request.

Large networks are not compared as a whole, see :mod:`geoeval.offsets.busiest`.
"""

import numpy as np
import shapely

from geoeval.model.road_network import RoadNetwork
from geoeval.offsets.busiest import offset_ground
from geoeval.offsets.estimate import Offset, SampledLines, offset_between
from geoeval.roads.geometry.network_tree import segment_array
from geoeval.roads.geometry.sampling import systematic_places

_SAMPLES = 4000


def estimate_offset(reference: RoadNetwork, prediction: RoadNetwork, *, max_offset: float = 30.0) -> Offset | None:
    """The offset of the prediction from the reference, up to ``max_offset`` metres in x and in y.

    Estimated from places of both networks, see :mod:`geoeval.offsets.estimate`: swapping the networks turns it round.
    ``None`` if a network is empty or too little of the two lies close together. O(k log n) for k sampled places.

    ``prevailing_offset`` does the same for networks of any size.
    """
    return offset_between(_sampled(reference), _sampled(prediction), max_offset=max_offset)


def _sampled(network: RoadNetwork) -> SampledLines:
    count = 0 if network.is_empty else int(np.clip(network.length / 5, 200, _SAMPLES))
    if count == 0:
        none = np.zeros(0, dtype=np.int64)
        return SampledLines(np.zeros((0, 4)), none, np.zeros((0, 2)), none, 1.0)
    places = systematic_places(network, count, 0.5)
    roads = network.roads.road_of
    return SampledLines(segment_array(network), roads, places.xy, places.segment, network.length / count)


def prevailing_offset(reference: RoadNetwork, prediction: RoadNetwork) -> Offset | None:
    """The offset of the prediction, estimated where most roads are if the networks are large.

    Both networks are in one CRS, and cut to the area that is evaluated. With more than ``MANY_SEGMENTS`` segments in
    the prediction, the estimate is that of ``estimate_offset`` on the ground that ``offset_ground`` chooses, else on
    all roads.
    """
    networks = (reference, prediction)
    box = offset_ground([prediction.nodes[prediction.segments]])
    if box is None:
        return estimate_offset(reference, prediction)
    ground = shapely.box(*box)
    return estimate_offset(*(network.clip(ground, aoi_crs=network.crs) for network in networks))


def moved(network: RoadNetwork, dx: float, dy: float) -> RoadNetwork:
    """The network shifted by ``dx`` metres east and ``dy`` metres north."""
    shifted = RoadNetwork(
        network.nodes + np.array([dx, dy]), network.segments, crs=network.crs, source_ids=network.source_ids,
        merge_coincident=False, cut=network.cut, problems=network.problems, source=network.source,
        scale_error=network.scale_error,
    )  # fmt: skip
    return shifted.with_classes(network.classes)
