"""What is measured on: Vancouver, a city extract and synthetic countries, each as a folder that a process can load.

A folder holds both networks as arrays (quick to load, so that a process holds little but what it measures) and
``place.json``: its name, what may be read, and how metrics are set.
"""

import json
from pathlib import Path

import numpy as np

from tests.conftest import DATA

VANCOUVER = DATA / "roads" / "vancouver"
CITY = DATA / "osm" / "ors_heidelberg.osm.pbf"
VERSIONS = ("reference", "prediction")
PAIRS = 1000  # of TLTS, and of each direction of APLS
SMALL = 3.0  # km of a country to warm up on

# As the authors measured; APLS with as many pairs as TLTS.
SAMPLED = {
    "tlts": {"pairs": PAIRS}, "apls": {"pairs": PAIRS}, "subg": {"starts": 1000}, "opt-g": {"starts": 1000},
    "opt-p": {"decompositions": 1},
}  # fmt: skip
# Starts that grow with the roads, so that the work for a km stays the same.
EVERYWHERE = {**SAMPLED, "subg": {"starts": "every 30 m"}, "opt-g": {"starts": "every 30 m"}}


def save(folder, name, networks, *, source=None, preset="default", settings=EVERYWHERE):
    """Make a folder of two networks; ``source`` is the file that reading is measured on."""
    folder.mkdir(parents=True, exist_ok=True)
    for version, network in zip(VERSIONS, networks, strict=True):
        np.savez(folder / f"{version}.npz", nodes=network.nodes, segments=network.segments, cut=network.cut)
    place = {
        "name": name, "source": str(source or ""), "preset": preset, "settings": settings,
        "crs": networks[0].crs.to_wkt(), "km": networks[0].length / 1000,
    }  # fmt: skip
    (folder / "place.json").write_text(json.dumps(place))
    return folder


def load(folder):
    """Both networks, new."""
    from geoeval import RoadNetwork

    crs = describe(folder)["crs"]
    return [
        RoadNetwork(**np.load(Path(folder) / f"{version}.npz"), crs=crs, merge_coincident=False) for version in VERSIONS
    ]


def describe(folder):
    return json.loads((Path(folder) / "place.json").read_text())


def vancouver(folder=VANCOUVER):
    """OpenStreetMap and RoadTracer's prediction in pixels, cut as the authors cut them."""
    from geoeval import read_network

    square = (-3836, -3836, 3836, 3836)
    names = ("reference.graph", "roadtracer.graph")
    return [read_network(Path(folder) / name, pixel_size=1.0).clip(square) for name in names]


def save_vancouver(folder, source=VANCOUVER):
    return save(
        folder, "Vancouver (px)", vancouver(source), source=Path(source) / "reference.graph", preset="roadtracer-px",
        settings=SAMPLED,
    )  # fmt: skip


def save_city(folder, path=CITY):
    """A city's roads, and a copy moved by 2 m a vertex with about one error per km."""
    from geoeval import RoadNetwork, perturb, read_network

    reference = worse = read_network(path)
    for kind in ("interruptions", "missing", "far_false_positives"):
        worse = perturb(worse, kind, round(reference.length / 3000)).prediction
    moved = worse.nodes + np.random.default_rng(0).normal(0, 2.0 / np.sqrt(2), worse.nodes.shape)
    prediction = RoadNetwork(moved, worse.segments, crs=worse.crs, merge_coincident=False)
    return save(folder, Path(path).name.partition(".")[0], [reference, prediction], source=path)


def save_country(folder, kilometres):
    from tests.benchmarks.country import country_networks, write_country

    source, _ = write_country(folder, kilometres)
    return save(folder, f"synthetic {kilometres:,} km", country_networks(kilometres), source=source)
