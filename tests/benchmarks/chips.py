"""A folder of 400 chips under all eight metrics: CPU seconds a chip on top of start-up.

python -m tests.benchmarks chips [--count 400]

Chips are squares of 300 m, cut at random places from central Helsinki and, where they lie beside the project, from
SpaceNet's labels of Las Vegas, and given known errors. The command runs on all of them and on four of them in processes
of their own; what a chip costs is the difference by the number of chips, so that start-up does not count.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks import places

SIDE = 300.0
FEW = 4
ERRORS = ("missing", "interruptions", "overconnections", "perturbations")


def towns():
    """Networks to cut chips from."""
    from geoeval import read_network
    from geoeval.cli.demo import helsinki

    found = {"helsinki": read_network(helsinki(), network_type="drive")}
    for path in sorted((places.DATA / "roads" / "vegas").glob("*spacenetroads.geojson")):
        found[path.stem.split("_")[0]] = read_network(path)
    return found


def make(folder, count, *, seed=0):
    """Write ``count`` chips to ``truth`` and ``prediction``, the same for the same seed."""
    from geoeval import perturb, write_network

    rng = np.random.default_rng(seed)
    networks = list(towns().items())
    made = 0
    while made < count:
        name, town = networks[made % len(networks)]
        west, south, east, north = town.bounds
        x = rng.uniform(west, max(east - SIDE, west + 1))
        y = rng.uniform(south, max(north - SIDE, south + 1))
        chip = town.clip((x, y, x + SIDE, y + SIDE), aoi_crs=town.crs)
        if chip.length < SIDE:
            continue
        predicted = chip
        for kind in ERRORS:
            predicted = perturb(predicted, kind, int(rng.integers(0, 3)), seed=made).prediction
        for side, network in (("truth", chip), ("prediction", predicted)):
            write_network(network, folder / side / f"{name}_{made:03}.geojson")
        made += 1
    return folder


def seconds_of(truth, prediction, output, *options):
    """CPU seconds of the command and of its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "geoeval", "benchmark", str(truth), str(prediction), "-o", str(output), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[1:])} failed\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400, help="chips (400)")
    parser.add_argument("--only-make", type=Path, metavar="DIR", help="write the chips there, and end")
    options = parser.parse_args()
    if options.only_make:
        make(options.only_make, options.count)
        return
    with tempfile.TemporaryDirectory(prefix="geoeval-") as scratch:
        folder = make(Path(scratch), options.count)
        for side in ("truth", "prediction"):
            (folder / "few" / side).mkdir(parents=True)
            for path in sorted((folder / side).iterdir())[:: options.count // FEW]:
                (folder / "few" / side / path.name).write_bytes(path.read_bytes())
        runs = {"few": folder / "few", "all": folder}
        seconds = {
            name: seconds_of(one / "truth", one / "prediction", folder / f"out_{name}") for name, one in runs.items()
        }
    each = (seconds["all"] - seconds["few"]) / (options.count - FEW)
    print(f"{options.count} chips {seconds['all']:.1f} CPU s, {FEW} chips {seconds['few']:.1f} s: {each:.3f} s a chip")
    print(json.dumps({**seconds, "chip": each}))


if __name__ == "__main__":
    main()
