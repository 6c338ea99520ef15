"""Changes of the input that must not change a score, as functions on lines."""

import numpy as np

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
