"""Which interpreters a machine has, and which of them can make an environment. No QGIS here.

``sys.executable`` is never among them: it is QGIS itself on Windows and macOS. The paths of all three systems are
looked up through ``Machine``, so that they can be tried on any of them.
"""

import re
from pathlib import Path

from . import runner
from .machine import Machine

OLDEST, NEWEST = (3, 11), (3, 14)
# It must really be able to make an environment and to download: some systems leave out parts of the library.
_CHECK = "import sys, venv, ensurepip, ssl; print('.'.join(map(str, sys.version_info[:3])))"
# What a system without the module calls for.
_LACKING = {
    "ensurepip": "lacks the modules venv and ensurepip (Debian and Ubuntu: apt install python3-venv)",
    "venv": "lacks the modules venv and ensurepip (Debian and Ubuntu: apt install python3-venv)",
    "ssl": "lacks the module ssl, so it cannot download",
}


def candidates(machine=None, is_canceled=None):
    """Interpreters to try, the likeliest first."""
    machine = machine or Machine()
    minors = range(NEWEST[1], OLDEST[1] - 1, -1)
    places = {"windows": _on_windows, "macos": _on_macos, "linux": _on_linux}[machine.system](machine, minors)
    found = [str(path) for path in places if _is_file(path)]
    if machine.system == "windows":
        found += _from_launcher(machine, is_canceled)
    names = ["python3", *(f"python3.{minor}" for minor in minors), *(["python"] if machine.system == "windows" else [])]
    found += [path for path in map(machine.which, names) if path and not _is_shop_window(path)]
    return list(dict.fromkeys(found))


def _on_windows(machine, minors):
    """QGIS's own Python, then the places of python.org: for one user, for all, and the old one."""
    yield from (machine.prefix / "python.exe", machine.prefix / "python3.exe")
    local, programs = machine.variables.get("LOCALAPPDATA"), machine.variables.get("PROGRAMFILES")
    for minor in minors:
        if local:
            yield Path(local) / "Programs" / "Python" / f"Python3{minor}" / "python.exe"
        if programs:
            yield Path(programs) / f"Python3{minor}" / "python.exe"
        yield machine.root / f"Python3{minor}" / "python.exe"


def _on_macos(machine, minors):
    """QGIS's own Python, then python.org's and those of Homebrew and MacPorts."""
    yield from (machine.prefix / "bin" / "python3",)
    for minor in minors:
        name = f"python3.{minor}"
        yield machine.prefix / "bin" / name
        yield machine.root / "Library/Frameworks/Python.framework/Versions" / f"3.{minor}" / "bin" / name
        for place in ("opt/homebrew/bin", "usr/local/bin", "opt/local/bin"):
            yield machine.root / place / name


def _on_linux(machine, minors):
    yield machine.root / "usr/bin/python3"
    for minor in minors:
        for place in ("usr/bin", "usr/local/bin"):
            yield machine.root / place / f"python3.{minor}"


def _from_launcher(machine, is_canceled):
    """The interpreters that the launcher of python.org knows of."""
    launcher = machine.which("py.exe") or machine.which("py")
    if launcher is None:
        return []
    lines = []
    try:
        runner.run([launcher, "-0p"], on_line=lines.append, is_canceled=is_canceled)
    except runner.EngineError:
        return []
    found = [re.search(r"\s((?:[A-Za-z]:\\|/).*python\S*)\s*$", line) for line in lines]
    return [one.group(1) for one in found if one]


def _is_shop_window(path):
    """Whether this is Windows' advertisement for its shop, which is called python.exe too."""
    return "WindowsApps" in path


def _is_file(path):
    try:
        return path.is_file()
    except OSError:
        return False


def unfit(python, is_canceled=None):
    """Why an interpreter cannot make an environment, or None."""
    lines = []
    try:
        code, words = runner.run(
            [*runner.isolated(python), "-c", _CHECK], on_line=lines.append, is_canceled=is_canceled
        )
    except runner.EngineError:
        return "cannot be started"
    if code != 0:
        said = " ".join(words)
        return next(
            (why for module, why in _LACKING.items() if f"'{module}'" in said or f" {module}" in said), None
        ) or ("does not work")
    version = lines[-1].strip() if lines else ""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        return f"is Python {version}, too old"
    if numbers > NEWEST:
        return f"is Python {version}, too new"
    return None
