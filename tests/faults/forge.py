"""A process that has everything loaded and runs commands in forks of itself, under conditions that are asked for.

A fork starts at once, so that the moments of a kill are moments of the work. The process itself reads no OpenStreetMap
file: osmium's threads do not survive a fork.
"""

import ctypes
import json
import locale
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Self

ROOT = Path(__file__).parents[2]
# Of capset(2): rights by which the superuser goes past the permissions of files.
_FILE_RIGHTS = (1 << 1) | (1 << 2) | (1 << 3)


@dataclass(frozen=True)
class Ended:
    """How a command ended: its code, negative for a signal, and all it said."""

    code: int
    said: str

    @property
    def errors(self) -> list[str]:
        """Its lines that tell of an error."""
        return [line for line in self.said.splitlines() if line.startswith("geoeval: error: ")]


class Forge:
    """Starts commands in forks of a process of its own."""

    def __init__(self) -> None:
        self._said = tempfile.TemporaryDirectory(prefix="forge-")
        self._count = 0
        self._files: dict[int, Path] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "tests.faults.forge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd=ROOT,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._said.cleanup()

    def start(self, *arguments: object, **conditions: object) -> int:
        """The process id of a command that runs; conditions as in ``_prepare``."""
        self._count += 1
        said = Path(self._said.name) / str(self._count)
        said.touch()  # a command may be killed before it says anything
        pid = self._ask(arguments=list(map(str, arguments)), said=str(said), **conditions)
        self._files[pid] = said
        return pid

    def finish(self, pid: int) -> Ended:
        """How it ended."""
        return Ended(self._ask(finish=pid), self._files.pop(pid).read_text(errors="replace"))

    def run(self, *arguments: object, **conditions: object) -> Ended:
        return self.finish(self.start(*arguments, **conditions))

    def seconds(self, *arguments: object, **conditions: object) -> float:
        """How long a command takes that must succeed."""
        begun = time.monotonic()
        ended = self.run(*arguments, **conditions)
        if ended.code != 0:
            raise RuntimeError(f"{arguments}: {ended}")
        return time.monotonic() - begun

    def _ask(self, **asked: object) -> int:
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def serve() -> None:
    _load()
    for line in sys.stdin:
        asked = json.loads(line)
        if "finish" in asked:
            answer = os.waitstatus_to_exitcode(os.waitpid(asked["finish"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _child(**asked)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def _load() -> None:
    """What every fork needs: all modules, and the loops that are compiled on first use."""
    import matplotlib.backends.backend_agg  # noqa: F401

    import geoeval

    for module in walk_packages(geoeval.__path__, "geoeval."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    line = geoeval.RoadNetwork.from_lines([[(0, 0), (100, 0)], [(50, 0), (50, 90)]], crs="EPSG:32632")
    result = geoeval.evaluate(line, line)
    with tempfile.TemporaryDirectory() as folder:
        result.write_layers(Path(folder) / "out")
        result.write_report(Path(folder) / "page.html")


def _child(*, arguments: list[str], said: str, **conditions: object) -> None:
    from geoeval.cli.main import run

    code = 70
    try:
        stream = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        _prepare(**conditions)
        try:
            run(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
    except KeyboardInterrupt:  # before the command began
        code = 130
    finally:
        os._exit(code)


def _prepare(
    *, folder: str | None = None, environment: dict[str, str] | None = None, limits: dict[str, int] | None = None,
    ordinary: bool = False, numbers: str | None = None, clock: float = 0.0, gone: bool = False,
) -> None:  # fmt: skip
    """Take over the conditions of a run.

    The folder to work in, and whether it vanishes; variables of the environment; limits by their names without
    ``RLIMIT_``, that of memory (``AS``) beyond what is used now; an ordinary user's rights to files, also for the
    superuser; the locale of numbers; seconds by which the clock is set forward.
    """
    os.environ.update(environment or {})
    if folder is not None:
        os.chdir(folder)
    if gone:
        Path.cwd().rmdir()
    if numbers is not None:
        locale.setlocale(locale.LC_ALL, numbers)
    if clock:
        right = time.time
        time.time = lambda: right() + clock
    if ordinary and os.getuid() == 0:
        _without_file_rights()
    for name, value in (limits or {}).items():
        used = resource.getpagesize() * int(Path("/proc/self/statm").read_text().split()[0]) if name == "AS" else 0
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (used + value, used + value))
    # A write beyond RLIMIT_FSIZE is then an error of the write, as on a full disk.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _without_file_rights() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets) == 0:
        for one in range(3):
            sets[one] &= ~_FILE_RIGHTS
        if libc.capset(header, sets) == 0:
            return
    raise OSError(ctypes.get_errno(), "capset")


if __name__ == "__main__":
    serve()
