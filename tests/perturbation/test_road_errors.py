"""Known errors: what was said to be done was done, and nothing else."""

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval import GeoevalError, RoadNetwork, evaluate_roads, perturb
from geoeval.perturbation.perturb import REFERENCE_ERRORS, magnitudes_of, parse_magnitudes
from geoeval.perturbation.road_errors import ERRORS
from tests.networks import BRIDGE, CRS, LINE, grid, network, noisy, small_lines

TOWN = network(noisy(grid(6, 6, 300.0), 5.0))


def union(roads: RoadNetwork):
    return shapely.union_all(roads.lines)


def cycles(roads: RoadNetwork) -> int:
    parts = len(np.unique(roads.components)) if len(roads.nodes) else 0
    return len(roads.segments) - len(roads.nodes) + parts


def components(roads: RoadNetwork) -> int:
    return len(np.unique(roads.components))


@pytest.mark.parametrize("seed", range(3))
def test_interruptions_take_their_gaps_out_and_nothing_else(seed):
    made = perturb(TOWN, "interruptions", 12, seed=seed, gap=10.0)
    lines = made.errors["lines"]
    assert made.count == len(lines) == 12
    assert made.reference is TOWN
    assert (lines["kind"] == "break").all()
    assert lines["length_m"].to_numpy() == pytest.approx(10.0)
    assert made.prediction.length == pytest.approx(TOWN.length - 120.0)
    # The network is the prediction and the gaps, and they share their ends only.
    gaps = shapely.union_all(lines.geometry.to_numpy())
    assert union(made.prediction).intersection(gaps.buffer(1e-4)).length == pytest.approx(0, abs=1e-2)
    assert gaps.difference(union(TOWN).buffer(1e-4)).length == pytest.approx(0, abs=1e-6)
    assert made.prediction.degrees[made.prediction.degrees == 1].sum() == 24
    ids = [set(value.split(",")) for value in lines["ref_id"]]
    assert all(own <= {str(i) for i in TOWN.source_ids} for own in ids)


@pytest.mark.parametrize("seed", range(3))
def test_overconnections_join_places_of_roads(seed):
    made = perturb(TOWN, "overconnections", 8, seed=seed, shortest=80.0, longest=150.0)
    lines = made.errors["lines"]
    assert made.count == 8
    assert lines["length_m"].between(80.0, 150.0).all()
    assert made.prediction.length == pytest.approx(TOWN.length + lines["length_m"].sum())
    assert cycles(made.prediction) == cycles(TOWN) + 8
    ends = shapely.get_coordinates(lines.geometry.to_numpy())
    assert TOWN.nearest(ends).distance.max() < 1e-5
    for line in lines.geometry:
        assert made.prediction.nearest(shapely.get_coordinates(line.segmentize(5.0))).distance.max() < 1e-5
        assert TOWN.nearest(shapely.get_coordinates(line.interpolate(0.5, normalized=True))).distance[0] >= 80 / 4


@pytest.mark.parametrize("seed", range(3))
def test_perturbations_move_nodes_and_disconnect_nothing(seed):
    made = perturb(TOWN, "perturbations", 7, seed=seed, displacement=12.5)
    lines = made.errors["lines"]
    assert lines["length_m"].to_numpy() == pytest.approx(12.5)
    assert (len(made.prediction.nodes), len(made.prediction.segments)) == (len(TOWN.nodes), len(TOWN.segments))
    assert sorted(made.prediction.degrees) == sorted(TOWN.degrees)
    old, new = ({tuple(xy) for xy in one.nodes.round(4)} for one in (TOWN, made.prediction))
    begin, end = (shapely.get_coordinates(shapely.get_point(lines.geometry.to_numpy(), i)).round(4) for i in (0, 1))
    assert old - new == {tuple(xy) for xy in begin}
    assert new - old == {tuple(xy) for xy in end}


