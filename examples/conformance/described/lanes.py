"""Cases of ``lane-geo-topo``: places are (row, column) in pixels."""

from described import Case, graph, line


def _lane(length: float, *, begin: float = 100.0, row: float = 100.0) -> list[tuple[float, float]]:
    return line((row, begin), (row, begin + length))


def _scores(geo_precision: str, geo_recall: str, topo_precision: str, topo_recall: str) -> dict[str, str]:
    return {
        "geo_precision": geo_precision, "geo_recall": geo_recall, "topo_precision": topo_precision,
        "topo_recall": topo_recall,
    }  # fmt: skip


CASES = [
    Case(
        "the-same-lane", "A lane against itself.", "Every point has its partner.",
        graph(_lane(100)), graph(_lane(100)), _scores("1", "1", "1", "1"),
    ),
    Case(
        "half-a-lane", "TOPO multiplies the shares of GEO by those within reach.",
        "100 px have int(100) // 2 + 1 = 51 points, their first half 26. All 26 are paired: GEO recall is 26/51. "
        "From each start all points are within 400 px, of which again 26 of 51 are paired: TOPO recall is "
        "(26/51)^2.",
        graph(_lane(100)), graph(_lane(50)), _scores("1", "26/51", "1", "676/2601"),
    ),
    Case(
        "a-gap", "TOPO sees what a break cuts off, GEO does not.",
        "4 px are missing in the middle: two parts with 25 points each against 51. GEO recall is 50/51. Each start "
        "reaches 25 points of the prediction and all 51 of the reference: TOPO recall is 50/51 x 25/51.",
        graph(_lane(100)), graph(_lane(48), _lane(48, begin=152)), _scores("1", "50/51", "1", "1250/2601"),
    ),
    Case(
        "a-doubled-lane", "Points are paired one to one, the nearest first.",
        "The prediction has the lane twice, 4 px apart and not joined. The exact one takes all partners: GEO "
        "precision is 1/2. All starts are on it, and reach nothing else: TOPO precision is 1/2 x 1.",
        graph(_lane(100)), graph(_lane(100), _lane(100, row=104)), _scores("1/2", "1", "1/2", "1"),
    ),
    Case(
        "eight-pixels-are-too-far", "Points are paired below 8 px, strictly.",
        "The prediction runs exactly 8 px beside the reference: nothing is paired.",
        graph(_lane(100)), graph(_lane(100, row=108)), _scores("0", "0", "0", "0"),
    ),
    Case(
        "vertices-decide-the-spacing",
        "An edge has max(2, int(length) // 2 + 1) points: one of 3 px only its two ends.",
        "102 px have 52 points, 2 px apart. The prediction has the same lane in edges of 3 px, whose 35 points are "
        "the vertices. All of them find a partner within 1 px, but 17 points of the reference do not.",
        graph(_lane(102)), graph([(100.0, 100.0 + 3 * k) for k in range(35)]),
        _scores("1", "35/52", "1", "1225/2704"),
    ),
    Case(
        "outside-of-the-image", "Points outside of 0 to 4096 px are left out.",
        "The prediction has a second lane at row -50, which does not count.",
        graph(_lane(100)), graph(_lane(100), _lane(100, row=-50.0)), _scores("1", "1", "1", "1"),
    ),
]  # fmt: skip
