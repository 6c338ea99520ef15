"""Clipping: a vertex on the border of the area changes nothing, and only ends that the area made are cut ends."""

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import RoadNetwork, evaluate_roads
from tests.networks import CROSS, LINE, network, small_lines

BOX = (0, 0, 100, 100)


def places(net: RoadNetwork, mask) -> list[list[float]]:
    return sorted(np.round(net.nodes[mask], 4).tolist())


def cut_ends(net: RoadNetwork) -> list[list[float]]:
    return places(net, net.cut)


def features(net: RoadNetwork) -> list[list[float]]:
    return places(net, net.features)


# ---------------------------------------------------------------------- by hand


@pytest.mark.parametrize("beyond", [-1e-6, -4e-7, 0.0, 4e-7, 1e-6, 3e-6])
@pytest.mark.parametrize("angle", [0.0, 30.0, 77.0])
def test_a_vertex_at_the_border_is_no_dead_end(beyond, angle):
    area = shapely.affinity.rotate(shapely.box(*BOX), angle, origin=(0, 0))
    line = shapely.affinity.rotate(shapely.LineString([(50, 50), (100 + beyond, 40), (150, 30)]), angle, origin=(0, 0))
    clipped = network([list(line.coords)]).clip(area)
    assert clipped.cut.sum() == 1
    assert len(clipped.features) == 1  # the road's real end in the middle
    assert clipped.length == pytest.approx(np.hypot(50, 10), abs=1e-5)


@pytest.mark.parametrize("beyond", [-4e-7, 0.0, 4e-7])
def test_a_real_dead_end_on_the_border_stays_one(beyond):
    clipped = network([[(50, 50), (100 + beyond, 50)]]).clip(BOX)
    assert not clipped.cut.any()
    assert features(clipped) == [[50, 50], [100, 50]]


def test_a_junction_on_the_border_with_one_arm_left_is_a_cut_end():
    clipped = network([[(50, 50), (100, 50)], [(100, 50), (140, 80)], [(100, 50), (140, 20)]]).clip(BOX)
    assert cut_ends(clipped) == [[100, 50]]
    assert features(clipped) == [[50, 50]]


def test_a_junction_on_the_border_with_two_arms_left_is_no_feature():
    clipped = network([[(50, 20), (100, 50), (50, 80)], [(100, 50), (140, 50)]]).clip(BOX)
    assert not clipped.cut.any()
    assert features(clipped) == [[50, 20], [50, 80]]


def test_a_junction_on_the_border_with_three_arms_left_is_a_junction():
    clipped = network([[(100, 0), (100, 50), (100, 100)], [(50, 50), (100, 50), (140, 50)]]).clip(BOX)
    assert not clipped.cut.any()
    assert [100, 50] in features(clipped)


@pytest.mark.parametrize("angle", [0.0, 30.0, 77.0])
@pytest.mark.parametrize("vertices", [(), (0,), (0, 100), (20, 50, 99.9995), (-20, 120)])
def test_a_road_along_the_border_is_inside(angle, vertices):
    xs = sorted({-50, *vertices, 150})
    road = shapely.affinity.rotate(shapely.LineString([(x, 0) for x in xs]), angle, origin=(3, 7))
    area = shapely.affinity.rotate(shapely.box(*BOX), angle, origin=(3, 7))
    clipped = network([list(road.coords)]).clip(area)
    assert clipped.length == pytest.approx(100, abs=2e-3)
    assert clipped.cut.sum() == 2
    assert len(clipped.features) == 0


@pytest.mark.parametrize("vertex", [[], [(100, 100)]])
def test_a_road_that_only_touches_the_area_is_outside(vertex):
    assert network([[(50, 150), *vertex, (150, 50)]]).clip(BOX).is_empty


