"""``geoeval rank`` as a person uses it."""

import json

import pytest
from typer.testing import CliRunner

from geoeval.cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, ["rank", *map(str, arguments)])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("name,precision,recall,mallows\nA,0.9,0.4,3\n007,0.5,0.8,2\nC,0.4,0.3,9\n", encoding="utf-8-sig")
    return path


def result(f1, chamfer, kind="roads"):
    scores = {"opt-j": {"precision": 1.0, "f1": f1}, "distance": {"chamfer": chamfer}}
    return json.dumps({"geoeval": "0", "kind": kind, "scores": scores})


def test_a_table(table, tmp_path):
    done = run(table, "--lower", "mallows", "--accuracy", "mallows", "--json", tmp_path / "r.json", "-o",
               tmp_path / "r.csv", "--plot", tmp_path / "r.png")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "r.json").read_text())
    assert [(item["name"], item["rank"], item["interval"]) for item in found["items"]] == [
        ("007", 1, [1, 2]), ("A", 1, [1, 2]), ("C", 3, [3, 3]),
    ]  # fmt: skip
    assert found["covers"] == [["A", "C"], ["007", "C"]]
    assert (found["kind"], found["linear_extensions"], found["exact"]) == ("ranking", 2, True)
    assert (tmp_path / "r.csv").read_text().splitlines()[0] == "name,rank,best,worst,mean_rank"
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    assert "007" in done.stdout


def test_json_on_standard_output_is_json_alone(table):
    done = run(table, "--json", "-")
    assert json.loads(done.stdout)["kind"] == "ranking"


def test_chosen_indicators(table):
    assert json.loads(run(table, "--indicators", "recall", "--json", "-").stdout)["items"][0]["name"] == "007"


def test_results_by_their_headlines_and_a_distance_the_right_way_round(tmp_path):
    for place, (f1, chamfer) in {"x/m": (0.5, 9.0), "y/m": (0.6, 2.0), "y/n": (0.7, 1.0)}.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / f"{place}.json").write_text(result(f1, chamfer))
    done = run(*(tmp_path / f"{name}.json" for name in ("x/m", "y/m", "y/n")), "--json", "-")
    found = json.loads(done.stdout)
    assert [item["name"] for item in found["items"]] == ["y/n", "y/m", "x/m"]
    assert [item["rank"] for item in found["items"]] == [1, 2, 3]
    assert found["indicators"] == ["opt-j.f1", "distance.chamfer"]


def test_wrong_input_is_one_line_and_exit_code_1(tmp_path, table):
    (tmp_path / "r.json").write_text(result(0.5, 1.0))
    (tmp_path / "o.json").write_text(result(0.5, 1.0, kind="objects"))
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "noname.csv").write_text("method,f1\na,1\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "unnamed.csv").write_text("name,f1\n,1\n")
    (tmp_path / "gap.csv").write_text("name,f1\na,1\nb,\n")
    for arguments, words in (
        ([tmp_path / "absent.json"], "no such file"),
        ([tmp_path / "broken.json"], "cannot be read"),
        ([tmp_path / "list.json"], "no result of an evaluation"),
        ([tmp_path / "r.json", tmp_path / "o.json"], "different kinds"),
        ([tmp_path / "r.json", tmp_path / "r.json"], "given twice"),
        ([tmp_path / "r.json", table], "one is a CSV"),
        ([tmp_path / "noname.csv"], "no column 'name'"),
        ([tmp_path / "empty.csv"], "cannot be read"),
        ([tmp_path / "unnamed.csv"], "line 2"),
        ([tmp_path / "gap.csv"], "b has no number for f1"),
        ([table, "--lower", "x"], "no indicator 'x'"),
        ([table, "--plot", tmp_path / "x.bmp"], "pictures are not written as .bmp"),
        ([table, "-o", table], "is an input of this run"),
    ):
        done = run(*arguments)
        assert done.exit_code == 1, done.output
        assert words in done.stderr
        assert done.stderr.startswith("geoeval: error: ")
        assert done.stderr.count("\n") == 1
