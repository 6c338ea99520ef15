"""Which ways belong to which network."""

import osmium
import pytest

from geoeval.exceptions import EmptyInputError, ParameterError
from geoeval.readers.osm.osm_roads import read_osm
from geoeval.readers.osm.way_classes import NETWORK_TYPES, way_rule
from geoeval.scale.store.osm_store import store_osm
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
    ({"highway": "cycleway"}, "bike all cycle"),
    ({"highway": "path"}, "walk bike all"),
    ({"highway": "pedestrian"}, "walk bike all"),
    ({"highway": "busway"}, "all"),
    ({"highway": "construction"}, ""),
    ({"highway": "proposed"}, ""),
    ({"highway": "platform"}, ""),
    ({"highway": "raceway"}, ""),
    ({"highway": "abandoned"}, ""),
    ({"railway": "rail"}, "rail"),
    ({"railway": "abandoned"}, ""),
    ({"railway": "tram", "highway": "residential"}, "drive walk bike all rail"),
    ({"highway": "path", "bicycle": "designated"}, "walk bike all cycle"),
    ({"highway": "residential", "cyclestreet": "yes"}, "drive walk bike all cycle"),
    ({"highway": "construction", "bicycle": "designated"}, ""),
    ({"power": "minor_line"}, "power"),
    ({"power": "substation"}, ""),
    ({"waterway": "stream"}, "waterway"),
    ({"waterway": "dam"}, ""),
    ({"man_made": "pipeline"}, "pipeline"),
    ({"route": "ferry"}, "ferry"),
    ({"aeroway": "taxiway"}, "aeroway"),
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


@pytest.mark.parametrize(
    "wrong",
    [
        "car",
        "",
        "drive,walk",
        "primary,primry",
        [],
        ["drive"],
        [1],
        ["é"],
        [""],
        "railway=",
        "=tram",
        "tram,railway=rail",
        ["a=b", 1],
        'a="b',
        "a=b=c",
        "ä=b",
    ],
)
def test_unknown_network_type_names_the_choices(tmp_path, wrong):
    with pytest.raises(ParameterError, match="drive, walk, bike, all"):
        read_osm(tmp_path / "not-even-opened.osm", network_type=wrong)


def test_the_rule_for_overpass_is_anchored():
    assert '["highway"~"^(living_street|motorway|' in way_rule("drive").overpass_filter()[0]
    assert '["access"!~"^(private)$"]' in way_rule("drive").overpass_filter()[0]
    assert way_rule("secondary,primary").overpass_filter() == [
        '["highway"~"^(primary|secondary)$"]["area"!~"^(1|true|yes)$"]'
    ]
    assert way_rule("route=ferry,railway=*").overpass_filter() == [
        '["railway"]["area"!~"^(1|true|yes)$"]',
        '["route"~"^(ferry)$"]["area"!~"^(1|true|yes)$"]',
    ]
    assert way_rule("ref=A 7.1").overpass_filter()[0].startswith(r'["ref"~"^(A 7\\.1)$"]')
    assert way_rule("all").overpass_filter()[0].startswith('["highway"]["highway"!~"^(abandoned|')


TAGGED = [
    {"railway": "tram"},
    {"railway": "rail", "name": "railway=tram"},
    {"highway": "residential", "railway": "tram"},
    {"highway": "tertiary"},
    {"waterway": "river", "ref": "A 7, é=%"},
    {"waterway": "riverbank"},
    {"route": "ferry"},
    {"my:railway": "tram"},
    {"ref": "A 7"},
]


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("railway=tram", [0, 2]),
        ("railway=tram,rail", [0, 1, 2]),
        (["railway=tram", "rail"], [0, 1, 2]),
        ("highway=residential,tertiary", [2, 3]),
        ("waterway=*", [4, 5]),
        ("waterway=*,railway=rail", [1, 4, 5]),
        ("highway=tertiary, route=ferry", [3, 6]),
        ("highway=*,railway=*", [0, 1, 2, 3]),
        ("ref=A 7", [8]),
        ("my:railway=tram", [7]),
    ],
)
def test_any_tag_makes_a_network(tmp_path, suffix, asked, found):
    """Also in the store that a file is streamed into, with facts and a place of its own."""
    ways = [way(500 + i, [1, 2, 5], tags) for i, tags in enumerate(TAGGED)]
    path = write(tmp_path / f"tags{suffix}", xml(*NODES, *ways))
    network = read_osm(path, network_type=asked)
    assert {*network.source_ids.tolist(), *network.duplicate_ids.tolist()} == {500 + i for i in found}
    store = store_osm(path, tmp_path / "tags.parquet", network_type=asked)
    assert {int(name) for batch in store.batches() for name in batch.source} == {500 + i for i in found}


def test_rules_have_one_name_each():
    """It names the store that is kept for a file."""
    names = [way_rule(asked).name for asked in (*NETWORK_TYPES, "railway=tram", "railway=*", "tram=railway", "primary")]
    assert len(set(names)) == len(names)
    assert way_rule("railway=tram,rail").name == way_rule(["railway=rail", "railway=tram"]).name
    assert way_rule("b=2,a=1").name == way_rule("a=1,b=2").name == "a=1,b=2"


def test_closed_ways_are_areas_only_where_their_tags_say_so(tmp_path):
    ring = [1, 2, 5, 1]
    kinds = [{"waterway": "riverbank"}, {"waterway": "canal"}, {"power": "substation"}, {"landuse": "forest"}]
    path = write(tmp_path / "rings.osm.pbf", xml(*NODES, *(way(7 + i, ring, tags) for i, tags in enumerate(kinds))))
    assert set(read_osm(path, network_type="waterway=*").source_ids.tolist()) == {8}
    assert set(read_osm(path, network_type="landuse=forest").source_ids.tolist()) == {10}
    with pytest.raises(EmptyInputError, match="it has substation"):
        read_osm(path, network_type="power")


def test_networks_of_a_real_extract(data):
    """The number of ways is that of a plain loop over the file."""
    path = data / "osm" / "valhalla_liechtenstein-latest.osm.pbf"
    for asked, key, values in (
        ("rail", "railway", NETWORK_TYPES["rail"].tags["railway"]),
        ("waterway=*", "waterway", None),
    ):
        ways = osmium.FileProcessor(str(path), osmium.osm.WAY).with_filter(osmium.filter.KeyFilter(key))
        expected = {item.id for item in ways if values is None or item.tags[key] in values}
        network = read_osm(path, network_type=asked)
        found = {*network.source_ids.tolist(), *network.duplicate_ids.tolist()}
        assert found <= expected
        assert len(expected - found) <= sum(network.problems.values())
        assert len(found) > 20
