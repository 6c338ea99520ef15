"""One square of a synthetic road country: streets of towns and the roads between them, on a lattice of vertices.

Streets are cuts of the square: it is cut in two by a road, the parts again, and so on, down to about 90 m in a town
and 1 km outside. So every road meets others and none is apart. Dead ends grow into the free ground. All vertices lie
on a lattice of 20 m, so that the squares of a country fit together without knowing each other; a smooth distortion
of the plane (``bend``) then curves the roads, and each town is turned by an angle of its own.
"""

import heapq
import itertools
import math
from dataclasses import dataclass

import numpy as np

STEP = 20.0  # metres between the vertices of the lattice, before it is bent
DENSITY = 4.4e-3  # metres of road per square metre
TOWN_CELL, COUNTRY_CELL = 3.5, 75.0  # steps
TOWN_DENSITY, COUNTRY_DENSITY = 27.0e-3, 1.7e-3  # what these cells come to
SHARE_OF_STREETS = 0.8  # the rest of the length are dead ends
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


@dataclass(frozen=True)
class Town:
    """A disc of dense streets, turned by an angle that fades towards its edge; steps and radians."""

    x: float
    y: float
    radius: float
    reach: float
    angle: float


class Block:
    """The reference roads of a square of ``side`` steps, and a prediction of them with errors.

    Roads are arrays of vertices ``row * (side + 1) + column``. The square has the roads along its west and south; what
    ends in the east or north ends on the road of the next square, or short of it where there is none.
    """

    def __init__(self, side, metres, rng, bend, *, closed_east, closed_north):
        self.side, self.rng = side, rng
        self.closed = closed_east, closed_north
        self.towns = _towns(side, metres, rng)
        rows, columns = np.divmod(np.arange((side + 1) ** 2), side + 1)
        self.xy = bend(turned(np.column_stack([columns, rows]).astype(float), self.towns) * STEP)
        self.in_town = np.zeros(len(rows), dtype=bool)
        for town in self.towns:
            self.in_town |= np.hypot(columns - town.x, rows - town.y) < town.radius
        self.degree = np.zeros((side + 1) ** 2, dtype=np.int64)
        lines = [self._line(0, side, 0, upright) for upright in (False, True)]
        rest = SHARE_OF_STREETS * metres - sum(map(self.length, lines))
        for cut in _cuts(side, self.towns, rng):
            if rest <= 0:
                break
            lines.append(self._line(*cut))
            rest -= self.length(lines[-1])
        for line in lines:
            self._lay(line)
        self.roads = [piece for line in lines for piece in self._between_junctions(line)]
        self.roads += self._dead_ends(metres - sum(map(self.length, self.roads)))

    def length(self, road):
        """Metres of a road."""
        return float(np.hypot(*np.diff(self.xy[road], axis=0).T).sum())

    def predicted(self, errors_per_km=1.0):
        """The roads as a detector might see them: interrupted, missing, invented."""
        roads, rng = list(self.roads), self.rng
        count = rng.poisson(errors_per_km * sum(map(self.length, roads)) / 1000)
        for kind in rng.choice(3, count, p=[0.4, 0.3, 0.3]):
            # Not every place will do for every error.
            for number in rng.integers(len(roads), size=50).tolist():
                road = roads[number]
                if kind == 0 and len(road) > 4:
                    at, gap = int(rng.integers(1, len(road) - 2)), int(rng.integers(1, 3))
                    parts = road[: at + 1], road[at + gap :]
                    roads[number : number + 1] = [part for part in parts if len(part) > 1]
                    break
                if kind == 1 and len(road) < 15:
                    roads.pop(number)
                    break
                if kind == 2 and (invented := self._walk(int(rng.integers(3, 12)))):
                    roads += invented
                    break
        return roads

    def _line(self, low, high, across, upright):
        if high == self.side and self.closed[upright]:
            high -= 1
        along = np.arange(low, high + 1)
        return along * (self.side + 1) + across if upright else across * (self.side + 1) + along

    def _lay(self, line):
        np.add.at(self.degree, line[:-1], 1)
        np.add.at(self.degree, line[1:], 1)

    def _between_junctions(self, line):
        inner = np.flatnonzero(self.degree[line[1:-1]] > 2) + 1
        stops = [0, *inner.tolist(), len(line) - 1]
        return [line[a : b + 1] for a, b in itertools.pairwise(stops)]

    def _dead_ends(self, metres):
        """New roads until there are so many metres of them, or no room for more."""
        roads = []
        for _ in range(100 + int(metres / 10)):
            if metres <= 0:
                break
            for road in self._walk(int(self.rng.integers(2, 7 if self.rng.random() < 0.8 else 20))):
                metres -= self.length(road)
                roads.append(road)
        return roads

    def _walk(self, longest):
        """A new road of some steps from a road into free ground, at most one; short where the ground is."""
        rng, width = self.rng, self.side + 1
        starts = np.flatnonzero((self.degree == 2) & self.in_town)
        if len(starts) < 10 or rng.random() < 0.25:
            starts = np.flatnonzero(self.degree == 2)
        place = int(rng.choice(starts))
        turn = int(rng.integers(4))
        corner = int(rng.integers(2, 12))
        road = [place]
        for step in range(longest):
            if step == corner:
                turn = (turn + (1 if rng.random() < 0.5 else 3)) % 4
            row, column = divmod(road[-1], width)
            up, right = STEPS[turn]
            row, column = row + up, column + right
            # Clear of what lies ahead and at both sides, so that no two roads run side by side.
            around = ((0, 0), (up, right), (right, up), (-right, -up))
            if not all(0 < row + r < self.side - 1 and 0 < column + c < self.side - 1 for r, c in around):
                break
            if any(self.degree[(row + r) * width + column + c] for r, c in around if (r, c) != (-up, -right)):
                break
            road.append(row * width + column)
        if len(road) < 3:
            return []
        self._lay(np.array(road))
        return [np.array(road)]


