"""The graph of lines as plain dictionaries: the ground on which tests define a metric once more, slowly."""

import itertools
import math

import shapely


def graph(lines):
    """Neighbours of every vertex."""
    neighbours = {}
    for line in lines:
        points = [(round(x, 6) + 0.0, round(y, 6) + 0.0) for x, y in line]
        for a, b in itertools.pairwise(points):
            if a != b:
                neighbours.setdefault(a, set()).add(b)
                neighbours.setdefault(b, set()).add(a)
    return neighbours


def nearest(point, neighbours):
    """Distance and coordinates of the nearest place, the smallest of equally near ones; None without any."""
    best = None
    for a in neighbours:
        for b in neighbours[a]:
            line = shapely.LineString([a, b])
            place = line.interpolate(line.project(shapely.Point(point)))
            candidate = (round(math.dist(point, (place.x, place.y)), 7), round(place.x, 6), round(place.y, 6))
            best = candidate if best is None or candidate < best else best
    return best


def follow(neighbours, start, towards):
    """Vertices of the road that leaves a vertex towards a neighbour, up to where it ends or meets others."""
    path = [start, towards]
    while len(neighbours[path[-1]]) == 2 and path[-1] != start:
        path.append(next(iter(neighbours[path[-1]] - {path[-2]})))
    return path


def place_along(path, metres):
    """The place some metres along a path, or its end."""
    return shapely.LineString(path).interpolate(metres).coords[0]
