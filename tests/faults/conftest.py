"""What the tests of faults share."""

import os

import pytest

from tests.faults.commands import Maps
from tests.faults.forge import Forge

collect_ignore = [] if hasattr(os, "fork") else ["test_faults.py", "test_kills.py"]


@pytest.fixture(scope="module")
def forge():
    with Forge() as made:
        yield made


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    return Maps.make(tmp_path_factory.mktemp("faults") / "maps", size=4)


@pytest.fixture
def run(forge, tmp_path_factory):
    """Runs a command with a cache of its own."""
    cache = str(tmp_path_factory.mktemp("cache"))

    def call(*arguments, environment=None, **conditions):
        return forge.run(*arguments, environment={"XDG_CACHE_HOME": cache, **(environment or {})}, **conditions)

    return call
