"""Which detected line overlaps which reference line, and how: Liu and Dori, Sect. 3.

A point is inside a line if its distance to the line's axis is less than half the line's width (round caps). Of a
detected line k and a reference line g the overlap c is k where both ends of k are inside g; else g where both ends of
g are inside k; else, where one end of each is inside the other, what joins these two ends; else nothing. d1 and d2
are the distances of the ends of c to the other line.

For two bars c is straight and the overlap distance is the larger of d1 and d2. Where an arc or a polyline takes part,
c follows the line that it is part of (k where one end of each is inside, from k's end to the place nearest to g's
end), the overlap distance is the largest distance of a point of c to the other line, and it must be less than half
the width of g; a case that fails this is dropped, and the next one is tried.

The paper is silent on lines without ends. A closed line is inside another if all of it is, and its d1 and d2 are the
overlap distance, so that it does not matter where its course begins. Overlaps without length, as at the common corner
of two bars, do not count.

Chosen here too: lines that both drawings have, to the last digit, are matched with each other, and no overlap with
another such line counts. By the printed rule a line that lies inside the width of its neighbour is a fragment of it,
so that a drawing with such lines does not match itself.
"""

from dataclasses import dataclass
from functools import cached_property
from math import hypot

import numpy as np
import shapely
import shapely.ops

from geoeval._kernels.compiling import kernel
from geoeval._kernels.greedy import take_in_order
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.lines.nearness import farthest, foot_on_line
from geoeval.model.courses import chords, sagittas
from geoeval.model.drawing import BAR, Drawing

DETECTED, REFERENCE, JOINT = 1, 2, 3
_ROUNDING = 1e-9


@dataclass(frozen=True)
class LineMatching:
    """Overlaps, ordered by reference line and then detected line.

    Attributes
    ----------
    g, k
        Reference and detected line.
    case
        What the overlap is: all of the detected line (1), all of the reference line (2), or a part of both (3).
    length
        Length of the overlap.
    d1, d2, d_overlap
        Distances of its two ends from the other line, and its largest distance.
    begin, end
        Where the overlap begins and ends, as lengths along the detected line (in case 2 the reference line).
    joint
        The two ends that are joined, for bars in case 3.
    """

    reference: Drawing
    prediction: Drawing
    g: Ints
    k: Ints
    case: Ints
    length: Floats
    d1: Floats
    d2: Floats
    d_overlap: Floats
    begin: Floats
    end: Floats
    joint: Floats

    def __len__(self) -> int:
        return len(self.g)

    @cached_property
    def segments(self) -> Objects:
        """The overlaps as LineStrings."""
        lines = np.full(len(self), None, dtype=object)
        for drawing, own, mask in (
            (self.prediction, self.k, self.case != REFERENCE),
            (self.reference, self.g, self.case == REFERENCE),
        ):
            rows = np.flatnonzero(mask)
            if len(rows):
                whole = drawing.geometries()[own[rows]]
                share = [
                    shapely.length(whole) / drawing.lengths[own[rows]] * way[rows] for way in (self.begin, self.end)
                ]
                parts = [shapely.ops.substring(*one) for one in zip(whole, *share, strict=True)]
                lines[rows] = parts
        straight = np.isfinite(self.joint[:, 0])
        lines[straight] = shapely.linestrings(self.joint[straight].reshape(-1, 2, 2))
        return lines


def match_lines(reference: Drawing, prediction: Drawing, *, same_first: bool = True) -> LineMatching:
    """Find all overlaps; an empty drawing has none. O(n log n + pairs of lines near each other).

    With ``same_first``, lines that both drawings have overlap each other only; else by the printed rule alone.
    """
    g, k = _candidates(reference, prediction)
    rows = np.zeros((len(g), 11))
    rows[:, 7:] = np.nan
    if len(g):
        _overlaps(
            g, k, reference.pieces, reference.first, reference.lengths, reference.widths, reference.shapes,
            reference.closed, prediction.pieces, prediction.first, prediction.lengths, prediction.widths,
            prediction.shapes, prediction.closed, rows,
        )  # fmt: skip
    found = rows[:, 1] > _ROUNDING * np.minimum(reference.lengths[g], prediction.lengths[k])
    g, k, rows = g[found], k[found], rows[found]
    if same_first:
        same = _same_lines(reference, prediction, g, k, rows)
        rows[same, 2:5] = 0.0
        known = np.zeros(len(reference), dtype=bool), np.zeros(len(prediction), dtype=bool)
        known[0][g[same]], known[1][k[same]] = True, True
        counts = ~(known[0][g] & known[1][k])
        counts[same] = True
        g, k, rows = g[counts], k[counts], rows[counts]
    columns = np.ascontiguousarray(rows.T)
    return LineMatching(
        reference,
        prediction,
        g=g,
        k=k,
        case=columns[0].astype(np.int64),
        length=columns[1],
        d1=columns[2],
        d2=columns[3],
        d_overlap=columns[4],
        begin=columns[5],
        end=columns[6],
        joint=rows[:, 7:11],
    )


def _same_lines(reference: Drawing, prediction: Drawing, g: Ints, k: Ints, rows: Floats) -> Ints:
    """The overlaps of lines with the same course, width, style and shape; each line is used once."""
    rounding = _ROUNDING * reference.lengths[g]
    same = (rows[:, 0] == DETECTED) & (rows[:, 2:5].max(axis=1, initial=0.0) <= rounding)
    same &= np.abs(reference.lengths[g] - prediction.lengths[k]) <= rounding
    for of_g, of_k in (
        (reference.widths, prediction.widths),
        (reference.styles, prediction.styles),
        (reference.shapes, prediction.shapes),
    ):
        same &= of_g[g] == of_k[k]
    overlaps = np.flatnonzero(same)
    return overlaps[take_in_order(g[overlaps], k[overlaps], len(reference), len(prediction))]


