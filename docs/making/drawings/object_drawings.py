"""What each metric counts that matches objects, or counts them."""

from shapely import Polygon, affinity, box

from making.drawings.canvas import FAINT, PREDICTION, REACH, REFERENCE, RIGHT, WRONG, Canvas, Sketch


def _overlaps(on: Canvas, reference: list[Polygon], prediction: list[Polygon], shared: dict[Polygon, str]) -> None:
    """Objects of both maps, and the ground that some of them share, each in its colour."""
    for each in reference:
        on.ground(each)
    for each, colour in shared.items():
        on.ground(each, colour, 0.6)
    on.outline(*prediction)


def bgm() -> Sketch:
    """The heaviest one-to-one pairs."""
    reference = [box(0, 0, 20, 20), box(40, 0, 60, 20)]
    prediction = [box(5, 0, 25, 20), box(40, 0, 48, 20), box(48, 0, 60, 20)]

    def draw(on: Canvas) -> None:
        _overlaps(on, reference, prediction, {box(5, 0, 20, 20): RIGHT, box(48, 0, 60, 20): RIGHT})
        on.say((12.5, 10), "300 m²", RIGHT)
        on.say((54, 10), "240 m²", RIGHT)
        on.say((44, 10), "160 m²\nunused", WRONG)

    return Sketch(
        reference, prediction, draw,
        ("objects are paired one to one so that", "they share as much ground as possible",
         r"score $=\frac{\mathrm{ground\ shared\ by\ the\ pairs}}{\mathrm{ground\ of\ all\ objects}}$",
         r"$=\frac{300+240}{900}=0.6$"),
        {"score": 0.6},
    )  # fmt: skip


def hoover() -> Sketch:
    """Correct, over-detected and under-detected."""
    reference = [box(0, 0, 20, 20), box(35, 0, 55, 20), box(70, 0, 82, 20), box(84, 0, 96, 20)]
    prediction = [box(2, 0, 22, 20), box(35, 0, 44, 20), box(46, 0, 55, 20), box(70, 0, 96, 20)]

    def draw(on: Canvas) -> None:
        for each in reference:
            on.ground(each)
        on.outline(prediction[0], colour=RIGHT, width=2.4)
        on.outline(*prediction[1:], colour=WRONG, width=2.4)
        for x, text, colour in ((11, "correct\n0.9, 0.9", RIGHT), (45, "over-detected\n0.9, 1, 1", WRONG),
                                (83, "under-detected\n1, 1, 0.923", WRONG)):  # fmt: skip
            on.say((x, -7), text, colour)

    scores = [0.9, (0.9 + 1) / 2, (1 + 24 / 26) / 2]
    return Sketch(
        reference, prediction, draw,
        (r"with a threshold $T=0.6$:", r"correct: a pair that shares $\geq T$ of each;",
         r"over: several that lie in one, and cover $\geq T$ of it;", "under: the same with the sides exchanged",
         r"score: the mean, over instances, of the shares",
         rf"$=\frac{{1}}{{3}}\,(0.9+0.95+{scores[2]:.3f})={sum(scores) / 3:.3f}$"),
        {"score": sum(scores) / 3, "correct": 1, "over": 1, "under": 1},
    )  # fmt: skip


