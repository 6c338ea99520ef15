"""SUBG and OPT-G written slowly: networkx on the segments, full distance matrices, plain loops."""

import itertools

import networkx as nx
import numpy as np
from scipy.optimize import linear_sum_assignment

# What the metrics take for the same place.
SAME = 2e-6


def control_points(network, place, *, radius, spacing):
    """Coordinates of all places whose distance from ``place`` along the network is a multiple of the spacing."""
    graph = nx.Graph()
    for (u, v), length in zip(network.segments.tolist(), network.segment_lengths.tolist(), strict=True):
        graph.add_edge(u, v, length=length)
    xy = {i: tuple(p) for i, p in enumerate(network.nodes.tolist())}
    found = network.nearest([place])
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
            shares = set()
            for from_a in (level - gone[a], length - (level - gone[b])):
                inside = SAME < from_a < length - SAME
                nearest = min(gone[a] + from_a, gone[b] + length - from_a)
                if inside and abs(nearest - level) <= SAME / 2:
                    shares.add(round(from_a, 5))
            if len(shares) == 2 and max(shares) - min(shares) <= 2 * SAME:
                shares.pop()
            points.extend((here + (there - here) * share / length).tolist() for share in shares)
    return np.array(points).reshape(-1, 2)


def surroundings(reference, prediction, start, *, on="reference", max_distance, radius, spacing):
    """Control points of both networks around a start."""
    own, other = (reference, prediction) if on == "reference" else (prediction, reference)
    here = own.nearest([start]).xy[0]
    partner = other.nearest([here])
    mine = control_points(own, here, radius=radius, spacing=spacing)
    theirs = np.zeros((0, 2))
    if partner.distance[0] <= max_distance + 1e-9:
        theirs = control_points(other, partner.xy[0], radius=radius, spacing=spacing)
    return (mine, theirs) if on == "reference" else (theirs, mine)


def distances(a, b):
    return np.array([[np.hypot(*(np.subtract(p, q))) for q in b] for p in a]).reshape(len(a), len(b))


def subg_counts(reference, prediction, starts, *, max_distance, mode="text", **extent):
    """Matched and all predicted control points, matched and all reference ones."""
    total = np.zeros(4, dtype=int)
    for start in starts:
        a, b = surroundings(reference, prediction, start, max_distance=max_distance, **extent)
        d = distances(a, b)
        close = d <= max_distance + 1e-6
        used = {int(np.argmin(row)) for row, ok in zip(d, close, strict=True) if ok.any()}
        matched = len(used) if mode == "code" else int(close.any(axis=0).sum())
        total += [matched, len(b), int(close.any(axis=1).sum()), len(a)]
    return tuple(total.tolist())


def opt_g_counts(reference, prediction, starts, *, max_distance, **extent):
    """TP, PP, AP by scipy's assignment on the whole capped matrix, a pair more preferred where costs agree."""
    tp = pp = ap = 0
    for on, start in starts:
        a, b = surroundings(reference, prediction, start, on=on, max_distance=max_distance, **extent)
        pp, ap = pp + len(b), ap + len(a)
        tp += len(best_pairs(distances(a, b), max_distance))
    return tp, pp, ap


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
