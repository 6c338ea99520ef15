"""What reading a PBF costs, against going through its highway ways with pyosmium alone.

    python -m tests.benchmarks read_pbf [FILE.osm.pbf...] [--repeat 5] [--json]

Without a file, the city extract that lies beside the project. Each measurement has a process of its own; CPU time is
that of the process, osmium's threads included, imports not, the smallest of the repeated calls; memory is the peak of
the process with its imports.

The baselines, from lean to full:
ways                 every way with a highway tag comes to Python, and nothing is asked of it
ways-with-locations  the same, and osmium has put the place of each node into the ways
ways-with-nodes      the same, and Python looks at the id and place of each node, as a plain reader would
"""

import argparse
import json
from pathlib import Path

from tests.benchmarks import baselines
from tests.benchmarks.measuring import in_own_process, peak_mb, quickest
from tests.benchmarks.places import CITY

LIMIT = 2.0  # read_osm may cost this many times the leanest baseline


def read_drive(path):
    from geoeval.readers.osm.osm_roads import read_osm

    return len(read_osm(path).segments)


def read_all(path):
    from geoeval.readers.osm.osm_roads import read_osm

    return len(read_osm(path, network_type="all").segments)


BASELINES = {
    "ways": baselines.ways,
    "ways-with-locations": baselines.ways_with_locations,
    "ways-with-nodes": baselines.ways_with_nodes,
}
READERS = {"read_osm drive": read_drive, "read_osm all": read_all}


def measure(name, path, repeat):
    """CPU seconds of the quickest call, peak memory, and what was counted."""
    import geoeval.readers.osm.osm_roads  # noqa: F401  imports are not part of what is measured

    seconds, count = quickest(lambda: path, {**BASELINES, **READERS}[name], repeat=repeat)
    return {"cpu_s": round(seconds, 4), "peak_mb": round(peak_mb(), 1), "count": count}


def compare(path, repeat):
    """All measurements of a file, each in a fresh process."""
    found = {
        name: in_own_process("tests.benchmarks.read_pbf", path, "--measure", name, "--repeat", repeat)
        for name in (*BASELINES, *READERS)
    }
    for name in READERS:
        found[name]["ratio"] = {base: round(found[name]["cpu_s"] / found[base]["cpu_s"], 2) for base in BASELINES}
    return {"file": path, "bytes": Path(path).stat().st_size, "measures": found}


def _table(result):
    print(f"{result['file']}  {result['bytes'] / 1e6:.1f} MB")
    print(f"{'':20s} {'CPU s':>8s} {'peak MB':>8s} {'count':>9s}   CPU against {', '.join(BASELINES)}")
    for name, row in result["measures"].items():
        ratios = "   " + "  ".join(f"{value:.2f}" for value in row.get("ratio", {}).values())
        print(f"{name:20s} {row['cpu_s']:8.3f} {row['peak_mb']:8.1f} {row['count']:9d}{ratios}")
    ratio = result["measures"]["read_osm drive"]["ratio"]["ways"]
    print(f"read_osm costs {ratio:.2f} times the leanest baseline; at most {LIMIT:g} is wanted\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", default=[str(CITY)])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--measure", choices=[*BASELINES, *READERS], help=argparse.SUPPRESS)
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
