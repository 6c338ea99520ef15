"""OpenStreetMap files: which ways, joined where, with what missing."""

import contextlib
import itertools
import random
from collections import Counter

import numpy as np
import osmium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import CRSError, EmptyInputError, GeoevalError, ParameterError, UnreadableInputError
from geoeval.model.network import RoadNetwork
from geoeval.readers import osm_nodes
from geoeval.readers.osm import read_osm
from geoeval.readers.osm_classes import NETWORK_TYPES, way_rule
from tests.readers.osm_files import (
    SUFFIXES,
    geodesic_length,
    node,
    segments_by_hand,
    segments_of,
    way,
    write,
    xml,
)

ROAD = {"highway": "residential"}
# A crossroads at node 3, and a bridge over it whose vertex 13 lies exactly above node 3.
NODES = [
    node(1, 8.680, 49.410),
    node(2, 8.681, 49.410),
    node(3, 8.682, 49.410),
    node(4, 8.683, 49.410),
    node(5, 8.682, 49.411),
    node(11, 8.681, 49.409),
    node(13, 8.682, 49.410),
    node(15, 8.683, 49.411),
]
WAYS = [
    way(100, [1, 2, 3, 4], ROAD | {"name": "Straße, = 1 %"}),
    way(101, [3, 5], {"highway": "primary"}),
    way(102, [11, 13, 15], {"highway": "secondary", "bridge": "yes"}),
    way(103, [1, 5], {"highway": "footway"}),
    way(104, [1, 2, 3], {"building": "yes"}),
]
TOWN = xml(*NODES, *WAYS)


def same(a, b):
    return (
        np.array_equal(a.nodes, b.nodes)
        and np.array_equal(a.segments, b.segments)
        and np.array_equal(a.source_ids, b.source_ids)
    )


# ---------------------------------------------------------------------- files


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_kind_of_file_against_a_parser_of_its_own(tmp_path, suffix):
    network = read_osm(write(tmp_path / f"town{suffix}", TOWN))
    expected = segments_by_hand(TOWN, lambda tags: tags.get("highway") in {"residential", "primary", "secondary"})
    assert segments_of(network) == expected
    assert len(network.segments) == len(expected) == 6
    assert network.source_ids.dtype == np.int64
    assert network.length == pytest.approx(geodesic_length(expected), rel=1e-3)
    assert network.crs.to_epsg() == 32632
    assert network.problems == {}


def test_the_content_tells_the_kind_and_not_the_name(tmp_path):
    packed = write(tmp_path / "town.osm.bz2", TOWN).rename(tmp_path / "town.osm")
    assert len(read_osm(packed).segments) == 6


def test_a_bridge_does_not_join_the_road_below(tmp_path):
    network = read_osm(write(tmp_path / "town.osm.pbf", TOWN))
    assert network.components.max() == 1
    assert sorted(network.degrees.tolist()) == [1, 1, 1, 1, 1, 2, 2, 3]
    joined = TOWN.replace('ref="13"', 'ref="3"')
    assert read_osm(write(tmp_path / "joined.osm.pbf", joined)).components.max() == 0


edges = st.lists(st.integers(1, 9), min_size=1, max_size=5)
classes = st.sampled_from(["primary", "residential", "footway", "construction", None])


