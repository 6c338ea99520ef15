"""The part of the plugin that knows no QGIS: starting, hearing and ending the engine; choosing the interpreter."""

import os
import sys
import time

import psutil
import pytest


def program(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", f"import json, sys, time, os\ndef say(**k): print(json.dumps(k))\n{code}"]


def test_events_are_heard_and_the_result_is_given(plugin):
    heard = []
    code = (
        "say(type='hello', protocol=1); say(type='progress', value=50, message='é'); print('noise'); "
        "say(type='result', scores={})"
    )
    result = plugin.runner.run_engine(program(code), [], on_event=heard.append)
    assert result == {"type": "result", "scores": {}}
    assert heard == [{"type": "progress", "value": 50, "message": "é"}]


def test_a_flood_of_output_on_both_streams_does_not_block(plugin):
    code = (
        "[(say(type='progress', value=i), print('x' * 200, file=sys.stderr)) for i in range(5000)]; say(type='result')"
    )
    heard = []
    plugin.runner.run_engine(program(code), [], on_event=heard.append)
    assert len(heard) == 5000


@pytest.mark.parametrize("stubborn", [False, True])
def test_cancel_ends_the_program_and_what_it_started(plugin, tmp_path, stubborn):
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" if stubborn else ""
    code = f"""{ignore}
import subprocess
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open({str(tmp_path / "pids")!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
say(type='progress', value=1)
time.sleep(60)"""
    heard = []
    start = time.monotonic()
    with pytest.raises(plugin.runner.CanceledError):
        plugin.runner.run_engine(program(code), [], on_event=heard.append, is_canceled=lambda: bool(heard))
    assert time.monotonic() - start < 30
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        # A killed grandchild is gone when the kernel gets to it, a moment after the signal.
        until = time.monotonic() + 10
        while _lives(pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not _lives(pid)


def _lives(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_program_that_is_not_there(plugin):
    with pytest.raises(plugin.runner.EngineError, match="cannot be started"):
        plugin.runner.run_engine(["/no/such/python"], [])


def test_the_engine_gets_none_of_qgis_settings(plugin):
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "PROJ_LIB", "PROJ_DATA", "GDAL_DATA",
               "GDAL_DRIVER_PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "QT_PLUGIN_PATH")  # fmt: skip
    base = {"PATH": "/bin", "PIP_INDEX_URL": "kept", **dict.fromkeys(dropped, "x")}
    got = plugin.runner.child_environment(base)
    assert got["PATH"] == "/bin"
    assert got["PIP_INDEX_URL"] == "kept"
    assert "x" not in got.values()


def test_which_interpreter(plugin, tmp_path, monkeypatch):
    environment = plugin.environment
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("GEOEVAL_PYTHON", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert environment.find() is None
    assert "not set up" in environment.problem(ask=False)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "geoeval"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert environment.find().command == [str(command)]
    own = environment.own_directory()
    python = environment.python_in(own)
    python.parent.mkdir(parents=True)
    python.write_text("")
    # Without its marker an environment is unfinished.
    assert environment.find().origin == "PATH"
    (own / environment.MARKER).write_text("{}")
    assert environment.find().python == str(python)
    monkeypatch.setenv("GEOEVAL_PYTHON", "/some/python")
    assert environment.find().python == "/some/python"
    monkeypatch.setattr(environment, "read_setting", lambda: " /chosen/python ")
    assert environment.find().python == "/chosen/python"
    monkeypatch.setattr(environment, "read_setting", None)
    monkeypatch.delenv("GEOEVAL_PYTHON")
    # An environment of another version is not taken.
    own.rename(own.with_name("env-0.0.1-abcdef01"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert "another version" in environment.problem(ask=False)


def test_never_the_program_that_runs_qgis(plugin, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/qgis/bin/qgis")
    assert "/opt/qgis/bin/qgis" not in plugin.interpreters.candidates()
    assert plugin.interpreters.unfit("/no/such/python") == "cannot be started"


def test_leftovers_of_interrupted_runs_are_cleared(plugin, tmp_path):
    for name in (f"making-{2**22 + 1}", "making-x", "other"):
        (tmp_path / name).mkdir()
    alive = tmp_path / f"making-{os.getppid()}"
    alive.mkdir()
    plugin.installer._clear_interrupted(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"other", alive.name}
