"""What each metric counts that compares outlines of objects."""

from itertools import pairwise
from math import atan2, degrees, hypot

import numpy as np
import shapely
from matplotlib.patches import Arc
from shapely import Point, Polygon, box

from making.drawings.canvas import REACH, RIGHT, WRONG, Canvas, Sketch

# An outline, and one drawn askew, for the metrics that compare outlines.
_HOUSE = box(0, 0, 40, 24)
_DRAWN = Polygon([(2, 2), (44, 0), (42, 27), (-1, 22)])
# The outline with one _SPIKE, which is far off but short.
_SPIKE = Polygon([(0, 0), (40, 0), (40, 10), (48, 12), (40, 14), (40, 24), (0, 24)])


def _corners(polygon: Polygon) -> np.ndarray:
    return shapely.get_coordinates(polygon)[:-1]


def _nearest(place: np.ndarray, polygon: Polygon) -> np.ndarray:
    return shapely.get_coordinates(shapely.shortest_line(Point(place), polygon.exterior))[1]


def polis() -> Sketch:
    """Distances from corners to the other outline."""
    there = shapely.distance(shapely.points(_corners(_HOUSE)), _DRAWN.exterior)
    back = shapely.distance(shapely.points(_corners(_DRAWN)), _HOUSE.exterior)
    value = there.mean() / 2 + back.mean() / 2

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.outline(_DRAWN)
        for polygon, other, colour in ((_HOUSE, _DRAWN, REACH), (_DRAWN, _HOUSE, WRONG)):
            for corner in _corners(polygon):
                on.arrow(tuple(corner), tuple(_nearest(corner, other)), colour, both_ends=False)
            on.dots(_corners(polygon), colour, is_reference=polygon is _HOUSE)
        on.say((20, 15), "from its corners to the prediction", REACH)
        on.say((20, 8), "from predicted corners to the reference", WRONG)

    return Sketch(
        [_HOUSE], [_DRAWN], draw,
        (r"PoLiS $=\frac{1}{2q}\,\sum_i d(a_i,B)+\frac{1}{2r}\,\sum_j d(b_j,A)$",
         rf"$=\frac{{1}}{{8}}\cdot{there.sum():.2f}+\frac{{1}}{{8}}\cdot{back.sum():.2f}={value:.3f}$ m",
         "corners to the nearest place of the other outline;", "the mean over matched objects"),
        {"polis": value, "matched": 1},
    )  # fmt: skip


def hausdorff() -> Sketch:
    """The largest distance between two outlines."""

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.outline(_SPIKE)
        for y in (10.8, 13.2):
            on.arrow((43.2, y), (40, y), REACH, both_ends=False)
        on.arrow((48, 12), (40, 12), WRONG)
        on.say((49, 16), "8 m", WRONG)
        on.say((20, 12), "everywhere else the outlines\nlie on each other")

    return Sketch(
        [_HOUSE], [_SPIKE], draw,
        (r"$h=\max\left(\max_{a\in A}\,d(a,B),\;\max_{b\in B}\,d(b,A)\right)$", r"$=8$ m",
         "over all places of both outlines;", "the mean over matched objects"),
        {"hausdorff": 8.0, "matched": 1},
    )  # fmt: skip


def chamfer() -> Sketch:
    """The mean distance between two outlines."""
    spacing = 0.25

    def mean(outline: Polygon, other: Polygon) -> float:
        places, weights = [], []
        ring = shapely.get_coordinates(outline)
        for start, end in pairwise(ring):
            length = hypot(*(end - start))
            pieces = int(np.ceil(length / spacing))
            places += [start + (end - start) * (each + 0.5) / pieces for each in range(pieces)]
            weights += [length / pieces] * pieces
        return float(np.average(shapely.distance(shapely.points(places), other.exterior), weights=weights))

    there, back = mean(_HOUSE, _SPIKE), mean(_SPIKE, _HOUSE)

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.outline(_SPIKE)
        for share in (0.2, 0.4, 0.6, 0.8, 1.0):
            for side in (-2, 2):
                x, y = 40 + 8 * share, 12 + side * (1 - share)
                on.arrow((x, y), (40, y), REACH, both_ends=False)
        on.say((20, 12), "most places: 0 m")
        on.say((48, 18), "up to 8 m", REACH)

    return Sketch(
        [_HOUSE], [_SPIKE], draw,
        (r"$c=\frac{1}{2}\,(\overline{d(a,B)}+\overline{d(b,A)})$",
         rf"$=\frac{{1}}{{2}}\,({there:.3f}+{back:.3f})={(there + back) / 2:.3f}$ m",
         "means along both outlines, not over corners:", "one spike counts little;", "the mean over matched objects"),
        {"chamfer": (there + back) / 2, "matched": 1}, {"spacing": spacing},
    )  # fmt: skip


