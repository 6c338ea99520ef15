"""Which interpreter runs the engine. No QGIS here.

In this order: the option of the provider, the variable ``GEOEVAL_PYTHON``, the environment that the plugin set up in
the user's data directory, the command ``geoeval`` on the path. Never ``sys.executable``, which is QGIS itself on
Windows and macOS.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import runner

VARIABLE = "GEOEVAL_PYTHON"
MARKER = "geoeval-environment.json"
WHEELS = Path(__file__).parent / "wheels"

# Set by the provider: a function that gives what the user entered in the options.
read_setting = None

_answers = {}


class Engine:
    """A way to start the engine: ``command``, the interpreter where that is known, and where it was named."""

    def __init__(self, command, python, origin):
        self.command, self.python, self.origin = command, python, origin


def find():
    """The engine to use, or None where there is none. Looks at files only, so it is quick."""
    named = (read_setting() or "").strip() if read_setting is not None else ""
    for path, origin in ((named, "the options of Processing"), (os.environ.get(VARIABLE, ""), VARIABLE)):
        if path:
            return Engine([*runner.isolated(path), "-m", "geoeval"], path, origin)
    own = own_python()
    if own is not None:
        return Engine([*runner.isolated(own), "-m", "geoeval"], own, "the environment set up by this plugin")
    command = shutil.which("geoeval")
    return Engine([command], None, "the path") if command else None


def problem(*, ask=True):
    """One line that says why no evaluation can run and what to do, or None where all is well.

    With ``ask`` the engine is started once a session and asked for its version.
    """
    engine = find()
    if engine is None:
        old = [place for place in _made_before() if place != own_directory()]
        why = "was set up for another version of the plugin" if old else "is not set up yet"
        return f"the geoeval environment {why}; {runner.HOW_TO_SET_UP}, or name an interpreter in {VARIABLE}"
    program = engine.command[0]
    if shutil.which(program) is None:
        return f"{program}, named in {engine.origin}, is no program that can be started; correct it or remove it"
    if not ask:
        return None
    if program not in _answers:
        _answers[program] = _version(engine)
    version, said = _answers[program]
    if version is None:
        return f"{program}, named in {engine.origin}, has no working geoeval ({said}); {runner.HOW_TO_SET_UP}"
    return None


def forget():
    """Ask again the next time, because something was set up."""
    _answers.clear()


def _version(engine):
    try:
        done = subprocess.run(
            [*engine.command, "--version"],
            capture_output=True,
            env=runner.child_environment(),
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
            **runner.no_window(),
        )
    except (OSError, subprocess.SubprocessError) as error:
        return None, str(error)
    words = done.stdout.decode("utf-8", "replace").split()
    if done.returncode == 0 and len(words) == 2 and words[0] == "geoeval":
        return words[1], ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return None, lines[-1] if lines else f"exit code {done.returncode}"


def data_directory():
    """Where the environment lives: in the user's data, so that it survives upgrades and is shared by profiles."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "geoeval" / "qgis"


def wheel():
    """The wheel of the engine that the plugin carries, or None in a checkout."""
    return next(iter(sorted(WHEELS.glob("geoeval-*.whl"))), None)


def own_directory():
    """Where the environment of exactly this wheel is or will be; None without a wheel."""
    carried = wheel()
    if carried is None:
        return None
    return data_directory() / f"env-{carried.name.split('-')[1]}-{fingerprint(carried)[:8]}"


def own_python():
    """The interpreter of the finished environment, or None."""
    place = own_directory()
    if place is None or not (place / MARKER).exists():
        return None
    python = python_in(place)
    return str(python) if python.exists() else None


def python_in(place):
    """The interpreter of a virtual environment."""
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def fingerprint(file):
    """SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def read_marker(place):
    """What was written when the environment was finished."""
    try:
        return json.loads((place / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _made_before():
    return [marker.parent for marker in data_directory().glob(f"env-*/{MARKER}")]
