"""Cases of ``sat2graph-topo`` and ``sat2graph-apls``: places are (row, column) in pixels."""

from described import Case, graph, line

# A road of 102 px with a vertex that is not in its middle: one chain, one start point at 51 px, 19 holes.
SHORT = line((600, 100), (600, 130), (600, 202))
OTHER = line((900, 100), (900, 130), (900, 202))

TOPO = [
    Case(
        "the-same-road", "A road against itself.",
        "All marbles fall into the holes at the same places, so both shares are 1.",
        graph(SHORT), graph(SHORT), {"precision": "1", "recall": "1"},
    ),
    Case(
        "a-road-that-is-missing", "Recall is scaled by the share of start points that are kept.",
        "Two roads of 102 px have one start point each. The first is predicted, so its start has precision and "
        "recall 1; the second start has no predicted edge. Precision is 1, recall 1 times 1/2.",
        graph(SHORT, OTHER), graph(SHORT), {"precision": "1", "recall": "1/2"},
    ),
    Case(
        "a-ring-is-not-seen", "A closed ring without a junction has no start point.",
        "The reference has a road and a ring that the prediction lacks. Chains begin at nodes that have not exactly "
        "two neighbours, and the ring has none: nothing starts there, and nothing that starts elsewhere gets there.",
        graph(SHORT, line((900, 100), (900, 300), (1000, 300), (1000, 100), (900, 100))), graph(SHORT),
        {"precision": "1", "recall": "1"},
    ),
    Case(
        "a-doubled-road-is-forgiven", "In precision every hole has a twin, so two marbles may fall into one place.",
        "The prediction has the road twice: two lines from one end, 6 px apart at the other. Each place of the "
        "reference takes two marbles, so precision stays 1, and each hole gets one, so recall is 1.",
        graph(SHORT), graph(line((600, 100), (600, 202)), line((600, 100), (606, 202))),
        {"precision": "1", "recall": "1"},
    ),
    Case(
        "a-tripled-road-is-not", "Every hole has one twin, not more.",
        "The prediction has the road three times. On the edge where the walk starts there are 19 marbles, 0 to 18 "
        "steps of 5.56 px in 102 px. Its end is 51 px from the start, which is 9.2 steps: on the two other edges "
        "the marbles stand 4.56 px from that end and every step after, 18 on each. 19 holes with twins take 38 of "
        "the 55 marbles.",
        graph(SHORT),
        graph(line((600, 100), (600, 202)), line((600, 100), (606, 202)), line((600, 100), (594, 202))),
        {"precision": "38/55", "recall": "1"},
    ),
    Case(
        "an-edge-starts-twice", "An edge between two junctions or ends is walked from both ends.",
        "As in the tripled road, but the reference has no vertex on its way. Then the chain begins at either end, "
        "and the one place at 51 px is listed twice. Both starts have the precision 38/55, below 0.9, and the same "
        "place on the prediction, so only one is kept: recall is 1 times 1/2.",
        graph(line((600, 100), (600, 202))),
        graph(line((600, 100), (600, 202)), line((600, 100), (606, 202)), line((600, 100), (594, 202))),
        {"precision": "38/55", "recall": "1/2"},
    ),
    Case(
        "a-start-needs-the-same-direction", "A start is paired with an edge turned less than 16.26 degrees.",
        "Two roads, one predicted as it is, the other crossed in its middle by a road turned by 20 degrees. The "
        "crossing road is 0 px from the second start but turned too far, so that start is not paired: recall is "
        "1/2. The crossing road is on no walk, so it costs no precision.",
        graph(SHORT, OTHER), graph(SHORT, line((881.8, 101), (918.2, 201))), {"precision": "1", "recall": "1/2"},
    ),
    Case(
        "ten-metres-are-11.11-pixels", "Distances are degrees: 1e-4 of them, called 10 m, are 11.11 px.",
        "The prediction runs 10.5 px beside the reference. Both starts, at one place, have an edge nearer than "
        "11.11 px. Along it 19 marbles stand every 5.56 px from one end, and 19 holes from the same or the other "
        "end, 2 px further along: at most 10.7 px apart, so all fall. (With 10 px nothing would be paired.)",
        graph(line((600, 100), (600, 202))), graph(line((610.5, 100), (610.5, 202))),
        {"precision": "1", "recall": "1"},
    ),
]  # fmt: skip

