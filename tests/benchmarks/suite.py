"""Reading, each road metric and writing: CPU time, memory, growth with the network, and against what others need.

    python -m tests.benchmarks suite [--largest 1000] [--json FILE]

On Vancouver and a city extract, where the data lies beside the project, and on synthetic countries of 10, 100, ... km
up to ``--largest`` (10000 takes some minutes more). Each measurement has a process of its own, warmed up on a small
network, so that compilation does not count. CPU time is user and system of the process, the quickest of up to 3
calls; memory is the peak of the process with its imports (about 260 MB) and both networks. TLTS takes 1000 pairs, and
APLS as many in each direction; SUBG and OPT-G start every 30 m (Vancouver: from 1000 places); OPT-P decomposes once.

Baselines, up to 1000 km: pyosmium going through the file's highway ways, which osmium has given the places of their
nodes, without looking at them (``read_pbf`` has leaner and fuller ones); networkx doing as many shortest paths, the
graph being given; shapely intersecting the roads with a buffer. "x" is their CPU time in parts of ours: above 1 we are
quicker. Growth is the slope of log CPU time over log km, from 100 km: 1 is linear.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from tests.benchmarks import places
from tests.benchmarks.measuring import in_own_process, peak_mb, quickest

NAMES = ("ccq", "tlts", "apls", "junct", "subg", "opt-p", "opt-j", "opt-g")
TASKS = ("read", *NAMES, "write network", "write errors")
BASELINES = {"read": "pyosmium", "ccq": "shapely", "tlts": "networkx", "apls": "networkx"}
SIZES = (10, 100, 1000, 10_000, 100_000)
LARGEST_BASELINE = 1000.0  # km


def measure(task, folder, small):
    """Measure a task, or the baseline of one (``baseline ccq``), in this process, warmed up on a small place."""
    place, warm = places.describe(folder), places.describe(small)
    if task.startswith("baseline "):
        return _baseline(task.removeprefix("baseline "), folder, place)
    if task == "read" and Path(warm["source"]).suffix != Path(place["source"]).suffix:
        small, warm = folder, place
    warm.update({name: place[name] for name in ("settings", "preset")})
    with tempfile.TemporaryDirectory() as scratch:
        _action(task, warm, Path(scratch))(_input(task, small, warm))
        seconds, result = quickest(lambda: _input(task, folder, place), _action(task, place, Path(scratch)))
    return {"cpu_s": seconds, "peak_mb": peak_mb(), "scores": result}


def _input(task, folder, place):
    """What a task is given, not counted: networks, a file, or a result."""
    if task == "read":
        return place["source"]
    networks = places.load(folder)
    if task == "write errors":
        from geoeval import evaluate_roads

        return evaluate_roads(*networks, metrics="ccq,opt-j", preset=place["preset"])
    return networks


def _action(task, place, scratch):
    """What is measured, a function of the task's input. Only what the task needs is imported."""
    if task == "read":
        from geoeval import read_network

        settings = {} if place["source"].endswith("pbf") else {"pixel_size": 1.0}
        return lambda path: read_network(path, **settings) and None
    if task == "write network":
        from geoeval.writers.network_files import write_network

        return lambda networks: write_network(networks[0], scratch / "network.gpkg", overwrite=True) and None
    if task == "write errors":
        from geoeval.writers.layers import write_layers

        return lambda result: (
            write_layers(result, scratch / "errors", format="gpkg", overwrite=True, grid=None) and None
        )

    from geoeval import evaluate_roads

    def evaluate(networks):
        settings = {task: place["settings"].get(task, {})}
        result = evaluate_roads(*networks, metrics=task, preset=place["preset"], parameters=settings)
        return result.plain()["scores"][task]

    return evaluate


