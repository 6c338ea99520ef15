"""What each metric of drawings counts."""

from math import exp

import numpy as np
import shapely
from shapely import LineString, Point

from making.drawings.canvas import FAINT, MISSED, MISSED_WORDS, PREDICTION, REACH, RIGHT, WRONG, Canvas, Sketch


def _ink(row: tuple[float, ...]) -> shapely.Polygon:
    """What a straight line with round ends covers."""
    x1, y1, x2, y2, width = row
    return LineString([(x1, y1), (x2, y2)]).buffer(width / 2)


def _pixels(rows: list[tuple[float, ...]]) -> set[tuple[float, float]]:
    """The pixels of size 1 that lines cover, by their middles."""
    x, y = np.meshgrid(np.arange(-5, 60), np.arange(-9, 21))
    within = np.zeros(x.shape, dtype=bool)
    for x1, y1, x2, y2, width in rows:
        within |= shapely.distance(shapely.points(x, y), LineString([(x1, y1), (x2, y2)])) < width / 2
    return set(zip(x[within].tolist(), y[within].tolist(), strict=True))


_DRAWN = [(0, 0, 40, 0, 6)]
_FOUND = [(0, 2, 30, 2, 6)]


def pixel() -> Sketch:
    """Black pixels of both drawings."""
    wanted, found = _pixels(_DRAWN), _pixels(_FOUND)
    both = wanted & found
    dp, fp = len(both) / len(wanted), 1 - len(both) / len(found)

    def draw(on: Canvas) -> None:
        for x, y in wanted | found:
            colour = RIGHT if (x, y) in both else WRONG if (x, y) in found else MISSED
            on.ground(shapely.box(x - 0.45, y - 0.45, x + 0.45, y + 0.45), colour)
        on.say((14, -6), "detected ink", RIGHT)
        on.say((14, 8), "no ink", WRONG)
        on.say((37, -6), "not detected", MISSED_WORDS)

    return Sketch(
        _DRAWN, _FOUND, draw,
        (rf"$D_p=\frac{{|P_g\cap P_d|}}{{|P_g|}}=\frac{{{len(both)}}}{{{len(wanted)}}}={dp:.3f}$",
         rf"$F_p=1-\frac{{|P_g\cap P_d|}}{{|P_d|}}=1-\frac{{{len(both)}}}{{{len(found)}}}={fp:.3f}$",
         rf"PRI $=\frac{{1}}{{2}}\,D_p+\frac{{1}}{{2}}\,(1-F_p)={(dp + 1 - fp) / 2:.3f}$",
         r"$P_g$: ink of the reference,  $P_d$: of the prediction"),
        {"dp": dp, "fp": fp, "pri": (dp + 1 - fp) / 2}, {"resolution": 1.0},
    )  # fmt: skip


# Two pieces of one line, of the right width, 1 beside its axis.
_PIECES = [(0, 1, 18, 1, 8), (22, 1, 40, 1, 8)]
_WHOLE = [(0, 0, 40, 0, 8)]


def _vector_scores() -> dict[str, float]:
    quality = (exp(-(1 + 1) / 8) * exp(-2 * 1 / 8)) ** 0.2
    found = quality * (18 + 18) / 40 * (18**2 + 18**2) ** 0.5 / 36
    return {"dv": found, "fv": 1 - quality, "vri": (found + quality) / 2}


def vector() -> Sketch:
    """How well each line was detected."""
    scores = _vector_scores()
    quality = 1 - scores["fv"]

    def draw(on: Canvas) -> None:
        on.ground(_ink(_WHOLE[0]))
        on.prediction([(0, 0), (40, 0)], colour=FAINT, width=0.6)
        for row in _PIECES:
            on.outline(_ink(row))
            on.prediction([row[:2], row[2:4]], colour=RIGHT)
        on.arrow((0, 1), (0, 0), WRONG)
        on.arrow((18, 1), (18, 0), WRONG)
        on.say((-2.5, 0.5), "$d_1$", WRONG)
        on.say((20, -1), "$d_2$", WRONG)
        on.arrow((44, -4), (44, 4), PREDICTION)
        on.say((48.5, 0), "$W(g)$")
        on.say((20, -8), r"line $g$ is found in two overlaps of 18", RIGHT)

    return Sketch(
        _WHOLE, _PIECES, draw,
        (r"an overlap: $\sqrt[5]{Q_{ends}\,Q_{distance}\,Q_{width}\,Q_{style}\,Q_{shape}}$",
         rf"$Q_{{ends}}=e^{{-(d_1+d_2)/W(g)}}$ and so on: ${quality:.3f}$",
         rf"$Q_b={quality:.3f}\cdot\frac{{36}}{{40}}$,   $Q_{{fr}}=\frac{{\sqrt{{18^2+18^2}}}}{{36}}=0.707$",
         rf"$D_v$: mean of $Q_b\,Q_{{fr}}$ of the reference $={scores['dv']:.3f}$",
         rf"$F_v$: mean of $1-Q_b\,Q_{{fr}}$ of the detected $={scores['fv']:.3f}$",
         rf"VRI $=\frac{{1}}{{2}}\,D_v+\frac{{1}}{{2}}\,(1-F_v)={scores['vri']:.3f}$"),
        scores,
    )  # fmt: skip


