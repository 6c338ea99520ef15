"""Published protocols on published pairs: CPU seconds, and those of the published programs where they are known.

python -m tests.benchmarks protocols

Each protocol has a process of its own, warmed up on a small road, so that compilation does not count; reading does.
"""

import json
import sys

from tests.benchmarks import places
from tests.benchmarks.measuring import in_own_process, quickest

_TILE = tuple(places.DATA / "protocols" / "sat2graph" / name for name in ("gt.p", "prop.p"))
_CHIP = tuple(places.DATA / "protocols" / "cosmiq" / f"img0_{name}.gpickle" for name in ("truth", "proposal"))
_CITY = tuple(places.DATA / "roads" / "vancouver" / f"{name}.graph" for name in ("reference", "roadtracer"))
PAIRS = {
    "sat2graph-topo": _TILE, "sat2graph-apls": _TILE, "lane-geo-topo": _TILE, "cosmiq-apls": _CHIP,
    "cosmiq-topo": _CHIP, "roadtracer-junct": _CITY,
}  # fmt: skip
# CPU seconds of SAM-Road's copy of the Python script, of the Go program, and of CosmiQ's Python.
PUBLISHED = {"sat2graph-topo": 202.0, "sat2graph-apls": 352.0, "cosmiq-apls": 9.9}


def measure(name):
    from geoeval import evaluate

    road = {(1200, 100): [(1200, 900)], (1200, 900): [(1200, 100)]}
    evaluate(road, road, protocol=name)
    seconds, result = quickest(lambda: PAIRS[name], lambda pair: evaluate(*pair, protocol=name), repeat=2)
    return {"cpu_s": seconds, "scores": result.scores[name]}


def main():
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
        return
    for name in PAIRS:
        one = in_own_process(__spec__.name, name)
        scores = "  ".join(f"{score} {value:.6f}" for score, value in one["scores"].items())
        theirs = PUBLISHED.get(name)
        times = "" if theirs is None else f"published {theirs:g} s: x{theirs / one['cpu_s']:.0f}"
        print(f"{name:16} {one['cpu_s']:6.2f} CPU s  {times:24} {scores}")


if __name__ == "__main__":
    main()
