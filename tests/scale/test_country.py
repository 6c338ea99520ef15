"""The synthetic country that speed is measured on: as long as asked, in one piece, the same each time."""

import itertools

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from geoeval import read_network
from tests.benchmarks.country import Country, country_networks, write_country


def components(count, pairs):
    graph = coo_array((np.ones(len(pairs)), pairs.T), shape=(count, count))
    return connected_components(graph, directed=False)[0]


@pytest.mark.parametrize("kilometres", [10, 100, 300])
@pytest.mark.parametrize("seed", [0, 1])
def test_reference_is_as_long_as_asked_and_connected(kilometres, seed):
    reference, prediction = country_networks(kilometres, seed)
    assert reference.length / 1000 == pytest.approx(kilometres, rel=0.1)
    assert prediction.length / 1000 == pytest.approx(kilometres, rel=0.15)
    assert components(len(reference.nodes), reference.segments) == 1
    lengths = reference.segment_lengths
    assert 15 < lengths.mean() < 25
    assert lengths.max() < 60


def test_texture_is_that_of_roads():
    reference, _ = country_networks(300)
    degrees = np.bincount(reference.segments.ravel())
    assert 5 < (degrees != 2).sum() / (reference.length / 1000) < 11
    assert (degrees == 1).sum() > reference.length / 1000
    assert (degrees > 4).sum() == 0


def test_prediction_is_near_and_has_about_one_error_per_km():
    country = Country(300)
    steps, errors = [set(), set()], 0
    for parts in country.parts():
        for part, found in zip(parts, steps, strict=True):
            found.update(tuple(sorted(step)) for road in part.roads for step in itertools.pairwise(road.tolist()))
    for wrong in (steps[0] - steps[1], steps[1] - steps[0]):  # missing, invented
        nodes, ends = np.unique(np.array(sorted(wrong)), return_inverse=True)
        errors += components(len(nodes), ends.reshape(-1, 2))
    assert 0.8 < errors / 300 < 1.2

    reference, prediction = country_networks(300)
    away = reference.nearest(prediction.nodes).distance
    assert 0.7 < np.median(away) < 2.5
    assert np.quantile(away, 0.9) < 6


def test_same_seed_same_roads_and_another_seed_other_roads():
    first, again, other = (country_networks(30, seed) for seed in (5, 5, 6))
    for a, b, c in zip(first, again, other, strict=True):
        assert np.array_equal(a.nodes, b.nodes)
        assert np.array_equal(a.segments, b.segments)
        assert not np.array_equal(a.nodes, c.nodes)


def test_files_hold_the_same_roads(tmp_path):
    paths = write_country(tmp_path, 100, seed=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["prediction.osm.pbf", "reference.osm.pbf"]
    for path, network in zip(paths, country_networks(100, seed=2), strict=True):
        read = read_network(path)
        assert read.crs == network.crs
        assert not read.problems
        assert read.length == pytest.approx(network.length, rel=1e-4)
        assert len(read.segments) == len(network.segments)
        assert np.abs(np.sort(read.nodes, axis=0) - np.sort(network.nodes, axis=0)).max() < 0.02


def test_files_are_the_same_bytes(tmp_path):
    first, again = write_country(tmp_path / "a", 10), write_country(tmp_path / "b", 10)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
