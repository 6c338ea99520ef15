"""A run is repeated from its record: the same inputs wherever they are now, and what differs is said."""

import json
import shutil

import geopandas as gpd
import numpy as np
import pytest
import shapely
from typer.testing import CliRunner

from geoeval import evaluate, verify
from geoeval.cli.main import app
from geoeval.exceptions import ParameterError
from tests.faults.commands import Maps
from tests.networks import TEE, network


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    made = Maps.make(tmp_path_factory.mktemp("verify") / "maps", size=5)
    box = shapely.box(8.5995, 49.3995, 8.6065, 49.4045)
    gpd.GeoSeries([box], crs="EPSG:4326").to_file(made.folder / "area.geojson")
    return made


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments), "--progress", "none"])


def written(tmp_path, *arguments):
    out = tmp_path / "result.json"
    done = run(*arguments, "--json", out, "--overwrite")
    assert done.exit_code == 0, done.output
    return out


KINDS = {
    "roads": ("roads", "town", "--metrics", "ccq,opt-j,subg", "--seed", "7", "--set", "ccq.tolerance=9"),
    "roads, an area": ("roads", "town", "--metrics", "ccq", "--aoi", "AREA"),
    "roads, aligned": ("roads", "town", "--metrics", "ccq,junct", "--align"),
    "roads in tiles": ("roads", "town", "--metrics", "ccq,subg", "--tile-size", "300", "--align"),
    "objects": ("objects", "houses", "--aoi", "8.6,49.4,8.6012,49.401"),
    "objects by class": ("objects", "houses", "--metrics", "iou", "--class", "use"),
    "objects in tiles": ("objects", "houses", "--tile-size", "100", "--metrics", "iou"),
    "lines": ("lines", "lines", "--seconds", "2", "--width", "3"),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_run_is_repeated(maps, tmp_path, name):
    kind, pair, *options = KINDS[name]
    options = [maps.folder / "area.geojson" if word == "AREA" else word for word in options]
    out = written(tmp_path, kind, *maps.pair(pair), *options)
    done = run("verify", out)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("the same: ")
    # Whatever comes out differently is said, value by value.
    result = json.loads(out.read_text())
    metric = next(iter(result["scores"]))
    score = next(iter(result["scores"][metric]))
    result["scores"][metric][score] = 0.123
    for own in result["classes"].values():
        own[metric][score] = 0.123
    out.write_text(json.dumps(result))
    done = run("verify", out)
    assert done.exit_code == 1
    assert f"different: scores.{metric}.{score}: 0.123 then, " in done.output
    for one in result["classes"]:
        assert f"different: classes.{one}.{metric}.{score}: 0.123 then, " in done.output
    assert bool(result["classes"]) == (name == "objects by class")


def test_a_protocol_is_repeated(tmp_path):
    from PIL import Image

    for number, name in enumerate(("a.png", "b.png")):
        pixels = np.zeros((60, 60), dtype=np.uint8)
        pixels[28:32, 5 : 55 - 10 * number] = 255
        Image.fromarray(pixels).save(tmp_path / name)
    out = written(tmp_path, "roads", tmp_path / "a.png", tmp_path / "b.png", "--protocol", "cldice")
    assert verify(out).same
    assert json.loads(out.read_text())["run"]["call"]["protocol"] == "cldice"


def test_inputs_are_known_by_their_content(maps, tmp_path):
    here = Maps.make(tmp_path / "here", size=4)
    out = written(tmp_path, "roads", *here.pair("town"), "--metrics", "ccq")
    said = json.loads(out.read_text())
    for side in ("reference", "prediction"):
        assert said[side]["file_sha256"] == said["run"]["files"][side]["sha256"]
    moved = tmp_path / "attic" / "deep" / "renamed.osm"
    moved.parent.mkdir(parents=True)
    shutil.move(here.one("town", 1), moved)
    done = run("verify", out)
    assert done.exit_code == 1
    assert "input missing: prediction: " in done.output
    assert "cannot be repeated" in done.output
    assert verify(out, search=[tmp_path / "attic"]).same
    assert verify(out, inputs=[moved]).same
    # Another map under the old name: what changed is said, and what it changed.
    shutil.copy(maps.one("town", 2), here.one("town", 1))
    done = run("verify", out)
    assert done.exit_code == 1
    assert "input changed: prediction: " in done.output
    assert "different: scores.ccq." in done.output
    assert verify(out, search=[tmp_path / "attic"]).same


def test_the_digest_of_a_streamed_file_is_that_of_the_file(maps, tmp_path):
    tiled = json.loads(
        written(tmp_path, "roads", *maps.pair("town"), "--metrics", "ccq", "--tile-size", 400).read_text()
    )
    assert tiled["prediction"]["sha256"] == tiled["run"]["files"]["prediction"]["sha256"]


def test_all_parts_of_a_shapefile_count(maps, tmp_path):
    for number in (0, 1):
        assert run_plain("convert", maps.one("town", number), tmp_path / f"{number}.shp").exit_code == 0
    out = written(tmp_path, "roads", tmp_path / "0.shp", tmp_path / "1.shp", "--metrics", "ccq")
    assert verify(out).same
    table = (tmp_path / "1.dbf").read_bytes()
    (tmp_path / "1.dbf").write_bytes(table[:-2] + b"  ")
    assert verify(out).changed or table[-2:] == b"  "


def run_plain(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_what_cannot_be_repeated_is_one_line(tmp_path):
    made = evaluate(network(TEE), network(TEE), metrics="ccq")
    made.write_json(tmp_path / "memory.json")
    with pytest.raises(ParameterError, match="the reference and prediction of this run came from memory"):
        verify(tmp_path / "memory.json")
    (tmp_path / "old.json").write_text('{"kind": "roads", "scores": {}}')
    done = run("verify", tmp_path / "old.json")
    assert done.exit_code == 1
    assert "holds no record of its run" in done.output
    (tmp_path / "no.json").write_text("[")
    assert run("verify", tmp_path / "no.json").exit_code == 1
    done = run("verify", tmp_path / "memory.json", "--search", tmp_path / "none")
    assert done.exit_code == 1


def test_an_area_from_memory_is_kept(maps, tmp_path):
    area = gpd.read_file(maps.folder / "area.geojson")
    for aoi in (area, area.geometry.iloc[0], (8.5995, 49.3995, 8.6065, 49.4045)):
        made = evaluate(*maps.pair("town"), metrics="ccq", aoi=aoi)
        made.write_json(tmp_path / "area.json", overwrite=True)
        assert verify(tmp_path / "area.json").same
