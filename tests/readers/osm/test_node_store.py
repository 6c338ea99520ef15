"""Locations of nodes."""

import random

import numpy as np
import osmium
import pytest

from geoeval.readers.osm import node_store as osm_nodes
from geoeval.readers.osm.osm_roads import read_osm
from tests.readers.osm.osm_files import (
    NODES,
    ROAD,
    TOWN,
    WAYS,
    node,
    same,
    segments_by_hand,
    segments_of,
    way,
    write,
    xml,
)


def test_nodes_of_many_blocks_and_in_no_order(tmp_path, monkeypatch):
    count = 30_000  # osmium puts at most 8,000 into a block
    numbers = random.Random(1).sample(range(1, 10**10), count)
    path = tmp_path / "blocks.osm.pbf"
    mutable = osmium.osm.mutable
    with osmium.SimpleWriter(str(path)) as writer:
        for i, number in enumerate(numbers):
            writer.add_node(mutable.Node(id=number, location=(8 + i * 1e-5, 49.0)))
        writer.add_way(mutable.Way(id=7, nodes=numbers[::300], tags=ROAD))
    whole = read_osm(path)
    assert len(whole.segments) == 99
    assert whole.length == pytest.approx(29_700e-5 * 111_320 * np.cos(np.radians(49)), rel=3e-3)
    monkeypatch.setattr(osm_nodes, "CHUNK", 1)
    assert same(read_osm(path), whole)


def test_a_node_that_is_there_twice_does_not_hide_another(tmp_path, monkeypatch):
    monkeypatch.setattr(osm_nodes, "CHUNK", 1)
    blocks = [[node(1000 + i, 8.7, 49.5) for i in range(8000)] for _ in range(2)]
    text = xml(*NODES[:4], *blocks[0], *NODES[:4], *blocks[1], *NODES[4:], *WAYS)
    assert len(read_osm(write(tmp_path / "twice.osm.pbf", text)).segments) == 6


def test_a_node_outside_the_world_is_missing(tmp_path):
    odd = [node(901, 8.68, 91.0), node(902, 200, 49.4), '<node id="903" version="1"/>']
    text = xml(*NODES, *odd, way(1, [1, 2, 901, 902, 903], ROAD))
    for suffix in (".osm", ".osm.pbf"):
        network = read_osm(write(tmp_path / f"odd{suffix}", text))
        assert len(network.segments) == 1
        assert network.problems["missing_nodes"] == 3


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
def test_negative_ids_of_an_editor(tmp_path, suffix):
    text = TOWN.replace('id="', 'id="-').replace('ref="', 'ref="-')
    network = read_osm(write(tmp_path / f"new{suffix}", text))
    assert segments_of(network) == segments_by_hand(
        text, lambda tags: tags.get("highway") in {"residential", "primary", "secondary"}
    )
    assert set(network.source_ids.tolist()) == {-100, -101, -102}


def test_places_that_stand_with_the_ways(tmp_path):
    """As made by ``osmium add-locations-to-ways``, which drops the nodes."""
    plain, located = write(tmp_path / "plain.osm.pbf", TOWN), tmp_path / "located.osm.pbf"
    with osmium.SimpleWriter(osmium.io.File(str(located), "pbf,locations_on_ways=true")) as writer:
        for item in osmium.FileProcessor(str(plain)).with_locations():
            if item.is_way():
                writer.add(item)
    network, expected = read_osm(located), read_osm(plain)
    assert segments_of(network) == segments_of(expected)
    assert network.components.max() == 1
