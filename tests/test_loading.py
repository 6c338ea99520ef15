"""A run loads what it uses: no metric that nobody asked for, and nothing of another kind of map."""

import subprocess
import sys

import pytest

from tests.faults.commands import Maps

CODE = """
import sys
from geoeval.cli.main import app
try:
    app(sys.argv[1:], prog_name="geoeval")
except SystemExit as end:
    assert not end.code
print(*sorted(name for name in sys.modules if name.startswith("geoeval.")), file=sys.stderr)
"""
RUNS = {
    "roads": ("town", "ccq", {"geoeval.roads.ccq.ccq"}),
    "objects": ("houses", "iou", {"geoeval.objects.iou"}),
    "lines": ("lines", "pixel", {"geoeval.lines.pixel"}),
}
# Metrics whose modules other parts use: what is asked of junctions, and of drawings as a whole.
USED = {
    "roads": {"geoeval.roads.junctions.opt_j"},
    "objects": set(),
    "lines": {f"geoeval.lines.{name}" for name in ("combined", "hori_doermann", "kong", "time", "vector")},
}
# Loaded in vain today; fewer is better, and none is added.
IN_VAIN = {"report", "ranking"}


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    return Maps.make(tmp_path_factory.mktemp("maps"), size=4)


@pytest.mark.parametrize("content", RUNS)
def test_a_run_loads_what_it_uses(content, maps, tmp_path):
    from geoeval.metrics.registry import registry_of

    name, metric, wanted = RUNS[content]
    command = [content, *maps.pair(name), "--metrics", metric, "-o", str(tmp_path / "out"), "--progress", "none"]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE, *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    metrics = set(registry_of(content).metrics._modules.values())
    assert loaded & metrics == wanted | USED[content]
    rooms = {module.split(".")[1] for module in loaded}
    others = {*RUNS, "studies", "benchmarking", "perturbation", "streaming", "scale"} - {content}
    assert rooms & others == set()
    assert rooms & {"report", "ranking", "reviewing"} == IN_VAIN
    assert {one for one in loaded if one.startswith("geoeval.protocols")} <= {
        "geoeval.protocols", "geoeval.protocols.protocol", "geoeval.protocols.registry"}  # fmt: skip
