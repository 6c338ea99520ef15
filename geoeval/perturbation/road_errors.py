"""Known errors for road networks.

The six kinds of Citraro, Koziński and Fua (ECCV 2020, section 4), and missing roads. The paper does not give the
magnitudes; here they are in metres.
"""

from collections.abc import Callable

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.road_network import Location, RoadNetwork
from geoeval.perturbation.editing import add_lines, move_nodes, remove_stretches, split_at
from geoeval.roads.geometry.pieces import cut_roads
from geoeval.roads.geometry.sampling import random_places
from geoeval.roads.paths.shortest_paths import network_distances

_TRIES, _CHUNK = 200, 512


def _interruptions(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures, *, gap: float = 8.0
) -> tuple[RoadNetwork, RoadNetwork]:
    """Remove ``gap`` metres from roads, away from their ends and from each other."""
    road, metres = _places_on_roads(network, count, rng, clearance=gap)
    begin, end = metres - gap / 2, metres + gap / 2
    lines, ids = cut_roads(network, road, begin, end)
    features.add("break", lines, ref_id=ids, dist_m=gap)
    return network, remove_stretches(network, road, begin, end)


def _overconnections(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures, *, shortest: float = 60.0,
    longest: float = 160.0, saving: float | None = None,
) -> tuple[RoadNetwork, RoadNetwork]:  # fmt: skip
    """Connect random places on roads that are not far apart by a straight line.

    With ``saving`` no link is a short cut: the path between its ends along roads is at most ``saving`` metres longer.
    """
    if shortest > longest:
        raise ParameterError(f"shortest is {shortest:g} m and longest {longest:g} m; make shortest the smaller one")
    links: list[tuple[int, int]] = []
    places = random_places(network, 40 * count + 400, rng)
    points = np.asarray(shapely.points(places.xy))
    pairs = shapely.STRtree(points).query(points, "dwithin", longest)
    distance = np.hypot(*(places.xy[pairs[0]] - places.xy[pairs[1]]).T)
    fit = (pairs[0] < pairs[1]) & (distance >= shortest)
    fit &= places.segment[pairs[0]] != places.segment[pairs[1]]
    used: set[int] = set()
    candidates = rng.permutation(np.flatnonzero(fit))
    for chunk in np.split(candidates, range(_CHUNK, len(candidates), _CHUNK)):
        if len(links) == count:
            break
        ends = places.xy[pairs[:, chunk]]
        fitting = chunk[_leaves_the_roads(network, ends[0], ends[1], shortest / 4)]
        if saving is not None:
            along = network_distances(network, *(_some(places, side) for side in pairs[:, fitting]))
            fitting = fitting[along - distance[fitting] <= saving]
        for pair in fitting:
            a, b = int(pairs[0, pair]), int(pairs[1, pair])
            if len(links) < count and a not in used and b not in used:
                used |= {a, b}
                links.append((a, b))
    chosen = np.array(links, dtype=np.int64).reshape(-1, 2)
    split, number = split_at(network, places.segment[chosen.ravel()], places.offset[chosen.ravel()])
    joints = number.reshape(-1, 2)
    features.add("false_link", np.asarray(shapely.linestrings(split.nodes[joints])))
    chains = [(int(a), np.zeros((0, 2)), int(b)) for a, b in joints]
    return network, add_lines(split, chains, [f"overconnection {i + 1}" for i in range(len(chains))])


def _some(places: Location, which: Ints) -> Location:
    return Location(places.segment[which], places.offset[which], places.xy[which], places.distance[which])


def _leaves_the_roads(network: RoadNetwork, begin: Floats, end: Floats, clearance: float) -> Bools:
    """Which straight links do not run along an existing road: their middle half keeps away from all roads."""
    clear = np.ones(len(begin), dtype=bool)
    for share in (0.25, 0.5, 0.75):
        clear &= network.nearest(begin + share * (end - begin)).distance >= 4 * share * (1 - share) * clearance
    return clear


def _perturbations(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures, *, displacement: float = 20.0
) -> tuple[RoadNetwork, RoadNetwork]:
    """Move junctions and ends, then other vertices, in random directions; nothing is disconnected."""
    others = np.setdiff1d(np.arange(len(network.nodes)), network.features)
    node = np.concatenate([rng.permutation(network.features), rng.permutation(others)])[:count]
    angle = rng.uniform(0, 2 * np.pi, len(node))
    shift = displacement * np.column_stack([np.cos(angle), np.sin(angle)])
    features.add(
        "displaced",
        np.asarray(shapely.linestrings(np.stack([network.nodes[node], network.nodes[node] + shift], axis=1))),
        dist_m=displacement,
    )
    return network, move_nodes(network, node, shift)


