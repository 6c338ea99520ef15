"""Each place has one error, of its cause: planted errors come back as what they are, once."""

import numpy as np
import pytest
import shapely

from geoeval import RoadNetwork, evaluate, perturb, read_network
from geoeval.cli.demo import helsinki
from geoeval.roads.causes.circles import ARMS, ENDS, PIECES, RINGS, inside_circles
from geoeval.roads.causes.decide import with_decided_errors
from tests.benchmarks.planted import campaign
from tests.conftest import DATA
from tests.networks import grid, network
from tests.roads.causes.adding_up import unmatched_metres

METRICS = "ccq,opt-j,opt-p"
HEIDELBERG = DATA / "osm" / "ors_heidelberg.osm.pbf"
QUICK = {"opt-p": {"decompositions": 1}}
FAR = [(200, 0), (0, 200), (-200, 0), (0, -200)]
TOWN = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(7, 7, 120.0)]


def judged(reference, prediction, metrics=METRICS):
    parameters = QUICK if "opt-p" in metrics else None
    return evaluate(reference, prediction, metrics=metrics, parameters=parameters, aoi="all")


def counts(result):
    return {kind: entry["count"] for kind, entry in result.error_summary().items()}


def at(*lines):
    return network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in lines])


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("missing", "missing"), ("interruptions", "break"), ("overconnections", "spurious"), ("doubled", "doubled"),
        ("doubled_reference", "merged"), ("far_false_positives", "spurious"), ("perturbations", "displaced"),
    ],
)  # fmt: skip
def test_planted_errors_come_back_once(error, kind):
    made = perturb(network(TOWN), error, 8, seed=3)
    result = judged(made.reference, made.prediction)
    assert counts(result) == {kind: made.count}
    places = shapely.line_interpolate_point(made.errors["lines"].geometry.to_numpy(), 0.5, normalized=True)
    assert (shapely.distance(places, shapely.union_all(result.errors_of(kind).geometry)) < 5.0).all()


@pytest.fixture(scope="module")
def helsinki_roads():
    return read_network(helsinki(), network_type="drive")


@pytest.mark.parametrize(
    ("error", "kind"),
    [("missing", "missing"), ("interruptions", "break"), ("doubled", "doubled"), ("perturbations", "displaced")],
)
def test_planted_errors_of_helsinki(helsinki_roads, error, kind):
    made = perturb(helsinki_roads, error, 15 if error == "perturbations" else 40, seed=1)
    result = judged(made.reference, made.prediction, "ccq,opt-j")
    found = counts(result)
    small = sum(entry["count"] for entry in result.slivers.values())
    assert made.count - small - 1 <= found.pop(kind) <= made.count + 1
    assert sum(found.values()) <= 2


def test_several_kinds_together(helsinki_roads):
    prediction = helsinki_roads
    for error, number in (("missing", 8), ("interruptions", 8), ("overconnections", 5), ("doubled", 5)):
        prediction = perturb(prediction, error, number, seed=1).prediction
    result = judged(helsinki_roads, prediction, "ccq,opt-j")
    assert set(counts(result)) <= {"missing", "break", "spurious", "doubled"}
    assert 24 <= sum(counts(result).values()) <= 26
    # No place is in two layers.
    lines = result.map_errors()["lines"]
    shapes = lines.geometry.buffer(1.0).to_numpy()
    shared = sum(
        lines.geometry.iloc[i].intersection(shapes[j]).length
        for i in range(len(lines)) for j in range(i) if lines["kind"].iloc[i] != lines["kind"].iloc[j]
    )  # fmt: skip
    assert shared < 0.02 * lines["length_m"].sum()


def test_five_kinds_together_are_told_apart(helsinki_roads):
    planted, listed, _, once = campaign(helsinki_roads, "together", count=100, at_once=15, seed=20)
    assert set(listed) == set(planted)
    assert all(abs(listed[kind] - number) <= 1 for kind, number in planted.items())
    assert once > 0.98


