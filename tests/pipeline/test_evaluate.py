"""``geoeval.evaluate``: what it takes, what an area means, what it refuses, and what its result can do."""

import json
import logging
import re
import warnings

import geopandas as gpd
import networkx as nx
import numpy as np
import pytest
import shapely

import geoeval
from geoeval import (
    Drawing,
    GeoevalError,
    GeoevalWarning,
    ObjectMap,
    RoadNetwork,
    evaluate,
    evaluate_lines,
    evaluate_objects,
    evaluate_roads,
)
from geoeval.crs import to_lonlat
from geoeval.exceptions import EmptyInputError, ParameterError
from geoeval.model.courses import bar
from geoeval.model.source_classes import source_classes
from tests.networks import grid, network

# Streets around a place of UTM zone 10, so that degrees and metres cannot be confused.
X, Y = 550_000.0, 5_300_000.0


def street_grid(size=5, spacing=100.0, *, shift=(0.0, 0.0)):
    lines = []
    for i in range(size):
        at, end = i * spacing, (size - 1) * spacing
        lines += [[(0, at), (end, at)], [(at, 0), (at, end)]]
    moved = [[(X + x + shift[0], Y + y + shift[1]) for x, y in line] for line in lines]
    crossed = shapely.node(shapely.MultiLineString(moved))
    return RoadNetwork.from_lines(list(crossed.geoms), crs="EPSG:32610")


TOWN = street_grid()
WORSE = RoadNetwork.from_lines(
    [line for i, line in enumerate(TOWN.to_geodataframe().geometry) if i % 7], crs="EPSG:32610"
)
BOX = (X + 50, Y + 50, X + 250, Y + 250)


def degrees(box):
    corners = to_lonlat(np.array([box[:2], box[2:]]), TOWN.crs)
    return (*corners[0].tolist(), *corners[1].tolist())


def rounded(result):
    return {name: round(value, 6) for name, value in result.scores["ccq"].items()}


# ------------------------------------------------------------------ what it takes


def test_forms_of_one_map_agree():
    expected = evaluate(TOWN, WORSE, metrics="ccq,opt-j").scores
    frames = [one.to_geodataframe() for one in (TOWN, WORSE)]
    graphs = [one.to_networkx() for one in (TOWN, WORSE)]
    assert evaluate(*frames, metrics="ccq,opt-j").scores == expected
    assert evaluate(*graphs, metrics="ccq,opt-j").scores == expected
    assert evaluate(TOWN, frames[1], metrics="ccq,opt-j").scores == expected


def test_it_is_the_layer_below_where_nothing_is_left_to_prepare():
    assert evaluate(TOWN, WORSE, metrics="opt-j").scores == evaluate_roads(TOWN, WORSE, metrics="opt-j").scores


def test_objects_and_lines():
    house, other = shapely.box(X, Y, X + 10, Y + 10), shapely.box(X + 1, Y, X + 11, Y + 10)
    frames = [gpd.GeoDataFrame(geometry=[one], crs="EPSG:32610") for one in (house, other)]
    maps = [ObjectMap.from_polygons([one], crs="EPSG:32610") for one in (house, other)]
    expected = evaluate_objects(*maps).scores
    assert evaluate(*frames, kind="objects").scores == expected
    assert evaluate(*maps, kind="objects").scores == expected
    drawings = [Drawing([bar((0, 0), (80, 0))], width=8), Drawing([bar((0, 1), (40, 1))], width=8)]
    assert evaluate(*drawings, kind="lines").scores == evaluate_lines(*drawings).scores