def combined() -> Sketch:
    """The mean of ink and lines."""
    wanted, found = _pixels(_WHOLE), _pixels(_PIECES)
    both = wanted & found
    pri = (len(both) / len(wanted) + len(both) / len(found)) / 2
    vri = _vector_scores()["vri"]
    cdi = (pri + vri) / 2

    def draw(on: Canvas) -> None:
        for y, value, text, colour in ((24, pri, "PRI: ink", REACH), (12, vri, "VRI: lines", REACH),
                                       (0, cdi, "CDI", RIGHT)):  # fmt: skip
            on.ground(shapely.box(0, y, 60, y + 7))
            on.ground(shapely.box(0, y, 60 * value, y + 7), colour, 0.8)
            on.say((-12, y + 3.5), text)
            on.say((66, y + 3.5), f"{value:.3f}")
        on.link((60 * pri, 24), (60 * cdi, 7), PREDICTION)
        on.link((60 * vri, 12), (60 * cdi, 7), PREDICTION)

    return Sketch(
        _WHOLE, _PIECES, draw,
        (r"CDI $=\gamma\cdot$ PRI $+\,(1-\gamma)\cdot$ VRI",
         rf"$=\frac{{1}}{{2}}\cdot{pri:.3f}+\frac{{1}}{{2}}\cdot{vri:.3f}={cdi:.3f}$",
         "of the line in two pieces", "that the page of vector draws"),
        {"cdi": cdi}, others={"pixel": {"resolution": 1.0}},
    )  # fmt: skip


def time() -> Sketch:
    """Seconds by what there was to detect."""
    rows = [(0, y, 40, y, 3) for y in (0, 8, 16)]
    pixels = len(_pixels(rows))

    def draw(on: Canvas) -> None:
        for x, y in _pixels(rows):
            on.ground(shapely.box(x - 0.42, y - 0.42, x + 0.42, y + 0.42), FAINT)
        for row in rows:
            on.prediction([row[:2], row[2:4]], colour=REACH, width=0.8)
            on.say((45, row[1]), "1 line", REACH)
        on.say((20, -5), f"{pixels} black pixels, 3 lines, detected in 1.2 s")

    return Sketch(
        rows, rows, draw,
        (rf"per_pixel $=\frac{{T}}{{|P_g|}}=\frac{{1.2}}{{{pixels}}}={1.2 / pixels:.5f}$ s",
         r"per_line $=\frac{T}{|V_g|}=\frac{1.2}{3}=0.4$ s", r"$T$ is what you state with --seconds;",
         "it says nothing of what was found"),
        {"per_pixel": 1.2 / pixels, "per_line": 0.4}, others={"pixel": {"resolution": 1.0}}, seconds=1.2,
    )  # fmt: skip


def kong() -> Sketch:
    """Bars that match, or do not."""
    reference = [(0, 48, 80, 48, 4), (0, 32, 80, 32, 4), (0, 16, 80, 16, 4), (0, 0, 80, 0, 4)]
    prediction = [(0, 50, 76, 50, 4), (0, 29, 80, 36, 4), (0, 23, 80, 23, 4), (0, 0, 50, 0, 4)]

    def draw(on: Canvas) -> None:
        for number, (row, other) in enumerate(zip(reference, prediction, strict=True)):
            colour = WRONG if number else RIGHT
            on.ground(_ink(row))
            on.prediction([other[:2], other[2:4]], colour=colour)
        for y, text, colour in ((49, "matched", RIGHT), (33, "5 degrees off", WRONG), (19, "7 pixels off", WRONG),
                                (0, "overlap 0.625", WRONG)):  # fmt: skip
            on.say((97, y), text, colour)

    return Sketch(
        reference, prediction, draw,
        ("two bars match if the angle is below 3 degrees,", "the distance below 5 pixels, and the overlap",
         "at least 0.8 of the longer one; each once",
         r"detection $=\frac{\mathrm{matched}}{\mathrm{reference\ bars}}=\frac{1}{4}$",
         r"false alarm $=\frac{\mathrm{not\ matched}}{\mathrm{detected\ bars}}=\frac{3}{4}$"),
        {"detection": 0.25, "false_alarm": 0.75},
    )  # fmt: skip


def hori_doermann() -> Sketch:
    """Bars whose ends are near each other."""
    reference, prediction = [(0, 20, 70, 20, 6), (0, 0, 70, 0, 6)], [(2, 21, 68, 22, 6), (0, 0, 55, 0, 6)]
    ends = (np.hypot(2, 1) + np.hypot(2, 2)) / 2

    def draw(on: Canvas) -> None:
        for row in reference:
            on.ground(_ink(row))
            for place in (row[:2], row[2:4]):
                on.reach(Point(place).buffer(4))
        for row, colour in zip(prediction, (RIGHT, WRONG), strict=True):
            on.prediction([row[:2], row[2:4]], colour=colour)
            on.dots([row[:2], row[2:4]], colour)
        on.say((35, 29), "both ends near: matched", RIGHT)
        on.say((48, -7), "an end too far: not matched", WRONG)

    total = 140
    drawn = np.hypot(66, 1) + 55
    return Sketch(
        reference, prediction, draw,
        (r"ends within $\frac{1}{2}\,W(g)$ + margin of each other",
         r"matched: length of matched bars, $\frac{70}{140}=0.5$",
         rf"deviation: mean distance of the ends, ${ends:.3f}$",
         r"count_ratio $=\frac{2}{2}=1$",
         rf"length_ratio $=\frac{{{drawn:.1f}}}{{140}}={drawn / total:.3f}$"),
        {"matched": 0.5, "deviation": ends, "count_ratio": 1.0, "length_ratio": drawn / total},
    )  # fmt: skip


SKETCHES = {
    "pixel": pixel, "vector": vector, "combined": combined, "time": time, "kong": kong,
    "hori-doermann": hori_doermann,
}  # fmt: skip