def test_lengths_add_up_with_the_slivers(helsinki_roads):
    made = perturb(perturb(helsinki_roads, "perturbations", 30, seed=1).prediction, "missing", 30, seed=2)
    result = judged(helsinki_roads, made.prediction, "ccq,opt-j")
    told, ccq = unmatched_metres(result), result.counts["ccq"]
    assert result.slivers
    assert told["ref_m"] == pytest.approx(ccq["ref_length"] - ccq["ref_matched"], abs=1e-6)
    assert told["pred_m"] == pytest.approx(ccq["pred_length"] - ccq["pred_matched"], abs=1e-6)


def test_swapping_mirrors(helsinki_roads):
    prediction = helsinki_roads
    for error in ("missing", "overconnections", "interruptions", "doubled"):
        prediction = perturb(prediction, error, 6, seed=2).prediction
    one, other = (judged(*pair, "ccq,opt-j") for pair in ((helsinki_roads, prediction), (prediction, helsinki_roads)))
    for kind, mirror in (("missing", "spurious"), ("spurious", "missing"), ("break", "false_link"),
                         ("doubled", "merged")):  # fmt: skip
        shapes = [shapely.union_all(result.errors_of(name).geometry) for result, name in ((one, kind), (other, mirror))]
        assert shapes[0].length > 0
        assert shapes[0].equals(shapes[1])
    assert one.slivers.get("missing") == other.slivers.get("spurious")


def test_a_road_aside_is_displaced_as_a_whole():
    frame = [[(0, 0), (400, 0)], [(0, 0), (0, 300)], [(400, 0), (400, 300)]]
    result = judged(at(*frame, [(0, 150), (400, 150)]), at(*frame, [(0, 150), (15, 160), (385, 160), (400, 150)]))
    assert counts(result) == {"displaced": 1}
    [row] = result.errors_of("displaced").to_dict("records")
    assert row["dist_m"] == pytest.approx(10.0, abs=0.5)
    assert row["ref_m"] > 300 < row["pred_m"]


def cross(x, y):
    """Four roads of 200 m that meet at a place near the origin."""
    return [[(x, y), end] for end in ((200, 0), (-200, 0), (0, 200), (0, -200))]


@pytest.mark.parametrize("place", [(0, 20), (14, 14), (-28, 2)])
def test_a_moved_junction_is_one_error_with_all_its_roads(place):
    result = judged(at(*cross(0, 0)), at(*cross(*place)))
    assert counts(result) == {"displaced": 1}
    [row] = result.errors_of("displaced").to_dict("records")
    assert row["dist_m"] == pytest.approx(np.hypot(*place))
    assert shapely.get_coordinates(row["geometry"]).tolist() == [
        [place[0] + 500_000, place[1] + 5_000_000], [500_000, 5_000_000]]  # fmt: skip
    told, ccq = unmatched_metres(result), result.counts["ccq"]
    assert told["ref_m"] == pytest.approx(ccq["ref_length"] - ccq["ref_matched"], abs=1e-6)


def test_a_junction_that_moved_too_far_is_not_the_same():
    assert "displaced" not in counts(judged(at(*cross(0, 0)), at(*cross(45, 45))))


def test_a_moved_junction_one_of_whose_roads_has_a_gap():
    roads = cross(0, 20)
    roads[0:1] = [[(0, 20), (100, 10)], [(108, 9.2), (200, 0)]]
    found = counts(judged(at(*cross(0, 0)), at(*roads)))
    assert found["displaced"] == 1
    assert "missing" not in found


def test_the_end_of_a_road_that_is_drawn_elsewhere():
    frame = [[(0, 0), (400, 0)], [(0, 0), (0, 300)]]
    for end in ((400, 180), (410, 215), (385, 190)):
        result = judged(at(*frame, [(400, 0), (400, 200)]), at(*frame, [(400, 0), end]))
        assert counts(result) == {"displaced": 1}
        assert "the end of the road" in result.errors_of("displaced")["note"].iloc[0]
    assert counts(judged(at(*frame, [(400, 0), (400, 200)]), at(*frame, [(400, 0), (400, 100)]))) == {"missing": 1}


