"""The report of many errors in a real browser: rings, symbols by scale, the list, the scale bar, print and phones."""

from dataclasses import replace

import numpy as np
import pytest
import shapely
from pyproj import Geod, Transformer

from geoeval import Drawing, evaluate_lines, evaluate_roads, write_report
from geoeval.model.courses import bar
from geoeval.model.plan import with_plan
from geoeval.perturbation.perturb import perturb
from geoeval.roads.edit_plan import edit_plan
from tests.networks import grid, network
from tests.report.hostile import EVIL, hostile, watch

MAP = "Bokeh.documents[0].roots()[0]"


@pytest.fixture(scope="module")
def town():
    """24 by 24 streets of 100 m at 45 degrees north, with about 200 errors."""
    roads = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(24, 24)])
    prediction = roads
    for error, count in (("missing", 60), ("interruptions", 60), ("overconnections", 20)):
        prediction = perturb(prediction, error, count, seed=1).prediction
    result = evaluate_roads(roads, prediction, metrics="ccq,opt-j,opt-p")
    area = shapely.box(500_000, 5_000_000, 502_300, 5_002_300)
    return with_plan(replace(result, area=area), edit_plan(result))


@pytest.fixture(scope="module")
def file(town, tmp_path_factory):
    path = tmp_path_factory.mktemp("city") / "report.html"
    write_report(town, path)
    return path


def opened(browser, path, **options):
    page = browser.new_page(**({"viewport": {"width": 1300, "height": 900}} | options))
    watch(page)
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    page.wait_for_timeout(300)
    return page


@pytest.fixture(scope="module")
def shared_page(browser, file):
    page = opened(browser, file)
    yield page
    assert page.problems == page.asked == []
    page.close()


@pytest.fixture
def page(shared_page):
    shared_page.get_by_label("Show everything").click()
    shared_page.wait_for_timeout(400)
    return shared_page


def drawn(page, name):
    """How many rows of a layer are drawn, of lines and of symbols."""
    return page.evaluate(
        f"name => {MAP}.renderers.filter(r => r.name.startsWith(name)).map(r => r.view.filter.indices.length)", name
    )


def gathered(page):
    return page.evaluate(f"{MAP}.renderers.find(r => r.name === 'gathered').data_source.data.count.map(Number)")


def box(page):
    return page.evaluate(f"(m => [m.x_range.start, m.y_range.start, m.x_range.end, m.y_range.end])({MAP})")


def zoom_in(page, times):
    for _ in range(times):
        page.get_by_label("Zoom in").click()
    page.wait_for_timeout(500)


def test_many_errors_are_gathered_and_none_is_lost(page, town):
    """Each error is drawn once: as itself, as a symbol, or in a ring."""
    shown = {name: count for name, count in layer_counts(town).items() if count}
    total = sum(shown.values())
    rings = gathered(page)
    assert rings
    assert sum(rings) + sum(sum(drawn(page, name)) for name in shown) == total
    zoom_in(page, 8)
    assert gathered(page) == []


def layer_counts(result):
    frames = result.map_errors()
    return {
        f"{kind}-{geometry}": int((frames[geometry]["kind"] == kind).sum())
        for geometry, kinds in (
            ("lines", ("missing", "break", "false_link", "spurious", "doubled", "merged", "displaced")),
            ("points", ("junction",)),
        )
        for kind in kinds
    }  # fmt: skip


def test_symbols_and_lines_grow_with_the_scale(page):
    look = f"(r => [r.glyph.line_width.value, r.glyph.size?.value])({MAP}.renderers.find(r => r.name === NAME))"
    wide = page.evaluate(look.replace("NAME", "'break-lines'"))[0]
    size = page.evaluate(look.replace("NAME", "'break-lines-symbols'"))[1]
    lines, _ = drawn(page, "break-lines")
    assert lines == 0  # gaps of 8 m are symbols from afar
    zoom_in(page, 8)
    assert page.evaluate(look.replace("NAME", "'break-lines'"))[0] == 7 > 1.5 * wide
    assert page.evaluate(look.replace("NAME", "'break-lines-symbols'"))[1] > size
    lines, _ = drawn(page, "break-lines")
    assert lines > 50


