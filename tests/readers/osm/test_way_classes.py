"""Which ways belong to which network."""

import pytest

from geoeval.exceptions import ParameterError
from geoeval.readers.osm.osm_roads import read_osm
from geoeval.readers.osm.way_classes import NETWORK_TYPES, way_rule
from tests.readers.osm.osm_files import NODES, TOWN, way, write, xml

ACCESS = [
    ({"highway": "residential"}, "drive walk bike all"),
    ({"highway": "motorway_link"}, "drive all"),
    ({"highway": "living_street"}, "drive walk bike all"),
    ({"highway": "road"}, "drive walk bike all"),
    ({"highway": "service"}, "walk bike all"),
    ({"highway": "track"}, "walk bike all"),
    ({"highway": "footway"}, "walk all"),
    ({"highway": "steps"}, "walk all"),
    ({"highway": "cycleway"}, "bike all"),
    ({"highway": "path"}, "walk bike all"),
    ({"highway": "pedestrian"}, "walk bike all"),
    ({"highway": "busway"}, "all"),
    ({"highway": "construction"}, ""),
    ({"highway": "proposed"}, ""),
    ({"highway": "platform"}, ""),
    ({"highway": "raceway"}, ""),
    ({"highway": "abandoned"}, ""),
    ({"railway": "rail"}, ""),
    ({"old:highway": "primary"}, ""),
    ({"highway": "residential", "access": "private"}, "all"),
    ({"access": "private", "highway": "residential"}, "all"),
    ({"highway": "residential", "access": "no"}, "drive walk bike all"),
    ({"highway": "residential", "motor_vehicle": "no"}, "walk bike all"),
    ({"highway": "residential", "motorcar": "no"}, "walk bike all"),
    ({"highway": "residential", "foot": "no"}, "drive bike all"),
    ({"highway": "residential", "bicycle": "no"}, "drive walk all"),
    ({"highway": "residential", "name": "access=private,area=yes"}, "drive walk bike all"),
    ({"highway": "unclassified", "service": "alley"}, "walk bike all"),
    ({"highway": "service", "service": "private"}, "all"),
    ({"highway": "tertiary", "sidewalk": "separate"}, "drive bike all"),
    ({"highway": "pedestrian", "area": "yes"}, ""),
    ({"highway": "residential", "area": "no"}, "drive walk bike all"),
]


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
def test_which_ways_belong_to_which_network(tmp_path, suffix):
    ways = [way(500 + i, [1, 2, 5], tags) for i, (tags, _) in enumerate(ACCESS)]
    path = write(tmp_path / f"access{suffix}", xml(*NODES, *ways))
    for name in NETWORK_TYPES:
        network = read_osm(path, network_type=name)
        found = {*network.source_ids.tolist(), *network.duplicate_ids.tolist()}
        assert found == {500 + i for i, (_, types) in enumerate(ACCESS) if name in types.split()}, name


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
@pytest.mark.parametrize("network_type", [["primary", "footway"], ("footway", "primary"), "primary, footway"])
def test_explicit_classes_ignore_access(tmp_path, suffix, network_type):
    text = TOWN.replace('<tag k="highway" v="footway"/>', '<tag k="highway" v="footway"/><tag k="access" v="private"/>')
    network = read_osm(write(tmp_path / f"town{suffix}", text), network_type=network_type)
    assert sorted(network.source_ids.tolist()) == [101, 103]
    assert "ways_without_access" not in network.problems


def test_a_class_that_only_this_file_has(tmp_path):
    path = write(tmp_path / "odd.osm.pbf", xml(*NODES, way(1, [1, 2], {"highway": "byway"})))
    assert read_osm(path, network_type=["byway"]).source_ids.tolist() == [1]
    assert read_osm(path, network_type="all").source_ids.tolist() == [1]


@pytest.mark.parametrize("wrong", ["car", "", "drive,walk", "primary,primry", [], ["drive"], [1], ["a=b"], ["é"], [""]])
def test_unknown_network_type_names_the_choices(tmp_path, wrong):
    with pytest.raises(ParameterError, match="drive, walk, bike, all"):
        read_osm(tmp_path / "not-even-opened.osm", network_type=wrong)


def test_the_rule_for_overpass_is_anchored():
    assert '["highway"~"^(living_street|motorway|' in way_rule("drive").overpass_filter()
    assert '["access"!~"^(private)$"]' in way_rule("drive").overpass_filter()
    assert way_rule("secondary,primary").overpass_filter() == (
        '["highway"~"^(primary|secondary)$"]["area"!~"^(1|true|yes)$"]'
    )
    assert way_rule("all").overpass_filter().startswith('["highway"]["highway"!~"^(abandoned|')
