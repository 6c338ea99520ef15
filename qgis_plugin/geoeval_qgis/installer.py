"""Sets up the environment in which the engine runs. No QGIS here.

The environment is built under another name and renamed when it is complete: an interrupted run leaves nothing that
could be mistaken for an environment, and the next run removes what it left.
"""

import json
import os
import shutil
import zipfile

from . import environment, interpreters, locked, runner, troubles
from . import standalone as fetched
from .engine import description

# The extras of the engine that the algorithms need; the help and the README name the same.
EXTRAS = ("demo", "drawings", "plot", "raster", "report")
# Bytes that an environment takes while it is made.
ROOM = 2_500_000_000
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


def set_up(*, python=None, wheels=None, index=None, again=False, standalone=True, say=None, is_canceled=None):
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
    standalone
        Download an interpreter if the machine has none that fits.
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
    place.parent.mkdir(parents=True, exist_ok=True)
    _clear_interrupted(place.parent)
    check_room(place.parent)
    aside = place.parent / f"making-{os.getpid()}"
    try:
        used = _create(aside, python, say, is_canceled, index=index, standalone=standalone and not wheels)
        _make(aside, used, wheel, wheels, index, say, is_canceled)
        if place.exists():
            shutil.rmtree(place)
        aside.rename(place)
        mend_scripts(place, aside)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        shutil.rmtree(f"{aside}-uv", ignore_errors=True)
    for old in place.parent.glob("env-*"):
        if old != place:
            say(1.0, f"removing the earlier environment {old.name}")
            shutil.rmtree(old, ignore_errors=True)
    # The processes of a killed run may have kept writing for a while.
    _clear_interrupted(place.parent)
    environment.forget()
    return place, True


def remove():
    """Remove every environment of the plugin, and the interpreters it fetched; gives the bytes that are free again."""
    directory = environment.data_directory()
    found = [*directory.glob("env-*"), *directory.glob("making-*"), directory / "python"]
    freed = 0
    for place in (one for one in found if one.is_dir()):
        freed += sum(file.lstat().st_size for file in place.rglob("*") if not file.is_dir())
        shutil.rmtree(place)
    environment.forget()
    return freed


def check_room(directory):
    """Refuse a disk on which the environment would not find room; raises EngineError."""
    free = shutil.disk_usage(directory).free
    if free < ROOM:
        raise runner.EngineError(
            f"the disk of {directory} has {free / 1e9:.1f} GB left, and the environment needs {ROOM / 1e9:.1f} GB; "
            f"free some room and try again"
        )


def _create(aside, python, say, is_canceled, *, index, standalone):
    """Create an empty environment with the first interpreter that really can; gives that interpreter."""
    reasons = []
    tried = [python] if python else interpreters.candidates(is_canceled=is_canceled)
    for candidate in tried:
        why = interpreters.unfit(candidate, is_canceled)
        if why is None:
            say(0.02, f"creating an environment with {candidate}")
            command = [*runner.isolated(candidate), "-m", "venv", str(aside)]
            code, words = runner.run(command, on_line=lambda _line: None, is_canceled=is_canceled)
            if code == 0:
                return candidate
            why = troubles.in_words("cannot make an environment", words)
            shutil.rmtree(aside, ignore_errors=True)
        reasons.append(f"{candidate}: {why}")
    told = "; ".join(reasons) or "none found"
    if standalone and not python:
        try:
            fetched.make_environment(aside, tried, index=index, say=say, is_canceled=is_canceled)
        except runner.EngineError as error:
            told = f"{told}; {error}"
        else:
            return f"Python {fetched.VERSION} of uv"
    wanted = ".".join(map(str, interpreters.OLDEST))
    raise runner.EngineError(
        f"no Python {wanted} or later that can make an environment ({told}); install one (Debian and Ubuntu: "
        f"apt install python3-venv; Windows and macOS: python.org) or name it in the parameter Python interpreter"
    )


def mend_scripts(place, made_as):
    """Let the scripts of an environment that was renamed start its own interpreter.

    The programs that Windows has for them cannot be changed; ``python -m`` works in their place.
    """
    old, new = str(made_as).encode(), str(place).encode()
    for file in sorted(environment.python_in(place).parent.iterdir()):
        if file.is_symlink() or not file.is_file():
            continue
        content = file.read_bytes()
        if old in content and b"\0" not in content:
            file.write_bytes(content.replace(old, new))


def _make(aside, python, wheel, wheels, index, say, is_canceled):
    """Fill the environment step by step, passing on what pip prints."""
    own = str(environment.python_in(aside))
    count = [0]

    def hear(line):
        text = line.strip()
        if text.startswith(("Collecting", "Processing", "Downloading", "Installing", "Successfully")):
            count[0] += 1
            say(min(0.9, 0.1 + 0.8 * count[0] / 70), text if len(text) < 120 else text[:117] + "...")

    extras = [name for name in EXTRAS if name in _extras_of(wheel)]
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
            "the engine cannot be installed", hear, is_canceled, of=troubles.FOLDER if wheels else troubles.INDEX,
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


def _step(command, what, hear, is_canceled, *, of=troubles.INDEX):
    code, words = runner.run(command, on_line=hear or (lambda _line: None), is_canceled=is_canceled)
    if code != 0:
        raise runner.EngineError(troubles.in_words(what, words or [f"exit code {code}"], of=of))


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
