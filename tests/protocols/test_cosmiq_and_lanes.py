"""CosmiQ's scores and those of lane graphs: published numbers, and what stands on the map."""

import pickle

import networkx as nx
import numpy as np
import pytest

from geoeval import RoadNetwork, evaluate
from geoeval.protocols.cosmiq.apls import cosmiq_apls
from geoeval.protocols.cosmiq.line_graph import LineGraph
from geoeval.protocols.registry import PROTOCOLS
from tests.benchmarks.apls_vegas import load, without_link
from tests.protocols.sat2graph.test_topo import road, straight


def score(protocol, reference, prediction, **parameters):
    return evaluate(reference, prediction, protocol=protocol, parameters={protocol: parameters})


@pytest.fixture(scope="module")
def chip(data):
    folder = data / "protocols" / "cosmiq"
    return folder / "img0_truth.gpickle", folder / "img0_proposal.gpickle"


def test_apls_is_that_of_the_program(chip):
    """All five decimals that it prints."""
    scores = score("cosmiq-apls", *chip).scores["cosmiq-apls"]
    ways = scores["reference_to_prediction"], scores["prediction_to_reference"], scores["apls"]
    assert ways == pytest.approx((0.81109, 0.70812, 0.75611), abs=1e-5)


def test_apls_of_files_of_lines(data):
    """The same chip from its label and the submitted table, less the link that the program's graph lacks."""
    label, submitted = load(data / "roads" / "vegas")
    scores = score("cosmiq-apls", without_link(label), submitted).scores["cosmiq-apls"]
    ways = scores["reference_to_prediction"], scores["prediction_to_reference"], scores["apls"]
    assert ways == pytest.approx((0.777, 0.687, 0.729), abs=0.002)


def test_control_points_of_cosmiq_are_on_the_map():
    reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    prediction = RoadNetwork.from_lines([[(0, 0), (60, 0)], [(0, 50), (30, 50)]], crs="EPSG:32610")
    points = score("cosmiq-apls", reference, prediction).errors["points"]
    places = {(kind, *spot.coords[0]) for kind, spot in zip(points["kind"], points.geometry, strict=True)}
    assert places >= {("unmatched_hole", 100.0, 0.0), ("unmatched_marble", 0.0, 50.0), ("unmatched_marble", 30.0, 50.0)}


def test_many_nodes_are_drawn_by_the_seed():
    """From few_nodes on there are no points along edges, and max_nodes of the nodes are drawn."""
    streets = [[(40.0 * i, 0.0), (40.0 * i, 40.0)] for i in range(12)]
    streets += [[(40.0 * i, y), (40.0 * i + 40.0, y)] for i in range(11) for y in (0.0, 40.0)]
    whole, part = RoadNetwork.from_lines(streets), RoadNetwork.from_lines(streets[:-3])
    drawn = {"few_nodes": 10, "max_nodes": 8, "repeats": 5}
    one, same = (score("cosmiq-apls", whole, part, **drawn).scores["cosmiq-apls"] for _ in range(2))
    assert one == same
    assert one["sd"] > 0.0
    counts = score("cosmiq-apls", whole, part, **drawn).counts["cosmiq-apls"]
    assert counts["reference_to_prediction_points"] == 8.0
    alone = score("cosmiq-apls", whole, part, few_nodes=10).scores["cosmiq-apls"]
    assert alone["sd"] == 0.0


def test_above_a_thousand_nodes_only_edges_at_the_nearest_nodes_are_seen():
    """A long edge beside a crowd of small ones is not found there, near as it is."""
    rng = np.random.default_rng(0)
    crowd = rng.uniform(0, 100, (1200, 2)) + np.array([1000.0, 50.0])
    nodes = np.concatenate([[[0.0, 0.0], [2000.0, 0.0]], crowd])
    ends = np.array([[0, 1], *([i, i + 1] for i in range(2, 1200, 2))])
    lines = [nodes[pair] for pair in ends]
    lengths = np.array([float(np.hypot(*(line[1] - line[0]))) for line in lines])
    keep = {"min_component": 0.0, "min_predicted_component": 0.0}
    other = LineGraph(nodes, ends, lines, lengths)
    place = np.array([[1050.0, 1.0], [1060.0, 1.0]])
    own = LineGraph(place, np.array([[0, 1]]), [place], np.array([10.0]))
    assert cosmiq_apls(own, other, **keep).counts["reference_to_prediction_missing"] == 2.0
    few = LineGraph(nodes[:900], ends[:450], lines[:450], lengths[:450])
    assert cosmiq_apls(own, few, **keep).counts["reference_to_prediction_missing"] == 0.0


