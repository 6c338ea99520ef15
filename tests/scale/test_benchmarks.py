"""What the benchmarks compare is the same work, and growth is what it says."""

import pytest

from tests.benchmarks import baselines, places, suite


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return places.save_country(tmp_path_factory.mktemp("benchmarks") / "small", 3)


def test_place_comes_back_as_it_was_saved(small):
    from tests.benchmarks.country import country_networks

    for loaded, made in zip(places.load(small), country_networks(3), strict=True):
        assert loaded.length == pytest.approx(made.length, abs=1e-3)
        assert loaded.crs == made.crs
        assert len(loaded.roads) == len(made.roads)


@pytest.mark.parametrize("task", ["read", "ccq", "write network", "write errors", "baseline read", "baseline tlts"])
def test_tasks_are_measured(small, task):
    found = suite.measure(task, small, small)
    assert found["cpu_s"] > 0
    assert found["peak_mb"] > 10


def test_shapely_and_ccq_measure_the_same(small):
    ours = suite.measure("ccq", small, small)["scores"]
    theirs = suite.measure("baseline ccq", small, small)["scores"]
    # A buffer's round ends are polygons, a little inside of the circle.
    assert theirs == pytest.approx([ours["correctness"], ours["completeness"]], abs=2e-3)
    assert min(theirs) < 1


def test_shortest_paths_are_priced_by_their_number(small):
    networks = places.load(small)
    few, many = (baselines.shortest_paths(networks, pairs, enough=0.0) for pairs in (3, 3_000_000))
    assert many / few > 1000


def test_growth_is_the_slope_from_100_km():
    countries = [
        {"km": km, "tasks": {task: {"cpu_s": 5.0 if km < 50 else 0.01 * km**1.5} for task in suite.TASKS}}
        for km in (10, 100, 1000)
    ]
    assert suite.growth(countries) == {task: pytest.approx(1.5) for task in suite.TASKS}
    assert suite.growth(countries[:1]) == {}
