"""Roads that one map draws as two lines and the other as one."""

from typing import Any

import numpy as np

from geoeval.arrays import Bools
from geoeval.roads.causes.counterparts import most_common, place_along
from geoeval.roads.causes.cross_sections import ONE_FOR_TWO, ONE_OF_TWO
from geoeval.roads.causes.found import IDS, METRES, Found
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.geometry.pieces import cut_roads


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
        rows: dict[int, list[Any]] = {}
        for which, along in zip(road.tolist(), metres.tolist(), strict=True):
            rows.setdefault(which, []).append((along, along))
        for part in single.tolist():
            rows.setdefault(int(one.runs.road[part]), []).append((one.runs.begin[part], one.runs.end[part]))
        if not rows:
            continue
        which = np.array(sorted(rows))
        begin = np.array([min(low for low, _ in rows[k]) for k in which])
        end = np.array([max(high for _, high in rows[k]) for k in which])
        metres_two = np.array([two.metres[double[owner[double] == k]].sum() for k in which])
        metres_one = np.array([one.metres[single[one.runs.road[single] == k]].sum() for k in which])
        long = end - begin >= 2 * scale.shortest
        for k in which[long].tolist():
            open_[own][double[owner[double] == k]] = False
            open_[1 - own][single[one.runs.road[single] == k]] = False
        lines, ids = cut_roads(network, which[long], begin[long], end[long])
        note = "two lines are drawn for one of the reference" if own else "one line is drawn for two of the reference"
        found.add(
            kind, lines, note=note,
            **{IDS[1 - own]: ids, METRES[own]: metres_two[long], METRES[1 - own]: metres_one[long]},
        )  # fmt: skip
