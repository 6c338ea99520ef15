"""TOPO of Sat2Graph."""

import itertools
from collections import deque
from math import ceil

import networkx as nx
import numpy as np

from tests.protocols.slow.tiles import Graph, distance

DENSITY, PAIR, PAIR_ANGLE, STEP, R, R_SMALL, MATCH, MATCH_ANGLE = 5e-4, 1e-4, 0.04, 5e-5, 3e-3, 1.5e-3, 1e-4, 0.29
BOX, WALK, NEAR, KEEP = 3e-4, 3e-4, 2e-4, 0.9


def topo(reference, prediction):
    """Precision, recall and the number of starts; None for what is undefined."""
    true, guess = Graph(reference), Graph(prediction)
    lowest = min(lat for graph in (true, guess) for lat, _ in graph.at)
    r = R_SMALL if 41.0 - lowest < 0.01 else R
    starts = start_points(true)
    results = []
    for place, n1, n2, d1, d2 in starts:
        paired = pair(place, true, n1, n2, guess)
        if paired is None:
            continue
        marbles, holes = walk(guess, *paired, r), walk(true, n1, n2, d1, d2, r)
        twins = holes + [((lat + 1e-5, lon + 1e-5), direction) for (lat, lon), direction in holes]
        if marbles and holes:
            results.append(
                (place, paired, matched(marbles, twins) / len(marbles), matched(holes, marbles) / len(holes))
            )
    kept = one_to_one(results, guess)
    if not starts or not kept:
        return None, 0.0 if starts else None, len(starts)
    precision = sum(results[i][2] for i in kept) / len(kept)
    recall = sum(results[i][3] for i in kept) / len(kept) * len(kept) / len(starts)
    return precision, recall, len(starts)


def start_points(graph):
    found, interior = [], set()
    for first, around in enumerate(graph.around):
        if len(around) == 2:
            continue
        for second in around:
            if second in interior:
                continue
            chain = [first, second]
            while len(graph.around[chain[-1]]) == 2:
                chain.append(next(n for n in graph.around[chain[-1]] if n != chain[-2]))
            interior |= set(chain[1:-1])
            reached = [0.0]
            for a, b in itertools.pairwise(chain):
                reached.append(reached[-1] + distance(graph.at[a], graph.at[b]))
            length = reached[-1]
            count = 0 if length < DENSITY / 2 else max(int(length / DENSITY), 1)
            for k in range(1, count + 1):
                at = length * k / (count + 1)
                for j in range(len(chain) - 1):
                    if reached[j] <= at <= reached[j + 1]:
                        t = (at - reached[j]) / (reached[j + 1] - reached[j])
                        a, b = graph.at[chain[j]], graph.at[chain[j + 1]]
                        place = tuple((1 - t) * a[i] + t * b[i] for i in (0, 1))
                        found.append((place, chain[j], chain[j + 1], at - reached[j], reached[j + 1] - at))
    return found


def unit(a, b):
    v = np.array([b[0] - a[0], (b[1] - a[1]) * np.cos(np.radians(40.0))])
    return v / np.sqrt((v * v).sum())


def pair(place, true, n1, n2, guess):
    own, best = unit(true.at[n1], true.at[n2]), None
    for a, b in guess.edges:
        p, q = guess.at[a], guess.at[b]
        low, high = np.minimum(p, q), np.maximum(p, q)
        if not (np.all(high >= np.array(place) - 2 * PAIR) and np.all(low <= np.array(place) + 2 * PAIR)):
            continue
        off = segment_distance(place, p, q)
        if off < PAIR and 1 - abs(own @ unit(p, q)) < PAIR_ANGLE and (best is None or off < best[0]):
            best = off, a, b
    if best is None:
        return None
    _, a, b = best
    return a, b, distance(place, guess.at[a]), distance(place, guess.at[b])