def c_iou() -> Sketch:
    """Covered ground, and how many corners there are."""
    stepped = Polygon([(0, 0), (40, 0), (40, 20), (34, 20), (34, 24), (6, 24), (6, 20), (0, 20)])
    share = stepped.area / _HOUSE.area

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.ground(stepped, RIGHT, 0.35)
        on.outline(stepped)
        on.dots(_corners(_HOUSE), REACH, is_reference=True)
        on.dots(_corners(stepped), WRONG)
        on.say((20, 12), r"$N=4$ corners, predicted $N'=8$")

    return Sketch(
        [_HOUSE], [stepped], draw,
        (r"IoU $=\frac{\mathrm{ground\ of\ both}}{\mathrm{ground\ of\ either}}$" + rf"$\;={share:.3f}$",
         r"likeness $=1-\frac{|N-N'|}{N+N'}=1-\frac{4}{12}=0.667$",
         rf"C-IoU $=$ IoU $\cdot$ likeness $={share * 2 / 3:.3f}$"),
        {"c_iou": share * 2 / 3, "iou": share, "vertex_ratio": 2.0},
    )  # fmt: skip


def vertex() -> Sketch:
    """Corners that have one of the other outline nearby."""
    drawn = Polygon([(1, 1), (40, 0), (40, 18), (34, 24), (0, 25)])

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.outline(drawn)
        for corner in _corners(_HOUSE):
            on.reach(Point(corner).buffer(3))
        on.dots([(0, 0), (40, 0), (0, 24)], RIGHT, is_reference=True)
        on.dots([(40, 24)], WRONG, is_reference=True)
        on.dots([(1, 1), (40, 0), (0, 25)], RIGHT)
        on.dots([(40, 18), (34, 24)], WRONG)
        on.say((47, 26), "missed", WRONG)
        on.say((46, 16), "invented", WRONG)
        on.say((8, 5.5), "max_distance", REACH)

    return Sketch(
        [_HOUSE], [drawn], draw,
        ("corners match one to one within max_distance,", "as many as possible", "TP $=3$,  FP $=2$,  FN $=1$",
         r"precision $=\frac{3}{5}=0.6$,   recall $=\frac{3}{4}=0.75$"),
        {"precision": 0.6, "recall": 0.75, "tp": 3, "fp": 2, "fn": 1}, {"max_distance": 3.0},
    )  # fmt: skip


def angle() -> Sketch:
    """The largest angle between the outlines."""
    drawn = Polygon([(0, 0), (40, 0), (40, 27), (0, 24)])
    turn = degrees(atan2(3, 40))

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.outline(drawn)
        for start in range(0, 40, 8):
            ends = [(x, 24 + x * 3 / 40) for x in (start + 1, start + 7)]
            on.prediction(ends, colour=WRONG)
            for x, y in ends:
                on.link((x, y), (x, 24), REACH)
        for side in ([(4, 0), (36, 0)], [(0, 3), (0, 21)], [(40, 3), (40, 21)]):
            on.prediction(side, colour=RIGHT)
        on.say((20, 32), rf"these pieces are turned by {turn:.1f} degrees", WRONG)
        on.say((20, 12), "pieces of the predicted outline, and their\nprojections to the reference")

    return Sketch(
        [_HOUSE], [drawn], draw,
        ("the predicted outline in pieces; of each", "the angle to its projection on the reference",
         rf"an object: the largest angle $={turn:.2f}$ degrees", "pieces that are stretched by the projection,",
         "as at corners, are left out;", "the mean over matched objects"),
        {"max_tangent_angle": turn, "matched": 1},
    )  # fmt: skip


def right_angles() -> Sketch:
    """The turning of outlines that the other one has too."""
    drawn = Polygon([(0, 0), (40, 0), (40, 18), (34, 24), (0, 24)])

    def draw(on: Canvas) -> None:
        on.ground(_HOUSE)
        on.outline(drawn)
        for (x, y), start in (((0, 0), 0), ((40, 0), 90), ((0, 24), 270)):
            on.axes.add_patch(Arc((x, y), 9, 9, theta1=start, theta2=start + 90, color=RIGHT, lw=2, zorder=6))
        on.dots([(0, 0), (40, 0), (0, 24)], RIGHT, is_reference=True)
        on.dots([(0, 0), (40, 0), (0, 24)], RIGHT)
        on.dots([(40, 24)], WRONG, is_reference=True)
        on.dots([(40, 18), (34, 24)], WRONG)
        on.say((42, 26.5), "90", WRONG)
        on.say((42.5, 17), "45", WRONG)
        on.say((33, 26.5), "45", WRONG)
        for place in ((9, 6), (31, 6), (9, 18)):
            on.say(place, "90", RIGHT)

    return Sketch(
        [_HOUSE], [drawn], draw,
        ("an outline is where it turns; a corner counts if", "one of the other outline is near and turns alike",
         r"score $=\frac{\mathrm{turning\ of\ matched\ corners}}{\mathrm{all\ turning\ of\ both\ maps}}$",
         r"$=\frac{2\cdot 270}{2\cdot 360}=0.75$"),
        {"score": 0.75, "right_reference": 1.0, "right_prediction": 0.75},
    )  # fmt: skip


SKETCHES = {
    "polis": polis, "c-iou": c_iou, "vertex": vertex, "angle": angle, "right-angles": right_angles,
    "hausdorff": hausdorff, "chamfer": chamfer,
}  # fmt: skip