@pytest.mark.parametrize("vertex", [[], [(50, 50)]])
@pytest.mark.parametrize("depth", [0.0, 4e-7, -4e-7])
def test_a_road_that_touches_a_hole_goes_on(vertex, depth):
    hole = [(50, 50 - depth), (45, 80), (55, 80)]
    clipped = network([[(-50, 50), *vertex, (150, 50)]]).clip(shapely.Polygon(shapely.box(*BOX).exterior, [hole]))
    assert len(clipped.roads) == 1
    assert clipped.length == pytest.approx(100, abs=1e-5)
    assert clipped.cut.sum() == 2


@pytest.mark.parametrize("vertices", [[], [(100, 50)], [(200, 50)], [(100, 50), (200, 50)]])
def test_an_area_in_two_parts(vertices):
    area = shapely.union(shapely.box(0, 0, 100, 100), shapely.box(200, 0, 300, 100))
    clipped = network([[(50, 50), *vertices, (250, 50)]]).clip(area)
    assert cut_ends(clipped) == [[100, 50], [200, 50]]
    assert features(clipped) == [[50, 50], [250, 50]]
    assert clipped.length == pytest.approx(100)


def test_parts_that_abut_are_one_area():
    # Two tiles of one sheet, which rounding has moved a little apart.
    area = shapely.MultiPolygon([shapely.box(0, 0, 100, 100), shapely.box(100 + 1e-7, 0, 200, 100)])
    clipped = network([[(50, 50), (150, 50)]]).clip(area)
    assert len(clipped.roads) == 1
    assert not clipped.cut.any()


def test_clipping_twice_keeps_the_cut_ends():
    clipped = network(CROSS).clip((-50, -50, 50, 50)).clip((-50, -50, 0, 50))
    assert cut_ends(clipped) == [[-50, 0], [0, -50], [0, 50]]
    assert features(clipped) == [[0, 0]]


def test_clipping_counts_no_new_problems():
    assert network([[(50, 50), (100, 50), (150, 50)]]).clip(BOX).problems == {}


def test_an_area_elsewhere_leaves_nothing():
    assert network(LINE).clip((500, 500, 600, 600)).is_empty


# ---------------------------------------------------------------------- properties


AREAS = {
    "box": shapely.box(7, 7, 42, 35),
    "triangle": shapely.Polygon([(0, 0), (56, 14), (14, 49)]),
    "notched": shapely.Polygon([(0, 0), (49, 0), (49, 49), (28, 14), (0, 42)]),
    "with a hole": shapely.Polygon(shapely.box(0, 0, 56, 56).exterior, [[(14, 14), (42, 14), (28, 42)]]),
    "in two parts": shapely.MultiPolygon([shapely.box(0, 0, 21, 49), shapely.box(28, 7, 56, 42)]),
    "touching parts": shapely.MultiPolygon([shapely.box(0, 0, 28, 28), shapely.box(28, 28, 56, 56)]),
}


def turned(geometry, angle):
    return shapely.affinity.translate(shapely.affinity.rotate(geometry, angle, origin=(0, 0)), 431234.5, 5412345.25)


def with_border_vertices(lines, area, shifts):
    """The lines with vertices where they meet the border, shifted along the road by at most a micrometre."""
    segments = [shapely.LineString(pair) for line in lines for pair in itertools.pairwise(line)]
    shift = itertools.cycle(shifts)
    out = []
    for line in lines:
        dense = [line[0]]
        for a, b in itertools.pairwise(line):
            own = shapely.LineString([a, b])
            met = shapely.get_coordinates(shapely.intersection(own, area.boundary))
            along = sorted({round(own.project(shapely.Point(p)) + next(shift), 9) for p in met})
            for metres in along:
                place = own.interpolate(metres)
                # A vertex on two roads would join them; it must lie on this road alone, away from its ends.
                alone = sum(one.distance(place) < 1e-3 for one in segments) == 1
                if alone and 1e-3 < metres < own.length - 1e-3:
                    dense.append((place.x, place.y))
            dense.append(b)
        out.append(dense)
    return out


