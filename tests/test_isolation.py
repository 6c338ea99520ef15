"""A call in a process of its own gives what the call gives, and a process that dies is an error."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import psutil
import pytest

from geoeval import evaluate, exceptions
from geoeval.exceptions import GeoevalWarning, UnreadableInputError
from geoeval.isolation import IsolationError, call_in_child
from geoeval.readers import read_map, read_network
from geoeval.readers.registry import read_apart
from tests.readers.osm.osm_files import TOWN, write


def warned(number):
    warnings.warn("look", GeoevalWarning, stacklevel=2)
    return number + 1


def refused():
    raise UnreadableInputError("no")


def fills_the_disk():
    import resource  # there is none on Windows

    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return bytes(2000)


def dies(name):
    os.kill(os.getpid(), getattr(signal, name))


def test_answers_errors_and_warnings_come_back():
    with pytest.warns(GeoevalWarning, match="look"):
        assert call_in_child(warned, 1) == 2
    with pytest.raises(UnreadableInputError, match="no"):
        call_in_child(refused)


def test_every_error_and_its_line_come_back():
    """Errors cross from process to process as pickles, which a constructor of its own would break."""
    classes = [one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, Exception)]
    assert len(classes) > 10
    for one in classes:
        back = pickle.loads(pickle.dumps(one("what, where,\nwhat to do")))
        assert (type(back), str(back)) == (one, str(one("what, where,\nwhat to do")))


def test_a_module_in_the_working_directory_is_not_python_s(tmp_path, monkeypatch):
    for name in ("json", "sys", "pickle", "signal"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with pytest.warns(GeoevalWarning, match="look"):
        assert call_in_child(warned, 1) == 2
    assert not (tmp_path / "ran").exists()


def test_no_room_for_the_answer_is_no_fault_of_the_file():
    with pytest.raises(OSError, match="No space left") as raised:
        call_in_child(fills_the_disk)
    assert raised.value.errno == errno.ENOSPC


@pytest.mark.parametrize("name", ["SIGABRT", "SIGSEGV", "SIGKILL"])
def test_a_process_that_dies_is_one_line(name):
    with pytest.raises(IsolationError, match=name):
        call_in_child(dies, name)
    with pytest.raises(
        UnreadableInputError, match=f"^a.pbf cannot be read: the process that read it was ended by {name}"
    ):
        read_apart(dies, "a.pbf", name)


def test_untrusted_gives_the_same_map(tmp_path):
    source = write(tmp_path / "a.osm.pbf", TOWN)
    plain, apart = read_network(source), read_network(source, untrusted=True)
    assert apart.nodes.tobytes() == plain.nodes.tobytes()
    assert apart.segments.tobytes() == plain.segments.tobytes()
    assert apart.problems == plain.problems
    with pytest.raises(UnreadableInputError, match="no such file"):
        read_map("roads", tmp_path / "none.shp", untrusted=True)


def test_untrusted_in_tiles(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = write(tmp_path / "a.osm.pbf", TOWN)
    results = [evaluate(source, source, metrics="ccq", tile_size=500.0, untrusted=one) for one in (False, True)]
    assert results[0].scores == results[1].scores


def test_the_process_does_not_outlive_its_caller(tmp_path):
    code = f"""
        import time
        from geoeval.isolation import call_in_child
        from tests.test_isolation import waits
        call_in_child(waits, {str(tmp_path / "pid")!r})
    """
    caller = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text()):
        assert caller.poll() is None
        time.sleep(0.05)
    caller.kill()
    caller.wait()
    child = int(pid.read_text())
    for _ in range(200):
        if not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise there")
def test_an_interrupt_ends_both_readers_at_once(tmp_path):
    """It comes to this process alone, as from a program that started it."""
    files = [str(tmp_path / name) for name in "ab"]
    code = f"""
        from geoeval.isolation import call_in_child
        from geoeval.pipeline import evaluate
        from tests.test_isolation import waits
        evaluate.read_given = lambda kind, given, **options: call_in_child(waits, given)
        reading = dict.fromkeys(("reference", "prediction"), {{"untrusted": True}})
        evaluate.read_sides("roads", *{files!r}, reading)
    """
    caller = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stderr=subprocess.PIPE)
    while not all(Path(file).exists() and Path(file).read_text() for file in files):
        assert caller.poll() is None
        time.sleep(0.05)
    caller.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in caller.communicate(timeout=300)[1]


def waits(file):
    Path(file).write_text(str(os.getpid()))
    time.sleep(600)