def test_options_of_readers_for_both_and_for_one(tmp_path):
    files = []
    for name, scale in (("a", 1), ("b", 2)):
        path = tmp_path / f"{name}.graph"
        path.write_text(f"0 0\n{100 // scale} 0\n\n0 1\n1 0\n", encoding="utf-8")
        files.append(path)
    both = evaluate(*files, metrics="ccq", pixel_size=1.0)
    each = evaluate(*files, metrics="ccq", reference_pixel_size=1.0, prediction_pixel_size=2.0)
    over = evaluate(*files, metrics="ccq", pixel_size=1.0, prediction_pixel_size=2.0)
    assert both.reference["length_m"] == 2 * both.prediction["length_m"] == 100.0
    assert each.prediction["length_m"] == over.prediction["length_m"] == 100.0


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((TOWN, 5), {}, "the prediction is a int; give a path"),
        ((TOWN, ObjectMap([])), {}, 'the prediction is a ObjectMap, not roads; give kind="objects"'),
        ((TOWN, WORSE), {"kind": "houses"}, "unknown kind of map 'houses'"),
        ((TOWN, WORSE), {"metrics": "ccx"}, "did you mean ccq"),
        ((TOWN, WORSE), {"parameters": {"ccq": {"tolerances": 3}}}, "unknown parameter of ccq 'tolerances'"),
        ((TOWN, WORSE), {"preset": "px"}, "unknown preset"),
        ((TOWN, WORSE), {"seed": -1}, "seed is -1"),
        ((TOWN, WORSE), {"pixelsize": 3}, "did you mean pixel_size"),
        ((TOWN, WORSE), {"crs": "EPSG:4326"}, "does not measure in metres"),
        ((TOWN, WORSE), {"crs": "EPSG:2263"}, "does not measure in metres"),
        ((TOWN, WORSE), {"image": "scan.png"}, "image belongs to lines, not to"),
        ((TOWN, "nowhere.gpkg"), {}, "nowhere.gpkg: no such file"),
        ((TOWN, WORSE), {"whole_networks": "maybe", "tile_size": 100.0}, "maybe"),
        ((Drawing([bar((0, 0), (8, 0))]),) * 2, {"kind": "lines", "aoi": (0, 0, 1, 1)}, "leave it out"),
        ((Drawing([bar((0, 0), (8, 0))]),) * 2, {"kind": "lines", "tile_size": 5.0}, "not evaluated in tiles"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(arguments, options, said):
    with pytest.raises(GeoevalError, match=re.escape(said)) as error:
        evaluate(*arguments, **options)
    assert "\n" not in str(error.value)


# ------------------------------------------------------------------ what an area means

AREAS = {
    "metres": BOX,
    "degrees": degrees(BOX),
    "a polygon in metres": shapely.box(*BOX),
    "a polygon in degrees": shapely.box(*degrees(BOX)),
    "a GeoDataFrame": gpd.GeoDataFrame(geometry=[shapely.box(*BOX)], crs="EPSG:32610"),
    "a GeoDataFrame in degrees": gpd.GeoDataFrame(geometry=[shapely.box(*BOX)], crs="EPSG:32610").to_crs(4326),
    "text": ",".join(map(str, BOX)),
}


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
def test_an_area_means_the_same_everywhere(area, tmp_path):
    path = tmp_path / "town.gpkg"
    geoeval.write_network(TOWN, path)
    lengths = {
        "clip": TOWN.clip(area).length,
        "evaluate_roads": evaluate_roads(TOWN, TOWN, metrics="ccq", aoi=area).reference["length_m"],
        "evaluate": evaluate(TOWN, TOWN, metrics="ccq", aoi=area).reference["length_m"],
        "tiles": evaluate(TOWN, TOWN, metrics="ccq", aoi=area, tile_size=90.0).reference["length_m"],
        "evaluate_tiled": geoeval.evaluate_tiled(TOWN, TOWN, metrics="ccq", aoi=area, tile_size=90.0)
        .reference["length_m"],
        "read_network": geoeval.read_network(path, aoi=area).length,
    }  # fmt: skip
    # Sides of a box in degrees are not straight in metres: a few centimetres on 200 m.
    assert all(length == pytest.approx(800.0, abs=3.0) for length in lengths.values()), lengths
    assert len({round(length, 3) for length in lengths.values()}) == 1


ELSEWHERE = (10.0, 45.0, 10.1, 45.1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: evaluate(TOWN, WORSE, aoi=ELSEWHERE),
        lambda: evaluate(TOWN, WORSE, aoi=ELSEWHERE, tile_size=200.0),
        lambda: evaluate_roads(TOWN, WORSE, aoi=ELSEWHERE),
        lambda: geoeval.evaluate_tiled(TOWN, WORSE, aoi=ELSEWHERE, tile_size=200.0),
        lambda: evaluate(*_houses(), kind="objects", aoi=ELSEWHERE),
        lambda: evaluate(*_houses(), kind="objects", aoi=ELSEWHERE, tile_size=200.0),
        lambda: evaluate_objects(*_houses(), aoi=ELSEWHERE),
        lambda: geoeval.evaluate_objects_tiled(*_houses(), aoi=ELSEWHERE, tile_size=200.0),
    ],
)
def test_an_area_that_leaves_nothing_is_refused(ask):
    with pytest.raises(EmptyInputError, match="nothing of either input lies in the evaluated area"):
        ask()


@pytest.mark.parametrize("way", [{}, {"tile_size": 100.0}])
def test_nothing_left_of_one_side_is_said_loudly(way):
    half = TOWN.clip((X - 1, Y - 1, X + 150, Y + 500), aoi_crs="EPSG:32610")
    area = (X + 200, Y - 1, X + 401, Y + 401)
    with pytest.warns(GeoevalWarning, match="nothing of the prediction lies in the evaluated area"):
        result = evaluate(TOWN, half, metrics="ccq", aoi=area, **way)
    assert result.scores["ccq"]["completeness"] == 0.0


def test_two_empty_inputs_are_perfect_and_no_error():
    empty = RoadNetwork.from_lines([], crs="EPSG:32610")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(empty, empty, metrics="ccq").scores["ccq"]["quality"] == 1.0


def test_the_larger_of_both_is_cut():
    city = street_grid(12)
    assert evaluate(city, TOWN, metrics="ccq").scores["ccq"]["completeness"] > 0.7
    assert evaluate(city, TOWN, metrics="ccq", aoi="all").scores["ccq"]["completeness"] < 0.2
    swapped = evaluate(TOWN, city, metrics="ccq")
    assert swapped.scores["ccq"]["correctness"] > 0.7
    assert swapped.area.equals(evaluate(city, TOWN, metrics="ccq").area)


