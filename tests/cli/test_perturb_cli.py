"""``geoeval perturb`` as a person uses it."""

import json

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from typer.testing import CliRunner

from geoeval import Drawing, ObjectMap, perturb, read_drawing, read_network, read_objects
from geoeval.cli.main import app
from geoeval.cli.perturb import ErrorChoice
from geoeval.contents import CONTENTS
from geoeval.model.courses import arc, bar
from geoeval.perturbation.perturb import errors_of
from geoeval.writers.drawing_files import write_drawing
from geoeval.writers.network_files import write_network
from geoeval.writers.object_files import write_objects
from tests.networks import grid, network


def run(*arguments):
    return CliRunner().invoke(app, ["perturb", *map(str, arguments)])


@pytest.fixture
def town(tmp_path):
    lines = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(4, 4, 200.0)]
    return write_network(network(lines), tmp_path / "town.gpkg")


@pytest.mark.parametrize("suffix", ["shp", "gpkg", "geojson", "fgb", "parquet"])
def test_network_and_features_are_those_of_the_library(town, tmp_path, suffix):
    network_file, features = tmp_path / "out.gpkg", tmp_path / f"errors.{suffix}"
    done = run(town, "--error", "interruptions", "--count", 5, "--seed", 3, "--set", "gap=12", "-o", network_file,
               "--features", features)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "5 interruptions; evaluate it as the prediction" in done.stdout
    expected = perturb(read_network(town), "interruptions", 5, seed=3, gap=12.0)
    assert read_network(network_file).length == pytest.approx(expected.prediction.length)
    found = gpd.read_parquet(features) if suffix == "parquet" else gpd.read_file(features)
    assert len(found) == 5
    assert found["kind"].tolist() == ["break"] * 5
    there = found.to_crs(expected.prediction.crs).geometry.to_numpy()
    assert all(a.hausdorff_distance(b) < 0.01 for a, b in zip(there, expected.errors["lines"].geometry, strict=True))


def test_the_changed_network_is_written_where_that_is_the_reference(town, tmp_path):
    done = run(town, "--error", "far-false-positives", "--count", 3, "-o", tmp_path / "out.gpkg")
    assert "evaluate it as the reference" in done.stdout
    assert read_network(tmp_path / "out.gpkg").length == pytest.approx(24 * 200 - 800)


def test_fewer_errors_than_wanted_are_said(town, tmp_path):
    done = run(town, "--error", "missing", "--count", 99, "-o", tmp_path / "out.gpkg")
    assert done.exit_code == 0, done.output
    assert "20 missing (99 wanted" in done.stdout


