"""What a program that runs the engine relies on."""

import json
import os
import subprocess
import sys

import pytest

from geoeval.readers import read_network
from tests.networks import grid, network

COMMAND = [sys.executable, "-I", "-m", "geoeval"]


@pytest.fixture
def town(tmp_path):
    lines = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(60, 60)]
    network(lines).to_geodataframe().to_file(tmp_path / "town.gpkg")
    return tmp_path / "town.gpkg"


def start(town, **variables):
    command = [*COMMAND, "roads", town, town, "-o", town.parent / "errors", "--progress", "json",
               "--metrics", "tlts", "--set", "tlts.pairs=200000"]  # fmt: skip
    return subprocess.Popen(
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, **variables},
    )  # fmt: skip


def test_a_worker_ends_when_the_program_that_started_it_is_gone(town):
    with start(town, GEOEVAL_END_WITH_STDIN="1") as process:
        for line in process.stdout:
            if '"tlts"' in line:
                break
        process.stdin.close()
        assert process.wait(timeout=60) == 143
        assert "Traceback" not in process.stderr.read()
    assert [path.name for path in town.parent.iterdir()] == ["town.gpkg"]


def test_a_closed_standard_input_means_nothing_unless_asked(tmp_path):
    network(grid(3, 3)).to_geodataframe().to_file(tmp_path / "t.gpkg")
    files = [str(tmp_path / "t.gpkg")] * 2
    done = subprocess.run(
        [*COMMAND, "roads", *files, "--metrics", "ccq", "--progress", "json"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["scores"]["ccq"]["quality"] == 1


def test_a_copy_names_the_rows_it_was_made_from(tmp_path):
    frame = network(grid(2, 2)).to_geodataframe()[["geometry"]]
    frame["ge_id"] = [40, 10, 30, 20]
    frame.to_file(tmp_path / "copy.gpkg")
    assert sorted(set(map(int, read_network(tmp_path / "copy.gpkg").source_ids))) == [10, 20, 30, 40]


def test_the_evaluated_ground_is_a_polygon_even_where_nothing_was_cut(tmp_path):
    import geopandas as gpd

    network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(3, 3)]).to_geodataframe().to_file(
        tmp_path / "t.gpkg"
    )
    files = [str(tmp_path / "t.gpkg")] * 2
    out = tmp_path / "out"
    subprocess.run([*COMMAND, "roads", *files, "--metrics", "ccq", "-o", str(out)], check=True, capture_output=True)
    (ground,) = gpd.read_file(out / "area.shp").geometry
    assert ground.bounds == (500_000, 5_000_000, 500_200, 5_000_200)