# ------------------------------------------------------------------ what its result can do


@pytest.fixture(scope="module")
def result():
    return evaluate(TOWN, WORSE)


def test_a_short_repr(result):
    text = repr(result)
    assert text.startswith("<Result roads: ccq 0.")
    assert "opt-j" in text
    assert "errors" in text
    assert len(text) < 250


def test_a_table_of_scores(result):
    table = result.table()
    row = table[(table["metric"] == "opt-p") & (table["score"] == "breaks")].iloc[0]
    assert (row["better"], row["unit"], row["headline"]) == ("lower", "count", False)
    assert table.groupby("metric")["headline"].sum().eq(1).all()
    assert len(table) == sum(len(scores) for scores in result.scores.values())


def test_the_plan_is_there_and_its_gains_stand_at_the_errors(result):
    assert len(result.plan.edits)
    assert result.as_dict()["plan"]["edits"] == len(result.plan.edits)
    shown = result.map_errors()
    for layer, frame in shown.items():
        mine = result.plan.edits[result.plan.edits["layer"] == layer]
        assert frame["gain"].to_numpy()[mine["row"].to_numpy()] == pytest.approx(mine["gain"].to_numpy())
        assert frame["rank"].notna().sum() == len(mine)


def test_errors_of_every_metric_stay_and_a_kind_can_be_asked_for(result):
    lines = result.errors["lines"]
    assert {"ccq", "opt-p"} <= set(lines["metric"])
    missing = result.errors_of("missing")
    assert set(missing["kind"]) == {"missing"}
    assert set(missing["metric"]) == {"ccq"}
    assert missing["length_m"].sum() == pytest.approx(result.error_summary()["missing"]["length_m"])
    with pytest.raises(ParameterError, match="there is no kind of error 'never heard of'"):
        result.errors_of("never heard of")


def test_it_writes_itself(result, tmp_path):
    layers = result.write_layers(tmp_path / "errors")
    assert {"grid", "area", "missing"} <= {layer.role for layer in layers}
    assert (tmp_path / "errors" / "plan.csv").exists()
    result.write_report(tmp_path / "report.html")
    result.write_json(tmp_path / "scores.json")
    assert json.loads((tmp_path / "scores.json").read_text())["scores"] == json.loads(result.to_json())["scores"]
    with pytest.raises(GeoevalError, match="exists already"):
        result.write_json(tmp_path / "scores.json")


def test_it_shows_itself(result):
    html = result._repr_html_()
    assert "<svg" in html
    assert "opt-j" in html
    axes = result.plot()
    assert axes.get_legend() is not None
    assert "<iframe" in result.explore()._repr_html_() or "bokeh" in result.explore()._repr_html_().lower()


def test_a_map_against_itself_has_no_errors():
    for one, kind in ((TOWN, "roads"), (_houses()[0], "objects")):
        found = evaluate(one, one, kind=kind)
        assert found.error_summary() == {}
        assert ": " in repr(found)
        assert "0 errors" in repr(found)


def test_a_result_is_not_changed_after_it_was_made(result):
    before = dict(result.seconds)
    with pytest.raises(AttributeError):
        result.area = None
    assert result.seconds == before


def test_diagnosis_goes_through_logging(caplog):
    with caplog.at_level(logging.INFO, logger="geoeval"):
        evaluate(TOWN, WORSE, metrics="ccq")
    assert "RoadNetwork" in caplog.text


def test_progress_runs_from_nothing_to_all():
    seen = []
    evaluate(TOWN, WORSE, metrics="ccq,opt-j", progress=lambda fraction, _: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[0] == 0.0
    assert seen[-1] == 1.0


def test_a_graph_of_osmnx_kind():
    graph = nx.MultiDiGraph(crs="EPSG:32610")
    for number, (x, y) in enumerate([(X, Y), (X + 100, Y), (X + 100, Y + 80)]):
        graph.add_node(number, x=x, y=y)
    for a, b in ((0, 1), (1, 0), (1, 2), (2, 1)):
        graph.add_edge(a, b, osmid=7)
    assert evaluate(graph, graph, metrics="opt-j").reference["length_m"] == 180.0


def _houses():
    boxes = [shapely.box(X + 30 * i, Y, X + 30 * i + 10, Y + 10) for i in range(4)]
    return tuple(ObjectMap.from_polygons(boxes, crs="EPSG:32610") for _ in range(2))


def test_wrong_parameters_are_refused_before_anything_is_read():
    with pytest.raises(ParameterError, match="unknown metric"):
        evaluate("nowhere.gpkg", "nowhere.gpkg", metrics="nothing")


def test_roads_with_classes_are_evaluated_in_tiles():
    """Only classes of objects are not; roads keep theirs for the diagnosis."""
    town = network(grid(3, 3, 100.0))
    ids = np.unique(town.source_ids)
    named = town.with_classes(source_classes(ids, np.full(len(ids), "residential")))
    assert named.classes is not None
    assert evaluate(named, named, metrics="ccq", tile_size=150).scores["ccq"]["quality"] == 1.0
