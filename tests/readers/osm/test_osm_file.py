"""Files of OpenStreetMap, and files that are none."""

import contextlib
import random

import pytest

from geoeval.exceptions import GeoevalError
from geoeval.readers.osm.osm_roads import read_osm
from tests.readers.osm.osm_files import (
    NODES,
    ROAD,
    SUFFIXES,
    TOWN,
    WAYS,
    node,
    refused,
    way,
    write,
    xml,
)


def test_the_content_tells_the_kind_and_not_the_name(tmp_path):
    packed = write(tmp_path / "town.osm.bz2", TOWN).rename(tmp_path / "town.osm")
    assert len(read_osm(packed).segments) == 6


@pytest.mark.parametrize("suffix", [".osm", ".osm.gz", ".osm.bz2"])
def test_what_the_user_of_josm_deleted_is_gone(tmp_path, suffix):
    elements = [*NODES[:-1], node(15, 8.683, 49.411, action="delete"), *WAYS[1:], way(7, [1, 2], ROAD, action="delete")]
    network = read_osm(write(tmp_path / f"josm{suffix}", xml(*elements, generator="JOSM")))
    assert sorted(network.source_ids.tolist()) == [101, 102]
    assert network.problems == {"missing_nodes": 1, "ways_with_missing_nodes": 1}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_files_are_refused_in_one_line(tmp_path, suffix):
    content = write(tmp_path / f"whole{suffix}", TOWN * 1).read_bytes()
    path = tmp_path / f"damaged{suffix}"
    for keep in (1, 10, len(content) // 3, len(content) - 9):
        path.write_bytes(content[:keep])
        refused(path)
    rng = random.Random(0)
    for _ in range(20):
        broken = bytearray(content)
        for _ in range(3):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        path.write_bytes(broken)
        with contextlib.suppress(GeoevalError):  # a letter of a street's name may be anything
            read_osm(path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.osm", b"", "0 bytes"),
        ("empty.osm.pbf", b"", "0 bytes"),
        ("page.osm", b"<html><body>404</body></html>", "not an OpenStreetMap file"),
        ("noise.osm.pbf", bytes(range(256)), "not an OpenStreetMap file"),
        ("number.osm", xml(node("one", 8, 49), way(1, [1, 2], ROAD)).encode(), "damaged"),
        ("place.osm", xml(node(1, "x", 49), way(1, [1, 1], ROAD)).encode(), "damaged"),
    ],
)
def test_what_is_not_openstreetmap_is_refused(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    assert says in refused(tmp_path / name)


def test_missing_files_and_folders_are_refused(tmp_path):
    assert "no such file" in refused(tmp_path / "nowhere.osm")
    assert "cannot be opened" in refused(tmp_path)
