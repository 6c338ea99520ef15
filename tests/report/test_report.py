"""The report in a real browser: no error, no request, layers that switch, hostile text that stays text."""

import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import geopandas as gpd
import pytest
import shapely

from geoeval import Drawing, ObjectMap, evaluate, evaluate_lines, evaluate_roads, write_report
from geoeval.exceptions import MissingExtraError, OutputError, ParameterError
from geoeval.metrics.score_grid import score_grid
from geoeval.model.courses import bar
from geoeval.model.error_kinds import KINDS
from geoeval.model.plan import with_plan
from geoeval.perturbation.perturb import perturb
from geoeval.report.page import render
from geoeval.report.score_texts import metric_texts, number
from geoeval.roads.edit_plan import edit_plan
from tests.networks import grid, network
from tests.report.hostile import EVIL, EVIL_FILE, addresses, hostile, watch


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    lines = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(6, 6)]
    town = network(lines, ids=[f"{EVIL}{i}" for i in range(len(lines))])
    prediction = town
    for error, count in (("missing", 4), ("interruptions", 5), ("overconnections", 3)):
        prediction = perturb(prediction, error, count, seed=1).prediction
    result = evaluate_roads(town, prediction, metrics="ccq,tlts,opt-j", parameters={"tlts": {"pairs": 100}})
    plan = edit_plan(result)
    result = with_plan(result, plan)
    facts = {"source": f"{EVIL_FILE}.gpkg"}
    result = replace(result, reference=result.reference | facts, prediction=result.prediction | facts)
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(result, path, grid=score_grid(result, cell_size=200), plan=plan)
    return path


def test_everything_is_in_one_file(page_file):
    text = page_file.read_text(encoding="utf-8")
    assert EVIL not in text
    assert EVIL_FILE not in text
    assert 'href="http' not in text


def test_no_script_knows_where_to_load_another(page_file):
    assert addresses(page_file.read_text(encoding="utf-8")) == set()


def test_the_browser_lets_the_page_load_no_script_style_or_data(page):
    page.evaluate(
        """() => Promise.allSettled([
          new Promise((done) => document.body.append(Object.assign(document.createElement("script"),
            {src: "https://example.org/a.js", onload: done, onerror: done}))),
          new Promise((done) => document.body.append(Object.assign(document.createElement("link"),
            {rel: "stylesheet", href: "https://example.org/a.css", onload: done, onerror: done}))),
          fetch("https://example.org/a.json"), import("https://example.org/a.mjs"),
        ])"""
    )
    assert page.asked == []
    assert sum("Content Security Policy" in problem for problem in page.problems) >= 4


def test_an_existing_report_is_not_written_over(page_file):
    result = evaluate_roads(network(grid(3, 3)), network(grid(3, 3)), metrics="ccq")
    with pytest.raises(OutputError, match="overwrite=True"):
        write_report(result, page_file)
    write_report(result, page_file.with_name("second.html"))
    write_report(result, page_file.with_name("second.html"), overwrite=True)


@pytest.mark.parametrize("lines", [([], []), (grid(2, 2), []), ([], grid(2, 2))])
def test_empty_networks_have_a_report_too(tmp_path, lines):
    result = evaluate_roads(*(network(one) for one in lines), metrics="ccq,opt-j")
    write_report(result, tmp_path / "r.html", grid=score_grid(result), plan=edit_plan(result))
    assert "geoeval" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.fixture
def page(browser, page_file):
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    watch(page)
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    yield page
    page.close()


def opened(browser, result, path):
    write_report(result, path)
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    watch(page)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    return page


def test_matches_and_links_are_no_errors_in_the_list(browser, tmp_path):
    """Two of five houses are found as they should be, each with a link; they are on the map and not in the list."""
    houses = [shapely.box(40 * i, 0, 40 * i + 20, 20) for i in range(5)]
    true = ObjectMap.from_polygons(houses[:4], crs="EPSG:32610")
    found = ObjectMap.from_polygons([houses[0], shapely.box(41, 1, 61, 21), houses[4]], crs="EPSG:32610")
    result = evaluate(true, found, kind="objects", aoi="all")
    assert set(result.as_dict()["matches"]) == {"link", "matched"}
    count = sum(entry["count"] for entry in result.error_summary().values())
    page = opened(browser, result, tmp_path / "houses.html")
    assert page.locator("#list-place").inner_text() == f"0 of {count}"
    assert page.locator("#error-list .row").count() == count == 3
    assert page.locator('[data-layer="matched-polygons"]').count() == page.locator('[data-layer="link-lines"]').count()
    assert page.problems == page.asked == []
    page.close()


