"""The metrics of outlines written as their definitions read, for a pair of maps of few objects: slow and plain."""

import math

import numpy as np
import shapely
from scipy.optimize import linear_sum_assignment


def corners(polygon):
    """Rings without vertices on straight sides, the object on the left."""
    rings = []
    for part in shapely.get_parts(polygon):
        for number, ring in enumerate([part.exterior, *part.interiors]):
            points = [np.array(p) for p in ring.coords[:-1]]
            area = sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(points, points[1:] + points[:1], strict=True))
            if (area > 0) != (number == 0):
                points.reverse()
            kept = []
            for k, point in enumerate(points):
                side = shapely.LineString([points[k - 1], points[(k + 1) % len(points)]])
                if shapely.Point(point).distance(side) > 1e-6:
                    kept.append(point)
            rings.append(kept)
    return rings


def slow_matches(reference, prediction, threshold=0.5):
    """Pairs one to one: the highest confidence first, then the largest IoU."""
    sure = [0] * len(prediction) if prediction.confidence is None else prediction.confidence
    pairs = []
    for i, a in enumerate(reference.polygons):
        for j, b in enumerate(prediction.polygons):
            common = a.intersection(b).area
            iou = common / (a.area + b.area - common)
            if iou >= threshold - 1e-12:
                pairs.append((-sure[j], -round(iou, 12), i, j))
    found, used = [], set()
    for _, _, i, j in sorted(pairs):
        if ("r", i) not in used and ("p", j) not in used:
            used |= {("r", i), ("p", j)}
            found.append((i, j))
    return found


def mean_over_matches(reference, prediction, value):
    values = [value(reference.polygons[i], prediction.polygons[j]) for i, j in slow_matches(reference, prediction)]
    values = [one for one in values if one is not None]
    return sum(values) / len(values) if values else None


def slow_polis(a, b):
    def way(one, other):
        points = [point for ring in corners(one) for point in ring]
        return sum(shapely.Point(p).distance(other.boundary) for p in points) / len(points)

    return (way(a, b) + way(b, a)) / 2


def slow_hausdorff(a, b, steps=2000):
    """At many places of the outlines: at most ``length / steps`` too small."""

    def way(one, other):
        places = [one.boundary.interpolate(t, normalized=True) for t in np.linspace(0, 1, steps)]
        places += [shapely.Point(p) for p in shapely.get_coordinates(one)]
        return max(place.distance(other.boundary) for place in places)

    return max(way(a, b), way(b, a))


def slow_chamfer(a, b, spacing=0.25):
    def way(one, other):
        total = length = 0.0
        for ring in corners(one):
            for p, q in zip(ring, ring[1:] + ring[:1], strict=True):
                own = math.dist(p, q)
                pieces = max(1, math.ceil(own / spacing - 1e-9))
                middles = [p + (k + 0.5) / pieces * (q - p) for k in range(pieces)]
                total += own * sum(shapely.Point(m).distance(other.boundary) for m in middles) / pieces
                length += own
        return total / length

    return (way(a, b) + way(b, a)) / 2


def slow_angle(true, found, spacing=0.5, stretch=2.0):
    worst = None
    for ring in corners(found):
        for p, q in zip(ring, ring[1:] + ring[:1], strict=True):
            pieces = max(1, round(math.dist(p, q) / spacing))
            places = [p + k / pieces * (q - p) for k in range(pieces + 1)]
            feet = [np.array(shapely.shortest_line(shapely.Point(m), true.boundary).coords[1]) for m in places]
            for k in range(pieces):
                piece, foot = places[k + 1] - places[k], feet[k + 1] - feet[k]
                if math.hypot(*foot) == 0 or not 1 / stretch < math.hypot(*piece) / math.hypot(*foot) < stretch:
                    continue
                cosine = abs(piece @ foot) / math.hypot(*piece) / math.hypot(*foot)
                worst = max(worst or 0.0, math.degrees(math.acos(min(cosine, 1.0))))
    return worst


def slow_vertex(reference, prediction, reach=1.0):
    """The largest number of corner pairs, by an assignment of all corners in which a possible pair is worth 1."""
    true, found = (
        [(own, p) for own in some.polygons for ring in corners(own) for p in ring] for some in (reference, prediction)
    )
    worth = [
        [float(math.dist(p, q) <= reach + 1e-9 and a.intersection(b).area > 1e-9) for b, q in found] for a, p in true
    ]
    if not (true and found):
        return 0
    rows, columns = linear_sum_assignment(np.array(worth), maximize=True)
    return int(sum(worth[i][j] for i, j in zip(rows, columns, strict=True)))


def slow_ap(reference, prediction, iou_of, low=0.0, high=math.inf):
    """COCO's loop over detections, one after another; confidences must differ."""
    order = np.argsort(-prediction.confidence, kind="stable")
    values = []
    for threshold in np.linspace(0.5, 0.95, 10):
        taken, hits, counted = set(), [], []
        inside = [low <= a.area <= high for a in reference.polygons]
        for j in order:
            b = prediction.polygons[j]
            best = None
            for wanted in (True, False):
                for i, a in enumerate(reference.polygons):
                    value = iou_of(a, b)
                    if i in taken or inside[i] != wanted or value < threshold - 1e-12:
                        continue
                    if best is None or value > best[0]:
                        best = value, i
                if best is not None:
                    break
            if best is not None:
                taken.add(best[1])
            hits.append(best is not None)
            counted.append(inside[best[1]] if best is not None else low <= b.area <= high)
        true = np.cumsum(np.array(hits) & np.array(counted))
        false = np.cumsum(~np.array(hits) & np.array(counted))
        total = sum(inside)
        if total == 0:
            return None
        curve = [
            max(
                [t / (t + f) for t, f in zip(true, false, strict=True) if t + f and t / total >= r - 1e-12], default=0.0
            )
            for r in np.linspace(0, 1, 101)
        ]
        values.append(np.mean(curve))
    return float(np.mean(values))


def slow_iou(a, b):
    common = a.intersection(b).area
    return common / (a.area + b.area - common)


def slow_boundary_iou(a, b, width=2.0):
    """The smaller one of the IoU of two polygons and of their boundaries, by the parts that are beyond the width."""
    inner = [one.buffer(-width, quad_segs=8) for one in (a, b)]
    common = a.intersection(b).area - a.intersection(inner[1]).area - b.intersection(inner[0]).area
    common += inner[0].intersection(inner[1]).area
    sizes = [one.area - core.area for one, core in zip((a, b), inner, strict=True)]
    return min(slow_iou(a, b), common / (sum(sizes) - common))
