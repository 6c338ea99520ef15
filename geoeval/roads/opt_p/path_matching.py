"""Paths of one network followed in another one, whose stretches are used at most once.

Points at equal steps along a path are matched to places on the target network, at most ``max_distance`` away.
Two consecutive places are connected if the target joins them inside the capsule of that radius around the
step from point to point. Viterbi's algorithm finds the places with the fewest disconnected steps, and among
these the ones with the least sum of squared distances; a point near the target is never left out. Then the stretches
that the path has used, the shortest way between connected places inside their capsule, are removed from the target.
(Supplement of Citraro, Koziński and Fua, ECCV 2020, section 5.1.)

Only the nearest place of each component of the target inside the disc around a point is a candidate. Any
other place of that component is connected to it inside the disc, hence inside both capsules that contain
the disc, and is farther away; so this loses no optimum, and vertices on straight roads change nothing.
"""

from collections.abc import Callable
from math import floor
from typing import NamedTuple

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval.arrays import Floats, Ints
from geoeval.roads.opt_p.decomposition import PathSet
from geoeval.roads.opt_p.target import (
    HIGH,
    LOW,
    OWN,
    PIECE,
    ROW,
    SEGMENT,
    Target,
    clip,
    longer,
    remove,
    root,
    route,
    with_capacity,
)

# Of a step: an end without a place; the places are connected; they are not.
UNMATCHED, CONNECTED, BROKEN = 0, 1, 2
# Metres of slack for inclusive thresholds.
SLACK = 1e-9
# Squared distances are compared in millionths of the largest one, so that rounding does not decide ties; half a
# millionth more where the path does not run exactly there, so that of two roads above each other it takes its own.
COST_LEVELS = 1e6
# A break costs more than all distances of a path of a million points, and a million breaks still fit an integer.
BREAK = 1 << 42
# What is known of a candidate, by column: its piece and component, the least cost up to it, its coordinates as one
# number, the candidate before it on that way and the step from there.
CANDIDATE, COMPONENT, COST, ORDER, BACK, LINK = range(6)


class Points(NamedTuple):
    """Points at equal steps along paths; those of path i are ``start[i]:start[i + 1]``."""

    xy: Floats
    start: Ints
    steps: Ints  # of each path
    along: Floats  # metres from the start of the path


class Matches(NamedTuple):
    """Where points are matched, one row per point; a step is in the row of its later point."""

    place: Floats  # (points, 2): coordinates on the target
    segment: Ints  # of the target; -1 where no place is near
    link: Ints  # UNMATCHED, CONNECTED or BROKEN


class _Work(NamedTuple):
    """Working memory for the candidates of one path, and for the stretches of the target that it uses."""

    spots: Floats  # (candidates, 3): x, y, metres along the segment
    candidates: Ints  # (candidates, 6): see the columns above
    ways: Ints  # segments walked
    spans: Floats  # (walked, 2): metres along them
    first: Ints  # the candidates of the i-th point are first[i]:first[i + 1]
    chosen: Ints  # candidate of the i-th point, -1 where it has none


def points_along(paths: PathSet, step: float) -> Points:
    """The fewest equal steps of at most ``step`` metres along each path, both ends included. O(points)."""
    reach, length = paths.reach, paths.length
    steps = np.maximum(np.ceil(length / step - SLACK), 1).astype(np.int64)
    start = np.concatenate([[0], np.cumsum(steps + 1)]).astype(np.int64)
    path = np.repeat(np.arange(len(paths)), steps + 1)
    number = np.arange(start[-1]) - start[path]
    along = number * (length / steps)[path]
    edge = np.searchsorted(reach, reach[paths.start[path]] + along, side="right") - 1
    edge = np.clip(edge, paths.start[path], paths.start[path + 1] - 1)
    begin, end = paths.begin[edge], paths.end[edge]
    metres = np.hypot(*(end - begin).T)
    share = (reach[paths.start[path]] + along - reach[edge]) / metres
    xy = begin + np.clip(share, 0.0, 1.0)[:, None] * (end - begin)
    last = number == steps[path]
    xy[last] = paths.end[paths.start[path[last] + 1] - 1]
    return Points(xy, start, steps, along)


