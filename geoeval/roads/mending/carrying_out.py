"""A prediction with some edits carried out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.mending.joining import Joins, find_joins
from geoeval.roads.mending.patches import Patches, Shared


def carry_out(patches: Patches, chosen: Bools) -> RoadNetwork:
    """The prediction with the chosen edits carried out: one truth value for each edit, and one for the rest.

    It depends on which edits are chosen, not on their order. Without any it is the prediction itself; with all of them
    and the rest it has the nodes and segments of the reference. What no edit touches keeps its nodes and ids; a road
    that is put in has the id of the reference's road, or the prediction's where the prediction had this very segment.
    O((m + k) log m).
    """
    true, predicted = patches.reference, patches.prediction
    if not chosen.any():
        return predicted.network
    joins = find_joins(patches, chosen)
    made = np.array([place for _, _, place in joins.splits], dtype=np.float64).reshape(-1, 2)
    nodes = np.concatenate([predicted.nodes, true.nodes, made])
    same, links = _joined(nodes, joins, patches.tolerance)
    sides = (
        (predicted, np.flatnonzero(~chosen[predicted.edit]), 0),
        (true, np.flatnonzero(chosen[true.edit]), len(predicted.nodes)),
    )
    pairs, segments = [], []
    for shared, parts, first in sides:
        own = [(part, place, joins.first + k) for k, (on_true, part, place) in enumerate(joins.splits)
               if on_true is (shared is true)]  # fmt: skip
        chain, segment = _chains(shared, parts, first, own)
        pairs.append(same[chain])
        segments.append(segment)
    pairs.append(same[links])
    degrees = np.bincount(np.concatenate(pairs).ravel(), minlength=len(nodes))
    # Nodes that only mark where a part ends; what goes on there as before is one segment again.
    marks = np.zeros(len(nodes), dtype=bool)
    for shared, _, first in sides:
        marks[first + len(shared.network.nodes) : first + len(shared.nodes)] = True
    marks &= (degrees == 2) & (same == np.arange(len(same)))
    names: list[NDArray[Any]] = []
    for side, (shared, _, _) in enumerate(sides):
        pairs[side], segments[side] = _healed(pairs[side], segments[side], marks)
        names.append(shared.network.source_ids[segments[side]])
    names[1] = _kept_names(patches, pairs[1] - len(predicted.nodes), segments[1], names[1])
    names.append(_names_of_links(patches, links, joins))
    cut = np.concatenate([_cut(predicted), _cut(true), np.zeros(len(made), dtype=bool)])
    return _network(predicted.network, nodes, np.concatenate(pairs), names, cut)


def is_same(one: RoadNetwork, other: RoadNetwork) -> bool:
    """Whether two networks have the same nodes and segments."""
    return np.array_equal(one.nodes, other.nodes) and np.array_equal(one.segments, other.segments)


def _joined(nodes: Floats, joins: Joins, tolerance: float) -> tuple[Ints, Ints]:
    """For each node the one that it becomes, and pairs of nodes that are linked: those farther apart than allowed."""
    same, links = np.arange(len(nodes)), []
    for node, other in joins.pairs:
        at, to = _root(same, node), _root(same, other)
        if at == to:
            continue
        if at == node and np.hypot(*(nodes[node] - nodes[to])) <= tolerance:
            same[node] = to
        else:
            links.append((at, to))
    while (same[same] != same).any():
        same = same[same]
    return same, np.array(links, dtype=np.int64).reshape(-1, 2)


def _root(same: Ints, node: int) -> int:
    while same[node] != node:
        node = int(same[node])
    return node


def _chains(shared: Shared, parts: Ints, first: int, splits: list[tuple[int, Floats, int]]) -> tuple[Ints, Ints]:
    """The nodes of parts, which are split at places, and the segment of each; in order along their segments."""
    at = np.array([part for part, _, _ in splits], dtype=np.int64)
    place = np.array([xy for _, xy, _ in splits], dtype=np.float64).reshape(-1, 2)
    along = np.hypot(*(place - shared.nodes[shared.pairs[at, 0]]).T)
    owner = np.concatenate([parts, at, parts])
    metres = np.concatenate([np.full(len(parts), -1.0), along, np.full(len(parts), np.inf)])
    chain = np.concatenate([
        first + shared.pairs[parts, 0], np.array([node for _, _, node in splits], dtype=np.int64),
        first + shared.pairs[parts, 1],
    ])  # fmt: skip
    order = np.lexsort([metres, owner])
    owner, chain = owner[order], chain[order]
    joined = np.flatnonzero(owner[:-1] == owner[1:])
    return np.column_stack([chain[joined], chain[joined + 1]]), shared.segment[owner[joined]]


def _healed(pairs: Ints, segment: Ints, marks: Bools) -> tuple[Ints, Ints]:
    """Parts of one segment that go on at a mere mark as one."""
    goes_on = (segment[1:] == segment[:-1]) & (pairs[1:, 0] == pairs[:-1, 1]) & marks[pairs[1:, 0]]
    begins = np.flatnonzero(np.concatenate([np.ones(min(len(pairs), 1), dtype=bool), ~goes_on]))
    ends = np.append(begins[1:], len(pairs)) - 1 if len(pairs) else begins
    return np.column_stack([pairs[begins, 0], pairs[ends, 1]]), segment[begins]


def _kept_names(patches: Patches, pairs: Ints, segment: Ints, names: NDArray[Any]) -> NDArray[Any]:
    """The ids of the reference's segments, or the prediction's where it had the very segment."""
    true, predicted = patches.reference.network, patches.prediction.network
    whole = np.flatnonzero((pairs == true.segments[segment]).all(axis=1))
    if len(whole) == 0 or predicted.is_empty:
        return names
    places = predicted.nodes[:, 0] + 1j * predicted.nodes[:, 1]  # in order, as nodes are
    wanted = true.nodes[true.segments[segment[whole]]]
    node = np.minimum(np.searchsorted(places, wanted[..., 0] + 1j * wanted[..., 1]), len(places) - 1)
    there = (predicted.nodes[node] == wanted).all(axis=(1, 2))
    size = len(places)
    keys = predicted.segments[:, 0] * size + predicted.segments[:, 1]  # in order, as segments are
    asked = node.min(axis=1) * size + node.max(axis=1)
    at = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    there &= keys[at] == asked
    return _replaced(names, whole[there], predicted.source_ids[at[there]])


def _replaced(names: NDArray[Any], rows: Ints, values: NDArray[Any]) -> NDArray[Any]:
    if names.dtype != values.dtype:
        names, values = _as_text(names), _as_text(values)
    names = names.copy()
    names[rows] = values
    return names


def _names_of_links(patches: Patches, links: Ints, joins: Joins) -> NDArray[Any]:
    """Of each link, the id of a road of the reference that it leads to."""
    true, here = patches.reference, len(patches.prediction.nodes)
    if len(links) == 0:
        return np.zeros(0, dtype=object)
    segment = dict(zip((here + true.pairs).ravel().tolist(), np.repeat(true.segment, 2).tolist(), strict=True))
    made = enumerate(joins.splits, start=joins.first)
    segment |= {number: int(true.segment[part]) for number, (on_true, part, _) in made if on_true}
    found = [next((segment[node] for node in pair if node in segment), None) for pair in links.tolist()]
    return np.array(["" if one is None else str(true.network.source_ids[one]) for one in found], dtype=object)


def _as_text(ids: NDArray[Any]) -> NDArray[Any]:
    return np.array([str(value) for value in ids], dtype=object)


def _cut(shared: Shared) -> Bools:
    return np.concatenate([shared.network.cut, np.zeros(len(shared.nodes) - len(shared.network.nodes), dtype=bool)])


def _network(like: RoadNetwork, nodes: Floats, pairs: Ints, names: list[NDArray[Any]], cut: Bools) -> RoadNetwork:
    """A network of these parts; ids of one type stay of that type."""
    there = [one for one in names if len(one)]
    if len({one.dtype for one in there}) > 1:
        there = [_as_text(one) for one in there]
    ids = np.concatenate(there) if there else like.source_ids[:0]
    real = pairs[:, 0] != pairs[:, 1]
    used = np.zeros(len(nodes), dtype=bool)
    used[pairs[real]] = True
    number = np.cumsum(used) - 1
    return RoadNetwork(
        nodes[used], number[pairs[real]], crs=like.crs, source_ids=ids[real], merge_coincident=False, cut=cut[used],
        source=like.source, scale_error=like.scale_error,
    )  # fmt: skip
