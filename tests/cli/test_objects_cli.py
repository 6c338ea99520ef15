"""``geoeval objects`` as a person or a program uses it: in a process of its own."""

import json

import pytest
import shapely

from geoeval import evaluate_objects, read_objects
from geoeval.model.object_map import ObjectMap
from tests.cli.test_cli import run


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """Houses, and a prediction in which one is missing, one split and one invented."""
    place = tmp_path_factory.mktemp("houses")
    houses = [shapely.box(500_000 + 30 * k, 4_000_000, 500_012 + 30 * k, 4_000_010) for k in range(8)]
    found = [shapely.affinity.translate(house, 1.0, 0.5) for house in houses[2:]]
    halves = [shapely.box(500_030, 4_000_000, 500_035, 4_000_010), shapely.box(500_036, 4_000_000, 500_042, 4_000_010)]
    invented = shapely.box(500_100, 4_000_050, 500_110, 4_000_060)
    for name, polygons in (("reference", houses), ("prediction", [*found, *halves, invented])):
        ObjectMap.from_polygons(polygons, crs="EPSG:32616").to_geodataframe().to_file(place / f"{name}.gpkg")
    return place


def test_the_command_gives_the_numbers_of_the_library(town):
    pair = town / "reference.gpkg", town / "prediction.gpkg"
    done = run("objects", *pair, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["kind"] == "objects"
    library = evaluate_objects(read_objects(pair[0]), read_objects(pair[1]))
    assert result["scores"] == json.loads(library.to_json())["scores"]
    assert result["reference"]["objects"] == 8
    assert result["errors"]["missed"]["count"] == 1
    assert result["errors"]["split"]["count"] == 1
    assert result["errors"]["false_alarm"]["count"] == 1
    assert {"read", "overlaps", "max-overlap"} <= set(result["seconds"])


def test_layers_grid_and_report(town, tmp_path):
    import geopandas as gpd

    done = run("objects", town / "reference.gpkg", town / "prediction.gpkg", "-o", tmp_path / "map", "--format", "gpkg",
               "--report", tmp_path / "page.html", "--grid", "100", "--set", "iou.threshold=0.25")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "max-overlap" in done.stdout
    layers = set(gpd.list_layers(tmp_path / "map" / "errors.gpkg")["name"])
    assert {"missed", "falsealarm", "splits", "merges", "matched", "links", "area", "grid"} <= layers
    matched = gpd.read_file(tmp_path / "map" / "errors.gpkg", layer="matched")
    assert {"iou", "mallows", "overlap_m2", "dist_m", "polis_m", "hausd_m", "area_m2"} <= set(matched.columns)
    assert matched["iou"].between(0, 1).all()
    page = (tmp_path / "page.html").read_text()
    assert "max-overlap" in page
    assert "8 objects" in page


def test_tiles_give_the_same_and_go_on_where_they_were(town, tmp_path):
    pair = town / "reference.gpkg", town / "prediction.gpkg"
    untiled = json.loads(run("objects", *pair, "--json", "-").stdout)
    options = ["--tile-size", "70", "--resume", tmp_path / "run", "--json", "-"]
    first = run("objects", *pair, "--workers", "2", *options)
    assert first.returncode == 0, first.stderr
    kept = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "run" / "tiles").iterdir()}
    again = run("objects", *pair, "-o", tmp_path / "map", "--report", tmp_path / "page.html", *options)
    assert again.returncode == 0, again.stderr
    assert kept == {file.name: file.stat().st_mtime_ns for file in (tmp_path / "run" / "tiles").iterdir()}
    for done in (first, again):
        tiled = json.loads(done.stdout)
        assert "5 tiles of 70 m" in tiled["notes"]["tiles"]
        for part in ("scores", "counts", "errors", "reference", "prediction", "parameters", "crs"):
            assert tiled[part] == untiled[part]
    other = run("objects", *pair, *options, "--set", "iou.threshold=0.25")
    assert other.returncode == 1
    assert "another parameters" in other.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--metrics", "hover"], "did you mean hoover"),
        (["--set", "iou.treshold=0.3"], "did you mean threshold"),
        (["--set", "hoover.threshold=0.4"], "above 0.5"),
        (["--prediction-layer", "cars"], "no layer 'cars'"),
    ],
)
def test_wrong_input_is_one_line(town, tmp_path, arguments, words):
    done = run("objects", town / "reference.gpkg", town / "prediction.gpkg", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.startswith("geoeval: error: ")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
