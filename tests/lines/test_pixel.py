import numpy as np
import pytest

from geoeval import exceptions
from geoeval.lines import rendering
from geoeval.lines.combined import combined_index
from geoeval.lines.evaluate import evaluate_lines
from geoeval.lines.pixel import pixel
from geoeval.lines.rates import recovery_index
from geoeval.lines.rendering import black_pixels, count_pixels
from geoeval.model.courses import arc, bar
from geoeval.model.drawing import Drawing, PixelImage
from tests.conftest import load_cases
from tests.lines.drawings import random_drawing
from tests.lines.slow_drawing import black_pixels as slow_pixels

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def dots(pixels):
    """A drawing whose black pixels are the given ones, each a line that covers one middle."""
    return Drawing([bar((x - 0.1, y), (x + 0.1, y)) for x, y in pixels], width=0.5)


@pytest.mark.parametrize("case", load_cases("liu_dori_pixel"), ids=lambda case: case["name"])
def test_closed_form_cases(case):
    given = case["input"]
    ink = np.zeros((40, 40), dtype=bool)
    ink[[y for _, y in given["Pg"]], [x for x, _ in given["Pg"]]] = True
    expected = {name.lower(): pytest.approx(value, abs=case["tolerance"]) for name, value in case["expected"].items()}
    alpha = given["params"]["alpha"]
    assert pixel(dots(given["Pg"]), dots(given["Pd"]), alpha=alpha).scores == expected
    options = {"metrics": "pixel", "parameters": {"pixel": {"alpha": alpha}}}
    assert evaluate_lines(Drawing([]), dots(given["Pd"]), image=ink, **options).scores["pixel"] == expected


@pytest.mark.parametrize("case", load_cases("liu_dori_table4"), ids=lambda case: case["name"])
def test_published_table_recombines(case):
    given = case["input"]
    found = {
        "PRI": recovery_index(given["Dp"], given["Fp"], 0.5),
        "VRI": recovery_index(given["Dv"], given["Fv"], 0.5),
    }
    found["CDI"] = combined_index(found["PRI"], found["VRI"])
    assert found == {name: pytest.approx(value, abs=case["tolerance"]) for name, value in case["expected"].items()}


AFFINES = [UNIT, (2.0, 0.0, -5.0, 0.0, -2.0, 115.0), (0.0, 2.0, -5.0, 2.0, 0.0, -3.0)]


@pytest.mark.parametrize("affine", AFFINES)
def test_every_pixel_agrees_with_testing_all_of_them(affine):
    """Also in images that are turned, mirrored and coarser than the drawing's unit."""
    drawing = random_drawing(np.random.default_rng(3), 5)
    a, b, c, d, e, f = affine
    column, row = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(60)))
    middles = np.column_stack([a * column + b * row + c, d * column + e * row + f])
    black, unsure = slow_pixels(drawing, middles)
    columns, rows = black_pixels(drawing, affine)
    found = np.zeros((60, 60), dtype=bool)
    inside = (columns >= 0) & (rows >= 0) & (columns < 60) & (rows < 60)
    found[rows[inside], columns[inside]] = True
    assert black.sum() > 300
    assert (found.ravel() == black)[~unsure].all()
    assert len(np.unique(np.column_stack([columns, rows]), axis=0)) == len(columns)


@pytest.mark.parametrize("affine", AFFINES)
def test_images_are_laid_upon_lines_by_their_georeference(affine):
    drawing = Drawing([arc((50, 50), 30, 0.2, 4.0), bar((20, 20), (70, 40))], width=8)
    columns, rows = black_pixels(drawing, affine)
    assert min(columns.min(), rows.min()) >= 0
    ink = np.zeros((120, 120), dtype=bool)
    ink[rows, columns] = True
    found = evaluate_lines(Drawing([]), drawing, image=PixelImage(ink, affine), metrics="pixel")
    assert found.scores["pixel"] == {"dp": 1, "fp": 0, "pri": 1}


def test_area_of_many_small_pixels_is_the_stroked_area():
    # A ring of radius 40 and width 8: 2 pi 40 * 8. A bar with round caps: 80 * 8 + pi 4².
    for course, area in ((arc((50, 50), 40), 640 * np.pi), (bar((10, 20), (90, 29)), 8 * np.hypot(80, 9) + 16 * np.pi)):
        pixels = pixel(Drawing([course], width=8), Drawing([]), resolution=0.1).counts["ref_pixels"]
        assert pixels / 100 == pytest.approx(area, rel=2e-3)


def test_drawings_are_painted_some_rows_at_a_time(monkeypatch):
    """A vertex astray makes a line of millions of pixels, which are never there together."""
    rng = np.random.default_rng(5)
    one, other = (random_drawing(rng, 12) for _ in range(2))
    image = PixelImage(rng.random((70, 60)) < 0.3, UNIT)
    whole = [count_pixels(one, other), count_pixels(one, other, image=image)]
    made = []

    def painted(*asked):
        made.append(len(found := paint(*asked)))
        return found

    paint = rendering._painted
    monkeypatch.setattr(rendering, "_painted", painted)
    monkeypatch.setattr(rendering, "_AT_ONCE", 300)
    assert [count_pixels(one, other), count_pixels(one, other, image=image)] == whole
    assert min(count.common for count in whole) > 300
    assert max(made) < 900
    assert len(made) > 20
    monkeypatch.setattr(rendering, "_AT_ONCE", 20_000)
    made.clear()
    astray = Drawing([bar((0, 0), (70, 100_000)), bar((0, 0), (100_000, 70))], width=4)
    counted = count_pixels(astray, other)
    assert counted.reference == pytest.approx(800_000, rel=0.01)
    assert max(made) < 60_000


def test_lines_too_far_apart_for_pixels_are_refused():
    dots = [bar((0, 0), (1, 0)), bar((1e9, 1e9), (1e9 + 1, 1e9))]
    with pytest.raises(exceptions.ParameterError, match="too far from each other"):
        pixel(Drawing(dots), Drawing(dots[:1]), resolution=1.0)
    with pytest.raises(exceptions.ParameterError, match="million black pixels"):
        pixel(Drawing([bar((0, 0), (1e8, 0))]), Drawing(dots[:1]), resolution=1.0)


def test_thin_lines_do_not_vanish():
    columns, _ = black_pixels(Drawing([bar((0, 0.3), (20, 0.3))], width=0.01), UNIT)
    assert len(columns) == 21


def test_refused_parameters():
    drawing = Drawing([bar((0, 0), (9, 0))])
    for wrong in ({"alpha": -0.1}, {"resolution": 0.0}, {"resolution": 1e-7}):
        with pytest.raises(exceptions.ParameterError):
            pixel(drawing, drawing, **wrong)
    with pytest.raises(exceptions.ParameterError, match="square"):
        evaluate_lines(drawing, drawing, image=PixelImage(np.ones((3, 3), bool), (1, 0, 0, 0, 2, 0)))
    with pytest.raises(exceptions.ParameterError, match="rows and columns"):
        evaluate_lines(drawing, drawing, image=np.ones(3))
