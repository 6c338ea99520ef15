"""What OPT-P finds, as features: where paths could not be followed, and why."""

from typing import Any, NamedTuple

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.features import ErrorFeatures
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.opt_p.decomposition import PathSet
from geoeval.roads.opt_p.path_matching import BROKEN, CONNECTED, SLACK, Matches, Points
from geoeval.roads.opt_p.target import HIGH, LOW, PARENT, ROW, SEGMENT, SLIVER, clip, make_target

_MOST_IDS = 8


class Direction(NamedTuple):
    """The kinds of error of one direction, and the column with the ids of each side."""

    absent: str
    used_up: str
    broken: str
    own_id: str
    other_id: str
    other: str


RECALL = Direction("missing", "merged", "break", "ref_id", "pred_id", "prediction")
PRECISION = Direction("spurious", "doubled", "false_link", "pred_id", "ref_id", "reference")


def add_path_errors(
    errors: ErrorFeatures,
    direction: Direction,
    source: RoadNetwork,
    target: RoadNetwork,
    paths: PathSet,
    points: Points,
    matches: Matches,
    max_distance: float,
) -> None:
    """Add the errors of the paths of one network matched to the other one.

    Stretches without a match are ``absent`` if the whole target has nothing near, and ``used_up`` if it has, but other
    paths have used it. Each disconnected step is one ``broken`` feature. The severity is a share of the path's score:
    for a stretch its share of the length, for a break what joining it would add.
    """
    _add_stretches(errors, direction, source, target, paths, points, matches, max_distance)
    _add_broken(errors, direction, source, target, paths, points, matches, max_distance)


def _add_stretches(
    errors: ErrorFeatures,
    direction: Direction,
    source: RoadNetwork,
    target: RoadNetwork,
    paths: PathSet,
    points: Points,
    matches: Matches,
    max_distance: float,
) -> None:
    alone = np.flatnonzero(matches.segment < 0)
    if len(alone) == 0:
        return
    whole = target.nearest(points.xy[alone], max_distance=max_distance)
    path = _path_of(points)
    used_up = whole.segment >= 0
    opens = np.ones(len(alone), dtype=bool)
    opens[1:] = (np.diff(alone) > 1) | (np.diff(path[alone]) != 0) | (used_up[1:] != used_up[:-1])
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(alone)) - 1
    owner = path[alone[first]]
    # A point stands for half a step on either side.
    length = paths.length[owner]
    half = length / points.steps[owner] / 2
    begin = np.maximum(points.along[alone[first]] - half, 0.0)
    end = np.minimum(points.along[alone[last]] + half, length)
    lines, ids = _stretches(source, paths, owner, begin, end)
    far = np.maximum.reduceat(whole.distance, first)
    others = target.source_ids[whole.segment]
    for kind, wanted, note in (
        (direction.absent, ~used_up[first], f"nothing of the {direction.other} is near"),
        (direction.used_up, used_up[first], f"the road of the {direction.other} here stands for another road already"),
    ):
        chosen = np.flatnonzero(wanted)
        errors.add(
            kind,
            lines[chosen],
            dist_m=np.where(used_up[first], far, np.nan)[chosen],
            severity=((end - begin) / length)[chosen],
            note=note,
            **{
                direction.own_id: [ids[i] for i in chosen],
                direction.other_id: [
                    _names(others[first[i] : last[i] + 1]) if used_up[first[i]] else "" for i in chosen
                ],
            },
        )


def _add_broken(
    errors: ErrorFeatures,
    direction: Direction,
    source: RoadNetwork,
    target: RoadNetwork,
    paths: PathSet,
    points: Points,
    matches: Matches,
    max_distance: float,
) -> None:
    at = np.flatnonzero(matches.link == BROKEN)
    if len(at) == 0:
        return
    gap, joined = _gaps(target, points, matches, at, max_distance)
    metres = shapely.length(gap)
    path = _path_of(points)[at]
    steps, ids = _stretches(source, paths, path, points.along[at - 1], points.along[at])
    # A crossing without a junction has no gap to draw.
    drawn = np.where(metres > SLIVER, gap, steps)
    before, after = _run_sizes(matches.link == CONNECTED, at)
    notes = [
        f"the {direction.other} is connected here, but another road has used it"
        if used
        else f"the {direction.other} has a gap of {gap_m:.1f} m here"
        if gap_m > SLIVER
        else f"the roads of the {direction.other} cross here without joining"
        for used, gap_m in zip(joined, metres.tolist(), strict=True)
    ]
    errors.add(
        direction.broken,
        drawn if direction is RECALL else steps,
        length_m=metres if direction is RECALL else shapely.length(steps),
        dist_m=metres,
        severity=((before + after + 1) ** 2 - before**2 - after**2) / points.steps[path] ** 2,
        note=notes,
        **{
            direction.own_id: ids,
            direction.other_id: [_names(target.source_ids[matches.segment[i - 1 : i + 1]]) for i in at],
        },
    )


