"""Cases of ``cosmiq-apls`` and ``cosmiq-topo``: lines in pixels of 1 m."""

from described import Case, line

_WAYS = ("reference_to_prediction", "prediction_to_reference", "apls")


def _road(length: float, *, begin: float = 0.0, y: float = 0.0) -> list[tuple[float, float]]:
    return line((begin, y), (begin + length, y))


def _apls(*values: str) -> dict[str, str]:
    return dict(zip(_WAYS, values, strict=True))


APLS = [
    Case(
        "the-same-road", "A road against itself.", "Every control point finds its place, and all lengths agree.",
        [_road(100)], [_road(100)], _apls("1", "1", "1"),
    ),
    Case(
        "a-road-too-short", "The total is the harmonic mean of both ways.",
        "A road of 100 m has a control point in its middle, besides its ends. The prediction has its first 60 m. "
        "The far end is 40 m off and missing: it loses its 2 paths, and the 2 that lead to it are lost too. 2 of 6 "
        "remain. The prediction's 3 control points lie on the reference: 1. The harmonic mean of 1/3 and 1 is 1/2.",
        [_road(100)], [_road(60)], _apls("1/3", "1", "1/2"),
    ),
    Case(
        "a-point-from-37.5-metres-on", "An edge of 37.5 to 50 m has one point in its middle.",
        "The reference is 40 m long, the prediction its first 22 m. The control point at 20 m is found, the end at "
        "40 m is not: 2 of 6 paths remain. (Without the point in the middle none would.) Back all are found.",
        [_road(40)], [_road(22)], _apls("1/3", "1", "1/2"),
    ),
    Case(
        "no-point-below-37.5-metres", "A shorter edge has no point; the total is 0 where one way is.",
        "The reference is 36 m long, the prediction its first 20 m. The only control points are the ends, of which "
        "the far one is missing: both paths are lost.",
        [_road(36)], [_road(20)], _apls("0", "1", "0"),
    ),
    Case(
        "just-near-enough", "Control points are put in within 4 m.",
        "The prediction runs 3.9 m beside the reference: all are put in, and lengths agree.",
        [_road(100)], [_road(100, y=3.9)], _apls("1", "1", "1"),
    ),
    Case(
        "just-too-far", "Control points farther than 4 m are missing.",
        "The prediction runs 4.1 m beside the reference: none is put in, and every path is lost.",
        [_road(100)], [_road(100, y=4.1)], _apls("0", "0", "0"),
    ),
    Case(
        "the-second-at-one-end-replaces-the-first", "A foot at an end renames that node, whoever had it before.",
        "Two roads of 30 m, 3 m apart, and one predicted between them, from 1 to 29 m. The left ends of both have "
        "their foot at the left end of the prediction: the second takes it from the first, which is missing now; so "
        "at the right. Of the 4 paths the 2 of the first road are lost, and the 2 of the second lose 2/30 each, as "
        "28 m stand for 30: 1 - (2 + 4/30) / 4 = 7/15. Back both points fall on the nearer road, 28 m apart: 1. In "
        "all 7/11.",
        [_road(30), _road(30, y=3)], [_road(28, begin=1, y=1.4)], _apls("7/15", "1", "7/11"),
    ),
    Case(
        "a-missing-start-loses-short-paths-too", "Paths from a missing control point count however short they are.",
        "Paths count from 10 m on here. A road of 8 m is not predicted, one of 30 m is. The 2 paths of 8 m count "
        "because their starts are missing, and are lost; the 2 of 30 m are right. 2 of 4 remain. (By the length "
        "alone it would be 2 of 2.)",
        [_road(30), _road(8, y=200)], [_road(30)], _apls("1/2", "1", "2/3"), {"min_path": 10},
    ),
]  # fmt: skip

TOPO = [
    Case(
        "the-same-road", "A road against itself.",
        "From either end there are holes and marbles at 30, 60 and 90 m of 100.",
        [_road(100)], [_road(100)], {"precision": "1", "recall": "1", "f1": "1"},
    ),
    Case(
        "a-gap", "Marbles lie where the prediction leads from the place.",
        "The prediction has the first and the last 40 m of 100. From either end there is one marble, at 30 m, for "
        "three holes: precision 1, recall 1/3.",
        [_road(100)], [_road(40), _road(40, begin=60)], {"precision": "1", "recall": "1/3", "f1": "1/2"},
    ),
    Case(
        "points-begin-anew-at-each-node", "Along each edge points are counted from its nearer end.",
        "The prediction has a side road of 20 m in the middle, so a node at 50 m. From either end marbles are at 30 "
        "m and 30 m behind the node, at 80 m; the side road is too short for one. Holes are at 30, 60 and 90 m. One "
        "of 2 marbles and one of 3 holes are matched.",
        [_road(100)], [line((0, 0), (50, 0), (100, 0)), line((50, 0), (50, 20))],
        {"precision": "1/2", "recall": "1/3", "f1": "2/5"},
    ),
    Case(
        "no-node-to-enter", "Where the prediction has no node near the place, no marble is wrong.",
        "The prediction lies on the reference, but its ends are 20 m from the reference's. All holes are missed; "
        "there is no marble, so precision is undefined.",
        [_road(100)], [_road(60, begin=20)], {"precision": "undefined", "recall": "0", "f1": "0"},
    ),
    Case(
        "just-near-enough", "Marbles fall into holes within 4 m, and so near must a node be to enter.",
        "The prediction runs 3.9 m beside the reference: it is entered, and each marble falls.",
        [_road(100)], [_road(100, y=3.9)], {"precision": "1", "recall": "1", "f1": "1"},
    ),
    Case(
        "just-too-far", "Farther than 4 m nothing is entered.",
        "The prediction runs 4.1 m beside the reference: no place is entered, so all holes are missed.",
        [_road(100)], [_road(100, y=4.1)], {"precision": "undefined", "recall": "0", "f1": "0"},
    ),
    Case(
        "an-edge-that-leaves-the-circle", "Edges count with both ends within 150 m, straight.",
        "The road is one edge of 200 m. From either end the other is too far away, so there is neither hole nor "
        "marble.",
        [_road(200)], [_road(200)], {"precision": "undefined", "recall": "undefined", "f1": "undefined"},
    ),
]  # fmt: skip
