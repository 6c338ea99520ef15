"""Does A beat B: the bootstrap against all drawings there are, its coverage, and equals that nobody beats."""

from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

from geoeval import GeoevalError, RoadNetwork, evaluate_roads, perturb
from geoeval.roads.registry import METRICS
from geoeval.synthetic.comparison import BY_PLACE, block_scores, bootstrap, compare_blocks, paired
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
    with pytest.raises(GeoevalError, match="1 places"):
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
    with pytest.raises(GeoevalError, match="1 blocks of 1e\\+06 m"):
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
    return [evaluate_roads(TOWN, one, metrics=list(BY_PLACE)) for one in pair]


@pytest.mark.parametrize("metric", BY_PLACE)
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
