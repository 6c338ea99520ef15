"""The engines: this process, several, a real Dask cluster; lost workers, and runs that go on."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from geoeval import __version__, evaluate_roads
from geoeval import cluster as dask_cluster
from geoeval.engines import open_engine
from geoeval.exceptions import EngineError, GeoevalWarning, OutputError, ParameterError
from geoeval.scale.store.road_store import store_network
from geoeval.scale.tiles import running
from geoeval.scale.tiles import tiled_roads as scale
from geoeval.scale.tiles.tiled_roads import evaluate_stores
from tests.faults.kills import is_session_over
from tests.scale.cluster import cluster
from tests.scale.tiles.test_tiled_roads import LOCAL, NEAR, same, town

ROOT = Path(__file__).parents[1]

pytest.importorskip("distributed")


def square(number, flag=None):
    """A task; where a flag file is given, the first to find it missing makes it and dies."""
    if flag is not None:
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return number**2
        os.kill(os.getpid(), signal.SIGKILL)
    return number**2


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def fail(number):
    raise ParameterError(f"task {number} cannot be done; give another")


def slow(number):
    time.sleep(0.2)
    return number


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("dask")) as found:
        yield found


@pytest.fixture(autouse=True)
def each_tile_is_a_part(monkeypatch):
    """Small runs have several parts here, for several workers."""
    monkeypatch.setattr(running, "PART_FEATURES", 0)


def engines(dask):
    return [{}, {"workers": 2}, {"scheduler": dask[0]}]


def test_all_engines_do_all_tasks(dask):
    for options in engines(dask):
        with open_engine(**options) as engine:
            assert dict(engine.run([(square, (n,)) for n in range(20)])) == {n: n**2 for n in range(20)}
            assert list(engine.run([])) == []


def test_an_error_in_a_task_ends_the_run(dask):
    for options in engines(dask):
        with pytest.raises(ParameterError, match="task 3 cannot be done"), open_engine(**options) as engine:
            list(engine.run([(square, (1,)), (fail, (3,))]))


def test_a_lost_process_costs_nothing(tmp_path):
    with open_engine(2) as engine:
        done = dict(engine.run([(square, (n, str(tmp_path / "died"))) for n in range(12)]))
    assert (tmp_path / "died").exists()
    assert done == {n: n**2 for n in range(12)}


def test_a_task_that_kills_every_worker_is_told():
    with pytest.raises(EngineError, match=r"lost 4 times.*fewer workers"), open_engine(2) as engine:
        list(engine.run([(die, (0,))]))


def test_wrong_engines():
    with pytest.raises(ParameterError, match="number of workers is 0"):
        open_engine(0)
    with (
        pytest.raises(EngineError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1;"),
        open_engine(scheduler="tcp://127.0.0.1:1"),
    ):
        pass
    with pytest.raises(EngineError, match="no Dask scheduler answers at nonsense"), open_engine(scheduler="nonsense"):
        pass


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(timeout=30)


def open_until_refused(address):
    """The scheduler may need a moment to notice that its workers are gone."""
    for _ in range(50):
        try:
            with open_engine(scheduler=address):
                time.sleep(0.2)
        except EngineError as error:
            if "0.0.9" not in str(error):
                raise


def test_a_cluster_of_another_version_or_without_workers_is_refused(tmp_path, monkeypatch):
    other = tmp_path / "other" / "geoeval"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    (other / "_version.py").write_text('__version__ = "0.0.9"\n')
    with cluster(tmp_path, workers=1, worker_path=str(other.parent)) as (address, processes):
        words = f"the worker tcp://127.* has geoeval 0.0.9, and this is geoeval {__version__}; install the same version"
        with pytest.raises(EngineError, match=words), open_engine(scheduler=address):
            pass
        kill(processes["worker-0"])
        monkeypatch.setattr(dask_cluster, "PATIENCE", 2.0)
        with pytest.raises(EngineError, match="has no workers; start some with dask worker"):
            open_until_refused(address)


def test_workers_and_then_the_scheduler_lost_are_one_line_each(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(dask_cluster, "PATIENCE", 1.0)
    with cluster(tmp_path, workers=1) as (address, processes), open_engine(scheduler=address) as engine:
        for name, words in (("worker-0", "lost all its workers"), ("scheduler", "was lost; start it again")):
            running = engine.run([(slow, (n,)) for n in range(50)])
            threading.Timer(0.5, kill, (processes[name],)).start()
            with pytest.raises(EngineError, match=f"the Dask scheduler at {address} {words}"):
                list(running)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["multiprocessing", "json", "numpy"])
def test_workers_run_no_module_of_the_folder_that_somebody_works_in(tmp_path, name):
    """As ``geoeval`` is started: by a script that lies elsewhere."""
    here, script = tmp_path / "here", tmp_path / "bin" / "script.py"
    here.mkdir()
    script.parent.mkdir()
    (here / f"{name}.py").write_text("open('was run', 'w')\nraise SystemExit\n")
    script.write_text(
        "from geoeval.engines import open_engine\n"
        "if __name__ == '__main__':\n"
        "    with open_engine(2, prepare='geoeval.roads.evaluate') as engine:\n"
        "        print(sorted(engine.run([(abs, (-one,)) for one in range(3)])))\n"
    )
    done = subprocess.run([sys.executable, script], cwd=here, env=os.environ | {"PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.stdout == "[(0, 0), (1, 1), (2, 2)]\n", done.stderr
    assert not (here / "was run").exists()


def test_no_worker_outlives_a_run_that_was_killed(tmp_path):
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\nfrom geoeval.engines import open_engine\nfrom tests.test_engines import slow\n"
        "if __name__ == '__main__':\n    with open_engine(2) as engine:\n"
        "        for number, _ in engine.run([(slow, (n,)) for n in range(600)]):\n"
        "            print(number, flush=True)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen([sys.executable, "-W", "ignore", script], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    process.stdout.readline()
    process.kill()
    process.communicate()
    assert is_session_over(process.pid, 30.0)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stores")
    networks = town(count=6, size=5)
    return [store_network(folder / f"{i}.parquet", one) for i, one in enumerate(networks)], networks


def test_the_result_does_not_depend_on_the_engine(stored, dask):
    stores, networks = stored
    whole = evaluate_roads(*networks, metrics="all", parameters=NEAR)
    for options in engines(dask):
        tiled = evaluate_stores(*stores, tile_size=210, metrics="all", parameters=NEAR, **options)
        assert tiled.scores == whole.scores
        same(evaluate_stores(*stores, tile_size=90, metrics="ccq,opt-j", **options), evaluate_roads(
            *networks, metrics="ccq,opt-j"))  # fmt: skip


def test_killing_a_dask_worker_changes_nothing(stored, tmp_path):
    stores, networks = stored
    whole = evaluate_roads(*networks, metrics=LOCAL, parameters=NEAR)
    with cluster(tmp_path) as (address, workers):
        killed = []

        def kill_one(fraction, _message):
            if fraction > 0.4 and not killed:
                killed.append(workers["worker-0"].pid)
                os.killpg(workers["worker-0"].pid, signal.SIGKILL)

        tiled = evaluate_stores(
            *stores, tile_size=90, metrics=LOCAL, parameters=NEAR, scheduler=address, progress=kill_one
        )
        assert killed
        workers["worker-0"].wait(timeout=30)
    same(tiled, whole)


def test_killing_a_process_changes_nothing(stored):
    import multiprocessing

    stores, networks = stored
    whole = evaluate_roads(*networks, metrics=LOCAL, parameters=NEAR)
    killed = []

    def kill_one(fraction, _message):
        if fraction > 0.4 and not killed:
            killed.append(multiprocessing.active_children()[0])
            os.kill(killed[0].pid, signal.SIGKILL)

    tiled = evaluate_stores(*stores, tile_size=90, metrics=LOCAL, parameters=NEAR, workers=2, progress=kill_one)
    assert killed
    same(tiled, whole)


class StopHereError(Exception):
    pass


def stop_after(fraction):
    def progress(done, _message):
        if done > fraction:
            raise StopHereError

    return progress


def test_a_run_goes_on_where_it_was(stored, tmp_path, monkeypatch):
    stores, networks = stored
    whole = evaluate_roads(*networks, metrics=LOCAL, parameters=NEAR)
    options = {"tile_size": 120, "metrics": LOCAL, "parameters": NEAR, "resume": tmp_path / "run"}
    with pytest.raises(StopHereError):
        evaluate_stores(*stores, **options, progress=stop_after(0.6))
    kept = sorted((tmp_path / "run" / "tiles").iterdir())
    assert kept
    kept[0].write_bytes(b"damaged")

    done = []
    evaluate = scale.evaluate_part
    monkeypatch.setattr(
        scale, "evaluate_part", lambda pair, tiles, *rest: (done.append(tiles), evaluate(pair, tiles, *rest))[1]
    )
    with pytest.warns(GeoevalWarning, match="is damaged and is made again"):
        same(evaluate_stores(*stores, **options), whole)
    tiles = sorted((tmp_path / "run" / "tiles").iterdir())
    assert len(done) == len(tiles) - len(kept) + 1
    done.clear()
    same(evaluate_stores(*stores, **options), whole)
    assert not done


def test_a_folder_of_another_run_is_refused(stored, tmp_path):
    stores, _ = stored
    evaluate_stores(*stores, tile_size=300, metrics="ccq", resume=tmp_path / "run")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    for change in ({"tile_size": 200}, {"metrics": "opt-j"}, {"seed": 1}, {"parameters": {"ccq": {"tolerance": 7}}}):
        options = {"tile_size": 300, "metrics": "ccq", "resume": tmp_path / "run", **change}
        with pytest.raises(OutputError, match=r"run: holds a run with another .*; give the same inputs"):
            evaluate_stores(*stores, **options)
    with pytest.raises(OutputError, match="another inputs"):
        evaluate_stores(*stores[::-1], tile_size=300, metrics="ccq", resume=tmp_path / "run")
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be used to keep a run"):
        evaluate_stores(*stores, tile_size=300, metrics="ccq", resume=tmp_path / "file")


def test_progress_grows_to_one(stored):
    stores, _ = stored
    told = []
    evaluate_stores(*stores, tile_size=150, metrics=LOCAL, parameters=NEAR, progress=lambda f, m: told.append((f, m)))
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    assert any("of" in message for _, message in told)


SCRIPT = """
from geoeval import evaluate_roads
from tests.networks import grid, network