def test_other_side_roads_of_one_road_are_not_one_moved_junction():
    main = [(0, 0), (400, 0)]
    result = judged(at(main, [(200, 0), (200, 150)]), at(main, [(222, 0), (222, -150)]))
    assert counts(result) == {"missing": 1, "spurious": 1}


def test_two_roads_between_the_same_junctions_keep_their_sides():
    def town(x):
        return at([(0, 0), (0, 100)], [(0, 0), (-60, 50), (0, 100)], [(0, 0), (x, 50), (0, 100)],
                  [(0, 100), (0, 300)], [(0, 0), (0, -200)])  # fmt: skip

    assert counts(judged(town(40), town(60))) == {"displaced": 1}


SIDES_OF_A_TOWN = [[(x, y) for y in (-300, 0, 12, 300)] for x in (0, 500)]


def bends(*places, y=0, aside=20):
    """A road of 500 m that is drawn aside at these places, 40 m of it at each."""
    return [(0, y), *((x + dx, y + dy) for x in places for dx, dy in ((-20, 0), (0, aside), (20, 0))), (500, y)]


@pytest.mark.parametrize("swap", [False, True])
def test_each_bend_of_a_road_is_an_error(swap):
    """However near to each other: what is unmatched of one is within reach of the other."""
    pair = [at(*SIDES_OF_A_TOWN, bends()), at(*SIDES_OF_A_TOWN, bends(120, 170, 400))]
    assert counts(judged(*pair[:: -1 if swap else 1])) == {"displaced": 3}


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(("upper", "lower"), [([250], [250]), ([150], [350]), ([], [250]), ([250], [])])
def test_bends_of_both_lines_of_a_divided_road(upper, lower, swap):
    """A line drawn onto or beyond the other one is aside, and no road drawn once or twice."""
    pair = [at(*SIDES_OF_A_TOWN, bends(*one, y=12), bends(*other)) for one, other in (([], []), (upper, lower))]
    assert counts(judged(*pair[:: -1 if swap else 1])) == {"displaced": len(upper) + len(lower)}


@pytest.mark.parametrize("swap", [False, True])
def test_a_road_that_one_map_lacks_hides_no_moved_junction(swap):
    """A false road ends on an arm of the junction and divides it, so that it leads elsewhere."""
    arm = [[(14, 14), (107, 7)], [(107, 7), (200, 0)], [(107, 7), (60, 120)]]
    pair = [at(*cross(0, 0)), at(*arm, *cross(14, 14)[1:])]
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    assert counts(result) == {"displaced": 1, "missing" if swap else "spurious": 1}
    told, ccq = unmatched_metres(result), result.counts["ccq"]
    assert told["ref_m"] == pytest.approx(ccq["ref_length"] - ccq["ref_matched"], abs=1e-6)
    assert told["pred_m"] == pytest.approx(ccq["pred_length"] - ccq["pred_matched"], abs=1e-6)


@pytest.mark.parametrize("swap", [False, True])
def test_a_moved_junction_explains_no_road_that_it_lacks(swap):
    """The road between two streets 45 m apart is nowhere far from one of them."""
    street = [(-200, -45), (200, -45)]
    pair = [at(*cross(0, 0)[:3], [(0, 0), (0, -45)], street), at(*cross(14, 14)[:3], street)]
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    assert counts(result) == {"displaced": 1, "spurious" if swap else "missing": 1}


@pytest.mark.parametrize("swap", [False, True])
def test_a_road_that_leads_on_to_a_lone_one_has_no_moved_end(swap):
    """20 m farther is another end of the road; what leads on to a road that only one map has belongs to that."""
    frame = [[(0, 0), (0, 100)], [(0, 0), (0, -100)]]
    pair = [at(*frame, [(0, 0), (150, 0)]), at(*frame, [(0, 0), (170, 0)])]
    assert counts(judged(*pair[:: -1 if swap else 1], "ccq,opt-j")) == {"displaced": 1}
    pair[1] = at(*frame, [(0, 0), (170, 0)], [(170, -120), (170, 0)], [(170, 0), (170, 120)])
    kind = "missing" if swap else "spurious"
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    assert sorted(result.errors_of(kind)["length_m"].round().tolist()) == [15, 120, 120]  # 5 m are within the tolerance
    assert counts(result) == {kind: 3}


