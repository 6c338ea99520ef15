"""Shortest paths the slow way: networkx on every vertex, with each place put in as a node of its own."""

import itertools

import networkx as nx
import numpy as np
import shapely


def walk_graph(network, places):
    """The network with every vertex, and node ``("place", i)`` at the i-th of ``places`` (segment, metres)."""
    graph = nx.Graph()
    on = {}
    for i, (segment, offset) in enumerate(places):
        on.setdefault(int(segment), []).append((float(offset), i))
    for number, (a, b) in enumerate(network.segments.tolist()):
        length = float(np.linalg.norm(network.nodes[a] - network.nodes[b]))
        chain = [(0.0, ("node", a)), *((o, ("place", i)) for o, i in sorted(on.get(number, []))), (length, ("node", b))]
        for (s, u), (t, v) in itertools.pairwise(chain):
            graph.add_edge(u, v, weight=abs(t - s))
    return graph


def slow_distances(network, pairs):
    """Metres between places (segment, metres) of each pair; inf where there is no path."""
    flat = [place for pair in pairs for place in pair]
    graph = walk_graph(network, flat)
    out = []
    for i in range(len(pairs)):
        try:
            out.append(nx.dijkstra_path_length(graph, ("place", 2 * i), ("place", 2 * i + 1)))
        except nx.NetworkXNoPath:
            out.append(np.inf)
    return np.array(out)


def slow_matrix(network, places):
    """Metres between all places."""
    graph = walk_graph(network, places)
    out = np.full((len(places), len(places)), np.inf)
    for i in range(len(places)):
        for node, metres in nx.single_source_dijkstra_path_length(graph, ("place", i)).items():
            if node[0] == "place":
                out[i, node[1]] = metres
    return out


def slow_nearest(network, point, max_distance=np.inf):
    """Segment and metres along it of the nearest place, or None; ties by coordinates."""
    best = None
    for number, (a, b) in enumerate(network.segments.tolist()):
        line = shapely.LineString(network.nodes[[a, b]])
        along = line.project(shapely.Point(point))
        foot = line.interpolate(along)
        gap = foot.distance(shapely.Point(point))
        key = (round(gap, 7), round(foot.x, 6), round(foot.y, 6), number)
        if gap <= max_distance + 1e-9 and (best is None or key < best[0]):
            best = (key, (number, along))
    return None if best is None else best[1]
