"""Pieces of both networks that hang on the same places of what is matched: the same roads, drawn elsewhere."""

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.roads.causes.circles import ARMS, ENDS, PIECES, RINGS, are_alike
from geoeval.roads.causes.grouping import joined_sets
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.geometry.pieces import cut_roads


def hang_on_same_places(
    sides: tuple[Labelled, Labelled], alive: Bools, first: Ints, second: Ints, scale: Scale
) -> tuple[Ints, Ints]:
    """Pairs of parts that are the same roads, as links of sets; parts of the reference are numbered first.

    Of the parts that are ``alive``, those that touch each other, or lie within ``scale.tolerance`` of a part of the
    other network, make a cluster. Where the parts of both sides leave the rest of their networks at the same places,
    and end freely as often, the cluster is one thing that both networks have: a junction that was moved, a road drawn
    on another course. So is a small cluster around which both networks are the same, see ``circles``.
    """
    ref, pred = sides
    count = len(ref) + len(pred)
    none = np.zeros(0, dtype=np.int64)
    if not alive.any():
        return none, none
    touching = [_touching(side) + base for side, base in ((ref, 0), (pred, len(ref)))]
    lines = [cut_roads(side.network, side.runs.road, side.runs.begin, side.runs.end)[0] for side in sides]
    near = shapely.STRtree(lines[1]).query(lines[0], "dwithin", scale.tolerance)
    pairs = np.concatenate([*touching, np.column_stack([near[0], near[1] + len(ref)]),
                            np.column_stack([first, second])])  # fmt: skip
    # What goes on as something else is not the same as what is there.
    goes_on = np.concatenate(touching)
    goes_on = goes_on[alive[goes_on].any(axis=1) & ~alive[goes_on].all(axis=1)]
    pairs = pairs[alive[pairs].all(axis=1)]
    cluster = joined_sets(count, pairs[:, 0], pairs[:, 1])
    places = [_leaving(side, alive[base : base + len(side)], cluster[base : base + len(side)])
              for side, base in ((ref, 0), (pred, len(ref)))]  # fmt: skip
    same = _same_places(places, int(cluster.max()) + 1, 2 * scale.bridge)
    same |= _alike_inside(sides, lines, alive, cluster, scale)
    same[cluster[goes_on[alive[goes_on]]]] = False
    same &= np.isin(np.arange(len(same)), cluster[np.flatnonzero(alive[: len(ref)])])
    same &= np.isin(np.arange(len(same)), cluster[len(ref) + np.flatnonzero(alive[len(ref) :])])
    kept = same[cluster[pairs[:, 0]]]
    alone = np.flatnonzero(alive & same[cluster])
    return np.concatenate([pairs[kept, 0], alone]), np.concatenate([pairs[kept, 1], alone])


def _touching(side: Labelled) -> Ints:
    """Pairs of parts that share a node, or follow each other on one run."""
    ends = side.ends()
    part, _ = np.nonzero(ends >= 0)
    node = ends[ends >= 0]
    order = np.lexsort([part, node])
    part, node = part[order], node[order]
    same = np.flatnonzero(node[1:] == node[:-1])
    later = np.flatnonzero(side.follows >= 0)
    return np.concatenate(
        [np.column_stack([part[same], part[same + 1]]), np.column_stack([later, side.follows[later]])]
    )


def _leaving(side: Labelled, alive: Bools, cluster: Ints) -> tuple[Ints, Floats, Ints]:
    """Where clusters leave the rest of their network: cluster and place; and the clusters of free ends."""
    network, roads = side.network, side.network.roads
    ends = side.ends()
    # How many arms of each node belong to living parts.
    taken = np.bincount(ends[alive][ends[alive] >= 0], minlength=len(network.nodes))
    follows = side.follows
    followed = np.zeros(len(side), dtype=bool)
    both = (follows >= 0) & alive & alive[np.maximum(follows, 0)]
    followed[follows[both]] = True
    who, where, free = [], [], []
    for end, metres, inner in ((0, side.runs.begin, both), (1, side.runs.end, followed)):
        node = ends[:, end]
        inside = alive & (node < 0) & ~inner
        at_node = alive & (node >= 0)
        dead = at_node & (network.degrees[np.maximum(node, 0)] == 1)
        open_node = at_node & ~dead & (taken[np.maximum(node, 0)] < network.degrees[np.maximum(node, 0)])
        chosen = np.flatnonzero(inside | open_node)
        segment, offset = roads.locate(side.runs.road[chosen], metres[chosen], network.segment_lengths)
        pair = network.nodes[network.segments[segment]]
        share = (offset / network.segment_lengths[segment])[:, None]
        # Arms that leave at one node leave at one place.
        who.append(cluster[chosen])
        where.append(pair[:, 0] + share * (pair[:, 1] - pair[:, 0]))
        free.append(cluster[dead])
    rows = np.unique(np.column_stack([np.concatenate(who), np.concatenate(where).round(3)]), axis=0)
    return rows[:, 0].astype(np.int64), rows[:, 1:], np.concatenate(free)


def _alike_inside(
    sides: tuple[Labelled, Labelled], lines: list[Objects], alive: Bools, cluster: Ints, scale: Scale
) -> Bools:
    """Which small clusters lie in circles in which both networks are the same."""
    count = int(cluster.max()) + 1
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    boxes = shapely.bounds(np.concatenate(lines))[alive]
    np.minimum.at(low, cluster[alive], boxes[:, :2])
    np.maximum.at(high, cluster[alive], boxes[:, 2:])
    radius = np.hypot(*(high - low).T) / 2
    small = np.flatnonzero(radius <= 2 * scale.reach)
    alike = np.zeros(count, dtype=bool)
    wider = tuple(radius[small] + share * scale.reach for share in (0.5, 1.0))
    facts = (ARMS, ENDS, PIECES, RINGS)
    middle = (low[small] + high[small]) / 2
    alike[small] = are_alike(sides[0].network, sides[1].network, middle, wider, facts=facts)
    return alike


def _same_places(places: list[tuple[Ints, Floats, Ints]], count: int, distance: float) -> Bools:
    """Which clusters leave both networks at the same places, and end freely as often."""
    leaving = [np.bincount(who, minlength=count) for who, _, _ in places]
    free = [np.bincount(ends, minlength=count) for _, _, ends in places]
    same = (leaving[0] == leaving[1]) & (leaving[0] > 0) & (free[0] == free[1])
    for (who, where, _), (others, there, _) in (places, places[::-1]):
        pairs = shapely.STRtree(np.asarray(shapely.points(there))).query(
            np.asarray(shapely.points(where)), "dwithin", distance
        )
        alike = who[pairs[0]] == others[pairs[1]]
        met = np.zeros(len(who), dtype=bool)
        met[pairs[0][alike]] = True
        same[who[~met]] = False
    return same
