"""Which ground is evaluated: nobody is charged for what a source never covered, and who predicts less gains nothing."""

import json

import numpy as np
import pytest
import shapely

from geoeval import ObjectMap, RoadNetwork, evaluate, read_network
from geoeval.cli.demo import helsinki
from geoeval.crs import WGS84, parse_crs
from geoeval.exceptions import ParameterError
from geoeval.model.extent import Extent
from geoeval.pipeline.ground import find_ground, side_of_map
from geoeval.pipeline.pairing import evaluated_ground
from tests.networks import grid

X, Y, CRS = 500_000.0, 5_000_000.0, "EPSG:32610"


def streets(lines, *, at=(0.0, 0.0), crs=CRS):
    moved = [[(X + at[0] + x, Y + at[1] + y) for x, y in line] for line in lines]
    return RoadNetwork.from_lines(moved, crs=crs)


def box(*corners):
    return shapely.box(X + corners[0], Y + corners[1], X + corners[2], Y + corners[3])


def within(network, *corners, exact=False):
    """The network with declared bounds."""
    return network.with_extent(Extent(box(*corners), parse_crs(CRS), exact))


def ground(reference, prediction, aoi=None):
    found = evaluated_ground(reference, prediction, prediction.crs, aoi)
    swapped = evaluated_ground(prediction, reference, prediction.crs, {"reference": "prediction"}.get(aoi, aoi))
    if aoi not in {"reference", "prediction"}:
        assert (found.area is None) == (swapped.area is None)
        assert found.area is None or found.area.wkb == swapped.area.wkb
    return found


CITY, QUARTER = streets(grid(31, 31)), streets(grid(9, 9), at=(300.0, 300.0))
NEAR = 2 * 16.0


# ---------------------------------------------------------------------- told from the roads


@pytest.mark.parametrize("swap", [False, True])
def test_the_larger_one_is_cut_to_the_smaller_one(swap):
    pair = (QUARTER, CITY) if swap else (CITY, QUARTER)
    found = ground(*pair)
    assert found.how == f"the {'reference' if swap else 'prediction'}'s coverage"
    assert box(300, 300, 1100, 1100).buffer(NEAR, join_style="mitre").covers(found.area)
    assert found.area.covers(box(300, 300, 1100, 1100))
    result = evaluate(*pair, metrics="ccq")
    assert result.scores["ccq"]["quality"] > 0.8
    large, small = ("prediction", "reference") if swap else ("reference", "prediction")
    assert result.ground[f"{small}_left_out"] == 0
    inside = CITY.clip(found.area, aoi_crs=CRS).length
    assert result.ground[f"{large}_left_out"] == pytest.approx(1 - inside / CITY.length, abs=1e-4)
    [finding] = result.diagnosis
    assert (finding["check"], finding["level"], finding["option"]) == ("ground", "warning", f"--aoi {large}")
    assert f"of the {large} was left out" in finding["message"]
    assert "left out: " in result.notes["area"]
    plain = json.loads(result.to_json())["area"]
    assert set(plain) == {"wkt", "km2", "how", "reference_left_out", "prediction_left_out"}


def test_where_each_goes_on_beyond_the_other_both_are_cut():
    west, east = streets(grid(21, 21)), streets(grid(21, 21), at=(1000.0, 0.0))
    found = ground(west, east)
    assert found.how == "the ground that both cover"
    assert box(1000, 0, 2000, 2000).buffer(NEAR, join_style="mitre").covers(found.area)
    result = evaluate(west, east, metrics="ccq")
    assert result.scores["ccq"]["quality"] > 0.9
    assert [result.ground[f"{side}_left_out"] for side in ("reference", "prediction")] == pytest.approx(
        [0.48] * 2, abs=0.03
    )


def test_nothing_is_cut_where_both_cover_the_same():
    rng = np.random.default_rng(0)
    lines = grid(12, 12)
    worse = streets([lines[i] for i in rng.permutation(len(lines))[: int(0.7 * len(lines))]])
    for pair in ((streets(lines), worse), (worse, streets(lines))):
        result = evaluate(*pair, metrics="ccq")
        assert result.area is result.ground is None
        assert result.diagnosis == ()
        assert result.notes["area"] == "evaluated on all of both inputs; nothing was left out"


