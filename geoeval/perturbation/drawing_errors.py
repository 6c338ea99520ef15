"""Known errors for drawn lines.

The kinds are those that the protocol of Liu and Dori (1997) distinguishes: lines missed, fragmented, consolidated,
shifted, and of the wrong width. Default magnitudes are shares of the line's width, as the tolerances of that protocol
are.

Errors are isolated, so that each can be found where it was inserted: at least ``clearance`` from any other error. A new
line overlaps the lines that it replaces and no other line, in the sense of the protocol. Lines that overlap another
line are left unchanged. The lines of the changed drawing are sorted, so that the result does not depend on the order
of the input.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.lines.line_errors import SMALL, real_overlaps
from geoeval.lines.line_matching import match_lines
from geoeval.model.courses import backwards, part, polyline
from geoeval.model.drawing import ARC, BAR, POLYLINE, Drawing
from geoeval.model.features import ErrorFeatures
from geoeval.perturbation.free_space import FreeSpace

Maps = tuple[Drawing, Drawing]

# Directions tried for each shift.
_DIRECTIONS = 8


@dataclass(frozen=True)
class _Edit:
    """One error: the lines to remove, and the courses to add instead, with their ids and their width."""

    gone: tuple[int, ...]
    made: tuple[Floats, ...]
    names: tuple[Any, ...]
    width: float
    distance: float = np.nan
    note: str = ""


def _missed(
    drawing: Drawing, count: int, rng: np.random.Generator, features: ErrorFeatures, *, clearance: float | None = None
) -> Maps:
    """Remove lines."""
    lines = _Lines(drawing)
    edits = (_Edit((row,), (), (), lines.widths[row]) for row in lines.shuffled(rng))
    return lines.applied(count, features, "missed", edits, clearance)


def _fragmented(
    drawing: Drawing, count: int, rng: np.random.Generator, features: ErrorFeatures, *, gap: float | None = None,
    clearance: float | None = None,
) -> Maps:  # fmt: skip
    """Remove the middle of open lines that are at least three times as long; the pieces keep the line's shape."""
    lines = _Lines(drawing)

    def pieces() -> Iterator[_Edit]:
        for row in lines.shuffled(rng):
            length, size = lines.lengths[row], lines.widths[row] / 2 if gap is None else gap
            if lines.closed[row] or length < 3 * size:
                continue
            ways = ((0.0, (length - size) / 2), ((length + size) / 2, length))
            parts = tuple(part(lines.courses[row], *way) for way in ways)
            if lines.shapes[row] != POLYLINE or min(map(len, parts)) > 1:
                names = tuple(f"{lines.ids[row]}/{number}" for number in (1, 2))
                yield _Edit((row,), parts, names, lines.widths[row], size)

    return lines.applied(count, features, "fragmented", pieces(), clearance)


def _consolidated(
    drawing: Drawing, count: int, rng: np.random.Generator, features: ErrorFeatures, *, reach: float | None = None,
    clearance: float | None = None,
) -> Maps:  # fmt: skip
    """Join two similar lines whose ends are within ``reach``: polylines, or bars on the same straight line."""
    lines = _Lines(drawing)
    pairs = rng.permutation(lines.meeting(reach))

    def joined() -> Iterator[_Edit]:
        for a, b, at_end, at_begin in pairs.tolist():
            first = lines.courses[a] if at_end else backwards(lines.courses[a])
            second = backwards(lines.courses[b]) if at_begin else lines.courses[b]
            course = _one_line(first, second, lines.shapes[a], SMALL * lines.widths[a])
            if course is not None:
                distance = float(np.hypot(*(second[0, 0:2] - first[-1, 2:4])))
                yield _Edit((a, b), (course,), (f"{lines.ids[a]}+{lines.ids[b]}",), lines.widths[a], distance)

    return lines.applied(count, features, "consolidated", joined(), clearance)


