"""Unmatched runs, cut where what is beside them changes."""

from dataclasses import dataclass

import numpy as np

from geoeval._kernels.boxes import BoxTree
from geoeval.arrays import Bools, Floats, Ints
from geoeval.defaults import MAX_DISTANCE, TOLERANCE
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.cross_sections import ALONE, COPY, cross_sections
from geoeval.roads.causes.doubles import beside_its_double
from geoeval.roads.causes.grouping import groups_of, smoothed
from geoeval.roads.causes.unmatched import Runs, Unmatched, runs_of, sample

# Metres between samples along a run.
_STEP = 4.0


@dataclass(frozen=True)
class Scale:
    """What is near, in metres, from the parameters of the metrics.

    Attributes
    ----------
    tolerance
        Of CCQ: what lies farther away is unmatched.
    reach
        How far away the same road may be drawn: ``max_distance`` of OPT-J and OPT-P.
    shortest
        What is shorter is a sliver.
    """

    tolerance: float = TOLERANCE
    reach: float = MAX_DISTANCE
    shortest: float = 10.0

    @property
    def hardly(self) -> float:
        """What is never farther away than this only oscillates around the tolerance."""
        return 1.2 * self.tolerance

    @property
    def bridge(self) -> float:
        """Matched metres that do not divide a run, and that a run may lack at the end of its road."""
        return 3.0 * self.tolerance


@dataclass(frozen=True)
class Labelled:
    """Parts of the unmatched runs of one network, one label each.

    Attributes
    ----------
    runs
        The parts; those at the end of a run that is near the end of its road reach to that end.
    label
        What the cross-sections say, see ``cross_sections``.
    metres
        How many metres of each CCQ leaves unmatched.
    far
        Greatest distance to the other network.
    aside
        Mean distance to the counterpart; NaN where there is none.
    follows
        For each part, the part before it on the same run, or -1.
    at_joint
        Of each part, whether it begins at a joint that the part before it ends at.
    part, place, segment, weight
        Of each sample: its part, coordinates, the segment of its counterpart (-1: none), and metres it stands for.
    absent
        Of each road, whether most of it is unmatched.
    """

    network: RoadNetwork
    runs: Runs
    label: Ints
    metres: Floats
    far: Floats
    aside: Floats
    follows: Ints
    at_joint: Bools
    part: Ints
    place: Floats
    segment: Ints
    weight: Floats
    absent: Bools

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def is_whole(self) -> Bools:
        """Whether each part is a whole road, or all of it from one joint to the next or to an end."""
        last = np.zeros(len(self) + 1, dtype=bool)
        last[self.follows] = self.at_joint  # the last entry is for those that follow none
        to_end = self.runs.end >= self.network.roads.length[self.runs.road]
        return ((self.runs.begin <= 0.0) | self.at_joint) & (to_end | last[:-1])

    def ends(self) -> Ints:
        """The nodes ``(n, 2)`` at which parts end; -1 where that is in the midst of a road."""
        roads = self.network.roads
        ends = roads.ends[self.runs.road].copy()
        ends[self.runs.begin > 0.0, 0] = -1
        ends[self.runs.end < roads.length[self.runs.road], 1] = -1
        ends[roads.closed[self.runs.road]] = -1
        return ends


def labelled(parts: Unmatched, own: BoxTree, other: BoxTree, scale: Scale, joints: Ints) -> Labelled:
    """Cut the unmatched runs of a network where what is beside them changes. O(n log m) for n samples.

    What is alone is cut at ``joints`` too, as far as they lie in the midst of roads.
    """
    network = parts.network
    core = runs_of(parts, bridge=scale.bridge, snap=0.0)
    whole = runs_of(parts, bridge=scale.bridge, snap=scale.bridge)
    length = network.roads.length
    absent = parts.metres(np.arange(len(length)), np.zeros(len(length)), length) > length / 2
    samples = sample(network, core, step=_STEP)
    seen = cross_sections(
        samples.xy, samples.direction, own, other, near=scale.reach, wide=2 * scale.reach, close=2 * scale.tolerance
    )
    label = np.where(seen.label == COPY, ALONE, seen.label)
    # A copy stands beside a road that the other network has.
    close = 2 * scale.tolerance
    copy = (label == ALONE) & (seen.gap <= close * (1 + 1e-9))
    copy[copy] = beside_its_double(network, core.road[samples.run[copy]], samples.xy[copy], close, absent)
    label[copy] = COPY
    label = _copy_or_not(samples.run, label, samples.weight)
    label = smoothed(samples.run, label, samples.weight, shortest=scale.bridge)
    along = _along_all_roads(parts, joints)
    place = parts.before[core.road[samples.run]] + samples.metres
    passed = np.where(label == ALONE, np.searchsorted(along, place), 0)
    first = groups_of(samples.run, label + (COPY + 1) * passed)
    count = np.diff(np.append(first, len(label)))
    part = np.repeat(np.arange(len(first)), count)
    run = samples.run[first]
    follows = np.full(len(first), -1)
    again = np.flatnonzero(run[1:] == run[:-1]) + 1
    follows[again] = again - 1
    begin = samples.metres[first] - samples.weight[first] / 2
    at_joint = np.zeros(len(first), dtype=bool)
    at_joint[again] = (label[first[again]] == ALONE) & (label[first[again - 1]] == ALONE)
    begin[at_joint] = along[passed[first[at_joint]] - 1] - parts.before[core.road[run[at_joint]]]
    end = np.append(begin[1:], 0.0)
    is_last = np.ones(len(first), dtype=bool)
    is_last[again - 1] = False
    begin = np.where(follows < 0, whole.begin[run], begin)
    end = np.where(is_last, whole.end[run], end)
    runs = Runs(core.road[run], begin, end)
    has = np.isfinite(seen.distance)
    aside = np.bincount(part, weights=np.where(has, seen.distance, 0.0), minlength=len(first))
    number = np.bincount(part, weights=has, minlength=len(first))
    return Labelled(
        network, runs, label[first], parts.metres(runs.road, runs.begin, runs.end),
        np.maximum.reduceat(seen.gap, first) if len(first) else np.zeros(0),
        aside / np.where(number > 0, number, np.nan), follows, at_joint, part, samples.xy, seen.segment, samples.weight,
        absent,
    )  # fmt: skip


def _along_all_roads(parts: Unmatched, joints: Ints) -> Floats:
    """Where joints lie along all roads laid end to end, in order."""
    network = parts.network
    start, _, arms = network.adjacency
    segment = arms[start[joints]]
    offset = np.where(network.segments[segment, 0] == joints, 0.0, network.segment_lengths[segment])
    road, metres = network.roads.along(segment, offset, network.segment_lengths)
    return np.sort(parts.before[road] + metres)


def _copy_or_not(run: Ints, label: Ints, weight: Floats) -> Ints:
    """Labels in which no run is partly a copy and partly alone: a road that leaves the one beside it is no copy."""
    if len(run) == 0:
        return label
    metres = [np.bincount(run, weights=np.where(label == one, weight, 0.0)) for one in (COPY, ALONE)]
    either = (label == COPY) | (label == ALONE)
    return np.where(either, np.where(metres[0] > metres[1], COPY, ALONE)[run], label)
