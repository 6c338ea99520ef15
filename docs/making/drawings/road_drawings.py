"""What each road metric counts; those that look at surroundings are in ``surrounding_drawings``."""

from math import hypot

import numpy as np
import shapely
from shapely import LineString, Point

from making.drawings.canvas import (
    MISSED,
    MISSED_WORDS,
    PREDICTION,
    REACH,
    REFERENCE,
    RIGHT,
    WRONG,
    Canvas,
    Sketch,
)


def ccq() -> Sketch:
    """Lengths within a tolerance of the other network."""
    road, drawn, false = [(0, 0), (160, 0)], [(0, 4), (90, 4)], [(110, 36), (150, 36)]
    reached = 90 + (10**2 - 4**2) ** 0.5
    correctness, completeness = 90 / 130, reached / 160
    quality = 1 / (1 / correctness + 1 / completeness - 1)

    def draw(on: Canvas) -> None:
        on.reach(LineString(road).buffer(10))
        on.reference(road)
        on.reference([(reached, 0), (160, 0)], colour=WRONG)
        on.prediction(drawn, colour=RIGHT)
        on.prediction(false, colour=WRONG)
        on.arrow((30, 0), (30, -10))
        on.say((38, -17), "tolerance", REACH)
        on.say((130, -17), "missing", WRONG)
        on.say((130, 44), "spurious", WRONG)
        on.say((50, 14), "within the tolerance", RIGHT)

    return Sketch(
        [road], [drawn, false], draw,
        (r"correctness: share of the prediction within", rf"the tolerance $=\frac{{90}}{{130}}={correctness:.3f}$",
         r"completeness: share of the reference within",
         rf"the tolerance $=\frac{{{reached:.1f}}}{{160}}={completeness:.3f}$",
         r"quality $=1\;/\;(\frac{1}{\mathrm{correctness}}+\frac{1}{\mathrm{completeness}}-1)$",
         rf"$={quality:.3f}$"),
        {"correctness": correctness, "completeness": completeness, "quality": quality},
        {"tolerance": 10.0},
    )  # fmt: skip


def tlts() -> Sketch:
    """Lengths of shortest paths between drawn places."""
    ring = [(0, 0), (120, 0), (120, 60), (0, 60), (0, 0)]
    detour = [(120, 0), (140, 0), (140, -30), (170, -30), (170, 0), (195, 0)]
    spur = [(120, 60), (195, 60)]
    ring_cut = [(70, 60), (120, 60), (120, 0), (0, 0), (0, 60), (50, 60)]
    straight = [(120, 0), (195, 0)]
    pairs = [((20, 0), (100, 0)), ((30, 60), (90, 60)), ((130, 0), (185, 0)), ((100, 60), (185, 60))]

    along = [LineString(ring_cut).project(Point(place)) for place in pairs[1]]

    def draw(on: Canvas) -> None:
        on.reference(ring, detour, spur)
        on.prediction(ring_cut, straight)
        colours = (RIGHT, WRONG, WRONG, WRONG)
        words = (
            ((60, -9), "correct: 80 m, 80 m"), ((60, 70), f"too long: 60 m, {abs(along[0] - along[1]):.0f} m"),
            ((158, 9), "too short: 115 m, 55 m"), ((150, 70), "infeasible"),
        )  # fmt: skip
        for (start, end), colour, (place, text) in zip(pairs, colours, words, strict=True):
            on.dots([start, end], colour, is_reference=True)
            on.say(place, text, colour)
        on.prediction([(20, 0), (100, 0)], colour=RIGHT)

    return Sketch(
        [ring, detour, spur], [ring_cut, straight], draw,
        ("of each pair the shortest path is",
         r"$a$ long in the reference, $b$ in the prediction:",
         r"$b > 1.05\,a$: too long;   $b < 0.95\,a$: too short;",
         "no place near, or no way: infeasible;", "else correct.",
         r"correct $=\frac{\mathrm{correct\ pairs}}{\mathrm{pairs}}=\frac{1}{4}=0.250$"),
        {"correct": 0.25, "too_long": 0.25, "too_short": 0.25, "infeasible": 0.25},
        {"pairs": pairs},
    )  # fmt: skip


def apls() -> Sketch:
    """How far the length of a path differs, as a share of it."""
    ring = [(0, 0), (120, 0), (120, 30), (0, 30), (0, 0)]
    cut = [(70, 30), (120, 30), (120, 0), (0, 0), (0, 30), (50, 30)]
    pair = ((10, 30), (110, 30))

    def draw(on: Canvas) -> None:
        on.reference(ring)
        on.prediction(cut)
        around = [(110, 30), (120, 30), (120, 0), (0, 0), (0, 30), (10, 30)]
        on.prediction(around, colour=WRONG)
        on.dots(pair, REACH, is_reference=True)
        on.say((60, 38), "$a$ = 100 m in the reference")
        on.say((60, 9), "$b$ = 200 m in the prediction", WRONG)

    return Sketch(
        [ring], [cut], draw,
        (r"loss of a pair $=\min(1,\;|a-b|\,/\,a)$", "1 where a place or the way is missing",
         r"a direction: $1-$ mean loss of its pairs",
         r"here from the reference: $1-\frac{|100-200|}{100}=0$",
         r"from the prediction: $1-\frac{|200-100|}{200}=0.5$",
         r"apls: the harmonic mean of both directions $=0$"),
        {"reference_to_prediction": 0.0, "prediction_to_reference": 0.5, "apls": 0.0},
        {"pairs": [pair]},
    )  # fmt: skip


