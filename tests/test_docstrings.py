"""Every example in a docstring can be pasted as it stands into a fresh interpreter."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import geoeval

ROOT = Path(geoeval.__file__).parent


def modules_with_examples() -> list[str]:
    """Found by their text, so that a module that cannot be imported fails as a test."""
    files = [path for path in sorted(ROOT.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
    return [".".join(["geoeval", *path.relative_to(ROOT).with_suffix("").parts]) for path in files]


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples_can_be_pasted(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = import_module(name.removesuffix(".__init__"))
    examples = [test for test in doctest.DocTestFinder().find(module, globs={}) if test.examples]
    assert examples
    told: list[str] = []
    for test in examples:
        doctest.DocTestRunner().run(test, out=told.append)
    if told:
        pytest.fail("".join(told), pytrace=False)


def test_the_main_functions_have_examples():
    for name in ("evaluate_roads", "RoadNetwork", "ObjectMap", "Drawing"):
        one = getattr(geoeval, name)
        assert [test for test in doctest.DocTestFinder().find(one, globs={}) if test.examples], name
