"""The shift between two sets of lines, estimated both ways and in parts, with its interval.

Places on either set of lines look for the nearest line of the other one. A coarse search finds the shift that brings
most of them close together; robust least squares of the distances *across* the lines then finds it exactly (a shift
along a straight line cannot be seen, and the end of a line may be anywhere). Places of both sets count alike, so that
the shift of A from B is the opposite of the shift of B from A.

A line that is drawn a metre off is so for all of its length, and a part of the ground may be off as a whole: how much
lines and blocks of ground disagree gives the interval, whichever is wider. A shift is real (``significant``) only if it
cannot be chance, both ways of estimating it agree with it, so do the parts of the ground, and it brings the lines
closer together.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, stdtrit  # of scipy.stats, which takes a second to load, these are the two needed

from geoeval._kernels.boxes import BoxTree, box_tree, nearest_segments
from geoeval.arrays import Bools, Floats, Ints

# The coarse search: its step, from where on a place counts as far, and how many places of each side take part.
_STEP, _FAR, _FEW = 5.0, 10.0, 400
# Lines whose places lie this close on average, after a small shift, need no search. Shifts so far apart are others; one
# that gains this share of what the best one gains makes it a toss-up.
_CLOSE, _OTHER, _RIVAL = 3.0, 8.0, 0.75
# Residuals beyond so many standard deviations count as something else; limits of that distance in metres.
_CUTOFF, _NARROWEST, _WIDEST = 4.685, 0.5, 10.0
_TURNS, _CONVERGED = 25, 1e-3
_LEAST_PLACES, _LEAST_BLOCKS = 10, 4
# The ground is as wide as so many blocks, and these are at least so wide: metres.
_BLOCKS_ACROSS, _NARROWEST_BLOCK, _PARTS_ACROSS = 6, 25.0, 3
_CONFIDENCE, _CHANCE = 0.95, 0.01
# Shares of the shift that either way must see, and of the ground that must agree with it.
_AGREEING, _MOST = 0.5, 2 / 3
# No interval is narrower than what rounding and the last step leave open: metres.
_EXACT = 0.005


@dataclass(frozen=True)
class Offset:
    """How far the prediction lies from the reference, in metres east and north.

    Attributes
    ----------
    dx, dy
        The estimate.
    places
        The number of places on which it is based.
    interval
        From where to where ``dx`` and ``dy`` are, with 95 % confidence; as wide as the search where the lines do not
        tell, as along a single straight road.
    significant
        Whether the offset is real.
    """

    dx: float
    dy: float
    places: int
    interval: tuple[tuple[float, float], tuple[float, float]]
    significant: bool

    @property
    def distance(self) -> float:
        """Length of the offset in metres."""
        return float(np.hypot(self.dx, self.dy))

    def in_words(self) -> str:
        """The offset with its interval: ``1.33 ± 0.32 m west, 1.01 ± 0.27 m south``."""
        words = []
        for value, (low, high), (back, forth) in zip(
            (self.dx, self.dy), self.interval, (("west", "east"), ("south", "north")), strict=True
        ):
            words.append(f"{abs(value):.2f} ± {max((high - low) / 2, 0.01):.2f} m {forth if value >= 0 else back}")
        return ", ".join(words)


@dataclass(frozen=True)
class SampledLines:
    """Straight segments ``(m, 4)``, and places at equal distances along them, from which an offset is estimated.

    Attributes
    ----------
    segments, line
        The segments, and for each of them the number of the road or outline that it is part of.
    places, segment
        The places ``(k, 2)``, and for each of them the segment that it is on.
    spacing
        Metres from place to place.
    """

    segments: Floats
    line: Ints
    places: Floats
    segment: Ints
    spacing: float


def offset_between(reference: SampledLines, prediction: SampledLines, *, max_offset: float = 30.0) -> Offset | None:
    """The offset of the prediction, up to ``max_offset`` metres in x and in y; ``None`` if too little lies close.

    O(k log m) for k places and m segments.
    """
    if len(reference.places) == 0 or len(prediction.places) == 0:
        return None
    # Numbers near zero are exact to more digits, and the same wherever the maps lie.
    origin = np.round(np.minimum(reference.places.min(axis=0), prediction.places.min(axis=0)))
    sides = (_Side.of(prediction, reference, origin, 1.0), _Side.of(reference, prediction, origin, -1.0))
    found = _fit(sides, np.zeros(2))
    if found is None or found.cost > _CLOSE or found.length > _STEP:
        found = _searched(sides, found, max_offset)
    return None if found is None else _judged(sides, found, max_offset)


@dataclass(frozen=True)
class _Side:
    """Places of one set of lines, the tree of the other, and which way a shift moves the places onto the lines."""

    places: Floats
    line: Ints
    spacing: float
    tree: BoxTree
    across: Floats
    other_line: Ints
    sign: float

    @classmethod
    def of(cls, own: SampledLines, other: SampledLines, origin: Floats, sign: float) -> "_Side":
        tree = box_tree(other.segments - np.tile(origin, 2))
        along = tree.segments[:, 2:] - tree.segments[:, :2]
        across = np.column_stack([-along[:, 1], along[:, 0]]) / np.hypot(along[:, 0], along[:, 1])[:, None]
        own_line, other_line = own.line[own.segment], other.line[tree.order]
        return cls(own.places - origin, own_line, own.spacing, tree, across, other_line, sign)


@dataclass(frozen=True)
class _Misses:
    """Places near the inside of another line: which, across what direction, and how far off the prediction is there."""

    place: Ints
    other_line: Ints
    across: Floats
    off: Floats


@dataclass(frozen=True)
class _Fit:
    """A shift that serves best around where the search began.

    Places farther than ``cutoff`` were left aside; ``cost`` is the mean distance after it; ``known`` are the directions
    in which a shift can be seen.
    """

    shift: Floats
    cutoff: float
    cost: float
    known: Floats

    @property
    def length(self) -> float:
        return float(np.hypot(*self.shift))


def _misses(side: _Side, shift: Floats, reach: float) -> _Misses:
    moved = side.places - side.sign * shift
    found, _ = nearest_segments(moved, side.tree, max_distance=reach)
    place = np.flatnonzero(found >= 0)
    segments = side.tree.segments[found[place]]
    start, vector = segments[:, :2], segments[:, 2:] - segments[:, :2]
    share = np.einsum("ij,ij->i", moved[place] - start, vector) / np.einsum("ij,ij->i", vector, vector)
    inside = (share > 0) & (share < 1)
    place, start = place[inside], start[inside]
    across = side.across[found[place]]
    off = side.sign * np.einsum("ij,ij->i", across, moved[place] - start)
    return _Misses(place, side.other_line[found[place]], across, off)


def _mean_distance(side: _Side, shifts: Floats, places: Floats) -> Floats:
    """The mean distance for each shift, where far is as far as can be."""
    # All shifts of a place in a row: they need the same nodes of the tree.
    moved = (places[:, None] - side.sign * shifts[None]).reshape(-1, 2)
    _, distance = nearest_segments(moved, side.tree, max_distance=_FAR)
    return np.minimum(distance, _FAR).reshape(-1, len(shifts)).mean(axis=0)


def _searched(sides: tuple[_Side, _Side], at_zero: "_Fit | None", max_offset: float) -> "_Fit | None":
    """The best fit, also from elsewhere on a coarse lattice; ``None`` where it is a toss-up.

    A road between two carriageways could be shifted to either of them: that is no offset.
    """
    steps = np.arange(-max_offset, max_offset + 1e-9, _STEP)
    shifts = np.array([(x, y) for x in steps for y in steps])
    costs = [_mean_distance(side, shifts, side.places[:: max(1, len(side.places) // _FEW)]) for side in sides]
    # A longer shift must be better, or sampling would move a straight road along itself. Mirrored, it is the same.
    cost = np.round((costs[0] + costs[1]) / 2 + 0.02 * np.hypot(*shifts.T), 9)
    fits = [fit for fit in (at_zero, _fit(sides, shifts[np.argmin(cost)])) if fit is not None]
    if not fits:
        return None
    found = min(fits, key=lambda fit: fit.cost + 0.02 * fit.length)
    # Another shift, as seen across the lines, that serves nearly as well.
    other = np.linalg.norm((shifts - found.shift) @ found.known, axis=1) > _OTHER
    usual = float(np.median(cost))
    rival = usual - cost[other].min(initial=usual)
    return None if rival > _RIVAL * (usual - cost.min()) else found


def _fit(sides: tuple[_Side, _Side], start: Floats) -> _Fit | None:
    """Robust least squares from a first guess: far places lose their weight, and what far means follows the rest."""
    shift, cutoff = start, _WIDEST
    for _ in range(_TURNS):
        found = [_misses(side, shift, cutoff) for side in sides]
        off = np.concatenate([one.off for one in found])
        if len(off) < _LEAST_PLACES:
            return None
        metres = np.concatenate([np.full(len(one.off), side.spacing) for one, side in zip(found, sides, strict=True)])
        across = np.concatenate([one.across for one in found])
        weight = metres * (1 - (off / cutoff) ** 2) ** 2
        matrix = np.einsum("i,ij,ik->jk", weight, across, across)
        step = _solved(matrix, np.einsum("i,ij,i->j", weight, across, off))
        shift = shift + step
        spread = 1.4826 * float(np.median(np.abs(off)))
        narrower = float(np.clip(_CUTOFF * spread, _NARROWEST, cutoff))
        if np.hypot(*step) < _CONVERGED and narrower > 0.95 * cutoff:
            break
        if np.hypot(*step) < 0.1 * cutoff:
            cutoff = narrower
    costs = [float(_mean_distance(side, shift[None], side.places)[0]) for side in sides]
    return _Fit(shift, cutoff, (costs[0] + costs[1]) / 2, _known(matrix))


def _known(matrix: Floats) -> Floats:
    """The directions ``(2, 1)`` or ``(2, 2)`` about which the lines say something."""
    values, directions = np.linalg.eigh(matrix)
    return np.asarray(directions[:, values > 1e-3 * values[-1]])


def _solved(matrix: Floats, vector: Floats) -> Floats:
    """The solution, without a part in directions about which the lines say next to nothing."""
    known = _known(matrix)
    return np.asarray(known @ np.linalg.solve(known.T @ matrix @ known, known.T @ vector))


# ---------------------------------------------------------------------- how sure it is


def _judged(sides: tuple[_Side, _Side], fit: _Fit, max_offset: float) -> Offset:
    found = [_misses(side, fit.shift, fit.cutoff) for side in sides]
    metres = np.concatenate([np.full(len(one.off), side.spacing) for one, side in zip(found, sides, strict=True)])
    across, off = np.concatenate([one.across for one in found]), np.concatenate([one.off for one in found])
    inner = (off / fit.cutoff) ** 2
    # What each place weighs, what it says of the shift, and how much that changes with the shift.
    weight = metres * (1 - inner) ** 2
    said = (weight * off)[:, None] * across @ fit.known
    slope = np.einsum("i,ij,ik->jk", metres * (1 - inner) * (1 - 5 * inner), across @ fit.known, across @ fit.known)
    information = np.einsum("i,ij,ik->jk", weight, across, across)
    bread = np.asarray(np.linalg.inv(_at_least(slope, fit.known.T @ information @ fit.known)), dtype=np.float64)
    block, part = (_cells(sides, found, width) for width in (_BLOCKS_ACROSS, _PARTS_ACROSS))
    covariance, count = max(
        (_covariance(group, weight, said, bread) for group in (block, *_lines(sides, found))),
        key=lambda one: float(np.trace(one[0])),
    )

    reach = float(stdtrit(max(count - 2, 1), (1 + _CONFIDENCE) / 2))
    half = np.maximum(reach * np.sqrt(np.diag(fit.known @ covariance @ fit.known.T)), _EXACT)
    blind = np.diag(np.eye(2) - fit.known @ fit.known.T) > 1e-6
    half = np.where(blind, max_offset, np.minimum(half, max_offset))
    (left, right), (low, high) = np.column_stack([fit.shift - half, fit.shift + half]).tolist()
    way = np.repeat([0, 1], [len(one.off) for one in found])
    is_real = (
        count >= _LEAST_BLOCKS
        and fit.length > _EXACT
        and (left > 0 or right < 0 or low > 0 or high < 0)
        and _is_no_chance(fit.known.T @ fit.shift, covariance, count)
        and _closer(sides, fit.shift)
        and _agreeing(fit.shift, way, weight, across, off) == 1.0
        and _agreeing(fit.shift, part, weight, across, off) >= _MOST
    )
    dx, dy = fit.shift.tolist()
    return Offset(dx, dy, len(off), ((left, right), (low, high)), is_real)


def _cells(sides: tuple[_Side, _Side], found: list[_Misses], across: int) -> Ints:
    """The square of the ground in which each place lies, numbered from 0; so many squares make its width."""
    everywhere = np.concatenate([side.places for side in sides])
    low, high = everywhere.min(axis=0), everywhere.max(axis=0)
    size = max(float((high - low).max()) / across, _NARROWEST_BLOCK)
    places = np.concatenate([side.places[one.place] for side, one in zip(sides, found, strict=True)])
    cell = np.floor((places - low) / size).astype(np.int64)
    return np.unique(cell[:, 0] * (across + 1) + cell[:, 1], return_inverse=True)[1].ravel()


def _lines(sides: tuple[_Side, _Side], found: list[_Misses]) -> list[Ints]:
    """For each place the line of the one map, then of the other, that it compares."""
    own, other = ([side.line[one.place], one.other_line] for side, one in zip(sides, found, strict=True))
    pairs = ((own[0], other[1]), (own[1], other[0]))
    return [np.unique(np.concatenate(pair), return_inverse=True)[1].ravel() for pair in pairs]


def _covariance(group: Ints, weight: Floats, said: Floats, bread: Floats) -> tuple[Floats, int]:
    """The covariance of the shift if places of a group err together, and how many groups there are in effect."""
    by_group = np.stack([np.bincount(group, weights=column) for column in said.T], axis=1)
    heavy = np.bincount(group, weights=weight)
    count = int(heavy.sum() ** 2 / (heavy**2).sum() + 0.5)
    return bread @ (by_group.T @ by_group) @ bread * (count / max(count - 1, 1)) ** 2, count


def _at_least(slope: Floats, information: Floats) -> Floats:
    """The slope of a robust fit; where far places leave too little of it, a tenth of the information."""
    values = np.linalg.eigvalsh(slope)
    return slope if values[0] > 0.1 * np.linalg.eigvalsh(information)[0] else 0.1 * information


def _is_no_chance(shift: Floats, covariance: Floats, count: int) -> bool:
    """Hotelling's test that the shift is not zero, from so many blocks."""
    size = len(shift)
    free = count - size
    if free < 1:
        return False
    # Rounding alone must not make a shift significant.
    sure = covariance + np.eye(size) * (_EXACT / 3) ** 2
    statistic = float(shift @ np.linalg.solve(sure, shift)) * free / ((count - 1) * size)
    return bool(fdtrc(size, free, statistic) < _CHANCE)


def _closer(sides: tuple[_Side, _Side], shift: Floats) -> bool:
    """Whether the places of both sides lie closer to the other lines after the shift."""
    both = np.stack([np.zeros(2), shift])
    means = np.array([_mean_distance(side, both, side.places) for side in sides])
    return bool((means[:, 1] < means[:, 0]).all())


def _agreeing(shift: Floats, group: Ints, weight: Floats, across: Floats, off: Floats) -> float:
    """The share of what the places weigh that is in groups which, each by itself, see at least half of the shift."""
    agreed = total = 0.0
    direction = shift / np.hypot(*shift)
    for number in range(int(group.max()) + 1):
        own: Bools = group == number
        matrix = np.einsum("i,ij,ik->jk", weight[own], across[own], across[own])
        heavy = float(direction @ matrix @ direction)
        rest = _solved(matrix, np.einsum("i,ij,i->j", weight[own], across[own], off[own]))
        total += heavy
        agreed += heavy * bool(direction @ (shift + rest) >= _AGREEING * np.hypot(*shift))
    return agreed / total if total > 0 else 0.0