def _baseline(task, folder, place):
    from tests.benchmarks import baselines

    if task == "read":
        seconds, _ = quickest(lambda: place["source"], baselines.ways_with_locations)
        return {"cpu_s": seconds, "peak_mb": peak_mb()}
    networks = places.load(folder)
    if task == "ccq":
        from geoeval.roads.registry import METRICS, choose_parameters

        tolerance = choose_parameters([METRICS["ccq"]], None, place["preset"])["ccq"]["tolerance"]
        seconds, shares = quickest(lambda: networks, lambda given: baselines.buffer_overlay(given, tolerance), repeat=1)
        return {"cpu_s": seconds, "peak_mb": peak_mb(), "scores": shares}
    directions = 2 if task == "apls" else 1
    return {"cpu_s": baselines.shortest_paths(networks, directions * places.PAIRS), "peak_mb": peak_mb()}


def measure_place(folder, small, *, show=print):
    """Every task of a place with its baseline, shown as they come."""
    place = places.describe(folder)
    show(f"\n{place['name']}: {place['km']:,.0f} km")
    show(f"{'task':14} {'CPU s':>9} {'peak MB':>8}   {'baseline':10} {'CPU s':>9} {'peak MB':>8} {'x':>7}")
    found = {}
    for task in TASKS:
        one = found[task] = in_own_process(__spec__.name, "--one", task, folder, small)
        line = f"{task:14} {one['cpu_s']:9.3f} {one['peak_mb']:8.0f}"
        readable = task != "read" or place["source"].endswith("pbf")
        if task in BASELINES and place["km"] <= 1.2 * LARGEST_BASELINE and readable:
            base = one["baseline"] = in_own_process(__spec__.name, "--one", f"baseline {task}", folder, small)
            base["name"], base["ratio"] = BASELINES[task], base["cpu_s"] / one["cpu_s"]
            line += f"   {base['name']:10} {base['cpu_s']:9.3f} {base['peak_mb']:8.0f} {base['ratio']:7.2f}"
        show(line)
    return {"name": place["name"], "km": place["km"], "tasks": found}


def growth(countries):
    """For each task the slope of log CPU time over log km, from 100 km where there are two such countries."""
    large = [country for country in countries if country["km"] > 50]
    used = large if len(large) > 1 else countries
    if len(used) < 2:
        return {}
    km = np.log([country["km"] for country in used])
    return {
        task: float(np.polyfit(km, np.log([country["tasks"][task]["cpu_s"] for country in used]), 1)[0])
        for task in TASKS
    }


def run(largest=1000.0, *, show=print):
    """Measure it all; what ``--json`` writes."""
    from geoeval.model.result import versions

    found, skipped = [], []
    with tempfile.TemporaryDirectory(prefix="geoeval-") as scratch:
        folder = Path(scratch)
        small = places.save_country(folder / "small", places.SMALL)
        for name, needed, save in (
            ("Vancouver", places.VANCOUVER, places.save_vancouver), ("a city extract", places.CITY, places.save_city),
        ):  # fmt: skip
            if needed.exists():
                found.append(measure_place(save(folder / "real"), small, show=show))
            else:
                skipped.append(name)
                show(f"\n{name}: skipped, its data is not beside the project ({needed.name})")
        countries = [
            measure_place(places.save_country(folder / str(size), size), small, show=show)
            for size in SIZES
            if size <= largest
        ]
    slopes = growth(countries)
    if slopes:
        _show_growth(countries, slopes, show)
    return {"versions": versions(), "places": found, "countries": countries, "growth": slopes, "skipped": skipped}


def _show_growth(countries, slopes, show):
    show("\nCPU seconds per 1,000 km, peak MB of the largest, and growth (1 is linear)")
    show(f"{'task':14}" + "".join(f"{country['km']:>10,.0f} km" for country in countries) + "   peak MB   growth")
    for task, slope in slopes.items():
        per_km = [1000 * country["tasks"][task]["cpu_s"] / country["km"] for country in countries]
        peak = countries[-1]["tasks"][task]["peak_mb"]
        show(f"{task:14}" + "".join(f"{value:13.2f}" for value in per_km) + f" {peak:9.0f} {slope:8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=float, default=1000.0, metavar="KM", help="largest country (1000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(*options.one)))
        return
    found = run(options.largest)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