# 600 m in three edges, so that the nodes of its parts are those of the whole: 148, 7 and 148 pieces.
WHOLE = line((1000, 200), (1000, 494), (1000, 506), (1000, 800))
_POINTS = (
    "The road of 600 m has 304 nodes, so 12 control points between its ends, 43 to 48 m apart, and the two ends. Pairs "
    "count above 100 m, which is three steps: 66 of them. "
)

APLS = [
    Case(
        "the-same-road", "A road against itself.",
        "All paths have the same length in both, so nothing is lost.",
        graph(WHOLE), graph(WHOLE),
        {"reference_to_prediction": "1", "prediction_to_reference": "1", "apls": "1"},
    ),
    Case(
        "a-break", "A path that is not there loses all; the total is the arithmetic mean.",
        _POINTS + "Without the 12 m in the middle there are 7 on each side. Of their pairs 10 on each side count "
        "and lose nothing; the 46 across lose 1. Back, each half has 7 points, and no path is lost; "
        "unconnected pairs do not count. (20/66 + 1) / 2 = 43/66.",
        graph(WHOLE), graph(WHOLE[:2], WHOLE[2:]),
        {"reference_to_prediction": "20/66", "prediction_to_reference": "1", "apls": "43/66"},
    ),
    Case(
        "what-is-not-snapped-always-counts", "A pair with an unsnapped end loses 1, unconnected or near as it may be.",
        _POINTS + "A second road of 60 m, far away, is not predicted. Its two ends are control points without a "
        "partner: their 2 x 14 pairs with the others, which are not even connected, and the pair of the "
        "two, only 60 m long, lose 1 each. 66 of 66 + 28 + 1 remain.",
        graph(WHOLE, line((1500, 200), (1500, 260))), graph(WHOLE),
        {"reference_to_prediction": "66/95", "prediction_to_reference": "1", "apls": "161/190"},
    ),
    Case(
        "the-margin-is-not-sampled", "Control points lie more than 100 px inside the tile of 2048 px.",
        "The reference has a road at row 50 that the prediction lacks. No control point stands there.",
        graph(WHOLE, line((50, 200), (50, 800))), graph(WHOLE),
        {"reference_to_prediction": "1", "prediction_to_reference": "1", "apls": "1"},
    ),
    Case(
        "nine-metres-off", "Control points snap within 10 m.",
        "The prediction runs 9 m beside the reference. All control points snap, and lengths agree.",
        graph(WHOLE), graph([(row + 9, column) for row, column in WHOLE]),
        {"reference_to_prediction": "1", "prediction_to_reference": "1", "apls": "1"},
    ),
    Case(
        "eleven-metres-off", "Control points snap within 10 m, not farther.",
        "The prediction runs 11 m beside the reference. No control point snaps, so every pair loses 1.",
        graph(WHOLE), graph([(row + 11, column) for row, column in WHOLE]),
        {"reference_to_prediction": "0", "prediction_to_reference": "0", "apls": "0"},
    ),
    Case(
        "short-paths-do-not-count", "Paths up to 100 m do not count.",
        "A road of 90 m has 47 nodes, so one control point between its two ends. No path is longer than 100 m: "
        "there is nothing to score, for which the program prints NaN.",
        graph(line((1000, 200), (1000, 290))), graph(line((1000, 200), (1000, 290))),
        {"reference_to_prediction": "undefined", "prediction_to_reference": "undefined", "apls": "undefined"},
    ),
]  # fmt: skip