def _gaps(
    target: RoadNetwork, points: Points, matches: Matches, at: Ints, max_distance: float
) -> tuple[Objects, Bools]:
    """The shortest line between the components at the two ends of each broken step, and whether they are the same.

    Measured in the whole target, because what other paths have used is not a gap on the map. If the ends are in the
    same component, the line runs between the matched places.
    """
    whole = make_target(target, max_distance)
    xy, group, joined = [], [], np.zeros(len(at), dtype=bool)
    for k, i in enumerate(at.tolist()):
        (px, py), (qx, qy) = points.xy[i - 1 : i + 1].tolist()
        found = clip(whole, px, py, qx, qy, max_distance + SLACK)
        parent = whole.pieces[:found, PARENT].tolist()
        roots = [_root(parent, row) for row in range(found)]
        sides = [roots[whole.pieces[s, ROW]] for s in matches.segment[i - 1 : i + 1].tolist()]
        joined[k] = sides[0] == sides[1]
        for side, root in enumerate(sides):
            if joined[k]:
                xy.append(np.stack([matches.place[i - 1 + side]] * 2))
                group.append(2 * k + side)
                continue
            for row in (row for row in range(found) if roots[row] == root):
                course = whole.course[whole.pieces[row, SEGMENT]]
                share = whole.metres[row, [LOW, HIGH]] / course[4]
                xy.append(course[:2] + share[:, None] * (course[2:4] - course[:2]))
                group.append(2 * k + side)
    lines: Any = shapely.linestrings(np.stack(xy))
    parts: Any = shapely.multilinestrings(lines, indices=np.array(group))
    return shapely.shortest_line(parts[::2], parts[1::2]), joined


def _root(parent: list[int], row: int) -> int:
    while parent[row] != row:
        row = parent[row]
    return row


def _run_sizes(connected: Bools, at: Ints) -> tuple[Ints, Ints]:
    """Numbers of connected steps right before and right after each step."""
    number = np.arange(len(connected))
    before = number - np.maximum.accumulate(np.where(connected, -1, number)) if len(connected) else number
    after = np.minimum.accumulate(np.where(connected, len(connected), number)[::-1])[::-1] - number
    return before[at - 1], np.append(after, 0)[at + 1]


def _path_of(points: Points) -> Ints:
    return np.repeat(np.arange(len(points.steps)), points.steps + 1)


def _stretches(
    network: RoadNetwork, paths: PathSet, path: Ints, begin: Floats, end: Floats
) -> tuple[Objects, list[str]]:
    """Stretches of paths between metres along them: lines, and the ids of the source features along each."""
    reach = paths.reach
    low, high = paths.start[path], paths.start[path + 1] - 1
    begin, end = reach[low] + begin, reach[low] + end
    # Edges that reach into a stretch by more than rounding.
    first = np.clip(np.searchsorted(reach, begin + SLIVER, side="right") - 1, low, high)
    last = np.clip(np.searchsorted(reach, end - SLIVER, side="left") - 1, first, high)
    size = last - first + 2
    start = np.cumsum(size) - size
    row = np.repeat(np.arange(len(path)), size)
    edge = np.arange(size.sum()) - np.repeat(start - first, size)
    xy = paths.begin[np.minimum(edge, len(paths.begin) - 1)]
    for place, on, metres in ((start, first, begin), (start + size - 1, last, end)):
        share = np.clip((metres - reach[on]) / (reach[on + 1] - reach[on]), 0.0, 1.0)
        xy[place] = paths.begin[on] + share[:, None] * (paths.end[on] - paths.begin[on])
    ids = [
        _names(network.source_ids[paths.segment[a : b + 1]]) for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]
    return shapely.linestrings(xy, indices=row), ids


def _names(ids: Objects) -> str:
    once = list(dict.fromkeys(str(value) for value in ids))
    return ";".join(once[:_MOST_IDS]) + (";…" if len(once) > _MOST_IDS else "")