def thinned(network, share, seed):
    """Some of the roads, spread over the place; fewer are always a part of more."""
    roads = network.roads.road_of
    order = np.random.default_rng(seed).permutation(roads.max() + 1)
    kept = np.isin(roads, order[: max(int(share * len(order)), 5)])
    return RoadNetwork(network.nodes, network.segments[kept], crs=network.crs, merge_coincident=False)


@pytest.mark.parametrize("place", ["Helsinki", "a town"])
def test_predicting_less_never_raises_a_score(place):
    whole = read_network(helsinki()).with_extent(None) if place == "Helsinki" else streets(grid(10, 10))
    parameters = {"subg": {"starts": 100}, "opt-g": {"starts": 100}}
    for seed in (1, 2):
        before = None
        for share in (0.8, 0.5, 0.3, 0.1, 0.0):  # at last, five roads
            some = thinned(whole, share, seed)
            found = evaluate(whole, some, metrics="ccq,opt-j,junct,subg,opt-g", parameters=parameters).scores
            now = {
                "completeness": found["ccq"]["completeness"], "quality": found["ccq"]["quality"],
                **{name: found[name]["f1"] or 0.0 for name in ("opt-j", "junct", "subg", "opt-g")},
            }  # fmt: skip
            everywhere = evaluate(whole, some, metrics="ccq", aoi="all").scores["ccq"]
            assert everywhere["completeness"] <= now["completeness"] <= 1.15 * everywhere["completeness"]
            assert before is None or all(now[name] <= before[name] + 1e-9 for name in now), (before, now)
            before = now


def test_a_few_roads_do_not_choose_where_they_are_evaluated():
    five = streets([grid(31, 31)[i] for i in (0, 400, 900, 1300, 1700)])
    found = ground(CITY, five)
    assert found.area is None
    assert "too little to tell which ground it covers" in found.findings[0]["message"]
    assert found.findings[0]["option"] == "--aoi prediction"
    around = ground(CITY, five, "prediction")
    assert around.area.covers(shapely.MultiPoint(five.nodes))


def test_other_crs_other_zone_same_ground():
    moved = CITY.to_crs("EPSG:32611")
    here, there = (evaluated_ground(one, QUARTER, QUARTER.crs).area for one in (CITY, moved))
    assert here.equals(there)  # the quarter's own
    far = evaluated_ground(moved, QUARTER, moved.crs).area
    back = shapely.area(shapely.symmetric_difference(Extent(far, moved.crs).polygon(QUARTER.crs), here))
    assert back < 1e-4 * here.area


def test_objects_have_the_same_rule():
    corners = np.array([(x, y) for x in range(0, 1500, 40) for y in range(0, 1500, 40)], dtype=float) + np.array([X, Y])
    houses = shapely.box(*corners.T, *(corners + 15).T)
    near = (corners < [X + 500, Y + 500]).all(axis=1)
    town, quarter = (ObjectMap.from_polygons(one, crs=CRS) for one in (houses, houses[near]))
    for pair in ((town, quarter), (quarter, town)):
        result = evaluate(*pair, kind="objects", metrics="iou")
        assert result.scores["iou"]["f1"] > 0.85
        large = "reference" if pair[0] is town else "prediction"
        assert result.ground[f"{large}_left_out"] == pytest.approx(1 - near.mean(), abs=0.03)


# ---------------------------------------------------------------------- declared


def test_declared_bounds_cut_both():
    """Ways that lead out of an extract are no reason to charge anyone for what lies beside them."""
    tail = [[(2900, 1000), (6000, 1000)]]
    city = within(streets(grid(30, 30) + tail), 0, 0, 2900, 2900)
    other = streets(grid(70, 70), at=(-500.0, -500.0))
    found = ground(city, other)
    assert found.how == "the reference's declared bounds"
    assert found.area.equals(box(0, 0, 2900, 2900))
    assert evaluate(city, other, metrics="ccq").scores["ccq"]["quality"] == 1
    both = ground(city, within(other, -500, -500, 1500, 6400))
    assert both.how == "the bounds that both declare"
    assert both.area.equals(box(0, 0, 1500, 2900))