@pytest.mark.parametrize("swap", [False, True])
def test_roads_that_meet_at_a_lone_one_stay_several(swap):
    """A side road that only one map has is known first; the two roads that meet it are still two."""
    frame = [[(0, 0), (400, 0)], [(0, 0), (0, -300)], [(400, 0), (400, -300)]]
    more = [[(100, 0), (100, 18)], [(100, 18), (118, 18)], [(100, 18), (100, 200)], [(118, 18), (118, 0)]]
    pair = [at(*frame), at([(0, 0), (100, 0)], [(100, 0), (118, 0)], [(118, 0), (400, 0)], *frame[1:], *more)]
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    kind = "missing" if swap else "spurious"
    lengths = sorted(result.errors_of(kind)["length_m"].round().tolist())
    assert lengths == [18, 36, 182]


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("y", [0, 8])
def test_a_copy_on_which_a_spurious_road_ends(y, swap):
    """It ends on the copy (8 m beside the road) or on the road beside it: two errors all the same."""
    main, other = [(0, 0), (400, 0)], [(0, -200), (400, -200)]
    road = [(0, 0), (100, 0), (200, 0), (300, 0), (400, 0)]
    copy = [(100, 0), (100, 8), (200, 8), (300, 8), (300, 0)]
    pair = [at(main, other), at(road, copy, [(200, y), (200, 120)], other)]
    one, many = ("missing", "merged") if swap else ("spurious", "doubled")
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    assert counts(result) == {one: 1, many: 1}
    assert result.errors_of(many)["length_m"].tolist() == pytest.approx([216])


def test_a_copy_in_two_pieces_may_turn_a_corner():
    """At the corner the copy is farther from the road than beside its straight parts."""
    road, other = [(0, 0), (300, 0), (300, -300)], [(450, 200), (450, -300)]
    copy = [(100, 0), (100, 8), (308, 8), (308, -60), (308, -200), (300, -200)]
    drawn = [(0, 0), (100, 0), (300, 0), (300, -200), (300, -300)]
    result = judged(at(road, other), at(drawn, copy, other, [(308, -60), (400, -60)]), "ccq,opt-j")
    assert counts(result) == {"doubled": 1, "spurious": 1}


@pytest.mark.parametrize("swap", [False, True])
def test_the_arms_of_a_fork_stay_where_the_road_behind_it_is_missing(swap):
    """Without that road the two arms are one road around a sharp corner, which lies where it should."""
    through = [[(-20, 100), (0, 0)], [(0, 0), (3.2, -9)], [(3.2, -9), (30, -100)]]
    arms = [[(0, 0), (14.7, 0.8)], [(3.2, -9), (14.7, 0.8)]]
    pair = [at(*through, *arms, [(14.7, 0.8), (160, -5)]), at(*through, *arms)]
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    assert counts(result) == {"spurious" if swap else "missing": 1}


def test_a_side_of_a_small_triangle_is_no_copy():
    triangle = [
        [(-200, 0), (0, 0)],
        [(0, 0), (30, 7), (60, 0)],
        [(0, 0), (60, 0)],
        [(60, 0), (200, 0)],
        [(30, 7), (30, 200)],
    ]
    result = judged(at(*triangle[:2], *triangle[3:]), at(*triangle), "ccq,opt-j")
    assert counts(result) == {"spurious": 1}