def _candidates(reference: Drawing, prediction: Drawing) -> tuple[Ints, Ints]:
    """Pairs of lines where one has an end inside the stroked area of the other."""
    if reference.is_empty or prediction.is_empty:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    k, g = _with_ends_near(prediction, reference)
    other_g, other_k = _with_ends_near(reference, prediction)
    pairs = np.unique(np.concatenate([g, other_g]) * len(prediction) + np.concatenate([k, other_k]))
    return pairs // len(prediction), pairs % len(prediction)


def _with_ends_near(lines: Drawing, areas: Drawing) -> tuple[Ints, Ints]:
    """Lines with an end in a stroked area, and that area. Chords stand in for arcs, with a little more reach."""
    ends = np.asarray(shapely.points(lines.ends.reshape(-1, 2)), dtype=object)
    straight, piece = chords(areas.pieces)
    owner = np.repeat(np.arange(len(areas)), np.diff(areas.first))[piece]
    reach = (areas.widths[owner] / 2 + sagittas(areas.pieces)[piece]) * (1 + _ROUNDING)
    chord, end = shapely.STRtree(ends).query(
        shapely.linestrings(straight.reshape(-1, 2, 2)), predicate="dwithin", distance=reach
    )
    return end // 2, owner[chord]


@kernel
def _overlaps(
    g_of_pair: Ints, k_of_pair: Ints, g_pieces: Floats, g_first: Ints, g_length: Floats, g_width: Floats,
    g_shape: Ints, g_closed: Bools, k_pieces: Floats, k_first: Ints, k_length: Floats, k_width: Floats,
    k_shape: Ints, k_closed: Bools, rows: Floats,
) -> None:  # fmt: skip
    """Fill the row of each pair: case, length, d1, d2, overlap distance, begin, end, joined ends."""
    distance = np.empty((2, 2))
    way = np.empty((2, 2))
    for pair in range(len(rows)):
        g, k = g_of_pair[pair], k_of_pair[pair]
        g0, g1, k0, k1 = g_first[g], g_first[g + 1], k_first[k], k_first[k + 1]
        bars = g_shape[g] == BAR and k_shape[k] == BAR
        limit = np.inf if bars else 0.5 * g_width[g]
        row = rows[pair]
        # Row 0: the ends of the detected line and their distances to the reference line; row 1: the other way round.
        distance[0, 0], way[0, 0] = foot_on_line(g_pieces, g0, g1, k_pieces[k0, 0], k_pieces[k0, 1])
        distance[0, 1], way[0, 1] = foot_on_line(g_pieces, g0, g1, k_pieces[k1 - 1, 2], k_pieces[k1 - 1, 3])
        distance[1, 0], way[1, 0] = foot_on_line(k_pieces, k0, k1, g_pieces[g0, 0], g_pieces[g0, 1])
        distance[1, 1], way[1, 1] = foot_on_line(k_pieces, k0, k1, g_pieces[g1 - 1, 2], g_pieces[g1 - 1, 3])
        k_begins, k_ends = distance[0, 0] < 0.5 * g_width[g], distance[0, 1] < 0.5 * g_width[g]
        g_begins, g_ends = distance[1, 0] < 0.5 * k_width[k], distance[1, 1] < 0.5 * k_width[k]
        if k_begins and k_ends:
            far = max(distance[0, 0], distance[0, 1])
            if not bars:
                far = max(far, farthest(k_pieces, k0, k1, 0.0, k_length[k], g_pieces, g0, g1, limit))
            if far < limit:
                row[0], row[1], row[2], row[3], row[4] = 1, k_length[k], distance[0, 0], distance[0, 1], far
                if k_closed[k]:
                    row[2], row[3] = far, far
                row[6] = k_length[k]
                continue
        if g_begins and g_ends:
            far = max(distance[1, 0], distance[1, 1])
            if not bars:
                # A closed line has to be inside as a whole: its ends alone say nothing.
                bound = min(limit, 0.5 * k_width[k]) if g_closed[g] else limit
                far = max(far, farthest(g_pieces, g0, g1, 0.0, g_length[g], k_pieces, k0, k1, bound))
                if far >= bound:
                    far = np.inf
            if far < limit:
                row[0], row[1], row[2], row[3], row[4] = 2, g_length[g], distance[1, 0], distance[1, 1], far
                if g_closed[g]:
                    row[2], row[3] = far, far
                row[6] = g_length[g]
                continue
        if k_begins != k_ends and g_begins != g_ends:
            i, j = int(k_ends), int(g_ends)
            far = max(distance[0, i], distance[1, j])
            begin, end = (0.0, way[1, j]) if i == 0 else (way[1, j], k_length[k])
            length = end - begin
            if bars:
                for column in range(2):
                    row[7 + column] = k_pieces[k0, 2 * i + column]
                    row[9 + column] = g_pieces[g0, 2 * j + column]
                length = hypot(row[9] - row[7], row[10] - row[8])
            else:
                far = max(far, farthest(k_pieces, k0, k1, begin, end, g_pieces, g0, g1, limit))
            if far < limit:
                row[0], row[1], row[2], row[3], row[4] = 3, length, distance[0, i], distance[1, j], far
                row[5], row[6] = begin, end
