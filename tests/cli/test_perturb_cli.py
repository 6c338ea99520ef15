"""``geoeval perturb`` as a person uses it."""

import geopandas as gpd
import pytest
from typer.testing import CliRunner

from geoeval import perturb, read_network
from geoeval.cli.main import app
from geoeval.writers.network import write_network
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
        (["--features", town], "exists already"),
    ):
        done = run(town, "--error", "interruptions", "--count", 2, "-o", tmp_path / "out.gpkg", *extra)
        assert done.exit_code == 1, done.output
        assert words in done.stderr
        assert done.stderr.count("\n") == 1
        assert sorted(tmp_path.iterdir()) == before
    assert run(town, "--error", "holes", "--count", 2, "-o", tmp_path / "out.gpkg").exit_code == 2