@pytest.mark.parametrize("error", ["doubled", "doubled_reference"])
@pytest.mark.parametrize("seed", range(3))
def test_doubled_roads_are_joined_copies_aside(error, seed):
    made = perturb(TOWN, error, 6, seed=seed, aside=9.0)
    lines = made.errors["lines"]
    kept, changed = (TOWN, made.prediction) if error == "doubled" else (made.prediction, made.reference)
    assert kept is TOWN or (kept.nodes == TOWN.nodes).all()
    assert made.count == 6
    assert (lines["kind"] == ("doubled" if error == "doubled" else "merged")).all()
    assert cycles(changed) == cycles(TOWN) + 6
    assert components(changed) == components(TOWN)
    # Each copy is 60 % of a road, 9 m aside, with two joints of 9 m.
    assert changed.length == pytest.approx(TOWN.length + lines["length_m"].sum() + 6 * 2 * 9.0, rel=1e-4)
    for line in lines.geometry:
        middle = shapely.get_coordinates(line.interpolate(0.5, normalized=True))
        assert TOWN.nearest(middle).distance[0] == pytest.approx(9.0, abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_links_that_save_little_way_are_no_short_cuts(seed):
    def savings(**magnitudes):
        """What each link saves, by Dijkstra's algorithm on the network with a node at each of its ends."""
        made = perturb(TOWN, "overconnections", 6, seed=seed, **magnitudes)
        graph, found = nx.Graph(), []
        links = [tuple(map(tuple, line.coords)) for line in made.errors["lines"].geometry]
        for a, b in made.prediction.nodes[made.prediction.segments]:
            ends = tuple(a.round(3)), tuple(b.round(3))
            if not any({tuple(np.round(xy, 3)) for xy in link} == set(ends) for link in links):
                graph.add_edge(*ends, metres=float(np.hypot(*(a - b))))
        for a, b in links:
            ends = tuple(np.round(a, 3)), tuple(np.round(b, 3))
            found.append(nx.shortest_path_length(graph, *ends, weight="metres") - float(np.hypot(*np.subtract(a, b))))
        return np.array(found)

    assert len(savings(saving=35.0)) == 6
    assert savings(saving=35.0).max() <= 35.0 + 0.01
    assert savings().max() > 40.0


@pytest.mark.parametrize("seed", range(3))
def test_far_false_positives_are_whole_roads_of_one_side(seed):
    made = perturb(TOWN, "far_false_positives", 9, seed=seed)
    lines = made.errors["lines"]
    assert made.prediction is TOWN
    assert made.count == 9
    assert (lines["kind"] == "spurious").all()
    assert made.reference.length == pytest.approx(TOWN.length - lines["length_m"].sum())
    assert union(made.reference).intersection(shapely.union_all(lines.geometry.to_numpy())).length < 1e-6
    middle = shapely.box(*TOWN.bounds).centroid
    taken, kept = (np.mean(shapely.distance(one, middle)) for one in (lines.geometry.to_numpy(), made.reference.lines))
    assert taken > kept


def test_missing_roads_are_missing():
    made = perturb(TOWN, "missing", 5, seed=1)
    assert made.prediction.length == pytest.approx(TOWN.length - made.errors["lines"]["length_m"].sum())
    assert (made.errors["lines"]["kind"] == "missing").all()


@pytest.mark.parametrize("error", ERRORS)
def test_same_seed_same_errors_whatever_the_order_of_the_lines(error):
    lines = noisy(grid(4, 4, 200.0), 5.0)
    one = perturb(network(lines), error, 5, seed=3)
    two = perturb(network([line[::-1] for line in lines[::-1]]), error, 5, seed=3)
    other = perturb(network(lines), error, 5, seed=4)
    for role in ("reference", "prediction"):
        assert np.array_equal(getattr(one, role).nodes, getattr(two, role).nodes)
        assert np.array_equal(getattr(one, role).segments, getattr(two, role).segments)
    assert one.errors["lines"].geometry.geom_equals(two.errors["lines"].geometry).all()
    assert not one.errors["lines"].geometry.geom_equals_exact(other.errors["lines"].geometry, 1e-6).all()


@pytest.mark.parametrize("error", ERRORS)
def test_nothing_to_do_and_nothing_to_do_it_to(error):
    same = perturb(TOWN, error, 0)
    assert same.reference is same.prediction is TOWN
    assert same.count == 0
    empty = RoadNetwork([], [], crs=CRS)
    made = perturb(empty, error, 5)
    assert made.count == 0
    assert made.prediction.is_empty


@pytest.mark.parametrize("error", ERRORS)
def test_fewer_where_there_is_no_room(error):
    made = perturb(network(LINE), error, 50)
    assert made.count == len(made.errors["lines"]) < 50


@given(small_lines(), st.sampled_from(sorted(ERRORS)), st.integers(0, 3))
def test_any_network_and_kind(lines, error, seed):
    roads = network(lines)
    made = perturb(roads, error, 3, seed=seed)
    assert made.count == len(made.errors["lines"]) <= 3
    kept = made.prediction if error in REFERENCE_ERRORS else made.reference
    assert np.array_equal(kept.nodes, roads.nodes)
    assert np.array_equal(kept.segments, roads.segments)


def test_roads_that_cross_without_joining_stay_apart():
    bridge = network(BRIDGE)
    made = perturb(bridge, "interruptions", 2, seed=0)
    assert components(made.prediction) == 2 + made.count


def test_hyphens_are_underscores():
    assert perturb(TOWN, "far-false-positives", 2).count == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"error": "holes", "count": 1}, "unknown error 'holes'"),
        ({"error": "missing", "count": -1}, "number of errors is -1"),
        ({"error": "missing", "count": 1, "gap": 3.0}, "no magnitude 'gap'; it takes none"),
        ({"error": "doubled", "count": 1, "aside": -3.0}, "aside is -3 m"),
        ({"error": "doubled", "count": 1, "aside": float("nan")}, "aside is nan m"),
        ({"error": "doubled", "count": 1, "seed": -1}, "seed is -1"),
        ({"error": "overconnections", "count": 1, "shortest": 90.0, "longest": 80.0}, "shortest"),
    ],
)
def test_wrong_arguments_are_one_clear_line(arguments, words):
    with pytest.raises(GeoevalError, match=words):
        perturb(TOWN, **arguments)