def turned(places, towns):
    """Lattice places with every town turned; what lies outside of its reach, such as the square's edge, stays."""
    for town in towns:
        away = places - [town.x, town.y]
        near = np.clip(1 - (away**2).sum(axis=1) / town.reach**2, 0, None)
        cos, sin = np.cos(town.angle * near**2), np.sin(town.angle * near**2)
        places = np.column_stack([away[:, 0] * cos - away[:, 1] * sin, away[:, 0] * sin + away[:, 1] * cos])
        places += [town.x, town.y]
    return places


def _towns(side, metres, rng):
    """One to three towns, so large that their streets and the country roads come to the length wanted."""
    streets = SHARE_OF_STREETS * metres - COUNTRY_DENSITY * (side * STEP) ** 2
    area = streets / (TOWN_DENSITY - COUNTRY_DENSITY) / STEP**2
    towns = []
    for share in rng.dirichlet([3.0, 1.5, 0.7]) if area > 0 else ():
        radius = np.sqrt(share * area / np.pi)
        if radius < 3:
            continue
        low = min(1.15 * radius + 4, side / 2)
        x, y = rng.uniform(low, side - low, 2)
        reach = min(1.8 * radius, x, side - x, y, side - y)
        towns.append(Town(x, y, radius, reach, rng.uniform(-0.6, 0.6)))
    return towns


def _cuts(side, towns, rng):
    """Where to cut, the cell first that is largest for its place: from, to, across, and whether the cut is upright."""
    cells = []

    def add(*cell):
        long = max(cell[1] - cell[0], cell[3] - cell[2])
        if long >= 4:
            heapq.heappush(cells, (-long / _wanted(cell, towns) * rng.uniform(0.7, 1.4), cell))

    add(0, side, 0, side)
    while cells:
        west, east, south, north = heapq.heappop(cells)[1]
        share = rng.uniform(0.35, 0.65)
        if east - west >= north - south:
            middle = round(west + share * (east - west))
            yield south, north, middle, True
            add(west, middle, south, north)
            add(middle, east, south, north)
        else:
            middle = round(south + share * (north - south))
            yield west, east, middle, False
            add(west, east, south, middle)
            add(west, east, middle, north)


def _wanted(cell, towns):
    """Steps that a cell should have: few where it touches a town, more with the distance from it."""
    west, east, south, north = cell
    wanted = COUNTRY_CELL
    for town in towns:
        away = math.hypot(town.x - min(max(town.x, west), east), town.y - min(max(town.y, south), north)) / town.radius
        wanted = min(wanted, TOWN_CELL + (COUNTRY_CELL - TOWN_CELL) * max(0.0, 4 * away - 3.8))
    return wanted
