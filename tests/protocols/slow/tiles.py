"""Adjacency dictionaries as Sat2Graph's scripts number and place them."""

import numpy as np

PX = 111111.0


def lat_lon(place):
    row, column = place
    return 41.0 - row / PX, -71.0 + (column / PX) / np.cos(np.radians(41.0))


def distance(p, q):
    """Degrees of latitude."""
    return np.sqrt((q[0] - p[0]) ** 2 + ((q[1] - p[1]) * np.cos(np.radians(p[0]))) ** 2)


class Graph:
    """Nodes numbered as they occur, directed edges as listed, neighbours out-list before in-list."""

    def __init__(self, neighbours):
        number, self.edges = {}, []
        for key, others in neighbours.items():
            for other in others:
                number.setdefault(key, len(number))
                number.setdefault(other, len(number))
                edge = number[key], number[other]
                if edge not in self.edges and edge[0] != edge[1]:
                    self.edges.append(edge)
        self.at = [lat_lon(place) for place in number]
        out, into = ({i: [] for i in range(len(number))} for _ in range(2))
        for a, b in self.edges:
            out[a].append(b)
            into[b].append(a)
        self.around = [out[i] + [j for j in into[i] if j not in out[i]] for i in range(len(number))]