def test_divided_against_single():
    side = [[(0, 0), (0, 300)], [(500, 0), (500, -300)]]
    single = [*side, [(0, 0), (500, 0)]]
    divided = [*side, [(0, 0), (20, 8), (480, 8), (500, 0)], [(0, 0), (20, -8), (480, -8), (500, 0)]]
    assert counts(judged(at(*single), at(*divided))) == {"drawn_double": 1}
    assert counts(judged(at(*divided), at(*single))) == {"drawn_single": 1}


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(("second", "errors"), [(400, [44, 44]), (170, [134])])
def test_islands_far_from_each_other_are_two_errors(second, errors, swap):
    """A road around two islands: what lies between them is one line on both maps."""
    islands = [(80, 140), (second, second + 60)]
    bows = [[(a, 0), (a + 12, y), (b - 12, y), (b, 0)] for a, b in islands for y in (10, -10)]
    rest = [[(0, 0), (80, 0)], [(140, 0), (second, 0)], [(second + 60, 0), (600, 0)]]
    pair = [at(*bows, *rest), at([(0, 0), (600, 0)])]
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    kind = "drawn_double" if swap else "drawn_single"
    assert counts(result) == {kind: len(errors)}
    assert result.errors_of(kind)["length_m"].round().tolist() == errors


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("radius", "kinds"), [(8, ("missing", "spurious")), (12, ("displaced",) * 2), (25, ("displaced",) * 2)]
)
def test_a_roundabout_drawn_as_a_crossing_is_one_error(radius, kinds, swap):
    angles = np.linspace(0, 2 * np.pi, 17)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * radius
    quarters = [ring[k : k + 5].tolist() for k in (0, 4, 8, 12)]
    pair = [at(*quarters, *([corners[0], end] for corners, end in zip(quarters, FAR, strict=True))),
            at(*([(0, 0), end] for end in FAR))]  # fmt: skip
    result = judged(*pair[:: -1 if swap else 1], "ccq,opt-j")
    assert counts(result) == {kinds[swap]: 1}
    told, ccq = unmatched_metres(result), result.counts["ccq"]
    assert told["ref_m"] == pytest.approx(ccq["ref_length"] - ccq["ref_matched"], abs=1e-6)


def test_a_crossing_drawn_as_two_junctions_is_no_error():
    reference = at([(-200, 0), (0, 0), (200, 0)], [(0, -200), (0, 0), (0, 200)])
    prediction = at([(-200, 0), (-2, 0), (2, 0), (200, 0)], [(-2, -200), (-2, 0)], [(2, 0), (2, 200)])
    assert counts(judged(reference, prediction)) == {}


def test_a_crossing_that_is_not_joined_is_one_junction():
    reference = at([(-200, 0), (0, 0), (200, 0)], [(0, -200), (0, 0), (0, 200)])
    prediction = at([(-200, 0), (200, 0)], [(0, -200), (0, 200)])
    assert counts(judged(reference, prediction)) == {"junction": 1}


def test_slivers_are_summed_up_not_listed():
    result = judged(at([(0, 0), (500, 0)]), at([(0, 0), (200, 0), (204, 5.9), (208, 0), (492, 0)]))
    assert counts(result) == {}
    assert result.slivers["missing"]["length_m"] == pytest.approx(3.0)
    assert set(result.slivers) == {"missing", "spurious"}
    assert "shorter than 10 m" in result.notes["slivers"]
    assert result.plain()["slivers"]["missing"]["count"] == 1


def test_the_surest_first_each_with_a_name_of_its_own(helsinki_roads):
    made = perturb(helsinki_roads, "missing", 30, seed=5)
    lines = judged(made.reference, made.prediction, "ccq,opt-j").map_errors()["lines"]
    assert lines["confidence"].between(0, 1).all()
    assert lines["confidence"].is_monotonic_decreasing
    assert lines["error_id"].is_unique
    again = judged(made.reference, made.prediction, "ccq,opt-j").map_errors()["lines"]
    assert lines["error_id"].tolist() == again["error_id"].tolist()


def test_what_is_drawn_twice_is_one_error_a_stretch():
    street, side, other = [(0, 0), (100, 0), (200, 0), (300, 0)], [(0, 0), (0, 100)], [(0, 300), (300, 300)]
    lines = [street, street[::-1], side, side[::-1], street[1:3], side, other]
    ids = [1, 2, 3, 4, 5, 4, 6]
    twice = RoadNetwork.from_lines(lines, ids=ids, crs="EPSG:32610")
    found = judged(RoadNetwork.from_lines([street, side, other], crs="EPSG:32610"), twice, "ccq,opt-j")
    rows = found.errors_of("duplicate").sort_values("pred_id")
    assert rows["pred_id"].tolist() == ["2", "4", "5"]
    assert rows["length_m"].tolist() == rows.geometry.length.tolist() == [300.0, 100.0, 100.0]
    assert rows["error_id"].is_unique
    assert counts(found) == {"duplicate": 3}


