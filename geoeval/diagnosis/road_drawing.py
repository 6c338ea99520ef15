"""How two networks are drawn: crossings without a node, divided roads as two lines or one, and how much there is."""

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.contents import SIDES
from geoeval.diagnosis.finding import Finding, finding, percent
from geoeval.diagnosis.probe import Probe
from geoeval.model.road_network import RoadNetwork

# Segments of which the crossings are counted; how many crossings, in all and for each junction, are strange.
_SEGMENTS, _FEWEST, _PER_JUNCTION = 4000, 10, 0.2
# Metres: nearer to a junction or end, lines that cross are a matter of how the junction is drawn.
_AT_JUNCTION = 2.0
# Metres: how far apart the lines of a divided road are, and how exactly they run side by side (sine of the angle).
_NEAREST_TWIN, _FARTHEST_TWIN, _PARALLEL = 4.0, 30.0, 0.2
_DRAWN_TWICE = 0.05
# So many times as much road, or as many vertices a kilometre, is said.
_TIMES_ROAD, _TIMES_VERTICES = 2.0, 6.0


def check_crossings(networks: dict[str, RoadNetwork]) -> list[Finding]:
    """A warning where one network has many crossings without a node and the other has not; bridges are few.

    O(s log m) for at most 4,000 of m segments.
    """
    share, count = {}, {}
    for name, network in networks.items():
        count[name] = _crossings(network)
        share[name] = count[name] / max(int((network.degrees > 2).sum()), 1)
    found = []
    for name, other in (SIDES, SIDES[::-1]):
        if count[name] >= _FEWEST and share[name] >= _PER_JUNCTION and share[other] < share[name] / 3:
            about = f"{count[name]:,} places where its roads cross without a node"
            found.append(finding(
                "crossings", "warning", f"the {name} has about {about}, far more than the {other}", "--node crossings",
            ))  # fmt: skip
    return found


def _crossings(network: RoadNetwork) -> int:
    """About how often roads cross each other away from all junctions and ends, estimated from some segments."""
    total = len(network.segments)
    chosen = np.arange(0, total, max(1, -(-total // _SEGMENTS)))
    which, other = network.tree.query(network.lines[chosen], predicate="crosses")
    own = chosen[which]
    two_roads = network.roads.road_of[own] != network.roads.road_of[other]
    place = shapely.centroid(shapely.intersection(network.lines[own[two_roads]], network.lines[other[two_roads]]))
    nodes = shapely.STRtree(np.asarray(shapely.points(network.nodes[network.features])))
    joined = np.unique(nodes.query(place, "dwithin", _AT_JUNCTION)[0])
    return round(float(len(place) - len(joined)) * total / max(len(chosen), 1) / 2)


def check_carriageways(views: dict[str, Probe]) -> list[Finding]:
    """A note where one network draws divided roads as two lines and the other as one. O(k log m) for k places."""
    found = []
    for name, other in (SIDES, SIDES[::-1]):
        view = views[name]
        # Where the other network has a road that could be either line.
        there = np.flatnonzero(view.near >= 0)
        twice = _has_twin(view.network, view.segment[there], view.xy[there])
        there = there[twice]
        feet = view.xy[there]
        once = ~_has_twin(view.other, view.near[there], feet)
        share = float(once.sum()) / max(len(view.segment), 1)
        if share >= _DRAWN_TWICE:
            message = f"{percent(share)} of the {name} is drawn as two lines side by side where the {other} has one"
            found.append(finding("carriageways", "info", message))
    return found[:1] if len(found) == 1 else []


def _has_twin(network: RoadNetwork, segment: Ints, places: Floats) -> Bools:
    """Whether another road runs side by side with that segment, seen from each place."""
    ends = network.nodes[network.segments[segment]]
    along = (ends[:, 1] - ends[:, 0]) / network.segment_lengths[segment][:, None]
    across = np.column_stack([-along[:, 1], along[:, 0]]) * _FARTHEST_TWIN
    rays = shapely.linestrings(np.stack([places - across, places + across], axis=1))
    ray, other = network.tree.query(rays, predicate="intersects")
    others = network.nodes[network.segments[other]]
    direction = (others[:, 1] - others[:, 0]) / network.segment_lengths[other][:, None]
    turn = np.abs(along[ray, 0] * direction[:, 1] - along[ray, 1] * direction[:, 0])
    # From the segment itself and not from the place, which may lie on the other network.
    middle = others.mean(axis=1) - ends[ray, 0]
    apart = np.abs(along[ray, 0] * middle[:, 1] - along[ray, 1] * middle[:, 0])
    twin = (other != segment[ray]) & (turn < _PARALLEL) & (apart >= _NEAREST_TWIN) & (apart <= _FARTHEST_TWIN)
    has = np.zeros(len(segment), dtype=bool)
    has[ray[twin]] = True
    return has


def check_detail(networks: dict[str, RoadNetwork]) -> list[Finding]:
    """Notes where one network has far more road or far more vertices than the other. O(1)."""
    found = []
    for name, other in (SIDES, SIDES[::-1]):
        own, its = networks[name], networks[other]
        times = own.length / its.length
        if times >= _TIMES_ROAD:
            message = f"the {name} has {times:.1f} times as much road as the {other} on the same ground"
            found.append(finding("density", "warning", message))
        dense, coarse = (1000 * len(one.segments) / one.length for one in (own, its))
        if dense >= _TIMES_VERTICES * coarse:
            message = f"the {name} has {dense:.0f} vertices a km and the {other} {coarse:.0f}: its curves may be cut"
            found.append(finding("detail", "info", message))
    return found
