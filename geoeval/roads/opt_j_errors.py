"""What OPT-J found, on the map: breaks, false links, junctions with the wrong number of roads."""

import re
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.model.network import RoadNetwork
from geoeval.model.result import ErrorFeatures
from geoeval.roads.opt_j import NOTHING, ROAD, Matching, Side
from geoeval.roads.pieces import cut_roads
from geoeval.roads.sampling import coordinates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def opt_j_errors(
    reference: RoadNetwork, prediction: RoadNetwork, matching: Matching, *, max_distance: float
) -> ErrorFeatures:
    """One feature an error; the note begins with its finer name.

    ``break``: *gap*, a line along the reference between two predicted ends that face each other on one reference road,
    with its length (and their distance in ``dist_m``); *gap end*, a point where a predicted road ends alone.
    ``false_link``: *overrun*, a line along the prediction that joins two ends of the reference; a single end that
    the prediction runs over is a ``spurious`` point. ``junction``: *missing arms* or *extra arms* with both numbers,
    *missing junction*, *spurious junction*. ``missing`` and ``spurious`` points: ends without a partner.
    ``displaced``: a partner of the same order, farther than half of ``max_distance``.

    Severity is the share of the roads that are wrong there, 1 for gaps and links, and for what is displaced
    half of its share of ``max_distance``. O(k log k) for k features.
    """
    errors = ErrorFeatures("opt-j")
    ref, pred = matching.reference, matching.prediction
    _add_interruptions(errors, "break", prediction, pred, reference, max_distance)
    _add_interruptions(errors, "false_link", reference, ref, prediction, max_distance)

    paired = np.flatnonzero(ref.partner >= 0)
    for side, own, other in ((ref, reference, prediction), (pred, prediction, reference)):
        _add_single(errors, side, own, other, in_reference=side is ref)
    here, there = pred.order[ref.partner[paired]], ref.order[paired]
    for name, wrong in (("missing arms", here < there), ("extra arms", here > there)):
        k = paired[wrong]
        _add_points(
            errors,
            "junction",
            pred.xy[ref.partner[k]],
            ref_id=_ids_at(reference, ref.node[k]),
            pred_id=_ids_at(prediction, pred.node[ref.partner[k]]),
            dist_m=ref.distance[k],
            severity=_wrong_share(here[wrong], there[wrong]),
            note=_arms(name, here[wrong], there[wrong]),
        )
    k = paired[(here == there) & (ref.distance[paired] > 0.5 * max_distance)]
    shift = pred.xy[ref.partner[k]] - ref.xy[k]
    names = np.where(ref.order[k] == 1, "displaced end", "displaced junction")
    _add_points(
        errors,
        "displaced",
        pred.xy[ref.partner[k]],
        ref_id=_ids_at(reference, ref.node[k]),
        pred_id=_ids_at(prediction, pred.node[ref.partner[k]]),
        dist_m=ref.distance[k],
        severity=0.5 * ref.distance[k] / max(max_distance, 1e-300),
        note=[f"{name}: by {x:+.1f} m east, {y:+.1f} m north" for name, (x, y) in zip(names, shift, strict=True)],
    )
    return errors


def _add_single(errors: ErrorFeatures, side: Side, own: RoadNetwork, other: RoadNetwork, *, in_reference: bool) -> None:
    """Features without a partner, and junctions that are matched to a road."""
    ids, others = ("ref_id", "pred_id") if in_reference else ("pred_id", "ref_id")
    alone = side.partner == NOTHING
    ends, junctions = alone & (side.order == 1), alone & (side.order > 1)
    kind = "missing" if in_reference else "spurious"
    lacks = "no road ends here" if in_reference else "a road ends here"
    note = f"{kind} end: {lacks}, {'one does' if in_reference else 'none does'} in the reference"
    _add_points(errors, kind, side.xy[ends], note=note, **{ids: _ids_at(own, side.node[ends])})
    zero = np.zeros(junctions.sum(), dtype=np.int64)
    both = (zero, side.order[junctions]) if in_reference else (side.order[junctions], zero)
    _add_points(
        errors,
        "junction",
        side.xy[junctions],
        note=_arms(f"{kind} junction", *both),
        **{ids: _ids_at(own, side.node[junctions])},
    )
    crossed = (side.partner == ROAD) & (side.order > 2)
    two = np.full(crossed.sum(), 2)
    both = (two, side.order[crossed]) if in_reference else (side.order[crossed], two)
    _add_points(
        errors,
        "junction",
        side.xy[crossed],
        dist_m=side.distance[crossed],
        severity=_wrong_share(*both),
        note=_arms("missing arms" if in_reference else "extra arms", *both),
        **{
            ids: _ids_at(own, side.node[crossed]),
            others: [str(value) for value in other.source_ids[side.nearest.segment[crossed]]],
        },
    )


def _add_interruptions(
    errors: ErrorFeatures, kind: str, own: RoadNetwork, side: Side, other: RoadNetwork, max_distance: float
) -> None:
    """Dead ends of one network that are matched to roads of the other: where the one stops and the other goes on."""
    ids, others = ("pred_id", "ref_id") if kind == "break" else ("ref_id", "pred_id")
    ends = np.flatnonzero((side.partner == ROAD) & (side.order == 1))
    first, second, lines, other_ids = _facing(own, side, other, ends, max_distance)
    apart = np.hypot(*(side.xy[first] - side.xy[second]).T)
    length = shapely.length(lines)
    note = (
        [f"gap: the road is interrupted for {metres:.1f} m" for metres in length]
        if kind == "break"
        else [f"overrun: joins two ends that are {metres:.1f} m apart in the reference" for metres in apart]
    )
    names = [
        _joined([*a.split(";"), *b.split(";")])
        for a, b in zip(_ids_at(own, side.node[first]), _ids_at(own, side.node[second]), strict=True)
    ]
    errors.add(kind, lines, length_m=length, dist_m=apart, note=note, **{ids: names, others: other_ids})

    alone = np.setdiff1d(ends, np.concatenate([first, second]))
    is_break = kind == "break"
    _add_points(
        errors,
        "break" if is_break else "spurious",
        side.xy[alone],
        dist_m=side.distance[alone],
        severity=0.5,
        note=f"{'gap end' if is_break else 'overrun'}: the road {'ends' if is_break else 'goes on'} here, "
        f"it {'goes on' if is_break else 'ends'} in the reference",
        **{
            ids: _ids_at(own, side.node[alone]),
            others: [str(value) for value in other.source_ids[side.nearest.segment[alone]]],
        },
    )