def test_a_gap_does_not_depend_on_the_order_of_roads():
    """Behind the gap the road has a node with an arm of its own: whichever arm comes first, the road goes on there."""
    bent = [(120, 0), (140, 8), (300, 60)]
    reference = at([(0, 0), (100, 0), *bent])
    drawn = [[(0, 0), (100, 0)], bent, [(120, 0), (112, -40)]]
    breaks = []
    for lines in (drawn, drawn[::-1], [line[::-1] for line in drawn[::-1]]):
        [line] = judged(reference, at(*lines), "ccq,opt-j").errors_of("break").geometry
        breaks.append(sorted(np.round(shapely.get_coordinates(line), 3).tolist()))
    assert breaks == [[[500_100, 5_000_000], [500_120, 5_000_000]]] * 3


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("joint", [40, 40.4])
def test_an_end_that_both_networks_have_is_no_gap(joint, swap):
    """It only touches the road beside it, which has a gap a little further on: that one gap is listed."""
    touching = [(40, 0), (40, -60)]
    reference = at([(0, 0), (90, 0)], touching)
    prediction = at([(0, 0), (56, 0)], [(70, 0), (90, 0)], [(joint, 0), (40, -60)])
    sides = (prediction, reference) if swap else (reference, prediction)
    assert counts(judged(*sides, "ccq,opt-j")) == {"false_link" if swap else "break": 1}


def test_results_that_cannot_be_decided_stay_as_they_are():
    result = judged(at([(0, 0), (500, 0)]), at([(0, 0), (300, 0)]), "opt-j")
    assert result.decided is None
    assert with_decided_errors(result) is result


def test_empty_networks():
    road, nothing = at([(0, 0), (500, 0)]), RoadNetwork.from_lines([], crs=at([(0, 0), (500, 0)]).crs)
    assert counts(judged(road, nothing)) == {"missing": 1}
    assert counts(judged(nothing, road)) == {"spurious": 1}
    assert counts(judged(nothing, nothing)) == {}


def test_inside_a_circle():
    cross = at([(-50, 0), (0, 0), (50, 0)], [(0, -50), (0, 0), (0, 5)])
    found = inside_circles(cross, np.array([[500_000.0, 5_000_000.0]]), np.array([20.0]))[0]
    assert [found[ARMS], found[ENDS], found[PIECES], found[RINGS]] == [3, 1, 1, 0]


@pytest.mark.parametrize(
    ("error", "kind"),
    [("missing", "missing"), ("interruptions", "break"), ("doubled", "doubled"), ("perturbations", "displaced")],
)
def test_five_hundred_of_heidelberg(error, kind):
    if not HEIDELBERG.exists():
        pytest.skip("the extract of Heidelberg is not beside the project")
    made = perturb(read_network(HEIDELBERG, network_type="drive"), error, 500, seed=1)
    result = judged(made.reference, made.prediction, "ccq,opt-j")
    found = counts(result)
    found.pop("duplicate", None)
    hidden = sum(entry["count"] for entry in result.slivers.values())
    assert made.count - hidden - 10 <= found.pop(kind) <= made.count + 10
    assert sum(found.values()) <= 0.02 * made.count


@pytest.mark.parametrize("seed", [0, 1])
def test_five_kinds_together_in_heidelberg(seed):
    if not HEIDELBERG.exists():
        pytest.skip("the extract of Heidelberg is not beside the project")
    roads = read_network(HEIDELBERG, network_type="drive")
    planted, listed, _, once = campaign(roads, "together", count=490, at_once=490, seed=seed)
    assert all(abs(listed[kind] - number) <= 3 for kind, number in planted.items())
    assert listed.total() - sum(listed[kind] for kind in planted) <= 0.02 * planted.total()
    assert once > 0.98
