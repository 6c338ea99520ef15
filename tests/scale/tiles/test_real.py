"""Real extracts against copies with known errors: tiles of any size, on any engine, give the numbers of the whole."""

import os
import signal

import pytest

from geoeval import evaluate_roads, perturb, read_network
from geoeval.scale.store.osm_store import store_osm
from geoeval.scale.store.road_store import store_network
from geoeval.scale.tiles.tiled_roads import evaluate_stores
from tests.scale.cluster import cluster
from tests.scale.tiles.test_tiled_roads import LOCAL, same

pytest.importorskip("distributed")

HEIDELBERG, LIECHTENSTEIN = "ors_heidelberg.osm.pbf", "valhalla_liechtenstein-latest.osm.pbf"


@pytest.fixture(scope="module", params=[HEIDELBERG, LIECHTENSTEIN])
def extract(request, data, tmp_path_factory):
    """Stores of an extract, streamed, and of a copy with errors of several kinds; and the evaluation of the whole."""
    folder = tmp_path_factory.mktemp("stores")
    reference = read_network(data / "osm" / request.param)
    prediction = reference
    for seed, error in enumerate(("interruptions", "perturbations", "doubled", "overconnections")):
        prediction = perturb(prediction, error, 60, seed=seed).prediction
    stores = [
        store_osm(data / "osm" / request.param, folder / "reference.parquet"),
        store_network(folder / "prediction.parquet", prediction),
    ]
    return stores, evaluate_roads(reference, prediction, metrics=LOCAL)


@pytest.mark.parametrize(("size", "workers"), [(500, 2), (2000, 1), (10_000, 2)])
def test_tiles_give_the_numbers_of_the_whole(extract, size, workers):
    stores, whole = extract
    tiled = evaluate_stores(*stores, tile_size=size, workers=workers, metrics=LOCAL)
    same(tiled, whole)


def test_so_does_a_cluster_with_two_workers_until_one_is_killed(extract, tmp_path):
    stores, whole = extract
    with cluster(tmp_path, workers=2) as (address, workers):
        same(evaluate_stores(*stores, tile_size=10_000, scheduler=address, metrics=LOCAL), whole)
        killed = []

        def kill_one(fraction, _message):
            if fraction > 0.5 and not killed:
                killed.append(workers["worker-0"])
                os.killpg(killed[0].pid, signal.SIGKILL)

        tiled = evaluate_stores(*stores, tile_size=1000, scheduler=address, metrics=LOCAL, progress=kill_one)
        assert killed
        same(tiled, whole)
