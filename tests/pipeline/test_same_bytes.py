"""The same inputs give the same bytes: scores, layers, report and card, whatever the machine does at the same time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.commands import Maps
from tests.faults.contents import digest

ROOT = Path(__file__).parents[2]
# One process each: everything that may change between two runs and must not matter.
ALONE = {
    "PYTHONHASHSEED": "0",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TZ": "UTC",
}
CROWD = {
    "PYTHONHASHSEED": "4711", "NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2",
    "TZ": "Pacific/Kiritimati", "SOURCE_DATE_EPOCH": "1",
}  # fmt: skip
THIRD = {"PYTHONHASHSEED": "99", "OMP_NUM_THREADS": "2"}
FORMATS = ("shp", "gpkg", "geojson", "parquet")
SCRIPT = """
import sys
from geoeval.cli.main import app

out, maps, workers = sys.argv[1:]
pair = [f"{maps}/town{n}.osm" for n in (0, 1)]
houses, lines = ([f"{maps}/{name}{n}.{end}" for n in (0, 1)] for name, end in (("houses", "geojson"), ("lines", "txt")))
jobs = [["roads", *pair, "-o", f"{out}/shp", "--json", f"{out}/roads.json", "--report", f"{out}/roads.html", "--card",
         f"{out}/card.svg", "--josm", f"{out}/josm.osm", "--maproulette", f"{out}/tasks.geojson", "--workers", workers]]
jobs += [["roads", *pair, "--metrics", "ccq,opt-j", "-o", f"{out}/{one}", "--format", one]
         for one in ("gpkg", "geojson", "parquet")]
jobs += [["roads", *pair, "--metrics", "ccq,opt-j,subg", "--tile-size", "300", "--json", f"{out}/tiles.json", "-o",
          f"{out}/tiles", "--workers", workers]]
jobs += [["objects", *houses, "-o", f"{out}/objects", "--json", f"{out}/objects.json", "--report",
          f"{out}/objects.html"]]
jobs += [["lines", *lines, "-o", f"{out}/lines", "--json", f"{out}/lines.json"]]
for job in jobs:
    try:
        app([*job, "--progress", "none"], prog_name="geoeval")
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """The outputs of three processes."""
    folder = tmp_path_factory.mktemp("bytes")
    maps = Maps.make(folder / "maps", size=5)
    made, processes = [], []
    for number, (environment, workers) in enumerate(((ALONE, 1), (CROWD, 2), (THIRD, 1))):
        made.append(folder / str(number))
        made[-1].mkdir()
        own = {"XDG_CACHE_HOME": str(folder / f"cache{number}"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(made[-1]), str(maps.folder), str(workers)]
        processes.append(subprocess.Popen(command, env={**os.environ, **environment, **own}, stdout=subprocess.DEVNULL,
                                          stderr=subprocess.PIPE, text=True))  # fmt: skip
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    return made


def test_hash_seeds_threads_workers_time_zones_and_three_runs_change_no_byte(outputs):
    names = sorted(path.relative_to(outputs[0]).as_posix() for path in outputs[0].rglob("*") if path.is_file())
    assert {Path(name).suffix for name in names} >= {".shp", ".gpkg", ".geojson", ".parquet", ".html", ".svg", ".json"}
    for other in outputs[1:]:
        assert sorted(path.relative_to(other).as_posix() for path in other.rglob("*") if path.is_file()) == names
        assert [name for name in names if digest(outputs[0] / name) != digest(other / name)] == []