def test_what_is_wrong_in_the_reference_stands_apart(browser, tmp_path):
    """Both maps have a street twice: one is an error of the prediction, the other is said of the reference."""
    street, other, third = ([(0, y), (400, y)] for y in (0, 200, 400))
    result = evaluate(
        network([street, street, other, third]), network([street, other, other]), metrics="ccq", aoi="all"
    )
    assert {kind: entry["count"] for kind, entry in result.error_summary().items()} == {"duplicate": 1, "missing": 1}
    problems = {"duplicate": {"count": 1, "length_m": 400.0}}
    assert result.reference_problems() == json.loads(result.to_json())["reference_problems"] == problems
    assert len(result.errors_of("duplicate")) == 2
    assert "2 errors" in repr(result)
    page = opened(browser, result, tmp_path / "roads.html")
    assert page.locator("#list-place").inner_text() == "0 of 2"
    assert "no errors of the prediction: 1 duplicate (400 metres)." in page.locator("main").inner_text()
    layers = page.locator("fieldset").first.inner_text()
    assert "Duplicate in the reference\n1" in layers.replace("\n\n", "\n")
    page.close()


def test_the_plan_leads_to_openstreetmap(browser, tmp_path):
    """Addresses to be clicked; nothing is loaded from there."""
    streets = [[(491_000, 5_458_000 + y), (491_400, 5_458_000 + y)] for y in (0, 200)]
    true = network(streets, ids=[5, 6], source="town.osm")
    page = opened(browser, evaluate(true, network(streets[:1]), metrics="ccq", aoi="all"), tmp_path / "roads.html")
    links = page.locator(".plan a")
    assert links.all_inner_texts()[1:] == ["edit", "way 6"]
    place = links.nth(0).get_attribute("href")
    assert place.startswith("https://www.openstreetmap.org/?mlat=49.27")
    assert links.nth(2).get_attribute("href") == "https://www.openstreetmap.org/way/6"
    assert page.problems == page.asked == []
    page.close()


def shown(page, name: str) -> list[bool]:
    return page.evaluate(
        "name => Bokeh.documents.flatMap(d => d.roots()).flatMap(r => r.renderers)"
        ".filter(r => r.name === name).map(r => r.visible)", name
    )  # fmt: skip


def test_no_error_and_no_request(page):
    assert page.problems == []
    assert page.asked == []
    assert page.evaluate("document.querySelectorAll('script[src], link[href], img[src]').length") == 0


def test_layers_switch_by_keyboard(page):
    box = page.locator('[data-layer="missing-lines"]')
    assert shown(page, "missing-lines") == [True]
    box.focus()
    page.keyboard.press("Space")
    assert shown(page, "missing-lines") == [False]
    page.keyboard.press("Space")
    assert shown(page, "missing-lines") == [True]


def test_the_map_draws_moves_and_comes_back(page):
    def span():
        return page.evaluate("Bokeh.documents[0].roots()[0].x_range.end - Bokeh.documents[0].roots()[0].x_range.start")

    before = span()
    page.get_by_label("Zoom in").click()
    assert span() == pytest.approx(0.6 * before)
    page.get_by_label("Show everything").click()
    assert span() == pytest.approx(before)
    picture = page.locator("#map").screenshot()
    page.locator('[data-layer="reference"]').uncheck()
    page.wait_for_timeout(500)
    assert page.locator("#map").screenshot() != picture


def test_a_metre_is_as_long_in_both_directions(browser, tmp_path):
    """A tall town must not be drawn wide, at first, after zooming, and in a window of another shape."""
    tall = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(12, 3)])
    result = evaluate_roads(tall, tall, metrics="ccq")
    write_report(result, tmp_path / "tall.html", grid=None, plan=edit_plan(result))
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto((tmp_path / "tall.html").as_uri())
    page.wait_for_selector("html[data-ready=yes]")

    def metres_per_pixel():
        page.wait_for_timeout(400)
        return page.evaluate(
            "(m => [(m.x_range.end - m.x_range.start) / m.inner_width, (m.y_range.end - m.y_range.start)"
            " / m.inner_height])(Bokeh.documents[0].roots()[0])"
        )

    x, y = metres_per_pixel()
    assert x == pytest.approx(y, rel=1e-6)
    page.get_by_label("Zoom in").click()
    x, y = metres_per_pixel()
    assert x == pytest.approx(y, rel=1e-6)
    page.set_viewport_size({"width": 700, "height": 900})
    x, y = metres_per_pixel()
    assert x == pytest.approx(y, rel=1e-6)
    page.close()


