"""A QGIS with a clean profile, as a new user has it."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PLUGIN = PROJECT / "qgis_plugin"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
SYSTEM_PYTHON = Path("/usr/bin/python3")
QGIS_PROCESS = shutil.which("qgis_process.bin", path=SYSTEM_PATH)
QGIS_DESKTOP = shutil.which("qgis", path=SYSTEM_PATH)

# The only reasons to skip here. An engine that does not answer is a failure.
needs_qgis = pytest.mark.skipif(QGIS_PROCESS is None, reason="QGIS is not installed (no qgis_process.bin)")
needs_desktop = pytest.mark.skipif(QGIS_DESKTOP is None, reason="QGIS is not installed (no desktop qgis)")


@contextlib.contextmanager
def imported(place: Path):
    """The plugin in a folder, of which these parts work outside QGIS too."""
    sys.path.insert(0, str(place))
    try:
        import geoeval_qgis.engine
        import geoeval_qgis.environment
        import geoeval_qgis.installer
        import geoeval_qgis.interpreters
        import geoeval_qgis.runner
        import geoeval_qgis.standalone
        import geoeval_qgis.troubles
        import geoeval_qgis.words

        yield geoeval_qgis
    finally:
        sys.path.remove(str(place))
        for name in [name for name in sys.modules if name.partition(".")[0] == "geoeval_qgis"]:
            del sys.modules[name]


def program(path: Path, behaviour: str) -> Path:
    """An interpreter that does as told, as a script of the shell."""
    path.write_text(f"#!/bin/sh\n{behaviour}\n")
    path.chmod(0o755)
    return path


def clean_environment(root: Path, **variables) -> dict[str, str]:
    """Nothing of the user's, and no virtual environment: with one first on the path QGIS crashes at its start."""
    dropped = ("PYTHON", "VIRTUAL_ENV", "CONDA", "GEOEVAL", "QGIS", "XDG_", "PYTEST", "COV")
    base = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    for name in ("config", "plugins", "runtime", "data", "home", "tmp"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "runtime").chmod(0o700)
    cache = os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip")
    return {
        **base,
        "PATH": SYSTEM_PATH,
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "PIP_CACHE_DIR": cache,
        "XDG_RUNTIME_DIR": str(root / "runtime"),
        "XDG_DATA_HOME": str(root / "data"),
        "QT_QPA_PLATFORM": "offscreen",
        "QGIS_CUSTOM_CONFIG_PATH": str(root / "config"),
        "QGIS_PLUGINPATH": str(root / "plugins"),
        "LC_ALL": "C.UTF-8",
        **variables,
    }


class Desk:
    """A profile with the plugin installed from its zip."""

    def __init__(self, root: Path, zip_file: Path, *, python: str | None = sys.executable) -> None:
        self.root = root
        self.variables = {} if python is None else {"GEOEVAL_PYTHON": python}
        root.mkdir(parents=True, exist_ok=True)
        self.environment = clean_environment(root)
        with zipfile.ZipFile(zip_file) as archive:
            archive.extractall(root / "plugins")
        done = self.process("plugins", "enable", "geoeval_qgis")
        assert done.returncode == 0, done.stderr

    def command(self, *arguments) -> list[str]:
        return [str(QGIS_PROCESS), *map(str, arguments)]

    def process(self, *arguments, timeout=900, **variables) -> subprocess.CompletedProcess:
        """Run the real qgis_process."""
        return subprocess.run(
            self.command(*arguments), env={**self.environment, **self.variables, **variables}, capture_output=True,
            text=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip

    def run(self, algorithm: str, parameters: dict, **options) -> dict:
        """The results of an algorithm that succeeds."""
        done = self.process("run", algorithm, "--json", *flags(parameters), **options)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return json.loads(done.stdout[done.stdout.index("{") :])["results"]


def flags(parameters: dict) -> list[str]:
    """Parameters as qgis_process takes them; a list is the same flag several times."""
    found = []
    for name, value in parameters.items():
        for one in value if isinstance(value, list) else [value]:
            found.append(f"--{name}={one}")
    return found


def in_the_desktop(desk: Desk, script: Path, folder: Path, *, size="1600x1000", language="en", **job) -> dict:
    """What a script says that the real desktop runs on a screen of this size, which nobody sees.

    It finds the run of the demo, and what else its job is; pictures go to the folder.
    """
    screen = shutil.which("xvfb-run", path=SYSTEM_PATH)
    assert screen is not None, "QGIS is here but xvfb-run is not; install xvfb and xauth"
    demo = [sys.executable, "-m", "geoeval", "demo", folder / "demo", "--progress", "none"]
    subprocess.run(demo, check=True, capture_output=True, timeout=600)
    answer = folder / "answer.json"
    job = {"run": str(folder / "demo" / "run.gpkg"), "pictures": str(folder), "answer": str(answer),
           "inside": str(script.parent), **job}  # fmt: skip
    variables = {**desk.environment, **desk.variables, "GEOEVAL_TEST_JOB": json.dumps(job)}
    variables.pop("QT_QPA_PLATFORM")
    done = subprocess.run(
        [screen, "-a", "-s", f"-screen 0 {size}x24", QGIS_DESKTOP, "--nologo", "--noversioncheck", "--lang", language,
         "--code", script],
        env=variables, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    assert answer.exists(), done.stderr[-3000:]
    said = json.loads(answer.read_text())
    assert "error" not in said, said["error"]
    return said


@contextlib.contextmanager
def once(place: Path):
    """Gives whether the caller is the one who makes this place; others wait until it is made."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with (place.parent / f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield not place.exists()


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, with its size and date."""
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
