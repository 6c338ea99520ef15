"""SUBG and OPT-G written slowly: networkx on the segments, full distance matrices, plain loops."""

import itertools

import networkx as nx
import numpy as np
from scipy.optimize import linear_sum_assignment

from geoeval.model.road_network import Location, project

# What the metrics take for the same place.
SAME = 2e-6


def control_points(network, found, *, radius, spacing):
    """Coordinates of all places whose distance along the network from the place found is a multiple of the spacing."""
    graph = nx.Graph()
    for (u, v), length in zip(network.segments.tolist(), network.segment_lengths.tolist(), strict=True):
        graph.add_edge(u, v, length=length)
    xy = {i: tuple(p) for i, p in enumerate(network.nodes.tolist())}
    segment, offset = int(found.segment[0]), float(found.offset[0])
    u, v = network.segments[segment].tolist()
    whole = graph.edges[u, v]["length"]
    start = "start"
    if offset <= SAME:
        start = u
    elif whole - offset <= SAME:
        start = v
    else:
        graph.remove_edge(u, v)
        graph.add_edge(u, start, length=offset)
        graph.add_edge(start, v, length=whole - offset)
        xy[start] = tuple(found.xy[0].tolist())
    gone = nx.single_source_dijkstra_path_length(graph, start, weight="length")
    points = []
    levels = [k * spacing for k in range(int(radius / spacing + 1e-9) + 1)]
    for node, distance in gone.items():
        if any(abs(distance - level) <= SAME for level in levels):
            points.append(xy[node])
    for a, b, data in graph.edges(data=True):
        length = data["length"]
        if a not in gone:
            continue
        here, there = np.array(xy[a]), np.array(xy[b])
        for level in levels:
            shares = []
            for from_a in (level - gone[a], length - (level - gone[b])):
                inside = SAME < from_a < length - SAME
                nearest = min(gone[a] + from_a, gone[b] + length - from_a)
                if inside and abs(nearest - level) <= SAME / 2 and all(abs(from_a - s) > 2 * SAME for s in shares):
                    shares.append(from_a)
            points.extend((here + (there - here) * share / length).tolist() for share in shares)
    return np.array(points).reshape(-1, 2)


def surroundings(reference, prediction, start, *, on="reference", max_distance, radius, spacing):
    """Control points of both networks around a start, for each of the equally near partners that it has."""
    own, other = (reference, prediction) if on == "reference" else (prediction, reference)
    here = own.nearest([start]).xy[0]
    mine = control_points(own, own.nearest([start]), radius=radius, spacing=spacing)
    partners = [p for p in places_near(other, here) if p.distance[0] <= max_distance + 1e-9]
    for place in partners:
        theirs = control_points(other, place, radius=radius, spacing=spacing)
        yield (mine, theirs) if on == "reference" else (theirs, mine)
    if not partners:
        none = np.zeros((0, 2))
        yield (mine, none) if on == "reference" else (none, mine)


def places_near(network, point):
    """All places that are as near as the nearest, in turn by segment."""
    feet = [project(np.array([point]), network.nodes[network.segments[[s]]]) for s in range(len(network.segments))]
    least = min(gap[0] for _, _, gap in feet)
    return [
        Location(np.array([s]), along, xy, gap) for s, (along, xy, gap) in enumerate(feet) if gap[0] <= least + SAME / 2
    ]


def distances(a, b):
    return np.array([[np.hypot(*(np.subtract(p, q))) for q in b] for p in a]).reshape(len(a), len(b))


def subg_counts(reference, prediction, starts, *, max_distance, mode="text", **extent):
    """Matched and all predicted control points, matched and all reference ones."""
    total = np.zeros(4, dtype=int)
    for start in starts:
        options = []
        for a, b in surroundings(reference, prediction, start, max_distance=max_distance, **extent):
            d = distances(a, b)
            close = d <= max_distance + 1e-6
            used = {int(np.argmin(row)) for row, ok in zip(d, close, strict=True) if ok.any()}
            matched = len(used) if mode == "code" else int(close.any(axis=0).sum())
            options.append((matched, len(b), int(close.any(axis=1).sum()), len(a)))
        total += max(options, key=lambda o: (o[0] + o[2] - o[1] - o[3], o[0] + o[2]))
    return tuple(total.tolist())


def opt_g_counts(reference, prediction, starts, *, max_distance, **extent):
    """TP, PP, AP by scipy's assignment on the whole capped matrix, a pair more preferred where costs agree."""
    total = np.zeros(3, dtype=int)
    for on, start in starts:
        options = [
            (len(best_pairs(distances(a, b), max_distance)), len(b), len(a))
            for a, b in surroundings(reference, prediction, start, on=on, max_distance=max_distance, **extent)
        ]
        total += max(options, key=lambda o: (2 * o[0] - o[1] - o[2], o[0]))
    return tuple(total.tolist())


def best_pairs(d, cap):
    closer = d < cap * (1 - 1e-6)
    cost = np.where(closer, d - 1e-5 * cap, cap)
    return [(i, j) for i, j in zip(*linear_sum_assignment(cost), strict=True) if closer[i, j]]


def capped_cost_by_permutations(d, cap):
    """Least sum of capped distances over all one-to-one assignments of the smaller set."""
    d = d if d.shape[0] <= d.shape[1] else d.T
    return min(
        sum(min(d[i, j], cap) for i, j in enumerate(chosen))
        for chosen in itertools.permutations(range(d.shape[1]), d.shape[0])
    )


def greedy_pairs(d, cap):
    pairs = sorted((d[i, j], i, j) for i in range(d.shape[0]) for j in range(d.shape[1]) if d[i, j] < cap)
    rows, columns, chosen = set(), set(), []
    for _, i, j in pairs:
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            chosen.append((i, j))
    return chosen
