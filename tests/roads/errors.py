"""Six errors of road extraction, applied a chosen number of times to clean lines; seeded.

Each function takes lines that share vertices where they join (for example ``networks.grid()``), the number of
errors and a seed, and returns ``(reference_lines, prediction_lines)``. At most one error falls on a line (two
ends of links may), so that on blocks of 100 m errors are more than 15 m from each other and from junctions.
"""

import numpy as np
import shapely
from shapely.ops import substring


def interruptions(lines, count, *, seed=0, gap=8.0):
    """Lines of the prediction broken in the middle."""
    chosen = _choose(lines, count, seed)
    out = []
    for number, line in enumerate(lines):
        if number not in chosen:
            out.append(line)
            continue
        whole = shapely.LineString(line)
        middle = whole.length / 2
        out.append(_coords(substring(whole, 0, middle - gap / 2)))
        out.append(_coords(substring(whole, middle + gap / 2, whole.length)))
    return _clean(lines), out


def overconnections(lines, count, *, seed=0, shortest=60.0, longest=160.0):
    """False links between places on two lines of the prediction, at 30 and 70 % of them."""
    rng = np.random.default_rng(seed)
    shapes = [shapely.LineString(line) for line in lines]
    places = [(number, share) for number in range(len(lines)) for share in (0.3, 0.7)]
    order = [places[i] for i in rng.permutation(len(places))]
    links, used = [], set()
    for first in order:
        for second in order:
            if len(links) == count or first in used or second in used or first[0] == second[0]:
                continue
            a, b = (shapes[number].interpolate(share, normalized=True) for number, share in (first, second))
            link = shapely.LineString([a, b])
            along_a_road = any(shape.intersection(link).length > 1e-6 for shape in shapes)
            if shortest <= link.length <= longest and not along_a_road:
                links.append((first, second))
                used |= {first, second}
    assert len(links) == count, "the lines do not offer that many links"
    at = {place: _point(shapes[place[0]].interpolate(place[1], normalized=True)) for place in used}
    out = [_with_vertices(line, [at[p] for p in sorted(used) if p[0] == n]) for n, line in enumerate(lines)]
    return _clean(lines), out + [[at[first], at[second]] for first, second in links]


def perturbations(lines, count, *, seed=0, distance=20.0):
    """Vertices of the prediction moved; what was joined stays joined."""
    rng = np.random.default_rng(seed)
    vertices = sorted({tuple(p) for line in lines for p in line})
    moved = {}
    for i in rng.permutation(len(vertices))[:count]:
        angle = rng.uniform(0, 2 * np.pi)
        x, y = vertices[i]
        moved[vertices[i]] = (x + distance * float(np.cos(angle)), y + distance * float(np.sin(angle)))
    return _clean(lines), [[moved.get(tuple(p), tuple(p)) for p in line] for line in lines]


def doubled(lines, count, *, seed=0, shift=8.0):
    """Lines of the prediction with a copy beside their middle 60 %, joined to them at both ends."""
    chosen = _choose(lines, count, seed)
    out = []
    for number, line in enumerate(lines):
        if number not in chosen:
            out.append(line)
            continue
        whole = shapely.LineString(line)
        low, high = 0.2 * whole.length, 0.8 * whole.length
        ends = [_point(whole.interpolate(at)) for at in (low, high)]
        copy = shapely.offset_curve(substring(whole, low + shift, high - shift), shift)
        out.append(_with_vertices(line, ends))
        out.append([ends[0], *_coords(copy), ends[1]])
    return _clean(lines), out


def doubled_reference(lines, count, *, seed=0, shift=8.0):
    """Two parallel roads in the reference where the prediction has one."""
    prediction, reference = doubled(lines, count, seed=seed, shift=shift)
    return reference, prediction


def far_false_positives(lines, count, *, seed=0):
    """A corner of the reference removed: there the prediction has roads where nothing is."""
    corner = np.random.default_rng(seed).integers(0, 2, 2) * 2 - 1
    middles = np.array([shapely.LineString(line).interpolate(0.5, normalized=True).coords[0] for line in lines])
    removed = set(np.argsort(middles @ corner, kind="stable")[len(lines) - count :].tolist())
    return [line for number, line in enumerate(lines) if number not in removed], _clean(lines)


ERRORS = {
    "interruptions": interruptions,
    "overconnections": overconnections,
    "perturbations": perturbations,
    "doubled": doubled,
    "doubled_reference": doubled_reference,
    "far_false_positives": far_false_positives,
}


def _choose(lines, count, seed):
    return set(np.random.default_rng(seed).permutation(len(lines))[:count].tolist())


def _with_vertices(line, places):
    """The line with these places on it as vertices."""
    whole = shapely.LineString(line)
    vertices = [(whole.project(shapely.Point(p)), tuple(p)) for p in [*line, *places]]
    return [p for _, p in sorted(vertices)]


def _clean(lines):
    return [[tuple(p) for p in line] for line in lines]


def _point(point):
    return tuple(point.coords[0])


def _coords(line):
    return [tuple(p) for p in line.coords]