def max_overlap() -> Sketch:
    """Matches of one to one, one to many and many to one."""
    reference = [box(0, 0, 16, 16), box(28, 0, 48, 16), box(60, 0, 70, 16), box(72, 0, 82, 16), box(94, 0, 106, 16)]
    prediction = [box(3, 2, 19, 18), box(28, 0, 37, 16), box(39, 0, 48, 16), box(60, -1, 82, 15), box(116, 0, 128, 16)]
    pairs = [(0, 0), (1, 1), (1, 2), (2, 3), (3, 3)]

    def draw(on: Canvas) -> None:
        for number, each in enumerate(reference):
            on.ground(each, WRONG if number == 4 else REFERENCE, 0.7 if number == 4 else 1)
        on.outline(*prediction[:4])
        on.outline(prediction[4], colour=WRONG, width=2.4)
        for number, partner in pairs:
            start, end = reference[number].centroid, prediction[partner].centroid
            on.dots([(start.x, 8)], RIGHT, is_reference=True)
            on.dots([(end.x, 24)], RIGHT)
            on.link((start.x, 8), (end.x, 24))
        for x, text, colour in ((9, "one to one", RIGHT), (38, "one to many", RIGHT), (71, "many to one", RIGHT),
                                (100, "missed", WRONG), (122, "false alarm", WRONG)):  # fmt: skip
            on.say((x, -8), text, colour)

    return Sketch(
        reference, prediction, draw,
        ("the matches with the largest total overlap;", "an object that shares its partner", "has no other partner",
         r"recall $=\frac{\mathrm{reference\ objects\ in\ a\ match}}{\mathrm{all}}=\frac{4}{5}=0.8$",
         r"precision $=\frac{\mathrm{predicted\ in\ a\ match}}{\mathrm{all}}=\frac{4}{5}=0.8$",
         "mallows: how alike the shapes in a match are"),
        {"precision": 0.8, "recall": 0.8, "one_to_one": 1, "one_to_many": 1, "many_to_one": 1, "missed": 1,
         "false_alarm": 1},
        {"mallows": False},
    )  # fmt: skip


def iou() -> Sketch:
    """Shared ground over covered ground, against a threshold."""
    reference = [box(0, 0, 20, 20), box(40, 0, 60, 20)]
    prediction = [box(4, 0, 24, 20), box(52, 0, 72, 20)]

    def draw(on: Canvas) -> None:
        _overlaps(on, reference, prediction, {box(4, 0, 20, 20): RIGHT, box(52, 0, 60, 20): WRONG})
        on.say((12, 10), "320", RIGHT)
        on.say((56, 10), "160", WRONG)
        on.say((12, -6), r"$320\,/\,480=0.667$: a match", RIGHT)
        on.say((56, -6), r"$160\,/\,640=0.25$: no match", WRONG)

    return Sketch(
        reference, prediction, draw,
        (r"IoU $=\frac{\mathrm{shared\ ground}}{\mathrm{ground\ of\ either}}$",
         r"a match if IoU $\geq 0.5$, each object once", r"TP $=1$,  FP $=1$,  FN $=1$",
         r"precision $=\frac{TP}{TP+FP}=0.5$,   recall $=\frac{TP}{TP+FN}=0.5$"),
        {"tp": 1, "fp": 1, "fn": 1, "precision": 0.5, "recall": 0.5, "f1": 0.5},
    )  # fmt: skip


def ap() -> Sketch:
    """The curve of precision over recall, as confidence falls."""
    reference = [box(0, 0, 14, 14), box(20, 0, 34, 14), box(40, 0, 54, 14)]
    prediction = [reference[0], box(10, 20, 24, 34), reference[2]]
    # Recall 1/3 at a precision of 1, and 2/3 at 2/3; read at recall 0, 0.01 to 1.
    value = (34 * 1 + 33 * 2 / 3) / 101

    def draw(on: Canvas) -> None:
        for number, each in enumerate(reference):
            on.ground(each, WRONG if number == 1 else REFERENCE, 0.7 if number == 1 else 1)
        on.outline(prediction[0], prediction[2], colour=RIGHT, width=2.4)
        on.outline(prediction[1], colour=WRONG, width=2.4)
        for each, text, colour in zip(prediction, ("0.9", "0.8", "0.7"), (RIGHT, WRONG, RIGHT), strict=True):
            on.say((each.centroid.x, each.centroid.y), text, colour)
        on.say((27, 7), "missed", WRONG)
        left, low, size = 72, 0, 34
        on.ground(box(left, low, left + size / 3, low + size), RIGHT, 0.35)
        on.ground(box(left + size / 3, low, left + size * 2 / 3, low + size * 2 / 3), RIGHT, 0.35)
        on.prediction([(left, low + size), (left, low), (left + size, low)])
        third, top = size / 3, low + size
        on.prediction([(left, top), (left + third, top), (left + third, top - third), (left + 2 * third, top - third),
                       (left + 2 * third, low)], colour=RIGHT)  # fmt: skip
        on.say((left + size / 2, low - 4), "recall")
        on.say((left - 4, low + size / 2), "precision", rotation=90)
        on.say((27, -4), "confidence in each prediction")

    return Sketch(
        reference, prediction, draw,
        ("predictions in order of confidence;", "each is right if its IoU reaches the threshold",
         "ap50: the mean precision over recall",
         rf"$=\frac{{34\cdot 1+33\cdot\frac{{2}}{{3}}+34\cdot 0}}{{101}}={value:.3f}$",
         r"ap: the mean over thresholds $0.5, 0.55 \ldots 0.95$"),
        {"ap": value, "ap50": value, "ap75": value}, confidence=(0.9, 0.8, 0.7),
    )  # fmt: skip


