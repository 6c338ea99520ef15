"""What CCQ leaves unmatched, as runs along whole roads."""

from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.ccq.ccq import Stretches
from geoeval.roads.geometry.pieces import merge_parts
from geoeval.roads.geometry.sampling import coordinates


@dataclass(frozen=True)
class Unmatched:
    """The unmatched parts of a network, along all its roads laid end to end, a metre apart.

    Attributes
    ----------
    before
        Where each road begins.
    begin, end
        Of each part, in order.
    """

    network: RoadNetwork
    before: Floats
    begin: Floats
    end: Floats

    def metres(self, road: Ints, begin: Floats, end: Floats) -> Floats:
        """How many metres of each stretch of road are unmatched. O(k log p)."""
        low, high = (self._until(self.before[road] + metres) for metres in (begin, end))
        return np.maximum(high - low, 0.0)

    def _until(self, place: Floats) -> Floats:
        """Unmatched metres before each place."""
        if len(self.begin) == 0:
            return np.zeros(len(place))
        total = np.concatenate([[0.0], np.cumsum(self.end - self.begin)])
        part = np.searchsorted(self.begin, place, side="right")
        inside = np.clip(place - self.begin[part - 1], 0.0, (self.end - self.begin)[part - 1])
        return np.where(part > 0, total[part - 1] + inside, 0.0)


@dataclass(frozen=True)
class Runs:
    """Stretches of roads: the road, and the metres along it at which each begins and ends."""

    road: Ints
    begin: Floats
    end: Floats

    def __len__(self) -> int:
        return len(self.road)

    @property
    def length(self) -> Floats:
        """Metres of each."""
        return self.end - self.begin

    def some(self, which: Ints) -> "Runs":
        """Those with these numbers."""
        return Runs(self.road[which], self.begin[which], self.end[which])

    def whole(self, length: Floats) -> Ints:
        """The roads, of these lengths, that a run covers from end to end."""
        return self.road[(self.begin <= 0.0) & (self.end >= length[self.road])]

    def that_hold(self, others: "Runs", count: int) -> Ints:
        """For each of some others, the run in which its middle lies, -1 where there is none, of ``count`` roads.

        The runs do not overlap. O((k + n) log n).
        """
        if len(self) == 0:
            return np.full(len(others), -1)
        # All roads one after the other.
        length = np.zeros(count)
        for runs in (self, others):
            np.maximum.at(length, runs.road, runs.end)
        before = np.concatenate([[0.0], np.cumsum(length + 1.0)])
        order = np.argsort(before[self.road] + self.begin, kind="stable")
        middle = (others.begin + others.end) / 2
        place = np.searchsorted((before[self.road] + self.begin)[order], before[others.road] + middle, side="right") - 1
        run = order[np.maximum(place, 0)]
        holds = (self.road[run] == others.road) & (self.begin[run] <= middle) & (middle <= self.end[run])
        return np.where(holds, run, -1)


def unmatched_parts(network: RoadNetwork, stretches: Stretches) -> Unmatched:
    """What CCQ leaves unmatched of a network. O(p log p)."""
    road, begin, end = merge_parts(network, stretches.segment, stretches.begin, stretches.end)
    before = np.concatenate([[0.0], np.cumsum(network.roads.length + 1.0)])
    return Unmatched(network, before, before[road] + begin, before[road] + end)


def runs_of(parts: Unmatched, *, bridge: float, snap: float) -> Runs:
    """Unmatched parts of one road joined where at most ``bridge`` metres lie between them.

    What crosses a road, or comes near it for a moment, does not divide it. A run that comes within ``snap`` metres of
    the end of its road reaches to that end: the first metres of a road are always near the road that it leaves.
    """
    roads = parts.network.roads
    if len(parts.begin) == 0:
        return Runs(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    road = np.searchsorted(parts.before, parts.begin, side="right") - 1
    opens = np.ones(len(road), dtype=bool)
    opens[1:] = (road[1:] != road[:-1]) | (parts.begin[1:] - parts.end[:-1] > bridge)
    first = np.flatnonzero(opens)
    last = np.append(first[1:], len(road)) - 1
    road = road[first]
    begin, end = parts.begin[first] - parts.before[road], parts.end[last] - parts.before[road]
    length = roads.length[road]
    begin = np.where((begin <= snap) & ~roads.closed[road], 0.0, begin)
    end = np.where((length - end <= snap) & ~roads.closed[road], length, end)
    return Runs(road, np.clip(begin, 0.0, length), np.clip(end, 0.0, length))


@dataclass(frozen=True)
class Samples:
    """Places along runs: the run, metres along its road, coordinates, direction, and the metres each stands for."""

    run: Ints
    metres: Floats
    xy: Floats
    direction: Floats
    weight: Floats


def sample(network: RoadNetwork, runs: Runs, *, step: float, look: float = 4.0) -> Samples:
    """Places at equal steps of at most ``step`` metres along runs; directions are those of ``look`` metres around."""
    count = np.maximum(np.ceil(runs.length / step), 1.0).astype(np.int64)
    run = np.repeat(np.arange(len(runs)), count)
    weight = np.repeat(runs.length / count, count)
    number = np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)
    road = runs.road[run]
    metres = runs.begin[run] + (number + 0.5) * weight
    ahead, back, here = (
        coordinates(network, *network.roads.locate(road, np.clip(place, 0.0, network.roads.length[road]),
                                                   network.segment_lengths))
        for place in (metres + look, metres - look, metres)
    )  # fmt: skip
    way = ahead - back
    size = np.hypot(*way.T)
    way = way / np.maximum(size, 1e-9)[:, None]
    return Samples(run, metres, here, way, weight)
