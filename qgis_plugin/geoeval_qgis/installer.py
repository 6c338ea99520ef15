"""Sets up the environment in which the engine runs. No QGIS here.

The environment is built under another name and renamed when it is complete: an interrupted run leaves nothing that
could be mistaken for an environment, and the next run removes what it left.
"""

import json
import os
import shutil
import sys
import zipfile
from pathlib import Path

from . import environment, locked, runner
from .engine import description

# Extras of the engine that no algorithm here needs.
UNNEEDED_EXTRAS = {"all", "demo", "dev", "test"}
OLDEST = (3, 11)
# One crossing, one building and one line: enough to compile what is compiled on first use.
EXAMPLES = {
    "roads.geojson": (
        '{"type": "MultiLineString", "coordinates": [[[9, 50], [9.001, 50], [9.002, 50]], '
        "[[9.001, 49.999], [9.001, 50], [9.001, 50.001]]]}"
    ),
    "objects.geojson": (
        '{"type": "Polygon", "coordinates": [[[9, 50], [9.001, 50], [9.001, 50.001], [9, 50.001], [9, 50]]]}'
    ),
    "lines.txt": "10 10 110 10 5\n",
}
_CHECK = (
    "import sys, venv, ensurepip; print('.'.join(map(str, sys.version_info[:3])), sys.version_info >= (3, 11), sep='|')"
)


