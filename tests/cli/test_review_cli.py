"""``geoeval review`` and ``--result``, as a person types them."""

import http.client
import json
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from geoeval import review
from geoeval.cli.main import app
from geoeval.writers.network_files import write_network
from tests.networks import network

STREET = [(500_000, 5_000_000), (500_300, 5_000_000), (500_600, 5_000_000)]
BRANCHES = [[(500_300, 5_000_000), (500_300, 5_000_000 + length)] for length in (200, -150)]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_network(network([STREET, *BRANCHES]), folder / "true.gpkg")
    write_network(network([STREET]), folder / "found.gpkg")
    write_network(network([STREET, BRANCHES[1]]), folder / "better.gpkg")
    return folder


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="geoeval")


def evaluated(files, path, name="found.gpkg", *more):
    return run(
        "roads", files / "true.gpkg", files / name, "--metrics", "ccq,opt-j", "--aoi", "all", "--result", path, *more
    )


def test_from_the_evaluation_to_scores_as_judged(files, tmp_path):
    """Evaluate, judge, look, export, evaluate a better map, carry over: every step a command."""
    path = tmp_path / "run.gpkg"
    done = evaluated(files, path)
    assert done.exit_code == 0, done.output
    assert "geoeval review judges it" in done.stdout
    opened = review(path)
    assert len(opened.errors) == 2
    opened.judge(opened.errors["error_id"][0], "reference-is-wrong", remark="gone")
    opened.judge(opened.errors["error_id"][1], "error", seconds=4)
    done = run("review", path, "--judged")
    assert done.exit_code == 0, done.output
    assert "Missing  2 of 2  1      0             1" in done.stdout
    assert "0.50 (0.09 to 0.91)" in done.stdout
    assert "0 of 2 left, 4.0 s a verdict" in done.stdout
    done = run("review", path, "--judged", "--json", "-")
    facts = json.loads(done.stdout)
    assert facts["as_judged"]["ccq"]["completeness"] > facts["as_given"]["ccq"]["completeness"]
    assert facts["verdicts"] == {"error": 1, "not-an-error": 0, "reference-is-wrong": 1, "later": 0}
    done = run("review", path, "--export", tmp_path / "tasks.geojson", "--export", tmp_path / "errors.osm",
               "--save-verdicts", tmp_path / "verdicts.csv", "--json", tmp_path / "judged.json")  # fmt: skip
    assert done.stdout.splitlines() == [
        f"1 confirmed error: {tmp_path / 'tasks.geojson'}", f"1 confirmed error: {tmp_path / 'errors.osm'}",
        f"verdicts: {tmp_path / 'verdicts.csv'}"]  # fmt: skip
    assert json.loads((tmp_path / "judged.json").read_text()) == facts
    later = tmp_path / "later.gpkg"
    assert evaluated(files, later, "better.gpkg").exit_code == 0
    done = run("review", later, "--carry-from", path, "--judged")
    assert (
        f"{path}: 1 verdicts taken over (1 by id, 0 by place), 1 of errors that this run does not have" in done.stdout
    )
    done = run("review", evaluated_copy(files, tmp_path), "--verdicts", tmp_path / "verdicts.csv", "--json", "-")
    assert json.loads(done.stdout)["verdicts"] == facts["verdicts"]
    assert "2 verdicts taken over" in done.stderr


def evaluated_copy(files, tmp_path):
    path = tmp_path / "copy.gpkg"
    assert evaluated(files, path).exit_code == 0
    return path


def test_programs_are_told_of_the_run(files, tmp_path):
    path = tmp_path / "run.gpkg"
    done = evaluated(files, path, "found.gpkg", "--progress", "json")
    told = [json.loads(line) for line in done.stdout.splitlines()][-1]
    assert told["type"] == "result"
    assert told["run"]["path"] == str(path)
    layers = {layer["layer"]: layer for layer in told["run"]["layers"]}
    assert layers["missing"] == {"role": "missing", "layer": "missing", "geometry": "lines", "count": 2}
    assert {"plan", "area", "grid", "reference", "prediction"} <= set(layers)


def test_what_is_wrong_is_one_line(files, tmp_path):
    path = tmp_path / "run.gpkg"
    assert evaluated(files, path).exit_code == 0
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "bad.csv").write_text("error_id,verdict\nx,perhaps\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        cases = [
            (("review", tmp_path / "none.gpkg"), "does not exist; give a run that geoeval wrote"),
            (("review", files / "true.gpkg"), "no table 'errors', so it is no run"),
            (("review", path, "--export", tmp_path / "there.csv"), "exists already; give --overwrite"),
            (
                ("review", path, "--export", tmp_path / "x.txt"),
                "confirmed errors are not written as",
            ),
            (("review", path, "--verdicts", tmp_path / "bad.csv"), "line 2: 'perhaps' is no verdict"),
            (("review", path, "--carry-from", path), "is this run itself; give an earlier one"),
            (("review", path, "--export", path, "--overwrite"), "is an input of this run"),
            (("review", path, "--save-verdicts", path, "--overwrite"), "tables are not written as .gpkg"),
            (("review", path, "--json", path, "--overwrite"), "not written as .gpkg"),
            (("review", path, "--no-browser", "--port", port), f"port {port} cannot be used"),
            (
                ("roads", files / "true.gpkg", files / "found.gpkg", "--result", tmp_path / "run.shp"),
                "runs are not written as .shp",
            ),
            (("roads", files / "true.gpkg", files / "found.gpkg", "--result", path), "exists already"),
        ]
        for words, said in cases:
            done = run(*words)
            assert done.exit_code == 1, words
            (line,) = done.stderr.strip().splitlines()
            assert line.startswith("geoeval: error: ")
            assert said in line, line
    assert (tmp_path / "there.csv").read_text() == "mine"


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_the_page_ends_with_ctrl_c_and_sigterm(files, tmp_path, sent, code):
    path = tmp_path / "run.gpkg"
    assert evaluated(files, path).exit_code == 0
    command = [sys.executable, "-m", "geoeval", "review", str(path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        url = urlsplit(running.stdout.readline().split(": ")[-1].strip())
        line = http.client.HTTPConnection(url.netloc, timeout=30)
        line.request("GET", f"{url.path}list")
        assert len(json.loads(line.getresponse().read())["id"]) == 2
        line.close()
        running.send_signal(sent)
        out, err = running.communicate(timeout=60)
    assert running.returncode == code
    assert err == ""
    assert f"the verdicts are in {path}; 2 errors are left" in out
