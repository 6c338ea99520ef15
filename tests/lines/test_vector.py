import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import exceptions
from geoeval.lines.evaluate import evaluate_lines
from geoeval.lines.line_matching import match_lines
from geoeval.lines.vector import vector
from geoeval.model.courses import arc, bar, polyline
from geoeval.model.drawing import Drawing
from tests.conftest import load_cases
from tests.lines import slow_drawing
from tests.lines.drawings import part_of, random_drawing, shaken

CIRCLE = arc((50, 50), 40)


def drawing_of(lines):
    return Drawing(
        [bar(line["a"], line["b"]) for line in lines],
        width=[line["w"] for line in lines],
        style=[line.get("style", 1) for line in lines],
    )


def scores(reference, prediction, **parameters):
    return vector(Drawing(reference, width=8), Drawing(prediction, width=8), **parameters).scores


def kinds(reference, prediction):
    summary = evaluate_lines(reference, prediction, metrics="vector").error_summary()
    return {kind: entry["count"] for kind, entry in summary.items()}


@pytest.mark.parametrize("case", load_cases("liu_dori_vector"), ids=lambda case: case["name"])
def test_closed_form_cases(case):
    given = case["input"]
    found = vector(drawing_of(given["gt"]), drawing_of(given["det"]), beta=given["params"]["beta"]).scores
    for name, value in case["expected"].items():
        assert found[name.lower()] == pytest.approx(value, abs=case["tolerance"])


# ---------------------------------------------------------------------- arcs, with the reasoning


