"""Protocols through the one door: by name, from the command line, on files of several kinds."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from geoeval import RoadNetwork, evaluate
from geoeval.cli.main import app
from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.protocols.aggregation import f1_of_means, mean_of_defined, mean_of_places, truncated_mean
from geoeval.protocols.registry import PROTOCOLS
from geoeval.protocols.sat2graph.degrees import degrees_of
from geoeval.readers.reading import read_network
from tests.protocols.sat2graph.test_topo import straight


@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_declarations_say_what_a_reader_must_know(name):
    protocol = PROTOCOLS[name]
    assert protocol.name == name
    assert protocol.headline in [score.name for score in protocol.scores]
    facts = protocol.facts()
    assert all(facts[key] for key in ("version", "about", "origin", "blind_to", "prefer"))
    assert json.dumps(facts)


def test_the_command_line_prints_the_numbers_of_python(tmp_path):
    files = []
    for name, length in (("truth", 400), ("guess", 300)):
        path = tmp_path / f"{name}.p"
        path.write_bytes(pickle.dumps(straight(length)))
        files.append(str(path))
    out = tmp_path / "result.json"
    command = ["roads", *files, "--protocol", "sat2graph-topo", "--json", str(out), "--progress", "none"]
    done = CliRunner().invoke(app, [*command, "--set", "sat2graph-topo.variant=sam-road"])
    assert done.exit_code == 0, done.output
    scores = json.loads(out.read_text())["scores"]
    assert scores == evaluate(*files, protocol="sat2graph-topo").scores
    assert scores["sat2graph-topo"]["recall"] < 1.0


def test_a_network_scores_as_its_file(tmp_path):
    """Row 0 is north: a network with a CRS gives the numbers of the pixel graph that it is."""
    pixels = [straight(400), straight(300)]
    networks = [
        RoadNetwork.from_lines([[(column, 5000.0 - row) for row, column in graph]], crs="EPSG:32610")
        for graph in pixels
    ]
    chosen = {"protocol": "sat2graph-topo", "parameters": {"sat2graph-topo": {"small": False}}}
    expected = evaluate(*pixels, **chosen).scores["sat2graph-topo"]
    result = evaluate(*networks, **chosen)
    # Where row 0 is moves roundings, and so single holes.
    assert result.scores["sat2graph-topo"] == pytest.approx(expected, abs=0.02)
    assert result.crs.to_epsg() == 32610
    assert result.errors["lines"].total_bounds[1] == 4000.0


def test_what_a_protocol_cannot_have_is_refused():
    roads = straight(400), straight(300)
    with pytest.raises(ParameterError, match="leave tile_size out"):
        evaluate(*roads, protocol="sat2graph-topo", tile_size=500)
    with pytest.raises(ParameterError, match="did you mean sat2graph-topo"):
        evaluate(*roads, protocol="sat2graph-topos")


@pytest.mark.parametrize(
    ("protocol", "setting", "message"),
    [
        ("cosmiq-apls", {"spacing": "wide"}, "cosmiq-apls.spacing is 'wide'; give a number, such as 50.0"),
        ("cosmiq-apls", {"max_snap": None}, "give a number, such as 4.0"),
        ("cosmiq-topo", {"origins": 2.5}, "give a whole number, such as 20"),
        ("cosmiq-topo", {"radius": 0}, "cosmiq-topo.radius is 0; give a number above 0"),
        ("lane-geo-topo", {"match": -1}, "lane-geo-topo.match is -1; give a number above 0"),
        ("sat2graph-topo", {"step": True}, "sat2graph-topo.step is True"),
        ("citraro", {"radius": float("nan")}, "citraro.radius is nan"),
    ],
)
def test_constants_that_are_no_numbers_are_refused(protocol, setting, message):
    with pytest.raises(ParameterError, match=message):
        evaluate(straight(400), straight(300), protocol=protocol, parameters={protocol: setting})


def test_degrees_are_refused_where_pixels_or_metres_count():
    degrees = {(36.24, -115.17): [(36.241, -115.169)], (36.241, -115.169): [(36.24, -115.17)]}
    with pytest.raises(ParameterError, match="degrees rather than the pixels"):
        evaluate(degrees, straight(300), protocol="sat2graph-topo")
    with pytest.raises(ParameterError, match="degrees rather than the metres"):
        evaluate(straight(300), degrees, protocol="cosmiq-apls")


def test_the_list_of_protocols_names_them_all():
    done = CliRunner().invoke(app, ["protocols"])
    assert done.exit_code == 0
    assert all(name in done.output for name in PROTOCOLS)
    listed = json.loads(CliRunner().invoke(app, ["protocols", "--json"]).output)
    assert [one["name"] for one in listed] == list(PROTOCOLS)
    assert {"version", "parameters", "origin", "blind_to", "prefer", "scores"} <= set(listed[0])


def test_a_tile_for_the_go_program_is_the_same_tile(tmp_path):
    """Places and pairs in made-up degrees are the pixels of the dictionary; in other degrees they are places."""
    graph = straight(400, pieces=3)
    pixels = np.array(list(graph))
    pairs = [[i, i + 1] for i in range(len(pixels) - 1)]
    tile = tmp_path / "tile.json"
    tile.write_text(json.dumps([degrees_of(pixels).tolist(), pairs]))
    for protocol in ("sat2graph-topo", "sat2graph-apls", "lane-geo-topo"):
        assert evaluate(tile, tile, protocol=protocol).scores == evaluate(graph, graph, protocol=protocol).scores
    assert read_network(tile, pixel_size=1.0).length == pytest.approx(400.0, abs=1e-6)
    town = tmp_path / "town.json"
    town.write_text(json.dumps([[[36.0, -115.0], [36.0, -115.001]], [[0, 1]]]))
    assert read_network(town).length == pytest.approx(90.1, abs=0.3)
    for content, message in (
        ("[[[1, 2]], [[0, 7]]]", "beyond the 1"), ("[[[1, 2]], [[0, 1e300]]]", "beyond the 1"),
        ("[[[1, 2], 3]]", "is not a graph"), ("[[[1, 2]], [[0, NaN]]]", "no whole one"),
        ("[[[1, 2]]", "is not a graph"),
    ):  # fmt: skip
        town.write_text(content)
        with pytest.raises(UnreadableInputError, match=message):
            read_network(town)


def test_aggregations_by_hand():
    places = [{"precision": 1.0, "recall": 0.5, "f1": 2 / 3}, {"precision": 0.0, "recall": 0.0, "f1": 0.0}, None]
    assert mean_of_places(places) == {"precision": 0.5, "recall": 0.25, "f1": pytest.approx(1 / 3)}
    assert f1_of_means(places) == {"precision": 1.0, "recall": 0.5, "f1": pytest.approx(2 / 3), "places": 1}
    apls = [{"apls": 0.123456}, {"apls": 0.5}, {"apls": None}, {"apls": 1.0}, None]
    assert mean_of_defined(apls) == {"apls": pytest.approx((0.123456 + 0.5 + 1.0) / 3), "places": 3}
    assert truncated_mean(apls) == {"apls": pytest.approx((0.12345 + 0.5) / 2), "places": 2}


def test_spacenet_aggregation_of_a_public_run(data):
    folder = data / "protocols" / "samroad"
    apls = json.loads((folder / "spacenet_apls.json").read_text())
    rows = [{"apls": value} for _, value in apls["apls"]] + [None] * (apls["n_total"] - apls["n_evaluated"])
    assert mean_of_defined(rows)["apls"] == pytest.approx(apls["final_APLS"], abs=1e-12)
    topo = json.loads((folder / "spacenet_topo.json").read_text())
    rows = [{"precision": p, "recall": r} for p, r in zip(topo["prec"], topo["recall"], strict=True)]
    found = f1_of_means(rows)
    assert [found[name] for name in ("f1", "precision", "recall")] == pytest.approx(topo["mean topo"], abs=1e-12)


def test_the_documentation_has_every_protocol_with_its_constants():
    docs = Path(__file__).parents[2] / "docs"
    sections = (docs / "protocols.md").read_text(encoding="utf-8").split("\n## ")
    described = {section.splitlines()[0]: section for section in sections[1:]}
    of_objects = {name for name, protocol in PROTOCOLS.items() if protocol.content == "objects"}
    assert set(described) == set(PROTOCOLS) - of_objects
    buildings = (docs / "buildings.md").read_text(encoding="utf-8")
    assert [name for name in of_objects if f"`{name}`" not in buildings] == []
    for name, section in described.items():
        protocol = PROTOCOLS[name]
        missing = [parameter for parameter in protocol.defaults if f"`{parameter}`" not in section]
        assert missing == [], name
        assert all(f"`{metric}`" in section for metric in protocol.prefer), name