def junct() -> Sketch:
    """Which roads leave the same junctions."""
    across, along = [(-60, 0), (0, 0), (60, 0)], [(0, -45), (0, 0), (0, 45)]
    drawn = [[(-60, 6), (6, 6), (60, 6)], [(6, 6), (6, 45)]]
    false = [[(120, -40), (120, 0), (120, 40)], [(120, 0), (155, 0)]]

    def draw(on: Canvas) -> None:
        on.reach(Point(0, 0).buffer(18))
        on.reference(across, along)
        on.prediction(*drawn, *false)
        on.prediction([(6, 6), (-30, 6)], [(6, 6), (40, 6)], [(6, 6), (6, 35)], colour=RIGHT)
        on.reference([(0, -4), (0, -35)], colour=WRONG)
        on.prediction([(120, 0), (120, 28)], [(120, 0), (120, -28)], [(120, 0), (145, 0)], colour=WRONG)
        on.dots([(0, 0)], PREDICTION, is_reference=True)
        on.dots([(6, 6), (120, 0)], PREDICTION)
        on.say((36, -30), "not captured", WRONG)
        on.say((40, 18), "captured", RIGHT)
        on.say((108, -52), "without a partner", WRONG)
        on.say((-34, -16), "max_distance", REACH)

    return Sketch(
        [across, along], [*drawn, *false], draw,
        (r"$f_{\mathrm{correct}}$: share of captured roads, $\frac{3}{4}$",
         r"$f_{\mathrm{error}}$: predicted ones not captured, $0$ and $1$",
         r"$F_{\mathrm{correct}}=\frac{\sum f_{\mathrm{correct}}}{\mathrm{junctions}}=\frac{0.75}{1}$ (recall)",
         r"$F_{\mathrm{error}}=\frac{\sum f_{\mathrm{error}}}{\sum f_{\mathrm{error}}\,+\,\sum f_{\mathrm{correct}}}$",
         r"$=\frac{1}{1.75}=0.571$",
         r"precision $=1-F_{\mathrm{error}}=0.429$"),
        {"f_correct": 0.75, "f_error": 1 / 1.75, "recall": 0.75, "precision": 0.75 / 1.75},
        {"max_distance": 18.0, "direction_distance": 30.0},
    )  # fmt: skip


def opt_p() -> Sketch:
    """Paths that are followed in the other network."""
    road, pieces = [(0, 0), (120, 0)], [[(0, 3), (50, 3)], [(70, 3), (120, 3)]]

    def draw(on: Canvas) -> None:
        on.reach(LineString(road).buffer(6))
        on.reference(road)
        on.prediction(*pieces, colour=RIGHT)
        points = [(x, 0) for x in range(0, 121, 10)]
        on.dots([p for p in points if p[0] != 60], RIGHT, is_reference=True)
        on.dots([(60, 0)], WRONG, is_reference=True)
        for start, end, word in ((0, 50, r"$l(s_1)=50$"), (70, 120, r"$l(s_2)=50$")):
            on.arrow((start, 14), (end, 14), RIGHT)
            on.say(((start + end) / 2, 20), word, RIGHT)
        on.arrow((0, -14), (120, -14), PREDICTION)
        on.say((60, -20), "a path of the reference, $l=120$")
        on.say((60, 9), "break", WRONG)

    return Sketch(
        [road], pieces, draw,
        ("each network is cut into paths; each path", "is followed in what is left of the other;",
         r"a path with unbroken runs $s$ scores $\sum_s\;(l(s)\,/\,l)^2$",
         r"recall: mean over the reference's paths",
         r"here: $(\frac{50}{120})^2+(\frac{50}{120})^2=0.347$",
         r"precision: both predicted paths are whole, $1$"),
        {"recall": 2 * (50 / 120) ** 2, "precision": 1.0},
        {"max_distance": 6.0, "step": 10.0},
    )  # fmt: skip