def segment_distance(place, p, q):
    wide = np.cos(np.radians(p[0]))
    v = np.array([q[0] - p[0], (q[1] - p[1]) * wide])
    w = np.array([place[0] - p[0], (place[1] - p[1]) * wide])
    length = np.sqrt(v[0] * v[0] + v[1] * v[1])
    along = (v[0] * w[0] + v[1] * w[1]) / length
    gap = w if along < 0 else w - v if along > length else w - along / length * v
    return np.sqrt(gap[0] * gap[0] + gap[1] * gap[1])


def walk(graph, n1, n2, d1, d2, r):
    points, seen = [], set()

    def place(at, direction):
        if (at, direction) not in seen:
            seen.add((at, direction))
            points.append((at, direction))

    def step_of(a, b):
        return graph.at[b][0] - graph.at[a][0], graph.at[b][1] - graph.at[a][1]

    p1, p2 = graph.at[n1], graph.at[n2]
    length, alpha = distance(p1, p2), 0.0
    while alpha <= 1.0:
        at = p1[0] * alpha + p2[0] * (1 - alpha), p1[1] * alpha + p2[1] * (1 - alpha)
        if d1 - distance(at, p1) < r or d2 - distance(at, p2) < r:
            place(at, step_of(n1, n2))
        alpha += STEP / length
    recorded, covered = {}, {}
    queue = deque([(n1, -1, d1), (n2, -1, d2)])
    while queue:
        node, origin, d = queue.popleft()
        if recorded.get(node, np.inf) <= d or d > r:
            continue
        old = recorded.get(node, 1.0)
        recorded[node] = d
        for m in graph.around[node]:
            if m in (origin, node, n1, n2):
                continue
            a, b = graph.at[node], graph.at[m]
            l = distance(a, b)
            if not old + l < r:
                s = STEP * ceil(d / STEP) - d
                while s < l and d + s <= r:
                    if s >= covered.get((node, m), 0.0):
                        if s > l - covered.get((m, node), 0.0):
                            break
                        t = s / l
                        place((a[0] * (1 - t) + b[0] * t, a[1] * (1 - t) + b[1] * t), step_of(node, m))
                    s += STEP
                covered[node, m] = s - STEP
            queue.append((m, node, d + l))
    return points


def matched(ones, others):
    graph = nx.Graph()
    graph.add_nodes_from(("one", i) for i in range(len(ones)))
    for i, (at, direction) in enumerate(ones):
        for j, (there, other) in enumerate(others):
            if abs(at[0] - there[0]) >= MATCH or distance(at, there) >= MATCH:
                continue
            free = direction[0] == direction[1] or other[0] == other[1]
            if free or 1 - abs(unit((0, 0), direction) @ unit((0, 0), other)) < MATCH_ANGLE:
                graph.add_edge(("one", i), ("other", j))
    return len(nx.bipartite.maximum_matching(graph, [node for node in graph if node[0] == "one"])) // 2


def one_to_one(results, guess):
    marked, kept = set(), []
    order = sorted(range(len(results)), key=lambda i: results[i][2])
    for i in reversed(order):
        if i in marked and results[i][2] < KEEP:
            continue
        kept.append(i)
        (lat, lon), paired = results[i][:2]
        for j, (place, other, *_) in enumerate(results):
            inside = abs(place[0] - lat) <= BOX + 1e-6 and abs(place[1] - lon) <= BOX / np.cos(np.radians(lat)) + 1e-6
            if inside and along(guess, paired, other) < NEAR:
                marked.add(j)
    return kept


def along(guess, one, other):
    n1, n2, d1, _ = one
    m1, m2, e1, e2 = other
    if (n1, n2) == (m1, m2):
        return abs(d1 - e1)
    if (n1, n2) == (m2, m1):
        return abs(d1 - e2)
    reached, queue = {}, deque([(n1, d1), (n2, d1)])
    while queue:
        node, d = queue.popleft()
        if d > WALK or reached.get(node, np.inf) <= d:
            continue
        reached[node] = d
        for m in guess.around[node]:
            if m not in (n1, n2):
                queue.append((m, d + distance(guess.at[node], guess.at[m])))
    return min([reached[m] + e for m, e in ((m1, e1), (m2, e2)) if m in reached], default=np.inf)