def score(workers):
    town = network(grid(3, 3))
    print(evaluate_roads(town, town, metrics="ccq,opt-j", workers=workers).scores["ccq"]["quality"])

"""
GUARD = 'if __name__ == "__main__":'


@pytest.mark.parametrize(
    ("end", "refused"),
    [
        ("score(2)", 9),
        ("for workers in (2,):\n    score(workers)", 9),
        ('if __name__ == "__main__":\n    score(2)', None),
    ],
)
def test_a_script_that_workers_would_run_again_is_told(tmp_path, end, refused):
    """One line from the script itself, and no process that runs it again."""
    script = tmp_path / "script.py"
    script.write_text(f"{SCRIPT}{end}\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    if refused is None:
        assert (done.returncode, done.stdout, done.stderr) == (0, "1.0\n", "")
        return
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.splitlines()[-1] == (
        f"geoeval.exceptions.ParameterError: line {refused} of {script} starts 2 workers, each of which would run the "
        "file again; put it under 'if __name__ == \"__main__\":', or give workers=1"
    )


def test_a_module_that_is_run_by_its_name_is_told_too(tmp_path):
    (tmp_path / "scripted.py").write_text(f"{SCRIPT}score(2)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path)))}
    command = [sys.executable, "-m", "scripted"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "give workers=1" in done.stderr.splitlines()[-1]
    assert done.stderr.count("Traceback") == 1