def test_same_bytes_again(town, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        run(town, "--error", "doubled", "--count", 4, "-o", tmp_path / name / "n.gpkg", "--features",
            tmp_path / name / "f.gpkg")  # fmt: skip
    for file in ("n.gpkg", "f.gpkg"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_wrong_input_leaves_nothing_behind(town, tmp_path):
    before = sorted(tmp_path.iterdir())
    for extra, words in (
        (["--set", "gap=x"], "NAME=METRES"),
        (["--set", "aside=3"], "no magnitude 'aside'"),
        (["--features", tmp_path / "f.xyz"], "not written as .xyz"),
        (["--features", town], "is an input of this run"),
    ):
        done = run(town, "--error", "interruptions", "--count", 2, "-o", tmp_path / "out.gpkg", *extra)
        assert done.exit_code == 1, done.output
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
        assert sorted(tmp_path.iterdir()) == before
    assert run(town, "--error", "holes", "--count", 2, "-o", tmp_path / "out.gpkg").exit_code == 2


def test_the_choices_are_those_of_the_library():
    known = {name.replace("_", "-") for kind in CONTENTS for name in errors_of(kind)}
    assert {choice.value for choice in ErrorChoice} == known


def counted(*arguments) -> dict[str, int]:
    """What an evaluation reports."""
    done = CliRunner().invoke(app, [*map(str, arguments), "--json", "-", "--progress", "none"])
    assert done.exit_code == 0, done.output
    return {kind: entry["count"] for kind, entry in json.loads(done.stdout)["errors"].items()}


@pytest.fixture
def houses(tmp_path):
    boxes = [
        shapely.box(x, y, x + 12, y + 8) for x in range(500_000, 500_090, 18) for y in range(5_000_000, 5_000_090, 30)
    ]
    return write_objects(ObjectMap.from_polygons(boxes, crs="EPSG:32616"), tmp_path / "houses.gpkg")


@pytest.mark.parametrize("suffix", ["shp", "gpkg", "geojson", "fgb", "parquet"])
def test_objects_are_read_back_by_their_evaluation(houses, tmp_path, suffix):
    out, features = tmp_path / f"out.{suffix}", tmp_path / f"errors.{suffix}"
    done = run(houses, "--error", "split", "--count", 3, "-o", out, "--features", features)
    assert done.exit_code == 0, done.output
    assert "3 split; evaluate it as the prediction" in done.stdout
    expected = perturb(read_objects(houses), "split", 3)
    assert read_objects(out).to_crs("EPSG:32616").area == pytest.approx(expected.prediction.area)
    assert set(read_objects(out).ids) == {str(name) for name in expected.prediction.ids}
    found = gpd.read_parquet(features) if suffix == "parquet" else gpd.read_file(features)
    assert found["kind"].tolist() == ["split"] * 3
    assert found["ref_id"].tolist() == expected.errors["polygons"]["ref_id"].tolist()
    there = found.to_crs("EPSG:32616").geometry.to_numpy()
    assert shapely.area(there) == pytest.approx(expected.errors["polygons"].geometry.area.to_numpy())
    errors = counted("objects", houses, out, "--metrics", "max-overlap", "--set", "max-overlap.mallows=false")
    assert errors == {"split": 3}


@pytest.fixture
def plan(tmp_path):
    file = tmp_path / "plan.txt"
    rows = [f"{x} {y} {x + 20} {y} 4 2" for x in (0, 20, 60) for y in range(0, 120, 20)]
    file.write_text("# x1 y1 x2 y2 width style\n" + "\n".join(rows) + "\n")
    return file


@pytest.mark.parametrize("suffix", ["txt", "svg", "gpkg", "shp", "fgb", "parquet"])
@pytest.mark.parametrize(("error", "kind"), [("consolidated", "consolidated"), ("wrong-width", "wrong_width")])
def test_lines_are_read_back_by_their_evaluation(plan, tmp_path, suffix, error, kind):
    out, features = tmp_path / f"out.{suffix}", tmp_path / "errors.gpkg"
    done = run(plan, "--error", error, "--count", 2, "-o", out, "--features", features)
    assert done.exit_code == 0, done.output
    expected = perturb(read_drawing(plan), error, 2).prediction
    found = read_drawing(out)
    assert found.pieces == pytest.approx(expected.pieces)
    assert found.widths.tolist() == expected.widths.tolist()
    assert found.styles.tolist() == expected.styles.tolist()
    assert gpd.read_file(features)["kind"].tolist() == [kind] * 2
    errors = counted("lines", plan, out, "--metrics", "vector")
    assert errors == {kind: 2}


def test_arcs_stay_arcs_in_svg_and_are_refused_in_a_table(tmp_path):
    courses = [arc((50, 50), 30, 1, -4.5), arc((200, 50), 30), bar((0, 200), (90, 210))]
    drawing = Drawing(courses, width=[3, 4, 5], style=[1, 3, 4], ids=["a&b", 'c"', "d"])
    found = read_drawing(write_drawing(drawing, tmp_path / "d.svg"))
    assert found.pieces == pytest.approx(drawing.pieces, abs=1e-9)
    assert found.styles.tolist() == [1, 3, 4]
    assert found.ids.tolist() == ["a&b", 'c"', "d"]
    done = run(tmp_path / "d.svg", "--error", "fragmented", "--count", 1, "-o", tmp_path / "out.txt")
    assert done.exit_code == 1
    assert "not straight" in done.stderr


def test_roads_as_drawn_lines_in_their_place(tmp_path):
    lines = [bar((500_000, 5_000_000 + y), (500_200, 5_000_000 + y)) for y in (0, 100, 200)]
    roads = write_drawing(Drawing(lines, width=[6, 8, 10], crs="EPSG:32616"), tmp_path / "roads.geojson")
    done = run(roads, "--kind", "lines", "--error", "missed", "--count", 1, "-o", tmp_path / "out.gpkg", "--crs",
               "EPSG:3857")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert gpd.read_file(tmp_path / "out.gpkg").crs == "EPSG:3857"
    assert counted("lines", roads, tmp_path / "out.gpkg", "--metrics", "vector") == {"missed": 1}


@pytest.mark.parametrize("suffix", ["gpkg", "txt"])
def test_same_bytes_whatever_the_order_of_the_rows(plan, tmp_path, suffix):
    rows = plan.read_text().splitlines()[1:]
    (tmp_path / "other.txt").write_text("\n".join(np.random.default_rng(0).permutation(rows)))
    for file in (plan, tmp_path / "other.txt"):
        (tmp_path / file.stem).mkdir()
        run(file, "--kind", "lines", "--error", "shifted", "--count", 3, "-o", tmp_path / file.stem / f"out.{suffix}")
    one, two = (read_drawing(tmp_path / name / f"out.{suffix}") for name in ("plan", "other"))
    assert one.pieces.tobytes() == two.pieces.tobytes()
    if suffix == "txt":
        assert (tmp_path / "plan" / "out.txt").read_bytes() == (tmp_path / "other" / "out.txt").read_bytes()


def test_the_kind_is_asked_for_where_it_is_open(houses, plan, town, tmp_path):
    before = sorted(tmp_path.iterdir())
    for arguments, words in (
        (
            (houses, "--error", "missed"),
            "'missed' is an error of objects and of lines; to say which, give --kind objects",
        ),
        ((houses, "--kind", "objects", "--error", "fragmented"), "objects have no error 'fragmented'"),
        ((town, "--kind", "roads", "--error", "split"), "roads have no error 'split'"),
        ((houses, "--error", "split", "--aoi", "-86.9,45.2,-86.8,45.3"), "room for 0"),
        ((plan, "--error", "fragmented", "--aoi", "0,0,1,1"), "an area cuts roads and objects"),
        ((plan, "--error", "fragmented", "--crs", "EPSG:4326"), "local metres cannot be written in EPSG:4326"),
        ((houses, "--error", "grown", "--count", 99), "houses.gpkg has room for 15 grown that stand alone, not 99"),
    ):
        count = () if "--count" in arguments else ("--count", 1)
        done = run(*arguments, *count, "-o", tmp_path / "out.gpkg")
        assert done.exit_code == 1, done.output
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
        assert sorted(tmp_path.iterdir()) == before


def test_wrong_output_is_refused_before_the_work(houses, plan, tmp_path):
    for arguments, words in (
        ((houses, "--error", "split", "-o", tmp_path / "out.graph"), "objects are not written as .graph"),
        ((plan, "--error", "fragmented", "-o", tmp_path / "out.graph"), "lines are not written as .graph"),
        ((plan, "--error", "fragmented", "-o", tmp_path / "out.geojson"), "no place on Earth"),
        ((plan, "--error", "fragmented", "-o", plan), "is an input of this run"),
    ):
        done = run(*arguments, "--count", 1)
        assert done.exit_code == 1
        assert words in done.stderr


def test_the_error_layers_of_objects_and_lines_are_checked(houses, plan, tmp_path):
    for kind, file in (("objects", houses), ("lines", plan)):
        table = tmp_path / f"{kind}.csv"
        arguments = ["study", "detection", file, "--kind", kind, "--count", 2, "-o", table, "--progress", "none"]
        done = CliRunner().invoke(app, list(map(str, arguments)))
        assert done.exit_code == 0, done.output
        found = pd.read_csv(table)
        assert found["error"].tolist() == list(errors_of(kind))
        assert (found[["recall", "precision"]] == 1).all(axis=None)
