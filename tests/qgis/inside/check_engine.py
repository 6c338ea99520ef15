"""An engine that does not answer: every algorithm stays, and each says what is wrong and what to do."""

import os

import pytest
from qgis.core import QgsApplication, QgsProcessingContext, QgsProcessingParameterDefinition

from conftest import Window

FAILURES = [
    ("echo 'ImportError: no libgeos' >&2; exit 1", "ImportError: no libgeos"),
    ("kill -SEGV $$", "ended by SIGSEGV"),
    ("echo 'Welcome to the machine'", "Welcome to the machine"),
    ("sleep 600", "no answer within 0.2 seconds"),
]
NEED_NO_ENGINE = {"setupenvironment", "removeenvironment"}


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Makes the plugin use an interpreter that does as told."""

    def use(behaviour):
        path = tmp_path / "broken-python"
        path.write_text(f"#!/bin/sh\n{behaviour}\n")
        path.chmod(0o755)
        monkeypatch.setenv("GEOEVAL_PYTHON", str(path))
        return str(path)

    return use


@pytest.fixture
def load(qgis_app, qgis_processing, monkeypatch, tmp_path):
    """Loads the plugin as the desktop does; gives the provider, the window, and what was logged."""
    from geoeval_qgis import classFactory, engine, environment

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    loaded, logged = [], []

    def start(*, packaged):
        if not packaged:
            monkeypatch.setattr(engine, "FILE", tmp_path / "no such file")
            monkeypatch.setattr(environment, "WHEELS", tmp_path / "no such folder")
        engine._known.clear()
        environment.forget()
        window = Window()
        plugin = classFactory(window)
        QgsApplication.messageLog().messageReceived.connect(hear)
        loaded.append(plugin)
        plugin.initGui()
        return QgsApplication.processingRegistry().providerById("geoeval"), window, logged

    def hear(*words):
        if len(words) == 3 and words[1] == "geoeval":
            logged.append(words[0])

    yield start
    QgsApplication.messageLog().messageReceived.disconnect(hear)
    for plugin in loaded:
        plugin.unload()
    engine._known.clear()
    environment.forget()


def names(provider):
    return sorted(found.name() for found in provider.algorithms())


def test_all_algorithms_are_there(load):
    from geoeval_qgis.algorithms import NAMES

    provider, window, logged = load(packaged=True)
    assert names(provider) == sorted(NAMES)
    assert (window.warnings, logged) == ([], [])


@pytest.mark.parametrize("packaged", [True, False])
@pytest.mark.parametrize(("behaviour", "words"), FAILURES)
def test_an_engine_that_fails_loses_no_algorithm(load, broken, monkeypatch, behaviour, words, packaged):
    from geoeval_qgis import environment
    from geoeval_qgis.algorithms import NAMES

    program = broken(behaviour)
    if "sleep" in behaviour:
        monkeypatch.setattr(environment, "PATIENCE", 0.2)
    provider, window, logged = load(packaged=packaged)
    assert names(provider) == sorted(NAMES)
    # The packaged plugin carries its facts, so that it need not start the engine to be loaded.
    assert len(logged) == len(window.warnings) == (0 if packaged else 1)
    for text in [*logged, *(text for _title, text in window.warnings)]:
        assert words in text
    for found in provider.algorithms():
        if found.name() in NEED_NO_ENGINE:
            assert found.canExecute() == (True, "")
            continue
        fine, why = found.checkParameterValues({}, QgsProcessingContext())
        assert not fine
        assert found.canExecute() == (False, why)
        assert words in why
        assert program in why
        assert "install geoeval there" in why
        assert "\n" not in why
        # It can be opened, described and put into a model, and nothing that is not there is asked for.
        made = found.create()
        assert made.parameterDefinition("OUTPUT" if found.name() == "demodata" else "PREDICTION") is not None
        optional = QgsProcessingParameterDefinition.Flag.FlagOptional
        for one in made.parameterDefinitions():
            if one.type() == "enum" and not one.options():
                assert one.flags() & optional


def test_an_engine_of_another_version_is_said_in_toolbox_and_process(load, broken):
    broken("echo geoeval 99.1.2")
    provider, _window, _logged = load(packaged=True)
    found = provider.algorithm("evaluateroads")
    fine, why = found.checkParameterValues({}, QgsProcessingContext())
    assert not fine
    assert "has geoeval 99.1.2" in why
    assert found.canExecute() == (False, why)


def test_a_checkout_whose_engine_stops_answering_keeps_every_parameter(load, broken, monkeypatch):
    from geoeval_qgis import engine

    def described(provider):
        return {
            found.name(): (
                [one.name() for one in found.parameterDefinitions()],
                [one.name() for one in found.outputDefinitions()],
            )
            for found in provider.algorithms()
        }

    provider, window, logged = load(packaged=False)
    assert (window.warnings, logged) == ([], [])
    before = described(provider)
    assert "MISSING" in before["evaluateroads"][0]
    broken("echo 'ImportError: gone' >&2; exit 1")
    engine._known.clear()
    provider.refreshAlgorithms()
    assert described(provider) == before
    (said,) = logged
    assert "ImportError: gone" in said
    # Once it answers again, an algorithm can be opened without a restart of QGIS.
    assert not provider.algorithm("evaluateroads").canExecute()[0]
    monkeypatch.setenv("GEOEVAL_PYTHON", os.environ["GEOEVAL_TEST_PYTHON"])
    assert provider.algorithm("evaluateroads").canExecute() == (True, "")