def match_points(
    target: Target,
    points: Points,
    max_distance: float,
    *,
    until_used_up: bool = False,
    progress: Callable[[float], None] | None = None,
) -> tuple[Points, Matches]:
    """Match paths one after the other, each to what the ones before it have left of the target.

    Parameters
    ----------
    target
        From ``make_target`` with the same ``max_distance`` and these paths; it is used up.
    until_used_up
        Whether to stop when nothing is left of the target.
    progress
        Called at most 20 times with the fraction done, at last with 1.

    Returns
    -------
    Points, Matches
        Of the paths that were tried.

    Notes
    -----
    O(steps * (k + c^2)) for k pieces inside a capsule and c candidates per point.
    """
    count, most = len(points.xy), int(points.steps.max(initial=0)) + 1
    matches = Matches(np.full((count, 2), np.nan), np.full(count, -1), np.full(count, UNMATCHED))
    capacity = 4 * most
    work = _Work(
        spots=np.empty((capacity, 3)),
        candidates=np.empty((capacity, 6), dtype=np.int64),
        ways=np.empty(capacity, dtype=np.int64),
        spans=np.empty((capacity, 2)),
        first=np.zeros(most + 1, dtype=np.int64),
        chosen=np.empty(most, dtype=np.int64),
    )
    paths, path, radius = len(points.steps), 0, max_distance + SLACK
    while path < paths and not (until_used_up and target.counts[1] == 0):
        own = (points.xy, points.start[path], points.start[path + 1], radius, path)
        if _follow(target, work, *own) and _use_up(target, work, *own, matches):
            path += 1
            if progress is not None and path * 20 // paths > (path - 1) * 20 // paths:
                progress(path / paths)
        else:
            capacity *= 2
            growing = ("spots", "candidates", "ways", "spans")
            work = work._replace(**{name: longer(getattr(work, name), capacity) for name in growing})
            target = with_capacity(target, len(target.pieces) + capacity)
    stop = points.start[path]
    tried = Points(points.xy[:stop], points.start[: path + 1], points.steps[:path], points.along[:stop])
    return tried, Matches(matches.place[:stop], matches.segment[:stop], matches.link[:stop])


def path_scores(points: Points, link: Ints) -> Floats:
    """For each path the sum over its runs of connected steps of (length of the run / length of the path)^2."""
    size, path = _runs(points, link)
    return np.bincount(path, weights=size**2.0, minlength=len(points.steps)) / points.steps**2


def run_lengths(points: Points, link: Ints) -> Floats:
    """Metres of all runs of connected steps."""
    size, path = _runs(points, link)
    last = points.start[path + 1] - 1
    return (size * points.along[last] / points.steps[path])[size > 0]


def _runs(points: Points, link: Ints) -> tuple[Ints, Ints]:
    """Steps and path of each run of points joined by connected steps; the first point of a path always opens one."""
    first = np.flatnonzero(link != CONNECTED)
    size = np.diff(np.append(first, len(link))) - 1
    return size, np.searchsorted(points.start, first, side="right") - 1


