"""Starts the checks that need PyQGIS, which lives in the system's Python and not in ours."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.qgis.desk import clean_environment, needs_qgis

pytestmark = needs_qgis

INSIDE = Path(__file__).parent / "inside"


@pytest.mark.parametrize("name", sorted(path.stem for path in INSIDE.glob("check_*.py")))
def test_inside_qgis(pyqgis, plugin_zip, tmp_path, name):
    with zipfile.ZipFile(plugin_zip) as archive:
        archive.extractall(tmp_path / "plugins")
    variables = clean_environment(
        tmp_path / "home",
        GEOEVAL_TEST_PLUGINS=str(tmp_path / "plugins"),
        GEOEVAL_TEST_PYTHON=sys.executable,
        PYTHONPATH="/usr/share/qgis/python:/usr/share/qgis/python/plugins",
        PYTHONDONTWRITEBYTECODE="1",
    )
    done = subprocess.run(
        [pyqgis, "-m", "pytest", "-q", "-c", "/dev/null", "--rootdir", INSIDE, "--confcutdir", INSIDE,
         "-p", "no:cacheprovider", "--basetemp", tmp_path / "work", "--durations=5", INSIDE / f"{name}.py"],
        env=variables, capture_output=True, text=True, timeout=1800, check=False, cwd=tmp_path,
    )  # fmt: skip
    print(done.stdout[-20000:])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-3000:]
