"""The command line as a person or a program uses it: in a process of its own."""

import json
import signal
import subprocess
import sys
import time

import pytest

from geoeval import __version__, evaluate_roads
from tests.networks import grid, network, noisy


def run(*arguments, **kwargs) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "geoeval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **kwargs)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A town as reference and a noisy half of it as prediction, as GeoPackages."""
    place = tmp_path_factory.mktemp("town with spaces")
    for name, lines in (("reference", grid(5, 5)), ("prediction", noisy(grid(5, 5)[::2], 2.0))):
        moved = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in lines]
        network(moved).to_geodataframe().to_file(place / f"{name}.gpkg", layer="roads")
    return place


def test_version():
    assert run("--version").stdout == f"geoeval {__version__}\n"


def test_help_names_every_command():
    text = run("--help").stdout
    for command in ("roads", "curve", "convert", "info", "demo"):
        assert command in text


def test_json_on_standard_output_is_json_alone(folder):
    done = run("roads", folder / "reference.gpkg", folder / "prediction.gpkg", "--metrics", "ccq,opt-j", "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["geoeval"] == __version__
    assert result["kind"] == "roads"
    assert set(result["scores"]) == {"ccq", "opt-j"}
    assert {"precision", "recall", "f1", "tp", "pp", "ap"} <= set(result["scores"]["opt-j"])
    assert result["reference"]["length_m"] == pytest.approx(4000)
    assert result["seconds"]["read"] > 0
    assert result["parameters"]["opt-j"]["max_distance"] == 15


def test_the_command_gives_the_numbers_of_the_library(folder):
    from geoeval import read_network

    done = run("roads", folder / "reference.gpkg", folder / "prediction.gpkg", "--json", "-", "--seed", "3")
    result = evaluate_roads(read_network(folder / "reference.gpkg"), read_network(folder / "prediction.gpkg"), seed=3)
    assert json.loads(done.stdout)["scores"] == json.loads(result.to_json())["scores"]


def test_the_numbers_do_not_depend_on_the_number_of_workers(folder):
    command = [
        "roads",
        folder / "reference.gpkg",
        folder / "prediction.gpkg",
        "--metrics",
        "ccq,tlts,opt-g",
        "--json",
        "-",
    ]
    one, two = (json.loads(run(*command, "--workers", count).stdout) for count in (1, 2))
    assert one["scores"] == two["scores"]
    assert one["errors"] == two["errors"]


def test_settings_reach_the_metric(folder):
    done = run("roads", folder / "reference.gpkg", folder / "prediction.gpkg", "--metrics", "opt-j", "--set",
               "opt-j.max_distance=3.5", "--json", "-")  # fmt: skip
    assert json.loads(done.stdout)["parameters"]["opt-j"]["max_distance"] == 3.5


def test_layers_json_and_hand_off_files_are_written_and_not_written_over(folder, tmp_path):
    import geopandas as gpd

    outputs = ["-o", tmp_path / "errors", "--json", tmp_path / "s.json", "--maproulette", tmp_path / "t.geojson",
               "--josm", tmp_path / "j.osm"]  # fmt: skip
    command = ["roads", folder / "reference.gpkg", folder / "prediction.gpkg", "--metrics", "ccq,opt-j", *outputs]
    done = run(*command)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "s.json").read_text())
    layers = [gpd.read_file(path) for path in sorted((tmp_path / "errors").glob("*.shp"))]
    told = sum(layer["ref_m"].sum() for layer in layers if "ref_m" in layer and "error_id" in layer)
    small = result["slivers"].get("missing", {"length_m": 0.0})["length_m"]
    assert told + small == pytest.approx(
        result["counts"]["ccq"]["ref_length"] - result["counts"]["ccq"]["ref_matched"], abs=1e-3
    )
    assert (tmp_path / "errors" / "missing.qml").exists()
    again = run(*command)
    assert again.returncode == 1
    assert "--overwrite" in again.stderr
    assert run(*command, "--overwrite").returncode == 0