def boundary_ap() -> Sketch:
    """The strips inside two outlines."""
    house, drawn = box(0, 0, 40, 30), box(2.5, 0, 42.5, 30)
    strips = [each.difference(each.buffer(-3)) for each in (house, drawn)]
    shared, either = strips[0].intersection(strips[1]), strips[0].union(strips[1])
    value = shared.area / either.area

    def draw(on: Canvas) -> None:
        on.ground(house, alpha=0.45)
        on.ground(either.difference(shared), WRONG, 0.45)
        on.ground(shared, RIGHT, 0.75)
        on.outline(drawn)
        on.outline(house, colour=FAINT)
        on.arrow((14, 27), (14, 30), PREDICTION)
        on.say((20, 24), "width 3 m")
        on.say((21, 13), "IoU of the objects 0.882")
        on.say((49, 20), "shared", RIGHT)
        on.say((50, 10), "not shared", WRONG)

    return Sketch(
        [house], [drawn], draw,
        ("the boundary: the ground inside an object", r"at most width from its outline",
         r"boundary IoU $=\frac{\mathrm{shared\ by\ both\ boundaries}}{\mathrm{in\ either}}$",
         rf"$=\frac{{{shared.area:.0f}}}{{{either.area:.0f}}}={value:.3f}$",
         "a pair has the smaller one of IoU and boundary", "IoU, here too little for ap50; then as ap"),
        {"boundary_iou": value, "ap50": 0.0}, {"width": 3.0},
    )  # fmt: skip


def amounts() -> Sketch:
    """Numbers and areas in cells."""
    here = [box(x, y, x + 4, y + 3) for x, y in ((4, 4), (12, 10), (24, 5), (33, 12), (45, 6))]
    moved = [*(affinity.translate(each, 1, 1) for each in here[:2]), here[2], box(47, 13, 51, 16), box(43, 5, 47, 8)]
    cells = [(0, 2, 2), (20, 2, 1), (40, 1, 2)]

    def draw(on: Canvas) -> None:
        for each in here:
            on.ground(each)
        on.outline(*moved)
        for left, wanted, found in cells:
            on.prediction([(left, 0), (left + 20, 0), (left + 20, 20), (left, 20), (left, 0)], colour=REACH, width=0.6)
            on.say((left + 10, -3), f"$n={wanted}$,  $n'={found}$", RIGHT if wanted == found else WRONG)

    return Sketch(
        here, moved, draw,
        (r"count_error $=\frac{\sum |n'-n|}{\sum n}=\frac{0+1+1}{5}=0.4$",
         r"count_ratio $=\frac{\sum n'}{\sum n}=\frac{5}{5}=1$",
         r"area_error and area_ratio: the same with areas", "objects belong to the cell of their centroid;",
         "which object is which does not matter"),
        {"count_error": 0.4, "count_ratio": 1.0, "area_error": 0.4, "area_ratio": 1.0}, {"cell_size": 20.0},
    )  # fmt: skip


SKETCHES = {
    "bgm": bgm, "hoover": hoover, "max-overlap": max_overlap, "iou": iou, "ap": ap, "boundary-ap": boundary_ap,
    "amounts": amounts,
}  # fmt: skip
