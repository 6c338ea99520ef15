"""The protocol for lines again, slowly and differently: every line is hundreds of points, no formula of a circle."""

import numpy as np
import shapely

STEPS = 700


def points_of(course, steps=STEPS):
    """Points along a course at equal steps of each piece, and the way to each."""
    xy, way, gone = [], [], 0.0
    for x0, y0, x1, y1, cx, cy, sweep in course:
        t = np.linspace(0, 1, steps)
        if sweep == 0:
            place = np.column_stack([x0 + t * (x1 - x0), y0 + t * (y1 - y0)])
        else:
            turned = (complex(x0, y0) - complex(cx, cy)) * np.exp(1j * sweep * t) + complex(cx, cy)
            place = np.column_stack([turned.real, turned.imag])
        step = np.concatenate([[0], np.hypot(*np.diff(place, axis=0).T)])
        xy.append(place)
        way.append(gone + np.cumsum(step))
        gone = way[-1][-1]
    return np.vstack(xy), np.concatenate(way)


class SlowLine:
    def __init__(self, course, width, style, shape):
        self.xy, self.way = points_of(course)
        self.axis = shapely.LineString(self.xy)
        shapely.prepare(self.axis)
        self.length, self.width, self.style, self.shape = self.way[-1], width, style, shape
        self.ends = self.xy[[0, -1]]
        self.closed = np.allclose(self.ends[0], self.ends[1], atol=1e-6)

    def distance(self, xy):
        return shapely.distance(shapely.points(xy), self.axis)


def lines_of(drawing):
    courses = np.split(drawing.pieces, drawing.first[1:-1]) if len(drawing) else []
    return [
        SlowLine(course, drawing.widths[i], drawing.styles[i], drawing.shapes[i]) for i, course in enumerate(courses)
    ]


def overlap(k, g):
    """Length, d1, d2 and overlap distance of the overlap, or None."""
    dk, dg = g.distance(k.ends), k.distance(g.ends)
    bars = k.shape == g.shape == 1
    in_k, in_g = dk < g.width / 2, dg < k.width / 2
    limit = np.inf if bars else g.width / 2

    def accept(length, d1, d2, part, other):
        far = max(d1, d2) if bars else max(d1, d2, other.distance(part).max())
        return (length, d1, d2, far) if far < limit else None

    if in_k.all():
        found = accept(k.length, *dk, k.xy, g)
        if found:
            return (found[0], found[3], found[3], found[3]) if k.closed else found
    if in_g.all():
        found = accept(g.length, *dg, g.xy, k)
        if found and not (g.closed and found[3] >= k.width / 2):
            return (found[0], found[3], found[3], found[3]) if g.closed else found
    if in_k.sum() == 1 and in_g.sum() == 1:
        i, j = int(in_k[1]), int(in_g[1])
        if bars:
            return accept(np.hypot(*(k.ends[i] - g.ends[j])), dk[i], dg[j], k.xy, g)
        at = k.way[np.hypot(*(k.xy - g.ends[j]).T).argmin()]
        part = k.xy[k.way >= at] if i else k.xy[k.way <= at]
        return accept(k.length - at if i else at, dk[i], dg[j], part, g)
    return None


def rates(reference, prediction):
    """Dv and Fv by the printed formulas."""
    true, found = lines_of(reference), lines_of(prediction)
    of_g = [[] for _ in true]
    of_k = [[] for _ in found]
    for a, g in enumerate(true):
        for b, k in enumerate(found):
            c = overlap(k, g)
            if c is None:
                continue
            length, d1, d2, far = c
            w = g.width
            factors = [(d1 + d2) / w, 2 * far / w, abs(k.width - w) / w, abs(k.style - g.style), abs(k.shape - g.shape)]
            quality = np.prod(np.exp(-np.array(factors))) ** (1 / 5)
            of_g[a].append((quality, length))
            of_k[b].append((quality, length))

    def total(line, parts):
        whole = sum(length for _, length in parts)
        if whole <= 1e-6 * line.length:
            return 0.0
        basic = sum(q * length for q, length in parts) / max(line.length, whole)
        return basic * np.sqrt(sum(length**2 for _, length in parts)) / whole

    dv = sum(total(g, parts) * g.length for g, parts in zip(true, of_g, strict=True)) / sum(g.length for g in true)
    fv = sum((1 - total(k, parts)) * k.length for k, parts in zip(found, of_k, strict=True))
    return dv, fv / sum(k.length for k in found)


def black_pixels(drawing, middles):
    """Which middles are black by their distance to every axis, and which lie so near a border that sampling errs."""
    black, unsure = np.zeros(len(middles), dtype=bool), np.zeros(len(middles), dtype=bool)
    for line in lines_of(drawing):
        distance = line.distance(middles)
        black |= (distance < line.width / 2) | (distance <= 0.5)
        unsure |= np.abs(distance - max(line.width / 2, 0.5)) < 1e-3
    return black, unsure