def test_a_region_that_is_missing_within_declared_bounds_is_charged():
    half = streets([line for line in grid(30, 30) if max(x for x, _ in line) <= 1400])
    city = within(streets(grid(30, 30)), 0, 0, 2900, 2900)
    assert ground(city, half).how == "the reference's declared bounds and the prediction's coverage"
    declared = within(half, 0, 0, 2900, 2900, exact=True)  # an image of all of it, with roads in its western half
    assert ground(city, declared).area.equals(box(0, 0, 2900, 2900))
    assert evaluate(city, declared, metrics="ccq").scores["ccq"]["completeness"] < 0.55


def test_bounds_far_larger_than_the_data_do_not_say_that_it_covers_them():
    """The header of a PBF may name a country, and its data be a town."""
    town = within(QUARTER, -50_000, -50_000, 50_000, 50_000)
    found = ground(town, CITY)
    assert "coverage" in found.how
    assert found.area.area < 1.3 * 800**2


def test_bounds_that_hold_next_to_nothing_of_their_own_map_are_not_believed():
    wrong = within(QUARTER, 300, 300, 380, 380)
    found = ground(wrong, QUARTER)
    assert found.area is None
    assert "not believed" in found.findings[0]["message"]
    assert ground(wrong, QUARTER, "bounds").area.equals(box(300, 300, 380, 380))


def test_an_extent_is_carried_and_cut_with_the_map():
    town = within(QUARTER, 0, 0, 5000, 5000)
    assert town.to_crs("EPSG:32611").extent is town.extent
    assert town.clip(box(300, 300, 700, 9000), aoi_crs=CRS).extent.shape.equals(box(300, 300, 700, 5000))
    kept = Extent.from_dict(json.loads(json.dumps(town.extent.as_dict())))
    assert kept == town.extent
    assert Extent.from_dict(None) is None
    assert Extent.of_box((10.0, 0.0, -10.0, 5.0), WGS84, exact=False) is None


# ---------------------------------------------------------------------- named


def test_the_words_for_an_area(tmp_path):
    city = within(CITY, 0, 0, 3000, 1500)
    assert ground(city, QUARTER, "all").area is None
    for word, expected in {
        "reference": box(0, 0, 3000, 1500),
        "prediction": side_of_map(QUARTER).coverage.polygon,
        "overlap": side_of_map(QUARTER).coverage.polygon,
        "bounds": box(0, 0, 3000, 1500),
    }.items():
        assert ground(city, QUARTER, word).area.equals(expected), word
        assert ground(city, QUARTER, word).how == f"--aoi {word}"
    with pytest.raises(ParameterError, match="neither input declares its bounds"):
        find_ground(side_of_map(CITY), side_of_map(QUARTER), CITY.crs, "bounds")
    chosen = evaluate(city, QUARTER, metrics="ccq", aoi="reference")
    assert "ground" not in {finding["check"] for finding in chosen.diagnosis}  # who asks for it is not warned
    assert chosen.scores["ccq"]["completeness"] < 0.2


def test_the_ground_of_an_earlier_result(tmp_path):
    first, other, everything = (tmp_path / name for name in ("first.json", "other.json", "all.json"))
    worse = thinned(QUARTER, 0.8, 3)
    evaluate(CITY, QUARTER, metrics="ccq").write_json(first)
    result = evaluate(CITY, worse, metrics="ccq", aoi=str(first))
    assert result.area.wkt == json.loads(first.read_text(encoding="utf-8"))["area"]["wkt"]
    result.write_json(other)
    assert evaluate(CITY, worse, metrics="ccq", aoi=other).scores == result.scores
    evaluate(CITY, CITY, metrics="ccq").write_json(everything)
    assert evaluate(CITY, worse, metrics="ccq", aoi=everything).area is None
    with pytest.raises(ParameterError, match="nothing was cut in this evaluation"):
        CITY.clip(everything)
