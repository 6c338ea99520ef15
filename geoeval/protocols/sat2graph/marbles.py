"""Marbles that fall into holes, one each: the largest matching of points with a direction."""

import numpy as np

from geoeval._kernels.compiling import inner
from geoeval.arrays import Floats, Ints
from geoeval.protocols.sat2graph.degrees import degrees_between


@inner
def largest_matching(
    marbles: Floats, count: int, holes: Floats, hole_count: int, within: float, angle: float, scratch: Ints,
    pairs: Ints, partner: Ints, owner: Ints,
) -> int:  # fmt: skip
    """Match as many marbles as possible with holes nearer than ``within`` and of a similar direction.

    A marble's partner, and a hole's owner, is -1 where it has none; gives how many pairs there are, or -1 where
    ``pairs`` is too small. Hopcroft and Karp's bound is not needed: a search that fails leaves nothing for later ones
    to find, so that all failing searches together are O(pairs).
    """
    found = _candidates(marbles, count, holes, hole_count, within, angle, scratch, pairs)
    if found < 0:
        return -1
    first = scratch[0]
    next_pair, stack, tried = scratch[1], scratch[2], scratch[3]
    for j in range(hole_count):
        owner[j] = -1
        tried[j] = -1
    matched = 0
    for i in range(count):
        partner[i] = -1
        for p in range(first[i], first[i + 1]):
            if owner[pairs[p]] < 0:
                owner[pairs[p]], partner[i] = i, pairs[p]
                matched += 1
                break
    for i in range(count):
        if partner[i] >= 0:
            continue
        # Depth first along alternating pairs. Holes of a search that failed stay tried.
        depth = 0
        stack[0], next_pair[i] = i, first[i]
        free = -1
        while depth >= 0:
            marble = stack[depth]
            if next_pair[marble] == first[marble + 1]:
                depth -= 1
                continue
            hole = pairs[next_pair[marble]]
            next_pair[marble] += 1
            if tried[hole] >= 0:
                continue
            tried[hole] = i
            if owner[hole] < 0:
                free = hole
                break
            depth += 1
            stack[depth] = owner[hole]
            next_pair[owner[hole]] = first[owner[hole]]
        if free < 0:
            continue
        while depth >= 0:
            marble = stack[depth]
            before = partner[marble]
            owner[free], partner[marble] = marble, free
            free = before
            depth -= 1
        matched += 1
        for j in range(hole_count):
            if tried[j] == i:
                tried[j] = -1
    return matched


@inner
def _candidates(
    marbles: Floats, count: int, holes: Floats, hole_count: int, within: float, angle: float, scratch: Ints, pairs: Ints
) -> int:
    """For each marble the holes that it may fall into, in ``pairs[first[i]:first[i + 1]]``; holes sorted into cells."""
    first, cell_of, member, cell_first = scratch[0], scratch[1], scratch[2], scratch[3]
    south, west, north, east = np.inf, np.inf, -np.inf, -np.inf
    for j in range(hole_count):
        south, north = min(south, holes[j, 0]), max(north, holes[j, 0])
        west, east = min(west, holes[j, 1]), max(east, holes[j, 1])
    if hole_count == 0:
        for i in range(count + 1):
            first[i] = 0
        return 0
    # Cells are a little larger than needed, and wide enough for the longitudes of any row.
    high = within * 1.0001
    wide = high / np.cos(np.radians(max(abs(south), abs(north)) + 1.0))
    rows, columns = int((north - south) / high) + 1, int((east - west) / wide) + 1
    while rows * columns + 1 > len(cell_first):
        high, wide = high * 2, wide * 2
        rows, columns = int((north - south) / high) + 1, int((east - west) / wide) + 1
    for c in range(rows * columns + 1):
        cell_first[c] = 0
    for j in range(hole_count):
        cell_of[j] = int((holes[j, 0] - south) / high) * columns + int((holes[j, 1] - west) / wide)
        cell_first[cell_of[j]] += 1
    for c in range(rows * columns):
        cell_first[c + 1] += cell_first[c]
    for j in range(hole_count - 1, -1, -1):
        cell_first[cell_of[j]] -= 1
        member[cell_first[cell_of[j]]] = j
    found = 0
    for i in range(count):
        first[i] = found
        lat, lon = marbles[i, 0], marbles[i, 1]
        row, column = int(np.floor((lat - south) / high)), int(np.floor((lon - west) / wide))
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(column - 1, 0), min(column + 2, columns)):
                for m in range(cell_first[r * columns + c], cell_first[r * columns + c + 1]):
                    j = member[m]
                    if degrees_between(lat, lon, holes[j, 0], holes[j, 1]) >= within:
                        continue
                    if _turned(marbles[i], holes[j]) >= angle:
                        continue
                    if found == len(pairs):
                        return -1
                    pairs[found] = j
                    found += 1
    first[count] = found
    return found


@inner
def _turned(one: Floats, other: Floats) -> float:
    """1 - |cos| of the angle between two directions; 0 where either point has none."""
    if (one[2] == 0.0 and one[3] == 0.0) or (other[2] == 0.0 and other[3] == 0.0):
        return 0.0
    return 1.0 - abs(one[2] * other[2] + one[3] * other[3])
