"""Text from data does not become a formula, script, style, command or markup in anything that geoeval writes."""

import csv
import json
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
import shapely

from geoeval import RoadNetwork, evaluate, write_josm
from geoeval.cli.terminal import printable
from geoeval.writers.latex import latex_text

NASTY = (
    "=HYPERLINK(\"http://127.0.0.1/\")</script><script>alert(1)</script>[% eval('x') %]${x}\\input{/etc/passwd}\x1b[31m"
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Everything that an evaluation writes, from maps whose ids and names are hostile."""
    folder = tmp_path_factory.mktemp("nasty")
    lines = [[(0, 0), (900, 0)], [(450, 0), (450, 300)], [(450, 300), (900, 300)]]
    given = []
    for name, some in (("reference", lines), ("prediction", lines[:2])):
        shapes = [shapely.LineString(one) for one in some]
        network = RoadNetwork.from_lines(shapes, crs="EPSG:32632", ids=[f"{NASTY}{k}" for k in range(len(some))])
        given.append(network.with_source(f"{NASTY}{name}"))
    result = evaluate(*given, metrics="ccq,opt-j", aoi="all")
    result.write_layers(folder / "layers", format="gpkg")
    result.write_report(folder / "report.html")
    write_josm(result, folder / "errors.osm")
    (folder / "result.json").write_text(json.dumps(result.plain()))
    return folder


def test_styles_hold_no_text_from_data(written):
    styles = list((written / "layers").rglob("*.qml"))
    assert styles
    for style in styles:
        text = style.read_text()
        ET.fromstring(text)
        assert "alert" not in text
        assert "HYPERLINK" not in text


def test_tables_hold_no_formula(written):
    tables = list((written / "layers").rglob("*.csv"))
    assert tables
    cells = [
        cell for table in tables for row in csv.reader(table.read_text(encoding="utf-8").splitlines()) for cell in row
    ]
    assert any("HYPERLINK" in cell for cell in cells)
    assert not any(cell.startswith(("=", "@", "\t", "\r")) for cell in cells)


def test_the_page_runs_none_of_it(written):
    """The payload stands in the page as text and as JSON, never as an element."""

    class Scripts(HTMLParser):
        def __init__(self):
            super().__init__()
            self.inside, self.found = False, []

        def handle_starttag(self, tag, attrs):
            self.inside = tag == "script"
            assert not any("alert(1)" in (value or "") and name.startswith("on") for name, value in attrs)

        def handle_endtag(self, tag):
            self.inside = False

        def handle_data(self, data):
            if self.inside:
                self.found.append(data)

    page = Scripts()
    page.feed((written / "report.html").read_text(encoding="utf-8"))
    assert not any(script.strip() == "alert(1)" for script in page.found)


def test_the_file_for_josm_is_well_formed(written):
    tags = [tag.get("v") for tag in ET.parse(written / "errors.osm").iter("tag")]
    assert any("<script>" in value for value in tags)


def test_latex_commands_become_text():
    assert latex_text(r"\input{a}_b & 5 % $x$ #1 ~^") == (
        r"\textbackslash{}input\{a\}\_b \& 5 \% \$x\$ \#1 \textasciitilde{}\textasciicircum{}"
    )
    assert latex_text("a\nb\x00") == "a b\ufffd"


def test_messages_hold_no_command_of_the_terminal():
    assert printable("a\x1b[31mb\nc\u202ed") == "a\ufffd[31mb c\ufffdd"


def test_a_file_name_is_no_markup(tmp_path):
    file = tmp_path / "[red][" / "nothing].geojson"
    file.parent.mkdir()
    shape = shapely.geometry.mapping(shapely.LineString([(8.6, 49.4), (8.61, 49.41)]))
    file.write_text(json.dumps(shape))
    done = subprocess.run(
        [sys.executable, "-m", "geoeval", "info", str(file.relative_to(tmp_path))],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "[red][/nothing]" in done.stdout.replace("\n", "")
