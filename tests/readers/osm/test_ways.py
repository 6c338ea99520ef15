"""Ways of all versions, and those that are left out."""

from geoeval.exceptions import EmptyInputError
from geoeval.readers.osm.osm_roads import read_osm
from tests.readers.osm.osm_files import NODES, ROAD, WAYS, node, refused, segments_by_hand, segments_of, way, write, xml


def test_areas_are_left_out_and_roundabouts_are_not(tmp_path):
    ring = [1, 2, 5, 1]
    ways = [
        way(1, ring, {"highway": "pedestrian", "area": "yes"}),
        way(2, ring, {"highway": "pedestrian", "place": "square"}),
        way(3, ring, {"highway": "service", "amenity": "parking"}),
        way(4, [3, 4, 15, 3], {"highway": "residential", "junction": "roundabout", "landuse": "grass"}),
        way(5, [11, 13, 15, 11], {"highway": "pedestrian"}),  # a path round something
        way(6, [1, 3, 4, 1], {"highway": "service", "amenity": "parking", "area": "no"}),
        way(7, [2, 11, 3], {"highway": "service", "amenity": "parking"}),  # not closed
    ]
    network = read_osm(write(tmp_path / "areas.osm.pbf", xml(*NODES, *ways)), network_type="all")
    assert {*network.source_ids.tolist()} == {4, 5, 6, 7}
    assert network.problems["areas"] == 3


def test_what_access_left_out_is_counted(tmp_path):
    ways = [way(1, [1, 2], ROAD | {"access": "private"}), way(2, [1, 2], {"highway": "footway", "access": "private"})]
    network = read_osm(write(tmp_path / "a.osm.pbf", xml(*NODES, *ways, *WAYS)))
    assert network.problems == {"ways_without_access": 1}


def test_short_ways_do_not_shift_the_others(tmp_path):
    ways = [way(1, [], ROAD), way(2, [1], ROAD), way(3, [2, 5], ROAD), way(4, [3, 3, 4], ROAD)]
    for suffix in (".osm", ".osm.pbf"):
        network = read_osm(write(tmp_path / f"short{suffix}", xml(*NODES, *ways)))
        assert sorted(network.source_ids.tolist()) == [3, 4]
        assert network.problems == {"zero_length_segments": 1}


def test_newest_versions_count_and_deleted_objects_do_not(tmp_path):
    elements = [
        node(1, 8.680, 49.410),
        node(2, 8.681, 49.410),
        node(2, 8.682, 49.410, version=2),
        node(3, 8.690, 49.410, version=3),
        node(3, 8.683, 49.410, version=2),  # older, though it comes later
        node(4, 8.684, 49.410),
        node(4, 8.684, 49.410, version=2, visible="false"),
        node(5, 8.685, 49.410),
        way(10, [1, 2], ROAD),
        way(11, [1, 5], ROAD),
        way(11, [1, 5], {"highway": "footway"}, version=2),
        way(12, [2, 5], ROAD),
        way(12, [], version=2, visible="false"),
        way(13, [3, 4, 5], ROAD, version=2),
        way(14, [2, 3], {"highway": "footway"}),
        way(14, [2, 3], ROAD, version=2),
        way(15, [1, 5], ROAD, version=2, visible="false"),
        way(15, [1, 5], ROAD, version=1),
    ]
    now = xml(
        node(1, 8.680, 49.410),
        node(2, 8.682, 49.410),
        node(3, 8.690, 49.410),
        way(10, [1, 2], ROAD),
        way(14, [2, 3], ROAD),
    )
    expected = segments_by_hand(now, bool)
    for name, kind in (("h.osm", ""), ("h.osm.pbf", "osh.pbf")):
        network = read_osm(write(tmp_path / name, xml(*elements), format=kind))
        assert segments_of(network) == expected
        assert network.problems == {"missing_nodes": 1, "ways_with_missing_nodes": 1}


def test_a_way_that_is_there_twice_counts_once(tmp_path):
    text = xml(*NODES, way(1, [1, 5], ROAD), way(1, [1, 2], ROAD), *WAYS[1:])
    for suffix in (".osm", ".osm.pbf"):
        network = read_osm(write(tmp_path / f"twice{suffix}", text), network_type="residential")
        assert segments_of(network) == segments_by_hand(xml(*NODES, way(1, [1, 2], ROAD)), bool)


def test_a_file_without_roads_says_what_it_has(tmp_path):
    assert "no ways with a highway" in refused(write(tmp_path / "a.osm", xml(*NODES)), EmptyInputError)
    foot = write(tmp_path / "b.osm.pbf", xml(*NODES, way(1, [1, 2], {"highway": "footway"})))
    assert "footway (1)" in refused(foot, EmptyInputError)
    point = write(tmp_path / "d.osm.pbf", xml(*NODES, way(1, [1, 1], ROAD)))
    assert "no length" in refused(point, EmptyInputError)
    private = write(tmp_path / "c.osm.pbf", xml(*NODES, way(1, [1, 2], ROAD | {"access": "private"})))
    assert "all 1 ways of its classes are private" in refused(private, EmptyInputError)
