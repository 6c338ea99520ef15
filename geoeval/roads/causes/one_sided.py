"""What only one of the maps has."""

from typing import Any

import numpy as np
import shapely

from geoeval._kernels.boxes import BoxTree
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.cross_sections import COPY
from geoeval.roads.causes.doubles import beside_its_double, pieces_of_doubles
from geoeval.roads.causes.found import ALONE_KINDS, IDS, METRES, Found
from geoeval.roads.causes.grouping import joined_sets, rings
from geoeval.roads.causes.hidden import hidden_roads
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.causes.unmatched import Runs
from geoeval.roads.geometry.pieces import cut_roads

_COPY_KINDS = ("merged", "doubled")
_COPY_NOTES = ("drawn as one with the road beside it", "a copy beside the road")
_OTHERS = ("prediction", "reference")


def _listable(side: Labelled, scale: Scale) -> Bools:
    """Which parts are long enough to be listed, and farther away than the tolerance for more than a moment."""
    long = (side.metres >= scale.shortest) | (side.is_whole & (side.runs.length >= scale.shortest))
    return np.asarray(long & ~(side.far <= scale.hardly))


def add_hidden(
    found: Found, side: Labelled, other: RoadNetwork, trees: tuple[BoxTree, BoxTree], open_: Bools, own: int,
    scale: Scale, *, except_for: Ints,
) -> None:  # fmt: skip
    """Whole roads that are not there, though the tolerance hides most of them; not these that are known."""
    road = hidden_roads(side, other, trees, open_, _listable(side, scale), scale)
    length = side.network.roads.length[road]
    # Whatever hides them, the junctions at their ends are explained.
    hardly_there, _ = cut_roads(side.network, *_whole(side.network, road[length < scale.shortest]))
    found.surroundings = np.concatenate([found.surroundings, hardly_there])
    road = np.setdiff1d(road, except_for)
    length = side.network.roads.length[road]
    parts = np.flatnonzero(open_ & np.isin(side.runs.road, road))
    open_[parts] = False
    by_road = np.bincount(side.runs.road[parts], weights=side.metres[parts], minlength=len(side.network.roads))
    metres = by_road.astype(np.float64)[road]
    # A ring of several roads, as a small roundabout, is one thing.
    one = rings(side.network.roads.ends[road])
    small = np.bincount(one, weights=length)[one] < scale.shortest
    found.sum_up(ALONE_KINDS[own], side.network, Runs(*_whole(side.network, road[small])), metres[small])
    road, metres, one = road[~small], metres[~small], one[~small]
    lines, ids = cut_roads(side.network, *_whole(side.network, road))
    middle = shapely.get_coordinates(shapely.line_interpolate_point(lines, 0.5, normalized=True))
    copy = beside_its_double(side.network, road, middle, 2 * scale.tolerance, side.absent)
    for kind, rows, note in (
        (_COPY_KINDS[own], copy, _COPY_NOTES[own]),
        (ALONE_KINDS[own], ~copy, f"the {_OTHERS[own]} has no such road, only others near it"),
    ):
        unknown = np.full(len(road), np.nan)
        shapes, names, _, sums = _joined(
            one[rows], lines[rows], list(np.array(ids, dtype=object)[rows]), unknown, metres[rows]
        )
        found.add(kind, shapes, note=note, **{IDS[own]: names, METRES[own]: sums})


def _whole(network: RoadNetwork, road: Ints) -> tuple[Ints, Floats, Floats]:
    return road, np.zeros(len(road)), network.roads.length[road]


def add_copies(found: Found, side: Labelled, open_: Bools, own: int, scale: Scale) -> None:
    """Parts that are long enough to be a copy of the road beside them; the two pieces of a copy are one error."""
    chosen = np.flatnonzero(open_ & (side.label == COPY) & (side.metres >= scale.shortest))
    # Where a road ends on a copy, it is two roads.
    part = np.full(len(side.network.roads), -1)
    part[side.runs.road[chosen]] = np.arange(len(chosen))
    pieces = part[pieces_of_doubles(side.network, side.absent, 2 * scale.tolerance)]
    pieces = pieces[(pieces >= 0).all(axis=1)]
    one = joined_sets(len(chosen), pieces[:, 0], pieces[:, 1])
    _add(found, side, open_, own, chosen, _COPY_KINDS[own], _COPY_NOTES[own], scale, one=one)


def add_left(found: Found, side: Labelled, open_: Bools, own: int, scale: Scale) -> None:
    """All that is left."""
    _add(found, side, open_, own, np.flatnonzero(open_), ALONE_KINDS[own], _away(own, scale), scale)


def add_roads(found: Found, side: Labelled, own: int, road: Ints, scale: Scale) -> None:
    """Whole roads."""
    count = len(side.network.roads)
    metres = np.bincount(side.runs.road, weights=side.metres, minlength=count)
    far = np.full(count, -np.inf)
    np.maximum.at(far, side.runs.road, side.far)
    lines, ids = cut_roads(side.network, *_whole(side.network, road))
    found.add(ALONE_KINDS[own], lines, dist_m=_known(far[road]), note=_away(own, scale),
              **{IDS[own]: ids, METRES[own]: metres[road]})  # fmt: skip


def _away(own: int, scale: Scale) -> str:
    return f"more than {scale.tolerance:g} m from the {_OTHERS[own]}"


def _known(far: Floats) -> Floats:
    """Distances, where there is something that they lead to."""
    return np.where(np.isfinite(far), far, np.nan)


def _add(
    found: Found, side: Labelled, open_: Bools, own: int, chosen: Ints, kind: str, note: str, scale: Scale, *,
    one: Ints | None = None,
) -> None:  # fmt: skip
    """Add parts; those with the same number in ``one`` are one error."""
    open_[chosen] = False
    metres, listed = side.metres[chosen], _listable(side, scale)[chosen]
    found.sum_up(ALONE_KINDS[own], side.network, side.runs.some(chosen[~listed]), metres[~listed])
    chosen, metres = chosen[listed], metres[listed]
    lines, ids = cut_roads(side.network, side.runs.road[chosen], side.runs.begin[chosen], side.runs.end[chosen])
    far = _known(side.far[chosen])
    if one is not None:
        lines, ids, far, metres = _joined(one[listed], lines, ids, far, metres)
    found.add(kind, lines, dist_m=far, note=note, **{IDS[own]: ids, METRES[own]: metres})


def _joined(one: Ints, lines: Objects, ids: list[str], far: Floats, metres: Floats) -> tuple[Any, ...]:
    """Lines, ids, distances and metres of what has the same number, each once."""
    _, first, number = np.unique(one, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))[number]  # in the order in which they come first
    order = np.argsort(place, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(place[order])) + 1) if len(order) else []
    return (
        np.array([None, *(shapely.line_merge(shapely.multilinestrings(lines[row])) for row in rows)], dtype=object)[1:],
        [";".join(dict.fromkeys(";".join(ids[k] for k in row).split(";"))) for row in rows],
        np.array([np.fmax.reduce(far[row]) for row in rows]),
        np.array([metres[row].sum() for row in rows]),
    )
