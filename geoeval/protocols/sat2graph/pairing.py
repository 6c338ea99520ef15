"""Start points of TOPO on the prediction: where each lies there, and which of them stand in each other's way."""

from collections import deque

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.protocols.file_graph import Neighbours
from geoeval.protocols.sat2graph.start_points import StartPlaces
from geoeval.protocols.sat2graph.walk import ACROSS

# Start points lie in the scripts' index as squares that reach this far, in degrees.
_POINT = 1e-6


def on_prediction(
    starts: StartPlaces, degrees: Floats, reference: Floats, edges: Ints, *, distance: float, angle: float
) -> tuple[Ints, StartPlaces]:
    """Numbers of the start points that have a predicted edge, and their places on it.

    Of the directed edges nearer than ``distance`` and turned less than ``angle`` (1 - |cos|) the nearest; of a tie,
    such as the two directions of one edge, the first that the file lists. The ends' distances are those from the start
    point itself, not from its foot.
    """
    ends = degrees[edges]
    boxes = shapely.box(*ends.min(axis=1).T, *ends.max(axis=1).T)
    around = shapely.box(*(starts.degrees - 2 * distance).T, *(starts.degrees + 2 * distance).T)
    number, edge = shapely.STRtree(boxes).query(around)
    first, last, at = ends[edge, 0], ends[edge, 1], starts.degrees[number]
    off = _off_segments(at, first, last)
    own = _directions(reference[starts.ends[number, 1]] - reference[starts.ends[number, 0]])
    turned = 1.0 - np.abs((own * _directions(last - first)).sum(axis=1))
    near = np.flatnonzero((off < distance) & (turned < angle))
    near = near[np.lexsort([edge[near], off[near], number[near]])]
    paired, best = np.unique(number[near], return_index=True)
    taken = edges[edge[near[best]]]
    away = np.column_stack([_distance(starts.degrees[paired], degrees[taken[:, side]]) for side in (0, 1)])
    return paired, StartPlaces(starts.degrees[paired], taken, away)


def kept_one_to_one(
    places: StartPlaces, precision: Floats, degrees: Floats, neighbours: Neighbours, *,
    box: float, walk: float, near: float, keep: float,
) -> Ints:  # fmt: skip
    """Numbers of the results that count: of several start points on one predicted road, the precise ones.

    From the most precise down, a result marks its competitors: those whose start lies in the box around its own, and
    whose places are nearer than ``near`` along the prediction. One that is marked goes, unless its precision is at
    least ``keep``. In number order.
    """
    lat, lon = places.degrees.T
    marked = np.zeros(len(places), dtype=bool)
    kept = []
    for i in np.argsort(precision, kind="stable")[::-1].tolist():
        if marked[i] and precision[i] < keep:
            continue
        kept.append(i)
        wide = box / np.cos(np.radians(lat[i]))
        around = np.flatnonzero((np.abs(lat - lat[i]) <= box + _POINT) & (np.abs(lon - lon[i]) <= wide + _POINT))
        marked[around[_along_network(places, i, around, degrees, neighbours, walk) < near]] = True
    return np.sort(np.array(kept, dtype=np.int64))


def _along_network(
    places: StartPlaces, i: int, others: Ints, degrees: Floats, neighbours: Neighbours, limit: float
) -> Floats:
    """Distance along the prediction from place i to others; breadth first from both ends of its edge.

    The scripts start at both ends with the distance of the first, which is part of the number.
    """
    n1, n2 = places.ends[i].tolist()
    d1 = float(places.distances[i, 0])
    reached: dict[int, float] = {}
    queue = deque([(n1, d1), (n2, d1)])
    while queue:
        here, gone = queue.popleft()
        if gone > limit or reached.get(here, np.inf) <= gone:
            continue
        reached[here] = gone
        for there in neighbours.node[neighbours.start[here] : neighbours.start[here + 1]].tolist():
            if there not in (n1, n2):
                queue.append((there, gone + float(_distance(degrees[here][None], degrees[there][None])[0])))
    found = np.full(len(others), np.inf)
    for k, j in enumerate(others.tolist()):
        m1, m2 = places.ends[j].tolist()
        if (m1, m2) == (n1, n2):
            found[k] = abs(d1 - places.distances[j, 0])
        elif (m2, m1) == (n1, n2):
            found[k] = abs(d1 - places.distances[j, 1])
        else:
            ways = [reached[m] + places.distances[j, side] for side, m in enumerate((m1, m2)) if m in reached]
            found[k] = min(ways, default=np.inf)
    return found


def _off_segments(at: Floats, first: Floats, last: Floats) -> Floats:
    """Distance of places from segments, longitudes scaled at the segment's first end.

    Written step by step as the scripts do it: which direction of an edge is nearer is often a matter of the last digit.
    """
    wide = np.cos(np.radians(first[:, 0]))
    along, along_x = last[:, 0] - first[:, 0], (last[:, 1] - first[:, 1]) * wide
    to, to_x = at[:, 0] - first[:, 0], (at[:, 1] - first[:, 1]) * wide
    with np.errstate(invalid="ignore", divide="ignore"):
        length = np.sqrt(along * along + along_x * along_x)
        projected = (along * to + along_x * to_x) / length
        share = projected / length
    from_foot, from_foot_x = to - share * along, to_x - share * along_x
    beyond, beyond_x = to - along, to_x - along_x
    off = np.sqrt(from_foot * from_foot + from_foot_x * from_foot_x)
    off = np.where(projected > length, np.sqrt(beyond * beyond + beyond_x * beyond_x), off)
    return np.where((projected < 0) | (length == 0), np.sqrt(to * to + to_x * to_x), off)


def _directions(steps: Floats) -> Floats:
    across = steps * np.array([1.0, ACROSS])
    with np.errstate(invalid="ignore", divide="ignore"):
        return across / np.hypot(*across.T)[:, None]


def _distance(one: Floats, other: Floats) -> Floats:
    across = (other[:, 1] - one[:, 1]) * np.cos(np.radians(one[:, 0]))
    return np.sqrt((other[:, 0] - one[:, 0]) ** 2 + across**2)
