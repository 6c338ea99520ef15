"""APLS of Sat2Graph's Go program, in the order of the nodes."""

import itertools
from math import dist

import networkx as nx
import numpy as np

from tests.protocols.slow.tiles import PX, Graph, distance

TABLES = {"city": (25, 100.0, 4, 2048.0, 100.0), "15": (15, 30.0, 3, 352.0, 30.0), "10": (10, 30.0, 3, 352.0, 30.0)}


def apls(reference, prediction, table="city"):
    """Both ways; None where no pair counts."""
    dense = [densify(Graph(one)) for one in (reference, prediction)]
    return one_way(*dense, table), one_way(*dense[::-1], table)


def metres(p, q):
    return distance(p, q) * PX


def densify(graph):
    """A networkx graph with nodes numbered as they occur, named by 7 decimals; lengths in whole centimetres."""
    made, number, done = nx.Graph(), {}, set()

    def node(place):
        name = f"{place[0]:.7f} {place[1]:.7f}"
        if name not in number:
            number[name] = len(number)
            made.add_node(number[name], at=place)
        return number[name]

    for a, b in graph.edges:
        if (b, a) in done:
            continue
        done.add((a, b))
        p, q = graph.at[a], graph.at[b]
        pieces = int(metres(p, q) / 2) + 1 if metres(p, q) > 3 else 1
        way = [node(tuple(p[i] * (1 - k / pieces) + q[i] * (k / pieces) for i in (0, 1))) for k in range(pieces + 1)]
        for one, other in itertools.pairwise(way):
            if one != other:
                made.add_edge(one, other)
    for one, other, data in made.edges(data=True):
        first, last = (made.nodes[node]["at"] for node in sorted((one, other)))
        data["cm"] = int(metres(first, last) * 100)
    return made


def hops(graph, node, count):
    return set(nx.single_source_shortest_path_length(graph, node, count)) if node in graph else set()


def control_points(here, there, table):
    interval, _, _, region, margin = TABLES[table]
    long_chain = 37 if table == "city" else int(1.5 * interval)
    taken, cells, covered, visited = [], set(), set(), set()

    def inside(node):
        lat, lon = here.nodes[node]["at"]
        row, column = (41.0 - lat) * PX, (lon + 71.0) * PX * np.cos(np.radians(41.0))
        return margin < row < region - margin and margin < column < region - margin

    def take(node):
        cell = tuple(int(part * PX / 2) for part in here.nodes[node]["at"])
        if cell not in cells:
            cells.add(cell)
            taken.append(node)
            covered.update(hops(there, node, 4))

    for first in sorted(here):
        if here.degree(first) == 2:
            continue
        for second in sorted(here[first]):
            if second in visited:
                continue
            chain = [first, second]
            while here.degree(chain[-1]) == 2:
                chain.append(next(n for n in here[chain[-1]] if n != chain[-2]))
            if len(chain) > long_chain:
                n = len(chain) // interval + 1
                for i in range(1, n):
                    node = chain[len(chain) * i // n]
                    if inside(node) and node not in covered:
                        take(node)
            visited.update(chain)
        if inside(first) and (first not in covered or here.degree(first) == 1):
            take(first)
    return taken


def one_way(here, there, table):
    _, least, away, _, _ = TABLES[table]
    points, snapped, excluded = control_points(here, there, table), {}, set()
    for point in points:
        at = here.nodes[point]["at"]
        for node in sorted(there, key=lambda n: dist(there.nodes[n]["at"], at))[:10]:
            if node not in excluded and metres(at, there.nodes[node]["at"]) < 10:
                snapped[point] = node
                excluded |= hops(there, node, away)
                break
    own = {point: nx.single_source_dijkstra_path_length(here, point, weight="cm") for point in points}
    losses = []
    for i, one in enumerate(points):
        other_lengths = (
            nx.single_source_dijkstra_path_length(there, snapped[one], weight="cm") if one in snapped else {}
        )
        for other in points[i + 1 :]:
            if one not in snapped or other not in snapped:
                losses.append(1.0)
            elif own[one].get(other, 0) / 100 > least:
                length = own[one][other]
                losses.append(min(1.0, abs(length - other_lengths.get(snapped[other], 0)) / length))
    return 1 - sum(losses) / len(losses) if losses else None
