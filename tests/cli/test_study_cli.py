"""``geoeval study`` as a person uses it."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from geoeval import evaluate_roads, perturb
from geoeval.cli.main import app
from geoeval.studies.sensitivity import Sensitivity
from geoeval.studies.study_figures import correlation_figure, pairwise_figure, sensitivity_figure, stability_figure
from geoeval.studies.study_folder import write_study
from geoeval.writers.network_files import write_network
from geoeval.writers.pictures import new_figure
from tests.networks import grid, network

FILES = {"plot.png", "plot.svg", "page.html"}


def run(*arguments):
    return CliRunner().invoke(app, ["study", *map(str, arguments)])


def names(folder):
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


@pytest.fixture
def town(tmp_path):
    lines = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(3, 3, 200.0)]
    return network(lines), write_network(network(lines), tmp_path / "town.gpkg")


def result(f1, kind="roads", **scores):
    own = {"opt-j": {"precision": 1.0, "f1": f1}, **{name: {"chamfer": v} for name, v in scores.items()}}
    return json.dumps({"geoeval": "0", "kind": kind, "scores": own})


def test_sensitivity(town, tmp_path):
    done = run("sensitivity", town[1], "--errors", "interruptions,far-false-positives", "--counts", "2,5", "--seeds", 2,
               "--metrics", "ccq,opt-j", "--workers", 1, "-o", tmp_path / "s")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert names(tmp_path / "s") == FILES | {"runs.csv", "curves.csv", "verdicts.csv", "table.csv", "summary.csv"}
    table = pd.read_csv(tmp_path / "s" / "table.csv", index_col="metric")
    assert table.loc["ccq", "interruptions"] == "insensitive"
    assert (table.loc["opt-j"] == "sensitive").all()
    assert "5 errors of a kind in 2.4 km of roads, mean of 2 seeds" in done.stdout
    assert "1.000 flat" in done.stdout
    runs = pd.read_csv(tmp_path / "s" / "runs.csv")
    made = perturb(town[0], "interruptions", 5, seed=1)
    expected = evaluate_roads(town[0], made.prediction, metrics="opt-j", seed=1).scores["opt-j"]["f1"]
    assert runs.query("error == 'interruptions' and count == 5 and seed == 1")["opt-j"].item() == pytest.approx(
        expected
    )
    page = (tmp_path / "s" / "page.html").read_text()
    assert "<svg" in page
    assert "insensitive" in page
    assert "http-equiv" not in page
    # Every link in a plain grid is a short cut.
    none = run("sensitivity", town[1], "--errors", "overconnections", "--counts", "2", "--seeds", 1, "--metrics", "ccq",
               "--workers", 1)  # fmt: skip
    assert "1.000 ?" in none.stdout
    assert "there was room for 0 of 2 overconnections on average" in none.stdout


def test_stability(town, tmp_path):
    prediction = write_network(perturb(town[0], "interruptions", 4).prediction, tmp_path / "p.gpkg")
    done = run("stability", town[1], prediction, "--metrics", "opt-j,subg", "--repetitions", 3, "-o", tmp_path / "s")
    assert done.exit_code == 0, done.output
    assert names(tmp_path / "s") == FILES | {"stability.csv"}
    table = pd.read_csv(tmp_path / "s" / "stability.csv").set_index("metric")
    assert table.loc["opt-j", "sd"] == 0
    assert table.loc["opt-j", "mean"] < 1
    assert "subg" in done.stdout


def test_detection(town, tmp_path):
    done = run("detection", town[1], "--errors", "interruptions,missing", "--count", 3, "-o", tmp_path / "d.csv")
    assert done.exit_code == 0, done.output
    table = pd.read_csv(tmp_path / "d.csv").set_index("error")
    assert table["inserted"].tolist() == [3, 3]
    assert table.loc["interruptions", ["recall", "precision"]].tolist() == [1, 1]
    assert "interruptions" in done.stdout


def test_correlation_of_a_table(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("name,a,b,c\nx,1,2,9\ny,2,4,1\nz,3,6,5\n")
    done = run("correlation", table, "-o", tmp_path / "c")
    assert done.exit_code == 0, done.output
    assert names(tmp_path / "c") == FILES | {"correlation.csv", "triplets.csv"}
    matrix = pd.read_csv(tmp_path / "c" / "correlation.csv", index_col="score")
    assert matrix.loc["a", "b"] == pytest.approx(1)
    three = pd.read_csv(tmp_path / "c" / "triplets.csv")
    assert three["consistency"].item() == pytest.approx((1 + 2 * np.corrcoef([1, 2, 3], [9, 1, 5])[0, 1]) / 3)


def test_pairwise_folders_of_places(tmp_path):
    for method, lead, away in (("good", 0.1, 2.0), ("bad", 0.0, 5.0)):
        (tmp_path / method).mkdir()
        for place, f1 in {"paris": 0.5, "rome": 0.6, "oslo": 0.7}.items():
            (tmp_path / method / f"{place}.json").write_text(result(f1 + lead, distance=away))
    (tmp_path / "good" / "only here.json").write_text(result(0.9))
    done = run("pairwise", tmp_path / "good", tmp_path / "bad", "-o", tmp_path / "p")
    assert done.exit_code == 0, done.output
    assert names(tmp_path / "p") == FILES | {"summary.csv", "differences.csv"}
    table = pd.read_csv(tmp_path / "p" / "summary.csv").set_index("metric")
    assert table.loc["opt-j.f1", "difference"] == pytest.approx(0.1)
    assert table.loc["distance.chamfer", "difference"] == pytest.approx(3.0)  # smaller is better
    assert (table["confidence"] == 1).all()
    assert (table["places"] == 3).all()


def test_compare(town, tmp_path):
    predictions = [
        write_network(perturb(town[0], "interruptions", count, seed=count).prediction, tmp_path / f"{count}.gpkg")
        for count in (1, 14)
    ]
    done = run("compare", town[1], *predictions, "--metrics", "opt-j,opt-g", "--block", 100, "--repetitions", 300, "-o",
               tmp_path / "c")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert names(tmp_path / "c") == FILES | {"comparison.csv", "blocks.csv"}
    table = pd.read_csv(tmp_path / "c" / "comparison.csv").set_index("metric")
    assert table["winner"].tolist() == ["A", "A"]
    scores = [evaluate_roads(*town[:1], perturb(town[0], "interruptions", count, seed=count).prediction,
              metrics="opt-j").scores["opt-j"]["f1"] for count in (1, 14)]  # fmt: skip
    assert table.loc["opt-j", ["A", "B"]].tolist() == pytest.approx(scores)
    assert table.loc["opt-j", "difference"] == pytest.approx(scores[0] - scores[1])
    assert "confidence: share of 300 drawings of the blocks of 100 m in which A is better" in done.stdout
    back = run("compare", town[1], *predictions[::-1], "--metrics", "opt-j", "--block", 100)
    assert "B" in back.stdout.splitlines()[1].split()
    same = run("compare", town[1], predictions[1], predictions[1], "--block", 100, "--metrics", "opt-j")
    assert same.stdout.splitlines()[1].split()[-1] == "none"


def test_wrong_input_is_one_line_and_leaves_nothing(town, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.json").write_text(result(0.5))
    (tmp_path / "two.csv").write_text("name,a,b\nx,1,2\ny,2,4\n")
    before = sorted(tmp_path.rglob("*"))
    for arguments, words in (
        (["sensitivity", town[1], "--counts", "few"], "cannot read the numbers"),
        (["sensitivity", town[1], "--errors", "holes"], "unknown error"),
        (["sensitivity", town[1], "--set", "gap"], "NAME=METRES"),
        (["sensitivity", tmp_path / "absent.gpkg"], "absent.gpkg"),
        (["compare", town[1], town[1], town[1], "--metrics", "opt-j"], "blocks of 500 m"),
        (["compare", town[1], town[1], town[1], "--metrics", "apls"], "apls does not count place by place"),
        (["compare", town[1], town[1], tmp_path / "absent.gpkg"], "absent.gpkg"),
        (["correlation", tmp_path / "two.csv"], "at least 3"),
        (["correlation", tmp_path / "two.csv", "--indicators", "z"], "no score 'z'"),
        (["pairwise", tmp_path / "a", tmp_path / "b"], "no folder"),
        (["pairwise", tmp_path / "a", tmp_path / "a"], "1 file names in common"),
        (["correlation", tmp_path / "two.csv", "-o", tmp_path / "a"], "exists already"),
    ):
        output = [] if "-o" in arguments else ["-o", tmp_path / "out"]
        done = run(*arguments, *output)
        assert done.exit_code == 1, done.output
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
        assert sorted(tmp_path.rglob("*")) == before


def test_figures_show_what_they_are_given():
    runs = pd.DataFrame(
        {
            "error": ["e", "e"],
            "count": [0, 3],
            "made": [0, 3],
            "seed": [0, 0],
            "flat": [1.0, 1.0],
            "falling": [1.0, 0.2],
        }
    )
    axes = sensitivity_figure(Sensitivity(runs, ["flat", "falling"])).axes
    assert [one.lines[0].get_ydata().tolist() for one in axes] == [[1.0, 1.0], [1.0, 0.2]]
    widths = [one.spines["left"].get_linewidth() for one in axes]
    assert widths[0] > widths[1]
    matrix = pd.DataFrame([[1.0, np.nan], [np.nan, 1.0]], index=["$a", "b"], columns=["$a", "b"])
    assert [text.get_text() for text in correlation_figure(matrix).axes[0].texts] == ["1.00", "", "", "1.00"]
    bars = pairwise_figure(pd.DataFrame({"place": ["x", "y"], "m": [0.2, -0.1]}), "A", "B").axes[0].patches
    assert [bar.get_width() for bar in bars] == [0.2, -0.1]
    table = pd.DataFrame({"metric": ["m"], "mean": [0.5], "sd": [0.1]})
    assert stability_figure(table).axes[0].patches[0].get_height() == 0.5


def test_names_cannot_break_the_page(tmp_path):
    table = pd.DataFrame({"<b>": ["<script>alert(1)</script>"]})
    write_study(tmp_path / "s", title="<x>", figure=new_figure(1, 1), tables={"t": table}, shown=("t",))
    page = (tmp_path / "s" / "page.html").read_text()
    assert "<script" not in page
    assert "<x>" not in page
    assert "&lt;b&gt;" in page