@settings(max_examples=25)
@given(
    ways=st.lists(st.tuples(edges, classes), min_size=1, max_size=5),
    absent=st.sets(st.integers(1, 9), max_size=4),
    shift=st.sampled_from([0, -20, 10**10]),
    seed=st.integers(0, 99),
)
def test_random_files_in_any_order_against_a_parser_of_their_own(tmp_path_factory, ways, absent, shift, seed):
    nodes = [node(i + shift, 8 + 0.001 * (i % 3), 49 + 0.001 * (i // 3)) for i in range(1, 10) if i not in absent]
    items = [
        way(i + 1, [ref + shift for ref in refs], {"highway": name} if name else {})
        for i, (refs, name) in enumerate(ways)
    ]
    expected = segments_by_hand(xml(*nodes, *items), lambda tags: tags.get("highway") in {"primary", "residential"})
    random.Random(seed).shuffle(items)
    random.Random(seed).shuffle(nodes)
    text = xml(*items, *nodes) if seed % 2 else xml(*nodes, *items)
    folder = tmp_path_factory.mktemp("random")
    for suffix in (".osm", ".osm.pbf"):
        path = write(folder / f"random{suffix}", text)
        if not expected:
            with pytest.raises(EmptyInputError):
                read_osm(path)
        else:
            network = read_osm(path)
            assert segments_of(network) == expected
            unknown = [[ref in absent for ref in refs] for refs, name in ways if name in {"primary", "residential"}]
            used = {ref for refs, name in ways if name in {"primary", "residential"} and len(refs) > 1 for ref in refs}
            assert network.problems.get("missing_nodes", 0) == len(used & absent)
            several = [flags for flags in unknown if len(flags) > 1]
            assert network.problems.get("ways_with_missing_nodes", 0) == sum(any(flags) for flags in several)


def test_order_of_the_file_leaves_no_trace(tmp_path):
    twice = way(99, [4, 3], {"highway": "tertiary"})  # the same course as a part of way 100
    one = read_osm(write(tmp_path / "a.osm.pbf", xml(*NODES, *WAYS, twice)))
    other = read_osm(write(tmp_path / "b.osm.pbf", xml(twice, *WAYS[::-1], *NODES[::-1])))
    assert same(one, other)
    assert one.problems == other.problems == {"duplicate_segments": 1}
    assert one.duplicate_ids.tolist() == [100]


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


# ---------------------------------------------------------------------- which ways

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


def test_the_rule_for_overpass_is_anchored():
    assert '["highway"~"^(living_street|motorway|' in way_rule("drive").overpass_filter()
    assert '["access"!~"^(private)$"]' in way_rule("drive").overpass_filter()
    assert way_rule("secondary,primary").overpass_filter() == (
        '["highway"~"^(primary|secondary)$"]["area"!~"^(1|true|yes)$"]'
    )
    assert way_rule("all").overpass_filter().startswith('["highway"]["highway"!~"^(abandoned|')


# ---------------------------------------------------------------------- what is missing


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
def test_ways_with_missing_nodes_are_kept_where_two_in_a_row_are_known(tmp_path, suffix):
    ways = [
        way(1, [1, 2, 900, 3, 4], ROAD),
        way(2, [5, 900, 11, 901, 15], ROAD),  # no two in a row
        way(3, [902, 2, 5], ROAD),
    ]
    network = read_osm(write(tmp_path / f"cut{suffix}", xml(*NODES, *ways)))
    assert sorted(network.source_ids.tolist()) == [1, 1, 3]
    assert network.problems == {"missing_nodes": 3, "ways_with_missing_nodes": 3}
    assert len(network.nodes) == 5


def test_a_node_outside_the_world_is_missing(tmp_path):
    odd = [node(901, 8.68, 91.0), node(902, 200, 49.4), '<node id="903" version="1"/>']
    text = xml(*NODES, *odd, way(1, [1, 2, 901, 902, 903], ROAD))
    for suffix in (".osm", ".osm.pbf"):
        network = read_osm(write(tmp_path / f"odd{suffix}", text))
        assert len(network.segments) == 1
        assert network.problems["missing_nodes"] == 3


def test_ways_without_any_of_their_nodes(tmp_path):
    with pytest.raises(EmptyInputError, match=r"1 roads .* complete ways"):
        read_osm(write(tmp_path / "x.osm.pbf", xml(NODES[0], way(1, [1, 2], ROAD))))


def test_short_ways_do_not_shift_the_others(tmp_path):
    ways = [way(1, [], ROAD), way(2, [1], ROAD), way(3, [2, 5], ROAD), way(4, [3, 3, 4], ROAD)]
    for suffix in (".osm", ".osm.pbf"):
        network = read_osm(write(tmp_path / f"short{suffix}", xml(*NODES, *ways)))
        assert sorted(network.source_ids.tolist()) == [3, 4]
        assert network.problems == {"zero_length_segments": 1}


@pytest.mark.parametrize("suffix", [".osm", ".osm.pbf"])
def test_negative_ids_of_an_editor(tmp_path, suffix):
    text = TOWN.replace('id="', 'id="-').replace('ref="', 'ref="-')
    network = read_osm(write(tmp_path / f"new{suffix}", text))
    assert segments_of(network) == segments_by_hand(
        text, lambda tags: tags.get("highway") in {"residential", "primary", "secondary"}
    )
    assert set(network.source_ids.tolist()) == {-100, -101, -102}


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


@pytest.mark.parametrize("suffix", [".osm", ".osm.gz", ".osm.bz2"])
def test_what_the_user_of_josm_deleted_is_gone(tmp_path, suffix):
    elements = [*NODES[:-1], node(15, 8.683, 49.411, action="delete"), *WAYS[1:], way(7, [1, 2], ROAD, action="delete")]
    network = read_osm(write(tmp_path / f"josm{suffix}", xml(*elements, generator="JOSM")))
    assert sorted(network.source_ids.tolist()) == [101, 102]
    assert network.problems == {"missing_nodes": 1, "ways_with_missing_nodes": 1}


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


# ---------------------------------------------------------------------- metres


def test_both_sides_of_the_antimeridian_are_near(tmp_path):
    text = xml(node(1, 179.999, -17), node(2, -179.999, -17), way(1, [1, 2], ROAD))
    network = read_osm(write(tmp_path / "fiji.osm.pbf", text))
    assert network.length == pytest.approx(geodesic_length(segments_by_hand(text, bool)), rel=1e-3)


def test_another_geographic_crs_is_taken_and_a_projected_one_refused(tmp_path):
    path = write(tmp_path / "town.osm.pbf", TOWN)
    assert read_osm(path, crs="EPSG:4258").length == pytest.approx(read_osm(path).length, rel=1e-6)
    with pytest.raises(CRSError, match="in degrees"):
        read_osm(path, crs="EPSG:32632")


# ---------------------------------------------------------------------- refusals


def _refused(path, error=UnreadableInputError):
    with pytest.raises(error) as caught:
        read_osm(path)
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_files_are_refused_in_one_line(tmp_path, suffix):
    content = write(tmp_path / f"whole{suffix}", TOWN * 1).read_bytes()
    path = tmp_path / f"damaged{suffix}"
    for keep in (1, 10, len(content) // 3, len(content) - 9):
        path.write_bytes(content[:keep])
        _refused(path)
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
    assert says in _refused(tmp_path / name)


def test_missing_files_and_folders_are_refused(tmp_path):
    assert "no such file" in _refused(tmp_path / "nowhere.osm")
    assert "cannot be opened" in _refused(tmp_path)


def test_a_file_without_roads_says_what_it_has(tmp_path):
    assert "no ways with a highway" in _refused(write(tmp_path / "a.osm", xml(*NODES)), EmptyInputError)
    foot = write(tmp_path / "b.osm.pbf", xml(*NODES, way(1, [1, 2], {"highway": "footway"})))
    assert "footway (1)" in _refused(foot, EmptyInputError)
    point = write(tmp_path / "d.osm.pbf", xml(*NODES, way(1, [1, 1], ROAD)))
    assert "no length" in _refused(point, EmptyInputError)
    private = write(tmp_path / "c.osm.pbf", xml(*NODES, way(1, [1, 2], ROAD | {"access": "private"})))
    assert "all 1 ways of its classes are private" in _refused(private, EmptyInputError)


# ---------------------------------------------------------------------- osmnx


@pytest.fixture(scope="module")
def streets(tmp_path_factory):
    """Two-way streets, a one-way loop at a node, and two roads between the same junctions."""
    tags = {"highway": "residential"}
    elements = [
        *(node(i, 8.68 + dx / 1000, 49.41 + dy / 1000) for i, (dx, dy) in enumerate(
            [(0, 0), (1, 0), (2, 0), (3, 0), (1.5, 0.7), (1.5, -0.6), (3.5, 0.4), (3.5, -0.4), (0, 1)], start=1)),
        way(1, [1, 2], tags),
        way(2, [2, 5, 3], tags),
        way(3, [2, 6, 3], tags | {"oneway": "yes"}),
        way(4, [3, 4], tags),
        way(5, [4, 7, 8, 4], tags | {"oneway": "yes"}),
        way(6, [1, 9], tags),
        way(7, [9, 1], tags),  # a second way over the first
    ]  # fmt: skip
    return write(tmp_path_factory.mktemp("osmnx") / "streets.osm", xml(*elements))


def test_osmnx_graphs_give_the_network_of_the_file(streets):
    import osmnx

    expected = read_osm(streets)
    plain = osmnx.graph_from_xml(streets, simplify=False, retain_all=True)
    simplified = osmnx.simplify_graph(plain.copy(), remove_rings=False)
    assert len(simplified) < len(plain)
    for graph in (plain, osmnx.project_graph(plain), osmnx.convert.to_undirected(plain)):
        network = RoadNetwork.from_osmnx(graph)
        assert np.allclose(network.nodes, expected.nodes, atol=2e-6, rtol=0)
        assert np.array_equal(network.segments, expected.segments)
        assert [*map(str, network.source_ids)] == [*map(str, expected.source_ids)]
        assert len(network.duplicates) == len(expected.duplicates) == 1
    for graph in (simplified, osmnx.project_graph(simplified)):
        network = RoadNetwork.from_osmnx(graph)
        assert segments_of_any(network) == segments_of_any(expected)
        again = RoadNetwork.from_networkx(network.to_networkx())
        assert same(again, network)


def segments_of_any(network):
    return Counter(ends for _, ends in segments_of(network))


def test_osmnx_graphml_keeps_the_graph(streets, tmp_path):
    import osmnx

    graph = osmnx.graph_from_xml(streets, simplify=True, retain_all=True)
    osmnx.save_graphml(graph, tmp_path / "streets.graphml")
    again = RoadNetwork.from_osmnx(osmnx.load_graphml(tmp_path / "streets.graphml"))
    assert same(again, RoadNetwork.from_osmnx(graph))


def test_ids_follow_a_course_that_is_turned_round():
    import networkx as nx
    from shapely.geometry import LineString

    course = LineString([(0, 0), (50, 10), (100, 0)])
    for line, names in ((course, ["first", "second"]), (course.reverse(), ["second", "first"])):
        graph = nx.MultiGraph(crs="EPSG:32632")
        graph.add_node("a", x=0, y=0)
        graph.add_node("b", x=100, y=0)
        graph.add_edge("a", "b", geometry=line, source_ids=names)
        network = RoadNetwork.from_networkx(graph)
        assert dict(zip(network.nodes[network.segments].mean(axis=1)[:, 0], network.source_ids, strict=True)) == {
            25.0: "first",
            75.0: "second",
        }


def test_both_directions_are_one_road_and_anything_else_is_a_duplicate():
    import networkx as nx

    for pairs, directions, duplicates in (
        ([("a", "b", 1), ("b", "a", 1)], 1, 0),
        ([("a", "b", None), ("b", "a", None)], 1, 0),
        ([("a", "b", [1, 2]), ("b", "a", [2, 1])], 1, 0),
        ([("a", "b", 1), ("b", "a", 2)], 0, 1),
        ([("a", "b", 1), ("a", "b", 1)], 0, 1),
        ([("a", "b", 1), ("a", "b", 1), ("b", "a", 1), ("b", "a", 1)], 2, 1),
    ):
        graph = nx.MultiDiGraph(crs="EPSG:32632")
        graph.add_node("a", x=0, y=0)
        graph.add_node("b", x=100, y=0)
        for u, v, name in pairs:
            graph.add_edge(u, v, **({} if name is None else {"osmid": name}))
        network = RoadNetwork.from_osmnx(graph)
        assert network.length == 100
        assert network.problems.get("edges_in_both_directions", 0) == directions
        assert len(network.duplicates) == duplicates


# ---------------------------------------------------------------------- real files


def test_every_real_file_is_read(data):
    paths = sorted([*(data / "osm").iterdir(), *(data / "roads" / "dc").iterdir()])
    assert len(paths) >= 12
    for path in paths:
        network = read_osm(path)
        assert network.length > 0, path
        assert network.scale_error <= 1e-3


def test_real_extracts_against_a_plain_loop_over_osmium(data):
    for name, network_type in (
        ("otp_portland-central-filtered.osm.pbf", "primary,residential"),  # has negative ids
        ("valhalla_melborne.osm.pbf", "all"),  # lacks nodes
        ("r5_fiji-ferry.osm.pbf", "drive"),
    ):
        path, rule = data / "osm" / name, way_rule(network_type)
        places = {item.id: (item.lon, item.lat) for item in osmium.FileProcessor(str(path), osmium.osm.NODE)}
        expected, missing = set(), set()
        for item in osmium.FileProcessor(str(path), osmium.osm.WAY):
            if not rule.takes_class(item.tags.get("highway")) or item.tags.get("area") == "yes":
                continue
            if any(item.tags.get(key) in values for key, values in rule.without_tags.items()):
                continue
            refs = [ref.ref for ref in item.nodes]
            missing.update(ref for ref in refs if ref not in places)
            for a, b in itertools.pairwise(refs):
                if a in places and b in places:
                    ends = frozenset((round(x * 1e7), round(y * 1e7)) for x, y in (places[a], places[b]))
                    expected.add((item.id, ends))
        network = read_osm(path, network_type=network_type)
        assert segments_of(network) == expected, name
        assert network.problems.get("missing_nodes", 0) == len(missing)
        assert network.length == pytest.approx(geodesic_length(expected), rel=1e-3)


def test_fiji_is_as_wide_as_fiji(data):
    minx, _, maxx, _ = read_osm(data / "osm" / "r5_fiji-ferry.osm.pbf").bounds
    assert 180_000 < maxx - minx < 190_000


def test_a_real_osmnx_graph_makes_the_round_trip(data, tmp_path):
    import bz2

    import osmnx

    packed = data / "osm" / "osmnx_West-Oakland.osm.bz2"
    path = tmp_path / "oakland.osm"
    path.write_bytes(bz2.decompress(packed.read_bytes()))
    plain = osmnx.graph_from_xml(path, simplify=False, retain_all=True)
    ways = [tuple(edge) for *edge, highway in plain.edges(keys=True, data="highway") if highway]
    roads = RoadNetwork.from_osmnx(plain.edge_subgraph(ways))
    expected = read_osm(packed, network_type="all")
    assert np.allclose(roads.nodes, expected.nodes, atol=2e-6, rtol=0)
    assert np.array_equal(roads.segments, expected.segments)
    assert np.array_equal(roads.source_ids, expected.source_ids)

    graph = osmnx.graph_from_xml(path, simplify=True, retain_all=True)
    assert any(count > 1 for count in Counter((u, v) for u, v in graph.edges()).values())
    network = RoadNetwork.from_osmnx(graph)
    assert np.allclose(RoadNetwork.from_osmnx(osmnx.project_graph(graph)).nodes, network.nodes, atol=2e-6, rtol=0)
    assert same(RoadNetwork.from_networkx(network.to_networkx()), network)
    lengths = sum(length for *_, length in osmnx.convert.to_undirected(graph).edges(data="length"))
    doubled = np.linalg.norm(np.diff(network.nodes[network.duplicates], axis=1), axis=-1).sum()
    assert network.length + doubled == pytest.approx(lengths, rel=2e-3)  # osmnx measures on a sphere
