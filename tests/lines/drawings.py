"""Small and random drawings that the tests of lines share."""

import numpy as np

from geoeval.model.courses import arc, bar, polyline
from geoeval.model.drawing import Drawing


def random_drawing(rng, count):
    """Bars, arcs, circles and polylines in a square of 100."""
    courses = []
    for _ in range(count):
        x, y = rng.uniform(10, 90, 2)
        kind = rng.integers(5)
        if kind <= 1:
            courses.append(bar((x, y), (x + rng.uniform(-40, 40), y + rng.uniform(-40, 40))))
        elif kind == 2:
            courses.append(
                arc((x, y), rng.uniform(5, 30), rng.uniform(0, 6), rng.choice([-1, 1]) * rng.uniform(0.4, 6))
            )
        elif kind == 3:
            courses.append(arc((x, y), rng.uniform(5, 30), rng.uniform(0, 6)))
        else:
            points = np.array([x, y]) + np.cumsum(rng.uniform(-15, 15, (4, 2)), axis=0)
            courses.append(polyline(points, bulges=[0.0, rng.uniform(-0.7, 0.7), 0.0, 0.0]))
    return Drawing(courses, width=rng.uniform(4, 12, count), style=rng.integers(1, 5, count))


def shaken(rng, drawing):
    """A copy as a vectoriser might make it: moved a little, some lines cut short or in two, some gone, some new."""
    courses, widths, styles = [], [], []
    for i, course in enumerate(np.split(drawing.pieces, drawing.first[1:-1])):
        own = course + np.append(np.tile(rng.normal(0, 1, 2), 3), 0.0)
        fate = rng.integers(6)
        if fate == 0:
            continue
        parts = [own]
        if len(own) == 1 and fate <= 3:
            cut = rng.uniform(0.2, 0.8)
            parts = [part_of(own[0], 0.0, cut), part_of(own[0], cut, 1.0)][: 1 + (fate == 3)]
        elif len(own) == 1 and fate == 4 and own[0, 6] != 0 and abs(own[0, 6]) < 1.5:
            parts = [bar(own[0, 0:2], own[0, 2:4])]
        courses += parts
        widths += [drawing.widths[i] * rng.uniform(0.8, 1.2)] * len(parts)
        styles += [int(drawing.styles[i])] * len(parts)
    extra = random_drawing(rng, 2)
    courses += np.split(extra.pieces, extra.first[1:-1])
    return Drawing(courses, width=[*widths, *extra.widths], style=[*styles, *extra.styles.tolist()])


def part_of(piece, begin, end):
    """Part of a piece between two shares."""
    x0, y0, x1, y1, cx, cy, sweep = piece
    if sweep == 0:
        return bar((x0 + begin * (x1 - x0), y0 + begin * (y1 - y0)), (x0 + end * (x1 - x0), y0 + end * (y1 - y0)))
    first = np.arctan2(y0 - cy, x0 - cx)
    return arc((cx, cy), np.hypot(x0 - cx, y0 - cy), first + begin * sweep, (end - begin) * sweep)
