"""A short share of the kills (``python -m tests.fuzz.faults``), in a process that has not used osmium's threads yet."""

import os
import subprocess
import sys

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
def test_ten_kills_leave_old_or_new_output_and_resumed_runs_are_the_same():
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.faults", "--kills", "10"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counts = {line.split(maxsplit=2)[2]: int(line.split()[1]) for line in done.stdout.splitlines()}
    # A folder of ours that an interrupt leaves behind is untidy, and nobody takes it for output.
    counts = {name: count for name, count in counts.items() if not name.startswith("left behind")}
    assert set(counts) <= {"old or new", "absent", "resumed: the same"}, counts
    assert sum(counts.values()) == 10
