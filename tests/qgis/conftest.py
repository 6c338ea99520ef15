"""The packaged plugin, made once, and profiles to try it in."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.networks import grid, network, noisy
from tests.qgis.desk import PLUGIN, SYSTEM_PYTHON, Desk, clean_environment, imported, once

# These run in the Python of QGIS; test_inside.py starts them.
collect_ignore = ["inside"]

# A name as awkward as people's files are.
AWKWARD = "Straßen 'alt' & neu"


@pytest.fixture(scope="session")
def shared(tmp_path_factory) -> Path:
    """A folder that all test processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "qgis"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def plugin_zip(shared) -> Path:
    """The zip that users install."""
    place = shared / "zip"
    with once(place) as mine:
        if mine:
            made = shared / "zip.part"
            done = subprocess.run(
                [sys.executable, PLUGIN / "package", made], capture_output=True, text=True, timeout=900, check=False
            )
            assert done.returncode == 0, done.stderr
            assert Path(done.stdout.strip()).parent == made
            made.rename(place)
    (found,) = place.glob("*.zip")
    return found


@pytest.fixture
def plugin(plugin_zip, tmp_path_factory):
    """The packaged plugin, imported outside QGIS."""
    place = tmp_path_factory.mktemp("packaged")
    with zipfile.ZipFile(plugin_zip) as archive:
        archive.extractall(place)
    with imported(place) as found:
        yield found


@pytest.fixture
def checkout(tmp_path_factory):
    """The plugin as it lies in the repository, which has neither wheel nor engine.json, imported outside QGIS."""
    left_out = shutil.ignore_patterns("__pycache__", "engine.json", "wheels")
    place = tmp_path_factory.mktemp("checkout")
    shutil.copytree(PLUGIN / "geoeval_qgis", place / "geoeval_qgis", ignore=left_out)
    with imported(place) as found:
        yield found


@pytest.fixture(scope="session")
def desk(plugin_zip, tmp_path_factory) -> Desk:
    """A profile whose plugin uses the interpreter of the tests."""
    return Desk(tmp_path_factory.mktemp("desk"), plugin_zip)


@pytest.fixture(scope="session")
def pyqgis(shared) -> Path:
    """An interpreter that has PyQGIS from the system, and pytest-qgis."""
    place = shared / "pyqgis"
    with once(place) as mine:
        if mine:
            variables = clean_environment(shared / "pyqgis-home")
            made = shared / "pyqgis.part"
            for command in (
                [SYSTEM_PYTHON, "-m", "venv", "--system-site-packages", made],
                [made / "bin" / "python", "-m", "pip", "install", "-q", "pytest>=8.2", "pytest-qgis>=2.1"],
            ):
                done = subprocess.run(
                    list(map(str, command)), env=variables, capture_output=True, text=True, timeout=900, check=False
                )
                assert done.returncode == 0, done.stderr
            made.rename(place)
    return place / "bin" / "python"


@pytest.fixture(scope="session")
def town(tmp_path_factory) -> Path:
    """A town, and a noisy and incomplete copy of it, in files with awkward names."""
    folder = tmp_path_factory.mktemp("town") / AWKWARD
    folder.mkdir()
    for name, lines in (("reference", grid(6, 6)), ("prediction", noisy(grid(6, 6)[3:], 2.0))):
        moved = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in lines]
        network(moved).to_geodataframe()[["geometry"]].to_file(folder / f"{name} {AWKWARD}.gpkg", layer="roads")
    return folder


@pytest.fixture(scope="session")
def engine():
    """The command line itself, to compare with."""

    def run(*arguments) -> dict:
        command = [sys.executable, "-m", "geoeval", *map(str, arguments), "--json", "-", "--progress", "none"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
