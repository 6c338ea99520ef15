"""What the system sees while hostile files are read: which files are opened, and whether anybody is called.

``python -m tests.fuzz --strace`` reads all hostile files under strace and says what was opened that should not be.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pyogrio

from tests.fuzz.hostile import HOSTILE

_ROOT = Path(__file__).parents[2]
_MARK = re.compile(r'"/geoeval-reads-(\w+)"')
_OPENED = re.compile(r'(?:open|openat|creat)\((?:AT_FDCWD|\d+)?,? ?"((?:[^"\\\\]|\\\\.)*)"(.*?)(?: = (-?\d+))?')
_CHANGED = re.compile(r"\b(?:rename|unlink|mkdir|rmdir|link|symlink|chmod|truncate)\w*\((.*)")
_CODE = """
import os, sys, warnings
from pathlib import Path
from tests.fuzz.reading import try_file
warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
rows = [line.split(" ", 2) for line in (folder / "list").read_text().splitlines()]
for turn in ("first", "reads"):  # the first time packages are loaded
    for name, content, path in rows:
        if turn == "reads":
            os.path.exists("/geoeval-reads-" + name)
        try_file(content, Path(path))
"""


def is_there():
    """Whether strace is installed and may trace."""
    strace = shutil.which("strace")
    return strace is not None and subprocess.run([strace, "-o", "/dev/null", "true"], check=False).returncode == 0


def trace(rows=HOSTILE, address="http://127.0.0.1:9/x"):
    """What was opened, changed or called that should not be, by hostile file; nothing if all is well."""
    with tempfile.TemporaryDirectory(prefix="geoeval-traced-") as name:
        folder = Path(name).resolve()
        written = [(one, one.write(folder / "files" / one.name / "given", address)) for one in rows]
        listed = "".join(f"{one.name} {one.content} {path}\n" for one, path in written)
        (folder / "list").write_text(listed)
        for own in ("tmp", "cache", "home"):
            (folder / own).mkdir()
        log = folder / "log"
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"),
            "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1",
            "NUMBA_CACHE_DIR": str(folder / "cache"), "MPLCONFIGDIR": str(folder / "cache"),
        }  # fmt: skip
        command = [
            "strace",
            "-f",
            "-qq",
            "-s",
            "4096",
            "-e",
            "trace=%file,connect,sendto",
            "-o",
            str(log),
            sys.executable,
            "-c",
            _CODE,
            str(folder),
        ]
        subprocess.run(command, check=True, env=environment, cwd=folder / "home", capture_output=True)
        places = {one.name: path.parent for one, path in written}
        return list(_complaints(log.read_text(errors="replace").splitlines(), folder, places))


def _complaints(lines, folder, places):
    """Lines of the log that should not be there, after the files have been read once."""
    own = None
    for line in lines:
        if mark := _MARK.search(line):
            own = mark[1]
        elif own is not None and (why := _complaint(line, folder, places[own])):
            yield f"{own}: {why}"


def _complaint(line, folder, place):
    if "connect(" in line or "sendto(" in line:
        return f"calls: {line[:200]}"
    allowed = [folder / "tmp", folder / "cache"]
    changed = _CHANGED.search(line)
    if changed:
        paths = re.findall(r'"((?:[^"\\\\]|\\\\.)*)"', changed[1])
        outside = [path for path in paths if Path(path).is_absolute() and not _within(path, allowed)]
        return f"changes: {line[:200]}" if outside and "= -1" not in line else None
    opened = _OPENED.search(line)
    if opened is None or "= -1" in line or not opened[1].startswith("/"):
        return None
    path = opened[1]
    if any(word in line for word in ("O_WRONLY", "O_RDWR", "O_CREAT")):
        fine = _within(path, [*allowed, Path("/dev/null"), Path("/dev/shm")])
        return None if fine else f"writes: {line[:200]}"
    known = [
        *allowed,
        place,
        _ROOT,
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(pyogrio.__file__).parents[1],
        *map(Path, ("/usr", "/lib", "/lib64", "/proc", "/sys", "/dev", "/etc/ld.so.cache", "/etc/localtime", "/opt")),
    ]
    return None if _within(path, known) else f"reads: {line[:200]}"


def _within(path, folders):
    return any(Path(path) == folder or folder in Path(path).parents for folder in folders)
