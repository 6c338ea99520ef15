"""Pieces of both networks that hang on the same places of what is matched: the same roads, drawn elsewhere."""

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.roads.causes.circles import ARMS, ENDS, PIECES, RINGS, are_alike
from geoeval.roads.causes.clusters import Clusters, clusters_of
from geoeval.roads.causes.labelled import Labelled, Scale


def hang_on_same_places(
    sides: tuple[Labelled, Labelled], alive: Bools, first: Ints, second: Ints, scale: Scale
) -> tuple[Ints, Ints]:
    """Pairs of parts that are the same roads, as links of sets; parts of the reference are numbered first.

    Of the parts that are ``alive``, those that touch each other, or lie within ``scale.tolerance`` of a part of the
    other network, make a cluster. Where the parts of both sides leave the rest of their networks at the same places,
    and end freely as often, the cluster is one thing that both networks have: a junction that was moved, a road drawn
    on another course. So is a small cluster around which both networks are the same, see ``circles``.
    """
    none = np.zeros(0, dtype=np.int64)
    if not alive.any():
        return none, none
    split = len(sides[0])
    clusters = clusters_of(sides, alive, scale.tolerance, np.column_stack([first, second]))
    number, pairs = clusters.number, clusters.pairs
    # What goes on as something else is not the same as what is there.
    goes_on = clusters.touching
    goes_on = goes_on[alive[goes_on].any(axis=1) & ~alive[goes_on].all(axis=1)]
    places = [_leaving(side, alive[base : base + len(side)], number[base : base + len(side)])
              for side, base in zip(sides, (0, split), strict=True)]  # fmt: skip
    same = _same_places(places, clusters, 2 * scale.bridge)
    same |= _alike_inside(sides, clusters, scale)
    same[number[goes_on[alive[goes_on]]]] = False
    for own in np.split(np.flatnonzero(alive), [np.count_nonzero(alive[:split])]):
        same &= np.isin(np.arange(len(same)), number[own])
    kept = same[number[pairs[:, 0]]]
    alone = np.flatnonzero(alive & same[number])
    return np.concatenate([pairs[kept, 0], alone]), np.concatenate([pairs[kept, 1], alone])


def _leaving(side: Labelled, alive: Bools, cluster: Ints) -> tuple[Ints, Floats]:
    """Where clusters leave the rest of their network: cluster and place."""
    network, roads = side.network, side.network.roads
    ends = side.ends()
    # How many arms of each node belong to living parts.
    taken = np.bincount(ends[alive][ends[alive] >= 0], minlength=len(network.nodes))
    follows = side.follows
    followed = np.zeros(len(side), dtype=bool)
    both = (follows >= 0) & alive & alive[np.maximum(follows, 0)]
    followed[follows[both]] = True
    who, where = [], []
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
    rows = np.unique(np.column_stack([np.concatenate(who), np.concatenate(where).round(3)]), axis=0)
    return rows[:, 0].astype(np.int64), rows[:, 1:]


def _alike_inside(sides: tuple[Labelled, Labelled], clusters: Clusters, scale: Scale) -> Bools:
    """Which small clusters lie in circles in which both networks are the same."""
    small = np.flatnonzero(clusters.radius <= 2 * scale.reach)
    alike = np.zeros(len(clusters), dtype=bool)
    wider = tuple(clusters.radius[small] + share * scale.reach for share in (0.5, 1.0))
    reference, prediction = (side.network for side in sides)
    facts = (ARMS, ENDS, PIECES, RINGS)
    alike[small] = are_alike(reference, prediction, clusters.middle[small], wider, facts=facts)
    return alike


def _same_places(places: list[tuple[Ints, Floats]], clusters: Clusters, distance: float) -> Bools:
    """Which clusters leave both networks at the same places, and end freely as often."""
    leaving = [np.bincount(who, minlength=len(clusters)) for who, _ in places]
    same = (leaving[0] == leaving[1]) & (leaving[0] > 0) & clusters.end_alike
    for (who, where), (others, there) in (places, places[::-1]):
        pairs = shapely.STRtree(np.asarray(shapely.points(there))).query(
            np.asarray(shapely.points(where)), "dwithin", distance
        )
        alike = who[pairs[0]] == others[pairs[1]]
        met = np.zeros(len(who), dtype=bool)
        met[pairs[0][alike]] = True
        same[who[~met]] = False
    return same
