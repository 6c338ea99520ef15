"""A generated country from file to scores, in tiles: time, CPU and memory of all processes, on one worker and on two.

    python -m tests.benchmarks scale [--sizes 1000,10000] [--workers 1,2] [--tile-size 10000] [--json FILE]

Both files are streamed into stores first (``stream``); then CCQ, OPT-J, OPT-G and JUNCT are evaluated in tiles
(``evaluate``, with the start of the workers, and all errors gathered). Seconds are those of a clock, so nothing else
should run; memory is the largest sum over all processes at one time. ``--sizes 100000`` takes some minutes.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

METRICS = "ccq,opt-j,opt-g,junct"


def run_one(folder, workers, tile_size, starts):
    """Stream and evaluate a country in this process and its workers; what it took, as JSON."""
    import geoeval.scale.tiles.tiled_roads as scale
    from geoeval.scale.store.osm_store import store_osm

    parameters = {} if starts is None else {"opt-g": {"starts": starts}}
    begin = time.perf_counter()
    stores = [
        store_osm(folder / f"{side}.osm.pbf", folder / f"{side}.parquet", overwrite=True)
        for side in ("reference", "prediction")
    ]
    streamed = time.perf_counter()
    result = scale.evaluate_stores(
        *stores, tile_size=tile_size, workers=workers, metrics=METRICS, parameters=parameters
    )
    done = time.perf_counter()
    facts = {"stream_s": streamed - begin, "evaluate_s": done - streamed, "notes": result.notes["tiles"]}
    errors = {kind: entry["count"] for kind, entry in result.error_summary().items()}
    print(json.dumps({**facts, "km": result.reference["length_m"] / 1000, "scores": result.scores, "errors": errors}))


def measured(folder, workers, tile_size, starts):
    """Run one country in processes of their own, and watch their memory and CPU time."""
    command = [
        sys.executable, "-m", "tests.benchmarks.scale", "--one", str(folder), "--workers", str(workers),
        "--tile-size", str(tile_size), *(["--starts", starts] if starts else []),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak, cpu = 0, {}
    finished = threading.Event()

    def watch():
        nonlocal peak
        while not finished.wait(0.2):
            try:
                family = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
                peak = max(peak, sum(one.memory_info().rss for one in family))
                for one in family:
                    cpu[one.pid] = one.cpu_times().user + one.cpu_times().system
            except psutil.Error:
                continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    text, _ = process.communicate()
    finished.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command[2:])} failed")
    return {**json.loads(text.splitlines()[-1]), "peak_mb": peak / 1e6, "cpu_s": sum(cpu.values()), "workers": workers}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks scale", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="1000,10000", metavar="KM,KM", help="lengths of the countries")
    parser.add_argument("--workers", default="1,2", metavar="N,N")
    parser.add_argument("--tile-size", type=float, default=10_000.0, metavar="M")
    parser.add_argument("--starts", metavar="TEXT", help="starts of OPT-G, for example 'every 30 m'; else 1000")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        run_one(options.one, int(options.workers), options.tile_size, options.starts)
        return
    from tests.benchmarks.country import write_country

    rows = []
    print(f"{'km':>9} {'workers':>7} {'stream s':>9} {'evaluate s':>10} {'ms/km':>7} {'CPU s':>8} {'peak MB':>8}")
    for size in (float(text) for text in options.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="geoeval-country-") as folder:
            write_country(Path(folder), size)
            for workers in (int(text) for text in options.workers.split(",")):
                row = measured(Path(folder), workers, options.tile_size, options.starts)
                rows.append(row)
                whole = row["stream_s"] + row["evaluate_s"]
                print(
                    f"{row['km']:9.0f} {workers:7} {row['stream_s']:9.1f} {row['evaluate_s']:10.1f} "
                    f"{1000 * whole / row['km']:7.2f} {row['cpu_s']:8.1f} {row['peak_mb']:8.0f}",
                    flush=True,
                )
    for size in sorted({row["km"] for row in rows}):
        seconds = {row["workers"]: row["evaluate_s"] for row in rows if row["km"] == size}
        if {1, 2} <= set(seconds):
            print(f"{size:9.0f} km: two workers evaluate {seconds[1] / seconds[2]:.2f} times as fast as one")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
