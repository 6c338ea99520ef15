"""The long campaign: ``python -m tests.fuzz --count 50000``.

Damaged inputs of every kind are read in a process of their own that is watched: an input that takes more than 10 s,
more than 2 GB, ends the process by a signal, or raises anything but an error of geoeval in one line, is a failure. It
is named by its seed (``--only NAME --first NUMBER --count 1`` repeats it), kept in ``--keep DIR``, and the campaign
goes on. At the end, or when it is stopped (Ctrl-C),
the counts by input and outcome are printed; the exit code is 1 if anything failed.
"""

import argparse
import contextlib
import ctypes
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

# Of CPU; an input that only waits has so many times more, as other work may keep the machine busy.
SECONDS = 10.0
PATIENCE = 12
BYTES = 2 << 30


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="inputs in all")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--only", default="", help="only inputs whose names contain this")
    parser.add_argument("--keep", type=Path, help="folder for inputs that fail")
    parser.add_argument("--hostile", action="store_true", help="time the hostile files instead")
    parser.add_argument("--strace", action="store_true", help="watch what hostile files open and whom they call")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        return work()
    if given.hostile:
        return time_hostile()
    if given.strace:
        return traced()
    return campaign(given.count, given.first, given.only, given.keep)


def campaign(count: int, first: int, only: str, keep: Path | None) -> int:
    """Deal the seeds out to the inputs in turn, and count what comes of them."""
    from tests.fuzz.seeds import targets

    known = targets()
    names = [name for name in known if only in name]
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in names}
    failures, slowest, largest = [], 0.0, 0
    worker = Worker()
    enough: list[int] = []
    for stop in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop, lambda number, _: enough.append(number))
    for number in range(first, first + count):
        if enough:
            print(f"stopped after {number - first} inputs")
            break
        name = names[number % len(names)]
        outcome, message, size = worker.ask(name, number)
        slowest, largest = max(slowest, worker.spent), max(largest, size)
        outcomes[name][outcome] += 1
        if outcome not in {"read", "refused"}:
            failures.append((name, number, outcome, message))
            print(f"{name} {number}: {outcome}: {message[:200]}", flush=True)
            if keep is not None:
                from tests.fuzz.mutators import mutate

                keep.mkdir(parents=True, exist_ok=True)
                target = known[name]
                (keep / f"{target.content}-{number}-{target.file}").write_bytes(
                    mutate(target.data, target.file, Random(f"{name}/{number}"))
                )
    worker.close()
    columns = ["read", "refused", *sorted({kind for one in outcomes.values() for kind in one} - {"read", "refused"})]
    print(f"{'input':24}" + "".join(f"{column:>10}" for column in columns))
    for name in names:
        print(f"{name:24}" + "".join(f"{outcomes[name][column]:10}" for column in columns))
    total = [sum(one[column] for one in outcomes.values()) for column in columns]
    print(f"{'all':24}" + "".join(f"{number:10}" for number in total))
    print(f"slowest {slowest:.1f} CPU s, largest process {largest / 2**20:.0f} MB, {len(failures)} failures")
    return 1 if failures else 0


class Worker:
    """A process that reads inputs, and is started again if one of them ends it.

    ``spent`` are the CPU seconds of the last input.
    """

    def __init__(self) -> None:
        self.spent = 0.0
        self._process: subprocess.Popen[str] | None = None

    def ask(self, name: str, number: int | Path) -> tuple[str, str, int]:
        """What came of an input, the message, and the memory of the process.

        ``name`` is a target and ``number`` a seed, or ``name`` is a content and ``number`` a file.
        """
        process = self._started()
        with contextlib.suppress(BrokenPipeError):  # then it has nothing to say either
            process.stdin.write(json.dumps([name, number if isinstance(number, int) else str(number)]) + "\n")
            process.stdin.flush()
        before, waited = _cpu_seconds(process.pid), 0.0
        while not select.select([process.stdout], [], [], min(SECONDS, 1.0))[0]:
            waited += 1.0
            self.spent = _cpu_seconds(process.pid) - before
            if self.spent >= SECONDS or waited >= PATIENCE * SECONDS:
                self.close()
                return "hang", f"more than {SECONDS:g} s", 0
        line = process.stdout.readline()
        self.spent = _cpu_seconds(process.pid) - before
        if not line:
            process.wait()
            self.close()
            return "crash", f"ended with {process.returncode}", 0
        outcome, message, size = json.loads(line)
        if size > BYTES:
            self.close()
            return "memory", f"{size / 2**20:.0f} MB", size
        return outcome, message, size

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):  # what it was told last may still wait to be written
                    stream.close()
            self._process = None

    def _started(self) -> "subprocess.Popen[str]":
        if self._process is None:
            command = [sys.executable, "-m", "tests.fuzz", "--worker"]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            self._process.stdout.readline()  # it is ready
        return self._process


def _cpu_seconds(process: int) -> float:
    """CPU seconds that a process has spent; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def work() -> int:
    """Read what the standard input names, until it ends; one line of JSON for each."""
    from tests.fuzz.reading import try_case, try_file
    from tests.fuzz.seeds import targets

    resource.setrlimit(resource.RLIMIT_FSIZE, (BYTES, BYTES))
    known = targets()
    answers, sys.stdout = sys.stdout, sys.stderr
    print("[]", file=answers, flush=True)
    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        for line in sys.stdin:
            name, number = json.loads(line)
            own = Path(folder) / "case"
            own.mkdir()
            _forget_memory()
            if isinstance(number, int):
                outcome, message = try_case(known[name], name, number, own)
            else:
                outcome, message = try_file(name, Path(shutil.copy(number, own)))
            shutil.rmtree(own)
            print(json.dumps([outcome, message, _most_memory()]), file=answers, flush=True)
    return 0


def _forget_memory() -> None:
    """Give back what earlier inputs freed, and measure anew, so that the memory of an input is its own."""
    with contextlib.suppress(OSError, AttributeError):  # where there is no Linux it is that of the process so far
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")


def _most_memory() -> int:
    """The most bytes of memory that this process had since they were forgotten."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def time_hostile() -> int:
    """How long each hostile file takes, in CPU seconds of a warm process, and what is said of it."""
    from tests.fuzz.hostile import HOSTILE
    from tests.fuzz.reading import try_file

    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        for one in HOSTILE:
            path = one.write(Path(folder) / one.name / "given")
            start = time.process_time()
            outcome, message = try_file(one.content, path)
            spent = time.process_time() - start
            print(f"{one.name:45} {path.stat().st_size:9,} bytes {spent:6.2f} s  {outcome:8} {message[-90:]}")
    return 0


def traced() -> int:
    """Read the hostile files under strace."""
    from tests.fuzz.hostile import HOSTILE
    from tests.fuzz.tracing import is_there, trace

    if not is_there():
        print("strace is not installed, or may not trace here")
        return 2
    complaints = trace(HOSTILE)
    print(
        "\n".join(complaints) or f"{len(HOSTILE)} hostile files: none opened another file, wrote elsewhere, or called"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
