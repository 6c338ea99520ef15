"""Does A beat B: the bootstrap against all drawings there are, its coverage, and equals that nobody beats."""

from itertools import product
from statistics import NormalDist

import geopandas as gpd
import numpy as np
import pytest
import shapely

from geoeval import GeoevalError, RoadNetwork, evaluate, evaluate_roads, perturb
from geoeval.coverage import coverage_of
from geoeval.crs import LOCAL_METRES
from geoeval.roads.registry import METRICS
from geoeval.studies.comparison import (
    block_scores,
    bootstrap,
    check_by_place,
    compare_blocks,
    evaluate_both,
    metrics_by_place,
    paired,
)
from tests.networks import CRS, grid, network

TOWN = network(grid(8, 8, 200.0))


def test_paired_places():
    sure = paired([0.1, 0.12, 0.09, 0.11], metric="x")
    assert sure.confidence == 1
    assert sure.difference == pytest.approx(0.105)
    assert 0.09 <= sure.interval[0] <= sure.interval[1] <= 0.12
    assert paired([0.1, -0.1] * 10).confidence == pytest.approx(0.5, abs=0.1)
    assert paired([0.0, 0.0, 0.0]).confidence == 0.5
    assert paired([-0.2, -0.1, np.nan]).units == 2
    assert paired([-0.2, -0.1]).confidence == 0
    with pytest.raises(GeoevalError, match="1 places with both scores"):
        paired([0.3, np.nan])


def test_blocks_tell_the_better_one_and_nothing_of_equals():
    good = perturb(TOWN, "interruptions", 5, seed=0).prediction
    bad = perturb(TOWN, "interruptions", 60, seed=1).prediction
    results = [evaluate_roads(TOWN, one, metrics="opt-j") for one in (good, bad)]
    found = compare_blocks(*results, block_size=400.0)
    assert found.difference == pytest.approx(
        results[0].scores["opt-j"]["f1"] - results[1].scores["opt-j"]["f1"], abs=1e-12
    )
    assert found.confidence > 0.99
    assert 0 < found.interval[0] < found.difference < found.interval[1]
    assert found.units == 16
    back = compare_blocks(*results[::-1], block_size=400.0)
    assert back.difference == pytest.approx(-found.difference)
    assert back.confidence == pytest.approx(1 - found.confidence)
    same = compare_blocks(results[0], results[0], block_size=400.0)
    assert (same.difference, same.confidence, same.interval) == (0, 0.5, (0, 0))
    assert (found.winner, back.winner, same.winner) == ("A", "B", "none")
    assert found.scores == pytest.approx([one.scores["opt-j"]["f1"] for one in results], abs=1e-12)
    with pytest.raises(GeoevalError, match="only 1 blocks of 1e\\+06 m have anything for opt-j"):
        compare_blocks(*results, block_size=1e6)
    with pytest.raises(GeoevalError, match="no counts by place"):
        compare_blocks(*results, metric="apls")


def f1(sums):
    hit, made, true = sums
    return 2 * hit / (made + true) if made + true else float("nan")


def test_bootstrap_is_the_average_over_all_drawings():
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 9, (2, 3, 5)).astype(float)
    every = []
    for blocks in product(range(5), repeat=5):
        a, b = (f1([sum(table[name][block] for block in blocks) for name in range(3)]) for table in counts)
        every.append(a - b)
    found = bootstrap(counts, f1, repetitions=20_000, seed=1)
    share = np.mean([(x > 0) + 0.5 * (x == 0) for x in every])
    assert found.confidence == pytest.approx(share, abs=4 * (share * (1 - share) / 20_000) ** 0.5)
    # The quantiles that Student's distribution of 4 degrees of freedom asks for, in all drawings. These are discrete.
    level = NormalDist().cdf(-2.776445 * (5 / 4) ** 0.5)
    for value, share in zip(found.interval, (level, 1 - level), strict=True):
        assert np.mean(np.array(every) < value - 1e-12) <= share + 0.001
        assert np.mean(np.array(every) <= value + 1e-12) >= share - 0.001
    assert found.difference == pytest.approx(f1(counts[0].sum(axis=1)) - f1(counts[1].sum(axis=1)))
    assert found.units == 5


def towns(rng, many, better):
    """Counts of A and B in many independent blocks, hard ground for both or for none; A hits more by ``better``."""
    hardness = rng.uniform(0.5, 0.95, many)
    true = rng.poisson(12, many) + 1
    return np.array([[rng.binomial(true, np.minimum(hardness + more, 1)), true, true] for more in (better, 0.0)], float)


