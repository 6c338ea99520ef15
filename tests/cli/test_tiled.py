"""``geoeval roads`` in tiles: the same result as at once, and everything that can be wrong in one line."""

import json
import re

import pytest
from typer.testing import CliRunner

from geoeval.cli.main import app
from geoeval.roads.alignment import moved
from geoeval.writers.network_files import write_network
from tests.scale.tiles.test_tiled_roads import town

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("roads")
    paths = []
    for name, network in zip(("reference", "prediction"), town(count=6, size=5), strict=True):
        paths.append(str(folder / f"{name}.gpkg"))
        write_network(moved(network, 500_000, 5_000_000), paths[-1])
    return paths


def run(*arguments):
    return CliRunner().invoke(app, ["roads", *map(str, arguments), "--progress", "none"])


def scored(*arguments):
    done = run(*arguments, "--json", "-")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_same_scores_and_the_same_shape(files, tmp_path):
    whole = scored(*files)
    tiled = scored(*files, "--tile-size", 200, "-o", tmp_path / "errors", "--report", tmp_path / "report.html")
    assert tiled["scores"] == whole["scores"]
    for metric in ("ccq", "junct", "subg", "opt-j", "opt-g"):
        assert tiled["counts"][metric] == whole["counts"][metric]
    assert set(tiled) == set(whole)
    assert set(tiled["seconds"]) == set(whole["seconds"])
    assert tiled["crs"] == whole["crs"]
    assert re.fullmatch(r"evaluated in \d+ tiles of 200 m", tiled["notes"]["tiles"])
    for side in ("reference", "prediction"):
        for name in ("source", "nodes", "segments"):
            assert tiled[side][name] == whole[side][name]
    assert set(tiled["errors"]) == set(whole["errors"])
    assert "break" in tiled["errors"]
    for kind in tiled["errors"]:
        assert tiled["errors"][kind]["length_m"] == pytest.approx(whole["errors"][kind]["length_m"])
    assert (tmp_path / "errors" / "grid.shp").exists()
    assert "reference" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_options_of_an_evaluation_work_in_tiles(files, tmp_path):
    from geoeval import read_network

    shifted = tmp_path / "shifted.gpkg"
    write_network(moved(read_network(files[1]), 6.0, -4.0), shifted)
    for options in (
        ["--aoi", "500050,5000040,500390,5000300"], ["--align"], ["--seed", "3"], ["--aoi", "all"],
        ["--crs", "EPSG:32611"],
    ):  # fmt: skip
        metrics = ["--metrics", "ccq,opt-j,junct,opt-g", "--set", "opt-g.radius=60"]
        aligns = options == ["--align"]
        inputs = [files[0], shifted if aligns else files[1]]
        whole, tiled = scored(*inputs, *metrics, *options), scored(*inputs, *metrics, *options, "--tile-size", 180)
        assert tiled["scores"] == whole["scores"], options
        assert tiled["offset"] == whole["offset"]
        assert tiled["offset"]["removed"] is tiled["offset"]["significant"] is aligns


def test_a_part_of_the_reference_is_evaluated_where_the_prediction_covers_less(files, tmp_path):
    from geoeval import read_network

    small = tmp_path / "small.gpkg"
    write_network(read_network(files[1]).clip((499_990, 4_999_990, 500_330, 5_000_330)), small)
    whole, tiled = scored(files[0], small), scored(files[0], small, "--tile-size", 150)
    assert tiled["scores"]["ccq"] == whole["scores"]["ccq"]
    assert "the prediction's coverage" in tiled["notes"]["area"]


def test_resume_keeps_and_goes_on(files, tmp_path):
    folder = tmp_path / "run"
    options = [*files, "--tile-size", 200, "--metrics", "ccq,opt-j", "--resume", folder]
    first = scored(*options)
    kept = {path: path.stat().st_mtime_ns for path in (folder / "tiles").iterdir()}
    assert {path.name.split("_")[0] for path in kept} > {"causes"}
    assert scored(*options)["scores"] == first["scores"]
    assert {path: path.stat().st_mtime_ns for path in (folder / "tiles").iterdir()} == kept
    done = run(*files, "--tile-size", 300, "--metrics", "ccq,opt-j", "--resume", folder)
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "holds a run with another tile size; give the same inputs" in done.stderr


def test_what_is_wrong_is_one_line(files, tmp_path):
    (tmp_path / "file").write_text("")
    for options, words in (
        (["--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers at tcp://127.0.0.1:9"),
        (["--resume", tmp_path / "file"], "cannot be used to keep a run"),
        (["--tile-size", 100, "--metrics", "opt-q"], "unknown metric"),
        (["--tile-size", 100, "--reference-layer", "nonsense"], "nonsense"),
    ):
        done = run(*files, *options)
        assert done.exit_code == 1, options
        assert done.stderr.startswith("geoeval: error: ")
        assert done.stderr.count("\n") == 1
        assert words in done.stderr
    assert run(*files, "--tile-size", 0).exit_code == 2
    assert run(tmp_path / "none.osm.pbf", files[1], "--tile-size", 100).exit_code == 1
