"""Known errors of drawn lines: what was said to be done was done, nothing else, and the error layers find it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import Drawing, GeoevalError, evaluate_lines, perturb, read_drawing
from geoeval.model.courses import arc, backwards, bar, part, piece_lengths, polyline
from geoeval.model.error_kinds import kinds_that_reveal
from geoeval.perturbation.drawing_errors import ERRORS
from geoeval.perturbation.perturb import magnitudes_of
from geoeval.studies.detection import detection
from tests.lines.drawings import random_drawing

COUNT = 5


def sheet() -> Drawing:
    """Bars in two pieces, arcs, circles and polylines in two pieces, each in a cell of 60; solid or dashed."""
    courses, styles = [], []
    for i in range(6):
        for j in range(6):
            x, y = 60 * i, 60 * j
            courses += (
                [bar((x, y), (x + 20, y)), bar((x + 21, y), (x + 40, y))],
                [arc((x + 20, y + 20), 15, 0.3, 3.0)],
                [polyline([(x, y), (x + 10, y + 10), (x + 10, y + 20), (x + 20, y + 20)]),
                 polyline([(x + 40, y), (x + 40, y + 20), (x + 30, y + 30), (x + 20, y + 20)])],
                [arc((x + 20, y + 20), 15), bar((x, y + 20), (x + 40, y + 25))],
            )[(i + 2 * j) % 4]  # fmt: skip
            styles += [1 + j % 2] * (len(courses) - len(styles))
    return Drawing(courses, width=4, style=styles)


SHEET = sheet()


def line_bytes(drawing: Drawing, row: int) -> bytes:
    course = drawing.pieces[drawing.first[row] : drawing.first[row + 1]]
    return course.tobytes() + drawing.widths[row].tobytes() + drawing.styles[row].tobytes()


def content(drawing: Drawing) -> dict[bytes, str]:
    return {line_bytes(drawing, row): str(drawing.ids[row]) for row in range(len(drawing))}


def rows_of(drawing: Drawing, names: str) -> np.ndarray:
    return np.flatnonzero(np.isin(drawing.ids.astype(str), names.split(";")))


def reported(made) -> dict[str, int]:
    found = evaluate_lines(made.reference, made.prediction, metrics="vector").error_summary()
    return {kind: entry["count"] for kind, entry in found.items() if kind != "matched"}


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(3))
def test_the_errors_asked_for_and_the_rest_as_it_was(error, seed):
    made = perturb(SHEET, error, COUNT, seed=seed)
    frame = made.errors["lines"]
    assert made.reference is SHEET
    assert made.count == len(frame) == COUNT
    assert len(made.errors["polygons"]) == len(made.errors["points"]) == 0
    gone = ";".join(frame["ref_id"]).split(";")
    assert len(gone) == len(set(gone)) == COUNT * (2 if error == "consolidated" else 1)
    kept = {key: name for key, name in content(SHEET).items() if name not in gone}
    assert kept.items() <= content(made.prediction).items()
    new = [] if error == "missed" else ";".join(frame["pred_id"]).split(";")
    assert len(made.prediction) == len(kept) + len(new)
    assert set(content(made.prediction).values()) == {*kept.values(), *new}


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("seed", range(3))
def test_the_error_layers_find_every_error_and_report_no_other(error, seed):
    assert reported(perturb(SHEET, error, 0)) == {}
    made = perturb(SHEET, error, COUNT, seed=seed)
    (kind,) = kinds_that_reveal("lines", error)
    assert (made.errors["lines"]["kind"] == kind).all()
    assert reported(made) == {kind: COUNT}


def test_detection_says_so():
    table = detection(SHEET, count=3, seeds=2)
    assert table["error"].tolist() == list(ERRORS)
    assert (table[["inserted", "found", "reported", "right"]] == 6).all(axis=None)


def test_what_is_missed_is_gone():
    made = perturb(SHEET, "missed", COUNT)
    lengths = [SHEET.lengths[rows_of(SHEET, name)].sum() for name in made.errors["lines"]["ref_id"]]
    assert made.prediction.length == pytest.approx(SHEET.length - sum(lengths))
    assert (made.errors["lines"]["pred_id"] == "").all()


@pytest.mark.parametrize("gap", [None, 1.5])
def test_fragments_are_the_line_without_its_middle(gap):
    made = perturb(SHEET, "fragmented", COUNT, gap=gap, seed=4)
    for _, row in made.errors["lines"].iterrows():
        (whole,), parts = rows_of(SHEET, row["ref_id"]), rows_of(made.prediction, row["pred_id"])
        lost = 2.0 if gap is None else gap
        assert row["dist_m"] == lost
        assert made.prediction.lengths[parts] == pytest.approx((SHEET.lengths[whole] - lost) / 2)
        assert (made.prediction.shapes[parts] == SHEET.shapes[whole]).all()
        assert (made.prediction.widths[parts] == SHEET.widths[whole]).all()
        assert (made.prediction.styles[parts] == SHEET.styles[whole]).all()
        ends = {tuple(xy) for xy in made.prediction.ends[parts].reshape(-1, 2)}
        assert {tuple(xy) for xy in SHEET.ends[whole]} <= ends
    assert made.prediction.length == pytest.approx(SHEET.length - COUNT * lost)


@pytest.mark.parametrize("course", [arc((0, 0), 20), polyline([(0, 0), (30, 0), (30, 10)]), bar((0, 0), (5, 0))])
def test_lines_without_two_fragments_of_their_shape(course):
    """A circle has no middle, half of an angle is a bar, and of a short line nothing would be left."""
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(Drawing([course], width=4), "fragmented", 1)


def test_consolidated_lines_run_from_far_end_to_far_end():
    two = Drawing([bar((0, 0), (20, 0)), bar((41, 0.1), (21, 0)), bar((0, 50), (30, 50))], width=4)
    made = perturb(two, "consolidated", 1)
    assert made.prediction.ids.tolist() == ["0+1", 2]
    assert made.prediction.ends[0].tolist() == [[0, 0], [41, 0.1]]
    assert made.errors["lines"]["dist_m"].tolist() == [1]
    bent = [polyline([(0, 0), (9, 9), (20, 0)]), polyline([(40, 9), (30, 20), (20, 0)])]
    made = perturb(Drawing(bent, width=2), "consolidated", 1)
    assert made.prediction.length == pytest.approx(sum(piece_lengths(course).sum() for course in bent))
    assert len(made.prediction.pieces) == 4


@pytest.mark.parametrize(
    "courses",
    [
        [bar((0, 0), (20, 0)), bar((20, 0), (40, 3))],
        [bar((0, 0), (20, 0)), bar((23, 0), (40, 0))],
        [arc((0, 0), 20, 0, 1), arc((0, 0), 20, 1, 1)],
        [polyline([(0, 0), (10, 20), (20, 0)]), polyline([(0, 0), (10, -20), (20, 0)])],
        [bar((0, 0), (20, 0)), polyline([(20, 0), (30, 0), (40, 9)])],
        [polyline([(0, 0), (10, 5), (20, 0)]), bar((20, 0), (40, 0))],
    ],
    ids=["bent", "apart", "arcs", "ring", "unlike", "unlike too"],
)
def test_lines_that_do_not_make_one(courses):
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(Drawing(courses, width=4), "consolidated", 1)


@settings(max_examples=10)
@given(st.floats(0.3, 1.9), st.integers(0, 20))
def test_shifted_lines_move_by_the_distance_as_they_are(distance, seed):
    made = perturb(SHEET, "shifted", 3, distance=distance, seed=seed)
    for _, row in made.errors["lines"].iterrows():
        (old,), (new,) = rows_of(SHEET, row["ref_id"]), rows_of(made.prediction, row["pred_id"])
        moved = made.prediction.ends[new] - SHEET.ends[old]
        assert np.hypot(*moved.T) == pytest.approx(distance)
        assert moved[0] == pytest.approx(moved[1])
        assert made.prediction.lengths[new] == pytest.approx(SHEET.lengths[old])


def test_a_line_is_not_shifted_off_its_own_width():
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(SHEET, "shifted", 1, distance=2.0)


@pytest.mark.parametrize(("wider", "width"), [(None, 6.0), (1.0, 5.0)])
def test_wrong_widths_are_wider(wider, width):
    made = perturb(SHEET, "wrong_width", COUNT, wider=wider)
    for _, row in made.errors["lines"].iterrows():
        assert made.prediction.widths[rows_of(made.prediction, row["pred_id"])] == width
        assert row["note"] == f"{width:g} for 4"
    assert (made.prediction.widths != 4).sum() == COUNT
    assert made.prediction.length == pytest.approx(SHEET.length)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from(sorted(ERRORS)), st.integers(0, 3))
def test_any_drawing_and_error(number, lines, error, seed):
    """The errors are found beside what the drawing has of its own, or one line says that there is no room."""
    drawing = random_drawing(np.random.default_rng(number), lines)
    try:
        made = perturb(drawing, error, 1, seed=seed)
    except GeoevalError as problem:
        if "stand alone, not 1" not in str(problem):
            raise
        return
    assert made.count == len(made.errors["lines"]) == 1
    (kind,) = kinds_that_reveal("lines", error)
    assert reported(made).get(kind, 0) == reported(perturb(drawing, error, 0)).get(kind, 0) + 1


@pytest.mark.parametrize("error", ERRORS)
def test_same_seed_same_bytes_whatever_the_order(error):
    order = np.random.default_rng(5).permutation(len(SHEET))
    courses = np.split(SHEET.pieces, SHEET.first[1:-1])
    facts = {"width": SHEET.widths[order], "style": SHEET.styles[order].tolist(), "ids": SHEET.ids[order]}
    other = Drawing([courses[row] for row in order], **facts)
    turned = Drawing([backwards(courses[row]) for row in order], **facts)
    one, two, three = (perturb(drawing, error, COUNT, seed=3) for drawing in (SHEET, other, turned))
    assert one.prediction.pieces.tobytes() == two.prediction.pieces.tobytes()
    assert one.prediction.ids.tolist() == two.prediction.ids.tolist()
    assert one.errors["lines"].equals(two.errors["lines"])
    assert sorted(three.errors["lines"]["ref_id"]) == sorted(one.errors["lines"]["ref_id"])
    assert not one.errors["lines"]["ref_id"].equals(perturb(SHEET, error, COUNT, seed=4).errors["lines"]["ref_id"])


def test_errors_do_not_touch_each_other():
    fan = Drawing([bar((0, 0), (40, 0)), bar((0, 0), (0, 40)), bar((100, 0), (140, 0))], width=4)
    for error in ("missed", "fragmented", "shifted", "wrong_width"):
        names = perturb(fan, error, 2).errors["lines"]["ref_id"].tolist()
        assert "2" in names
        with pytest.raises(GeoevalError, match="this map of lines has room for 2 "):
            perturb(fan, error, 3)


def test_lines_that_overlap_others_are_left_as_they_are():
    doubled = Drawing([bar((0, 0), (40, 0)), bar((5, 1), (45, 1)), bar((0, 90), (40, 90))], width=4)
    for error in ("missed", "fragmented", "shifted", "wrong_width"):
        assert perturb(doubled, error, 1).errors["lines"]["ref_id"].tolist() == ["2"]


@pytest.mark.parametrize("seed", range(4))
def test_what_would_overlap_a_neighbour_is_not_put_in(seed):
    """The long line, 12 wide, would hold the short one beside it."""
    beside = Drawing([bar((0, 0), (40, 0)), bar((5, 4), (15, 4))], width=4)
    assert perturb(beside, "wrong_width", 1, wider=8.0, seed=seed).errors["lines"]["ref_id"].tolist() == ["1"]


@pytest.mark.parametrize("error", ERRORS)
def test_nothing_to_do_and_nothing_to_do_it_to(error):
    same = perturb(SHEET, error, 0)
    assert same.reference is same.prediction is SHEET
    with pytest.raises(GeoevalError, match="room for 0"):
        perturb(Drawing([]), error, 1)
    assert perturb(Drawing([]), error, 0).prediction.is_empty


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"error": "grown", "count": 1}, "unknown error 'grown' of lines; choose among missed, fragmented"),
        ({"error": "fragmented", "count": 1, "gap": 0.0}, "gap is 0; give a number above 0"),
        ({"error": "missed", "count": 1, "wider": 1.0}, "no magnitude 'wider'; choose among clearance"),
    ],
)
def test_wrong_arguments_are_one_clear_line(arguments, words):
    with pytest.raises(GeoevalError, match=words):
        perturb(SHEET, **arguments)


def test_magnitudes_are_shares_of_the_width_by_default():
    assert magnitudes_of("fragmented", kind="lines") == {"gap": None, "clearance": None}


@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0, 1))
def test_a_part_of_a_course_is_as_long_as_it_should_be(number, one, other):
    drawing = random_drawing(np.random.default_rng(number), 1)
    low, high = sorted((one, other))
    length = drawing.lengths[0]
    own = part(drawing.pieces, low * length, high * length)
    assert piece_lengths(own).sum() == pytest.approx((high - low) * length, abs=1e-6)
    assert np.allclose(own[:-1, 2:4], own[1:, 0:2])
    # The part from the other end is the same, turned round.
    mirror = backwards(part(backwards(drawing.pieces), (1 - high) * length, (1 - low) * length))
    if high - low > 1e-6 and len(mirror) == len(own):
        assert np.allclose(mirror, own, atol=1e-6)


@pytest.mark.parametrize("error", ERRORS)
def test_real_floor_plans(data, error):
    (kind,) = kinds_that_reveal("lines", error)
    plans = sorted((data / "drawings").glob("floorplan_*.txt"))
    assert plans
    for plan in plans:
        if error == "consolidated" and "_7a_" in plan.name:
            continue  # no two of its walls are in line
        made = perturb(read_drawing(plan, width=4.0), error, 2)
        assert reported(made) == {kind: 2}