@pytest.mark.parametrize("better", [0.0, 0.05])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(better):
    rng = np.random.default_rng(8)
    large = towns(rng, 1_000_000, better)
    truth = f1(large[0].sum(axis=1)) - f1(large[1].sum(axis=1))
    held, won = 0, 0
    for seed in range(300):
        found = bootstrap(towns(rng, 10, better), f1, repetitions=400, seed=seed)
        held += found.interval[0] <= truth <= found.interval[1]
        won += found.winner != "none"
    assert 0.92 <= held / 300 <= 0.98
    if better == 0:
        assert won / 300 <= 0.08  # of equals one in twenty seems better


@pytest.fixture(scope="module")
def two():
    pair = [perturb(TOWN, "missing", count, seed=count).prediction for count in (6, 20)]
    return [evaluate_roads(TOWN, one, metrics=metrics_by_place()) for one in pair]


@pytest.mark.parametrize("metric", metrics_by_place())
def test_metrics_by_place_add_up_to_their_scores(two, metric):
    found = compare_blocks(*two, metric=metric, block_size=300.0, repetitions=100)
    scores = [one.scores[metric][METRICS[metric].headline] for one in two]
    assert found.scores == pytest.approx(scores, abs=1e-9)
    assert found.difference == pytest.approx(scores[0] - scores[1], abs=1e-9)
    assert found == compare_blocks(*two, metric=metric, block_size=300.0, repetitions=100)
    assert compare_blocks(two[1], two[1], metric=metric, block_size=300.0, repetitions=100).winner == "none"


def test_blocks_show_where_the_difference_is():
    pieces = [[(0, 0), (900, 0)], [(0, 900), (900, 900)]]
    whole, west = network(pieces), network([*pieces[1:], [(0, 0), (100, 0)], [(110, 0), (900, 0)]])
    a, b = (evaluate_roads(whole, one, metrics="opt-j") for one in (whole, west))
    found = block_scores(a, b, metric="opt-j", block_size=300.0).set_index(["x", "y"])
    worse = found[found["difference"] > 0]
    assert worse.index.tolist() == [(0.0, 0.0)]
    assert found.loc[(0.0, 0.0), "a"] == 1
    assert (found.drop((0.0, 0.0))["difference"] == 0).all()


def test_empty_networks_have_no_blocks():
    nothing = RoadNetwork([], [], crs=CRS)
    one = evaluate_roads(nothing, nothing, metrics="opt-j")
    with pytest.raises(GeoevalError, match="0 blocks of 500 m"):
        compare_blocks(one, one)


STREETS = grid(17, 17, 200.0)


def streets(lines, *, corner=(0, 0), crs=CRS):
    """Lines of a town of 3.2 x 3.2 km that lies in zone 10; ``corner`` moves them to another corner of it."""
    offset = (500_000 + 2800 * corner[0], 5_000_000 + 2800 * corner[1]) if crs == CRS else np.multiply(corner, 2800)
    return network([np.add(line, offset).tolist() for line in lines], crs=crs)


REFERENCE = streets(STREETS)
SOUTH_WEST, NORTH_EAST = streets(grid(3, 3, 200.0)), streets(grid(3, 3, 200.0), corner=(1, 1))


@pytest.fixture(scope="module")
def corners():
    """A finds one corner of the town, B another one."""
    return evaluate_both(REFERENCE, SOUTH_WEST, NORTH_EAST, metrics="ccq,opt-j")


def coverage(one):
    return coverage_of([one.nodes[one.segments]], one.crs).polygon


def roads(one):
    return shapely.multilinestrings(list(one.nodes[one.segments]))


def test_both_are_evaluated_on_what_either_covers(corners):
    a, b = corners
    expected = shapely.union_all([coverage(one) for one in (SOUTH_WEST, NORTH_EAST)])
    assert a.area.equals(expected)
    assert b.area.equals(expected)
    inside = shapely.intersection(roads(REFERENCE), expected)
    for result, prediction in zip(corners, (SOUTH_WEST, NORTH_EAST), strict=True):
        assert result.reference["length_m"] == pytest.approx(inside.length)
        # What only the other one covers is missing.
        found = shapely.intersection(inside, roads(prediction).buffer(METRICS["ccq"].defaults["tolerance"])).length
        assert result.scores["ccq"]["completeness"] == pytest.approx(found / inside.length, abs=1e-3)
        assert result.scores["ccq"]["correctness"] == 1


def test_both_are_what_evaluations_of_that_area_are(corners):
    area = gpd.GeoSeries([corners[0].area], crs=CRS)
    for found, prediction in zip(corners, (SOUTH_WEST, NORTH_EAST), strict=True):
        assert found.scores == evaluate(REFERENCE, prediction, aoi=area, metrics="ccq,opt-j").scores
        # The default area of an evaluation of one prediction leaves out what only the other one covers.
        alone = evaluate(REFERENCE, prediction, metrics="ccq").scores["ccq"]["completeness"]
        assert alone > found.scores["ccq"]["completeness"] + 0.2