def _shifted(
    drawing: Drawing, count: int, rng: np.random.Generator, features: ErrorFeatures, *, distance: float | None = None,
    clearance: float | None = None,
) -> Maps:  # fmt: skip
    """Move lines in random directions by less than half their width; the protocol takes more for another line."""
    lines = _Lines(drawing)

    def moved() -> Iterator[_Edit]:
        for row in lines.shuffled(rng):
            size = lines.widths[row] / 4 if distance is None else distance
            if size >= lines.widths[row] / 2:
                continue
            for angle in rng.uniform(0, 2 * np.pi, _DIRECTIONS):
                course = lines.courses[row].copy()
                shift = size * np.array([np.cos(angle), np.sin(angle)])
                course[:, 0:4] += np.tile(shift, 2)
                course[course[:, 6] != 0, 4:6] += shift
                yield _Edit((row,), (course,), (lines.ids[row],), lines.widths[row], size)

    return lines.applied(count, features, "displaced", moved(), clearance)


def _wrong_width(
    drawing: Drawing, count: int, rng: np.random.Generator, features: ErrorFeatures, *, wider: float | None = None,
    clearance: float | None = None,
) -> Maps:  # fmt: skip
    """Make lines wider."""
    lines = _Lines(drawing)

    def thick() -> Iterator[_Edit]:
        for row in lines.shuffled(rng):
            old = lines.widths[row]
            more = old / 2 if wider is None else wider
            note = f"{old + more:g} for {old:g}"
            yield _Edit((row,), (lines.courses[row],), (lines.ids[row],), old + more, more, note)

    return lines.applied(count, features, "wrong_width", thick(), clearance)


ERRORS: dict[str, Callable[..., Maps]] = {
    "missed": _missed,
    "fragmented": _fragmented,
    "consolidated": _consolidated,
    "shifted": _shifted,
    "wrong_width": _wrong_width,
}


class _Lines:
    """The lines of a drawing, in an order that depends only on the lines."""

    def __init__(self, drawing: Drawing) -> None:
        self.given = drawing
        self.drawing = ordered = _ordered(drawing)
        self.courses = _courses(ordered)
        self.lengths, self.widths = ordered.lengths.tolist(), ordered.widths.tolist()
        self.shapes, self.closed, self.ids = ordered.shapes.tolist(), ordered.closed.tolist(), ordered.ids
        own = match_lines(ordered, ordered, same_first=False)
        doubled = real_overlaps(own) & (own.g != own.k)
        self.alone = np.setdiff1d(np.arange(len(ordered)), [own.g[doubled], own.k[doubled]])

    def shuffled(self, rng: np.random.Generator) -> list[int]:
        """The lines that overlap no other line, in random order."""
        chosen: list[int] = rng.permutation(self.alone).tolist()
        return chosen

    def meeting(self, reach: float | None) -> Ints:
        """Rows ``a, b, i, j``: start (0) or end (1) ``i`` of line ``a`` meets ``j`` of ``b``, a similar line."""
        drawing = self.drawing
        useful = np.zeros(len(drawing), dtype=bool)
        useful[self.alone] = True
        useful &= ~drawing.closed & (drawing.shapes != ARC)
        points = np.asarray(shapely.points(drawing.ends.reshape(-1, 2)))
        far = drawing.widths.max(initial=0.0) / 2 if reach is None else reach
        end, other = shapely.STRtree(points).query(points, "dwithin", far)
        a, b = end // 2, other // 2
        fits = (a < b) & useful[a] & useful[b]
        for values in (drawing.widths, drawing.styles, drawing.shapes):
            fits &= values[a] == values[b]
        if reach is None:
            fits &= shapely.dwithin(points[end], points[other], drawing.widths[a] / 2)
        rows = np.column_stack([a, b, end % 2, other % 2])[fits]
        # Lines that meet at both ends would become a ring.
        _, number, times = np.unique(rows[:, :2], axis=0, return_inverse=True, return_counts=True)
        rows = rows[times[number.reshape(-1)] == 1]
        return rows[np.lexsort(rows.T[::-1])]

    def applied(
        self, count: int, features: ErrorFeatures, kind: str, edits: Iterator[_Edit], clearance: float | None
    ) -> Maps:
        """The drawing, and a copy with the first ``count`` edits that there is room for; adds a feature for each."""
        free_space, done = FreeSpace(), list[_Edit]()
        strokes = self.drawing.geometries()
        while len(done) < count and (batch := list(islice(edits, 2 * count + 16))):
            for edit in self._found(batch):
                old = shapely.buffer(strokes[list(edit.gone)], [self.widths[row] / 2 for row in edit.gone])
                new = shapely.buffer(Drawing(edit.made).geometries(), edit.width / 2)
                distance = self.widths[edit.gone[0]] if clearance is None else clearance
                if len(done) < count and free_space.take([*old, *new], distance):
                    done.append(edit)
        shown = [edit.made[0] if kind == "consolidated" else self.courses[edit.gone[0]] for edit in done]
        features.add(
            kind,
            Drawing(shown).geometries(),
            ref_id=[";".join(str(self.ids[row]) for row in edit.gone) for edit in done],
            pred_id=[";".join(str(name) for name in edit.names) for edit in done],
            dist_m=[edit.distance for edit in done],
            note=[edit.note for edit in done],
        )
        return self.given, self._changed(done)

    def _found(self, edits: list[_Edit]) -> list[_Edit]:
        """The edits whose new lines overlap all of the lines that they replace, and no other line."""
        owner = np.repeat(np.arange(len(edits)), [len(edit.made) for edit in edits])
        new = Drawing(
            [course for edit in edits for course in edit.made],
            width=[edits[i].width for i in owner],
            shapes=[self.shapes[edits[i].gone[0]] for i in owner],
        )
        matching = match_lines(self.drawing, new, same_first=False)
        real = real_overlaps(matching)
        seen: list[set[int]] = [set() for _ in edits]
        for line, k in zip(matching.g[real].tolist(), matching.k[real].tolist(), strict=True):
            seen[owner[k]].add(line)
        return [edit for edit, own in zip(edits, seen, strict=True) if own == (set(edit.gone) if edit.made else set())]

    def _changed(self, edits: list[_Edit]) -> Drawing:
        drawing = self.drawing
        kept = np.setdiff1d(np.arange(len(drawing)), [row for edit in edits for row in edit.gone])
        made = [(edit, course, name) for edit in edits for course, name in zip(edit.made, edit.names, strict=True)]
        like = np.concatenate([kept, [edit.gone[0] for edit, _, _ in made]]).astype(np.int64)
        changed = Drawing(
            [*(self.courses[row] for row in kept), *(course for _, course, _ in made)],
            width=[*drawing.widths[kept], *(edit.width for edit, _, _ in made)],
            style=drawing.styles[like].tolist(),
            shapes=drawing.shapes[like],
            crs=drawing.crs,
            ids=[*drawing.ids[kept], *(name for _, _, name in made)],
            problems=drawing.problems,
            source=drawing.source,
            scale_error=drawing.scale_error,
        )
        return _ordered(changed)


