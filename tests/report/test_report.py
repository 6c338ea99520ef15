"""The report in a real browser: no error, no request, layers that switch, hostile text that stays text."""

import re
import shutil

import geopandas as gpd
import pytest

from geoeval import evaluate_roads
from geoeval.report import write_report
from geoeval.roads.grid import score_grid
from geoeval.roads.plan import edit_plan, with_plan
from geoeval.synthetic.perturb import perturb
from tests.networks import grid, network

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
EVIL_FILE = EVIL.replace("/", "\\")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    lines = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(6, 6)]
    town = network(lines, ids=[f"{EVIL}{i}" for i in range(len(lines))])
    prediction = town
    for error, count in (("missing", 4), ("interruptions", 5), ("overconnections", 3)):
        prediction = perturb(prediction, error, count, seed=1).prediction
    prediction.source = town.source = f"{EVIL_FILE}.gpkg"
    result = evaluate_roads(town, prediction, metrics="ccq,tlts,opt-j", parameters={"tlts": {"pairs": 100}})
    plan = edit_plan(result)
    result = with_plan(result, plan)
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(result, path, grid=score_grid(result, cell_size=200), plan=plan)
    return path


def test_everything_is_in_one_file(page_file):
    text = page_file.read_text(encoding="utf-8")
    assert EVIL not in text
    assert EVIL_FILE not in text
    assert 'href="http' not in text


def test_an_existing_report_is_not_written_over(page_file):
    result = evaluate_roads(network(grid(3, 3)), network(grid(3, 3)), metrics="ccq")
    with pytest.raises(Exception, match="--overwrite"):
        write_report(result, page_file)
    write_report(result, page_file.with_name("second.html"))
    write_report(result, page_file.with_name("second.html"), overwrite=True)


@pytest.mark.parametrize("lines", [([], []), (grid(2, 2), []), ([], grid(2, 2))])
def test_empty_networks_have_a_report_too(tmp_path, lines):
    result = evaluate_roads(*(network(one) for one in lines), metrics="ccq,opt-j")
    write_report(result, tmp_path / "r.html", grid=score_grid(result), plan=edit_plan(result))
    assert "geoeval" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--no-first-run", "--disable-quic"]  # fmt: skip
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, page_file):
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.problems, page.asked = [], []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("console", lambda entry: page.problems.append(entry.text) if entry.type in {"error", "warning"} else None)
    page.on("dialog", lambda dialog: page.problems.append(dialog.message))
    page.route(re.compile("^https?:"), lambda route: (page.asked.append(route.request.url), route.abort()))
    page.goto(page_file.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=60_000, state="attached")
    yield page
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


def test_the_grid_adds_up(page_file):
    town = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(6, 6)])
    result = evaluate_roads(town, perturb(town, "missing", 5, seed=3).prediction, metrics="ccq,opt-j")
    cells = score_grid(result, cell_size=130)
    assert isinstance(cells, gpd.GeoDataFrame)
    assert cells["ref_m"].sum() == pytest.approx(town.length)
    matched = (cells["ref_m"] * cells["ccq.completeness"].fillna(0)).sum()
    assert matched == pytest.approx(result.counts["ccq"]["ref_matched"], rel=1e-6)
    assert cells["opt-j.tp"].sum() == result.counts["opt-j"]["tp"]
