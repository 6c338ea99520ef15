"""All roads of a network laid end to end, without ever holding the network: where systematic starts lie.

SUBG and OPT-G start at equal distances along all roads, in the order of their geometry. For this, each part gives the
lengths of the roads that are wholly its own, and what orders them; of roads that go on in another part it gives the
segments, which are joined here. So memory grows with the roads, about a hundred bytes each, not with their vertices,
and a start lies on the same segment at the same metre as on the whole network.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.model.contraction import Roads, adjacency_of, contract, direction_of
from geoeval.model.road_network import Location, RoadNetwork
from geoeval.roads.geometry.sampling import along, along_roads, in_units, place_on
from geoeval.scale.tiles.tiling import Owned


@dataclass(frozen=True)
class Survey:
    """The roads of one network in one part.

    Attributes
    ----------
    order
        For each road that is wholly the part's own: x and y of its ends and the direction in which it leaves the
        first, ``(r, 5)``.
    length
        Their lengths in units.
    open_places
        The segments of all other roads, ``(k, 2, 2)``, each from its lower end to the other one.
    open_degrees
        How many segments meet at these ends, ``(k, 2)``.
    open_length
        Their lengths in units.
    """

    order: Floats
    length: Ints
    open_places: Floats
    open_degrees: Ints
    open_length: Ints


@dataclass(frozen=True)
class OwnRoads:
    """The segments of a tile as roads; roads and segments are numbered among the tile's own.

    Attributes
    ----------
    segments
        The tile's own segments, by number in the network.
    roads
        The roads that they make.
    whole
        The roads that have no part in another tile.
    opened
        The segments of all other roads.
    """

    segments: Ints
    roads: Roads
    whole: Ints
    opened: Ints


def own_roads(network: RoadNetwork, owned: Owned) -> OwnRoads:
    """Chain the segments that belong to a tile.

    All segments that meet the tile's own must be in the network, so that its degrees are right.
    """
    mine = np.flatnonzero(owned.segment)
    pairs = network.segments[mine]
    met = np.bincount(pairs.ravel(), minlength=len(network.nodes))
    goes_on = (network.degrees == 2) & (met == 1)
    degrees = np.where(goes_on, 1, network.degrees)
    lengths = in_units(network.segment_lengths[mine]).astype(np.float64)
    roads = contract(network.nodes, pairs, lengths, degrees, adjacency_of(pairs, len(network.nodes)))
    complete = ~goes_on[roads.ends].any(axis=1)
    return OwnRoads(mine, roads, np.flatnonzero(complete), np.flatnonzero(~complete[roads.road_of]))


def survey(network: RoadNetwork, owned: Owned) -> Survey:
    """The roads of one network in one tile."""
    own = own_roads(network, owned)
    roads, whole = own.roads, own.whole
    opened = own.segments[own.opened]
    pairs = network.segments[opened]
    upward = np.column_stack([owned.lower[opened], 1 - owned.lower[opened]])
    pairs = np.take_along_axis(pairs, upward, axis=1)
    return Survey(
        _order(roads, whole, owned.places),
        roads.length[whole].astype(np.int64),
        owned.places[pairs],
        network.degrees[pairs],
        in_units(network.segment_lengths[opened]),
    )


@dataclass(frozen=True)
class TileStarts:
    """The starts in one tile: their numbers among all starts, and where they are.

    Those on whole roads come first, as road and units along it; then those on the segments of other roads, as
    segment among ``OwnRoads.opened`` and units from its lower end.
    """

    number: Ints
    on_whole: int
    where: Ints
    units: Ints

    def numbered_from(self, first: int) -> "TileStarts":
        """The same starts, with so many others before them."""
        return replace(self, number=self.number + first)

    def locate(self, network: RoadNetwork, owned: Owned) -> Location:
        """The starts as places on the network of the tile."""
        own = own_roads(network, owned)
        roads, cut = own.roads, self.on_whole
        lengths = in_units(network.segment_lengths[own.segments])
        on_whole, gone = along_roads(roads, lengths, own.whole[self.where[:cut]], self.units[:cut])
        other = own.opened[self.where[cut:]]
        backward = owned.lower[own.segments[other]] == 1
        rest = np.where(backward, lengths[other] - self.units[cut:], self.units[cut:])
        segment = own.segments[np.concatenate([on_whole, other])]
        return place_on(network, segment, np.concatenate([gone, rest]))


_NONE = np.zeros(0, dtype=np.int64)
NO_STARTS = TileStarts(_NONE, 0, _NONE, _NONE)


class SurveyedCourse:
    """All roads of one network laid end to end, from the surveys of its tiles. O(r log r) for r roads."""

    def __init__(self, surveys: Sequence[Survey]) -> None:
        counts = [len(one.length) for one in surveys]
        opens = [len(one.open_length) for one in surveys]
        self._first_open = np.concatenate([[0], np.cumsum(opens)])
        self._first_whole = np.concatenate([[0], np.cumsum(counts)])
        self._open = self._join(surveys)
        order = np.concatenate(
            [*(one.order for one in surveys), _order(self._open, np.arange(len(self._open)), self._places)]
        )
        length = np.concatenate([*(one.length for one in surveys), self._open.length.astype(np.int64)])
        self._sorted = np.lexsort([length, *order.T[::-1]])
        self._length = length[self._sorted]

    @property
    def total(self) -> int:
        """The length of all roads in units."""
        return int(self._length.sum())

    def starts(self, positions: Ints) -> dict[int, TileStarts]:
        """The starts at positions along all roads, by the number of the tile in the order of the surveys."""
        place, gone = along(self._length, positions)
        road = self._sorted[place]
        tile, where = np.empty(len(road), dtype=np.int64), np.empty(len(road), dtype=np.int64)
        wholes = int(self._first_whole[-1])
        whole = road < wholes
        tile[whole] = np.searchsorted(self._first_whole, road[whole], side="right") - 1
        where[whole] = road[whole] - self._first_whole[tile[whole]]

        opened = np.flatnonzero(~whole)
        segment, rest = along_roads(self._open, self._open_units, road[opened] - wholes, gone[opened])
        tile[opened] = np.searchsorted(self._first_open, segment, side="right") - 1
        where[opened], gone[opened] = segment - self._first_open[tile[opened]], rest
        order = np.lexsort([~whole, tile])  # by tile, those on whole roads first
        bounds = np.searchsorted(tile[order], np.arange(len(self._first_whole)))
        found = {}
        for one in np.unique(tile).tolist():
            rows = order[bounds[one] : bounds[one + 1]]
            found[one] = TileStarts(rows, int(whole[rows].sum()), where[rows], gone[rows])
        return found

    def _join(self, surveys: Sequence[Survey]) -> Roads:
        """The roads that several tiles share."""
        places = np.concatenate([np.zeros((0, 2, 2)), *(one.open_places for one in surveys)])
        degree = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(one.open_degrees for one in surveys)])
        length = np.concatenate([np.zeros(0, dtype=np.int64), *(one.open_length for one in surveys)])
        self._places, number = np.unique(places.reshape(-1, 2), axis=0, return_inverse=True)
        pairs = number.reshape(-1, 2)
        degrees = np.zeros(len(self._places), dtype=np.int64)
        degrees[pairs.ravel()] = degree.ravel()
        self._open_units = length
        adjacency = adjacency_of(pairs, len(self._places))
        return contract(self._places, pairs, length.astype(np.float64), degrees, adjacency)


def _order(roads: Roads, which: Ints, places: Floats) -> Floats:
    """What orders roads: x and y of their ends, and the direction in which they leave the first one."""
    first, last = roads.node_start[which], roads.node_start[which + 1] - 1
    begin, second, end = places[roads.path[first]], places[roads.path[first + 1]], places[roads.path[last]]
    return np.column_stack([begin, end, direction_of(second - begin)])