def test_nothing_is_cut_where_one_prediction_covers_about_as_much_as_the_reference():
    for pair in ((SOUTH_WEST, REFERENCE), (REFERENCE, SOUTH_WEST)):
        for result in evaluate_both(REFERENCE, *pair, metrics="ccq"):
            assert result.area is None
            assert result.reference["length_m"] == pytest.approx(REFERENCE.length)


@pytest.mark.parametrize("aoi", [(500_000, 5_000_000, 501_000, 5_001_000), "all"])
def test_a_given_area_is_the_area_of_both(aoi):
    results = evaluate_both(REFERENCE, SOUTH_WEST, REFERENCE, aoi=aoi, metrics="ccq")
    box = None if aoi == "all" else shapely.box(*aoi)
    for result in results:
        assert result.area == box
        within = roads(REFERENCE) if box is None else shapely.intersection(roads(REFERENCE), box)
        assert result.reference["length_m"] == pytest.approx(within.length)
    assert results[1].scores["ccq"]["quality"] == 1


def test_both_are_measured_in_one_crs(corners):
    """Degrees and another zone are read, and brought into the CRS of the first prediction or into the one asked for."""
    reference = REFERENCE.to_geodataframe().to_crs("EPSG:4326")
    second = NORTH_EAST.to_geodataframe().to_crs("EPSG:32611")
    results = evaluate_both(reference, SOUTH_WEST, second, metrics="ccq,opt-j")
    for found, expected in zip(results, corners, strict=True):
        assert found.crs == SOUTH_WEST.crs
        assert found.area.symmetric_difference(expected.area).area < 1
        for name, value in expected.scores["opt-j"].items():
            assert found.scores["opt-j"][name] == pytest.approx(value, abs=1e-3)
    asked = evaluate_both(reference, SOUTH_WEST, second, metrics="ccq", crs="EPSG:32611")
    assert {result.crs.to_epsg() for result in asked} == {32611}
    assert asked[0].area.equals(asked[1].area)


def test_the_area_of_both_has_a_place_in_local_metres():
    reference, *both = (streets(lines, corner=corner, crs=LOCAL_METRES) for lines, corner in (
        (STREETS, (0, 0)), (grid(3, 3, 200.0), (0, 0)), (grid(3, 3, 200.0), (1, 1))))  # fmt: skip
    results = evaluate_both(reference, *both, metrics="ccq")
    assert results[0].area.equals(shapely.union_all([coverage(one) for one in both]))
    assert results[0].area.equals(results[1].area)


def test_options_of_the_prediction_are_for_both():
    plain = [gpd.GeoDataFrame(geometry=one.to_geodataframe().geometry.to_numpy()) for one in (SOUTH_WEST, NORTH_EAST)]
    results = evaluate_both(REFERENCE, *plain, prediction_crs=CRS, metrics="ccq")
    assert [result.crs.to_epsg() for result in results] == [32610, 32610]
    assert results[0].prediction["length_m"] == pytest.approx(SOUTH_WEST.length)
    with pytest.raises(GeoevalError, match="prediction_crs="):
        evaluate_both(REFERENCE, *plain, reference_crs=CRS, metrics="ccq")


def test_an_empty_prediction_has_found_nothing():
    for result, quality in zip(
        evaluate_both(REFERENCE, REFERENCE, RoadNetwork([], [], crs=CRS), metrics="ccq"), (1, 0), strict=True
    ):
        assert result.scores["ccq"]["quality"] == quality
        assert result.area is None


def test_progress_goes_through_both():
    told = []
    evaluate_both(REFERENCE, SOUTH_WEST, NORTH_EAST, metrics="ccq", progress=lambda *said: told.append(said))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert {text[:2] for _, text in told[1:]} == {"A:", "B:"}


def test_metrics_that_do_not_count_by_place_are_refused():
    assert check_by_place("all") == metrics_by_place() == ["ccq", "junct", "subg", "opt-j", "opt-g"]
    assert check_by_place("opt-j, ccq") == check_by_place(["ccq", "opt-j"]) == ["ccq", "opt-j"]
    for name in set(METRICS) - set(metrics_by_place()):
        with pytest.raises(GeoevalError, match=f"{name} does not count place by place; choose among ccq, junct, subg"):
            check_by_place(f"ccq,{name}")
    with pytest.raises(GeoevalError, match="unknown metric 'ops-j'"):
        check_by_place("ops-j")
