"""What others need for the same: going through a file with pyosmium, networkx's shortest paths, shapely's overlay."""

import time

import networkx as nx
import numpy as np
import osmium
import shapely


def ways(path):
    """Every way with a highway tag comes to Python, and nothing is asked of it."""
    return sum(1 for _ in osmium.FileProcessor(path, osmium.osm.WAY).with_filter(osmium.filter.KeyFilter("highway")))


def ways_with_locations(path):
    """The same, and osmium has put the place of each node into the ways."""
    return sum(1 for _ in _located_ways(path))


def ways_with_nodes(path):
    """The same, and Python looks at the id and place of each node, as a plain reader would."""
    known = 0
    for way in _located_ways(path):
        for node in way.nodes:
            try:
                known += node.ref != 0 and node.lon + node.lat < 1000
            except osmium.InvalidLocationError:
                continue
    return known


def _located_ways(path):
    return (
        osmium.FileProcessor(path, osmium.osm.NODE | osmium.osm.WAY)
        .with_locations()
        .with_filter(osmium.filter.EntityFilter(osmium.osm.WAY))
        .with_filter(osmium.filter.KeyFilter("highway"))
    )


def shortest_paths(networks, pairs, *, enough=4.0):
    """CPU seconds of networkx for the lengths of so many shortest paths in each network.

    On roads between junctions, the graph being there already. As many pairs as ``enough`` seconds allow, at least 3 in
    each network; the rest at the same price.
    """
    total = 0.0
    for network in networks:
        graph = nx.Graph()
        for (a, b), length in zip(network.roads.ends.tolist(), network.roads.length.tolist(), strict=True):
            if not graph.has_edge(a, b) or graph[a][b]["weight"] > length:
                graph.add_edge(a, b, weight=length)
        nodes = sorted(max(nx.connected_components(graph), key=len))
        rng, done, spent = np.random.default_rng(0), 0, 0.0
        while done < 3 or (done < pairs and spent < enough / 2):
            start, end = (nodes[i] for i in rng.integers(len(nodes), size=2))
            before = time.process_time()
            nx.dijkstra_path_length(graph, start, end)
            spent += time.process_time() - before
            done += 1
        total += spent * pairs / done
    return total


def buffer_overlay(networks, tolerance):
    """Correctness and completeness by intersecting the roads of each network with the buffer around the other's."""
    lines = [shapely.multilinestrings(network.nodes[network.segments]) for network in networks]
    shares = []
    for own, other in (lines[::-1], lines):
        zone = shapely.union_all(shapely.buffer(shapely.get_parts(other), tolerance))
        shares.append(shapely.intersection(own, zone).length / own.length)
    return shares