def test_small_parts_are_left_out():
    reference = RoadNetwork.from_lines([[(0, 0), (100, 0)], [(0, 50), (4, 50)]])
    prediction = RoadNetwork.from_lines([[(0, 0), (100, 0)], [(0, 90), (2, 90)]])
    assert score("cosmiq-apls", reference, prediction).scores["cosmiq-apls"]["apls"] == 1.0
    kept = score("cosmiq-apls", reference, prediction, min_component=0).scores["cosmiq-apls"]
    assert kept["reference_to_prediction"] == pytest.approx(6 / 8)


def test_draws_of_cosmiq_topo_have_a_mean_and_a_spread(chip):
    one, same = (score("cosmiq-topo", *chip, repeats=10).scores["cosmiq-topo"] for _ in range(2))
    assert one == same
    assert 0.0 < one["sd"] < 0.1
    points = score("cosmiq-topo", *chip).errors["points"]
    assert set(points["kind"]) == {"unmatched_hole", "unmatched_marble"}


def test_lanes_without_a_partner_are_on_the_map():
    result = score("lane-geo-topo", straight(400, row=200), straight(300, row=200))
    lines = result.errors["lines"]
    assert lines["kind"].tolist() == ["unmatched_hole"]
    assert lines["length_m"].sum() == pytest.approx(100, abs=10)
    assert result.scores["lane-geo-topo"]["geo_precision"] == 1.0


def test_whole_pixels_as_in_lanegnn():
    """Rows 100.9 and 108.2 are 7.3 px apart, cut to whole ones 8 px, which is too far."""
    lanes = [road((row, 100.0), (row, 200.0)) for row in (100.9, 108.2)]
    found = [score("lane-geo-topo", *lanes, truncate=cut).scores["lane-geo-topo"]["geo_f1"] for cut in (False, True)]
    assert found == [1.0, 0.0]


def test_a_directed_gpickle_is_read_as_a_network(tmp_path):
    """Its roads are listed in both directions, and would have control points twice."""
    graph = nx.MultiDiGraph(crs="EPSG:32610")
    graph.add_node(0, x=500000.0, y=4000000.0)
    graph.add_node(1, x=500100.0, y=4000000.0)
    for ends in ((0, 1), (1, 0)):
        graph.add_edge(*ends, length=120.0)
    counts = {}
    for kind, one in (("directed", graph), ("undirected", nx.MultiGraph(nx.Graph(graph)))):
        one.graph["crs"] = "EPSG:32610"
        path = tmp_path / f"{kind}.gpickle"
        path.write_bytes(pickle.dumps(one))
        counts[kind] = score("cosmiq-apls", path, path).counts["cosmiq-apls"]["reference_to_prediction_points"]
    # 120 m as stated make three parts, the 100 m of the line two.
    assert counts == {"directed": 3.0, "undirected": 4.0}


STREET, HOOK, BRANCH = [(0, 0), (80, 20), (200, 50)], [(0, 0), (0, 120), (60, 120)], [(0, 0), (-90, 10)]
TOWN = [STREET, HOOK, BRANCH, [(200, 50), (300, 0)], [(200, 50), (210, 150)]]
LOOP = [(200, 50), (260, 50), (260, 90), (200, 90), (200, 50)]


@pytest.mark.parametrize("name", ["cosmiq-apls", "cosmiq-topo"])
@pytest.mark.parametrize(
    "extra",
    [
        pytest.param([LOOP], id="loop"),
        pytest.param([[(0, 0), (40, 10), (120, 30), (200, 50)]], id="the same road with other vertices"),
        pytest.param([[(200, 50), (40, 10), (0, 0)]], id="the same road backwards"),
    ],
)
def test_loops_and_roads_that_stand_twice_are_left_out(name, extra):
    """As the program does with lines; a second road beside the first stays."""
    plain, other, more = (RoadNetwork.from_lines(lines) for lines in (TOWN, [STREET, HOOK], [*TOWN, *extra]))
    assert score(name, more, other).scores == score(name, plain, other).scores
    own, same = (sorted(LineGraph.from_network(one).lengths.tolist()) for one in (plain, more))
    assert same == pytest.approx(own)
    beside = RoadNetwork.from_lines([*TOWN, [(0, 0), (100, 3), (200, 50)]])
    assert len(LineGraph.from_network(beside).lines) == len(TOWN) + 1
    assert PROTOCOLS[name].version == "2"
