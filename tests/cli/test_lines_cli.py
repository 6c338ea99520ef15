import json

import geopandas as gpd
import numpy as np
import pytest
import shapely
from typer.testing import CliRunner

from geoeval.cli.main import app


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "true.txt").write_text("10 20 90 20 8\n10 60 90 60 8\n")
    (tmp_path / "found.txt").write_text("10 20 49 20 8\n51 20 90 20 8\n10 120 90 120 8\n")

    def call(*arguments):
        return CliRunner().invoke(app, ["lines", *map(str, arguments)])

    return call


def test_scores_layers_report_and_json(run, tmp_path):
    result = run(
        "true.txt", "found.txt", "-o", "errors", "--json", "scores.json", "--report", "page.html", "--seconds", 2
    )
    assert result.exit_code == 0, result.output
    content = json.loads((tmp_path / "scores.json").read_text())
    assert content["kind"] == "lines"
    # The first true bar has Qb 78/80 and Qfr 1/sqrt 2, the second nothing; 80 of 158 detected units are false.
    assert content["scores"]["vector"]["dv"] == pytest.approx(78 / 80 * np.sqrt(0.5) / 2)
    assert content["scores"]["vector"]["fv"] == pytest.approx(80 / 158)
    assert content["scores"]["time"]["per_line"] == 1
    assert content["reference"]["lines"] == 2
    assert {kind: entry["count"] for kind, entry in content["errors"].items()} == {
        "false_alarm": 1,
        "fragmented": 1,
        "missed": 1,
    }
    assert content["matches"]["matched"]["count"] == 2
    assert gpd.read_file(tmp_path / "errors" / "missed.shp")["ref_id"].tolist() == ["2"]
    assert len(gpd.read_file(tmp_path / "errors" / "grid.shp")) == 1
    assert "combined" in (tmp_path / "page.html").read_text()
    assert "cdi" in result.output


def test_weights_older_protocols_and_pixels(run):
    result = run(
        "true.txt", "found.txt", "--metrics", "pixel,kong,hori-doermann", "--set", "pixel.alpha=0", "--json", "-"
    )
    scores = json.loads(result.stdout)["scores"]
    assert scores["pixel"]["pri"] == pytest.approx(1 - scores["pixel"]["fp"])
    assert scores["kong"] == {"detection": 0, "false_alarm": 1}
    assert scores["hori-doermann"]["count_ratio"] == 1.5


def test_image_of_the_original(run, tmp_path):
    rasterio = pytest.importorskip("rasterio")
    ink = np.full((140, 100), 255, dtype=np.uint8)
    ink[17:24, 10:91] = 0
    options = {"driver": "PNG", "width": 100, "height": 140, "count": 1, "dtype": "uint8"}
    warned = pytest.warns(rasterio.errors.NotGeoreferencedWarning)
    with warned, rasterio.open(tmp_path / "scan.png", "w", **options) as dataset:
        dataset.write(ink, 1)
    (tmp_path / "one.txt").write_text("10 20 90 20 7\n")
    result = run("one.txt", "one.txt", "--image", "scan.png", "--json", "-")
    scores = json.loads(result.stdout)["scores"]
    assert scores["pixel"]["dp"] == 1
    assert 0 < scores["pixel"]["fp"] < 0.1


def test_roads_with_a_width_column_in_metres(run, tmp_path):
    line = shapely.LineString([(15.0, 45.0), (15.001, 45.0), (15.002, 45.0005)])
    gpd.GeoDataFrame({"w": [12.0]}, geometry=[line], crs=4326).to_file(tmp_path / "true.geojson")
    moved = gpd.GeoDataFrame({"w": [12.0]}, geometry=[line], crs=4326).to_crs(32633)
    moved.geometry = moved.geometry.translate(yoff=3.0)
    moved.to_file(tmp_path / "found.gpkg")
    result = run("true.geojson", "found.gpkg", "--width-column", "w", "--json", "-")
    content = json.loads(result.stdout)
    assert content["crs"] == "EPSG:32633"
    # Both ends lie 3 m off and nothing farther: e^-(6/12) for the ends, the same for the overlap distance.
    assert content["scores"]["vector"]["dv"] == pytest.approx(np.exp(-1 / 5), abs=1e-3)
    assert content["errors"]["displaced"]["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("true.txt", "absent.dxf"), 1, "no such file"),
        (("true.txt", "found.txt", "--set", "pixel.alpha=2"), 1, "weight"),
        (("true.txt", "found.txt", "--set", "vector.gamma=2"), 1, "parameter"),
        (("true.txt", "found.txt", "--metrics", "pixle"), 1, "pixel"),
        (("true.txt", "found.txt", "--width", "-1"), 1, "width"),
        (("true.txt", "found.txt", "--seconds", "-1"), 2, "seconds"),
    ],
)
def test_wrong_input_is_one_line(run, arguments, code, word):
    result = run(*arguments)
    assert result.exit_code == code
    assert word in result.stderr
    assert "Traceback" not in result.stderr
