"""A run that can be reviewed."""

import shutil

import pytest

from geoeval import review
from tests.reviewing.runs import evaluated, town, with_errors


@pytest.fixture(scope="session")
def result():
    reference = town()
    return evaluated(reference, with_errors(reference), "all")


@pytest.fixture(scope="session")
def written(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.gpkg"
    result.write_run(path)
    return path


@pytest.fixture
def opened(written, tmp_path):
    """A review of a copy, which a test may change."""
    return review(shutil.copy(written, tmp_path / "run.gpkg"))
