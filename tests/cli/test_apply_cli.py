"""``geoeval apply`` as a person uses it: the mended network is in the file, and scores what was said."""

import re

import pytest

from geoeval import evaluate
from tests.cli.test_cli import run
from tests.networks import grid, network


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A town, and a prediction of it without two of its streets, with a road too many; and the plan of its errors."""
    folder = tmp_path_factory.mktemp("town")
    streets = grid(5, 5)
    for name, lines in (("reference", streets), ("prediction", [*streets[2:], [(30.0, 30.0), (60.0, 65.0)]])):
        moved = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in lines]
        network(moved).to_geodataframe().to_file(folder / f"{name}.gpkg", layer="roads")
    done = run("roads", "reference.gpkg", "prediction.gpkg", "-o", "errors", "--metrics", "ccq,opt-j", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def apply(town, output, *options):
    done = run("apply", "reference.gpkg", "prediction.gpkg", "-o", output, "--metrics", "ccq,opt-j", *options, cwd=town)
    assert "Traceback" not in done.stderr
    return done


def test_all_edits_give_a_perfect_map_and_the_gain_that_was_stated(town):
    done = apply(town, "perfect.gpkg")
    assert done.returncode == 0, done.stderr
    stated, found = re.search(r"(\d\.\d+) stated, (\d\.\d+) found", done.stdout).groups()
    assert stated == found > "0.0000"
    result = evaluate(town / "reference.gpkg", town / "perfect.gpkg", metrics="ccq,apls,opt-j,opt-p")
    assert {name: scores[head] for (name, scores), head in zip(
        result.scores.items(), ("quality", "apls", "f1", "f1"), strict=True
    )} == dict.fromkeys(result.scores, pytest.approx(1.0))  # fmt: skip


def test_edits_that_a_person_struck_from_the_plan_are_not_made(town):
    lines = (town / "errors" / "plan.csv").read_text().splitlines(keepends=True)
    (town / "mine.csv").write_text("".join(line for line in lines if "spurious" not in line))
    done = apply(town, "part.gpkg", "--plan", "mine.csv")
    assert done.returncode == 0, done.stderr
    result = evaluate(town / "reference.gpkg", town / "part.gpkg", metrics="ccq")
    assert result.scores["ccq"]["completeness"] == 1.0
    assert len(result.errors_of("spurious")) == 1


def test_a_plan_of_other_maps_is_refused_in_one_line_and_nothing_is_written(town):
    lines = (town / "errors" / "plan.csv").read_text().splitlines(keepends=True)
    (town / "other.csv").write_text(lines[0] + "".join(re.sub("missing|spurious", "break", row) for row in lines[1:]))
    done = apply(town, "never.gpkg", "--plan", "other.csv")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "is not in the plan of this evaluation" in done.stderr
    assert not (town / "never.gpkg").exists()
