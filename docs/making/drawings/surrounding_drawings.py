"""What the road metrics count that look at the surroundings of a start."""

from math import cos, radians, sin

from shapely import Point

from making.drawings.canvas import REACH, RIGHT, WRONG, Canvas, Sketch

# A start in the middle of four arms, and control points every 15 m up to 60 m.
_EAST, _NORTH, _WEST, _SOUTH = (60, 0), (0, 60), (-60, 0), (0, -60)
_STEPS = (15, 30, 45, 60)


def _arm(angle: float) -> list[tuple[float, float]]:
    return [(step * cos(radians(angle)), step * sin(radians(angle))) for step in _STEPS]


# The southern arm was not found, and the eastern one is drawn twice.
_ARMS = [[_WEST, (0, 0), _EAST], [_NORTH, (0, 0), _SOUTH]]
_FOUND = [[_WEST, (0, 0), _EAST], [(0, 0), _NORTH], [(0, 0), (60 * cos(radians(7)), 60 * sin(radians(7)))]]


def _control_points(on: Canvas, *, doubled: str) -> None:
    """Both networks with their control points; ``doubled`` is the colour of those on the arm that is drawn twice."""
    on.reference(*_ARMS)
    on.prediction(*_FOUND)
    on.reach(Point(0, 0).buffer(60))
    on.dots([(0, 0)], RIGHT, is_reference=True)
    on.dots([(0, 0)], RIGHT)
    on.say((-13, -8), "start")
    on.say((-52, 52), "radius", REACH)
    for angle in (0, 90, 180):
        on.dots(_arm(angle), RIGHT, is_reference=True)
        on.dots(_arm(angle), RIGHT)
    on.dots(_arm(7), doubled)
    on.dots(_arm(270), WRONG, is_reference=True)


def subg() -> Sketch:
    """Control points around a start, each near any of the other network."""

    def draw(on: Canvas) -> None:
        _control_points(on, doubled=RIGHT)
        on.say((26, -40), "not reached", WRONG)
        on.say((50, 18), "drawn twice:\nnot noticed", RIGHT)

    return Sketch(
        _ARMS, _FOUND, draw,
        ("a control point at every multiple of", "spacing along the way from the start;",
         "matched if any of the other network is near",
         r"recall: matched of the reference $=\frac{13}{17}=0.765$",
         r"precision: matched of the prediction $=\frac{17}{17}=1$"),
        {"recall": 13 / 17, "precision": 1.0},
        {"max_distance": 8.0, "radius": 60.0, "spacing": 15.0, "starts": [(0.0, 0.0)]},
    )  # fmt: skip


def opt_g() -> Sketch:
    """Control points around a start, paired one to one."""

    def draw(on: Canvas) -> None:
        _control_points(on, doubled=WRONG)
        on.say((28, -40), "left over", WRONG)
        on.say((50, 18), "drawn twice:\nleft over", WRONG)

    return Sketch(
        _ARMS, _FOUND, draw,
        ("as SUBG, but control points are paired", "one to one, each used once:",
         r"least $\sum\min(d,\;\mathrm{max\_distance})$",
         "TP: pairs closer than max_distance",
         r"precision $=\frac{\mathrm{TP}}{\mathrm{predicted}}=\frac{13}{17}=0.765$",
         r"recall $=\frac{\mathrm{TP}}{\mathrm{reference}}=\frac{13}{17}=0.765$"),
        {"recall": 13 / 17, "precision": 13 / 17},
        {"max_distance": 8.0, "radius": 60.0, "spacing": 15.0, "starts": [("reference", (0.0, 0.0))]},
    )  # fmt: skip


SKETCHES = {"subg": subg, "opt-g": opt_g}
