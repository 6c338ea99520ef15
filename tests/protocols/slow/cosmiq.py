"""APLS and TOPO of CosmiQ's program, on networkx graphs whose edges are lines in metres."""

import networkx as nx
import numpy as np
import shapely
from shapely.ops import substring


def graph_of(lines):
    """A graph of polylines that are roads already: their first and last places are nodes."""
    graph, number = nx.MultiGraph(), {}
    for line in lines:
        ends = []
        for place in (line[0], line[-1]):
            number.setdefault(place, len(number))
            graph.add_node(number[place], at=place)
            ends.append(number[place])
        course = shapely.LineString(line)
        graph.add_edge(*ends, line=course, length=course.length)
    return graph


def apls(reference, prediction, max_snap=4.0, spacing=50.0, min_path=0.001):
    """Both ways and the total."""
    true, guess = with_points(reference, spacing), with_points(prediction, spacing)
    ways = [one_way(true, prediction, max_snap, min_path), one_way(guess, reference, max_snap, min_path)]
    return *ways, 2 * ways[0] * ways[1] / sum(ways) if min(ways) > 0 else 0.0


def with_points(graph, spacing):
    made = graph.copy()
    for i, (_, _, data) in enumerate(list(graph.edges(data=True))):
        length = data["length"]
        if length < 0.75 * spacing:
            continue
        stops = [length / 2]
        if length > spacing:
            stops = np.linspace(0, length, len(np.arange(0, length, spacing)) + 1)[1:-1]
        for k, stop in enumerate(stops):
            insert(made, data["line"].interpolate(stop), ("point", i, k), 1e-6)
    return made


def insert(graph, point, name, max_snap):
    edges = list(graph.edges(keys=True, data=True))
    gaps = [data["line"].distance(point) for *_, data in edges]
    if not gaps or min(gaps) > max_snap:
        return
    a, b, key, data = edges[int(np.argmin(gaps))]
    line = data["line"]
    stop = line.project(point)
    foot = line.interpolate(stop)
    for end in (a, b):
        x, y = graph.nodes[end]["at"]
        if abs(x - foot.x) < 0.05 and abs(y - foot.y) < 0.05:
            nx.relabel_nodes(graph, {end: name}, copy=False)
            return
    start = shapely.Point(graph.nodes[a]["at"])
    if start.distance(shapely.Point(line.coords[0])) > start.distance(shapely.Point(line.coords[-1])):
        a, b = b, a
    graph.remove_edge(a, b, key)
    graph.add_node(name, at=(point.x, point.y))
    for one, other, part in ((a, name, substring(line, 0, stop)), (name, b, substring(line, stop, line.length))):
        graph.add_edge(one, other, line=part, length=part.length)


def one_way(native, other, max_snap, min_path):
    grown = other.copy()
    names = {node: ("control", i) for i, node in enumerate(native)}
    for node, name in names.items():
        insert(grown, shapely.Point(native.nodes[node]["at"]), name, max_snap)
    losses = []
    for start, own in nx.all_pairs_dijkstra_path_length(native, weight="length"):
        found = names[start] in grown
        there = nx.single_source_dijkstra_path_length(grown, names[start], weight="length") if found else {}
        for end, length in own.items():
            if not found:
                losses += [1.0] * (end != start)
            elif length >= min_path:
                kept = there.get(names[end])
                losses.append(1.0 if kept is None else min(1.0, abs(length - kept) / length) if length > 0 else 0.0)
    return 1 - sum(losses) / len(losses) if losses else 0.0


def topo(reference, prediction, origins, radius=150.0, spacing=30.0, hole=4.0):
    """Matched, marbles and holes, summed over origins (nodes of the reference)."""
    total = np.zeros(3, dtype=int)
    for origin in origins:
        at = reference.nodes[origin]["at"]
        holes = points(reference, origin, radius, spacing)
        near = min(prediction, key=lambda n: np.hypot(*np.subtract(prediction.nodes[n]["at"], at)), default=None)
        marbles = []
        if near is not None and np.hypot(*np.subtract(prediction.nodes[near]["at"], at)) <= hole:
            marbles = points(prediction, near, radius, spacing)
        free = list(range(len(holes)))
        taken = 0
        for marble in marbles:
            best = min(free, key=lambda j: np.hypot(*np.subtract(holes[j], marble)), default=None)
            if best is not None and np.hypot(*np.subtract(holes[best], marble)) <= hole:
                free.remove(best)
                taken += 1
        total += taken, len(marbles), len(holes)
    return total.tolist()


def points(graph, origin, radius, spacing):
    at = graph.nodes[origin]["at"]
    part = graph.subgraph(n for n in graph if np.hypot(*np.subtract(graph.nodes[n]["at"], at)) <= radius)
    away = nx.single_source_dijkstra_path_length(part, origin, weight="length")
    found = []
    for a, b, data in part.edges(data=True):
        if a not in away:
            continue
        line = data["line"]
        nearer = shapely.Point(graph.nodes[a if away[a] <= away[b] else b]["at"])
        if nearer.distance(shapely.Point(line.coords[0])) > nearer.distance(shapely.Point(line.coords[-1])):
            line = line.reverse()
        stop = spacing
        while stop < line.length:
            found.append(line.interpolate(stop).coords[0])
            stop += spacing
    return found
