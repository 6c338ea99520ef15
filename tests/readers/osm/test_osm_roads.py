"""Roads of OpenStreetMap: joined where, with what missing, and the same through osmnx."""

import itertools
import random
from collections import Counter

import numpy as np
import osmium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import CRSError, EmptyInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.osm.osm_roads import read_osm
from geoeval.readers.osm.way_classes import way_rule
from tests.readers.osm.osm_files import (
    NODES,
    ROAD,
    SUFFIXES,
    TOWN,
    WAYS,
    geodesic_length,
    node,
    same,
    segments_by_hand,
    segments_of,
    way,
    write,
    xml,
)


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


def test_ways_without_any_of_their_nodes(tmp_path):
    with pytest.raises(EmptyInputError, match=r"1 roads .* complete ways"):
        read_osm(write(tmp_path / "x.osm.pbf", xml(NODES[0], way(1, [1, 2], ROAD))))


def test_both_sides_of_the_antimeridian_are_near(tmp_path):
    text = xml(node(1, 179.999, -17), node(2, -179.999, -17), way(1, [1, 2], ROAD))
    network = read_osm(write(tmp_path / "fiji.osm.pbf", text))
    assert network.length == pytest.approx(geodesic_length(segments_by_hand(text, bool)), rel=1e-3)


def test_another_geographic_crs_is_taken_and_a_projected_one_refused(tmp_path):
    path = write(tmp_path / "town.osm.pbf", TOWN)
    assert read_osm(path, crs="EPSG:4258").length == pytest.approx(read_osm(path).length, rel=1e-6)
    with pytest.raises(CRSError, match="in degrees"):
        read_osm(path, crs="EPSG:32632")


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
