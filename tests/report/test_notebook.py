"""A result in a notebook: tiles and a small map, a plot, and the map to move and zoom."""

import re
import sys
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import geopandas as gpd
import matplotlib.pyplot as plt
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import ObjectMap, RoadNetwork, evaluate_objects, evaluate_roads
from geoeval.exceptions import MissingExtraError
from geoeval.model.error_kinds import KINDS
from geoeval.perturbation.perturb import perturb
from geoeval.report import static_map as module
from geoeval.report.notebook import explore_result, plot_result, result_html
from geoeval.report.static_map import static_map
from tests.networks import grid, network
from tests.report.hostile import EVIL, EVIL_FILE, addresses, hostile, watch

EAST, NORTH = 500_000.0, 5_000_000.0
ORIGIN = np.array([EAST, NORTH])


@pytest.fixture(scope="module")
def roads():
    town = network([[(x + EAST, y + NORTH) for x, y in line] for line in grid(6, 6)])
    prediction = perturb(perturb(town, "missing", 5, seed=3).prediction, "interruptions", 4, seed=3).prediction
    return evaluate_roads(town, prediction, metrics="ccq,opt-j,opt-p,tlts,distance")


@pytest.fixture(scope="module")
def houses():
    boxes = [shapely.box(EAST + 40 * i, NORTH, EAST + 40 * i + 20, NORTH + 15) for i in range(6)]
    moved = [shapely.box(EAST + 40 * i + 2, NORTH, EAST + 40 * i + 22, NORTH + 15) for i in range(2, 7)]
    crs = "EPSG:32610"
    return evaluate_objects(ObjectMap.from_polygons(boxes, crs=crs), ObjectMap.from_polygons(moved, crs=crs))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def paths(svg) -> dict[str, ET.Element]:
    return {path.findtext("title").partition(":")[0]: path for path in svg}


def drawn(data: str) -> list[np.ndarray]:
    """The places of each part of a path, by an independent reader of the few commands that it uses."""
    courses = []
    for part in data.removeprefix("M").split("M"):
        start, command, rest = re.fullmatch(r"(\d+ \d+)([lh])(.*?)z?", part).groups()
        steps = [int(number) for number in re.findall(r"-?\d+", rest)]
        steps = np.reshape(steps if command == "l" else [0, 0], (-1, 2))
        courses.append(np.cumsum([[int(n) for n in start.split()], *steps], axis=0))
    return courses


# ---------------------------------------------------------------------- tiles and the small map


def test_tiles_map_and_legend(roads):
    html = result_html(roads)
    for name in roads.scores:
        assert f"<b>{name}</b>" in html
    assert html.count('class="bar"') == 4  # distance is in metres
    assert "chamfer, lower is better" in html
    assert html.count("<svg") == html.count("</svg>") == 1
    for kind, entry in roads.error_summary().items():
        shown = not KINDS[kind].hidden
        assert (f"{KINDS[kind].label} {entry['count']:,}" in html) == shown
    assert "Not drawn:" in html
    assert len(html) < 30_000


def test_kinds_have_the_colours_of_their_table(roads):
    svg, groups = static_map(roads)
    found = paths(svg)
    assert {kind.label for kind, *_ in groups} <= set(found)
    for kind, *_ in groups:
        assert found[kind.label].get("stroke") == kind.colour
    assert list(found)[:2] == ["Reference", "Prediction"]
    assert list(found)[-1] == groups[0][0].label


def test_the_map_is_true(roads):
    """Every street of the reference is where it should be, north at the top, to a quarter of a pixel."""
    svg, _ = static_map(roads)
    courses = drawn(paths(svg)["Reference"].get("d"))
    width, height = (int(number) for number in svg.get("viewBox").split()[2:])
    scale = (height - 48) / 500.0
    assert width == height  # a square town
    expected = [np.array(line) for line in grid(6, 6)]
    ink = shapely.unary_union([shapely.LineString(course) for course in courses])
    for line in expected:
        x, y = (np.linspace(*line, num=20) * scale).T
        places = shapely.points(np.column_stack([x + 24, height - 24 - y]))
        assert shapely.distance(places, ink).max() < 1
    assert ink.length == pytest.approx(6000 * scale, rel=0.01)


def test_objects_are_areas(houses):
    svg, groups = static_map(houses)
    assert {kind.name for kind, *_ in groups} == {"missed", "false_alarm", "boundary"} & set(houses.error_summary())
    missed = paths(svg)["Missed"]
    assert missed.get("fill") == KINDS["missed"].colour
    assert missed.get("d").count("z") == houses.error_summary()["missed"]["count"] == 2
    assert "Matched" not in paths(svg)  # no error


def test_without_inputs_the_errors_are_drawn(roads):
    html = result_html(replace(roads, inputs={}))
    assert "<svg" in html
    assert "Missing" in html
    assert "Prediction</span>" not in html
    assert "<svg" not in result_html(replace(roads, inputs={}, errors={k: f[:0] for k, f in roads.errors.items()}))


