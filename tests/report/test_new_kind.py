"""A new kind of error is one row of the table, and everything that shows errors knows it."""

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from geoeval import edit_plan, evaluate_roads, write_layers, write_maproulette
from geoeval.model.error_kinds import KINDS, ErrorKind, MapLayer
from geoeval.report.notebook import result_html
from geoeval.report.page import render
from tests.networks import grid, network

TUNNEL = ErrorKind(
    "tunnel", "Tunnel", "tunnels", "A road that goes under a hill on one map only.", "#AB12CD", "star",
    layers=(MapLayer("roads", "lines", "Tunnels", always=True),), layer="tunnels", instruction="Look for the tunnel.",
    action="add", emphasised=True,
)  # fmt: skip


@pytest.fixture
def result(monkeypatch):
    monkeypatch.setitem(KINDS, "tunnel", TUNNEL)
    town = network([[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(3, 3)])
    result = evaluate_roads(town, network([[(500_000, 5_000_000), (500_100, 5_000_000)]]), metrics="ccq,opt-j")
    lines = result.errors["lines"].assign(kind="tunnel")
    return replace(result, errors=result.errors | {"lines": lines})


def test_layer_and_style(result, tmp_path):
    layer = next(layer for layer in write_layers(result, tmp_path / "out") if layer.role == "tunnel")
    assert (layer.layer, layer.geometry) == ("tunnels", "lines")
    assert layer.count == len(result.errors["lines"]) > 0
    root = ET.fromstring(layer.style.read_text(encoding="utf-8").partition("\n")[2])
    drawn = root.findall(".//layer")
    assert len(drawn) == 2  # emphasised: with an outline
    assert {"name": "line_color", "type": "QString", "value": "171,18,205,255"} in [
        option.attrib for option in drawn[-1].iter("Option")
    ]


def test_an_empty_layer_where_there_is_none(result, tmp_path):
    errors = {name: frame[:0] for name, frame in result.errors.items()}
    layers = write_layers(replace(result, errors=errors), tmp_path / "out")
    assert {layer.layer: layer.count for layer in layers}["tunnels"] == 0


def test_report_and_notebook(result):
    page = render(result)
    assert 'data-layer="tunnel-lines" checked' in page
    assert TUNNEL.about in page
    assert "background:#AB12CD" in page
    html = result_html(result)
    assert 'stroke="#AB12CD"' in html
    assert "Tunnel " in html


def test_hand_off(result, tmp_path):
    count = write_maproulette(result, tmp_path / "tasks.json", kinds=["tunnel"])
    tasks = json.loads((tmp_path / "tasks.json").read_text())["features"]
    assert count == len(tasks) > 0
    assert {task["properties"]["instruction"] for task in tasks} == {"Look for the tunnel."}
    assert write_maproulette(result, tmp_path / "all.json") >= count


def test_plan(result):
    edits = edit_plan(result).edits
    assert set(edits.loc[edits["kind"] == "tunnel", "action"]) == {"add"}