def _courses(drawing: Drawing) -> list[Floats]:
    return np.split(drawing.pieces, drawing.first[1:-1]) if len(drawing) else []


def _ordered(drawing: Drawing) -> Drawing:
    """The same lines, sorted by their own properties, whichever way they run."""
    courses = _courses(drawing)

    def key(row: int) -> tuple[Any, ...]:
        ways = sorted([courses[row].tolist(), backwards(courses[row]).tolist()])
        return ways[0], drawing.widths[row], drawing.styles[row], drawing.shapes[row], ways[0] != courses[row].tolist()

    order = sorted(range(len(drawing)), key=key)
    return Drawing(
        [courses[row] for row in order],
        width=drawing.widths[order],
        style=drawing.styles[order].tolist(),
        shapes=drawing.shapes[order],
        crs=drawing.crs,
        ids=drawing.ids[order],
        problems=drawing.problems,
        source=drawing.source,
        scale_error=drawing.scale_error,
    )


def _one_line(first: Floats, second: Floats, shape: int, tolerance: float) -> Floats | None:
    """Both courses joined to one of the same shape; ``None`` if bars are not on one straight line."""
    begin, meet, other, end = first[0, 0:2], first[-1, 2:4], second[0, 0:2], second[-1, 2:4]
    if shape == BAR:
        course = polyline([begin, end])
        axis = (end - begin) / max(float(np.hypot(*(end - begin))), 1e-300)
        off_axis = [abs(float(axis[0] * (xy - begin)[1] - axis[1] * (xy - begin)[0])) for xy in (meet, other)]
        return course if max(off_axis) < tolerance else None
    return np.vstack([first, polyline([meet, other]), second])