@pytest.mark.parametrize("lines", [([], []), (grid(2, 2), []), ([[(0, 0), (100, 0)]], [[(0, 0), (100, 0)]])])
def test_empty_and_flat_inputs(lines):
    html = result_html(evaluate_roads(*(network(one) for one in lines), metrics="ccq,opt-j"))
    assert html.startswith('<div class="geoeval-result">')
    assert ("<svg" in html) == bool(lines[0])
    assert "nan" not in html.lower()


def test_a_result_of_few_facts(roads):
    """As results made by hand or read from elsewhere are."""
    html = result_html(replace(roads, reference={}, prediction={}))
    assert "<b>prediction against reference</b>" in html


def test_hostile_text_stays_text(roads, browser):
    html = result_html(hostile(roads))
    assert EVIL not in html
    assert EVIL_FILE not in html
    page = browser.new_page()
    watch(page)
    page.set_content(f"<!DOCTYPE html><body>{html}</body>")
    assert page.problems == page.asked == []
    assert page.evaluate("document.querySelectorAll('script, img').length") == 0
    assert page.evaluate("document.querySelector('b').textContent").startswith(EVIL_FILE)
    assert any(EVIL in text for text in page.locator(".tile b").all_text_contents())
    assert page.evaluate("document.querySelectorAll('.geoeval-result svg path').length") > 3
    page.close()


def test_it_reads_on_light_and_on_dark(roads):
    """No colour of text or ground of its own, and black follows the text."""
    lines = roads.errors["lines"].assign(kind="never heard of")
    html = result_html(replace(roads, errors=roads.errors | {"lines": lines}))
    style = html.split("</style>")[0]
    assert not re.search(r"[^-]color:", style)
    assert "#000" not in html
    assert module.ink("#000000") == "currentColor"


def test_a_city_stays_light():
    """20,000 roads with 20,000 errors fit, as every street of a smaller town does."""
    rng = np.random.default_rng(1)
    starts = rng.uniform(0, 30_000, (20_000, 2))
    ends = starts + rng.normal(0, 120, (20_000, 2))
    lines = np.stack([starts, (starts + ends) / 2 + rng.normal(0, 15, (20_000, 2)), ends], axis=1) + ORIGIN
    city = RoadNetwork.from_lines(list(lines), crs="EPSG:32610")
    result = evaluate_roads(city, city, metrics="ccq")
    frames = dict(result.errors)
    rows = {"kind": "missing", "metric": "ccq", "length_m": 1.0, "dist_m": 1.0, "severity": 1.0, "note": "",
            "ref_id": "", "pred_id": ""}  # fmt: skip
    frames["lines"] = gpd.GeoDataFrame(rows, geometry=shapely.linestrings(lines), crs=city.crs, index=range(20_000))
    points = shapely.points(starts + ORIGIN)
    frames["points"] = gpd.GeoDataFrame(rows, geometry=points, crs=city.crs, index=range(20_000))
    areas = shapely.buffer(points, 30)
    frames["polygons"] = gpd.GeoDataFrame(rows, geometry=areas, crs=city.crs, index=range(20_000))
    html = result_html(replace(result, errors=frames))
    assert 60_000 < len(html.encode()) < 300_000
    svg, _ = static_map(replace(result, errors=frames))
    assert all(len(path.get("d")) > 10_000 for path in svg)


@settings(max_examples=40)
@given(
    courses=st.lists(
        st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=2, max_size=6, unique=True),
        min_size=1,
        max_size=8,
    )
)
def test_a_path_draws_the_lines_that_it_is_given(courses):
    """As nearly as its rounding allows, and each stretch once."""
    lines = np.array([None, *map(shapely.LineString, courses)], dtype=object)[1:]
    found = drawn(module._line_data(lines, 10_000))
    there = shapely.union_all([shapely.LineString(one) if len(one) > 1 else shapely.Point(one[0]) for one in found])
    assert shapely.hausdorff_distance(there, shapely.union_all(lines)) <= 1.5
    stretches = [tuple(sorted(map(tuple, pair))) for one in found for pair in pairwise(one)]
    long = [pair for pair in stretches if pair[0] != pair[1]]
    assert len(set(long)) == len(long)


def test_what_is_too_small_to_see_is_a_dot():
    tiny = np.array([shapely.LineString([(10.1, 10.1), (10.2, 10.2)])], dtype=object)
    assert module._line_data(tiny, 1000) == "M10 10h0"
    assert module._line_data(tiny, 1000, with_dots=False) == ""
    assert module._area_data(np.array([shapely.box(5.1, 5.1, 5.2, 5.2)], dtype=object), 1000) == "M5 5h0"
    assert module._point_data(np.array([shapely.Point(3.4, 3.4)] * 5, dtype=object), 1000) == "M3 3h0"


def winding(courses, place) -> int:
    """How often the courses turn around a place, as the fill of SVG counts it."""
    turns = 0.0
    for course in courses:
        angle = np.arctan2(*(np.vstack([course, course[:1]]) - place).T[::-1])
        turns += np.angle(np.exp(1j * np.diff(angle))).sum() / (2 * np.pi)
    return round(turns)


