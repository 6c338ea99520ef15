"""Every promise names tests that exist."""

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
ROWS = [row for row in re.findall(r"^\| (.+) \| (.+) \|$", PAGE, re.MULTILINE) if set(row[0]) != {"-"}][1:]


def test_the_page_has_promises():
    assert len(ROWS) > 15


@pytest.mark.parametrize(("promise", "held_by"), ROWS, ids=[row[0][:50] for row in ROWS])
def test_each_promise_is_held_by_something_that_is_there(promise, held_by):
    named = re.findall(r"`([^`]+)`", held_by)
    assert any(one.startswith("tests/") for one in named), promise
    for one in named:
        if one.startswith("python -m "):
            assert find_spec(one.split()[2]), one
            continue
        if one.startswith("geoeval "):
            continue
        file, _, test = one.partition("::")
        assert (ROOT / file).is_file(), one
        if test:
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            assert test in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, one