def opt_j() -> Sketch:
    """Junctions and ends, by the number of roads that meet."""
    through, side = [(0, 0), (70, 0), (150, 0)], [(70, 0), (70, 45)]
    drawn = [[(0, 4), (72, 4), (100, 4)], [(72, 4), (72, 45)], [(118, 4), (150, 4)]]

    def draw(on: Canvas) -> None:
        on.reference(through, side)
        on.prediction(*drawn)
        on.dots([(70, 0), (0, 0), (150, 0), (70, 45)], RIGHT, is_reference=True)
        on.dots([(72, 4), (0, 4), (150, 4), (72, 45)], RIGHT)
        on.dots([(100, 4), (118, 4)], WRONG)
        for place, text in (((70, -9), "3 | 3"), ((0, -9), "1 | 1"), ((150, -9), "1 | 1"), ((84, 45), "1 | 1")):
            on.say(place, text, RIGHT)
        on.say((100, 13), "2 | 1", WRONG)
        on.say((118, 13), "2 | 1", WRONG)
        on.say((109, -16), "a break: ends on a road\nthat goes on, of order 2", WRONG)
        on.say((20, 36), "order in the\nreference | prediction")

    return Sketch(
        [through, side], drawn, draw,
        ("each junction and end is matched once,", "to one of the other network or to a road;",
         r"TP $=\sum\min(o_{\mathrm{ref}},\,o_{\mathrm{pred}})=3+1+1+1+1+1=8$",
         r"PP $=\sum o_{\mathrm{pred}}=3+1+1+1+1+1=8$", r"AP $=\sum o_{\mathrm{ref}}=3+1+1+1+2+2=10$",
         r"precision $=\frac{\mathrm{TP}}{\mathrm{PP}}=1$,   recall $=\frac{\mathrm{TP}}{\mathrm{AP}}=0.8$"),
        {"precision": 1.0, "recall": 0.8, "tp": 8, "pp": 8, "ap": 10},
    )  # fmt: skip


def pixel() -> Sketch:
    """Pixels of both networks, drawn with a width."""
    road, drawn, side, width = [(5, 25), (155, 25)], [(5, 35), (115, 35)], [(75, 35), (75, 75)], 20.0
    x, y = np.meshgrid(np.arange(-15, 180, 10.0), np.arange(5, 90, 10.0))
    centres = shapely.points(x.ravel(), y.ravel())
    wanted = shapely.distance(centres, LineString(road)) <= width / 2
    found = shapely.distance(centres, shapely.MultiLineString([drawn, side])) <= width / 2
    tp, fp, fn = (wanted & found).sum(), (found & ~wanted).sum(), (wanted & ~found).sum()

    def draw(on: Canvas) -> None:
        for cell, is_wanted, is_found in zip(shapely.get_coordinates(centres), wanted, found, strict=True):
            if is_wanted or is_found:
                colour = RIGHT if is_wanted and is_found else WRONG if is_found else MISSED
                on.ground(shapely.box(*(cell - 4.7), *(cell + 4.7)), colour)
        on.prediction(road, colour=REFERENCE)
        on.prediction(drawn, side)
        on.say((45, -4), "both: TP", RIGHT)
        on.say((125, 60), "only predicted: FP", WRONG)
        on.say((135, -4), "only reference: FN", MISSED_WORDS)

    return Sketch(
        [road], [drawn, side], draw,
        ("pixels whose centre is within half", "the width of a road",
         rf"precision $=\frac{{TP}}{{TP+FP}}=\frac{{{tp}}}{{{tp + fp}}}={tp / (tp + fp):.3f}$",
         rf"recall $=\frac{{TP}}{{TP+FN}}=\frac{{{tp}}}{{{tp + fn}}}={tp / (tp + fn):.3f}$",
         rf"IoU $=\frac{{TP}}{{TP+FP+FN}}=\frac{{{tp}}}{{{tp + fp + fn}}}={tp / (tp + fp + fn):.3f}$"),
        {"precision": tp / (tp + fp), "recall": tp / (tp + fn), "iou": tp / (tp + fp + fn)},
        {"pixel_size": 10.0, "width": width},
    )  # fmt: skip


def distance() -> Sketch:
    """Distances of all places to the other network."""
    road, slanted = [(0, 0), (100, 0)], [(0, 0), (100, 30)]
    sine = 30 / hypot(100, 30)

    def draw(on: Canvas) -> None:
        on.reference(road)
        on.prediction(slanted)
        for x in range(10, 100, 10):
            on.arrow((x, 0.3 * x), (x, 0), REACH, both_ends=False)
        on.arrow((100, 30), (100, 0), WRONG, both_ends=False)
        on.say((112, 15), "farthest:\n30 m", WRONG)
        on.say((22, 22), "mean 15 m", REACH)

    back = 50 * sine
    return Sketch(
        [road], [slanted], draw,
        (r"of each place the distance $d$ to the other one",
         r"Chamfer: the mean of $d$ along the roads", rf"prediction: $15$ m,   reference: ${back:.2f}$ m",
         rf"chamfer $=\frac{{15+{back:.2f}}}{{2}}={(15 + back) / 2:.2f}$ m",
         r"Hausdorff: the largest $d=30$ m"),
        {"chamfer": (15 + back) / 2, "hausdorff": 30.0, "chamfer_reference": back, "chamfer_prediction": 15.0},
    )  # fmt: skip


SKETCHES = {
    "ccq": ccq, "tlts": tlts, "apls": apls, "junct": junct, "opt-p": opt_p, "opt-j": opt_j, "pixel": pixel,
    "distance": distance,
}  # fmt: skip
