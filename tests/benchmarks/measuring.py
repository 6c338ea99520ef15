"""How everything is measured: CPU time of the process, peak memory, each measurement in a process of its own."""

import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path


def quickest(prepare, action, *, repeat=3, enough=10.0):
    """CPU seconds (user and system, all threads) of the quickest call of ``action(prepare())``, and what it returned.

    Prepared anew for each call, so that nothing an input remembers helps; the preparation is not counted. Repeated
    up to ``repeat`` times, and no more once ``enough`` seconds are spent.
    """
    seconds, result = [], None
    while len(seconds) < repeat and sum(seconds) < enough:
        given = prepare()
        before = time.process_time()
        result = action(given)
        seconds.append(time.process_time() - before)
    return min(seconds), result


def peak_mb():
    """The largest memory that this process has had, imports and inputs included."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    # Linux counts the memory of the process that started this one into ru_maxrss, but not into this.
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def in_own_process(module, *arguments):
    """What a new Python says, as JSON on its last line, that runs a module with these arguments."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[2:])} failed\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
