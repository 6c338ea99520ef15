"""Which interpreter runs the engine. No QGIS here.

In this order: the option of the provider, the variable ``GEOEVAL_PYTHON``, the environment that the plugin set up in
the user's data directory, the command ``geoeval`` on the path. Never ``sys.executable``, which is QGIS itself on
Windows and macOS.
"""

import hashlib
import json
import os
import shutil
import time
from pathlib import Path

from . import runner
from .machine import Machine

VARIABLE = "GEOEVAL_PYTHON"
MARKER = "geoeval-environment.json"
# Where an engine was found.
OPTIONS, OWN, PATH = "the options of Processing", "the environment set up by this plugin", "PATH"
AGAIN_TITLE = "Set it up again even if it is there"
WHEELS = Path(__file__).parent / "wheels"
# Seconds that an engine has to answer; its first start from a slow disk takes long.
PATIENCE = 120.0

# Set by the provider: a function that returns what the user entered in the options.
read_setting = None

# By program: its version and None, or None and why it is unknown.
_answers = {}


class Engine:
    """A way to start the engine: the ``command``, the interpreter if known, and where it was named.

    ``instead_of`` says why it is used and not the one that the user named; empty if there is no such thing.
    """

    def __init__(self, command, python, origin, instead_of=""):
        self.command, self.python, self.origin, self.instead_of = command, python, origin, instead_of


def find():
    """The engine to use, or None. Looks only at files, so it is quick.

    An interpreter that the user named comes first. If it has been asked and has no working geoeval, the environment
    that the plugin set up is used and ``instead_of`` says so: otherwise setting it up would never help.
    """
    named = (read_setting() or "").strip() if read_setting is not None else ""
    own = own_python()
    for path, origin in ((named, OPTIONS), (os.environ.get(VARIABLE, ""), VARIABLE)):
        if not path:
            continue
        why = _answers.get(path, (None, None))[1]
        if own is None or why is None:
            return Engine(_module(path), path, origin)
        told = f"{path} (from {origin}) has no working geoeval ({why}), so {OWN} is used; remove this entry"
        return Engine(_module(own), own, OWN, told)
    if own is not None:
        return Engine(_module(own), own, OWN)
    command = shutil.which("geoeval")
    return Engine([command], None, PATH) if command else None


def _module(python):
    return [*runner.isolated(python), "-m", "geoeval"]


def problem(*, ask=True):
    """One line that says why the engine cannot be started and what to do, or None if all is well.

    With ``ask``, the engine is started once per session and asked for its version; without, only if it failed before.
    """
    engine = find()
    if engine is None:
        old = [place for place in _made_before() if place != own_directory()]
        why = "was set up for another version of the plugin" if old else "is not set up yet"
        return f"the geoeval environment {why}; {runner.HOW_TO_SET_UP}, or name an interpreter in {VARIABLE}"
    program = engine.command[0]
    if shutil.which(program) is None:
        return f"{program} (from {engine.origin}) is not a program that can be started; correct or remove this entry"
    version, why = _answers.get(program, (None, None))
    if version is None and (ask or why is not None):
        version, why = _answers[program] = _version(engine)
        if why is not None and find().instead_of and engine.origin != OWN:
            return problem(ask=ask)
    if why is not None:
        return f"{program} (from {engine.origin}) has no working geoeval ({why}); {how_to_mend(engine)}"
    return None


def version_of(engine):
    """The version of an engine, or None if it has not been asked or has not answered."""
    return _answers.get(engine.command[0], (None, None))[0]


def how_to_mend(engine, version=""):
    """What to do about an engine that does not work or is not this version."""
    if engine.origin == OWN:
        return f'{runner.HOW_TO_SET_UP}, and tick "{AGAIN_TITLE}"'
    install = f"install geoeval {version}".strip() + " there"
    if wheel() is None:
        return f"{install}, or name another interpreter in {VARIABLE}"
    # The plugin's own environment comes before PATH, but after an interpreter that the user named.
    return f"{install}, or {'' if engine.origin == PATH else 'remove this entry and '}{runner.HOW_TO_SET_UP}"


def forget():
    """Ask again next time, because something was set up."""
    _answers.clear()


def answer_of(command):
    """The output of a short command of the engine; the EngineError of one that fails is a few words."""
    lines, limit = [], time.monotonic() + PATIENCE
    try:
        code, words = runner.run(command, on_line=lines.append, is_canceled=lambda: time.monotonic() > limit)
    except runner.CanceledError:
        raise runner.EngineError(f"no answer within {PATIENCE:g} seconds") from None
    except runner.StartError as error:
        raise runner.EngineError(f"it cannot be started: {error.reason}") from None
    if code != 0:
        said = [word.strip() for word in words if word.strip()]
        raise runner.EngineError(said[-1] if said else f"it {runner.ending(code)}")
    return "\n".join(lines)


def _version(engine):
    """The version of an engine and None, or None and why it is unknown."""
    try:
        answer = answer_of([*engine.command, "--version"])
    except runner.EngineError as error:
        return None, str(error)
    words = answer.split()
    if len(words) == 2 and words[0] == "geoeval":
        return words[1], None
    return None, f"asked for its version it said: {' '.join(words)[:60] or 'nothing'}"


def data_directory():
    """Where the environment lives: in the user's data, so that it survives upgrades and is shared by profiles."""
    return Machine().data_directory() / "geoeval" / "qgis"


def wheel():
    """The wheel of the engine that the plugin carries, or None in a checkout."""
    return next(iter(sorted(WHEELS.glob("geoeval-*.whl"))), None)


def own_directory():
    """The directory for the environment of this very wheel; None without a wheel."""
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
    return Machine().python_in(place)


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
