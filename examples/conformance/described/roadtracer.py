"""Cases of ``roadtracer-junct`` and ``citraro``: places are (x, y) in pixels, y downwards."""

from described import Case, graph, line

# A road without junctions around the city, which makes the region that of RoadTracer, 8192 px around the origin.
FRAME = line((-3000, -3000), (3000, -3000), (3000, 3000))


def _cross(x: float = 0.0, y: float = 0.0, arm: float = 200.0, arms: str = "WENS") -> list[list[tuple[float, float]]]:
    ends = {"W": (x - arm, y), "E": (x + arm, y), "N": (x, y - arm), "S": (x, y + arm)}
    return [line((x, y), ends[one]) for one in arms]


def _junct(f_correct: str, f_error: str, f1: str) -> dict[str, str]:
    return {"f_correct": f_correct, "f_error": f_error, "f1": f1}


# Three arms to the west, 30 degrees apart.
_FAN = [line((0, 0), (-200, 0)), line((0, 0), (-173.2, -100)), line((0, 0), (-173.2, 100))]

JUNCT = [
    Case(
        "the-same-crossing", "A crossing against itself.", "All four arms are found, and none is wrong.",
        graph(FRAME, *_cross()), graph(FRAME, *_cross()), _junct("1", "0", "1"),
    ),
    Case(
        "a-lost-arm", "f_correct is the share of true arms with a predicted one within 90 degrees.",
        "The southern arm is not predicted. West and east are exactly 90 degrees away, which is not within: 3 of 4 "
        "arms are found.",
        graph(FRAME, *_cross()), graph(FRAME, *_cross(arms="WEN")), _junct("3/4", "0", "6/7"),
    ),
    Case(
        "an-arm-too-many",
        "f_error is the share of predicted arms without a true one, over all that is correct and extra.",
        "Three arms lead west within 60 degrees; the prediction has one to the east too. 1 of its 4 arms is extra: "
        "1/4 / (1 + 1/4) = 1/5.",
        graph(FRAME, *_FAN), graph(FRAME, *_FAN, line((0, 0), (200, 0))), _junct("1", "1/5", "8/9"),
    ),
    Case(
        "a-crossing-from-nowhere", "A predicted junction without a partner adds 1 to what is extra.",
        "The prediction has a second crossing 1000 px away: 1 extra beside 1 correct.",
        graph(FRAME, *_cross()), graph(FRAME, *_cross(), *_cross(1000.0)), _junct("1", "1/2", "2/3"),
    ),
    Case(
        "too-far-to-pair", "Junctions pair within 110.5 px.",
        "The crossing is predicted 120 px to the south: the true one is missed and the predicted one extra.",
        graph(FRAME, *_cross()), graph(FRAME, *_cross(0.0, 120.0)), _junct("0", "1", "0"),
    ),
    Case(
        "junctions-close-together-are-one", "True junctions nearer than 85 px are one cluster.",
        "Two side roads leave a road on either side, 60 px apart. They are one cluster, at the first of them, with "
        "four arms; the last one, seen from there, points 28 degrees off south. One predicted crossing 30 px away "
        "has all four arms within 90 degrees. (As two junctions, f_correct would be 1/2.)",
        graph(FRAME, line((-300, 0), (0, 0), (60, 0), (360, 0)), line((0, 0), (0, -300)), line((60, 0), (60, 300))),
        graph(FRAME, *_cross(30.0, arm=300.0)), _junct("1", "0", "1"),
    ),
    Case(
        "the-border-does-not-count", "Junctions within the border of the region do not count.",
        "A second true crossing, 146 px from the edge of the region, is not predicted.",
        graph(FRAME, *_cross(), *_cross(3950.0, arm=100.0)), graph(FRAME, *_cross()), _junct("1", "0", "1"),
    ),
]  # fmt: skip


def _opt_j(precision: str, recall: str, f1: str) -> dict[str, str]:
    return {"opt_j_precision": precision, "opt_j_recall": recall, "opt_j_f1": f1}


ROAD = line((0, 0), (400, 0))

CITRARO = [
    Case(
        "the-same-crossing", "A crossing against itself.",
        "Nothing is missing and nothing is wrong, so every score is 1.",
        graph(*_cross()), graph(*_cross()),
        {f"{name}_{score}": "1" for name in ("opt_p", "opt_j", "opt_g") for score in ("precision", "recall", "f1")},
    ),
    Case(
        "moved-a-little", "Junctions and ends match within 25 px.",
        "All is moved by 20 px, and every junction and end has its partner.",
        graph(*_cross()), graph(*_cross(20.0)), _opt_j("1", "1", "1"),
    ),
    Case(
        "moved-too-far", "Beyond 25 px a junction matches a point of a road, whose order is 2.",
        "All is moved by 30 px to the east. The true crossing, of order 4, lies on the predicted road: min(4, 2) = "
        "2; so does the true eastern end, 1. The predicted crossing and western end lie on the true road: 2 and 1. "
        "The other 3 ends of each side have no partner. Of orders 4 + 1 + 2 + 2 + 3 = 12 on each side, 6 are "
        "matched.",
        graph(*_cross()), graph(*_cross(30.0)), _opt_j("1/2", "1/2", "1/2"),
    ),
    Case(
        "a-gap", "An end that lies on a road matches half of it.",
        "100 px are missing from a road of 400. The outer ends match. The two inner ends, of order 1, lie on the "
        "true road, of order 2. 4 of 4 predicted orders are matched, and 4 of the true 1 + 1 + 2 + 2.",
        graph(ROAD), graph(line((0, 0), (150, 0)), line((250, 0), (400, 0))), _opt_j("1", "2/3", "4/5"),
    ),
    Case(
        "a-lost-arm", "A junction is matched as far as the smaller order goes.",
        "The southern arm is missing. The crossing counts 3 of 4, three ends 1 each, the fourth is missed: 6 of 8.",
        graph(*_cross()), graph(*_cross(arms="WEN")), _opt_j("1", "3/4", "6/7"),
    ),
    Case(
        "a-side-road-too-many", "A junction that lies on a road matches 2 of its order.",
        "A side road of 100 px leaves the middle of the road. Its junction, of order 3, lies on the true road: 2 "
        "match. Its end has no partner. 4 of 1 + 1 + 3 + 1 predicted orders, and all 4 true ones, are matched.",
        graph(ROAD), graph(line((0, 0), (200, 0), (400, 0)), line((200, 0), (200, 100))), _opt_j("2/3", "1", "4/5"),
    ),
]  # fmt: skip