@kernel
def _follow(target: Target, work: _Work, points: Floats, low: int, high: int, radius: float, path: int) -> bool:
    """Viterbi over the points from ``low`` to ``high``; returns whether the candidates fit into the arrays."""
    spots, candidates, first = work.spots, work.candidates, work.first
    course, pieces, metres = target.course, target.pieces, target.metres
    used = first[0]
    for i in range(high - low):
        x, y = points[low + i, 0], points[low + i, 1]
        found = clip(target, x, y, x, y, radius)
        if used + found > len(spots):
            return False
        for row in range(found):
            # The nearest place of the piece becomes the candidate of its component, if it is the best so far.
            s = pieces[row, SEGMENT]
            dx, dy = course[s, 2] - course[s, 0], course[s, 3] - course[s, 1]
            at = ((x - course[s, 0]) * dx + (y - course[s, 1]) * dy) / course[s, 4]
            at = min(max(at, metres[row, LOW]), metres[row, HIGH])
            px, py = course[s, 0] + at / course[s, 4] * dx, course[s, 1] + at / course[s, 4] * dy
            cost = 2 * int(((px - x) ** 2 + (py - y) ** 2) / radius**2 * COST_LEVELS + 0.5)
            candidates[used, COST] = cost + (target.segments[s, OWN] != path)
            candidates[used, ORDER] = floor((px - target.frame[0]) * 1e3 + 0.5) << 31
            candidates[used, ORDER] += floor((py - target.frame[1]) * 1e3 + 0.5)
            candidates[used, COMPONENT] = root(pieces, row)
            c = first[i]
            while candidates[c, COMPONENT] != candidates[used, COMPONENT]:
                c += 1
            if c == used:
                used += 1
            elif _better(candidates, used, c, first[0]):
                candidates[c, COST] = candidates[used, COST]
                candidates[c, ORDER] = candidates[used, ORDER]
            else:
                continue
            spots[c, 0] = px
            spots[c, 1] = py
            spots[c, 2] = at
            candidates[c, CANDIDATE] = pieces[row, PIECE]
            candidates[c, BACK] = -1
            candidates[c, LINK] = UNMATCHED
        first[i + 1] = used
        if i == 0 or first[i - 1] == first[i] or first[i] == used:
            continue
        clip(target, points[low + i - 1, 0], points[low + i - 1, 1], x, y, radius)
        for c in range(first[i - 1], used):
            candidates[c, COMPONENT] = root(pieces, pieces[candidates[c, CANDIDATE], ROW])
        for c in range(first[i], used):
            best, more = first[i - 1], first[0]
            for b in range(first[i - 1], first[i]):
                apart = BREAK * (candidates[b, COMPONENT] != candidates[c, COMPONENT])
                if b == best or _better(candidates, b, best, apart - more):
                    best, more = b, apart
            candidates[c, COST] += candidates[best, COST] + more
            candidates[c, BACK] = best
            candidates[c, LINK] = CONNECTED if more == 0 else BROKEN

    for i in range(high - low - 1, -1, -1):
        c = first[0] - 1
        if i + 1 < high - low and work.chosen[i + 1] >= 0:
            c = candidates[work.chosen[i + 1], BACK]
        if c < 0:
            for b in range(first[i], first[i + 1]):
                if c < 0 or _better(candidates, b, c, first[0]):
                    c = b
        work.chosen[i] = c
    return True


@inner
def _better(candidates: Ints, a: int, b: int, more: int) -> bool:
    """Whether a candidate beats another one though it costs ``more``: by cost, then by coordinates."""
    worse = candidates[a, COST] + more - candidates[b, COST]
    return worse < 0 or (worse == 0 and candidates[a, ORDER] < candidates[b, ORDER])


@kernel
def _use_up(
    target: Target, work: _Work, points: Floats, low: int, high: int, radius: float, path: int, out: Matches
) -> bool:
    """Write where the points are matched and remove what the path uses; returns whether it fits into the arrays."""
    spots, candidates, ways, spans, pieces = work.spots, work.candidates, work.ways, work.spans, target.pieces
    used = work.first[0]
    for i in range(low, high):
        c = work.chosen[i - low]
        if c < 0:
            continue
        found = clip(target, points[max(i - 1, low), 0], points[max(i - 1, low), 1], points[i, 0], points[i, 1], radius)
        if used + found > len(ways):
            return False
        row = pieces[candidates[c, CANDIDATE], ROW]
        out.place[i, 0] = spots[c, 0]
        out.place[i, 1] = spots[c, 1]
        out.segment[i] = pieces[row, SEGMENT]
        out.link[i] = candidates[c, LINK]
        if candidates[c, LINK] == CONNECTED:
            b = candidates[c, BACK]
            before = pieces[candidates[b, CANDIDATE], ROW]
            used = route(target, found, before, spots[b, 2], row, spots[c, 2], path, used, ways, spans)
    if target.counts[0] + used > len(pieces):
        return False
    for k in range(used):
        remove(target, ways[k], spans[k, 0], spans[k, 1])
    return True
