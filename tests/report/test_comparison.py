"""Two runs side by side: in Python, in the report, and on the command line."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from geoeval import evaluate_roads, write_network
from geoeval.cli.main import app
from geoeval.exceptions import ParameterError
from geoeval.report.comparison import compare_runs
from geoeval.report.page import render
from tests.networks import grid, network
from tests.report.hostile import EVIL, hostile
from tests.report.test_notebook import houses  # noqa: F401 - a fixture

TOWN = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(5, 5)]


def evaluated(kept, metrics="ccq,opt-j,distance"):
    return evaluate_roads(network(TOWN), network(TOWN[:kept]), metrics=metrics)


def test_better_worse_and_the_same():
    """Distances are better when they shrink, errors when they are fewer."""
    before, now = evaluated(len(TOWN) - 3), evaluated(len(TOWN) - 1)
    found = compare_runs(now, before)
    scores = {change.name: change for change in found.scores}
    assert set(scores) == {"ccq.quality", "opt-j.f1", "distance.chamfer"}
    old, new = before.scores["ccq"]["quality"], now.scores["ccq"]["quality"]
    assert scores["ccq.quality"].difference == f"{new - old:+.4f}"
    assert {change.verdict for change in found.scores} == {"better"}
    assert scores["distance.chamfer"].difference.startswith("-")
    missing = next(change for change in found.errors if change.name == "Missing")
    counts = [one.error_summary()["missing"]["count"] for one in (before, now)]
    assert (missing.before, missing.now) == tuple(str(count) for count in counts)
    assert missing.verdict == "better"
    assert found.differs == ()
    back = compare_runs(before, now)
    assert {change.verdict for change in back.scores} == {"worse"}
    assert all(change.verdict == "" for change in compare_runs(now, now).scores)


def test_what_the_runs_do_not_share_is_said():
    before, now = evaluated(30), evaluated(34)
    other = replace(before, seed=7, parameters=before.parameters | {"ccq": {"tolerance": 9.0}},
                    reference=before.reference | {"sha256": "other"})  # fmt: skip
    assert compare_runs(now, other).differs == (
        "the reference is another", "the parameters of ccq are others", "the seed is 0, it was 7",
    )  # fmt: skip


def test_an_old_file_with_little_in_it(tmp_path):
    """As an older version wrote it, or another program."""
    found = compare_runs(evaluated(34), {"kind": "roads", "scores": {"ccq": {"quality": None}}})
    assert found.scores[0].before == "undefined"
    assert found.errors[0].before == "0"


def test_another_content_is_refused(houses):  # noqa: F811
    with pytest.raises(ParameterError, match="the earlier result is of objects, this one of roads"):
        compare_runs(evaluated(34), houses)


def test_the_report_shows_it_and_hostile_text_stays_text():
    now = evaluated(34)
    assert 'id="since"' not in render(now, grid=None)
    page = render(now, grid=None, previous=json.loads(evaluated(30).to_json()))
    assert 'id="since"' in page
    assert '<td class="number better">' in page
    assert EVIL not in render(now, grid=None, previous=hostile(evaluated(30)))


def test_on_the_command_line(tmp_path):
    write_network(network(TOWN), tmp_path / "ref.gpkg")
    for name, kept in (("a", 30), ("b", 36)):
        write_network(network(TOWN[:kept]), tmp_path / f"{name}.gpkg")
    run = CliRunner().invoke
    common = ["roads", str(tmp_path / "ref.gpkg")]
    options = ["--metrics", "ccq,opt-j", "--aoi", "all", "--progress", "none"]
    first = run(app, [*common, str(tmp_path / "a.gpkg"), *options, "--json", str(tmp_path / "a.json")])
    assert first.exit_code == 0, first.output
    second = run(app, [*common, str(tmp_path / "b.gpkg"), *options, "--previous", str(tmp_path / "a.json"), "--report",
                       str(tmp_path / "b.html"), "--card", str(tmp_path / "b.png")])  # fmt: skip
    assert second.exit_code == 0, second.output
    assert "since the earlier run:" in second.output
    assert "better" in second.output
    assert 'id="since"' in (tmp_path / "b.html").read_text(encoding="utf-8")
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "no.json").write_text("{}")
    third = run(app, [*common, str(tmp_path / "b.gpkg"), *options, "--previous", str(tmp_path / "no.json")])
    assert third.exit_code == 1
    assert "holds no result" in third.output