def test_magnitudes():
    assert magnitudes_of("overconnections") == {"shortest": 60.0, "longest": 160.0, "saving": None}
    assert parse_magnitudes(["gap=30", " aside = 4.5"]) == {"gap": 30.0, "aside": 4.5}
    for text in ("gap", "gap=", "=3", "gap=wide"):
        with pytest.raises(GeoevalError, match="NAME=METRES"):
            parse_magnitudes([text])


# Increments of (TP, PP, AP) that one isolated error adds to a perfect score of OPT-J.
LAWS = {
    "interruptions": (2, 2, 4),
    "doubled": (4, 6, 4),
    "doubled_reference": (4, 4, 6),
    "overconnections": (4, 6, 4),
}


@pytest.mark.parametrize("error", LAWS)
def test_isolated_errors_follow_the_laws_of_opt_j(error):
    town = network(grid(4, 4, 400.0))
    size = {"gap": 8.0} if error == "interruptions" else {} if error == "overconnections" else {"aside": 8.0}
    made = perturb(town, error, 4, seed=2, **size)
    found = evaluate_roads(made.reference, made.prediction, metrics="opt-j").scores["opt-j"]
    perfect = evaluate_roads(town, town, metrics="opt-j").scores["opt-j"]
    added = tuple(round(found[name] - perfect[name], 9) for name in ("tp", "pp", "ap"))
    assert made.count == 4
    assert added == tuple(4 * value for value in LAWS[error])


@given(st.lists(st.sampled_from([*ERRORS]), min_size=1, max_size=4))
def test_errors_of_several_kinds_are_all_there(kinds):
    """Whatever map each changes, none is lost when further ones follow."""
    made, count = TOWN, 0
    for number, error in enumerate(kinds):
        before = made
        made = perturb(before, error, 2, seed=number)
        side, other = ("reference", "prediction") if error in REFERENCE_ERRORS else ("prediction", "reference")
        earlier = dict.fromkeys((side, other), before) if before is TOWN else vars(before)
        assert getattr(made, other) is earlier[other]
        assert getattr(made, side) is not earlier[side]
        count += len(perturb(earlier[side], error, 2, seed=number).errors["lines"])
    assert sum(map(len, made.errors.values())) == made.count >= count


def test_objects_and_lines_go_on_too():
    from geoeval import Drawing, ObjectMap
    from geoeval.model.courses import bar

    houses = ObjectMap.from_polygons([shapely.box(x, 0, x + 10, 10) for x in range(0, 900, 30)], crs=CRS)
    drawing = Drawing([bar((0, y), (80, y)) for y in range(0, 900, 60)], width=8)
    for given_map, kinds in ((houses, ("missed", "split", "false_alarm")), (drawing, ("missed", "fragmented"))):
        made = given_map
        for kind in kinds:
            made = perturb(made, kind, 2, seed=3)
        assert (made.count, sum(map(len, made.errors.values()))) == (2 * len(kinds), 2 * len(kinds))
        assert made.reference is given_map
        assert sorted({kind for frame in made.errors.values() for kind in frame["kind"]})
