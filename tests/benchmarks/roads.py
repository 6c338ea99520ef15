"""What the road metrics cost on Vancouver, and how the cost of the local ones grows with the area.

    python -m tests.benchmarks.roads [FOLDER] [--repeat 3] [--json]

FOLDER holds ``reference.graph`` and ``roadtracer.graph`` (pixels); both are cut to 3836 px around the origin and
evaluated with the preset ``roadtracer-px``. Each metric has a process of its own. CPU time is that of the process,
the smallest of the repeated calls after a first one that may compile; memory is the peak of the process, imports and
networks included. The authors' code took 433 CPU seconds for the six metrics marked with a star.

Growth: chessboard towns of about 50 to 400 km with noise, CPU time per km relative to the smallest.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import DATA

STARRED = ("ccq", "tlts", "subg", "opt-p", "opt-j", "opt-g")
AUTHORS = {"ccq": 1.3, "tlts": 174.0, "subg": 76.0, "opt-p": 97.0, "opt-j": 8.8, "opt-g": 76.0}
AUTHORS_SUM = 433.0
SETTINGS = {
    "tlts": {"pairs": 1000}, "subg": {"starts": 1000}, "opt-p": {"decompositions": 1}, "opt-g": {"starts": 1000},
    "apls": {"pairs": 1000},
}  # fmt: skip
LOCAL = ("ccq", "junct", "opt-j", "subg", "opt-g")
SIDES = (16, 23, 32, 45)


def vancouver(folder):
    from geoeval import read_network

    square = (-3836, -3836, 3836, 3836)
    names = ("reference.graph", "roadtracer.graph")
    return [read_network(Path(folder) / name, pixel_size=1.0).clip(square) for name in names]


def town(side):
    from tests.networks import grid, network, noisy

    lines = noisy(grid(side, side), 4.0, seed=1)
    return [network(lines), network(noisy(lines, 2.0, seed=2))]


def measure(metric, networks, preset, repeat, settings=None):
    """CPU seconds of the first call and of the quickest later one, the scores, and the peak memory in MB."""
    from geoeval import evaluate_roads

    def once():
        before = time.process_time()
        result = evaluate_roads(*networks, metrics=metric, preset=preset, parameters={metric: settings or {}})
        return time.process_time() - before, result

    first, result = once()
    best = min(once()[0] for _ in range(repeat))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"first": first, "cpu": best, "peak_mb": peak, "scores": result.plain()["scores"][metric]}


def in_own_process(*arguments):
    command = [sys.executable, "-m", "tests.benchmarks.roads", "--one", *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=str(DATA / "roads" / "vancouver"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        metric, where, repeat = options.one
        if where.isdigit():
            networks = town(int(where))
            # A number of starts that grows with the network, so that the work per km stays the same.
            starts = {"starts": len(networks[0].roads)} if metric in {"subg", "opt-g"} else {}
            found = measure(metric, networks, "default", int(repeat), starts)
            print(json.dumps({**found, "km": networks[0].length / 1000}))
        else:
            print(json.dumps(measure(metric, vancouver(where), "roadtracer-px", int(repeat), SETTINGS.get(metric))))
        return

    metrics = ("ccq", "tlts", "apls", "junct", "subg", "opt-p", "opt-j", "opt-g")
    found = {metric: in_own_process(metric, options.folder, options.repeat) for metric in metrics}
    growth = {m: [in_own_process(m, side, max(options.repeat, 5)) for side in SIDES] for m in LOCAL}
    if options.json:
        print(json.dumps({"vancouver": found, "growth": growth}, indent=2))
        return
    print(f"{'metric':8} {'CPU s':>8} {'first':>8} {'peak MB':>8} {'authors':>8} {'ratio':>7}  scores")
    for metric, one in found.items():
        theirs = AUTHORS.get(metric)
        ratio = f"{theirs / one['cpu']:.0f}x" if theirs else ""
        scores = "  ".join(f"{k} {v:.3f}" for k, v in one["scores"].items() if isinstance(v, float))
        print(f"{metric + '*' * (metric in STARRED):8} {one['cpu']:8.3f} {one['first']:8.2f} {one['peak_mb']:8.0f} "
              f"{theirs or '':>8} {ratio:>7}  {scores}")  # fmt: skip
    total = sum(found[metric]["cpu"] for metric in STARRED)
    print(f"six starred together: {total:.2f} CPU s, 1/{AUTHORS_SUM / total:.0f} of the authors' {AUTHORS_SUM:.0f} s "
          f"(1/100 is wanted); JUNCT {found['junct']['cpu']:.3f} s")  # fmt: skip
    print("\ngrowth of CPU time per km, against the smallest town")
    for metric, rows in growth.items():
        base = rows[0]["cpu"] / rows[0]["km"]
        print(f"{metric:8} " + "  ".join(f"{r['km']:.0f} km: {r['cpu'] / r['km'] / base:.2f}" for r in rows))


if __name__ == "__main__":
    main()
