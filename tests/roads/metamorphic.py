"""Changes of the input that must not change a score, as functions on lines."""

import itertools

import numpy as np
import shapely

from tests.networks import with_extra_vertices


def turned(lines, degrees=30.0):
    """Rotated about the origin."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return [[(c * x - s * y, s * x + c * y) for x, y in line] for line in lines]


def mirrored(lines):
    return [[(-x, y) for x, y in line] for line in lines]


def moved(lines, dx=431234.5, dy=5412345.25):
    return [[(x + dx, y + dy) for x, y in line] for line in lines]


def scaled(lines, factor):
    return [[(factor * x, factor * y) for x, y in line] for line in lines]


def with_rubbish(lines):
    """Duplicate and zero-length edges besides."""
    first = lines[0]
    return [*lines, first[::-1], first[:2], [first[0], first[0]]]


# Motions of the plane.
MOTIONS = {"turned": turned, "mirrored": mirrored, "moved": moved}
# Other ways to write the same network down.
SPELLINGS = {
    "extra vertices": with_extra_vertices,
    "reversed": lambda lines: [line[::-1] for line in lines[::-1]],
    "rubbish": with_rubbish,
}

# Areas over a town of 0 to 400 m: a box whose border has vertices of the town, a slanted one, and one with a hole.
AREAS = {
    "box": shapely.box(100.0, 50.0, 300.0, 300.0),
    "slanted": shapely.Polygon([(-20, 130), (210, -30), (430, 160), (330, 390), (90, 410)]),
    "with a hole": shapely.box(-50.0, -50.0, 350.0, 350.0).difference(
        shapely.Polygon([(110, 60), (255, 100), (240, 260), (100, 220)])
    ),
}


def with_border_vertices(lines, area):
    """The same lines with a vertex wherever they meet the border of an area, and cut there."""
    out = []
    for line in lines:
        shape = shapely.LineString(line)
        met = shapely.get_coordinates(shapely.intersection(shape, area.boundary))
        places = [(shape.project(shapely.Point(p)), tuple(p)) for p in met.tolist()]
        at = 0.0
        vertices = [(at, tuple(line[0]))]
        for a, b in itertools.pairwise(line):
            at += float(np.hypot(*np.subtract(b, a)))
            vertices.append((at, tuple(b)))
        # A place within a micrometre of a vertex is that vertex.
        places = [one for one in places if min(abs(one[0] - other) for other, _ in vertices) > 2e-6]
        path = [p for _, p in sorted([*vertices, *places])]
        cuts = [0, *(i for i, p in enumerate(path) if any(p == q for _, q in places)), len(path) - 1]
        out += [path[i : j + 1] for i, j in itertools.pairwise(cuts)]
    return out
