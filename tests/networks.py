"""Tiny hand-made networks and hypothesis strategies that all tests reuse."""

import itertools

import numpy as np
from hypothesis import strategies as st

from geoeval.model.road_network import RoadNetwork

CRS = "EPSG:32610"

LINE = [[(0, 0), (100, 0)]]
TEE = [[(-100, 0), (0, 0), (100, 0)], [(0, 0), (0, 100)]]
CROSS = [[(-100, 0), (0, 0), (100, 0)], [(0, -100), (0, 0), (0, 100)]]
RING = [[(0, 0), (40, 0), (40, 40), (0, 40), (0, 0)]]
BRIDGE = [[(-100, 0), (100, 0)], [(0, -100), (0, 100)]]  # cross without joining


def network(lines, **kwargs) -> RoadNetwork:
    """A network of these lines in a metric CRS."""
    return RoadNetwork.from_lines(lines, crs=kwargs.pop("crs", CRS), **kwargs)


def grid(rows: int = 4, columns: int = 4, spacing: float = 100.0) -> list[list[tuple[float, float]]]:
    """Streets of a chessboard town, each block one line."""
    lines = []
    for i in range(rows):
        for j in range(columns):
            x, y = j * spacing, i * spacing
            if j + 1 < columns:
                lines.append([(x, y), (x + spacing, y)])
            if i + 1 < rows:
                lines.append([(x, y), (x, y + spacing)])
    return lines


def noisy(lines, amount: float, seed: int = 0):
    """The same lines with every place moved a little, joined as before."""
    rng = np.random.default_rng(seed)
    moved: dict = {}

    def move(p):
        if p not in moved:
            moved[p] = tuple(np.add(p, rng.normal(0, amount, 2)).tolist())
        return moved[p]

    return [[move(tuple(p)) for p in line] for line in lines]


def with_extra_vertices(lines, seed: int = 0):
    """The same lines with extra vertices on them, cut at some, reversed and shuffled.

    A segment that occurs twice gets the same vertices both times, so that it stays a duplicate.
    """
    rng = np.random.default_rng(seed)
    shares: dict = {}
    out = []
    for line in lines:
        dense = []
        for a, b in itertools.pairwise(line):
            low, high = sorted([tuple(a), tuple(b)])
            if (low, high) not in shares:
                shares[low, high] = np.sort(rng.uniform(0.05, 0.95, rng.integers(0, 3)))
            extra = [tuple((np.asarray(low) + t * np.subtract(high, low)).tolist()) for t in shares[low, high]]
            dense += [tuple(a), *(extra if tuple(a) == low else extra[::-1])]
        dense.append(tuple(line[-1]))
        at = int(rng.integers(1, len(dense))) if len(dense) > 2 else len(dense)
        for part in (dense[: at + 1], dense[at:]):
            if len(part) > 1:
                out.append(part[::-1] if rng.random() < 0.5 else part)
    rng.shuffle(out)
    return out


@st.composite
def small_lines(draw, max_lines: int = 6, size: int = 60, step: float = 7.0):
    """A few lines over a small lattice, so that they share vertices often."""
    count = draw(st.integers(1, max_lines))
    coordinate = st.integers(0, size // 7).map(lambda k: k * step)
    point = st.tuples(coordinate, coordinate)
    lines = []
    for _ in range(count):
        line = draw(st.lists(point, min_size=2, max_size=4, unique=True))
        lines.append(line)
    return lines


@st.composite
def jittered(draw, lines, amount: float = 6.0):
    """Lines whose vertices are moved by at most ``amount``, with a few dropped."""
    moved: dict = {}
    shift = st.floats(-amount, amount).map(lambda v: round(v, 3))
    out = []
    for line in lines:
        if draw(st.integers(0, 5)) == 0:
            continue
        for p in line:
            if p not in moved:
                moved[p] = (p[0] + draw(shift), p[1] + draw(shift))
        out.append([moved[p] for p in line])
    return out