def near(a, b, tolerance=1e-4):
    """Whether two sets of places are the same."""
    if len(a) == 0 or len(b) == 0:
        return len(a) == len(b)
    apart = shapely.hausdorff_distance(shapely.MultiPoint(a), shapely.MultiPoint(b))
    return len(a) == len(b) and apart < tolerance


@given(
    small_lines(),
    st.sampled_from(sorted(AREAS)),
    st.sampled_from([0.0, 13.0, 45.0, 71.3]),
    st.lists(st.sampled_from([0.0, 3e-7, -3e-7, 1e-6, -1e-6]), min_size=1, max_size=5),
)
@settings(max_examples=300)
def test_a_vertex_at_the_border_changes_nothing(lines, name, angle, shifts):
    dense = with_border_vertices(lines, AREAS[name], shifts)
    area = turned(AREAS[name], angle)
    plain, more = (
        network([list(turned(shapely.LineString(line), angle).coords) for line in one]).clip(area)
        for one in (lines, dense)
    )
    assert more.length == pytest.approx(plain.length, abs=1e-4)
    assert len(more.roads) == len(plain.roads)
    assert near(more.nodes[more.features], plain.nodes[plain.features])
    assert near(more.nodes[more.cut], plain.nodes[plain.cut])
    assert more.components.max(initial=-1) == plain.components.max(initial=-1)


@given(small_lines(), st.sampled_from(sorted(AREAS)), st.sampled_from([0.0, 13.0, 71.3]))
@settings(max_examples=200)
def test_features_and_cut_ends_by_definition(lines, name, angle):
    """Another way: walk a millimetre from each node into each of its segments and look where one is."""
    area = turned(AREAS[name], angle)
    net = network([list(turned(shapely.LineString(line), angle).coords) for line in lines])
    closed = area.buffer(1e-5)
    arms = np.zeros(len(net.nodes), dtype=int)
    for pair, line in zip(net.segments, net.lines, strict=True):
        steps = [line.interpolate(1e-3), line.interpolate(line.length - 1e-3)]
        arms[pair] += [closed.covers(step) for step in steps]
    expected = np.flatnonzero((arms > 0) & (arms != 2) & ~((arms == 1) & (net.degrees > 1)))
    clipped = net.clip(area)
    assert near(clipped.nodes[clipped.features], net.nodes[expected], tolerance=1e-5)
    assert clipped.length == pytest.approx(shapely.length(shapely.intersection(net.lines, closed)).sum(), abs=1e-2)
    assert (clipped.degrees[clipped.cut] == 1).all()
    assert shapely.dwithin(area.boundary, shapely.points(clipped.nodes[clipped.cut]), 1e-4).all()


# ---------------------------------------------------------------------- through an evaluation


def street_networks():
    plain = network([[(20, -30), (20, 40), (20, 80), (20, 130)], [(20, 40), (80, 52), (170, 70)],
                     [(80, 52), (60, 160)], [(20, 80), (60, 80)]])  # fmt: skip
    border = [(20, 0), (20, 100), (100, 56), (80 - 20 * 48 / 108, 100)]
    dense = network([[(20, -30), border[0], (20, 40), (20, 80), border[1], (20, 130)],
                     [(20, 40), (80, 52), border[2], (170, 70)],
                     [(80, 52), border[3], (60, 160)], [(20, 80), (60, 80)]])  # fmt: skip
    return plain, dense


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (1, 1)])
def test_a_vertex_at_the_border_changes_no_score(order):
    pair = street_networks()
    reference, prediction = pair[order[0]], pair[order[1]]
    result = evaluate_roads(reference, prediction, metrics="opt-j,junct,ccq", aoi=BOX)
    assert result.scores["opt-j"]["f1"] == 1
    assert result.counts["opt-j"] == evaluate_roads(pair[0], pair[0], metrics="opt-j", aoi=BOX).counts["opt-j"]
    assert result.scores["junct"]["f1"] == 1
    assert result.scores["ccq"]["quality"] == pytest.approx(1)
    assert result.error_summary() == {}
