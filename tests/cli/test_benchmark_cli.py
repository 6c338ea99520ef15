"""``geoeval benchmark``: what it says and writes, exit codes, and runs that are interrupted and go on."""

import json
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from geoeval.cli.main import app
from tests.benchmarking.folders import cross, street, two_sides, write_tiles

METRICS = ("--metrics", "ccq,opt-j")
MANY = 30
# A command in the background of a shell does not listen to SIGINT; this one does, wherever the tests run.
LISTENING = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from geoeval.cli.main import run; run()"
)


def run(*arguments):
    return CliRunner().invoke(app, ["benchmark", *map(str, arguments)])


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    return two_sides(tmp_path_factory.mktemp("sides"), count=4)


def files_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_good_folder_ends_with_0_and_a_page(sides, tmp_path):
    done = run(*sides, *METRICS, "-o", tmp_path / "out", "--json", tmp_path / "all.json", "--maps", 1)
    assert done.exit_code == 0, done.output
    assert "4 places, files paired by their names; metrics ccq, opt-j, seed 0." in done.stdout
    assert "Without a prediction: skip; empty truth: skip; failed: skip." in done.stdout
    assert "left out" not in done.stdout
    assert (tmp_path / "out" / "page.html").exists()
    found = json.loads((tmp_path / "all.json").read_text())
    assert found == json.loads((tmp_path / "out" / "benchmark.json").read_text())
    again = run(*sides, *METRICS, "-o", tmp_path / "out")
    assert (again.exit_code, again.stderr.count("\n")) == (1, 1)
    assert "exists already; give --overwrite" in again.stderr


def test_what_is_left_out_is_told_after_all_is_written_and_the_exit_code_is_1(sides, tmp_path):
    few = write_tiles(tmp_path / "few", {"t0": cross(), "t1": street(x=300.0), "zz": cross()})
    done = run(sides[0], few, *METRICS, "-o", tmp_path / "out", "--maps", 0)
    assert done.exit_code == 1
    assert "left out: few, t2: missing: there is no prediction of this name" in done.stdout
    assert "left out: few, zz: no truth of this name" in done.stdout
    assert len((tmp_path / "out" / "places.csv").read_text().splitlines()) == 5
    assert run(sides[0], few, *METRICS, "--missing", "fail").exit_code == 1
    told = run(sides[0], few, *METRICS, "--missing", "zero", "--progress", "json").stdout.splitlines()[-1]
    assert json.loads(told)["left_out"] == ["few, zz: no truth of this name"]


def test_wrong_options_are_one_line_and_come_before_the_work(sides, tmp_path):
    for options, words in (
        (["--protocol", "sat2graf-topo"], "did you mean sat2graph-topo?"),
        (["--metrics", "opt-q"], "unknown metric"),
        (["--layout", "citi"], "unknown layout 'citi'; there are auto, plain"),
        (["--set", "opt-j.nothing=1"], "unknown parameter"),
        (["--protocol", "cldice", "--kind", "objects"], "cldice scores roads, not objects"),
        (["--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers"),
    ):
        done = run(*sides, *options)
        assert (done.exit_code, done.stderr.count("\n")) == (1, 1), options
        assert words in done.stderr
    assert "no such folder" in run(sides[0], tmp_path / "nowhere").stderr
    assert run(*sides, "--missing", "perhaps").exit_code == 2


def test_workers_give_the_same_files(sides, tmp_path):
    for name, workers in (("one", 1), ("two", 2)):
        assert run(*sides, *METRICS, "-o", tmp_path / name, "--workers", workers, "--maps", 1).exit_code == 0
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_interrupted_and_resumed_it_gives_the_same_files(tmp_path):
    # So many places that the signal comes long before the last one, also where the machine is busy.
    sides = two_sides(tmp_path / "sides", count=MANY)
    assert run(*sides, "-o", tmp_path / "whole", "--maps", 1).exit_code == 0
    kept, out = tmp_path / "run", tmp_path / "out"
    command = ["benchmark", *map(str, sides), "-o", str(out), "--maps", "1", "--resume", str(kept)]
    before = 0
    for sent, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = subprocess.Popen(
            [sys.executable, "-c", LISTENING, *command, "--progress", "json"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        for line in process.stdout:
            if f"{before + 2} of {MANY} places" in json.loads(line).get("message", ""):
                process.send_signal(sent)
                break
        _, said = process.communicate(timeout=120)
        assert process.returncode == code, said
        assert said == f"geoeval: interrupted; the same command goes on from what is kept in {kept}\n"
        assert not out.exists()
        assert not list(tmp_path.glob(".geoeval-*"))
        done = len(list((kept / "tiles").glob("*.part")))
        assert before + 2 <= done < MANY
        before = done
    finished = CliRunner().invoke(app, command)
    assert finished.exit_code == 0, finished.output
    assert files_of(out) == files_of(tmp_path / "whole")
    other = CliRunner().invoke(app, [*command, "--overwrite", "--seed", "1"])
    assert "holds a run with another options" in other.stderr