def set_up(*, python=None, wheels=None, index=None, again=False, say=None, is_canceled=None):
    """Make the environment unless it is there; gives its directory and whether it was made now.

    Parameters
    ----------
    python
        The interpreter to make it from; found by itself where not given.
    wheels
        A folder of wheels to install from instead of the package index.
    index
        Address of a package index instead of the usual one.
    again
        Make it anew even if it is there.
    say
        Called with a fraction from 0 to 1 and a line of text.

    Raises
    ------
    EngineError
        With one line that says what is missing.
    CanceledError
        Nothing is left behind.
    """
    say = say or (lambda _fraction, _text: None)
    wheel = environment.wheel()
    if wheel is None:
        message = "this copy of the plugin has no engine in it; install the zip that qgis_plugin/package builds"
        raise runner.EngineError(message)
    place = environment.own_directory()
    if environment.own_python() is not None and not again:
        return place, False
    python = python or find_python(is_canceled)
    place.parent.mkdir(parents=True, exist_ok=True)
    _clear_interrupted(place.parent)
    aside = place.parent / f"making-{os.getpid()}"
    try:
        _make(aside, python, wheel, wheels, index, say, is_canceled)
        if place.exists():
            shutil.rmtree(place)
        aside.rename(place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    for old in place.parent.glob("env-*"):
        if old != place:
            say(1.0, f"removing the earlier environment {old.name}")
            shutil.rmtree(old, ignore_errors=True)
    # The processes of a killed run may have kept writing for a while.
    _clear_interrupted(place.parent)
    environment.forget()
    return place, True


def find_python(is_canceled=None):
    """An interpreter that is new enough and can create virtual environments."""
    reasons = []
    for candidate in candidates():
        why = unfit(candidate, is_canceled)
        if why is None:
            return candidate
        reasons.append(f"{candidate}: {why}")
    wanted = ".".join(map(str, OLDEST))
    tried = "; ".join(reasons) or "none found"
    raise runner.EngineError(
        f"no Python {wanted} or later that can create virtual environments ({tried}); install one (Debian and Ubuntu: "
        f"apt install python3-venv; Windows and macOS: python.org) or name it in the parameter Python interpreter"
    )


def candidates():
    """Interpreters to try, the likeliest first; never the program that runs QGIS."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if os.name == "nt":
        fixed = [Path(sys.base_prefix) / "python.exe", Path(sys.exec_prefix) / "python3.exe"]
        names = ["python3.13", "python3.12", "python3.11", "python3", "python"]
    elif sys.platform == "darwin":
        fixed = [Path(sys.base_prefix) / "bin" / f"python{version}", Path(sys.base_prefix) / "bin" / "python3",
                 *(Path(f"/opt/homebrew/bin/python3.{minor}") for minor in (13, 12, 11)),
                 *(Path(f"/usr/local/bin/python3.{minor}") for minor in (13, 12, 11))]  # fmt: skip
        names = ["python3.13", "python3.12", "python3.11", "python3"]
    else:
        fixed = [Path("/usr/bin/python3")]
        names = ["python3", "python3.13", "python3.12", "python3.11"]
    found = [str(path) for path in fixed if path.exists()]
    found += [path for path in map(shutil.which, names) if path]
    return list(dict.fromkeys(found))


def unfit(python, is_canceled=None):
    """Why an interpreter cannot be used, or None."""
    lines = []
    try:
        code, words = runner.run(
            [*runner.isolated(python), "-c", _CHECK], on_line=lines.append, is_canceled=is_canceled
        )
    except runner.EngineError:
        return "cannot be started"
    if code != 0:
        if any("ensurepip" in word or "venv" in word for word in words):
            return "lacks the modules venv and ensurepip"
        return "does not work"
    version, _, new_enough = lines[-1].partition("|") if lines else ("", "", "")
    return None if new_enough == "True" else f"is Python {version}, too old"


def _make(aside, python, wheel, wheels, index, say, is_canceled):
    """Build the environment step by step, passing on what pip prints."""
    say(0.02, f"creating an environment with {python}")
    _step([*runner.isolated(python), "-m", "venv", str(aside)], "the environment cannot be created", None, is_canceled)
    own = str(environment.python_in(aside))
    count = [0]

    def hear(line):
        text = line.strip()
        if text.startswith(("Collecting", "Processing", "Downloading", "Installing", "Successfully")):
            count[0] += 1
            say(min(0.9, 0.1 + 0.8 * count[0] / 70), text if len(text) < 120 else text[:117] + "...")

    extras = sorted(_extras_of(wheel) - UNNEEDED_EXTRAS)
    wanted = str(wheel) + (f"[{','.join(extras)}]" if extras else "")
    source = ["--no-index", "--find-links", str(wheels)] if wheels else ["--index-url", index] if index else []
    # A folder of wheels is the user's choice of versions; else they are ours, where the platform is known.
    installs = [[wanted]]
    if not wheels and locked.fits(own, is_canceled):
        installs = [locked.ARGUMENTS, ["--no-deps", str(wheel)]]
    for what in installs:
        _step(
            [*runner.isolated(own), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
             "--progress-bar", "off", "--no-compile", "--only-binary", ":all:", *source, *what],
            "the engine cannot be installed" if wheels else "the engine cannot be installed (is there internet?)",
            hear,
            is_canceled,
        )  # fmt: skip
    say(0.92, "starting the engine for the first time, which takes a little longer")
    _try_out(own, aside, is_canceled)
    facts = {"wheel": wheel.name, "sha256": environment.fingerprint(wheel), "python": str(python)}
    (aside / environment.MARKER).write_text(json.dumps(facts), encoding="utf-8")


def _try_out(python, folder, is_canceled):
    """Evaluate the examples with every metric, so that nothing is left to be compiled on the first run."""
    for name, content in EXAMPLES.items():
        kind, file = name.partition(".")[0], folder / name
        file.write_text(content, encoding="utf-8")
        command = [*runner.isolated(python), "-m", "geoeval", kind, str(file), str(file), "--metrics",
                   ",".join(description().metrics(kind)), "--progress", "none"]  # fmt: skip
        _step(command, f"the engine was installed but cannot evaluate {kind}", None, is_canceled)
        file.unlink()


def _step(command, what, hear, is_canceled):
    code, words = runner.run(command, on_line=hear or (lambda _line: None), is_canceled=is_canceled)
    if code != 0:
        said = [word.strip() for word in words if word.strip()]
        errors = [word for word in said if word.upper().startswith("ERROR")] or said[-1:] or [f"exit code {code}"]
        raise runner.EngineError(f"{what}: {errors[-1]}")


def _extras_of(wheel):
    """Names of the extras that a wheel offers."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(name).decode("utf-8").splitlines()
    return {line.partition(":")[2].strip() for line in lines if line.startswith("Provides-Extra:")}


def _clear_interrupted(directory):
    """Remove what interrupted runs left, but nothing of a run that is still going."""
    for left in directory.glob("making-*"):
        if not _runs(left.name.partition("-")[2]):
            shutil.rmtree(left, ignore_errors=True)


def _runs(number):
    """Whether a process with this number is running; always False on Windows, where asking would end it."""
    if os.name == "nt" or not number.isdigit() or int(number) == os.getpid():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