@pytest.mark.parametrize("start", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("turn", [1, -1])
def test_the_same_circle_is_perfect_wherever_it_begins_and_however_it_turns(start, turn):
    # All distances are 0, widths, styles and shapes agree: every factor is 1.
    found = scores([CIRCLE], [arc((50, 50), 40, start, turn * 2 * np.pi)])
    assert found == {"dv": pytest.approx(1), "fv": pytest.approx(0, abs=1e-12), "vri": pytest.approx(1)}


def test_half_of_a_circle():
    # Both ends of the half lie on the circle, so the overlap is the half, of quality 1 and half the circle's length:
    # Dv = .5. All of the half is true: Fv = 0.
    found = scores([CIRCLE], [arc((50, 50), 40, 0.3, np.pi)])
    assert found == {"dv": pytest.approx(0.5), "fv": pytest.approx(0, abs=1e-12), "vri": pytest.approx(0.75)}


def test_half_of_a_circle_detected_as_the_whole():
    # The circle is not within half a width of the half, so the overlap is the half itself, although the place where
    # the circle begins lies on it: Dv = 1, and half of the detected length is false: Fv = .5.
    found = scores([arc((50, 50), 40, -1.0, np.pi)], [CIRCLE])
    assert found == {"dv": pytest.approx(1), "fv": pytest.approx(0.5), "vri": pytest.approx(0.75)}


def test_a_concentric_circle_with_another_radius():
    # Every point is 2 away: ends e^-(4/8), overlap distance e^-(4/8), fifth root e^-.2. The overlap is the detected
    # circle, longer than the true one; max(l(g), l(c)) takes its length out again.
    found = scores([CIRCLE], [arc((50, 50), 42)])
    assert found["dv"] == pytest.approx(np.exp(-0.2))
    assert found["fv"] == pytest.approx(1 - np.exp(-0.2))


def test_a_smaller_concentric_circle_covers_less_length():
    # As above, but the overlap is only 38/40 of the true circle's length.
    found = scores([CIRCLE], [arc((50, 50), 38)])
    assert found["dv"] == pytest.approx(np.exp(-0.2) * 38 / 40)
    assert found["fv"] == pytest.approx(1 - np.exp(-0.2))


def test_a_concentric_circle_half_a_width_away_is_another_circle():
    # 4 is not less than 8 / 2.
    assert scores([CIRCLE], [arc((50, 50), 44)]) == {"dv": 0, "fv": 1, "vri": 0}


@pytest.mark.parametrize("cut", [0.5, 0.25])
def test_an_arc_in_two_pieces(cut):
    # Qb = 1: the pieces cover it. Qfr = sqrt(cut² + (1 - cut)²), .7071 for halves. Each piece is true: Fv = 0.
    whole = arc((50, 50), 40, 0.2, 2.0)
    found = scores([whole], [part_of(whole[0], 0, cut), part_of(whole[0], cut, 1)])
    assert found["dv"] == pytest.approx(np.hypot(cut, 1 - cut))
    assert found["fv"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("cut", [0.5, 0.25])
def test_two_arcs_detected_as_one(cut):
    # Each true arc is found: Dv = 1. The detected one links both: Qfr = sqrt(cut² + (1 - cut)²), Fv = 1 - Qfr.
    whole = arc((50, 50), 40, 0.2, 2.0)
    found = scores([part_of(whole[0], 0, cut), part_of(whole[0], cut, 1)], [whole])
    assert found["dv"] == pytest.approx(1)
    assert found["fv"] == pytest.approx(1 - np.hypot(cut, 1 - cut))


def test_an_arc_detected_as_a_bar():
    # The chord's ends lie on the arc (d1 = d2 = 0). Its middle is farthest from it: r - r cos(a/2). Shapes differ by
    # 1. The overlap is the chord, 2 r sin(a/2) long, of an arc of r a.
    radius, angle = 40.0, 0.7
    whole = arc((50, 50), radius, 1.0, angle)
    far = radius * (1 - np.cos(angle / 2))
    assert far < 4
    quality = np.exp(-(2 * far / 8 + 1) / 5)
    found = scores([whole], [bar(whole[0, 0:2], whole[0, 2:4])])
    assert found["dv"] == pytest.approx(quality * 2 * np.sin(angle / 2) / angle)
    assert found["fv"] == pytest.approx(1 - quality)


def test_a_chord_far_from_its_arc_is_no_match():
    # Here the middle of the chord is 40 (1 - cos .6) = 7 away, more than half the width, though both ends touch.
    whole = arc((50, 50), 40, 1.0, 1.2)
    assert scores([whole], [bar(whole[0, 0:2], whole[0, 2:4])]) == {"dv": 0, "fv": 1, "vri": 0}


def test_arcs_that_overlap_in_part():
    # The detected arc begins .5 rad later and ends .5 rad later than the true one of 1.5 rad: the overlap follows the
    # detected arc for 1 rad, without any distance: 2/3 of each.
    found = scores([arc((50, 50), 40, 0.0, 1.5)], [arc((50, 50), 40, 0.5, 1.5)])
    assert found["dv"] == pytest.approx(2 / 3)
    assert found["fv"] == pytest.approx(1 / 3)


def test_an_arc_and_the_same_polyline_differ_in_shape_alone():
    # 3 - 2 = 1: e^-(1/5). A polyline of two circular pieces lies exactly on the arc.
    whole = arc((50, 50), 40, 0.0, 2.0)
    two = np.vstack([part_of(whole[0], 0, 0.4), part_of(whole[0], 0.4, 1)])
    found = scores([whole], [two])
    assert found["dv"] == pytest.approx(np.exp(-0.2))


# ---------------------------------------------------------------------- brute force


@pytest.mark.parametrize("seed", range(6))
def test_dense_sampling_agrees(seed):
    rng = np.random.default_rng(seed)
    reference = random_drawing(rng, 8)
    prediction = shaken(rng, reference)
    found = vector(reference, prediction).scores
    dv, fv = slow_drawing.rates(reference, prediction)
    assert len(match_lines(reference, prediction)) > 2
    assert found["dv"] == pytest.approx(dv, abs=2e-3)
    assert found["fv"] == pytest.approx(fv, abs=2e-3)


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_overlap_distances_agree_with_dense_sampling(seed):
    """Two near lines of any shape: the farthest point is solved for, not sampled."""
    rng = np.random.default_rng(seed)
    one = random_drawing(rng, 1)
    other = Drawing([one.pieces + np.append(np.tile(rng.normal(0, 1.5, 2), 3), 0.0)], width=12)
    reference = Drawing([one.pieces], width=12)
    matching = match_lines(reference, other)
    g, k = slow_drawing.lines_of(reference)[0], slow_drawing.lines_of(other)[0]
    expected = slow_drawing.overlap(k, g)
    if expected is None:
        assert len(matching) == 0
    else:
        found = (matching.length[0], matching.d1[0], matching.d2[0], matching.d_overlap[0])
        assert found == pytest.approx(expected, abs=0.03)


# ---------------------------------------------------------------------- properties


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.floats(0, 6), st.floats(0.1, 10), st.booleans())
def test_moving_turning_scaling_and_mirroring_both_changes_nothing(seed, angle, scale, mirrored):
    rng = np.random.default_rng(seed)
    reference = random_drawing(rng, 5)
    prediction = shaken(rng, reference)

    def moved(drawing):
        pieces = drawing.pieces.copy()
        for first in (0, 2, 4):
            z = pieces[:, first] + 1j * pieces[:, first + 1]
            z = (np.conj(z) if mirrored else z) * scale * np.exp(1j * angle) + 7 - 3j
            pieces[:, first], pieces[:, first + 1] = z.real, z.imag
        if mirrored:
            pieces[:, 6] *= -1
        return Drawing(
            np.split(pieces, drawing.first[1:-1]), width=drawing.widths * scale, style=drawing.styles,
            shapes=drawing.shapes,
        )  # fmt: skip

    expected = vector(reference, prediction).scores
    assert vector(moved(reference), moved(prediction)).scores == pytest.approx(expected, abs=1e-6)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_order_of_lines_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    reference = random_drawing(rng, 5)
    prediction = shaken(rng, reference)
    order = rng.permutation(len(prediction))
    courses = np.split(prediction.pieces, prediction.first[1:-1])
    other = Drawing([courses[i] for i in order], width=prediction.widths[order], style=prediction.styles[order])
    assert vector(reference, other).scores == pytest.approx(vector(reference, prediction).scores, abs=1e-12)


def test_weights_and_even_widths():
    reference, prediction = [bar((10, 20), (90, 20))], [bar((10, 21), (50, 21))]
    plain = scores(reference, prediction, beta=0.2)
    assert plain["vri"] == pytest.approx(0.2 * plain["dv"] + 0.8 * (1 - plain["fv"]))
    # A width of 8 pixels is even: 1 pixel aside is on the axis. Of pixels of 1.6 it has 5, which is odd.
    assert scores(reference, prediction, even_width=1.0)["dv"] == pytest.approx(0.5)
    assert scores(reference, prediction, even_width=1.6)["dv"] == plain["dv"]
    for wrong in ({"beta": 1.5}, {"beta": float("nan")}, {"even_width": 0.0}):
        with pytest.raises(exceptions.ParameterError):
            scores(reference, prediction, **wrong)


def test_empty_drawings():
    nothing, something = Drawing([]), Drawing([bar((0, 0), (9, 0))])
    assert vector(nothing, nothing).scores == {"dv": 1, "fv": 0, "vri": 1}
    assert vector(something, nothing).scores == {"dv": 0, "fv": 0, "vri": 0.5}
    assert vector(nothing, something).scores == {"dv": 0, "fv": 1, "vri": 0}


def test_bars_that_meet_at_a_corner_are_perfect():
    square = [bar((0, 0), (40, 0)), bar((40, 0), (40, 40)), bar((40, 40), (0, 40)), bar((0, 40), (0, 0))]
    assert scores(square, square)["vri"] == pytest.approx(1)


def test_a_long_polyline_against_itself_and_in_its_parts():
    rng = np.random.default_rng(1)
    points = np.cumsum(rng.uniform(1, 3, (400, 2)) * [1, 0.2], axis=0)
    whole = Drawing([polyline(points)], width=2)
    assert vector(whole, whole).scores["vri"] == pytest.approx(1)
    halves = Drawing([polyline(points[:200]), polyline(points[199:])], width=2)
    found = vector(whole, halves)
    assert found.details["reference"]["fragments"].tolist() == [2]
    lengths = halves.lengths / whole.length
    assert found.scores["dv"] == pytest.approx(np.hypot(*lengths))


# ---------------------------------------------------------------------- map features


def grid_drawing():
    """Lines far from each other, of every shape."""
    courses = [bar((0, 100 * i), (80, 100 * i)) for i in range(6)]
    courses += [arc((200, 100 * i), 30, 0.1, 2.5) for i in range(3)] + [arc((200, 400), 30)]
    courses += [polyline([(300, 100 * i), (340, 100 * i + 10), (380, 100 * i)]) for i in range(3)]
    return Drawing(courses, width=6, ids=[f"line{i}" for i in range(len(courses))])


def changed(drawing, number, courses, **attributes):
    """A copy in which one line is replaced by others."""
    lines = np.split(drawing.pieces, drawing.first[1:-1])
    spread = {}
    for name, values in (("width", drawing.widths.tolist()), ("style", drawing.styles.tolist())):
        own = [attributes.get(name, values[number])] * len(courses)
        spread[name] = [*values[:number], *own, *values[number + 1 :]]
    return Drawing([*lines[:number], *courses, *lines[number + 1 :]], **spread)


def test_a_drawing_against_itself_has_no_errors():
    """Lines that match are on the map, but are not errors."""
    drawing = grid_drawing()
    result = evaluate_lines(drawing, drawing, metrics="pixel,vector,combined,kong,hori-doermann")
    assert result.error_summary() == {}
    assert result.errors["lines"]["kind"].tolist() == ["matched"] * len(drawing)


@pytest.mark.parametrize("number", [0, 7, 11])
def test_each_change_is_one_kind_of_error_and_no_other(number):
    drawing = grid_drawing()
    course = np.split(drawing.pieces, drawing.first[1:-1])[number]
    halves = [part_of(course[0], 0, 0.5), part_of(course[0], 0.5, 1)] if len(course) == 1 else [course[:1], course[1:]]
    assert kinds(drawing, changed(drawing, number, [])) == {"missed": 1}
    assert kinds(changed(drawing, number, []), drawing) == {"false_alarm": 1}
    assert kinds(drawing, changed(drawing, number, [course], width=8.0)) == {"wrong_width": 1}
    assert kinds(drawing, changed(drawing, number, [course], style=2)) == {"wrong_style": 1}
    shifted = course + np.array([0, 1, 0, 1, 0, 1, 0])
    assert kinds(drawing, changed(drawing, number, [shifted])) == {"displaced": 1}
    bends = {"wrong_shape": 2} if len(course) == 2 else {}
    assert kinds(drawing, changed(drawing, number, halves)) == {"fragmented": 1, **bends}
    assert kinds(changed(drawing, number, halves), drawing) == {"consolidated": 1, **bends}
    if len(course) == 1:
        assert kinds(drawing, changed(drawing, number, halves[:1])) == {"incomplete": 1}
        assert kinds(changed(drawing, number, halves[:1]), drawing) == {"overlong": 1}


def test_features_carry_ids_qualities_and_geometry():
    reference = Drawing([bar((10, 20), (90, 20)), bar((10, 60), (90, 60))], width=8, ids=["a", "b"])
    prediction = Drawing([bar((10, 20), (49, 20)), bar((51, 22), (90, 22))], width=8, ids=["p", "q"])
    rows = evaluate_lines(reference, prediction).errors["lines"].set_index("kind")
    assert rows.loc["missed", "ref_id"] == "b"
    assert rows.loc["missed", "length_m"] == 80
    assert rows.loc["fragmented", "note"].endswith("2 fragments")
    assert "Qfr 0.7071" in rows.loc["fragmented", "note"]
    assert rows.loc["displaced", "pred_id"] == "q"
    assert rows.loc["displaced", "dist_m"] == 2
    assert rows.loc["displaced"].geometry.equals_exact(prediction.geometries()[1], 1e-9)
    assert sorted(rows.loc["matched", "pred_id"]) == ["p", "q"]


def test_partial_overlaps_are_shown_where_they_are():
    reference = Drawing([bar((0, 0), (50, 0)), arc((200, 0), 40, 0.0, 1.5)], width=6)
    prediction = Drawing([bar((30, 1), (90, 1)), arc((200, 0), 40, 0.5, 1.5)], width=6)
    straight, round_ = match_lines(reference, prediction).segments
    assert straight.wkt == "LINESTRING (30 1, 50 0)"
    assert round_.length == pytest.approx(40.0, rel=1e-3)
    assert np.hypot(*(np.array(round_.coords).T - [[200], [0]])).min() > 39.9
