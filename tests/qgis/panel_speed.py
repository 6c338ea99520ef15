"""How quick the review panel is with many errors, in the Python of QGIS, without a screen.

    python -m tests.qgis.panel_speed [--errors 100000]

A small run is evaluated, its missing roads are multiplied, and the panel is opened on it. Printed are the seconds until
the panel shows the first error, and the median and the largest of a hundred steps to the next error and of verdicts.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import geopandas as gpd
import numpy as np
import shapely

from tests.networks import grid, network
from tests.qgis.desk import PLUGIN, SYSTEM_PYTHON, clean_environment

INSIDE = Path(__file__).parent / "inside" / "panel_speed.py"


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the review panel.")
    parser.add_argument("--errors", type=int, default=100_000)
    count = parser.parse_args().errors
    with tempfile.TemporaryDirectory() as folder:
        file = run_with(count, Path(folder))
        variables = clean_environment(
            Path(folder) / "home",
            PYTHONPATH=f"/usr/share/qgis/python:/usr/share/qgis/python/plugins:{PLUGIN}",
            GEOEVAL_PYTHON=sys.executable,
            PYTHONDONTWRITEBYTECODE="1",
        )
        done = subprocess.run([SYSTEM_PYTHON, INSIDE, file], env={**os.environ, **variables}, check=False)
    sys.exit(done.returncode)


def run_with(count: int, folder: Path) -> Path:
    """A result file with so many errors."""
    for name, lines in (("reference", grid(6, 6)), ("prediction", grid(6, 6)[3:])):
        moved = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in lines]
        network(moved).to_geodataframe()[["geometry"]].to_file(folder / f"{name}.gpkg")
    file = folder / "run.gpkg"
    command = [sys.executable, "-m", "geoeval", "roads", folder / "reference.gpkg", folder / "prediction.gpkg"]
    options = ["--metrics", "ccq,opt-j", "--result", file, "--progress", "none"]
    subprocess.run(list(map(str, [*command, *options])), check=True, stdout=subprocess.DEVNULL)
    generator = np.random.default_rng(0)
    x, y = 500_000 + generator.uniform(0, 20_000, count), 5_000_000 + generator.uniform(0, 20_000, count)
    crs = gpd.read_file(file, layer="missing").crs
    lines = shapely.linestrings(np.stack([np.stack([x, y], axis=1), np.stack([x + 60, y + 30], axis=1)], axis=1))
    gpd.GeoDataFrame({"kind": "missing"}, index=range(count), geometry=lines, crs=crs).to_file(
        file, layer="missing", mode="a"
    )
    with closing(sqlite3.connect(file)) as database, database:
        (listed,) = database.execute("SELECT count(*) FROM errors").fetchone()
        (before,) = database.execute("SELECT max(fid) FROM missing").fetchone()
        first = before - count + 1
        rows = [
            (listed + n + 1, f"{n:012x}", "missing", first + n, "missing", "Missing", 67.0, n % 100 / 100, 1 / (n + 1),
             "residential", x[n], y[n], x[n], y[n], x[n] + 60, y[n] + 30)
            for n in range(count)
        ]  # fmt: skip
        database.executemany(
            'INSERT INTO errors (number, error_id, layer, "row", kind, label, length_m, severity, gain, "class", x, y, '
            f"xmin, ymin, xmax, ymax) VALUES ({', '.join('?' * 16)})",
            rows,
        )
    return file


if __name__ == "__main__":
    main()