def _facing(
    own: RoadNetwork, side: Side, other: RoadNetwork, ends: Ints, max_distance: float
) -> tuple[Ints, Ints, NDArray[np.object_], list[str]]:
    """Ends that face each other along one road of the other network: both, the line between, and its ids."""
    roads, lengths = other.roads, other.segment_lengths
    segment = side.nearest.segment[ends]
    road, metres = roads.along(segment, side.nearest.offset[ends], lengths)
    vector = np.diff(other.nodes[other.segments[segment]], axis=1)[:, 0]
    vector = np.where(roads.reversed_of[segment][:, None], -vector, vector)
    own_road, heading = _heading(own, side.node[ends], max_distance)
    forward = np.einsum("ij,ij->i", heading, vector) >= 0

    order = np.lexsort([~forward, metres.round(6), road])
    road, metres, forward, own_road, ends = road[order], metres[order], forward[order], own_road[order], ends[order]
    same = road[1:] == road[:-1]
    gap = np.flatnonzero(same & forward[:-1] & ~forward[1:])
    used = np.zeros(len(ends), dtype=bool)
    used[gap], used[gap + 1] = True, True
    # Ends of two roads that have passed each other, without joining.
    passed = np.flatnonzero(
        same & ~forward[:-1] & forward[1:] & ~used[:-1] & ~used[1:] & (own_road[1:] != own_road[:-1])
    )
    passed = passed[metres[passed + 1] - metres[passed] <= max_distance]
    passed = passed[~np.isin(passed - 1, passed)]
    used[passed], used[passed + 1] = True, True
    first = np.concatenate([gap, passed])
    second = first + 1
    lines, names = cut_roads(other, road[first], metres[first], metres[second])
    # Around the place where a ring begins.
    low, high = _first_and_last(road)
    around = roads.closed[road[low]] & ~used[low] & ~used[high] & ~forward[low] & forward[high]
    low, high = low[around], high[around]
    tails, tail_names = cut_roads(other, road[high], metres[high], roads.length[road[high]])
    heads, head_names = cut_roads(other, road[low], np.zeros(len(low)), metres[low])
    wrapped = [
        shapely.LineString([*tail.coords, *list(head.coords)[1:]]) for tail, head in zip(tails, heads, strict=True)
    ]
    names += [_joined([*a.split(";"), *b.split(";")]) for a, b in zip(tail_names, head_names, strict=True)]
    first, second = ends[np.concatenate([first, high])], ends[np.concatenate([second, low])]
    lines = np.array([None, *lines, *wrapped], dtype=object)[1:]
    straight = np.asarray(shapely.linestrings(np.stack([side.xy[first], side.xy[second]], axis=1)), dtype=object)
    return first, second, np.where(shapely.length(lines) < shapely.length(straight), straight, lines), names


def _first_and_last(road: Ints) -> tuple[Ints, Ints]:
    """First and last position of each road in a sorted list."""
    change = np.flatnonzero(np.diff(road)) + 1
    starts = np.concatenate([[0], change]) if len(road) else change
    return starts, np.append(starts[1:], len(road))[: len(starts)] - 1


def _heading(network: RoadNetwork, node: Ints, back: float) -> tuple[Ints, Floats]:
    """The road that ends at each dead end, and the vector along which it runs into the end."""
    roads, lengths = network.roads, network.segment_lengths
    segment = network.adjacency[2][network.adjacency[0][node]]
    road = roads.road_of[segment]
    at_start = roads.ends[road, 0] == node
    far = np.minimum(max(back, 1e-3), roads.length[road])
    metres = np.where(at_start, far, roads.length[road] - far)
    return road, network.nodes[node] - coordinates(network, *roads.locate(road, metres, lengths))


def _ids_at(network: RoadNetwork, nodes: Ints) -> list[str]:
    """The ids of the source features that meet at each node."""
    start, _, segment = network.adjacency
    return [_joined([str(value) for value in network.source_ids[segment[start[n] : start[n + 1]]]]) for n in nodes]


def _joined(names: list[str]) -> str:
    return ";".join(dict.fromkeys(names))


def _arms(name: str, here: Ints, there: Ints) -> list[str]:
    return [f"{name}: {a} here, {b} in the reference" for a, b in zip(here, there, strict=True)]


def arms_of(note: str) -> tuple[int, int] | None:
    """The numbers of arms, here and in the reference, that the note of a junction tells."""
    found = re.search(r": (\d+) here, (\d+) in the reference", note)
    return (int(found[1]), int(found[2])) if found else None


def _wrong_share(here: Ints, there: Ints) -> Floats:
    return 1 - np.minimum(here, there) / np.maximum(here, there)


def _add_points(errors: ErrorFeatures, kind: str, xy: Floats, **columns: Any) -> None:
    errors.add(kind, np.asarray(shapely.points(xy), dtype=object), length_m=np.full(len(xy), np.nan), **columns)
