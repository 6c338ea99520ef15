"""Published protocols on Sat2Graph's own pair: CPU seconds, and those of the published programs.

python -m tests.benchmarks protocols

Each protocol has a process of its own, warmed up on a small road, so that compilation does not count; reading does.
"""

import json
import sys

from tests.benchmarks import places
from tests.benchmarks.measuring import in_own_process, quickest

PAIR = places.DATA / "protocols" / "sat2graph"
# CPU seconds of SAM-Road's copy of the Python script, and of the Go program.
PUBLISHED = {"sat2graph-topo": 202.0, "sat2graph-apls": 352.0}


def measure(name):
    from geoeval import evaluate

    road = {(1200, 100): [(1200, 900)], (1200, 900): [(1200, 100)]}
    evaluate(road, road, protocol=name)
    seconds, result = quickest(
        lambda: (PAIR / "gt.p", PAIR / "prop.p"), lambda pair: evaluate(*pair, protocol=name), repeat=2
    )
    return {"cpu_s": seconds, "scores": result.scores[name]}


def main():
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
        return
    for name, published in PUBLISHED.items():
        one = in_own_process(__spec__.name, name)
        scores = "  ".join(f"{score} {value:.6f}" for score, value in one["scores"].items())
        times = published / one["cpu_s"]
        print(f"{name:15} {one['cpu_s']:7.2f} CPU s, published {published:.0f} s: x{times:.0f}   {scores}")


if __name__ == "__main__":
    main()