def test_holes_stay_holes(houses):
    ring = shapely.box(0, 0, 90, 90).difference(shapely.box(30, 30, 60, 60))
    other = shapely.box(80, 0, 170, 90)  # overlaps the first
    for polygons in ([ring, other], [ring.reverse(), other]):
        courses = drawn(module._area_data(np.array(polygons, dtype=object), 10_000))
        filled = [winding(courses, place) != 0 for place in ((45, 45), (15, 45), (85, 45), (150, 45), (200, 45))]
        assert filled == [False, True, True, True, False]
    frame = houses.map_errors()["polygons"]
    hollow = frame[frame["kind"] == "missed"].iloc[:1].set_geometry([shapely.affinity.translate(ring, EAST, NORTH)])
    axes = replace(houses, inputs={}, errors=houses.errors | {"polygons": hollow}).plot()
    (areas,) = axes.collections
    axes.set_xlim(EAST - 10, EAST + 100)
    axes.set_ylim(NORTH - 10, NORTH + 100)
    areas.set_alpha(1.0)
    axes.figure.canvas.draw()
    image = np.asarray(axes.figure.canvas.buffer_rgba())

    def colour(x, y):
        column, row = axes.transData.transform((EAST + x, NORTH + y))
        return image[image.shape[0] - int(row), int(column), :3].tolist()

    assert colour(45, 45) == [255, 255, 255]
    assert colour(15, 45) == [0, 0x72, 0xB2]


# ---------------------------------------------------------------------- the plot


def test_the_plot_counts_what_it_shows(roads):
    axes = roads.plot()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[-2:] == ["Prediction", "Reference"]
    shown = {kind: entry for kind, entry in roads.error_summary().items() if not KINDS[kind].hidden}
    assert set(labels[:-2]) == {f"{KINDS[kind].label} ({entry['count']:,})" for kind, entry in shown.items()}
    assert axes.get_aspect() == 1.0
    low, high = axes.get_xlim()
    assert low < EAST < EAST + 500 < high
    levels = [one.get_zorder() for one in [*axes.collections, *axes.lines]]
    assert len(set(levels)) == len(labels)
    axes.figure.canvas.draw()


def test_the_plot_goes_where_it_is_told(roads, houses):
    figure, places = plt.subplots(1, 2)
    assert plot_result(roads, places[0]) is places[0]
    assert houses.plot(places[1]) is places[1]
    labels = [text.get_text() for text in places[1].get_legend().get_texts()]
    assert "Missed (2)" in labels
    assert not any(label.startswith("Matched") for label in labels)
    assert len(plt.get_fignums()) == 1
    figure.canvas.draw()


def test_a_plot_of_nothing():
    axes = evaluate_roads(network([]), network([]), metrics="ccq").plot()
    assert axes.get_legend() is None
    axes.figure.canvas.draw()


def test_a_plot_without_matplotlib_is_one_line(monkeypatch, roads):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'^a plot needs matplotlib; pip install "geoeval\[plot\]"$'):
        roads.plot()


# ---------------------------------------------------------------------- the map to move and zoom


def test_the_map_works_in_a_frame(browser, roads):
    """In a frame that may not reach the page around it, without a request."""
    view = roads.explore(height=430)
    assert addresses(view.html) == addresses(result_html(roads)) == set()
    page = browser.new_page(viewport={"width": 900, "height": 700})
    watch(page)
    page.set_content(f"<!DOCTYPE html><body>{view._repr_html_()}</body>")
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(timeout=60_000, state="attached")
    assert page.problems == page.asked == []
    assert page.locator("iframe").bounding_box()["height"] == 430
    assert frame.locator("#map canvas").count() > 0
    inside = page.frames[1]
    visible = "Bokeh.documents[0].roots()[0].renderers.find(r => r.name === 'missing-lines').visible"
    assert inside.evaluate(visible)
    frame.locator('[data-layer="missing-lines"]').uncheck()
    assert not inside.evaluate(visible)
    with pytest.raises(Exception, match=r"SecurityError|Blocked a frame"):
        inside.evaluate("window.parent.document.body")
    page.close()


def test_the_frame_holds_hostile_text_as_text(browser, roads):
    view = explore_result(replace(hostile(roads), cells=roads.grid()))
    html = view._repr_html_()
    assert EVIL not in html
    assert html.count("<") == 2  # the frame alone
    page = browser.new_page()
    watch(page)
    page.set_content(f"<!DOCTYPE html><body>{html}</body>")
    page.frame_locator("iframe").locator("html[data-ready]").wait_for(timeout=60_000, state="attached")
    assert page.problems == page.asked == []
    assert page.frames[1].evaluate("document.querySelectorAll('img').length") == 0
    page.close()


def test_a_view_is_short_in_words(roads):
    assert repr(roads.explore()) == "MapView(height=600)"
