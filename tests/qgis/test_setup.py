"""Setting up the environment, from nothing to an evaluation, in a clean profile and a clean data directory."""

import shutil
import subprocess
import time

import pytest

from tests.qgis.conftest import AWKWARD
from tests.qgis.desk import Desk, needs_qgis

pytestmark = needs_qgis


def environments(desk) -> list[str]:
    folder = desk.root / "data" / "geoeval" / "qgis"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@pytest.fixture
def new_desk(plugin_zip, tmp_path):
    """A clean profile without any engine; its environment of more than 1 GB does not stay."""
    desk = Desk(tmp_path / "desk", plugin_zip, python=None)
    yield desk
    shutil.rmtree(desk.root, ignore_errors=True)


def test_from_nothing_to_an_evaluation(new_desk, town, tmp_path, engine):
    desk = new_desk
    reference, prediction = town / f"reference {AWKWARD}.gpkg", town / f"prediction {AWKWARD}.gpkg"

    # Killed in the middle, it leaves nothing that is taken for an environment.
    with subprocess.Popen(
        desk.command("run", "geoeval:setupenvironment"), env=desk.environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        limit = time.monotonic() + 60
        while not environments(desk) and time.monotonic() < limit:
            time.sleep(0.1)
        process.kill()
        process.stdout.read()
    assert [name for name in environments(desk) if name.startswith("making-")]
    done = desk.process("run", "geoeval:evaluateroads", f"--REFERENCE={reference}", f"--PREDICTION={prediction}")
    assert done.returncode != 0
    assert "not set up" in done.stdout + done.stderr

    first = desk.run("geoeval:setupenvironment", {})
    assert first["CHANGED"] is True
    (made,) = environments(desk)
    assert made.startswith("env-")
    assert first["INTERPRETER"].startswith(str(desk.root / "data" / "geoeval" / "qgis" / made))

    again = desk.process("run", "geoeval:setupenvironment")
    assert again.returncode == 0
    assert "already set up" in again.stdout
    assert "nothing was done" in again.stdout
    assert environments(desk) == [made]

    results = desk.run(
        "geoeval:evaluateroads",
        {"REFERENCE": reference, "PREDICTION": prediction, "METRICS": ["ccq", "opt-j"],
         "REPORT": tmp_path / "report.html", "MISSING": tmp_path / "missing.shp"},
    )  # fmt: skip
    own = engine("roads", reference, prediction, "--metrics", "ccq,opt-j")
    assert results["CCQ_QUALITY"] == pytest.approx(own["scores"]["ccq"]["quality"], rel=1e-12)
    assert results["OPT_J_F1"] == own["scores"]["opt-j"]["f1"]
    assert (tmp_path / "report.html").stat().st_size > 10_000