def test_what_is_wrong_in_the_reference_is_printed_apart(tmp_path):
    import geopandas as gpd
    from shapely import LineString

    street, other = LineString([(0, 0), (400, 0)]), LineString([(0, 200), (400, 200)])
    for name, lines in (("a", [street, street, other]), ("b", [street])):
        gpd.GeoDataFrame(geometry=lines, crs="EPSG:32610").to_file(tmp_path / f"{name}.gpkg")
    done = run("roads", tmp_path / "a.gpkg", tmp_path / "b.gpkg", "--metrics", "ccq", "--json", tmp_path / "s.json")
    assert "errors  1 missing\nin the reference  1 duplicate" in done.stdout
    result = json.loads((tmp_path / "s.json").read_text())
    assert set(result["errors"]) == {"missing"}
    assert {kind: one["count"] for kind, one in result["reference_problems"].items()} == {"duplicate": 1}


def test_tasks_in_numbered_files(folder, tmp_path):
    command = [
        "roads",
        folder / "reference.gpkg",
        folder / "prediction.gpkg",
        "--metrics",
        "ccq",
        "--tasks-per-file",
        2,
    ]
    alone = run(*command)
    assert (alone.returncode, alone.stderr.count("\n")) == (1, 1)
    assert "--tasks-per-file is for --maproulette and --josm" in alone.stderr
    command += ["--maproulette", tmp_path / "t.geojson", "--josm", tmp_path / "j.osm"]
    done = run(*command)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "t-001.geojson") in done.stdout.replace("\n", "")
    tasks = [json.loads(path.read_text())["features"] for path in sorted(tmp_path.glob("t-*.geojson"))]
    assert [len(part) for part in tasks[:-1]] == [2] * (len(tasks) - 1)
    assert len(tasks) == len(list(tmp_path.glob("j-*.osm"))) > 1
    again = run(*command)
    assert again.returncode == 1
    assert "t-001.geojson exists already; give --overwrite" in again.stderr
    assert run(*command, "--overwrite").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["roads", "{reference}", "{prediction}", "--josm", "j.txt"], 1, "give a name that ends in .osm"),
        (["roads", "{reference}", "{prediction}", "--maproulette", "t.shp"], 1, "give a name that ends in .geojson"),
        (["roads", "no.gpkg", "no.gpkg"], 1, "no such file"),
        (["info", "no.gpkg"], 1, "no such file"),
        (["roads", "{reference}", "{prediction}", "--metrics", "opt-q"], 1, "did you mean opt-p"),
        (["roads", "{reference}", "{prediction}", "--set", "opt-j.max_dist=3"], 1, "did you mean max_distance"),
        (["roads", "{reference}", "{prediction}", "--set", "nonsense"], 1, "METRIC.PARAMETER=VALUE"),
        (["roads", "{reference}", "{prediction}", "--aoi", "1,2,3"], 1, "minx,miny,maxx,maxy"),
        (["roads", "{reference}", "{prediction}", "--crs", "EPSG:0"], 1, "unknown coordinate reference system"),
        (["convert", "{reference}", "out.xyz"], 1, "out.xyz"),
        (["curve", "{reference}", "{prediction}", "--tolerance", "9:3"], 1, "FIRST:LAST"),
        (["roads", "{reference}"], 2, "PREDICTION"),
        (["roads", "{reference}", "{prediction}", "--nonsense"], 2, "--nonsense"),
        (["nonsense"], 2, "nonsense"),
    ],
)
def test_wrong_input_is_one_line_and_an_exit_code(folder, tmp_path, arguments, code, words):
    filled = [
        text.format(reference=folder / "reference.gpkg", prediction=folder / "prediction.gpkg") for text in arguments
    ]
    done = run(*filled, cwd=tmp_path)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    if code == 1:
        assert done.stderr.startswith("geoeval: error: ")
        assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_debug_shows_the_traceback():
    done = run("info", "no.gpkg", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_progress_as_json_lines(folder):
    done = run("roads", folder / "reference.gpkg", folder / "prediction.gpkg", "--metrics", "ccq", "--progress", "json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0] == {"type": "hello", "protocol": 1, "version": __version__}
    values = [line["value"] for line in lines if line["type"] == "progress"]
    assert values == sorted(values)
    assert values[-1] == 100
    assert lines[-1]["type"] == "result"
    assert set(lines[-1]["scores"]) == {"ccq"}


def test_progress_as_json_reports_an_error_too():
    done = run("roads", "no.gpkg", "no.gpkg", "--progress", "json")
    assert done.returncode == 1
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["type"] == "error"
    assert "no such file" in last["message"]


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing(tmp_path, sent, code):
    town = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(60, 60)]
    network(town).to_geodataframe().to_file(tmp_path / "town.gpkg")
    command = [sys.executable, "-m", "geoeval", "roads", tmp_path / "town.gpkg", tmp_path / "town.gpkg", "-o",
               tmp_path / "errors", "--progress", "json", "--set", "tlts.pairs=200000"]  # fmt: skip
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stdout:
        if '"tlts"' in line:
            break
    time.sleep(0.1)
    process.send_signal(sent)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["town.gpkg"]


def test_info_counts_what_is_there(folder):
    facts = json.loads(run("info", folder / "reference.gpkg", "--json").stdout)
    assert facts["length_m"] == pytest.approx(4000)
    assert facts["components"] == 1
    assert facts["crs"] == "EPSG:32610"
    assert "problems" in facts
    assert "4.000 km" in run("info", folder / "reference.gpkg").stdout


def test_convert_and_back(folder, tmp_path):
    done = run("convert", folder / "reference.gpkg", tmp_path / "town.shp")
    assert done.returncode == 0, done.stderr
    first = json.loads(run("info", folder / "reference.gpkg", "--json").stdout)
    second = json.loads(run("info", tmp_path / "town.shp", "--json").stdout)
    for name in ("nodes", "segments", "roads", "components", "length_m", "crs"):
        assert first[name] == second[name]


def test_an_area_in_degrees(folder):
    facts = json.loads(run("info", folder / "reference.gpkg", "--json").stdout)
    west, south, east, north = facts["bounds_degrees"]
    part = f"{west - 1},{south - 1},{west + 0.4 * (east - west)},{north + 1}"
    done = run("roads", folder / "reference.gpkg", folder / "prediction.gpkg", "--metrics", "ccq", "--aoi", part,
               "--json", "-")  # fmt: skip
    assert json.loads(done.stdout)["reference"]["length_m"] == pytest.approx(1600, rel=0.01)


def test_the_offset_is_found_in_a_small_part_of_a_large_reference(tmp_path):
    moved = [[(x + 500_022, y + 4_999_982) for x, y in line] for line in noisy(grid(6, 6), 15.0, seed=3)]
    there = [[(x - 22, y + 18) for x, y in line] for line in moved]
    # Far roads enough that places spread over all of them would lie tens of metres apart.
    far = [[(600_000 + 9_000 * (k % 2), 5_000_000 + k) for k in range(25_000)]]
    network(there + far).to_geodataframe().to_file(tmp_path / "reference.gpkg")
    network(moved).to_geodataframe().to_file(tmp_path / "prediction.gpkg")
    done = run("roads", tmp_path / "reference.gpkg", tmp_path / "prediction.gpkg", "--metrics", "ccq", "--json", "-")
    offset = json.loads(done.stdout)["offset"]
    assert (offset["dx"], offset["dy"]) == pytest.approx((22, -18), abs=0.1)
    assert offset["removed"] is False


def test_a_curve_falls_into_a_table_and_a_picture(folder, tmp_path):
    pair = (folder / "reference.gpkg", folder / "prediction.gpkg")
    done = run("curve", *pair, "--metric", "ccq", "--tolerance", "1:5:2",
               "-o", tmp_path / "c.csv", "--plot", tmp_path / "c.png")  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = (tmp_path / "c.csv").read_text().splitlines()
    assert rows[0].startswith("tolerance_m,correctness")
    assert len(rows) == 4
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
