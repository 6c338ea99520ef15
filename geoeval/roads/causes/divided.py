"""Roads that one map draws as two lines and the other as one."""

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.roads.causes.counterparts import most_common, place_along
from geoeval.roads.causes.cross_sections import ONE_FOR_TWO, ONE_OF_TWO
from geoeval.roads.causes.found import IDS, METRES, Found
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.geometry.pieces import cut_roads

# Of the reach: two stretches of one road that are so far apart are two errors.
_APART = 5.0


def add_divided(found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], scale: Scale) -> None:
    """Roads that one side draws as two lines and the other as one: one error for each road that is one line."""
    for own, kind in ((1, "drawn_double"), (0, "drawn_single")):
        two, one = sides[own], sides[1 - own]
        network = one.network
        roads, lengths = network.roads, network.segment_lengths
        double = np.flatnonzero(open_[own] & (two.label == ONE_OF_TWO))
        single = np.flatnonzero(open_[1 - own] & (one.label == ONE_FOR_TWO))
        # Where the lines lie along the road that is one line.
        chosen = np.flatnonzero(np.isin(two.part, double) & (two.segment >= 0))
        at = place_along(network, two.segment[chosen], two.place[chosen])
        road, metres = roads.along(two.segment[chosen], at, lengths)
        owner = most_common(two.part[chosen], road, len(two))
        # Each part beside each road, and each road with two lines beside it.
        beside, number = np.unique(np.column_stack([two.part[chosen], road]), axis=0, return_inverse=True)
        low, high = np.full(len(beside), np.inf), np.full(len(beside), -np.inf)
        np.minimum.at(low, number.ravel(), metres)
        np.maximum.at(high, number.ravel(), metres)
        which = np.concatenate([beside[:, 1], one.runs.road[single]])
        low = np.concatenate([low, one.runs.begin[single]])
        high = np.concatenate([high, one.runs.end[single]])
        if len(which) == 0:
            continue
        group = _together(which, low, high, _APART * scale.reach)
        count = int(group.max()) + 1
        begin, end = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(begin, group, low)
        np.maximum.at(end, group, high)
        long = end - begin >= 2 * scale.shortest
        # A part beside several roads counts for the one that it lies beside the most.
        main = np.flatnonzero(beside[:, 1] == owner[beside[:, 0]])
        double, of_two, of_one = beside[main, 0], group[main], group[len(beside) :]
        open_[own][double[long[of_two]]] = False
        open_[1 - own][single[long[of_one]]] = False
        metres_two = np.bincount(of_two, weights=two.metres[double], minlength=count)
        metres_one = np.bincount(of_one, weights=one.metres[single], minlength=count)
        on = np.zeros(count, dtype=np.int64)
        on[group] = which
        lines, ids = cut_roads(network, on[long], begin[long], end[long])
        note = "two lines are drawn for one of the reference" if own else "one line is drawn for two of the reference"
        found.add(
            kind, lines, note=note,
            **{IDS[1 - own]: ids, METRES[own]: metres_two[long], METRES[1 - own]: metres_one[long]},
        )  # fmt: skip


def _together(road: Ints, begin: Floats, end: Floats, apart: float) -> Ints:
    """The number of the set that each stretch is in: of one road, with less than ``apart`` metres between them."""
    order = np.lexsort([end, begin, road])
    group = np.zeros(len(road), dtype=np.int64)
    number, so_far = -1, -np.inf
    for previous, k in zip([-1, *order[:-1].tolist()], order.tolist(), strict=True):
        if previous < 0 or road[k] != road[previous] or begin[k] - so_far >= apart:
            number, so_far = number + 1, -np.inf
        so_far = max(so_far, float(end[k]))
        group[k] = number
    return group
