"""A seed is a whole number or a numpy Generator, in every function that has one; what is kept is the number."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geoeval
from geoeval import evaluate, perturb, verify
from geoeval.exceptions import ParameterError
from geoeval.seeds import whole_seed
from geoeval.studies.comparison import paired
from geoeval.writers.network_files import write_network
from tests.networks import grid, network


@given(st.integers(0, 2**64))
def test_whole_numbers_are_kept(number):
    assert whole_seed(number) == whole_seed(0, number) == number


@given(st.integers(0, 2**64))
def test_a_generator_gives_a_number_by_its_state(state):
    drawn = np.random.default_rng(state)
    numbers = [whole_seed(drawn), whole_seed(0, drawn)]
    again = np.random.default_rng(state)
    assert numbers == [whole_seed(0, again), whole_seed(again)]
    assert all(type(number) is int and 0 <= number < 2**31 for number in numbers)


def test_numpy_numbers_and_sequences():
    assert whole_seed(np.uint8(7)) == 7
    assert type(whole_seed(np.int64(7))) is int
    assert whole_seed(0, np.random.SeedSequence(5)) == whole_seed(np.random.default_rng(5))
    assert whole_seed(0, np.random.PCG64(5)) == whole_seed(np.random.default_rng(5))


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None, [1], np.random.RandomState(1)])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(ParameterError, match="give a whole number from 0 on, or a numpy"):
        whole_seed(seed)


def test_seed_and_rng_are_not_given_both():
    for seed in (1, np.random.default_rng(1)):
        with pytest.raises(ParameterError, match="leave one of them out"):
            whole_seed(seed, 2)


def seeded():
    """Every public function or method of the package with a keyword ``seed`` that a generator may be given to."""
    found = {}
    for module in pkgutil.walk_packages(geoeval.__path__, "geoeval."):
        if module.name.startswith(("geoeval.cli", "geoeval.__main__", "geoeval._kernels")):
            continue
        loaded = importlib.import_module(module.name)
        for name, one in vars(loaded).items():
            own = [(name, one)] if inspect.isfunction(one) else []
            if inspect.isclass(one):
                own = [(f"{name}.{inner}", method) for inner, method in vars(one).items() if inspect.isfunction(method)]
            for title, function in own:
                parameters = inspect.signature(function).parameters
                is_public = function.__module__ == module.name and not any(
                    part.startswith("_") and part != "__init__" for part in title.split(".")
                )
                if is_public and "seed" in parameters and parameters["seed"].kind is inspect.Parameter.KEYWORD_ONLY:
                    found[f"{module.name}.{title}"] = parameters
    return found


# Behind a door that has made a number of the seed.
INSIDE = {
    "geoeval.metrics.running.evaluate_maps", "geoeval.metrics.running.run_metrics",
    "geoeval.pipeline.evaluation.Evaluation.__init__",
    "geoeval.protocols.citraro.citraro",
    "geoeval.benchmarking.result.Benchmark.__init__",
}  # fmt: skip


def test_every_door_with_a_seed_has_rng():
    doors = {name: parameters for name, parameters in seeded().items() if name not in INSIDE}
    assert len(doors) >= 14
    for name, parameters in doors.items():
        assert "rng" in parameters, name
        assert parameters["rng"].default is None, name


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    true = network(grid(4, 4))
    write_network(true, folder / "true.gpkg")
    write_network(perturb(true, "missing", 3, seed=1).prediction, folder / "found.gpkg")
    return folder / "true.gpkg", folder / "found.gpkg"


def test_a_result_keeps_the_number_and_can_be_repeated(town, tmp_path):
    asked = {"metrics": "tlts", "parameters": {"tlts": {"pairs": 20}}, "aoi": "all", "plan": False}
    result = evaluate(*town, seed=np.random.default_rng(3), **asked)
    other = evaluate(*town, rng=np.random.default_rng(3), **asked)
    plain = evaluate(*town, seed=result.seed, **asked)
    assert result.seed == whole_seed(np.random.default_rng(3)) == result.run["call"]["seed"]
    assert "rng" not in result.run["call"]
    assert result.scores == other.scores == plain.scores
    result.write_json(tmp_path / "scores.json")
    assert verify(tmp_path / "scores.json").same


def test_errors_and_studies_take_a_generator():
    true = network(grid(4, 4))
    made = perturb(true, "missing", 3, rng=np.random.default_rng(3))
    assert made.seed == whole_seed(np.random.default_rng(3))
    assert made.prediction.length == perturb(true, "missing", 3, seed=made.seed).prediction.length
    values = np.linspace(-0.3, 0.7, 31) ** 3
    given = ({"seed": np.random.default_rng(3)}, {"rng": np.random.default_rng(3)}, {"seed": made.seed})
    assert len({paired(values, **one).interval for one in given}) == 1
    assert paired(values, seed=made.seed + 1).interval != paired(values, seed=made.seed).interval
