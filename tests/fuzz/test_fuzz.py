"""A short share of the campaign (``python -m tests.fuzz``), and every input that once failed."""

import shutil
from importlib import import_module
from pathlib import Path

import pytest

from geoeval.readers.registry import READERS, recognise
from tests.fuzz.__main__ import Worker
from tests.fuzz.own_inputs import OWN
from tests.fuzz.reading import READ, REFUSED, try_file
from tests.fuzz.seeds import targets

FAILED = Path(__file__).parent / "failed"
# Need a second file, or an engine, to be whole.
INCOMPLETE = {"roads.txt", "engine.json", "tile.part"}


def module(name):
    return import_module(f"geoeval.readers.{name}")


@pytest.fixture(scope="module")
def known():
    return targets()


def test_whole_inputs_are_read(known, tmp_path):
    """Otherwise their damaged copies would show nothing."""
    for name, target in known.items():
        if name not in INCOMPLETE:
            path = tmp_path / name / target.file
            path.parent.mkdir()
            path.write_bytes(target.data)
            assert try_file(target.content, path) == (READ, ""), name


def test_every_reader_has_a_target(known, tmp_path):
    """One that downloads reads no file, and one that only refuses has nothing to be damaged."""
    missing = {name for name in READERS if (reader := module(name).READER).reads and not reader.scheme}
    for number, target in enumerate(known.values()):
        if target.content in {"roads", "objects", "lines"}:
            path = tmp_path / str(number) / target.file
            path.parent.mkdir()
            path.write_bytes(target.data)
            reader = recognise(path, target.content)
            missing -= {name for name in missing if module(name).READER is reader}
    assert missing == set()


def test_everything_of_our_own_has_a_target(known):
    assert {target.content for target in known.values()} >= set(OWN)


@pytest.fixture(scope="module")
def worker():
    """It sees crashes, hangs and too much memory."""
    one = Worker()
    yield one
    one.close()


def test_inputs_that_once_failed(worker, tmp_path):
    """Named by the content, the seed, and the name of the file."""
    failures = []
    for file in sorted(FAILED.iterdir()):
        content, _, name = file.name.split("-", 2)
        outcome, message, _ = worker.ask(content, Path(shutil.copy(file, tmp_path / name)))
        if outcome not in {READ, REFUSED}:
            failures.append((file.name, outcome, message))
    assert failures == []


def test_damaged_inputs_are_read_or_refused_in_one_line(worker, known):
    failures = []
    for number in range(3):
        for name in known:
            outcome, message, _ = worker.ask(name, number)
            if outcome not in {READ, REFUSED}:
                failures.append((name, number, outcome, message))
    assert failures == []


def test_the_campaign_sees_a_crash_and_a_hang(monkeypatch):
    """A worker that dies is a crash, and one that does not answer in time a hang."""
    worker = Worker()
    try:
        worker._started().kill()
        assert worker.ask("lines.txt", 0)[0] == "crash"
        monkeypatch.setattr("tests.fuzz.__main__.SECONDS", 0.0)
        assert worker.ask("lines.txt", 0)[0] == "hang"
    finally:
        worker.close()
