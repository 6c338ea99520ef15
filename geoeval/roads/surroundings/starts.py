"""Where SUBG and OPT-G start: systematic places, or places that the caller names."""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import PRECISION, Location, RoadNetwork, project
from geoeval.roads.geometry.sampling import UNITS, in_units, places_at, systematic_positions

MOST_STARTS = 1000
METRES_PER_START = 30.0
_EVERY = re.compile(r"\s*every\s+([0-9.eE+-]+)\s*m?\s*")


@dataclass(frozen=True)
class Starts:
    """Start places with their partners: each row is a place on the reference and one on the prediction.

    Attributes
    ----------
    reference, prediction
        The places; segment -1 where there is none within reach.
    number
        The start that each row belongs to, ascending. A start has several rows if several places of the other network
        are equally near: roads that lie on each other, or one to the left and one to the right.
    xy
        Where each start was drawn.
    drawn_on_reference
        How many starts were drawn on the reference; they come first.
    """

    reference: Location
    prediction: Location
    number: Ints
    xy: Floats
    drawn_on_reference: int

    def __len__(self) -> int:
        return len(self.xy)

    def batches(self) -> Iterator[slice]:
        """Slices of rows, small enough for a processor's cache; the rows of a start stay together."""
        step = min(max(-(-len(self) // 50), 20), 250)
        stops = np.searchsorted(self.number, np.arange(step, len(self) + step, step)).tolist()
        return (slice(begin, end) for begin, end in itertools.pairwise([0, *stops]))


def choose_starts(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    starts: Any,
    *,
    both: bool,
    max_distance: float,
    rng: np.random.Generator,
    empty: Collection[str] = (),
) -> Starts:
    """Read the parameter ``starts`` and find the partners of each start: the nearest places within ``max_distance``.

    ``None`` means ``MOST_STARTS``, or one every ``METRES_PER_START`` metres of road if that is fewer; a number means
    that many; ``"every 30 m"`` means one in the middle of every 30 m, without randomness; a sequence names the places
    themselves. With ``both``, half of the starts (rounded up) are on each network and a place is named as
    ``("reference" or "prediction", (x, y))``; otherwise all are on the reference and a place is ``(x, y)``. Systematic
    starts are at ``(u + k) L / N`` of all roads laid end to end; both networks use the same ``u`` from ``rng``, so that
    swapping them swaps the starts. Places that are known already are given as a dict of ``Location`` by network.
    There are no starts on networks named in ``empty``.
    """
    networks = {"reference": reference, "prediction": prediction} if both else {"reference": reference}
    if is_systematic(starts):
        totals = {name: int(in_units(network.segment_lengths).sum()) for name, network in networks.items()}
        positions = systematic_starts(totals, starts, rng)
        drawn = {name: places_at(network, positions[name]) for name, network in networks.items() if name not in empty}
    elif isinstance(starts, dict):
        drawn = starts
    else:
        drawn = _named(networks, starts, both=both, max_distance=max_distance, empty=empty)
    ours, theirs = (drawn.get(name, _NOWHERE) for name in SIDES)
    number, partner = _partners(prediction, ours.xy, max_distance)
    other_number, other_partner = _partners(reference, theirs.xy, max_distance)
    return Starts(
        _joined(_taken(ours, number), other_partner),
        _joined(partner, _taken(theirs, other_number)),
        np.concatenate([number, len(ours.xy) + other_number]),
        np.concatenate([ours.xy, theirs.xy]),
        len(ours.xy),
    )


def check_lengths(**lengths: float) -> None:
    """Raise unless each of these is a positive length."""
    for name, value in lengths.items():
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not (number and np.isfinite(value) and value > 0):
            raise ParameterError(f"{name} is {value!r}; give a length in metres above 0")


def spread_of_shifts(shares: Floats) -> float:
    """Standard deviation that other shifts of systematic starts give a sum, from what each start adds to it, in order.

    Neighbouring starts see much the same, so the sum varies far less than if each were drawn by itself. This is the
    estimator of Gundersen and Jensen (1987) for what changes in jumps, from the products of each start with itself, the
    next and the next but one. The last start and the first are neighbours, as the shift goes round. 0 for fewer than
    two starts.
    """
    if len(shares) < 2:
        return 0.0
    around = shares - shares.mean()
    products = [float((around * np.roll(around, lag)).sum()) for lag in (0, 1, 2)]
    return float(np.sqrt(max(np.dot((3, -4, 1), products), 0.0) / 12))


def is_systematic(starts: Any) -> bool:
    """Whether the parameter ``starts`` leaves the places open."""
    return starts is None or isinstance(starts, str | int | float | np.number)


def systematic_starts(totals: Mapping[str, int], starts: Any, rng: np.random.Generator) -> dict[str, Ints]:
    """Where systematic starts lie on networks of these lengths, in units along all roads laid end to end."""
    metres = {name: total / UNITS for name, total in totals.items()}
    if isinstance(starts, str):
        step = _step(starts)
        return {
            name: systematic_positions(total, _at_least_one(metres[name] / step), 0.5) for name, total in totals.items()
        }
    if starts is None:
        number = min(MOST_STARTS, _at_least_one(sum(metres.values()) / METRES_PER_START))
    elif isinstance(starts, bool) or starts < 1 or starts != int(starts):
        raise ParameterError(f"starts is {starts!r}; give a whole number from 1 on, 'every 30 m', or a list of places")
    else:
        number = int(starts)
    each = -(-number // len(totals))
    shift = float(rng.random())
    return {name: systematic_positions(total, each, shift) for name, total in totals.items()}


def _step(text: str) -> float:
    match = _EVERY.fullmatch(text)
    try:
        step = float(match[1]) if match else 0.0
    except ValueError:
        step = 0.0
    if not (np.isfinite(step) and step > 0):
        raise ParameterError(f"starts is {text!r}; give a number, 'every 30 m', or a list of places")
    return step


def _at_least_one(number: float) -> int:
    # Rounding of lengths must not decide whether 2400 m are 80 times 30 m.
    return max(int(np.floor(number + 1e-6)), 1)


def _named(
    networks: dict[str, RoadNetwork], starts: Any, *, both: bool, max_distance: float, empty: Collection[str]
) -> dict[str, Location]:
    form = '("reference" or "prediction", (x, y))' if both else "(x, y)"
    places: dict[str, list[tuple[float, float]]] = {name: [] for name in networks}
    for number, start in enumerate(starts):
        try:
            name, place = start if both else ("reference", start)
            x, y = (float(value) for value in place)
            places[name].append((x, y))
        except (TypeError, ValueError, KeyError) as error:
            raise ParameterError(f"start {number} is {start!r}; give {form}") from error
    found = {}
    for name, network in networks.items():
        if name in empty:
            continue
        xy = np.array(places[name], dtype=np.float64).reshape(-1, 2)
        found[name] = network.nearest(xy, max_distance=max_distance)
        for i in np.flatnonzero(found[name].segment < 0)[:1]:
            x, y = xy[i].tolist()
            raise ParameterError(
                f"the start ({x:g}, {y:g}) is more than {max_distance:g} m from the {name}; give places on its roads"
            )
    if not any(places.values()):
        raise ParameterError("starts is an empty list; give at least one place, or leave it out")
    return found


def _partners(network: RoadNetwork, xy: Floats, max_distance: float) -> tuple[Ints, Location]:
    """All places that are as near to each point as the nearest one, which comes first; at least one row per point."""
    nearest = network.nearest(xy, max_distance=max_distance)
    if network.is_empty:
        return np.arange(len(xy)), nearest
    found = np.flatnonzero(nearest.segment >= 0)
    row, segment = network.tree.query(
        np.asarray(shapely.points(xy[found])), predicate="dwithin", distance=nearest.distance[found] + PRECISION
    )
    number = found[row]
    offset, foot, distance = project(xy[number], network.nodes[network.segments[segment]])
    # Segments that meet at the place offer the same place.
    length = network.segment_lengths[segment]
    node = np.where(offset <= 2 * PRECISION, network.segments[segment, 0], network.segments[segment, 1])
    at_node = (offset <= 2 * PRECISION) | (length - offset <= 2 * PRECISION)
    place = np.where(at_node, node, len(network.nodes) + segment)
    own = nearest.segment[number] == segment
    order = np.lexsort([segment, ~own, place, number])
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(number[order]) != 0) | (np.diff(place[order]) != 0)
    order = order[new]

    lost = np.flatnonzero(nearest.segment < 0)
    number = np.concatenate([number[order], lost])
    every = _joined(Location(segment[order], offset[order], foot[order], distance[order]), _taken(nearest, lost))
    road, metres = network.roads.along(every.segment, every.offset, network.segment_lengths)
    order = np.lexsort([metres, road, *np.round(every.xy, 4).T[::-1], number])
    return number[order], _taken(every, order)


def _taken(places: Location, rows: Ints) -> Location:
    return Location(places.segment[rows], places.offset[rows], places.xy[rows], places.distance[rows])


def _joined(first: Location, second: Location) -> Location:
    return Location(
        np.concatenate([first.segment, second.segment]),
        np.concatenate([first.offset, second.offset]),
        np.concatenate([first.xy, second.xy]),
        np.concatenate([first.distance, second.distance]),
    )


_NOWHERE = Location(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 2)), np.zeros(0))