def test_the_scale_bar_is_right_on_the_ground(page):
    """Against the geodesic on the ellipsoid, at several scales."""
    back, ellipsoid = Transformer.from_crs(3857, 4326, always_xy=True), Geod(ellps="WGS84")
    for times in (0, 3, 3):
        zoom_in(page, times)
        length, pixels = page.evaluate(
            "(b => [Number(b.length), Number(b.pixels)])(document.querySelector('.scale-bar').dataset)"
        )
        x0, y0, x1, y1 = box(page)
        unit = (x1 - x0) / page.evaluate(f"{MAP}.inner_width")
        middle = [(x0 + x1) / 2, (y0 + y1) / 2]
        (west, east), (south, north) = back.transform([middle[0], middle[0] + pixels * unit], [middle[1]] * 2)
        assert ellipsoid.inv(west, south, east, north)[2] == pytest.approx(length, rel=1e-5)
        drawn_pixels = page.evaluate("document.querySelector('.scale-bar div').getBoundingClientRect().width")
        assert drawn_pixels == pytest.approx(pixels, abs=0.5)
        text = page.locator(".scale-bar span").text_content()
        assert text == (f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m")


def test_a_drawing_has_its_own_scale(browser, tmp_path):
    reference = Drawing([bar((10, y), (90, y)) for y in (20, 40, 60)], width=4)
    result = evaluate_lines(reference, Drawing([bar((10, 20), (90, 20))], width=4))
    write_report(result, tmp_path / "lines.html", grid=None)
    page = opened(browser, tmp_path / "lines.html")
    length, pixels = page.evaluate(
        "(b => [Number(b.length), Number(b.pixels)])(document.querySelector('.scale-bar').dataset)"
    )
    x0, _, x1, _ = box(page)
    assert length == pytest.approx(pixels * (x1 - x0) / page.evaluate(f"{MAP}.inner_width"))
    assert length in {10, 20}
    assert page.problems == []
    page.close()


def rows(page):
    return page.locator("#error-list .row")


def test_errors_are_listed_by_kind_and_clicked_to_zoom(page, town):
    page.locator("#list-kind").select_option("missing")
    missing = town.errors_of("missing")
    assert page.locator("#list-place").text_content() == f"0 of {len(missing)}"
    page.locator("#list-order").select_option("length")
    rows(page).nth(2).click()
    page.wait_for_timeout(400)
    longest = missing.sort_values("length_m", ascending=False, kind="stable").iloc[2]
    place = page.evaluate(f"(d => [d.x[0], d.y[0]])({MAP}.renderers.find(r => r.name === 'mark').data_source.data)")
    forth = Transformer.from_crs(town.crs, 3857, always_xy=True)
    at = shapely.Point(place)
    there = shapely.transform(longest.geometry, lambda xy: np.column_stack(forth.transform(*xy.T)))
    # One of the same length may be the third as well as this one.
    same = missing[missing["length_m"].round(1) == round(longest["length_m"], 1)].geometry.to_numpy()
    shapes = shapely.transform(same, lambda xy: np.column_stack(forth.transform(*xy.T)))
    assert shapely.distance(shapes, at).min() < 0.2
    left, bottom, right, top = box(page)
    assert right - left < 1500
    assert shapely.box(left, bottom, right, top).contains(at)
    assert there.length < right - left
    assert rows(page).nth(2).get_attribute("aria-selected") == "true"


def test_next_and_previous_by_keyboard(page):
    page.locator("#list-kind").select_option("")
    page.locator("#error-list").focus()
    views = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "End"):
        page.keyboard.press(key)
        page.wait_for_timeout(250)
        views.append(box(page))
    assert views[0] == views[2] != views[1]
    place, total = page.locator("#list-place").text_content().split(" of ")
    assert place == total
    assert rows(page).last.get_attribute("aria-selected") == "true"


def test_only_rows_in_sight_are_in_the_page(page, town):
    page.locator("#list-kind").select_option("")
    total = sum(entry["count"] for entry in town.error_summary().values())
    assert page.locator("#list-place").text_content() == f"0 of {total:,}"
    assert rows(page).count() < 30 < total
    page.evaluate("document.getElementById('error-list').scrollTop = 1e9")
    page.wait_for_timeout(200)
    assert rows(page).last.text_content().startswith(f"{total:,}")


def test_a_kind_and_an_edit_lead_to_their_errors(page, town):
    page.locator('#errors ~ table [data-kind="break"]').click()
    assert page.locator("#list-place").text_content() == f"0 of {len(town.errors_of('break'))}"
    before = box(page)
    page.locator('[data-rank="1"]').click()
    page.wait_for_timeout(300)
    first = town.plan.edits.iloc[0]
    x, y = Transformer.from_crs(town.crs, 3857, always_xy=True).transform(first["x"], first["y"])
    left, bottom, right, top = box(page)
    assert right - left < before[2] - before[0]
    assert left < x < right
    assert bottom < y < top


def test_the_evaluated_ground_is_outlined(page):
    ground = page.evaluate(
        "(d => [Math.min(...d.xs[0]), Math.max(...d.xs[0])])"
        f"({MAP}.renderers.find(r => r.name === 'area').data_source.data)"
    )
    assert ground[1] - ground[0] == pytest.approx(2300 / np.cos(np.radians(45.16)), rel=0.01)


def test_print_shows_a_picture_and_whole_tables(browser, file):
    page = opened(browser, file)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 690, "height": 1000})  # the text width of A4
    assert not page.locator("#map").is_visible()
    assert not page.locator("#error-list").is_visible()
    assert page.locator(".picture > svg").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    width = page.evaluate("document.body.clientWidth")
    for table in page.locator("table").all():
        assert table.bounding_box()["width"] <= width + 1
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.close()


def test_on_a_phone_nothing_is_wider_than_the_page(browser, file):
    page = opened(browser, file, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    rows(page).first.click()
    assert page.problems == []
    page.close()


def test_words_in_the_table_of_edits_are_whole(page):
    """No cell but those of ids, which may be endless, is narrower than its longest word."""
    broken = page.evaluate(
        """() => [...document.querySelectorAll("table.plan td:not(.ids)")].filter(
        (cell) => cell.scrollWidth > cell.clientWidth + 1
        || getComputedStyle(cell).overflowWrap === "anywhere").length"""
    )
    assert broken == 0
    assert (
        min(page.evaluate("[...document.querySelectorAll('table.plan td.note')].map((one) => one.clientWidth)")) > 200
    )


def test_hostile_text_in_the_list_stays_text(browser, tmp_path, town):
    path = tmp_path / "evil.html"
    write_report(hostile(town), path, grid=None)
    page = opened(browser, path)
    assert page.problems == page.asked == []
    assert any(EVIL in text for text in rows(page).all_text_contents())
    page.locator("#list-kind").select_option(EVIL)
    rows(page).first.click()
    page.wait_for_timeout(300)
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert page.problems == []
    page.close()