def _doubled(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures, *, aside: float = 8.0
) -> tuple[RoadNetwork, RoadNetwork]:
    """Add a copy beside the middle 60 % of roads, connected to the original at both ends."""
    lengths = network.roads.length
    road = rng.permutation(np.flatnonzero(~network.roads.closed & (lengths > 4 * aside)))[:count]
    begin, end = 0.2 * lengths[road], 0.8 * lengths[road]
    sides = shapely.offset_curve(cut_roads(network, road, begin, end)[0], aside, join_style="mitre")
    copies = [shapely.get_coordinates(side) for side in sides]
    places = [network.roads.locate(road, metres, network.segment_lengths) for metres in (begin, end)]
    split, number = split_at(network, *(np.concatenate(values) for values in zip(*places, strict=True)))
    first, last = number[: len(road)], number[len(road) :]
    chains = []
    for a, course, b in zip(first, copies, last, strict=True):
        if len(course) == 0:
            continue
        forward = np.hypot(*(course[0] - split.nodes[a])) <= np.hypot(*(course[-1] - split.nodes[a]))
        chains.append((int(a), course if forward else course[::-1], int(b)))
    features.add("doubled", [shapely.LineString(course) for _, course, _ in chains], dist_m=aside)
    return network, add_lines(split, chains, [f"doubled {i + 1}" for i in range(len(chains))])


def _doubled_reference(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures, *, aside: float = 8.0
) -> tuple[RoadNetwork, RoadNetwork]:
    """Double roads of the reference, so that the prediction has one road where the reference has two."""
    prediction, reference = _doubled(network, count, rng, features, aside=aside)
    features.rows["kind"] = ["merged"] * len(features)
    return reference, prediction


def _far_false_positives(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures
) -> tuple[RoadNetwork, RoadNetwork]:
    """Remove the outermost roads in one direction from the reference, so that those of the prediction are false."""
    middle = shapely.get_coordinates(shapely.box(*network.bounds).centroid)[0]
    angle = rng.uniform(0, 2 * np.pi)
    roads = network.roads
    centre = np.array([network.nodes[roads.nodes_of(road)].mean(axis=0) for road in range(len(roads))])
    order = np.argsort(-((centre - middle) @ [np.cos(angle), np.sin(angle)]), kind="stable")[:count]
    _add_whole_roads(network, order, features, "spurious", "pred_id")
    return remove_stretches(network, order, np.full(len(order), -1.0), roads.length[order] + 1.0), network


def _missing(
    network: RoadNetwork, count: int, rng: np.random.Generator, features: ErrorFeatures
) -> tuple[RoadNetwork, RoadNetwork]:
    """Remove whole roads from the prediction."""
    road = rng.permutation(len(network.roads))[:count]
    _add_whole_roads(network, road, features, "missing", "ref_id")
    return network, remove_stretches(network, road, np.full(len(road), -1.0), network.roads.length[road] + 1.0)


ERRORS: dict[str, Callable[..., tuple[RoadNetwork, RoadNetwork]]] = {
    "interruptions": _interruptions,
    "overconnections": _overconnections,
    "perturbations": _perturbations,
    "doubled": _doubled,
    "doubled_reference": _doubled_reference,
    "far_false_positives": _far_false_positives,
    "missing": _missing,
}


def _add_whole_roads(network: RoadNetwork, road: Ints, features: ErrorFeatures, kind: str, id_column: str) -> None:
    lines, ids = cut_roads(network, road, np.zeros(len(road)), network.roads.length[road])
    features.add(kind, lines, **{id_column: ids})


def _places_on_roads(
    network: RoadNetwork, count: int, rng: np.random.Generator, *, clearance: float
) -> tuple[Ints, Floats]:
    """Random places on roads, 1.5 times ``clearance`` from the ends of their road and 3 times from each other."""
    taken: dict[int, list[float]] = {}
    places: list[tuple[int, float]] = []
    for _ in range(_TRIES):
        if len(places) >= count:
            break
        drawn = random_places(network, count, rng)
        road, metres = network.roads.along(drawn.segment, drawn.offset, network.segment_lengths)
        for r, m in zip(road.tolist(), metres.tolist(), strict=True):
            is_free = min(m, float(network.roads.length[r]) - m) >= 1.5 * clearance
            if len(places) < count and is_free and all(abs(m - other) >= 3 * clearance for other in taken.get(r, [])):
                taken.setdefault(r, []).append(m)
                places.append((r, m))
    array = np.array(places, dtype=np.float64).reshape(-1, 2)
    return array[:, 0].astype(np.int64), array[:, 1]
