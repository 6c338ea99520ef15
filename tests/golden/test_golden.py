"""Results are what they were: every number, row, column and note of runs that take every way through the evaluation.

A change that is meant is written down with ``python -m tests.golden``; what changed is in the difference of kept.json,
and why is said in the commit.
"""

import json
from pathlib import Path

import pytest

from tests.golden.digests import environment, kept
from tests.golden.runs import RUNS

KEPT = json.loads(Path(__file__).with_name("kept.json").read_text(encoding="utf-8"))


def test_every_run_is_kept():
    assert list(KEPT["runs"]) == list(RUNS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RUNS)
def test_the_result_is_what_it_was(name):
    found, wanted = kept(RUNS[name]()), KEPT["runs"][name]
    assert found["scores"] == wanted["scores"]
    if environment() != KEPT["environment"]:
        pytest.skip(f"scores agree; the rest was kept with other libraries: {KEPT['environment']}")
    assert found["digests"] == wanted["digests"]
