"""What reading a PBF costs, against going through its highway ways with pyosmium alone.

    python -m tests.benchmarks.read_pbf FILE.osm.pbf... [--repeat 5] [--json]

Each measurement has a process of its own, so that one does not pay for another's memory. CPU time is that of
the process, osmium's threads included, imports not; the smallest of the repeated calls counts. Memory is what the
first call adds to the process at its peak.

The baselines, from lean to full:
ways                 every way with a highway tag comes to Python, and nothing is asked of it
ways-with-locations  the same, and osmium has put the place of each node into the ways
ways-with-nodes      the same, and Python looks at the id and place of each node, as a plain reader would
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

LIMIT = 2.0  # read_osm may cost this many times the leanest baseline


def ways(path):
    import osmium

    highway = osmium.filter.KeyFilter("highway")
    return sum(1 for _ in osmium.FileProcessor(path, osmium.osm.WAY).with_filter(highway))


def ways_with_locations(path):
    return sum(1 for _ in _located_ways(path))


def ways_with_nodes(path):
    import osmium

    known = 0
    for way in _located_ways(path):
        for node in way.nodes:
            try:
                known += node.ref != 0 and node.lon + node.lat < 1000
            except osmium.InvalidLocationError:
                continue
    return known


def read_drive(path):
    from geoeval.readers.osm import read_osm

    return len(read_osm(path).segments)


def read_all(path):
    from geoeval.readers.osm import read_osm

    return len(read_osm(path, network_type="all").segments)


MEASURES = {
    "ways": ways,
    "ways-with-locations": ways_with_locations,
    "ways-with-nodes": ways_with_nodes,
    "read_osm drive": read_drive,
    "read_osm all": read_all,
}
BASELINES = tuple(MEASURES)[:3]


def _located_ways(path):
    import osmium

    return (
        osmium.FileProcessor(path, osmium.osm.NODE | osmium.osm.WAY)
        .with_locations()
        .with_filter(osmium.filter.EntityFilter(osmium.osm.WAY))
        .with_filter(osmium.filter.KeyFilter("highway"))
    )


def measure(name, path, repeat):
    """CPU seconds of the quickest call and megabytes that the first one added."""
    import geoeval.readers.osm  # noqa: F401  imports are not part of what is measured

    before = _peak_mb()
    seconds, peaks = [], []
    for _ in range(repeat):
        start = time.process_time()
        count = MEASURES[name](path)
        seconds.append(time.process_time() - start)
        peaks.append(_peak_mb())
    return {"cpu_s": round(min(seconds), 4), "memory_mb": round(peaks[0] - before, 1), "count": count}


def compare(path, repeat):
    """All measurements of a file, each in a fresh process."""
    found = {}
    for name in MEASURES:
        command = [sys.executable, "-m", __spec__.name, path, "--measure", name, "--repeat", str(repeat)]
        found[name] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for name in ("read_osm drive", "read_osm all"):
        found[name]["ratio"] = {base: round(found[name]["cpu_s"] / found[base]["cpu_s"], 2) for base in BASELINES}
    return {"file": path, "bytes": Path(path).stat().st_size, "measures": found}


def _peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _table(result):
    print(f"{result['file']}  {result['bytes'] / 1e6:.1f} MB")
    print(f"{'':20s} {'CPU s':>8s} {'memory MB':>10s} {'count':>9s}   CPU against {', '.join(BASELINES)}")
    for name, row in result["measures"].items():
        ratios = "   " + "  ".join(f"{value:.2f}" for value in row.get("ratio", {}).values())
        print(f"{name:20s} {row['cpu_s']:8.3f} {row['memory_mb']:10.1f} {row['count']:9d}{ratios}")
    ratio = result["measures"]["read_osm drive"]["ratio"]["ways"]
    print(f"read_osm costs {ratio:.2f} times the leanest baseline; at most {LIMIT:g} is wanted\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.files[0], options.repeat)))
        return
    results = [compare(path, options.repeat) for path in options.files]
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        for result in results:
            _table(result)


if __name__ == "__main__":
    main()
