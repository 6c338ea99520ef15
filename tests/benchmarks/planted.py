"""Planted errors: how many of each kind are listed as what they are, on Heidelberg and on Helsinki.

python -m tests.benchmarks planted [--place heidelberg|helsinki] [--error NAME ...] [--count 500]

Helsinki has 168 junctions and ends, so its errors are planted 20 at a time, with as many seeds as it takes. ``bent``
moves vertices in the middle of roads; ``together`` plants six kinds at once. Roads shorter than 10 m that are removed
count as summed up, not as listed. The last column is the share of the listed length that lies in one layer only.
"""

import argparse
from collections import Counter

import numpy as np
import shapely

from geoeval import evaluate, perturb, read_network
from geoeval.cli.demo import helsinki
from geoeval.perturbation.editing import move_nodes
from tests.benchmarks import places

KINDS = {
    "missing": "missing", "interruptions": "break", "overconnections": "spurious", "doubled": "doubled",
    "doubled_reference": "merged", "far_false_positives": "spurious", "perturbations": "displaced",
}  # fmt: skip
# How the errors that are planted together share the count, in tenths.
TOGETHER = {"missing": 2, "perturbations": 2, "interruptions": 2, "doubled": 2, "overconnections": 2}
AT_ONCE = {"heidelberg": 500, "helsinki": 20}
SHORTEST = 10.0


def bent(network, count, seed):
    """Vertices in the middle of roads, away from their ends, moved by 20 m."""
    rng = np.random.default_rng(seed)
    node = rng.permutation(np.setdiff1d(np.arange(len(network.nodes)), network.features))[:count]
    angle = rng.uniform(0, 2 * np.pi, len(node))
    return network, move_nodes(network, node, 20.0 * np.column_stack([np.cos(angle), np.sin(angle)])), len(node)


def planted(network, error, count, seed):
    """Reference, prediction, and how many errors of each listed kind are planted."""
    if error == "bent":
        reference, prediction, number = bent(network, count, seed)
        return reference, prediction, Counter({"displaced": number})
    if error != "together":
        made = perturb(network, error, count, seed=seed)
        lines = made.errors["lines"]
        small = (lines["kind"].isin(["missing", "spurious"]) & (lines.geometry.length < SHORTEST)).sum()
        return made.reference, made.prediction, Counter({KINDS[error]: int(made.count - small)})
    prediction, number = network, Counter()
    for name, tenths in TOGETHER.items():
        before = prediction
        _, prediction, added = planted(before, name, count * tenths // 10, seed)
        number += added
    return network, prediction, number


def in_one_layer(result):
    """The share of the listed length that no error of another kind lies on."""
    lines = result.map_errors()["lines"]
    lines = lines[lines["kind"] != "duplicate"]
    shapes = lines.geometry.to_numpy()
    grounds, kind = shapely.buffer(shapes, 1.0), lines["kind"].to_numpy()
    one, other = shapely.STRtree(grounds).query(shapes, "intersects")
    twice = kind[one] != kind[other]
    shared = [shapely.union_all(grounds[other[twice & (one == i)]]) for i in np.unique(one[twice])]
    length = shapely.length(shapely.intersection(shapes[np.unique(one[twice])], shared)).sum() if shared else 0.0
    return float(length), float(shapely.length(shapes).sum())


def campaign(network, error, count, at_once):
    """Planted and listed errors by kind, and how much of the length lies in one layer, in all."""
    expected, listed, summed = Counter(), Counter(), 0
    twice = total = 0.0
    seed = 0
    while expected.total() + summed < 0.97 * count:
        seed += 1
        reference, prediction, number = planted(network, error, min(count, at_once), seed)
        result = evaluate(reference, prediction, metrics="ccq,opt-j", aoi="all")
        expected += number
        summed += min(count, at_once) - number.total()
        listed += Counter({k: e["count"] for k, e in result.error_summary().items() if k != "duplicate"})
        here, whole = in_one_layer(result)
        twice, total = twice + here, total + whole
    return expected, listed, 1 - twice / max(total, 1e-9)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks planted", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--place", choices=AT_ONCE, action="append")
    parser.add_argument("--error", choices=[*KINDS, "bent", "together"], action="append")
    parser.add_argument("--count", type=int, default=500)
    asked = parser.parse_args()
    for place in asked.place or AT_ONCE:
        network = read_network(helsinki() if place == "helsinki" else places.CITY, network_type="drive")
        for error in asked.error or [*KINDS, "bent", "together"]:
            expected, listed, once = campaign(network, error, asked.count, AT_ONCE[place])
            others = Counter({kind: number for kind, number in listed.items() if kind not in expected})
            told = ", ".join(f"{kind} {listed[kind]} of {number}" for kind, number in expected.items())
            print(f"{place:10} {error:20} {told}; others {others.total()} {dict(others) or ''}; "
                  f"in one layer {once:.4f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