def test_light_and_dark(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(colour)
    page.locator("#theme").click()
    assert page.evaluate(colour) != before


def test_the_background_is_fetched_only_when_asked_for(page):
    page.locator("#background").check()
    for _ in range(40):
        if page.asked:
            break
        page.wait_for_timeout(250)
    assert page.asked
    assert all("tile.openstreetmap.org" in url for url in page.asked)


def test_hostile_names_are_text(page):
    assert page.evaluate("document.querySelector('h1').textContent").startswith(EVIL_FILE)
    assert any(EVIL in text for text in page.locator("#fix ~ .wide td").all_text_contents())


class Tags(HTMLParser):
    """How often each tag occurs, and the attributes that run scripts."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.handlers = {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.handlers += [name for name, _ in attributes if name.startswith("on")]


def damaged(metrics="ccq,opt-j"):
    town = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(6, 6)])
    prediction = perturb(perturb(town, "missing", 5, seed=3).prediction, "interruptions", 4, seed=3).prediction
    result = evaluate_roads(town, prediction, metrics=metrics)
    return replace(result, plan=edit_plan(result))


def test_text_from_anywhere_stays_text(browser, tmp_path):
    """In ids, notes, kinds, metric and score names, parameters, file names, problems: nowhere does it become markup."""
    result = hostile(damaged())
    result = replace(result, plan=replace(result.plan, edits=edit_plan(damaged()).edits.assign(note=EVIL, ref_id=EVIL)))
    text = render(result, grid=None)
    assert EVIL not in text
    assert EVIL_FILE not in text
    tags = Tags(text)
    assert "img" not in tags.counts
    assert tags.handlers == []
    assert tags.counts["script"] == Tags(render(damaged(), grid=None)).counts["script"]
    (tmp_path / "evil.html").write_text(text, encoding="utf-8")
    page = browser.new_page()
    watch(page)
    page.goto((tmp_path / "evil.html").as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    assert page.problems == []
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    places = (".tile .metric", ".tile .score", ".parameters", "#scores ~ ul li", ".panel label", "#errors ~ table td",
              "#fix ~ .wide td", "dd")  # fmt: skip
    for place in places:
        texts = page.locator(place).all_text_contents()
        assert any(EVIL in text or EVIL_FILE in text or EVIL[:37] in text for text in texts), place
    assert page.locator(".tile").first.get_attribute("title").endswith(EVIL)
    page.close()


def test_the_simple_call_has_grid_and_plan(browser, tmp_path):
    result = damaged()
    write_report(result, tmp_path / "simple.html")
    page = browser.new_page()
    page.goto((tmp_path / "simple.html").as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    assert page.locator('[data-layer="grid"]').count() == 1
    assert page.locator("#fix ~ .wide tbody tr").count() == min(len(result.plan.edits), 50) > 3
    assert page.locator("#plots ~ .plots figure").count() >= 2
    page.close()


def test_the_grid_can_be_of_any_size_or_left_out(tmp_path):
    result = damaged()
    assert 'data-layer="grid"' in render(result, grid=100)
    assert 'data-layer="grid"' not in render(result, grid=None)
    with pytest.raises(ParameterError, match="too fine"):
        write_report(result, tmp_path / "r.html", grid=0.1)
    assert list(tmp_path.iterdir()) == []


def test_a_grid_without_a_telling_score_is_drawn_in_outlines():
    """A column of metres must not be taken for a score between 0 and 1."""
    cells = gpd.GeoDataFrame({"ref_m": [700.0]}, geometry=damaged().grid(600.0).geometry.iloc[:1], crs="EPSG:32610")
    page = render(damaged(), grid=cells)
    assert "<span>Grid</span>" in page
    assert "ref_m by grid cell" not in page


def test_scores_say_what_they_mean():
    """Bars only for what lies between 0 and 1 by declaration, and the direction where lower is better."""
    texts = {metric.name: metric for metric in metric_texts(damaged("ccq,opt-j,tlts,distance"))}
    assert texts["ccq"].headline.share == pytest.approx(float(texts["ccq"].headline.text), abs=1e-4)
    chamfer = texts["distance"].headline
    assert (chamfer.share, chamfer.unit, chamfer.better) == (None, "m", "lower")
    assert chamfer.tooltip.endswith("Lower is better.")
    counts = {score.name: score for score in texts["opt-j"].scores}
    assert counts["tp"].share is None
    assert counts["tp"].unit == ""
    assert counts["tp"].text.isdigit()
    assert {score.name: score.better for score in texts["tlts"].scores}["too_long"] == "lower"
    page = render(damaged("ccq,distance"), grid=None, plan=None)
    tiles = page.split('<div class="tiles">')[1].split("</section>")[0]
    assert tiles.count("<meter") == 1
    assert tiles.count("lower is better") == 1


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(None, "m", "undefined"), (3, "", "3"), (3.0, "count", "3"), (1.0, "", "1.0000"), (12345.0, "", "12,345"),
     (0.5, "", "0.5000"), (12.345, "m", "12.35"), (0.00002, "s", "2.00e-05"), (0.00002, "", "0.0000")],
)  # fmt: skip
def test_numbers_as_people_read_them(value, unit, text):
    assert number(value, unit) == text


def test_an_undefined_score_gives_its_reason():
    result = replace(damaged("ccq"), scores={"ccq": {"quality": None}}, notes={"ccq.quality": "nothing to compare"})
    score = metric_texts(result)[0].headline
    assert (score.text, score.share, score.unit) == ("undefined", None, "")
    assert score.tooltip.endswith("nothing to compare")
    assert "<meter" not in render(result, grid=None)


def test_a_parameter_without_a_value_is_not_given():
    result = replace(damaged("ccq"), parameters={"ccq": {"tolerance": 5.0, "starts": None}})
    assert metric_texts(result)[0].parameters == "tolerance = 5.0, starts not given"


def test_a_drawing_has_a_report_with_its_own_local_score(tmp_path):
    reference = Drawing([bar((10, y), (90, y)) for y in (20, 40, 60)], width=4)
    prediction = Drawing([bar((10, y), (90, y)) for y in (20, 40)], width=4)
    result = evaluate_lines(reference, prediction, seconds=3.0)
    write_report(result, tmp_path / "lines.html", grid=50)
    page = (tmp_path / "lines.html").read_text(encoding="utf-8")
    assert "Grid: vector.vri" in page
    assert "Background map" not in page
    assert "lower is better" in page


def test_a_missing_package_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(
        MissingExtraError, match=r"^a report needs bokeh and Jinja2; pip install \"geoeval\[report\]\"$"
    ):
        write_report(damaged(), tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_black_follows_the_paper(browser, tmp_path):
    """What is displaced is black, which cannot be seen on dark paper."""
    result = damaged()
    lines = result.errors["lines"].assign(kind="displaced")
    write_report(replace(result, errors=result.errors | {"lines": lines}), tmp_path / "black.html")
    assert KINDS["displaced"].colour == "#000000"
    page = browser.new_page(color_scheme="light")
    page.goto((tmp_path / "black.html").as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    colour = (
        "Bokeh.documents.flatMap(d => d.roots()).flatMap(r => r.renderers)"
        ".find(r => r.name === 'displaced-lines').glyph.line_color.value"
    )
    assert page.evaluate(colour) == "#000000"
    page.locator("#theme").click()
    assert page.evaluate(colour) == "#ffffff"
    page.close()


def test_the_grid_adds_up(page_file):
    town = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(6, 6)])
    result = evaluate_roads(town, perturb(town, "missing", 5, seed=3).prediction, metrics="ccq,opt-j")
    cells = score_grid(result, cell_size=130)
    assert isinstance(cells, gpd.GeoDataFrame)
    assert cells["ref_m"].sum() == pytest.approx(town.length)
    matched = (cells["ref_m"] * cells["ccq.completeness"].fillna(0)).sum()
    assert matched == pytest.approx(result.counts["ccq"]["ref_matched"], rel=1e-6)
    assert cells["opt-j.tp"].sum() == result.counts["opt-j"]["tp"]


def test_a_drawing_is_measured_in_its_own_units(tmp_path):
    (tmp_path / "a.txt").write_text("10 10 9010 10 5\n10 50 110 50 5\n")
    (tmp_path / "b.txt").write_text("10 10 9010 10 5\n300 10 300 60 5\n")
    result = evaluate(tmp_path / "a.txt", tmp_path / "b.txt", kind="lines")
    assert result.unit == "units"
    page = render(result, previous=result)
    assert "lengths in units of the drawing" in page
    assert not re.search(r">[^<{}]*\b(metres|km)\b[^<{}]*</", page)
    # With metres for a unit of the drawing, it is in metres.
    assert evaluate(tmp_path / "a.txt", tmp_path / "b.txt", kind="lines", pixel_size=2.0).unit == "m"


@pytest.mark.parametrize(("size", "unit", "length"), [(1, "px", "900 px"), (0.5, "m", "0.45 km")])
def test_maps_that_stay_in_pixels_are_measured_in_pixels(tmp_path, size, unit, length):
    for name, y in (("reference", 0), ("prediction", 2)):
        (tmp_path / f"{name}.graph").write_text(f"0 {y}\n900 {y}\n\n0 1\n1 0\n")
    result = evaluate(tmp_path / "reference.graph", tmp_path / "prediction.graph", metrics="ccq", pixel_size=size)
    assert result.unit == unit
    page = render(result)
    assert f"reference: {length}" in page
    assert f'"unit":"{unit}"' in page.replace(" ", "")
    assert f"lengths in {'pixels' if unit == 'px' else 'metres'}" in page
