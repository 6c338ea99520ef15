"""Planted errors: how many of each kind are listed as what they are, in several cities.

python -m tests.benchmarks planted [--place heidelberg ...] [--error NAME ...] [--count 500] [--seed 0]

Small places have few junctions and ends: their errors are planted some at a time, as dense as 500 are in Heidelberg,
with as many seeds as it takes. ``bent`` moves vertices in the middle of roads; ``together`` plants five kinds at once.
Removed roads shorter than 10 m are not expected to be listed. Of the errors planted together, some lie within 30 m of
one of another kind, and may explain each other: all are counted, and then those ``apart`` from other kinds. The last
column is the share of the listed length that lies in one layer only.
"""

import argparse
from collections import Counter

import numpy as np
import shapely

from geoeval import evaluate, perturb, read_network
from geoeval.cli.demo import helsinki
from geoeval.perturbation.editing import move_nodes
from tests.benchmarks import places
from tests.conftest import DATA

KINDS = {
    "missing": "missing", "interruptions": "break", "overconnections": "spurious", "doubled": "doubled",
    "doubled_reference": "merged", "far_false_positives": "spurious", "perturbations": "displaced",
}  # fmt: skip
# How the errors that are planted together share the count, in tenths.
TOGETHER = {"missing": 2, "perturbations": 2, "interruptions": 2, "doubled": 2, "overconnections": 2}
PLACES = {
    "heidelberg": places.CITY, "helsinki": helsinki,
    "portland": DATA / "osm" / "otp_portland-central-filtered.osm.pbf",
    "liechtenstein": DATA / "osm" / "valhalla_liechtenstein-latest.osm.pbf",
    "melbourne": DATA / "osm" / "valhalla_melborne.osm.pbf",
    "washington": DATA / "roads" / "dc" / "DcGisRoads.osm",
    "apalachicola": DATA / "roads" / "apalachicola_original.gpkg",
}  # fmt: skip
USUAL = ("heidelberg", "helsinki")
# Junctions and ends for each error that is planted at once.
DENSITY = 11
SHORTEST = 10.0


def bent(network, count, seed):
    """Vertices in the middle of roads, 20 m and more from the next ones, moved by 20 m to the side."""
    rng = np.random.default_rng(seed)
    start, neighbour, segment = network.adjacency
    middle = np.flatnonzero(network.degrees == 2)
    beside = neighbour[start[middle][:, None] + [0, 1]]
    far = (network.segment_lengths[segment[start[middle][:, None] + [0, 1]]] >= 20.0).all(axis=1)
    chosen, near = [], set()
    for k in rng.permutation(np.flatnonzero(far)).tolist():
        own = {int(middle[k]), *beside[k].tolist()}
        if len(chosen) < count and not own & near:
            near |= own
            chosen.append(k)
    way = network.nodes[beside[chosen, 1]] - network.nodes[beside[chosen, 0]]
    aside = np.column_stack([-way[:, 1], way[:, 0]]) / np.hypot(*way.T)[:, None]
    there = network.nodes[middle[chosen]]
    lines = shapely.linestrings(np.stack([there, there + 20.0 * aside], axis=1))
    return network, move_nodes(network, middle[chosen], 20.0 * aside), lines


def planted(network, error, count, seed):
    """Reference, prediction, kinds and lines of the planted errors, and how many more are too short to be listed."""
    if error == "bent":
        reference, prediction, lines = bent(network, count, seed)
        return reference, prediction, np.full(len(lines), "displaced", dtype=object), lines, 0
    if error != "together":
        made = perturb(network, error, count, seed=seed)
        lines = made.errors["lines"].geometry.to_numpy()
        whole = KINDS[error] in ("missing", "spurious")
        lines = lines[(shapely.length(lines) >= SHORTEST) | (not whole)]
        kinds = np.full(len(lines), KINDS[error], dtype=object)
        return made.reference, made.prediction, kinds, lines, made.count - len(lines)
    prediction, parts = network, []
    # One seed for all of them would plant one upon the other.
    for number, (name, tenths) in enumerate(TOGETHER.items()):
        _, prediction, *part = planted(prediction, name, count * tenths // 10, len(TOGETHER) * seed + number)
        parts.append(part)
    kinds, lines, small = zip(*parts, strict=True)
    return network, prediction, np.concatenate(kinds), np.concatenate(lines), sum(small)


def where_kinds_meet(kinds, lines):
    """The ground of planted errors that lie within 30 m of one of another kind, and which these are."""
    one, other = shapely.STRtree(lines).query(lines, "dwithin", 30.0)
    meets = np.zeros(len(lines), dtype=bool)
    meets[one[kinds[one] != kinds[other]]] = True
    return shapely.buffer(shapely.union_all(lines[meets]), 30.0), meets


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


def campaign(network, error, count, at_once, seed):
    """Planted and listed errors by kind, the same of those apart from other kinds, and the length in one layer."""
    expected, listed, done = Counter(), Counter(), 0
    apart = {"planted": Counter(), "listed": Counter()}
    twice = total = 0.0
    while done < 0.97 * count:
        seed += 1
        reference, prediction, kinds, lines, small = planted(network, error, min(count, at_once), seed)
        result = evaluate(reference, prediction, metrics="ccq,opt-j", aoi="all")
        ground, meets = where_kinds_meet(kinds, lines)
        done += len(lines) + small
        expected += Counter(kinds.tolist())
        apart["planted"] += Counter(kinds[~meets].tolist())
        for frame in result.map_errors().values():
            own = frame[frame["kind"] != "duplicate"]
            listed += Counter(own["kind"].tolist())
            apart["listed"] += Counter(own["kind"][~own.intersects(ground)].tolist())
        here, whole = in_one_layer(result)
        twice, total = twice + here, total + whole
    return expected, listed, apart, 1 - twice / max(total, 1e-9)


def told(planted, listed):
    """How many of each kind were listed and planted, and what else was listed."""
    others = Counter({kind: number for kind, number in listed.items() if kind not in planted})
    counts = ", ".join(f"{kind} {listed[kind]} of {number}" for kind, number in planted.items())
    return f"{counts}; others {others.total()} {dict(others) or ''}"


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks planted", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--place", choices=PLACES, action="append")
    parser.add_argument("--error", choices=[*KINDS, "bent", "together"], action="append")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="seeds from the one behind this on")
    asked = parser.parse_args()
    for place in asked.place or USUAL:
        source = PLACES[place]
        network = read_network(source() if callable(source) else source, network_type="drive")
        at_once = int(np.clip(len(np.unique(network.roads.ends)) // DENSITY, 5, asked.count))
        for error in asked.error or [*KINDS, "bent", "together"]:
            expected, listed, apart, once = campaign(network, error, asked.count, at_once, asked.seed)
            alone = f" (apart: {told(apart['planted'], apart['listed'])})" if error == "together" else ""
            print(f"{place:10} {error:20} {told(expected, listed)}{alone}; in one layer {once:.4f}", flush=True)


if __name__ == "__main__":
    main()
