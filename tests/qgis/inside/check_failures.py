"""Cancel, crash, nonsense: one clear message each, and nothing is left."""

import os
import time
from pathlib import Path

import pytest
from qgis.core import (
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingUtils,
    QgsProject,
)

from conftest import lines_of, make_layer

FAKE = """#!/bin/sh
case "$*" in *--version*) echo "geoeval VERSION"; exit 0;; esac
echo '{"type": "hello", "protocol": 1, "version": "VERSION"}'
echo '{"type": "progress", "value": 12.5, "message": "working"}'
BEHAVIOUR
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """An engine that behaves as told."""

    from geoeval_qgis.engine import description

    def make(behaviour):
        path = tmp_path / f"python-{abs(hash(behaviour))}"
        path.write_text(FAKE.replace("VERSION", description().version).replace("BEHAVIOUR", behaviour))
        path.chmod(0o755)
        monkeypatch.setenv("GEOEVAL_PYTHON", str(path))

    return make


def execute(provider, layers, feedback, **more):
    reference, prediction = layers
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    algorithm = provider.algorithm("evaluateroads").create()
    values = {"REFERENCE": reference, "PREDICTION": prediction, "METRICS": ["ccq"], **more}
    return algorithm.run(values, context, feedback)


class Recorder(QgsProcessingFeedback):
    """Hears errors, and cancels when the engine says something."""

    def __init__(self, cancel_at=None):
        super().__init__(False)
        self.errors, self.texts, self.cancel_at, self.canceled_at = [], [], cancel_at, None

    def reportError(self, error, fatalError=False):
        self.errors.append(error)

    def setProgressText(self, text):
        self.texts.append(text)
        if text == self.cancel_at:
            self.canceled_at = time.monotonic()
            self.cancel()

    def pushInfo(self, text):
        self.texts.append(text)


def leftovers():
    return [path.name for path in Path(QgsProcessingUtils.tempFolder()).glob("geoeval-*")]


@pytest.mark.parametrize("polite", [True, False])
def test_cancel_ends_the_worker_soon(provider, layers, fake, folder, polite):
    pids = folder / "pid"
    fake(f"echo $$ > '{pids}'; " + ("exec sleep 60" if polite else "trap '' TERM; while true; do sleep 1; done"))
    feedback = Recorder(cancel_at="working")
    results, _ok = execute(provider, layers, feedback, SCORES=str(folder / "scores.shp"))
    took = time.monotonic() - feedback.canceled_at
    assert results == {}
    assert any("nothing was written" in text for text in feedback.texts)
    pid = int(pids.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    # Two seconds are promised; a busy machine gets some more.
    assert took < 5
    assert not (folder / "scores.shp").exists()
    assert leftovers() == []


def test_the_real_engine_is_canceled(provider, qgis_new_project, folder):
    town = make_layer(lines_of(50, 50), "large town")
    feedback = Recorder(cancel_at="tlts")
    results, _ok = execute(provider, (town, town), feedback, METRICS=["tlts"], SETTINGS="tlts.pairs=200000",
                           SCORES=str(folder / "scores.shp"))  # fmt: skip
    assert results == {}
    assert feedback.errors == []
    assert list(folder.iterdir()) == []
    assert leftovers() == []


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("kill -9 $$", ["ended by SIGKILL", "memory", "QGIS itself is fine"]),
        ("kill -11 $$", ["ended by SIGSEGV"]),
        ("echo 'terrible things' >&2; exit 3", ["code 3", "terrible things"]),
        ("exit 0", ["no result"]),
        ("echo 'no JSON at all'; exit 0", ["no result"]),
        ("""echo '{"type": "error", "message": "the sky is green; look again", "hint": "or not"}'; exit 1""",
         ["The sky is green; look again; or not"]),
        ("""echo '{"type": "hello", "protocol": 99}'; exit 0""", ["protocol 99", "Set up the geoeval environment"]),
        ("echo 'python: No module named geoeval' >&2; exit 1", ["has no geoeval", "Set up the geoeval environment"]),
    ],
)  # fmt: skip
def test_a_worker_that_fails_is_one_message(provider, layers, fake, folder, behaviour, words):
    fake(behaviour)
    feedback = Recorder()
    results, ok = execute(provider, layers, feedback, SCORES=str(folder / "scores.shp"))
    assert not ok
    assert results == {}
    (message,) = feedback.errors
    for word in words:
        assert word in message
    assert "\n" not in message
    assert "Traceback" not in message
    assert not (folder / "scores.shp").exists()
    assert leftovers() == []


@pytest.mark.parametrize("name", ["evaluateroads", "evaluatelines", "perturbnetwork"])
def test_files_are_always_read_in_a_process_of_their_own(provider, layers, fake, folder, name):
    """A file that crashes a library is then an error about this file, not the end of the engine."""
    fake(f"echo \"$*\" > '{folder / 'asked'}'; exit 1")
    reference, prediction = layers
    given = {"REFERENCE": reference, "PREDICTION": prediction, "RESULT": str(folder / "run.gpkg")}
    if name == "perturbnetwork":
        given = {"REFERENCE": reference, "ERROR": "missing", "PREDICTION": str(folder / "made.gpkg")}
    elif name == "evaluatelines":
        given = {"REFERENCE_LAYER": reference, "PREDICTION_LAYER": prediction, "RESULT": str(folder / "run.gpkg")}
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    feedback = Recorder()
    provider.algorithm(name).create().run(given, context, feedback)
    assert "--untrusted" in (folder / "asked").read_text().split(), feedback.errors


def test_what_the_engine_refuses_is_said_in_its_words(provider, layers):
    feedback = Recorder()
    _results, ok = execute(provider, layers, feedback, SETTINGS="ccq.tolerence=3")
    assert not ok
    (message,) = feedback.errors
    assert "did you mean tolerance" in message


def test_no_interpreter_is_said_in_toolbox_and_process(provider, layers, monkeypatch, folder):
    monkeypatch.delenv("GEOEVAL_PYTHON")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    algorithm = provider.algorithm("evaluateroads")
    can, why = algorithm.canExecute()
    assert not can
    assert "Set up the geoeval environment" in why
    context = QgsProcessingContext()
    fine, again = algorithm.checkParameterValues({"REFERENCE": layers[0], "PREDICTION": layers[1]}, context)
    assert not fine
    assert again == why
    assert provider.algorithm("setupenvironment").canExecute()[0]
    monkeypatch.setenv("GEOEVAL_PYTHON", "/usr/bin/python3")
    fine, why = algorithm.checkParameterValues({"REFERENCE": layers[0], "PREDICTION": layers[1]}, context)
    assert not fine
    assert "has no working geoeval" in why


def test_setting_up_without_wheels_or_internet_is_one_message(provider, folder, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    (folder / "empty").mkdir()
    algorithm = provider.algorithm("setupenvironment").create()
    feedback = Recorder()
    _results, ok = algorithm.run({"WHEELS": str(folder / "empty")}, QgsProcessingContext(), feedback)
    assert not ok
    (message,) = feedback.errors
    assert "cannot be installed" in message
    assert list((folder / "data" / "geoeval" / "qgis").iterdir()) == []


def test_processing_run_raises(run, layers):
    with pytest.raises(QgsProcessingException):
        run("evaluateroads", {"REFERENCE": layers[0], "PREDICTION": layers[1], "METRICS": ["ccq"], "SETTINGS": "x"})
