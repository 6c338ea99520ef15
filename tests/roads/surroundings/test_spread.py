"""The stated sd of SUBG and OPT-G is the spread of f1 over seeds."""

import numpy as np
import pytest

from geoeval import evaluate_roads, evaluate_tiled
from geoeval.perturbation.perturb import perturb
from geoeval.roads.surroundings.opt_g import opt_g
from geoeval.roads.surroundings.starts import spread_of_shifts
from geoeval.roads.surroundings.subg import subg
from tests.networks import grid, network

TOWN = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(8, 8, 110.0)])
SEEDS = 200


def village(seed):
    """Straight roads of 200 to 900 m, anyhow."""
    rng = np.random.default_rng(seed)
    begins = rng.uniform(0, 1800, (45, 2)) + np.array([500_000, 5_000_000])
    turns, lengths = rng.uniform(0, 2 * np.pi, 45), rng.uniform(200, 900, 45)
    ends = begins + lengths[:, None] * np.column_stack([np.cos(turns), np.sin(turns)])
    return network(np.stack([begins, ends], axis=1).tolist())


@pytest.mark.parametrize("metric", [subg, opt_g])
def test_sd_is_the_spread_over_seeds(metric):
    ratios = []
    for seed, error, count, starts in ((1, "missing", 8, None), (2, "interruptions", 20, None), (3, "missing", 8, 150)):
        town = village(seed)
        prediction = perturb(town, error, count, seed=seed).prediction
        scores = [
            metric(town, prediction, starts=starts, radius=120.0, rng=np.random.default_rng(one)).scores
            for one in range(SEEDS)
        ]
        stated = np.sqrt(np.mean([one["sd"] ** 2 for one in scores]))
        ratios.append(stated / np.std([one["f1"] for one in scores]))
    assert min(ratios) > 0.5
    assert max(ratios) < 2
    assert 0.7 < np.exp(np.mean(np.log(ratios))) < 1.4


def test_it_is_the_same_in_tiles():
    prediction = perturb(TOWN, "missing", 9, seed=1).prediction
    options = {"metrics": "subg,opt-g", "seed": 3, "parameters": {"opt-g": {"starts": 200}}}
    whole = evaluate_roads(TOWN, prediction, **options)
    tiled = evaluate_tiled(TOWN, prediction, tile_size=300, **options)
    for name in ("subg", "opt-g"):
        assert whole.scores[name]["sd"] > 0
        assert tiled.scores[name] == whole.scores[name]


def test_steps_along_a_line_met_by_shifted_combs():
    rng = np.random.default_rng(0)
    edges, heights = np.sort(rng.random(30)), rng.normal(size=31)
    combs = [heights[np.searchsorted(edges, (shift + np.arange(400)) / 400)] for shift in rng.random(300)]
    stated = np.mean([spread_of_shifts(comb) for comb in combs])
    assert stated == pytest.approx(np.std([comb.sum() for comb in combs]), rel=0.3)
    assert spread_of_shifts(np.full(10, 0.1)) == pytest.approx(0, abs=1e-12)
    assert spread_of_shifts(np.ones(1)) == spread_of_shifts(np.zeros(0)) == 0


def test_nothing_is_drawn_every_so_many_metres():
    prediction = perturb(TOWN, "missing", 9, seed=1).prediction
    assert subg(TOWN, prediction, starts="every 30 m").scores["sd"] == 0
